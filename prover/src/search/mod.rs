//! The search for differences: stores on which the two versions were run and differ, and runs that provably never end.

pub mod recurrent_set;

pub mod witness;

pub mod concrete;

pub mod bmc;

pub mod localize;

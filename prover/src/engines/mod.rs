//! The engines that prove pairs, and the fixpoint over all pairs.

pub mod claims;
pub mod confirm;
pub mod coupling;
pub mod horn;
pub mod paper;
pub mod paths;
pub mod product;
pub mod unroll;

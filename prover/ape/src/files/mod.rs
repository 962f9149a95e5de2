//! Files of ours: programs that are read, and certificates that are read and written.
//!
//! In: paths. Out: programs and certificates, or the [`Failure`](crate::status::Failure) that kept them away.

pub(crate) mod certificate;
pub(crate) mod folder;
pub(crate) mod load;
pub(crate) mod replace;
pub(crate) mod revisions;

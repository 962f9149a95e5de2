//! What the Z3 library that was loaded tells about itself.

use smt::solve;
use smt::z3_version::Z3Version;
use std::sync::LazyLock;

/// The version of Z3 this program was built for.
pub(crate) const BUILT_FOR: &str = env!("APE_Z3_VERSION");

/// Where the library was at build time.
pub(crate) const BUILT_FROM: &str = env!("APE_Z3_FROM");

/// What `ape --version` says after the name.
pub(crate) fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let z3 = loaded().map_or_else(solve::version, |version| version.to_string());
        format!("{} (Z3 {z3})", env!("CARGO_PKG_VERSION"))
    });
    &TEXT
}

/// The version of the library that was loaded, unless it calls itself something that is no version.
pub(crate) fn loaded() -> Option<Z3Version> {
    Z3Version::parse(&solve::version())
}

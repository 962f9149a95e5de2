//! What the Z3 library that was loaded tells about itself.

use super::z3_version::Z3Version;
use std::sync::LazyLock;
use z3::ast::Int;
use z3::{Config, SatResult, Solver};

/// The version of Z3 this program was built for.
pub(crate) const BUILT_FOR: &str = env!("APE_Z3_VERSION");

/// Where the library was at build time.
pub(crate) const BUILT_FROM: &str = env!("APE_Z3_FROM");

/// What `ape --version` says after the name.
pub(crate) fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let z3 = loaded().map_or_else(|| z3::full_version().to_string(), |version| version.to_string());
        format!("{} (Z3 {z3})", env!("CARGO_PKG_VERSION"))
    });
    &TEXT
}

/// The version of the library that was loaded, unless it calls itself something that is no version.
pub(crate) fn loaded() -> Option<Z3Version> {
    Z3Version::parse(z3::full_version())
}

/// Asks Z3 two small questions. The error says what it got wrong.
pub(crate) fn ask() -> Result<(), String> {
    z3::with_z3_config(&Config::new(), || {
        let (x, solver) = (Int::new_const("x"), Solver::new());
        solver.assert(x.gt(1));
        solver.assert(x.lt(3));
        if solver.check() != SatResult::Sat {
            return Err("it finds no x with 1 < x < 3".to_string());
        }
        let found = solver.get_model().and_then(|model| model.eval(&x, true)).and_then(|value| value.as_i64());
        if found != Some(2) {
            return Err(format!("for 1 < x < 3 it finds {found:?}"));
        }
        solver.assert(x.gt(2));
        match solver.check() {
            SatResult::Unsat => Ok(()),
            other => Err(format!("it says {other:?} to 2 < x < 3")),
        }
    })
}

/// Whether Z3 can be told how much memory it may take.
pub(crate) fn has_memory_limit() -> bool {
    z3::get_global_param("memory_max_size").is_some()
}

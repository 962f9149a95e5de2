//! What of the house is still to be mended: the check, and a text that the violation has. The list only shrinks.

/// Violations that are known of.
pub(crate) const STILL: &[(&str, &str)] = &[
    ("top", "ape has"),
    ("functions", "suite in prover/ape/benches/table/mod.rs:"),
    ("functions", "verify in prover/ape/src/verify.rs:"),
    ("cycles", "ape: load -> status "),
    ("cycles", "ape: status -> load "),
    ("cycles", "smt::solve: backend -> z3 "),
    ("cycles", "smt::solve: z3 -> backend "),
    ("stages", "ape: args -> installation "),
    ("stages", "ape: doctor -> installation "),
    ("stages", "ape: load -> status "),
    ("stages", "ape: replay -> verify "),
    ("stages", "ape: status -> terminal "),
];

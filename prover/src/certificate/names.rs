//! What the parts of a certificate are called.
//!
//! In: procedures and numbers. Out: names for people, and names of files.

use crate::goal::Pair;
use lang_l::hir::{ProcId, Unit};

/// The script of the effects about single procedures.
pub(super) const FACTS_SCRIPT: &str = "00-procedures.smt2";

/// A pair's name for people.
pub(super) fn pair_name(unit: &Unit, pair: Pair, when: Option<&str>) -> String {
    let name = |version: usize, id: ProcId| {
        unit.versions[version].procedures.get(id.index()).map_or("?", |procedure| procedure.name.as_str())
    };
    let (left, right) = (name(0, pair.0), name(1, pair.1));
    let names = if left == right { left.to_string() } else { format!("{left} ~ {right}") };
    match when {
        Some(when) => format!("{names} when {when}"),
        None => names,
    }
}

/// The name of a proof's script: a number, so that no two are the same whatever a file system thinks of case, and as much of
/// the procedure's name as is safe in one.
pub(super) fn script_name(number: usize, procedure: &str) -> String {
    let safe: String =
        procedure.chars().take(40).map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    format!("{:02}-{safe}.smt2", number + 1)
}

//! What a reader may try where a pair is not settled.
//!
//! In: a pair that is neither proved nor refuted. Out: one thing to try, by how the two are built.

use crate::goal::{Pair, Program};
use crate::lower::is_loop;
use lang_l::hir::ProcId;

/// What may help whatever the two are.
pub(super) const GENERAL: &str =
    "compare the places named; a contract (`requires`, `modifies`) on what they call may help";

/// How a procedure goes on: by loops, and by recursion of its own or of what it calls.
struct Build {
    loops: usize,
    recurs: bool,
}

/// One thing to try.
pub(super) fn hint(program: &Program<'_>, pair: Pair) -> String {
    let [left, right] = [build(program, 0, pair.0), build(program, 1, pair.1)];
    let title = |version: usize| program.unit.versions()[version].title();
    match (left.loops, right.loops) {
        _ if left.recurs != right.recurs && left.loops != right.loops => {
            let recursive = usize::from(right.recurs);
            format!(
                "{} calls itself where {} has a loop; write them alike: a loop is matched with a loop turn by turn, and \
                 recursion with recursion call by call",
                title(recursive),
                title(1 - recursive)
            )
        }
        (mine, theirs) if mine != theirs => format!(
            "{} has {} and {} has {}; change their number in a step of its own, and the rest in another: each step is a pair \
             that may be proved",
            title(0),
            counted(mine),
            title(1),
            counted(theirs)
        ),
        (0, _) => GENERAL.into(),
        _ => "change one thing at a time: where a counter begins, where a value is kept, in what order cells are written; each \
              step is a pair that may be proved"
            .into(),
    }
}

fn counted(loops: usize) -> String {
    match loops {
        0 => "no loop".into(),
        1 => "one loop".into(),
        _ => format!("{loops} loops"),
    }
}

fn build(program: &Program<'_>, version: usize, id: ProcId) -> Build {
    let effects = &program.effects[version];
    let reached = || effects[id.index()].callees.iter().copied().chain([id]);
    let looped = |id: &ProcId| is_loop(program.unit.procedure(version, *id));
    Build {
        loops: reached().filter(looped).count(),
        recurs: reached().any(|id| !looped(&id) && effects[id.index()].recursive(id)),
    }
}

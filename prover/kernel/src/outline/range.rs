//! Ranges: statements of one block, one after the other.
//!
//! In: a body and a way into it. Out: the block there, what is live behind each of its statements.

use crate::liveness::{Exits, Live, after_each, at_head};
use lang_l::hir::{Block, Procedure, StmtKind};

/// The way from a body to a block in it: statements, and which of their blocks.
pub type Way = Vec<(usize, usize)>;

/// Statements of one block, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The block.
    pub way: Way,
    /// The first.
    pub from: usize,
    /// The last.
    pub to: usize,
}

impl Range {
    /// Whether all statements of another range are among those of this one.
    pub fn contains(&self, other: &Range) -> bool {
        if self.way == other.way {
            return self.from <= other.from && other.to <= self.to;
        }
        other.way.starts_with(&self.way)
            && other.way.get(self.way.len()).is_some_and(|(at, _)| (self.from..=self.to).contains(at))
    }

    /// Whether the two have a statement in common.
    pub fn meets(&self, other: &Range) -> bool {
        let overlap = self.way == other.way && self.from <= other.to && other.from <= self.to;
        overlap || self.contains(other) || other.contains(self)
    }
}

/// The block at the end of a way.
pub fn block<'b>(body: &'b Block, way: &[(usize, usize)]) -> &'b Block {
    way.iter().fold(body, |block, &(at, which)| block.stmts[at].blocks()[which])
}

/// As [`block`]; `None` where the way leads nowhere.
pub fn block_at<'b>(body: &'b Block, way: &[(usize, usize)]) -> Option<&'b Block> {
    way.iter().try_fold(body, |block, &(at, which)| block.stmts.get(at)?.blocks().get(which).copied())
}

/// As [`block`], for changing it.
pub fn block_mut<'b>(body: &'b mut Block, way: &[(usize, usize)]) -> &'b mut Block {
    way.iter().fold(body, |block, &(at, which)| block.stmts[at].blocks_mut().swap_remove(which))
}

/// What is live after each statement of the block at the end of a way, and where control can go from there.
pub fn liveness(procedure: &Procedure, body: &Block, way: &[(usize, usize)]) -> (Vec<Live>, Exits) {
    let mut exits = Exits::of(procedure);
    // A post-condition speaks of parameters as they were on entry; that they are handed on as well is no harm.
    procedure.ensures.iter().for_each(|clause| clause.collect_locals(&mut exits.returned));
    let (mut here, mut after) = (body, exits.returned.clone());
    for &(at, which) in way {
        let behind = after_each(here, &after, &exits).swap_remove(at);
        let stmt = &here.stmts[at];
        after = match &stmt.kind {
            StmtKind::While { cond, invariants, body } => {
                let head = at_head(cond, invariants, body, &behind, &exits);
                exits = exits.within(&head, &behind);
                head
            }
            _ => behind,
        };
        here = stmt.blocks()[which];
    }
    (after_each(here, &after, &exits), exits)
}

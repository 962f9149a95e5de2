//! That a clause of a contract holds of the program as it was written.
//!
//! In: a clause of the source. Out: that it was proved wherever the lowered program has to establish it, and that the lowered
//! program does what is written there; or what is not shown.
//!
//! Rule *Contracts* (`proofs/soundness.md`).

use super::Kernel;
use crate::alone::clauses::{ClauseKind, Status};
use crate::effects::direct_callees;
use crate::lemma;
use crate::rejection::{Rejection, reject};
use lang_l::hir::{ProcId, Procedure};
use lang_l::source::Span;

impl Kernel<'_> {
    /// Whether a clause of a version holds wherever it has to.
    ///
    /// # Errors
    /// What of it is not shown.
    pub fn clause_holds(&self, version: usize, kind: ClauseKind, span: Span) -> Result<(), Rejection> {
        self.alone(version)?;
        let is_it = |(own, sort, place)| (own, sort, place) == (version, kind, span);
        let known = || self.clauses.iter().filter(|known| is_it((known.version, known.kind, known.span)));
        if known().next().is_none() || known().any(|known| known.status != Status::Holds) {
            return reject("it is not proved wherever it has to be established");
        }
        let those = self.establish(version, kind, span);
        if those.is_empty() {
            return reject("the source has no such clause");
        }
        for id in those {
            if !faults::planted("kernel/proof/clauses") {
                self.does_what_is_written(version, id)?;
            }
            lemma::is_called_as_written(self.lowering(version), id)?;
        }
        Ok(())
    }

    /// The procedures of the source that have to establish a clause: those that call what requires it, or the one it is in. Where the
    /// body of a helper stands in place of a call, the helper is looked at all the same, as it is written and for all that it may be given.
    fn establish(&self, version: usize, kind: ClauseKind, span: Span) -> Vec<ProcId> {
        let procedures = &self.cut.versions[version].procedures;
        let is_in = |code: &Procedure| {
            code.span.file == span.file && code.span.start <= span.start && span.end <= code.span.end
        };
        let has_to = |code: &Procedure| match kind {
            ClauseKind::Requires => direct_callees(code).into_iter().any(|id| is_in(&procedures[id.index()])),
            _ => is_in(code),
        };
        (0u32..).map(ProcId).zip(procedures).filter(|(_, code)| has_to(code)).map(|(id, _)| id).collect()
    }
}

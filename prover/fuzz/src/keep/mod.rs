//! Mutations that keep the meaning of a program.
//!
//! In: a program, one of its procedures, random numbers. Out: the program changed, or nothing when there is no place for a
//! mutation of the kind wanted.
//!
//! Invariant: both programs are *equivalent* by construction, not just alike on most stores: each function says why. Errors
//! and running for ever count; where garbage is, in which order things are allocated and which error came first do not.

mod expressions;
mod loops;
mod procedures;
mod statements;

pub(super) use procedures::call_it as rename_procedure;
pub(super) use statements::{Site, around, sites};

use super::tree::Program;
use lang_l::random::Random;

macro_rules! kinds {
    ($($kind:ident $text:literal $apply:path,)*) => {
        /// The kinds of mutations that keep the meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each is named as the function that does it, which says more")]
        pub enum Keep { $($kind,)* }

        impl Keep {
            /// All kinds.
            pub const ALL: &[Keep] = &[$(Keep::$kind,)*];

            /// Its name in tables.
            pub fn text(self) -> &'static str {
                match self { $(Keep::$kind => $text,)* }
            }

            /// Applies it somewhere in the procedure at this position. When there is no place for it the answer is `None`, and the
            /// program may be spoilt.
            pub fn apply(self, program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
                if !self.fits(program) {
                    return None;
                }
                match self { $(Keep::$kind => $apply(program, at, random),)* }
            }
        }
    };
}

kinds! {
    Reorder "reorder statements" statements::reorder,
    MoveAllocation "move allocation" statements::move_allocation,
    Garbage "add garbage" statements::garbage,
    DeadStore "add dead store" statements::dead_store,
    Overwritten "add overwritten store" statements::overwritten,
    SwapBranches "swap branches" statements::swap_branches,
    Nest "nest conditions" statements::nest,
    Split "split on a test" statements::split,
    Distribute "move rest into branches" statements::distribute,
    Temporary "introduce temporary" expressions::temporary,
    Algebra "rewrite expression" expressions::algebra,
    Return "return the value" expressions::return_value,
    Rename "rename variables" procedures::rename,
    RenameProcedure "rename procedure" procedures::rename_procedure,
    Inline "inline call" procedures::inline,
    Outline "outline block" procedures::outline,
    Recursion "loop to recursion" procedures::recursion,
    Loop "recursion to loop" procedures::to_loop,
    Unroll "unroll loop once" statements::unroll,
    HoistRead "hoist a read" loops::hoist_read,
    ShiftCounter "shift a counter" loops::shift_counter,
    ReverseCounter "reverse a counter" loops::reverse_counter,
    KeepInLocal "keep a field in a local" loops::keep_in_local,
    KeepInField "keep a local in a field" loops::keep_in_field,
    Extract "extract a loop" loops::extract,
    Rotate "rotate a loop" loops::rotate,
    TwoTurns "two turns in one" loops::two_turns,
    Fission "split a loop" loops::fission,
    AskHelper "ask a helper in a loop" loops::ask_helper,
}

impl Keep {
    /// Whether it keeps the meaning of this program. Where an `assert` or `assume` looks around, a new variable, one that lives
    /// longer, or another procedure around it can be seen. A contract may look around: a run that breaks one shows no
    /// difference. But what an external procedure does is left out of account where its contract fails.
    fn fits(self, program: &Program) -> bool {
        let seen = matches!(
            self,
            Keep::Garbage
                | Keep::DeadStore
                | Keep::Temporary
                | Keep::Inline
                | Keep::Outline
                | Keep::Recursion
                | Keep::Loop
                | Keep::HoistRead
                | Keep::ShiftCounter
                | Keep::ReverseCounter
                | Keep::KeepInLocal
                | Keep::KeepInField
                | Keep::Extract
                | Keep::Rotate
                | Keep::Fission
                | Keep::AskHelper
        );
        !(seen && program.looks_around())
    }
}

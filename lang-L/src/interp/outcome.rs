//! How an execution can end.
//!
//! In: built by the modules beside this one. Out: read by the prover and by the command line.
//!
//! Invariant: [`Outcome::Diverged`] is only said when it is proved; running out of steps is [`Outcome::OutOfBudget`].

use crate::heap::isomorphism::Final;
use crate::source::Span;

/// The end of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ended normally.
    Normal(Final),
    /// It ended in *error*; to a caller all errors are one.
    Error(Failure),
    /// A contract did not hold. Only when contracts are checked.
    Violation(Violation),
    /// It has no outcome at all: nothing is claimed of such runs.
    Excluded(Exclusion, Span),
    /// It never ends.
    Diverged(Divergence),
    /// It was stopped.
    OutOfBudget(Budget),
    /// It needs what cannot be executed.
    Unsupported {
        /// What.
        what: &'static str,
        /// Where.
        span: Span,
    },
}

impl Outcome {
    /// The place in the source that tells why the execution ended so; `None` when no single one does.
    pub fn place(&self) -> Option<Span> {
        match self {
            Outcome::Normal(_) | Outcome::OutOfBudget(_) => None,
            Outcome::Error(failure) => Some(failure.span),
            Outcome::Violation(violation) => Some(violation.span),
            Outcome::Excluded(_, span) | Outcome::Unsupported { span, .. } => Some(*span),
            Outcome::Diverged(
                Divergence::LoopRepeats { span }
                | Divergence::CallRepeats { span, .. }
                | Divergence::Stays { span, .. },
            ) => Some(*span),
        }
    }
}

/// Why an execution ended in error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Where.
    pub span: Span,
}

/// What can go wrong in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Reading, writing or asking the length through `null`.
    NullDereference,
    /// An index below 0 or not below the length.
    IndexOutOfBounds,
    /// `new T[n]` with `n` below 0.
    NegativeArraySize,
    /// `/` or `%` by 0.
    DivisionByZero,
    /// `assert` of what is false.
    AssertionFailed,
    /// An external procedure that was made to err.
    External,
}

impl ErrorKind {
    /// As reports word it.
    pub fn message(self) -> &'static str {
        match self {
            ErrorKind::NullDereference => "null dereference",
            ErrorKind::IndexOutOfBounds => "index out of bounds",
            ErrorKind::NegativeArraySize => "negative array size",
            ErrorKind::DivisionByZero => "division by zero",
            ErrorKind::AssertionFailed => "assertion failed",
            ErrorKind::External => "external procedure failed",
        }
    }
}

/// A contract that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What sort of clause.
    pub clause: Clause,
    /// The clause.
    pub span: Span,
    /// The procedure whose clause it is.
    pub procedure: String,
    /// The call it was checked for; `None` when the procedure was the one that was run.
    pub call: Option<Span>,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
}

/// The sorts of clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Clause {
    /// `requires`, checked at calls.
    Requires,
    /// `ensures`, checked when the body ends.
    Ensures,
    /// `modifies`, checked when the body ends.
    Modifies,
    /// `invariant`, checked each time before the loop's condition.
    Invariant,
    /// `assert`, which makes a run err: no run ends in a violation of one. Whoever looks for runs that break one says so.
    Assert,
}

impl Clause {
    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Clause::Requires => "requires",
            Clause::Ensures => "ensures",
            Clause::Modifies => "modifies",
            Clause::Invariant => "invariant",
            Clause::Assert => "assert",
        }
    }
}

/// Why an execution has no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exclusion {
    /// The input does not satisfy the procedure's `requires`.
    Requires,
    /// An `assume` failed.
    Assume,
    /// What an external procedure was made to do does not satisfy its `ensures`.
    ExternalEnsures,
}

/// The proof that an execution never ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// The loop at this place came back to a state it had been in.
    LoopRepeats {
        /// The loop.
        span: Span,
    },
    /// This procedure was entered again, while it was active, from a store isomorphic to the one it was entered from.
    CallRepeats {
        /// Its name.
        procedure: String,
        /// The inner call.
        span: Span,
    },
    /// Whenever this condition holds at this loop, or on entry to this procedure, it holds again later on. Never said by a
    /// run alone: it takes a proof.
    Stays {
        /// The loop, or the procedure.
        span: Span,
        /// The condition.
        condition: String,
    },
}

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Budget {
    /// [`super::Limits::steps`]
    Steps,
    /// [`super::Limits::depth`]
    Depth,
    /// [`super::Limits::array_length`] or [`super::Limits::int_bits`]
    Size,
}

/// What a step of a run returns: a value, or how the whole run ends.
pub(crate) type Step<T> = Result<T, Box<Outcome>>;

/// The run ends in this error.
pub(crate) fn fail<T>(kind: ErrorKind, span: Span) -> Step<T> {
    Err(Box::new(Outcome::Error(Failure { kind, span })))
}

//! What a run keeps of each call that is active.
//!
//! In: built by `machine` and `call`. Out: read by `contract`, whose quantifiers see what the variables of all active calls reach,
//! and by `divergence`.
//!
//! Invariant: data only; nothing here runs.

use crate::heap::Store;
use crate::heap::value::{Addr, Value};
use crate::hir::{BinOp, Block, ClassId, Expr, Place, ProcId, Procedure, Stmt, Type};
use crate::source::Span;

/// The variables of a procedure; `None` for an argument that is unset in the input.
pub(crate) type Variables = Vec<Option<Value>>;

/// What is still to be done in a frame.
pub(super) enum Task<'r> {
    /// The rest of a block.
    Statements(&'r [Stmt]),
    /// Leave the value of an expression.
    Evaluate(&'r Expr),
    /// Leave the value of an operator whose operands have been left.
    Apply(&'r Expr),
    /// Decide `&&`, `||`, `==>` by the left operand, or go on with the right one.
    ShortCircuit(BinOp, &'r Expr),
    /// Go on with one of the two, as the value left says.
    Choose(&'r Expr, &'r Expr),
    /// Go on with one of the two blocks, as the value left says.
    Branch(&'r Expr, &'r Block, &'r Block),
    /// The head of a loop. Stays on the stack below its body.
    Loop(Loop<'r>),
    /// Go on with the body of the loop below, or leave it, as the value left says.
    LoopTest(&'r Expr, &'r Block),
    /// Leave a new object.
    New(Option<ClassId>),
    /// Leave a new array of the length left.
    NewArray(&'r Type, Span),
    /// Assign the value left to a place whose object and index were left before it.
    Assign(&'r Place, Span),
    /// Call with the arguments left.
    Call { callee: ProcId, reply: Reply<'r>, span: Span },
    /// Assign the results left and end the call.
    Return,
}

/// A loop that is being executed.
pub(super) struct Loop<'r> {
    pub(super) cond: &'r Expr,
    pub(super) invariants: &'r [Expr],
    pub(super) body: &'r Block,
    pub(super) span: Span,
    pub(super) seen: LoopMemory,
}

/// What a loop remembers of an earlier arrival at its head.
#[derive(Default)]
pub(super) struct LoopMemory {
    /// How often its head was reached.
    pub(super) arrivals: u64,
    /// The arrival that is remembered.
    pub(super) earlier: Option<Box<Arrival>>,
}

/// An arrival at the head of a loop.
pub(super) struct Arrival {
    /// What the variables held.
    pub(super) variables: Variables,
    /// What had been written.
    pub(super) store: Store,
    /// How many objects of the initial store were known.
    pub(super) initial_objects: usize,
    /// Which of the variables decide how the loop goes on.
    pub(super) deciding: Vec<bool>,
    /// Whether something in the loop speaks of the entry of the procedure.
    pub(super) speaks_of_entry: bool,
}

/// What the caller does with the results.
#[derive(Clone, Copy)]
pub(super) enum Reply<'r> {
    /// Nobody waits: this is the procedure that is run.
    Finish,
    /// Leaves the one result as a value.
    Value,
    /// Assigns them, or drops them when there are no targets.
    Assign(&'r [Place]),
}

/// An active call.
pub(super) struct Frame<'r> {
    pub(super) id: ProcId,
    pub(super) procedure: &'r Procedure,
    pub(super) locals: Variables,
    /// The arguments, and `None` for all other variables.
    pub(super) old_locals: Variables,
    pub(super) old_store: Store,
    /// Whether its `requires` was seen to hold; until then the call has not begun.
    pub(super) begun: bool,
    /// With checks, what the `modifies` clause names, if there is one.
    pub(super) modifiable: Option<Vec<Addr>>,
    pub(super) tasks: Vec<Task<'r>>,
    pub(super) values: Vec<Value>,
    pub(super) reply: Reply<'r>,
    pub(super) call: Option<Span>,
}

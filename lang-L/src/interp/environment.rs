//! What a run leaves to its surroundings: addresses, places left unset, external procedures, and who watches.
//!
//! In: questions of a run. Out: answers.
//!
//! Invariant: no answer can make a run do what L does not allow; addresses in use are never given out twice, and external
//! procedures do only what [`Behaviour`] says.

use crate::heap::value::{Addr, Location, Value};
use crate::heap::{Input, Kind};
use crate::hir::{GlobalId, LocalId, Procedure, Stmt, Type, Unit};
use crate::random::Random;
use crate::source::Span;

/// What external procedures do. Whatever is chosen, the effect depends only on what the call can reach, and not on addresses:
/// from isomorphic regions the same call has isomorphic effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Behaviour {
    /// Changes nothing and leaves the results at their defaults.
    #[default]
    Skip,
    /// Ends the execution in error.
    Error,
    /// Errs, or writes into globals and the objects that the arguments name (and `modifies` allows), and chooses results.
    ///
    /// The choice depends on this number, the name of the procedure, the integers and booleans among the arguments, which
    /// arguments are null, and which are the same. When the number is odd, it also depends on what the fields of the
    /// arguments hold. When its second binary digit is 1, it also depends on what globals hold.
    Seeded(u64),
}

/// What a run tells of as it goes.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A procedure begins.
    Enter {
        /// Which.
        procedure: &'a Procedure,
        /// Its arguments; `None` while nobody has read them.
        arguments: &'a [Option<Value>],
    },
    /// A procedure has ended normally.
    Leave {
        /// Which.
        procedure: &'a Procedure,
        /// Its results.
        results: &'a [Value],
    },
    /// A statement begins.
    Statement {
        /// Which.
        statement: &'a Stmt,
    },
    /// The condition of an `if` or `while` has been evaluated.
    Tested {
        /// Its place in the source.
        span: Span,
        /// Its value.
        holds: bool,
    },
    /// A variable has been assigned.
    Assigned {
        /// Which.
        variable: Variable,
        /// Its name.
        name: &'a str,
        /// Its new value.
        value: &'a Value,
    },
    /// A slot of an object has been assigned.
    Wrote {
        /// Which.
        location: Location,
        /// Its new value.
        value: &'a Value,
    },
    /// An object has been allocated.
    Allocated {
        /// Its address.
        addr: Addr,
        /// What sort it is.
        kind: &'a Kind,
    },
}

/// A variable that a statement can assign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// One of the procedure that runs.
    Local(LocalId),
    /// A global.
    Global(GlobalId),
}

/// The surroundings of a run.
pub trait Environment {
    /// An address for a new object. The run asks again when the address is in use.
    fn fresh(&mut self) -> Addr;

    /// The value of a place of type `ty` that `input` leaves unset and the run now reads. The run writes it into `input`.
    /// May add objects to `input`, at addresses that [`Environment::fresh`] never gives.
    fn unset(&mut self, unit: &Unit, location: Location, ty: &Type, input: &mut Input) -> Value {
        let _ = (unit, location, input);
        Value::default_of(ty)
    }

    /// What the external procedure of this name does. Must answer the same each time, in both versions.
    fn behaviour(&mut self, name: &str) -> Behaviour {
        let _ = name;
        Behaviour::Skip
    }

    /// Is told what happens.
    fn trace(&mut self, event: Event<'_>) {
        let _ = event;
    }
}

/// The plain surroundings: addresses in sequence, defaults for all that is unset.
#[derive(Clone, Debug)]
pub struct Sequential {
    next: u64,
    externals: Behaviour,
}

impl Sequential {
    /// The addresses of [`Input::free_addrs`]; external procedures do nothing.
    pub fn after(input: &Input) -> Self {
        let next = input.free_addrs().next().map_or(1, |addr| addr.0);
        Sequential { next, externals: Behaviour::Skip }
    }

    /// The same, with what external procedures do.
    #[must_use]
    pub fn with(self, externals: Behaviour) -> Self {
        Sequential { externals, ..self }
    }
}

impl Environment for Sequential {
    fn fresh(&mut self) -> Addr {
        let addr = Addr(self.next);
        // The last address is followed by the first; the run asks again for one that is not in use.
        self.next = self.next.checked_add(1).unwrap_or(1);
        addr
    }

    fn behaviour(&mut self, _: &str) -> Behaviour {
        self.externals
    }
}

/// Addresses in no order that means anything, to show that no outcome depends on them.
#[derive(Clone, Debug)]
pub struct Scattered {
    random: Random,
    externals: Behaviour,
}

impl Scattered {
    /// The sequence of this seed; external procedures do nothing.
    pub fn new(seed: u64) -> Self {
        Scattered { random: Random::new(seed), externals: Behaviour::Skip }
    }

    /// The same, with what external procedures do.
    #[must_use]
    pub fn with(self, externals: Behaviour) -> Self {
        Scattered { externals, ..self }
    }
}

impl Environment for Scattered {
    fn fresh(&mut self) -> Addr {
        Addr(self.random.number())
    }

    fn behaviour(&mut self, _: &str) -> Behaviour {
        self.externals
    }
}

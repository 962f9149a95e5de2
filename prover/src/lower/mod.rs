//! Lowering: loops become procedures, calls become statements of their own.
//!
//! In: a checked program. Out: the same program as a [`Lowered`], without `while`, `break` and `continue`. In it a call is a
//! statement whose results go to locals, and every other expression is free of calls.
//!
//! A loop of `p` becomes a procedure `p@loopN`, where N counts in source order. It runs one iteration and calls itself.
//! - It takes the variables the loop uses and that matter at its head, in the order of their first occurrence.
//! - It returns those it assigns that matter afterwards, or of which an invariant in either version speaks, and references that
//!   matter after the same loop of the other version. No reference matters after a loop that only a `return` leaves.
//! - A `return` within the loop is told to the caller by one more result.
//!
//! Source: the paper, section 3.1 ("we assume loops have been encoded as recursive procedures").
//!
//! The lowering is the tables `WITH_LOOPS` and `WITHOUT_LOOPS`, in the order in which they run. The last three treat only *internal* procedures, which
//! this version alone calls and which are not compared for their own sake (`draft`).
//!
//! Invariant: the order in which anything can err, call or allocate is that of the source.

mod calls;
mod constants;
mod dead_arguments;
mod dead_parameters;
mod draft;
mod errors;
mod handed_out;
mod loops;
mod parameter_order;
mod simulations;
mod tail_absorption;
mod turn_ends;
mod worker;

use draft::{Draft, SpokenOf, spoken_of};
use handed_out::HandedOut;
pub use kernel::effects::is_loop;
use kernel::outline::cuts;
use kernel::scalars::{self, Scalarised};
use lang_l::hir::{Class, Field, Global, Origin, ProcId, Procedure, Unit, Version};
pub use simulations::simulations;
use smt::arena::Arena;

/// Changes the procedures of one version.
type Pass = fn(&Draft<'_>, &mut Vec<Procedure>);

/// The passes in order, by the names of their rules in `proofs/soundness.md`. Each says in its file what it does and why it may. After
/// these, loops are as they will be.
const WITH_LOOPS: [(&str, Pass); 2] = [("calls", calls::run), ("tail absorption", tail_absorption::run)];

/// The first of these takes loops out.
const WITHOUT_LOOPS: [(&str, Pass); 5] = [
    ("loops", loops::run),
    ("worker", worker::run),
    ("constants", constants::run),
    ("dead parameters", dead_parameters::run),
    ("parameter order", parameter_order::run),
];

/// A lowered program. No other program can be taken for one, and it is taken for a program of L only where that is said.
///
/// Invariant: no `while`, `break` or `continue`; only [`lower`] makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    unit: Unit,
    written: Unit,
}

impl Lowered {
    /// The versions, with their procedures.
    pub fn versions(&self) -> &[Version] {
        &self.unit.versions
    }

    /// The procedure of a version.
    pub fn procedure(&self, version: usize, id: ProcId) -> &Procedure {
        self.unit.versions[version].procedure(id)
    }

    /// What people call a procedure: loops are said to be loops.
    pub fn title(&self, version: usize, id: ProcId) -> String {
        let procedure = self.procedure(version, id);
        let of = &self.procedure(version, procedure.origin.part_of().unwrap_or(id)).name;
        match procedure.origin {
            Origin::Source => match cuts::part_of(of) {
                Some((whole, number)) => format!("part {number} of {whole}"),
                None => scalars::second_form(of).map_or_else(|| of.clone(), |(_, title)| title),
            },
            Origin::Loop { number, .. } => format!("loop {number} of {of}"),
            Origin::Worker { .. } => format!("the recursion of {of}"),
        }
    }

    /// The globals of all versions.
    pub fn globals(&self) -> &[Global] {
        &self.unit.globals
    }

    /// The fields of all classes.
    pub fn fields(&self) -> &[Field] {
        &self.unit.fields
    }

    /// All classes.
    pub fn classes(&self) -> &[Class] {
        &self.unit.classes
    }

    /// An empty arena, for a proof about the program.
    pub fn arena(&self) -> Arena {
        Arena::new(&self.unit)
    }

    /// The program as one of L, for what treats all programs alike.
    pub fn as_unit(&self) -> &Unit {
        &self.unit
    }

    /// What was lowered, as it was written.
    pub fn written(&self) -> &Unit {
        &self.written
    }

    /// Changes one procedure. The change brings no loops back.
    pub(crate) fn change(&mut self, version: usize, id: ProcId, change: impl FnOnce(&mut Procedure)) {
        change(&mut self.unit.versions[version].procedures[id.index()]);
    }
}

/// Lowers every version.
pub fn lower(written: &Unit) -> Lowered {
    let source = Scalarised::of(written);
    let source = source.unit();
    let spoken_of = spoken_of(source);
    let mut unit = source.clone();
    run(&WITH_LOOPS, &mut unit, (source, &spoken_of, &HandedOut::new()));
    let handed_out = loops::handed_out(&unit);
    run(&WITHOUT_LOOPS, &mut unit, (source, &spoken_of, &handed_out));
    Lowered { unit, written: written.clone() }
}

/// Runs some passes one after the other, each on every version; with the source, and what loops keep and hand out.
fn run(passes: &[(&str, Pass)], unit: &mut Unit, (source, spoken_of, handed_out): (&Unit, &SpokenOf, &HandedOut)) {
    for (_, pass) in passes {
        for version in 0..unit.versions.len() {
            let (before, own) = unit.versions.split_at_mut(version);
            let before = before.first().map(|version| &version.procedures[..]);
            pass(&Draft { source, version, spoken_of, handed_out, before }, &mut own[0].procedures);
        }
    }
}

//! What procedures were seen to do, each alone, and which facts that denies.
//!
//! In: a pair program. Out: [`Deed`]s; in: what is said of procedures; out: what runs deny of it.
//!
//! Invariant: a run that breaks a contract, or that was stopped, denies nothing.

use crate::stores::large;
use kernel::effects::Effects;
use kernel::exec::source::Simulation;
use kernel::lemma::is_plain;
use lang_l::heap::{Input, Object, Store};
use lang_l::hir::{ExprKind, ProcId, Unit};
use lang_l::interp::{Behaviour, Exclusion, Job, Limits, Outcome, Scattered, run};
use lang_l::random::Random;
use lang_l::value::{Addr, Value};
use prover::findings::Findings;
use std::collections::BTreeSet;

/// How many runs are made of each procedure.
const RUNS: usize = 24;
/// How far each goes.
const LIMITS: Limits =
    Limits { steps: 2_000, depth: 200, array_length: 1 << 10, int_bits: 1 << 10, checks: true, divergence: true };

/// What a procedure was seen to do.
#[derive(Clone, Debug)]
pub(super) struct Deed {
    version: usize,
    procedure: ProcId,
    arguments: Vec<Option<Value>>,
    did: Did,
}

#[derive(Clone, Debug)]
enum Did {
    /// It returned, and had changed these objects that there were before.
    Returned(BTreeSet<Addr>),
    /// It erred.
    Erred,
    /// It never ended, or was blocked.
    Stayed,
}

/// Runs each procedure of both versions.
pub(super) fn deeds(unit: &Unit) -> Vec<Deed> {
    let random = &mut Random::new(1);
    let mut seen = Vec::new();
    for version in 0..2 {
        let all = (0u32..).map(ProcId).zip(&unit.versions[version].procedures);
        for (procedure, code) in all.filter(|(_, code)| code.body.is_some()) {
            for at in 0..RUNS {
                let input = large(unit, code, 1 + at % 4, random);
                let externals = [Behaviour::Skip, Behaviour::Seeded(1), Behaviour::Error][at % 3];
                let job = Job { unit, version, procedure, limits: LIMITS };
                let ran = run(&job, input, &mut Scattered::new(0xF00D).with(externals));
                let did = match ran.outcome {
                    Outcome::Normal(end) => Did::Returned(changed(&ran.input, &end.store)),
                    Outcome::Error(_) => Did::Erred,
                    Outcome::Diverged(_) | Outcome::Excluded(Exclusion::Assume, _) => Did::Stayed,
                    _ => continue,
                };
                seen.push(Deed { version, procedure, arguments: ran.input.arguments, did });
            }
        }
    }
    seen
}

/// The objects there were before that hold something else after.
fn changed(input: &Input, after: &Store) -> BTreeSet<Addr> {
    let differs = |addr: &Addr, object: &Object| {
        let now = after.heap.get(addr);
        now.is_some_and(|now| object.slots.iter().any(|(slot, value)| now.slots.get(slot) != Some(value)))
    };
    input.store.heap.iter().filter(|(addr, object)| differs(addr, object)).map(|(addr, _)| *addr).collect()
}

/// A fact that a run denies, in words.
pub(super) fn denied(deeds: &[Deed], parts: &[Vec<Option<Simulation>>; 2], story: &Findings) -> Option<String> {
    deeds.iter().find_map(|deed| {
        let at = deed.procedure.index();
        let own = story.effects[deed.version].get(at)?;
        let what = deed.denies(own)?;
        let code = story.lowered.versions[deed.version].procedures.get(at)?;
        // What no other version calls may have other parameters than in the source.
        let simulation = parts[deed.version].get(at)?.as_ref()?;
        (code.params == deed.arguments.len() && is_plain(simulation, code))
            .then(|| format!("that {} {what}", code.name))
    })
}

impl Deed {
    fn denies(&self, own: &Effects) -> Option<&'static str> {
        let null = |at: &usize| self.arguments.get(*at) == Some(&Some(Value::NULL));
        let needs = |needs: &Vec<usize>| !needs.iter().any(null);
        match &self.did {
            Did::Stayed if own.terminates => Some("always ends"),
            Did::Erred if own.errs_only_if_null.as_ref().is_some_and(needs) => Some("errs only where it is said to"),
            Did::Returned(_) | Did::Stayed if own.errs_if_null.iter().any(null) => Some("errs where it is said to"),
            Did::Returned(changed) => {
                let places = own.modifies.as_ref()?.iter();
                let named = places.map(|place| self.named(&place.kind)).collect::<Option<Vec<Value>>>()?;
                let other = |addr: &Addr| !named.contains(&Value::from(*addr));
                changed.iter().any(other).then_some("modifies what it is said to")
            }
            _ => None,
        }
    }

    /// What a place names on entry, if that is an argument.
    fn named(&self, place: &ExprKind) -> Option<Value> {
        match place {
            ExprKind::Local(id) => self.arguments.get(id.index())?.clone(),
            _ => None,
        }
    }
}

//! Rule *Summary*: what calls of the two versions have in common, where these do not match call for call.
//!
//! In: a pair over a heap that both only read, and [`SummariesEvidence`]: what holds of the results of calls whose arguments satisfy
//! something. Out: that the pair is equivalent; or where the evidence is wrong.
//!
//! A summary is about some finished calls: one of each version, one alone, or several that follow one another. It holds of all
//! calls that return: by induction over the number of calls in them, each summary is assumed of calls that belong to a smaller
//! part of them (Hawblitzel et al. on mutual summaries; Godlin and Strichman). `ends` shows that the two end together.
//!
//! Invariant: nothing is searched. All calls to which a summary can be applied are told of it, as an implication.

mod ends;
mod formula;
mod ways;

use super::Goal;
use super::paths::assumptions;
use super::plan::InliningPlan;
use super::products::Asked;
use crate::bounds::pair::APART;
use crate::bounds::summaries::{MAX_FORMULAS, MAX_SLOTS, MAX_SUMMARIES, MAX_TURNS, MAX_USES, MAX_WAYS};
use crate::effects::Effects;
use crate::rejection::{Rejection, reject};
use crate::relate::{Level, Uses};
pub use formula::{Formula, Polynomial};
use lang_l::hir::{GlobalId, ProcId};
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::Solver;
use smt::term::{Ending, PathFacts, Sort, Term};
use std::collections::BTreeSet;
use ways::{Activation, Way};

/// A call that a summary speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Of which procedure.
    pub callee: ProcId,
    /// How many calls of the procedure by itself the proof of the summary executes, one within the other; 0 where it does not
    /// look into the call.
    pub turns: usize,
}

/// What holds of calls that return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Of which calls of each version; of one at least.
    pub of: [Vec<Slot>; 2],
    /// What is said of what goes in: the parameters and globals of each call, those of version 0 first, then the lengths of all
    /// that are references.
    pub before: Vec<Formula>,
    /// What is said besides of what went in and what comes out: inputs of all, results and globals of all, then lengths.
    pub given: Vec<Formula>,
    /// What then holds of the same.
    pub after: Vec<Formula>,
}

impl Summary {
    /// One of a call of each version, or of one alone.
    pub fn of_calls(of: [Option<ProcId>; 2], before: Vec<Formula>, after: Vec<Formula>) -> Self {
        let slots = |id: Option<ProcId>| id.map(|callee| Slot { callee, turns: 1 }).into_iter().collect();
        Summary { of: of.map(slots), before, given: Vec::new(), after }
    }

    /// The calls that it speaks of, in order, with their versions.
    fn slots(&self) -> impl Iterator<Item = (usize, Slot)> + '_ {
        (0..2).flat_map(|version| self.of[version].iter().map(move |slot| (version, *slot)))
    }

    /// Whether it also says that its two calls end together.
    fn speaks_of_ends(&self) -> bool {
        self.of.iter().all(|slots| matches!(slots[..], [Slot { turns: 1.., .. }])) && self.given.is_empty()
    }
}

/// What a proof by summaries did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummariesEvidence {
    /// Which calls are executed in place, and how deep.
    pub plan: InliningPlan,
    /// The summaries.
    pub summaries: Vec<Summary>,
    /// The questions, by number in the order in which they are asked, for which all is known of products of two variables. For the
    /// others it is known that equal factors make equal products: most follows from that.
    pub exact: BTreeSet<usize>,
}

/// The globals whose values go in and come out, of procedures that a pair comes to.
pub fn globals_of(goal: &Goal<'_>) -> Vec<GlobalId> {
    let ids = [goal.pair.0, goal.pair.1];
    let of = |version: usize| goal.program.effects[version][ids[version].index()].globals.iter().copied();
    let all: BTreeSet<GlobalId> = of(0).chain(of(1)).collect();
    all.into_iter().collect()
}

/// For engines: the evidence with the questions that need all of products, if it then is a proof.
pub fn with_exact(
    goal: &Goal<'_>,
    level: Level,
    evidence: SummariesEvidence,
    solver: &mut Solver,
) -> Option<SummariesEvidence> {
    let frame = Frame::new(goal, &evidence, Asked::trying());
    frame.check(level, solver).ok()?;
    let exact = frame.asked.exact();
    Some(SummariesEvidence { exact, ..evidence })
}

/// Makes a proof by summaries anew.
pub(super) fn check(
    (goal, level): (&Goal<'_>, Level),
    evidence: &SummariesEvidence,
    solver: &mut Solver,
) -> Result<Uses, Rejection> {
    Frame::new(goal, evidence, Asked::of(&evidence.exact)).check(level, solver)?;
    Ok(Uses::new())
}

/// A pair that is proved by summaries.
struct Frame<'f> {
    goal: Goal<'f>,
    plan: &'f InliningPlan,
    summaries: &'f [Summary],
    asked: Asked,
    globals: Vec<GlobalId>,
}

impl<'f> Frame<'f> {
    fn new(goal: &Goal<'f>, evidence: &'f SummariesEvidence, asked: Asked) -> Self {
        let SummariesEvidence { plan, summaries, .. } = evidence;
        Frame { goal: *goal, plan, summaries, asked, globals: globals_of(goal) }
    }

    fn check(&self, level: Level, solver: &mut Solver) -> Result<(), Rejection> {
        self.shape()?;
        let mut endless = level == Level::Full;
        // Where neither can run for ever, nothing is to be shown of ends.
        endless &= self.whole(endless, solver)?;
        self.summaries.iter().try_for_each(|own| self.summary(own, endless, solver))
    }

    /// Whether the pair is one that summaries can be about, and these have a meaning.
    fn shape(&self) -> Result<(), Rejection> {
        self.plan.check(self.goal.program)?;
        for (version, id) in [self.goal.pair.0, self.goal.pair.1].into_iter().enumerate() {
            let own: &Effects = &self.goal.program.effects[version][id.index()];
            let harmless = self.only_reads(version, id)
                && own
                    .callees
                    .iter()
                    .all(|callee| self.only_reads(version, *callee) && self.gives_numbers(version, *callee));
            if !harmless && !faults::planted("kernel/summary/writers") {
                return reject("summaries are of procedures that only read the heap, and give no references back");
            }
            let mut named = self.summaries.iter().flat_map(|summary| &summary.of[version]);
            if !named.all(|slot| slot.callee == id || own.callees.contains(&slot.callee)) {
                return reject("a summary is of a procedure that takes no part");
            }
        }
        if self.summaries.len() > MAX_SUMMARIES {
            return reject("there are too many summaries");
        }
        self.summaries.iter().try_for_each(|summary| self.has_meaning(summary))
    }

    /// Whether a procedure writes nothing to the heap, and looks at no more of it than it is given.
    fn only_reads(&self, version: usize, id: ProcId) -> bool {
        let own = &self.goal.program.effects[version][id.index()];
        let code = self.goal.program.unit.procedure(version, id);
        let few = code.locals.len().max(self.goal.program.unit.globals.len()) < APART as usize;
        few && code.body.is_some() && own.writes.is_empty() && !own.non_local && !own.speaks_of_entry
    }

    /// Whether no reference comes out of its calls: what is known of one is said in the variables of the run that it is in.
    fn gives_numbers(&self, version: usize, id: ProcId) -> bool {
        let Goal { program, .. } = self.goal;
        let code = program.unit.procedure(version, id);
        let own = &program.effects[version][id.index()];
        code.result_ids().all(|result| !code.local(result).ty.is_reference())
            && own.globals.iter().all(|global| !program.unit.globals[global.index()].ty.is_reference())
    }

    fn has_meaning(&self, summary: &Summary) -> Result<(), Rejection> {
        let Summary { before, given, after, .. } = summary;
        let few = [before, given, after].iter().all(|formulas| formulas.len() <= MAX_FORMULAS)
            && (1..=MAX_SLOTS as usize).contains(&summary.slots().count())
            && summary.slots().all(|(_, slot)| slot.turns <= MAX_TURNS);
        let [inputs, all] = sorts(&self.goal, &self.globals, &summary.of);
        let fits = |formulas: &[Formula], sorts: &[Sort]| formulas.iter().all(|formula| formula.fits(sorts));
        if few && fits(before, &inputs) && fits(given, &all) && fits(after, &all) {
            Ok(())
        } else {
            reject("a summary has no meaning")
        }
    }

    /// The pair itself, from equal inputs; whether one of the two has a way on which it never ends.
    fn whole(&self, full: bool, solver: &mut Solver) -> Result<bool, Rejection> {
        let (program, pair) = (self.goal.program, self.goal.pair);
        let mut arena = Arena::new(program.unit);
        let (assumed, sayable) = assumptions(program, pair, self.goal.when, &mut arena);
        if !sayable {
            return reject("the condition of the pair cannot be said in terms");
        }
        let lefts = self.ways((0, pair.0), &assumed, &mut arena)?;
        let rights = self.ways((1, pair.1), &assumed, &mut arena)?;
        for left in &lefts {
            for right in &rights {
                let mut goals = Vec::new();
                match (left.ending, right.ending) {
                    (Ending::Normal, Ending::Normal) => {
                        let outputs = left.whole.output.iter().zip(&right.whole.output);
                        goals.extend(outputs.map(|(&mine, &theirs)| arena.terms.eq(mine, theirs)));
                    }
                    (Ending::Diverges, _) | (_, Ending::Diverges) => continue,
                    (one, other) if one == other || faults::planted("kernel/summary/errors") => continue,
                    _ => goals.push(arena.terms.bool(false)),
                }
                let mut known = self.told(&[(0, left), (1, right)], false, &mut arena)?;
                known.extend(self.nulls([left, right], &mut arena));
                if !self.holds((&known, &goals), Purpose::SummaryInductive, &mut arena, solver) {
                    return reject("the two are not shown to end alike by summaries of their calls");
                }
            }
        }
        let endless = lefts.iter().chain(&rights).any(|way| way.ending == Ending::Diverges);
        if full && endless {
            self.end_together(&[], (&lefts, &rights), false, &mut arena, solver)?;
        }
        Ok(endless)
    }

    /// One summary: from what is said to go in, what is said to come out does.
    fn summary(&self, summary: &Summary, endless: bool, solver: &mut Solver) -> Result<(), Rejection> {
        let mut arena = Arena::new(self.goal.program.unit);
        let mut all = Vec::new();
        for (n, slot) in (0..).zip(summary.slots()) {
            all.push((slot.0, self.slot(n, slot, &mut arena)?));
        }
        let returning = all.iter().map(|(version, ways)| {
            let returning = ways.iter().filter(|way| way.ending == Ending::Normal);
            returning.map(|way| (*version, way)).collect::<Vec<_>>()
        });
        let returning: Vec<Vec<(usize, &Way)>> = returning.collect();
        if returning.iter().map(Vec::len).product::<usize>() > MAX_WAYS {
            return reject("there are too many ways through the calls of a summary");
        }
        let mut together: Vec<Vec<(usize, &Way)>> = vec![Vec::new()];
        for options in &returning {
            let with_each = |own: &Vec<_>| options.iter().map(|way| [&own[..], &[*way]].concat()).collect::<Vec<_>>();
            together = together.iter().flat_map(with_each).collect();
        }
        for ways in together {
            let wholes: Vec<&Activation> = ways.iter().map(|(_, way)| &way.whole).collect();
            let mut known = instance(&summary.before, &wholes, false, &mut arena);
            known.extend(instance(&summary.given, &wholes, true, &mut arena));
            known.extend(self.told(&ways, true, &mut arena)?);
            let goals = instance(&summary.after, &wholes, true, &mut arena);
            if !faults::planted("kernel/summary/after-unshown")
                && !self.holds((&known, &goals), Purpose::SummaryInductive, &mut arena, solver)
            {
                return reject("a summary does not follow from those of the calls within");
            }
        }
        if let ([(_, lefts), (_, rights)], true, true) = (&all[..], summary.speaks_of_ends(), endless) {
            self.end_together(&summary.before, (lefts, rights), true, &mut arena, solver)?;
        }
        Ok(())
    }

    /// What is known on some ways that were taken, with what the summaries say of the calls on them; where `within` a summary,
    /// only of calls that are less than these ways together.
    fn told(&self, ways: &[(usize, &Way)], within: bool, arena: &mut Arena) -> Result<Vec<Term>, Rejection> {
        let mut known: Vec<Term> = ways.iter().flat_map(|(_, way)| way.known.iter().copied()).collect();
        let mut facts = PathFacts::new();
        for &fact in &known {
            if !facts.assume(&mut arena.terms, fact) {
                return Ok(vec![arena.terms.bool(false)]);
            }
        }
        let mut uses = 0;
        for summary in self.summaries {
            for calls in candidates(summary, ways, within) {
                uses += 1;
                if uses > MAX_USES {
                    return reject("there are too many calls that summaries are about");
                }
                let mut premise = instance(&summary.before, &calls, false, arena);
                premise.extend(instance(&summary.given, &calls, true, arena));
                let premise = arena.terms.and(&premise);
                let premise = arena.terms.simplify(premise, &facts);
                if arena.terms.is_false(premise) {
                    continue;
                }
                let after = instance(&summary.after, &calls, true, arena);
                let after = arena.terms.and(&after);
                known.push(arena.terms.implies(premise, after));
            }
        }
        Ok(known)
    }

    /// Whether goals follow.
    fn holds(
        &self,
        (known, goals): (&[Term], &[Term]),
        purpose: Purpose,
        arena: &mut Arena,
        solver: &mut Solver,
    ) -> bool {
        let goal = arena.terms.and(goals);
        if arena.terms.is_true(goal) || known.iter().any(|&fact| arena.terms.is_false(fact)) {
            return true;
        }
        let obligation = Obligation { assumptions: known.to_vec(), goal, tag: purpose.into() };
        self.asked.holds(&obligation, arena, solver)
    }

    /// What is known of parameters by whether the pair errs: it does if some are null, and only if some are.
    fn nulls(&self, ways: [&Way; 2], arena: &mut Arena) -> Vec<Term> {
        let mut known = Vec::new();
        for (version, way) in ways.into_iter().enumerate() {
            let own = &self.goal.program.effects[version][way.whole.callee.index()];
            let null = arena.terms.null();
            let mut are_null = |params: &mut dyn Iterator<Item = usize>| {
                let all: Vec<Term> = params.map(|at| arena.terms.eq(way.whole.input[at], null)).collect();
                arena.terms.or(&all)
            };
            match (way.ending, &own.errs_only_if_null) {
                (Ending::Error, Some(needs)) => known.push(are_null(&mut needs.iter().copied())),
                (Ending::Error, None) => {}
                _ => {
                    let one = are_null(&mut own.errs_if_null.iter().copied());
                    known.push(arena.terms.not(one));
                }
            }
        }
        known
    }
}

/// The calls on some ways that a summary can be told of. No two of them overlap: a procedure as a whole counts as well, where it
/// returns, but not besides calls within it. `within` a summary they are not all the wholes: so they make fewer calls than
/// these do together.
fn candidates<'w>(summary: &Summary, ways: &[(usize, &'w Way)], within: bool) -> Vec<Vec<&'w Activation>> {
    /// The number of the way, that of the call on it unless it is the whole, and the call.
    type Part<'w> = (usize, Option<usize>, &'w Activation);
    let mut found: Vec<Vec<Part<'w>>> = vec![Vec::new()];
    for (version, slot) in summary.slots() {
        let of_way = |(at, (_, way)): (usize, &(usize, &'w Way))| -> Vec<Part<'w>> {
            let calls = way.calls.iter().enumerate().map(|(number, call)| (at, Some(number), call));
            let whole = (way.ending == Ending::Normal).then_some((at, None, &way.whole));
            calls.chain(whole).filter(|(_, _, call)| call.callee == slot.callee).collect()
        };
        let own = ways.iter().enumerate().filter(|(_, (side, _))| *side == version);
        let options: Vec<Part<'w>> = own.flat_map(of_way).collect();
        let apart = |one: &Part<'w>, other: &Part<'w>| {
            one.0 != other.0 || matches!((one.1, other.1), (Some(a), Some(b)) if a != b)
        };
        let more = |parts: &Vec<Part<'w>>| -> Vec<Vec<Part<'w>>> {
            let fits = |option: &&Part<'w>| {
                parts.iter().all(|part| apart(part, option)) || faults::planted("kernel/summary/overlap")
            };
            options.iter().filter(fits).map(|option| [&parts[..], &[*option]].concat()).collect()
        };
        found = found.iter().flat_map(more).take(MAX_USES + 1).collect();
    }
    let wholes = |parts: &[Part<'w>]| parts.iter().filter(|part| part.1.is_none()).count();
    let less =
        |parts: &Vec<Part<'w>>| !within || wholes(parts) < ways.len() || faults::planted("kernel/summary/itself");
    found.into_iter().filter(less).map(|parts| parts.into_iter().map(|part| part.2).collect()).collect()
}

/// What formulas say of these calls; where `ended`, of what came out of them as well.
fn instance(formulas: &[Formula], calls: &[&Activation], ended: bool, arena: &mut Arena) -> Vec<Term> {
    let mut values: Vec<Term> = calls.iter().flat_map(|call| call.input.iter().copied()).collect();
    if ended {
        values.extend(calls.iter().flat_map(|call| call.output.iter().copied()));
    }
    let references: Vec<Term> = values.iter().copied().filter(|&value| arena.terms.sort(value) == Sort::Ref).collect();
    for reference in references {
        values.push(arena.heaps.length(&mut arena.terms, reference));
    }
    formulas.iter().map(|formula| formula.term(&mut arena.terms, &values)).collect()
}

/// The sorts of the values that summaries of some calls speak of: what goes in, and all.
pub fn sorts(goal: &Goal<'_>, globals: &[GlobalId], of: &[Vec<Slot>; 2]) -> [Vec<Sort>; 2] {
    let unit = goal.program.unit;
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (version, slot) in of.iter().enumerate().flat_map(|(version, own)| own.iter().map(move |slot| (version, slot)))
    {
        let code = unit.procedure(version, slot.callee);
        let sort = |at: usize| Sort::from(&code.locals[at].ty);
        let globals = || globals.iter().map(|global| Sort::from(&unit.globals[global.index()].ty));
        inputs.extend((0..code.params).map(sort).chain(globals()));
        outputs.extend((code.params..code.params + code.results).map(sort).chain(globals()));
    }
    let with_lengths = |mut sorts: Vec<Sort>| {
        let references = sorts.iter().filter(|sort| **sort == Sort::Ref).count();
        sorts.extend(std::iter::repeat_n(Sort::Int, references));
        sorts
    };
    let all = [inputs.clone(), outputs].concat();
    [with_lengths(inputs), with_lengths(all)]
}

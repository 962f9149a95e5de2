//! The three kinds of stores of one pair, and what is open.
//!
//! In: a pair that is not proved equivalent. Out: its [`PairDiff`], by the plan under which most became known.

mod between;
mod learned;
mod more;
mod places;
pub(in crate::diff) mod rows;
mod tried;

use super::ask::{Asker, Memory};
use super::atoms;
use super::one_sided;
use super::paths::{self, Meetings, Plan, Question};
use super::proof;
use super::regions::{self, Regions};
use super::results;
use super::text::Names;
use super::turns;
use super::{PairDiff, Task};
use crate::budget::closed_form::MAX_MODULI;
use crate::budget::diff::{
    MAX_DEPTH, MAX_KEPT, MAX_OUTCOMES, MAX_RECURSION_DEPTH, MAX_TURNS_DEPTH, MAX_UNROLLED_DEPTH,
};
use crate::budget::kept::MAX_MODULUS;
use crate::goal::{Pair, PairProof, Program, assumptions, inlinable};
use crate::lower::is_loop;
use crate::verdict::comparison::Comparison;
use kernel::effects::direct_callees;
use kernel::relate::Level;
use lang_l::hir::visit::walk_exprs;
use lang_l::hir::{Expr, ExprKind, ProcId, Unit};
pub(in crate::diff) use more::with_kept;
use more::{alike, with_alike};
use num_bigint::BigInt;
use num_traits::One;
pub(in crate::diff) use places::is_ending;
use smt::arena::Arena;
use smt::solve::Solver;
use smt::stop::{Reason, Stopped};
use smt::term::{Node, Term};
use std::collections::BTreeSet;
use tried::Tried;

/// A condition that was proved to be what is said of it.
#[derive(Clone, Debug)]
pub(in crate::diff) struct Condition {
    /// As it is printed.
    pub(in crate::diff) text: String,
    /// As it is read, together with the pair's own.
    pub(in crate::diff) expr: Expr,
    /// As a term of the arena at hand.
    pub(in crate::diff) term: Term,
}

/// Where the two are equal, with a proof that callers can rest on if it is one of the program as it is.
type Equal = (Condition, Option<PairProof>);

/// What is known of a pair under one plan.
pub(in crate::diff) struct Look<'l> {
    pub(in crate::diff) task: Task<'l>,
    pub(in crate::diff) comparison: &'l Comparison<'l>,
    pub(in crate::diff) arena: Arena,
    /// What both assume on entry.
    pub(in crate::diff) assumed: Vec<Term>,
    pub(in crate::diff) meetings: Meetings,
    pub(in crate::diff) regions: Regions,
    numbers: BTreeSet<BigInt>,
    memory: Memory,
    tried: Tried,
    /// Whether it is known already where the two are equal.
    equal_known: bool,
}

/// Finds the kinds of stores of a pair: plan after plan, until all is known.
pub(in crate::diff) fn find(
    task: Task<'_>,
    comparison: &Comparison<'_>,
    nothing: PairDiff,
    solver: &mut Solver,
) -> PairDiff {
    let is_plain = task.manner.is_plain(comparison.when);
    let (mut texts, mut one_sided) = (Vec::new(), Vec::new());
    if is_plain {
        texts = solver.attempt(|solver| turns::conditions(task, comparison.pair, solver)).unwrap_or_default();
        one_sided = one_sided::conditions(&task.source.unit, comparison.pair);
    }
    // What turns on many cells is said of all of them, and not cell by cell.
    let of_cells = texts.iter().any(|text| text.contains('['));
    let mut turns = if of_cells { alike(task, &nothing, &texts, solver) } else { None };
    let mut best = nothing;
    let mut tried = Tried::default();
    for mut plan in plans(task, comparison) {
        if turns.is_some() {
            plan.depth = plan.depth.min(MAX_TURNS_DEPTH);
        }
        let looked = solver.attempt(|solver| Look::take(task, comparison, &plan, solver));
        let mut look = match looked {
            Ok(Some(look)) => look,
            Ok(None) | Err(Stopped(Reason::Size)) => continue,
            Err(_) => break,
        };
        look.tried = tried;
        look.equal_known = turns.is_some();
        let found = look.executed(&plan, solver);
        tried = look.tried;
        let complete = found.is_complete();
        best = if complete || !best.executed { found } else { together(task, best, found, solver) };
        if complete {
            return best;
        }
    }
    if !of_cells {
        turns = alike(task, &best, &texts, solver);
    }
    let found = with_alike(task, best, turns, solver);
    let wider =
        |text: String| if found.equal_when == "false" { text } else { format!("{} || {text}", found.equal_when) };
    let one_sided: Vec<String> = one_sided.into_iter().map(wider).collect();
    let further = if found.open_when.is_some() { alike(task, &found, &one_sided, solver) } else { None };
    let found = with_alike(task, found, further, solver);
    if is_plain { learned::with_learned(task, comparison, (found, tried), solver) } else { found }
}

/// Where both of a pair end and differ, seen with all calls in place; `None` where a version has more outcomes than `most`.
pub(in crate::diff) fn differing(
    task: Task<'_>,
    comparison: &Comparison<'_>,
    most: usize,
    solver: &mut Solver,
) -> Option<Condition> {
    let (left, right) = comparison.pair;
    let inline = [(0, left), (1, right)].map(|(version, id)| task.program.effects[version][id.index()].callees.clone());
    let plan = Plan { inline, depth: MAX_DEPTH, outcomes: most, ..Plan::default() };
    let mut look = Look::take(task, comparison, &plan, solver)?;
    look.differing(solver)
}

/// What is known by two plans, neither of which knows all: each condition is proved, whatever the other plan says.
pub(in crate::diff) fn together(task: Task<'_>, best: PairDiff, found: PairDiff, solver: &mut Solver) -> PairDiff {
    let question = Question { program: task.program, pair: best.pair, claims: task.claims };
    let mut is_wider = |new: &str, old: &str| {
        let read = |text: &str| proof::read(task.source, question.pair, None, text);
        new != old
            && (old == "false" || {
                let both = read(old).zip(read(new));
                both.is_some_and(|(old, new)| proof::follows(question, [&old, &new], solver))
            })
    };
    let equal = is_wider(&found.equal_when, &best.equal_when);
    let differs = is_wider(&found.differs_when, &best.differs_when);
    let one_ends = is_wider(&found.one_ends_when, &best.one_ends_when);
    let mut one = best;
    if equal {
        (one.equal_when, one.proved) = (found.equal_when, found.proved);
    }
    let tells = one.relation.is_none() && found.relation.is_some();
    if differs || one.differs_when == "false" && tells {
        (one.differs_when, one.rows, one.relation) = (found.differs_when, found.rows, found.relation);
        one.rows_whole = found.rows_whole;
        one.refined = found.refined;
    }
    if one_ends {
        (one.one_ends_when, one.one_ends_witness) = (found.one_ends_when, found.one_ends_witness);
    }
    let texts = [one.equal_when.clone(), one.differs_when.clone(), one.one_ends_when.clone()];
    let known: Vec<String> = texts.iter().filter(|text| *text != "false").map(|text| format!("({text})")).collect();
    let read = |text: &str| proof::read(task.source, question.pair, None, text);
    let all = read("true").zip(read(&known.join(" || ")));
    let complete = all.is_some_and(|(always, all)| proof::follows(question, [&always, &all], solver));
    one.open_when = match (complete, equal || differs || one_ends) {
        (true, _) => None,
        (false, true) => Some(rest(&texts)),
        (false, false) => one.open_when,
    };
    one
}

/// Ways to execute a pair: calls of callees that are equal under a condition by what is claimed of them; calls of what is not proved in place; then all calls that do not recur; then recursion as well.
fn plans(task: Task<'_>, comparison: &Comparison<'_>) -> Vec<Plan> {
    let sides = |version: usize| {
        let all = inlinable(task.program, version, task.claims);
        let own = [comparison.pair.0, comparison.pair.1][version];
        let callees = &task.program.effects[version][own.index()].callees;
        let all: BTreeSet<ProcId> = all.intersection(callees).copied().collect();
        let proved = |id: &ProcId| {
            task.claims.always.iter().any(|(pair, level)| *level == Level::Full && [pair.0, pair.1][version] == *id)
        };
        let unproved: BTreeSet<ProcId> = all.iter().copied().filter(|id| !proved(id)).collect();
        let claimed = |id: &ProcId| {
            let standing = task.claims.conditional.iter().filter(|claim| claim.level.is_some());
            standing.into_iter().any(|claim| [claim.pair.0, claim.pair.1][version] == *id)
        };
        let unclaimed: BTreeSet<ProcId> = unproved.iter().copied().filter(|id| !claimed(id)).collect();
        let defined = |id: &&ProcId| task.program.unit.procedure(version, **id).body.is_some();
        let bodies: BTreeSet<ProcId> = callees.iter().filter(defined).copied().collect();
        [unclaimed, unproved, all, bodies]
    };
    let (left, right) = (sides(0), sides(1));
    let mut plans: Vec<Plan> = by_forms(task, comparison.pair);
    plans.extend(first_turns(task, comparison.pair));
    for (at, (mine, theirs)) in left.into_iter().zip(right).enumerate() {
        let inline = [mine, theirs];
        let depth = match at {
            _ if comes_back(task, comparison.pair, &inline) => MAX_RECURSION_DEPTH,
            3 => MAX_UNROLLED_DEPTH,
            _ => MAX_DEPTH,
        };
        if plans.iter().all(|plan| plan.forms.is_some() || plan.inline != inline) {
            plans.push(Plan { inline, depth, outcomes: MAX_OUTCOMES, accelerate: true, ..Plan::default() });
        }
    }
    plans
}

/// For loops that do the same from the same: the first turn of one version in place, as the other may begin with the second.
fn first_turns(task: Task<'_>, pair: Pair) -> Vec<Plan> {
    let loops = |version: usize| -> BTreeSet<ProcId> {
        let own = direct_callees(task.program.unit.procedure(version, [pair.0, pair.1][version]));
        let proved = |id: &ProcId| {
            let mut equal = task.claims.always.iter().filter(|(_, level)| **level == Level::Full);
            equal.any(|(pair, _)| [pair.0, pair.1][version] == *id)
        };
        own.into_iter().filter(|id| is_loop(task.program.unit.procedure(version, *id)) && proved(id)).collect()
    };
    let both = [loops(0), loops(1)];
    if both.iter().any(BTreeSet::is_empty) {
        return Vec::new();
    }
    let [left, right] = both;
    let ways = [[left, BTreeSet::new()], [BTreeSet::new(), right]];
    ways.map(|inline| Plan { inline, depth: 1, outcomes: MAX_OUTCOMES, ..Plan::default() }).into()
}

/// For a pair that recurs: by what recursion gives back, without remainders and with them.
fn by_forms(task: Task<'_>, pair: Pair) -> Vec<Plan> {
    if !recurs(task, pair) {
        return Vec::new();
    }
    let effects = &task.program.effects[0];
    let around = effects[pair.0.index()].callees.iter().filter(|id| effects[id.index()].callees.contains(&pair.0));
    let small = integers_of(&task.source.unit).into_iter().filter(|number| *number <= BigInt::from(MAX_MODULUS));
    // What is told of a number often turns on whether it is even.
    let usual = [BigInt::from(2), BigInt::from(around.count())];
    let moduli: BTreeSet<BigInt> = small.chain(usual).filter(|number| *number > BigInt::one()).collect();
    let ways = [Vec::new(), moduli.into_iter().take(MAX_MODULI).collect()];
    let plan = |forms| Plan { outcomes: MAX_OUTCOMES, forms: Some(forms), ..Plan::default() };
    ways.into_iter().map(plan).collect()
}

/// Whether both of a pair call themselves.
fn recurs(task: Task<'_>, (left, right): Pair) -> bool {
    let Program { effects, .. } = task.program;
    effects[0][left.index()].recursive(left) && effects[1][right.index()].recursive(right)
}

/// Whether what is executed in place comes back to the pair, in both versions: then there are as many paths as there is room for.
fn comes_back(task: Task<'_>, pair: Pair, inline: &[BTreeSet<ProcId>; 2]) -> bool {
    let calls = |version: usize, own: ProcId| {
        let effects = &task.program.effects[version];
        inline[version].iter().any(|id| effects[id.index()].callees.contains(&own))
    };
    calls(0, pair.0) && calls(1, pair.1)
}

impl<'l> Look<'l> {
    /// Executes both versions; `None` when there are too many paths.
    fn take(task: Task<'l>, comparison: &'l Comparison<'l>, plan: &Plan, solver: &mut Solver) -> Option<Self> {
        let mut arena = task.program.unit.arena();
        let assumed = assumptions(task.program, comparison.pair, comparison.when, &mut arena);
        let question = Question { program: task.program, pair: comparison.pair, claims: task.claims };
        let outcomes = match plan.forms {
            Some(_) => results::outcomes(question, plan, &assumed, &mut arena, solver)?,
            None => paths::outcomes(question, plan, &assumed, &mut arena)?,
        };
        let mut meetings = paths::meetings(question, outcomes, &mut arena, solver)?;
        if task.manner.partial {
            meetings.count_endless_as_equal();
        }
        let mut regions = regions::of(&mut arena, &meetings, &assumed);
        if !task.manner.predicates.is_empty() {
            regions = regions.with_tests(given(task, question, &mut arena));
        }
        let numbers = integers_of(&task.source.unit);
        Some(Look {
            task,
            comparison,
            arena,
            assumed,
            meetings,
            regions,
            numbers,
            memory: Memory::default(),
            tried: Tried::default(),
            equal_known: false,
        })
    }

    pub(in crate::diff) fn question(&self) -> Question<'l> {
        Question { program: self.task.program, pair: self.comparison.pair, claims: self.task.claims }
    }

    /// What terms are called.
    pub(in crate::diff) fn names<'n>(&'n self) -> Names<'n> {
        let procedure = self.task.source.unit.versions[0].procedure(self.comparison.pair.0);
        Names { unit: self.task.program.unit, procedure, numbers: &self.numbers, beside_final: false }
    }

    /// Asks about stores of the pair.
    pub(in crate::diff) fn asker<'s>(&'s mut self, solver: &'s mut Solver) -> Asker<'s> {
        Asker::new(&mut self.arena, solver, &self.assumed, &mut self.memory)
    }

    /// The texts of "one of these holds" and "none does".
    pub(in crate::diff) fn write(&mut self, parts: &[Term], solver: &mut Solver) -> Option<regions::Written> {
        let procedure = self.task.source.unit.versions[0].procedure(self.comparison.pair.0);
        let names = Names { unit: self.task.program.unit, procedure, numbers: &self.numbers, beside_final: false };
        let mut asker = Asker::new(&mut self.arena, solver, &self.assumed, &mut self.memory);
        self.regions.write(names, &mut asker, parts)
    }

    /// Reads a text back, as a condition that has a value in every store.
    pub(in crate::diff) fn read(&mut self, text: String, solver: &mut Solver) -> Option<Condition> {
        let (question, pair) = (self.question(), self.comparison.pair);
        let alone = proof::read(self.task.source, pair, None, &text)?;
        let expr = proof::read(self.task.source, pair, self.comparison.when, &text)?;
        let term = proof::term(question, &alone, &self.assumed, &mut self.arena, solver)?;
        Some(Condition { text, expr, term })
    }

    /// Whether no store satisfies what is assumed and all of these.
    fn impossible(&mut self, facts: &[Term], solver: &mut Solver) -> bool {
        self.asker(solver).impossible(facts)
    }

    /// The report on the pair. What was found before the stop fired stays.
    fn executed(&mut self, plan: &Plan, solver: &mut Solver) -> PairDiff {
        let equal = solver.attempt(|solver| self.equal(solver)).ok().flatten();
        let (differs, rows) = solver.attempt(|solver| self.differs(solver)).ok().flatten().unzip();
        let one_ends = solver.attempt(|solver| self.one_ends(solver)).ok().flatten();
        let mut outside = Vec::new();
        let known = [equal.as_ref().map(|(condition, _)| condition), differs.as_ref()];
        for condition in known.into_iter().flatten().chain(one_ends.iter().map(|(condition, _)| condition)) {
            outside.push(self.arena.terms.not(condition.term));
        }
        let one_ends_witness = one_ends.as_ref().map(|(_, witness)| witness.clone());
        let differs_term = differs.as_ref().map(|condition| condition.term);
        let (equal, proved) =
            equal.map(|(condition, proof)| (condition.clone(), proof.map(|proof| (condition.expr, proof)))).unzip();
        let texts = [equal, differs, one_ends.map(|(condition, _)| condition)]
            .map(|condition| condition.map_or("false".to_string(), |condition| condition.text));
        let open_when = solver.attempt(|solver| self.open(&outside, &texts, solver)).unwrap_or(Some(rest(&texts)));
        let [equal_when, differs_when, one_ends_when] = texts;
        let refined = self.refined(plan);
        let nothing = super::open(self.task.source, self.comparison);
        let told = match &rows {
            Some(rows) => rows.relations.clone(),
            None => self.regions.differ.is_empty().then(Vec::new),
        };
        let seen = rows.is_some() || one_ends_witness.is_some();
        let left = match open_when {
            Some(_) => solver.attempt(|solver| rows::unsettled(self, seen, solver)).ok(),
            None => Some(rows::Rows { rows: Vec::new(), relations: Some(Vec::new()), whole: true }),
        };
        let rows_whole = rows.as_ref().is_none_or(|rows| rows.whole);
        // What is told of the stores that differ must be told of all of them.
        let tells_all = open_when.is_none() || self.covers_what_differs(differs_term, solver);
        let relation = told.filter(|_| tells_all).zip(left.as_ref().and_then(|left| left.relations.clone()));
        let relation = relation.map(|(told, left)| [told, left].concat());
        let rows = rows.into_iter().chain(left).flat_map(|part| part.rows).collect();
        PairDiff {
            equal_when,
            differs_when,
            one_ends_when,
            open_when,
            rows,
            rows_whole,
            relation: relation.filter(|ways| !ways.is_empty()).map(|ways| one_of(&ways)),
            one_ends_witness,
            executed: true,
            refined,
            proved: proved.flatten().map(Box::new),
            ..nothing
        }
    }

    /// Where the two are proved to be equal.
    fn equal(&mut self, solver: &mut Solver) -> Option<Equal> {
        if self.equal_known {
            return None;
        }
        let not_equal = self.not_equal();
        let found = self.equal_but(&not_equal, solver);
        if recurs(self.task, self.comparison.pair) { self.equal_by_induction(found, solver) } else { found }
    }

    /// Where the two are proved to be equal, if they are wherever none of these holds.
    fn equal_but(&mut self, not_equal: &[Term], solver: &mut Solver) -> Option<Equal> {
        let written = self.write(not_equal, solver)?;
        let text = written.fails.text;
        if text == "false" {
            return None;
        }
        let condition = self.read(text, solver)?;
        let proof = self.proved(&condition, solver)?;
        Some((condition, proof))
    }

    /// The same, with tests of the two that recursion keeps: what is equal where one of them holds follows from itself.
    fn equal_by_induction(&mut self, found: Option<Equal>, solver: &mut Solver) -> Option<Equal> {
        let tests = self.regions.tests(&mut self.arena);
        let sides: Vec<Term> =
            tests.into_iter().take(MAX_KEPT).flat_map(|test| [test, self.arena.terms.not(test)]).collect();
        let mut best = found;
        for side in sides {
            let elsewhere = self.arena.terms.not(side);
            let known = best.as_ref().map(|(condition, _)| condition.term);
            if known.is_some_and(|known| self.follows(side, known, solver)) {
                continue;
            }
            let Some(own) = self.equal_but(&[elsewhere], solver) else { continue };
            let joined = known.map(|known| {
                let neither = [self.arena.terms.not(known), elsewhere];
                self.arena.terms.and(&neither)
            });
            best = match joined {
                None => Some(own),
                Some(neither) => self.equal_but(&[neither], solver).or(best),
            };
        }
        best
    }

    /// Whether one condition follows from another in every store.
    fn follows(&mut self, from: Term, goal: Term, solver: &mut Solver) -> bool {
        let fails = self.arena.terms.not(goal);
        self.impossible(&[from, fails], solver)
    }

    /// The stores that are not known to be equal.
    fn not_equal(&self) -> Vec<Term> {
        let Regions { differ, one_ends, open, .. } = &self.regions;
        differ.iter().chain(one_ends).map(|region| region.condition).chain(open.iter().copied()).collect()
    }

    /// Where both end and differ, and how; only with stores that were run.
    fn differs(&mut self, solver: &mut Solver) -> Option<(Condition, rows::Rows)> {
        let condition = self.differing(solver)?;
        let rows = rows::rows(self, &condition, solver)?;
        Some((condition, rows))
    }

    /// Whether a condition holds of all stores that were seen to differ; without one, whether there are none.
    fn covers_what_differs(&mut self, condition: Option<Term>, solver: &mut Solver) -> bool {
        let parts: Vec<Term> = self.regions.differ.iter().map(|region| region.condition).collect();
        let Some(condition) = condition else { return parts.is_empty() };
        let all = self.arena.terms.or(&parts);
        solver.attempt(|solver| self.follows(all, condition, solver)) == Ok(true)
    }

    /// Where both end and differ.
    fn differing(&mut self, solver: &mut Solver) -> Option<Condition> {
        let parts: Vec<Term> = self.regions.differ.iter().map(|region| region.condition).collect();
        if parts.is_empty() {
            return None;
        }
        let text = self.write(&parts, solver)?.holds.text;
        let condition = self.read(text, solver)?;
        proof::differs(&self.meetings, condition.term, &mut self.arena, solver).then_some(condition)
    }

    /// Where exactly one ends; only with a store that was run.
    fn one_ends(&mut self, solver: &mut Solver) -> Option<(Condition, Box<crate::search::witness::Witness>)> {
        let parts: Vec<Term> = self.regions.one_ends.iter().map(|region| region.condition).collect();
        if parts.is_empty() {
            return None;
        }
        let text = self.write(&parts, solver)?.holds.text;
        let condition = self.read(text, solver)?;
        if !proof::one_ends(&self.meetings, condition.term, &mut self.arena, solver) {
            return None;
        }
        let (task, pair) = (self.task, self.comparison.pair);
        let soon = rows::soon_endless(task, pair, &condition.expr);
        let witness = soon.or_else(|| rows::proved_endless(task, pair, &condition.expr, solver))?;
        Some((condition, Box::new(witness)))
    }

    /// What is left, as short as it can be said; `None` when nothing is.
    fn open(&mut self, outside: &[Term], texts: &[String; 3], solver: &mut Solver) -> Option<String> {
        if outside.is_empty() {
            return Some(rest(texts));
        }
        if self.impossible(outside, solver) {
            return None;
        }
        let left = self.arena.terms.and(outside);
        if let Some(written) = self.write(&[left], solver)
            && let Some(condition) = self.read(written.holds.text, solver)
        {
            let inside = self.arena.terms.not(condition.term);
            if self.impossible(&[left, inside], solver) {
                return Some(condition.text);
            }
        }
        Some(rest(texts))
    }

    /// The procedures executed in place.
    fn refined(&self, plan: &Plan) -> Vec<String> {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for version in 0..2 {
            let unit = self.task.program.unit;
            for &id in &plan.inline[version] {
                let code = unit.procedure(version, id);
                let source = code.origin.part_of().unwrap_or(id);
                names.insert(unit.procedure(version, source).name.clone());
            }
        }
        let (own, _) = self.task.program.code(self.comparison.pair);
        names.remove(&own.name);
        names.into_iter().collect()
    }
}

/// The tests that were given, as far as they speak of this pair, with those of which they have a value.
fn given(task: Task<'_>, question: Question<'_>, arena: &mut Arena) -> Vec<Term> {
    let mut tests: Vec<Term> = Vec::new();
    for text in &task.manner.predicates {
        let read = proof::read(task.source, question.pair, None, text);
        let Some([has_value, value]) = read.and_then(|expr| proof::test(question, &expr, arena)) else { continue };
        let guards = match arena.terms.node(has_value) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![has_value],
        };
        for test in guards.into_iter().chain([value]) {
            let negated = arena.terms.not(test);
            let known = tests.contains(&test) || tests.contains(&negated) || arena.terms.as_bool(test).is_some();
            if !known && atoms::of_entry(arena, test) {
                tests.push(test);
            }
        }
    }
    tests
}

/// That one of these holds.
fn one_of(ways: &[String]) -> String {
    match ways {
        [one] => one.clone(),
        several => several.iter().map(|way| format!("({way})")).collect::<Vec<_>>().join(" || "),
    }
}

/// What none of these conditions covers.
pub(in crate::diff) fn rest(texts: &[String; 3]) -> String {
    let known: Vec<String> = texts.iter().filter(|text| *text != "false").map(|text| format!("!({text})")).collect();
    if known.is_empty() { "true".into() } else { known.join(" && ") }
}

/// The numbers that a program mentions.
pub(in crate::diff) fn integers_of(unit: &Unit) -> BTreeSet<BigInt> {
    let mut found = BTreeSet::new();
    let mut note = |expr: &Expr| {
        if let ExprKind::Int(value) = &expr.kind {
            found.insert(value.clone());
        }
    };
    for procedure in unit.versions.iter().flat_map(|version| &version.procedures) {
        procedure.requires.iter().for_each(|clause| clause.walk(&mut |part| note(part)));
        if let Some(body) = &procedure.body {
            walk_exprs(body, &mut |part| note(part));
        }
    }
    found
}

//! Rule *Relation*: path by path, with loops of the two versions run in step under relations of their variables.
//!
//! In: a pair, the relations of its loops, and how outcomes of the pair and of the loops are related. Out: the claims that were
//! used; or where the evidence is wrong.
//!
//! Invariant: each relation is assumed on entry of its loops, and of every matched call of these it is shown. Symbols of variables
//! that do not correspond are kept apart, by numbers of their own.

use super::facts::{are_partners, is_typed};
use super::paths::{PathsEvidence, Relations, assumptions, follow};
use super::plan::{InliningPlan, OwnLoops, Run, Turns};
use super::{Both, Goal, Matches, Pair};
use crate::bounds::pair::{APART, MAX_APART, MAX_FACTS, MAX_TURNS};
use crate::effects::{Effects, Returned, is_loop};
use crate::exec::state::Outcome;
use crate::exec::{Executor, on_entry};
use crate::fact::{Atom, Fact, Given, Step, field_of};
use crate::places::Spot;
use crate::rejection::{Rejection, reject};
use crate::relate::{Apart, CallRelation, Claims, EndRelation, Level, Part, Relater, Uses};
use lang_l::hir::{Expr, ExprKind, FieldId, Local, ProcId, Procedure, Type};
use smt::arena::Arena;
use smt::heap::HeapId;
use smt::solve::Solver;
use smt::term::{Selector, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// What relates two loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRelation {
    /// The loops.
    pub pair: Pair,
    /// What holds of their parameters on entry.
    pub entry: CallRelation,
    /// The results that are equal: of version 0, of version 1.
    pub results: Vec<(usize, usize)>,
    /// How their turns are laid side by side.
    pub turns: Turns,
}

/// What a proof by relations between loops did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopsEvidence {
    /// The pair itself.
    pub whole: PathsEvidence,
    /// Its pairs of loops, each with how their outcomes were related.
    pub loops: Vec<(LoopRelation, Relations)>,
}

/// What is to be related: the pair itself, or a pair of its loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The pair.
    Whole,
    /// The loops of this number.
    Loops(usize),
}

/// A pair whose loops are related.
#[derive(Clone, Copy)]
pub struct Frame<'f> {
    /// The pair.
    pub goal: Goal<'f>,
    /// What is to be shown of the pair, and is claimed of its loops.
    pub level: Level,
    /// Which calls are executed in place.
    pub plan: &'f InliningPlan,
    /// The relations.
    pub loops: &'f [LoopRelation],
}

/// Makes a proof by relations between loops anew, as its evidence says.
pub(super) fn check(
    (goal, level): (&Goal<'_>, Level),
    evidence: &LoopsEvidence,
    solver: &mut Solver,
    matches: &mut Matches,
) -> Result<Uses, Rejection> {
    let loops: Vec<LoopRelation> = evidence.loops.iter().map(|(relation, _)| relation.clone()).collect();
    let frame = Frame { goal: *goal, level, plan: &evidence.whole.plan, loops: &loops };
    frame.check()?;
    let all = [&evidence.whole.relations].into_iter().chain(evidence.loops.iter().map(|(_, relations)| relations));
    let mut used = Uses::new();
    for (target, relations) in frame.targets().into_iter().zip(all) {
        used.merge(frame.follow(target, relations, solver, matches)?);
    }
    used.always.retain(|pair, _| loops.iter().all(|own| own.pair != *pair));
    Ok(used)
}

impl Frame<'_> {
    /// The pair itself, and all its loops.
    pub fn targets(&self) -> Vec<Target> {
        [Target::Whole].into_iter().chain((0..self.loops.len()).map(Target::Loops)).collect()
    }

    /// The effects of both versions, in which calls of loops share only what their relation says with their partners.
    pub fn effects(&self) -> [Vec<Effects>; 2] {
        let mut effects = self.goal.program.effects.map(<[Effects]>::to_vec);
        for own in self.loops.iter().filter(|own| !own.entry.compared) {
            let [left, right] = own.returned(self.goal.program);
            effects[0][own.pair.0.index()].returned = left;
            effects[1][own.pair.1.index()].returned = right;
            // What p's loop writes is to have one name in both heaps, also where q's loop writes nothing itself.
            let of_cells = own.entry.apart.iter().any(|place| place.version == 0 && !place.is_field());
            effects[1][own.pair.1.index()].writes.extend(of_cells.then_some(Selector::Cell(Sort::Int)));
        }
        effects
    }

    /// What may be assumed of calls.
    pub fn claims(&self) -> Claims {
        let mut claims = self.goal.claims.clone();
        let related = |(p, q): Pair| self.loops.iter().any(|own| own.pair.0 == p || own.pair.1 == q);
        claims.always.retain(|&pair, _| !related(pair));
        // What calls of related procedures share is what their relation says, so nothing else may be concluded of them.
        for claim in &mut claims.conditional {
            claim.level = claim.level.filter(|_| !related(claim.pair));
        }
        claims.always.extend(self.loops.iter().map(|own| (own.pair, self.level)));
        claims
    }

    /// Who relates outcomes under the relations.
    pub fn relater<'r>(
        &self,
        program: Both<'r>,
        arena: &'r mut Arena,
        solver: &'r mut Solver,
        claims: &'r Claims,
    ) -> Relater<'r> {
        let relations = self.loops.iter().map(|own| (own.pair, own.entry.clone())).collect();
        Relater { relations, ..program.relater(arena, solver, claims) }
    }

    /// All outcomes of both sides of a target; `None` where there are too many.
    pub fn outcomes(&self, program: Both<'_>, target: Target, arena: &mut Arena) -> Option<[Vec<Outcome>; 2]> {
        let pair = match target {
            Target::Whole => self.goal.pair,
            Target::Loops(at) => self.loops[at].pair,
        };
        let run = Run { program, pair, plan: self.plan, own: Some(self.own(program, target)) };
        let assumed = match target {
            Target::Whole => assumptions(program, pair, self.goal.when, arena).0,
            Target::Loops(at) => related_entry(&run, &self.loops[at], arena),
        };
        run.outcomes(&assumed, arena).ok()
    }

    /// How the loops are executed within a target.
    fn own(&self, program: Both<'_>, target: Target) -> OwnLoops {
        let of = |version: usize| self.loops.iter().map(move |own| ([own.pair.0, own.pair.1][version], &own.turns));
        let within = |version: usize| match target {
            Target::Whole => None,
            Target::Loops(at) => Some([self.loops[at].pair.0, self.loops[at].pair.1][version]),
        };
        let turns = |version: usize| {
            let more = |id: ProcId, turns: &Turns| if within(version) == Some(id) { turns.more } else { turns.first };
            of(version).map(|(id, turns)| (id, more(id, turns)[version])).collect()
        };
        let those = |version: usize, which: fn(&Turns) -> bool| {
            of(version).filter(|(_, turns)| which(turns)).map(|(id, _)| id).collect()
        };
        let related = match target {
            Target::Whole => None,
            Target::Loops(at) => Some(&self.loops[at]),
        };
        OwnLoops {
            parameter_numbers: related.map(|own| own.parameter_numbers(program)),
            apart: related.map(|own| own.apart_on_entry(program)).unwrap_or_default(),
            turns: [0, 1].map(turns),
            told_apart: [0, 1].map(|version| those(version, |turns| turns.told_apart)),
            within: [0, 1].map(|version| those(version, |turns| turns.within)),
        }
    }

    /// How the outcomes of a target must end, where that is for a relation to say.
    pub fn end(&self, program: Both<'_>, target: Target, arena: &mut Arena) -> Option<EndRelation> {
        let Target::Loops(at) = target else { return None };
        let own = &self.loops[at];
        let run = Run { program, pair: own.pair, plan: self.plan, own: Some(self.own(program, target)) };
        let (arguments, _, _) = entries(&run, arena);
        Some(EndRelation { arguments, results: own.results.clone(), relation: own.entry.clone() })
    }

    /// Whether the relations and the plan are such that a proof may rest on them.
    fn check(&self) -> Result<(), Rejection> {
        let (goal, program) = (&self.goal, self.goal.program);
        if !goal.is_defined() || !program.begins_run(goal.pair) {
            return reject("loops are related of procedures alone that have a body");
        }
        if !assumptions(program, goal.pair, goal.when, &mut Arena::new(program.unit)).1 {
            return reject("the condition of the pair cannot be said in terms");
        }
        self.plan.check(program)?;
        let turns = self.loops.iter().map(|own| &own.turns);
        if turns.flat_map(|turns| turns.first.iter().chain(&turns.more)).any(|&turns| turns > MAX_TURNS) {
            return reject("too many turns of loops are executed in place");
        }
        let pairs: BTreeSet<Pair> = self.loops.iter().map(|own| own.pair).collect();
        if pairs.len() < self.loops.len() {
            return reject("two loops are related twice");
        }
        self.loops.iter().try_for_each(|own| own.check(program))?;
        self.leave_one_thing()
    }

    /// Calls of a procedure leave what its relation says, and are executed in place as it says; so two relations of one procedure must
    /// say the same of that.
    ///
    /// # Errors
    /// That they do not.
    pub fn leave_one_thing(&self) -> Result<(), Rejection> {
        let program = self.goal.program;
        for (at, own) in self.loops.iter().enumerate() {
            let otherwise = |other: &LoopRelation| {
                let share = [other.pair.0 == own.pair.0, other.pair.1 == own.pair.1];
                (0..2).any(|version| share[version] && other.turns.of(version) != own.turns.of(version))
            };
            if self.loops[..at].iter().any(otherwise) {
                return reject("the turns of a loop are laid out in two ways");
            }
            let leaves = own.returned(program);
            let names = |other: &&LoopRelation| !own.entry.compared && !other.entry.compared;
            let leaves_else = |other: &LoopRelation| {
                let [left, right] = other.returned(program);
                other.pair.0 == own.pair.0 && left != leaves[0] && !faults::planted("kernel/pair/leaves-first")
                    || other.pair.1 == own.pair.1 && right != leaves[1]
            };
            if self.loops[..at].iter().filter(names).any(leaves_else) {
                return reject("what calls of a loop leave is said in two ways");
            }
        }
        Ok(())
    }

    /// Relates the outcomes of a target, as the evidence says; the claims that were used.
    fn follow(
        &self,
        target: Target,
        relations: &Relations,
        solver: &mut Solver,
        matches: &mut Matches,
    ) -> Result<Uses, Rejection> {
        let (effects, claims) = (self.effects(), self.claims());
        let unit = self.goal.program.unit;
        let program = Both { effects: [&effects[0], &effects[1]], ..self.goal.program };
        let mut arena = Arena::new(unit);
        let Some(both) = self.outcomes(program, target, &mut arena) else {
            return reject("there are too many paths");
        };
        let end = self.end(program, target, &mut arena);
        let mut relater = self.relater(program, &mut arena, solver, &claims);
        relater.end = end;
        match target {
            Target::Whole => follow(&mut relater, &both, self.level, relations, matches)?,
            Target::Loops(_) => follow(&mut relater, &both, self.level, relations, &mut Matches::default())?,
        }
        Ok(relater.used)
    }
}

/// What holds on entry of two matched loops: what does of each alone, and their relation.
fn related_entry(run: &Run<'_>, own: &LoopRelation, arena: &mut Arena) -> Vec<Term> {
    let (parameters, heaps, mut assumed) = entries(run, arena);
    let given = Given::new([&parameters[0], &parameters[1]], heaps);
    assumed.extend(own.entry.facts.iter().map(|fact| fact.term(arena, given)));
    assumed
}

/// What the two of a run are given, in which heaps, and what holds of each alone.
fn entries(run: &Run<'_>, arena: &mut Arena) -> ([Vec<Term>; 2], [HeapId; 2], Vec<Term>) {
    let mut assumed = Vec::new();
    let mut parameters: [Vec<Term>; 2] = Default::default();
    let mut heaps = [arena.heaps.initial(); 2];
    for (version, id) in [run.pair.0, run.pair.1].into_iter().enumerate() {
        let Both { unit, effects, .. } = run.program;
        let mut executor = Executor::new(unit, version, effects[version], run.limits(version), arena);
        let (view, conditions, _) = on_entry(&mut executor, id);
        assumed.extend(conditions);
        parameters[version] = view.locals.iter().take(unit.procedure(version, id).params).copied().collect();
        heaps[version] = view.heap;
    }
    (parameters, heaps, assumed)
}

impl LoopRelation {
    /// Whether each reference that one loop hands out is null, or one that the other does, or one that it was given, or is read from one
    /// that both have: another could be to an object that only one of the two has.
    pub fn shares_references(&self, program: Both<'_>) -> bool {
        (program.code(self.pair).into_iter().enumerate()).all(|(version, code)| {
            let shared = |at: usize| {
                self.matched(version, true, at)
                    || self.is_read(program, (version, at))
                    || self.is_null(program, (version, at))
                    || self.is_given_back(program, (version, at))
            };
            results(code).iter().enumerate().all(|(at, local)| !local.ty.is_reference() || shared(at))
        })
    }

    /// Whether a parameter or a result of a version is equal to one of the other.
    fn matched(&self, version: usize, result: bool, at: usize) -> bool {
        let equal = if result { &self.results } else { &self.entry.equal };
        equal.iter().any(|&(a, b)| [a, b][version] == at)
    }

    /// Whether a result is said to be read from something that both versions have, by what the loop of version 0 looks at: it is then
    /// among what a call of that may leave, and its symbol may be one of such a call. So is a parameter of the loop of version 0, which
    /// that is given itself, and one of the other loop that is read from such a parameter on entry.
    fn is_read(&self, program: Both<'_>, result: (usize, usize)) -> bool {
        let params = program.code(self.pair).map(|code| code.params);
        let accesses = &program.effects[0][self.pair.0.index()].accesses;
        let seen = |step: &Step| step.selector().is_some_and(|selector| accesses.contains(&selector));
        self.entry.exit.iter().filter_map(|fact| fact.definition(params)).any(|(version, at, from)| {
            let base = match from.parameter.checked_sub(params[version]) {
                None => {
                    version == 0 && from.steps.is_empty()
                        || self.matched(version, false, from.parameter)
                        || version == 1 && self.is_given_within(from.parameter, &seen)
                }
                Some(at) => self.matched(version, true, at),
            };
            (version, at) == result && base && from.steps.iter().all(seen)
        })
    }

    /// Whether a parameter of the loop of version 1 is said to be what that of version 0 can read from one of its own, field by field. Where
    /// there is nothing to read from, a fact says nothing; so it must be said that there is.
    fn is_given_within(&self, parameter: usize, seen: &dyn Fn(&Step) -> bool) -> bool {
        let own = Atom { version: 1, parameter, steps: Vec::new() };
        let can_be_read = |from: &Atom| {
            let bases = (0..from.steps.len()).map(|count| Atom { steps: from.steps[..count].to_vec(), ..from.clone() });
            let is_there = |base: Atom| self.entry.facts.contains(&Fact::NotNull(base));
            let fields = from.steps.iter().all(|step| matches!(step, Step::Field(_)));
            fields && bases.into_iter().all(is_there) || faults::planted("kernel/pair/read-from-null")
        };
        self.entry.facts.iter().any(|fact| match fact {
            Fact::Equal(one, other, 0) => [(one, other), (other, one)].iter().any(|(given, from)| {
                **given == own && from.version == 0 && from.steps.iter().all(seen) && can_be_read(from)
            }),
            _ => false,
        })
    }

    /// Whether a result is said to be null.
    fn is_null(&self, program: Both<'_>, (version, at): (usize, usize)) -> bool {
        let parameter = program.code(self.pair)[version].params + at;
        self.entry.exit.contains(&Fact::Null(Atom { version, parameter, steps: Vec::new() }))
    }

    /// Whether a result is always a parameter: a call has no symbol for it.
    fn is_given_back(&self, program: Both<'_>, (version, at): (usize, usize)) -> bool {
        let procedure = [self.pair.0, self.pair.1][version];
        program.effects[version][procedure.index()].given_back(at).is_some()
    }

    /// What calls of the two leave.
    fn returned(&self, program: Both<'_>) -> [Returned; 2] {
        let numbers = Some(self.result_numbers(program));
        let kept = self.entry.apart.iter().filter(|place| place.is_field() && self.partner(place).is_none());
        let kept = kept.filter_map(|place| Some(place.spot(0, true)?.selector)).collect();
        let [left, right] = [0, 1].map(|version| self.own_places(version, true));
        [Returned { apart: left, ..Returned::default() }, Returned { numbers, apart: right, kept }]
    }

    /// The parameter of version 1 on which a field is that may differ; `None` where only version 0 has one.
    fn partner(&self, place: &Apart) -> Option<usize> {
        let equal = |own: &&(usize, usize)| own.0 == place.parameter;
        if place.version == 1 { Some(place.parameter) } else { self.entry.equal.iter().find(equal).map(|own| own.1) }
    }

    /// The places at which the heap of a version holds a value of its own, of those that it is given: version 1 at fields, each at cells.
    fn own_places(&self, version: usize, on_return: bool) -> Vec<Spot> {
        let spot = |(number, place): (usize, &Apart)| {
            let spot = place.spot(number, on_return)?;
            match (place.is_field(), version) {
                (false, _) => (place.version == version).then_some(spot),
                (true, 1) => Some(Spot { base: self.partner(place)?, ..spot }),
                (true, _) => None,
            }
        };
        self.entry.apart.iter().enumerate().filter_map(spot).collect()
    }

    /// All of them on entry, by the numbers of parameters.
    fn apart_on_entry(&self, program: Both<'_>) -> [Vec<Spot>; 2] {
        let numbers = self.parameter_numbers(program);
        let number = |at: usize| numbers.get(at).map(|&number| number as usize);
        let given = self.own_places(1, false).into_iter().filter_map(|spot| spot.renumbered(number));
        let unknown = |(number, place): (usize, &Apart)| {
            place.spot(number, false).filter(|_| place.is_field() && self.partner(place).is_none())
        };
        let unknown = self.entry.apart.iter().enumerate().filter_map(unknown);
        [self.own_places(0, false), given.chain(unknown).collect()]
    }

    /// The numbers of the parameters of version 1: those that are equal have those of version 0.
    fn parameter_numbers(&self, program: Both<'_>) -> Vec<u32> {
        numbers(&self.entry.equal, program.code(self.pair)[1].params)
    }

    /// The same of the results.
    fn result_numbers(&self, program: Both<'_>) -> Vec<u32> {
        numbers(&self.results, program.code(self.pair)[1].results)
    }

    /// Whether calls of the two say all that they do by their results: they write nothing, and give back no reference.
    fn may_be_compared(&self, program: Both<'_>) -> bool {
        let code = program.code(self.pair);
        let silent = |(version, id): (usize, ProcId)| is_silent(&program.effects[version][id.index()], code[version]);
        self.results.is_empty() && [self.pair.0, self.pair.1].into_iter().enumerate().all(silent)
    }

    /// Whether the two are loops that can be matched under this relation.
    fn check(&self, program: Both<'_>) -> Result<(), Rejection> {
        if !program.has(self.pair) || !program.claimable(self.pair) {
            return reject("a loop is related that is not there, or that looks at more than it is given");
        }
        let [left, right] = program.code(self.pair);
        let few = |code: &Procedure| code.params.max(code.results) < APART as usize;
        if ![left, right].into_iter().all(|code| code.body.is_some() && few(code)) {
            return reject("a procedure is related that has no body, or too many variables");
        }
        if ![left, right].into_iter().all(|code| is_loop(code) || may_be_related(code)) {
            return reject("a procedure is related whose contract speaks of more than a region, or of its end");
        }
        let fits = are_partners(&self.entry.equal, [left, right].map(parameters))
            && are_partners(&self.results, [left, right].map(results));
        if !fits {
            return reject("variables of two loops are related that cannot be equal");
        }
        if self.entry.compared && !(self.may_be_compared(program) || faults::planted("kernel/pair/compared")) {
            return reject("loops are compared that write something, or give back a reference");
        }
        if !self.shares_references(program) {
            return reject("a loop hands out a reference that the other one does not");
        }
        let CallRelation { facts, exit, apart, .. } = &self.entry;
        let typed = |facts: &[Fact], at_exit: bool| {
            let said = |fact: &Fact| is_typed(program, self.pair, fact, at_exit) && is_seen(program, self.pair, fact);
            facts.len() <= MAX_FACTS && facts.iter().all(said)
        };
        if !typed(facts, false) || !typed(exit, true) {
            return reject("something is said of two loops that has no meaning");
        }
        if apart.len() > MAX_APART || !self.names_places(program) {
            return reject("heaps are to differ where they cannot");
        }
        Ok(())
    }

    /// Whether there are such places in all that is said of the heaps.
    pub fn names_places(&self, program: Both<'_>) -> bool {
        self.entry.apart.iter().all(|place| self.may_differ(program, place))
    }

    /// Whether there is such a place, and it holds no reference. The loop of version 1 must leave a field alone where it is not told of
    /// the object. A cell must be one that the loop of version 0 may change; or one of version 1 that is the same at the exit.
    fn may_differ(&self, program: Both<'_>, place: &Apart) -> bool {
        let code = program.code(self.pair);
        let Some(own) = code.get(place.version) else { return false };
        let Some(base) = parameters(own).get(place.parameter) else { return false };
        match place.of {
            Part::Field(field) => {
                let field = FieldId(field);
                let holds = field_of(program.unit, &base.ty, field);
                let writes = &program.effects[1][self.pair.1.index()].writes;
                let known = !writes.contains(&Selector::Field(field)) || self.partner(place).is_some();
                holds.is_some_and(|ty| !ty.is_reference()) && known
            }
            Part::Cell { before, after } => {
                let is_number = |local: Option<&Local>| local.is_some_and(|local| local.ty == Type::Int);
                let ends = after.is_none_or(|at| is_number(parameters(own).iter().chain(results(own)).nth(at)));
                let numbers = matches!(&base.ty, Type::Array(element) if **element == Type::Int)
                    || faults::planted("kernel/pair/hole-of-anything");
                let stays = place.version == 1 && after == Some(before);
                numbers && is_number(parameters(own).get(before)) && ends && (stays || self.may_change(program, place))
            }
        }
    }

    /// Whether calls of the loop of version 0 may change the array of a place, as far as is said of them. Once calls are matched, the heap of
    /// either version is read by what that loop may change; beside it each version would be left with what it had before.
    fn may_change(&self, program: Both<'_>, place: &Apart) -> bool {
        if faults::planted("kernel/pair/hole-unwritten") {
            return true;
        }
        let equal = |own: &&(usize, usize)| own.1 == place.parameter;
        let array = match place.version {
            0 => Some(place.parameter),
            _ => self.entry.equal.iter().find(equal).map(|own| own.0),
        };
        let effects = &program.effects[0][self.pair.0.index()];
        let named = |place: &Expr| matches!(place.kind, ExprKind::Local(id) if Some(id.index()) == array);
        let known = |places: &Vec<Expr>| places.iter().any(named);
        array.is_some()
            && effects.writes.contains(&Selector::Cell(Sort::Int))
            && effects.modifies.as_ref().is_none_or(known)
    }
}

/// Whether nothing is promised of what a procedure does, and what has to hold where it is called is about its region alone. A loop
/// promises what its negated condition says, and that is shown of it.
pub fn may_be_related(code: &Procedure) -> bool {
    let further = |part: &Expr| {
        matches!(part.kind, ExprKind::Quant { .. } | ExprKind::Reach(..) | ExprKind::Fresh(_) | ExprKind::Call(..))
    };
    code.requires.iter().all(|condition| !condition.any(&further)) && code.ensures.is_empty() && code.modifies.is_none()
}

/// Whether all that a procedure does is to give back numbers and booleans.
pub fn is_silent(effects: &Effects, code: &Procedure) -> bool {
    let gives_reference = results(code).iter().any(|local| local.ty.is_reference());
    effects.writes.is_empty() && effects.written_globals.is_empty() && !gives_reference
}

/// Whether a fact reads nothing but what one of the two loops looks at. The heaps agree on that alone, and the loops are related from
/// one heap: what they hold elsewhere would be said of both.
pub fn is_seen(program: Both<'_>, pair: Pair, fact: &Fact) -> bool {
    let loops = [&program.effects[0][pair.0.index()], &program.effects[1][pair.1.index()]];
    let seen = |selector: Selector| loops.iter().any(|own| own.accesses.contains(&selector));
    fact.steps().filter_map(Step::selector).all(seen)
}

fn numbers(partners: &[(usize, usize)], count: usize) -> Vec<u32> {
    let of: BTreeMap<usize, usize> = partners.iter().map(|&(mine, theirs)| (theirs, mine)).collect();
    let number = |at: usize| u32::try_from(of.get(&at).copied().unwrap_or(at)).unwrap_or(u32::MAX);
    (0..count).map(|at| if of.contains_key(&at) { number(at) } else { APART.saturating_add(number(at)) }).collect()
}

/// The parameters of a procedure.
pub fn parameters(code: &Procedure) -> &[Local] {
    &code.locals[..code.params]
}

/// Its results.
pub fn results(code: &Procedure) -> &[Local] {
    &code.locals[code.params..code.params + code.results]
}

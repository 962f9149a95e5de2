//! Two loops that are matched, and what their relation begins with.
//!
//! In: a loop of each version. Out: a [`Couple`]: which variables go together by name or type, and all facts that might hold.

use crate::budget::loops::MAX_WAYS;
use crate::goal::{LoopEvidence, Pair, Program};
use kernel::bounds::pair::{MAX_APART, MAX_FACTS};
use kernel::pair::loops::{LoopRelation, is_seen, parameters, results};
use kernel::pair::paths::Relations;
use kernel::relate::{Apart, Atom, CallRelation, Fact, Step};
use lang_l::hir::{FieldId, Local, Procedure, Type, Unit};
use smt::term::{Selector, Sort};
use std::collections::BTreeSet;

/// How much is looked for that relates two loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookedFor {
    /// What holds where they begin.
    Entry,
    /// Also what holds where they end.
    Ends,
    /// Also heaps that differ where one loop alone writes.
    Apart,
}

/// Two loops that are matched.
#[derive(Clone)]
pub(super) struct Couple {
    /// What is still believed of them.
    pub(super) relation: LoopRelation,
    /// Which results that are to be equal were found not to be.
    pub(super) unequal: BTreeSet<usize>,
    /// Which of the variables that are to be equal, and which of the facts, were found not to hold of some call.
    refuted: [BTreeSet<usize>; 2],
    /// Which of the facts were found not to hold of some ends.
    refuted_at_ends: BTreeSet<usize>,
    /// By the numbers of version 0, which results are references.
    references: Vec<bool>,
}

impl Couple {
    /// Two loops with all that might hold of them, once for each way in which their references may go together; none where one
    /// hands out a reference that the other does not.
    pub(super) fn all(program: &Program<'_>, pair: Pair, looked_for: LookedFor) -> Vec<Couple> {
        let (left, right) = program.code(pair);
        let all = facts(program, pair);
        let plain = all.len() - further(program, pair).len();
        let all: Vec<&Fact> = match looked_for {
            LookedFor::Entry => all[..plain].iter().collect(),
            _ => all[plain..].iter().chain(&all[..plain]).collect(),
        };
        let exit = if looked_for == LookedFor::Entry { Vec::new() } else { at_ends(program, pair) };
        let couple = |equal: Vec<(usize, usize)>| {
            let results = match looked_for {
                LookedFor::Entry => partners(results(left), results(right)),
                _ => result_partners(left, right, &equal),
            };
            let apart = if looked_for == LookedFor::Apart { apart(program, pair, &equal) } else { Vec::new() };
            if looked_for == LookedFor::Apart && apart.is_empty() {
                return None;
            }
            let open = |fact: &&Fact| match fact {
                Fact::Equal(a, b, 0) if a.steps.is_empty() && b.steps.is_empty() => {
                    !equal.contains(&(a.parameter, b.parameter))
                }
                _ => true,
            };
            let facts = all.iter().copied().filter(open).take(MAX_FACTS).cloned().collect();
            let exit =
                exit.iter().filter(|fact| is_open(fact, (left, right), &results)).take(MAX_FACTS).cloned().collect();
            Couple::of(program, LoopRelation { pair, entry: CallRelation { equal, facts, apart, exit }, results })
        };
        parameter_partners(left, right).into_iter().filter_map(couple).collect()
    }

    /// Two loops with what is believed of them; `None` where one hands out a reference that the other does not: it could be to an
    /// object that the other does not have.
    fn of(program: &Program<'_>, relation: LoopRelation) -> Option<Couple> {
        let (left, _) = program.code(relation.pair);
        let references = results(left).iter().map(|local| local.ty.is_reference()).collect();
        let couple = Couple {
            relation,
            unequal: BTreeSet::new(),
            refuted: Default::default(),
            refuted_at_ends: BTreeSet::new(),
            references,
        };
        couple.is_sound(program).then_some(couple)
    }

    /// Whether what is left is enough: references that one loop hands out are shared.
    pub(super) fn is_sound(&self, program: &Program<'_>) -> bool {
        self.relation.shares_references(program.both())
    }

    /// Those pairs of results that are wanted.
    pub(super) fn results(&self, wanted: &dyn Fn(usize) -> bool) -> Vec<(usize, usize)> {
        let all = self.relation.results.iter().enumerate();
        all.filter(|(at, _)| wanted(*at)).map(|(_, own)| *own).collect()
    }

    /// Takes out what does not hold; whether there was any.
    pub(super) fn weaken(&mut self) -> bool {
        let mut unequal = std::mem::take(&mut self.unequal);
        if faults::planted("engines/loops/unequal-kept") {
            unequal.clear();
        }
        let mut at = 0..;
        self.relation.results.retain(|_| !at.next().is_some_and(|at| unequal.contains(&at)));
        let [equal, mut facts] = std::mem::take(&mut self.refuted);
        if faults::planted("engines/loops/facts-kept") {
            facts.clear();
        }
        let mut at = 0..;
        self.relation.entry.equal.retain(|_| {
            faults::planted("engines/loops/equal-kept") || !at.next().is_some_and(|at| equal.contains(&at))
        });
        let mut at = 0..;
        self.relation.entry.facts.retain(|_| !at.next().is_some_and(|at| facts.contains(&at)));
        let mut exit = std::mem::take(&mut self.refuted_at_ends);
        if faults::planted("engines/loops/ends-kept") {
            exit.clear();
        }
        let mut at = 0..;
        self.relation.entry.exit.retain(|_| !at.next().is_some_and(|at| exit.contains(&at)));
        !equal.is_empty() || !facts.is_empty() || !unequal.is_empty() || !exit.is_empty()
    }

    /// Notes what was found not to hold.
    pub(super) fn refute(&mut self, [equal, facts]: &[BTreeSet<usize>; 2]) {
        self.refuted[0].extend(equal);
        self.refuted[1].extend(facts);
    }

    /// Notes what was found not to hold at ends.
    pub(super) fn refute_at_ends(&mut self, facts: &BTreeSet<usize>) {
        self.refuted_at_ends.extend(facts);
    }

    /// Whether a pair of results is one of references.
    pub(super) fn is_reference(&self, at: usize) -> bool {
        self.references[self.relation.results[at].0]
    }
}

/// What evidence says of two loops, in full; `None` where it names a fact that is not there.
pub(super) fn told(program: &Program<'_>, told: &LoopEvidence) -> Option<(LoopRelation, Relations)> {
    let all = facts(program, told.pair);
    let facts = told.facts.iter().map(|&at| all.get(at).cloned()).collect::<Option<_>>()?;
    let ends = if told.exit.is_empty() { Vec::new() } else { at_ends(program, told.pair) };
    let exit = told.exit.iter().map(|&at| ends.get(at).cloned()).collect::<Option<_>>()?;
    let entry = CallRelation { equal: told.equal.clone(), facts, apart: told.apart.clone(), exit };
    Some((LoopRelation { pair: told.pair, entry, results: told.results.clone() }, told.relations.clone()))
}

/// What relates two loops, as evidence has it.
pub(super) fn tell(program: &Program<'_>, relation: &LoopRelation, relations: Relations) -> LoopEvidence {
    let LoopRelation { pair, entry, results } = relation;
    let all = facts(program, *pair);
    let facts = entry
        .facts
        .iter()
        .filter_map(|fact| all.iter().position(|one| one == fact))
        .map(|at| at + usize::from(faults::planted("engines/loops/facts-shifted")))
        .collect();
    let ends = if entry.exit.is_empty() { Vec::new() } else { at_ends(program, *pair) };
    let exit = entry.exit.iter().filter_map(|fact| ends.iter().position(|one| one == fact)).collect();
    LoopEvidence {
        pair: *pair,
        equal: entry.equal.clone(),
        facts,
        results: results.clone(),
        apart: entry.apart.clone(),
        exit,
        relations,
    }
}

/// For each variable of one version that none of the other is equal to, what it is.
pub(super) fn words(program: &Program<'_>, LoopRelation { pair, entry, .. }: &LoopRelation) -> Vec<String> {
    let code = program.code(*pair);
    let counts = [code.0.params, code.1.params];
    let has_equal = |version: usize, at: usize| entry.equal.iter().any(|&(a, b)| [a, b][version] == at);
    let mut told: Vec<&Fact> = Vec::new();
    for version in [1, 0] {
        for at in (0..counts[version]).filter(|&at| !has_equal(version, at)) {
            let facts = || entry.facts.iter().filter(|fact| fact.defines(version, at));
            if !facts().any(|fact| told.contains(&fact)) {
                told.extend(facts().next());
            }
        }
    }
    told.into_iter().map(|fact| fact.words(program.unit.as_unit(), [code.0, code.1])).collect()
}

/// Which variables go together: those of one name and type, and of the rest those of one type in order.
fn partners(left: &[Local], right: &[Local]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    add_partners(&mut found, [left, right], |a, b| a.name == b.name);
    add_partners(&mut found, [left, right], |_, _| true);
    found
}

/// The same of results: those of parameters that go together do so, too.
fn result_partners(left: &Procedure, right: &Procedure, equal: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let both = [results(left), results(right)];
    let together = |a: &Local, b: &Local| {
        equal.iter().any(|&(p, q)| left.locals[p].name == a.name && right.locals[q].name == b.name)
    };
    add_partners(&mut found, both, together);
    let is_variable = |code: &Procedure, own: &Local| parameters(code).iter().any(|other| other.name == own.name);
    add_partners(&mut found, both, |a, b| a.name == b.name);
    add_partners(&mut found, both, |a, b| !a.ty.is_reference() || !is_variable(left, a) && !is_variable(right, b));
    found
}

/// The same of parameters, in all ways in which references without a namesake may go together.
fn parameter_partners(left: &Procedure, right: &Procedure) -> Vec<Vec<(usize, usize)>> {
    let both = [parameters(left), parameters(right)];
    let mut named = Vec::new();
    add_partners(&mut named, both, |a, b| a.name == b.name);
    let mut ways = vec![named];
    for (mine, local) in both[0].iter().enumerate().filter(|(_, local)| local.ty.is_reference()) {
        let mut more = Vec::new();
        for way in &ways {
            let free = |theirs: &usize| way.iter().all(|&(a, b)| a != mine && b != *theirs);
            let fitting = (0..both[1].len()).filter(|theirs| free(theirs) && both[1][*theirs].ty == local.ty);
            more.extend(fitting.map(|theirs| [way.as_slice(), &[(mine, theirs)]].concat()));
            // One whose object only this version keeps in a variable.
            more.push(way.clone());
        }
        more.truncate(MAX_WAYS);
        ways = more;
    }
    for way in &mut ways {
        add_partners(way, both, |a, _| !a.ty.is_reference());
        way.sort_unstable();
    }
    // Those in which most go together are the likeliest.
    ways.sort_by_key(|way| usize::MAX - way.len());
    ways.truncate(MAX_WAYS);
    ways
}

/// Adds pairs of variables of one type that fit, of which neither has a partner, in order.
fn add_partners(found: &mut Vec<(usize, usize)>, [left, right]: [&[Local]; 2], fits: impl Fn(&Local, &Local) -> bool) {
    for (mine, local) in left.iter().enumerate() {
        let free = |theirs: &usize| found.iter().all(|&(a, b)| a != mine && b != *theirs);
        let own = |theirs: &usize| right[*theirs].ty == local.ty && fits(local, &right[*theirs]);
        let partner = (0..right.len()).find(|theirs| free(theirs) && own(theirs));
        found.extend(partner.map(|theirs| (mine, theirs)));
    }
}

/// A value that might be looked at, and its type.
struct Value {
    atom: Atom,
    ty: Type,
}

impl Value {
    fn is_bare(&self) -> bool {
        self.atom.steps.is_empty()
    }

    fn is_number(&self) -> bool {
        self.ty == Type::Int
    }

    /// Whether it is a number that counters run up to, or down from: none that a cell holds.
    fn is_bound(&self) -> bool {
        self.is_number() && !self.atom.steps.iter().any(|step| matches!(step, Step::Cell(..)))
    }

    fn then(&self, step: Step, ty: Type) -> Value {
        let mut atom = self.atom.clone();
        atom.steps.push(step);
        Value { atom, ty }
    }
}

/// What a version is given, and what it can read from there.
fn values(unit: &Unit, fields: &BTreeSet<FieldId>, version: usize, code: &Procedure) -> Vec<Value> {
    let bare = parameters(code)
        .iter()
        .enumerate()
        .map(|(parameter, local)| Value { atom: Atom { version, parameter, steps: Vec::new() }, ty: local.ty.clone() });
    let mut all: Vec<Value> = bare.collect();
    let numbers: Vec<usize> = all.iter().filter(|value| value.is_number()).map(|value| value.atom.parameter).collect();
    let first: Vec<Value> = all.iter().flat_map(|value| read(unit, fields, &numbers, value)).collect();
    let arrays = first.iter().filter(|value| matches!(value.ty, Type::Array(_)));
    let second: Vec<Value> = arrays.flat_map(|value| read(unit, fields, &[], value)).collect();
    all.extend(first);
    all.extend(second);
    all
}

/// What can be read from a value; of an array the cells of these indexes.
fn read(unit: &Unit, fields: &BTreeSet<FieldId>, indexes: &[usize], value: &Value) -> Vec<Value> {
    match &value.ty {
        Type::Int | Type::Bool => Vec::new(),
        Type::Array(element) => {
            let cell = |&index: &usize| value.then(Step::Cell(index, Sort::from(&**element)), (**element).clone());
            [value.then(Step::Length, Type::Int)].into_iter().chain(indexes.iter().map(cell)).collect()
        }
        Type::Ref | Type::Class(_) => {
            let own = |field: &&FieldId| match (&value.ty, unit.fields[field.index()].class) {
                (Type::Class(class), Some(of)) => *class == of,
                (_, of) => of.is_none(),
            };
            let fields = fields.iter().filter(own);
            fields.map(|&field| value.then(Step::Field(field), unit.fields[field.index()].ty.clone())).collect()
        }
    }
}

/// The fields that either looks at.
fn fields(program: &Program<'_>, pair: Pair) -> BTreeSet<FieldId> {
    let accesses = [0, 1].map(|version| &program.effects[version][[pair.0, pair.1][version].index()].accesses);
    let field = |selector: &Selector| match selector {
        Selector::Field(field) => Some(*field),
        Selector::Cell(_) => None,
    };
    accesses.into_iter().flatten().filter_map(field).collect()
}

/// All facts that might hold of the two, the likelier ones first.
fn facts(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let fields = fields(program, pair);
    let (left, right) = program.code(pair);
    let unit = program.unit.as_unit();
    let mine = values(unit, &fields, 0, left);
    let theirs = values(unit, &fields, 1, right);
    let mut facts: Vec<Fact> = [&mine, &theirs].into_iter().flat_map(|values| alone(values)).collect();
    for (a, b) in mine.iter().flat_map(|a| theirs.iter().map(move |b| (a, b))) {
        let alike = Sort::from(&a.ty) == Sort::from(&b.ty);
        if alike && (a.is_bare() || b.is_bare()) {
            let shifts: &[i64] = if a.ty == Type::Int { &[0, -1, 1] } else { &[0] };
            facts.extend(shifts.iter().map(|&shift| Fact::Equal(a.atom.clone(), b.atom.clone(), shift)));
        }
    }
    facts.extend(sums(&mine, &theirs));
    facts.retain(|fact| is_seen(program.both(), pair, fact));
    // What is said of variables alone is cheapest to look at, and where there are too many the last ones are left out.
    facts.sort_by_key(|fact| fact.steps().next().is_some());
    facts.extend(further(program, pair));
    facts
}

/// Facts that are looked for where those on entry alone do not do: where counters begin or do not come to, that they are below a
/// length, whether flags are set, that the cell at a counter holds what the first one does, and the one before it what a variable does.
fn further(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let mut found = Vec::new();
    for (version, code) in [left, right].into_iter().enumerate() {
        let all = values(program.unit.as_unit(), &BTreeSet::new(), version, code);
        let is_length = |value: &&Value| value.atom.steps.last() == Some(&Step::Length);
        for counter in all.iter().filter(|value| value.is_bare() && value.is_number()) {
            found.extend([0, 1].map(|least| Fact::AtLeast(counter.atom.clone(), least)));
            found.push(Fact::NotZero(counter.atom.clone()));
            let lengths = all.iter().filter(is_length);
            found.extend(lengths.map(|length| Fact::AtMost(counter.atom.clone(), length.atom.clone(), -1)));
        }
        let flags = all.iter().filter(|value| value.is_bare() && value.ty == Type::Bool);
        found.extend(flags.flat_map(|flag| [false, true].map(|truth| Fact::Truth(flag.atom.clone(), truth))));
        for (value, (index, sort)) in all.iter().filter_map(|value| match value.atom.steps[..] {
            [Step::Cell(index, sort)] => Some((value, (index, sort))),
            _ => None,
        }) {
            let of_array = |step: Step| Atom { steps: vec![step], ..value.atom.clone() };
            found.push(Fact::Equal(value.atom.clone(), of_array(Step::First(sort)), 0));
            let kept = all.iter().filter(|own| own.is_bare() && own.ty == value.ty && own.atom.parameter != index);
            found.extend(kept.map(|own| Fact::Equal(own.atom.clone(), of_array(Step::Before(index, sort)), 0)));
        }
    }
    found.retain(|fact| is_seen(program.both(), pair, fact));
    found
}

/// The fields without references that one loop alone writes, of what either refers to.
fn apart(program: &Program<'_>, pair: Pair, equal: &[(usize, usize)]) -> Vec<Apart> {
    let fields = fields(program, pair);
    let (left, right) = program.code(pair);
    let writes = |version: usize, field: FieldId| {
        program.effects[version][[pair.0, pair.1][version].index()].writes.contains(&Selector::Field(field))
    };
    let place = |value: Value| match (value.atom.version, value.atom.parameter, &value.atom.steps[..]) {
        // One place is named once.
        (1, theirs, _) if equal.iter().any(|own| own.1 == theirs) => None,
        (version, parameter, &[Step::Field(field)]) => {
            let fits = !value.ty.is_reference() && writes(0, field) != writes(1, field);
            fits.then_some(Apart { version, parameter, field: field.0 })
        }
        _ => None,
    };
    let all = |version: usize, code| values(program.unit.as_unit(), &fields, version, code);
    all(0, left).into_iter().chain(all(1, right)).filter_map(place).take(MAX_APART).collect()
}

/// Whether a fact about two ends says more than which results are equal.
fn is_open(fact: &Fact, (left, right): (&Procedure, &Procedure), results: &[(usize, usize)]) -> bool {
    match fact {
        Fact::Equal(a, b, 0) if a.steps.is_empty() && b.steps.is_empty() && a.version != b.version => {
            let numbers = (a.parameter.checked_sub(left.params), b.parameter.checked_sub(right.params));
            !matches!(numbers, (Some(a), Some(b)) if results.contains(&(a, b)))
        }
        _ => true,
    }
}

/// All facts that might hold of the ends of two loops: of their results, and of what is read from these; and from what a
/// reference is read that only one of the two hands out.
fn at_ends(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let unit = program.unit.as_unit();
    let fields = fields(program, pair);
    let (left, right) = program.code(pair);
    let [mine, theirs] = [(0, left), (1, right)].map(|(version, code)| last_values(unit, &fields, version, code));
    let mut facts = Vec::new();
    for (version, (code, values)) in [(left, &mine), (right, &theirs)].into_iter().enumerate() {
        for (at, local) in results(code).iter().enumerate().filter(|(_, local)| local.ty.is_reference()) {
            let own = Atom { version, parameter: code.params + at, steps: Vec::new() };
            let read = values.iter().filter(|value| value.atom.steps.len() == 1 && value.ty == local.ty);
            let from = read.filter(|value| value.atom.parameter != own.parameter);
            facts.extend(from.map(|value| Fact::Equal(own.clone(), value.atom.clone(), 0)));
        }
        let lengths = || values.iter().filter(|value| value.atom.steps.last() == Some(&Step::Length));
        let is_result = |value: &&Value| value.is_bare() && value.atom.parameter >= code.params;
        for number in values.iter().filter(is_result).filter(|value| value.is_number()) {
            facts.push(Fact::AtLeast(number.atom.clone(), 0));
            facts.extend(lengths().map(|length| Fact::AtMost(number.atom.clone(), length.atom.clone(), -1)));
        }
    }
    for (a, b) in mine.iter().flat_map(|a| theirs.iter().map(move |b| (a, b))) {
        let alike = Sort::from(&a.ty) == Sort::from(&b.ty);
        let results = (a.atom.parameter >= left.params, b.atom.parameter >= right.params);
        if alike && (a.is_bare() && results.0 || b.is_bare() && results.1) {
            let shifts: &[i64] = if a.ty == Type::Int && a.is_bare() && b.is_bare() { &[0, -1, 1] } else { &[0] };
            facts.extend(shifts.iter().map(|&shift| Fact::Equal(a.atom.clone(), b.atom.clone(), shift)));
        }
    }
    facts.retain(|fact| is_seen(program.both(), pair, fact));
    facts
}

/// What a loop leaves in its variables, and what can be read from there: results, and parameters that it leaves as they are.
fn last_values(unit: &Unit, fields: &BTreeSet<FieldId>, version: usize, code: &Procedure) -> Vec<Value> {
    let is_result = |local: &Local| results(code).iter().any(|other| other.name == local.name);
    let variables = code.locals.iter().enumerate().take(code.params + code.results);
    let left = variables.filter(|(at, local)| *at >= code.params || !is_result(local));
    let bare: Vec<Value> = left
        .map(|(parameter, local)| Value { atom: Atom { version, parameter, steps: Vec::new() }, ty: local.ty.clone() })
        .collect();
    let numbers: Vec<usize> = bare.iter().filter(|value| value.is_number()).map(|value| value.atom.parameter).collect();
    let read: Vec<Value> = bare.iter().flat_map(|value| self::read(unit, fields, &numbers, value)).collect();
    bare.into_iter().chain(read).collect()
}

/// What might hold of one version alone: what is not null, and which numbers are bounded by others.
fn alone(values: &[Value]) -> Vec<Fact> {
    let references = values.iter().filter(|value| value.is_bare() && value.ty.is_reference());
    let not_null = references.map(|value| Fact::NotNull(value.atom.clone()));
    let counters = values.iter().filter(|value| value.is_bare() && value.is_number());
    let bounded = counters.flat_map(|counter| {
        let others = values.iter().filter(|value| value.is_bound()).filter(|other| other.atom != counter.atom);
        others.map(|other| Fact::AtMost(counter.atom.clone(), other.atom.clone(), 0))
    });
    not_null.chain(bounded).collect()
}

/// That two numbers have a sum which is a third one: one counts up and the other down; or an index of one version is where the other
/// began, and how far it has come.
fn sums(mine: &[Value], theirs: &[Value]) -> Vec<Fact> {
    let counters = |values: &[Value]| -> Vec<Atom> {
        values.iter().filter(|value| value.is_bare() && value.is_number()).map(|value| value.atom.clone()).collect()
    };
    let wholes: Vec<&Atom> =
        mine.iter().chain(theirs).filter(|value| value.is_bound()).map(|value| &value.atom).collect();
    let both = [counters(mine), counters(theirs)];
    let mut found = Vec::new();
    for (a, b) in both[0].iter().flat_map(|a| both[1].iter().map(move |b| (a, b))) {
        for whole in wholes.iter().filter(|&&whole| whole != a && whole != b) {
            found.extend([0, -1].map(|more| Fact::Sum([a.clone(), b.clone()], (*whole).clone(), more)));
        }
    }
    for (own, others) in [(&both[0], &both[1]), (&both[1], &both[0])] {
        for (at, a) in own.iter().enumerate() {
            for b in &own[at + 1..] {
                found.extend(others.iter().map(|whole| Fact::Sum([a.clone(), b.clone()], whole.clone(), 0)));
            }
        }
    }
    found
}

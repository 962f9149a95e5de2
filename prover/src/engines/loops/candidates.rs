//! What might hold of two loops that are matched: where they begin, and where they end.
//!
//! In: a loop of each version. Out: facts of some forms, and places at which the heaps may differ.
//!
//! Invariant: certificates name facts by their numbers in these lists, so new forms go to the ends.

use super::cells;
use super::computed;
use super::flags::{self, moved};
use super::holes;
use super::least;
use super::totals;
use super::under;
use super::zeros;
use crate::budget::loops::MAX_LITERALS;
use crate::goal::{Pair, Program};
use crate::lower::is_loop;
use kernel::bounds::pair::MAX_APART;
use kernel::pair::loops::{is_seen, parameters, results};
use kernel::relate::{Apart, Atom, Fact, Part, Step};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{ExprKind, FieldId, Local, Procedure, Type, Unit};
use num_traits::ToPrimitive;
use smt::term::{Selector, Sort};
use std::collections::BTreeSet;

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
pub(super) fn facts(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
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
/// length, whether flags are set, that the cell at a counter holds what the first one does, and the one before it what a variable does;
/// that the sum of a counter from one and one that ends there is one more than what they run up to or down from; what tests say; what
/// one of them computes that the other has in a variable; which of the bounds of one is the least, that the other has; what is 0 in both
/// or in neither; of which bounds one is the sum; and which counters are below or above
/// one, or past a number; which arrays are of one length; and what each cell of an array holds.
pub(super) fn further(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
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
            found.extend(kept.map(|own| Fact::Equal(own.atom.clone(), of_array(Step::Before(index, 1, sort)), 0)));
        }
    }
    for (version, code) in [left, right].into_iter().enumerate() {
        let handed = literals_handed(program, version);
        let counters = parameters(code).iter().enumerate().filter(|(_, local)| local.ty == Type::Int);
        let bare = counters.map(|(parameter, _)| Atom { version, parameter, steps: Vec::new() });
        found.extend(bare.flat_map(|one| handed.iter().map(move |&number| Fact::Is(one.clone(), number))));
    }
    let both = [(0, left), (1, right)]
        .map(|(version, code)| counters(&values(program.unit.as_unit(), &BTreeSet::new(), version, code)));
    found.extend(across(&both, &both.concat(), &[1]));
    found.extend(under::facts(program, pair));
    found.extend(under::guards(program, pair));
    found.extend(computed::facts(program, pair));
    found.extend(least::facts(program, pair));
    found.extend(zeros::on_entry(program, pair));
    found.extend(
        [(0, left), (1, right)].into_iter().flat_map(|(version, code)| open_ends(program, pair, version, code)),
    );
    found.extend(written_before(program, pair));
    found.extend(under::flags_told(program, pair));
    found.extend(holes::filled(program, pair, false));
    found.extend(totals::facts(program, pair, false));
    for (version, code) in [(0, left), (1, right)] {
        found.extend(totals::sums_of_bounds(version, code));
        found.extend(totals::beside_bounds(version, code));
    }
    found.extend(totals::past_literals([left, right]));
    for (version, code) in [(0, left), (1, right)] {
        found.extend(of_one_length(&values(program.unit.as_unit(), &BTreeSet::new(), version, code)));
    }
    found.extend(cells::facts(program, pair));
    found.retain(|fact| is_seen(program.both(), pair, fact));
    found
}

/// That two arrays are of one length: one was made for what the other holds.
fn of_one_length(values: &[Value]) -> Vec<Fact> {
    let lengths = values.iter().filter(|value| value.atom.steps[..] == [Step::Length]);
    let lengths: Vec<&Atom> = lengths.map(|value| &value.atom).collect();
    let pairs = lengths.iter().enumerate().flat_map(|(at, a)| lengths[at + 1..].iter().map(move |b| (*a, *b)));
    pairs.map(|(a, b)| Fact::Equal(a.clone(), b.clone(), 0)).collect()
}

/// That a variable of one version is what the other one has written to the cell before the one at a counter, or some cells before it where
/// these are read; and that there are such cells.
fn written_before(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let all =
        [(0, left), (1, right)].map(|(version, code)| values(program.unit.as_unit(), &BTreeSet::new(), version, code));
    let mut found = Vec::new();
    for (version, id) in [pair.0, pair.1].into_iter().enumerate() {
        let effects = &program.effects[version][id.index()];
        for cell in &all[version] {
            if let [Step::Cell(index, sort)] = cell.atom.steps[..]
                && effects.writes.contains(&Selector::Cell(sort))
            {
                let before = |back: u32| Atom { steps: vec![Step::Before(index, back, sort)], ..cell.atom.clone() };
                let others = || all[1 - version].iter().filter(|other| other.is_bare() && other.ty == cell.ty);
                let index = Atom { version, parameter: index, steps: Vec::new() };
                for back in 1..=computed::back([left, right][version]) {
                    found.extend(others().map(|other| Fact::Equal(other.atom.clone(), before(back), 0)));
                    found.extend((back > 1).then(|| Fact::AtLeast(index.clone(), i64::from(back))));
                }
            }
        }
    }
    found
}

/// That nothing follows what a version is given, where it is to put something there: the last node of a list that grows. And that this node is
/// no other one that it is given.
fn open_ends(program: &Program<'_>, pair: Pair, version: usize, code: &Procedure) -> Vec<Fact> {
    let effects = &program.effects[version][[pair.0, pair.1][version].index()];
    let written = effects.writes.iter().filter_map(|selector| match selector {
        Selector::Field(field) => Some(*field),
        Selector::Cell(_) => None,
    });
    let all = values(program.unit.as_unit(), &written.collect(), version, code);
    let follows = |value: &&Value| value.ty.is_reference() && matches!(value.atom.steps[..], [Step::Field(_)]);
    let mut found = Vec::new();
    for next in all.iter().filter(follows) {
        found.push(Fact::Null(next.atom.clone()));
        let last = |value: &&Value| value.is_bare() && value.atom.parameter == next.atom.parameter;
        for last in all.iter().filter(last) {
            let others = all.iter().filter(|other| other.is_bare() && other.ty == last.ty && other.atom != last.atom);
            let same = others.map(|other| Fact::Equal(last.atom.clone(), other.atom.clone(), 0));
            found.extend(same.map(|same| Fact::Not(Box::new(same))));
        }
    }
    found
}

/// Zero, and the numbers that helpers of a version are called with as they are written.
fn literals_handed(program: &Program<'_>, version: usize) -> BTreeSet<i64> {
    let code = &program.unit.versions()[version];
    let mut found = BTreeSet::from([0]);
    for body in code.procedures.iter().filter_map(|procedure| procedure.body.as_ref()) {
        walk_stmts(body, &mut |stmt| {
            if let Some((_, callee, args)) = stmt.as_call()
                && !is_loop(code.procedure(callee))
            {
                found.extend(args.iter().filter_map(|arg| match &arg.kind {
                    ExprKind::Int(number) => number.to_i64(),
                    _ => None,
                }));
            }
        });
    }
    found.into_iter().take(MAX_LITERALS).collect()
}

/// The fields without references that one loop alone writes, of what either refers to.
pub(super) fn apart(program: &Program<'_>, pair: Pair, equal: &[(usize, usize)]) -> Vec<Apart> {
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
            fits.then_some(Apart { version, parameter, of: Part::Field(field.0) })
        }
        _ => None,
    };
    let all = |version: usize, code| values(program.unit.as_unit(), &fields, version, code);
    all(0, left).into_iter().chain(all(1, right)).filter_map(place).take(MAX_APART).collect()
}

/// All facts that might hold of the ends of two loops: of their results, and of what is read from these; and from what a
/// reference is read that only one of the two hands out.
pub(super) fn at_ends(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
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
    facts.extend(handed_through(left, right));
    facts.extend(changes(left, right));
    facts.extend(flags::under_flags(program, pair));
    facts.extend(zeros::at_ends(program, pair));
    facts.extend(flags::returned_under_flags(program, pair));
    let given = [(0, left), (1, right)].map(|(version, code)| values(unit, &fields, version, code));
    facts.extend(begun_with([left, right], &given));
    facts.extend(shared_out([left, right], [&mine, &theirs], &given));
    facts.extend(holes::filled(program, pair, true));
    facts.extend(totals::facts(program, pair, true));
    facts.extend([(0, left), (1, right)].into_iter().flat_map(|(version, code)| counted_down(version, code)));
    facts.retain(|fact| is_seen(program.both(), pair, fact));
    facts
}

/// What recursion makes of results where it does something on the way back: they are what variables are at first; a reference is one
/// that it was given; a total that counts on from an argument of the other version is that argument and a total that begins anew.
fn handed_through(left: &Procedure, right: &Procedure) -> Vec<Fact> {
    let bare = |version: usize, parameter: usize| Atom { version, parameter, steps: Vec::new() };
    let of_type = |locals: &[Local], first: usize, ty: &Type| -> Vec<usize> {
        locals.iter().zip(first..).filter(|(local, _)| local.ty == *ty).map(|(_, at)| at).collect()
    };
    let code = [left, right];
    let mut found = Vec::new();
    for (version, own) in code.into_iter().enumerate() {
        let other = code[1 - version];
        for (local, at) in results(own).iter().zip(own.params..) {
            if local.ty.is_reference() {
                found.push(Fact::Null(bare(version, at)));
                let given = of_type(parameters(own), 0, &local.ty);
                found.extend(given.into_iter().map(|one| Fact::Equal(bare(version, at), bare(version, one), 0)));
            }
            if local.ty == Type::Bool {
                found.push(Fact::Truth(bare(version, at), false));
            }
            if local.ty == Type::Int {
                found.push(Fact::Is(bare(version, at), 0));
                let begun = of_type(parameters(other), 0, &Type::Int);
                let totals = of_type(results(other), other.params, &Type::Int);
                found.extend(begun.iter().flat_map(|&one| totals.iter().map(move |&whole| (one, whole))).map(
                    |(one, whole)| Fact::Sum([bare(version, at), bare(1 - version, one)], bare(1 - version, whole), 0),
                ));
            }
        }
    }
    found
}

/// What recursion gives back that begins with a number read from what it is given: a total of the other version has come as far as from
/// that number to it.
fn begun_with(code: [&Procedure; 2], given: &[Vec<Value>; 2]) -> Vec<Fact> {
    let mut found = Vec::new();
    for version in [0, 1] {
        let wholes = moved(1 - version, code[1 - version]);
        let ends = (code[version].params..).zip(results(code[version])).filter(|(_, local)| local.ty == Type::Int);
        for (parameter, _) in ends {
            let end = Atom { version, parameter, steps: Vec::new() };
            let read = given[version].iter().filter(|value| value.is_number() && value.atom.steps.len() == 1);
            for first in read {
                let own = [end.clone(), first.atom.clone()];
                found.extend(wholes.iter().map(|whole| Fact::Change(whole.clone(), own.clone())));
            }
        }
    }
    found
}

/// That two numbers that the loops leave, one of each, are together a bound that both were given: each has counted what the other has not.
fn shared_out(code: [&Procedure; 2], left: [&[Value]; 2], given: &[Vec<Value>; 2]) -> Vec<Fact> {
    let ends = |version: usize| {
        let is_end = move |value: &&Value| value.is_bare() && value.is_number();
        left[version].iter().filter(is_end).filter(move |value| value.atom.parameter >= code[version].params)
    };
    let bounds = || given.iter().flatten().filter(|value| value.atom.steps.last() == Some(&Step::Length));
    let both = ends(0).flat_map(|one| ends(1).map(move |other| [one.atom.clone(), other.atom.clone()]));
    both.flat_map(|both| bounds().map(move |bound| Fact::Sum(both.clone(), bound.atom.clone(), 0))).collect()
}

/// How far variables have come, wherever they began: as far, or as far the other way, as one of the other version; or as a counter.
fn changes(left: &Procedure, right: &Procedure) -> Vec<Fact> {
    let [mine, theirs] = [(0, left), (1, right)].map(|(version, code)| moved(version, code));
    let pairs = mine.iter().flat_map(|a| theirs.iter().map(move |b| (a, b)));
    let either = |(a, [to, from]): (&[Atom; 2], &[Atom; 2])| {
        [[to.clone(), from.clone()], [from.clone(), to.clone()]].map(|b| Fact::Change(a.clone(), b))
    };
    let beside: Vec<Fact> = pairs.flat_map(either).collect();
    let alone = [(0, left, &mine), (1, right, &theirs)].into_iter().flat_map(|own| counted(own.0, own.1, own.2));
    beside.into_iter().chain(alone).collect()
}

/// That a variable of one loop has come as far as a counter of it has to a bound, or down to zero.
fn counted(version: usize, code: &Procedure, moved: &[[Atom; 2]]) -> Vec<Fact> {
    let (counters, bounds) = (totals::counters(version, code, false), totals::bounds(version, code));
    let mut found = Vec::new();
    for ([to, from], counter) in moved.iter().flat_map(|own| counters.iter().map(move |counter| (own, counter))) {
        if from != counter {
            found.push(Fact::Sum([from.clone(), counter.clone()], to.clone(), 0));
            let ends = |bound: &Atom| [bound.clone(), counter.clone()];
            found.extend(bounds.iter().map(|bound| Fact::Change([to.clone(), from.clone()], ends(bound))));
        }
    }
    found
}

/// That a variable of one loop has gone back as far as a counter of it had to go to a bound.
fn counted_down(version: usize, code: &Procedure) -> Vec<Fact> {
    let (counters, bounds) = (totals::counters(version, code, false), totals::bounds(version, code));
    let ends = || counters.iter().flat_map(|counter| bounds.iter().map(move |bound| [bound.clone(), counter.clone()]));
    let moved = moved(version, code);
    let back = moved.into_iter().map(|[to, from]| [from, to]);
    back.flat_map(|back| ends().map(move |ends| Fact::Change(back.clone(), ends))).collect()
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
    let bounds = mine.iter().chain(theirs).filter(|value| value.is_bound());
    let wholes: Vec<Atom> = bounds.map(|value| value.atom.clone()).collect();
    let both = [counters(mine), counters(theirs)];
    let mut found = across(&both, &wholes, &[0, -1]);
    for (own, others) in [(&both[0], &both[1]), (&both[1], &both[0])] {
        for (at, a) in own.iter().enumerate() {
            for b in &own[at + 1..] {
                found.extend(others.iter().map(|whole| Fact::Sum([a.clone(), b.clone()], whole.clone(), 0)));
            }
        }
    }
    found
}

/// The variables that are numbers.
fn counters(values: &[Value]) -> Vec<Atom> {
    values.iter().filter(|value| value.is_bare() && value.is_number()).map(|value| value.atom.clone()).collect()
}

/// That a counter of one version and one of the other have as their sum a third number and so many more.
fn across(both: &[Vec<Atom>; 2], wholes: &[Atom], more: &[i64]) -> Vec<Fact> {
    let mut found = Vec::new();
    for (a, b) in both[0].iter().flat_map(|a| both[1].iter().map(move |b| (a, b))) {
        for whole in wholes.iter().filter(|&whole| whole != a && whole != b) {
            found.extend(more.iter().map(|&more| Fact::Sum([a.clone(), b.clone()], whole.clone(), more)));
        }
    }
    found
}

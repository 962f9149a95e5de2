//! Two loops that are matched, and what their relation begins with.
//!
//! In: a loop of each version. Out: a [`Couple`]: which variables go together by name or type, and all facts that might hold.

use crate::budget::loops::MAX_FACTS;
use crate::goal::{Pair, Program};
use crate::relate::{Atom, CallRelation, Fact, Step};
use lang_l::hir::{FieldId, Local, Procedure, Type, Unit};
use smt::term::{Selector, Sort};
use std::collections::{BTreeMap, BTreeSet};

/// The parameters and results of version 1 that have no partner are numbered from here on.
const APART: u32 = 1 << 16;

/// Two loops that are matched.
pub(super) struct Couple {
    pub(super) pair: Pair,
    /// What is still believed of their variables on entry.
    pub(super) relation: CallRelation,
    /// The results that are still believed to be equal: of version 0, of version 1.
    pub(super) results: Vec<(usize, usize)>,
    /// Which of `results` were found not to be.
    pub(super) unequal: BTreeSet<usize>,
    /// How many parameters, and how many results, the loop of version 1 has.
    counts: [usize; 2],
    /// By the numbers of version 0, which results are references.
    references: Vec<bool>,
}

impl Couple {
    /// Two loops with all that might hold of them; `None` where one hands out a reference that the other does not.
    pub(super) fn of(program: &Program<'_>, pair: Pair) -> Option<Couple> {
        let (left, right) = program.code(pair);
        let results = partners(results(left), results(right));
        let references: Vec<bool> = self::results(left).iter().map(|local| local.ty.is_reference()).collect();
        let matched = |version: usize, at: usize| results.iter().any(|&(a, b)| [a, b][version] == at);
        let apart = |version: usize, locals: &[Local]| {
            locals.iter().enumerate().any(|(at, local)| local.ty.is_reference() && !matched(version, at))
        };
        // A reference of one version alone could be to an object that the other does not have.
        if apart(0, self::results(left)) || apart(1, self::results(right)) {
            return None;
        }
        let equal = partners(parameters(left), parameters(right));
        let relation = CallRelation { facts: facts(program, pair, &equal), equal, ..CallRelation::default() };
        let counts = [right.params, right.results];
        Some(Couple { pair, relation, results, unequal: BTreeSet::new(), counts, references })
    }

    /// Takes out what does not hold; whether there was any.
    pub(super) fn weaken(&mut self) -> bool {
        let unequal = std::mem::take(&mut self.unequal);
        let mut at = 0..;
        self.results.retain(|_| !at.next().is_some_and(|at| unequal.contains(&at)));
        self.relation.weaken() || !unequal.is_empty()
    }

    /// Whether a pair of results is one of references.
    pub(super) fn is_reference(&self, at: usize) -> bool {
        self.references[self.results[at].0]
    }

    /// The numbers of the parameters of version 1: those that are equal have those of version 0.
    pub(super) fn parameter_numbers(&self) -> Vec<u32> {
        numbers(&self.relation.equal, self.counts[0])
    }

    /// The same of the results.
    pub(super) fn result_numbers(&self) -> Vec<u32> {
        numbers(&self.results, self.counts[1])
    }
}

fn numbers(partners: &[(usize, usize)], count: usize) -> Vec<u32> {
    let of: BTreeMap<usize, usize> = partners.iter().map(|&(mine, theirs)| (theirs, mine)).collect();
    let number = |at: usize| u32::try_from(of.get(&at).copied().unwrap_or(at)).unwrap_or(u32::MAX);
    (0..count).map(|at| if of.contains_key(&at) { number(at) } else { APART + number(at) }).collect()
}

fn parameters(code: &Procedure) -> &[Local] {
    &code.locals[..code.params]
}

fn results(code: &Procedure) -> &[Local] {
    &code.locals[code.params..code.params + code.results]
}

/// Which variables go together: those of one name and type, and of the rest those of one type in order.
fn partners(left: &[Local], right: &[Local]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for by_name in [true, false] {
        for (mine, local) in left.iter().enumerate() {
            let free = |theirs: &usize| found.iter().all(|&(a, b)| a != mine && b != *theirs);
            let fits = |other: &Local| other.ty == local.ty && (!by_name || other.name == local.name);
            let partner = (0..right.len()).find(|theirs| free(theirs) && fits(&right[*theirs]));
            found.extend(partner.map(|theirs| (mine, theirs)));
        }
    }
    found.sort_unstable();
    found
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

    fn then(&self, step: Step, ty: Type) -> Value {
        let mut atom = self.atom.clone();
        atom.steps.push(step);
        Value { atom, ty }
    }
}

/// What a side is given, and what it can read from there.
fn values(unit: &Unit, fields: &BTreeSet<FieldId>, code: &Procedure) -> Vec<Value> {
    let bare = parameters(code).iter().enumerate();
    let bare = bare.map(|(parameter, local)| Value { atom: Atom { parameter, steps: Vec::new() }, ty: local.ty.clone() });
    let mut all: Vec<Value> = bare.collect();
    let first: Vec<Value> = all.iter().flat_map(|value| read(unit, fields, value)).collect();
    let lengths = first.iter().filter(|value| matches!(value.ty, Type::Array(_)));
    let second: Vec<Value> = lengths.flat_map(|value| read(unit, fields, value)).collect();
    all.extend(first);
    all.extend(second);
    all
}

/// What can be read from a value.
fn read(unit: &Unit, fields: &BTreeSet<FieldId>, value: &Value) -> Vec<Value> {
    match &value.ty {
        Type::Int | Type::Bool => Vec::new(),
        Type::Array(_) => vec![value.then(Step::Length, Type::Int)],
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

/// All facts that might hold of the two.
fn facts(program: &Program<'_>, pair: Pair, equal: &[(usize, usize)]) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let accesses = [0, 1].map(|version| &program.effects[version][[pair.0, pair.1][version].index()].accesses);
    let field = |selector: &Selector| match selector {
        Selector::Field(field) => Some(*field),
        Selector::Cell(_) => None,
    };
    let fields: BTreeSet<FieldId> = accesses.into_iter().flatten().filter_map(field).collect();
    let [mine, theirs] = [left, right].map(|code| values(program.unit.as_unit(), &fields, code));
    let mut facts = Vec::new();
    for (side, code) in [left, right].into_iter().enumerate() {
        let references = parameters(code).iter().enumerate().filter(|(_, local)| local.ty.is_reference());
        facts.extend(references.map(|(at, _)| Fact::NotNull(side, at)));
    }
    for (a, b) in mine.iter().flat_map(|a| theirs.iter().map(move |b| (a, b))) {
        let alike = Sort::from(&a.ty) == Sort::from(&b.ty);
        if alike && (a.is_bare() || b.is_bare()) {
            let shifts: &[i64] = if a.ty == Type::Int { &[0, -1, 1] } else { &[0] };
            let known = a.is_bare() && b.is_bare() && equal.contains(&(a.atom.parameter, b.atom.parameter));
            let shifts = shifts.iter().filter(|&&shift| shift != 0 || !known);
            facts.extend(shifts.map(|&shift| Fact::Equal(a.atom.clone(), b.atom.clone(), shift)));
        }
    }
    facts.extend(sums(&mine, &theirs));
    facts.truncate(MAX_FACTS);
    facts
}

/// That a number of one version and one of the other have a sum which stays: one counts up and the other down.
fn sums(mine: &[Value], theirs: &[Value]) -> Vec<Fact> {
    let number = |value: &&Value| value.ty == Type::Int;
    let bare = |value: &&Value| value.is_bare() && value.ty == Type::Int;
    let pairs = mine.iter().filter(bare).flat_map(|a| theirs.iter().filter(bare).map(move |b| (a, b)));
    let whole = |(a, b): (&Value, &Value)| -> Vec<Fact> {
        let (a, b) = (a.atom.parameter, b.atom.parameter);
        let others = mine.iter().filter(number).filter(|whole| whole.atom.parameter != a || !whole.is_bare());
        let sums = others.flat_map(|whole| [0, -1].map(|more| Fact::Sum(a, b, whole.atom.clone(), more)));
        sums.collect()
    };
    pairs.flat_map(whole).collect()
}

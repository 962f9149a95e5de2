//! The words that conditions are learned in: tests of the program, bounds that runs show, remainders, comparisons, tests of many cells.
//!
//! In: samples of a pair. Out: the tests, and the shortest conditions built of them that fit the samples.
//!
//! Invariant: a test that stands for many cells is written behind what it needs to have a value.

use super::eval::There;
use super::formula::{self, Formula, Stores};
use super::{Fitting, Learner, quantified};
use crate::budget::concrete::SEARCH;
use crate::budget::learned::{MAX_BOUNDS, MAX_FORMULAS, MAX_KEPT, MAX_LITERALS, MAX_PIVOTS};
use crate::diff::condition::{Guarded, in_order, joined};
use crate::diff::text::{Binding, Names, Text, guards, text};
use crate::diff::{opposite, proof};
use crate::search::concrete::{self, Meeting, Sample};
use lang_l::hir::{Expr, Local, Type};
use lang_l::interp::{Job, Sequential, holds};
use lang_l::value::Value;
use num_bigint::BigInt;
use smt::solve::Solver;
use smt::term::{Func, Node, Sort, Term};
use std::collections::BTreeSet;

impl Learner<'_> {
    /// Changes numbers near some samples until the outcome changes; where it does is a bound of that parameter.
    pub(super) fn bounds(&mut self) -> Vec<(usize, BigInt)> {
        let procedure = self.look.task.source.unit.versions[0].procedure(self.look.comparison.pair.0);
        let numbers: Vec<usize> = (0..procedure.params).filter(|&at| procedure.locals[at].ty == Type::Int).collect();
        let mut pivots: Vec<Sample> = Vec::new();
        for sample in &self.samples {
            let alike = pivots.iter().filter(|known| known.meeting == sample.meeting).count();
            if alike < MAX_PIVOTS / 2 && pivots.len() < MAX_PIVOTS {
                pivots.push(sample.clone());
            }
        }
        let grid: Vec<BigInt> =
            (-3i64..=20).chain([25, 32, 33, 50, 64, 100, 101, 128, 1_000]).map(BigInt::from).collect();
        let mut bounds: Vec<(usize, BigInt)> = Vec::new();
        for pivot in pivots {
            for &at in &numbers {
                let mut row: Vec<(BigInt, Meeting)> = Vec::new();
                for number in &grid {
                    row.extend(self.with_number(&pivot, at, number).map(|meeting| (number.clone(), meeting)));
                }
                for pair in row.windows(2) {
                    let [(mut low, before), (mut high, after)] = [pair[0].clone(), pair[1].clone()];
                    if before == after {
                        continue;
                    }
                    while &high - &low > BigInt::from(1) {
                        let middle: BigInt = (&low + &high) / 2;
                        match self.with_number(&pivot, at, &middle) {
                            Some(meeting) if meeting == before => low = middle,
                            Some(_) => high = middle,
                            None => break,
                        }
                    }
                    if !bounds.contains(&(at, low.clone())) {
                        bounds.push((at, low));
                    }
                }
            }
        }
        bounds
    }

    /// How the two compare from a store with another number; the store becomes a sample.
    fn with_number(&mut self, pivot: &Sample, at: usize, number: &BigInt) -> Option<Meeting> {
        let mut input = pivot.input.clone();
        *input.arguments.get_mut(at)? = Some(Value::Int(number.clone()));
        if let Some(known) = self.samples.iter().find(|known| known.input == input) {
            return Some(known.meeting);
        }
        let sample = concrete::sample(&self.pair(None), &input)?;
        let meeting = sample.meeting;
        if self.samples.len() < MAX_KEPT {
            self.samples.push(sample);
        }
        Some(meeting)
    }

    /// The tests that conditions are built of. Of those that no sample tells apart the first is taken: `n % 3 == 0` is easier to read
    /// than what a path says of a remainder, and a test of the program easier than a bound that runs show.
    pub(super) fn tests(&mut self, bounds: Vec<(usize, BigInt)>) -> Vec<Term> {
        let regions = self.look.regions.clone();
        let arena = &mut self.look.arena;
        let mut found: Vec<Term> = Vec::new();
        let procedure = self.look.task.source.unit.versions[0].procedure(self.look.comparison.pair.0);
        let mut params: Vec<(usize, Term)> = Vec::new();
        for (at, local) in procedure.locals[..procedure.params].iter().enumerate() {
            if local.ty == Type::Int {
                params
                    .extend(u32::try_from(at).ok().map(|own| (at, arena.terms.app(Func::Param(own), &[], Sort::Int))));
            }
        }
        for (_, param) in &params {
            let two = BigInt::from(2);
            let small = |number: &BigInt| (2..=12).any(|small| *number == small.into());
            let moduli: BTreeSet<BigInt> =
                self.look.numbers.iter().filter(|&number| small(number)).cloned().chain([two]).collect();
            for modulus in moduli {
                let modulus = arena.terms.int(modulus);
                let remainder = arena.terms.rem(*param, modulus);
                let zero = arena.terms.int(0);
                found.push(arena.terms.eq(remainder, zero));
            }
        }
        found.extend(regions.tests(arena));
        for &(at, param) in &params {
            let own: Vec<&BigInt> = bounds.iter().filter(|(of, _)| *of == at).map(|(_, bound)| bound).collect();
            if own.len() <= MAX_BOUNDS {
                for bound in own {
                    let bound = arena.terms.int(bound.clone());
                    found.push(arena.terms.le(param, bound));
                }
            }
        }
        for &(at, one) in &params {
            for &(beside, other) in &params {
                if at < beside {
                    let tests = [arena.terms.le(one, other), arena.terms.le(other, one), arena.terms.eq(one, other)];
                    found.extend(tests);
                }
            }
        }
        let mut all: Vec<Term> = Vec::new();
        for test in found {
            let opposite = arena.terms.not(test);
            for side in [test, opposite] {
                if !all.contains(&side) && arena.terms.as_bool(side).is_none() {
                    all.push(side);
                }
            }
        }
        all
    }

    /// Adds tests of many cells, each as a variable that stands for it.
    pub(super) fn add_tests_of_cells(&mut self, solver: &mut Solver) {
        let Some(last) = self.words.locals.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()) else {
            return;
        };
        let bound = self.look.arena.terms.app(Func::Param(last), &[], Sort::Int);
        let mut tests: Vec<Term> = Vec::new();
        for test in self.look.regions.clone().tests(&mut self.look.arena) {
            let opposite = self.look.arena.terms.not(test);
            tests.extend([test, opposite]);
        }
        for parts in quantified::of_cells(&mut self.look.arena, &tests, bound) {
            let guards = self.guards_of_arrays(&parts, solver);
            let Some(text) = self.some_cell(&parts, &guards, solver) else { continue };
            let Some(read) = proof::read(self.look.task.source, self.look.comparison.pair, None, &text) else {
                continue;
            };
            let span = self.words.name_span;
            self.words.locals.push(Local { name: format!("({text})"), ty: Type::Bool, span });
            self.of_cells.push((read, guards));
            let number = last + u32::try_from(self.of_cells.len()).unwrap_or_default();
            let stands = self.look.arena.terms.app(Func::Param(number), &[], Sort::Bool);
            let opposite = self.look.arena.terms.not(stands);
            self.tests.extend([stands, opposite]);
        }
    }

    /// That the arrays are there whose cells are looked at, where that is not assumed.
    fn guards_of_arrays(&mut self, parts: &[Term], solver: &mut Solver) -> Vec<Term> {
        let mut found: Vec<Term> = Vec::new();
        for array in quantified::arrays(&self.look.arena, parts) {
            let mut needed = guards(&mut self.look.arena, array);
            let null = self.look.arena.terms.null();
            let missing = self.look.arena.terms.eq(array, null);
            needed.push(self.look.arena.terms.not(missing));
            for guard in needed {
                if !found.contains(&guard) && !self.look.asker(solver).clearly_follows(&found, guard) {
                    found.push(guard);
                }
            }
        }
        found
    }

    /// That some number satisfies all of these, each behind what it needs to have a value beside the guards.
    fn some_cell(&mut self, parts: &[Term], before: &[Term], solver: &mut Solver) -> Option<String> {
        let numbers = self.look.numbers.clone();
        let words = &self.words;
        let names =
            Names { unit: self.look.task.program.unit, procedure: words, numbers: &numbers, beside_final: false };
        let bound = &words.locals[words.locals.len() - 1 - self.of_cells.len()].name;
        let mut asker = self.look.asker(solver);
        let placed = in_order(&mut asker, before, parts);
        let texts: Option<Vec<Text>> = placed.iter().map(|&part| text(names, asker.arena, part)).collect();
        Some(format!("exists {bound}: int :: {}", joined(&texts?, Binding::And).text))
    }

    /// The test of many cells that a variable stands for, with what it needs to have a value.
    fn stood_for(&self, test: Term) -> Option<&(Expr, Vec<Term>)> {
        let inner = match *self.look.arena.terms.node(test) {
            Node::Not(inner) => inner,
            _ => test,
        };
        match *self.look.arena.terms.node(inner) {
            Node::App(Func::Param(at), _) => {
                let at = (at as usize + self.of_cells.len()).checked_sub(self.words.locals.len())?;
                self.of_cells.get(at)
            }
            _ => None,
        }
    }

    /// In which samples a test holds, and has a value.
    fn stores(&mut self, test: Term) -> Stores {
        let unit = &self.look.task.source.unit;
        if let Some((many, _)) = self.stood_for(test) {
            let turned = opposite::pushed(many, !matches!(self.look.arena.terms.node(test), Node::Not(_)));
            let job = Job { unit, version: 0, procedure: self.look.comparison.pair.0, limits: SEARCH };
            return Stores::of(
                self.samples
                    .iter()
                    .map(|sample| holds(&job, &turned, sample.input.clone(), &mut Sequential::after(&sample.input)).0),
            );
        }
        let arena = &mut self.look.arena;
        let there = |sample| There { unit, input: sample };
        Stores::of(self.samples.iter().map(|sample| there(&sample.input).truth(arena, test) == Some(true)))
    }

    /// The literals that tell samples apart, each once, with the samples in which they hold.
    fn literals(&mut self) -> Vec<(Term, Stores)> {
        let mut found: Vec<(Term, Stores)> = Vec::new();
        for test in self.tests.clone() {
            let stores = self.stores(test);
            if !stores.is_empty() && found.iter().all(|(_, known)| *known != stores) && found.len() < MAX_LITERALS {
                found.push((test, stores));
            }
        }
        found
    }

    /// The shortest conditions that hold in the samples of one kind, and in no other.
    pub(super) fn fitting(&mut self, kind: Meeting, solver: &mut Solver) -> Vec<Fitting> {
        let literals = self.literals();
        let (terms, sets): (Vec<Term>, Vec<Stores>) = literals.into_iter().unzip();
        let yes = Stores::of(self.samples.iter().map(|sample| sample.meeting == kind));
        let no = Stores::of(self.samples.iter().map(|sample| sample.meeting != kind));
        if yes.is_empty() {
            return Vec::new();
        }
        let mut ways: Vec<(Formula, bool)> = Vec::new();
        for (formulas, is_some) in [
            (formula::shortest(&sets, &yes, &no, MAX_FORMULAS), true),
            (formula::shortest(&sets, &no, &yes, MAX_FORMULAS), false),
        ] {
            ways.extend(formulas.into_iter().map(|formula| (formula, is_some)));
        }
        // What speaks of many cells is harder to read, and to prove.
        let of_many =
            |formula: &Formula| formula.iter().flatten().filter(|&&at| self.stood_for(terms[at]).is_some()).count();
        ways.sort_by_key(|(formula, _)| (formula::length(formula), of_many(formula)));
        let least = ways.first().map_or(0, |(formula, _)| formula::length(formula));
        ways.retain(|(formula, _)| formula::length(formula) == least);
        let mut found: Vec<Fitting> = Vec::new();
        for (formula, is_some) in ways {
            let arena = &self.look.arena;
            let has_remainder = |test: &Term| {
                arena.terms.parts_of(&[*test]).iter().any(|&part| matches!(arena.terms.node(part), Node::Rem(..)))
            };
            let cube = |cube: &Vec<usize>| {
                let mut tests: Vec<Term> = cube.iter().map(|&at| terms[at]).collect();
                tests.sort_by_key(has_remainder);
                tests
            };
            let mut cubes: Vec<Vec<Term>> = formula.iter().map(cube).collect();
            cubes.sort_by_key(|cube| cube.iter().any(has_remainder));
            let written = self.written(&cubes, is_some, solver);
            if let Some(fitting) = written
                && found.iter().all(|(known, _)| known.text != fitting.0.text)
            {
                found.push(fitting);
            }
        }
        found.truncate(MAX_FORMULAS);
        found
    }

    /// That one of some conjunctions holds, or that none does.
    fn written(&mut self, cubes: &[Vec<Term>], is_some: bool, solver: &mut Solver) -> Option<Fitting> {
        let task = self.look.task;
        let numbers = self.look.numbers.clone();
        let names = Names { unit: task.program.unit, procedure: &self.words, numbers: &numbers, beside_final: false };
        let beside = Names { beside_final: true, ..names };
        let mut cubes = cubes.to_vec();
        let mut of_cells = false;
        for cube in &mut cubes {
            for test in cube.clone() {
                let Some((_, guards)) = self.stood_for(test) else { continue };
                of_cells = true;
                let missing: Vec<Term> = guards.iter().copied().filter(|guard| !cube.contains(guard)).collect();
                cube.splice(0..0, missing);
            }
        }
        let mut asker = self.look.asker(solver);
        let guarded = Guarded::of(&mut asker, &cubes);
        let mut said = |names| if is_some { guarded.some(names, &mut asker) } else { guarded.none(names, &mut asker) };
        let (plain, held) = (said(names)?, said(beside)?);
        if of_cells {
            let text = opposite::plain(task.source, self.look.comparison.pair, plain.text);
            let held = Text::new(format!("old({text})"), Binding::Tightest);
            return Some((self.look.read(text, solver)?, held));
        }
        Some((self.look.read(plain.text, solver)?, held))
    }
}

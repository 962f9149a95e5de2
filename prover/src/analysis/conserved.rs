//! Sums of numbers that the turns of a loop keep.
//!
//! In: the procedures of one version, lowered, and one that runs a loop. Out: what may be said of two variables that change by a
//! number in each turn: so much of the one and so much of the other is together what it was at first. Of a counter that goes up and
//! one that goes down the sum stays.
//!
//! Bodies are read from top to bottom, branches side by side: a value is a parameter or a length as it was on entry, or a linear sum of
//! such, or not known.
//!
//! Invariant: nothing here is believed; what does not follow is dropped by who asks.

use super::conditions::Build;
use crate::budget::loop_invariants::MAX_CONSERVED;
use lang_l::ast::BinOp;
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, StmtKind, Type, UnOp};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// What may be said of a loop whenever it is entered.
pub(super) fn candidates(procedures: &[Procedure], id: ProcId) -> Vec<Expr> {
    let code = &procedures[id.index()];
    let steps = steps(code, id);
    let moving = |at: &usize| steps[*at].as_ref().is_some_and(|step| !step.is_zero());
    let moving: Vec<usize> = (0..code.params).filter(moving).collect();
    if moving.len() < 2 {
        return Vec::new();
    }
    let outer = (0u32..).map(ProcId).zip(procedures).filter(|(other, _)| *other != id);
    let entries: Vec<Given> = outer.flat_map(|(_, code)| calls(code, id)).collect();
    let mut found = Vec::new();
    for (number, &one) in moving.iter().enumerate() {
        for &other in &moving[number + 1..] {
            let (Some(step), Some(their)) = (&steps[one], &steps[other]) else { continue };
            let shared = step.gcd(their) * if their.is_negative() { -1 } else { 1 };
            let kept = Kept { code, factors: [(one, their / &shared), (other, -step / &shared)] };
            for given in &entries {
                found.extend(
                    kept.said(given, &steps).into_iter().filter(|said| !found.contains(said)).collect::<Vec<_>>(),
                );
            }
        }
    }
    found.truncate(MAX_CONSERVED);
    found
}

/// By how much each parameter changes from one turn to the next; `None` where that is not always the same number.
fn steps(code: &Procedure, id: ProcId) -> Vec<Option<BigInt>> {
    let turns = calls(code, id);
    let own = |(at, local): (usize, LocalId)| {
        let step = |given: &Given| given[at].as_ref()?.minus(&Sum::of(Atom::Local(local))).as_constant();
        let first = step(turns.first()?)?;
        turns.iter().all(|given| step(given).as_ref() == Some(&first)).then_some(first)
    };
    code.param_ids().enumerate().map(own).collect()
}

/// Two parameters, and how much of each makes up what the turns of a loop keep.
struct Kept<'c> {
    code: &'c Procedure,
    factors: [(usize, BigInt); 2],
}

impl Kept<'_> {
    /// What it is from the first turn on, in terms of what the loop takes as it is.
    fn said(&self, given: &Given, steps: &[Option<BigInt>]) -> Vec<Expr> {
        let value = self
            .factors
            .iter()
            .try_fold(Sum::default(), |sum, (at, factor)| Some(sum.plus(&given[*at].as_ref()?.times(factor))));
        let Some(value) = value else { return Vec::new() };
        let build = Build { code: self.code };
        let ids: Vec<LocalId> = self.code.param_ids().collect();
        let whole = self.factors.iter().map(|(at, factor)| (build.local(ids[*at]), factor.clone()));
        let whole: Vec<(Expr, BigInt)> = whole.collect();
        let is = |more: Vec<(Expr, BigInt)>, number: BigInt| {
            build.compare(BinOp::Eq, build.sum([&whole[..], &more].concat()), build.number(number))
        };
        if let Some(number) = value.as_constant() {
            return vec![is(Vec::new(), number)];
        }
        let mut found = Vec::new();
        for (at, &id) in ids.iter().enumerate().filter(|(at, _)| steps[*at].as_ref().is_some_and(BigInt::is_zero)) {
            let Some(own) = &given[at] else { continue };
            match (&self.code.local(id).ty, own.as_local()) {
                (Type::Int, _) => {
                    let [less, more] = [value.minus(own), value.plus(own)].map(|sum| sum.as_constant());
                    found.extend(less.map(|number| is(vec![(build.local(id), -BigInt::one())], number)));
                    found.extend(more.map(|number| is(vec![(build.local(id), BigInt::one())], number)));
                }
                (Type::Array(_), Some(array)) => {
                    let less = value.minus(&Sum::of(Atom::Length(array))).as_constant();
                    let of_length = |number| is(vec![(build.length(id), -BigInt::one())], number);
                    found.extend(less.map(|number| build.or_null(id, of_length(number))));
                }
                _ => {}
            }
        }
        found
    }
}

/// What a value is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    /// A parameter, as it was on entry.
    Local(LocalId),
    /// The length of the array that it was.
    Length(LocalId),
}

/// A number and multiples of others. A reference is itself, once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum {
    constant: BigInt,
    parts: BTreeMap<Atom, BigInt>,
}

impl Sum {
    fn of(atom: Atom) -> Self {
        Sum { constant: BigInt::zero(), parts: BTreeMap::from([(atom, BigInt::one())]) }
    }

    fn number(constant: BigInt) -> Self {
        Sum { constant, parts: BTreeMap::new() }
    }

    fn plus(&self, other: &Sum) -> Sum {
        let mut sum = self.clone();
        sum.constant += &other.constant;
        for (atom, factor) in &other.parts {
            *sum.parts.entry(*atom).or_default() += factor;
        }
        sum.parts.retain(|_, factor| !factor.is_zero());
        sum
    }

    fn times(&self, factor: &BigInt) -> Sum {
        let parts = self.parts.iter().map(|(atom, own)| (*atom, own * factor));
        Sum { constant: &self.constant * factor, parts: parts.filter(|(_, own)| !own.is_zero()).collect() }
    }

    fn minus(&self, other: &Sum) -> Sum {
        self.plus(&other.times(&-BigInt::one()))
    }

    fn as_constant(&self) -> Option<BigInt> {
        self.parts.is_empty().then(|| self.constant.clone())
    }

    /// The parameter that it is, if it is one.
    fn as_local(&self) -> Option<LocalId> {
        let mut parts = self.parts.iter();
        match (parts.next(), parts.next()) {
            (Some((&Atom::Local(id), factor)), None) if factor.is_one() && self.constant.is_zero() => Some(id),
            _ => None,
        }
    }
}

/// What a call is given, where that is known.
type Given = Vec<Option<Sum>>;

/// What all calls of a procedure in another one are given.
fn calls(code: &Procedure, of: ProcId) -> Vec<Given> {
    let first = |(at, local): (usize, &lang_l::hir::Local)| {
        let id = LocalId(u32::try_from(at).ok()?);
        match (at < code.params, &local.ty) {
            (true, _) => Some(Sum::of(Atom::Local(id))),
            (false, Type::Int) => Some(Sum::default()),
            (false, _) => None,
        }
    };
    let mut reading = Reading { of, values: code.locals.iter().enumerate().map(first).collect(), found: Vec::new() };
    code.body.iter().for_each(|body| reading.block(body));
    reading.found
}

/// A body that is read from top to bottom.
struct Reading {
    /// Whose calls are looked for.
    of: ProcId,
    /// What each variable is.
    values: Given,
    found: Vec<Given>,
}

impl Reading {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign(Place::Local(id), Rhs::Expr(expr)) => {
                    if let ExprKind::Call(callee, args) = &expr.kind {
                        self.call(*callee, args);
                    }
                    self.values[id.index()] = self.value(expr);
                }
                StmtKind::Assign(Place::Local(id), _) => self.values[id.index()] = None,
                StmtKind::Call { targets, callee, args } => {
                    self.call(*callee, args);
                    for target in targets {
                        if let Place::Local(id) = target {
                            self.values[id.index()] = None;
                        }
                    }
                }
                StmtKind::If(_, then, els) => {
                    let before = self.values.clone();
                    self.block(then);
                    let after = std::mem::replace(&mut self.values, before);
                    self.block(els);
                    for (own, other) in self.values.iter_mut().zip(after) {
                        if *own != other {
                            *own = None;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, callee: ProcId, args: &[Expr]) {
        if callee == self.of {
            let given = args.iter().map(|arg| self.value(arg)).collect();
            self.found.push(given);
        }
    }

    fn value(&self, expr: &Expr) -> Option<Sum> {
        match &expr.kind {
            ExprKind::Int(number) => Some(Sum::number(number.clone())),
            ExprKind::Local(id) => self.values[id.index()].clone(),
            ExprKind::Length(array) => Some(Sum::of(Atom::Length(self.value(array)?.as_local()?))),
            ExprKind::Unary(UnOp::Neg, inner) => Some(self.value(inner)?.times(&-BigInt::one())),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                match op {
                    BinOp::Add => Some(a.plus(&b)),
                    BinOp::Sub => Some(a.minus(&b)),
                    BinOp::Mul => match (a.as_constant(), b.as_constant()) {
                        (Some(factor), _) => Some(b.times(&factor)),
                        (_, Some(factor)) => Some(a.times(&factor)),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

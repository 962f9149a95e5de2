//! Recurrent sets: the proof that a run which was stopped would never have ended.
//!
//! In: where a run was when it ran out of steps: a loop, or a procedure that calls itself, and what its variables held. Out: a
//! condition that holds there and, wherever it holds, leads to another turn (or call) in which it holds again.
//!
//! Rule *Recurrent* (`proofs/soundness.md`). The condition is a conjunction of simple ones that hold at that place: bounds,
//! differences and parities of integers, booleans, nullness. What a turn does not keep is dropped until the rest is kept.
//!
//! Invariant: what is found only proposes; the kernel looks at the place and at the condition again.

use crate::budget::recurrent_set::{MAX_COMPARED, SHARE};
use crate::chc::houdini::{self, Look};
use crate::lower::Lowered;
use kernel::effects::Effects;
use kernel::proof::Kernel;
use kernel::proof::endless::{Endless, Turns};
use lang_l::hir::{BinOp, Expr, ExprKind, Local, LocalId, ProcId, Procedure, Type, UnOp, Unit};
use lang_l::interp::{Divergence, Stuck};
use lang_l::value::Value;
use num_bigint::BigInt;
use num_traits::Zero;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{Func, Sort, Term};

/// A proof that a run never ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrentSet {
    /// That the kernel has checked it.
    endless: Endless,
    /// What holds again and again, in words of the program.
    condition: String,
}

impl From<RecurrentSet> for Divergence {
    fn from(RecurrentSet { endless, condition }: RecurrentSet) -> Self {
        Divergence::Stays { span: endless.span(), condition }
    }
}

/// One version of a lowered program, and what is known of it.
#[derive(Clone, Copy)]
pub struct Version<'a> {
    /// The lowered program.
    pub unit: &'a Lowered,
    /// Which version.
    pub version: usize,
    /// The effects of its procedures.
    pub effects: &'a [Effects],
    /// Who checks what is found.
    pub kernel: &'a Kernel<'a>,
}

/// Looks for a proof that a run of `source` which was stopped here never ends.
pub fn never_ends(of: Version<'_>, source: &Unit, stuck: &Stuck, solver: &mut Solver) -> Option<RecurrentSet> {
    let from = source.versions[of.version].procedure(stuck.procedure);
    let procedures = (0u32..).map(ProcId).zip(&of.unit.versions()[of.version].procedures);
    let mut loops = procedures.filter(|(_, code)| code.origin.part_of() == Some(stuck.procedure));
    let id = match stuck.at {
        Some(span) => loops.find(|(_, code)| code.span == span)?.0,
        None => stuck.procedure,
    };
    let code = of.unit.procedure(of.version, id);
    if of.effects[id.index()].terminates {
        return None;
    }
    let values = values(code, from, stuck);
    let atoms = candidates(&values);
    let simple: Vec<Atom> = atoms.iter().filter(|atom| atom.is_simple()).cloned().collect();
    let kept =
        solver.with_share(SHARE, |solver| recurs(of, id, simple, solver).or_else(|| recurs(of, id, atoms, solver)))?;
    let texts: Vec<String> = kept.iter().map(|atom| atom.text(code)).collect();
    let condition = if texts.is_empty() { "true".to_string() } else { texts.join(" && ") };
    let exprs: Vec<Expr> = kept.iter().map(|atom| atom.expr(code)).collect();
    let endless = of.kernel.never_ends(of.version, (id, stuck), &exprs, solver).ok()?;
    Some(RecurrentSet { endless, condition })
}

/// What the parameters of the lowered procedure held.
fn values(code: &Procedure, from: &Procedure, stuck: &Stuck) -> Vec<Option<Value>> {
    let same = |a: &Local, b: &Local| (&a.name, a.span) == (&b.name, b.span);
    let held = |param: &Local| {
        let at = from.locals.iter().position(|local| same(local, param))?;
        stuck.locals.get(at)?.clone()
    };
    code.locals[..code.params].iter().map(held).collect()
}

/// A simple condition on parameters, by their position.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Atom {
    AtLeast(usize, BigInt),
    AtMost(usize, BigInt),
    /// The first is greater than the second by at least so much.
    Above(usize, usize, BigInt),
    /// It differs from this by an even number.
    Parity(usize, BigInt),
    Is(usize, bool),
    IsNull(usize, bool),
}

/// Conditions that hold of these values.
fn candidates(values: &[Option<Value>]) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let mut integers: Vec<(usize, BigInt)> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        match value {
            Some(Value::Int(n)) => integers.push((at, n.clone())),
            Some(Value::Bool(b)) => atoms.push(Atom::Is(at, *b)),
            Some(Value::Ref(to)) => atoms.push(Atom::IsNull(at, to.is_none())),
            None => {}
        }
    }
    for (at, n) in &integers {
        let zero = BigInt::zero();
        atoms.push(Atom::AtLeast(*at, n.clone()));
        atoms.push(Atom::AtMost(*at, n.clone()));
        if *n > zero {
            atoms.extend([0, 1].map(|bound| Atom::AtLeast(*at, bound.into())));
        }
        if *n < zero {
            atoms.extend([0, -1].map(|bound| Atom::AtMost(*at, bound.into())));
        }
        // Even or odd, said with the smaller number.
        atoms.push(Atom::Parity(*at, (n % BigInt::from(2)).magnitude().clone().into()));
    }
    for (a, n) in integers.iter().take(MAX_COMPARED) {
        for (b, m) in integers.iter().take(MAX_COMPARED).filter(|(b, _)| a != b) {
            let distance = n - m;
            if distance > BigInt::zero() {
                atoms.push(Atom::Above(*a, *b, BigInt::from(1)));
            }
            if distance >= BigInt::zero() {
                atoms.push(Atom::Above(*a, *b, BigInt::zero()));
            }
            atoms.push(Atom::Above(*a, *b, distance));
        }
    }
    atoms
}

impl Atom {
    /// The condition on these values; true where they are of other sorts.
    fn term(&self, arena: &mut Arena, values: &[Term]) -> Term {
        let terms = &mut arena.terms;
        let number = |terms: &mut smt::term::Terms, n: &BigInt| terms.int(n.clone());
        match self {
            Atom::AtLeast(at, n) => {
                let n = number(terms, n);
                terms.le(n, values[*at])
            }
            Atom::AtMost(at, n) => {
                let n = number(terms, n);
                terms.le(values[*at], n)
            }
            Atom::Above(a, b, n) => {
                let n = number(terms, n);
                let distance = terms.sub(values[*a], values[*b]);
                terms.le(n, distance)
            }
            Atom::Parity(at, n) => {
                let (n, two, zero) = (number(terms, n), terms.int(2), terms.int(0));
                let distance = terms.sub(values[*at], n);
                let rest = terms.rem(distance, two);
                terms.eq(rest, zero)
            }
            Atom::Is(at, true) => values[*at],
            Atom::Is(at, false) => terms.not(values[*at]),
            Atom::IsNull(at, is) => {
                let null = terms.null();
                let same = terms.eq(values[*at], null);
                if *is { same } else { terms.not(same) }
            }
        }
    }

    /// The condition as an expression over the parameters.
    fn expr(&self, code: &Procedure) -> Expr {
        let expr = |kind, ty| Expr { kind, ty, span: code.span };
        let local = |at: &usize| {
            expr(ExprKind::Local(LocalId(u32::try_from(*at).unwrap_or(u32::MAX))), code.locals[*at].ty.clone())
        };
        let int = |n: &BigInt| expr(ExprKind::Int(n.clone()), Type::Int);
        let binary = |op, a, b, ty| expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty);
        let not = |inner: Expr| expr(ExprKind::Unary(UnOp::Not, Box::new(inner)), Type::Bool);
        match self {
            Atom::AtLeast(at, n) => binary(BinOp::Ge, local(at), int(n), Type::Bool),
            Atom::AtMost(at, n) => binary(BinOp::Le, local(at), int(n), Type::Bool),
            Atom::Above(a, b, n) => {
                let distance = binary(BinOp::Sub, local(a), local(b), Type::Int);
                binary(BinOp::Ge, distance, int(n), Type::Bool)
            }
            Atom::Parity(at, n) => {
                let distance = binary(BinOp::Sub, local(at), int(n), Type::Int);
                let rest = binary(BinOp::Rem, distance, int(&BigInt::from(2)), Type::Int);
                binary(BinOp::Eq, rest, int(&BigInt::zero()), Type::Bool)
            }
            Atom::Is(at, true) => local(at),
            Atom::Is(at, false) => not(local(at)),
            Atom::IsNull(at, is) => {
                let null = expr(ExprKind::Null, code.locals[*at].ty.clone());
                let op = if *is { BinOp::Eq } else { BinOp::Ne };
                binary(op, local(at), null, Type::Bool)
            }
        }
    }

    /// Whether it speaks of no number that the run produced.
    fn is_simple(&self) -> bool {
        match self {
            Atom::AtLeast(_, n) | Atom::AtMost(_, n) | Atom::Above(_, _, n) => n.magnitude() <= &1u32.into(),
            Atom::Parity(..) | Atom::Is(..) | Atom::IsNull(..) => true,
        }
    }

    fn text(&self, code: &Procedure) -> String {
        let name = |at: &usize| code.locals[*at].name.as_str();
        match self {
            Atom::AtLeast(at, n) => format!("{} >= {n}", name(at)),
            Atom::AtMost(at, n) => format!("{} <= {n}", name(at)),
            Atom::Above(a, b, n) => format!("{} - {} >= {n}", name(a), name(b)),
            Atom::Parity(at, n) => format!("({} - {n}) % 2 == 0", name(at)),
            Atom::Is(at, true) => name(at).to_string(),
            Atom::Is(at, false) => format!("!{}", name(at)),
            Atom::IsNull(at, true) => format!("{} == null", name(at)),
            Atom::IsNull(at, false) => format!("{} != null", name(at)),
        }
    }
}

/// What is left of the conditions once each turn keeps them, if then every turn leads to another one.
fn recurs(of: Version<'_>, id: ProcId, mut atoms: Vec<Atom>, solver: &mut Solver) -> Option<Vec<Atom>> {
    let code = of.unit.procedure(of.version, id);
    let mut arena = of.unit.arena();
    let Turns { mut next, mut over } = Turns::of(of.unit.as_unit(), of.version, of.effects, id, &mut arena)?;
    let params: Vec<Term> = (0u32..)
        .zip(&code.locals[..code.params])
        .map(|(at, local)| arena.terms.app(Func::Param(at), &[], Sort::from(&local.ty)))
        .collect();
    if faults::planted("search/recurrent/first-step") {
        next.truncate(1);
    }
    houdini::all_hold(next.len(), usize::MAX, |at| {
        let (path, args) = &next[at];
        let assumptions = assumptions(&mut arena, &atoms, &params, path);
        let goals: Vec<Term> = atoms.iter().map(|atom| atom.term(&mut arena, args)).collect();
        let failed = houdini::unproved(&goals, |goals| {
            let goal = arena.terms.and(goals);
            let tag = Purpose::ConditionRecurs.into();
            solver.prove_all(&mut arena, &Obligation { assumptions: assumptions.clone(), goal, tag }, goals)
        });
        Look::weakened(!faults::planted("search/recurrent/not-kept") && houdini::remove(&mut atoms, &failed))
    });
    let none = arena.terms.bool(false);
    if faults::planted("search/recurrent/last-end") {
        over.pop();
    }
    let stays = over.iter().all(|path| {
        let assumptions = assumptions(&mut arena, &atoms, &params, path);
        follows(&mut arena, solver, &assumptions, none)
    });
    stays.then(|| without_implied(&mut arena, solver, atoms, &params))
}

/// What is known on a path that starts where the conditions hold.
fn assumptions(arena: &mut Arena, atoms: &[Atom], params: &[Term], path: &[Term]) -> Vec<Term> {
    let known = atoms.iter().map(|atom| atom.term(arena, params));
    known.chain(path.iter().copied()).collect()
}

/// The conditions without those that follow from the others.
fn without_implied(arena: &mut Arena, solver: &mut Solver, mut atoms: Vec<Atom>, params: &[Term]) -> Vec<Atom> {
    for at in (0..atoms.len()).rev() {
        let others: Vec<Term> =
            atoms.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, a)| a.term(arena, params)).collect();
        let goal = atoms[at].term(arena, params);
        if follows(arena, solver, &others, goal) {
            atoms.remove(at);
        }
    }
    atoms
}

fn follows(arena: &mut Arena, solver: &mut Solver, assumptions: &[Term], goal: Term) -> bool {
    let tag = Purpose::ConditionRecurs.into();
    solver.prove(arena, &Obligation { assumptions: assumptions.to_vec(), goal, tag }) == Answer::Holds
}

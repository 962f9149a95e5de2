//! What the tests of two loops say of variables that no turn changes, and what other variables are where such a test holds.
//!
//! In: a loop of each version. Out: facts that might hold of both: a test that one version makes in each turn is made once by the
//! other, before it chooses a loop or a value.

use super::computed::cells_before;
use crate::budget::loops::{MAX_TESTS, MAX_UNDER};
use crate::goal::{Pair, Program};
use kernel::pair::loops::{parameters, results};
use kernel::relate::{Atom, Fact, Step};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{BinOp, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, StmtKind, Type};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use smt::term::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// What might hold: each test, that it does not hold, and what variables are under either.
pub(super) fn facts(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let loops = [(0, left, pair.0), (1, right, pair.1)];
    let loops = loops.map(|(version, code, id)| Loop::new(version, code, kept(code, id)));
    let tests: Vec<Fact> = loops.iter().flat_map(Loop::tests).take(MAX_TESTS).collect();
    let both: Vec<Fact> = tests.into_iter().flat_map(either_way).collect();
    let values: Vec<Fact> = loops.iter().flat_map(|own| own.values(program)).collect();
    let under = |test: &Fact| -> Vec<Fact> {
        values.iter().map(|value| Fact::Under(Box::new([test.clone(), value.clone()]))).collect()
    };
    let under: Vec<Fact> = both.iter().flat_map(under).take(MAX_UNDER).collect();
    both.into_iter().chain(under).collect()
}

/// What might hold where both take a turn: what the first test of each says, also of variables that turns change.
pub(super) fn guards(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let loops = [(0, left), (1, right)].map(|(version, code)| Loop::new(version, code, 0..code.params));
    let guards = loops.iter().flat_map(Loop::guard).take(MAX_TESTS);
    guards.flat_map(either_way).collect()
}

/// What might hold of the flags of one version: they are set, or not, where a test of the other one holds, and where it does not.
pub(super) fn flags_told(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let loops = [(0, left), (1, right)].map(|(version, code)| {
        let own = Loop::new(version, code, 0..code.params);
        Loop { cells: true, ..own }
    });
    let mut found = Vec::new();
    for (own, other) in [(&loops[0], &loops[1]), (&loops[1], &loops[0])] {
        let tests = other.tests().into_iter().take(MAX_TESTS).flat_map(either_way);
        let flags: Vec<Atom> = own.flags().collect();
        let told = |test: Fact| -> Vec<Fact> {
            let set = flags.iter().flat_map(|flag| [true, false].map(|truth| Fact::Truth(flag.clone(), truth)));
            set.map(|set| Fact::Under(Box::new([test.clone(), set]))).collect()
        };
        found.extend(tests.flat_map(told).take(MAX_UNDER));
    }
    found
}

/// What might hold where a loop ends: what its first test says of what it leaves, either way; and what its tests do.
pub(super) fn at_end(version: usize, code: &Procedure, id: ProcId) -> (Vec<Fact>, Vec<Fact>) {
    let left = |at: usize| {
        let own = parameters(code).get(at)?;
        let result = results(code).iter().position(|local| (&local.name, &local.ty) == (&own.name, &own.ty));
        Some((at, result.map_or(at, |result| code.params + result)))
    };
    let kept = kept(code, id);
    let spoken_of = (0..code.params).filter_map(left).filter(|(at, now)| at != now || kept.contains(at)).collect();
    let own = Loop { version, code, spoken_of, cells: false };
    (own.guard().into_iter().flat_map(either_way).collect(), own.tests())
}

/// That a test holds, and that it does not.
fn either_way(test: Fact) -> [Fact; 2] {
    [test.clone(), Fact::Not(Box::new(test))]
}

/// The parameters that a procedure hands to each call of itself as it was given them.
pub(super) fn kept(code: &Procedure, id: ProcId) -> BTreeSet<usize> {
    let Some(body) = &code.body else { return BTreeSet::new() };
    let mut kept: BTreeSet<usize> = (0..code.params).collect();
    walk_stmts(body, &mut |stmt| {
        let handed = stmt.as_call().filter(|(_, callee, _)| *callee == id).map(|(_, _, args)| args);
        let assigned = stmt.assigned();
        kept.retain(|&at| {
            let own = code.param_ids().nth(at);
            own.is_some_and(|own| {
                !assigned.contains(&own)
                    && handed.is_none_or(|args| matches!(args[at].kind, ExprKind::Local(id) if id == own))
            })
        });
    });
    kept
}

/// The numbers that a loop hands on as it was given them, and that it tests others to be less than, or to have come to.
pub(super) fn bounds(version: usize, code: &Procedure, id: ProcId) -> Vec<Atom> {
    let kept = kept(code, id);
    let mut found = Vec::new();
    for test in Loop::new(version, code, 0..code.params).tests() {
        let bound = match test {
            Fact::AtMost(counter, bound, -1) if !kept.contains(&counter.parameter) => bound,
            Fact::AtMost(bound, counter, 0) if !kept.contains(&counter.parameter) => bound,
            Fact::Equal(counter, bound, 0) if !kept.contains(&counter.parameter) => bound,
            _ => continue,
        };
        if kept.contains(&bound.parameter) && !found.contains(&bound) {
            found.push(bound);
        }
    }
    found
}

/// A loop of a version, and the parameters that facts speak of, each with the number that it has in them.
struct Loop<'c> {
    version: usize,
    code: &'c Procedure,
    spoken_of: BTreeMap<usize, usize>,
    /// Whether facts speak of cells, too: of the one at a counter, and of that before it.
    cells: bool,
}

impl<'c> Loop<'c> {
    /// A loop where it begins.
    fn new(version: usize, code: &'c Procedure, spoken_of: impl IntoIterator<Item = usize>) -> Self {
        let spoken_of = spoken_of.into_iter().map(|at| (at, at)).collect();
        Loop { version, code, spoken_of, cells: false }
    }

    /// Its tests of these variables, and of fields of what these refer to: whether one is set, or how it compares with a
    /// number or with another.
    fn tests(&self) -> Vec<Fact> {
        let mut found = Vec::new();
        let Some(body) = &self.code.body else { return found };
        walk_stmts(body, &mut |stmt| {
            if let StmtKind::If(cond, ..) = &stmt.kind {
                cond.walk(&mut |part| found.extend(self.test(part).filter(|test| !found.contains(test))));
            }
        });
        found
    }

    /// What it tests first; and next, where recursion has returned otherwise.
    fn guard(&self) -> Vec<Fact> {
        let mut found = Vec::new();
        let Some(body) = &self.code.body else { return found };
        let mut over = false;
        walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::If(cond, then, _) if !over => {
                cond.walk(&mut |part| found.extend(self.test(part)));
                over = !found.is_empty()
                    && !then.stmts.last().is_some_and(|last| matches!(last.kind, StmtKind::Return(_)));
            }
            StmtKind::Call { .. } => over = true,
            _ => {}
        });
        found
    }

    fn test(&self, part: &Expr) -> Option<Fact> {
        let least = |value: &Expr, number: &BigInt, more: i64| {
            Some(Fact::AtLeast(self.atom(value)?, number.to_i64()?.checked_add(more)?))
        };
        match &part.kind {
            ExprKind::Local(_) | ExprKind::Field(..) if part.ty == Type::Bool => {
                Some(Fact::Truth(self.atom(part)?, true))
            }
            ExprKind::Binary(op, a, b) => match (op, &a.kind, &b.kind) {
                (BinOp::Lt | BinOp::Ge, _, ExprKind::Int(number)) => least(a, number, 0),
                (BinOp::Gt | BinOp::Le, _, ExprKind::Int(number)) => least(a, number, 1),
                (BinOp::Lt | BinOp::Ge, ExprKind::Int(number), _) => least(b, number, 1),
                (BinOp::Gt | BinOp::Le, ExprKind::Int(number), _) => least(b, number, 0),
                (BinOp::Eq | BinOp::Ne, _, ExprKind::Int(number)) => Some(Fact::Is(self.atom(a)?, number.to_i64()?)),
                (BinOp::Eq | BinOp::Ne, _, ExprKind::Null) => Some(Fact::Null(self.atom(a)?)),
                (BinOp::Lt | BinOp::Ge, ..) => Some(Fact::AtMost(self.atom(a)?, self.atom(b)?, -1)),
                (BinOp::Le | BinOp::Gt, ..) => Some(Fact::AtMost(self.atom(a)?, self.atom(b)?, 0)),
                (BinOp::Eq | BinOp::Ne, ..) => Some(Fact::Equal(self.atom(a)?, self.atom(b)?, 0)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The variables that are flags.
    fn flags(&self) -> impl Iterator<Item = Atom> {
        let flags = parameters(self.code).iter().enumerate().filter(|(_, local)| local.ty == Type::Bool);
        flags.map(|(parameter, _)| Atom { version: self.version, parameter, steps: Vec::new() })
    }

    /// One of these variables, or a field of what one refers to, or a cell.
    fn atom(&self, value: &Expr) -> Option<Atom> {
        let number = |id: LocalId| self.spoken_of.get(&id.index()).copied();
        let (base, steps) = match &value.kind {
            ExprKind::Index(base, index) if self.cells => {
                let sort = Sort::from(&value.ty);
                let step = match &index.kind {
                    ExprKind::Local(id) => Step::Cell(number(*id)?, sort),
                    _ => {
                        let (id, back) = cells_before(index)?;
                        Step::Before(number(id)?, back, sort)
                    }
                };
                (&**base, vec![step])
            }
            ExprKind::Field(base, field) => (&**base, vec![Step::Field(*field)]),
            ExprKind::Length(base) => (&**base, vec![Step::Length]),
            _ => (value, Vec::new()),
        };
        let ExprKind::Local(id) = base.kind else { return None };
        Some(Atom { version: self.version, parameter: number(id)?, steps })
    }

    /// What these variables may be given before it begins: literals, and what others of them are.
    fn values(&self, program: &Program<'_>) -> Vec<Fact> {
        let around = self.code.origin.part_of().map(|id| program.unit.procedure(self.version, id));
        let Some((around, body)) = around.and_then(|around| Some((around, around.body.as_ref()?))) else {
            return Vec::new();
        };
        let own = |id: LocalId| {
            let (name, ty) = (&around.local(id).name, &around.local(id).ty);
            let at = parameters(self.code).iter().position(|local| local.name == *name && local.ty == *ty)?;
            let parameter = *self.spoken_of.get(&at)?;
            Some(Atom { version: self.version, parameter, steps: Vec::new() })
        };
        let mut found = Vec::new();
        let mut note = |fact: Option<Fact>| found.extend(fact.filter(|fact| !found.contains(fact)));
        walk_stmts(body, &mut |stmt| {
            let StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) = &stmt.kind else { return };
            let Some(given) = own(*id) else { return };
            note(match &value.kind {
                ExprKind::Int(number) => number.to_i64().map(|number| Fact::Is(given, number)),
                ExprKind::Bool(truth) => Some(Fact::Truth(given, *truth)),
                ExprKind::Local(other) => own(*other).map(|other| Fact::Equal(given, other, 0)),
                _ => None,
            });
        });
        // A variable that a branch alone is given is 0 otherwise.
        let numbers: Vec<Atom> = found
            .iter()
            .filter_map(|fact| match fact {
                Fact::Is(one, _) => Some(one.clone()),
                _ => None,
            })
            .collect();
        found.extend(numbers.into_iter().map(|one| Fact::Is(one, 0)));
        found
    }
}

//! What a loop reads or computes on its way, and the other version has in a variable: `p.conf.step`, `w * h`, `2 * i`.
//!
//! In: a loop of each version. Out: facts that might hold where they begin a turn. Looked at is only what one of the two alone has
//! written, and variables that have no namesake there: a read or a bound that was hoisted, an index that runs along with another.

use crate::budget::loops::{MAX_BACK, MAX_COMPUTED, MAX_PARTS};
use crate::goal::{Pair, Program};
use kernel::pair::loops::parameters;
use kernel::relate::{Atom, Fact, Product, Step};
use lang_l::hir::visit::{walk_exprs, walk_stmts};
use lang_l::hir::{BinOp, Expr, ExprKind, LocalId, Place, Procedure, Rhs, StmtKind, Type, UnOp};
use num_traits::ToPrimitive;
use smt::term::Sort;

/// What might hold.
pub(super) fn facts(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let loops = [Loop { version: 0, code: left }, Loop { version: 1, code: right }];
    let computed = loops.each_ref().map(Loop::computed);
    let mut found = Vec::new();
    for (own, other) in [(0, 1), (1, 0)] {
        let told: Vec<String> = computed[other].iter().map(|value| value.told(loops[other].code)).collect();
        let holders = loops[other].strangers(loops[own].code);
        for value in computed[own].iter().filter(|value| !told.contains(&value.told(loops[own].code))) {
            found.extend(value.not_null());
            let fitting = holders.iter().filter(|(_, ty)| *ty == value.ty);
            found.extend(fitting.flat_map(|(holder, _)| value.is(holder)));
        }
        for (holder, step) in loops[other].steps(&holders) {
            found.extend(loops[own].counters().flat_map(|counter| multiples(step, &counter, &holder)));
        }
    }
    found.truncate(MAX_COMPUTED);
    found
}

/// That so many times a counter is a variable, or one less or more.
fn multiples(times: i64, counter: &Atom, holder: &Atom) -> [Fact; 3] {
    [0, -1, 1].map(|more| Fact::Multiple(times, counter.clone(), holder.clone(), more))
}

/// What is computed.
enum Form {
    /// What is read by more than one step.
    Read(Atom),
    Sum([Atom; 2]),
    Difference([Atom; 2]),
    Multiple(i64, Atom),
    /// A sum of products.
    Polynomial(Vec<Product>),
}

/// Something that a loop reads or computes, and its type.
struct Value {
    form: Form,
    ty: Type,
}

impl Value {
    fn atoms(&self) -> Vec<&Atom> {
        match &self.form {
            Form::Read(atom) | Form::Multiple(_, atom) => vec![atom],
            Form::Sum(both) | Form::Difference(both) => both.iter().collect(),
            Form::Polynomial(parts) => parts.iter().flat_map(|(_, factors)| factors).collect(),
        }
    }

    /// That a variable of the other version is this.
    fn is(&self, holder: &Atom) -> Vec<Fact> {
        let holder = holder.clone();
        match &self.form {
            Form::Read(atom) => vec![Fact::Equal(atom.clone(), holder, 0)],
            Form::Sum(both) => vec![Fact::Sum(both.clone(), holder, 0)],
            Form::Difference([a, b]) => vec![Fact::Sum([holder, b.clone()], a.clone(), 0)],
            Form::Polynomial(parts) => vec![Fact::Polynomial(parts.clone(), holder)],
            Form::Multiple(times, atom) => multiples(*times, atom, &holder).to_vec(),
        }
    }

    /// That there is something to read from on the way.
    fn not_null(&self) -> Vec<Fact> {
        let before = |atom: &Atom| -> Vec<Fact> {
            let ways = (1..atom.steps.len()).map(|count| Atom { steps: atom.steps[..count].to_vec(), ..atom.clone() });
            ways.map(Fact::NotNull).collect()
        };
        self.atoms().into_iter().flat_map(before).collect()
    }

    /// As it is written, by the names of variables and the numbers of fields.
    fn told(&self, code: &Procedure) -> String {
        let name = |at: usize| &code.locals[at].name;
        let atom = |atom: &Atom| {
            atom.steps.iter().fold(name(atom.parameter).clone(), |text, step| match step {
                Step::Cell(index, _) => format!("{text}[{}]", name(*index)),
                Step::Before(index, back, _) => format!("{text}[{} - {back}]", name(*index)),
                step => format!("{text} {step:?}"),
            })
        };
        let form = match &self.form {
            Form::Read(_) => "read".to_string(),
            Form::Sum(_) => "sum".to_string(),
            Form::Difference(_) => "difference".to_string(),
            Form::Polynomial(parts) => {
                let product = |(times, factors): &Product| format!("{times} times {} factors", factors.len());
                parts.iter().map(product).collect::<Vec<_>>().join(" and ")
            }
            Form::Multiple(times, _) => format!("{times} times"),
        };
        self.atoms().into_iter().fold(form, |text, own| format!("{text}, {}", atom(own)))
    }
}

/// So many times a sum of products.
fn scaled(sum: Vec<Product>, by: i64) -> Option<Vec<Product>> {
    sum.into_iter().map(|(times, factors)| Some((times.checked_mul(by)?, factors))).collect()
}

/// The product of two.
fn product(one: &Product, other: &Product) -> Option<Product> {
    Some((one.0.checked_mul(other.0)?, [&one.1[..], &other.1].concat()))
}

/// The counter of an index, and by how much the index is less, where that is a small number.
pub(super) fn cells_before(index: &Expr) -> Option<(LocalId, u32)> {
    let ExprKind::Binary(BinOp::Sub, of, less) = &index.kind else { return None };
    let (ExprKind::Local(counter), ExprKind::Int(less)) = (&of.kind, &less.kind) else { return None };
    let back = less.to_u32().filter(|back| (1..=MAX_BACK).contains(back))?;
    Some((*counter, back))
}

/// How many cells before the one at a counter a loop looks at: as many as the farthest one that it reads is away, and at least one.
pub(super) fn back(code: &Procedure) -> u32 {
    let mut found = 1;
    if let Some(body) = &code.body {
        walk_exprs(body, &mut |part| {
            if let ExprKind::Index(_, index) = &part.kind {
                found = cells_before(index).map_or(found, |(_, back)| found.max(back));
            }
        });
    }
    found
}

/// A loop of a version.
struct Loop<'c> {
    version: usize,
    code: &'c Procedure,
}

impl Loop<'_> {
    /// What it reads by several steps, and its sums, differences and products of what it is given and can read from there.
    fn computed(&self) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        let Some(body) = &self.code.body else { return found };
        let mut told = Vec::new();
        walk_exprs(body, &mut |part| {
            if let Some(form) = self.form(part) {
                let value = Value { form, ty: part.ty.clone() };
                if !told.contains(&value.told(self.code)) {
                    told.push(value.told(self.code));
                    found.push(value);
                }
            }
        });
        found
    }

    fn form(&self, part: &Expr) -> Option<Form> {
        if let ExprKind::Binary(op, a, b) = &part.kind {
            let times = |number: &Expr, of: &Expr| match &number.kind {
                ExprKind::Int(number) => Some(Form::Multiple(number.to_i64()?, self.atom(of)?)),
                _ => None,
            };
            let both = || Some([self.atom(a)?, self.atom(b)?]);
            let simple = match op {
                BinOp::Add => both().map(Form::Sum),
                BinOp::Sub => both().map(Form::Difference),
                BinOp::Mul => times(a, b).or_else(|| times(b, a)),
                _ => return None,
            };
            return simple.or_else(|| self.polynomial(part).map(Form::Polynomial));
        }
        self.atom(part).filter(|atom| atom.steps.len() > 1).map(Form::Read)
    }

    /// What a sum of products is, written out; `None` where it is none, or too long.
    fn polynomial(&self, e: &Expr) -> Option<Vec<Product>> {
        let sum = match &e.kind {
            ExprKind::Int(number) => vec![(number.to_i64()?, Vec::new())],
            ExprKind::Unary(UnOp::Neg, one) => scaled(self.polynomial(one)?, -1)?,
            ExprKind::Binary(BinOp::Add, a, b) => [self.polynomial(a)?, self.polynomial(b)?].concat(),
            ExprKind::Binary(BinOp::Sub, a, b) => [self.polynomial(a)?, scaled(self.polynomial(b)?, -1)?].concat(),
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let (mine, theirs) = (self.polynomial(a)?, self.polynomial(b)?);
                let all = mine.iter().flat_map(|one| theirs.iter().map(move |other| product(one, other)));
                all.collect::<Option<_>>()?
            }
            _ => vec![(1, vec![self.atom(e)?])],
        };
        (sum.len() <= MAX_PARTS).then_some(sum)
    }

    /// A parameter, or what is read from one.
    fn atom(&self, e: &Expr) -> Option<Atom> {
        let (base, step) = match &e.kind {
            ExprKind::Local(id) => {
                let parameter = self.parameter(*id)?;
                return Some(Atom { version: self.version, parameter, steps: Vec::new() });
            }
            ExprKind::Field(base, field) => (base, Step::Field(*field)),
            ExprKind::Length(base) => (base, Step::Length),
            ExprKind::Index(base, index) => match index.kind {
                ExprKind::Local(id) => (base, Step::Cell(self.parameter(id)?, Sort::from(&e.ty))),
                _ => {
                    let (id, back) = cells_before(index)?;
                    (base, Step::Before(self.parameter(id)?, back, Sort::from(&e.ty)))
                }
            },
            _ => return None,
        };
        let mut atom = self.atom(base)?;
        atom.steps.push(step);
        Some(atom)
    }

    fn parameter(&self, id: LocalId) -> Option<usize> {
        Some(id.index()).filter(|&at| at < self.code.params)
    }

    fn bare(&self, parameter: usize) -> Atom {
        Atom { version: self.version, parameter, steps: Vec::new() }
    }

    /// The parameters that have no namesake among those of another loop, or one that changes where they do not, or the other way round;
    /// with their types.
    fn strangers(&self, other: &Procedure) -> Vec<(Atom, Type)> {
        let all = |code: &'_ Procedure| {
            let ids = code.param_ids().zip(parameters(code));
            let changes = |id: LocalId| code.body.as_ref().is_some_and(|body| body.assigns(id));
            ids.map(|(id, local)| (local.name.clone(), changes(id))).collect::<Vec<_>>()
        };
        let known = all(other);
        let own = all(self.code).into_iter().zip(parameters(self.code)).enumerate();
        let strangers = own.filter(|(_, (told, _))| !known.contains(told));
        strangers.map(|(at, (_, local))| (self.bare(at), local.ty.clone())).collect()
    }

    /// The numbers that it is given and that it changes.
    fn counters(&self) -> impl Iterator<Item = Atom> {
        let changes = |id: LocalId| self.code.body.as_ref().is_some_and(|body| body.assigns(id));
        let all = self.code.param_ids().zip(parameters(self.code)).enumerate();
        all.filter(move |(_, (id, local))| local.ty == Type::Int && changes(*id)).map(|(at, _)| self.bare(at))
    }

    /// Those of some parameters to which the same number is added, and that number, where it is not 1.
    fn steps(&self, holders: &[(Atom, Type)]) -> Vec<(Atom, i64)> {
        let mut found = Vec::new();
        let mut note = |id: LocalId, step: i64| {
            let holder = holders.iter().find(|(holder, _)| holder.parameter == id.index());
            found.extend(holder.filter(|_| step.abs() != 1).map(|(holder, _)| (holder.clone(), step)));
        };
        let adds = |id: LocalId, value: &Expr| match &value.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) if a.kind == ExprKind::Local(id) => match &b.kind {
                ExprKind::Int(number) if *op == BinOp::Add => number.to_i64(),
                ExprKind::Int(number) => number.to_i64()?.checked_neg(),
                _ => None,
            },
            _ => None,
        };
        if let Some(body) = &self.code.body {
            walk_stmts(body, &mut |stmt| {
                if let StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) = &stmt.kind
                    && let Some(step) = adds(*id, value)
                {
                    note(*id, step);
                }
            });
        }
        found
    }
}

//! Contracts: what `requires`, `ensures`, `modifies`, invariants, `assert`, `assume` and `when` say.
//!
//! In: the variables that a clause sees. Out: clauses that are legal L. Some always hold, some never do, and some hold only
//! of most stores.

use super::super::tree::{any_expr, binary, each_place, expr, field, int, not, null, quantifier, query, ty, var};
use super::{Generator, Signature};
use lang_l::ast::{BinOp, Expr, ExprKind, Spec, Stmt, TypeKind};
use lang_l::source::Span;

/// When a clause is evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// On entry: there is no past to speak of.
    Entry,
    /// Later.
    Later,
}

/// The variables that a clause sees.
pub(super) type Seen = [(String, TypeKind)];

/// A number whose cube no small number has.
const FAR_CUBE: i64 = 1_881_365_963_625;

impl Generator<'_> {
    /// The clauses of a procedure with this body, or of an external one.
    pub(super) fn specs(&mut self, signature: &Signature, body: Option<&[Stmt]>) -> Vec<Spec> {
        let before: Vec<_> = signature.params.iter().chain(&self.globals).cloned().collect();
        let after: Vec<_> = before.iter().chain(&signature.results).cloned().collect();
        let mut specs = Vec::new();
        if self.random.percent(if body.is_some() { 16 } else { 25 }) {
            let clause = self.precondition(&before);
            specs.push(Spec::Requires(clause, Span::default()));
        }
        for percent in if body.is_some() { [25, 10] } else { [55, 15] } {
            if self.random.percent(percent) {
                let clause = self.clause(&after, Moment::Later);
                specs.push(Spec::Ensures(clause, Span::default()));
            }
        }
        let cells = self.element.as_ref() == Some(&self.node);
        if self.random.percent(if body.is_some() && !cells { 25 } else { 50 }) {
            let places = self.places(signature, &before, body);
            specs.push(Spec::Modifies(places, Span::default()));
        }
        specs
    }

    /// What callers often break, what no prover can show of them, or anything.
    pub(super) fn precondition(&mut self, seen: &Seen) -> Expr {
        let number = self.one(seen, &TypeKind::Int);
        match (self.random.below(10), number) {
            (0..3, _) => binary(BinOp::Ne, var(&seen[0].0), null()),
            (3..5, Some(n)) => {
                let cube = binary(BinOp::Mul, binary(BinOp::Mul, var(&n), var(&n)), var(&n));
                binary(BinOp::Ne, cube, int(FAR_CUBE))
            }
            (5, Some(n)) => binary(BinOp::Lt, var(&n), int(1_000 + self.random.below(100_000) as i64)),
            (6, Some(n)) => binary(BinOp::Gt, var(&n), int(0)),
            _ => self.clause(seen, Moment::Entry),
        }
    }

    /// What may change: what the body writes through, or any places.
    fn places(&mut self, signature: &Signature, seen: &Seen, body: Option<&[Stmt]>) -> Vec<Expr> {
        let mut places = body.map(|stmts| self.written(signature, stmts)).unwrap_or_default();
        for percent in [45, 25] {
            if body.is_none() || self.random.percent(percent) {
                places.extend(self.far_place(seen));
            }
        }
        places
    }

    /// A place behind fields and cells.
    fn far_place(&mut self, seen: &Seen) -> Option<Expr> {
        let node = self.node.clone();
        let arrays: Vec<&String> =
            seen.iter().filter(|(_, of)| matches!(of, TypeKind::Array(_))).map(|v| &v.0).collect();
        let array = self.random.pick(&arrays).map(|text| var(text));
        let mut place = match array {
            Some(array) if self.element.as_ref() == Some(&node) && self.random.percent(85) => {
                let at = self.one(seen, &TypeKind::Int).filter(|_| self.random.percent(40));
                let index = at.map_or_else(|| int(self.random.below(2) as i64), |n| var(&n));
                expr(ExprKind::Index(Box::new(array), Box::new(index)))
            }
            Some(array) if self.random.percent(30) => return Some(array),
            _ => {
                let object = var(&self.one(seen, &node)?);
                self.link(object)
            }
        };
        if self.random.percent(25) {
            place = self.link(place);
        }
        Some(place)
    }

    /// `e.f` or `e.g`
    pub(super) fn link(&mut self, object: Expr) -> Expr {
        let node = self.node.clone();
        let links: Vec<&'static str> = self.fields.iter().filter(|f| f.ty == node).map(|f| f.name).collect();
        field(object, self.random.pick(&links).copied().unwrap_or("f"))
    }

    /// A clause about variables of these names and types.
    pub(super) fn clause(&mut self, seen: &Seen, moment: Moment) -> Expr {
        let node = self.node.clone();
        let Some(object) = self.one(seen, &node) else { return expr(ExprKind::Bool(true)) };
        let other = self.one(seen, &node).unwrap_or_else(|| object.clone());
        let later = moment == Moment::Later;
        match self.random.below(14) {
            0 | 1 => self.about_numbers(seen),
            2 | 3 => self.about_reach(&object, &other),
            4..6 if later => self.about_the_past(seen, &object),
            6 | 7 if later => self.about_freshness(&object),
            8..10 => self.about_all_objects(&object, later),
            10..12 => self.about_all_numbers(seen),
            12 => guarded(&object, binary(BinOp::Ne, field(var(&object), "f"), var(&other))),
            _ => binary(BinOp::Or, binary(BinOp::Ne, var(&object), null()), binary(BinOp::Eq, var(&other), null())),
        }
    }

    fn one(&mut self, seen: &Seen, kind: &TypeKind) -> Option<String> {
        let able: Vec<&String> = seen.iter().filter(|(_, of)| of == kind).map(|(text, _)| text).collect();
        self.random.pick(&able).map(|text| (*text).clone())
    }

    fn about_numbers(&mut self, seen: &Seen) -> Expr {
        let Some(n) = self.one(seen, &TypeKind::Int) else { return binary(BinOp::Lt, int(0), int(1)) };
        match self.random.below(4) {
            0 => binary(BinOp::Ge, var(&n), int(-1)),
            1 => binary(BinOp::Ge, binary(BinOp::Mul, var(&n), var(&n)), var(&n)),
            2 => binary(BinOp::Le, var(&n), int(50_000)),
            _ => binary(BinOp::Ne, var(&n), int(2)),
        }
    }

    fn about_reach(&mut self, object: &str, other: &str) -> Expr {
        let reach = |a: Expr, b: Expr| query("reach", vec![a, b]);
        match self.random.below(5) {
            0 => binary(BinOp::Or, binary(BinOp::Eq, var(object), null()), reach(var(object), var(object))),
            1 => guarded(object, not(reach(field(var(object), "f"), var(object)))),
            2 => not(reach(var(object), var(other))),
            3 => guarded(
                object,
                binary(BinOp::Implies, reach(field(var(object), "f"), var(other)), reach(var(object), var(other))),
            ),
            _ => reach(var(object), var(other)),
        }
    }

    fn about_the_past(&mut self, seen: &Seen, object: &str) -> Expr {
        let old = |e: Expr| query("old", vec![e]);
        let number = self.one(seen, &TypeKind::Int);
        match (self.random.below(4), number) {
            (0, _) => binary(BinOp::Eq, var("x"), old(var("x"))),
            (1, Some(n)) => binary(BinOp::Eq, var(&n), old(var(&n))),
            (2, _) => {
                let kept = query("reach", vec![var("x"), var(object)]);
                binary(BinOp::Implies, old(kept.clone()), kept)
            }
            _ => guarded(object, binary(BinOp::Eq, field(var(object), "f"), old(field(var(object), "f")))),
        }
    }

    fn about_freshness(&mut self, object: &str) -> Expr {
        let fresh = query("fresh", vec![var(object)]);
        match self.random.below(3) {
            0 => not(fresh),
            1 => guarded(object, fresh),
            _ => binary(BinOp::Or, not(fresh), binary(BinOp::Ne, var(object), null())),
        }
    }

    fn about_all_objects(&mut self, object: &str, later: bool) -> Expr {
        let all = |body: Expr| quantifier(true, "o", self.node.clone(), body);
        let reach = |from: &str| query("reach", vec![var(from), var("o")]);
        let number = self.fields.iter().any(|f| f.name == "v");
        match self.random.below(5) {
            0 if later => all(binary(BinOp::Implies, query("old", vec![reach("x")]), reach("x"))),
            1 if number => all(guarded("o", binary(BinOp::Ge, field(var("o"), "v"), int(-1)))),
            2 => {
                let points = binary(BinOp::Eq, field(var("o"), "f"), var(object));
                quantifier(
                    false,
                    "o",
                    self.node.clone(),
                    binary(BinOp::And, binary(BinOp::Ne, var("o"), null()), points),
                )
            }
            3 => all(binary(
                BinOp::Implies,
                reach(object),
                guarded("o", binary(BinOp::Ne, field(var("o"), "f"), var("o"))),
            )),
            _ => all(binary(BinOp::Implies, reach(object), binary(BinOp::Ne, var("o"), null()))),
        }
    }

    fn about_all_numbers(&mut self, seen: &Seen) -> Expr {
        let range =
            |end: Expr| binary(BinOp::And, binary(BinOp::Le, int(0), var("i")), binary(BinOp::Lt, var("i"), end));
        let all = |body: Expr| quantifier(true, "i", TypeKind::Int, body);
        let array = TypeKind::Array(Box::new(ty(TypeKind::Int)));
        if let Some(a) = self.one(seen, &array)
            && self.random.percent(70)
        {
            let cell = expr(ExprKind::Index(Box::new(var(&a)), Box::new(var("i"))));
            // Without bounds the clause has no value.
            if self.random.percent(8) {
                return all(binary(BinOp::Eq, cell, int(0)));
            }
            let body = binary(BinOp::Implies, range(field(var(&a), "length")), binary(BinOp::Ge, cell, int(-1)));
            return guarded(&a, all(body));
        }
        let end = self.one(seen, &TypeKind::Int).map_or_else(|| int(3), |n| var(&n));
        // Products take the solver long, so there are few of them.
        let factor = if self.random.percent(5) { var("i") } else { int(2) };
        let product = binary(BinOp::Mul, factor, var("i"));
        match self.random.below(3) {
            0 => all(binary(BinOp::Implies, range(end), binary(BinOp::Ge, product, var("i")))),
            1 => quantifier(
                false,
                "i",
                TypeKind::Int,
                binary(BinOp::And, range(int(4)), binary(BinOp::Eq, var("i"), end)),
            ),
            _ => all(binary(BinOp::Implies, range(end), binary(BinOp::Ne, product, int(4)))),
        }
    }

    /// What `modifies` would have to name, if nothing else were written than what stands here: places that mean the same on
    /// entry, as far as nobody assigns a parameter.
    fn written(&mut self, signature: &Signature, stmts: &[Stmt]) -> Vec<Expr> {
        let refers = |kind: &TypeKind| *kind == self.node || matches!(kind, TypeKind::Array(_));
        let known = |text: &String| signature.params.iter().any(|(param, kind)| param == text && refers(kind));
        let cells = self.element.as_ref() == Some(&self.node);
        let refers_to = |place: &Expr| cells || !any_expr(place, &|e| matches!(e.kind, ExprKind::Index(..)));
        let mut places = Vec::new();
        each_place(stmts, &mut |place| {
            if refers_to(place) && !places.contains(place) && root(place).is_some_and(known) {
                places.push(place.clone());
            }
        });
        places
    }
}

/// The variable with which a place of fields that hold objects, and of cells, begins.
fn root(place: &Expr) -> Option<&String> {
    match &place.kind {
        ExprKind::Name(text) => Some(text),
        ExprKind::Field(object, name) if name.text == "f" || name.text == "g" => root(object),
        ExprKind::Index(array, index) if matches!(index.kind, ExprKind::Int(_)) => root(array),
        _ => None,
    }
}

/// `object != null ==> e`
fn guarded(object: &str, e: Expr) -> Expr {
    binary(BinOp::Implies, binary(BinOp::Ne, var(object), null()), e)
}

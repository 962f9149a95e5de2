//! Expressions and contract conditions as terms.
//!
//! In: typed expressions without calls. Out: terms; what can go wrong on the way is split off as an error of the path, or,
//! in contracts, makes the condition false.

use super::{Executor, cell_sort};
use crate::effects::is_loop;
use crate::exec::source::Site;
use crate::exec::state::{Fault, State};
use lang_l::hir::{BinOp, Expr, ExprKind, LocalId, Origin, ProcId, Procedure, Type, UnOp};
use smt::heap::{HeapId, Members};
use smt::term::{AllocClass, CallId, PathFacts, Selector, Term};

/// What a contract condition speaks of.
#[derive(Clone, Debug)]
pub struct ContractView {
    /// The locals.
    pub locals: im::Vector<Term>,
    /// The globals.
    pub globals: im::Vector<Term>,
    /// The heap.
    pub heap: HeapId,
    /// What `old` speaks of.
    pub entry: Option<Box<ContractView>>,
    /// What `fresh` means.
    pub freshness: Freshness,
    /// The allocs of the objects made so far; `None` when a call may have made some that nobody can name.
    pub existing: Option<Vec<AllocClass>>,
    /// Whether it is looked at on entry of the procedure that is executed, rather than later.
    pub at_entry: bool,
}

/// Which objects were allocated "during the call".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// All that are not old: the contract is looked at from within the body.
    SinceEntry,
    /// Those the call made: the contract is looked at from the caller.
    By(CallId),
    /// None: the call has not begun.
    Never,
    /// It cannot be said: the call began outside what is looked at, as in the procedure of a loop.
    Unknown,
}

/// How an expression is read.
struct Reading<'s> {
    view: &'s ContractView,
    /// What is known on the path.
    known: &'s PathFacts,
    /// What must hold for the expression to have a value, each under the guard it stands under.
    definedness: Vec<(Term, Fault)>,
    /// What must hold for the value to matter: the left sides of `&&`, `||`, `?:` on the way.
    guard: Term,
    /// How many quantifiers it stands in.
    depth: u32,
}

impl<'s> Reading<'s> {
    /// A reading that has come to nothing yet. `always` is the guard of what always matters.
    fn of(view: &'s ContractView, known: &'s PathFacts, always: Term) -> Self {
        Reading { view, known, definedness: Vec::new(), guard: always, depth: 0 }
    }
}

/// A condition in terms.
pub struct Translation {
    /// Whether it holds, if it has a value.
    pub value: Term,
    /// What must hold for it to have one.
    pub definedness: Vec<(Term, Fault)>,
}

/// A call that has returned.
#[derive(Clone, Copy)]
pub struct Return<'c> {
    /// Whose call.
    pub callee: ProcId,
    /// What it was given.
    pub args: &'c [Term],
    /// What it gave back.
    pub results: &'c [Term],
    /// Which call.
    pub call: CallId,
}

impl Executor<'_> {
    /// The value of an expression in a state; errors are split off. `None` when nothing goes on.
    pub fn eval(&mut self, state: &mut State, expr: &Expr) -> Option<Term> {
        let view = view_of(state);
        let guard = self.arena.terms.bool(true);
        let known = state.known.clone();
        let mut reading = Reading::of(&view, &known, guard);
        // Outside contracts there is no form that terms cannot say.
        let value = self.read(&mut reading, expr)?;
        for (ok, fault) in reading.definedness {
            if !self.require(state, ok, fault.message, fault.span) {
                return None;
            }
        }
        Some(self.arena.terms.simplify(value, &state.known))
    }

    /// A contract condition: true exactly when it has a value and the value is true. `None` when terms cannot say it.
    pub fn contract(&mut self, view: &ContractView, condition: &Expr) -> Option<Term> {
        let guard = self.arena.terms.bool(true);
        let known = PathFacts::new();
        let mut reading = Reading::of(view, &known, guard);
        let value = self.read(&mut reading, condition)?;
        let mut all: Vec<Term> = reading.definedness.into_iter().map(|(ok, _)| ok).collect();
        all.push(value);
        Some(self.arena.terms.and(&all))
    }

    /// The value of an expression without calls, and the condition under which it has one.
    pub fn value(&mut self, view: &ContractView, expr: &Expr) -> Option<(Term, Term)> {
        let guard = self.arena.terms.bool(true);
        let known = PathFacts::new();
        let mut reading = Reading::of(view, &known, guard);
        let value = self.read(&mut reading, expr)?;
        let definedness: Vec<Term> = reading.definedness.into_iter().map(|(ok, _)| ok).collect();
        Some((value, self.arena.terms.and(&definedness)))
    }

    /// A condition at a point inside a body, and what must hold for it to have a value. `old` speaks of the entry of the procedure,
    /// which is kept of the outermost alone; of another one such a condition cannot be said.
    pub fn contract_here(&mut self, state: &State, condition: &Expr, code: &Procedure) -> Option<Translation> {
        // In a loop's procedure, as in one executed in place, the entry that is meant is another one.
        let of_loop = matches!(code.origin, Origin::Loop { .. });
        let within = self.source.is_some_and(|source| matches!(source.own.site, Site::Loop { .. }));
        if (!self.within.is_empty() || of_loop || within) && condition.mentions_entry() {
            return None;
        }
        let entry = if condition.mentions_entry() { self.seen_on_entry(state, code) } else { None };
        let view = ContractView { entry, ..view_of(state) };
        let guard = self.arena.terms.bool(true);
        let known = PathFacts::new();
        let mut reading = Reading::of(&view, &known, guard);
        let value = self.read(&mut reading, condition)?;
        Some(Translation { value, definedness: reading.definedness })
    }

    /// A callee's contract as seen just before the call.
    pub fn view_of_call(&mut self, state: &State, callee: ProcId, args: &[Term]) -> ContractView {
        let code = self.code().procedure(callee);
        let locals = self.frame(code, args);
        ContractView {
            locals,
            globals: state.globals.clone(),
            heap: state.heap,
            entry: None,
            freshness: before_call(code),
            existing: existing(state.calls.is_empty(), state.news.iter().map(|(alloc, _)| *alloc)),
            at_entry: false,
        }
    }

    /// The objects that `modifies` places name on entry, each with what it has. `None` when terms cannot say one of them.
    pub fn places_on_entry(&mut self, view: &ContractView, places: &[Expr]) -> Option<Vec<(Term, Members)>> {
        places.iter().map(|place| Some((self.place_on_entry(view, place)?, Members::of(&place.ty)))).collect()
    }

    /// The object a `modifies` place names on entry; null, which is none, where it has no value. `None` when terms cannot say it.
    pub fn place_on_entry(&mut self, view: &ContractView, place: &Expr) -> Option<Term> {
        let (place, has_value) = self.value(view, place)?;
        let null = self.arena.terms.null();
        Some(self.arena.terms.ite(has_value, place, null))
    }

    /// Assumes what a callee's `ensures` say after the call; false when that contradicts the path.
    pub fn assume_ensures(
        &mut self,
        state: &mut State,
        before: &State,
        Return { callee, args, results, call }: Return<'_>,
    ) -> bool {
        if !self.effects[callee.index()].trust_ensures {
            return true;
        }
        let code = self.code().procedure(callee);
        for condition in &code.ensures {
            let mut entry = self.view_of_call(before, callee, args);
            let mut view = self.view_of_call(state, callee, args);
            // Within `old` the heap and the parameters are those of the entry; results are what they are now.
            for (id, &value) in code.result_ids().zip(results) {
                view.locals.set(id.index(), value);
                entry.locals.set(id.index(), value);
            }
            view.entry = Some(Box::new(entry));
            view.freshness = Freshness::By(call);
            if let Some(condition) = self.contract(&view, condition)
                && !state.assume(&mut self.arena.terms, condition)
            {
                return false;
            }
        }
        true
    }

    /// The value of an expression; `None` when terms cannot say it.
    fn read(&mut self, reading: &mut Reading<'_>, expr: &Expr) -> Option<Term> {
        Some(match &expr.kind {
            ExprKind::Int(value) => self.arena.terms.int(value.clone()),
            ExprKind::Bool(value) => self.arena.terms.bool(*value),
            ExprKind::Null => self.arena.terms.null(),
            ExprKind::Local(id) => reading.view.locals[id.index()],
            ExprKind::Global(id) => reading.view.globals[id.index()],
            ExprKind::Field(object, field) => {
                let object = self.read(reading, object)?;
                self.need_object(reading, object, expr);
                self.cell(reading, Selector::Field(*field), object, None)
            }
            ExprKind::Index(array, index) => return self.index(reading, expr, array, index),
            ExprKind::Length(array) => {
                let array = self.read(reading, array)?;
                self.need_object(reading, array, expr);
                self.arena.heaps.length(&mut self.arena.terms, array)
            }
            ExprKind::Unary(op, inner) => {
                let inner = self.read(reading, inner)?;
                match op {
                    UnOp::Neg => self.arena.terms.neg(inner),
                    UnOp::Not => self.arena.terms.not(inner),
                }
            }
            ExprKind::Binary(op, left, right) => return self.binary(reading, expr, *op, (left, right)),
            ExprKind::Cond(cond, then, els) => {
                let cond = self.read(reading, cond)?;
                let then = self.guarded(reading, cond, then)?;
                let not = self.arena.terms.not(cond);
                let els = self.guarded(reading, not, els)?;
                self.arena.terms.ite(cond, then, els)
            }
            ExprKind::Old(inner) => return self.old(reading, inner),
            ExprKind::Fresh(inner) => return self.fresh(reading, inner),
            ExprKind::Reach(from, to) => {
                let from = self.read(reading, from)?;
                let to = self.read(reading, to)?;
                self.arena.heaps.look_for_reference_cells(self.unit);
                self.arena.heaps.path(&mut self.arena.terms, reading.view.heap, from, to)?
            }
            ExprKind::Quant { forall, var, body } => self.quantifier(reading, *forall, *var, body)?,
            // Calls stand only where the lowering put them.
            ExprKind::Call(..) => return None,
        })
    }

    /// What a field or a cell holds.
    fn cell(&mut self, reading: &Reading<'_>, selector: Selector, object: Term, index: Option<Term>) -> Term {
        let value = self.arena.heaps.read(&mut self.arena.terms, reading.view.heap, selector, object, index);
        self.arena.terms.simplify(value, reading.known)
    }

    /// `array[index]`
    fn index(&mut self, reading: &mut Reading<'_>, expr: &Expr, array: &Expr, index: &Expr) -> Option<Term> {
        let selector = Selector::Cell(cell_sort(&array.ty));
        let array = self.read(reading, array)?;
        let index = self.read(reading, index)?;
        self.need_object(reading, array, expr);
        let length = self.arena.heaps.length(&mut self.arena.terms, array);
        let zero = self.arena.terms.int(0);
        let low = self.arena.terms.le(zero, index);
        let high = self.arena.terms.lt(index, length);
        let inside = self.arena.terms.and(&[low, high]);
        self.need(reading, inside, "index out of bounds", expr);
        Some(self.cell(reading, selector, array, Some(index)))
    }

    /// `old(inner)`: the same expression, in the view of the entry.
    fn old(&mut self, reading: &mut Reading<'_>, inner: &Expr) -> Option<Term> {
        let entry = reading.view.entry.as_ref()?;
        let (known, guard, depth) = (reading.known, reading.guard, reading.depth);
        let mut there = Reading { view: entry, known, definedness: Vec::new(), guard, depth };
        let value = self.read(&mut there, inner)?;
        reading.definedness.append(&mut there.definedness);
        Some(value)
    }

    /// `fresh(inner)`
    fn fresh(&mut self, reading: &mut Reading<'_>, inner: &Expr) -> Option<Term> {
        let inner = self.read(reading, inner)?;
        match reading.view.freshness {
            Freshness::Never => Some(self.arena.terms.bool(false)),
            Freshness::Unknown => None,
            Freshness::By(call) => {
                let fresh = self.arena.terms.reach(call).fresh;
                Some(self.arena.terms.born(inner, fresh))
            }
            Freshness::SinceEntry => {
                let old = self.arena.terms.born(inner, AllocClass::OLD);
                let null = self.arena.terms.born(inner, AllocClass::NULL);
                let either = self.arena.terms.or(&[old, null]);
                Some(self.arena.terms.not(either))
            }
        }
    }

    /// A quantifier has a value when its body has one for every value of the variable; so it becomes two quantifiers.
    fn quantifier(&mut self, reading: &mut Reading<'_>, forall: bool, var: LocalId, body: &Expr) -> Option<Term> {
        let ty = type_of(var, body);
        let bound = self.arena.terms.bound(reading.depth, &ty);
        let range = if ty.is_reference() { self.range(reading.view, bound)? } else { self.arena.terms.bool(true) };
        let mut view = reading.view.clone();
        view.locals.set(var.index(), bound);
        if let Some(entry) = &mut view.entry {
            entry.locals.set(var.index(), bound);
        }
        let guard = self.arena.terms.and(&[reading.guard, range]);
        let (known, depth) = (reading.known, reading.depth + 1);
        let mut within = Reading { view: &view, known, definedness: Vec::new(), guard, depth };
        let value = self.read(&mut within, body)?;
        for (needed, fault) in within.definedness {
            let needed = self.arena.terms.forall(bound, needed);
            if !self.arena.terms.is_true(needed) {
                reading.definedness.push((needed, fault));
            }
        }
        let terms = &mut self.arena.terms;
        let wanted = if forall { value } else { terms.not(value) };
        let everywhere = terms.implies(range, wanted);
        let everywhere = terms.forall(bound, everywhere);
        Some(if forall { everywhere } else { terms.not(everywhere) })
    }

    /// Rule *Instances*: the references that a quantifier sees. Null is one of them; so is what existed when the run began, and
    /// what can be seen now. An object that was garbage before is garbage now. `None` when a call may have made some.
    fn range(&mut self, view: &ContractView, bound: Term) -> Option<Term> {
        let made = view.existing.as_ref()?;
        let whole_run = self.limits.whole_run;
        let terms = &mut self.arena.terms;
        let null = terms.born(bound, AllocClass::NULL);
        let old = terms.born(bound, AllocClass::OLD);
        let old = if whole_run {
            old
        } else {
            let seen = terms.seen_on_entry(bound);
            terms.and(&[old, seen])
        };
        if view.at_entry || (whole_run && made.is_empty()) {
            return Some(terms.or(&[null, old]));
        }
        let mut cases = vec![null];
        cases.push(if whole_run {
            old
        } else {
            let still = terms.seen_here(bound);
            terms.and(&[old, still])
        });
        // A truth value for each object that was made, so that a renaming of objects takes it along.
        for &alloc in made {
            let this = terms.born(bound, alloc);
            let (value, zero) = (terms.skolem_int(), terms.int(0));
            let seen = terms.eq(value, zero);
            cases.push(terms.and(&[this, seen]));
        }
        Some(terms.or(&cases))
    }

    /// Reads `expr` where only its value under `guard` matters.
    fn guarded(&mut self, reading: &mut Reading<'_>, guard: Term, expr: &Expr) -> Option<Term> {
        let outer = reading.guard;
        reading.guard = self.arena.terms.and(&[outer, guard]);
        let value = self.read(reading, expr);
        reading.guard = outer;
        value
    }

    fn binary(
        &mut self,
        reading: &mut Reading<'_>,
        expr: &Expr,
        op: BinOp,
        (left, right): (&Expr, &Expr),
    ) -> Option<Term> {
        let a = self.read(reading, left)?;
        let b = match op {
            BinOp::And | BinOp::Implies => self.guarded(reading, a, right)?,
            BinOp::Or => {
                let not = self.arena.terms.not(a);
                self.guarded(reading, not, right)?
            }
            _ => self.read(reading, right)?,
        };
        if matches!(op, BinOp::Div | BinOp::Rem) {
            let zero = self.arena.terms.int(0);
            let is_zero = self.arena.terms.eq(b, zero);
            let ok = self.arena.terms.not(is_zero);
            self.need(reading, ok, "division by zero", expr);
        }
        let terms = &mut self.arena.terms;
        Some(match op {
            BinOp::Add => terms.add(a, b),
            BinOp::Sub => terms.sub(a, b),
            BinOp::Mul => terms.mul(a, b),
            BinOp::Div => terms.div(a, b),
            BinOp::Rem => terms.rem(a, b),
            BinOp::Lt => terms.lt(a, b),
            BinOp::Le => terms.le(a, b),
            BinOp::Gt => terms.lt(b, a),
            BinOp::Ge => terms.le(b, a),
            BinOp::Eq => terms.eq(a, b),
            BinOp::Ne => {
                let same = terms.eq(a, b);
                terms.not(same)
            }
            BinOp::And => terms.and(&[a, b]),
            BinOp::Or => terms.or(&[a, b]),
            BinOp::Implies => terms.implies(a, b),
        })
    }

    fn need_object(&mut self, reading: &mut Reading<'_>, object: Term, expr: &Expr) {
        let null = self.arena.terms.null();
        let is_null = self.arena.terms.eq(object, null);
        let ok = self.arena.terms.not(is_null);
        self.need(reading, ok, "null dereference", expr);
    }

    fn need(&mut self, reading: &mut Reading<'_>, ok: Term, message: &'static str, expr: &Expr) {
        let needed = self.arena.terms.implies(reading.guard, ok);
        if !self.arena.terms.is_true(needed) {
            reading.definedness.push((needed, Fault { message, span: expr.span }));
        }
    }
}

/// What an expression in a body speaks of.
fn view_of(state: &State) -> ContractView {
    ContractView {
        locals: state.locals.clone(),
        globals: state.globals.clone(),
        heap: state.heap,
        entry: None,
        freshness: Freshness::SinceEntry,
        existing: existing(state.calls.is_empty(), state.news.iter().map(|(alloc, _)| *alloc)),
        at_entry: false,
    }
}

/// What [`ContractView::existing`] is where these were made, and perhaps calls.
pub fn existing(no_calls: bool, made: impl Iterator<Item = AllocClass>) -> Option<Vec<AllocClass>> {
    no_calls.then(|| made.collect())
}

/// The type of a variable, as its uses have it.
fn type_of(var: LocalId, within: &Expr) -> Type {
    fn find(var: LocalId, e: &Expr) -> Option<Type> {
        if e.kind == ExprKind::Local(var) {
            return Some(e.ty.clone());
        }
        e.parts().into_iter().find_map(|part| find(var, part))
    }
    // One that is not used may be of any type.
    find(var, within).unwrap_or(Type::Int)
}

/// What `fresh` means in a pre-condition.
pub fn before_call(code: &Procedure) -> Freshness {
    if is_loop(code) { Freshness::Unknown } else { Freshness::Never }
}

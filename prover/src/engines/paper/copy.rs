//! One copy of one body, with a heap and variables of its own.
//!
//! In: a body, the state it starts from, the names its allocations and calls go by. Out: SMT-LIB text that defines the
//! state at its end, and the calls it makes.
//!
//! Branches are merged where they meet; only where one of them returns is the rest copied for each.
//!
//! Invariant: once `err` holds in a state, nothing else in it means anything, and no call is executed from it.

use super::Unsupported;
use super::sites::{self, Sites};
use super::summary::{self, CallInstance};
use super::theory::{self, all, any};
use crate::budget::paper::MAX_STATEMENTS;
use crate::goal::Program;
use crate::lower::Lowered;
use kernel::effects::Effects;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, UnOp};
use std::fmt::Write;

/// Where a copy is.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) heap: String,
    /// Terms of the locals' own sorts.
    pub(super) locals: Vec<String>,
    pub(super) globals: Vec<String>,
    /// Whether the execution has ended in an error.
    pub(super) err: String,
}

/// What the copy needs to know.
pub(super) struct Copy<'a> {
    pub(super) unit: &'a Lowered,
    pub(super) effects: &'a [Effects],
    pub(super) version: usize,
    pub(super) code: &'a Procedure,
    pub(super) sites: &'a Sites,
    /// What the names of this copy end with.
    pub(super) suffix: String,
    /// The strategy's name.
    pub(super) strategy: String,
    /// Whether a callee has a mutual summary.
    pub(super) summarised: &'a dyn Fn(ProcId) -> bool,
    /// What was written so far.
    pub(super) text: String,
    /// The calls made so far.
    pub(super) calls: Vec<CallInstance>,
    names: usize,
    statements: usize,
}

/// What is still to be executed after a block.
struct Rest<'a> {
    stmts: &'a [Stmt],
    then: Option<&'a Rest<'a>>,
}

impl<'a> Copy<'a> {
    /// A copy of `code`, with the ending of its names and the name of its strategy.
    pub(super) fn new(
        (program, version): (&'a Program<'_>, usize),
        code: &'a Procedure,
        sites: &'a Sites,
        (suffix, strategy): (String, String),
        summarised: &'a dyn Fn(ProcId) -> bool,
    ) -> Self {
        let (unit, effects) = (program.unit, program.effects[version].as_slice());
        let (text, calls) = (String::new(), Vec::new());
        Copy { unit, effects, version, code, sites, suffix, strategy, summarised, text, calls, names: 0, statements: 0 }
    }

    /// The object of an allocation site.
    pub(super) fn object(&self, site: usize) -> String {
        format!("new{site}_{}", self.suffix)
    }

    /// The token of a call site.
    pub(super) fn token(&self, site: usize) -> String {
        format!("call{site}_{}", self.suffix)
    }

    /// Executes the body.
    pub(super) fn body(&mut self, body: &Block, state: State) -> Result<State, Unsupported> {
        self.run(&body.stmts, None, state, "true")
    }

    fn run(
        &mut self,
        stmts: &[Stmt],
        rest: Option<&Rest<'_>>,
        mut state: State,
        path: &str,
    ) -> Result<State, Unsupported> {
        for (at, stmt) in stmts.iter().enumerate() {
            self.statements += 1;
            if self.statements > MAX_STATEMENTS {
                return Err(Unsupported("the body is too large to copy".into()));
            }
            if let Some(call) = sites::call(stmt) {
                self.call(stmt, &call, &mut state, path)?;
                continue;
            }
            match &stmt.kind {
                StmtKind::Assign(place, rhs) => self.assign(stmt, place, rhs, &mut state)?,
                StmtKind::If(cond, then, els) => {
                    let cond = self.value(cond, &mut state, "true")?;
                    let cond = self.define(&Type::Bool, cond);
                    let after = Rest { stmts: &stmts[at + 1..], then: rest };
                    let early = sites::returns(then) || sites::returns(els);
                    let rest = early.then_some(&after);
                    let not = format!("(not {cond})");
                    let sides = [(then, &cond), (els, &not)].map(|(side, test)| {
                        let path = all([path.to_string(), test.clone()]);
                        self.run(&side.stmts, rest, state.clone(), &path)
                    });
                    let [then, els] = sides;
                    state = self.merge(&cond, &then?, &els?);
                    if early {
                        return Ok(state);
                    }
                }
                StmtKind::Return(values) => {
                    let values: Vec<String> =
                        values.iter().map(|value| self.value(value, &mut state, "true")).collect::<Result<_, _>>()?;
                    for (id, value) in self.code.result_ids().zip(values) {
                        state.locals[id.index()] = self.define(&self.code.local(id).ty, value);
                    }
                    return Ok(state);
                }
                StmtKind::Assert(condition) => {
                    let condition = self.value(condition, &mut state, "true")?;
                    self.err(&mut state, format!("(not {condition})"), "true");
                }
                StmtKind::Assume(_) => return Err(Unsupported("`assume` is not in the paper's language".into())),
                StmtKind::Call { .. } | StmtKind::While { .. } | StmtKind::Break | StmtKind::Continue => {
                    return Err(Unsupported("the program is not lowered".into()));
                }
            }
        }
        match rest {
            Some(rest) => self.run(rest.stmts, rest.then, state, path),
            None => Ok(state),
        }
    }

    fn assign(&mut self, stmt: &Stmt, place: &Place, rhs: &Rhs, state: &mut State) -> Result<(), Unsupported> {
        let object = match place {
            Place::Field(object, _) => Some(self.value(object, state, "true")?),
            _ => None,
        };
        let value = match rhs {
            Rhs::Expr(expr) => self.value(expr, state, "true")?,
            Rhs::New(_) => self.object(self.sites.number(stmt)),
            Rhs::NewArray(..) => return Err(arrays()),
        };
        match (place, object) {
            (Place::Field(_, field), Some(object)) => {
                self.err(state, format!("(= {object} null)"), "true");
                let ty = self.unit.fields()[field.index()].ty.clone();
                let after = self.declare("heap", "Heap");
                let before = std::mem::replace(&mut state.heap, after.clone());
                let field = theory::field(self.unit, *field);
                let value = theory::wrap(&ty, &value);
                let _ = writeln!(self.text, "(assert (wrote {before} {after} {object} {field} {value}))");
                if !ty.is_reference() {
                    let _ = writeln!(self.text, "(assert (same_edges {before} {after}))");
                }
                Ok(())
            }
            _ => self.store(place, value, state),
        }
    }

    /// Assigns a variable.
    fn store(&mut self, place: &Place, value: String, state: &mut State) -> Result<(), Unsupported> {
        match place {
            Place::Local(id) => state.locals[id.index()] = self.define(&self.code.local(*id).ty, value),
            Place::Global(id) => state.globals[id.index()] = self.define(&self.unit.globals()[id.index()].ty, value),
            Place::Field(..) | Place::Index(..) => return Err(arrays()),
        }
        Ok(())
    }

    fn call(&mut self, stmt: &Stmt, call: &sites::Call<'_>, state: &mut State, path: &str) -> Result<(), Unsupported> {
        let &sites::Call { targets, callee, args } = call;
        let code = self.unit.procedure(self.version, callee);
        let args: Vec<String> = args
            .iter()
            .zip(code.param_ids())
            .map(|(arg, id)| Ok(theory::wrap(&code.local(id).ty, &self.value(arg, state, "true")?)))
            .collect::<Result<_, Unsupported>>()?;
        let when = self.define(&Type::Bool, all([path.to_string(), format!("(not {})", state.err)]));
        let globals: Vec<String> =
            self.unit.globals().iter().zip(&state.globals).map(|(g, term)| theory::wrap(&g.ty, term)).collect();
        let written = &self.effects[callee.index()].written_globals;
        let post = self.name("after");
        let globals_after = (0u32..)
            .zip(&globals)
            .map(|(at, before)| {
                let may_change = written.contains(&lang_l::hir::GlobalId(at));
                if may_change { format!("global{at}_{post}") } else { before.clone() }
            })
            .collect();
        let results = (0..code.results).map(|at| format!("result{at}_{post}")).collect();
        let (site, pre, failed) = (self.sites.number(stmt), state.heap.clone(), format!("failed_{post}"));
        let call = CallInstance { site, when, pre, post, args, globals, results, globals_after, failed };
        let _ = writeln!(self.text, "; call {}", code.name);
        self.text.push_str(&summary::declare(&call));
        if (self.summarised)(callee) {
            let fact = call.fact(code, self.version, &self.strategy, &self.token(site));
            let _ = writeln!(self.text, "(assert (=> {} {fact}))", call.when);
        }
        let modifies = self.modifies(callee, &call);
        self.text.push_str(&call.frame(self.unit, code, modifies.as_deref()));
        self.never_errs(callee, &call);
        for (place, (id, result)) in targets.iter().zip(code.result_ids().zip(&call.results)) {
            let value = theory::unwrap(&code.local(id).ty, result);
            self.store(place, value, state)?;
        }
        for (at, global) in self.unit.globals().iter().enumerate() {
            let assigned = targets.iter().any(|place| matches!(place, Place::Global(id) if id.index() == at));
            if call.globals_after[at] != call.globals[at] && !assigned {
                state.globals[at] = theory::unwrap(&global.ty, &call.globals_after[at]);
            }
        }
        self.err(state, format!("(= {} yes)", call.failed), "true");
        state.heap = call.post.clone();
        self.calls.push(call);
        Ok(())
    }

    /// What is known of the callee's errors: the paper's language has none.
    fn never_errs(&mut self, callee: ProcId, call: &CallInstance) {
        if let Some(params) = &self.effects[callee.index()].errs_only_if_null {
            let nulls = any(params.iter().map(|&at| format!("(= {} null)", call.args[at])));
            let _ = writeln!(self.text, "(assert (=> (and {} (= {} yes)) {nulls}))", call.when, call.failed);
        }
    }

    /// What is proved to be all that may change, if the callee declares a `modifies`: the paper infers none.
    fn modifies(&self, callee: ProcId, call: &CallInstance) -> Option<Vec<String>> {
        self.unit.procedure(self.version, callee).modifies.as_ref()?;
        let proved = self.effects[callee.index()].modifies.as_ref()?;
        proved.iter().map(|place| self.place_on_entry(place, call)).collect()
    }

    fn place_on_entry(&self, place: &Expr, call: &CallInstance) -> Option<String> {
        match &place.kind {
            ExprKind::Null => Some("null".into()),
            ExprKind::Local(id) => call.args.get(id.index()).cloned(),
            ExprKind::Global(id) => Some(call.globals[id.index()].clone()),
            ExprKind::Field(object, field) => {
                let object = self.place_on_entry(object, call)?;
                Some(format!("(read {} {object} {})", call.pre, theory::field(self.unit, *field)))
            }
            _ => None,
        }
    }

    fn merge(&mut self, cond: &str, then: &State, els: &State) -> State {
        let heap = if then.heap == els.heap {
            then.heap.clone()
        } else {
            let merged = self.declare("heap", "Heap");
            let _ = writeln!(self.text, "(assert (=> {cond} (= {merged} {})))", then.heap);
            let _ = writeln!(self.text, "(assert (=> (not {cond}) (= {merged} {})))", els.heap);
            merged
        };
        let (code, unit) = (self.code, self.unit);
        let mut choose = |ty: &Type, a: &String, b: &String| {
            if a == b { a.clone() } else { self.define(ty, format!("(ite {cond} {a} {b})")) }
        };
        let locals =
            (0..then.locals.len()).map(|at| choose(&code.locals[at].ty, &then.locals[at], &els.locals[at])).collect();
        let globals = (0..then.globals.len())
            .map(|at| choose(&unit.globals()[at].ty, &then.globals[at], &els.globals[at]))
            .collect();
        let err = choose(&Type::Bool, &then.err, &els.err);
        State { heap, locals, globals, err }
    }

    /// The value of an expression; what errs in it errs only when `guard` holds.
    fn value(&mut self, expr: &Expr, state: &mut State, guard: &str) -> Result<String, Unsupported> {
        Ok(match &expr.kind {
            ExprKind::Int(value) => integer(value),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Null => "null".into(),
            ExprKind::Local(id) => state.locals[id.index()].clone(),
            ExprKind::Global(id) => state.globals[id.index()].clone(),
            ExprKind::Field(object, field) => {
                let object = self.value(object, state, guard)?;
                self.err(state, format!("(= {object} null)"), guard);
                let ty = &self.unit.fields()[field.index()].ty;
                let read = format!("(read {} {object} {})", state.heap, theory::field(self.unit, *field));
                let value = self.define(&Type::Ref, read);
                self.text.push_str(&theory::typed(ty, &value).unwrap_or_default());
                theory::unwrap(ty, &value)
            }
            ExprKind::Unary(UnOp::Not, e) => format!("(not {})", self.value(e, state, guard)?),
            ExprKind::Unary(UnOp::Neg, e) => format!("(- {})", self.value(e, state, guard)?),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, state, guard)?,
            ExprKind::Cond(cond, a, b) => {
                let cond = self.value(cond, state, guard)?;
                let a = self.value(a, state, &all([guard.into(), cond.clone()]))?;
                let b = self.value(b, state, &all([guard.into(), format!("(not {cond})")]))?;
                format!("(ite {cond} {a} {b})")
            }
            ExprKind::Index(..) | ExprKind::Length(_) => return Err(arrays()),
            ExprKind::Call(..) => return Err(Unsupported("the program is not lowered".into())),
            ExprKind::Old(_) | ExprKind::Fresh(_) | ExprKind::Reach(..) | ExprKind::Quant { .. } => {
                return Err(Unsupported("an assertion has a form the encoding has no words for".into()));
            }
        })
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, state: &mut State, guard: &str) -> Result<String, Unsupported> {
        let a = self.value(a, state, guard)?;
        let lazy = match op {
            BinOp::And | BinOp::Implies => all([guard.into(), a.clone()]),
            BinOp::Or => all([guard.into(), format!("(not {a})")]),
            _ => guard.into(),
        };
        let b = self.value(b, state, &lazy)?;
        if matches!(op, BinOp::Div | BinOp::Rem) {
            self.err(state, format!("(= {b} 0)"), guard);
        }
        let quotient = || format!("(ite (>= {a} 0) (div {a} {b}) (- (div (- {a}) {b})))");
        Ok(match op {
            BinOp::Div => quotient(),
            BinOp::Rem => format!("(- {a} (* {b} {}))", quotient()),
            BinOp::Eq => format!("(= {a} {b})"),
            BinOp::Ne => format!("(not (= {a} {b}))"),
            BinOp::And => format!("(and {a} {b})"),
            BinOp::Or => format!("(or {a} {b})"),
            BinOp::Implies => format!("(=> {a} {b})"),
            BinOp::Mul | BinOp::Add | BinOp::Sub | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                format!("({} {a} {b})", op.symbol())
            }
        })
    }

    /// From here on the execution has ended in an error if `guard` and `condition` hold.
    fn err(&mut self, state: &mut State, condition: String, guard: &str) {
        let condition = all([guard.to_string(), condition]);
        state.err = self.define(&Type::Bool, any([state.err.clone(), condition]));
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}_{}", self.names, self.suffix)
    }

    fn declare(&mut self, stem: &str, sort: &str) -> String {
        let name = self.name(stem);
        let _ = writeln!(self.text, "(declare-const {name} {sort})");
        name
    }

    /// A name for a term, if it is no name already.
    fn define(&mut self, ty: &Type, term: String) -> String {
        if !term.starts_with('(') {
            return term;
        }
        let name = self.name("t");
        let _ = writeln!(self.text, "(define-fun {name} () {} {term})", theory::sort(ty));
        name
    }
}

/// What a local holds before the first assignment.
pub(super) fn default(code: &Procedure, id: LocalId) -> String {
    match code.local(id).ty {
        Type::Int => "0".into(),
        Type::Bool => "false".into(),
        _ => "null".into(),
    }
}

fn arrays() -> Unsupported {
    Unsupported("arrays are not in the paper's language".into())
}

fn integer(value: &num_bigint::BigInt) -> String {
    if value.sign() == num_bigint::Sign::Minus { format!("(- {})", value.magnitude()) } else { value.to_string() }
}

//! Calls: what one call leaves behind, and what two corresponding calls have in common.
//!
//! In: calls as the copies of the bodies make them. Out: SMT-LIB text: abstraction predicates and mutual summaries, one per
//! claimed pair; and for each call its frame.
//!
//! Rule *Mutual summary*: two matched calls start from regions that agree. Then either both fail, or the heaps after them
//! agree on all that either changed, and so do results and globals. The garbage the two make may differ, but nobody sees it:
//! each heap may be thought to hold the other's garbage too.
//!
//! Rule *Frame*: a call frees nothing. It changes only what its arguments or globals reach, or with a `modifies` that was
//! proved only what that names. What it hands out is null, from that region, or new.

use super::theory::{self, agree, all, any, sort};
use crate::goal::{Pair, Program};
use crate::lower::Lowered;
use lang_l::hir::{Global, Procedure, Type};
use std::fmt::Write;

/// A call as one copy of a body executes it. All values are wrapped.
#[derive(Clone, Debug)]
pub(super) struct CallInstance {
    /// Its site.
    pub(super) site: usize,
    /// The condition under which it is executed.
    pub(super) when: String,
    pub(super) pre: String,
    pub(super) post: String,
    pub(super) args: Vec<String>,
    pub(super) globals: Vec<String>,
    pub(super) results: Vec<String>,
    pub(super) globals_after: Vec<String>,
    /// `yes` when the call errs.
    pub(super) failed: String,
}

/// The objects from which a call sees the heap.
pub(super) fn roots(unit: &Lowered, code: &Procedure, args: &[String], globals: &[String]) -> Vec<String> {
    let reference = |ty: &Type, value: &String| ty.is_reference().then(|| value.clone());
    let params = code.param_ids().zip(args).filter_map(|(id, arg)| reference(&code.local(id).ty, arg));
    let globals = unit.globals().iter().zip(globals).filter_map(|(Global { ty, .. }, value)| reference(ty, value));
    params.chain(globals).collect()
}

/// The name of the abstraction predicate of a procedure in a version.
fn abstraction(code: &Procedure, version: usize) -> String {
    format!("|abs_{}_{version}|", code.name)
}

impl CallInstance {
    fn values(&self) -> impl Iterator<Item = &String> {
        let before = self.args.iter().chain(&self.globals);
        before.chain([&self.post]).chain(&self.results).chain(&self.globals_after).chain([&self.failed])
    }

    /// The fact that the call leaves behind for the mutual summaries.
    pub(super) fn fact(&self, code: &Procedure, version: usize, strategy: &str, token: &str) -> String {
        let values: Vec<&str> = self.values().map(String::as_str).collect();
        format!("({} {strategy} {token} {} {})", abstraction(code, version), self.pre, values.join(" "))
    }

    /// The regions that the two calls see agree: one direction implies the other, so proving either will do.
    pub(super) fn equal_from_params(&self, other: &CallInstance, unit: &Lowered, code: &Procedure) -> String {
        let same =
            |a: &[String], b: &[String]| a.iter().zip(b).map(|(a, b)| format!("(= {a} {b})")).collect::<Vec<_>>();
        let mut parts = same(&self.args, &other.args);
        parts.extend(same(&self.globals, &other.globals));
        let [left, right] = [self, other].map(|call| roots(unit, code, &call.args, &call.globals));
        parts.push(any([agree(&self.pre, &other.pre, &left), agree(&other.pre, &self.pre, &right)]));
        all(parts)
    }

    /// The frame, and that what the call leaves is a heap.
    pub(super) fn frame(&self, unit: &Lowered, code: &Procedure, modifies: Option<&[String]>) -> String {
        let CallInstance { when, pre, post, .. } = self;
        let roots = roots(unit, code, &self.args, &self.globals);
        let inside = |object: &str| any(roots.iter().map(|root| format!("(reach {pre} {root} {object})")));
        let touched = |object: &str| match modifies {
            Some(places) => any(places.iter().map(|place| format!("(= {object} {place})"))),
            None => inside(object),
        };
        let mut text = format!(
            "; what is allocated stays allocated; only what the arguments reach{} or what is new changes
(assert (forall ((a Value) (f Field))
  (! (=> {when} (or (= (read {post} a f) (read {pre} a f)) (and (not (= f alloc)) {touched}) (not (allocated {pre} a))))
     :pattern ((read {post} a f)))))
; a changed field holds null, a new object, or one that the arguments reached
(assert (forall ((a Value) (f Field))
  (! (=> (and {when} (ref_field f))
         (or (= (read {post} a f) (read {pre} a f)) {handed}))
     :pattern ((read {post} a f) (ref_field f)))))
",
            if modifies.is_some() { ", and of that only what `modifies` names," } else { "" },
            touched = touched("a"),
            handed = self.handed(&inside, &format!("(read {post} a f)")),
        );
        let _ = write!(
            text,
            "; what is reachable afterwards was so before, or was unallocated, or was reachable from the arguments;
; and a path that is new leads over an object that changed, or starts at a new one
(declare-fun first_changed_{post} (Value Value) Value)
(assert (forall ((r Value) (a Value))
  (! (=> (and {when} (reach {post} r a))
         (or (reach {pre} r a)
             (and (or (not (allocated {pre} r))
                      (and (reach {pre} r (first_changed_{post} r a)) {touched}))
                  (or (not (allocated {pre} a)) {inside}))))
     :pattern ((reach {post} r a)))))
",
            touched = touched(&format!("(first_changed_{post} r a)")),
            inside = inside("a"),
        );
        text.push_str(&theory::well_formed(post, when));
        let results = code.result_ids().map(|id| &code.local(id).ty).zip(&self.results);
        let globals = unit.globals().iter().map(|global| &global.ty).zip(&self.globals_after);
        for (ty, value) in results.chain(globals) {
            text.push_str(&theory::typed(ty, value).unwrap_or_default());
            if ty.is_reference() && !self.globals.contains(value) {
                let _ = writeln!(text, "(assert (=> {when} (or {})))", self.handed(&inside, value));
            }
        }
        text
    }

    /// Cases for a value that the call hands out.
    fn handed(&self, inside: &impl Fn(&str) -> String, value: &str) -> String {
        let CallInstance { pre, post, .. } = self;
        format!("(= {value} null) {} (and (allocated {post} {value}) (not (allocated {pre} {value})))", inside(value))
    }
}

/// Abstraction predicates of the claimed pairs among `pairs`, and a mutual summary for each.
pub(super) fn mutual_summaries(program: &Program<'_>, pairs: &[Pair]) -> String {
    let unit = program.unit;
    let mut text = String::from(
        "
; Figure 4: mutual summaries. `matches`: the calls correspond under the strategy; each call has at most one partner.
(declare-fun matches (Strategy Call Call) Bool)
",
    );
    let mut declared: Vec<(usize, &str)> = Vec::new();
    for &(left, right) in pairs {
        let codes = [(0, left), (1, right)].map(|(version, id)| (version, unit.procedure(version, id)));
        for (version, code) in codes {
            if !declared.contains(&(version, code.name.as_str())) {
                declared.push((version, &code.name));
                let values = format!(
                    "{}Heap {}Value",
                    "Value ".repeat(code.params + unit.globals().len()),
                    "Value ".repeat(code.results + unit.globals().len())
                );
                let _ =
                    writeln!(text, "(declare-fun {} (Strategy Call Heap {values}) Bool)", abstraction(code, version));
            }
        }
        text.push_str(&mutual_summary(unit, codes.map(|(_, code)| code)));
    }
    text
}

fn mutual_summary(unit: &Lowered, codes: [&Procedure; 2]) -> String {
    let [left, right] = [0, 1].map(|version| bound_call(unit, codes[version], version));
    let effects = [(&left, 0), (&right, 1)].map(|(call, v)| call.fact(codes[v], v, "s", &format!("c{v}")));
    let variables: Vec<String> = [&left, &right]
        .into_iter()
        .flat_map(|call| {
            let values = call.values().filter(|&value| *value != call.post).map(|value| format!("({value} Value)"));
            let heaps = [format!("({} Heap)", call.pre), format!("({} Heap)", call.post)];
            heaps.into_iter().chain(values).collect::<Vec<_>>()
        })
        .collect();
    let after = |call: &CallInstance| call.results.iter().chain(&call.globals_after).cloned().collect::<Vec<_>>();
    let mut same: Vec<String> = after(&left).iter().zip(after(&right)).map(|(a, b)| format!("(= {a} {b})")).collect();
    same.push(format!("(same_diff {} {} {} {})", left.pre, left.post, right.pre, right.post));
    format!(
        "(assert (forall ((s Strategy) (c0 Call) (c1 Call) {variables})
  (! (=> (and (matches s c0 c1) {fact0} {fact1}
              ; Heap#EqualFromParams
              {equal})
         (and (= {failed0} {failed1})
              (=> (not (= {failed0} yes)) {same})))
     :pattern ((matches s c0 c1) {fact0} {fact1}))))
",
        variables = variables.join(" "),
        fact0 = effects[0],
        fact1 = effects[1],
        equal = left.equal_from_params(&right, unit, codes[0]),
        failed0 = left.failed,
        failed1 = right.failed,
        same = all(same),
    )
}

/// A call all of whose parts are bound variables.
fn bound_call(unit: &Lowered, code: &Procedure, version: usize) -> CallInstance {
    let names = |stem: &str, count: usize| (0..count).map(|at| format!("{stem}{version}_{at}")).collect::<Vec<_>>();
    CallInstance {
        site: 0,
        when: "true".into(),
        pre: format!("pre{version}"),
        post: format!("post{version}"),
        args: names("x", code.params),
        globals: names("g", unit.globals().len()),
        results: names("y", code.results),
        globals_after: names("g_after", unit.globals().len()),
        failed: format!("failed{version}"),
    }
}

/// Declares the constants of a call.
pub(super) fn declare(call: &CallInstance) -> String {
    let mut text = format!("(declare-const {} Heap)\n", call.post);
    let new = call.globals_after.iter().filter(|&value| !call.globals.contains(value));
    for value in call.results.iter().chain(new).chain([&call.failed]) {
        let _ = writeln!(text, "(declare-const {value} {})", sort(&Type::Ref));
    }
    text
}

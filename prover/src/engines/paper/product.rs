//! The product procedure: both bodies, once per strategy, and one assertion at the end.
//!
//! In: a pair and the claims it may rest on. Out: one SMT-LIB text; unsatisfiable means that the [`PaperGoal`] holds.
//!
//! Invariant: the text is a function of the program, the pair and the claims alone.

use super::Unsupported;
use super::angels::{self, Strategy};
use super::copy::{self, Copy, State};
use super::sites::Sites;
use super::summary::{self, CallInstance};
use super::theory::{self, all, any};
use crate::goal::{Pair, Program};
use lang_l::hir::{ProcId, Procedure};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is asked of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperGoal {
    /// Under some strategy both fail, or both end in stores that are equal but for garbage.
    SameStores,
    /// Under some strategy every call that might not end has a partner that is executed from an equal region.
    SameCalls,
    /// Nothing that is true: to see whether the assumptions contradict each other.
    Absurd,
}

impl PaperGoal {
    /// The goal in a few words.
    pub fn words(self) -> &'static str {
        match self {
            PaperGoal::SameStores => "equal final stores",
            PaperGoal::SameCalls => "mutual termination",
            PaperGoal::Absurd => "falsehood",
        }
    }
}

/// The text for `pair`, whose calls may rest on `claims`. Both procedures have bodies and the same signature.
pub fn encode(
    program: &Program<'_>,
    pair: Pair,
    claims: &BTreeSet<Pair>,
    goal: PaperGoal,
) -> Result<String, Unsupported> {
    let codes = [(0, pair.0), (1, pair.1)].map(|(version, id)| program.unit.procedure(version, id));
    let sites = codes.map(Sites::of);
    let strategies = angels::strategies([&sites[0], &sites[1]], claims)?;
    let met = |&(left, right): &Pair| sites[0].calls.contains(&left) && sites[1].calls.contains(&right);
    let summarised: Vec<Pair> = claims.iter().copied().filter(met).collect();
    let product = Product { program, codes, sites: &sites, summarised: &summarised, goal };
    let mut text = format!(
        "; {} of {} and {}; unsatisfiable when it holds.
; z3 auto_config=false smt.mbqi=false smt.case_split=3 smt.delay_units=true
",
        goal.words(),
        codes[0].name,
        codes[1].name
    );
    text.push_str(&theory::preamble(program.unit));
    text.push_str(&summary::mutual_summaries(program, &summarised));
    text.push_str(&product.front());
    let mut refuted = Vec::new();
    for (number, strategy) in strategies.iter().enumerate() {
        let (copies, counterexample) = product.strategy(number, strategy)?;
        text.push_str(&copies);
        refuted.push(counterexample);
    }
    if goal != PaperGoal::Absurd {
        text.push_str("\n; The assertion: one of the strategies does it. Negated, as every query is.\n");
        for (number, counterexample) in refuted.iter().enumerate() {
            let _ = writeln!(text, "; not strategy {number}\n(assert {counterexample})");
        }
    }
    Ok(text)
}

struct Product<'a> {
    program: &'a Program<'a>,
    codes: [&'a Procedure; 2],
    sites: &'a [Sites; 2],
    summarised: &'a [Pair],
    goal: PaperGoal,
}

impl Product<'_> {
    /// The store that all copies start from.
    fn front(&self) -> String {
        let mut text = String::from(
            "\n; Figure 2: product procedure. Both versions start from one store: heap `initial`, the parameters, the globals.
(declare-const initial Heap)\n",
        );
        text.push_str(&theory::well_formed("initial", "true"));
        let params = self.codes[0].param_ids().map(|id| (format!("param{}", id.0), &self.codes[0].local(id).ty));
        let globals = self.program.unit.globals().iter().enumerate().map(|(at, g)| (format!("global{at}"), &g.ty));
        for (name, ty) in params.chain(globals) {
            let _ = writeln!(text, "(declare-const {name} {})", theory::sort(ty));
            if ty.is_reference() {
                let _ = writeln!(text, "(assert (or (= {name} null) (allocated initial {name})))");
            }
        }
        text
    }

    /// The text of one strategy, and a formula that says that the strategy does not reach the goal.
    fn strategy(&self, number: usize, strategy: &Strategy) -> Result<(String, String), Unsupported> {
        let name = format!("strategy{number}");
        let mut text =
            format!("\n; Strategy {number}: allocations {:?}, calls {:?}\n", strategy.allocations, strategy.calls);
        let _ = writeln!(text, "(declare-const {name} Strategy)");
        let left = |id: ProcId| self.summarised.iter().any(|pair| pair.0 == id);
        let right = |id: ProcId| self.summarised.iter().any(|pair| pair.1 == id);
        let summarised: [&dyn Fn(ProcId) -> bool; 2] = [&left, &right];
        let mut copies = [0, 1].map(|version| {
            Copy::new(
                (self.program, version),
                self.codes[version],
                &self.sites[version],
                (format!("s{number}v{version}"), name.clone()),
                summarised[version],
            )
        });
        self.hoist(&copies, strategy, &name, &mut text);
        let mut ends = Vec::new();
        for version in [0, 1] {
            let copy = &mut copies[version];
            let state = self.start(version, copy);
            let _ = writeln!(copy.text, "; inline {} of version {version}", self.codes[version].name);
            let body = self.codes[version].body.as_ref();
            ends.push(match body {
                Some(body) => copy.body(body, state)?,
                None => return Err(Unsupported("an external procedure has no body to copy".into())),
            });
            text.push_str(&copy.text);
        }
        let counterexample = match self.goal {
            PaperGoal::SameStores => self.stores_differ(number, &ends[0], &ends[1], &mut text),
            PaperGoal::SameCalls => self.calls_differ(strategy, [&copies[0].calls, &copies[1].calls]),
            PaperGoal::Absurd => "true".into(),
        };
        Ok((text, counterexample))
    }

    /// All allocations, hoisted to the front, and the angelic choices.
    fn hoist(&self, copies: &[Copy<'_>; 2], strategy: &Strategy, name: &str, text: &mut String) {
        let mut objects = Vec::new();
        for version in [0, 1] {
            for site in 0..self.sites[version].allocations.len() {
                let object = copies[version].object(site);
                let _ = writeln!(text, "(declare-const {object} Value)");
                let paired = version == 1 && strategy.allocations.iter().any(|&(_, right)| right == site);
                if !paired {
                    let _ = writeln!(text, "(assert (not (allocated initial {object})))");
                    objects.push(object);
                }
            }
            for site in 0..self.sites[version].calls.len() {
                let _ = writeln!(text, "(declare-const {} Call)", copies[version].token(site));
            }
        }
        if !objects.is_empty() {
            let _ = writeln!(text, "(assert (distinct null {}))", objects.join(" "));
        }
        for &(left, right) in &strategy.allocations {
            let _ = writeln!(text, "(assert (= {} {}))", copies[0].object(left), copies[1].object(right));
        }
        for &(left, right) in &strategy.calls {
            let _ = writeln!(text, "(assert (matches {name} {} {}))", copies[0].token(left), copies[1].token(right));
        }
    }

    /// The state in which a copy starts: all its objects allocated.
    fn start(&self, version: usize, copy: &mut Copy<'_>) -> State {
        let code = self.codes[version];
        let heap = format!("start_{}", copy.suffix);
        let new = any((0..self.sites[version].allocations.len()).map(|site| format!("(= a {})", copy.object(site))));
        let _ = write!(
            copy.text,
            "; the heap of version {version} with its new objects
(declare-const {heap} Heap)
(assert (forall ((a Value) (f Field))
  (! (= (read {heap} a f) (ite (and (= f alloc) {new}) yes (read initial a f))) :pattern ((read {heap} a f)))))
(assert (same_edges initial {heap}))
"
        );
        let params = code.param_ids().map(|id| format!("param{}", id.0));
        let others = (code.params..code.locals.len()).map(|at| copy::default(code, lang_l::hir::LocalId(id(at))));
        let globals = (0..self.program.unit.globals().len()).map(|at| format!("global{at}")).collect();
        State { heap, locals: params.chain(others).collect(), globals, err: "false".into() }
    }

    /// Figure 3: the final stores are not equal on all that can be reached from what was allocated on entry, the globals
    /// and the results; or only one of the two has failed. Agreement in one direction implies the other, so a difference
    /// must show in both.
    fn stores_differ(&self, number: usize, left: &State, right: &State, text: &mut String) -> String {
        let variables = |state: &State, version: usize| {
            let code = self.codes[version];
            let results = code.result_ids().map(|id| (code.local(id).ty.clone(), state.locals[id.index()].clone()));
            let globals =
                self.program.unit.globals().iter().zip(&state.globals).map(|(g, term)| (g.ty.clone(), term.clone()));
            results.chain(globals).collect::<Vec<_>>()
        };
        let (left_out, right_out) = (variables(left, 0), variables(right, 1));
        let differ = any(left_out.iter().zip(&right_out).map(|((_, a), (_, b))| format!("(not (= {a} {b}))")));
        let mut sides = Vec::new();
        let directions = [(left, right, &left_out), (right, left, &right_out)];
        for (version, (from, to, roots)) in directions.into_iter().enumerate() {
            let [root, object, field] = ["root", "object", "field"].map(|stem| format!("{stem}_s{number}v{version}"));
            let _ = writeln!(
                text,
                "(declare-const {root} Value)\n(declare-const {object} Value)\n(declare-const {field} Field)"
            );
            let named = roots.iter().filter(|(ty, _)| ty.is_reference()).map(|(_, term)| format!("(= {root} {term})"));
            let is_root = any([format!("(allocated initial {root})")].into_iter().chain(named));
            sides.push(all([
                is_root,
                format!("(reach {} {root} {object})", from.heap),
                format!("(not (= {field} alloc))"),
                format!("(not (= (read {} {object} {field}) (read {} {object} {field})))", from.heap, to.heap),
            ]));
        }
        let (e0, e1) = (&left.err, &right.err);
        let normal = all([format!("(not {e0})"), format!("(not {e1})"), any([differ, all(sides)])]);
        any([format!("(not (= {e0} {e1}))"), normal])
    }

    /// Some call that might not end has no partner that is executed from an equal region.
    fn calls_differ(&self, strategy: &Strategy, calls: [&[CallInstance]; 2]) -> String {
        let mut lonely = Vec::new();
        for version in [0, 1] {
            for call in calls[version] {
                let callee = self.sites[version].calls[call.site];
                if self.program.effects[version][callee.index()].terminates {
                    continue;
                }
                let code = self.program.unit.procedure(version, callee);
                let other = 1 - version;
                let partner = strategy
                    .calls
                    .iter()
                    .map(|&(left, right)| [left, right])
                    .find(|matched| matched[version] == call.site)
                    .map(|matched| matched[other]);
                let partners = calls[other].iter().filter(|candidate| Some(candidate.site) == partner);
                let met = any(partners.map(|candidate| {
                    all([candidate.when.clone(), call.equal_from_params(candidate, self.program.unit, code)])
                }));
                lonely.push(all([call.when.clone(), format!("(not {met})")]));
            }
        }
        any(lonely)
    }
}

fn id(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

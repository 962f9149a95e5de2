//! Procedures over integers, by constrained Horn clauses.
//!
//! In: a pair of procedures that touch no heap. Out: whether the clauses have a solution, which proves partial equivalence.
//! Calls and loops of the two versions need not match one to one. One version may peel or unroll a loop, count the other
//! way, use other variables, or use recursion for a loop.
//!
//! Rule *Horn* (`proofs/soundness.md`). A relation `both_p_q(in, in', out, out')` holds at least of all pairs of ending
//! executions of p and q; `one_p(in, out)` of all ending executions of p. For each pair of paths there is a clause: what
//! holds of the pairs of calls within implies what holds of the whole. Calls are paired in order; a call with no partner is
//! paired with the whole other side when it is recursive, so one side may go on while the other waits. Equal inputs must
//! not lead to different outputs. Compare Felsing, Grebing, Klebanov, Rümmer, Ulbrich, "Automating regression
//! verification" (ASE 2014), and the mutual summaries of Hawblitzel et al.
//!
//! Invariant: only over-approximates: leaving out a conjunct of a body is always sound.

use super::{Engine, relational};
use crate::budget::fragments::MAX_PROCEDURES;
use crate::budget::horn::{MAX_OUTCOMES, UNROLLINGS};
use crate::engines::fragments::heapless;
use crate::goal::{Goal, Pair, PairProof, Program, Rule};
use kernel::effects::Effects;
use kernel::exec::on_entry;
use kernel::exec::state::Outcome;
use kernel::exec::{Executor, Limits, execute};
use lang_l::hir::{GlobalId, ProcId, Procedure};
use smt::arena::Arena;
use smt::obligation::{operation, sort_name};
use smt::solve::{Answer, Solver};
use smt::term::{CallId, Ending, Func, Node, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// By constrained Horn clauses.
static HORN: Rule = Rule {
    name: "horn",
    sentence: "proved by an invariant that relates both, found by solving Horn clauses",
    argument: "Horn",
    // It asks few queries.
    share: 12,
};

/// Rule *Horn*.
pub(crate) struct Horn;

impl Engine for Horn {
    fn rule(&self) -> &'static Rule {
        &HORN
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        let is_heapless = (0..2).all(|version| heapless(goal.program, version, goal.id(version)));
        relational::is_open(goal) && is_heapless
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        if prove(goal.program, goal.pair, solver) {
            return relational::proof(goal, &HORN, relational::level(goal, false), None);
        }
        relational::nothing(goal, &HORN)
    }
}

/// Whether the clauses of some alignment prove the pair partially equivalent.
fn prove(program: &Program<'_>, pair: Pair, solver: &mut Solver) -> bool {
    let recursive = |version: usize, id: ProcId| {
        let effects = &program.effects[version];
        effects[id.index()].callees.iter().any(|callee| effects[callee.index()].recursive(*callee))
    };
    let loops = [recursive(0, pair.0), recursive(1, pair.1)];
    if !loops[0] && !loops[1] {
        return false;
    }
    UNROLLINGS.iter().any(|unroll| {
        // There is nothing to unroll on a side without recursion.
        let useful = (0..2).all(|version| unroll[version] == 0 || loops[version]);
        useful && Clauses::of(program, pair, *unroll).is_some_and(|text| solver.satisfies_horn(&text) == Answer::Holds)
    })
}

/// The clauses of one alignment, as they are built.
struct Clauses<'a> {
    program: &'a Program<'a>,
    unroll: [usize; 2],
    /// The globals either side looks at: part of every input and output.
    globals: Vec<GlobalId>,
    sides: [Side<'a>; 2],
    declared: BTreeSet<String>,
    text: String,
    /// Relations whose clauses are still to be written.
    work: Vec<Relation>,
}

/// One version, executed procedure by procedure.
struct Side<'a> {
    version: usize,
    effects: &'a [Effects],
    arena: Arena,
    outcomes: BTreeMap<ProcId, Vec<Outcome>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Both(Pair),
    One(usize, ProcId),
}

/// Texts of the values that go in and come out of an execution or a call.
struct Ends {
    input: Vec<String>,
    output: Vec<String>,
}

impl<'a> Clauses<'a> {
    /// The whole problem as SMT-LIB; `None` when it is too big.
    fn of(program: &'a Program<'a>, pair: Pair, unroll: [usize; 2]) -> Option<String> {
        let side = |version: usize| Side {
            version,
            effects: &program.effects[version],
            arena: program.unit.arena(),
            outcomes: BTreeMap::new(),
        };
        let globals: BTreeSet<GlobalId> = [pair.0, pair.1]
            .into_iter()
            .enumerate()
            .flat_map(|(version, id)| program.effects[version][id.index()].globals.iter().copied())
            .collect();
        let mut clauses = Clauses {
            program,
            unroll,
            globals: globals.into_iter().collect(),
            sides: [side(0), side(1)],
            declared: BTreeSet::new(),
            text: String::from("(set-logic HORN)\n(declare-fun fail () Bool)\n"),
            work: Vec::new(),
        };
        clauses.query(pair)?;
        while let Some(relation) = clauses.work.pop() {
            match relation {
                Relation::Both(pair) => clauses.both(pair)?,
                Relation::One(version, id) => clauses.one(version, id)?,
            }
        }
        clauses.text.push_str("; satisfiable together with (not fail): the pair is partially equivalent\n");
        Some(clauses.text)
    }

    fn code(&self, version: usize, id: ProcId) -> &'a Procedure {
        self.program.unit.procedure(version, id)
    }

    /// Equal inputs that both sides allow lead to equal outputs.
    fn query(&mut self, pair: Pair) -> Option<()> {
        let left = self.variables(0, pair.0, "a");
        let right = self.variables(1, pair.1, "b");
        let mut body =
            vec![self.relation(Relation::Both(pair), &[&left.input, &right.input, &left.output, &right.output])];
        body.extend(left.input.iter().zip(&right.input).map(|(a, b)| format!("(= {a} {b})")));
        let mut same = vec![format!("(= {} {})", left.output[0], right.output[0])];
        let values: Vec<String> = left.output[1..]
            .iter()
            .zip(&right.output[1..])
            .skip(usize::from(faults::planted("engines/horn/endings-equal")))
            .map(|(a, b)| format!("(= {a} {b})"))
            .collect();
        same.push(format!("(or (= {} 1) (and true {}))", left.output[0], values.join(" ")));
        body.push(format!("(not (and {}))", same.join(" ")));
        if faults::planted("engines/horn/calls-unpaired") {
            body.push("false".into());
        }
        let mut variables = self.sorted_variables(0, pair.0, &left);
        variables.extend(self.sorted_variables(1, pair.1, &right));
        self.clause(&variables, &body, "fail");
        Some(())
    }

    /// Inputs and outputs as variables: parameters and globals; ending, results and globals.
    fn variables(&self, version: usize, id: ProcId, prefix: &str) -> Ends {
        let code = self.code(version, id);
        let mut input: Vec<String> = (0..code.params).map(|at| format!("{prefix}_x{at}")).collect();
        input.extend(self.globals.iter().map(|g| format!("{prefix}_g{}", g.0)));
        let mut output = vec![format!("{prefix}_end")];
        output.extend((0..code.results).map(|at| format!("{prefix}_r{at}")));
        output.extend(self.globals.iter().map(|g| format!("{prefix}_h{}", g.0)));
        Ends { input, output }
    }

    fn sorts(&self, version: usize, id: ProcId) -> (Vec<Sort>, Vec<Sort>) {
        let code = self.code(version, id);
        let global_sorts = || self.globals.iter().map(|g| Sort::from(&self.program.unit.globals()[g.index()].ty));
        let locals = |from: usize, count: usize| code.locals[from..from + count].iter().map(|l| Sort::from(&l.ty));
        let input = locals(0, code.params).chain(global_sorts()).collect();
        let output = [Sort::Int].into_iter().chain(locals(code.params, code.results)).chain(global_sorts()).collect();
        (input, output)
    }

    fn sorted_variables(&self, version: usize, id: ProcId, ends: &Ends) -> BTreeMap<String, Sort> {
        let (input, output) = self.sorts(version, id);
        let names = ends.input.iter().chain(&ends.output).cloned();
        names.zip(input.into_iter().chain(output)).collect()
    }

    /// A relation applied; declares it, and sees to its clauses, when it is met first.
    fn relation(&mut self, relation: Relation, args: &[&Vec<String>]) -> String {
        let (name, parts) = match relation {
            Relation::Both((p, q)) => (format!("both_{}_{}", p.0, q.0), vec![(0, p), (1, q)]),
            Relation::One(version, id) => (format!("one{version}_{}", id.0), vec![(version, id)]),
        };
        if self.declared.insert(name.clone()) {
            let (inputs, outputs): (Vec<_>, Vec<_>) = parts.iter().map(|&(v, id)| self.sorts(v, id)).unzip();
            let sorts: Vec<&str> = inputs.into_iter().chain(outputs).flatten().map(sort_name).collect();
            let _ = writeln!(self.text, "(declare-fun {name} ({}) Bool)", sorts.join(" "));
            self.work.push(relation);
        }
        let args: Vec<&str> = args.iter().flat_map(|list| list.iter().map(String::as_str)).collect();
        if args.is_empty() { name } else { format!("({name} {})", args.join(" ")) }
    }

    fn clause(&mut self, variables: &BTreeMap<String, Sort>, body: &[String], head: &str) {
        let bound: Vec<String> =
            variables.iter().map(|(name, sort)| format!("({name} {})", sort_name(*sort))).collect();
        let implication = format!("(=> (and true {}) {head})", body.join(" "));
        let _ = if bound.is_empty() {
            writeln!(self.text, "(assert {implication})")
        } else {
            writeln!(self.text, "(assert (forall ({}) {implication}))", bound.join(" "))
        };
    }

    /// The clauses of `one`: one for each path.
    fn one(&mut self, version: usize, id: ProcId) -> Option<()> {
        for outcome in self.outcomes(version, id)? {
            let mut path = self.path(version, id, &outcome);
            for &call in &outcome.calls {
                let (callee, ends) = self.call(version, call, &mut path);
                let known = self.relation(Relation::One(version, callee), &[&ends.input, &ends.output]);
                path.body.push(known);
            }
            let head = self.relation(Relation::One(version, id), &[&path.ends.input, &path.ends.output]);
            self.clause(&path.variables, &path.body, &head);
        }
        Some(())
    }

    /// The clauses of `both`: one for each pair of paths.
    fn both(&mut self, pair: Pair) -> Option<()> {
        let (lefts, rights) = (self.outcomes(0, pair.0)?, self.outcomes(1, pair.1)?);
        for left in &lefts {
            for right in &rights {
                self.both_paths(pair, left, right);
            }
        }
        Some(())
    }

    fn both_paths(&mut self, pair: Pair, left: &Outcome, right: &Outcome) {
        let mut paths = [self.path(0, pair.0, left), self.path(1, pair.1, right)];
        let mut calls: [Vec<(ProcId, Ends)>; 2] = [Vec::new(), Vec::new()];
        for (version, outcome) in [(0, left), (1, right)] {
            for &call in &outcome.calls {
                let made = self.call(version, call, &mut paths[version]);
                calls[version].push(made);
            }
        }
        let mut body: Vec<String> = paths.iter().flat_map(|path| path.body.iter().cloned()).collect();
        let [mine, theirs] = &calls;
        let mut taken = vec![false; theirs.len()];
        for (p, left) in mine {
            let partner = (0..theirs.len()).find(|&at| !taken[at] && self.pairable(pair, (*p, theirs[at].0)));
            match partner {
                Some(at) => {
                    taken[at] = true;
                    let (q, right) = &theirs[at];
                    let args = [&left.input, &right.input, &left.output, &right.output];
                    body.push(self.relation(Relation::Both((*p, *q)), &args));
                }
                None if *p == pair.0 => {
                    let whole = &paths[1].ends;
                    let args = [&left.input, &whole.input, &left.output, &whole.output];
                    body.push(self.relation(Relation::Both(pair), &args));
                }
                None => body.push(self.relation(Relation::One(0, *p), &[&left.input, &left.output])),
            }
        }
        for ((q, right), _) in theirs.iter().zip(&taken).filter(|(_, taken)| !**taken) {
            if *q == pair.1 {
                let whole = &paths[0].ends;
                let args = [&whole.input, &right.input, &whole.output, &right.output];
                body.push(self.relation(Relation::Both(pair), &args));
            } else {
                body.push(self.relation(Relation::One(1, *q), &[&right.input, &right.output]));
            }
        }
        let [a, b] = &paths;
        let args = [&a.ends.input, &b.ends.input, &a.ends.output, &b.ends.output];
        let head = self.relation(Relation::Both(pair), &args);
        let variables = a.variables.iter().chain(&b.variables).map(|(name, sort)| (name.clone(), *sort)).collect();
        self.clause(&variables, &body, &head);
    }

    /// Whether a call of one side is a likely partner for one of the other: both go on with the pair at hand, or neither.
    fn pairable(&self, whole: Pair, calls: Pair) -> bool {
        (calls.0 == whole.0) == (calls.1 == whole.1)
    }

    /// The ending outcomes of a procedure.
    fn outcomes(&mut self, version: usize, id: ProcId) -> Option<Vec<Outcome>> {
        if let Some(known) = self.sides[version].outcomes.get(&id) {
            return Some(known.clone());
        }
        let unit = self.program.unit;
        let depth = self.unroll[version];
        let side = &mut self.sides[version];
        let mut executor = Executor::new(unit.as_unit(), version, side.effects, Limits::default(), &mut side.arena);
        let (_, assumed, _) = on_entry(&mut executor, id);
        // A procedure that does not recur is executed in place altogether; one that does as often as is asked.
        let inline = |callee: &ProcId| depth > 0 || !side.effects[callee.index()].recursive(*callee);
        let limits = Limits {
            inline: side.effects[id.index()].callees.iter().copied().filter(inline).collect(),
            inline_depth: if depth > 0 { depth } else { MAX_PROCEDURES },
            ..Limits::default()
        };
        let execution =
            execute(unit.as_unit(), side.version, side.effects, &limits, &mut side.arena, (id, &assumed)).ok()?;
        let mut found = execution.outcomes;
        found.retain(|outcome| {
            outcome.ending != Ending::Diverges
                && !(faults::planted("engines/horn/errors-dropped") && outcome.ending == Ending::Error)
        });
        if found.len() > MAX_OUTCOMES {
            return None;
        }
        side.outcomes.insert(id, found.clone());
        Some(found)
    }

    /// The path condition and the ends of an outcome as text.
    fn path(&self, version: usize, id: ProcId, outcome: &Outcome) -> Path {
        let prefix = ["a", "b"][version];
        let ends = self.variables(version, id, prefix);
        let mut variables = self.sorted_variables(version, id, &ends);
        for name in &ends.output {
            variables.remove(name);
        }
        let mut path = Path { prefix, variables, body: Vec::new(), ends };
        for &condition in &outcome.path {
            let text = self.text_of(version, condition, &mut path);
            path.body.push(text);
        }
        let mut output = vec![if outcome.ending == Ending::Normal { "0" } else { "1" }.to_string()];
        if outcome.ending == Ending::Normal {
            output.extend(outcome.results.iter().map(|&value| self.text_of(version, value, &mut path)));
            let globals: Vec<Term> = self.globals.iter().map(|g| outcome.globals[g.index()]).collect();
            output.extend(globals.into_iter().map(|value| self.text_of(version, value, &mut path)));
        } else {
            let (_, sorts) = self.sorts(version, id);
            // What an erring execution would return is nobody's: any value will do, and callers assume none.
            for (at, sort) in sorts.iter().enumerate().skip(1) {
                let name = format!("{prefix}_none{at}");
                path.variables.insert(name.clone(), *sort);
                output.push(name);
            }
        }
        path.ends.output = output;
        path
    }

    /// The ends of a call on a path, as text: its arguments, and variables for what it returns.
    fn call(&self, version: usize, call: CallId, path: &mut Path) -> (ProcId, Ends) {
        let record = self.sides[version].arena.record(call).clone();
        let mut input: Vec<String> = record.args.iter().map(|&arg| self.text_of(version, arg, path)).collect();
        let globals: Vec<Term> = self.globals.iter().map(|g| record.globals[g.index()]).collect();
        input.extend(globals.iter().map(|&value| self.text_of(version, value, path)));
        let (_, sorts) = self.sorts(version, record.callee);
        let mut output = vec![path.variable(Func::Ending(call), Sort::Int)];
        let code = self.code(version, record.callee);
        for (at, sort) in (0u32..).zip(&sorts[1..=code.results]) {
            output.push(path.variable(Func::Result(call, at), *sort));
        }
        let written = &self.sides[version].effects[record.callee.index()].written_globals;
        for ((global, before), sort) in self.globals.iter().zip(&globals).zip(&sorts[1 + code.results..]) {
            // A global that the callee does not write comes out as it went in.
            output.push(if written.contains(global) {
                path.variable(Func::GlobalAfter(call, global.0), *sort)
            } else {
                self.text_of(version, *before, path)
            });
        }
        (record.callee, Ends { input, output })
    }

    fn text_of(&self, version: usize, term: Term, path: &mut Path) -> String {
        let arena = &self.sides[version].arena;
        let mut names: BTreeMap<Term, String> = BTreeMap::new();
        fn visit(arena: &Arena, term: Term, path: &mut Path, names: &mut BTreeMap<Term, String>) {
            if names.contains_key(&term) {
                return;
            }
            let node = arena.terms.node(term);
            for part in node.children() {
                visit(arena, part, path, names);
            }
            let text = match node {
                Node::App(func, _) => path.variable(*func, arena.terms.sort(term)),
                // Either truth value: that only adds derivations.
                Node::Forall(..) => path.variable(Func::Witness(term), Sort::Bool),
                node => operation(node, &|part| names[&part].clone()),
            };
            names.insert(term, text);
        }
        visit(arena, term, path, &mut names);
        names.remove(&term).unwrap_or_default()
    }
}

/// One path as text.
struct Path {
    prefix: &'static str,
    variables: BTreeMap<String, Sort>,
    body: Vec<String>,
    ends: Ends,
}

impl Path {
    /// The variable for a symbol; quantified by the clause.
    fn variable(&mut self, func: Func, sort: Sort) -> String {
        let prefix = self.prefix;
        let name = match func {
            Func::Param(at) => format!("{prefix}_x{at}"),
            Func::Global(at) => format!("{prefix}_g{at}"),
            Func::Ending(call) => format!("{prefix}_c{}_end", call.0),
            Func::Result(call, at) => format!("{prefix}_c{}_r{at}", call.0),
            Func::GlobalAfter(call, at) => format!("{prefix}_c{}_h{at}", call.0),
            Func::Skolem(at) => format!("{prefix}_any{at}"),
            other => format!("{prefix}_{}", format!("{other:?}").replace(|c: char| !c.is_alphanumeric(), "_")),
        };
        self.variables.insert(name.clone(), sort);
        name
    }
}

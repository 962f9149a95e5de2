//! Proving pairs: every path of one version against every path of the other, and the fixpoint over all pairs.
//!
//! In: a lowered pair program, the facts and contracts of both versions. Out: a [`PairProof`] for each pair, with the
//! claims about other pairs it rests on, and the [`Evidence`] by which [`confirm()`] checks it again.
//!
//! Rule *Induction*: all candidate pairs are claimed at first; each is proved under the claims; a claim whose proof fails is
//! lowered or dropped, and what rested on it is proved again. What is left at the end proves itself, by induction over the
//! depth of calls (partial equivalence) and then over the size of the terminating side (mutual termination).

mod confirm;
mod paths;

pub use confirm::{Claim, confirm};

use crate::contracts::on_entry;
use crate::couple;
use crate::exec::{Executor, Limits};
use crate::facts::{Facts, direct_callees};
use crate::horn;
use crate::lower::{is_loop, same_signature};
use crate::product;
use crate::relate::{self, Alignment, Claims, Gap, Level, Relation};
use crate::solve::{Breakdown, Solver, Task};
use crate::state::{Outcome, World};
use crate::term::Term;
use crate::unroll::{INLINE_DEPTH, Plan, unrollings};
use lang_l::hir::{Expr, ProcId, Procedure, Unit};
use lang_l::hir_same::same_code;
use lang_l::source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The engines over integers are several, and what one does not find soon it seldom finds: each query gets this part of
/// the budget. Couplings ask many queries, Horn clauses one.
const PRODUCT_SHARE: u32 = 100;
const COUPLING_SHARE: u32 = 60;
const HORN_SHARE: u32 = 12;

/// More pairs of procedures without partners than this are not tried.
const MAX_STRANGERS: usize = 16;

/// A pair of procedures: of version 0 and of version 1.
pub type Pair = (ProcId, ProcId);

/// What could be shown of a pair.
#[derive(Clone, Debug)]
pub struct PairProof {
    /// The level reached; `None` when not even partial equivalence was proved.
    pub level: Option<Level>,
    /// The claims it rests on.
    pub used: Claims,
    /// How it was proved.
    pub method: Method,
    /// Why not (or why only partially).
    pub gap: Option<Gap>,
    /// For each pair of normal outcomes, which places correspond: allocation sites of version 0 and of version 1.
    pub correspondence: BTreeSet<(Span, Span)>,
    /// Matched calls, by their places.
    pub matched_calls: BTreeSet<(Span, Span)>,
    /// How many paths of the two versions were related.
    pub relations: usize,
    /// How long the search for it took.
    pub time: Duration,
    /// What has to be known to check it again without a search; `None` where it cannot be written down.
    pub evidence: Option<Evidence>,
}

/// How a pair was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The two are the same code, and their callees are equivalent.
    SameCode,
    /// Path by path, every call taken by its summary.
    Summaries,
    /// Path by path, with calls of procedures that do not recur executed in place.
    Inlining,
    /// Path by path, with all turns of a loop taken at once where that can be said.
    Turns,
    /// Path by path, with recursive calls executed in place once or twice: what was peeled or unrolled.
    Unrolling,
    /// By a product of both and invariants found from runs, for loops over integers.
    Product,
    /// By mutual summaries found from runs, for procedures over integers.
    Coupling,
    /// By closed forms of what recurs, for procedures over integers.
    ClosedForm,
    /// By constrained Horn clauses, for procedures over integers.
    Horn,
    /// By the paper's encoding: one query for all strategies.
    Paper,
    /// Both are external, hence the same unknown procedure.
    External,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 11] = [
        Method::SameCode,
        Method::Summaries,
        Method::Inlining,
        Method::Turns,
        Method::Unrolling,
        Method::Product,
        Method::Coupling,
        Method::ClosedForm,
        Method::Horn,
        Method::Paper,
        Method::External,
    ];

    /// What reports call it.
    pub fn word(self) -> &'static str {
        match self {
            Method::SameCode => "same-code",
            Method::Summaries => "summaries",
            Method::Inlining => "inlining",
            Method::Turns => "turns",
            Method::Unrolling => "unrolling",
            Method::Product => "product",
            Method::Coupling => "coupling",
            Method::ClosedForm => "closed-form",
            Method::Horn => "horn-clauses",
            Method::Paper => "paper",
            Method::External => "external",
        }
    }
}

/// What a proof did, to be followed by [`confirm()`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing but looking at the two was needed.
    Plain,
    /// Path by path.
    Paths(PathsEvidence),
    /// Equations between calls.
    Coupling(couple::Evidence),
}

/// What a proof by paths did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathsEvidence {
    /// How the two were executed.
    pub plan: Plan,
    /// How outcomes were related, by their numbers; those that are not named contradict each other in plain sight.
    pub relations: BTreeMap<(usize, usize), relate::Evidence>,
}

/// A lowered pair program with all that is known of it.
pub struct Program<'a> {
    /// The lowered program.
    pub unit: &'a Unit,
    /// The facts of both versions.
    pub facts: [Vec<Facts>; 2],
}

impl Program<'_> {
    /// The two procedures.
    pub(crate) fn code(&self, pair: Pair) -> (&Procedure, &Procedure) {
        (self.unit.versions[0].procedure(pair.0), self.unit.versions[1].procedure(pair.1))
    }

    /// Whether the two can be called alike.
    pub fn same_signature(&self, pair: Pair) -> bool {
        let (a, b) = self.code(pair);
        same_signature(a, b)
    }

    /// Whether calls may be related by a claim about this pair: what the two do must depend on what they are given and on
    /// that alone (rule *Locality*), and they must mean the same by it.
    pub fn claimable(&self, pair: Pair) -> bool {
        let local = |version: usize, id: ProcId| !self.facts[version][id.index()].sees_all;
        local(0, pair.0) && local(1, pair.1)
    }

    /// Whether the two are the same code, calling procedures of the same names.
    pub fn same_text(&self, pair: Pair) -> bool {
        let (a, b) = self.code(pair);
        same_code(a, b, |p, q| {
            let (p, q) = self.code((p, q));
            p.name == q.name
        })
    }

    /// Whether runs of a procedure hold assumptions beside their branches: an `assume`, or an `ensures` of a callee.
    pub(crate) fn assumes(&self, version: usize, id: ProcId) -> bool {
        let facts = &self.facts[version];
        let own = &facts[id.index()];
        let code = &self.unit.versions[version];
        let ensures = |callee: &ProcId| facts[callee.index()].trust_ensures && !is_loop(code.procedure(*callee));
        own.blocks || own.callees.iter().any(ensures)
    }

    /// The pairs that may be claimed: of the same name, loops of the same place in procedures of the same name, those asked
    /// for without a condition, and those of other names that are the same code.
    pub fn candidates(&self, asked: &[Pair]) -> Vec<Pair> {
        let [left, right] = [0, 1].map(|version| &self.unit.versions[version].procedures);
        let mut found: BTreeSet<Pair> = asked.iter().copied().collect();
        let by_name: BTreeMap<&str, u32> = right.iter().map(|p| p.name.as_str()).zip(0..).collect();
        for (mine, p) in (0u32..).zip(left) {
            if let Some(&theirs) = by_name.get(p.name.as_str()) {
                found.insert((ProcId(mine), ProcId(theirs)));
            }
        }
        let mut by_shape: BTreeMap<(usize, usize, usize), Vec<u32>> = BTreeMap::new();
        for (theirs, q) in (0u32..).zip(right) {
            by_shape.entry(shape(q)).or_default().push(theirs);
        }
        for (mine, p) in (0u32..).zip(left).filter(|(_, p)| p.body.is_some()) {
            // Only those that some pair could be short of: the same name is not taken twice over in big programs.
            for &theirs in by_shape.get(&shape(p)).into_iter().flatten().take(8) {
                let pair = (ProcId(mine), ProcId(theirs));
                let q = &right[theirs as usize];
                if p.name != q.name && is_loop(p) == is_loop(q) && self.same_shape(pair, &found) {
                    found.insert(pair);
                }
            }
        }
        found.extend(self.recursive_strangers(&found));
        found.into_iter().filter(|&pair| self.same_signature(pair)).collect()
    }

    /// Recursive procedures without a partner, each with those of the other version that it could be called for: a loop may
    /// have become recursion, or a helper another name. A loop that was changed has no partner for sure: that it is the
    /// first of its procedure, as the other one is, says little.
    fn recursive_strangers(&self, known: &BTreeSet<Pair>) -> Vec<Pair> {
        let [lefts, rights] = [0, 1].map(|version| {
            let settled = |&(p, q): &Pair| {
                let looped = is_loop(self.code((p, q)).0);
                self.same_signature((p, q)) && (!looped || self.same_shape((p, q), known))
            };
            let paired: BTreeSet<ProcId> =
                known.iter().filter(|pair| settled(pair)).map(|&(p, q)| [p, q][version]).collect();
            let ids = (0u32..).take(self.facts[version].len()).map(ProcId);
            ids.filter(|id| self.facts[version][id.index()].recursive(*id) && !paired.contains(id)).collect::<Vec<_>>()
        });
        let all = lefts.iter().flat_map(|&p| rights.iter().map(move |&q| (p, q)));
        all.filter(|&pair| self.same_signature(pair)).take(MAX_STRANGERS).collect()
    }

    fn same_shape(&self, pair: Pair, claimed: &BTreeSet<Pair>) -> bool {
        let (a, b) = self.code(pair);
        same_code(a, b, |p, q| claimed.contains(&(p, q)) || (p, q) == pair)
    }
}

/// A cheap fingerprint: procedures of different ones are not the same code.
fn shape(p: &Procedure) -> (usize, usize, usize) {
    (p.params, p.results, p.body.as_ref().map_or(0, |body| body.stmts.len()))
}

/// Proves as many of `candidates` as it can; each at the highest level.
pub fn prove_all(program: &Program<'_>, candidates: &[Pair], solver: &mut Solver) -> BTreeMap<Pair, PairProof> {
    let mut claims: Claims =
        candidates.iter().filter(|&&pair| program.claimable(pair)).map(|&pair| (pair, Level::Full)).collect();
    let mut proofs: BTreeMap<Pair, PairProof> = BTreeMap::new();
    let mut work: Vec<Pair> = candidates.to_vec();
    // Callees first, so that most claims are settled before others rest on them.
    work.sort_by_key(|pair| std::cmp::Reverse((program.facts[0][pair.0.index()].callees.len(), *pair)));
    while let Some(pair) = work.pop() {
        let proof = prove_when(program, pair, None, &claims, solver);
        let reached = proof.level;
        let before = claims.get(&pair).copied();
        proofs.insert(pair, proof);
        if reached >= before {
            continue;
        }
        match reached {
            Some(level) => claims.insert(pair, level),
            None => claims.remove(&pair),
        };
        for (&other, proof) in &proofs {
            let rests = proof.used.get(&pair).is_some_and(|&needed| Some(needed) > reached);
            if rests && claims.contains_key(&other) && !work.contains(&other) {
                work.push(other);
            }
        }
    }
    proofs
}

/// The claims that were proved in the end.
pub fn surviving(program: &Program<'_>, proofs: &BTreeMap<Pair, PairProof>) -> Claims {
    let claimed = proofs.iter().filter(|&(&pair, _)| program.claimable(pair));
    claimed.filter_map(|(&pair, proof)| Some((pair, proof.level?))).collect()
}

/// What the solver is asked for when a pair is proved.
pub fn task((left, right): Pair, when: Option<&Expr>) -> Task {
    Task::Pair { left, right, when: when.map(|when| when.span) }
}

/// Proves one pair, from the stores that satisfy a condition, under claims about others. Nothing is proved of a pair over
/// which the solver broke down.
pub fn prove_when(
    program: &Program<'_>,
    pair: Pair,
    when: Option<&Expr>,
    claims: &Claims,
    solver: &mut Solver,
) -> PairProof {
    let started = Instant::now();
    let task = task(pair, when);
    let mut proof = solver.at(task, |solver| prove(program, pair, when, claims, solver));
    if let Some(Breakdown(cause)) = solver.breakdowns().get(&task) {
        let (a, b) = program.code(pair);
        proof = PairProof::failed(proof.method, cause.clone(), [vec![a.name_span], vec![b.name_span]]);
    }
    proof.time = started.elapsed();
    proof
}

/// What both versions assume on entry, in terms; and whether all of it could be said.
pub fn assumptions(program: &Program<'_>, pair: Pair, when: Option<&Expr>, world: &mut World) -> (Vec<Term>, bool) {
    let mut assumed = Vec::new();
    let mut sayable = true;
    for (version, id) in [pair.0, pair.1].into_iter().enumerate() {
        let mut executor = Executor::new(program.unit, version, &program.facts[version], Limits::default(), world);
        let (view, requires, all) = on_entry(&mut executor, id);
        assumed.extend(requires);
        sayable &= all;
        if let (0, Some(when)) = (version, when) {
            match executor.contract(&view, when) {
                Some(condition) => assumed.push(condition),
                None => sayable = false,
            }
        }
    }
    (assumed, sayable)
}

/// Proves one pair under claims about others.
fn prove(program: &Program<'_>, pair: Pair, when: Option<&Expr>, claims: &Claims, solver: &mut Solver) -> PairProof {
    let (a, b) = program.code(pair);
    if a.body.is_none() && b.body.is_none() {
        // One unknown procedure, if it goes by one name and one contract.
        let same = same_code(a, b, |_, _| false);
        return PairProof::trivial(same.then_some(Level::Full), Method::External, Claims::new());
    }
    if let Some(proof) = prove_same_code(program, pair, claims) {
        return proof;
    }
    let plan = Plan::of([BTreeSet::new(), BTreeSet::new()], [0, 0], Method::Summaries);
    let first = paths::prove(program, (pair, when), claims, solver, &plan);
    if first.level == Some(Level::Full) {
        return first;
    }
    let inline = [0, 1].map(|version| inlinable(program, version, claims));
    let callees = [pair.0, pair.1].map(|id| id.index());
    let mut best = first;
    if (0..2).any(|v| program.facts[v][callees[v]].callees.iter().any(|callee| inline[v].contains(callee))) {
        let plan = Plan::of(inline.clone(), [INLINE_DEPTH; 2], Method::Inlining);
        let second = paths::prove(program, (pair, when), claims, solver, &plan);
        if second.level > best.level {
            best = second;
        }
    }
    let loops = |version: usize| {
        let callees = &program.facts[version][callees[version]].callees;
        callees.iter().any(|callee| is_loop(program.unit.versions[version].procedure(*callee)))
    };
    if best.level != Some(Level::Full) && !is_loop(a) && (loops(0) || loops(1)) {
        let plan = Plan::of(inline, [INLINE_DEPTH; 2], Method::Turns);
        let at_once = paths::prove(program, (pair, when), claims, solver, &plan);
        if at_once.level > best.level {
            best = at_once;
        }
    }
    // Where the heap is read a proof by claims or couplings says more, so products come last.
    let reads = product::reads(program, pair);
    let product = if best.level != Some(Level::Full) && !is_loop(a) && !reads {
        solver.with_share(PRODUCT_SHARE, |solver| product::prove(program, pair, when, solver))
    } else {
        product::Found::Unfit
    };
    if let product::Found::Proof(level) = product
        && Some(level) > best.level
    {
        return integer_proof(program, pair, level, Method::Product);
    }
    for plan in unrollings(program, pair) {
        // What is missing to mutual termination is seldom found by going far.
        if best.level == Some(Level::Full) || (best.level.is_some() && plan.depths.iter().sum::<usize>() > 1) {
            continue;
        }
        let unrolled = paths::prove(program, (pair, when), claims, solver, &plan);
        if unrolled.level > best.level {
            best = unrolled;
        }
    }
    let over_integers = match (best.level, when) {
        _ if is_loop(a) => None,
        (None, None) => over_integers(program, pair, product, solver),
        _ => None,
    };
    match over_integers {
        Some((method, evidence, together)) => {
            PairProof { evidence, ..over_integers_proof(program, pair, method, together) }
        }
        None if best.level.is_none() && !is_loop(a) && reads => {
            match solver.with_share(PRODUCT_SHARE, |solver| product::prove(program, pair, when, solver)) {
                product::Found::Proof(level) => integer_proof(program, pair, level, Method::Product),
                product::Found::Nothing | product::Found::Unfit => best,
            }
        }
        None => best,
    }
}

/// The engines over integers that are left after a product, in turn: how one of them proves the pair partially equivalent,
/// and whether it proves that the two end together.
fn over_integers(
    program: &Program<'_>,
    pair: Pair,
    product: product::Found,
    solver: &mut Solver,
) -> Option<(Method, Option<Evidence>, bool)> {
    // Couplings are products of fewer kinds, but for any recursion.
    if product == product::Found::Unfit
        && let Some((evidence, together)) =
            solver.with_share(COUPLING_SHARE, |solver| couple::prove(program, pair, solver))
    {
        return Some((Method::Coupling, Some(Evidence::Coupling(evidence)), together));
    }
    if solver.with_share(COUPLING_SHARE, |solver| couple::closed::prove(program, pair, solver)) {
        return Some((Method::ClosedForm, None, false));
    }
    let horn = solver.with_share(HORN_SHARE, |solver| horn::prove(program, pair, solver));
    horn.then_some((Method::Horn, None, false))
}

/// What a proof of partial equivalence over integers comes to: it is full where both sides end, always or together.
fn over_integers_proof(program: &Program<'_>, pair: Pair, method: Method, together: bool) -> PairProof {
    let ends = together || program.facts[0][pair.0.index()].terminates && program.facts[1][pair.1.index()].terminates;
    integer_proof(program, pair, if ends { Level::Full } else { Level::Partial }, method)
}

/// The proof that an engine over integers found, which rests on no other pair.
fn integer_proof(program: &Program<'_>, pair: Pair, level: Level, method: Method) -> PairProof {
    let (a, b) = program.code(pair);
    let mut proof = PairProof { evidence: None, ..PairProof::trivial(Some(level), method, Claims::new()) };
    proof.gap = (level != Level::Full).then(|| Gap {
        what: "it could not be shown that the two end from the same stores".into(),
        places: [vec![a.name_span], vec![b.name_span]],
    });
    proof
}

/// Procedures whose calls can be executed in place to the end: those that do not recur, and those without a partner that
/// recur only through others.
pub(crate) fn inlinable(program: &Program<'_>, version: usize, claims: &Claims) -> BTreeSet<ProcId> {
    let procedures = &program.unit.versions[version].procedures;
    let partnered: BTreeSet<ProcId> = claims.keys().map(|&(p, q)| [p, q][version]).collect();
    let bounded = |id: ProcId, p: &Procedure| {
        !program.facts[version][id.index()].recursive(id)
            || !(partnered.contains(&id) || direct_callees(program.unit, p).contains(&id))
    };
    let ids = (0u32..).map(ProcId).zip(procedures);
    ids.filter(|(id, p)| p.body.is_some() && bounded(*id, p)).map(|(id, _)| id).collect()
}

/// Rule *Same code*: the same code over equivalent callees is equivalent, at the lowest level of these.
fn prove_same_code(program: &Program<'_>, pair: Pair, claims: &Claims) -> Option<PairProof> {
    let (a, b) = program.code(pair);
    let used = std::cell::RefCell::new(Claims::new());
    let callee_eq = |p, q| {
        let level = claims.get(&(p, q)).copied();
        if let Some(level) = level {
            used.borrow_mut().insert((p, q), level);
        }
        level.is_some()
    };
    if !same_code(a, b, callee_eq) {
        return None;
    }
    let used = used.into_inner();
    let level = used.values().copied().min().unwrap_or(Level::Full);
    let level = claims.get(&pair).map_or(level, |&claimed| level.min(claimed));
    Some(PairProof::trivial(Some(level), Method::SameCode, used))
}

impl PairProof {
    /// A proof, or none, with nothing to say about correspondences.
    pub(crate) fn trivial(level: Option<Level>, method: Method, used: Claims) -> Self {
        PairProof {
            level,
            used,
            method,
            gap: None,
            correspondence: BTreeSet::new(),
            matched_calls: BTreeSet::new(),
            relations: 0,
            time: Duration::ZERO,
            evidence: level.and(Some(Evidence::Plain)),
        }
    }

    fn failed(method: Method, what: String, places: [Vec<Span>; 2]) -> Self {
        PairProof { gap: Some(Gap { what, places }), ..Self::trivial(None, method, Claims::new()) }
    }

    fn note(&mut self, world: &World, relation: &Relation, left: &Outcome, right: &Outcome) {
        self.relations += 1;
        let Relation::Isomorphic(Alignment { births, calls }) = relation else { return };
        let place = |outcome: &Outcome, birth| outcome.news.iter().find(|(b, _)| *b == birth).map(|(_, span)| *span);
        for (&theirs, &mine) in births {
            if let (Some(a), Some(b)) = (place(left, mine), place(right, theirs)) {
                self.correspondence.insert((a, b));
            }
        }
        for (&theirs, &mine) in calls {
            self.matched_calls.insert((world.record(mine).span, world.record(theirs).span));
        }
    }
}

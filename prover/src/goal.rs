//! What is to be proved of a pair, and what could be shown of it.
//!
//! In: a lowered pair program with all that is known of each procedure alone ([`Program`]). Out: nothing is proved here: these
//! are the data that engines take and give, a [`PairProof`] with the claims it rests on and its [`ProofEvidence`].

use crate::budget::goal::{MAX_SAME_SHAPE, MAX_UNPAIRED};
use crate::lower::{Lowered, is_loop};
use kernel::effects::{Effects, direct_callees};
use kernel::pair::paths::{self, PathsEvidence, Relations};
use kernel::pair::plan::Turns;
use kernel::pair::summaries::SummariesEvidence;
use kernel::pair::{self, Both, Matches};
use kernel::proof::Proved;
use kernel::relate::{Apart, Claims, FailedGoal, Level, Uses};
use lang_l::hir::same::same_code;
use lang_l::hir::same::same_signature;
use lang_l::hir::{Expr, ProcId, Procedure};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::solve::Task;
use smt::term::Term;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub use kernel::pair::Pair;

/// What could be shown of a pair.
#[derive(Clone, Debug)]
pub struct PairProof {
    /// The level reached; `None` when not even partial equivalence was proved.
    pub level: Option<Level>,
    /// What is shown of the two as they are lowered, where that is no verdict on the source: it is worth something to callers.
    pub lowered: Option<Level>,
    /// The claims it rests on.
    pub used: Uses,
    /// The rule by which it was proved.
    pub rule: &'static Rule,
    /// Why not (or why only partially).
    pub failed_goal: Option<FailedGoal>,
    /// What corresponds in the two, and how many pairs of paths were related.
    pub matches: Matches,
    /// In words, what relates variables of loops that are not equal; a prime marks those of version 1.
    pub relations_of_loops: Vec<String>,
    /// How long the search for it took.
    pub time: Duration,
    /// What has to be known to check it again without a search; `None` where it cannot be written down.
    pub evidence: Option<ProofEvidence>,
    /// What the kernel says of it.
    pub checked: Checked,
}

/// What the kernel says of a proof.
#[derive(Clone, Debug, PartialEq)]
pub enum Checked {
    /// It is one.
    Proved(Proved),
    /// It was not checked, and why not.
    Not(String),
}

/// A proof rule, as the schedule, reports and certificates name it. Two rules of one name are one rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name in reports and certificates.
    pub name: &'static str,
    /// What a report says of a proof by it.
    pub sentence: &'static str,
    /// The box of `proofs/soundness.md` that argues for it.
    pub argument: &'static str,
    /// The part of the budget that each query of its search gets: one part in so many.
    pub share: u32,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.name == other.name
    }
}

impl Eq for Rule {}

/// A pair to be proved, from the stores that satisfy a condition, under claims about others.
#[derive(Clone, Copy)]
pub struct Goal<'g> {
    /// The program, with all that is known of each procedure alone.
    pub program: &'g Program<'g>,
    /// The pair.
    pub pair: Pair,
    /// The condition of its `equiv`.
    pub when: Option<&'g Expr>,
    /// The claims that calls may rest on.
    pub claims: &'g Claims,
    /// What engines earlier in the schedule have proved of it.
    pub reached: Option<Level>,
}

impl Goal<'_> {
    /// The two procedures.
    pub fn code(&self) -> (&Procedure, &Procedure) {
        self.program.code(self.pair)
    }

    /// The procedure of one version.
    pub fn id(&self, version: usize) -> ProcId {
        [self.pair.0, self.pair.1][version]
    }

    /// The effects of the procedure of one version.
    pub fn effects(&self, version: usize) -> &Effects {
        &self.program.effects[version][self.id(version).index()]
    }

    /// Whether both procedures have a body.
    pub fn is_defined(&self) -> bool {
        let (a, b) = self.code();
        a.body.is_some() && b.body.is_some()
    }

    /// Whether the pair is one of loops.
    pub fn is_loop(&self) -> bool {
        is_loop(self.code().0)
    }

    /// The goal as the kernel has it.
    pub fn as_checked(&self) -> pair::Goal<'_> {
        pair::Goal { program: self.program.both(), pair: self.pair, when: self.when, claims: self.claims }
    }

    /// Where the two are declared, as the places of a failed goal.
    pub fn places(&self) -> [Vec<Span>; 2] {
        let (a, b) = self.code();
        [vec![a.name_span], vec![b.name_span]]
    }
}

/// What is claimed of a pair, and how to prove it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// How much.
    pub level: Level,
    /// By which rule.
    pub rule: &'static Rule,
    /// What the search did.
    pub evidence: ProofEvidence,
}

/// What a proof did, as certificates hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofEvidence {
    /// Nothing but looking at the two was needed.
    Plain,
    /// Path by path.
    Paths(PathsEvidence),
    /// By summaries of calls.
    Summaries(SummariesEvidence),
    /// Path by path, under relations between loops.
    Loops(LoopsEvidence),
}

/// What a proof by relations between loops did; the kernel is told of it in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopsEvidence {
    /// The pair itself.
    pub whole: PathsEvidence,
    /// Its pairs of loops, in the order of the source.
    pub loops: Vec<LoopEvidence>,
}

/// What relates two loops, and the proof that it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopEvidence {
    /// The loops.
    pub pair: Pair,
    /// How their turns are laid side by side.
    pub turns: Turns,
    /// Whether their calls are compared alone, and keep names of their own.
    pub compared: bool,
    /// The parameters that are equal: of version 0, of version 1.
    pub equal: Vec<(usize, usize)>,
    /// Which of the facts that are tried hold.
    pub facts: Vec<usize>,
    /// The results that are equal.
    pub results: Vec<(usize, usize)>,
    /// Where the heaps may differ.
    pub apart: Vec<Apart>,
    /// Which of the facts that are tried hold at the ends.
    pub exit: Vec<usize>,
    /// How outcomes were related, as in [`PathsEvidence`].
    pub relations: Relations,
}

/// A lowered pair program with all that is known of it.
pub struct Program<'a> {
    /// The lowered program.
    pub unit: &'a Lowered,
    /// The effects of both versions.
    pub effects: [Vec<Effects>; 2],
}

impl Program<'_> {
    /// The program as the kernel has it.
    pub fn both(&self) -> Both<'_> {
        let effects = [&self.effects[0][..], &self.effects[1]];
        Both { unit: self.unit.as_unit(), written: self.unit.written(), effects }
    }

    /// The two procedures.
    pub(crate) fn code(&self, pair: Pair) -> (&Procedure, &Procedure) {
        (self.unit.procedure(0, pair.0), self.unit.procedure(1, pair.1))
    }

    /// How much a pair calls: more than what it calls does. What recurs calls as much as what only calls it, and comes first.
    pub(crate) fn calls(&self, pair: Pair) -> (usize, bool) {
        let own = &self.effects[0][pair.0.index()];
        (own.callees.len(), !own.recursive(pair.0))
    }

    /// Whether the two can be called alike.
    pub fn same_signature(&self, pair: Pair) -> bool {
        let (a, b) = self.code(pair);
        same_signature(a, b)
    }

    /// Whether calls may be related by a claim about this pair (rule *Locality*).
    pub fn claimable(&self, pair: Pair) -> bool {
        self.both().claimable(pair)
    }

    /// Whether the two are the same code, calling procedures of the same names; those that run loops of them are, too.
    pub fn same_text(&self, pair: Pair) -> bool {
        let (mut work, mut seen) = (vec![pair], BTreeSet::from([pair]));
        while let Some(pair) = work.pop() {
            let parts = RefCell::new(Vec::new());
            let (a, b) = self.code(pair);
            let same = same_code(a, b, |p, q| {
                let (left, right) = self.code((p, q));
                if left.origin.part_of().is_some() {
                    parts.borrow_mut().push((p, q));
                }
                left.name == right.name
            });
            if !same {
                return false;
            }
            work.extend(parts.into_inner().into_iter().filter(|&part| seen.insert(part)));
        }
        true
    }

    /// Whether runs of a procedure hold assumptions beside their branches: an `assume`, or an `ensures` of a callee.
    pub(crate) fn assumes(&self, version: usize, id: ProcId) -> bool {
        let effects = &self.effects[version];
        let own = &effects[id.index()];
        let code = &self.unit.versions()[version];
        let ensures = |callee: &ProcId| effects[callee.index()].trust_ensures && !is_loop(code.procedure(*callee));
        own.may_block || own.callees.iter().any(ensures)
    }

    /// The pairs that may be claimed:
    /// - those asked for without a condition;
    /// - those of the same name, and so loops of the same place in procedures of the same name;
    /// - those of other names that are the same code;
    /// - recursive procedures without a partner, with those that they could be called for.
    pub fn candidates(&self, asked: &[Pair]) -> Vec<Pair> {
        let [left, right] = [0, 1].map(|version| &self.unit.versions()[version].procedures);
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
            for &theirs in by_shape.get(&shape(p)).into_iter().flatten().take(MAX_SAME_SHAPE) {
                let pair = (ProcId(mine), ProcId(theirs));
                let q = &right[theirs as usize];
                if p.name != q.name && is_loop(p) == is_loop(q) && self.same_shape(pair, &found) {
                    found.insert(pair);
                }
            }
        }
        found.extend(self.recursive_unpaired(&found));
        found.into_iter().filter(|&pair| self.same_signature(pair)).collect()
    }

    /// Recursive procedures without a partner, each with those of the other version that it could be called for: a loop may
    /// have become recursion, or a helper another name. A loop that was changed has no partner for sure: that it is the
    /// first of its procedure, as the other one is, says little.
    fn recursive_unpaired(&self, known: &BTreeSet<Pair>) -> Vec<Pair> {
        let [lefts, rights] = [0, 1].map(|version| {
            let settled = |&(p, q): &Pair| {
                let looped = is_loop(self.code((p, q)).0);
                self.same_signature((p, q)) && (!looped || self.same_shape((p, q), known))
            };
            let paired: BTreeSet<ProcId> =
                known.iter().filter(|pair| settled(pair)).map(|&(p, q)| [p, q][version]).collect();
            let ids = (0u32..).take(self.effects[version].len()).map(ProcId);
            ids.filter(|id| self.effects[version][id.index()].recursive(*id) && !paired.contains(id))
                .collect::<Vec<_>>()
        });
        let all = lefts.iter().flat_map(|&p| rights.iter().map(move |&q| (p, q)));
        all.filter(|&pair| self.same_signature(pair)).take(MAX_UNPAIRED).collect()
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

/// What the solver is asked for when a pair is proved.
pub fn task((left, right): Pair, when: Option<&Expr>) -> Task {
    Task::Pair { left, right, when: when.map(|when| when.span) }
}

/// What both versions assume on entry, in terms, as far as it can be said.
pub fn assumptions(program: &Program<'_>, pair: Pair, when: Option<&Expr>, arena: &mut Arena) -> Vec<Term> {
    paths::assumptions(program.both(), pair, when, arena).0
}

/// Procedures whose calls can be executed in place to the end: those that do not recur, and those without a partner that
/// recur only through others.
pub(crate) fn inlinable(program: &Program<'_>, version: usize, claims: &Claims) -> BTreeSet<ProcId> {
    let procedures = &program.unit.versions()[version].procedures;
    let partnered: BTreeSet<ProcId> = claims.always.keys().map(|&(p, q)| [p, q][version]).collect();
    let bounded = |id: ProcId, p: &Procedure| {
        !program.effects[version][id.index()].recursive(id)
            || !(partnered.contains(&id) || direct_callees(p).contains(&id))
    };
    let ids = (0u32..).map(ProcId).zip(procedures);
    ids.filter(|(id, p)| p.body.is_some() && bounded(*id, p)).map(|(id, _)| id).collect()
}

impl PairProof {
    /// A proof, or none, with nothing to say about correspondences.
    pub fn trivial(level: Option<Level>, rule: &'static Rule, used: Uses) -> Self {
        PairProof {
            level,
            used,
            rule,
            failed_goal: None,
            matches: Matches::default(),
            relations_of_loops: Vec::new(),
            time: Duration::ZERO,
            evidence: level.and(Some(ProofEvidence::Plain)),
            lowered: None,
            checked: Checked::Not("it was not asked".into()),
        }
    }

    pub(crate) fn failed(rule: &'static Rule, what: String, places: [Vec<Span>; 2]) -> Self {
        PairProof { failed_goal: Some(FailedGoal { what, places }), ..Self::trivial(None, rule, Uses::new()) }
    }
}

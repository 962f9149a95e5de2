//! Which calls a proof executes in place.
//!
//! In: a pair of procedures and what is known of their callees. Out: [`InliningPlan`]s, in the order in which they are tried.

use super::{Engine, paths, relational};
use crate::budget::unroll::MAX_UNROLLED;
use crate::goal::{Goal, PairProof, Rule};
use crate::lower::is_loop;
use kernel::bounds::pair::{MAX_EVALUATED_DEPTH, MAX_EVALUATED_OUTCOMES};
use kernel::effects::direct_callees;
use kernel::pair::PairEvidence;
use kernel::pair::plan::InliningPlan;
use kernel::relate::Level;
use lang_l::hir::{Block, Expr, ExprKind, ProcId, Procedure, Rhs, StmtKind};
use lang_l::source::Span;
use smt::solve::Solver;
use std::collections::BTreeSet;

/// Path by path, with recursive calls executed in place once or twice: what was peeled or unrolled.
static UNROLLING: Rule = Rule {
    name: "unrolling",
    sentence: "proved path by path, with recursive calls and loops unrolled once or twice",
    argument: "Unroll",
    share: 1,
};

/// Rule *Unrolling*.
pub(crate) struct Unrolling;

impl Engine for Unrolling {
    fn rule(&self) -> &'static Rule {
        &UNROLLING
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::Paths(_))
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.is_defined()
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        let mut best: Option<PairProof> = None;
        for plan in unrollings(goal) {
            let reached = best.as_ref().map_or(goal.reached, |best| best.level.max(goal.reached));
            // What is missing to mutual termination is seldom found by going far.
            if reached == Some(Level::Full) || (reached.is_some() && plan.depths.iter().sum::<usize>() > 1) {
                continue;
            }
            let mut unrolled = paths::prove(goal, &UNROLLING, &plan, solver);
            if faults::planted("engines/unroll/level-raised") {
                unrolled.level = unrolled.level.map(|_| Level::Full);
            }
            if unrolled.level > reached {
                best = Some(unrolled);
            }
        }
        best.unwrap_or_else(|| relational::nothing(goal, &UNROLLING))
    }
}

/// Which recursive calls to execute in place once or twice: to the end if it is near; those that go no further; one call or
/// loop of one side, all loops, all that recurs.
///
/// Of a loop only the loops within it are looked at: its own turns take part in the proof of the procedure it is in.
fn unrollings(goal: &Goal<'_>) -> Vec<InliningPlan> {
    let (program, pair) = (goal.program, goal.pair);
    let own = [pair.0, pair.1];
    let code = |version: usize, id: ProcId| program.unit.procedure(version, id);
    let plan = |inline, depths| InliningPlan::of(inline, depths);
    let recurs = [0, 1].map(|version| -> BTreeSet<ProcId> {
        let direct = direct_callees(code(version, own[version]));
        direct.into_iter().filter(|&id| program.effects[version][id.index()].recursive(id)).collect()
    });
    let loops = [0, 1].map(|version| -> BTreeSet<ProcId> {
        let inner = |id: &ProcId| *id != own[version] && is_loop(code(version, *id));
        recurs[version].iter().copied().filter(inner).collect()
    });
    let all = [0, 1].map(|version| -> BTreeSet<ProcId> {
        let callees = program.effects[version][own[version].index()].callees.iter().copied();
        callees.filter(|&id| code(version, id).body.is_some()).collect()
    });
    let somewhere = |version: usize| {
        let effects = &program.effects[version];
        all[version].iter().any(|callee| effects[callee.index()].recursive(*callee))
    };
    let looped = is_loop(code(0, pair.0));
    let mut plans = Vec::new();
    if !looped && (somewhere(0) || somewhere(1)) {
        let deep = plan(all.clone(), [MAX_EVALUATED_DEPTH; 2]);
        plans.push(InliningPlan { outcomes: Some(MAX_EVALUATED_OUTCOMES), ..deep });
    }
    if !looped {
        plans.extend(told_apart(goal, &recurs, &all));
    }
    for version in 0..2 {
        let sites = call_sites(code(version, own[version]), &recurs[version]);
        let several = !looped && sites.len() > 1;
        for &site in sites.iter().take(if several { MAX_UNROLLED } else { 0 }) {
            let mut inline = [BTreeSet::new(), BTreeSet::new()];
            inline[version].clone_from(&recurs[version]);
            let depths = [usize::from(version == 0), usize::from(version == 1)];
            plans.push(InliningPlan { only_at: Some(site), ..plan(inline, depths) });
        }
        for &one in loops[version].iter().take(MAX_UNROLLED) {
            let mut inline = [BTreeSet::new(), BTreeSet::new()];
            inline[version].insert(one);
            plans.push(plan(inline, [usize::from(version == 0), usize::from(version == 1)]));
        }
    }
    if looped {
        return plans;
    }
    let depths = [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2]];
    for (inline, wanted) in [(&loops, loops != recurs), (&all, somewhere(0) || somewhere(1))] {
        if wanted && inline.iter().any(|inline| !inline.is_empty()) {
            plans.extend(depths.map(|depths| plan(inline.clone(), depths)));
        }
    }
    plans
}

/// Calls of such recursion in place where they go no further, of both versions or of one; and so with helpers in place, of all that are
/// called. At last by their first tests, which one version may have in common with the other.
fn told_apart(goal: &Goal<'_>, recurs: &[BTreeSet<ProcId>; 2], called: &[BTreeSet<ProcId>; 2]) -> Vec<InliningPlan> {
    let recursion = |version: usize| -> BTreeSet<ProcId> {
        let is_recursion = |id: &ProcId| !is_loop(goal.program.unit.procedure(version, *id));
        recurs[version].iter().copied().filter(is_recursion).collect()
    };
    let [left, right] = [0, 1].map(recursion);
    if left.is_empty() && right.is_empty() {
        return Vec::new();
    }
    let ways = [[left.clone(), right.clone()], [left, BTreeSet::new()], [BTreeSet::new(), right]];
    let helpers = paths::in_place(goal);
    let is_called = (0..2).any(|version| !helpers.inline[version].is_disjoint(&called[version]));
    let plans = [InliningPlan::of(Default::default(), [0, 0])].into_iter().chain(is_called.then_some(helpers));
    let by_all = plans.flat_map(|plan| ways.clone().map(|told_apart| InliningPlan { told_apart, ..plan.clone() }));
    let told_apart = ways[0].clone();
    let by_first = InliningPlan { told_apart, by_first_test: true, ..InliningPlan::of(Default::default(), [0, 0]) };
    by_all.chain([by_first]).collect()
}

/// Where a procedure calls some others.
fn call_sites(procedure: &Procedure, callees: &BTreeSet<ProcId>) -> Vec<Span> {
    fn within(block: &Block, callees: &BTreeSet<ProcId>, found: &mut Vec<Span>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::If(_, then, els) => {
                    within(then, callees, found);
                    within(els, callees, found);
                }
                StmtKind::Call { callee, .. }
                | StmtKind::Assign(_, Rhs::Expr(Expr { kind: ExprKind::Call(callee, _), .. }))
                    if callees.contains(callee) && !found.contains(&stmt.span) =>
                {
                    found.push(stmt.span);
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    procedure.body.iter().for_each(|body| within(body, callees, &mut found));
    found
}

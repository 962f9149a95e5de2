//! What engines find of a pair program, in the form in which the kernel is told of it.
//!
//! In: a pair program. Out: [`Findings`], which nobody has checked yet. They are plain data, for those who try how much the
//! kernel believes: they may be changed at will.
//!
//! Invariant: what [`Findings::of`] gives is what [`verify()`](crate::verify()) would hand to the kernel, had it not looked for
//! differences first.

use crate::analysis::{Analysis, analyse};
use crate::checked::{self, Material};
use crate::engines::claims;
use crate::goal::{Pair, Program};
use crate::lower::lower;
use crate::verdict::comparison::{Comparison, comparisons, unconditional};
use crate::verdict::conditional;
use crate::verify::Config;
use kernel::alone::clauses::ClauseKey;
use kernel::alone::measures::Ranking;
use kernel::effects::Effects;
use kernel::exec::source::Simulation;
use kernel::pair::PairEvidence;
use kernel::proof::Dossier;
use kernel::relate::{ConditionalClaim, Level};
use lang_l::hir::Unit;
use std::collections::{BTreeMap, BTreeSet};

/// All that is said of a pair program.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The program without loops.
    pub lowered: Unit,
    /// What each of its procedures stands for.
    pub simulations: [Vec<Option<Simulation>>; 2],
    /// What is said of each of them alone.
    pub effects: [Vec<Effects>; 2],
    /// Why recursion ends that is said to.
    pub rankings: [Vec<Ranking>; 2],
    /// The clauses of contracts of which it is not said that they hold.
    pub unclaimed: [BTreeSet<ClauseKey>; 2],
    /// What is said of pairs, and why.
    pub claims: BTreeMap<Pair, (Level, PairEvidence)>,
    /// What is said of pairs from some stores only, and why.
    pub conditional: Vec<(ConditionalClaim, Option<PairEvidence>)>,
}

impl Findings {
    /// What engines find; of some pairs they are not asked. `None` where it takes more than they may use.
    pub fn of(unit: &Unit, without: &BTreeSet<Pair>, config: &Config) -> Option<Findings> {
        let mut solver = config.solver();
        let found = solver.attempt(|solver| {
            let lowered = lower(unit);
            let Analysis { effects, evidence, .. } = analyse(&lowered, solver);
            let program = Program { unit: &lowered, effects };
            let comparisons = comparisons(unit);
            let mut candidates = program.candidates(&unconditional(unit, &comparisons));
            candidates.retain(|pair| !without.contains(pair));
            let proofs = claims::prove_all(&program, &candidates, solver);
            let known = |one: &Comparison<'_>| one.when.is_none() && without.contains(&one.pair);
            let wanted = conditional::wanted(unit, &program, &comparisons, &proofs, known);
            let under = conditional::search(&program, claims::surviving(&program, &proofs), &wanted, solver);
            let conditional = under.into_iter().map(|(claim, proof)| {
                let evidence = checked::told(&program, claim.pair, &proof);
                (claim, evidence)
            });
            let conditional = conditional.collect();
            let Material { simulations, claims, .. } = Material::of(unit, &program, &proofs);
            let [left, right] = evidence.map(|own| (own.rankings, own.trusted.unproved));
            let (rankings, unclaimed) = ([left.0, right.0], [left.1, right.1]);
            let (effects, lowered) = (program.effects, lowered.as_unit().clone());
            Findings { lowered, simulations, effects, rankings, unclaimed, claims, conditional }
        });
        found.ok()
    }

    /// All of it as the kernel takes it, of this source.
    pub fn dossier<'a>(&'a self, source: &'a Unit) -> Dossier<'a> {
        let Findings { lowered, simulations, effects, rankings, unclaimed, claims, .. } = self;
        Dossier {
            source,
            cuts: &[],
            lowered,
            simulations: [&simulations[0], &simulations[1]],
            effects: [&effects[0], &effects[1]],
            rankings: [&rankings[0], &rankings[1]],
            unclaimed: [&unclaimed[0], &unclaimed[1]],
            claims,
        }
    }
}

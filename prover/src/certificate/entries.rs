//! The index of a certificate as it is written: names, numbers and words.
//!
//! In: effects and formulas; out: their entries; and back.
//!
//! Invariant: a form and nothing more. Every entry that is read is written again as it was read.

use crate::analysis::AnalysisEvidence;
use crate::analysis::contracts::ContractEvidence;
use crate::analysis::inference::InferredEffects;
use crate::analysis::loop_invariants::LoopInvariants;
use crate::lower::Lowered;
use kernel::alone::clauses::ClauseKind;
use kernel::alone::measures::{Measure, Ranking};
use kernel::exec::sweep::Sweep;
use kernel::only_if::OnlyIf;
use kernel::outline::cuts::Cut;
use kernel::pair::plan::Turns;
use kernel::pair::summaries::{Formula, Polynomial};
use kernel::rejection::{Rejection, reject};
use kernel::relate;
use lang_l::hir::ProcId;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// The whole index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) format: String,
    pub(super) schema_version: u32,
    pub(super) ape_version: String,
    pub(super) sources: Vec<SourceEntry>,
    /// The statements that have become procedures.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) cuts: Vec<Cut>,
    /// The pairs that were asked for, with their verdicts.
    pub(super) pairs: Vec<PairEntry>,
    /// The proofs these rest on.
    pub(super) proofs: Vec<ProofEntry>,
    /// What is known of each procedure alone.
    pub(super) versions: [VersionEntry; 2],
    /// SHA-256 of every other file.
    pub(super) files: BTreeMap<String, String>,
    /// SHA-256 of this one, with nothing here.
    pub(super) digest: String,
}

impl Document {
    /// The one way to write it.
    pub(super) fn text(&self) -> String {
        // It holds strings, numbers and lists of these: nothing that JSON cannot say.
        serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default()
    }
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceEntry {
    /// The copy.
    pub(super) file: String,
    /// What it was called.
    pub(super) name: String,
    pub(super) sha256: String,
}

/// A pair that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PairEntry {
    pub(super) left: String,
    pub(super) right: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) when: Option<String>,
    pub(super) verdict: String,
    pub(super) termination: String,
    pub(super) rests_on: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) counterexample: Option<CounterexampleEntry>,
}

/// A store to run from: both versions, or one procedure of one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CounterexampleEntry {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) version: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) procedure: Option<String>,
    pub(super) store: Json,
}

/// A proof.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProofEntry {
    pub(super) left: String,
    pub(super) right: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) when: Option<String>,
    /// The number by which proofs name the claim, where it is one of those under conditions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) number: Option<usize>,
    pub(super) level: String,
    pub(super) rule: String,
    /// The claims about callees that were used, in words.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) uses: Vec<String>,
    /// Which `new` corresponds to which, in words.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) allocations: Vec<[String; 2]>,
    /// Which call corresponds to which, in words.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) calls: Vec<[String; 2]>,
    /// The script of its questions, if there are any.
    pub(super) script: Option<String>,
    pub(super) questions: usize,
    /// The procedures whose calls are executed in place, by version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) in_place: Option<[Vec<String>; 2]>,
    /// How deep they are, by version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) depths: Option<[usize; 2]>,
    /// The most paths of either side, where there were few.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) most_paths: Option<usize>,
    /// The place of the one call that was executed in place: its file, first byte, and the byte after its last.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) only_at: Option<[u32; 3]>,
    /// The loops that are taken as a whole, by version, and what all turns of each do together.
    #[serde(skip_serializing_if = "are_empty", default)]
    pub(super) sweeps: [BTreeMap<String, Sweep>; 2],
    /// The procedures whose calls are executed in place where they go no further, by version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) told_apart: Option<[Vec<String>; 2]>,
    /// Whether by their first test alone.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) by_first_test: bool,
    /// How paths are related; those that are not named contradict each other in plain sight.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) paths: Vec<PathsEntry>,
    /// What holds of calls, for proofs by summaries.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) summaries: Option<Vec<SummaryEntry>>,
    /// The questions, by number, for which all is known of products; for others it is that equal factors make equal ones.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", default)]
    pub(super) exact_products: BTreeSet<usize>,
    /// What relates loops that are run in step.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) loops: Vec<LoopsEntry>,
}

fn are_empty(sweeps: &[BTreeMap<String, Sweep>; 2]) -> bool {
    sweeps.iter().all(BTreeMap::is_empty)
}

/// What relates a loop of the left procedure and one of the right; parameters and results are named by their positions, from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoopsEntry {
    pub(super) left: String,
    pub(super) right: String,
    /// How their turns are laid side by side, where not one by one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) turns: Option<Turns>,
    /// Whether their calls are compared alone, so that one may be compared with several.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) compared: bool,
    /// The parameters that are equal.
    pub(super) equal: Vec<(usize, usize)>,
    /// Which of the facts that are tried hold.
    pub(super) facts: Vec<usize>,
    /// The results that are equal.
    pub(super) results: Vec<(usize, usize)>,
    /// Where the heaps may differ: a parameter, and a field by its number.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) apart: Vec<relate::Apart>,
    /// Which of the facts that are tried hold at the ends.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) exit: Vec<usize>,
    /// How paths of the two are related.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) paths: Vec<PathsEntry>,
}

/// Two paths, numbered as `--dump paths` has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PathsEntry {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) related: relate::RelationEvidence,
}

/// What holds of calls that return: of one of each version, of one alone, or of several that follow one another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SummaryEntry {
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) left: Vec<CallEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) right: Vec<CallEntry>,
    /// Of what goes in: parameters and globals of each call, the left ones first, then the lengths of references.
    pub(super) before: Vec<FormulaEntry>,
    /// What is said besides of what went in and comes out: inputs of all, results and globals of all, then lengths.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) given: Vec<FormulaEntry>,
    /// What then holds of the same.
    pub(super) after: Vec<FormulaEntry>,
}

/// A call that a summary speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallEntry {
    /// Of which procedure.
    pub(super) of: String,
    /// How many calls of it by itself are executed, one within the other; 0 where the proof does not look into it.
    pub(super) turns: usize,
}

/// A formula over values, which are named by their positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FormulaEntry {
    /// The summands add up to 0.
    Zero(Vec<SummandEntry>),
    /// They add up to 0 or less.
    AtMostZero(Vec<SummandEntry>),
    /// Their sum is divisible by this number.
    Divisible(Vec<SummandEntry>, String),
    /// Two references are the same.
    Same(usize, usize),
    /// A reference is null.
    Null(usize),
    /// It does not hold.
    Not(Box<FormulaEntry>),
    /// One of them holds.
    Any(Vec<FormulaEntry>),
}

/// A product of values, by their positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SummandEntry {
    pub(super) times: String,
    pub(super) values: Vec<usize>,
}

/// What is known of the procedures of one version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VersionEntry {
    pub(super) procedures: Vec<ProcedureEntry>,
    pub(super) recursion_ends: Vec<RankingEntry>,
    pub(super) clauses_not_proved: Vec<ClauseEntry>,
}

/// What is known of one procedure; parameters are named by their positions, from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProcedureEntry {
    pub(super) name: String,
    /// All that existed on entry and may change.
    pub(super) changes_only: Option<Vec<usize>>,
    /// One of these is null where it errs.
    pub(super) errs_only_if_null: Option<Vec<usize>>,
    /// What changes only if something held on entry.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) changes_only_if: Vec<OnlyIf>,
    /// Of a loop: which of the conditions that are tried hold whenever it is entered.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) on_entry: Vec<usize>,
    /// Of a loop: which of them hold whenever it has returned.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) on_exit: Vec<usize>,
    /// Its `ensures` were proved.
    pub(super) ensures: bool,
    /// What it changes is known, from above or from its `modifies`.
    pub(super) modifies: bool,
}

/// Why recursion ends: one measure that shrinks at each recursive call, or two in lexicographic order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RankingEntry {
    pub(super) procedures: Vec<String>,
    pub(super) measures: Vec<MeasureEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) by_second: Vec<usize>,
}

/// `constant + Σ factor · parameter + Σ factor · length of parameter`, or the absolute value of that
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeasureEntry {
    pub(super) constant: String,
    pub(super) parameters: BTreeMap<u32, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(super) lengths: BTreeMap<u32, String>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) absolute: bool,
}

/// A clause that was not proved, so that nothing rests on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClauseEntry {
    pub(super) clause: String,
    pub(super) of: String,
    pub(super) within: String,
    /// Where it starts in its file, in bytes.
    pub(super) at: u32,
}

/// The entries of how paths are related.
pub(super) fn paths(relations: &BTreeMap<(usize, usize), relate::RelationEvidence>) -> Vec<PathsEntry> {
    let entry = |(&(left, right), evidence): (&(usize, usize), &relate::RelationEvidence)| PathsEntry {
        left,
        right,
        related: evidence.clone(),
    };
    relations.iter().map(entry).collect()
}

/// What such entries say.
pub(super) fn relations(entries: &[PathsEntry]) -> BTreeMap<(usize, usize), relate::RelationEvidence> {
    entries.iter().map(|entry| ((entry.left, entry.right), entry.related.clone())).collect()
}

/// The procedure of this name.
pub(super) fn procedure(unit: &Lowered, version: usize, name: &str) -> Result<ProcId, Rejection> {
    let found = (0u32..).map(ProcId).zip(&unit.versions()[version].procedures).find(|(_, p)| p.name == name);
    found.map(|(id, _)| id).ok_or_else(|| Rejection(format!("there is no procedure {name}")))
}

/// The entry of a formula.
pub(super) fn formula_entry(formula: &Formula) -> FormulaEntry {
    match formula {
        Formula::Zero(sum) => FormulaEntry::Zero(sum_entry(sum)),
        Formula::AtMostZero(sum) => FormulaEntry::AtMostZero(sum_entry(sum)),
        Formula::Divisible(sum, by) => FormulaEntry::Divisible(sum_entry(sum), number(by)),
        Formula::Same(one, other) => FormulaEntry::Same(*one, *other),
        Formula::Null(one) => FormulaEntry::Null(*one),
        Formula::Not(inner) => FormulaEntry::Not(Box::new(formula_entry(inner))),
        Formula::Any(parts) => FormulaEntry::Any(parts.iter().map(formula_entry).collect()),
    }
}

fn sum_entry(sum: &Polynomial) -> Vec<SummandEntry> {
    let summand = |(times, values): &(_, Vec<usize>)| SummandEntry { times: number(times), values: values.clone() };
    sum.parts.iter().map(summand).collect()
}

fn number(value: &num_bigint::BigInt) -> String {
    value.to_string()
}

fn read_number(text: &str) -> Result<num_bigint::BigInt, Rejection> {
    text.parse().map_err(|_| Rejection(format!("{text} is no number")))
}

/// The formula of an entry.
pub(super) fn formula(entry: &FormulaEntry) -> Result<Formula, Rejection> {
    Ok(match entry {
        FormulaEntry::Zero(parts) => Formula::Zero(sum(parts)?),
        FormulaEntry::AtMostZero(parts) => Formula::AtMostZero(sum(parts)?),
        FormulaEntry::Divisible(parts, by) => Formula::Divisible(sum(parts)?, read_number(by)?),
        FormulaEntry::Same(one, other) => Formula::Same(*one, *other),
        FormulaEntry::Null(one) => Formula::Null(*one),
        FormulaEntry::Not(inner) => Formula::Not(Box::new(formula(inner)?)),
        FormulaEntry::Any(parts) => Formula::Any(parts.iter().map(formula).collect::<Result<_, _>>()?),
    })
}

fn sum(entry: &[SummandEntry]) -> Result<Polynomial, Rejection> {
    let summand = |entry: &SummandEntry| Ok((read_number(&entry.times)?, entry.values.clone()));
    Ok(Polynomial { parts: entry.iter().map(summand).collect::<Result<_, Rejection>>()? })
}

/// The entry of what is known of a version.
pub(super) fn version(unit: &Lowered, version: usize, evidence: &AnalysisEvidence) -> VersionEntry {
    let procedures = &unit.versions()[version].procedures;
    let name = |id: ProcId| procedures[id.index()].name.clone();
    let AnalysisEvidence { inferred, rankings, trusted } = evidence;
    let known = |((code, id), inferred): ((&lang_l::hir::Procedure, ProcId), &InferredEffects)| ProcedureEntry {
        name: code.name.clone(),
        changes_only: inferred.modifies.clone(),
        errs_only_if_null: inferred.errs_only_if_null.clone(),
        changes_only_if: inferred.changes_only_if.clone(),
        on_entry: inferred.loops.entry.clone(),
        on_exit: inferred.loops.exit.clone(),
        ensures: trusted.ensures.contains(&id),
        modifies: trusted.modifies.contains(&id),
    };
    let measure = |measure: &Measure| MeasureEntry {
        constant: number(&measure.constant),
        parameters: measure.coefficients.iter().map(|(&at, factor)| (at, number(factor))).collect(),
        lengths: measure.lengths.iter().map(|(&at, factor)| (at, number(factor))).collect(),
        absolute: measure.absolute,
    };
    VersionEntry {
        procedures: procedures.iter().zip((0u32..).map(ProcId)).zip(inferred).map(known).collect(),
        recursion_ends: rankings
            .iter()
            .map(|ranking| RankingEntry {
                procedures: ranking.component.iter().map(|&id| name(id)).collect(),
                measures: ranking.measures.iter().map(measure).collect(),
                by_second: ranking.by_second.clone(),
            })
            .collect(),
        clauses_not_proved: trusted
            .unproved
            .iter()
            .map(|&(within, of, kind, at)| ClauseEntry {
                clause: kind.keyword().into(),
                of: name(of),
                within: name(within),
                at,
            })
            .collect(),
    }
}

/// What an entry says of a version.
pub(super) fn evidence(unit: &Lowered, version: usize, entry: &VersionEntry) -> Result<AnalysisEvidence, Rejection> {
    let procedures = &unit.versions()[version].procedures;
    let same = entry.procedures.len() == procedures.len()
        && entry.procedures.iter().zip(procedures).all(|(entry, code)| entry.name == code.name);
    if !same {
        return reject("the procedures are not those of the program");
    }
    let id = |name: &String| procedure(unit, version, name);
    let those = |holds: &dyn Fn(&ProcedureEntry) -> bool| {
        (0u32..).map(ProcId).zip(&entry.procedures).filter(|(_, entry)| holds(entry)).map(|(id, _)| id).collect()
    };
    let mut found = AnalysisEvidence {
        inferred: entry
            .procedures
            .iter()
            .map(|entry| InferredEffects {
                modifies: entry.changes_only.clone(),
                errs_only_if_null: entry.errs_only_if_null.clone(),
                changes_only_if: entry.changes_only_if.clone(),
                loops: LoopInvariants { entry: entry.on_entry.clone(), exit: entry.on_exit.clone() },
            })
            .collect(),
        rankings: Vec::new(),
        trusted: ContractEvidence {
            ensures: those(&|entry| entry.ensures),
            modifies: those(&|entry| entry.modifies),
            ..ContractEvidence::default()
        },
    };
    for ranking in &entry.recursion_ends {
        let mut measures = Vec::new();
        for measure in &ranking.measures {
            let read = |factors: &BTreeMap<u32, String>| -> Result<BTreeMap<u32, num_bigint::BigInt>, Rejection> {
                factors.iter().map(|(&at, factor)| Ok((at, read_number(factor)?))).collect()
            };
            let (coefficients, lengths) = (read(&measure.parameters)?, read(&measure.lengths)?);
            let constant = read_number(&measure.constant)?;
            measures.push(Measure { absolute: measure.absolute, constant, coefficients, lengths });
        }
        let component = ranking.procedures.iter().map(id).collect::<Result<_, Rejection>>()?;
        found.rankings.push(Ranking { component, measures, by_second: ranking.by_second.clone() });
    }
    for clause in &entry.clauses_not_proved {
        let Some(kind) = ClauseKind::ALL.into_iter().find(|kind| kind.keyword() == clause.clause) else {
            return reject(format!("there is no clause {}", clause.clause));
        };
        found.trusted.unproved.insert((id(&clause.within)?, id(&clause.of)?, kind, clause.at));
    }
    Ok(found)
}

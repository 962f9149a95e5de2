//! A certificate as files: the index, a copy of each source, a script for each proof.
//!
//! In: decisions and what they lead to. Out: the files. In: files; out: the decisions that the index holds, and the sources.
//! What else the index says, in words and line numbers, is for people; it is made anew and compared like everything else.
//!
//! Invariant: what is read is checked for its form here, and for its truth by [`super::confirm`].

use super::confirm::{Confirmation, Finding};
use super::decisions::{AnsweredPair, Decision, Decisions, ProvedPair};
use super::entries::{
    self, CallEntry, CounterexampleEntry, Document, FormulaEntry, LoopsEntry, PairEntry, ProofEntry, SourceEntry,
    SummaryEntry,
};
use super::names::{FACTS_SCRIPT, pair_name};
use super::{Certificate, INDEX, Refusal, refusal, sha256};
use crate::budget::certificate::MAX_CUTS;
use crate::engines;
use crate::goal::{Claim, LoopEvidence, LoopsEvidence, Pair, ProofEvidence};
use crate::lower::Lowered;
use kernel::exec::sweep::Sweep;
use kernel::outline::cuts::cut;
use kernel::pair::paths::PathsEvidence;
use kernel::pair::plan::{InliningPlan, Turns};
use kernel::pair::summaries::{Slot, SummariesEvidence, Summary};
use kernel::proof::Shown;
use kernel::rejection::{Rejection, reject};
use kernel::relate::Level;
use lang_l::hir::{ProcId, Unit};
use lang_l::source::{FileId, Sources, Span};
use smt::solve::script;
use std::collections::{BTreeMap, BTreeSet};

/// What the index calls itself.
pub(super) const FORMAT: &str = "ape certificate";
/// It grows when an old certificate cannot be read any more.
const SCHEMA_VERSION: u32 = 1;

/// The scripts and how many questions each asks; scripts without questions are not written.
pub(super) fn scripts(confirmed: &Confirmation) -> BTreeMap<String, usize> {
    let mut scripts: BTreeMap<String, usize> = BTreeMap::new();
    scripts.insert(FACTS_SCRIPT.into(), confirmed.alone.len());
    for (name, (_, queries)) in confirmed.script_names.iter().zip(&confirmed.proofs) {
        if let Some(name) = name {
            scripts.insert(name.clone(), queries.len());
        }
    }
    scripts
}

/// The files of a certificate.
pub(super) fn write(sources: &Sources, decisions: &Decisions, confirmed: &Confirmation) -> Certificate {
    let mut files = BTreeMap::new();
    let mut named = Vec::new();
    for (at, (_, source)) in sources.iter().enumerate() {
        let file = format!("source-{at}.l");
        let name = source.name.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
        named.push(SourceEntry { file: file.clone(), name, sha256: sha256(&source.text) });
        files.insert(file, source.text.clone());
    }
    let words = Words { lowered: &confirmed.lowered, sources };
    let mut document = Document {
        format: FORMAT.into(),
        schema_version: SCHEMA_VERSION,
        ape_version: env!("CARGO_PKG_VERSION").into(),
        sources: named,
        cuts: decisions.cuts.clone(),
        pairs: decisions.pairs.iter().zip(&confirmed.pairs).map(|(pair, seen)| words.pair(pair, seen)).collect(),
        proofs: (decisions.proofs.iter().zip(&confirmed.proofs).zip(&confirmed.script_names))
            .map(|((decided, (proof, queries)), name)| words.proof(decided, proof, queries.len(), name.clone()))
            .collect(),
        versions: [0, 1].map(|version| entries::version(&confirmed.lowered, version, &decisions.evidence[version])),
        files: BTreeMap::new(),
        digest: String::new(),
    };
    // A script names what it is part of, so that none can be taken for that of other decisions. One there always is, also where
    // terms alone settled everything.
    let part_of = sha256(&document.text());
    let comment = |what: &str| format!("{what}\nPart of certificate {part_of}");
    let alone = script(&comment("What the proofs use of each procedure alone"), &confirmed.alone);
    files.insert(FACTS_SCRIPT.into(), alone);
    for ((decided, name), (_, queries)) in decisions.proofs.iter().zip(&confirmed.script_names).zip(&confirmed.proofs) {
        if let Some(name) = name {
            let pair = pair_name(confirmed.lowered.as_unit(), decided.pair, decided.when.as_deref());
            files.insert(name.clone(), script(&comment(&format!("The proof of {pair}")), queries));
        }
    }
    document.files = files.iter().map(|(name, text)| (name.clone(), sha256(text))).collect();
    document.digest = sha256(&document.text());
    files.insert(INDEX.into(), document.text());
    Certificate { files }
}

impl Document {
    /// Reads the index; its digest must be that of what it says.
    pub(super) fn read(certificate: &Certificate) -> Result<Self, Refusal> {
        let unreadable = |what: String| Refusal::Unreadable(what);
        let Some(text) = certificate.files.get(INDEX) else {
            return Err(unreadable(format!("there is no {INDEX}")));
        };
        let mut document: Document =
            serde_json::from_str(text).map_err(|error| unreadable(format!("{INDEX}: {error}")))?;
        if document.format != FORMAT || document.schema_version != SCHEMA_VERSION {
            return Err(unreadable(format!("{INDEX} is not one of version {SCHEMA_VERSION}")));
        }
        if document.ape_version != env!("CARGO_PKG_VERSION") {
            let what = format!("made by ape {}, and this is {}", document.ape_version, env!("CARGO_PKG_VERSION"));
            return Err(refusal(INDEX, what));
        }
        let digest = std::mem::take(&mut document.digest);
        if sha256(&document.text()) != digest {
            return Err(refusal(INDEX, "it was changed: the digest is another"));
        }
        document.digest = digest;
        for (name, sum) in &document.files {
            match certificate.files.get(name) {
                Some(text) if sha256(text) == *sum => {}
                Some(_) => return Err(refusal(name, "it was changed: the digest is another")),
                None => return Err(refusal(name, "this file is missing")),
            }
        }
        Ok(document)
    }

    /// The sources: the copies, or those given, which must have the same texts.
    pub(super) fn sources(&self, certificate: &Certificate, program: Option<&Sources>) -> Result<Sources, Refusal> {
        if let Some(program) = program {
            let texts: Vec<&str> = program.iter().map(|(_, source)| source.text.as_str()).collect();
            let same = texts.len() == self.sources.len()
                && texts.iter().zip(&self.sources).all(|(text, entry)| sha256(text) == entry.sha256);
            if !same {
                return Err(refusal(INDEX, "the certificate belongs to another source text"));
            }
        }
        let mut sources = Sources::new();
        for entry in &self.sources {
            let Some(text) = certificate.files.get(&entry.file) else {
                return Err(refusal(&entry.file, "this file is missing"));
            };
            sources.add(entry.name.clone(), text.clone());
        }
        Ok(sources)
    }

    /// The decisions that the index holds, on a source.
    pub(super) fn decisions(&self, source: &Unit) -> Result<Decisions, Rejection> {
        if self.cuts.len() > MAX_CUTS {
            return reject("too many statements are cut out of the procedures");
        }
        let Some(unit) = cut(source, &self.cuts) else {
            return reject("the statements cannot be cut out of the procedures");
        };
        let lowered = crate::lower::lower(&unit);
        let reader = Reader { lowered: &lowered };
        let mut decisions = Decisions { cuts: self.cuts.clone(), ..Decisions::default() };
        for version in 0..2 {
            decisions.evidence[version] = entries::evidence(&lowered, version, &self.versions[version])?;
        }
        for entry in &self.proofs {
            decisions.proofs.push(reader.proof(entry)?);
        }
        for entry in &self.pairs {
            decisions.pairs.push(reader.pair(entry)?);
        }
        Ok(decisions)
    }
}

/// What decisions are called.
struct Words<'a> {
    lowered: &'a Lowered,
    sources: &'a Sources,
}

impl Words<'_> {
    fn name(&self, version: usize, id: ProcId) -> String {
        self.lowered.procedure(version, id).name.clone()
    }

    fn names(&self, version: usize, ids: &BTreeSet<ProcId>) -> Vec<String> {
        ids.iter().map(|&id| self.name(version, id)).collect()
    }

    /// A place: its first line of text, and where that is.
    fn place(&self, span: Span) -> String {
        let text = self.sources.text(span).lines().next().unwrap_or_default().trim_end();
        format!("`{text}` (line {})", self.sources.line(span))
    }

    fn pair(&self, answered: &AnsweredPair, seen: &Finding) -> PairEntry {
        let (reason, counterexample) = match &answered.answer {
            Decision::Proved(_) => (None, None),
            Decision::Unknown(why) | Decision::Uncertified(why) => (Some(why.clone()), None),
            Decision::Differs(store) => {
                (None, Some(CounterexampleEntry { version: None, procedure: None, store: store.clone() }))
            }
            Decision::Violated(version, procedure, store) => {
                let procedure = Some(self.name(*version, *procedure));
                (None, Some(CounterexampleEntry { version: Some(*version), procedure, store: store.clone() }))
            }
        };
        PairEntry {
            left: self.name(0, answered.pair.0),
            right: self.name(1, answered.pair.1),
            when: answered.when.clone(),
            verdict: seen.verdict.into(),
            termination: seen.termination.word().into(),
            rests_on: seen.rests_on.iter().map(|&pair| pair_name(self.lowered.as_unit(), pair, None)).collect(),
            reason,
            counterexample,
        }
    }

    fn proof(&self, decided: &ProvedPair, proof: &Shown, questions: usize, script: Option<String>) -> ProofEntry {
        let claim = &decided.claim;
        let uses = |(&pair, level): (&Pair, &Level)| {
            format!("{} ({})", pair_name(self.lowered.as_unit(), pair, None), level_word(*level))
        };
        let numbered = |(number, level): (&usize, &Level)| format!("claim {number} ({})", level_word(*level));
        let both = |&(left, right): &(Span, Span)| [self.place(left), self.place(right)];
        let mut entry = ProofEntry {
            left: self.name(0, decided.pair.0),
            right: self.name(1, decided.pair.1),
            when: decided.when.clone(),
            number: decided.number,
            level: level_word(claim.level).into(),
            rule: claim.rule.name.into(),
            uses: proof.used.always.iter().map(uses).chain(proof.used.conditional.iter().map(numbered)).collect(),
            allocations: proof.matches.allocations.iter().map(both).collect(),
            calls: proof.matches.calls.iter().map(both).collect(),
            script,
            questions,
            ..ProofEntry::default()
        };
        match &claim.evidence {
            ProofEvidence::Plain => {}
            ProofEvidence::Paths(evidence) => {
                let PathsEvidence {
                    plan: InliningPlan { inline, depths, outcomes, only_at, sweeps, told_apart, by_first_test },
                    relations,
                } = evidence;
                entry.depths = Some(*depths);
                entry.most_paths = *outcomes;
                entry.only_at = only_at.map(|place| [place.file.0, place.start, place.end]);
                entry.in_place = Some([0, 1].map(|version| self.names(version, &inline[version])));
                entry.sweeps = [0, 1].map(|version| self.sweeps(version, &sweeps[version]));
                if told_apart.iter().any(|own| !own.is_empty()) {
                    entry.told_apart = Some([0, 1].map(|version| self.names(version, &told_apart[version])));
                }
                entry.by_first_test = *by_first_test;
                entry.paths = entries::paths(relations);
            }
            ProofEvidence::Loops(LoopsEvidence { whole: PathsEvidence { plan, relations }, loops }) => {
                entry.depths = Some(plan.depths);
                entry.in_place = Some([0, 1].map(|version| self.names(version, &plan.inline[version])));
                entry.paths = entries::paths(relations);
                entry.loops = loops.iter().map(|own| self.loops(own)).collect();
            }
            ProofEvidence::Summaries(SummariesEvidence { plan, summaries, exact }) => {
                entry.exact_products = exact.clone();
                entry.depths = Some(plan.depths);
                entry.in_place = Some([0, 1].map(|version| self.names(version, &plan.inline[version])));
                entry.summaries = Some(summaries.iter().map(|own| self.summary(own)).collect());
            }
        }
        entry
    }

    fn loops(&self, own: &LoopEvidence) -> LoopsEntry {
        LoopsEntry {
            left: self.name(0, own.pair.0),
            right: self.name(1, own.pair.1),
            turns: (own.turns != Turns::default()).then(|| own.turns.clone()),
            compared: own.compared,
            equal: own.equal.clone(),
            facts: own.facts.clone(),
            results: own.results.clone(),
            apart: own.apart.clone(),
            exit: own.exit.clone(),
            paths: entries::paths(&own.relations),
        }
    }

    fn sweeps(&self, version: usize, all: &BTreeMap<ProcId, Sweep>) -> BTreeMap<String, Sweep> {
        all.iter().map(|(&id, own)| (self.name(version, id), own.clone())).collect()
    }

    fn summary(&self, own: &Summary) -> SummaryEntry {
        let calls = |version: usize| {
            let call = |slot: &Slot| CallEntry { of: self.name(version, slot.callee), turns: slot.turns };
            own.of[version].iter().map(call).collect()
        };
        SummaryEntry {
            left: calls(0),
            right: calls(1),
            before: own.before.iter().map(entries::formula_entry).collect(),
            given: own.given.iter().map(entries::formula_entry).collect(),
            after: own.after.iter().map(entries::formula_entry).collect(),
        }
    }
}

/// What entries mean.
struct Reader<'a> {
    lowered: &'a Lowered,
}

impl Reader<'_> {
    fn procedure(&self, version: usize, name: &str) -> Result<ProcId, Rejection> {
        entries::procedure(self.lowered, version, name)
    }

    fn couple(&self, left: &str, right: &str) -> Result<Pair, Rejection> {
        Ok((self.procedure(0, left)?, self.procedure(1, right)?))
    }

    fn pair(&self, entry: &PairEntry) -> Result<AnsweredPair, Rejection> {
        let pair = self.couple(&entry.left, &entry.right)?;
        let reason = || entry.reason.clone().unwrap_or_default();
        let answer = match (entry.verdict.as_str(), &entry.counterexample) {
            ("equivalent", None) => Decision::Proved(Level::Full),
            ("partially-equivalent", None) => Decision::Proved(Level::Partial),
            ("unknown", None) => Decision::Unknown(reason()),
            ("uncertified", None) => Decision::Uncertified(reason()),
            ("not-equivalent", Some(CounterexampleEntry { store, .. })) => Decision::Differs(store.clone()),
            (
                "contract-violation",
                Some(CounterexampleEntry { version: Some(version @ (0 | 1)), procedure: Some(name), store }),
            ) => Decision::Violated(*version, self.procedure(*version, name)?, store.clone()),
            _ => return reject(format!("there is no verdict {}", entry.verdict)),
        };
        Ok(AnsweredPair { pair, when: entry.when.clone(), answer })
    }

    fn related_loops(&self, entry: &LoopsEntry) -> Result<LoopEvidence, Rejection> {
        Ok(LoopEvidence {
            pair: self.couple(&entry.left, &entry.right)?,
            turns: entry.turns.clone().unwrap_or_default(),
            compared: entry.compared,
            equal: entry.equal.clone(),
            facts: entry.facts.clone(),
            results: entry.results.clone(),
            apart: entry.apart.clone(),
            exit: entry.exit.clone(),
            relations: entries::relations(&entry.paths),
        })
    }

    fn summary(&self, entry: &SummaryEntry) -> Result<Summary, Rejection> {
        let calls = |version: usize, all: &[CallEntry]| -> Result<Vec<Slot>, Rejection> {
            let slot = |call: &CallEntry| Ok(Slot { callee: self.procedure(version, &call.of)?, turns: call.turns });
            all.iter().map(slot).collect()
        };
        let formulas = |all: &[FormulaEntry]| all.iter().map(entries::formula).collect::<Result<_, Rejection>>();
        Ok(Summary {
            of: [calls(0, &entry.left)?, calls(1, &entry.right)?],
            before: formulas(&entry.before)?,
            given: formulas(&entry.given)?,
            after: formulas(&entry.after)?,
        })
    }

    fn proof(&self, entry: &ProofEntry) -> Result<ProvedPair, Rejection> {
        let pair = self.couple(&entry.left, &entry.right)?;
        let level = match entry.level.as_str() {
            "full" => Level::Full,
            "partial" => Level::Partial,
            other => return reject(format!("there is no level {other}")),
        };
        let Some(rule) = engines::rule(&entry.rule) else {
            return reject(format!("there is no rule {}", entry.rule));
        };
        let evidence = match (entry.depths, &entry.in_place) {
            (Some(depths), Some(in_place)) => {
                let ids = |names: &[Vec<String>; 2], version: usize| -> Result<BTreeSet<ProcId>, Rejection> {
                    names[version].iter().map(|name| self.procedure(version, name)).collect()
                };
                let told_apart = entry.told_apart.clone().unwrap_or_default();
                let told_apart = [ids(&told_apart, 0)?, ids(&told_apart, 1)?];
                let only_at = entry.only_at.map(|[file, start, end]| Span { file: FileId(file), start, end });
                let sweeps = |version: usize| -> Result<BTreeMap<ProcId, Sweep>, Rejection> {
                    let own = |(name, own): (&String, &Sweep)| Ok((self.procedure(version, name)?, own.clone()));
                    entry.sweeps[version].iter().map(own).collect()
                };
                let (inline, sweeps) = ([ids(in_place, 0)?, ids(in_place, 1)?], [sweeps(0)?, sweeps(1)?]);
                let (outcomes, by_first_test) = (entry.most_paths, entry.by_first_test);
                let plan = InliningPlan { inline, depths, outcomes, only_at, sweeps, told_apart, by_first_test };
                let whole = PathsEvidence { plan, relations: entries::relations(&entry.paths) };
                if let Some(summaries) = &entry.summaries {
                    let summaries = summaries.iter().map(|own| self.summary(own)).collect::<Result<_, _>>()?;
                    let exact = entry.exact_products.clone();
                    ProofEvidence::Summaries(SummariesEvidence { plan: whole.plan, summaries, exact })
                } else if entry.loops.is_empty() {
                    ProofEvidence::Paths(whole)
                } else {
                    let loops = entry.loops.iter().map(|own| self.related_loops(own)).collect::<Result<_, _>>()?;
                    ProofEvidence::Loops(LoopsEvidence { whole, loops })
                }
            }
            (None, None) => ProofEvidence::Plain,
            _ => return reject("the evidence is incomplete"),
        };
        Ok(ProvedPair { pair, when: entry.when.clone(), number: entry.number, claim: Claim { level, rule, evidence } })
    }
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Full => "full",
        Level::Partial => "partial",
    }
}

//! What a run of the fuzzer found.
//!
//! In: judged cases. Out: counts, tables, findings.

use super::case::{Case, Mutation};
use super::judge::{Ending, Fault, Judgement};
use std::collections::BTreeMap;
use std::fmt;

/// A fault, with the case that shows it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The number of the case.
    pub number: u64,
    /// What is wrong with the small case.
    pub fault: Fault,
    /// The case as it was made.
    pub case: Case,
    /// The same made small.
    pub small: Case,
}

impl Finding {
    /// A pair file that says what is wrong with it.
    pub fn text(&self) -> String {
        let mut kinds: Vec<&str> = self.case.mutations.iter().map(|mutation| mutation.text()).collect();
        kinds.extend(self.case.planted.iter().map(|planted| planted.what));
        let head =
            format!("{}: {}\nCase {}: {}.", self.fault.word(), self.fault.message(), self.number, kinds.join(", "));
        let comment: String = head.lines().map(|line| format!("// {line}\n")).collect();
        format!("{comment}{}", self.small.text())
    }
}

/// Fewer pairs than this say nothing of how often a kind of mutation is proved.
const ENOUGH: u64 = 20;

/// How the cases of one kind ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// How many were proved equivalent.
    pub proved: u64,
    /// How many were proved but for termination.
    pub partial: u64,
    /// How many were not decided.
    pub unknown: u64,
    /// How many are of a program that says nothing, or whose contracts fail or are in doubt.
    pub beside: u64,
    /// How many were refuted.
    pub refuted: u64,
    /// How many are neither proved nor refuted though runs differ.
    pub missed: u64,
    /// How many were refuted though the runs of the oracle are alike: how much it overlooks.
    pub overlooked: u64,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.proved += other.proved;
        self.partial += other.partial;
        self.unknown += other.unknown;
        self.beside += other.beside;
        self.refuted += other.refuted;
        self.missed += other.missed;
        self.overlooked += other.overlooked;
    }

    /// How many should have been proved, when the kind keeps the meaning.
    pub fn provable(&self) -> u64 {
        self.proved + self.partial + self.unknown
    }
}

/// What a run of the fuzzer found.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How the cases ended, by the kinds of their mutations.
    pub rows: BTreeMap<Vec<Mutation>, Row>,
    /// The faults.
    pub findings: Vec<Finding>,
    /// How many numbers have no case.
    pub skipped: u64,
    /// The cases that are not legal L.
    pub illegal: Vec<u64>,
    /// The cases whose verification was given up as it took long.
    pub late: Vec<u64>,
    /// Of how many cases in which something is proved a certificate was made, and of how many it replays.
    pub certificates: (u64, u64),
    /// The cases in which something is proved whose certificate does not replay.
    pub uncertified: Vec<u64>,
}

impl Summary {
    /// Takes in one more case.
    pub fn count(&mut self, case: &Case, judgement: &Judgement) {
        let row = self.rows.entry(case.mutations.clone()).or_default();
        let place = match judgement.ending {
            Ending::Proved => &mut row.proved,
            Ending::Partial => &mut row.partial,
            Ending::Unknown => &mut row.unknown,
            Ending::Beside | Ending::Violated => &mut row.beside,
            Ending::Refuted => &mut row.refuted,
        };
        *place += 1;
        let decided = matches!(judgement.ending, Ending::Proved | Ending::Refuted);
        row.missed += u64::from(judgement.differs && !decided);
        row.overlooked += u64::from(!judgement.differs && judgement.ending == Ending::Refuted);
        if let Some(certified) = judgement.certified {
            self.certificates.0 += 1;
            self.certificates.1 += u64::from(certified);
        }
    }

    /// Takes in the summary of other cases.
    pub fn merge(&mut self, other: Summary) {
        for (kind, theirs) in other.rows {
            self.rows.entry(kind).or_default().add(&theirs);
        }
        self.findings.extend(other.findings);
        self.skipped += other.skipped;
        self.illegal.extend(other.illegal);
        self.late.extend(other.late);
        self.certificates.0 += other.certificates.0;
        self.certificates.1 += other.certificates.1;
        self.uncertified.extend(other.uncertified);
    }

    /// Whether something was found that makes an answer wrong or unreliable, and not just missing.
    pub fn faulty(&self) -> bool {
        self.findings.iter().any(|finding| !matches!(finding.fault, Fault::Unproved(_)))
    }

    /// How many cases were judged.
    pub fn judged(&self) -> u64 {
        self.rows.values().map(|row| row.provable() + row.beside + row.refuted).sum()
    }

    /// The kinds of mutations that keep the meaning of which too few were proved: less than nine in ten of all, or six in ten
    /// of one kind with enough pairs to tell.
    pub fn below_bars(&self) -> Vec<String> {
        let rows = with_total(self.table(true));
        let total = rows.len() - 1;
        let below = |(at, (text, row)): (usize, (&str, Row))| {
            let (bar, least) = if at == total { (90, 1) } else { (60, ENOUGH) };
            let few = row.provable() >= least && 100 * row.proved < bar * row.provable();
            few.then(|| format!("{text}: {} of {} proved, under {bar} %", row.proved, row.provable()))
        };
        rows.into_iter().enumerate().filter_map(below).collect()
    }

    /// The rows of single mutations of one sort, and one for all others of that sort.
    fn table(&self, keeping: bool) -> Vec<(&'static str, Row)> {
        let mut table: BTreeMap<Option<Mutation>, Row> = BTreeMap::new();
        for (kinds, row) in &self.rows {
            if kinds.iter().all(|kind| matches!(kind, Mutation::Keep(_))) != keeping {
                continue;
            }
            let key = if let [one] = &kinds[..] { Some(*one) } else { None };
            table.entry(key).or_default().add(row);
        }
        table.into_iter().map(|(kind, row)| (kind.map_or("several together", Mutation::text), row)).collect()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| keeps the meaning | pairs | equivalent | partially | unknown | beside | % |")?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        for (text, row) in with_total(self.table(true)) {
            let Row { proved, partial, unknown, beside, refuted, .. } = row;
            let (all, percent) =
                (row.provable() + beside + refuted, 100.0 * proved as f64 / row.provable().max(1) as f64);
            writeln!(f, "| {text} | {all} | {proved} | {partial} | {unknown} | {beside} | {percent:.1} |")?;
        }
        writeln!(
            f,
            "\n| may change it | pairs | refuted | equivalent | partially | unknown | beside | missed | overlooked |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|")?;
        for (text, row) in with_total(self.table(false)) {
            let Row { proved, partial, unknown, beside, refuted, missed, overlooked } = row;
            let all = row.provable() + beside + refuted;
            write!(f, "| {text} | {all} | {refuted} | {proved} | {partial} | {unknown} | {beside} ")?;
            writeln!(f, "| {missed} | {overlooked} |")?;
        }
        let (judged, faults) = (self.judged(), self.findings.len());
        let without = self.skipped + self.illegal.len() as u64;
        writeln!(f, "\n{judged} pairs judged, {without} numbers without a pair, {faults} faults")?;
        if !self.late.is_empty() {
            writeln!(f, "given up as they took long: {:?}", self.late)?;
        }
        let (made, replayed) = self.certificates;
        if made > 0 {
            let percent = 100.0 * replayed as f64 / made as f64;
            writeln!(
                f,
                "{replayed} of {made} cases with something proved have a certificate that replays ({percent:.1} %)"
            )?;
        }
        if !self.uncertified.is_empty() {
            writeln!(f, "without one: {:?}", self.uncertified)?;
        }
        writeln!(
            f,
            "beside: the program says nothing, or its contracts fail or are in doubt; missed: runs differ, but no verdict says so;"
        )?;
        writeln!(f, "overlooked: refuted, though the runs of the fuzzer itself are alike")
    }
}

fn with_total(mut table: Vec<(&'static str, Row)>) -> Vec<(&'static str, Row)> {
    let mut total = Row::default();
    table.iter().for_each(|(_, row)| total.add(row));
    table.push(("all", total));
    table
}

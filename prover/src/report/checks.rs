//! What the kernel made of a run, as text: `ape verify --dump kernel`.
//!
//! In: the lowered program and a [`KernelReport`]. Out: for each version what is said of its procedures alone, for each procedure
//! whether it does what the source does, and for each proof that an engine has found whether it is one.

use crate::checked::KernelReport;
use crate::goal::Checked;
use crate::lower::Lowered;
use kernel::rejection::Rejection;
use kernel::relate::Level;
use lang_l::hir::ProcId;
use smt::solve::Answer;
use std::fmt::Write;

/// The text.
pub fn checks(unit: &Lowered, report: &KernelReport) -> String {
    let mut text = String::new();
    for version in 0..2.min(unit.versions().len()) {
        let _ = writeln!(text, "{}", unit.versions()[version].title());
        let alone = match &report.alone[version] {
            None => "so it is".to_string(),
            Some(why) => format!("refused: {why}"),
        };
        let _ = writeln!(text, "  what is said of its procedures alone: {alone}");
        for (&id, refused) in &report.lemmas[version] {
            let _ = writeln!(text, "  {}: {}", unit.procedure(version, id).name, lemma(refused.as_ref()));
        }
    }
    for (&(left, right), checked) in &report.pairs {
        let _ = writeln!(text, "{}: {}", names(unit, left, right), judgement(checked));
    }
    for (&(left, right), &level) in &report.parts {
        let how = if level == Level::Full { "" } else { " in part" };
        let _ = writeln!(text, "{}: the claim stands{how}", names(unit, left, right));
    }
    for (&(left, right), why) in &report.refused {
        let _ = writeln!(text, "{}: refused: {why}", names(unit, left, right));
    }
    for query in report.queries.iter().filter(|query| query.answer != Answer::Holds) {
        let _ = writeln!(text, "an obligation that failed: {}", query.tag);
    }
    text
}

fn names(unit: &Lowered, left: ProcId, right: ProcId) -> String {
    let [left, right] = [unit.procedure(0, left), unit.procedure(1, right)].map(|code| &code.name);
    if left == right { left.clone() } else { format!("{left} ~ {right}") }
}

fn lemma(refused: Option<&Rejection>) -> String {
    match refused {
        None => "does what the source does".to_string(),
        Some(why) => format!("not shown to do what the source does: {why}"),
    }
}

fn judgement(checked: &Checked) -> String {
    match checked {
        Checked::Proved(proved) if proved.level() == Level::Full => "proved equivalent".to_string(),
        Checked::Proved(_) => "proved partially equivalent".to_string(),
        Checked::Not(why) => format!("not checked: {why}"),
    }
}

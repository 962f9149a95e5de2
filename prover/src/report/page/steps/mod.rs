//! The runs of a counterexample, step by step and in step with one another.
//!
//! In: a pair that was refuted. Out: what the program of the page draws: the steps of each run, as JSON, and which step of one goes
//! with which of the other.
//!
//! 1. [`record`]: the runs are made once more, and watched.
//! 2. [`align`]: their steps are put beside each other.
//! 3. [`moment`]: what each step shows, in JSON in which nothing is said twice.
//!
//! Invariant: what is shown was seen in runs that ended as the report says. Where they do not, nothing is shown.
//! Invariant: of a long run the first and the last steps are kept; how many are left out is said.

mod align;
mod moment;
mod record;

use super::panes::Panes;
use super::words::visible;
use super::{Program, Room};
use crate::budget::page::MAX_STEPS;
use crate::search::concrete::REPLAY;
use crate::verdict::{PairReport, Verdict};
use lang_l::heap::Input;
use lang_l::hir::ProcId;
use lang_l::interp::{Behaviour, Divergence, Job, Outcome, run};
use lang_l::naming::{named, names};
use maud::{Markup, PreEscaped, html};
use moment::Shower;
use record::{Recorder, Trace};
use serde_json::{Value as Json, json};

/// A run of a version: of which procedure, and how it ended.
struct Wanted<'a> {
    version: usize,
    procedure: ProcId,
    outcome: Outcome,
    input: &'a Input,
    externals: Behaviour,
}

/// The steps of the runs that refute a pair, as far as there is room for them.
pub(super) fn steps(
    program: &Program<'_>,
    panes: &Panes<'_>,
    (id, pair): (&str, &PairReport),
    room: &mut Room,
) -> Markup {
    let share = room.steps / room.refuted.max(1);
    room.refuted = room.refuted.saturating_sub(1);
    let wanted = wanted(pair);
    let traces: Option<Vec<Trace<'_>>> = wanted.iter().map(|wanted| traced(program, wanted)).collect();
    let Some(traces) = traces.filter(|traces| !traces.is_empty()) else { return html! {} };
    let fewer = |most: &usize| Some(most / 2).filter(|most| *most > 4);
    let texts = std::iter::successors(Some(MAX_STEPS), fewer).map(|most| {
        let short: Vec<Trace<'_>> = traces.iter().map(|trace| trace.shortened(most)).collect();
        let shown = |(wanted, trace): (&Wanted<'_>, &Trace<'_>)| {
            Shower::new(program, panes, wanted.input, &trace.names).run(wanted.version, trace)
        };
        let runs: Vec<Json> = wanted.iter().zip(&short).map(shown).collect();
        let rows = align::rows(&short.iter().map(|trace| trace.keys(program.subject.sources)).collect::<Vec<_>>());
        json!({ "runs": runs, "rows": rows }).to_string()
    });
    let Some(text) = texts.into_iter().find(|text| text.len() <= share) else {
        return html! { p { "The runs are too large to be shown here step by step." } };
    };
    room.steps -= text.len();
    widget(id, &text, traces.iter().map(|trace| trace.total).collect())
}

/// The runs that a verdict tells of.
fn wanted(pair: &PairReport) -> Vec<Wanted<'_>> {
    match &pair.verdict {
        Verdict::NotEquivalent(witness) => {
            let runs = [(0, pair.pair.0, witness.left()), (1, pair.pair.1, witness.right())];
            let (input, externals) = (witness.input(), witness.externals());
            let run = |(version, procedure, outcome): (usize, ProcId, &Outcome)| Wanted {
                version,
                procedure,
                outcome: outcome.clone(),
                input,
                externals,
            };
            runs.map(run).into()
        }
        Verdict::ContractViolation(witness) => {
            let outcome = Outcome::Violation(witness.violation().clone());
            let (version, procedure) = (witness.version(), witness.procedure());
            vec![Wanted { version, procedure, outcome, input: witness.input(), externals: witness.externals() }]
        }
        _ => Vec::new(),
    }
}

/// The run once more; nothing if it ends in another way than it did.
fn traced<'a>(program: &Program<'a>, wanted: &Wanted<'_>) -> Option<Trace<'a>> {
    let unit = program.subject.unit;
    let job = Job { unit, version: wanted.version, procedure: wanted.procedure, limits: REPLAY };
    let mut recorder = Recorder::new(&unit.versions[wanted.version], wanted.input, wanted.externals);
    let ran = run(&job, wanted.input.clone(), &mut recorder);
    let same = match (&ran.outcome, &wanted.outcome) {
        (Outcome::Normal(last), Outcome::Normal(_)) => Outcome::Normal(named(last, &ran.input)) == wanted.outcome,
        // That such a run never ends was proved of the place where it was stopped.
        (Outcome::OutOfBudget(_), Outcome::Diverged(Divergence::Stays { .. })) => true,
        // An `assert` that fails is an error of the run.
        (Outcome::Error(_), Outcome::Violation(_)) => true,
        (own, wanted) => own == wanted,
    };
    let names = match &ran.outcome {
        Outcome::Normal(last) => names(last, &ran.input),
        _ => Default::default(),
    };
    same.then(|| recorder.finish(&wanted.outcome, names))
}

/// Where the program of the page puts its buttons and drawings.
fn widget(id: &str, text: &str, totals: Vec<usize>) -> Markup {
    let long = totals.iter().any(|total| *total > MAX_STEPS);
    // Nothing in it may end the element.
    let text = visible(text).replace('<', "\\u003c");
    html! {
        h4 { "Step by step" }
        @if long { p { "Of a long run the first and the last steps are shown." } }
        noscript { p { "To step through the runs, allow this page to run its own program." } }
        div.steps data-from=(format!("{id}-steps")) hidden {}
        script type="application/json" id=(format!("{id}-steps")) { (PreEscaped(text)) }
    }
}

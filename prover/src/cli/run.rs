//! `ape run`: runs one procedure, and tells how it ended.

use super::args::RunArgs;
use super::load::{self, Loaded};
use super::status::{Failure, Status};
use lang_l::heap::{Input, Store};
use lang_l::hir::{ProcId, Procedure, Unit};
use lang_l::interp::{self, Behaviour, Divergence, Environment, Event, Job, Limits, Outcome, Sequential};
use lang_l::source::{Sources, Span};
use lang_l::value::Addr;
use lang_l::{show, store_json};
use serde_json::Value as Json;
use std::io::Write;

/// Runs the procedure. The status is 0 when it ended normally; 1 when it ended in error, broke a contract or provably
/// never ends; 3 when it has no outcome or could not be run to its end.
pub(crate) fn run(args: &RunArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let Loaded { sources, unit } = load::load(&[&args.file])?;
    let (version, procedure) = choose(&unit, args)?;
    let (input, externals) = input(&unit, unit.versions[version].procedure(procedure), args)?;

    let limits = Limits { steps: args.steps, ..Limits::default() };
    let job = Job { unit: &unit, version, procedure, limits };
    let mut surroundings = Sequential::after(&input).with(externals);
    let ran = if args.trace {
        interp::run(&job, input, &mut Traced { inner: surroundings, unit: &unit, sources: &sources, depth: 0 })
    } else {
        interp::run(&job, input, &mut surroundings)
    };

    let procedure = unit.versions[version].procedure(procedure);
    write!(out, "{} {}", procedure.name, show::outcome_text(&ran.outcome))?;
    match place(&ran.outcome) {
        Some(span) => writeln!(out, ", at {}\n    {}", place_text(&sources, span), first_line(&sources, span))?,
        None => writeln!(out)?,
    }
    if let Outcome::Normal(last) = &ran.outcome {
        write!(out, "{}", show::final_text(&unit, procedure, &ran.input, last))?;
    }
    Ok(status(&ran.outcome))
}

fn status(outcome: &Outcome) -> Status {
    match outcome {
        Outcome::Normal(_) => Status::Success,
        Outcome::Error(_) | Outcome::Violation(_) | Outcome::Diverged(_) => Status::Failed,
        Outcome::Excluded(..) | Outcome::OutOfBudget(_) | Outcome::Unsupported { .. } => Status::Undecided,
    }
}

/// The place in the source that tells why a run ended.
fn place(outcome: &Outcome) -> Option<Span> {
    match outcome {
        Outcome::Normal(_) | Outcome::OutOfBudget(_) => None,
        Outcome::Error(failure) => Some(failure.span),
        Outcome::Violation(violation) => Some(violation.span),
        Outcome::Excluded(_, span) | Outcome::Unsupported { span, .. } => Some(*span),
        Outcome::Diverged(Divergence::LoopRepeats { span } | Divergence::CallRepeats { span, .. }) => Some(*span),
    }
}

/// The version and the procedure that the arguments name.
fn choose(unit: &Unit, args: &RunArgs) -> Result<(usize, ProcId), Failure> {
    let name = &args.procedure;
    let versions = || unit.versions.iter().enumerate();
    let Some(wanted) = &args.version else {
        let found = versions().find_map(|(at, version)| Some((at, version.find(name)?)));
        return found.ok_or_else(|| Failure::Usage(format!("there is no procedure {name}")));
    };
    let by_label = versions().find(|(_, version)| version.label == *wanted);
    let by_number = || versions().find(|(at, _)| at.to_string() == *wanted);
    let Some((at, version)) = by_label.or_else(by_number) else {
        let labels: Vec<&str> = unit.versions.iter().map(|version| version.label.as_str()).collect();
        return Err(Failure::Usage(format!("there is no version {wanted}, only {}", labels.join(" and "))));
    };
    let found = version.find(name).map(|procedure| (at, procedure));
    found.ok_or_else(|| Failure::Usage(format!("there is no procedure {name} in version {wanted}")))
}

/// What the run starts from, a store file or words of the command line; and what external procedures do.
fn input(unit: &Unit, procedure: &Procedure, args: &RunArgs) -> Result<(Input, Behaviour), Failure> {
    let Some(path) = &args.store else {
        let input = store_json::read_arguments(unit, procedure, &args.arguments, Store::default());
        return Ok((input.map_err(|error| Failure::Usage(error.to_string()))?, Behaviour::Skip));
    };
    let text = load::text(path)?;
    let json: Json = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{} is not JSON: {error}", load::name(path))))?;
    let Some(store) = store_in(&json, &procedure.name) else {
        let (file, name) = (load::name(path), &procedure.name);
        return Err(Failure::Usage(format!("{file} is a report without a counterexample for {name}")));
    };
    let wrong = |error| Failure::Usage(format!("{}: {error}", load::name(path)));
    let input = store_json::read_input(unit, procedure, store).map_err(wrong)?;
    Ok((input, store_json::read_externals(store).map_err(wrong)?))
}

/// The store that a file holds: all of it, or, of a report by `verify`, the counterexample for this procedure.
fn store_in<'j>(json: &'j Json, procedure: &str) -> Option<&'j Json> {
    let Some(pairs) = json["pairs"].as_array() else { return Some(json) };
    let runs = |pair: &&Json| {
        let sides = ["left", "right"].map(|side| (&pair[side], &pair["counterexample"][side]["run"]));
        sides.iter().any(|(own, run)| if run.is_null() { *own == procedure } else { *run == procedure })
    };
    let refuted = pairs.iter().filter(|pair| !pair["counterexample"].is_null());
    refuted.filter(runs).map(|pair| &pair["counterexample"]).next()
}

fn place_text(sources: &Sources, span: Span) -> String {
    format!("{}:{}:{}", sources.get(span.file).name, sources.line(span), sources.column(span))
}

fn first_line(sources: &Sources, span: Span) -> &str {
    sources.text(span).lines().next().unwrap_or_default().trim_end()
}

/// Plain surroundings that print what happens to standard error.
struct Traced<'r> {
    inner: Sequential,
    unit: &'r Unit,
    sources: &'r Sources,
    /// How many calls are active.
    depth: usize,
}

impl Traced<'_> {
    /// How deep lines are indented at most.
    const DEEPEST: usize = 20;

    fn line(&self, text: &str) {
        let indent = "  ".repeat(self.depth.min(Self::DEEPEST));
        // A trace that nobody reads any more is no reason to stop the run.
        let _ = writeln!(anstream::stderr(), "{indent}{text}");
    }
}

impl Environment for Traced<'_> {
    fn fresh(&mut self) -> Addr {
        self.inner.fresh()
    }

    fn trace(&mut self, event: Event<'_>) {
        if matches!(event, Event::Leave { .. }) {
            self.depth = self.depth.saturating_sub(1);
        }
        if let Event::Statement { span } = event {
            self.line(&format!("{}: {}", place_text(self.sources, span), first_line(self.sources, span)));
        } else if let Some(text) = show::event_text(self.unit, &event) {
            self.line(&text);
        }
        if matches!(event, Event::Enter { .. }) {
            self.depth += 1;
        }
    }
}

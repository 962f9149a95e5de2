//! `ape run`: runs one procedure, and tells how it ended.

use crate::args::{Format, RunArgs};
use crate::files::load;
use crate::machine::input;
use crate::status::{Failure, Status};
use lang_l::Loaded;
use lang_l::heap::{Input, Store};
use lang_l::hir::{ProcId, Procedure, Stmt, Unit};
use lang_l::interp::{self, Behaviour, Budget, Environment, Event, Job, Limits, Outcome, Sequential};
use lang_l::source::{Sources, Span};
use lang_l::statements::effect;
use lang_l::value::Addr;
use lang_l::{naming, show, store_json};
use prover::search::concrete::REPLAY;
use prover::verify::{Config, never_ends};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;

/// The most statements printed of what a run did.
const MOST_STATEMENTS: usize = 1_000;

/// Runs the procedure. The status is 0 when it ended normally; 1 when it ended in error, broke a contract or provably
/// never ends; 3 when it has no outcome or could not be run to its end.
pub(crate) fn run(args: &RunArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let files: Vec<&Path> = [&args.file].into_iter().chain(&args.with).map(AsRef::as_ref).collect();
    load::at_most_one_is_standard_input(files.iter().copied().chain(args.store.as_deref()))?;
    let Loaded { sources, unit } = load::load(&files)?;
    let (version, id) = choose(&unit, args)?;
    let procedure = unit.versions[version].procedure(id);
    let Start { input, externals, difference } = start(&unit, procedure, args)?;

    let limits = Limits { steps: args.steps, ..Limits::default() };
    let job = Job { unit: &unit, version, procedure: id, limits };
    let surroundings = || Sequential::after(&input).with(externals);
    let ran = interp::run(&job, input.clone(), &mut surroundings());
    let names = match &ran.outcome {
        Outcome::Normal(last) => naming::names(last, &ran.input),
        _ => BTreeMap::new(),
    };
    if args.trace {
        let mut traced = Traced { inner: surroundings(), names, unit: &unit, sources: &sources, depth: 0 };
        interp::run(&job, input.clone(), &mut traced);
    }
    let outcome = match ran.outcome {
        Outcome::Normal(last) => Outcome::Normal(naming::named(&last, &ran.input)),
        // A report may say of this very run that it never ends, by a proof that a run alone cannot give.
        stopped @ Outcome::OutOfBudget(Budget::Steps | Budget::Depth) if difference => {
            let again = Job { limits: REPLAY, ..job };
            let stuck = interp::run(&again, input.clone(), &mut surroundings()).stuck;
            never_ends(&unit, version, &stuck, &Config::default()).map_or(stopped, Outcome::Diverged)
        }
        other => other,
    };
    match args.format {
        Format::Json => writeln!(out, "{:#}", store_json::outcome_json(&unit, procedure, &sources, &outcome))?,
        Format::Text => write!(out, "{}", text(&unit, &sources, procedure, &ran.input, &outcome))?,
    }
    Ok(status(&outcome))
}

/// How the run ended, and the statements that do at once what it did.
fn text(unit: &Unit, sources: &Sources, procedure: &Procedure, input: &Input, outcome: &Outcome) -> String {
    let mut text = format!("{} {}", procedure.name, show::outcome_text(outcome));
    if let Some(span) = outcome.place() {
        let _ = write!(text, ", at {}\n    {}", place_text(sources, span), first_line(sources, span));
    }
    text.push('\n');
    if let Outcome::Normal(last) = outcome {
        let effect = effect(unit, procedure, input, last);
        for assignment in effect.iter().take(MOST_STATEMENTS) {
            let _ = writeln!(text, "  {assignment}");
        }
        if effect.len() > MOST_STATEMENTS {
            let _ = writeln!(text, "  … and {} more", effect.len() - MOST_STATEMENTS);
        }
    }
    text
}

fn status(outcome: &Outcome) -> Status {
    match outcome {
        Outcome::Normal(_) => Status::Success,
        Outcome::Error(_) | Outcome::Violation(_) | Outcome::Diverged(_) => Status::Failed,
        Outcome::Excluded(..) | Outcome::OutOfBudget(_) | Outcome::Unsupported { .. } => Status::Undecided,
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

/// What a run starts from.
struct Start {
    input: Input,
    /// What external procedures do.
    externals: Behaviour,
    /// Whether it is a store on which two versions were seen to differ.
    difference: bool,
}

/// The start that a store file or the words of the command line describe.
fn start(unit: &Unit, procedure: &Procedure, args: &RunArgs) -> Result<Start, Failure> {
    let Some(path) = &args.store else {
        let input = store_json::read_arguments(unit, procedure, &args.arguments, Store::default());
        let input = input.map_err(|error| Failure::Usage(error.to_string()))?;
        return Ok(Start { input, externals: Behaviour::Skip, difference: false });
    };
    let text = load::text(path)?;
    let json: Json = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{} is not JSON: {error}", input::name(path))))?;
    let Some((store, left)) = store_in(&json, &args.file, &procedure.name) else {
        let (file, name) = (input::name(path), &procedure.name);
        return Err(Failure::Usage(format!("{file} is a report without a counterexample for {name}")));
    };
    // The arguments of a pair go by the names that the procedure of the first version gives them.
    let first = || unit.versions.first().and_then(|version| Some(version.procedure(version.find(left?)?)));
    let named = first().filter(|first| first.params == procedure.params).unwrap_or(procedure);
    let wrong = |error| Failure::Usage(format!("{}: {error}", input::name(path)));
    let input = store_json::read_input(unit, named, store).map_err(wrong)?;
    let difference = ["left", "right"].iter().all(|side| store[side]["outcome"].is_string());
    Ok(Start { input, externals: store_json::read_externals(store).map_err(wrong)?, difference })
}

/// The store that a file holds. Of a report by `verify` it is the counterexample for this procedure; otherwise it is all of
/// the file. With a counterexample that shows a difference comes the name of the procedure of the first version. A report on
/// several files says which is whose.
fn store_in<'j>(json: &'j Json, file: &Path, procedure: &str) -> Option<(&'j Json, Option<&'j str>)> {
    let Some(pairs) = json["pairs"].as_array() else { return Some((json, None)) };
    let of_this = |pair: &&Json| pair["file"].as_str().is_none_or(|other| same_file(file, other));
    let refuted = pairs.iter().filter(|pair| !pair["counterexample"].is_null()).filter(of_this);
    refuted.map(|pair| (pair, &pair["counterexample"])).find_map(|(pair, store)| {
        match store["left"]["run"].as_str().or(store["right"]["run"].as_str()) {
            Some(run) => (run == procedure).then_some((store, None)),
            None => (pair["left"] == procedure || pair["right"] == procedure).then_some((store, pair["left"].as_str())),
        }
    })
}

/// Whether the name that a report gives a file is that of this one.
fn same_file(file: &Path, named: &str) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    input::name(file) == named || real(file).is_some_and(|real_file| real(Path::new(named)) == Some(real_file))
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
    /// What objects are called in the end.
    names: BTreeMap<Addr, Addr>,
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
        let addr = self.inner.fresh();
        self.names.get(&addr).copied().unwrap_or(addr)
    }

    fn behaviour(&mut self, name: &str) -> Behaviour {
        self.inner.behaviour(name)
    }

    fn trace(&mut self, event: Event<'_>) {
        if matches!(event, Event::Leave { .. }) {
            self.depth = self.depth.saturating_sub(1);
        }
        if let Event::Statement { statement: Stmt { span, .. } } = event {
            let span = *span;
            self.line(&format!("{}: {}", place_text(self.sources, span), first_line(self.sources, span)));
        } else if let Some(text) = show::event_text(self.unit, &event) {
            self.line(&text);
        }
        if matches!(event, Event::Enter { .. }) {
            self.depth += 1;
        }
    }
}

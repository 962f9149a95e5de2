//! The only folder that knows Z3.

mod read;

use super::{Answer, Logic, Question};
use crate::stop;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use z3::ast::{Bool, Int};
use z3::{Config, Context, FuncDecl, Model, Params, SatResult, Solver, Sort, Tactic, with_z3_config};

/// The version of the library in use.
pub fn version() -> String {
    z3::full_version().to_string()
}

/// Asks Z3 two small questions.
///
/// # Errors
/// What it got wrong.
pub fn self_test() -> Result<(), String> {
    with_z3_config(&Config::new(), || {
        let (x, solver) = (Int::new_const("x"), Solver::new());
        solver.assert(x.gt(1));
        solver.assert(x.lt(3));
        if solver.check() != SatResult::Sat {
            return Err("it finds no x with 1 < x < 3".to_string());
        }
        let found = solver.get_model().and_then(|model| model.eval(&x, true)).and_then(|value| value.as_i64());
        if found != Some(2) {
            return Err(format!("for 1 < x < 3 it finds {found:?}"));
        }
        solver.assert(x.gt(2));
        match solver.check() {
            SatResult::Unsat => Ok(()),
            other => Err(format!("it says {other:?} to 2 < x < 3")),
        }
    })
}

/// Whether Z3 can be told how much memory it may take.
pub fn has_memory_limit() -> bool {
    z3::get_global_param("memory_max_size").is_some()
}

/// How many steps a question gets before a context is made for it alone.
const FEW: u32 = 10_000;

/// Decides a question: with few steps in the context that this thread has of itself, whatever else was decided in it before; what
/// that leaves open, in a context of its own. To make one takes longer than most questions.
///
/// Whether a text has a model is a fact, and such facts alone are taken from the first context: which model is found there depends on
/// what was asked before, and so does what is found with so few steps. Whoever has all the steps finds the same.
pub(super) fn decide(question: &Question<'_>) -> Answer {
    let started = Instant::now();
    // Its model would not be taken.
    let logic = if question.logic == Logic::Model { Logic::QuantifierFree } else { question.logic };
    let easily = Question { rlimit: question.rlimit.min(FEW), logic, ..*question };
    // So few steps are over before a thread that watches the clock has begun, but those of Z3's strategies are not all counted.
    let few = if nonlinear(question.smt2) {
        within(question.clock, |_| decide_unwatched(&easily))
    } else {
        (decide_unwatched(&easily), false)
    };
    let (answer, late) = match few {
        (Answer::Holds, _) => return Answer::Holds,
        (Answer::Fails, _) if question.logic == Logic::QuantifierFree => return Answer::Fails,
        (Answer::Unknown(reason), true) => (Answer::Unknown(reason), true),
        _ => with_z3_config(&Config::new(), || {
            within(question.clock.saturating_sub(started.elapsed()), |_| decide_unwatched(question))
        }),
    };
    match answer {
        Answer::Unknown(_) if late => Answer::Unknown(format!(
            "the clock, a safety net, ran out after {} s before the solver's step budget did",
            question.clock.as_secs()
        )),
        answer => answer,
    }
}

/// Does work in a new context.
pub(super) fn in_new_context<T: Send + Sync>(work: impl FnOnce() -> T + Send + Sync) -> T {
    with_z3_config(&Config::new(), work)
}

/// Decides questions one after the other in the context that this thread has of itself, whatever else was decided in it before: to
/// make a context takes longer than most questions. That may cost an answer; so may the clock, which bounds all of them together.
pub(super) fn decide_together(questions: &[Question<'_>]) -> Vec<Answer> {
    let clock = questions.iter().map(|question| question.clock).max().unwrap_or_default();
    let decide = |is_over: &AtomicBool| {
        let decide = |question| match is_over.load(Ordering::Relaxed) {
            true => Answer::Unknown("the clock ran out over another question".into()),
            false => decide_unwatched(question),
        };
        questions.iter().map(decide).collect()
    };
    within(clock, decide).0
}

/// Bounds the memory of this process's Z3, in MB: what would take more is not decided.
pub(super) fn bound_memory(megabytes: u64) {
    z3::set_global_param("memory_max_size", &megabytes.to_string());
}

/// Whether this is how Z3 says that it reached its memory bound.
pub(super) fn is_out_of_memory(reason: &str) -> bool {
    ["memout", "memory"].iter().any(|word| reason.contains(word))
}

/// Decides a question in the context of this thread, which the clock does not bound here.
fn decide_unwatched(question: &Question<'_>) -> Answer {
    // Where terms are multiplied, what Z3 finds depends on the order in which it has made them: it finds more by its own.
    let multiplies = nonlinear(question.smt2);
    let read = if multiplies { None } else { read::assertions(question.smt2) };
    let Some(assertions) = read.or_else(|| parsed(question.smt2)) else {
        return Answer::Unknown("the solver could not read the query".into());
    };
    // For what is checked from here on, counted from here on.
    let allow = |steps: u32| Context::thread_local().update_param_value("rlimit", &steps.to_string());
    // The strategies look for values first, bit by bit. Much that has none is seen to have none at once.
    if multiplies && question.logic == Logic::QuantifierFree {
        allow(question.rlimit.min(FEW));
        if check(question, &assertions, false).0 == SatResult::Unsat {
            return Answer::Holds;
        }
    }
    allow(question.rlimit);
    match check(question, &assertions, multiplies) {
        (SatResult::Unsat, ..) => Answer::Holds,
        (SatResult::Sat, _, model) => model.map_or(Answer::Fails, Answer::FailsAt),
        (SatResult::Unknown, reason, _) => Answer::Unknown(reason.unwrap_or_else(|| "no reason given".into())),
    }
}

/// What a text asserts, as Z3's own reader has it.
fn parsed(smt2: &str) -> Option<Vec<Bool>> {
    let asserted = smt2.matches("\n(assert ").count();
    // It only reads, so it needs none of the solver's own set-up, which takes longer than most queries.
    let reader = Tactic::new("skip").solver();
    reader.from_string(smt2);
    let assertions = reader.get_assertions();
    // Z3 reports a text it cannot read by reading less of it.
    (assertions.len() == asserted).then_some(assertions)
}

/// Values of constants by name.
type Values = BTreeMap<String, String>;

fn check(
    question: &Question<'_>,
    assertions: &[Bool],
    multiplies: bool,
) -> (SatResult, Option<String>, Option<Values>) {
    let solver = if multiplies { Solver::new() } else { Tactic::new("smt").solver() };
    let mut params = Params::new();
    params.set_u32("random_seed", question.seed);
    // A model takes in all that was ever defined in this context.
    params.set_bool("model", question.logic == Logic::Model);
    if question.logic == Logic::ByTriggers {
        params.set_bool("auto_config", false);
        params.set_bool("mbqi", false);
        params.set_u32("case_split", 3);
        params.set_bool("delay_units", true);
    }
    solver.set_params(&params);
    assertions.iter().for_each(|assertion| solver.assert(assertion));
    let result = solver.check();
    let wanted = result == SatResult::Sat && question.logic == Logic::Model;
    let values = wanted.then(|| solver.get_model()).flatten().map(|model| values(&model, question.smt2));
    (result, solver.get_reason_unknown(), values)
}

/// The values of all constants that the text declares.
fn values(model: &Model, smt2: &str) -> Values {
    let value = |line: &str| {
        let (name, sort) = line.strip_prefix("(declare-fun ")?.strip_suffix(')')?.split_once(" () ")?;
        let text = match sort {
            "Int" => model.eval(&Int::new_const(name), true)?.to_string(),
            "Bool" => i32::from(model.eval(&Bool::new_const(name), true)?.as_bool()?).to_string(),
            // Of references only which are the same can be told.
            other => {
                let constant = FuncDecl::new(name, &[], &Sort::uninterpreted(other.into())).apply(&[]);
                model.eval(&constant, true)?.to_string()
            }
        };
        // Z3 writes `(- 5)`.
        Some((name.to_string(), text.replace(['(', ')', ' '], "")))
    };
    smt2.lines().filter_map(value).collect()
}

/// Whether a text multiplies or divides terms. Z3 has strategies for that; for all else its plain solver is as good, and
/// takes less time to set up.
fn nonlinear(smt2: &str) -> bool {
    let scaled = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("(- ");
    smt2.contains("(div ") || smt2.split("(* ").skip(1).any(|rest| !scaled(rest))
}

/// How often it is looked whether somebody asked to stop.
const SLICE: Duration = Duration::from_millis(50);

/// Does the work, and interrupts the solver when the clock runs out or the stop fires; the work can see whether it did, and so can
/// the caller.
fn within<T>(clock: Duration, work: impl FnOnce(&AtomicBool) -> T) -> (T, bool) {
    let context = Context::thread_local();
    let handle = context.handle();
    let (done, waiting) = mpsc::channel::<()>();
    let (stop, started) = (stop::current(), Instant::now());
    let (is_over, over) = (&AtomicBool::new(false), Ordering::Relaxed);
    thread::scope(|scope| {
        let interrupt = move || {
            loop {
                let left = clock.saturating_sub(started.elapsed());
                if left.is_zero() || stop.reason().is_some() {
                    is_over.store(true, over);
                    handle.interrupt();
                    return;
                }
                if waiting.recv_timeout(left.min(SLICE)) == Err(mpsc::RecvTimeoutError::Disconnected) {
                    return;
                }
            }
        };
        // Where there is no thread for the watch the step budget bounds the work alone.
        let watch = thread::Builder::new().spawn_scoped(scope, interrupt);
        let result = work(is_over);
        drop(done);
        // Only what was interrupted before it was done is late.
        if let Ok(watch) = watch {
            let _ = watch.join();
        }
        (result, is_over.load(over))
    })
}

//! The solver process: questions come in on standard input, answers go out on standard output.
//!
//! It makes Z3 ready once, and then copies itself for each task, so that each pair is solved in a process of its own. The
//! copy answers; this process only waits, and says what became of the copy. Whatever befalls Z3 befalls a copy.
//!
//! A context takes longer to make than most questions to decide. So there is one before the first copy is made, in which nothing is
//! ever done here: each copy has it for its easy questions.
//!
//! Invariant: each question is decided as [`crate::solve::InProcess`] does it.
//! Invariant: one thread works here; the one that started it waits.
//! Invariant: no copy outlives its question's clock by more than [`grace`] and a second, nor the client.

use super::child::{self, Side};
use super::wire::{self, Received, Request};
use crate::solve::{Answer, Logic, Question, SolverFailure, z3};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{Pid, alarm};
use std::any::Any;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::panic::{self, AssertUnwindSafe};
use std::thread;
use std::time::Duration;

/// The most that [`grace`] gives.
const MAX_GRACE: Duration = Duration::from_secs(2);

/// How much longer than this clock allows a solver may take to notice that it is to stop.
pub(super) fn grace(clock: Duration) -> Duration {
    MAX_GRACE.min(clock / 2)
}

/// Beyond the bound for Z3, in MB: for the program, its stack, and what Z3 does not count.
const SLACK: u64 = 1024;

/// What Z3 counts as used, in MB, before it is asked anything.
const READY: u64 = 32;

/// How a copy ends: its task is done; there are no more questions; nobody is left to answer to.
const DONE: i32 = 0;
const NO_MORE: i32 = 1;
const ABANDONED: i32 = 2;

/// Answers questions until there are no more, with so many MB of memory for each task.
///
/// # Errors
/// When it cannot make copies of itself, or cannot say what became of one.
pub fn serve(memory: u64) -> io::Result<()> {
    // Beside Z3's own bound, against what Z3 does not count; and no core file, which nobody would look at.
    setrlimit(Resource::RLIMIT_AS, (memory + SLACK) << 20, (memory + SLACK) << 20)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    warm_up();
    z3::bound_memory(memory + READY);
    z3::in_new_context(|| serve_with_copies(memory))
}

/// The same, from the context in which each copy decides its easy questions.
fn serve_with_copies(memory: u64) -> io::Result<()> {
    loop {
        let copy = match child::fork()? {
            Side::Child => child::leave(answer(memory)),
            Side::Parent(copy) => copy,
        };
        let cause = match end_of(copy)? {
            WaitStatus::Exited(_, DONE) => continue,
            WaitStatus::Exited(_, NO_MORE | ABANDONED) => return Ok(()),
            WaitStatus::Exited(_, status) => format!("the solver process ended with status {status}"),
            WaitStatus::Signaled(_, Signal::SIGALRM, _) => {
                "the solver hung: it did not stop when its time was over".to_string()
            }
            WaitStatus::Signaled(_, signal, _) => killed(signal as i32),
            other => format!("the solver process ended in an unknown way: {other:?}"),
        };
        // The client starts another server: what this one would read next may be the rest of a question.
        return wire::reply(&mut io::stdout(), &Err(SolverFailure(cause)));
    }
}

/// What is said of a process that a signal ended.
pub(super) fn killed(signal: i32) -> String {
    format!("the solver process was killed (signal {signal})")
}

/// Waits for a copy to end.
fn end_of(copy: Pid) -> io::Result<WaitStatus> {
    loop {
        match waitpid(copy, None) {
            Err(Errno::EINTR) => {}
            end => return Ok(end?),
        }
    }
}

/// Has Z3 do what it does once in a process, so that no copy has to: its tables of names, its parameters.
fn warm_up() {
    let smt2 = "(declare-fun x () Int)\n(assert (< x 0))\n(assert (< 0 x))\n";
    let logic = Logic::QuantifierFree;
    z3::decide(&Question { smt2, logic, rlimit: 100_000, clock: Duration::from_secs(1), seed: 0, task: None });
}

/// What a copy does; returns its exit status.
fn answer(memory: u64) -> i32 {
    // Without the watch it is only later that the copy notices.
    let _ = thread::Builder::new().spawn(leave_when_abandoned);
    // Standard input as the library has it reads ahead.
    let Ok(mut requests) = io::stdin().as_fd().try_clone_to_owned().map(File::from) else { return ABANDONED };
    loop {
        let received = match wire::receive(&mut requests) {
            Ok(Request::Decide(received)) => received,
            Ok(Request::Next) => return DONE,
            Ok(Request::End) => return NO_MORE,
            Err(_) => return ABANDONED,
        };
        if wire::reply(&mut io::stdout(), &decide(&received, memory)).is_err() {
            return ABANDONED;
        }
    }
}

fn decide(received: &Received, memory: u64) -> wire::Reply {
    let question = received.question();
    // The signal ends the process, whatever it does.
    let limit = question.clock.saturating_add(grace(question.clock)).as_secs().saturating_add(1);
    alarm::set(u32::try_from(limit).unwrap_or(u32::MAX));
    let decided = panic::catch_unwind(AssertUnwindSafe(|| z3::decide(&question)));
    alarm::cancel();
    match decided {
        Ok(Answer::Unknown(reason)) if z3::is_out_of_memory(&reason) => Err(out_of_memory(memory)),
        Ok(answer) => Ok(answer),
        // Not every function of Z3 can say that there was no memory.
        Err(_) if used() > memory * 3 / 4 => Err(out_of_memory(memory)),
        Err(panic) => Err(SolverFailure(format!("the solver failed: {}", message(&*panic)))),
    }
}

fn out_of_memory(memory: u64) -> SolverFailure {
    SolverFailure(format!("the solver ran out of its memory bound of {memory} MB"))
}

/// The most memory this process had, in MB; 0 when that is not known.
fn used() -> u64 {
    let kilobytes = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.max_rss());
    u64::try_from(kilobytes).unwrap_or(0) >> 10
}

/// Ends this copy when nobody is left to read its answers.
fn leave_when_abandoned() {
    let out = io::stdout();
    // That the reader is gone is told whatever is asked for.
    let mut reader = [PollFd::new(out.as_fd(), PollFlags::empty())];
    while poll(&mut reader, PollTimeout::NONE) == Err(Errno::EINTR) {}
    child::leave(ABANDONED);
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

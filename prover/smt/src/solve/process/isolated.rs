//! The backend that decides in other processes, which can be killed and are bounded in memory.
//!
//! In: questions. Out: answers, or what became of the process. The other side is [`super::serve()`].
//!
//! Invariant: a process that broke down is killed with all its copies and never asked again; the next question gets another.
//! Invariant: none is left when this is dropped.

use super::serve::{self, grace};
use super::wire::{self, Reply};
use crate::solve::{Answer, Backend, Question, SolverFailure, Task};
use crate::stop;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often it is looked whether the stop has fired, and how long a process may then take to answer all the same.
const SLICE: Duration = Duration::from_millis(50);
const LAST_WORDS: Duration = Duration::from_millis(150);

/// Decides the questions of each task in a process of its own.
#[derive(Debug)]
pub struct Isolated {
    program: PathBuf,
    arguments: Vec<String>,
    /// Processes that wait for a question; as many as were ever needed at once.
    idle: Mutex<Vec<Server>>,
}

impl Isolated {
    /// Questions go to processes of this program, started with these arguments, which must call [`super::serve`]. The first
    /// one starts now, so that it is ready when it is needed.
    pub fn new(program: PathBuf, arguments: Vec<String>) -> Self {
        let isolated = Isolated { program, arguments, idle: Mutex::default() };
        // If it does not start, the first question says so.
        if let Ok(server) = isolated.start() {
            isolated.idle().push(server);
        }
        isolated
    }

    fn start(&self) -> io::Result<Server> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let (questions, replies) = (process.stdin.take(), process.stdout.take());
        Ok(Server {
            questions: questions.ok_or_else(missing)?,
            replies: replies.ok_or_else(missing)?,
            process,
            task: None,
        })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Server>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle process, if there is one: that of this task, or one that has no task, or any.
    fn take(&self, task: Option<Task>) -> Option<Server> {
        let mut idle = self.idle();
        let fits = |server: &Server| match (server.task, task) {
            (Some(old), Some(new)) if old.shares_process(new) => 0,
            (None, _) => 1,
            _ => 2,
        };
        let best = (0..idle.len()).min_by_key(|&at| fits(&idle[at]))?;
        Some(idle.swap_remove(best))
    }

    /// A process that has taken the question. One that died while it was idle takes none.
    fn ask(&self, question: &Question<'_>) -> io::Result<Server> {
        while let Some(mut server) = self.take(question.task) {
            if server.ask(question).is_ok() {
                return Ok(server);
            }
        }
        let mut server = self.start()?;
        // What it does not take it does not answer, and then it is seen why.
        let _ = server.ask(question);
        Ok(server)
    }
}

impl Backend for Isolated {
    fn decide(&self, question: &Question<'_>) -> Result<Answer, SolverFailure> {
        let mut server = self
            .ask(question)
            .map_err(|error| SolverFailure(format!("no solver process could be started: {error}")))?;
        let Some(reply) = server.answer(question.clock.saturating_add(2 * grace(question.clock))) else {
            return Ok(Answer::Unknown("it was given up".into()));
        };
        let answer = reply?;
        self.idle().push(server);
        Ok(answer)
    }

    fn done(&self, task: Task) {
        // All of a version alone shares a process, and there is more to come.
        if matches!(task, Task::Pair { .. }) {
            for server in self.idle().iter_mut().filter(|server| server.task == Some(task)) {
                // One that is dead is noticed when it is asked.
                let _ = server.forget();
            }
        }
    }
}

/// A solver process.
#[derive(Debug)]
struct Server {
    process: Child,
    questions: ChildStdin,
    replies: ChildStdout,
    /// What it was last asked for.
    task: Option<Task>,
}

impl Server {
    fn ask(&mut self, question: &Question<'_>) -> io::Result<()> {
        if let (Some(old), Some(new)) = (self.task, question.task)
            && !old.shares_process(new)
        {
            self.forget()?;
        }
        self.task = question.task.or(self.task);
        wire::ask(&mut self.questions, question)
    }

    /// Has another copy answer what is asked next.
    fn forget(&mut self) -> io::Result<()> {
        self.task = None;
        wire::next(&mut self.questions)
    }

    /// Waits for the reply, but not longer than this. `None` when the stop fired, and the process is to be killed.
    fn answer(&mut self, limit: Duration) -> Option<Reply> {
        let (started, stop) = (Instant::now(), stop::current());
        let mut limit = limit;
        let mut stopped = false;
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            if !stopped && stop.reason().is_some() {
                (stopped, limit) = (true, limit.min(started.elapsed() + LAST_WORDS));
            }
            let left = limit.saturating_sub(started.elapsed());
            let timeout = PollTimeout::try_from(left.min(SLICE)).unwrap_or(PollTimeout::MAX);
            let failed = |what: String| Some(Err(SolverFailure(what)));
            match poll(&mut [PollFd::new(self.replies.as_fd(), PollFlags::POLLIN)], timeout) {
                Ok(0) if !left.is_zero() => continue,
                Ok(0) if stopped => return None,
                Ok(0) => return failed("the solver process hung, and was killed".into()),
                Ok(_) => {}
                Err(nix::errno::Errno::EINTR) => continue,
                Err(error) => return failed(format!("the solver process cannot be watched: {error}")),
            }
            let mut chunk = [0; 4096];
            match self.replies.read(&mut chunk) {
                Ok(0) => return Some(Err(self.end())),
                Ok(count) => line.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return failed(format!("the solver process cannot be read: {error}")),
            }
        }
        let reply = wire::parse_reply(&line)
            .map_err(|error| SolverFailure(format!("the solver process spoke gibberish: {error}")));
        Some(reply.and_then(|reply| reply))
    }

    /// Why there is no reply from a process that closed its output.
    fn end(&mut self) -> SolverFailure {
        SolverFailure(match self.process.wait() {
            Ok(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => serve::killed(signal),
                (None, Some(code)) => format!("the solver process ended with status {code}"),
                (None, None) => "the solver process ended".to_string(),
            },
            Err(error) => format!("the solver process is lost: {error}"),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its group is that of its own number; that all of it may be gone already is as good.
        if let Ok(group) = i32::try_from(self.process.id()) {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.process.wait();
    }
}

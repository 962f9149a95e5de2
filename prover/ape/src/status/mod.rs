//! How a run ends: exit statuses, and the failures that lead to them.

mod narrow;

use crate::machine::{input, terminal};
use nix::errno::Errno;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit status of `ape`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done; for `verify`: everything is equivalent.
    Success,
    /// A check failed; for `verify`: some pair is not equivalent, or a contract is violated.
    Failed,
    /// Bad usage, a file that cannot be read, or one that is not legal L.
    Illegal,
    /// There is no answer; for `verify`: nothing worse than unknown or partially equivalent.
    Undecided,
    /// `verify` had no pair to look at.
    NothingSelected,
    /// A bug of ours, or of a solver.
    Internal,
    /// The environment failed: a full disk, no memory for a thread, a program that does not start.
    Environment,
    /// Whoever read our output stopped reading; as a shell reports a process that SIGPIPE ended.
    BrokenPipe,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.number())
    }
}

impl Status {
    /// Those that a failure may have.
    const OF_FAILURES: [Status; 5] =
        [Status::Failed, Status::Illegal, Status::Internal, Status::Environment, Status::BrokenPipe];

    /// The number for it.
    pub(crate) fn number(self) -> u8 {
        match self {
            Status::Success => 0,
            Status::Failed => 1,
            Status::Illegal => 2,
            Status::Undecided => 3,
            Status::NothingSelected => 4,
            Status::Internal => 70,
            Status::Environment => 74,
            Status::BrokenPipe => 141,
        }
    }

    /// The status of a failure that has this number.
    pub(crate) fn of_failure(number: u8) -> Option<Status> {
        Status::OF_FAILURES.into_iter().find(|status| status.number() == number)
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something is wrong with what the user asked for.
    #[error("{0}")]
    Usage(String),
    /// A file is not legal L; holds the diagnostics, rendered.
    #[error("{0}")]
    IllegalFile(String),
    /// A file could not be read.
    #[error("cannot read {}: {error}", input::name(.path))]
    Read { path: PathBuf, error: io::Error },
    /// A file could not be written.
    #[error("cannot write {}: {error}", .path.display())]
    Write { path: PathBuf, error: io::Error },
    /// A certificate is not believed.
    #[error("refused: {0}")]
    Refused(prover::certificate::Refusal),
    /// A bug of ours, or of a solver, that was noticed in time.
    #[error("internal error: {0}")]
    Internal(String),
    /// A second solver broke down, or cannot be run.
    #[error("{0}")]
    Solver(String),
    /// Output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// The thread that does the work could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// This program does not know where it is, and so cannot start itself again.
    #[error("cannot find the file of this program: {0}")]
    Process(io::Error),
    /// No handler of signals could be set.
    #[error("cannot handle signals: {0}")]
    Signals(io::Error),
    /// Another run has failed.
    #[error("{message}")]
    Told { message: String, status: Status },
    /// It cannot be noticed when files change.
    #[error("cannot watch files: {0}")]
    Watch(io::Error),
}

impl Failure {
    pub(crate) fn read(path: &Path, error: io::Error) -> Self {
        Failure::Read { path: path.to_path_buf(), error }
    }

    pub(crate) fn write(path: &Path, error: io::Error) -> Self {
        Failure::Write { path: path.to_path_buf(), error }
    }

    /// Tells the user, and says which status that is.
    pub(crate) fn report(&self) -> Status {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Failure::IllegalFile(diagnostics) => match terminal::error_width() {
                Some(width) => show(&narrow::fit(diagnostics, width)),
                None => show(diagnostics),
            },
            _ => complain(&self.to_string()),
        }
        self.status()
    }

    /// The status it ends in.
    pub(crate) fn status(&self) -> Status {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::BrokenPipe,
            Failure::Refused(_) => Status::Failed,
            Failure::Read { error, .. } if is_short_of_something(error) => Status::Environment,
            Failure::Usage(_) | Failure::IllegalFile(_) | Failure::Read { .. } => Status::Illegal,
            Failure::Write { .. } | Failure::Output(_) => Status::Environment,
            Failure::Thread(_) | Failure::Process(_) | Failure::Signals(_) => Status::Environment,
            Failure::Watch(_) | Failure::Solver(_) => Status::Environment,
            Failure::Internal(_) => Status::Internal,
            Failure::Told { status, .. } => *status,
        }
    }
}

/// Whether a file that the user named is not to blame for it.
fn is_short_of_something(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw);
    matches!(code, Some(Errno::EIO | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE | Errno::ESTALE))
}

/// Says on standard error what went wrong.
pub(crate) fn complain(message: &str) {
    show(&format!("ape: {message}\n"));
}

/// Writes to standard error, without colours where they are not wanted. That this may fail is no reason to stop.
fn show(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

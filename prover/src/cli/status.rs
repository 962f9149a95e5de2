//! How a run ends: exit statuses, and the failures of the environment that lead to them.

use std::io::{self, Write};
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
    /// A bug of ours.
    Internal,
    /// Whoever read our output stopped reading; as a shell reports a process that SIGPIPE ended.
    BrokenPipe,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::Success => 0,
            Status::Failed => 1,
            Status::Illegal => 2,
            Status::Internal => 70,
            Status::BrokenPipe => 141,
        })
    }
}

/// The environment failed: there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// The thread that does the work could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

impl Failure {
    /// Tells the user, and says which status that is.
    pub(crate) fn report(&self) -> Status {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return Status::BrokenPipe,
            _ => complain(&self.to_string()),
        }
        match self {
            Failure::Output(_) | Failure::Thread(_) => Status::Internal,
        }
    }
}

/// Says on standard error what went wrong. That this may fail too is no reason to stop.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(anstream::stderr(), "ape: {message}");
}

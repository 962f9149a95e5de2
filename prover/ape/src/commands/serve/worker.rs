//! A process that verifies one program.
//!
//! In: a task. Out: its answer, or why there is none.
//!
//! Invariant: when the task is given up, which is when its future is dropped, the process is killed, and all it has started ends.

use super::bounds::{ANSWER, GRACE};
use super::judge::Task;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// What came of a task.
pub(super) enum Outcome {
    /// The answer, as JSON.
    Answer(Vec<u8>),
    /// Why there is none.
    GaveUp(&'static str),
}

/// Has a process of this program do the task.
pub(super) async fn work(program: &Path, task: &Task) -> io::Result<Outcome> {
    let mut command = Command::new(program);
    command.arg("judge").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut process = command.spawn()?;
    let limit = Duration::from_secs(task.seconds) + GRACE;
    match timeout(limit, ask(&mut process, task)).await {
        Ok(outcome) => outcome,
        Err(_) => Ok(Outcome::GaveUp("it did not stop when its time was over, and was killed")),
    }
}

async fn ask(process: &mut Child, task: &Task) -> io::Result<Outcome> {
    let missing = || io::Error::other("a pipe is missing");
    // It stays open until the answer is there: its end ends the process.
    let mut input = process.stdin.take().ok_or_else(missing)?;
    let output = process.stdout.take().ok_or_else(missing)?;
    let line = serde_json::to_string(task)? + "\n";
    // That it does not take the task is seen at its end.
    let _ = input.write_all(line.as_bytes()).await;
    let mut answer = Vec::new();
    output.take(ANSWER + 1).read_to_end(&mut answer).await?;
    if answer.len() as u64 > ANSWER {
        return Ok(Outcome::GaveUp("there is more to say of it than fits"));
    }
    let status = process.wait().await?;
    Ok(match (status.success(), status.signal()) {
        (true, _) => Outcome::Answer(answer),
        (false, Some(_)) => Outcome::GaveUp("it took more memory or time than there is"),
        (false, None) => Outcome::GaveUp("an internal error of `ape`; please report it"),
    })
}

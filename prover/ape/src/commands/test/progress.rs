//! How far a run is, on a terminal.
//!
//! Invariant: goes to standard error, and only where that is a terminal. Nothing of it stays.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeSet;
use std::env;
use std::sync::Mutex;
use std::time::Duration;

/// How often what is shown is looked at anew.
const TICK: Duration = Duration::from_millis(200);

/// A bar with the files that are being looked at.
pub(super) struct Progress {
    bar: ProgressBar,
    at_work: Mutex<BTreeSet<String>>,
}

impl Progress {
    /// Of so many files; nothing is shown where nobody wants it.
    pub(super) fn new(files: usize, wanted: bool) -> Self {
        let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        let target = if wanted && !is_dumb { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(u64::try_from(files).ok(), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} files, {eta} left  {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        Progress { bar, at_work: Mutex::default() }
    }

    /// Does the work on a file, which is shown meanwhile.
    pub(super) fn during<T>(&self, file: &str, work: impl FnOnce() -> T) -> T {
        self.change(|names| names.insert(file.to_string()));
        let done = work();
        self.change(|names| names.remove(file));
        self.bar.inc(1);
        done
    }

    fn change(&self, change: impl FnOnce(&mut BTreeSet<String>) -> bool) {
        // A worker that failed while it held the names has left them whole.
        let mut names = self.at_work.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        change(&mut names);
        self.bar.set_message(names.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    }

    /// Prints something while the bar is out of the way.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

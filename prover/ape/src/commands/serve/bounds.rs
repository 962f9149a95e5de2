//! What bounds the work of a server: sizes, numbers and times.

use std::time::Duration;

/// The most bytes of the texts of a program.
pub(super) const TEXT: usize = 64 << 10;

/// The most bytes of the body of a request: texts, with what JSON writes for some characters.
pub(super) const BODY: usize = 4 * TEXT;

/// The most bytes of what a worker says.
pub(super) const ANSWER: u64 = 4 << 20;

/// The most connections at once, and headers of a request.
pub(super) const CONNECTIONS: usize = 512;
pub(super) const HEADERS: usize = 64;

/// How long the head of a request may take, its body, and each write of an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);

/// How many texts are checked at once.
pub(super) const CHECKS: usize = 2;

/// How many requests may wait for their turn, of one client and in all.
pub(super) const WAITING_OF_ONE: usize = 4;
pub(super) const WAITING: usize = 256;

/// From when on a turn is long, and how many clients are remembered whose last one was.
pub(super) const LONG: Duration = Duration::from_secs(1);
pub(super) const REMEMBERED: usize = 1_024;

/// What is left of the time for a program while others wait: one part in so many.
pub(super) const HURRY: u64 = 5;

/// How much longer than its time a worker may take to report.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// The most diagnostics of a text.
pub(super) const DIAGNOSTICS: usize = 100;

//! The terminal that output goes to, if it goes to one.

use terminal_size::{Width, terminal_size_of};

/// How many columns the terminal has that standard output goes to; `None` if it goes elsewhere.
pub(crate) fn width() -> Option<usize> {
    columns(terminal_size_of(std::io::stdout()))
}

/// The same, of standard error.
pub(crate) fn error_width() -> Option<usize> {
    columns(terminal_size_of(std::io::stderr()))
}

fn columns(size: Option<(Width, terminal_size::Height)>) -> Option<usize> {
    // Some terminals say that they have no columns, when they do not know how many.
    size.map(|(Width(columns), _)| usize::from(columns)).filter(|&columns| columns > 0)
}

//! A text in sections with points: as lines for a terminal, or as lists of a page.
//!
//! In: titles and points. Out: the same, laid out in a width.

use super::super::layout::usable;
use std::fmt::Write as _;
use textwrap::Options;

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it is about.
    pub title: &'static str,
    /// What it says.
    pub points: Vec<Point>,
}

/// A point of a section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// What it says.
    pub text: String,
    /// Its number, if it is a step that others speak of.
    pub number: Option<usize>,
    /// The points within it.
    pub inner: Vec<String>,
    /// Lines below it that stay as they are, each with its end.
    pub lines: String,
}

impl From<String> for Point {
    fn from(text: String) -> Self {
        Point { text, ..Point::default() }
    }
}

impl From<&str> for Point {
    fn from(text: &str) -> Self {
        text.to_string().into()
    }
}

impl Section {
    /// A section with these points.
    pub(super) fn new(title: &'static str, points: impl IntoIterator<Item = impl Into<Point>>) -> Self {
        Section { title, points: points.into_iter().map(Into::into).collect() }
    }

    /// Its lines for a terminal of so many columns.
    pub fn text(&self, width: usize) -> String {
        let mut text = format!("{}\n", self.title);
        for Point { text: own, number, inner, lines } in &self.points {
            text.push_str(&match number {
                Some(number) => hanging(&format!("{number}. {own}"), "  ", "     ", width),
                None => hanging(own, "  - ", "    ", width),
            });
            text.extend(inner.iter().map(|point| hanging(point, "     - ", "       ", width)));
            text.push_str(lines);
        }
        text
    }
}

fn hanging(text: &str, first: &str, rest: &str, width: usize) -> String {
    let options = Options::new(usable(width)).initial_indent(first).subsequent_indent(rest);
    let mut lines = String::new();
    for line in textwrap::wrap(text, options.break_words(false)) {
        let _ = writeln!(lines, "{line}");
    }
    lines
}

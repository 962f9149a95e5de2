//! Text in a given width: two columns, and source lines with a marker below them.
//!
//! In: cells, or lines and places in them. Out: lines that a terminal of that width need not break, unless a word is longer
//! than a line.
//!
//! Invariant: widths are those of a terminal, where some characters take two places and some none.

use std::fmt::Write as _;
use textwrap::Options;
use unicode_width::UnicodeWidthStr;

/// How wide text gets where nobody says how much room there is.
pub const USUAL_WIDTH: usize = 100;
/// What is left of every line here.
pub(super) const INDENT: &str = "    ";
const RULE: &str = " | ";
/// No text is laid out for less than this: it would be all breaks.
const LEAST_WIDTH: usize = 30;

/// The places that a text takes.
pub(super) fn places(text: &str) -> usize {
    text.width()
}

/// The width to lay out for, when the terminal has so many columns.
pub(super) fn usable(width: usize) -> usize {
    width.clamp(LEAST_WIDTH, USUAL_WIDTH)
}

/// Two columns with a rule between them. What is too long for its column goes on in the next line.
pub(super) fn columns(rows: &[[String; 2]], width: usize) -> String {
    let widest = |side: usize| rows.iter().map(|row| places(&row[side])).max().unwrap_or(0);
    let room = usable(width) - INDENT.len() - RULE.len();
    let fits = widest(0) + widest(1) <= room;
    let widths = [0, 1].map(|side| if fits { widest(side) } else { widest(side).min(room / 2) });
    let mut text = String::new();
    for row in rows {
        let [left, right] = [0, 1].map(|side| wrapped(&row[side], widths[side]));
        for at in 0..left.len().max(right.len()) {
            let [l, r] = [&left, &right].map(|lines| lines.get(at).map_or("", String::as_str));
            let fill = " ".repeat(widths[0].saturating_sub(places(l)));
            let _ = writeln!(text, "{}", format!("{INDENT}{l}{fill}{RULE}{r}").trim_end());
        }
    }
    text
}

/// A sentence about what is above it, in as many lines as it takes.
pub(super) fn sentence(text: &str, width: usize) -> String {
    let inner = &INDENT[2..];
    let lines = wrapped(text, usable(width) - inner.len());
    lines.iter().map(|line| format!("{inner}{line}\n")).collect()
}

/// A text in lines of at most `width` places; those after the first are indented.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    if text.is_empty() {
        return vec![String::new()];
    }
    let options = Options::new(width.max(1)).subsequent_indent(if width > 8 { "  " } else { "" });
    textwrap::wrap(text, options).into_iter().map(String::from).collect()
}

/// A line of a source with a place in it.
pub(super) struct MarkedLine<'a> {
    /// Where it is.
    pub(super) head: String,
    /// The line.
    pub(super) line: &'a str,
    /// How many of its characters come before the place.
    pub(super) before: usize,
    /// How many characters the place has.
    pub(super) length: usize,
    /// What happens there.
    pub(super) role: &'a str,
}

/// Source lines, each with a marker below that says what happens there. The lines stand beside their heads, or below
/// them where there is no room.
pub(super) fn marked(lines: &[MarkedLine<'_>], width: usize) -> String {
    let width = usable(width);
    let heads = lines.iter().map(|marked| places(&marked.head)).max().unwrap_or(0);
    let longest = lines.iter().map(|marked| marked.wide().max(marked.marker_end())).max().unwrap_or(0);
    let beside = INDENT.len() + heads + 1 + longest <= width;
    let mut text = String::new();
    for marked in lines {
        let margin = if beside { heads + 1 } else { 2 };
        let (line, before, length) = marked.cut(width - INDENT.len() - 2);
        let marker = "^".repeat(length.max(1));
        if beside {
            let fill = " ".repeat(heads - places(&marked.head));
            let _ = writeln!(text, "{INDENT}{}{fill} {line}", marked.head);
        } else {
            let _ = writeln!(text, "{INDENT}{}\n{INDENT}{:margin$}{line}", marked.head, "");
        }
        let end = INDENT.len() + margin + before + marker.len() + 1 + places(marked.role);
        if beside || end <= width {
            let _ = writeln!(text, "{INDENT}{:margin$}{:before$}{marker} {}", "", "", marked.role);
        } else {
            let _ =
                writeln!(text, "{INDENT}{:margin$}{:before$}{marker}\n{INDENT}{:margin$}{}", "", "", "", marked.role);
        }
    }
    text
}

impl MarkedLine<'_> {
    fn wide(&self) -> usize {
        places(self.line)
    }

    /// Where the marker and what it says end.
    fn marker_end(&self) -> usize {
        self.before + self.length
    }

    /// The part of the line with the place that fits into `room`, and the place in that.
    fn cut(&self, room: usize) -> (String, usize, usize) {
        if self.wide() <= room {
            return (self.line.to_string(), self.before, self.length);
        }
        let start = if self.marker_end() <= room { 0 } else { self.before };
        let line: String = self.line.chars().skip(start).take(room).collect();
        let before = self.before - start;
        (line, before, self.length.min(room - before.min(room)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [[&str; 2]; 3] = [
        ["version before", "version after"],
        ["ends normally", "ends in error: index out of bounds at the second cell"],
        ["rest := #1;", "#1.aVeryLongNameOfAFieldThatFitsNowhere := #2;"],
    ];

    fn laid_out(width: usize) -> String {
        columns(&ROWS.map(|row| row.map(String::from)), width)
    }

    #[test]
    fn columns_stand_side_by_side_in_any_width() {
        for width in [30, 50, 80, 100, 500] {
            let text = laid_out(width);
            for line in text.lines() {
                assert!(places(line) <= usable(width), "{width}:\n{text}");
            }
            let rules: Vec<_> = text.lines().map(|line| line.find('|')).collect();
            assert!(rules.iter().all(|rule| rule == &rules[0]), "{width}:\n{text}");
        }
    }

    #[test]
    fn wide_characters_take_two_places() {
        let text = columns(&[["一二".into(), "x".into()], ["abcd".into(), "y".into()]], 80);
        assert_eq!(text, "    一二 | x\n    abcd | y\n");
    }

    #[test]
    fn markers_stay_under_their_places() {
        let line = "total := total + item.price * item.count;";
        let one = |head: &str| MarkedLine { head: head.into(), line, before: 9, length: 5, role: "sets it" };
        for width in [30, 50, 100] {
            let text = marked(&[one("version before, line 16:"), one("version after, line 2:")], width);
            let lines: Vec<&str> = text.lines().collect();
            let at = lines.iter().position(|line| line.contains("^^^^^")).expect("a marker");
            let marker = lines[at].find('^').expect("a marker");
            assert_eq!(&lines[at - 1][marker..marker + 5], "total", "{width}:\n{text}");
            assert!(lines.iter().all(|line| places(line) <= width), "{width}:\n{text}");
        }
    }

    #[test]
    fn of_a_line_that_is_too_long_the_place_is_shown() {
        let line = format!("{}culprit;", "x".repeat(200));
        let text = marked(
            &[MarkedLine { head: "line 1:".into(), line: &line, before: 200, length: 7, role: "fails here" }],
            50,
        );
        assert_eq!(text, "    line 1:\n      culprit;\n      ^^^^^^^ fails here\n");
    }
}

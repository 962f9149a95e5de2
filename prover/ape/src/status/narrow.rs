//! Diagnostics in a terminal that is narrower than they are.
//!
//! In: text as `ariadne` draws it, with source lines, markers below them and what is said of each. Out: the same in fewer
//! columns: source lines are cut to where the first marker is, and what is said goes on in the next line.
//!
//! Invariant: a line of a drawing stays one line of the terminal, so a marker stays below its place.

/// A character, after the escape sequences that come before it and take no place.
#[derive(Clone, Debug)]
struct Cell {
    escapes: String,
    char: char,
}

type Line = Vec<Cell>;

/// How far from the left edge the first marker is put when a line is cut there.
const MARGIN: usize = 4;
/// What is said begins in a line of its own if there is less room for it than this.
const LEAST_ROOM: usize = 16;

/// The text, in lines of at most `width` characters where it is a drawing.
pub(super) fn fit(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(first) = lines.next() {
        let Some(gutter) = cells(first).iter().position(|cell| cell.char == '╭') else {
            out.push_str(first);
            out.push('\n');
            continue;
        };
        let mut drawing = vec![first];
        while let Some(line) = lines.next_if(|line| gutter_at(line, gutter)) {
            drawing.push(line);
        }
        let visible = |line: &&str| cells(line).iter().rposition(|cell| cell.char != ' ').map_or(0, |last| last + 1);
        if drawing.iter().all(|line| visible(line) <= width) || width < gutter + 2 + LEAST_ROOM {
            drawing.iter().for_each(|line| out.extend([*line, "\n"]));
            continue;
        }
        let redrawn = redrawn(drawing.into_iter().map(cells).collect(), gutter, width);
        for line in redrawn {
            out.extend(line.iter().flat_map(|cell| cell.escapes.chars().chain([cell.char])));
            out.push('\n');
        }
    }
    out
}

/// Whether a line belongs to a drawing whose rule stands in this column.
fn gutter_at(line: &str, gutter: usize) -> bool {
    cells(line).get(gutter).is_some_and(|cell| "│┆·├┼┤".contains(cell.char))
}

/// The characters of a line. What escapes there are behind the last one goes with a space.
fn cells(line: &str) -> Line {
    let mut cells = Vec::new();
    let mut escapes = String::new();
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        if char != '\u{1b}' {
            cells.push(Cell { escapes: std::mem::take(&mut escapes), char });
            continue;
        }
        escapes.push(char);
        for char in chars.by_ref() {
            escapes.push(char);
            if char.is_ascii_alphabetic() {
                break;
            }
        }
    }
    if !escapes.is_empty() {
        cells.push(Cell { escapes, char: ' ' });
    }
    cells
}

/// The lines of a drawing in fewer columns. The first one, with the name of the file, stays as it is.
fn redrawn(mut drawing: Vec<Line>, gutter: usize, width: usize) -> Vec<Line> {
    let start = gutter + 2;
    let mut redrawn = vec![drawing.remove(0)];
    let markers = drawing.iter().filter(|line| is_marker(line, gutter));
    let first = markers.filter_map(|line| line.iter().skip(start).position(|cell| cell.char != ' ')).min();
    let shift =
        first.filter(|first| start + first + LEAST_ROOM > width).map_or(0, |first| first.saturating_sub(MARGIN));
    redrawn.extend(drawing.into_iter().flat_map(|line| fitted(line, gutter, shift, width)));
    redrawn
}

/// Whether a line holds markers, or what is said of them.
fn is_marker(line: &Line, gutter: usize) -> bool {
    !is_source(line, gutter) && line.iter().skip(gutter + 1).any(|cell| "─┬╰├╭│".contains(cell.char))
}

/// Whether a line has a number before the rule, as those of the source have.
fn is_source(line: &Line, gutter: usize) -> bool {
    line.iter().take(gutter).any(|cell| cell.char.is_ascii_digit())
}

/// One line: cut at the left by `shift` characters if it belongs to the source or points there, and at the right.
fn fitted(mut line: Line, gutter: usize, shift: usize, width: usize) -> Vec<Line> {
    let start = gutter + 2;
    let points = is_marker(&line, gutter);
    if line.len() > start && (points || is_source(&line, gutter)) {
        // Colours that begin in what is cut away are kept.
        let cut: Line = line.drain(start..(start + shift).min(line.len())).collect();
        let kept: String = cut.into_iter().map(|cell| cell.escapes).collect();
        if let Some(next) = line.get_mut(start) {
            next.escapes.insert_str(0, &kept);
        }
    }
    let said = match (points, is_source(&line, gutter)) {
        (_, true) => None,
        (true, _) => line.iter().rposition(|cell| "─┬╰├╭│".contains(cell.char)).map(|last| last + 2),
        (false, _) => Some(start),
    };
    let says = |from: usize| line.iter().skip(from).any(|cell| cell.char != ' ');
    if let Some(said) = said.filter(|&said| says(said)) {
        return told(line, gutter, said, width);
    }
    if line.len() > width {
        let rest: String = line.split_off(width - 1).into_iter().map(|cell| cell.escapes).collect();
        line.push(Cell { escapes: rest, char: if points { ' ' } else { '…' } });
    }
    vec![line]
}

/// A line in which something is said from a column on: in as many lines as it takes.
fn told(mut line: Line, gutter: usize, said: usize, width: usize) -> Vec<Line> {
    let words = line.split_off(said);
    let mut lines = Vec::new();
    let mut column = said;
    let rule = line[gutter].char;
    let color: String = line.iter().take(gutter + 1).map(|cell| cell.escapes.as_str()).collect();
    let blank = |to: usize| {
        let mut blank = vec![Cell { escapes: String::new(), char: ' ' }; to];
        blank[gutter] = Cell { escapes: color.clone(), char: rule };
        // What is said has a colour of its own, if it has one.
        if let Some(next) = blank.get_mut(gutter + 1).filter(|_| !color.is_empty()) {
            next.escapes.push_str("\u{1b}[0m");
        }
        blank
    };
    if said + LEAST_ROOM > width {
        lines.push(line);
        column = gutter + 2 + MARGIN;
        line = blank(column);
    }
    for word in words.split(|cell| cell.char == ' ').filter(|word| !word.is_empty()) {
        let begun = line.len() > column;
        if begun && line.len() + 1 + word.len() > width {
            lines.push(std::mem::replace(&mut line, blank(column)));
        } else if begun {
            line.push(Cell { escapes: String::new(), char: ' ' });
        }
        line.extend_from_slice(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use lang_l::diagnostic::Diagnostic;
    use lang_l::render::render;
    use lang_l::source::{Sources, Span};

    /// A report on the word `culprit` behind so many characters.
    fn report(before: usize, color: bool) -> String {
        let text = format!("procedure p() {{\n{}culprit := all + of - these * words;\n}}\n", "x".repeat(before));
        let at = text.find("culprit").expect("it is there");
        let mut sources = Sources::new();
        let file = sources.add("a.l", &text);
        let label = "this is what the whole message is about, and it says a lot";
        let help = "there is a long line of help below, which does not fit either";
        let wrong = Diagnostic::new("E0001", Span::new(file, at..at + 7), "what is wrong", label).help(help);
        render(&sources, &[wrong], color)
    }

    fn without_escapes(text: &str) -> String {
        text.lines().map(|line| cells(line).iter().map(|cell| cell.char).collect::<String>() + "\n").collect()
    }

    #[track_caller]
    fn check(text: &str, width: usize) {
        let fitted = without_escapes(&fit(text, width));
        for line in fitted.lines().filter(|line| line.contains('│')) {
            assert!(line.trim_end().chars().count() <= width, "{width}:\n{fitted}");
        }
        let lines: Vec<Vec<char>> = fitted.lines().map(|line| line.chars().collect()).collect();
        let at = lines.iter().position(|line| line.contains(&'┬')).expect("a marker");
        let place = lines[at].iter().position(|&c| c == '─').expect("a marker");
        assert_eq!(lines[at - 1][place..place + 7].iter().collect::<String>(), "culprit", "{width}:\n{fitted}");
        for word in without_escapes(text).split_whitespace().filter(|word| word.is_ascii() && word.len() < 20) {
            assert!(fitted.contains(word) || word.ends_with(';') || word.len() == 1, "{word} is lost:\n{fitted}");
        }
    }

    #[test]
    fn markers_stay_below_their_places() {
        for before in [0, 5, 30, 100] {
            for width in [40, 50, 80, 120] {
                check(&report(before, false), width);
                check(&report(before, true), width);
            }
        }
    }

    #[test]
    fn what_fits_is_left_as_it_is() {
        for color in [false, true] {
            let text = report(3, color);
            assert_eq!(fit(&text, 200), text);
        }
        assert_eq!(fit("no drawing\n\nat all\n", 3), "no drawing\n\nat all\n");
    }
}

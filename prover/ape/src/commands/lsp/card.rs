//! What is kept of a verdict, so that it can be shown while the text round it changes.
//!
//! In: the report on a pair, with the program it is about. Out: a [`Card`], and what it says of a program in which the same code
//! stands elsewhere.
//!
//! Invariant: a card says nothing that its report does not; places move with the procedures they are in.

use super::loops::{self, Link};
use lang_l::hir::Unit;
use lang_l::source::{Sources, Span};
use prover::report::Subject;
use prover::report::text::{Detail, pair_text};
use prover::verdict::{PairReport, Verdict};

/// Columns of what is shown in a window of an editor.
const WIDTH: usize = 80;

/// A procedure, where it was.
#[derive(Clone, Debug)]
struct Frame {
    version: usize,
    name: String,
    span: Span,
    /// Its first and last line.
    lines: (usize, usize),
}

/// A verdict.
#[derive(Clone, Debug)]
pub(super) struct Card {
    /// The word for it.
    pub(super) word: &'static str,
    /// Why, in a line.
    pub(super) why: String,
    /// All that the report says of it, without its first line.
    text: String,
    /// What corresponds.
    links: Vec<Link>,
    /// What relates variables of loops; a prime marks those of the second version.
    pub(super) relations: Vec<String>,
    /// Where it could not be settled, by version.
    places: Vec<(usize, Span)>,
    frames: Vec<Frame>,
}

impl Card {
    /// What a report says of one of its pairs.
    pub(super) fn of(subject: Subject<'_>, pair: &PairReport) -> Self {
        let whole = pair_text(subject, pair, Detail { explain: false, width: WIDTH });
        let plain = anstream::adapter::strip_str(&whole).to_string();
        let text = plain.split_once('\n').map_or("", |(_, rest)| rest).to_string();
        let proof = match &pair.verdict {
            Verdict::Equivalent(proof) | Verdict::PartiallyEquivalent(proof) => Some(proof),
            _ => None,
        };
        let mut links = Vec::new();
        if let Some(proof) = proof {
            links.extend(loops::links(subject.unit, &pair.rests_on));
            let is_loop = |span: Span| subject.sources.text(span).starts_with("while");
            let calls = proof.matches.calls.iter().map(|&(left, right)| {
                let what = if is_loop(left) { "loop" } else { "call" };
                Link { what, places: [left, right], how: None }
            });
            links.extend(calls);
            links.extend(proof.matches.allocations.iter().map(|&(l, r)| Link {
                what: "new",
                places: [l, r],
                how: None,
            }));
        }
        let open = match &pair.verdict {
            Verdict::Unknown(reason) => Some(&reason.places),
            Verdict::PartiallyEquivalent(proof) => proof.failed_goal.as_ref().map(|goal| &goal.places),
            _ => None,
        };
        let open = open.into_iter().flat_map(|places| places.iter().enumerate());
        Card {
            word: pair.verdict.word(),
            why: why(&text),
            text,
            links,
            relations: proof.map(|proof| proof.relations_of_loops.clone()).unwrap_or_default(),
            places: open.flat_map(|(version, places)| places.iter().map(move |&place| (version, place))).collect(),
            frames: frames(subject.unit, subject.sources),
        }
    }

    /// That there is none, and why.
    pub(super) fn open(why: &str) -> Self {
        let (links, relations, places, frames) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Card { word: "unknown", why: why.to_string(), text: String::new(), links, relations, places, frames }
    }

    /// All that the report says, with the lines as they are in this program.
    pub(super) fn text(&self, unit: &Unit, sources: &Sources) -> String {
        let moved = |version: Option<usize>, line: usize| {
            let holds = |frame: &&Frame| {
                version.is_none_or(|version| version == frame.version) && frame.lines.0 <= line && line <= frame.lines.1
            };
            let frame = self.frames.iter().find(holds)?;
            Some(sources.line(now(unit, frame)?) + line - frame.lines.0)
        };
        let names: Vec<&str> = sources.iter().map(|(_, source)| source.name.as_str()).collect();
        match names.as_slice() {
            [old, new] => {
                let text = renumbered(&self.text, &format!(", {old}:"), &|line| moved(Some(0), line));
                renumbered(&text, &format!(", {new}:"), &|line| moved(Some(1), line))
            }
            _ => renumbered(&self.text, ", line ", &|line| moved(None, line)),
        }
    }

    /// What corresponds, where it is in this program.
    pub(super) fn links(&self, unit: &Unit) -> Vec<Link> {
        let moved = |link: &Link| {
            let [left, right] = link.places;
            let places = [self.moved(unit, 0, left)?, self.moved(unit, 1, right)?];
            Some(Link { places, ..*link })
        };
        self.links.iter().filter_map(moved).collect()
    }

    /// Where it could not be settled, in this program.
    pub(super) fn places(&self, unit: &Unit) -> Vec<Span> {
        self.places.iter().filter_map(|&(version, span)| self.moved(unit, version, span)).collect()
    }

    fn moved(&self, unit: &Unit, version: usize, span: Span) -> Option<Span> {
        let holds = |frame: &&Frame| {
            let within = frame.span.start <= span.start && span.end <= frame.span.end;
            frame.version == version && frame.span.file == span.file && within
        };
        let frame = self.frames.iter().find(holds)?;
        let now = now(unit, frame)?;
        let start = now.start + (span.start - frame.span.start);
        Some(Span { start, end: start + (span.end - span.start), ..now })
    }
}

/// Where a procedure is now.
fn now(unit: &Unit, frame: &Frame) -> Option<Span> {
    let version = unit.versions.get(frame.version)?;
    Some(version.procedure(version.find(&frame.name)?).span)
}

fn frames(unit: &Unit, sources: &Sources) -> Vec<Frame> {
    let mut frames = Vec::new();
    for (version, code) in unit.versions.iter().enumerate() {
        for procedure in &code.procedures {
            let span = procedure.span;
            let last = Span { start: span.end.saturating_sub(1).max(span.start), ..span };
            let lines = (sources.line(span), sources.line(last));
            frames.push(Frame { version, name: procedure.name.clone(), span, lines });
        }
    }
    frames
}

/// The line of a report that says most.
fn why(text: &str) -> String {
    const TELLING: [&str; 4] = ["first difference: ", "not settled: ", "that both end ", "never ends"];
    let lines = || text.lines().map(str::trim);
    let telling = TELLING.iter().find_map(|start| lines().find(|line| line.contains(start)));
    let broken = || lines().find(|line| line.contains(" does not hold"));
    telling.or_else(broken).or_else(|| lines().next()).unwrap_or_default().to_string()
}

/// A report with other numbers of lines, which stand behind a mark.
fn renumbered(text: &str, mark: &str, moved: &impl Fn(usize) -> Option<usize>) -> String {
    let mut out = String::new();
    for (at, piece) in text.split(mark).enumerate() {
        if at == 0 {
            out.push_str(piece);
            continue;
        }
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let number = piece[..digits].parse().ok().and_then(moved);
        let number = number.map_or_else(|| piece[..digits].to_string(), |number: usize| number.to_string());
        out.extend([mark, &number, &piece[digits..]]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_anew() {
        let text = "call `p` (version a, line 7) corresponds to `p` (version b, line 12)\n  line 13, line x\n";
        let moved = |line: usize| (line > 7).then_some(line + 10);
        let right = "call `p` (version a, line 7) corresponds to `p` (version b, line 22)\n  line 13, line x\n";
        assert_eq!(renumbered(text, ", line ", &moved), right);
    }

    #[test]
    fn the_telling_line_is_found() {
        assert_eq!(why("  from\n    x := 1;\n  first difference: r is 1\n"), "first difference: r is 1");
        assert_eq!(why("  proved path by path\n  rests on q\n"), "proved path by path");
        assert_eq!(why(""), "");
    }
}

//! An exercise, as a student hands it in.
//!
//! In: the text of a file. Out: an [`Exercise`]: what it is called, what was answered, and a digest of all that was given.
//!
//! ```text
//! // exercise: 1.3 mend        its name, and what is asked for
//! // goal: copy                a pair that is to be equivalent; without such a line all pairs are
//! // answer: copy equivalent because …
//! ```
//!
//! Code that answers stands between comments `// answer begins` and `// answer ends`; all other code is given.
//!
//! Invariant: the digest is over words of code, so comments and layout may be changed. A place for an answer counts as a word, so
//! none can be added or moved.

use super::super::expectation::{self, MARK, Word};
use super::digest::digest;
use crate::files::load;
use crate::machine::input;
use crate::status::Failure;
use lang_l::ast::{File, Item, Param, Procedure, Spec};
use lang_l::parse;
use lang_l::source::{FileId, Span};
use lang_l::token::{Comment, Token, lex};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// What the line begins with that names an exercise.
const NAME: &str = "// exercise:";
/// What a line begins with that names a pair which is to be equivalent.
const GOAL: &str = "// goal:";
/// What a line begins with that answers with a verdict.
const ANSWER: &str = "// answer:";
/// The comments round an answer in code.
const MARKS: [&str; 2] = ["answer begins", "answer ends"];
/// What stands in the digest for a place where an answer goes; no word of L is this.
const PLACE: &str = "\u{1}";

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// The verdicts of pairs.
    Verdict,
    /// Code with which pairs are equivalent.
    Mend,
    /// A `requires` under which pairs are equivalent, and not a stronger one than is needed.
    Condition,
    /// Clauses with which pairs can be proved.
    Proof,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Verdict, Kind::Mend, Kind::Condition, Kind::Proof];

    /// The word for it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Kind::Verdict => "verdict",
            Kind::Mend => "mend",
            Kind::Condition => "condition",
            Kind::Proof => "proof",
        }
    }
}

/// An answer in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The pair, as `p` or `p~q`.
    pub(super) pair: String,
    /// The verdict; `None` where there is only a `?`.
    pub(super) verdict: Option<Word>,
    /// The reason, which people read.
    pub(super) because: String,
}

/// An exercise.
#[derive(Clone, Debug)]
pub(super) struct Exercise {
    /// What messages call its file.
    pub(super) file: String,
    /// Its text.
    pub(super) text: String,
    /// What it is called.
    pub(super) id: String,
    /// What is asked for, as the file says it.
    pub(super) kind: Kind,
    /// The pairs that are to be equivalent; all where there is none.
    pub(super) goals: Vec<String>,
    /// Answers in words.
    pub(super) answers: Vec<Answer>,
    /// The digest of what was given.
    pub(super) given: String,
    /// Where answers in code stand.
    places: Vec<Range<usize>>,
    /// The words of these answers.
    words: Vec<Token>,
}

/// A `requires` that answers, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    /// The parameters of the procedure, as written.
    pub(super) parameters: String,
    /// The condition, as written; `true` where there is none.
    pub(super) text: String,
}

/// Reads a file; `None` where it holds no exercise.
pub(super) fn read(path: &Path) -> Result<Option<Exercise>, Failure> {
    let text = load::text(path)?;
    let file = input::name(path);
    of_text(&file, text).map_err(|(line, wrong)| Failure::Usage(format!("{file}:{line}: {wrong}")))
}

/// The exercise in a text; or a line, from 1, and what is wrong there.
pub(super) fn of_text(file: &str, text: String) -> Result<Option<Exercise>, (usize, String)> {
    let names: Vec<(usize, &str)> = marked(&text, NAME).collect();
    let [(line, name), more @ ..] = &names[..] else { return Ok(None) };
    let (id, kind) = name_and_kind(name).map_err(|wrong| (*line, wrong))?;
    if let [(line, _), ..] = more {
        return Err((*line, "a file holds one exercise".into()));
    }
    let goals = marked(&text, GOAL).map(|(_, goal)| goal.replace(' ', "")).collect();
    let answers = marked(&text, ANSWER).map(|(line, words)| answer(words).map_err(|wrong| (line, wrong)));
    let answers = answers.collect::<Result<Vec<Answer>, _>>()?;
    if let Some((at, twice)) =
        answers.iter().enumerate().find(|(at, one)| answers[..*at].iter().any(|o| o.pair == one.pair))
    {
        let line = marked(&text, ANSWER).nth(at).map_or(1, |(line, _)| line);
        return Err((line, format!("{} has two answers", twice.pair)));
    }
    let lexed = lex(FileId(0), &text);
    let places = places(&lexed.comments).map_err(|(span, wrong)| (line_of(&text, span), wrong))?;
    let within = |span: &Span| places.iter().any(|place| place.contains(&(span.start as usize)));
    let given = lexed
        .tokens
        .iter()
        .filter(|(_, span)| !within(span))
        .map(|(_, span)| (span.range().start, &text[span.range()]));
    let mut given: Vec<(usize, &str)> = given.chain(places.iter().map(|place| (place.start, PLACE))).collect();
    given.sort_by_key(|(at, _)| *at);
    let parts: Vec<&str> = ["given", id].into_iter().chain(given.into_iter().map(|(_, word)| word)).collect();
    let words = lexed.tokens.iter().filter(|(_, span)| within(span)).map(|(token, _)| *token).collect();
    let (id, given) = (id.to_string(), digest(&parts));
    Ok(Some(Exercise { file: file.into(), id, kind, goals, answers, given, places, words, text }))
}

/// What follows a mark at the beginnings of lines, with the numbers of the lines, from 1.
fn marked<'t>(text: &'t str, mark: &'static str) -> impl Iterator<Item = (usize, &'t str)> {
    (1..).zip(text.lines()).filter_map(move |(number, line)| Some((number, line.strip_prefix(mark)?.trim())))
}

fn line_of(text: &str, span: Span) -> usize {
    text[..span.range().start].matches('\n').count() + 1
}

fn name_and_kind(text: &str) -> Result<(&str, Kind), String> {
    let kinds = Kind::ALL.map(Kind::text).join(", ");
    let wrong = || format!("`{text}` is no name and kind, such as `1.3 mend`; the kinds are {kinds}");
    let (id, kind) = text.split_once(' ').ok_or_else(wrong)?;
    let kind = Kind::ALL.into_iter().find(|known| known.text() == kind.trim()).ok_or_else(wrong)?;
    Ok((id, kind))
}

fn answer(text: &str) -> Result<Answer, String> {
    let (head, because) = text.split_once(" because").unwrap_or((text, ""));
    let because = because.trim().to_string();
    if let Some(pair) = head.trim_end().strip_suffix('?') {
        return Ok(Answer { pair: pair.replace(' ', ""), verdict: None, because });
    }
    let read = expectation::read(&format!("{MARK} {head}")).map_err(|(_, wrong)| wrong)?;
    match read.as_slice() {
        [one] if one.when.is_none() && one.verdicts.len() == 1 => {
            Ok(Answer { pair: one.pair.clone(), verdict: one.verdicts.first().copied(), because })
        }
        _ => Err(format!("`{head}` is not one verdict of one pair")),
    }
}

/// Where answers in code stand: from the end of one comment to the start of another.
fn places(comments: &[Comment]) -> Result<Vec<Range<usize>>, (Span, String)> {
    let mut places = Vec::new();
    let mut open: Option<Span> = None;
    for comment in comments {
        let text = comment.text.trim_start_matches("//").trim_start_matches("/*").trim_end_matches("*/").trim();
        match (MARKS.iter().position(|mark| *mark == text), open) {
            (None, _) => {}
            (Some(0), None) => open = Some(comment.span),
            (Some(0), Some(_)) => return Err((comment.span, "the answer before has no `// answer ends`".into())),
            (Some(_), Some(begin)) => {
                places.push(begin.range().end..comment.span.range().start);
                open = None;
            }
            (Some(_), None) => return Err((comment.span, "there is no `// answer begins` before".into())),
        }
    }
    match open {
        Some(span) => Err((span, "this answer has no `// answer ends`".into())),
        None => Ok(places),
    }
}

impl Exercise {
    /// Whether there is a place for an answer in code.
    pub(super) fn asks_for_code(&self) -> bool {
        !self.places.is_empty()
    }

    /// What no answer in code may hold, if this one does: it could leave its place, or take for granted what is asked for.
    pub(super) fn improper(&self, kind: Kind) -> Option<&'static str> {
        let mut open = Vec::new();
        for token in &self.words {
            match token {
                Token::Assume => return Some("an answer may not use `assume`"),
                Token::Requires if kind != Kind::Condition => return Some("this answer may not use `requires`"),
                token if token.starts_item() => return Some("an answer declares nothing, and begins no version"),
                Token::LeftBrace | Token::LeftParen | Token::LeftBracket => open.push(*token),
                Token::RightBrace | Token::RightParen | Token::RightBracket => {
                    let partner = match token {
                        Token::RightBrace => Token::LeftBrace,
                        Token::RightParen => Token::LeftParen,
                        _ => Token::LeftBracket,
                    };
                    if open.pop() != Some(partner) {
                        return Some("brackets in an answer must match each other");
                    }
                }
                _ => {}
            }
        }
        (!open.is_empty()).then_some("brackets in an answer must match each other")
    }

    /// The condition that answers; or why there is none that could.
    pub(super) fn condition(&self) -> Result<Condition, &'static str> {
        let [place] = &self.places[..] else { return Err("a condition has one place for its answer") };
        let file = parse::parse(FileId(0), &self.text).file;
        let within = |span: Span| place.start <= span.range().start && span.range().end <= place.end;
        // An answer that was taken out leaves a place in the head of its procedure, before the body.
        let is_here = |procedure: &&Procedure| {
            let body = procedure.body.as_ref().map(|body| body.span.range().start);
            procedure.name.span.range().end <= place.start && body.is_some_and(|body| place.end <= body)
        };
        let procedure = procedures(&file).filter(is_here).last();
        let procedure = procedure.ok_or("a condition stands between the head of a procedure and its body")?;
        let mut conditions = Vec::new();
        for spec in &procedure.specs {
            match spec {
                Spec::Requires(_, span) if within(*span) => {
                    // From the word to the semicolon: the brackets round an expression are no part of its own span.
                    let clause = self.text[span.range()].trim_start_matches("requires").trim_end_matches(';');
                    conditions.push(format!("({}\n)", clause.trim()));
                }
                Spec::Ensures(_, span) | Spec::Modifies(_, span) if within(*span) => {
                    return Err("a condition is made of `requires` alone");
                }
                _ => {}
            }
        }
        let text = if conditions.is_empty() { "true".to_string() } else { conditions.join(" && ") };
        Ok(Condition { parameters: parameters(&self.text, &procedure.params), text })
    }

    /// Whether an answer says something of a procedure without a body, which nobody can check.
    pub(super) fn speaks_of_externals(&self) -> bool {
        let file = parse::parse(FileId(0), &self.text).file;
        let meets = |procedure: &Procedure| {
            let whole = procedure.span.range();
            self.places.iter().any(|place| place.start < whole.end && whole.start < place.end)
        };
        procedures(&file).any(|procedure| procedure.body.is_none() && meets(procedure))
    }

    /// Where the second version begins.
    pub(super) fn second_version(&self) -> Option<usize> {
        let file = parse::parse(FileId(0), &self.text).file;
        file.versions.get(1).map(|version| version.span.range().start)
    }

    /// A name that nothing here has.
    pub(super) fn unused_name(&self) -> String {
        let mut name = "allowed'".to_string();
        while self.text.contains(&name) {
            name.push('\'');
        }
        name
    }
}

fn procedures(file: &File) -> impl Iterator<Item = &Procedure> {
    let items = file.shared.iter().chain(file.versions.iter().flat_map(|version| &version.items));
    items.filter_map(|item| if let Item::Procedure(procedure) = item { Some(procedure) } else { None })
}

/// Parameters as they are written.
fn parameters(text: &str, parameters: &[Param]) -> String {
    let written = |param: &Param| {
        let end = param.ty.as_ref().map_or(param.name.span, |ty| ty.span).range().end;
        text[param.name.span.range().start..end].to_string()
    };
    parameters.iter().map(written).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// exercise: 1.2 mend\n// goal: p ~ q\n// answer: p not-equivalent because of x\n// answer: q ?\n\
                        version 0\nprocedure p() { skip; }\nversion 1\nprocedure p() {\n// answer begins\nskip;\n// answer ends\n}\n";

    fn exercise(text: &str) -> Exercise {
        of_text("a.l", text.to_string()).expect("it can be read").expect("it is one")
    }

    #[test]
    fn lines_are_read() {
        let read = exercise(TEXT);
        assert_eq!((read.id.as_str(), read.kind, read.goals.as_slice()), ("1.2", Kind::Mend, &["p~q".to_string()][..]));
        assert_eq!((read.answers[0].verdict, read.answers[0].because.as_str()), (Some(Word::NotEquivalent), "of x"));
        assert_eq!((read.answers[1].pair.as_str(), read.answers[1].verdict), ("q", None));
        assert!(of_text("a.l", "procedure p() { }".into()).expect("nothing is wrong").is_none());
        let wrong = [
            ("// exercise: 1.2\n", 1),
            ("// exercise: 1.2 guess\n", 1),
            ("// exercise: 1 mend\n// exercise: 2 mend\n", 2),
            ("// exercise: 1 verdict\n// answer: p same\n", 2),
            ("// exercise: 1 verdict\n// answer: p equivalent|unknown\n", 2),
            ("// exercise: 1 verdict\n// answer: p equivalent\n// answer: p unknown\n", 3),
            ("// exercise: 1 mend\n// answer begins\n", 2),
            ("// exercise: 1 mend\n// answer ends\n", 2),
            ("// exercise: 1 mend\n// answer begins\n/* answer begins */\n", 3),
        ];
        for (text, line) in wrong {
            assert_eq!(of_text("a.l", text.into()).expect_err(text).0, line, "{text}");
        }
    }

    #[test]
    fn the_digest_is_of_what_is_given() {
        let given = exercise(TEXT).given;
        let same = [
            TEXT.replace("skip;\n// answer ends", "x := 1;\n// answer ends"),
            TEXT.replace("version 0", "// a remark\n\nversion   0"),
            TEXT.replace("q ?", "q unknown"),
        ];
        assert!(same.iter().all(|text| exercise(text).given == given));
        let other = [
            TEXT.replace("{ skip; }", "{ x := 1; }"),
            TEXT.replace("version 1", "version 2"),
            TEXT.replace("1.2", "1.3"),
            TEXT.replace("// answer begins\nskip;", "skip; // answer begins\n"),
            TEXT.replace("// answer begins\nskip;\n// answer ends", "skip;"),
            TEXT.replace("{ skip; }", "{ /* answer begins */ skip; /* answer ends */ }"),
        ];
        for text in other {
            assert_ne!(exercise(&text).given, given, "{text}");
        }
    }

    #[test]
    fn answers_stay_in_their_places() {
        let with =
            |answer: &str| exercise(&TEXT.replace("skip;\n// answer ends", &format!("{answer}\n// answer ends")));
        for good in ["", "x := a[f(1)];", "while (x) invariant y; { if (z) { } }"] {
            assert_eq!(with(good).improper(Kind::Mend), None, "{good}");
        }
        for bad in ["} procedure q() {", "}", "{", "(]", "assume false;", "requires x;", "version 3", "equiv p ~ q;"] {
            assert!(with(bad).improper(Kind::Mend).is_some(), "{bad}");
        }
        assert_eq!(with("requires x;").improper(Kind::Condition), None);
    }

    #[test]
    fn conditions_are_found() {
        let text = |answer: &str| {
            format!(
                "// exercise: 1 condition\nversion 0\nprocedure o(); procedure p(n: int, x)\nrequires n > 1;\n\
                 // answer begins\n{answer}\n// answer ends\n{{ }}\nversion 1\nprocedure p(n: int, x) {{ }}\n"
            )
        };
        let of = |answer: &str| exercise(&text(answer)).condition();
        let right = |text: &str| Ok(Condition { parameters: "n: int, x".into(), text: text.into() });
        assert_eq!(of("requires n > 2; requires x != null;"), right("(n > 2\n) && (x != null\n)"));
        assert_eq!(of(""), right("true"));
        assert!(of("ensures n > 2;").is_err() && exercise(TEXT).condition().is_err());
        assert!(!exercise(&text("")).speaks_of_externals());
        assert!(exercise(&text("").replace("{ }\nversion", ";\nversion")).speaks_of_externals());
    }
}

//! What is expected of pairs.
//!
//! In: the text of a file. Out: the lines `// expect: …` in it. In: what is expected and what was found; out: how they compare.
//!
//! A line is `// expect: PAIR VERDICT`, and may end in `when CONDITION`. PAIR is `p`, or `p~q` for an `equiv p ~ q` and for an
//! `equiv p ~ p when …`. Several verdicts that would do stand between `|`; `equal` is short for `equivalent`.

use prover::verify::Asked;

/// What a line begins with that says what is expected.
pub(super) const MARK: &str = "// expect:";

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Proved.
    Equivalent,
    /// Proved but for termination.
    PartiallyEquivalent,
    /// Not settled.
    Unknown,
    /// A contract is broken.
    ContractViolation,
    /// Shown to differ.
    NotEquivalent,
}

impl Word {
    const ALL: [Word; 5] =
        [Word::Equivalent, Word::PartiallyEquivalent, Word::Unknown, Word::ContractViolation, Word::NotEquivalent];

    /// The word of the language reference.
    pub(super) fn text(self) -> &'static str {
        match self {
            Word::Equivalent => "equivalent",
            Word::PartiallyEquivalent => "partially-equivalent",
            Word::Unknown => "unknown",
            Word::ContractViolation => "contract-violation",
            Word::NotEquivalent => "not-equivalent",
        }
    }

    /// The verdict of this word.
    pub(super) fn read(text: &str) -> Option<Word> {
        Word::ALL.into_iter().find(|word| word.text() == text)
    }
}

/// What is expected of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expectation {
    /// The pair, as `p` or `p~q`.
    pub(super) pair: String,
    /// Its condition, as written.
    pub(super) when: Option<String>,
    /// The verdicts that would do.
    pub(super) verdicts: Vec<Word>,
    /// Which line of the file says so, from 0.
    pub(super) line: usize,
}

/// How a verdict compares with what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It is that.
    AsExpected,
    /// More was proved.
    Better,
    /// Anything else; somebody has to look.
    Worse,
    /// Nothing was expected.
    New,
}

impl Judgement {
    /// The word for it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Judgement::AsExpected => "as-expected",
            Judgement::Better => "better",
            Judgement::Worse => "worse",
            Judgement::New => "new",
        }
    }
}

/// Compares.
pub(super) fn judge(expected: &[Word], found: Word) -> Judgement {
    let would_do = |word| expected.contains(&word);
    match found {
        _ if expected.is_empty() => Judgement::New,
        found if would_do(found) => Judgement::AsExpected,
        Word::Equivalent if would_do(Word::PartiallyEquivalent) || would_do(Word::Unknown) => Judgement::Better,
        Word::PartiallyEquivalent if would_do(Word::Unknown) => Judgement::Better,
        _ => Judgement::Worse,
    }
}

/// All that a text expects; or the number of a line that cannot be read, from 1, and what is wrong with it.
pub(super) fn read(text: &str) -> Result<Vec<Expectation>, (usize, String)> {
    let lines = text.lines().enumerate();
    let marked = lines.filter_map(|(at, line)| Some((at, line.strip_prefix(MARK)?.trim())));
    marked.map(|(at, rest)| expectation(at, rest).map_err(|wrong| (at + 1, wrong))).collect()
}

fn expectation(line: usize, text: &str) -> Result<Expectation, String> {
    let (head, when) = match text.split_once(" when ") {
        Some((head, when)) => (head, Some(when.trim().to_string())),
        None => (text, None),
    };
    let words: Vec<&str> = head.split_whitespace().collect();
    let (pair, verdicts) = match words[..] {
        [pair, verdicts] => (pair.to_string(), verdicts),
        [left, "~", right, verdicts] => (format!("{left}~{right}"), verdicts),
        _ => return Err(format!("`{text}` is no pair and verdict, such as `p equivalent` or `p~q unknown`")),
    };
    let read = |word: &str| {
        let word = if word == "equal" { "equivalent" } else { word };
        Word::read(word).ok_or_else(|| {
            let all: Vec<&str> = Word::ALL.iter().map(|word| word.text()).collect();
            format!("`{word}` is no verdict; these are: {}", all.join(", "))
        })
    };
    let verdicts = verdicts.split('|').map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(Expectation { pair, when, verdicts, line })
}

/// The expectation that speaks of a pair: one with its condition, else one that leaves the condition out.
pub(super) fn of<'e>(expectations: &'e [Expectation], asked: &Asked) -> Option<&'e Expectation> {
    let spoken_of = || expectations.iter().filter(|expectation| speaks_of(expectation, asked));
    spoken_of().find(|expectation| expectation.when.is_some()).or_else(|| spoken_of().next())
}

/// Whether an expectation is about a pair.
pub(super) fn speaks_of(expectation: &Expectation, asked: &Asked) -> bool {
    let Asked { left, right, when, .. } = asked;
    let both = expectation.pair == format!("{left}~{right}");
    let one = left == right && expectation.pair == *left;
    match (&expectation.when, when) {
        (Some(expected), Some(when)) => (both || one) && same_condition(expected, when),
        (Some(_), None) => false,
        (None, Some(_)) => both,
        (None, None) => one || both && left != right,
    }
}

/// Whether two conditions are the same text but for spaces.
pub(super) fn same_condition(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    plain(one) == plain(other)
}

/// The two names of a pair that an expectation is about.
pub(super) fn names(pair: &str) -> (&str, &str) {
    pair.split_once('~').unwrap_or((pair, pair))
}

/// A line that expects a verdict of a pair.
pub(super) fn line(asked: &Asked, verdict: Word) -> String {
    let Asked { left, right, when, .. } = asked;
    let pair = if left == right && when.is_none() { left.clone() } else { format!("{left}~{right}") };
    let when = when.as_ref().map(|when| format!(" when {when}")).unwrap_or_default();
    format!("{MARK} {pair} {}{when}", verdict.text())
}

/// What reports call a pair.
pub(super) fn label(asked: &Asked) -> String {
    let Asked { left, right, when, .. } = asked;
    let names = if left == right { left.clone() } else { format!("{left} ~ {right}") };
    let when = when.as_ref().map(|when| format!(" when {when}")).unwrap_or_default();
    format!("{names}{when}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lang_l::hir::ProcId;

    fn asked(left: &str, right: &str, when: Option<&str>) -> Asked {
        let [left, right] = [left, right].map(str::to_string);
        Asked { pair: (ProcId(0), ProcId(0)), left, right, when: when.map(str::to_string), defined: true }
    }

    fn expected(text: &str) -> Expectation {
        read(&format!("{MARK} {text}\n")).expect("it can be read").remove(0)
    }

    #[test]
    fn lines_are_read() {
        let text = "// exploits: x\n// expect: f not-equivalent\nclass C { }\n// expect: p~q unknown|equivalent\n";
        let read_lines = read(text).expect("they can be read");
        assert_eq!(read_lines.len(), 2);
        assert_eq!((read_lines[1].pair.as_str(), read_lines[1].line), ("p~q", 3));
        assert_eq!(read_lines[1].verdicts, [Word::Unknown, Word::Equivalent]);
        let when = expected("p equal when x != null && y == x");
        assert_eq!((when.when.as_deref(), when.verdicts), (Some("x != null && y == x"), vec![Word::Equivalent]));
        for wrong in ["f", "f same", "f equivalent unknown", "", "a b c equivalent"] {
            assert_eq!(read(&format!("\n{MARK} {wrong}\n")).expect_err(wrong).0, 2);
        }
    }

    #[test]
    fn they_speak_of_their_pairs() {
        let table = [
            ("p equivalent", asked("p", "p", None), true),
            ("p equivalent", asked("p", "q", None), false),
            ("p~p equivalent", asked("p", "p", None), false),
            ("p~p equivalent", asked("p", "p", Some("x > 0")), true),
            ("p equivalent when x>0", asked("p", "p", Some("x > 0")), true),
            ("p equivalent when x>1", asked("p", "p", Some("x > 0")), false),
            ("p equivalent when x>0", asked("p", "p", None), false),
            ("p~q equivalent", asked("p", "q", Some("x > 0")), true),
        ];
        for (text, asked, speaks) in table {
            assert_eq!(speaks_of(&expected(text), &asked), speaks, "{text} {asked:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for asked in [asked("p", "p", None), asked("p", "q", None), asked("p", "p", Some("x > 0 && y == 1"))] {
            for word in Word::ALL {
                let again = read(&line(&asked, word)).expect("it can be read").remove(0);
                assert!(speaks_of(&again, &asked) && again.verdicts == [word], "{again:?}");
            }
        }
    }

    #[test]
    fn nothing_but_more_of_a_proof_is_better() {
        use Word::{ContractViolation, Equivalent, NotEquivalent, PartiallyEquivalent, Unknown};
        let better = [(Unknown, Equivalent), (Unknown, PartiallyEquivalent), (PartiallyEquivalent, Equivalent)];
        for expected in Word::ALL {
            for found in Word::ALL {
                let right = match (expected, found) {
                    (expected, found) if expected == found => Judgement::AsExpected,
                    both if better.contains(&both) => Judgement::Better,
                    _ => Judgement::Worse,
                };
                assert_eq!(judge(&[expected], found), right);
            }
        }
        assert_eq!(judge(&[], Unknown), Judgement::New);
        assert_eq!(judge(&[NotEquivalent, ContractViolation], ContractViolation), Judgement::AsExpected);
    }
}

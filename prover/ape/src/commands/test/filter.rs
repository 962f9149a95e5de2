//! Expressions that choose pairs.
//!
//! In: a text such as `name(copy) & !verdict(unknown) & changed`. Out: a [`Filter`], which holds of a pair or not.
//!
//! Invariant: `!` binds closer than `&`, and that closer than `|`; a text has one reading or is refused with what is wrong.

use super::expectation::Word;
use glob::Pattern;

/// A condition on a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// Holds of all.
    All,
    Name(Matcher),
    File(Matcher),
    /// This verdict is expected.
    Verdict(Word),
    /// The cache does not have the file as it is.
    Changed,
    /// Nothing is expected.
    New,
    Not(Box<Filter>),
    And(Box<Filter>, Box<Filter>),
    Or(Box<Filter>, Box<Filter>),
}

/// What a name has to be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Matcher {
    Part(String),
    Whole(String),
    Like(Pattern),
}

/// What can be asked of a pair.
pub(super) struct Facts<'a> {
    /// What it is called, with its condition.
    pub(super) label: &'a str,
    /// Its procedures.
    pub(super) procedures: [&'a str; 2],
    /// The name of its file.
    pub(super) file: &'a str,
    /// The verdicts that are expected.
    pub(super) expected: &'a [Word],
    /// Whether the cache lacks the file.
    pub(super) changed: bool,
}

/// How deep expressions may be nested.
const DEEPEST: usize = 100;

impl Filter {
    /// Reads an expression.
    pub(super) fn read(text: &str) -> Result<Filter, String> {
        let mut reader = Reader { text, rest: text, depth: 0 };
        let filter = reader.or()?;
        match reader.rest.trim_start() {
            "" => Ok(filter),
            rest => Err(reader.wrong(rest, "`&` or `|` is expected")),
        }
    }

    /// Whether it speaks of the cache.
    pub(super) fn needs_cache(&self) -> bool {
        match self {
            Filter::Changed => true,
            Filter::Not(one) => one.needs_cache(),
            Filter::And(one, other) | Filter::Or(one, other) => one.needs_cache() || other.needs_cache(),
            _ => false,
        }
    }

    /// Whether it holds of a pair.
    pub(super) fn holds(&self, facts: &Facts<'_>) -> bool {
        match self {
            Filter::All => true,
            Filter::Name(matcher) => {
                matcher.fits(facts.label) || facts.procedures.iter().any(|name| matcher.fits(name))
            }
            Filter::File(matcher) => matcher.fits(facts.file),
            Filter::Verdict(word) => facts.expected.contains(word),
            Filter::Changed => facts.changed,
            Filter::New => facts.expected.is_empty(),
            Filter::Not(one) => !one.holds(facts),
            Filter::And(one, other) => one.holds(facts) && other.holds(facts),
            Filter::Or(one, other) => one.holds(facts) || other.holds(facts),
        }
    }
}

impl Matcher {
    fn read(text: &str) -> Result<Matcher, String> {
        let text = text.trim();
        if let Some(whole) = text.strip_prefix('=') {
            return Ok(Matcher::Whole(whole.to_string()));
        }
        match text.strip_prefix('#') {
            Some(pattern) => Pattern::new(pattern).map(Matcher::Like).map_err(|wrong| format!("`{pattern}`: {wrong}")),
            None => Ok(Matcher::Part(text.to_string())),
        }
    }

    fn fits(&self, text: &str) -> bool {
        match self {
            Matcher::Part(part) => text.contains(part.as_str()),
            Matcher::Whole(whole) => text == whole,
            Matcher::Like(pattern) => pattern.matches(text),
        }
    }
}

/// What is left of a text.
struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn or(&mut self) -> Result<Filter, String> {
        let mut filter = self.and()?;
        while self.take('|') {
            filter = Filter::Or(Box::new(filter), Box::new(self.and()?));
        }
        Ok(filter)
    }

    fn and(&mut self) -> Result<Filter, String> {
        let mut filter = self.not()?;
        while self.take('&') {
            filter = Filter::And(Box::new(filter), Box::new(self.not()?));
        }
        Ok(filter)
    }

    fn not(&mut self) -> Result<Filter, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("more than {DEEPEST} brackets and `!`"));
        }
        let filter = if self.take('!') {
            Ok(Filter::Not(Box::new(self.not()?)))
        } else if self.take('(') {
            let filter = self.or()?;
            if self.take(')') { Ok(filter) } else { Err(self.wrong(self.rest, "`)` is expected")) }
        } else {
            self.one()
        };
        self.depth -= 1;
        filter
    }

    /// A word, perhaps with something in brackets.
    fn one(&mut self) -> Result<Filter, String> {
        let start = self.rest.trim_start();
        let end = start.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(start.len());
        let (word, rest) = start.split_at(end);
        self.rest = rest;
        match word {
            "all" => return Ok(Filter::All),
            "changed" => return Ok(Filter::Changed),
            "new" => return Ok(Filter::New),
            "name" | "file" | "verdict" => {}
            _ => {
                let known = "a test is expected: name(…), file(…), verdict(…), changed, new or all";
                return Err(self.wrong(start, known));
            }
        }
        if !self.take('(') {
            return Err(self.wrong(self.rest, &format!("`{word}` needs something in brackets")));
        }
        let inside = self.inside()?;
        match word {
            "name" => Matcher::read(inside).map(Filter::Name),
            "file" => Matcher::read(inside).map(Filter::File),
            _ => {
                let word = inside.trim();
                Word::read(word).map(Filter::Verdict).ok_or_else(|| format!("`{word}` is no verdict"))
            }
        }
    }
}

impl<'t> Reader<'t> {
    /// Whether this comes next; if so it is passed.
    fn take(&mut self, what: char) -> bool {
        match self.rest.trim_start().strip_prefix(what) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// What stands before the bracket that closes this one.
    fn inside(&mut self) -> Result<&'t str, String> {
        let text = self.rest;
        let mut open = 1_usize;
        for (at, c) in text.char_indices() {
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                self.rest = &text[at + 1..];
                return Ok(&text[..at]);
            }
        }
        Err(self.wrong("", "`)` is expected"))
    }

    fn wrong(&self, rest: &str, what: &str) -> String {
        let rest = rest.trim_start();
        let place = if rest.is_empty() { "at its end".to_string() } else { format!("at `{rest}`") };
        format!("in the filter `{}`, {place}: {what}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> bool {
        let filter = Filter::read(text).unwrap_or_else(|wrong| panic!("{wrong}"));
        let facts = Facts {
            label: "copy ~ clone when x > (0)",
            procedures: ["copy", "clone"],
            file: "lists/copy.l",
            expected: &[Word::Unknown],
            changed: true,
        };
        filter.holds(&facts)
    }

    #[test]
    fn it_says_which_pairs() {
        let yes = [
            "all",
            "name(cop)",
            "name(=clone)",
            "name(#c*y)",
            "name(x > (0))",
            "file(lists/)",
            "verdict(unknown) & changed",
            "!new",
            "!(new | verdict(equivalent))",
            "new | name(copy) & changed",
            " changed|new&new ",
            "!!all",
        ];
        let no = ["name(=cop)", "file(=copy.l)", "new", "!all | new", "!all & all", "(changed | all) & new"];
        assert!(yes.iter().all(|text| holds(text)));
        assert!(!no.iter().any(|text| holds(text)));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let deep = "!".repeat(1_000_000);
        let wrong =
            ["", "name", "name(x", "verdict(same)", "all all", "(all", "all)", "& all", "nme(x)", "name(#[)", &deep];
        for text in wrong {
            assert!(Filter::read(text).is_err(), "{text}");
        }
        assert!(Filter::read("all | nme(x)").is_err_and(|wrong| wrong.contains("at `nme(x)`")));
    }
}

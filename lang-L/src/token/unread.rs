//! Text that is no token of L, and what was meant by it.
//!
//! In: a place at which no token starts. Out: a report, how much text it is about, and the token that was meant, so that what
//! follows is read as it was meant.

use super::Token;
use crate::source::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// A stretch of text that is no token.
pub(super) struct Unread {
    /// How long it is, in bytes; at least one character.
    pub(super) length: usize,
    /// What to read in its place.
    pub(super) token: Option<Token>,
    /// What is wrong.
    pub(super) report: Diagnostic,
    /// Whether letters just before it belong to it.
    pub(super) is_name: bool,
}

/// Signs of other scripts, and the form that L has.
const SIGNS: &[(char, &str, Token)] = &[
    ('≤', "<=", Token::LessEqual),
    ('⩽', "<=", Token::LessEqual),
    ('≥', ">=", Token::GreaterEqual),
    ('⩾', ">=", Token::GreaterEqual),
    ('≠', "!=", Token::BangEqual),
    ('≡', "==", Token::EqualEqual),
    ('∧', "&&", Token::AndAnd),
    ('∨', "||", Token::OrOr),
    ('¬', "!", Token::Bang),
    ('⇒', "==>", Token::Implies),
    ('→', "==>", Token::Implies),
    ('×', "*", Token::Star),
    ('·', "*", Token::Star),
    ('÷', "/", Token::Slash),
    ('−', "-", Token::Minus),
    ('–', "-", Token::Minus),
    ('←', ":=", Token::Assign),
    ('≔', ":=", Token::Assign),
    ('∀', "forall", Token::Forall),
    ('∃', "exists", Token::Exists),
    ('∅', "null", Token::Null),
    ('‿', "_", Token::Ident),
];

/// Letters that are not of L, and how they are written with those that are.
const LETTERS: &[(&str, &str)] = &[
    ("äæÄÆ", "ae"),
    ("öœøÖŒØ", "oe"),
    ("üÜ", "ue"),
    ("ß", "ss"),
    ("àáâãåāăąаα", "a"),
    ("çćčс", "c"),
    ("ďđð", "d"),
    ("èéêëēęěеε", "e"),
    ("ìíîïıіι", "i"),
    ("ķκк", "k"),
    ("łľ", "l"),
    ("ñńň", "n"),
    ("òóôõōоο", "o"),
    ("ρр", "p"),
    ("řŕ", "r"),
    ("śşš", "s"),
    ("ťţτ", "t"),
    ("ùúûūůυ", "u"),
    ("ýÿу", "y"),
    ("źżž", "z"),
    ("хχ", "x"),
    ("βВ", "b"),
    ("γ", "gamma"),
    ("δ", "delta"),
    ("λ", "lambda"),
    ("μµ", "mu"),
    ("π", "pi"),
    ("σς", "sigma"),
    ("φ", "phi"),
    ("ψ", "psi"),
    ("ω", "omega"),
    ("θ", "theta"),
];

/// What stands at a place where no token starts. `before` is where a name starts that ends there, if one does.
pub(super) fn read(file: FileId, text: &str, at: usize, before: Option<usize>) -> Unread {
    let rest = text.get(at..).unwrap_or("");
    let Some(first) = rest.chars().next() else { return plain(file, at, 0, "") };
    match first {
        '"' => never_closed(file, at, rest),
        '#' => hash(file, at, rest),
        '\'' => quoted(file, at, rest, '\''),
        '‘' | '’' | '“' | '”' | '„' | '«' => curly(file, at, rest),
        '&' | '|' => single_sign(file, at, rest),
        _ if first.is_whitespace() || matches!(first, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}') => {
            let count = rest.chars().take_while(|&c| c == first).count();
            let length = first.len_utf8() * count;
            let span = Span::new(file, at..at + length);
            let message = format!("a blank that L does not know (U+{:04X})", first as u32);
            let report = Diagnostic::new("E0001", span, message, "not an ordinary blank");
            let report = report.help("write an ordinary blank").replace(span, &" ".repeat(count));
            Unread { length, token: None, report, is_name: false }
        }
        _ if first.is_alphanumeric() => letters(file, text, at, before),
        _ => sign(file, at, first).unwrap_or_else(|| unknown(file, at, rest)),
    }
}

/// The report on text that nobody knows what to make of.
fn plain(file: FileId, at: usize, length: usize, shown: &str) -> Unread {
    let span = Span::new(file, at..at + length);
    let report = Diagnostic::new("E0001", span, format!("`{shown}` means nothing in L"), "not understood");
    Unread { length, token: None, report, is_name: false }
}

/// Characters of which none may start a token.
fn unknown(file: FileId, at: usize, rest: &str) -> Unread {
    let known =
        |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "(){}[],;.:=?~*/%+-!<>&|_\"'#".contains(c);
    let length: usize = rest.chars().take_while(|&c| !known(c)).map(char::len_utf8).sum();
    // The word behind an `@` belongs to it.
    let word = rest[length..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len() - length);
    let length = length + if rest[..length].ends_with('@') { word } else { 0 };
    let shown = rest[..length].chars().take(20).map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut unread = plain(file, at, length, &shown.collect::<String>());
    unread.token = rest.starts_with('^').then_some(Token::BangEqual);
    unread.report.help = match rest.chars().next() {
        Some('@') => Some("L has no annotations: leave it out".to_owned()),
        Some('^') => Some("L has no bit operators; of two booleans, `a != b` is one or the other".to_owned()),
        Some('$') => Some("names are made of the letters A to Z, digits, `_` and `'`".to_owned()),
        Some('\\') => Some("a line needs no mark to go on: leave it out".to_owned()),
        Some('`') => Some("names stand without quotes".to_owned()),
        _ => None,
    };
    unread
}

fn never_closed(file: FileId, at: usize, rest: &str) -> Unread {
    let length = rest.find('\n').unwrap_or(rest.len());
    let span = Span::new(file, at..at + length);
    let report = Diagnostic::new("E0003", span, "this text is never closed", "starts here")
        .help("close it with `\"` on the same line");
    Unread { length, token: None, report, is_name: false }
}

/// `# a comment`, or the `#1` of reports.
fn hash(file: FileId, at: usize, rest: &str) -> Unread {
    let sign = Span::new(file, at..at + 1);
    let digits = rest[1..].chars().take_while(char::is_ascii_digit).count();
    if digits > 0 {
        let object = &rest[..=digits];
        let span = Span::new(file, at..at + object.len());
        let message = format!("`{object}` names an object in reports only");
        let report = Diagnostic::new("E0001", span, message, "not a name of L")
            .help("a program makes an object with `x := new();`; `ape run --store` reads the store of a report");
        return Unread { length: object.len(), token: Some(Token::Null), report, is_name: false };
    }
    let line = rest.find('\n').unwrap_or(rest.len());
    let report = if rest.starts_with("#include") || rest.starts_with("#define") {
        let help = "all that a program needs stands in its file: leave this line out";
        Diagnostic::new("E0001", sign, "L has no preprocessor", "not in L").help(help)
    } else {
        let more = rest.chars().take_while(|&c| c == '#').count();
        let signs = Span::new(file, at..at + more);
        Diagnostic::new("E0001", signs, "`#` starts no comment in L", "not in L")
            .help("a comment starts with `//`")
            .replace(signs, "//")
    };
    Unread { length: line, token: None, report, is_name: false }
}

/// `'a'` or `'some text'`
fn quoted(file: FileId, at: usize, rest: &str, quote: char) -> Unread {
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let inside = &line[quote.len_utf8()..];
    let Some(end) = inside.find(quote) else {
        let mut unread = plain(file, at, quote.len_utf8(), &quote.to_string());
        unread.report.help = Some("a name may hold `'`, but not start with it".to_owned());
        return unread;
    };
    let inside = &inside[..end];
    let length = quote.len_utf8() * 2 + inside.len();
    let span = Span::new(file, at..at + length);
    let character = match inside {
        "\\n" => Some('\n'),
        "\\t" => Some('\t'),
        "\\0" => Some('\0'),
        _ => inside.chars().next().filter(|_| inside.chars().nth(1).is_none()),
    };
    let (token, report) = match character {
        Some(character) => {
            let number = (character as u32).to_string();
            let report = Diagnostic::new("E0001", span, "L has no characters", "not in L");
            (Token::Int, report.help(format!("its number can stand for it: {number}")).replace(span, &number))
        }
        None => {
            let help = "an `int[]` or a `ref` can stand for one, and a number for a message";
            (Token::Null, Diagnostic::new("E0001", span, "L has no strings", "not in L").help(help))
        }
    };
    Unread { length, token: Some(token), report, is_name: false }
}

/// Quotes that a word processor has made.
fn curly(file: FileId, at: usize, rest: &str) -> Unread {
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let first = line.chars().next().map_or(0, char::len_utf8);
    let inside = &line[first..];
    let Some((end, last)) = inside.char_indices().find(|&(_, c)| matches!(c, '’' | '”' | '“' | '»' | '"' | '\''))
    else {
        let span = Span::new(file, at..at + first);
        let message = format!("`{}` is no quote of L", &line[..first]);
        let report = Diagnostic::new("E0001", span, message, "not in L").help("a quote is written `\"`");
        return Unread { length: first, token: None, report: report.replace(span, "\""), is_name: false };
    };
    let length = first + end + last.len_utf8();
    let span = Span::new(file, at..at + length);
    let report = Diagnostic::new("E0001", span, "these are no quotes of L", "not in L");
    let mend = format!("\"{}\"", &inside[..end]);
    let report = report.help(format!("write `{mend}`")).replace(span, &mend);
    Unread { length, token: Some(Token::Text), report, is_name: false }
}

/// `&` and `|`, which L has only twice.
fn single_sign(file: FileId, at: usize, rest: &str) -> Unread {
    let mut unread = plain(file, at, 1, &rest[..1]);
    let span = unread.report.span;
    let operand = rest[1..].trim_start();
    // Of numbers it means something else.
    if rest.starts_with('&') && operand.starts_with(|c: char| c.is_ascii_digit()) {
        unread.token = Some(Token::AndAnd);
        unread.report.help = Some("L has no bit operators: `n & 1` is `n % 2` where n is not negative".to_owned());
    } else {
        let (word, mend, token) =
            if rest.starts_with('&') { ("and", "&&", Token::AndAnd) } else { ("or", "||", Token::OrOr) };
        unread.report = unread.report.help(format!("`{word}` is written `{mend}`")).replace(span, mend);
        unread.token = Some(token);
    }
    unread
}

/// A sign that has a form in ASCII.
fn sign(file: FileId, at: usize, first: char) -> Option<Unread> {
    // Those of East Asian fonts are as wide as two others.
    let narrow = match first as u32 {
        wide @ 0xFF01..=0xFF5E => char::from_u32(wide - 0xFEE0),
        _ => None,
    };
    let (mend, token) = match narrow {
        Some(narrow) => {
            let mend = narrow.to_string();
            let token = Token::FIXED.iter().find(|token| token.text().trim_matches('`') == mend);
            (mend, token.copied())
        }
        None => {
            let &(_, mend, token) = SIGNS.iter().find(|(known, ..)| *known == first)?;
            (mend.to_owned(), Some(token))
        }
    };
    let span = Span::new(file, at..at + first.len_utf8());
    let report = Diagnostic::new("E0001", span, format!("`{first}` means nothing in L"), "not in L");
    let report = report.help(format!("write `{mend}`")).replace(span, &mend);
    Some(Unread { length: first.len_utf8(), token, report, is_name: false })
}

/// A word with letters that no name of L has.
fn letters(file: FileId, text: &str, at: usize, before: Option<usize>) -> Unread {
    let start = before.unwrap_or(at);
    let word: &str = &text[start..];
    let end = word.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '\'')).unwrap_or(word.len());
    let word = &word[..end];
    let span = Span::new(file, start..start + end);
    let shown: String = word.chars().take(40).collect();
    let message = format!("`{shown}` has letters that no name of L has");
    let report = Diagnostic::new("E0001", span, message, "not a name");
    let ascii: String = word.chars().map(in_ascii).collect();
    let help = "names are made of the letters A to Z, digits, `_` and `'`";
    let mut report = if ascii.contains('?') || ascii.starts_with(|c: char| c.is_ascii_digit()) {
        report.help(help)
    } else {
        report.help(format!("{help}: write `{ascii}`")).replace(span, &ascii)
    };
    if let Some(fix) = &mut report.fix {
        fix.certain = false;
    }
    Unread { length: start + end - at, token: Some(Token::Ident), report, is_name: true }
}

/// A letter with those of L; `?` where there is no telling.
fn in_ascii(letter: char) -> String {
    if letter.is_ascii() {
        return letter.to_string();
    }
    if let wide @ 0xFF01..=0xFF5E = letter as u32 {
        return char::from_u32(wide - 0xFEE0).map_or_else(String::new, String::from);
    }
    let found = |letter: char| LETTERS.iter().find(|(known, _)| known.contains(letter)).map(|(_, ascii)| *ascii);
    let lower: char = letter.to_lowercase().next().unwrap_or(letter);
    match found(letter).or_else(|| found(lower)) {
        Some(ascii) if letter.is_uppercase() => ascii[..1].to_uppercase() + &ascii[1..],
        Some(ascii) => ascii.to_owned(),
        None => "?".to_owned(),
    }
}

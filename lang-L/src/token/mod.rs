//! Text to tokens.
//!
//! In: the text of one file. Out: its tokens with their spans, its comments beside them, and a [`Diagnostic`] for every
//! stretch of text that is neither.
//!
//! Invariant: never fails; what is not a token is reported and left out.
//! Invariant: this is the only file that imports `logos`.

mod unread;

use crate::source::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use logos::Logos;

/// The longest integer literal that is read, in digits.
const MAX_DIGITS: usize = 1000;

/// A comment and where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The comment with its delimiters, without the end of line.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Whether something other than white space stands before it on its first line.
    pub trailing: bool,
}

impl Comment {
    /// Whether it runs to the end of its line, so that nothing may follow it there.
    pub fn is_line(&self) -> bool {
        self.text.starts_with("//")
    }
}

/// What [`lex`] makes of a file.
#[derive(Clone, Debug, Default)]
pub struct Lexed {
    /// The tokens in order.
    pub tokens: Vec<(Token, Span)>,
    /// The comments in order.
    pub comments: Vec<Comment>,
    /// What could not be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// Defines [`Token`] with a variant per word and sign, and [`Token::text`] with the same spelling.
macro_rules! tokens {
    (keywords { $($keyword:ident $keyword_text:literal)* } signs { $($sign:ident $sign_text:literal)* }) => {
        /// The kinds of tokens; the text of a token is what its span covers.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[logos(skip r"[ \t\r\n\f]+")]
        #[expect(missing_docs, reason = "each is its own spelling")]
        pub enum Token {
            $(#[token($keyword_text)] $keyword,)*
            $(#[token($sign_text)] $sign,)*
            #[regex(r"[A-Za-z_][A-Za-z0-9_']*")]
            Ident,
            #[regex(r"[0-9]+")]
            Int,
            #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
            Text,
            #[token("//", to_end_of_line)]
            LineComment,
            #[token("/*", to_end_of_comment)]
            BlockComment,
        }

        impl Token {
            /// The token as it is shown to users: its spelling in backquotes, or what it stands for.
            pub fn text(self) -> &'static str {
                match self {
                    $(Token::$keyword => concat!("`", $keyword_text, "`"),)*
                    $(Token::$sign => concat!("`", $sign_text, "`"),)*
                    Token::Ident => "a name",
                    Token::Int => "a number",
                    Token::Text => "a text in quotes",
                    Token::LineComment | Token::BlockComment => "a comment",
                }
            }

            /// Whether it is a word with a meaning of its own, and so no name.
            pub fn is_keyword(self) -> bool {
                matches!(self, $(Token::$keyword)|*)
            }

            /// Every token that has one spelling only.
            pub const FIXED: &'static [Token] = &[$(Token::$keyword,)* $(Token::$sign,)*];
        }
    };
}

tokens! {
    keywords {
        Version "version" VersionUpper "VERSION" Class "class" Global "global" Procedure "procedure" Equiv "equiv"
        When "when" Returns "returns" Requires "requires" Ensures "ensures" Modifies "modifies"
        IntType "int" BoolType "bool" RefType "ref"
        Var "var" If "if" Else "else" While "while" Invariant "invariant" Return "return" Break "break"
        Continue "continue" Assert "assert" Assume "assume" Skip "skip" New "new" Call "call"
        True "true" False "false" Null "null" Forall "forall" Exists "exists"
    }
    signs {
        LeftParen "(" RightParen ")" LeftBrace "{" RightBrace "}" LeftBracket "[" RightBracket "]"
        Comma "," Semicolon ";" Dot "." Colon ":" ColonColon "::" Assign ":=" Question "?" Tilde "~"
        Star "*" Slash "/" Percent "%" Plus "+" Minus "-" Bang "!"
        Less "<" LessEqual "<=" Greater ">" GreaterEqual ">=" EqualEqual "==" BangEqual "!="
        AndAnd "&&" OrOr "||" Implies "==>" Equal "="
    }
}

impl Token {
    /// Whether an item or a version starts here; such a word stands nowhere else.
    pub fn starts_item(self) -> bool {
        use Token::{Class, Equiv, Global, Procedure, Version, VersionUpper};
        matches!(self, Class | Equiv | Global | Procedure | Version | VersionUpper)
    }
}

/// Reads the tokens of a file.
pub fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexed = Lexed::default();
    let mut lexer = Token::lexer(text);
    let mut end = None;
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(file, range.clone());
        let before = end.replace(range.end);
        let Ok(token) = token else {
            let touching =
                lexed.tokens.last().filter(|(token, span)| *token == Token::Ident && span.end as usize == range.start);
            let unread = unread::read(file, text, range.start, touching.map(|(_, span)| span.start as usize));
            // What the lexer took may be more or less.
            let taken = range.start + unread.length;
            lexer.bump(taken.saturating_sub(range.end));
            end = Some(lexer.span().end);
            if unread.is_name && touching.is_some() {
                lexed.tokens.pop();
            }
            lexed.tokens.extend(unread.token.map(|token| (token, unread.report.span)));
            lexed.diagnostics.push(unread.report);
            continue;
        };
        match token {
            Token::LineComment | Token::BlockComment => {
                let comment = text[range.clone()].trim_end();
                if token == Token::BlockComment && !(comment.len() >= 4 && comment.ends_with("*/")) {
                    let open = Span { end: span.start + 2, ..span };
                    lexed.diagnostics.push(
                        Diagnostic::new("E0002", open, "this comment is never closed", "starts here")
                            .help("close it with `*/`"),
                    );
                } else {
                    let trailing = before.is_some_and(|before| !text[before..range.start].contains('\n'));
                    lexed.comments.push(Comment { text: comment.to_owned(), span, trailing });
                }
            }
            Token::Int if range.len() > MAX_DIGITS => {
                let message = format!("this number has more than {MAX_DIGITS} digits");
                lexed.diagnostics.push(Diagnostic::new("E0004", span, message, "too long"));
                // A stand-in of the same kind keeps the parser from reporting a hole.
                lexed.tokens.push((token, Span { end: span.start + 1, ..span }));
            }
            _ => lexed.tokens.push((token, span)),
        }
    }
    lexed.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    lexed
}

/// Takes a line comment up to, and without, the end of the line.
fn to_end_of_line(lexer: &mut logos::Lexer<'_, Token>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
}

/// Takes a block comment up to `*/`, or to the end of the file.
fn to_end_of_comment(lexer: &mut logos::Lexer<'_, Token>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find("*/").map_or(rest.len(), |at| at + 2));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens by their text, then comments, then messages.
    #[track_caller]
    fn check(input: &str, expected: &str) {
        let lexed = lex(FileId(0), input);
        let tokens = lexed.tokens.iter().map(|(_, span)| input[span.range()].to_owned());
        let comments = lexed.comments.iter().map(|comment| format!("<{}>", comment.text));
        let messages = lexed.diagnostics.iter().map(|d| format!("{}@{}..{}", d.code, d.span.start, d.span.end));
        let found: Vec<String> = tokens.chain(comments).chain(messages).collect();
        assert_eq!(found.join(" "), expected, "on {input:?}");
    }

    #[test]
    fn tokens() {
        check("", "");
        check("x:=new();", "x := new ( ) ;");
        check("x' _a A9'b", "x' _a A9'b");
        check("a==>b==c=d", "a ==> b == c = d");
        check("forall x:int::x", "forall x : int :: x");
        check("a ::= b", "a :: = b");
        check("version \"a \\\" b\"", "version \"a \\\" b\"");
        check("old fresh reach length", "old fresh reach length");
        check("1.f", "1 . f");
    }

    #[test]
    fn fixed_tokens_lex_as_themselves() {
        for &token in Token::FIXED {
            let text = token.text().trim_matches('`');
            let lexed = lex(FileId(0), text);
            assert_eq!(lexed.tokens, [(token, Span::new(FileId(0), 0..text.len()))]);
        }
        for name in ["old", "fresh", "reach", "length"] {
            assert_eq!(lex(FileId(0), name).tokens[0].0, Token::Ident);
        }
    }

    #[test]
    fn comments() {
        check("a // b\nc", "a c <// b>");
        check("a /* b\n */ c", "a c </* b\n */>");
        check("/**/a/***/", "a </**/> </***/>");
        check("a /* b", "a E0002@2..4");
        check("/*/", "E0002@0..2");
        check("//", "<//>");
    }

    #[test]
    fn what_is_no_token() {
        check("a # b\nc", "a c E0001@2..3");
        check("a ## b $\n", "a E0001@2..4");
        check("a $$ b", "a b E0001@2..4");
        check("ä := 1", "ä := 1 E0001@0..2");
        check("größe1 := 1", "größe1 := 1 E0001@0..8");
        check("a & b", "a & b E0001@2..3");
        check("a ≤ b", "a ≤ b E0001@2..5");
        check("x := #1;", "x := #1 ; E0001@5..7");
        check("x := 'a';", "x := 'a' ; E0001@5..8");
        check("x := “a b”;", "x := “a b” ; E0001@5..14");
        check("a\u{a0}b", "a b E0001@1..3");
        check("（a）", "（ a ） E0001@0..3 E0001@4..7");
        check("a \"b\nc", "a c E0003@2..4");
        check(&"9".repeat(1001), "9 E0004@0..1001");
    }
}

//! What could be written at a position.
//!
//! In: a program, which is hardly ever legal while somebody types in it, and the last one that was. Out: words.
//!
//! Invariant: looks at tokens alone, so that a text with errors does as well; types are those of the last legal program.

use super::index::Kind;
use super::program::Program;
use gen_lsp_types::{CompletionItem, CompletionItemKind, Position};
use lang_l::hir::print::type_text;
use lang_l::hir::{Type, Unit};
use lang_l::source::Span;
use lang_l::token::{Token, lex};
use std::collections::BTreeMap;

/// What is offered: the words, and what they are.
type Words = BTreeMap<String, (CompletionItemKind, String)>;

/// The words for a position of a document.
pub(super) fn of(program: &Program, legal: Option<&Program>, uri: &str, at: Position) -> Vec<CompletionItem> {
    let Some((file, offset)) = program.offset(uri, at) else { return Vec::new() };
    let text = &program.sources.get(file).text;
    let lexed = lex(file, text);
    let inside = |span: Span| (span.start as usize) < offset && offset <= span.end as usize;
    if lexed.comments.iter().any(|comment| inside(comment.span)) {
        return Vec::new();
    }
    let mut end = lexed.tokens.partition_point(|(_, span)| (span.end as usize) <= offset);
    let is_word = |token: Token| token == Token::Ident || token.is_keyword();
    // The word that is being written is not what stands before.
    if end > 0 && lexed.tokens[end - 1].1.end as usize == offset && is_word(lexed.tokens[end - 1].0) {
        end -= 1;
    }
    let tokens = Tokens { text, all: &lexed.tokens, end };
    let mut words = Words::new();
    match tokens.before(1) {
        Some(Token::Dot) => tokens.members(program, legal.and_then(|legal| legal.unit.as_ref()), &mut words),
        Some(Token::New | Token::Colon) => {
            tokens.types(&mut words);
            tokens.variables(&mut words);
        }
        Some(Token::Procedure | Token::Class | Token::Global | Token::Var) => {}
        _ => {
            tokens.variables(&mut words);
            tokens.procedures(&mut words);
            keywords(&mut words);
        }
    }
    let item = |(label, (kind, detail)): (String, (CompletionItemKind, String))| CompletionItem {
        label,
        kind: Some(kind),
        detail: Some(detail),
        ..CompletionItem::default()
    };
    words.into_iter().map(item).collect()
}

fn keywords(words: &mut Words) {
    for token in Token::FIXED.iter().filter(|token| token.is_keyword()) {
        let word = token.text().trim_matches('`').to_string();
        words.entry(word).or_insert((CompletionItemKind::Keyword, "keyword".to_string()));
    }
    for word in ["old", "fresh", "reach"] {
        words.entry(word.to_string()).or_insert((CompletionItemKind::Keyword, "in contracts".to_string()));
    }
}

/// The tokens of a text, and how many of them stand before the position.
struct Tokens<'t> {
    text: &'t str,
    all: &'t [(Token, Span)],
    end: usize,
}

impl Tokens<'_> {
    /// The token so many before the position.
    fn before(&self, back: usize) -> Option<Token> {
        Some(self.all.get(self.end.checked_sub(back)?)?.0)
    }

    fn kind(&self, at: usize) -> Option<Token> {
        self.all.get(at).map(|(token, _)| *token)
    }

    fn word(&self, at: usize) -> String {
        self.all.get(at).and_then(|(_, span)| self.text.get(span.range())).unwrap_or("").to_string()
    }

    /// Where the item round the position starts.
    fn item(&self) -> Option<usize> {
        self.all[..self.end].iter().rposition(|(token, _)| token.starts_item())
    }

    fn types(&self, words: &mut Words) {
        for word in ["int", "bool", "ref"] {
            words.insert(word.to_string(), (CompletionItemKind::Keyword, "type".to_string()));
        }
        self.declared(Token::Class, (CompletionItemKind::Class, "class"), words);
    }

    /// What the word is that a token declares, wherever that is.
    fn declared(&self, by: Token, (kind, what): (CompletionItemKind, &str), words: &mut Words) {
        for at in 0..self.all.len() {
            if self.kind(at) == Some(by) && self.kind(at + 1) == Some(Token::Ident) {
                words.insert(self.word(at + 1), (kind, what.to_string()));
            }
        }
    }

    /// Procedures that are shared, or of this version.
    fn procedures(&self, words: &mut Words) {
        let heading = |at: usize| matches!(self.kind(at), Some(Token::Version | Token::VersionUpper));
        let mine = (0..self.end).filter(|&at| heading(at)).count();
        let mut version = 0;
        for at in 0..self.all.len() {
            version += usize::from(heading(at));
            let named = self.kind(at) == Some(Token::Procedure) && self.kind(at + 1) == Some(Token::Ident);
            if named && (version == 0 || version == mine) {
                words.insert(self.word(at + 1), (CompletionItemKind::Function, "procedure".to_string()));
            }
        }
    }

    /// Globals, and the variables of the procedure that are in sight.
    fn variables(&self, words: &mut Words) {
        self.declared(Token::Global, (CompletionItemKind::Variable, "global"), words);
        let Some(start) = self.item().filter(|&at| self.kind(at) == Some(Token::Procedure)) else { return };
        let end = (self.end..self.all.len()).find(|&at| self.all[at].0.starts_item()).unwrap_or(self.all.len());
        let mut put = |at: usize, what: &str| {
            words.insert(self.word(at), (CompletionItemKind::Variable, what.to_string()));
        };
        let body = (start..end).find(|&at| self.kind(at) == Some(Token::LeftBrace)).unwrap_or(end);
        let opened = |at: usize| matches!(self.kind(at), Some(Token::LeftParen | Token::Comma));
        let header = (start..body)
            .take_while(|&at| !matches!(self.kind(at), Some(Token::Requires | Token::Ensures | Token::Modifies)));
        for at in header.filter(|&at| at > start && self.kind(at) == Some(Token::Ident) && opened(at - 1)) {
            put(at, "parameter or result");
        }
        let (mut depth, mut blocks): (usize, Vec<(usize, usize)>) = (0, Vec::new());
        for at in body..end {
            let here = at < self.end;
            let before = at.checked_sub(1).and_then(|at| self.kind(at));
            match (self.kind(at), before) {
                (Some(Token::LeftBrace), _) => depth += 1,
                (Some(Token::RightBrace), _) => {
                    depth = depth.saturating_sub(1);
                    if here {
                        blocks.retain(|(_, of)| *of <= depth);
                    }
                }
                (Some(Token::Ident), Some(Token::Var)) => blocks.extend(here.then_some((at, depth))),
                // A field is assigned behind a dot.
                (Some(Token::Ident), Some(Token::Dot)) => {}
                (Some(Token::Ident), _) if self.kind(at + 1) == Some(Token::Assign) => put(at, "local"),
                _ => {}
            }
        }
        blocks.into_iter().for_each(|(at, _)| put(at, "local"));
    }

    /// The fields behind a dot: those of the class of what stands before, if that is known, or all.
    fn members(&self, program: &Program, unit: Option<&Unit>, words: &mut Words) {
        let field = |name: &str, ty: String| (name.to_string(), (CompletionItemKind::Field, ty));
        if let Some((unit, ty)) = unit.and_then(|unit| Some((unit, self.object(unit)?))) {
            match ty {
                Type::Class(class) => {
                    let fields = unit.classes[class.index()].fields.iter().map(|field| &unit.fields[field.index()]);
                    words.extend(fields.map(|of| field(&of.name, type_text(unit, &of.ty))));
                }
                Type::Array(_) => words.extend([field("length", "int".to_string())]),
                _ => {}
            }
            if !words.is_empty() {
                return;
            }
        }
        let known = program.index.symbols.iter().filter(|symbol| symbol.kind == Kind::Field);
        words.extend(known.map(|symbol| field(&symbol.name, "field".to_string())));
        words
            .extend(unit.iter().flat_map(|unit| unit.fields.iter().map(|of| field(&of.name, type_text(unit, &of.ty)))));
        words.extend([field("length", "of an array".to_string())]);
    }

    /// The type of the names with dots between them that end before the position.
    fn object(&self, unit: &Unit) -> Option<Type> {
        let (mut names, mut at) = (Vec::new(), self.end);
        while self.kind(at.checked_sub(1)?) == Some(Token::Dot) {
            at = at.checked_sub(2)?;
            (self.kind(at) == Some(Token::Ident)).then_some(())?;
            names.push(self.word(at));
            if at == 0 {
                break;
            }
        }
        let procedure = self.item().map(|start| self.word(start + 1))?;
        let variable = names.pop()?;
        let all = unit.versions.iter().flat_map(|version| &version.procedures).filter(|p| p.name == procedure);
        let mut locals = all.flat_map(|procedure| &procedure.locals).filter(|local| local.name == variable);
        let global = || unit.globals.iter().find(|global| global.name == variable).map(|global| global.ty.clone());
        let mut ty = locals.next().map(|local| local.ty.clone()).or_else(global)?;
        while let Some(name) = names.pop() {
            let Type::Class(class) = ty else { return None };
            let mut fields = unit.classes[class.index()].fields.iter().map(|field| &unit.fields[field.index()]);
            ty = fields.find(|field| field.name == name)?.ty.clone();
        }
        Some(ty)
    }
}

//! What is wrong with a program, as an editor shows it, and how to mend it.
//!
//! In: a program, and the verdicts that are known. Out: diagnostics for a document, and changes that mend some.
//!
//! Invariant: a verdict is no mistake of the user: it is information where the versions differ, and a hint where it is open.

use super::board::Board;
use super::program::Program;
use gen_lsp_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Message, Range, TextEdit,
    Uri, WorkspaceEdit,
};
use lang_l::diagnostic::{self, Fix};
use lang_l::source::{FileId, Span};
use std::collections::HashMap;

/// Who says it.
const SOURCE: &str = "ape";

/// All that there is to say of one of the texts of a program.
pub(super) fn of(program: &Program, board: &Board, file: FileId) -> Vec<Diagnostic> {
    let wrong = program.diagnostics.iter().filter(|wrong| wrong.span.file == file);
    let mut all: Vec<Diagnostic> = wrong.map(|wrong| mistake(program, wrong)).collect();
    all.extend(verdicts(program, board, file));
    all
}

fn mistake(program: &Program, wrong: &diagnostic::Diagnostic) -> Diagnostic {
    let mut message = wrong.message.clone();
    if !wrong.label.is_empty() && !message.contains(&wrong.label) {
        message = format!("{message}: {}", wrong.label);
    }
    if let Some(help) = &wrong.help {
        message = format!("{message}\nhelp: {help}");
    }
    let others = wrong.others.iter().map(|(span, label)| related(program, *span, label));
    Diagnostic {
        range: program.range(wrong.span),
        severity: Some(DiagnosticSeverity::Error),
        code: Some(wrong.code.to_string().into()),
        source: Some(SOURCE.to_string()),
        message: Message::String(message),
        related_information: Some(others.collect()),
        ..Diagnostic::default()
    }
}

fn related(program: &Program, span: Span, label: &str) -> DiagnosticRelatedInformation {
    DiagnosticRelatedInformation { location: program.location(span), message: label.to_string() }
}

/// What is not equivalent, at the names of the procedures.
fn verdicts(program: &Program, board: &Board, file: FileId) -> Vec<Diagnostic> {
    let Some(unit) = &program.unit else { return Vec::new() };
    let mut all = Vec::new();
    for pair in &program.pairs {
        let Some(card) = board.of(pair) else { continue };
        let severity = match card.word {
            "equivalent" => continue,
            "not-equivalent" => DiagnosticSeverity::Information,
            "contract-violation" => DiagnosticSeverity::Warning,
            _ => DiagnosticSeverity::Hint,
        };
        let (left, right) = pair.asked.pair;
        let names = [unit.procedure(0, left).name_span, unit.procedure(1, right).name_span];
        let places = card.places(unit);
        for (at, name) in names.into_iter().enumerate().filter(|(_, name)| name.file == file) {
            // What both versions share has one name.
            if at == 1 && names[0] == name {
                continue;
            }
            let mut others = vec![related(program, names[1 - at], "the other version")];
            others.extend(places.iter().map(|&place| related(program, place, "has to do with it")));
            all.push(Diagnostic {
                range: program.range(name),
                severity: Some(severity),
                code: Some(card.word.to_string().into()),
                source: Some(SOURCE.to_string()),
                message: Message::String(format!("{}: {}", card.word, card.why)),
                related_information: Some(others),
                ..Diagnostic::default()
            });
        }
    }
    all
}

/// Changes that mend what is wrong in a range of a document.
pub(super) fn actions(program: &Program, uri: &str, range: Range) -> Vec<CodeAction> {
    let Some(file) = program.file(uri) else { return Vec::new() };
    let lines = program.lines(file);
    let (start, end) = (lines.offset(range.start), lines.offset(range.end));
    let near = |span: Span| span.file == file && span.start as usize <= end && start <= span.end as usize;
    let wrong = program.diagnostics.iter().filter(|wrong| near(wrong.span));
    wrong.filter_map(|wrong| Some(action(program, wrong, wrong.fix.as_ref()?))).collect()
}

fn action(program: &Program, wrong: &diagnostic::Diagnostic, fix: &Fix) -> CodeAction {
    let edit = TextEdit { range: program.range(fix.span), new_text: fix.text.clone() };
    CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![mistake(program, wrong)]),
        is_preferred: Some(fix.certain),
        edit: Some(workspace_edit(program, [(fix.span.file, vec![edit])])),
        ..CodeAction::default()
    }
}

/// Changes of documents.
pub(super) fn workspace_edit(
    program: &Program,
    edits: impl IntoIterator<Item = (FileId, Vec<TextEdit>)>,
) -> WorkspaceEdit {
    let named = |(file, edits): (FileId, Vec<TextEdit>)| {
        let uri = program.texts.get(file.0 as usize).map_or("", |text| &text.uri);
        (Uri::from(uri), edits)
    };
    let changes: HashMap<Uri, Vec<TextEdit>> = edits.into_iter().map(named).collect();
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

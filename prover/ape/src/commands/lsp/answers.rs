//! The requests that are understood.
//!
//! In: the name of a request and its parameters. Out: its result.
//!
//! Invariant: what is asked of a document that is not open has no result, and is no error.

use super::position::Encoding;
use super::program::Program;
use super::session::{Refusal, Session};
use super::{complete, hover, lens, mistakes, outline, places, rename};
use gen_lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, DocumentFormattingParams, DocumentSymbolParams,
    FoldingRangeParams, PrepareRenameParams, ReferenceParams, RenameParams, TextDocumentPositionParams,
};
use lsp_server::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

/// What this session can do.
pub(super) fn capabilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding.kind(),
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "hoverProvider": true,
            "definitionProvider": true,
            "declarationProvider": true,
            "implementationProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "documentFormattingProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": { "triggerCharacters": ["."] },
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "codeLensProvider": { "resolveProvider": false },
        },
        "serverInfo": { "name": "ape", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The result of a request.
pub(super) fn answer(session: &mut Session, method: &str, params: Value) -> Result<Value, Refusal> {
    match method {
        "textDocument/hover" => {
            at(session, params, |session, program, uri, at| hover::of(program, &session.board, uri, at))
        }
        "textDocument/definition" => at(session, params, |_, program, uri, at| places::definition(program, uri, at)),
        "textDocument/declaration" | "textDocument/implementation" => {
            at(session, params, |session, program, uri, at| {
                let spans = places::counterparts(program, &session.board, uri, at);
                spans.into_iter().map(|span| program.location(span)).collect::<Vec<_>>()
            })
        }
        "textDocument/documentHighlight" => {
            at(session, params, |_, program, uri, at| places::highlights(program, uri, at))
        }
        "textDocument/references" => references(session, params),
        "textDocument/prepareRename" => prepare_rename(session, params),
        "textDocument/rename" => renamed(session, params),
        "textDocument/completion" => completion(session, params),
        "textDocument/codeAction" => code_action(session, params),
        "textDocument/documentSymbol" => {
            let params: DocumentSymbolParams = read(params)?;
            whole(session, params.text_document.uri.as_ref(), |_, program, file| outline::symbols(program, file))
        }
        "textDocument/foldingRange" => {
            let params: FoldingRangeParams = read(params)?;
            whole(session, params.text_document.uri.as_ref(), |_, program, file| outline::folds(program, file))
        }
        "textDocument/formatting" => {
            let params: DocumentFormattingParams = read(params)?;
            whole(session, params.text_document.uri.as_ref(), |_, program, file| {
                outline::formatted(program, file).into_iter().collect::<Vec<_>>()
            })
        }
        "textDocument/codeLens" => {
            let params: CodeLensParams = read(params)?;
            whole(session, params.text_document.uri.as_ref(), |session, program, file| {
                lens::of(program, &session.board, file, session.verifies)
            })
        }
        _ => Err(Refusal::new(ErrorCode::MethodNotFound, format!("`{method}` is not known"))),
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    serde_json::from_value(params).map_err(|wrong| Refusal::new(ErrorCode::InvalidParams, wrong.to_string()))
}

fn shown(result: impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(result).map_err(|wrong| Refusal::new(ErrorCode::InternalError, wrong.to_string()))
}

/// The result of a request about a position.
fn at<T: Serialize>(
    session: &mut Session,
    params: Value,
    find: impl FnOnce(&Session, &Program, &str, gen_lsp_types::Position) -> T,
) -> Result<Value, Refusal> {
    let params: TextDocumentPositionParams = read(params)?;
    let uri = params.text_document.uri.to_string();
    let Some(program) = session.program(&uri) else { return Ok(Value::Null) };
    shown(find(session, &program, &uri, params.position))
}

/// The result of a request about a document.
fn whole<T: Serialize>(
    session: &mut Session,
    uri: &str,
    find: impl FnOnce(&Session, &Program, lang_l::source::FileId) -> T,
) -> Result<Value, Refusal> {
    let Some(program) = session.program(uri) else { return Ok(Value::Null) };
    let Some(file) = program.file(uri) else { return Ok(Value::Null) };
    shown(find(session, &program, file))
}

fn references(session: &mut Session, params: Value) -> Result<Value, Refusal> {
    let params: ReferenceParams = read(params)?;
    let position = params.text_document_position_params;
    let uri = position.text_document.uri.to_string();
    let Some(program) = session.program(&uri) else { return Ok(Value::Null) };
    shown(places::references(&program, &uri, position.position, params.context.include_declaration))
}

fn prepare_rename(session: &mut Session, params: Value) -> Result<Value, Refusal> {
    let position = read::<PrepareRenameParams>(params)?.text_document_position_params;
    let uri = position.text_document.uri.to_string();
    let Some(program) = session.program(&uri) else { return Ok(Value::Null) };
    let prepared = rename::prepared(&program, &uri, position.position);
    Ok(prepared.map_or(Value::Null, |(range, name)| json!({ "range": range, "placeholder": name })))
}

fn renamed(session: &mut Session, params: Value) -> Result<Value, Refusal> {
    let params: RenameParams = read(params)?;
    let position = params.text_document_position_params;
    let uri = position.text_document.uri.to_string();
    let Some(program) = session.program(&uri) else { return Ok(Value::Null) };
    let renamed = rename::renamed(&program, &uri, position.position, &params.new_name);
    shown(renamed.map_err(|why| Refusal::new(ErrorCode::RequestFailed, why))?)
}

fn completion(session: &mut Session, params: Value) -> Result<Value, Refusal> {
    let position = read::<CompletionParams>(params)?.text_document_position_params;
    let uri = position.text_document.uri.to_string();
    let Some(program) = session.program(&uri) else { return Ok(Value::Null) };
    let legal = session.legal(&uri);
    shown(complete::of(&program, legal.as_ref().map(Arc::as_ref), &uri, position.position))
}

fn code_action(session: &mut Session, params: Value) -> Result<Value, Refusal> {
    let params: CodeActionParams = read(params)?;
    let uri = params.text_document.uri.to_string();
    let Some(program) = session.program(&uri) else { return Ok(Value::Null) };
    shown(mistakes::actions(&program, &uri, params.range))
}

//! Tables first, then what is in the procedures, then the pairs that are asked for.

use super::Index;
use super::body::{Body, Params};
use super::tables::{Builder, Part, parts};
use crate::commands::lsp::types::Members;
use lang_l::ast::{File, Item};
use std::collections::HashMap;

/// All symbols of a program: of one file, or of two that give one version each.
pub(in crate::commands::lsp) fn index(files: &[File], members: &Members) -> Index {
    let parts = parts(files);
    let versions = parts.iter().flat_map(|part| &part.versions).max().map_or(1, |last| last + 1);
    let mut builder = Builder::new(versions, members);
    parts.iter().for_each(|part| builder.class(part));
    parts.iter().for_each(|part| builder.declare(part));
    let procedures: Vec<_> = parts.iter().map(|part| builder.signature(part)).collect();
    let mut params = HashMap::new();
    for (part, symbol) in parts.iter().zip(procedures) {
        if let (Item::Procedure(procedure), Some(symbol)) = (part.item, symbol) {
            params.insert(symbol, Body::walk(&mut builder, procedure, symbol, &part.versions));
        }
    }
    parts.iter().for_each(|part| equiv(&mut builder, part, &params));
    let mut index = builder.index;
    index.occurrences.sort();
    index.occurrences.dedup_by_key(|one| (one.span, one.symbol));
    index
}

/// A pair that is asked for, with its condition over the parameters of the left procedure.
fn equiv(builder: &mut Builder<'_>, part: &Part<'_>, params: &HashMap<usize, Params>) {
    let Item::Equiv(equiv) = part.item else { return };
    if let Some(right) = builder.procedure(1, &equiv.right.text) {
        builder.mention(right, equiv.right.span, false);
    }
    let Some(left) = builder.procedure(0, &equiv.left.text) else { return };
    builder.mention(left, equiv.left.span, false);
    if let Some(when) = &equiv.when {
        Body::condition(builder, when, left, params.get(&left).cloned().unwrap_or_default());
    }
}

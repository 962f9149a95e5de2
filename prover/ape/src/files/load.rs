//! Files: paths come in, texts, trees and programs come out.
//!
//! Invariant: whatever bytes a file holds, the result is a program or a [`Failure`] with a place in the file.

use crate::files::folder::spread_where;
use crate::machine::input::{self, is_standard_input, name};
use crate::status::Failure;
use lang_l::ast::File;
use lang_l::diagnostic::Diagnostic;
use lang_l::parse::{self, Parsed};
use lang_l::source::{FileId, Sources};
use lang_l::{Loaded, hir, render, resolve};
use std::path::{Path, PathBuf};

/// What files hold that are to be verified.
pub(crate) enum Programs {
    /// One program: a pair file, or an old and a new version.
    One(Loaded),
    /// Programs of their own, in the order of the files.
    Each(Vec<Loaded>),
}

/// A file that keeps to the grammar.
pub(crate) struct Written {
    /// The file alone.
    pub(crate) sources: Sources,
    /// The file there.
    pub(crate) id: FileId,
    /// The tree as written; nothing is wrong with it.
    pub(crate) parsed: Parsed,
}

/// Reads and resolves files that are to be verified: one program in one file or two, unless there are more files, or two that
/// each hold two versions. All that is wrong with any of several programs comes back.
pub(crate) fn programs(paths: &[&Path]) -> Result<Programs, Vec<Failure>> {
    let (files, walked) = match paths.iter().any(|path| path.is_dir()) {
        true => {
            let is_pair = |path: &PathBuf| std::fs::read(path).is_ok_and(|bytes| holds_a_pair("", &bytes));
            (spread_where(paths, is_pair).map_err(|failure| vec![failure])?, true)
        }
        false => (paths.iter().map(|path| path.to_path_buf()).collect(), false),
    };
    let named = all(files.iter().map(|path| named(path)))?;
    // What is in a folder are programs of their own, also when there are two.
    if walked && named.len() > 1 { each(named) } else { of(named) }
}

fn of(named: Vec<(String, Vec<u8>)>) -> Result<Programs, Vec<Failure>> {
    let alone = match named.as_slice() {
        [_] => false,
        [_, _] => named.iter().all(|(name, bytes)| holds_a_pair(name, bytes)),
        _ => true,
    };
    if !alone {
        return resolved(named).map(Programs::One).map_err(|failure| vec![failure]);
    }
    each(named)
}

fn each(named: Vec<(String, Vec<u8>)>) -> Result<Programs, Vec<Failure>> {
    all(named.into_iter().map(|named| resolved([named]))).map(Programs::Each)
}

/// All results, or all failures.
fn all<T>(results: impl Iterator<Item = Result<T, Failure>>) -> Result<Vec<T>, Vec<Failure>> {
    let (mut good, mut wrong) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(result) => good.push(result),
            Err(failure) => wrong.push(failure),
        }
    }
    if wrong.is_empty() { Ok(good) } else { Err(wrong) }
}

/// Standard input can be read once: it must not be given twice.
pub(crate) fn at_most_one_is_standard_input<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    match paths.into_iter().filter(|path| is_standard_input(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::Usage("standard input can be read only once: `-` is given twice".into())),
    }
}

/// Reads and resolves one file, or an old and a new version.
pub(crate) fn load(paths: &[&Path]) -> Result<Loaded, Failure> {
    resolved(paths.iter().map(|path| named(path)).collect::<Result<Vec<_>, Failure>>()?)
}

/// Reads a client, the old library and the new one, where that is what three files are: a program whose versions have the client in
/// common. As [`programs`] otherwise.
pub(crate) fn client(paths: &[&Path]) -> Result<Programs, Vec<Failure>> {
    let named = all(paths.iter().map(|path| named(path)))?;
    match <[(String, Vec<u8>); 3]>::try_from(named) {
        Ok(three) if !three.iter().any(|(name, bytes)| holds_a_pair(name, bytes)) => {
            let loaded = lang_l::load_client(three);
            let loaded = loaded.map_err(|rejected| vec![illegal(&rejected.sources, &rejected.diagnostics)]);
            loaded.map(Programs::One)
        }
        Ok(three) => of(three.into()),
        Err(named) => of(named),
    }
}

/// Whether a text is a program in two versions, as far as that can be told of one that may not be legal.
pub(crate) fn holds_a_pair(name: &str, bytes: &[u8]) -> bool {
    let mut sources = Sources::new();
    let (id, _) = sources.add_bytes(name, bytes);
    parse::parse(id, &sources.get(id).text).file.versions.len() > 1
}

/// The program in one text, or in an old and a new one.
pub(crate) fn resolved(named: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Loaded, Failure> {
    lang_l::load(named).map_err(|rejected| illegal(&rejected.sources, &rejected.diagnostics))
}

/// Reads and parses one file.
pub(crate) fn parsed(path: &Path) -> Result<Written, Failure> {
    let mut sources = Sources::new();
    let (name, bytes) = named(path)?;
    let (id, unreadable) = sources.add_bytes(name, &bytes);
    if let Some(unreadable) = unreadable {
        return Err(illegal(&sources, &[unreadable]));
    }
    let parsed = parse::parse(id, &sources.get(id).text);
    if parsed.diagnostics.is_empty() {
        Ok(Written { sources, id, parsed })
    } else {
        Err(illegal(&sources, &parsed.diagnostics))
    }
}

/// Reads one file; the tree as written, and the program it is.
pub(crate) fn parsed_and_resolved(path: &Path) -> Result<(File, hir::Unit), Failure> {
    let Written { sources, parsed: Parsed { file, .. }, .. } = parsed(path)?;
    let unit = resolve::resolve(&[&file]).map_err(|wrong| illegal(&sources, &wrong))?;
    Ok((file, unit))
}

/// The text of a file that is no program.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    let (name, bytes) = named(path)?;
    String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("{name} is not UTF-8 text")))
}

/// What messages call a file, and all it holds.
pub(crate) fn named(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let bytes = input::bytes(path).map_err(|error| Failure::read(path, error))?;
    Ok((name(path), bytes))
}

fn illegal(sources: &Sources, diagnostics: &[Diagnostic]) -> Failure {
    Failure::IllegalFile(render::render(sources, diagnostics, true))
}

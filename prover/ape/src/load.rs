//! Files: paths come in, texts, trees and programs come out.
//!
//! Invariant: whatever bytes a file holds, the result is a program or a [`Failure`] with a place in the file.

use super::status::Failure;
use lang_l::ast::File;
use lang_l::diagnostic::Diagnostic;
use lang_l::parse::{self, Parsed};
use lang_l::source::{FileId, Sources};
use lang_l::{hir, render, resolve};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// A program and the texts it came from.
pub(crate) struct Loaded {
    pub(crate) sources: Sources,
    pub(crate) unit: hir::Unit,
}

/// What files hold that are to be verified.
pub(crate) enum Programs {
    /// One program: a pair file, or an old and a new version.
    One(Loaded),
    /// Programs of their own, in the order of the files.
    Each(Vec<Loaded>),
}

/// Reads and resolves files that are to be verified: one program in one file or two, unless there are more files, or two that
/// each hold two versions. All that is wrong with any of several programs comes back.
pub(crate) fn programs(paths: &[&Path]) -> Result<Programs, Vec<Failure>> {
    let mut named = Vec::new();
    let mut unread = Vec::new();
    for path in paths {
        match bytes(path) {
            Ok(bytes) => named.push((name(path), bytes)),
            Err(failure) => unread.push(failure),
        }
    }
    if !unread.is_empty() {
        return Err(unread);
    }
    let alone = match named.as_slice() {
        [_] => false,
        [_, _] => named.iter().all(|(name, bytes)| holds_a_pair(name, bytes)),
        _ => true,
    };
    if !alone {
        return resolved(&named).map(Programs::One).map_err(|failure| vec![failure]);
    }
    let mut loaded = Vec::new();
    let mut wrong = Vec::new();
    for named in named {
        match resolved(&[named]) {
            Ok(program) => loaded.push(program),
            Err(failure) => wrong.push(failure),
        }
    }
    if wrong.is_empty() { Ok(Programs::Each(loaded)) } else { Err(wrong) }
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
    let named = paths.iter().map(|path| Ok((name(path), bytes(path)?))).collect::<Result<Vec<_>, Failure>>()?;
    resolved(&named)
}

/// Whether a text is a program in two versions, as far as that can be told of one that may not be legal.
fn holds_a_pair(name: &str, bytes: &[u8]) -> bool {
    let mut sources = Sources::new();
    let (id, _) = sources.add_bytes(name.to_string(), bytes);
    parse::parse(id, &sources.get(id).text).file.versions.len() > 1
}

/// The program in one text, or in an old and a new one.
fn resolved(named: &[(String, Vec<u8>)]) -> Result<Loaded, Failure> {
    let mut sources = Sources::new();
    let mut files = Vec::new();
    let mut wrong = Vec::new();
    for (name, bytes) in named {
        let id = added(&mut sources, name, bytes)?;
        let parsed = parse::parse(id, &sources.get(id).text);
        files.push(parsed.file);
        wrong.extend(parsed.diagnostics);
    }
    if wrong.is_empty() {
        match resolve::resolve(&files.iter().collect::<Vec<_>>()) {
            Ok(unit) => return Ok(Loaded { sources, unit }),
            Err(diagnostics) => wrong = diagnostics,
        }
    }
    Err(illegal(&sources, &wrong))
}

/// Reads and parses one file; also returns its text.
pub(crate) fn parsed(path: &Path) -> Result<(String, Parsed), Failure> {
    let mut sources = Sources::new();
    let id = read(&mut sources, path)?;
    let text = sources.get(id).text.clone();
    let parsed = parse::parse(id, &text);
    if parsed.diagnostics.is_empty() { Ok((text, parsed)) } else { Err(illegal(&sources, &parsed.diagnostics)) }
}

/// Reads one file; the tree as written, and the program it is.
pub(crate) fn parsed_and_resolved(path: &Path) -> Result<(File, hir::Unit), Failure> {
    let mut sources = Sources::new();
    let id = read(&mut sources, path)?;
    let parsed = parse::parse(id, &sources.get(id).text);
    if !parsed.diagnostics.is_empty() {
        return Err(illegal(&sources, &parsed.diagnostics));
    }
    let unit = resolve::resolve(&[&parsed.file]).map_err(|wrong| illegal(&sources, &wrong))?;
    Ok((parsed.file, unit))
}

/// The text of a file that is no program.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    let not_text = |_| Failure::Usage(format!("{} is not UTF-8 text", name(path)));
    String::from_utf8(bytes(path)?).map_err(not_text)
}

/// How messages call a file.
pub(crate) fn name(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_string() } else { path.display().to_string() }
}

/// Whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn read(sources: &mut Sources, path: &Path) -> Result<FileId, Failure> {
    added(sources, &name(path), &bytes(path)?)
}

fn added(sources: &mut Sources, name: &str, bytes: &[u8]) -> Result<FileId, Failure> {
    let (id, wrong) = sources.add_bytes(name.to_string(), bytes);
    wrong.map_or(Ok(id), |wrong| Err(illegal(sources, &[wrong])))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if is_standard_input(path) {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    match read {
        Ok(length) if length as u64 > LARGEST => {
            Err(Failure::read(path, io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20))))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::read(path, error)),
    }
}

fn illegal(sources: &Sources, diagnostics: &[Diagnostic]) -> Failure {
    Failure::IllegalFile(render::render(sources, diagnostics, true))
}

//! From texts to a checked program in one step.
//!
//! In: one text, or one for each version. Out: a [`Unit`], or everything that is wrong.
//!
//! Invariant: reads no files; whatever the bytes, the answer is a program or at least one diagnostic.

use crate::ast::{File, Item};
use crate::hir::Unit;
use crate::source::Sources;
use crate::source::diagnostic::Diagnostic;
use crate::source::render;
use crate::{parse, resolve};
use std::fmt;

/// A program that is legal L.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The texts, which the spans in `unit` refer to.
    pub sources: Sources,
    /// The program.
    pub unit: Unit,
}

/// Texts that are no program.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The texts, which the spans in `diagnostics` refer to.
    pub sources: Sources,
    /// What is wrong, in the order of the texts; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Rejected {
    /// As for a terminal without colours, each diagnostic with the lines it is about.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render::render(&self.sources, &self.diagnostics, false))
    }
}

impl std::error::Error for Rejected {}

/// Reads and checks a program, given by the names and the contents of its files: a plain program, a pair, or an old and a new
/// version in a file each.
///
/// # Errors
/// When it is not legal L. A syntax error hides errors of names and types, in all files.
///
/// # Examples
/// ```
/// let old = "procedure twice(n: int) returns (m: int) { m := n + n; }";
/// let new = "procedure twice(n: int) returns (m: int) { m := 2 * n; }";
/// let loaded = lang_l::load([("old.l", old), ("new.l", new)]).expect("both are legal");
/// assert_eq!(loaded.unit.versions.len(), 2);
///
/// let rejected = lang_l::load([("typo.l", "procedure p() { x := y; }")]).unwrap_err();
/// assert_eq!(rejected.diagnostics[0].message, "nothing assigns or declares `y`");
/// assert!(rejected.to_string().contains("typo.l:1:22"));
/// ```
pub fn load<N: Into<String>, T: AsRef<[u8]>>(files: impl IntoIterator<Item = (N, T)>) -> Result<Loaded, Rejected> {
    let (sources, trees, wrong) = read(files);
    resolved(sources, &trees, wrong)
}

/// Reads and checks a client with an old library and a new one: each version is a library with the client.
///
/// # Errors
/// When it is not legal L.
///
/// # Examples
/// ```
/// let client = "procedure next(n: int) returns (m: int) { m := step(n); }";
/// let old = "procedure step(n: int) returns (m: int) { m := n + 1; }";
/// let new = "procedure step(n: int) returns (m: int) { m := 1 + n; }";
/// let loaded = lang_l::load_client([("client.l", client), ("old.l", old), ("new.l", new)]).expect("all are legal");
/// assert!(loaded.unit.versions.iter().all(|version| version.find("next").is_some() && version.find("step").is_some()));
/// ```
pub fn load_client<N: Into<String>, T: AsRef<[u8]>>(files: [(N, T); 3]) -> Result<Loaded, Rejected> {
    let (sources, mut trees, wrong) = read(files);
    if wrong.is_empty() {
        let client = trees.remove(0);
        for library in &mut trees {
            library.shared.splice(0..0, client.shared.iter().chain(items(&client)).cloned());
        }
    }
    resolved(sources, &trees, wrong)
}

/// The items of the first version of a file, if it has one.
fn items(file: &File) -> impl Iterator<Item = &Item> {
    file.versions.first().into_iter().flat_map(|version| &version.items)
}

/// The trees of files, and what is wrong with those that have none.
fn read<N: Into<String>, T: AsRef<[u8]>>(
    files: impl IntoIterator<Item = (N, T)>,
) -> (Sources, Vec<File>, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let mut trees: Vec<File> = Vec::new();
    let mut wrong = Vec::new();
    for (name, bytes) in files {
        let (id, unreadable) = sources.add_bytes(name, bytes.as_ref());
        match unreadable {
            Some(unreadable) => wrong.push(unreadable),
            None => {
                let parsed = parse::parse(id, &sources.get(id).text);
                trees.push(parsed.file);
                wrong.extend(parsed.diagnostics);
            }
        }
    }
    (sources, trees, wrong)
}

/// The program of trees, if nothing is wrong with it.
fn resolved(sources: Sources, trees: &[File], mut wrong: Vec<Diagnostic>) -> Result<Loaded, Rejected> {
    if wrong.is_empty() {
        match resolve::resolve(&trees.iter().collect::<Vec<_>>()) {
            Ok(unit) => return Ok(Loaded { sources, unit }),
            Err(diagnostics) => wrong = diagnostics,
        }
    }
    Err(Rejected { sources, diagnostics: wrong })
}

#[cfg(test)]
mod tests {
    use super::load;

    #[test]
    fn any_bytes_are_a_program_or_wrong() {
        assert!(load([("a.l", "procedure p() { }")]).is_ok());
        assert!(load([("empty.l", "")]).is_ok());
        assert!(load(Vec::<(String, Vec<u8>)>::new()).is_ok_and(|loaded| loaded.unit.versions.is_empty()));
        for wrong in [&b"\xff\xfe"[..], b"procedure", b"procedure p() { x := y; }", b"\0", b"version {"] {
            let rejected = load([("a.l", wrong)]).expect_err("it is not legal");
            assert!(!rejected.diagnostics.is_empty() && rejected.to_string().contains("a.l:1:"), "{rejected}");
        }
    }

    /// The deepest trees there are, in a thread with next to no stack.
    #[test]
    fn any_thread_may_call() {
        let nested = "if (b) { ".repeat(190) + &"}".repeat(190);
        let brackets = format!("x := {}1{};", "(".repeat(150), ")".repeat(150));
        let long = format!("n := 0{};", " + 1".repeat(490));
        let unary = format!("b := {}b;", "!".repeat(190));
        let text = format!(
            "procedure p(b: bool, n: int) {{ {nested} {brackets} {long} {unary} assert {}b; }}",
            "b ==> ".repeat(150)
        );
        let small = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
            let loaded = load([("deep.l", &text)]).map_err(|rejected| rejected.to_string());
            let crate::Loaded { sources, unit } = loaded.expect("it is legal");
            let printed = crate::hir::print::print(&unit);
            let (parsed, procedure) = (crate::parse::parse(crate::source::FileId(0), &text), crate::hir::ProcId(0));
            let again = crate::print::print(&parsed.file, &parsed.comments);
            let tree = crate::ast::tree::print(&parsed.file, &sources);
            let limits = crate::interp::Limits::default();
            let job = crate::interp::Job { unit: &unit, version: 0, procedure, limits };
            let input = crate::heap::Input::default();
            let run = crate::interp::run(&job, input.clone(), &mut crate::interp::Sequential::after(&input));
            (printed.len().min(tree.len()), again.len(), matches!(run.outcome, crate::interp::Outcome::Error(_)))
        });
        let (printed, again, failed) = small.expect("a thread can be made").join().expect("it does not overflow");
        assert!(printed > 2_000 && again > 2_000 && !failed);
    }
}

//! Which values variables have at a place of each version: the values that one version has there and the other does not.
//!
//! In: a program, a line of each version. Out: a program that has, for each variable of both, a pair of procedures which tell whether
//! the variable ever has a given value there; and how each pair differs.
//!
//! 1. `arrivals`: from the procedure round a place, the one that counts how often control comes there with the value.
//! 2. The pairs are compared as any others. A store on entry is one of the procedure, with a value.
//! 3. Of what was found, what says more than whether the value was seen is left out.
//!
//! Rule *Values at a place* (`proofs/soundness.md`).
//!
//! Invariant: a value is said to be in one version alone only where both versions end.

mod arrivals;

use super::{DiffReport, Manner, PairDiff, diff};
use crate::verify::Config;
use arrivals::{Called, beginning, counting};
use lang_l::Loaded;
use lang_l::ast::{File, Item, Procedure};
use lang_l::hir::print::type_text;
use lang_l::hir::{Local, Type};
use lang_l::source::{FileId, Span};
use lang_l::{parse, print};
use std::slice::from_ref;

/// A program about the values at two places.
#[derive(Clone, Debug)]
pub struct Places {
    /// What was written, with the procedures that tell of values.
    pub program: Loaded,
    /// The lines.
    lines: [usize; 2],
    /// For each variable of both versions the procedure that tells of it, and what it is called in each version.
    variables: Vec<(String, [String; 2])>,
    /// What the result of these procedures is called.
    had: String,
}

/// The trees of a program, as written.
struct Trees<'t> {
    source: &'t Loaded,
    files: Vec<File>,
}

/// The program that tells of values where these lines begin a statement, one of each version.
///
/// # Errors
/// In words, why there is nothing to compare.
pub fn places(source: &Loaded, lines: [usize; 2]) -> Result<Places, String> {
    let trees = Trees::of(source);
    let [left, right] = [trees.place(0, lines[0])?, trees.place(1, lines[1])?];
    let names = [left.0, right.0].map(|procedure| procedure.name.text.as_str());
    let mut found = Places { program: source.clone(), lines, variables: Vec::new(), had: trees.free("had") };
    let (mut made, mut at) = ([Vec::new(), Vec::new()], 0);
    for variable in trees.common(names) {
        let ty = type_text(&source.unit, &variable.ty);
        let called = trees.called(&format!("{}_at_{at}", names[0]), &found.had);
        let each = [left, right].map(|(of, place)| counting(of, place, (&variable.name, &ty), &called));
        let [Some(one), Some(other)] = each else { continue };
        // One that is declared within a block may not be there.
        if trees.with([from_ref(&one), from_ref(&other)]).is_none() {
            continue;
        }
        at += 1;
        let title = |which: usize| format!("{} of {}, line {}", variable.name, names[which], lines[which]);
        found.variables.push((called.procedure, [title(0), title(1)]));
        made[0].push(one);
        made[1].push(other);
    }
    let whole = Some(made).filter(|made| !made[0].is_empty()).and_then(|made| trees.with([&made[0], &made[1]]));
    found.program = whole.ok_or("no variable is there in both versions, under one name and of one type")?;
    Ok(found)
}

/// How the values at two places differ: a pair for each variable.
pub fn diff_at(places: &Places, config: &Config, manner: &Manner) -> DiffReport {
    let procedures = places.variables.iter().map(|(name, _)| name.clone()).collect();
    let mut report = diff(&places.program, &Config { procedures, ..config.clone() }, manner);
    for pair in &mut report.pairs {
        of_values(pair, &places.had);
        let own = places.variables.iter().find(|(name, _)| *name == pair.names[0]);
        if let Some((_, titles)) = own {
            pair.names = titles.clone();
        }
        pair.at = Some(places.lines);
    }
    report
}

/// Leaves what is said of whether the value was seen: stores that differ in something else, or may, are open.
fn of_values(pair: &mut PairDiff, had: &str) {
    if pair.one_ends_when == "false" {
        pair.one_ends_witness = None;
    }
    let before = pair.rows.len();
    pair.rows.retain_mut(|row| row.keep_only(had));
    let dropped = pair.rows.len() < before;
    if dropped {
        pair.relation = None;
    }
    if pair.differs_when == "false" || !dropped && pair.rows_whole {
        return;
    }
    let settled = pair.rows.iter().filter(|row| row.is_settled());
    let ways: Vec<String> = settled.map(|row| format!("({})", row.when)).collect();
    pair.differs_when = if ways.is_empty() { "false".into() } else { ways.join(" || ") };
    let known = [&pair.equal_when, &pair.differs_when, &pair.one_ends_when];
    pair.open_when = Some(super::kinds::rest(&known.map(String::clone)));
}

impl<'t> Trees<'t> {
    fn of(source: &'t Loaded) -> Self {
        let each = source.sources.iter().map(|(id, file)| parse::parse(id, &file.text).file);
        Trees { source, files: each.collect() }
    }

    /// Where the items of a version are: in which file, and in which of its versions.
    fn home(&self, version: usize) -> (usize, Option<usize>) {
        match self.files.as_slice() {
            [_] => (0, Some(version)),
            _ => (version, self.files[version].versions.first().map(|_| 0)),
        }
    }

    /// The statement of a version that begins in a line, and the procedure it is in.
    fn place(&self, version: usize, line: usize) -> Result<(&Procedure, Span), String> {
        let (file, own) = self.home(version);
        let in_line = |span: Span| self.source.sources.line(span) == line;
        let tree = &self.files[file];
        let own = own.and_then(|own| tree.versions.get(own)).map(|version| &version.items);
        let found = tree.shared.iter().chain(own.into_iter().flatten()).find_map(|item| match item {
            Item::Procedure(procedure) => Some((procedure, beginning(procedure.body.as_ref()?, &in_line)?)),
            _ => None,
        });
        let title = self.source.unit.versions[version].title();
        found.ok_or_else(|| format!("no statement of {title} begins in line {line}"))
    }

    /// The variables that two procedures have in common, but for those that hide a global: outside of their block its name means that.
    fn common(&self, names: [&str; 2]) -> Vec<Local> {
        let variables = |version: usize| -> Vec<Local> {
            let own = &self.source.unit.versions[version];
            let all = own.find(names[version]).map(|id| own.procedure(id).locals.clone()).unwrap_or_default();
            let globals = &self.source.unit.globals;
            let is_global = |local: &Local| globals.iter().any(|global| global.name == local.name);
            let once = |local: &&Local| all.iter().filter(|other| other.name == local.name).count() == 1;
            all.iter().filter(once).filter(|local| !is_global(local)).cloned().collect()
        };
        let theirs = variables(1);
        let is_common = |own: &Local| theirs.iter().any(|other| (&other.name, &other.ty) == (&own.name, &own.ty));
        variables(0).into_iter().filter(is_common).collect()
    }

    /// A name that nothing has, like the one that is wanted.
    fn free(&self, wanted: &str) -> String {
        let texts = self.source.sources.iter().map(|(_, file)| &file.text);
        let words: Vec<&str> = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
        let mut name = wanted.to_string();
        while words.iter().any(|word| word.starts_with(&name)) {
            name.push('_');
        }
        name
    }

    fn called(&self, procedure: &str, had: &str) -> Called {
        let nothing = |ty: &Type| match ty {
            Type::Int => "0",
            Type::Bool => "false",
            _ => "null",
        };
        let globals = self.source.unit.globals.iter().map(|global| (global.name.clone(), nothing(&global.ty)));
        Called {
            procedure: self.free(procedure),
            value: self.free("value"),
            had: had.to_string(),
            arrivals: self.free("arrivals"),
            returned: self.free("returned_"),
            globals: globals.collect(),
        }
    }

    /// The program with more procedures in each version; `None` where that is not legal.
    fn with(&self, more: [&[Procedure]; 2]) -> Option<Loaded> {
        let mut files = self.files.clone();
        for (version, procedures) in more.into_iter().enumerate() {
            let (file, own) = self.home(version);
            let tree = &mut files[file];
            let items = match own {
                Some(own) => &mut tree.versions.get_mut(own)?.items,
                None => &mut tree.shared,
            };
            items.extend(procedures.iter().cloned().map(Item::Procedure));
        }
        let name = |at: usize| self.source.sources.get(FileId(u32::try_from(at).unwrap_or(u32::MAX))).name.clone();
        lang_l::load(files.iter().enumerate().map(|(at, tree)| (name(at), print::print(tree, &[])))).ok()
    }
}

//! What the house promises, computed from the sources: data flows one way, and rooms stay small.
//!
//! Each check makes a list of violations. What is still to be mended is in `still.rs`, by check and a text in the violation; an
//! entry that fits nothing any more is a violation itself, so that the list only shrinks.

mod functions;
mod sources;
mod still;

use sources::{Crate, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use still::STILL;

/// The crates in the order in which data flows: each may use those before it.
const CRATES: [(&str, &str); 7] = [
    ("lang_l", "lang-L/src/lib.rs"),
    ("smt", "prover/smt/src/lib.rs"),
    ("faults", "prover/faults/src/lib.rs"),
    ("kernel", "prover/kernel/src/lib.rs"),
    ("prover", "prover/src/lib.rs"),
    ("ape_fuzz", "prover/fuzz/src/lib.rs"),
    ("ape", "prover/ape/src/main.rs"),
];
/// The most modules at the top of a crate.
const TOP: usize = 15;
/// The most lines of a function, and of a file.
const LINES: (usize, usize) = (60, 600);
/// The most parameters of a function.
const PARAMETERS: usize = 6;
/// Functions that are tables of data, which may be long: file, name, and what the table is of.
const TABLES: &[(&str, &str, &str)] = &[
    ("lang-L/src/parse/tests.rs", "usual_slips", "slips, and what is said of each"),
    ("lang-L/tests/robustness.rs", "deep_nesting", "what opens a nesting"),
];
/// Where input and output may be: the command line, the one module that runs solver processes, and what only tests switch on.
const OUTSIDE: [&str; 3] = ["prover/ape/", "prover/faults/", "prover/smt/src/solve/process"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn crates() -> Vec<Crate> {
    CRATES.iter().map(|(name, file)| Crate::read(&root(), name, file)).collect()
}

/// Fails where there are violations that are not known of, or known ones that are gone.
#[track_caller]
fn check(name: &str, mut violations: Vec<String>) {
    violations.sort();
    violations.dedup();
    let known: Vec<&str> = STILL.iter().filter(|(check, _)| *check == name).map(|(_, text)| *text).collect();
    let new = violations.iter().filter(|violation| !known.iter().any(|text| violation.contains(text)));
    let mut wrong: Vec<String> = new.cloned().collect();
    let gone = known.iter().filter(|text| !violations.iter().any(|violation| violation.contains(**text)));
    wrong.extend(gone.map(|text| format!("`{text}` is mended: take it out of STILL in tests/house/still.rs")));
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}

#[test]
fn modules_beside_each_other_have_no_cycle() {
    check("cycles", crates().iter().flat_map(cycles).collect());
}

#[test]
fn no_stage_uses_a_later_one() {
    check("stages", crates().iter().flat_map(backwards).collect());
}

/// An edge of a graph of modules: from, to, and where.
type Edges = BTreeMap<(String, String), String>;

/// For each folder of a crate the graph of the modules in it.
fn graphs(of: &Crate) -> BTreeMap<Place, Edges> {
    let mut graphs: BTreeMap<Place, Edges> = BTreeMap::new();
    for (from, module) in &of.modules {
        for (path, line) in &module.paths {
            let (name, to) = of.resolve(from, path);
            if name != of.name {
                continue;
            }
            let to = of.module_of(&to);
            let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            // Between a module and one within it there is no order.
            let (Some(one), Some(other)) = (from.get(common), to.get(common)) else { continue };
            let place = format!("{}:{line}", module.file.display());
            let folder = from[..common].to_vec();
            graphs.entry(folder).or_default().entry((one.clone(), other.clone())).or_insert(place);
        }
    }
    graphs
}

fn cycles(of: &Crate) -> Vec<String> {
    let mut found = Vec::new();
    for (folder, mut edges) in graphs(of) {
        // What nothing leads to, or what leads to nothing, is in no cycle.
        loop {
            let [starts, ends]: [BTreeSet<String>; 2] = [
                edges.keys().map(|(from, _)| from.clone()).collect(),
                edges.keys().map(|(_, to)| to.clone()).collect(),
            ];
            let before = edges.len();
            edges.retain(|(from, to), _| ends.contains(from) && starts.contains(to));
            if edges.len() == before {
                break;
            }
        }
        let folder = [vec![of.name.to_string()], folder].concat().join("::");
        found.extend(edges.iter().map(|((from, to), place)| format!("{folder}: {from} -> {to} ({place})")));
    }
    found
}

/// Uses of a module that is declared below, at the top of a crate, and of a later crate.
fn backwards(of: &Crate) -> Vec<String> {
    let mut found = Vec::new();
    let order = &of.modules[&Vec::new()].declared;
    let at = |name: &String| order.iter().position(|declared| declared == name);
    for ((from, to), place) in graphs(of).remove(&Vec::new()).unwrap_or_default() {
        if at(&from) < at(&to) {
            found.push(format!("{}: {from} -> {to} ({place})", of.name));
        }
    }
    let later = CRATES.iter().map(|(name, _)| *name).skip_while(|name| *name != of.name).skip(1);
    let later: Vec<&str> = later.collect();
    for (from, module) in &of.modules {
        for (path, line) in &module.paths {
            let (name, _) = of.resolve(from, path);
            if path.len() > 1 && later.contains(&name.as_str()) {
                found.push(format!("{} -> {name} ({}:{line})", of.name, module.file.display()));
            }
        }
    }
    found
}

#[test]
fn a_crate_has_few_modules_at_its_top() {
    let crates = crates();
    let tops = crates.iter().map(|of| (of.name, of.modules[&Vec::new()].declared.len()));
    check("top", tops.filter(|(_, top)| *top > TOP).map(|(name, top)| format!("{name} has {top}")).collect());
}

#[test]
fn module_files_have_one_style() {
    let files = files();
    let both = files.iter().filter(|file| {
        let within = file.with_extension("");
        !file.ends_with("main.rs") && files.iter().any(|other| other.parent() == Some(&within))
    });
    let crates = both.filter(|file| file.components().any(|part| part.as_os_str() == "src"));
    check("style", crates.map(|file| format!("{} is to be a mod.rs", file.display())).collect());
}

#[test]
fn only_the_command_line_and_the_solver_processes_do_input_and_output() {
    let mut found = Vec::new();
    for of in crates() {
        for (from, module) in &of.modules {
            let file = module.file.display().to_string();
            if OUTSIDE.iter().any(|outside| file.starts_with(outside)) {
                continue;
            }
            for (path, line) in &module.paths {
                let (name, place) = of.resolve(from, path);
                let within = place.first().map(String::as_str);
                let outside = matches!(within, Some("fs" | "io" | "process" | "net" | "env")) && name == "std";
                if outside {
                    found.push(format!("{file}:{line} std::{}", place.join("::")));
                }
            }
            let prints = |name: &str| matches!(name, "print" | "println" | "eprint" | "eprintln" | "dbg");
            let printed = module.macros.iter().filter(|(name, _)| prints(name));
            found.extend(printed.map(|(name, line)| format!("{file}:{line} {name}!")));
        }
    }
    check("input and output", found);
}

#[test]
fn budgets_are_in_one_file() {
    let bounds = |name: &str| name.starts_with("MAX_") || name.starts_with("MOST_") || name.contains("BUDGET");
    let mut found = Vec::new();
    for file in files().iter().filter(|file| file.starts_with("prover/src") && !file.ends_with("budget.rs")) {
        let constants = functions::contents(&root().join(file)).constants;
        let bounds = constants.iter().filter(|(name, _)| bounds(name));
        found.extend(bounds.map(|(name, line)| format!("{}:{line} {name}", file.display())));
    }
    check("budgets", found);
}

#[test]
fn functions_are_short_and_take_few_things() {
    let mut found = Vec::new();
    for file in files() {
        let shown = file.display().to_string();
        for function in functions::contents(&root().join(&file)).functions {
            let (name, lines, takes) = (&function.name, function.lines, function.parameters);
            let is_table = TABLES.iter().any(|(file, table, _)| *file == shown && table == name);
            if lines > LINES.0 && !is_table {
                found.push(format!("{name} in {shown}:{} has {lines} lines", function.line));
            }
            if takes > PARAMETERS {
                found.push(format!("{name} in {shown}:{} has {takes} parameters", function.line));
            }
        }
    }
    check("functions", found);
}

#[test]
fn files_are_short() {
    let lines = |file: &PathBuf| fs::read_to_string(root().join(file)).expect("a source can be read").lines().count();
    let long = files().into_iter().map(|file| (lines(&file), file)).filter(|(lines, _)| *lines > LINES.1);
    check("files", long.map(|(lines, file)| format!("{} has {lines} lines", file.display())).collect());
}

/// All files of Rust, from the root of the repository.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = ["lang-L", "prover", "tests"].map(PathBuf::from).to_vec();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder of sources can be read") {
            let path = folder.join(entry.expect("an entry of a folder").file_name());
            if root().join(&path).is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

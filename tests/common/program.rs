//! The one loader of test programs: which suites there are, their files, and what each file is expected to get.
//!
//! In: the folders of the repository and, where it is there, `../shared/suites`. Out: programs with the verdicts that are right.
//!
//! A file of the repository says what it expects in lines `// expect: PAIR VERDICT`. PAIR is `p` for the pair of that name, and
//! `p~q` for an `equiv p ~ q`, or for `equiv p ~ p when …`. A line `// true in part: PAIR` tells the tests of planted faults that the
//! two differ in nothing but whether they end. A folder of `../shared/suites` says it in its `expected.tsv`.

use super::root;
use lang_l::hir::Unit;
use lang_l::source::Sources;
use lang_l::{parse, print, resolve};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The words a file may expect.
const VERDICTS: [&str; 5] = ["equivalent", "partially-equivalent", "not-equivalent", "contract-violation", "unknown"];

/// How a folder of programs is tested.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    /// What the names of its tests begin with, like `traps` or `suites::rie`.
    pub(crate) name: String,
    /// What the golden table calls the folder, like `tests/traps` or `shared/suites/rie`.
    pub(crate) shown: String,
    /// Where it is.
    pub(crate) folder: PathBuf,
    /// Whether it lies beside the repository, and may be absent.
    pub(crate) shared: bool,
    /// Whether every verdict must be the one expected; otherwise less may be said, though nothing wrong.
    pub(crate) exact: bool,
    /// Whether the files are laid out as `ape fmt` does it, and name every pair with a body once.
    pub(crate) tidy: bool,
    /// A text that each file has: the line that says what it is for.
    pub(crate) says: &'static str,
    /// Whether all that was proved must have a certificate that replays, and counterexamples must be minimal.
    pub(crate) thorough: bool,
}

impl Suite {
    fn own(name: &str, shown: &str, says: &'static str) -> Self {
        let exact = matches!(name, "examples" | "structure");
        let folder = root().join(shown);
        let (tidy, thorough) = (name != "traps", name == "examples");
        Suite { name: name.into(), shown: shown.into(), folder, shared: false, exact, tidy, says, thorough }
    }

    fn shared(name: &str) -> Self {
        let strict = matches!(name, "rie" | "traps" | "figure8");
        Suite {
            name: format!("suites::{}", name.replace('/', "::")),
            shown: format!("shared/suites/{name}"),
            folder: shared_suites().join(name),
            shared: true,
            exact: strict,
            tidy: false,
            says: "",
            thorough: strict,
        }
    }

    /// The name of the test of a file.
    pub(crate) fn test(&self, file: &Path) -> String {
        format!("{}::{}", self.name, stem(file))
    }

    /// What the golden table calls a file.
    pub(crate) fn row(&self, file: &Path) -> String {
        format!("{}/{}", self.shown, file.file_name().unwrap_or_default().to_string_lossy())
    }
}

/// Where the suites lie that are no part of the repository.
pub(crate) fn shared_suites() -> PathBuf {
    root().join("../shared/suites")
}

/// The folders of programs in the repository.
pub(crate) fn own_suites() -> Vec<Suite> {
    vec![
        Suite::own("examples", "examples", "// "),
        Suite::own("structure", "tests/structure", "// "),
        Suite::own("numeric", "tests/numeric", "// shape: "),
        Suite::own("traps", "tests/traps", "// exploits: "),
    ]
}

/// The folders of programs beside the repository; none where it is alone.
pub(crate) fn shared_folders() -> Vec<Suite> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(shared_suites().join(&folder)) else { continue };
        let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of a folder").path()).collect();
        let inside = |path: &PathBuf| folder.join(path.file_name().unwrap_or_default());
        open.extend(paths.iter().filter(|path| path.is_dir()).map(inside));
        if paths.iter().any(|path| is_program(path)) {
            found.push(Suite::shared(&folder.to_string_lossy()));
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "l" || end == "bl")
}

/// The programs of a folder, in the order of their names.
pub(crate) fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of a folder").path()).collect();
    files.retain(|file| is_program(file));
    files.sort();
    files
}

pub(crate) fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The verdicts that are right for each pair of a program; `-` is the program as a whole.
pub(crate) type Expected = BTreeMap<String, Vec<String>>;

/// A program, legal, with its text.
pub(crate) struct Program {
    /// As reports call it.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) sources: Sources,
    pub(crate) unit: Unit,
}

impl Program {
    /// Reads a program; the diagnostics where it is not legal.
    pub(crate) fn read(name: &str, path: &Path) -> Result<Self, String> {
        Self::parse(name, &fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// A program that is this text; the diagnostics where it is not legal.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut sources = Sources::new();
        let file = sources.add(name, text);
        let parsed = parse::parse(file, text);
        if !parsed.diagnostics.is_empty() {
            return Err(format!("{name}: {:?}", parsed.diagnostics));
        }
        let unit = resolve::resolve(&[&parsed.file]).map_err(|wrong| format!("{name}: {wrong:?}"))?;
        Ok(Program { name: name.into(), text: text.into(), sources, unit })
    }

    /// What is wrong with how a file of the repository is written.
    pub(crate) fn untidy(&self, suite: &Suite) -> Vec<String> {
        let mut wrong = Vec::new();
        let file = self.sources.iter().next().expect("a program has a file").0;
        let parsed = parse::parse(file, &self.text);
        if suite.tidy && print::print(&parsed.file, &parsed.comments) != self.text {
            wrong.push("not laid out as `ape fmt` does it".into());
        }
        let says = match suite.name.as_str() {
            "numeric" => self.text.contains(suite.says),
            _ => self.text.starts_with(suite.says),
        };
        if !says {
            wrong.push(format!("no line `{}…` says what it is for", suite.says));
        }
        wrong
    }

    /// What the lines `// expect:` of the file say, every one of a pair it has.
    pub(crate) fn expected(&self, suite: &Suite) -> Result<Expected, String> {
        let (pairs, with_body) = pairs(&self.unit);
        let mut expected = Expected::new();
        for line in self.text.lines().filter_map(|line| line.strip_prefix("// expect: ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [pair, verdict] = words[..] else { return Err(format!("`{line}` is no pair and verdict")) };
            if !VERDICTS.contains(&verdict) {
                return Err(format!("{verdict} is no verdict"));
            }
            if !pairs.contains(&pair.to_string()) {
                return Err(format!("a verdict is expected of {pair}, which is no pair"));
            }
            if expected.insert(pair.to_string(), vec![verdict.to_string()]).is_some() {
                return Err(format!("two verdicts are expected of {pair}"));
            }
        }
        if expected.is_empty() {
            return Err("nothing is expected".into());
        }
        match with_body.iter().find(|pair| suite.tidy && !expected.contains_key(*pair)) {
            Some(pair) => Err(format!("no verdict is expected of {pair}")),
            None => Ok(expected),
        }
    }
}

/// The names of the pairs of a program, and of those among them that have a body or are asked for.
fn pairs(unit: &Unit) -> (Vec<String>, Vec<String>) {
    let [left, right] = &unit.versions[..] else { return Default::default() };
    let both = left.procedures.iter().filter(|p| right.procedures.iter().any(|q| q.name == p.name));
    let asked = unit.equivs.iter().map(|equiv| {
        let (p, q) = (&left.procedure(equiv.left).name, &right.procedure(equiv.right).name);
        pair_name(p, q, equiv.when.is_some())
    });
    let asked: Vec<String> = asked.collect();
    let with_body = both.clone().filter(|p| p.body.is_some()).map(|p| p.name.clone());
    let with_body = with_body.chain(asked.iter().filter(|pair| pair.contains('~')).cloned()).collect();
    (both.map(|p| p.name.clone()).chain(asked).collect(), with_body)
}

/// A pair as expectations name it.
fn pair_name(left: &str, right: &str, conditional: bool) -> String {
    if left == right && !conditional { left.to_string() } else { format!("{left}~{right}") }
}

/// A pair of a report as expectations name it.
pub(crate) fn reported_name(pair: &Json) -> String {
    let name = |side: &str| pair[side].as_str().expect("a pair has names");
    pair_name(name("left"), name("right"), !pair["when"].is_null())
}

/// What `expected.tsv` of a folder says, by file.
///
/// Its third column is a verdict, or several of which each is right, as `a|b`; or a key, of which only `verify` is about
/// this command. Empty where there is no such table.
pub(crate) fn expected_table(folder: &Path) -> BTreeMap<String, Expected> {
    let table = fs::read_to_string(folder.join("expected.tsv")).unwrap_or_default();
    let mut expected: BTreeMap<String, Expected> = BTreeMap::new();
    let keyed = table.lines().next().is_some_and(|head| head.split('\t').nth(2) == Some("key"));
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let verdict = match cells[..] {
            [_, _, "verify", verdict, ..] if keyed => verdict,
            [_, _, verdict, ..] if !keyed => verdict,
            _ => continue,
        };
        let right = verdict.split('|').map(str::to_string).collect();
        expected.entry(cells[0].to_string()).or_default().insert(cells[1].to_string(), right);
    }
    expected
}

/// How a verdict compares with those that are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    Right,
    /// True, though less than there is to say.
    Less,
    /// A claim that is not so.
    Wrong,
}

/// Judges the verdict found for a pair.
pub(crate) fn judge(right: &[String], found: &str) -> Judgement {
    let is = |word: &str| right.iter().any(|right| right == word);
    match found {
        found if is(found) => Judgement::Right,
        "unknown" => Judgement::Less,
        "partially-equivalent" if is("equivalent") => Judgement::Less,
        // A pair that differs may break a contract as well, and either may be told.
        "contract-violation" if is("not-equivalent") => Judgement::Less,
        _ => Judgement::Wrong,
    }
}

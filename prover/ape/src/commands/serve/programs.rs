//! The programs that the page offers: the examples and the course, which are part of this program.
//!
//! Out: JSON for the page, and the key that answers to exercises are held against.

use super::texts::Texts;
use crate::status::Failure;
use include_dir::Dir;
use lang_l::token::Token;
use serde_json::{Value, json};
use std::path::Path;

/// The folder `examples` of the repository.
static PROGRAMS: Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/programs");

/// Where the exercises of a unit are, in its folder.
const EXERCISES: &str = "exercises";

/// What answers are held against.
pub(super) fn key() -> Result<&'static str, Failure> {
    let file = PROGRAMS.get_file("course/answers.key").and_then(|file| file.contents_utf8());
    file.ok_or_else(|| Failure::Internal("the key of the course is not part of this program".into()))
}

/// All programs, in the groups that they are shown in, and the words of the language.
pub(super) fn all() -> Value {
    let mut groups = vec![json!({ "title": "Examples", "programs": files(&PROGRAMS, false) })];
    let mut units: Vec<&Dir<'_>> = PROGRAMS.get_dir("course").into_iter().flat_map(Dir::dirs).collect();
    units.sort_by_key(|unit| unit.path());
    for unit in units {
        let mut programs = files(unit, false);
        programs
            .extend(unit.get_dir(unit.path().join(EXERCISES)).into_iter().flat_map(|exercises| files(exercises, true)));
        groups.push(json!({ "title": title(unit), "programs": programs }));
    }
    let words: Vec<&str> =
        Token::FIXED.iter().filter(|token| token.is_keyword()).map(|token| token.text().trim_matches('`')).collect();
    json!({ "groups": groups, "words": words })
}

/// What the page of a unit is called.
fn title(unit: &Dir<'_>) -> String {
    let page = unit.get_file(unit.path().join("README.md")).and_then(|page| page.contents_utf8()).unwrap_or_default();
    page.lines().next().unwrap_or_default().trim_start_matches("# ").to_string()
}

/// The programs of a folder.
fn files(folder: &Dir<'_>, exercises: bool) -> Vec<Value> {
    let is_program = |path: &Path| path.extension().is_some_and(|end| end == "l");
    let mut files: Vec<_> = folder.files().filter(|file| is_program(file.path())).collect();
    files.sort_by_key(|file| file.path());
    let program = |file: &include_dir::File<'_>| {
        let text = file.contents_utf8().unwrap_or_default();
        let mut name = file.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if exercises {
            let first = text.lines().next().unwrap_or_default();
            name = first.trim_start_matches("// exercise:").trim().to_string();
        }
        json!({ "name": name, "exercise": exercises, "texts": Texts::of(text) })
    };
    files.into_iter().map(program).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_and_exercises_are_part_of_the_program() {
        let all = all();
        let groups = all["groups"].as_array().expect("groups");
        assert_eq!(groups.len(), 7);
        assert!(groups[0]["programs"].as_array().is_some_and(|programs| programs.len() > 30));
        for unit in &groups[1..] {
            let programs = unit["programs"].as_array().expect("programs");
            assert_eq!(programs.iter().filter(|program| program["exercise"] == true).count(), 5, "{}", unit["title"]);
        }
        assert_eq!(groups[1]["title"], "1. Heaps and isomorphism");
        assert!(all["words"].as_array().is_some_and(|words| words.contains(&"procedure".into())));
        assert!(key().is_ok_and(|key| key.contains("\"1.1\"")));
    }
}

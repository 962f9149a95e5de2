//! The commands that `README.md` and `ARCHITECTURE.md` show are run, and must print what is shown.
//!
//! All of a file's commands run in one directory, in which the examples are.

mod common;

use common::{root, transcript};
use std::fs;
use std::path::Path;

#[track_caller]
fn check(document: &str, at_least: usize) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(document);
    fs::create_dir_all(dir.join("examples")).expect("a directory can be created");
    for example in common::programs(&root().join("examples")) {
        let name = example.file_name().expect("an example has a name");
        fs::copy(&example, dir.join("examples").join(name)).expect("an example can be copied");
    }
    transcript::check(&root().join(document), &dir, at_least);
}

#[test]
fn the_readme_shows_what_happens() {
    check("README.md", 6);
}

#[test]
fn the_architecture_shows_what_happens() {
    check("ARCHITECTURE.md", 1);
}

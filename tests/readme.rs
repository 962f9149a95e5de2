//! The commands that `README.md` and `ARCHITECTURE.md` show are run, and must print what is shown.
//!
//! In a block of the kind `console` a line `$ ape …` is a command, and the lines up to the next one are its output. A command
//! may end in `> FILE`. All of a file's commands run in one directory, in which the examples are. With `APE_BLESS=1` in the
//! environment the documents are brought up to date instead.

mod common;

use common::root;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The document with the output of each command as it is now, and how many commands there are.
fn refreshed(text: &str, dir: &Path) -> (String, usize) {
    let (mut new, mut commands) = (String::new(), 0);
    let (mut inside, mut below_command) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
            below_command = false;
        }
        if below_command && !line.starts_with("$ ") {
            // What was shown before.
            continue;
        }
        new.push_str(line);
        new.push('\n');
        if inside && let Some(command) = line.strip_prefix("$ ") {
            new.push_str(&run(command, dir));
            (commands, below_command) = (commands + 1, true);
        }
    }
    (new, commands)
}

/// Runs a command in a directory; what it printed to standard output, or nothing when that goes to a file.
fn run(command: &str, dir: &Path) -> String {
    let (words, file) = match command.split_once(" > ") {
        Some((words, file)) => (words, Some(file)),
        None => (command, None),
    };
    let mut words = words.split_whitespace();
    assert_eq!(words.next(), Some("ape"), "only ape is run: {command}");
    let output =
        Command::new(env!("CARGO_BIN_EXE_ape")).current_dir(dir).args(words).output().expect("ape can be started");
    assert!(output.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("ape prints UTF-8");
    match file {
        Some(file) => {
            fs::write(dir.join(file), text).expect("a file can be written");
            String::new()
        }
        None => text,
    }
}

#[track_caller]
fn check(document: &str, at_least: usize) {
    let text = fs::read_to_string(root().join(document)).expect("the document can be read");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(document);
    fs::create_dir_all(dir.join("examples")).expect("a directory can be created");
    for example in common::programs(&root().join("examples")) {
        let name = example.file_name().expect("an example has a name");
        fs::copy(&example, dir.join("examples").join(name)).expect("an example can be copied");
    }
    let (now, commands) = refreshed(&text, &dir);
    assert!(commands >= at_least, "only {commands} commands in {document}");
    if now != text && env::var_os("APE_BLESS").is_some() {
        fs::write(root().join(document), now).expect("the document can be written");
        return;
    }
    let differ = text.lines().zip(now.lines()).position(|(shown, found)| shown != found);
    if let Some(at) = differ {
        let around = |text: &str| text.lines().skip(at.saturating_sub(3)).take(12).collect::<Vec<_>>().join("\n");
        let (shown, found) = (around(&text), around(&now));
        panic!("{document}, line {}: shown:\n{shown}\n\nfound (APE_BLESS=1 takes it over):\n{found}", at + 1);
    }
    assert_eq!(text, now);
}

#[test]
fn the_readme_shows_what_happens() {
    check("README.md", 6);
}

#[test]
fn the_architecture_shows_what_happens() {
    check("ARCHITECTURE.md", 1);
}

//! Documents that show commands: each command is run, and must print what is shown.
//!
//! In a block of the kind `console` a line `$ ape …` is a command, and the lines up to the next one are its output. A command
//! may end in `> FILE`, or in `| grep '^TEXT'`, which keeps the lines that begin so. With `APE_BLESS=1` in the environment the
//! documents are brought up to date instead.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the commands of a document in a directory, and holds what they print against what it shows.
#[track_caller]
pub(crate) fn check(document: &Path, dir: &Path, at_least: usize) {
    let shown_as = document.display();
    let text = fs::read_to_string(document).expect("the document can be read");
    let (now, commands) = refreshed(&text, dir);
    assert!(commands >= at_least, "only {commands} commands in {shown_as}");
    if now != text && env::var_os("APE_BLESS").is_some() {
        fs::write(document, now).expect("the document can be written");
        return;
    }
    let differ = text.lines().zip(now.lines()).position(|(shown, found)| shown != found);
    if let Some(at) = differ {
        let around = |text: &str| text.lines().skip(at.saturating_sub(3)).take(12).collect::<Vec<_>>().join("\n");
        let (shown, found) = (around(&text), around(&now));
        panic!("{shown_as}, line {}: shown:\n{shown}\n\nfound (APE_BLESS=1 takes it over):\n{found}", at + 1);
    }
    assert_eq!(text, now);
}

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
    let (rest, file) = command.split_once(" > ").map_or((command, None), |(rest, file)| (rest, Some(file)));
    let (words, filter) = rest.split_once(" | ").map_or((rest, None), |(words, filter)| (words, Some(filter)));
    let mut words = words.split_whitespace();
    assert_eq!(words.next(), Some("ape"), "only ape is run: {command}");
    let output =
        Command::new(env!("CARGO_BIN_EXE_ape")).current_dir(dir).args(words).output().expect("ape can be started");
    assert!(output.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let mut text = String::from_utf8(output.stdout).expect("ape prints UTF-8");
    if let Some(filter) = filter {
        let begins = filter.strip_prefix("grep '^").and_then(|filter| filter.strip_suffix('\''));
        let begins = begins.unwrap_or_else(|| panic!("only such a grep is known: {command}"));
        text = text.lines().filter(|line| line.starts_with(begins)).map(|line| format!("{line}\n")).collect();
        assert!(!text.is_empty(), "{command} keeps nothing");
    }
    match file {
        Some(file) => {
            fs::write(dir.join(file), text).expect("a file can be written");
            String::new()
        }
        None => text,
    }
}

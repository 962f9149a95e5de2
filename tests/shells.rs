//! What shells, terminals and `man` are told: completions, manual pages, colours.

mod common;

use common::{ape, root};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The commands that are for users, as the help lists them.
fn commands() -> Vec<String> {
    let help = ape(["help"]).out;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.split_whitespace().next()).map(str::to_string);
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(names.len() >= 12 && !names.contains(&"solver".to_string()), "{help}");
    names
}

#[test]
fn every_shell_gets_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = ape(["completions", shell]);
        assert_eq!((script.status, script.err.as_str()), (Some(0), ""));
        let missing: Vec<String> = commands().into_iter().filter(|name| !script.out.contains(name.as_str())).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
    assert_eq!(ape(["completions", "sea"]).status, Some(2));
}

/// A bash that reads the script completes a command.
#[test]
fn bash_completes() {
    let script = ape(["completions", "bash"]).out;
    let ask = "\nCOMP_WORDS=(ape ver); COMP_CWORD=1; _ape ape ver ape; echo \"${COMPREPLY[*]}\"\n";
    let Ok(mut bash) = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        return; // There is no bash here.
    };
    let mut input = bash.stdin.take().expect("it is piped");
    input.write_all((script + ask).as_bytes()).expect("bash reads");
    drop(input);
    let output = bash.wait_with_output().expect("bash ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "verify\n");
}

#[test]
fn every_command_has_a_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let _ = fs::remove_dir_all(&folder);
    assert_eq!(ape(["man", "--dir", &folder.display().to_string()]).status, Some(0));
    for name in commands() {
        let page = fs::read_to_string(folder.join(format!("ape-{name}.1"))).expect("there is a page");
        assert_eq!(ape(["man", &name]).out, page);
        assert!(page.contains(".SH DESCRIPTION"), "{page}");
    }
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), commands().len() + 1);
    assert!(ape(["man"]).out.contains(".TH ape 1"));
    assert_eq!(ape(["man", "solver"]).status, Some(2));
}

#[test]
fn colours_are_where_they_are_wanted() {
    let is_coloured = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ape"));
        command.current_dir(root()).env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
        let output = command.args(args).envs(variables.iter().copied()).output().expect("ape can be started");
        output.stdout.contains(&0x1b) || output.stderr.contains(&0x1b)
    };
    let verify = ["verify", "examples/swap.l"];
    let wrong = ["verify", "--colour"];
    for args in [&verify, &wrong] {
        let with = |color: &'static str| [&["--color", color], &args[..]].concat();
        assert!(!is_coloured(args, &[]), "{args:?}: a pipe has none");
        assert!(is_coloured(args, &[("CLICOLOR_FORCE", "1")]), "{args:?}");
        assert!(is_coloured(&with("always"), &[]), "{args:?}");
        assert!(is_coloured(&with("always"), &[("NO_COLOR", "1")]), "{args:?}: what is asked for wins");
        assert!(!is_coloured(&with("never"), &[("CLICOLOR_FORCE", "1")]), "{args:?}");
        assert!(!is_coloured(&with("auto"), &[("NO_COLOR", "1")]), "{args:?}");
    }
}

//! What `ape` is installed with: the tarball, the image, the action and the hooks.

mod common;

use common::{ape, root};
use saphyr::{LoadableYamlNode, Yaml};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The most bytes of a tarball.
const TARBALL: u64 = 20_000_000;

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The only document of a file.
fn yaml(text: &str) -> Yaml<'_> {
    let mut documents = Yaml::load_from_str(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// The commands of `ape` in a piece of a shell script are commands that there are, with options that they have.
#[track_caller]
fn holds_against_help(script: &str) -> usize {
    let mut commands = 0;
    for line in script.lines() {
        let mut words = line.split_whitespace().peekable();
        if words.next() != Some("ape") {
            continue;
        }
        let command = words.next().expect("a command");
        let help = ape([command, "--help"]);
        assert_eq!(help.status, Some(0), "{line}");
        let options = words.take_while(|word| *word != "--").filter(|word| word.starts_with("--"));
        for option in options {
            let option = option.split('=').next().expect("a name");
            let has = help.out.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| word == option);
            assert!(has, "{command} has no {option}: {line}");
        }
        commands += 1;
    }
    commands
}

#[test]
fn the_action_says_what_ape_understands() {
    let text = read("action.yml");
    let action = yaml(&text);
    for key in ["name", "description"] {
        assert!(action[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    let inputs = action["inputs"].as_mapping().expect("inputs");
    for (name, input) in inputs {
        let name = name.as_str().expect("a name");
        assert!(input["description"].as_str().is_some(), "{name}");
        assert!(text.contains(&format!("${{{{ inputs.{name} }}}}")), "{name} is not used");
    }
    assert_eq!(text.matches("${{ inputs.").count(), inputs.len());
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let mut commands = 0;
    for step in action["runs"]["steps"].as_sequence().expect("steps") {
        assert!(step["name"].as_str().is_some());
        let Some(run) = step.as_mapping_get("run").and_then(Yaml::as_str) else { continue };
        assert!(step["shell"].as_str() == Some("bash"), "{run}");
        assert!(!run.contains("${{"), "what others give is no part of a script: {run}");
        commands += holds_against_help(run);
    }
    assert_eq!(commands, 2);
}

#[test]
fn the_hooks_say_what_ape_understands() {
    let text = read(".pre-commit-hooks.yaml");
    let hooks = yaml(&text);
    let hooks = hooks.as_sequence().expect("a list of hooks");
    assert!(hooks.len() >= 3);
    let readme = read("README.md");
    for hook in hooks {
        let [id, entry] = ["id", "entry"].map(|key| hook[key].as_str().expect("a text"));
        assert_eq!(holds_against_help(entry), 1, "{entry}");
        assert_eq!(hook["language"].as_str(), Some("system"));
        assert_eq!(hook["files"].as_str(), Some(r"\.l$"));
        assert!(readme.contains(&format!("id: {id}")), "README.md does not tell of {id}");
    }
}

/// The part of the README that tells how to install.
fn installing() -> String {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("\n## Installing\n").expect("a part of its own");
    rest.split("\n## ").next().unwrap_or_default().to_string()
}

#[test]
fn the_image_is_made_by_the_commands_of_the_readme() {
    let (image, readme) = (read("Dockerfile"), installing());
    let told: Vec<&str> = readme.lines().map(str::trim).collect();
    let runs: Vec<&str> = image.lines().filter_map(|line| line.strip_prefix("RUN ")).collect();
    assert!(runs.len() >= 4, "{image}");
    for command in runs.iter().flat_map(|run| run.split(" && ")) {
        assert!(told.contains(&command), "README.md does not tell of `{command}`");
    }
    for line in image.lines().filter_map(|line| line.strip_prefix("#     ")) {
        assert!(told.contains(&line), "README.md does not tell of `{line}`");
    }
    let stages = image.lines().filter(|line| line.starts_with("FROM ")).count();
    assert_eq!((stages, image.matches("COPY --from=build /opt/ape /opt/ape").count()), (2, 1));
}

fn ends_well(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it can be started");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.success(), "{command:?}: {status}\n{out}\n{err}");
    out
}

/// The tarball that a folder holds.
fn tarball(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).expect("the folder of the package");
    let mut files = entries.map(|entry| entry.expect("an entry").path());
    files.find(|file| file.extension().is_some_and(|end| end == "xz")).expect("a tarball")
}

#[test]
fn the_tarball_runs_where_it_is_unpacked() {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("package");
    let _ = fs::remove_dir_all(&package);
    ends_well(Command::new(root().join(".ci/package")).arg(&package).arg(env!("CARGO_BIN_EXE_ape")));
    let packed = tarball(&package);
    let size = fs::metadata(&packed).expect("it is there").len();
    assert!(size < TARBALL, "{size} bytes");

    // Elsewhere, and moved once more after it was unpacked.
    let elsewhere = std::env::temp_dir().join(format!("ape-install-{}", std::process::id()));
    let (first, last) = (elsewhere.join("first"), elsewhere.join("a last place"));
    fs::create_dir_all(&first).expect("a folder can be made");
    ends_well(Command::new("tar").arg("-xJf").arg(&packed).arg("-C").arg(&first).arg("--strip-components=1"));
    fs::rename(&first, &last).expect("it can be moved");
    let run = |args: &[&str]| {
        let mut command = hidden(&last);
        command.arg(last.join("bin/ape")).args(args).current_dir(&last);
        // Nothing of what cargo and this user have set leads to a library.
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &elsewhere);
        ends_well(&mut command)
    };
    let told = run(&["doctor"]);
    assert!(!told.contains("BAD"), "{told}");
    if cfg!(target_os = "linux") {
        let library = fs::canonicalize(last.join("lib")).expect("it is there").join("libz3.");
        assert!(told.contains(&format!("loaded from {}", library.display())), "{told}");
    }
    let report = run(&["verify", "share/doc/ape/examples/swap.l"]);
    assert!(report.contains("swap: equivalent"), "{report}");
    for file in [
        "share/bash-completion/completions/ape",
        "share/zsh/site-functions/_ape",
        "share/fish/vendor_completions.d/ape.fish",
        "share/man/man1/ape-verify.1",
        "share/ape/schema/verify.schema.json",
        "share/doc/ape/README.md",
        "share/doc/ape/LICENSE-MIT",
        "share/doc/ape/LICENSE-APACHE",
        "share/doc/ape/THIRD-PARTY-LICENSES.txt",
        "share/doc/ape/lang-L/LANGUAGE.md",
    ] {
        assert!(fs::metadata(last.join(file)).is_ok_and(|found| found.len() > 100), "{file}");
    }
    fs::remove_dir_all(&elsewhere).expect("it can be removed");
}

/// What starts a program so that the folder of the build and the libraries that builds keep are not there for it, where the
/// system lets us; else just starts it.
fn hidden(own: &Path) -> Command {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder of the build");
    let kept = std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/share/ape"));
    let covered: Vec<PathBuf> = [target.to_path_buf()].into_iter().chain(kept).filter(|dir| dir.is_dir()).collect();
    let cover: String = covered.iter().map(|dir| format!("mount -t tmpfs none '{}' && ", dir.display())).collect();
    let alone = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--map-root-user", "sh", "-c", script, "sh"]);
        command
    };
    let may = alone(&format!("{cover} test -e \"$1\"")).arg(own).output().is_ok_and(|output| output.status.success());
    if may { alone(&format!("{cover} exec \"$@\"")) } else { Command::new("env") }
}

//! `ape verify --git` and `ape test --changed-since`, on repositories that the `git` command makes. Where there is none the tests
//! are shown as ignored.

use libtest_mimic::{Arguments, Failed, Trial};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode, Output, Stdio};

/// A test: its name, and what it does in an empty folder.
type Test = (&'static str, fn(&Path) -> Result<(), Failed>);

const TESTS: &[Test] = &[
    ("two_revisions_are_compared", two_revisions_are_compared),
    ("what_git_does_not_have_is_told", what_git_does_not_have_is_told),
    ("a_renamed_file_has_two_names", a_renamed_file_has_two_names),
    ("old_commits_are_not_in_a_shallow_clone", old_commits_are_not_in_a_shallow_clone),
    ("packed_objects_and_work_trees_are_read", packed_objects_and_work_trees_are_read),
    ("only_what_has_changed_is_tested", only_what_has_changed_is_tested),
    ("what_is_expected_counts_as_a_change", what_is_expected_counts_as_a_change),
];

fn main() -> ExitCode {
    let git = Command::new("git").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = git.is_ok_and(|status| status.success());
    let trial = |&(name, test): &Test| Trial::test(name, move || in_folder(name, test)).with_ignored_flag(!there);
    libtest_mimic::run(&Arguments::from_args(), TESTS.iter().map(trial).collect()).exit_code()
}

/// Runs a test in a folder that is in no repository.
fn in_folder(name: &str, test: fn(&Path) -> Result<(), Failed>) -> Result<(), Failed> {
    let folder = env::temp_dir().join(format!("ape-git-{}-{name}", process::id()));
    fs::create_dir_all(&folder)?;
    let done = test(&folder);
    fs::remove_dir_all(&folder)?;
    done
}

/// Runs git, which must succeed. Nothing that the user has set for git counts.
fn git(folder: &Path, args: &[&str]) -> Result<(), Failed> {
    let settings = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "gc.auto=0"];
    let mut command = Command::new("git");
    command.current_dir(folder).args(settings).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].into_iter().for_each(|name| _ = command.env_remove(name));
    let Output { status, stderr, .. } = command.output()?;
    if status.success() { Ok(()) } else { Err(format!("git {args:?}: {}", String::from_utf8_lossy(&stderr)).into()) }
}

/// A new repository.
fn repository(folder: &Path) -> Result<PathBuf, Failed> {
    let repository = folder.join("repository");
    fs::create_dir(&repository)?;
    git(&repository, &["init", "--quiet"])?;
    Ok(repository)
}

fn commit(repository: &Path, message: &str) -> Result<(), Failed> {
    git(repository, &["add", "--all"])?;
    git(repository, &["commit", "--quiet", "--message", message])
}

/// Runs `ape`, which must end with this status and print this, among other things.
#[track_caller]
fn ape(folder: &Path, args: &[&str], status: i32, says: &[&str]) -> Result<(), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ape"));
    let Output { status: ended, stdout, stderr } =
        command.current_dir(folder).args(args).env_remove("CLICOLOR_FORCE").output()?;
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    match says.iter().find(|what| !text.contains(**what)) {
        None if ended.code() == Some(status) => Ok(()),
        missing => Err(format!("ape {args:?}: {:?}, not {status:?}; {missing:?} in\n{text}", ended.code()).into()),
    }
}

fn procedure(name: &str, value: &str) -> String {
    format!("procedure {name}(x: int) returns (r: int) {{ return {value}; }}\n")
}

fn two_revisions_are_compared(folder: &Path) -> Result<(), Failed> {
    let repository = repository(folder)?;
    let file = repository.join("in/a.l");
    fs::create_dir(repository.join("in"))?;
    for value in ["x + 1", "1 + x", "x + 2"] {
        fs::write(&file, procedure("p", value))?;
        commit(&repository, value)?;
    }
    git(&repository, &["tag", "first", "HEAD~2"])?;
    let verify =
        |revisions, status, says: &[&str]| ape(&repository, &["verify", "--git", revisions, "in/a.l"], status, says);
    verify("first..HEAD~1", 0, &["p: equivalent"])?;
    verify("HEAD~1..", 1, &["p: not-equivalent", "r is 1 in version 0 and 2 in version 1"])?;
    verify("main~2..main^", 0, &[])?;
    verify("HEAD", 0, &["p: equivalent"])?;
    // The file as it is, saved or not.
    fs::write(&file, procedure("p", "x - (-1)"))?;
    verify("first", 0, &["p: equivalent"])?;
    verify("HEAD", 1, &["p: not-equivalent"])?;
    // From another folder, by another path.
    ape(&repository.join("in"), &["verify", "--git", "first..HEAD", "a.l"], 1, &["p: not-equivalent"])?;
    let absolute = file.display().to_string();
    ape(folder, &["verify", "--git", "first..HEAD", "--format", "json", &absolute], 1, &["\"not-equivalent\""])?;
    fs::remove_file(&file)?;
    verify("first..HEAD~1", 0, &["p: equivalent"])?;
    verify("first", 2, &["cannot read in/a.l"])
}

fn what_git_does_not_have_is_told(folder: &Path) -> Result<(), Failed> {
    let alone = folder.join("alone.l");
    fs::write(&alone, procedure("p", "x"))?;
    ape(folder, &["verify", "--git", "HEAD", "alone.l"], 2, &["alone.l is in no git repository"])?;
    ape(folder, &["test", "--no-cache", "--changed-since", "HEAD", "alone.l"], 2, &["is in no git repository"])?;
    let repository = repository(folder)?;
    fs::write(repository.join("a.l"), procedure("p", "x"))?;
    let verify = |args: &[&str], says: &str| ape(&repository, &[&["verify", "--git"], args].concat(), 2, &[says]);
    // Not even one commit.
    verify(&["HEAD", "a.l"], "`HEAD` is no revision of the git repository in ")?;
    commit(&repository, "one")?;
    fs::write(repository.join("b.l"), procedure("p", "x"))?;
    fs::write(repository.join("pair.l"), "version a\nversion b\n")?;
    fs::write(repository.join("binary.l"), [0xff, 0, 0xfe])?;
    fs::create_dir(repository.join("folder"))?;
    fs::write(repository.join("folder/c.l"), "")?;
    commit(&repository, "two")?;
    verify(&["nope..HEAD", "a.l"], "`nope` is no revision of the git repository in ")?;
    verify(&["HEAD~7", "a.l"], "`HEAD~7` is no revision")?;
    verify(&["HEAD..--all", "a.l"], "`--all` is no revision")?;
    verify(&["HEAD~1..HEAD", "b.l"], "HEAD~1:b.l: there is no such file. If it has another name")?;
    verify(&["HEAD", "folder"], "HEAD:folder: it is a folder")?;
    verify(&["HEAD", "pair.l"], "HEAD:pair.l holds two versions itself")?;
    verify(&["HEAD", "binary.l"], "HEAD:binary.l")?;
    verify(&["HEAD...HEAD~1", "a.l"], "two dots")?;
    verify(&["", "a.l"], "--git needs a revision")?;
    verify(&["HEAD", "-"], "standard input is in no git repository")?;
    verify(&["HEAD", "a.l", "b.l", "pair.l"], "--git compares one file")?;
    // As it is, a file may be anywhere.
    ape(&repository, &["verify", "--git", "HEAD", "a.l", "../alone.l"], 0, &["p: equivalent"])?;
    verify(&["HEAD..HEAD", "a.l", "../alone.l"], "HEAD:../alone.l: the file is not in the same git repository")?;
    ape(&repository, &["test", "--changed-since", "nope", "--no-cache"], 2, &["`nope` is no revision"])
}

fn a_renamed_file_has_two_names(folder: &Path) -> Result<(), Failed> {
    let repository = repository(folder)?;
    fs::write(repository.join("old.l"), procedure("p", "x + x"))?;
    commit(&repository, "one")?;
    git(&repository, &["mv", "old.l", "new.l"])?;
    fs::write(repository.join("new.l"), procedure("p", "2 * x"))?;
    commit(&repository, "two")?;
    let verify =
        |args: &[&str], status, says: &str| ape(&repository, &[&["verify", "--git"], args].concat(), status, &[says]);
    verify(&["HEAD~1..HEAD", "old.l", "new.l"], 0, "p: equivalent")?;
    verify(&["HEAD~1", "old.l", "new.l"], 0, "p: equivalent")?;
    verify(&["HEAD~1..HEAD", "new.l"], 2, "HEAD~1:new.l: there is no such file. If it has another name")
}

fn old_commits_are_not_in_a_shallow_clone(folder: &Path) -> Result<(), Failed> {
    let repository = repository(folder)?;
    for value in ["x", "x + 0", "0 + x"] {
        fs::write(repository.join("a.l"), procedure("p", value))?;
        commit(&repository, value)?;
    }
    let from = format!("file://{}", repository.display());
    git(folder, &["clone", "--quiet", "--depth", "2", &from, "shallow"])?;
    let shallow = folder.join("shallow");
    ape(&shallow, &["verify", "--git", "HEAD~1..HEAD", "a.l"], 0, &["p: equivalent"])?;
    ape(&shallow, &["verify", "--git", "HEAD~2..HEAD", "a.l"], 2, &["`HEAD~2` is no revision", "git fetch --unshallow"])
}

fn packed_objects_and_work_trees_are_read(folder: &Path) -> Result<(), Failed> {
    let repository = repository(folder)?;
    for value in ["x", "x + 0"] {
        fs::write(repository.join("a.l"), procedure("p", value))?;
        commit(&repository, value)?;
    }
    git(&repository, &["gc", "--quiet"])?;
    git(&repository, &["worktree", "add", "--quiet", "../beside", "HEAD~1"])?;
    ape(&repository, &["verify", "--git", "HEAD~1..HEAD", "a.l"], 0, &["p: equivalent"])?;
    ape(&folder.join("beside"), &["verify", "--git", "main..HEAD", "a.l"], 0, &["p: equivalent"])
}

/// A file with three pairs; `p` calls `q`.
fn pairs(q: &str, r: &str) -> String {
    let version = |q: &str, r: &str| {
        procedure("q", q) + &procedure("r", r) + "procedure p(x: int) returns (s: int) { s := q(x); }\n"
    };
    format!("version a\n{}version b\n{}", version("x", "x"), version(q, r))
}

fn only_what_has_changed_is_tested(folder: &Path) -> Result<(), Failed> {
    let repository = repository(folder)?;
    fs::write(repository.join("same.l"), pairs("x + 0", "x + 0"))?;
    fs::write(repository.join("a.l"), pairs("x + 0", "x + 0"))?;
    fs::write(repository.join("x.old.l"), procedure("t", "x"))?;
    fs::write(repository.join("x.new.l"), procedure("t", "x + 0"))?;
    commit(&repository, "one")?;
    let test = |status, says: &[&str]| {
        ape(&repository, &["test", "--no-cache", "--jobs", "1", "--changed-since", "HEAD"], status, says)
    };
    test(4, &["no pair was selected"])?;
    // A comment is a change of the file, and of no procedure.
    fs::write(repository.join("a.l"), format!("// more\n{}", pairs("x + 0", "x + 0")))?;
    test(4, &["no pair was selected"])?;
    fs::write(repository.join("a.l"), format!("// more\n{}", pairs("0 + x", "x + 0")))?;
    test(0, &["a.l  q: equivalent", "a.l  p: equivalent", "2 pairs in 1 file"])?;
    fs::write(repository.join("a.l"), pairs("x + 0", "0 + x"))?;
    test(0, &["a.l  r: equivalent", "1 pair in 1 file"])?;
    fs::write(repository.join("x.new.l"), procedure("t", "x + 1"))?;
    fs::write(repository.join("new.l"), pairs("x", "x"))?;
    test(1, &["x.{old,new}.l  t: not-equivalent", "new.l  p: equivalent", "5 pairs in 3 files"])?;
    // What was not legal has no verdict to compare with.
    commit(&repository, "two")?;
    fs::write(repository.join("a.l"), "version a procedure")?;
    commit(&repository, "three")?;
    fs::write(repository.join("a.l"), pairs("x + 0", "0 + x"))?;
    test(0, &["3 pairs in 1 file"])
}

fn what_is_expected_counts_as_a_change(folder: &Path) -> Result<(), Failed> {
    let repository = repository(folder)?;
    let text = pairs("x + 0", "x + 0");
    fs::write(repository.join("a.l"), format!("// expect: p equivalent\n// expect: q equivalent\n{text}"))?;
    fs::write(repository.join("b.l"), &text)?;
    fs::write(repository.join("baseline.tsv"), "b.l\tp\tequivalent\n")?;
    commit(&repository, "one")?;
    let args = ["test", "--no-cache", "--jobs", "1", "--changed-since", "HEAD", "--baseline", "baseline.tsv"];
    ape(&repository, &args, 4, &["no pair was selected"])?;
    fs::write(repository.join("a.l"), format!("// expect: p equivalent\n// expect: q unknown\n{text}"))?;
    ape(&repository, &args, 0, &["better a.l  q: equivalent, expected unknown", "1 pair in 1 file"])?;
    fs::write(repository.join("baseline.tsv"), "b.l\tp\tequivalent\nb.l\tr\tnot-equivalent\n")?;
    ape(&repository, &args, 1, &["worse  b.l  r: equivalent, expected not-equivalent", "2 pairs in 2 files"])
}

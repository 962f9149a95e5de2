//! The command line, run as a user runs it. Arguments and files go in; text and an exit status come out.

use serde_json::Value as Json;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LEGAL: &str = "procedure Next(n: int) returns (r: int) {\n    r := n + 1;\n}\n";
const UNTIDY: &str = "procedure  Next(n:int)returns(r:int){r:=n+1;}";
const ILLEGAL: &str = "procedure Next(n: int) returns (r: int) {\n    r := true;\n}\n";
const PAIR: &str = "
version first
procedure Old(n: int) { skip; }
procedure Two(n: int) returns (r: int) { r := n + 1; }
version second
procedure Two(n: int) returns (r: int) { r := n + 2; }
";
const RUNNABLE: &str = "class Node { next: Node; val: int; }
global head: Node;
procedure Push(n: int) returns (r: Node) { r := new Node(); r.val := n; r.next := head; head := r; }
procedure Sum(x: Node) returns (s: int) { if (x != null) { s := Sum(x.next); s := s + x.val; } }
procedure Crash(x: Node) { x.val := 1; }
procedure Loop() { while (true) { skip; } }
procedure Bad() ensures false; { skip; }
procedure Assume(b: bool) { assume b; }
";

/// What a run of `ape` did.
struct Ran {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    #[track_caller]
    fn ends_with(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "\nstdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn prints(self, text: &str) -> Self {
        assert!(self.out.contains(text), "no {text:?} in standard output:\n{}", self.out);
        self
    }

    #[track_caller]
    fn complains(self, text: &str) -> Self {
        assert!(self.err.contains(text), "no {text:?} in standard error:\n{}", self.err);
        self
    }

    #[track_caller]
    fn quietly(self) -> Self {
        assert_eq!(self.err, "");
        self
    }
}

/// An empty directory of its own for each test.
struct Dir(PathBuf);

impl Dir {
    fn new(test: &str) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{test}"));
        if dir.exists() {
            fs::remove_dir_all(&dir).expect("an old directory can be removed");
        }
        fs::create_dir_all(&dir).expect("a directory can be created");
        Dir(dir)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
        self
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("a file can be read")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("a directory can be read");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ape"));
        command.current_dir(&self.0).args(args.split_whitespace());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
        command
    }

    fn ape(&self, args: &str) -> Ran {
        self.ape_reading(args, "")
    }

    fn ape_reading(&self, args: &str, input: &str) -> Ran {
        run(&mut self.command(args), input)
    }
}

fn run(command: &mut Command, input: &str) -> Ran {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("ape can be started");
    // A run that does not read its input closes it early.
    let _ = child.stdin.take().expect("standard input is piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("ape ends");
    let text = |bytes| String::from_utf8(bytes).expect("ape prints UTF-8");
    Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn the_version_names_z3_too() {
    let ran = Dir::new("version").ape("--version").ends_with(0).quietly();
    assert!(ran.out.starts_with("ape ") && ran.out.contains(" (Z3 "), "{}", ran.out);
}

#[test]
fn bad_usage_is_status_2_and_help_is_not() {
    let dir = Dir::new("usage");
    dir.ape("").ends_with(2).complains("Usage:");
    dir.ape("prove").ends_with(2).complains("prove");
    dir.ape("check").ends_with(2).complains("FILE");
    dir.ape("--help").ends_with(0).prints("Commands:").quietly();
    dir.ape("run --help").ends_with(0).prints("--store").quietly();
}

#[test]
fn doctor_finds_this_installation_healthy() {
    let ran = Dir::new("doctor").ape("doctor").ends_with(0).prints("ok    Z3 library").quietly();
    assert!(!ran.out.contains("BAD"), "{}", ran.out);
}

#[test]
fn doctor_says_how_to_mend() {
    let dir = Dir::new("doctor-bad");
    let ran = run(dir.command("doctor").env("TMPDIR", dir.0.join("none")), "").ends_with(1);
    ran.prints("BAD   temporary files").prints("set TMPDIR");
}

#[test]
fn check_tells_legal_files_from_others() {
    let dir = Dir::new("check");
    dir.file("good.l", LEGAL).file("bad.l", ILLEGAL);
    dir.ape("check good.l").ends_with(0).prints("good.l: legal, 1 version, 1 procedure\n").quietly();
    let ran = dir.ape("check bad.l good.l").ends_with(2).complains("bad.l").complains("bool");
    ran.prints("good.l: legal");
    dir.ape_reading("check -", LEGAL).ends_with(0).quietly();
    dir.ape_reading("check -", ILLEGAL).ends_with(2).complains("standard input");
}

#[test]
fn check_mends_what_has_one_mend_alone() {
    let dir = Dir::new("fix");
    dir.file("a.l", "procedure p(size: int) { x = 1\n}\n").file("b.l", "procedure p(size: int) { x := sizw; }\n");
    dir.ape("check a.l").ends_with(2);
    assert!(dir.text("a.l").contains("x = 1"));
    dir.ape("check --fix a.l").ends_with(0).prints("a.l: 2 mistakes mended\n").prints("a.l: legal").quietly();
    assert_eq!(dir.text("a.l"), "procedure p(size: int) { x := 1;\n}\n");
    // What was perhaps meant is not what was meant.
    dir.ape("check --fix b.l").ends_with(2).complains("did you mean");
    assert!(dir.text("b.l").contains("sizw"));
    dir.ape_reading("check --fix -", LEGAL).ends_with(2).complains("in place");
}

#[test]
fn files_that_cannot_be_read_are_status_2() {
    let dir = Dir::new("unreadable");
    dir.ape("check none.l").ends_with(2).complains("cannot read none.l");
    dir.ape("check .").ends_with(2).complains("no file in the folder .");
    dir.ape("run . Main").ends_with(2).complains("cannot read .");
    dir.ape("run none.l Main").ends_with(2).complains("cannot read none.l");
    dir.ape("fmt none.l").ends_with(2).complains("cannot read none.l");
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let dir = Dir::new("bytes");
    dir.file("latin.l", b"// caf\xe9\nprocedure P() {}\n").file("zero.l", b"\0\0\0").file("empty.l", b"");
    dir.ape("check latin.l").ends_with(2).complains("UTF-8").complains("latin.l:1");
    dir.ape("check zero.l").ends_with(2).complains("zero.l");
    dir.ape("check empty.l").ends_with(0);
    dir.ape_reading("check -", &format!("\u{feff}{LEGAL}")).ends_with(0).quietly();
}

#[test]
fn deep_nesting_is_a_diagnostic() {
    let dir = Dir::new("deep");
    let nest = |open: &str, close: &str| format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
    let body = |text: String| format!("procedure P(n: int) returns (r: int) {{ {text} }}");
    dir.file("parentheses.l", body(format!("r := {};", nest("(", ")"))));
    dir.file("minus.l", body(format!("r := {};", nest("-", ""))));
    dir.file("sum.l", body(format!("r := {};", nest("1 + ", ""))));
    dir.file("else.l", body(nest("if (true) { } else ", "").replace('1', "{ }")));
    dir.file("blocks.l", body(nest("if (true) {", "}").replace('1', "skip;")));
    for name in dir.names() {
        for command in ["check", "fmt"] {
            let ran = dir.ape(&format!("{command} {name}"));
            assert!(matches!(ran.status, Some(0 | 2)), "{command} {name}: {:?}\n{}", ran.status, ran.err);
        }
    }
    dir.ape("check parentheses.l").ends_with(2).complains("deep");
}

#[test]
fn colours_only_where_they_are_wanted() {
    let dir = Dir::new("colour");
    dir.file("bad.l", ILLEGAL);
    let escapes = |ran: &Ran| ran.err.contains('\u{1b}');
    assert!(!escapes(&dir.ape("check bad.l")), "not into a pipe");
    assert!(escapes(&run(dir.command("check bad.l").env("CLICOLOR_FORCE", "1"), "")), "when forced");
    assert!(!escapes(&run(dir.command("check bad.l").env("NO_COLOR", "1"), "")), "never with NO_COLOR");
}

#[test]
fn fmt_lays_out_in_place_and_then_changes_nothing() {
    let dir = Dir::new("fmt");
    dir.file("a.l", UNTIDY);
    dir.ape("fmt --check a.l").ends_with(1).prints("a.l\n").quietly();
    assert_eq!(dir.text("a.l"), UNTIDY);
    dir.ape("fmt a.l").ends_with(0).quietly();
    let tidy = dir.text("a.l");
    assert_ne!(tidy, UNTIDY);
    dir.ape("fmt --check a.l").ends_with(0).quietly();
    dir.ape("fmt a.l").ends_with(0).quietly();
    assert_eq!(dir.text("a.l"), tidy);
    assert_eq!(dir.ape_reading("fmt -", UNTIDY).ends_with(0).out, tidy);
    assert_eq!(dir.names(), ["a.l"], "nothing is left lying around");
}

#[test]
fn fmt_keeps_comments() {
    let text = "// first\nprocedure P() { /* second */ skip; // third\n}\n// last\n";
    let ran = Dir::new("comments").ape_reading("fmt -", text).ends_with(0);
    for comment in ["// first", "/* second */", "// third", "// last"] {
        assert!(ran.out.contains(comment), "{comment} is lost:\n{}", ran.out);
    }
}

#[test]
fn fmt_does_not_touch_what_is_not_legal() {
    let dir = Dir::new("fmt-illegal");
    dir.file("bad.l", "procedure P( {").file("good.l", UNTIDY);
    dir.ape("fmt bad.l good.l").ends_with(2).complains("bad.l");
    assert_eq!(dir.text("bad.l"), "procedure P( {");
    assert_ne!(dir.text("good.l"), UNTIDY, "the others are laid out all the same");
}

#[cfg(unix)]
#[test]
fn fmt_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = Dir::new("fmt-links");
    dir.file("a.l", UNTIDY);
    fs::set_permissions(dir.0.join("a.l"), fs::Permissions::from_mode(0o640)).expect("permissions can be set");
    symlink("a.l", dir.0.join("link.l")).expect("a link can be made");
    dir.ape("fmt link.l").ends_with(0).quietly();
    assert_ne!(dir.text("a.l"), UNTIDY);
    assert!(dir.0.join("link.l").is_symlink());
    let mode = fs::metadata(dir.0.join("a.l")).expect("the file is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn run_tells_how_a_procedure_ended() {
    let dir = Dir::new("run");
    dir.file("a.l", RUNNABLE);
    dir.ape("run a.l Push 3").ends_with(0).prints("Push ends normally\n").prints(".val := 3;\n").quietly();
    dir.ape("run a.l Sum null").ends_with(0).prints("  s := 0;\n").quietly();
    dir.ape("run a.l Sum -7").ends_with(2).complains("argument `x`");
    dir.ape("run a.l Crash null").ends_with(1).prints("null dereference, at a.l:").prints("x.val := 1;").quietly();
    dir.ape("run a.l Loop").ends_with(1).prints("never ends").quietly();
    dir.ape("run a.l Bad").ends_with(1).prints("breaks the contract").quietly();
    dir.ape("run a.l Assume false").ends_with(3).prints("has no outcome").quietly();
    dir.ape("run a.l Push 1 --steps 2").ends_with(3).prints("too many steps").quietly();
}

#[test]
fn run_refuses_what_it_cannot_run() {
    let dir = Dir::new("run-wrong");
    dir.file("a.l", RUNNABLE).file("pair.l", PAIR).file("bad.l", ILLEGAL);
    dir.ape("run a.l").ends_with(2).complains("PROC");
    dir.ape("run a.l None").ends_with(2).complains("no procedure None");
    dir.ape("run a.l Push").ends_with(2).complains("Push");
    dir.ape("run a.l Push 1 2").ends_with(2).complains("Push");
    dir.ape("run a.l Push true").ends_with(2).complains("argument `n`");
    dir.ape("run bad.l Next 1").ends_with(2).complains("bad.l");
    dir.ape("run pair.l Two 1 --version third").ends_with(2).complains("no version third");
    dir.ape("run pair.l Old 1 --version 1").ends_with(2).complains("no procedure Old in version 1");
}

#[test]
fn run_chooses_the_version() {
    let dir = Dir::new("run-version");
    dir.file("pair.l", PAIR);
    for (version, result) in
        [("", "r := 3;"), ("--version 0", "r := 3;"), ("--version second", "r := 4;"), ("--version 1", "r := 4;")]
    {
        dir.ape(&format!("run pair.l Two 2 {version}")).ends_with(0).prints(result).quietly();
    }
    dir.ape("run pair.l Old 2").ends_with(0).quietly();
}

/// A store of two files has the globals of both.
#[test]
fn run_knows_the_other_file() {
    let dir = Dir::new("run-with");
    let asks = "procedure Ask(n: int) returns (r: int);\n";
    dir.file("old.l", format!("global a: int;\n{asks}procedure P(n: int) returns (r: int) {{ r := Ask(n); }}"));
    let changed = "procedure P(n: int) returns (r: int) { r := Ask(n); if (r == 1) { r := 2; } }";
    dir.file("new.l", format!("global b: int;\n{asks}{changed}"));
    let report = dir.ape("verify --format json old.l new.l").ends_with(1).out.clone();
    dir.file("report.json", report);
    dir.ape("run old.l P --with new.l --store report.json").ends_with(0).prints("r := 1;").quietly();
    dir.ape("run old.l P --with new.l --version 1 --store report.json").ends_with(0).prints("r := 2;").quietly();
    dir.ape("run old.l P --store report.json").ends_with(2).complains("no global");
}

#[test]
fn run_starts_from_a_store() {
    let dir = Dir::new("run-store");
    let heap = r##""heap": {"#1": {"class": "Node", "fields": {"next": "#2", "val": 7}}, "#2": {"class": "Node", "fields": {"val": 70}}}"##;
    let outcomes = r#""left": {"outcome": "normal"}, "right": {"outcome": "error"}"#;
    dir.file("a.l", RUNNABLE);
    dir.file("store.json", format!(r##"{{"arguments": {{"x": "#1"}}, {heap}}}"##));
    dir.file(
        "counterexample.json",
        format!(r##"{{"arguments": {{"x": "#1"}}, "globals": {{}}, {heap}, {outcomes}}}"##),
    );
    dir.file("dangling.json", r##"{"arguments": {"x": "#1"}}"##);
    dir.file("wrong.json", r#"{"arguments": {"y": 1}}"#).file("half.json", "{");
    dir.ape("run a.l Sum --store store.json").ends_with(0).prints("  s := 77;\n").quietly();
    dir.ape("run a.l Sum --store counterexample.json").ends_with(0).prints("  s := 77;\n").quietly();
    for wrong in ["dangling.json", "wrong.json", "half.json", "none.json"] {
        dir.ape(&format!("run a.l Sum --store {wrong}")).ends_with(2).complains(wrong);
    }
    dir.ape("run a.l Sum null --store store.json").ends_with(2).complains("cannot be used with");
}

#[test]
fn run_proves_again_that_a_run_never_ends() {
    let dir = Dir::new("run-endless");
    dir.file("a.l", "version procedure P(n: int) { while (n != 0) { n := n - 1; } } version procedure P(n: int) {}");
    let report = dir.ape("verify a.l --format json").ends_with(1).quietly().out;
    dir.file("report.json", report);
    let again = "run a.l P --store report.json";
    dir.ape(&format!("{again} --version 0")).ends_with(1).prints("P never ends: from where n <= -1").quietly();
    dir.ape(&format!("{again} --version 1")).ends_with(0).prints("P ends normally").quietly();
}

#[test]
fn a_trace_goes_to_standard_error() {
    let dir = Dir::new("trace");
    dir.file("a.l", RUNNABLE);
    let plain = dir.ape("run a.l Push 3").ends_with(0).quietly();
    let traced = dir
        .ape("run a.l Push 3 --trace")
        .ends_with(0)
        .complains("call Push(3)")
        .complains("a.l:3:44: r := new Node();");
    assert_eq!(traced.out, plain.out);
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let dir = Dir::new("pipe");
    dir.file("a.l", LEGAL);
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let output = dir.command("check a.l").stdout(writer).stderr(Stdio::piped()).output().expect("ape runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(141));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_told() {
    let dir = Dir::new("full");
    dir.file("a.l", LEGAL);
    let full = fs::File::options().write(true).open("/dev/full").expect("Linux has /dev/full");
    let output = dir.command("check a.l").stdout(full).stderr(Stdio::piped()).output().expect("ape runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write the output"));
    assert_eq!(output.status.code(), Some(74));
}

const SAME: &str = "
version first
procedure Same(n: int) returns (r: int) { r := n + n; }
version second
procedure Same(n: int) returns (r: int) { r := 2 * n; }
";
const BROKEN: &str = "
procedure Keep(x: ref) modifies {}; { x.f := 1; }
version first
procedure Two(n: int) returns (r: int) { r := n; }
version second
procedure Two(n: int) returns (r: int) { r := n + 3; }
";

/// Files that differ in how they end.
fn several(test: &str) -> Dir {
    let dir = Dir::new(test);
    dir.file("same.l", SAME).file("pair.l", PAIR).file("broken.l", BROKEN).file("empty.l", "version a version b");
    dir
}

/// What a report says of time is not the same each time.
fn timeless(mut report: Json) -> Json {
    for pair in report["pairs"].as_array_mut().expect("pairs") {
        pair["time_ms"] = Json::Null;
    }
    report
}

#[test]
fn several_files_are_verified_each_on_its_own() {
    let dir = several("several");
    let ran = dir.ape("verify same.l pair.l empty.l broken.l").ends_with(1).quietly();
    let headers: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("== ")).collect();
    assert_eq!(headers, ["== same.l", "== pair.l", "== empty.l", "== broken.l", "== 4 files"]);
    let summary = ran.out.split("== 4 files\n").nth(1).expect("a summary");
    assert!(summary.contains("  not-equivalent: pair.l, broken.l\n  nothing to verify: empty.l\n"), "{summary}");

    let ran = dir.ape("verify --format json same.l pair.l empty.l broken.l").ends_with(1).quietly();
    let report: Json = serde_json::from_str(&ran.out).expect("one JSON object");
    assert_eq!(report["verdict"], "not-equivalent");
    let of = |key: &str, what: &str| -> Vec<String> {
        let entries = report[key].as_array().expect("a list");
        entries.iter().map(|entry| format!("{} {}", entry["file"], entry[what]).replace('"', "")).collect()
    };
    assert_eq!(of("pairs", "left"), ["same.l Same", "pair.l Two", "broken.l Keep", "broken.l Two"]);
    assert!(of("contracts", "procedure").iter().all(|contract| contract == "broken.l Keep"));
    let verdicts = ["same.l equivalent", "pair.l not-equivalent", "empty.l none", "broken.l not-equivalent"];
    assert_eq!(of("files", "verdict"), verdicts);
}

#[test]
fn the_worst_file_decides_how_several_end() {
    let dir = several("worst");
    dir.file("open.l", "version a procedure P(n: int) { skip; } version b procedure P(n: int, m: int) { skip; }");
    dir.ape("verify same.l same.l").ends_with(0).quietly();
    dir.ape("verify same.l empty.l").ends_with(0).prints("nothing to verify: empty.l").quietly();
    dir.ape("verify empty.l empty.l empty.l").ends_with(4).quietly();
    dir.ape("verify same.l open.l").ends_with(3).prints("  unknown: open.l").quietly();
    dir.ape("verify open.l pair.l same.l").ends_with(1).quietly();
    // Two files without pairs of their own are the two versions.
    dir.file("old.l", LEGAL).file("new.l", UNTIDY);
    let ran = dir.ape("verify old.l new.l").ends_with(0).prints("Next: equivalent").quietly();
    assert!(!ran.out.contains("=="), "{}", ran.out);
}

#[test]
fn folders_are_walked() {
    let dir = several("walked");
    dir.file("sub/more/one.l", LEGAL).file("sub/two.l", "version a procedure P() { } version b procedure P() { }");
    dir.ape("check sub").ends_with(0).prints("sub/more/one.l: legal").prints("sub/two.l: legal").quietly();
    dir.ape("fmt --check sub").ends_with(1).prints("sub/two.l");
    // Only what has two versions can be verified.
    dir.ape("verify sub").ends_with(0).prints("P: equivalent").quietly();
    dir.ape("verify sub/more").ends_with(2).complains("no file in the folder sub/more");
    dir.file("blank.l", "").ape("verify blank.l").ends_with(2).complains("there is no procedure in blank.l");
    dir.file("apart.l", "version a procedure P() { } version b procedure Q() { }");
    dir.ape("verify apart.l").ends_with(4).prints("`equiv p ~ q;` pairs");
}

#[test]
fn nothing_is_verified_when_one_of_several_files_is_wrong() {
    let dir = several("wrong");
    dir.file("illegal.l", ILLEGAL).file("garbled.l", "version ???").file("plain.l", LEGAL);
    let ran = dir.ape("verify same.l illegal.l pair.l garbled.l").ends_with(2);
    assert_eq!(ran.out, "");
    ran.complains("illegal.l:2").complains("garbled.l:1");
    dir.ape("verify same.l pair.l plain.l").ends_with(2).complains("there is one version in plain.l");
    dir.file("three.l", "version a version b version c");
    dir.ape("verify three.l").ends_with(2).complains("there are 3 versions in three.l");
    dir.ape("verify same.l none.l gone.l").ends_with(2).complains("none.l").complains("gone.l");
}

#[test]
fn any_number_of_threads_reports_the_same_of_several_files() {
    let dir = several("threads");
    let files = "same.l pair.l empty.l broken.l same.l pair.l broken.l";
    let text = |jobs: u32| dir.ape(&format!("verify --explain --jobs {jobs} {files}")).ends_with(1).quietly().out;
    let json = |jobs: u32| {
        let ran = dir.ape(&format!("verify --format json --jobs {jobs} {files}")).ends_with(1).quietly();
        timeless(serde_json::from_str(&ran.out).expect("one JSON object"))
    };
    assert_eq!(text(1), text(3));
    assert_eq!(json(1), json(8));
}

#[test]
fn options_mean_the_same_for_several_files() {
    let dir = several("options");
    // Only the files that have the procedure.
    let ran = dir.ape("verify --proc Same same.l pair.l empty.l").ends_with(0).prints("== 1 file\n").quietly();
    assert!(!ran.out.contains("pair.l"), "{}", ran.out);
    dir.ape("verify --proc Nobody same.l pair.l empty.l").ends_with(2).complains("no procedure Nobody");
    // Dumps are parted by comments where the text is a program.
    for (stage, lines) in
        [("ast", "// pair.l\n"), ("lowered", "// pair.l\n"), ("smt2", "; pair.l\n"), ("effects", "== pair.l\n")]
    {
        dir.ape(&format!("verify --dump {stage} same.l pair.l empty.l")).ends_with(0).prints(lines).quietly();
    }
    // Certificates go into directories named after the files.
    dir.ape("verify --certificate proofs same.l empty.l pair.l").ends_with(1).quietly();
    dir.ape("replay proofs/same.l same.l").ends_with(0).prints("Same: equivalent").quietly();
    dir.ape("replay proofs/same.l proofs/pair.l").ends_with(0).prints("proofs/pair.l: confirmed").quietly();
    dir.ape("verify --certificate proofs same.l empty.l ./same.l").ends_with(2).complains("two files would go to");
    dir.ape("verify --certificate proofs/same.l same.l pair.l").ends_with(2).complains("is a certificate itself");
}

#[test]
fn a_counterexample_of_several_files_is_found_by_file() {
    let dir = several("replayed");
    let report = dir.ape("verify --format json same.l pair.l broken.l").ends_with(1).out;
    dir.file("report.json", report);
    dir.ape("run pair.l Two --store report.json --version second").ends_with(0).prints("r := ").quietly();
    dir.ape("run ./broken.l Two --store report.json").ends_with(0).prints("r := ").quietly();
    dir.ape("run same.l Same --store report.json").ends_with(2).complains("without a counterexample for Same");
}

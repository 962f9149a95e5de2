//! The tree-sitter grammar against the parser: what the one takes the other takes too, and what the one refuses the other marks.

use crate::kinds::{Kind, kinds};
use crate::{common, is_well_formed, programs};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator as _};

/// Of how many tokens one is changed.
const EVERY: usize = 7;

fn language() -> Language {
    tree_sitter_l::LANGUAGE.into()
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the library reads tables of this version");
    parser
}

/// Whether the grammar takes a text without a mark that something is wrong or missing.
fn takes(parser: &mut Parser, text: &str) -> bool {
    let tree = parser.parse(text, None).expect("nothing stops it");
    !tree.root_node().has_error()
}

#[test]
fn it_takes_what_the_parser_takes() {
    let mut parser = parser();
    let (mut wrong, mut refused) = (Vec::new(), 0);
    for (path, text) in programs() {
        let (ours, theirs) = (is_well_formed(&text), takes(&mut parser, &text));
        refused += usize::from(!ours);
        if ours != theirs {
            wrong.push(format!("{}: the parser {ours}, the grammar {theirs}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused < 10, "programs that no parser takes are few");
}

/// Each text without one of its tokens, or with one of them twice; of many tokens some.
fn mutants(text: &str) -> Vec<String> {
    let tokens = kinds(text).into_iter().filter(|(kind, _)| *kind != Kind::Comment);
    let mutants = tokens.step_by(EVERY).flat_map(|(_, range)| {
        let (before, token, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
        [format!("{before}{after}"), format!("{before}{token} {token}{after}")]
    });
    mutants.collect()
}

#[test]
fn it_marks_what_the_parser_refuses() {
    let mut parser = parser();
    let (mut wrong, mut refused, mut taken) = (Vec::new(), 0, 0);
    for (path, text) in programs().into_iter().filter(|(path, _)| path.starts_with(common::root().join("examples"))) {
        for mutant in mutants(&text) {
            let ours = is_well_formed(&mutant);
            *(if ours { &mut taken } else { &mut refused }) += 1;
            if ours != takes(&mut parser, &mutant) {
                wrong.push(format!("{}: the parser {ours}, the grammar {}\n{mutant}", path.display(), !ours));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), refused + taken, wrong.join("\n"));
    assert!(refused > 500 && taken > 50, "{refused} {taken}");
}

/// What no program of the repository has, and what the parser says of it.
#[test]
fn it_agrees_on_what_is_rare() {
    let body = |statement: &str| format!("procedure p(x: A[][], y) returns (r: int) {{ {statement} }}");
    let mut parser = parser();
    let (good, bad) = (
        [
            "VERSION 1 version \"a \\\" b\" version x' class A { f: int; g: A[]; }".to_string(),
            "equiv p ~ q when x == null ? true : y; global g: ref[];".to_string(),
            "procedure p(); procedure q() modifies {}; procedure r() requires true; { }".to_string(),
            "procedure p() modifies x.f[1].g; ensures old(x) == x; ;".to_string(),
            body("x := new; x := new(); x := new A; x := new A(); x := new A[1]; x := new int[][y - 1];"),
            body("a, b := p(1, 2); a, b := call p(); call p(); (p()); (x).f := 1; var v; var w: int := 1;"),
            body("x.f[y.g[1]].h := forall i: int :: exists j: A[] :: i == 1 ==> j == null;"),
            body("r := a ==> b ==> c ? d ? 1 : 2 : e || f && !g.h == -1 * -2 % 3;"),
            body("r := (forall i: int :: p(i)) && forall j: bool :: j ? j : !j;"),
            body("if (a) { } else if (b) { } else { } while (a) invariant b; invariant c; { break; continue; skip; }"),
            body("return; return 1, 2; assert a; assume b; /* a ** / * */ // c\n"),
            String::new(),
        ],
        [
            "version version class { }".to_string(),
            "class A { f: int }".to_string(),
            "procedure p() { } }".to_string(),
            "procedure p(x:) { }".to_string(),
            "equiv p q;".to_string(),
            "class A { f: int; ".to_string(),
            body("x := new int;"),
            body("x := new A[];"),
            body("x + 1;"),
            body("p().f := 1;"),
            body("x;"),
            body("x := 1"),
            body("x = 1;"),
            body("if (a) skip;"),
            body("if (a = b) { }"),
            body("else { }"),
            body("{ }"),
            body("a, b := 1;"),
            body("a.f, b := p();"),
            body("var int: int;"),
            body("x := a & b;"),
            body("x := \"text\";"),
            body("/* never closed"),
            body("x := a ? b;"),
        ],
    );
    for (texts, right) in [(&good[..], true), (&bad[..], false)] {
        for text in texts {
            assert_eq!((is_well_formed(text), takes(&mut parser, text)), (right, right), "{text}");
        }
    }
}

/// The kinds that colours stand for.
fn kind(capture: &str) -> Kind {
    match capture.split('.').next().unwrap_or(capture) {
        "keyword" | "boolean" => Kind::Keyword,
        "constant" | "type" if matches!(capture, "constant.builtin" | "type.builtin") => Kind::Keyword,
        "variable" | "property" | "function" | "type" => Kind::Name,
        "number" => Kind::Number,
        "string" => Kind::Text,
        "comment" => Kind::Comment,
        "operator" => Kind::Operator,
        "punctuation" => Kind::Mark,
        other => panic!("@{other}"),
    }
}

#[test]
fn its_colours_give_each_token_its_kind() {
    let path = common::root().join("prover/editors/tree-sitter-l/queries/highlights.scm");
    let query = Query::new(&language(), &fs::read_to_string(path).expect("it can be read")).expect("it is a query");
    let mut parser = parser();
    let mut wrong = Vec::new();
    for (path, text) in programs().into_iter().filter(|(_, text)| is_well_formed(text)) {
        let tree = parser.parse(&text, None).expect("nothing stops it");
        let mut cursor = QueryCursor::new();
        let mut found = cursor.captures(&query, tree.root_node(), text.as_bytes());
        let mut colours = vec![None; text.len()];
        while let Some((matched, at)) = found.next() {
            let capture = matched.captures()[*at];
            let name = query.capture_names()[capture.index as usize];
            // The label of a version has a colour of its own, whatever it is.
            colours[capture.node.byte_range()].fill(Some(name));
        }
        for (kind, range) in kinds(&text) {
            let good = |colour: &Option<&str>| colour.is_some_and(|name| name == "label" || self::kind(name) == kind);
            if let Some(colour) = colours[range.clone()].iter().find(|colour| !good(colour)) {
                wrong.push(format!("{}: `{}`: {kind:?} is {colour:?}", path.display(), &text[range]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Who changes `grammar.js` has to run the generator, which writes `src/`.
#[test]
fn what_is_generated_is_of_this_grammar() {
    let folder = common::root().join("prover/editors/tree-sitter-l");
    let grammar = fs::canonicalize(folder.join("grammar.js")).expect("it is there");
    let Ok(done) = Command::new("node").arg(common::root().join("tests/grammars/rules.js")).arg(grammar).output()
    else {
        return; // There is no node here.
    };
    let json = |text: &[u8]| serde_json::from_slice::<Value>(text).expect("it is JSON");
    let written = json(&done.stdout);
    let generated = json(&fs::read(folder.join("src/grammar.json")).expect("it can be read"));
    assert_eq!(written["rules"], generated["rules"]);
    assert_eq!(written["reserved"], generated["reserved"]["global"]);
}

/// What Neovim loads is compiled by the command in the documentation.
#[test]
fn the_documented_command_makes_a_library() {
    let editors = common::root().join("prover/editors");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tree-sitter");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("nvim")).expect("a folder can be made");
    symlink(editors.join("tree-sitter-l"), folder.join("tree-sitter-l")).expect("a link can be made");
    let text = fs::read_to_string(editors.join("nvim/README.md")).expect("it can be read");
    let command = text.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("```")).expect("it has a command").0;
    let done = Command::new("sh").args(["-ec", command]).current_dir(folder.join("nvim")).status();
    assert!(done.expect("there is a shell").success(), "{command}");
    assert!(folder.join("nvim/parser/l.so").is_file());
    // The plugin has the same colours.
    let colours = |path: &str| fs::read_to_string(editors.join(path)).expect("it can be read");
    assert_eq!(colours("nvim/queries/l/highlights.scm"), colours("tree-sitter-l/queries/highlights.scm"));
}

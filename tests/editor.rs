//! The editor of `ape serve` in a real browser. Where there is no Chromium the tests are shown as ignored.

mod common;

use common::browser::{Browser, run};
use common::root;
use common::server::Server;
use lang_l::source::FileId;
use lang_l::token::{Token, lex};
use libtest_mimic::Failed;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::Path;

fn main() {
    run(&[
        ("verdicts_follow_the_text", verdicts_follow_the_text),
        ("colours_are_those_of_the_lexer", colours_are_those_of_the_lexer),
        ("answers_to_exercises_are_judged", answers_to_exercises_are_judged),
        ("the_editor_fits_narrow_and_wide_screens", the_editor_fits_narrow_and_wide_screens),
    ]);
}

/// The editor of a server, when it has its first verdict.
fn open(chromium: &Path, server: &Server) -> Result<Browser, Failed> {
    let mut browser = Browser::open(chromium, "editor", &format!("http://{}/", server.address))?;
    browser.until(&verdict("equivalent"))?;
    Ok(browser)
}

/// That this is the verdict of the text that is there.
fn verdict(word: &str) -> String {
    format!(
        "document.querySelector('.found')?.classList.contains('stale') === false && \
         document.querySelector('.verdict .badge')?.textContent.split(' ')[1] === '{word}'"
    )
}

/// A text that is to be edited.
fn field(pane: &str) -> String {
    format!("document.querySelector('[data-pane={pane}] textarea')")
}

/// Types over what stands in a text for the first time.
fn type_over(browser: &mut Browser, pane: &str, old: &str, new: &str) -> Result<(), Failed> {
    let (field, old) = (field(pane), json!(old));
    let select = format!(
        "(() => {{ const field = {field}; const at = field.value.indexOf({old}); field.focus(); \
         field.setSelectionRange(at, at + {old}.length); return at >= 0; }})()"
    );
    browser.expect(&select, json!(true))?;
    browser.ask("Input.insertText", json!({ "text": new }))?;
    Ok(())
}

/// Chooses one of the programs that are offered.
fn choose(name: &str) -> String {
    let name = json!(name);
    format!(
        "(() => {{ const choice = document.getElementById('program'); choice.value = {name}; \
         choice.dispatchEvent(new Event('change')); return choice.value === {name}; }})()"
    )
}

fn verdicts_follow_the_text(chromium: &Path) -> Result<(), Failed> {
    let server = Server::start(&["--timeout", "60"]);
    let mut browser = open(chromium, &server)?;
    type_over(&mut browser, "new", "2 *", "3 *")?;
    browser.until(&verdict("not-equivalent"))?;
    // The page of the run works in its frame, and may do nothing else.
    browser.in_frame(|browser| {
        browser.until("document.querySelectorAll('.controls button').length === 4")?;
        browser.expect("document.querySelector('h1').textContent", json!("program: not-equivalent"))?;
        browser.expect("window.origin", json!("null"))?;
        browser.expect("getComputedStyle(document.querySelector('.badge')).borderStyle", json!("double"))
    })?;
    // What is wrong is shown where it is, and mended there.
    type_over(&mut browser, "old", "m := n", "m = n")?;
    browser.until("document.querySelectorAll('[data-pane=old] .mistakes li').length === 1")?;
    browser.expect("document.querySelector('[data-pane=old] .wrong').textContent", json!("="))?;
    browser.expect("document.querySelector('[data-pane=old] .gutter b').textContent.trim()", json!("✗3"))?;
    browser.expect("document.querySelectorAll('.verdict .badge').length", json!(0))?;
    browser.point("[data-pane=old] .mend", true)?;
    browser.until("document.querySelectorAll('.mistakes li').length === 0")?;
    browser.expect(&format!("{}.value.includes('m := n')", field("old")), json!(true))?;
    browser.until(&verdict("not-equivalent"))?;
    // As it is after it was loaded again.
    browser.ask("Page.reload", json!({}))?;
    browser.until(&verdict("not-equivalent"))?;
    browser.content()
}

/// What has a colour in a text: the element, and its words.
fn coloured(text: &str) -> Json {
    let lexed = lex(FileId(0), text);
    let tag = |token: Token| match token {
        Token::Int => Some("U"),
        Token::Text => Some("I"),
        token => token.is_keyword().then_some("B"),
    };
    let tokens = lexed.tokens.iter().filter_map(|(token, span)| Some((span.range(), tag(*token)?)));
    let comments = lexed.comments.iter().map(|comment| (comment.span.range(), "I"));
    let mut all: Vec<_> = tokens.chain(comments).collect();
    all.sort_by_key(|(range, _)| range.start);
    all.into_iter().map(|(range, tag)| json!([tag, &text[range]])).collect()
}

fn colours_are_those_of_the_lexer(chromium: &Path) -> Result<(), Failed> {
    let server = Server::start(&["--timeout", "60"]);
    let mut browser = open(chromium, &server)?;
    let shown = "[...document.querySelectorAll('.shown')].map((shown) => \
                 [...shown.children].map((word) => [word.tagName, word.textContent]))";
    let options = browser.value("[...document.querySelectorAll('#program option')].map((option) => option.value)")?;
    let options = options.as_array().ok_or("no programs")?.clone();
    assert!(options.len() > 70, "{}", options.len());
    for option in &options {
        let name = option.as_str().ok_or("no name")?;
        let texts =
            "['shared', 'old', 'new'].map((name) => document.querySelector(`[data-pane=${name}] textarea`).value)";
        let both = browser.value(&format!("{} && [{texts}, {shown}]", choose(name)))?;
        let texts = both[0].as_array().ok_or("no texts")?;
        let right: Vec<Json> = texts.iter().map(|text| coloured(text.as_str().unwrap_or_default())).collect();
        assert_eq!(both[1], json!(right), "{name}");
    }
    let tricky = [
        "",
        "x' 9 b'if'",
        "/* ** / */ if",
        "/**/ if /***/ 1",
        "\"a \\\" if\" if",
        "1.f 12ab _1",
        "a // if\nif",
        "𝄞 if é 1 \u{a0}int",
        "versionx VERSION Version",
        "// /* if\n1",
        "/* // */ 1 \"// 2\" 3",
    ];
    for text in tricky {
        let set = format!(
            "(() => {{ const field = {}; field.value = {}; field.dispatchEvent(new Event('input')); return {shown}[1]; }})()",
            field("old"),
            json!(text)
        );
        assert_eq!(browser.value(&set)?, coloured(text), "{text}");
    }
    browser.content()
}

fn answers_to_exercises_are_judged(chromium: &Path) -> Result<(), Failed> {
    let server = Server::start(&["--timeout", "60"]);
    let mut browser = open(chromium, &server)?;
    let mark = "document.querySelector('.mark').dataset.mark";
    browser.expect(&choose("exercise 1.1 verdict"), json!(true))?;
    browser.point("#grade", true)?;
    browser.until(&format!("{mark} === 'not-answered'"))?;
    // The answer is not told by the page.
    browser.expect("document.querySelector('.report').hidden", json!(true))?;
    let solution = fs::read_to_string(root().join("tests/course/heaps_1.l"))?;
    for (at, line) in solution.lines().filter(|line| line.starts_with("// answer:")).enumerate() {
        let given = format!("// answer: {} ?", ["ring", "twins"][at]);
        type_over(&mut browser, "shared", &given, line)?;
    }
    browser.point("#grade", true)?;
    browser.until(&format!("{mark} === 'right'"))?;
    browser.until(&verdict("not-equivalent"))?;
    browser.expect("document.querySelector('.report').hidden", json!(false))?;
    browser.content()
}

fn the_editor_fits_narrow_and_wide_screens(chromium: &Path) -> Result<(), Failed> {
    let server = Server::start(&["--timeout", "60"]);
    let mut browser = open(chromium, &server)?;
    for width in [320, 800, 1_280, 2_560] {
        let metrics = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        browser.ask("Emulation.setDeviceMetricsOverride", metrics)?;
        let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
        browser.expect(fits, json!(true)).map_err(|wrong| format!("{width}: {wrong:?}"))?;
        // What is typed stands exactly over what is shown.
        let over = "[...document.querySelectorAll('.side .paper')].every((paper) => \
                    paper.querySelector('textarea').scrollWidth <= paper.clientWidth && \
                    paper.querySelector('textarea').scrollHeight <= paper.clientHeight)";
        browser.expect(over, json!(true)).map_err(|wrong| format!("{width}: {wrong:?}"))?;
    }
    for (scheme, ink) in [("dark", "rgb(232, 232, 232)"), ("light", "rgb(26, 26, 26)")] {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.ask("Emulation.setEmulatedMedia", features)?;
        browser.expect("getComputedStyle(document.querySelector('.shown')).color", json!(ink))?;
    }
    browser.content()
}

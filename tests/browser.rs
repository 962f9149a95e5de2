//! The page of a run in a real browser. Where there is no Chromium the tests are shown as ignored.

mod common;

use common::ape;
use common::browser::{Browser, folder_of};
use libtest_mimic::Failed;
use serde_json::json;
use std::fs;
use std::path::Path;

/// How long a page may take until it shows something, and a step of a run, in milliseconds.
const FIRST_PAINT: f64 = 500.0;
const STEP: f64 = 50.0;
/// So many times as long where other tests keep the machine busy.
const BUSY: f64 = 4.0;

fn main() {
    common::browser::run(&[
        ("steps_go_forwards_and_back", steps_go_forwards_and_back),
        ("what_corresponds_is_marked", what_corresponds_is_marked),
        ("pages_fit_narrow_and_wide_screens", pages_fit_narrow_and_wide_screens),
        ("pages_are_quick", pages_are_quick),
    ]);
}

/// Opens the page of these files.
fn open(chromium: &Path, files: &[&str]) -> Result<Browser, Failed> {
    let file = folder_of("browser")?.join("page.html");
    fs::write(&file, ape(["verify", "--format", "html"].iter().chain(files)).out)?;
    Browser::open(chromium, "browser", &format!("file://{}", file.display()))
}

const LAST: &str = ".controls button:nth-of-type(4)";
const BACK: &str = ".controls button:nth-of-type(2)";
const SAID: &str = "[...document.querySelectorAll('.said')].map((said) => said.textContent)";

fn steps_go_forwards_and_back(chromium: &Path) -> Result<(), Failed> {
    let mut browser = open(chromium, &["examples/shared_default.l"])?;
    browser.expect("document.querySelector('.steps').hidden", json!(false))?;
    browser.expect("document.querySelectorAll('.l.now').length", json!(0))?;
    browser.point(LAST, true)?;
    browser.expect(SAID, json!(["Step 6 of 6: ends normally", "Step 6 of 6: ends normally"]))?;
    // The heaps at the end: three objects, and two.
    let boxes = "[...document.querySelectorAll('.run')].map((run) => run.querySelectorAll('svg .box').length)";
    browser.expect(boxes, json!([3, 2]))?;
    browser.expect("document.querySelectorAll('.l.now').length", json!(2))?;
    browser.point(BACK, true)?;
    browser.expect(SAID, json!(["Step 5 of 6: pair.right.level := level;", "Step 5 of 6: pair.right := default;"]))?;
    let lines = "[...document.querySelectorAll('.l.now')].map((line) => Number(line.dataset.n))";
    browser.expect(lines, json!([22, 31]))?;
    // The same with the keyboard alone.
    browser.value("document.querySelector('.controls input').focus()")?;
    browser.key("ArrowLeft")?;
    let left =
        "(() => { const slider = document.querySelector('.controls input'); return slider.max - slider.value; })()";
    browser.expect(left, json!(2))?;
    browser.key("ArrowRight")?;
    browser.key("ArrowRight")?;
    browser.expect(boxes, json!([3, 2]))?;
    browser.content()
}

fn what_corresponds_is_marked(chromium: &Path) -> Result<(), Failed> {
    let mut browser = open(chromium, &["examples/hoisted_length.l"])?;
    let on = "[...document.querySelectorAll('.k.on')].map((word) => Number(word.closest('.l').dataset.n))";
    browser.expect(on, json!([]))?;
    browser.point(".l[data-n='18'] .k", false)?;
    browser.expect(on, json!([18, 39]))?;
    browser.point("h1", false)?;
    browser.expect(on, json!([]))?;
    // Following the link moves the focus to the counterpart.
    browser.point(".l[data-n='39'] .k", true)?;
    browser.expect("document.activeElement.closest('.l').dataset.n", json!("18"))?;
    browser.content()
}

fn pages_fit_narrow_and_wide_screens(chromium: &Path) -> Result<(), Failed> {
    let mut browser = open(chromium, &["examples/shared_default.l", "examples/hoisted_length.l"])?;
    for width in [320, 800, 1_280, 2_560] {
        let metrics = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        browser.ask("Emulation.setDeviceMetricsOverride", metrics)?;
        let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
        browser.expect(fits, json!(true)).map_err(|wrong| format!("{width}: {wrong:?}"))?;
    }
    for scheme in ["dark", "light"] {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.ask("Emulation.setEmulatedMedia", features)?;
        let paper = if scheme == "dark" { "rgb(22, 22, 22)" } else { "rgb(255, 255, 255)" };
        browser.expect("getComputedStyle(document.body).backgroundColor", json!(paper))?;
    }
    browser.content()
}

fn pages_are_quick(chromium: &Path) -> Result<(), Failed> {
    let mut browser = open(chromium, &["examples/diff_retry_for_ever.l"])?;
    let painted = "performance.getEntriesByType('paint').some((entry) => entry.name === 'first-contentful-paint')";
    browser.until(painted)?;
    let first = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
    let first = browser.value(first)?.as_f64().unwrap_or(f64::MAX);
    // The slowest step would say more of the machine than of the page; the median does not.
    let usual = "(() => { const slider = document.querySelector('.controls input'); const times = []; \
        for (let at = 0; at <= slider.max; at++) { const start = performance.now(); slider.value = at; \
        slider.dispatchEvent(new Event('input')); document.body.getBoundingClientRect(); \
        times.push(performance.now() - start); } times.sort((a, b) => a - b); return times[times.length >> 1]; })()";
    let step = browser.value(usual)?.as_f64().unwrap_or(f64::MAX);
    if first > FIRST_PAINT * BUSY || step > STEP {
        return Err(format!("first paint after {first} ms, a step in {step} ms").into());
    }
    println!("first paint after {first:.0} ms, a step in {step:.1} ms");
    browser.content()
}

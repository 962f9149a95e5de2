//! The page of a run in a real browser: headless Chromium, told what to do over its debugging pipe.
//!
//! Where there is no Chromium the tests are shown as ignored. `APE_CHROMIUM` names another one.

mod common;

use common::ape;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// How long a page may take until it shows something, and a step of a run, in milliseconds.
const FIRST_PAINT: f64 = 500.0;
const STEP: f64 = 50.0;
/// So many times as long where other tests keep the machine busy.
const BUSY: f64 = 4.0;

fn main() {
    let chromium = chromium();
    let trial = |name: &'static str, run: fn(&Path) -> Result<(), Failed>| {
        let found = chromium.clone();
        Trial::test(name, move || run(&found.ok_or("there is no Chromium")?)).with_ignored_flag(chromium.is_none())
    };
    let trials = vec![
        trial("steps_go_forwards_and_back", steps_go_forwards_and_back),
        trial("what_corresponds_is_marked", what_corresponds_is_marked),
        trial("pages_fit_narrow_and_wide_screens", pages_fit_narrow_and_wide_screens),
        trial("pages_are_quick", pages_are_quick),
    ];
    // One browser at a time.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit();
}

/// The browser, where there is one.
fn chromium() -> Option<PathBuf> {
    if let Some(named) = env::var_os("APE_CHROMIUM") {
        return Some(named.into()).filter(|path: &PathBuf| path.is_file());
    }
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"];
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}

/// A browser with one page.
struct Browser {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    asked: u64,
    /// What went wrong in the page, by its own word.
    complaints: Vec<String>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.ask("Browser.close", json!({}));
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Opens the page of these files.
    fn open(chromium: &Path, files: &[&str]) -> Result<Self, Failed> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
        fs::create_dir_all(&folder)?;
        let file = folder.join("page.html");
        fs::write(&file, ape(["verify", "--format", "html"].iter().chain(files)).out)?;
        // The browser reads commands from its third stream and writes answers to its fourth.
        let line = "exec \"$0\" --headless --no-sandbox --disable-gpu --user-data-dir=\"$1\" --remote-debugging-pipe \
                    3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
        let mut process = Command::new("sh")
            .args(["-c", line])
            .args([chromium, &folder.join("profile")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (process.stdin.take().ok_or("no input")?, process.stdout.take().ok_or("no output")?);
        let mut browser =
            Browser { process, input, output: BufReader::new(output), session: None, asked: 0, complaints: Vec::new() };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }))?["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }))?;
        browser.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}))?;
        }
        browser.ask("Page.navigate", json!({ "url": format!("file://{}", file.display()) }))?;
        browser.until("document.readyState === 'complete' && location.protocol === 'file:'")?;
        Ok(browser)
    }

    /// The answer to a command.
    fn ask(&mut self, method: &str, params: Json) -> Result<Json, Failed> {
        self.asked += 1;
        let mut command = json!({ "id": self.asked, "method": method, "params": params });
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        self.input.write_all(format!("{command}\0").as_bytes())?;
        self.input.flush()?;
        loop {
            let mut text = Vec::new();
            if self.output.read_until(0, &mut text)? == 0 {
                return Err("the browser is gone".into());
            }
            text.pop();
            let mut message: Json = serde_json::from_slice(&text)?;
            if matches!(message["method"].as_str(), Some("Runtime.exceptionThrown" | "Log.entryAdded")) {
                self.complaints.push(message["params"].to_string());
            }
            if message["id"] == self.asked {
                return match &message["error"] {
                    Json::Null => Ok(message["result"].take()),
                    error => Err(format!("{method}: {error}").into()),
                };
            }
        }
    }

    /// The value of an expression in the page.
    fn value(&mut self, expression: &str) -> Result<Json, Failed> {
        let answer = self.ask("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }))?;
        match &answer["exceptionDetails"] {
            Json::Null => Ok(answer["result"]["value"].clone()),
            wrong => Err(format!("{expression}: {wrong}").into()),
        }
    }

    /// Waits until an expression holds.
    fn until(&mut self, expression: &str) -> Result<(), Failed> {
        let end = Instant::now() + Duration::from_secs(30);
        while Instant::now() < end {
            if self.value(expression)? == true {
                return Ok(());
            }
        }
        Err(format!("it never holds: {expression}").into())
    }

    fn expect(&mut self, expression: &str, expected: Json) -> Result<(), Failed> {
        // A page that is busy comes to it a little later.
        for _ in 0..50 {
            if self.value(expression)? == expected {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(100));
        }
        let found = self.value(expression)?;
        if found == expected { Ok(()) } else { Err(format!("{expression} is {found}, not {expected}").into()) }
    }

    /// Moves the pointer to the middle of an element, and perhaps presses it.
    fn point(&mut self, selector: &str, press: bool) -> Result<(), Failed> {
        let place = format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{block: 'center'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()",
            json!(selector)
        );
        let at = self.value(&place)?;
        let kinds: &[&str] = if press { &["mouseMoved", "mousePressed", "mouseReleased"] } else { &["mouseMoved"] };
        for kind in kinds {
            let event = json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", event)?;
        }
        Ok(())
    }

    fn key(&mut self, key: &str) -> Result<(), Failed> {
        let code = if key == "ArrowRight" { 39 } else { 37 };
        for kind in ["keyDown", "keyUp"] {
            self.ask(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code }),
            )?;
        }
        Ok(())
    }

    /// Neither an error nor anything that the policy has refused.
    fn content(&self) -> Result<(), Failed> {
        if self.complaints.is_empty() { Ok(()) } else { Err(self.complaints.join("\n").into()) }
    }
}

const LAST: &str = ".controls button:nth-of-type(4)";
const BACK: &str = ".controls button:nth-of-type(2)";
const SAID: &str = "[...document.querySelectorAll('.said')].map((said) => said.textContent)";

fn steps_go_forwards_and_back(chromium: &Path) -> Result<(), Failed> {
    let mut browser = Browser::open(chromium, &["examples/shared_default.l"])?;
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
    let mut browser = Browser::open(chromium, &["examples/hoisted_length.l"])?;
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
    let mut browser = Browser::open(chromium, &["examples/shared_default.l", "examples/hoisted_length.l"])?;
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
    let mut browser = Browser::open(chromium, &["examples/diff_retry_for_ever.l"])?;
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

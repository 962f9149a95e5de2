//! A real browser, headless Chromium, told what to do over its debugging pipe.
//!
//! `APE_CHROMIUM` names another one than is found.

use super::debian::{found_or_installed, program};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

/// A test that is given a browser: its name, and what it does.
pub(crate) type Test = (&'static str, fn(&Path) -> Result<(), Failed>);

/// Runs tests that need a browser, one after the other; they are shown as ignored where there is none.
pub(crate) fn run(tests: &[Test]) -> ! {
    let chromium = chromium();
    let trial = |&(name, run): &Test| {
        let found = chromium.clone();
        Trial::test(name, move || run(&found.ok_or("there is no Chromium")?)).with_ignored_flag(chromium.is_none())
    };
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, tests.iter().map(trial).collect()).exit()
}

/// A folder of this name for what tests write.
pub(crate) fn folder_of(name: &str) -> Result<PathBuf, Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The browser, where there is one that starts.
fn chromium() -> Option<PathBuf> {
    if let Some(named) = env::var_os("APE_CHROMIUM") {
        return Some(named.into()).filter(|path: &PathBuf| path.is_file());
    }
    let names = ["chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"];
    found_or_installed(&["chromium"], || program(&names)).filter(|chromium| {
        let mut command = Command::new(chromium);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// How many browsers were started.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// An empty profile in this folder. One that another browser had may still be locked by what is left of that, and the next one would go.
fn profile(folder: &Path) -> io::Result<PathBuf> {
    let profile = folder.join(format!("profile-{}", STARTED.fetch_add(1, Ordering::Relaxed)));
    match fs::remove_dir_all(&profile) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(profile),
    }
}

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    /// The session of the frame that was last put into the page, where that is another site's.
    frame: Option<String>,
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
    /// Opens a page. The browser keeps what it keeps in a folder of this name.
    pub(crate) fn open(chromium: &Path, folder: &str, url: &str) -> Result<Self, Failed> {
        let folder = folder_of(folder)?;
        // The browser reads commands from its third stream and writes answers to its fourth.
        let line = "exec \"$0\" --headless --no-sandbox --disable-gpu --user-data-dir=\"$1\" --remote-debugging-pipe \
                    3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
        let mut process = Command::new("sh")
            .args(["-c", line])
            .args([chromium, &profile(&folder)?])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (process.stdin.take().ok_or("no input")?, process.stdout.take().ok_or("no output")?);
        let output = BufReader::new(output);
        let mut browser =
            Browser { process, input, output, session: None, frame: None, asked: 0, complaints: Vec::new() };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }))?["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }))?;
        browser.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}))?;
        }
        let frames = json!({ "autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true });
        browser.ask("Target.setAutoAttach", frames)?;
        browser.ask("Page.navigate", json!({ "url": url }))?;
        browser.until("document.readyState === 'complete' && location.protocol !== 'about:'")?;
        Ok(browser)
    }

    /// The answer to a command.
    pub(crate) fn ask(&mut self, method: &str, params: Json) -> Result<Json, Failed> {
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
            if message["method"] == "Target.attachedToTarget" && message["params"]["targetInfo"]["type"] == "iframe" {
                self.frame = message["params"]["sessionId"].as_str().map(str::to_string);
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
    pub(crate) fn value(&mut self, expression: &str) -> Result<Json, Failed> {
        let answer = self.ask("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }))?;
        match &answer["exceptionDetails"] {
            Json::Null => Ok(answer["result"]["value"].clone()),
            wrong => Err(format!("{expression}: {wrong}").into()),
        }
    }

    /// Does something in the frame, and not in the page around it.
    pub(crate) fn in_frame<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, Failed>) -> Result<T, Failed> {
        let frame = self.frame.clone().ok_or("there is no frame")?;
        let page = self.session.replace(frame);
        let done = act(self);
        self.session = page;
        done
    }

    /// Waits until an expression holds.
    pub(crate) fn until(&mut self, expression: &str) -> Result<(), Failed> {
        let end = Instant::now() + Duration::from_secs(30);
        while Instant::now() < end {
            // While another page is loaded there is nothing to ask.
            if self.value(expression).is_ok_and(|value| value == true) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("it never holds: {expression}").into())
    }

    pub(crate) fn expect(&mut self, expression: &str, expected: Json) -> Result<(), Failed> {
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
    pub(crate) fn point(&mut self, selector: &str, press: bool) -> Result<(), Failed> {
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

    pub(crate) fn key(&mut self, key: &str) -> Result<(), Failed> {
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
    pub(crate) fn content(&self) -> Result<(), Failed> {
        if self.complaints.is_empty() { Ok(()) } else { Err(self.complaints.join("\n").into()) }
    }
}

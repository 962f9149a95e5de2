//! cvc5, a second solver, where there is one: its program, or the module of that name in a Python.
//!
//! In: scripts in which every question must be answered by `unsat`. Out: an [`Cvc5Answer`] on each question.
//!
//! Invariant: an opinion takes nothing for granted: what cvc5 cannot read, or does not answer, is undecided.

use crate::solve::SolverFailure;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::process::{Command, Output, Stdio};
use std::thread;

/// Where to look first: the program, or a Python that has the module.
pub const VARIABLE: &str = "APE_CVC5";

/// What is spent on one question, in cvc5's own units; then it is undecided.
const RESOURCES: &str = "2000000";
/// The safety net for one question, in milliseconds.
const CLOCK: &str = "20000";

/// Runs scripts with the module: a JSON list of them comes in, for each a list of what it printed goes out.
const DRIVER: &str = r#"
import json, sys
import cvc5

def answers(script, resources, clock):
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("incremental", "true")
    solver.setOption("rlimit-per", resources)
    solver.setOption("tlimit-per", clock)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    found = []
    try:
        while True:
            command = parser.nextCommand()
            if command.isNull():
                return found
            found.extend(command.invoke(solver, parser.getSymbolManager()).split("\n"))
    except Exception as error:
        return found + [str(error)]

print(json.dumps([answers(script, sys.argv[1], sys.argv[2]) for script in json.load(sys.stdin)]))
"#;

/// What cvc5 says of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cvc5Answer {
    /// `unsat`: it holds.
    Agrees,
    /// `sat`: it does not.
    Disagrees,
    /// Neither; what it said instead.
    Undecided(String),
}

/// A cvc5 that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cvc5 {
    program: OsString,
    /// Whether the program is a Python.
    python: bool,
    version: String,
}

impl Cvc5 {
    /// Finds one: what the environment names, and nothing else if it names something; else the program; else the module.
    pub fn find() -> Option<Self> {
        if let Some(named) = env::var_os(VARIABLE) {
            return Self::program(&named).or_else(|| Self::module(&named));
        }
        Self::program(OsStr::new("cvc5")).or_else(|| Self::module(OsStr::new("python3")))
    }

    fn program(program: &OsStr) -> Option<Self> {
        let text = stdout(Command::new(program).arg("--version"))?;
        let version = text.lines().next()?.strip_prefix("This is cvc5 version ")?;
        let version = version.split_whitespace().next().unwrap_or(version).to_string();
        Some(Cvc5 { program: program.to_owned(), python: false, version })
    }

    fn module(python: &OsStr) -> Option<Self> {
        let text = stdout(Command::new(python).args(["-c", "import cvc5; print(cvc5.__version__)"]))?;
        Some(Cvc5 { program: python.to_owned(), python: true, version: text.trim().to_string() })
    }

    /// Its name and version.
    pub fn name(&self) -> String {
        format!("cvc5 {}", self.version)
    }

    /// How it is run.
    pub fn place(&self) -> String {
        let program = self.program.to_string_lossy();
        if self.python { format!("the module of {program}") } else { program.into_owned() }
    }

    /// What it says of the questions of some scripts: for each script one opinion per question.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn opinions(&self, scripts: &[(&str, usize)]) -> Result<Vec<Vec<Cvc5Answer>>, SolverFailure> {
        let said: Vec<Vec<String>> = if self.python {
            let texts: Vec<&str> = scripts.iter().map(|(text, _)| *text).collect();
            let input = serde_json::to_string(&texts).map_err(|error| SolverFailure(error.to_string()))?;
            let output = self.run(&["-c", DRIVER, RESOURCES, CLOCK], input)?;
            serde_json::from_slice(&output.stdout).map_err(|_| broken(&output))?
        } else {
            let options = ["--lang=smt2", "--incremental"].map(String::from);
            let limits = [format!("--rlimit-per={RESOURCES}"), format!("--tlimit-per={CLOCK}")];
            let arguments: Vec<&str> = options.iter().chain(&limits).map(String::as_str).collect();
            let run = |(text, _): &(&str, usize)| {
                let output = self.run(&arguments, (*text).to_string())?;
                Ok(String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect())
            };
            scripts.iter().map(run).collect::<Result<_, SolverFailure>>()?
        };
        if said.len() != scripts.len() {
            return Err(SolverFailure(format!("{} did not answer every script", self.name())));
        }
        Ok(said.into_iter().zip(scripts).map(|(lines, (_, questions))| opinions(&lines, *questions)).collect())
    }

    fn run(&self, arguments: &[&str], input: String) -> Result<Output, SolverFailure> {
        let started = Command::new(&self.program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let ran = started.and_then(|mut child| {
            let pipe = child.stdin.take();
            // Written from elsewhere: the child may fill its own pipe before it has read all of this.
            let write = move || pipe.map_or(Ok(()), |mut pipe| pipe.write_all(input.as_bytes()));
            let writer = thread::Builder::new().spawn(write)?;
            let output = child.wait_with_output();
            match writer.join() {
                Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
                _ => output,
            }
        });
        ran.map_err(|error| SolverFailure(format!("{} cannot be run: {error}", self.name())))
    }
}

/// What a command prints, if it can be run and succeeds.
fn stdout(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn broken(output: &Output) -> SolverFailure {
    let text = String::from_utf8_lossy(&output.stderr);
    SolverFailure(format!("cvc5 broke down: {}", text.lines().last().unwrap_or("it said nothing")))
}

/// One opinion per question. A line that is no answer, such as an error, leaves everything from there on undecided.
fn opinions(lines: &[String], questions: usize) -> Vec<Cvc5Answer> {
    let mut found: Vec<Cvc5Answer> = Vec::new();
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
        match line {
            "unsat" => found.push(Cvc5Answer::Agrees),
            "sat" => found.push(Cvc5Answer::Disagrees),
            "unknown" => found.push(Cvc5Answer::Undecided("unknown".into())),
            other => {
                found.resize(questions.max(found.len()), Cvc5Answer::Undecided(other.to_string()));
                break;
            }
        }
    }
    found.truncate(questions);
    found.resize(questions, Cvc5Answer::Undecided("it said nothing".into()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], questions: usize, expected: &[Cvc5Answer]) {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(opinions(&lines, questions), expected);
    }

    #[test]
    fn every_question_has_an_opinion() {
        let undecided = |text: &str| Cvc5Answer::Undecided(text.into());
        check(&["unsat", "", "sat", "unknown"], 3, &[Cvc5Answer::Agrees, Cvc5Answer::Disagrees, undecided("unknown")]);
        check(&["unsat"], 2, &[Cvc5Answer::Agrees, undecided("it said nothing")]);
        check(&["(error \"x\")", "unsat"], 2, &[undecided("(error \"x\")"), undecided("(error \"x\")")]);
        check(&["unsat", "unsat"], 1, &[Cvc5Answer::Agrees]);
    }
}

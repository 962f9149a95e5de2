//! What a step shows, as JSON for the program of the page.
//!
//! In: the steps of a run. Out: tables of texts, calls, globals and objects, and for each step the numbers of its own in them.
//!
//! A value is a text; that of a reference is the name of its object, such as `#3`.
//!
//! Invariant: no text is long, no list has more than a screen holds; what is left out is counted.

use super::super::super::one_line;
use super::super::super::picture::{Node, Row, at_a_time};
use super::super::Program;
use super::super::panes::Panes;
use super::record::{Frame, Step, Trace, What};
use lang_l::heap::Input;
use lang_l::heap::isomorphism::Final;
use lang_l::heap::value::{Addr, Value};
use lang_l::naming::{renamed, renamed_value};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// How many calls, variables and characters are shown.
const SHOWN_CALLS: usize = 3;
const SHOWN_VARIABLES: usize = 14;
const SHOWN_CHARACTERS: usize = 24;
const SHOWN_WORDS: usize = 90;

/// Makes JSON of the steps of one run.
pub(super) struct Shower<'s, 'a> {
    program: &'s Program<'a>,
    panes: &'s Panes<'a>,
    input: &'s Input,
    names: &'s BTreeMap<Addr, Addr>,
    texts: Table,
    calls: Table,
    globals: Table,
    objects: Table,
    /// The names of objects, in the order in which they come up.
    order: Vec<String>,
}

/// Things that are said once, by number.
#[derive(Default)]
struct Table {
    numbers: BTreeMap<String, usize>,
    all: Vec<Json>,
}

impl Table {
    fn number(&mut self, of: Json) -> usize {
        let all = &mut self.all;
        *self.numbers.entry(of.to_string()).or_insert_with(|| {
            all.push(of);
            all.len() - 1
        })
    }
}

impl<'s, 'a> Shower<'s, 'a> {
    /// For a run from this input, whose objects have these names in the report.
    pub(super) fn new(
        program: &'s Program<'a>,
        panes: &'s Panes<'a>,
        input: &'s Input,
        names: &'s BTreeMap<Addr, Addr>,
    ) -> Self {
        let [texts, calls, globals, objects] = std::array::from_fn(|_| Table::default());
        Shower { program, panes, input, names, texts, calls, globals, objects, order: Vec::new() }
    }

    /// The run.
    pub(super) fn run(mut self, version: usize, trace: &Trace<'_>) -> Json {
        let steps: Vec<Json> = trace.kept().map(|step| self.step(step)).collect();
        json!({
            "title": self.program.subject.version_name(version),
            "texts": self.texts.all,
            "calls": self.calls.all,
            "globals": self.globals.all,
            "objects": self.objects.all,
            "order": self.order,
            "steps": steps,
            // After so many steps some are left out.
            "first": trace.first.len(),
            "total": trace.total,
        })
    }

    fn step(&mut self, step: &Step<'_>) -> Json {
        let line = self.panes.line_id(self.program.number, step.span).unwrap_or_default();
        let line = self.texts.number(line.into());
        let said = self.said(step);
        let said = self.texts.number(shortened(&said, SHOWN_WORDS).into());
        let calls: Vec<usize> = self.calls_of(step);
        let hidden = step.frames.len() - calls.len();
        let variables = step.frames.iter().rev().flat_map(|frame| frame.locals.iter().flatten());
        let results = variables.map(|value| renamed_value(value, self.names)).collect();
        let last = Final { store: renamed(&step.store, self.names), results };
        let picture = at_a_time(self.program.subject.unit, self.input, &last);
        let globals: Vec<Json> = picture.roots.iter().take(SHOWN_VARIABLES).map(place).collect();
        let globals = self.globals.number(globals.into());
        let objects: Vec<usize> = picture.objects.iter().map(|node| self.object(node)).collect();
        json!([line, said, calls, hidden, globals, objects, picture.folded])
    }

    /// What happens, in words.
    fn said(&self, step: &Step<'_>) -> String {
        let own = step.frames.last().map_or("", |frame| frame.procedure.name.as_str());
        let text = one_line(self.program.subject, step.span);
        match &step.what {
            What::Statement => text.to_string(),
            What::Test(true) => format!("{text} holds"),
            What::Test(false) => format!("{text} does not hold"),
            What::Enter => format!("{own} begins"),
            What::Leave(results) if results.is_empty() => format!("{own} returns"),
            What::Leave(results) => {
                let values: Vec<String> = results.iter().map(|value| self.value(value)).collect();
                format!("{own} returns {}", values.join(", "))
            }
            What::End(how) => how.clone(),
        }
    }

    /// The calls that are shown: the innermost ones.
    fn calls_of(&mut self, step: &Step<'_>) -> Vec<usize> {
        let shown = step.frames.iter().rev().take(SHOWN_CALLS);
        let calls: Vec<Json> = shown.map(|frame| self.call(frame)).collect();
        calls.into_iter().map(|call| self.calls.number(call)).collect()
    }

    fn call(&self, frame: &Frame<'_>) -> Json {
        let named = frame.procedure.locals.iter().zip(&frame.locals);
        let set = named.filter_map(|(local, value)| Some((local, value.as_ref()?)));
        let all: Vec<Json> = set.map(|(local, value)| json!([local.name, self.value(value)])).collect();
        let shown = &all[..all.len().min(SHOWN_VARIABLES)];
        json!([frame.procedure.name, shown, all.len() - shown.len()])
    }

    fn value(&self, value: &Value) -> String {
        shortened(&renamed_value(value, self.names).to_string(), SHOWN_CHARACTERS)
    }

    fn object(&mut self, node: &Node) -> usize {
        let name = node.addr.to_string();
        if !self.order.contains(&name) {
            self.order.push(name.clone());
        }
        let rows: Vec<Json> = node.rows.iter().map(place).collect();
        self.objects.number(json!([name, node.title, rows, node.folded]))
    }
}

/// A place and what it holds; the object has its name in the report already.
fn place(row: &Row) -> Json {
    json!([row.name, shortened(&row.value.to_string(), SHOWN_CHARACTERS)])
}

fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_string();
    }
    let shown: String = text.chars().take(most - 1).collect();
    format!("{shown}…")
}

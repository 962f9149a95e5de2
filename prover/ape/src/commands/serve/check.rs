//! What is wrong with a program, as the page shows it.
//!
//! In: texts. Out: the program, if it is legal; and JSON with all that is wrong, each at its place.

use super::bounds;
use super::texts::{Program, Texts};
use lang_l::Loaded;
use lang_l::diagnostic::Diagnostic;
use lang_l::source::Span;
use serde_json::{Value, json};

/// What reports call the program.
const NAME: &str = "program";

/// A program that was looked at.
pub(super) struct Checked {
    /// What is said of it.
    pub(super) answer: Value,
    /// The program, with two versions; `None` where something is wrong.
    pub(super) loaded: Option<Loaded>,
    /// Its text.
    pub(super) text: String,
}

/// Looks at a program.
pub(super) fn check(texts: &Texts) -> Checked {
    let program = texts.program();
    let (loaded, diagnostics) = match lang_l::load([(NAME, &program.text)]) {
        Ok(loaded) if loaded.unit.versions.len() == 2 => (Some(loaded), Vec::new()),
        Ok(loaded) => (None, vec![uneven(&program, loaded.unit.versions.len())]),
        Err(rejected) => {
            let wrong = rejected.diagnostics.iter().take(bounds::DIAGNOSTICS);
            (None, wrong.map(|wrong| diagnostic(&program, wrong)).collect())
        }
    };
    let answer = json!({ "legal": loaded.is_some(), "lines": program.lines(), "diagnostics": diagnostics });
    Checked { answer, loaded, text: program.text }
}

fn diagnostic(program: &Program, wrong: &Diagnostic) -> Value {
    let place = |span: Span| program.place(span.range());
    let mut said = place(wrong.span);
    said["code"] = wrong.code.into();
    said["message"] = wrong.message.clone().into();
    said["label"] = wrong.label.clone().into();
    said["help"] = json!(wrong.help);
    let other = |(span, label): &(Span, String)| {
        let mut said = place(*span);
        said["label"] = label.clone().into();
        said
    };
    said["others"] = wrong.others.iter().map(other).collect();
    said["fix"] = wrong.fix.as_ref().map_or(Value::Null, |fix| {
        let mut said = place(fix.span);
        said["title"] = fix.title.clone().into();
        said["text"] = fix.text.clone().into();
        said
    });
    said
}

/// That there are not two versions.
fn uneven(program: &Program, versions: usize) -> Value {
    let mut said = program.place(0..0);
    said["code"] = "".into();
    said["message"] = format!("two versions are compared, but there are {versions}").into();
    said["label"] = "".into();
    said["help"] = "begin the old version and the new one with a line such as `version before`".into();
    said["others"] = json!([]);
    said["fix"] = Value::Null;
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(texts: Value) -> Value {
        check(&serde_json::from_value(texts).expect("these are texts")).answer
    }

    #[test]
    fn what_is_wrong_has_a_place_and_a_mend() {
        let good = answer(json!({ "old": "procedure p() { }", "new": "procedure p() { }" }));
        assert_eq!(good["legal"], true, "{good}");
        let wrong = answer(json!({ "shared": "// 1\n", "old": "procedure p() {\n  x = 1;\n}\n" }));
        let first = &wrong["diagnostics"][0];
        assert_eq!((&wrong["legal"], &first["pane"], &first["line"]), (&json!(false), &json!("old"), &json!(4)));
        assert_eq!((&first["fix"]["text"], &first["fix"]["start"]), (&json!(":="), &json!(20)), "{first}");
        let three = answer(json!({ "shared": "version a\nversion b\nversion c\n" }));
        assert_eq!(three["legal"], false, "{three}");
    }

    #[test]
    fn little_is_said_of_a_text_that_is_all_wrong() {
        let many = "x := y;\n".repeat(5_000);
        let said = answer(json!({ "old": format!("procedure p() {{ {many} }}") }));
        assert!(said["diagnostics"].as_array().is_some_and(|all| (1..=bounds::DIAGNOSTICS).contains(&all.len())));
    }
}

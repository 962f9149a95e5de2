//! The verdict over each procedure.
//!
//! In: a program, and the verdicts that are known. Out: a line of text for each procedure that has a partner.

use super::board::Board;
use super::program::Program;
use gen_lsp_types::{CodeLens, Command};
use lang_l::source::FileId;

/// The longest text that is shown over a procedure, in characters.
const LONGEST: usize = 120;

/// What is shown in a document. Where nobody verifies, nothing is said to be under way.
pub(super) fn of(program: &Program, board: &Board, file: FileId, verifying: bool) -> Vec<CodeLens> {
    let Some(unit) = &program.unit else { return Vec::new() };
    let mut lenses = Vec::new();
    for pair in &program.pairs {
        let title = match board.of(pair) {
            Some(card) => format!("{}: {}", card.word, card.why),
            None if verifying => "verifying …".to_string(),
            None => continue,
        };
        let asked = &pair.asked;
        let pair_name =
            if asked.left == asked.right { String::new() } else { format!("{} ~ {} ", asked.left, asked.right) };
        let when = asked.when.as_ref().map_or(String::new(), |when| format!("when {when} "));
        let title = shortened(&format!("{pair_name}{when}{title}"));
        let mut names = vec![unit.procedure(0, asked.pair.0).name_span, unit.procedure(1, asked.pair.1).name_span];
        names.dedup();
        for name in names.into_iter().filter(|name| name.file == file) {
            let command = Command { title: title.clone(), ..Command::default() };
            lenses.push(CodeLens { range: program.range(name), command: Some(command), data: None });
        }
    }
    lenses
}

fn shortened(title: &str) -> String {
    if title.chars().count() <= LONGEST {
        return title.to_string();
    }
    let kept: String = title.chars().take(LONGEST - 1).collect();
    format!("{kept}…")
}

//! Questions as an SMT-LIB script that people read and any solver runs.
//!
//! In: the questions of one proof. Out: one text, in which each question stands between `(push 1)` and `(pop 1)`, below a
//! line that says what it is for. Every answer must be `unsat`.

use super::Query;
use crate::obligation::PREAMBLE;
use std::fmt::Write;

/// What ends a question.
const ASK: &str = "(check-sat)\n";

/// The questions as one script, below a comment.
pub fn script(comment: &str, queries: &[Query]) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "; {line}");
    }
    let _ = writeln!(text, "; Every answer must be unsat.\n{PREAMBLE}");
    for (number, query) in (1..).zip(queries) {
        let body = query.smt2.split_once(PREAMBLE).map_or(query.smt2.as_str(), |(_, body)| body);
        let ask = if body.ends_with(ASK) { "" } else { ASK };
        let _ = writeln!(text, "; {number}. {}\n(push 1)\n{body}{ask}(pop 1)\n", query.tag);
    }
    text
}

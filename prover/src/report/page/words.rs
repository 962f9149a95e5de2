//! Small pieces of pages: names, verdicts, texts with code in them.
//!
//! In: words of the report. Out: markup.
//!
//! Invariant: a verdict has a sign and a word beside its colour.

use crate::verdict::PairReport;
use maud::{Markup, html};

/// A text without characters that change how what follows is shown.
pub(super) fn visible(text: &str) -> String {
    let hides = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if hides(c) { '\u{fffd}' } else { c }).collect()
}

/// What a pair is called.
pub(super) fn pair_name(pair: &PairReport) -> String {
    let names = if pair.left == pair.right { pair.left.clone() } else { format!("{} ~ {}", pair.left, pair.right) };
    let when = pair.when.as_ref().map(|when| format!(" when {when}")).unwrap_or_default();
    visible(&format!("{names}{when}"))
}

/// A verdict, or what is said of a clause.
pub(super) fn badge(word: &str) -> Markup {
    let (class, sign) = match word {
        "equivalent" | "holds" => ("good", "✓"),
        "not-equivalent" => ("bad", "≠"),
        "contract-violation" | "violated" => ("bad", "✗"),
        "partially-equivalent" => ("open", "◐"),
        _ => ("open", "?"),
    };
    html! { span.badge.(class) { span aria-hidden="true" { (sign) " " } (word) } }
}

/// A sentence in which what stands between backquotes is code.
pub(super) fn prose(text: &str) -> Markup {
    let text = visible(text);
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

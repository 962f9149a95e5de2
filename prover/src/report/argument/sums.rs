//! Sums as expressions of L.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed};

/// Adds a summand to a text.
pub(super) fn summand(text: &mut String, factor: &BigInt, name: Option<&str>) {
    match (text.is_empty(), factor.sign() == Sign::Minus) {
        (true, true) => text.push('-'),
        (true, false) => {}
        (false, true) => text.push_str(" - "),
        (false, false) => text.push_str(" + "),
    }
    let size = factor.abs();
    match name {
        None => *text += &size.to_string(),
        Some(name) if size.is_one() => text.push_str(name),
        Some(name) => *text += &format!("{size} * {name}"),
    }
}

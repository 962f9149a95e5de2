//! "Did you mean": the name nearest to one that is not known.
//!
//! In: a name and the names that would be legal in its place. Out: the nearest of these, if one is near.

use std::cell::Cell;

/// How many names may still be compared in this run.
///
/// A file may have as many unknown names as known ones. Past this count there are no more suggestions, so that the work stays
/// linear; which suggestions there are does not depend on the order of the known names.
pub(super) struct Comparisons(Cell<usize>);

impl Default for Comparisons {
    fn default() -> Self {
        Comparisons(Cell::new(100_000))
    }
}

impl Comparisons {
    /// Takes one; whether there was one left.
    fn take(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }
}

/// The nearest of `known` to `name`, if it is near enough to be a slip of the pen.
pub(super) fn nearest<'a>(
    comparisons: &Comparisons,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let letters = letters(name);
    // Nobody mistypes more than a third of a name.
    let limit = (letters.len() / 3).clamp(1, 4);
    let mut best: Option<(usize, &str)> = None;
    for other in known {
        if !comparisons.take() {
            return None;
        }
        if other == name {
            continue;
        }
        let distance = distance(&letters, other, limit);
        if distance <= limit && (distance == 0 || other.chars().nth(1).is_some()) {
            best = Some(best.map_or((distance, other), |known| known.min((distance, other))));
        }
    }
    best.map(|(_, other)| other)
}

/// The longest name that is compared; nobody mistypes longer ones, and comparing takes the product of both lengths.
const LONGEST: usize = 100;

/// Case does not count.
fn letters(name: &str) -> Vec<char> {
    name.chars().take(LONGEST + 1).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from one to the other, if these are at most
/// `limit`. Names of which one begins with the other (`integer`, `int`) are one step apart.
fn distance(from: &[char], to: &str, limit: usize) -> usize {
    let to = letters(to);
    let shorter = from.len().min(to.len());
    if from.len().max(to.len()) > LONGEST {
        return usize::MAX;
    }
    if shorter >= 3 && from.len() != to.len() && from[..shorter] == to[..shorter] {
        return 1;
    }
    if from.len().abs_diff(to.len()) > limit {
        return usize::MAX;
    }
    let mut before = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{Comparisons, nearest};
    use std::cell::Cell;

    fn check(name: &str, known: &[&str], expected: Option<&str>) {
        for known in [known.to_vec(), known.iter().rev().copied().collect()] {
            assert_eq!(nearest(&Comparisons::default(), name, known), expected);
        }
    }

    #[test]
    fn suggests_slips_only() {
        check("lenght", &["length", "left"], Some("length"));
        check("a", &["x", "y"], None); // A single letter is no slip of another.
        check("X", &["x", "y"], Some("x"));
        check("Find", &["find", "bind"], Some("find"));
        check("integer", &["int", "ref"], Some("int"));
        check("copy", &["remove", "add"], None);
        let long = "x".repeat(100_000);
        check(&long, &[&format!("{long}y")], None);
    }

    #[test]
    fn stops_when_much_was_compared() {
        let comparisons = Comparisons(Cell::new(5));
        assert_eq!(nearest(&comparisons, "lenght", ["length", "left", "right"]), Some("length"));
        assert_eq!(nearest(&comparisons, "lenght", ["length", "left", "right"]), None);
        assert_eq!(nearest(&comparisons, "lenght", ["length"]), None);
    }
}

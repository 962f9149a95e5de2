//! "Did you mean": the name nearest to one that is not known.
//!
//! In: a name and the names that would be legal in its place. Out: the nearest of these, if one is near.

/// The nearest of `known` to `name`, if it is near enough to be a slip of the pen.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody mistypes more than a third of a name.
    let limit = (name.chars().count() / 3).clamp(1, 4);
    known
        .into_iter()
        .filter(|other| *other != name)
        .map(|other| (distance(name, other), other))
        .filter(|&(distance, other)| distance <= limit && (distance == 0 || other.chars().count() > 1))
        .min()
        .map(|(_, other)| other)
}

/// The help line that goes with [`nearest`].
pub(super) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(|other| format!("did you mean `{other}`?"))
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from one to the other. Case does not
/// count, and names of which one begins with the other (`integer`, `int`) are one step apart.
fn distance(from: &str, to: &str) -> usize {
    let letters = |name: &str| name.chars().map(|letter| letter.to_ascii_lowercase()).collect::<Vec<_>>();
    let (from, to) = (letters(from), letters(to));
    let shorter = from.len().min(to.len());
    if shorter >= 3 && from.len() != to.len() && from[..shorter] == to[..shorter] {
        return 1;
    }
    if from.len().abs_diff(to.len()) > 4 {
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
    use super::nearest;

    #[test]
    fn suggests_slips_only() {
        assert_eq!(nearest("lenght", ["length", "left"]), Some("length"));
        assert_eq!(nearest("a", ["x", "y"]), None, "a single letter is no slip of another");
        assert_eq!(nearest("X", ["x", "y"]), Some("x"));
        assert_eq!(nearest("Find", ["find", "bind"]), Some("find"));
        assert_eq!(nearest("integer", ["int", "ref"]), Some("int"));
        assert_eq!(nearest("copy", ["remove", "add"]), None);
    }
}

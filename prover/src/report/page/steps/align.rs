//! Steps of two runs beside each other.
//!
//! In: for each run a text for each of its steps. Out: rows, each with a step of every run.
//!
//! Steps with the same text are put beside each other, as many as can be. What is between them goes on at once as far as both have
//! steps; then one waits for the other.
//!
//! Invariant: each step is in a row, rows never go back, and the last steps are in one row.

/// The rows of one run, or of two.
pub(super) fn rows(runs: &[Vec<String>]) -> Vec<Vec<usize>> {
    match runs {
        [left, right] if !left.is_empty() && !right.is_empty() => beside(left, right),
        [only] => (0..only.len()).map(|at| vec![at]).collect(),
        _ => Vec::new(),
    }
}

fn beside(left: &[String], right: &[String]) -> Vec<Vec<usize>> {
    let (mut rows, mut before) = (Vec::new(), [None, None]);
    for anchor in common(left, right) {
        let from = before.map(|at: Option<usize>| at.map_or(0, |at| at + 1));
        let between = [0, 1].map(|side| anchor[side] - from[side]);
        for step in 0..between[0].max(between[1]) {
            let at = |side: usize| match between[side] {
                // It has not begun, or waits.
                0 => before[side].unwrap_or(anchor[side]),
                own => from[side] + step.min(own - 1),
            };
            rows.push(vec![at(0), at(1)]);
        }
        rows.push(anchor.to_vec());
        before = anchor.map(Some);
    }
    rows
}

/// A longest common subsequence, and at its end the last steps of both.
fn common(left: &[String], right: &[String]) -> Vec<[usize; 2]> {
    let (n, m) = (left.len() - 1, right.len() - 1);
    let mut longest = vec![vec![0u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            longest[i][j] =
                if left[i] == right[j] { longest[i + 1][j + 1] + 1 } else { longest[i + 1][j].max(longest[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < n && j < m {
        if left[i] == right[j] {
            found.push([i, j]);
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found.push([n, m]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(left: &str, right: &str, expected: &str) {
        let run = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let rows = rows(&[run(left), run(right)]);
        let shown: Vec<String> = rows.iter().map(|row| format!("{}{}", row[0], row[1])).collect();
        assert_eq!(shown.join(" "), expected, "{left} {right}");
    }

    #[test]
    fn steps_stand_beside_each_other() {
        check("abe", "abe", "00 11 22");
        check("axbe", "abe", "00 10 21 32");
        check("axbe", "ayzbe", "00 11 12 23 34");
        check("e", "abe", "00 01 02");
        check("e", "f", "00");
    }
}

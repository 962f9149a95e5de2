//! Pictures for a terminal: boxes, with an arrow from one to the next where there is room; other references name their object.
//!
//! ```text
//! ┌ #1 Node ◀ head ┐    ┌ #2 Node ┐
//! │  value = 3     │ ┌─▶│  value = 4 │
//! │  next ─────────┼─┘  │  next = null │
//! ```
//!
//! Invariant: no line is wider than what is asked for, unless one box is.

use super::super::layout::{places, usable};
use super::{Node, Picture, Row};
use lang_l::heap::value::Addr;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What is left of each line.
const MARGIN: &str = "  ";
/// What stands between two drawings.
const RULE: &str = " | ";
/// What stands between two boxes of a chain.
const LANE: usize = 4;

/// A box of a chain, and which of its rows leads to the next one.
struct Link {
    lines: Vec<String>,
    next: Option<usize>,
}

/// Pictures below one another, for so many columns; two ends of runs side by side, where there is room.
pub fn text(pictures: &[Picture], width: usize) -> String {
    let width = usable(width);
    let drawn = |picture: &Picture| {
        let whole = format!("{}\n{}", picture.title, one(picture, width));
        whole.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let blocks = match pictures {
        [start, old, new] => {
            let [old, new] = [drawn(old), drawn(new)];
            let beside = beside(&old, &new, width).map_or_else(|| vec![old, new], |both| vec![both]);
            [vec![drawn(start)], beside].concat()
        }
        others => others.iter().map(drawn).collect(),
    };
    blocks.into_iter().flatten().map(|line| line + "\n").collect()
}

/// Two drawings side by side, with a rule between them; `None` where they are too wide.
fn beside(left: &[String], right: &[String], width: usize) -> Option<Vec<String>> {
    let widest = |lines: &[String]| lines.iter().map(|line| places(line)).max().unwrap_or(0);
    let first = widest(left);
    if first + RULE.len() + widest(right) > width {
        return None;
    }
    let line = |at: usize| {
        let [left, right] = [left, right].map(|lines| lines.get(at).map_or("", String::as_str));
        format!("{left}{}{RULE}{right}", " ".repeat(first - places(left))).trim_end().to_string()
    };
    Some((0..left.len().max(right.len())).map(line).collect())
}

fn one(picture: &Picture, width: usize) -> String {
    let mut text = String::new();
    if let Some(note) = &picture.note {
        let _ = writeln!(text, "{MARGIN}{note}");
    }
    let plain: Vec<String> = picture.plain_roots().into_iter().map(|row| written(row, false)).collect();
    if !plain.is_empty() {
        for line in textwrap::wrap(&plain.join("   "), width.saturating_sub(MARGIN.len())) {
            let _ = writeln!(text, "{MARGIN}{line}");
        }
    }
    let mut drawn = BTreeSet::new();
    for node in &picture.objects {
        if !drawn.contains(&node.addr) {
            let chain = chain(picture, node, &mut drawn, width);
            text.push_str(&drawing(&chain));
        }
    }
    if picture.folded > 0 {
        let _ = writeln!(text, "{MARGIN}… and {} more", super::super::count(picture.folded, "object"));
    }
    if plain.is_empty() && picture.objects.is_empty() && picture.note.is_none() {
        let _ = writeln!(text, "{MARGIN}(nothing)");
    }
    text
}

/// A place and what it holds, in words.
fn written(row: &Row, points: bool) -> String {
    let mark = if row.differs { "≠ " } else { "" };
    match points {
        true => format!("{mark}{} ─▶ {}", row.name, row.value),
        false => format!("{mark}{} = {}", row.name, row.value),
    }
}

/// From an object on along references to objects that are not drawn yet, as far as there is room.
fn chain<'p>(picture: &'p Picture, first: &'p Node, drawn: &mut BTreeSet<Addr>, width: usize) -> Vec<Link> {
    let mut chain: Vec<Link> = Vec::new();
    let mut node = first;
    let mut used = MARGIN.len();
    loop {
        drawn.insert(node.addr);
        let lines = lines(picture, node, None);
        used += LANE + lines.iter().map(|line| places(line)).max().unwrap_or(0);
        chain.push(Link { lines, next: None });
        let next = node.rows.iter().enumerate().find_map(|(at, row)| {
            let target = row.value.object().filter(|addr| !drawn.contains(addr))?;
            Some((at, picture.objects.iter().find(|other| other.addr == target)?))
        });
        let Some((at, target)) = next else { return chain };
        let room = lines_width(picture, target);
        if used + room > width {
            return chain;
        }
        if let Some(link) = chain.last_mut() {
            link.next = Some(at);
            link.lines = self::lines(picture, node, Some(at));
        }
        node = target;
    }
}

fn lines_width(picture: &Picture, node: &Node) -> usize {
    lines(picture, node, None).iter().map(|line| places(line)).max().unwrap_or(0)
}

/// A box: its border with the title, a line for each row, its border. The row that an arrow leaves ends in its start.
fn lines(picture: &Picture, node: &Node, leaves: Option<usize>) -> Vec<String> {
    let held = picture.held_by(node.addr);
    let held = if held.is_empty() { String::new() } else { format!(" ◀ {}", held.join(", ")) };
    let only = if node.only_here { " ≠" } else { "" };
    let title = format!(" {}{only}{held} ", node.title);
    let mut rows: Vec<String> = node.rows.iter().map(inside).collect();
    if node.folded > 0 {
        rows.push(format!("  … {} more", node.folded));
    }
    if rows.is_empty() {
        rows.push("  (no fields)".to_string());
    }
    let width = rows.iter().map(|row| places(row) + 1).chain([places(&title)]).max().unwrap_or(0);
    let mut lines = vec![format!("┌{title}{}┐", "─".repeat(width - places(&title)))];
    for (at, row) in rows.iter().enumerate() {
        if leaves == Some(at) {
            let start = format!("{}{} ", mark(&node.rows[at]), node.rows[at].name);
            lines.push(format!("│{start}{}┼", "─".repeat(width.saturating_sub(places(&start)))));
        } else {
            lines.push(format!("│{row}{}│", " ".repeat(width - places(row))));
        }
    }
    lines.push(format!("└{}┘", "─".repeat(width)));
    lines
}

fn inside(row: &Row) -> String {
    let plain = Row { differs: false, ..row.clone() };
    format!("{}{}", mark(row), written(&plain, row.value.object().is_some()))
}

fn mark(row: &Row) -> &'static str {
    if row.differs { "≠ " } else { "  " }
}

/// The boxes of a chain side by side, with arrows that lead to the first row of the next box.
fn drawing(chain: &[Link]) -> String {
    let height = chain.iter().map(|link| link.lines.len()).max().unwrap_or(0);
    let mut all = String::new();
    for row in 0..height {
        let mut line = MARGIN.to_string();
        for link in chain {
            let width = link.lines.first().map_or(0, |line| places(line));
            let own = link.lines.get(row).cloned().unwrap_or_else(|| " ".repeat(width));
            line.push_str(&own);
            line.push_str(lane(link.next, row));
        }
        let _ = writeln!(all, "{}", line.trim_end());
    }
    all
}

/// What stands in a row between a box and the next, whose first row an arrow from row `from` leads to.
fn lane(from: Option<usize>, row: usize) -> &'static str {
    match from.map(|from| from + 1) {
        None => "    ",
        Some(1) if row == 1 => "───▶",
        Some(_) if row == 1 => " ┌─▶",
        Some(leaves) if row == leaves => "─┘  ",
        Some(leaves) if (1..leaves).contains(&row) => " │  ",
        Some(_) => "    ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lang_l::heap::value::Value;

    fn node(addr: u64, rows: &[(&str, Value)]) -> Node {
        let rows =
            rows.iter().map(|(name, value)| Row { name: name.to_string(), value: value.clone(), differs: false });
        Node { addr: Addr(addr), title: format!("#{addr}"), rows: rows.collect(), folded: 0, only_here: false }
    }

    #[test]
    fn a_list_is_a_chain_and_a_cycle_names_its_start() {
        let link = |to: u64| Value::from(Addr(to));
        let picture = Picture {
            title: "list".into(),
            roots: vec![Row { name: "head".into(), value: link(1), differs: true }],
            objects: vec![node(1, &[("v", 3.into()), ("next", link(2))]), node(2, &[("next", link(1))])],
            ..Picture::default()
        };
        let right = "list\n\
                     \x20 ┌ #1 ◀ head ≠ ┐    ┌ #2 ─────────┐\n\
                     \x20 │  v = 3      │ ┌─▶│  next ─▶ #1 │\n\
                     \x20 │  next ──────┼─┘  └─────────────┘\n\
                     \x20 └─────────────┘\n";
        assert_eq!(text(std::slice::from_ref(&picture), 80), right);
        let narrow = text(std::slice::from_ref(&picture), 30);
        assert!(narrow.contains("next ─▶ #2") && narrow.lines().all(|line| places(line) <= 30), "{narrow}");
    }
}

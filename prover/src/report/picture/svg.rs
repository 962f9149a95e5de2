//! Pictures as SVG: a column for each distance from what a caller holds, and a curve for each reference.
//!
//! Invariant: one document that needs nothing else. It follows the reader's choice of dark or light. What differs has a mark, a
//! dashed frame and a colour that those who see few colours tell apart as well.

use super::{Node, Picture, Row};
use lang_l::heap::value::Addr;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The height of a row, the width of a character, and the room between boxes, in pixels.
const ROW: usize = 20;
const CHARACTER: usize = 8;
const GAP: usize = 60;
/// The room around everything.
const MARGIN: usize = 20;

/// Colours stand in each rule: programs for slides and for print know no variables of CSS, and would draw black boxes.
const STYLE: &str = "\
svg{background:#fff}text{font:13px monospace;fill:#1a1a1a;white-space:pre}\
.box{fill:#f2f2f2;stroke:#1a1a1a}.title{font-weight:bold}.edge{fill:none;stroke:#1a1a1a}.head{fill:#1a1a1a}\
.differs{fill:none;stroke:#b34700;stroke-dasharray:4 2;stroke-width:2}text.other{fill:#b34700;font-weight:bold}\
@media(prefers-color-scheme:dark){svg{background:#161616}text{fill:#e8e8e8}.box{fill:#262626;stroke:#e8e8e8}\
.edge{stroke:#e8e8e8}.head{fill:#e8e8e8}.differs{stroke:#ffb000}text.other{fill:#ffb000}}";

/// Where a box is.
#[derive(Clone, Copy)]
struct Place {
    x: usize,
    y: usize,
    width: usize,
}

/// Where arrows end. A page with many pictures has it once.
pub(in crate::report) const ARROW: &str = "<marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
    orient=\"auto\"><path class=\"head\" d=\"M0,0 L8,4 L0,8 z\"/></marker>";

/// Pictures side by side, as one document.
pub fn svg(pictures: &[Picture]) -> String {
    let (mut body, width, height) = beside(pictures);
    body.insert_str(0, &format!("<style>{STYLE}</style>\n<defs>{ARROW}</defs>\n"));
    element(&body, (width, height), "role=\"img\"")
}

/// A picture for a page that has [`ARROW`], and styles of its own.
pub(in crate::report) fn embedded(picture: &Picture) -> String {
    let (body, width, height) = beside(std::slice::from_ref(picture));
    let name = escaped(&picture.title).replace('"', "&quot;");
    element(&body, (width, height), &format!("class=\"heap\" role=\"img\" aria-label=\"{name}\""))
}

fn element(body: &str, (width, height): (usize, usize), attributes: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         {attributes}>\n{body}</svg>\n"
    )
}

/// Pictures side by side, with the width and height of all.
fn beside(pictures: &[Picture]) -> (String, usize, usize) {
    let mut body = String::new();
    let (mut x, mut height) = (MARGIN, 0);
    for picture in pictures {
        let (drawn, width, tall) = one(picture);
        let _ = writeln!(body, "<g transform=\"translate({x},{MARGIN})\">\n{drawn}</g>");
        x += width + GAP;
        height = height.max(tall);
    }
    (body, x.saturating_sub(GAP) + MARGIN, height + 2 * MARGIN)
}

/// One picture, with its width and height.
fn one(picture: &Picture) -> (String, usize, usize) {
    let mut text = String::new();
    let mut y = ROW;
    let mut width = CHARACTER * picture.title.chars().count();
    let mut line = |words: &str, class: &str, y: &mut usize| {
        let _ = writeln!(text, "<text class=\"{class}\" x=\"0\" y=\"{y}\">{}</text>", escaped(words));
        width = width.max(CHARACTER * words.chars().count());
        *y += ROW;
    };
    line(&picture.title, "title", &mut y);
    if let Some(note) = &picture.note {
        line(note, "", &mut y);
    }
    for root in picture.plain_roots() {
        line(&words(root), if root.differs { "other" } else { "" }, &mut y);
    }
    if picture.folded > 0 {
        line(&format!("… and {} more", super::super::count(picture.folded, "object")), "", &mut y);
    }
    let places = laid_out(picture, y);
    for node in &picture.objects {
        text.push_str(&edges(node, &places));
    }
    for node in &picture.objects {
        text.push_str(&drawn(picture, node, &places));
    }
    let right = places.values().map(|place| place.x + place.width).max().unwrap_or(0);
    let bottom = picture.objects.iter().filter_map(|node| Some(places.get(&node.addr)?.y + tall(node))).max();
    (text, width.max(right), bottom.unwrap_or(0).max(y))
}

/// The boxes in columns, by their distance from what a caller holds.
fn laid_out(picture: &Picture, top: usize) -> BTreeMap<Addr, Place> {
    let depths = depths(picture);
    let deepest = depths.values().copied().max().unwrap_or(0);
    let (mut places, mut x) = (BTreeMap::new(), 0);
    for depth in 0..=deepest {
        let column: Vec<&Node> = picture.objects.iter().filter(|node| depths.get(&node.addr) == Some(&depth)).collect();
        let width = column.iter().map(|node| wide(picture, node)).max().unwrap_or(0);
        let mut y = top;
        for node in column {
            places.insert(node.addr, Place { x, y, width });
            y += tall(node) + ROW;
        }
        x += width + GAP;
    }
    places
}

/// How far each object is from arguments, globals and results. The objects come in the order of a walk, so one pass is enough.
fn depths(picture: &Picture) -> BTreeMap<Addr, usize> {
    let mut depths: BTreeMap<Addr, usize> = BTreeMap::new();
    for node in &picture.objects {
        if picture.roots.iter().any(|root| root.value.object() == Some(node.addr)) {
            depths.insert(node.addr, 0);
        }
    }
    for node in &picture.objects {
        let own = *depths.entry(node.addr).or_insert(0);
        for target in node.rows.iter().filter_map(|row| row.value.object()) {
            depths.entry(target).or_insert(own + 1);
        }
    }
    depths
}

fn title(picture: &Picture, node: &Node) -> String {
    let held = picture.held_by(node.addr);
    let only = if node.only_here { " ≠" } else { "" };
    if held.is_empty() {
        format!("{}{only}", node.title)
    } else {
        format!("{}{only} ◀ {}", node.title, held.join(", "))
    }
}

fn words(row: &Row) -> String {
    let mark = if row.differs { "≠ " } else { "" };
    match row.value.object() {
        Some(_) => format!("{mark}{} → {}", row.name, row.value),
        None => format!("{mark}{} = {}", row.name, row.value),
    }
}

fn wide(picture: &Picture, node: &Node) -> usize {
    let rows = node.rows.iter().map(|row| words(row).chars().count() + 2);
    rows.chain([title(picture, node).chars().count()]).max().unwrap_or(0) * CHARACTER + CHARACTER
}

fn tall(node: &Node) -> usize {
    ROW * (1 + node.rows.len() + usize::from(node.folded > 0)) + ROW / 2
}

fn drawn(picture: &Picture, node: &Node, places: &BTreeMap<Addr, Place>) -> String {
    let Some(&Place { x, y, width }) = places.get(&node.addr) else { return String::new() };
    let mut text =
        format!("<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" rx=\"4\"/>\n", tall(node));
    let inside = x + CHARACTER / 2;
    let mut line = |at: usize, class: &str, words: &str| {
        let base = y + ROW * (at + 1) - ROW / 4;
        let _ = writeln!(text, "<text class=\"{class}\" x=\"{inside}\" y=\"{base}\">{}</text>", escaped(words));
    };
    line(0, if node.only_here { "title other" } else { "title" }, &title(picture, node));
    for (at, row) in node.rows.iter().enumerate() {
        line(at + 1, if row.differs { "other" } else { "" }, &words(row));
    }
    if node.folded > 0 {
        line(node.rows.len() + 1, "", &format!("… {} more", node.folded));
    }
    if node.only_here {
        let _ =
            writeln!(text, "<rect class=\"differs\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\"/>", tall(node));
    }
    for (at, _) in node.rows.iter().enumerate().filter(|(_, row)| row.differs) {
        let top = y + ROW * (at + 1);
        let _ = writeln!(text, "<rect class=\"differs\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{ROW}\"/>");
    }
    text
}

/// A curve from each row that refers to an object to the title of that object.
fn edges(node: &Node, places: &BTreeMap<Addr, Place>) -> String {
    let mut text = String::new();
    let Some(from) = places.get(&node.addr) else { return text };
    for (at, row) in node.rows.iter().enumerate() {
        let Some(to) = row.value.object().and_then(|target| places.get(&target)) else { continue };
        let (x, y) = (from.x + from.width, from.y + ROW * (at + 1) + ROW / 2);
        let (end, high) = (to.x, to.y + ROW / 2);
        let bend = GAP / 2;
        let path = if to.x > from.x {
            format!("M{x},{y} C{},{y} {},{high} {end},{high}", x + bend, end.saturating_sub(bend))
        } else {
            // Back, or down the same column: round the right side, and in from there.
            let side = to.x + to.width;
            format!("M{x},{y} C{},{y} {},{high} {side},{high}", x + bend, side + bend)
        };
        let _ = writeln!(text, "<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"{path}\"/>");
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

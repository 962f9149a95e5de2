//! What corresponds in the two versions, and the loops that a verdict rests on.
//!
//! In: the pairs that a verdict rests on, by name, and the program. Out: the places of the loops among them.
//!
//! The lowering calls the second loop of `p` `p@loop2`, counted in the order of the source.

use lang_l::hir::{StmtKind, Unit, Version, visit};
use lang_l::source::Span;
use prover::verdict::Premise;

/// Places of the two versions that correspond.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// What they are: `new`, `call` or `loop`.
    pub(super) what: &'static str,
    /// The places, by version.
    pub(super) places: [Span; 2],
    /// How it was proved, of a loop.
    pub(super) how: Option<&'static str>,
}

/// The loops that were proved to do the same.
pub(super) fn links(unit: &Unit, premises: &[Premise]) -> Vec<Link> {
    let [old, new] = unit.versions.as_slice() else { return Vec::new() };
    let link = |premise: &Premise| {
        let (left, right) = premise.name.split_once('~').unwrap_or((&premise.name, &premise.name));
        let places = [place(old, left.trim())?, place(new, right.trim())?];
        Some(Link { what: "loop", places, how: premise.how })
    };
    premises.iter().filter_map(link).collect()
}

/// Where a loop is that the lowering calls so.
fn place(version: &Version, name: &str) -> Option<Span> {
    let (procedure, number) = name.split_once("@loop")?;
    let number: usize = number.parse().ok()?;
    let body = version.procedure(version.find(procedure)?).body.as_ref()?;
    let mut loops = Vec::new();
    visit::walk_stmts(body, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::While { .. }) {
            loops.push(stmt.span);
        }
    });
    loops.get(number.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_counted_in_the_order_of_the_source() {
        let text =
            "version a procedure p(n: int) { while (n > 0) { while (n > 1) { n := 0; } } while (n > 2) { n := 0; } }
            version b procedure p(n: int) { while (n > 3) { n := 0; } }";
        let loaded = lang_l::load([("a.l", text)]).expect("it is legal");
        let premise = |name: &str| Premise { name: name.to_string(), title: String::new(), how: None };
        let found = |name: &str| {
            let links = links(&loaded.unit, &[premise(name)]);
            links.first().map(|link| link.places.map(|span| loaded.sources.text(span).split(['(', ')']).nth(1)))
        };
        assert_eq!(found("p@loop1"), Some([Some("n > 0"), Some("n > 3")]));
        assert_eq!(found("p@loop3~p@loop1"), Some([Some("n > 2"), Some("n > 3")]));
        for none in ["p", "p@loop2", "p@loop0", "p@loop", "q@loop1"] {
            assert_eq!(found(none), None, "{none}");
        }
    }
}

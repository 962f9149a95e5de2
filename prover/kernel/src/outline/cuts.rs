//! Statements that have become procedures, as a list: whoever has it makes the same program again.
//!
//! In: a program as it was written, and [`Cut`]s. Out: the program in which they are made, one after the other, in both versions.
//!
//! Invariant: rule *Outlining*, whoever wrote the list. What cannot be cut so is refused.
//! Invariant: a procedure that a cut makes has a name that none has in the source, nor any loop of it.

use super::condition::hoist;
use super::outline;
use super::range::{Range, Way, block_at};
use crate::effects::looks_at_all_objects;
use lang_l::hir::same::same_code;
use lang_l::hir::{ProcId, Procedure, Unit, Version};
use serde::{Deserialize, Serialize};

/// Statements of a procedure that become one of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// The procedure that they are taken from.
    pub of: String,
    /// The way from its body to their block: statements, and which of their blocks.
    pub way: Way,
    /// The first of them in that block.
    pub from: usize,
    /// The last.
    pub to: usize,
    /// Whether what is taken is no more than the condition of the only one of them, an `if`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// What they become; one that is there already has to be another one, and the same code.
    pub name: String,
}

/// The program after these cuts; `None` where one of them cannot be made.
pub fn cut(unit: &Unit, cuts: &[Cut]) -> Option<Unit> {
    let mut unit = unit.clone();
    for cut in cuts {
        unit.versions.iter_mut().try_for_each(|version| cut.make(version))?;
    }
    Some(unit)
}

impl Cut {
    fn make(&self, version: &mut Version) -> Option<()> {
        let at = version.find(&self.of)?;
        if looks_at_all_objects(version, at) {
            return None;
        }
        if self.test {
            let range = self.range(version.procedure(at))?;
            hoist(&mut version.procedures[at.index()], &range)?;
        }
        let of = version.procedure(at);
        let range = self.range(of)?;
        let outlined = outline(of, &range, &self.name)?;
        let callee = match version.find(&self.name) {
            // A procedure that called itself in place of its own statements would never end.
            Some(known) => Some(known).filter(|&known| {
                (known != at || faults::planted("kernel/outline/own-body"))
                    && is_same(&outlined.procedure, version.procedure(known))
            })?,
            None => self.added(version, &outlined.procedure)?,
        };
        outlined.put_into(&mut version.procedures[at.index()], &range, callee);
        Some(())
    }

    /// The statements, where the procedure has them.
    fn range(&self, of: &Procedure) -> Option<Range> {
        let here = block_at(of.body.as_ref()?, &self.way)?;
        let there = self.from <= self.to && self.to < here.stmts.len();
        there.then(|| Range { way: self.way.clone(), from: self.from, to: self.to })
    }

    /// Adds the procedure, under a name that no identifier is.
    fn added(&self, version: &mut Version, procedure: &Procedure) -> Option<ProcId> {
        let is_part = part_of(&self.name).is_some_and(|(whole, _)| whole == self.of);
        is_part.then(|| version.procedures.push(procedure.clone()))?;
        version.find(&self.name)
    }
}

/// The procedure that a part was taken from, and the number of the part, if this is the name of one.
pub fn part_of(name: &str) -> Option<(&str, &str)> {
    let (whole, number) = name.rsplit_once('#')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((whole, number))
}

/// Whether two procedures of one version do the same.
fn is_same(one: &Procedure, other: &Procedure) -> bool {
    same_code(one, other, |p, q| p == q)
}

#[cfg(test)]
mod tests {
    use super::{Cut, cut};
    use lang_l::hir::Unit;

    fn unit() -> Unit {
        let text = "procedure f(n: int) returns (r: int) { x := g(n); if (x > 0) { r := 1; } }
            procedure h(n: int) returns (x: int) { x := g(n); } procedure k(n: int) returns (x: int) { x := n; }
            version a procedure g(n: int) returns (r: int) { r := n; }
            version b procedure g(n: int) returns (r: int) { r := n + 1; }";
        lang_l::load([("a.l", text)]).expect("it is legal").unit
    }

    fn one(way: &[(usize, usize)], (from, to): (usize, usize), name: &str) -> Cut {
        Cut { of: "f".into(), way: way.to_vec(), from, to, test: false, name: name.into() }
    }

    #[test]
    fn both_versions_are_cut() {
        let whole = cut(&unit(), &[one(&[], (0, 1), "f#0"), one(&[], (0, 0), "f#1")]).expect("it can be cut");
        for version in &whole.versions {
            let named = |name: &str| version.find(name).map(|id| version.procedure(id));
            // It is given `r` too, which it leaves alone where `x` is not positive.
            assert!(named("f#0").is_some_and(|made| made.params == 2 && made.results == 1));
            assert!(named("f#1").is_some() && named("f").is_some_and(|f| f.params == 1));
        }
    }

    #[test]
    fn what_is_there_is_called_if_it_is_the_same() {
        let calls = cut(&unit(), &[one(&[], (0, 0), "h")]).expect("h is the same code");
        assert_eq!(calls.versions[0].procedures.len(), unit().versions[0].procedures.len());
        assert_eq!(cut(&unit(), &[one(&[], (0, 0), "k")]), None);
    }

    #[test]
    fn no_procedure_calls_itself_in_place_of_its_statements() {
        let own = |of: &str| Cut { of: of.into(), ..one(&[], (0, 0), of) };
        assert_eq!(cut(&unit(), &[own("k")]), None);
        assert_eq!(cut(&unit(), &[one(&[], (0, 0), "f#0"), own("f#0")]), None);
    }

    #[test]
    fn a_condition_is_cut_alone() {
        let test = |at: usize| Cut { test: true, ..one(&[], (at, at), "f#0") };
        let whole = cut(&unit(), &[test(1)]).expect("it is the condition of an `if`");
        for version in &whole.versions {
            let of = |name: &str| version.find(name).map(|id| version.procedure(id)).expect("it is there");
            assert_eq!((of("f#0").params, of("f#0").results), (1, 1));
            let body = of("f").body.as_ref().expect("it has a body");
            // The call of `g`, that of the condition, and the `if` that asks for what it gave.
            assert_eq!(body.stmts.len(), 3);
        }
        assert_eq!(cut(&unit(), &[test(0)]), None);
        assert_eq!(cut(&unit(), &[Cut { to: 1, from: 0, ..test(0) }]), None);
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        for (way, range, name) in [
            (&[][..], (0, 2), "f#0"),
            (&[], (1, 0), "f#0"),
            (&[(0, 0)], (0, 0), "f#0"),
            (&[(1, 2)], (0, 0), "f#0"),
            (&[(7, 0)], (0, 0), "f#0"),
            (&[], (0, 1), "new"),
            (&[], (0, 1), "f@loop1"),
            (&[], (0, 1), "f#"),
        ] {
            assert_eq!(cut(&unit(), &[one(way, range, name)]), None, "{way:?} {range:?} {name}");
        }
    }

    #[test]
    fn where_a_quantifier_ranges_over_what_variables_refer_to_nothing_is_cut() {
        let after = |clause: &str, behind: &str| {
            let text = format!(
                "class N {{ s: int; }} procedure look() {{ assert forall x: N :: x == null || x.s > 0; }}
                 procedure f(n: int) {clause} {{ v := new N(); v.s := g(n); {behind} }}
                 version a procedure g(n: int) returns (r: int) {{ r := n; }}
                 version b procedure g(n: int) returns (r: int) {{ r := n + 1; }}"
            );
            cut(&lang_l::load([("a.l", text)]).expect("it is legal").unit, &[one(&[], (0, 1), "f#0")])
        };
        assert!(after("", "assert forall k: int :: k < n || k >= n;").is_some());
        assert_eq!(after("", "assert forall x: N :: x == null || x.s > 0;"), None);
        assert_eq!(after("", "look();"), None);
        assert_eq!(after("ensures exists x: N :: x != null;", ""), None);
    }
}

//! What the values of both versions have to do with one another, where no term over the store on entry says them.
//!
//! In: two paths that return from one store, and what holds there. Out: relations such as `r' == r + n` and `2 * r' == 3 * r`,
//! and that something differs where all that can differ is in sight.
//!
//! Invariant: each relation holds of the outputs of every store that takes the two paths and differs.

use super::super::outputs::{Output, Place};
use super::super::regions::Region;
use super::super::text::{self, Binding, Names, Text};
use super::Look;
use super::places::name;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed};
use smt::solve::Solver;
use smt::term::{Sort, Term};

/// The relations of all outputs that are not the same; none where the two do not both return. Where it is not `settled` that all
/// stores differ, they say so.
pub(super) fn relations(
    look: &mut Look<'_>,
    (region, settled): (&Region, bool),
    facts: &[Term],
    solver: &mut Solver,
) -> Vec<Text> {
    let outputs = look.meetings.pairs[region.meeting].outputs.clone();
    let mut found = Vec::new();
    let mut unequal: Vec<&Output> = Vec::new();
    for output in &outputs {
        let [a, b] = output.values;
        let same = look.arena.terms.eq(a, b);
        if !look.asker(solver).follows(facts, same) {
            unequal.push(output);
            found.extend(linear(look, output));
        }
    }
    if !settled {
        found.extend(seen(look, region, &unequal));
    }
    found
}

/// That some output differs, where all that can differ are results and globals that are no references.
fn seen(look: &mut Look<'_>, region: &Region, unequal: &[&Output]) -> Option<Text> {
    let meeting = &look.meetings.pairs[region.meeting];
    let plain = |output: &&Output| {
        !matches!(output.place, Place::Slot(..)) && look.arena.terms.sort(output.values[0]) != Sort::Ref
    };
    let heaps = [0, 1].map(|side| look.meetings.outcomes[side][meeting.paths[side]].heap);
    // A call stands there only if it may write something.
    let same_heap = heaps.iter().all(|&heap| look.arena.heaps.history(heap).is_empty());
    if unequal.is_empty() || !same_heap || !unequal.iter().all(plain) {
        return None;
    }
    let each = unequal.iter().map(|output| {
        let name = name(look, output.place)?;
        Some(format!("{} != {}", name.first(), name.second()))
    });
    let each = each.collect::<Option<Vec<String>>>()?;
    let binding = if each.len() == 1 { Binding::Comparison } else { Binding::Or };
    Some(Text::new(each.join(" || "), binding))
}

/// A multiple of one value as a multiple of the other, and something that can be said.
fn linear(look: &mut Look<'_>, output: &Output) -> Option<Text> {
    if look.arena.terms.sort(output.values[0]) != Sort::Int {
        return None;
    }
    let place = name(look, output.place)?;
    let names = Names { beside_final: true, ..look.names() };
    let [a, b] = output.values.map(|value| Apart::of(look, names, value));
    let ((factor, first), (factor_too, second)) = (a.unsaid.first()?, b.unsaid.first()?);
    let divisor = factor.gcd(factor_too);
    // `mine * b - theirs * a` is known.
    let (mut mine, mut theirs) = (factor / &divisor, factor_too / &divisor);
    if mine.is_negative() {
        (mine, theirs) = (-mine, -theirs);
    }
    let scaled = |parts: &[(BigInt, Term)], by: &BigInt| -> Vec<(BigInt, Term)> {
        parts.iter().map(|(factor, part)| (factor * by, *part)).collect()
    };
    if first != second || scaled(&b.unsaid, &mine) != scaled(&a.unsaid, &theirs) {
        return None;
    }
    let constant = &b.constant * &mine - &a.constant * &theirs;
    let mut rest = scaled(&b.said, &mine);
    rest.extend(scaled(&a.said, &-theirs.clone()));
    let left = times(&mine, &place.second());
    let rest = text::linear(names, &look.arena, &constant, &rest)?;
    let right = if rest.text == "0" {
        times(&theirs, place.first())
    } else {
        format!("{} + {}", times(&theirs, place.first()), rest.within(Binding::Quotient))
    };
    Some(Text::new(format!("{left} == {right}"), Binding::Comparison))
}

fn times(factor: &BigInt, name: &str) -> String {
    if factor.is_one() {
        name.to_string()
    } else if (-factor).is_one() {
        format!("-{name}")
    } else {
        format!("{factor} * {name}")
    }
}

/// A sum, as the parts that can be said and those that cannot.
struct Apart {
    constant: BigInt,
    said: Vec<(BigInt, Term)>,
    unsaid: Vec<(BigInt, Term)>,
}

impl Apart {
    fn of(look: &Look<'_>, names: Names<'_>, value: Term) -> Self {
        let (constant, parts) = look.arena.terms.linear_parts(value);
        let (said, unsaid) = parts.into_iter().partition(|(_, part)| text::text(names, &look.arena, *part).is_some());
        Apart { constant, said, unsaid }
    }
}

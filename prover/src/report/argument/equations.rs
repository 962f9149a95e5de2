//! What holds of calls, as expressions of L.

use super::Known;
use super::sums::summand;
use kernel::pair::summaries::{Formula, Polynomial, Slot, SummariesEvidence, Summary};
use lang_l::hir::{Local, Procedure};
use num_bigint::BigInt;
use num_traits::Signed;

/// How many formulas of a kind are shown for a summary.
const SHOWN: usize = 4;

/// What holds of the results of calls that satisfy something.
pub(super) fn summaries(known: &Known<'_>, evidence: &SummariesEvidence) -> Vec<String> {
    if unnamed(known) {
        return vec!["relations between calls were found; the certificate has them".to_string()];
    }
    of_calls(known, evidence).into_iter().map(|(_, text)| text).collect()
}

/// Whether values cannot be named: with globals among them, formulas name positions that only the engine knows.
fn unnamed(known: &Known<'_>) -> bool {
    !known.lowered.globals().is_empty()
}

/// What holds of the calls of each summary, where that can be said.
pub(super) fn of_calls<'e>(known: &Known<'_>, evidence: &'e SummariesEvidence) -> Vec<(&'e Summary, String)> {
    if unnamed(known) {
        return Vec::new();
    }
    evidence.summaries.iter().filter_map(|summary| Some((summary, one(known, summary)?))).collect()
}

fn one(known: &Known<'_>, Summary { of, before, given, after }: &Summary) -> Option<String> {
    // Of several calls of a version those after the first are told apart by their numbers.
    let numbered = (0..2).flat_map(|version| (1..).zip(&of[version]).map(move |(n, slot)| (version, n, slot.callee)));
    let codes: Vec<((usize, usize), &Procedure)> =
        numbered.map(|(version, n, id)| ((version, n), known.lowered.procedure(version, id))).collect();
    let names = |from: &dyn Fn(&Procedure) -> usize, count: &dyn Fn(&Procedure) -> usize| -> Vec<(String, bool)> {
        let named = |(version, n): (usize, usize), local: &Local| {
            let prime = if version == 1 { "'" } else { "" };
            let number = if n > 1 { format!("#{n}") } else { String::new() };
            (format!("{}{prime}{number}", local.name), local.ty.is_reference())
        };
        let locals = |(slot, code): &((usize, usize), &Procedure)| -> Vec<(String, bool)> {
            code.locals.iter().skip(from(code)).take(count(code)).map(|local| named(*slot, local)).collect()
        };
        codes.iter().flat_map(locals).collect()
    };
    let inputs = names(&|_| 0, &|code| code.params);
    // A result may have the name of a parameter.
    let outputs = names(&|code| code.params, &|code| code.results);
    let outputs = outputs.into_iter().map(|(name, is_reference)| (format!("{name} after"), is_reference));
    let all: Vec<(String, bool)> = inputs.iter().cloned().chain(outputs).collect();
    let count = inputs.len();
    // What holds at the start holds at the end too, and is told once.
    let mut start = shown(before, &with_lengths(inputs), &|_| true);
    let all = with_lengths(all);
    start.extend(shown(given, &all, &|_| true));
    let end = shown(after, &all, &|formula| mentions(formula, &|at| at >= count));
    if start.is_empty() && end.is_empty() {
        return None;
    }
    let mut text = match [&of[0][..], &of[1][..]] {
        [[left], [right]] => format!("calls of {}", known.titles((left.callee, right.callee))),
        [[own], []] => format!("calls of {}", known.lowered.title(0, own.callee)),
        [[], [own]] => format!("calls of {} in {}", known.lowered.title(1, own.callee), known.subject.version_name(1)),
        [left, right] => {
            let titles = |version: usize, own: &[Slot]| {
                own.iter().map(|slot| known.lowered.title(version, slot.callee)).collect::<Vec<_>>().join(", then ")
            };
            let sides = [titles(0, left), titles(1, right)];
            let sides: Vec<String> = sides.into_iter().filter(|own| !own.is_empty()).collect();
            format!("calls of {}", sides.join(" ~ "))
        }
    };
    if !start.is_empty() {
        text += &format!(" with {}", start.join(", "));
    }
    if !end.is_empty() {
        text += &format!(" give {}", end.join(", "));
    }
    Some(text + &format!(" (a prime marks {})", known.subject.version_name(1)))
}

/// The names of values, and of the lengths of those that are references.
fn with_lengths(values: Vec<(String, bool)>) -> Vec<String> {
    let lengths = values.iter().filter(|(_, is_reference)| *is_reference).map(|(name, _)| format!("{name}.length"));
    let lengths: Vec<String> = lengths.collect();
    values.into_iter().map(|(name, _)| name).chain(lengths).collect()
}

fn shown(formulas: &[Formula], names: &[String], wanted: &dyn Fn(&Formula) -> bool) -> Vec<String> {
    let told = formulas.iter().filter(|formula| wanted(formula)).filter_map(|formula| written(formula, names));
    told.take(SHOWN).collect()
}

/// Whether a formula speaks of a value.
fn mentions(formula: &Formula, of: &dyn Fn(usize) -> bool) -> bool {
    match formula {
        Formula::Zero(sum) | Formula::AtMostZero(sum) | Formula::Divisible(sum, _) => {
            sum.parts.iter().flat_map(|(_, factors)| factors).any(|&at| of(at))
        }
        Formula::Same(one, other) => of(*one) || of(*other),
        Formula::Null(one) => of(*one),
        Formula::Not(inner) => mentions(inner, of),
        Formula::Any(parts) => parts.iter().any(|part| mentions(part, of)),
    }
}

/// A formula over values of these names; `None` where it names what is not there.
fn written(formula: &Formula, names: &[String]) -> Option<String> {
    let name = |at: &usize| names.get(*at).cloned();
    Some(match formula {
        Formula::Zero(sum) => compared(sum, "==", names)?,
        Formula::AtMostZero(sum) => compared(sum, "<=", names)?,
        Formula::Divisible(sum, by) => {
            let (left, right) = sides(sum, names)?;
            format!("({left} - ({right})) % {by} == 0").replace(" - (0)", "")
        }
        Formula::Same(one, other) => format!("{} == {}", name(one)?, name(other)?),
        Formula::Null(one) => format!("{} == null", name(one)?),
        Formula::Not(inner) => format!("!({})", written(inner, names)?),
        Formula::Any(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| written(part, names)).collect::<Option<_>>()?;
            parts.join(" || ")
        }
    })
}

/// A comparison of what is added with what is taken away.
fn compared(sum: &Polynomial, with: &str, names: &[String]) -> Option<String> {
    let (left, right) = sides(sum, names)?;
    Some(format!("{left} {with} {right}"))
}

/// What is added in a sum, and what is taken away.
fn sides(sum: &Polynomial, names: &[String]) -> Option<(String, String)> {
    let (mut left, mut right) = (String::new(), String::new());
    for (factor, values) in &sum.parts {
        let factors: Vec<&str> = values.iter().map(|&at| names.get(at).map(String::as_str)).collect::<Option<_>>()?;
        let product = (!factors.is_empty()).then(|| factors.join(" * "));
        let size: BigInt = factor.abs();
        let side = if factor.is_negative() { &mut right } else { &mut left };
        summand(side, &size, product.as_deref());
    }
    let zero = |text: String| if text.is_empty() { "0".to_string() } else { text };
    Some((zero(left), zero(right)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_an_expression() {
        let names = ["n", "r", "r'"].map(str::to_string);
        let sum = |parts: &[(i64, &[usize])]| Polynomial {
            parts: parts.iter().map(|(f, at)| (BigInt::from(*f), at.to_vec())).collect(),
        };
        let zero = |parts| written(&Formula::Zero(sum(parts)), &names);
        assert_eq!(zero(&[(2, &[1]), (-1, &[2]), (-3, &[])]).as_deref(), Some("2 * r == r' + 3"));
        assert_eq!(zero(&[(-1, &[0, 1])]).as_deref(), Some("0 == n * r"));
        assert_eq!(zero(&[(1, &[7])]), None);
        let even = Formula::Divisible(sum(&[(1, &[0])]), BigInt::from(2));
        assert_eq!(written(&even, &names).as_deref(), Some("(n) % 2 == 0"));
        let some = Formula::Any(vec![Formula::Not(Box::new(Formula::AtMostZero(sum(&[(1, &[0])])))), even]);
        assert_eq!(written(&some, &names).as_deref(), Some("!(n <= 0) || (n) % 2 == 0"));
    }
}

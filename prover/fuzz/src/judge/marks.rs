//! Pairs whose one fault is known, and whether the report marks it.
//!
//! One version nests its tests, or takes them one after the other; the other leaves early, or has its conditions the other way
//! round, in other forms and, where nothing is done between them, in another order. In one test of one version a fault is planted.
//! What is marked must be that test, in one version at least, and no other test.
//!
//! In: a seed and a number of pairs. Out: a [`MarkTally`].
//!
//! Invariant: deterministic; pair number *n* of a seed does not depend on the others.

use lang_l::random::Random;
use lang_l::resolve::resolve;
use lang_l::source::Sources;
use prover::search::concrete::{SearchBudget, search};
use prover::search::localize::{Mark, Role, marks};
use prover::search::witness::RunPair;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// What came of the pairs.
#[derive(Clone, Debug, Default)]
pub struct MarkTally {
    /// Pairs of which the search found that they differ.
    pub refuted: u64,
    /// Pairs that the planted fault does not change, or not in a way that is soon found.
    pub alike: u64,
    /// Pairs whose marks are wrong: the program, and what is marked.
    pub wrong: Vec<String>,
}

impl Display for MarkTally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for wrong in &self.wrong {
            writeln!(f, "{wrong}")?;
        }
        let (refuted, alike, wrong) = (self.refuted, self.alike, self.wrong.len());
        writeln!(f, "{refuted} pairs refuted, {wrong} of them with a wrong mark; {alike} pairs not refuted")
    }
}

/// Looks at pairs until so many are refuted.
pub fn marked(seed: u64, refuted: u64) -> MarkTally {
    let mut tally = MarkTally::default();
    // A fault that changes nothing is rare.
    for number in 0..refuted * 4 {
        if tally.refuted >= refuted {
            break;
        }
        let pair = Pair::new(seed, number);
        match pair.look() {
            None => tally.alike += 1,
            Some(verdict) => {
                tally.refuted += 1;
                tally.wrong.extend(verdict.err().map(|why| format!("pair {number}: {why}\n{}", pair.text)));
            }
        }
    }
    tally
}

/// A comparison of two variables, or of a variable with a number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Test {
    left: &'static str,
    op: usize,
    right: Right,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Right {
    Variable(&'static str),
    Number(i64),
}

/// Each comparison with its opposite, and with what it is from the right to the left.
const OPS: [(&str, usize, usize); 6] =
    [("<", 3, 2), ("<=", 2, 3), (">", 1, 0), (">=", 0, 1), ("==", 5, 4), ("!=", 4, 5)];

const VARIABLES: [&str; 4] = ["a", "b", "c", "d"];

impl Test {
    fn new(random: &mut Random) -> Self {
        let left = VARIABLES[random.below(4)];
        let right = match random.percent(50) {
            true => Right::Number(i64::try_from(random.below(7)).unwrap_or(0) - 2),
            false => {
                Right::Variable(VARIABLES.into_iter().filter(|name| *name != left).nth(random.below(3)).unwrap_or("a"))
            }
        };
        // Equations hold too seldom to be interesting often.
        let op = if random.percent(80) { random.below(4) } else { 4 + random.below(2) };
        Test { left, op, right }
    }

    /// The same with a mistake in it.
    fn spoilt(self, random: &mut Random) -> Self {
        let (_, _, from_right) = OPS[self.op];
        match (random.below(3), self.right) {
            (0, Right::Number(n)) => Test { right: Right::Number(n + 1), ..self },
            // `<` for `<=`, and `==` for `!=`
            (1, _) => Test { op: self.op ^ 1, ..self },
            // `<` for `>`
            _ if self.op < 4 => Test { op: from_right, ..self },
            _ => Test { op: self.op ^ 1, ..self },
        }
    }

    /// What holds when this does not.
    fn opposite(self) -> Self {
        // `<` is number 0 and its opposite `>=` number 3.
        let op = match self.op {
            op @ 0..4 => 3 - op,
            op => op ^ 1,
        };
        Test { op, ..self }
    }

    /// One of the ways to write it.
    fn text(self, random: &mut Random) -> String {
        let right = match self.right {
            Right::Variable(name) => name.to_string(),
            Right::Number(n) => n.to_string(),
        };
        let (op, from_right) = (OPS[self.op].0, OPS[OPS[self.op].2].0);
        match random.below(10) {
            0..6 => format!("{} {op} {right}", self.left),
            6..8 => format!("{right} {from_right} {}", self.left),
            _ => {
                let opposite = self.opposite();
                format!("!({} {} {right})", self.left, OPS[opposite.op].0)
            }
        }
    }
}

/// A text, and where in it the faulty test stands in each version.
struct Pair {
    text: String,
    faulty: [Range<usize>; 2],
}

impl Pair {
    fn new(seed: u64, number: u64) -> Pair {
        let random = &mut Random::item(seed, number);
        let count = 2 + random.below(3);
        let mut tests: Vec<Test> = Vec::new();
        while tests.len() < count {
            let test = Test::new(random);
            // Two tests of the same things may stand for one another.
            let names = |test: &Test| (test.left.min(right_name(test)), test.left.max(right_name(test)));
            if tests.iter().all(|other| names(other) != names(&test)) {
                tests.push(test);
            }
        }
        let fault = random.below(count);
        let mut spoilt = tests.clone();
        spoilt[fault] = tests[fault].spoilt(random);
        let (plain, turned) = if random.percent(50) { (&tests, &spoilt) } else { (&spoilt, &tests) };
        let acts = random.percent(40);
        let guards = random.percent(60);
        let mut order: Vec<usize> = (0..count).collect();
        if guards && !acts && random.percent(40) {
            random.shuffle(&mut order);
        }
        let bodies = if guards {
            [nested(plain, acts, fault, random), early(turned, &order, acts, fault, random)]
        } else {
            [in_turn(plain, false, fault, random), in_turn(turned, true, fault, random)]
        };
        let mut text = "global g: int;\nglobal h: int;\n".to_string();
        let mut faulty = [0..0, 0..0];
        let swapped = random.percent(50);
        for version in 0..2 {
            let (body, place) = &bodies[if swapped { 1 - version } else { version }];
            text.push_str(&format!("version {version}\nprocedure p(a: int, b: int, c: int, d: int) {{\n"));
            faulty[version] = text.len() + place.start..text.len() + place.end;
            text.push_str(body);
            text.push_str("}\n");
        }
        Pair { text, faulty }
    }

    /// Whether the marks are right; `None` when no difference was found.
    fn look(&self) -> Option<Result<(), String>> {
        let mut sources = Sources::new();
        let file = sources.add("pair.l", self.text.clone());
        let unit = resolve(&[&lang_l::parse::parse(file, &self.text).file]).ok()?;
        let (left, right) = (unit.versions[0].find("p")?, unit.versions[1].find("p")?);
        let pair = RunPair { unit: &unit, left, right, when: None };
        let witness = search(&pair, &[], SearchBudget::QUICK)?;
        let Some(found) = marks(&sources, &pair, &witness) else { return Some(Err("there are no marks".to_string())) };
        let tests =
            |mark: &Mark| matches!(mark.role, Role::Turns | Role::Tests(_)) && !sources.text(mark.span).contains(":=");
        let hit = [0, 1].map(|version| {
            let (span, place) = (found[version].span.range(), &self.faulty[version]);
            place.start <= span.start && span.end <= place.end
        });
        let astray = (0..2).any(|version| tests(&found[version]) && !hit[version]);
        if !astray && hit.contains(&true) {
            return Some(Ok(()));
        }
        let shown = found.map(|mark| format!("`{}` {}", sources.text(mark.span), mark.role.word()));
        let faulty = self.faulty.clone().map(|place| self.text[place].to_string());
        Some(Err(format!(
            "marked are {} and {}, and the fault is at `{}` and `{}`",
            shown[0], shown[1], faulty[0], faulty[1]
        )))
    }
}

fn right_name(test: &Test) -> &'static str {
    match test.right {
        Right::Variable(name) => name,
        Right::Number(_) => "",
    }
}

/// A body, and where its faulty test stands.
type Body = (String, Range<usize>);

/// Tests one inside of the other.
fn nested(tests: &[Test], acts: bool, fault: usize, random: &mut Random) -> Body {
    let (mut text, mut place) = (String::new(), 0..0);
    for (at, test) in tests.iter().enumerate() {
        text.push_str("  if (");
        let start = text.len();
        text.push_str(&test.text(random));
        if at == fault {
            place = start..text.len();
        }
        text.push_str(") {\n");
        if acts && at + 1 < tests.len() {
            text.push_str(&format!("  h := h + {};\n", at + 1));
        }
    }
    text.push_str("  g := a + 1;\n");
    text.push_str(&"  }\n".repeat(tests.len()));
    (text, place)
}

/// Tests of which each leaves the procedure.
fn early(tests: &[Test], order: &[usize], acts: bool, fault: usize, random: &mut Random) -> Body {
    let (mut text, mut place) = (String::new(), 0..0);
    for (at, &test) in order.iter().enumerate() {
        text.push_str("  if (");
        let start = text.len();
        text.push_str(&tests[test].opposite().text(random));
        if test == fault {
            place = start..text.len();
        }
        text.push_str(") { return; }\n");
        if acts && at + 1 < tests.len() {
            text.push_str(&format!("  h := h + {};\n", at + 1));
        }
    }
    text.push_str("  g := a + 1;\n");
    (text, place)
}

/// Tests one after the other, each with two branches; some the other way round.
fn in_turn(tests: &[Test], turned: bool, fault: usize, random: &mut Random) -> Body {
    let (mut text, mut place) = (String::new(), 0..0);
    for (at, test) in tests.iter().enumerate() {
        let (yes, no) = (format!("g := 10 * g + {};", 2 * at + 1), format!("g := 10 * g + {};", 2 * at + 2));
        let turned = turned && random.percent(70);
        let (test, first, second) = if turned { (test.opposite(), no, yes) } else { (*test, yes, no) };
        text.push_str("  if (");
        let start = text.len();
        text.push_str(&test.text(random));
        if at == fault {
            place = start..text.len();
        }
        text.push_str(&format!(") {{ {first} }} else {{ {second} }}\n"));
    }
    (text, place)
}

#[cfg(test)]
mod tests {
    use super::{OPS, Right, Test};
    use lang_l::random::Random;

    #[test]
    fn opposites_are_opposite() {
        for (op, &(_, opposite, from_right)) in OPS.iter().enumerate() {
            let test = Test { left: "a", op, right: Right::Number(0) };
            assert_eq!(OPS[test.opposite().opposite().op].0, OPS[op].0);
            assert_eq!(test.opposite().op, opposite);
            assert_eq!(OPS[from_right].2, op);
        }
    }

    #[test]
    fn a_spoilt_test_is_another_one() {
        let random = &mut Random::new(1);
        for _ in 0..200 {
            let test = Test::new(random);
            assert!(test.spoilt(random) != test);
        }
    }
}

//! Laws that hold of every program, tried on many small ones made up at random.

use super::{run_input, unit};
use crate::heap::isomorphism::{Final, same_outcome};
use crate::heap::value::{Addr, Value};
use crate::heap::{Input, Object, Store};
use crate::hir::{FieldId, GlobalId, Unit};
use crate::interp::{Behaviour, Limits, Outcome, Scattered, Sequential};
use crate::random::Random;

const FEW: Limits =
    Limits { steps: 3_000, depth: 200, array_length: 100, int_bits: 200, checks: false, divergence: true };

/// Makes programs up.
struct Author {
    random: Random,
}

impl Author {
    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[(self.random.number() % texts.len() as u64) as usize]
    }

    fn program(&mut self) -> String {
        let (q, p) = (self.block(3, false), self.block(4, false));
        format!(
            "global g: int; global h: ref; procedure e(x, n: int) returns (s) modifies {{x}};\n\
             procedure q(x, y, n: int) returns (r, m: int) {q}\nprocedure p(x, y, n: int) returns (r, m: int) {p}"
        )
    }

    fn block(&mut self, depth: usize, in_loop: bool) -> String {
        let count = 1 + self.random.number() % 4;
        let stmts: Vec<String> = (0..count).map(|_| self.stmt(depth, in_loop)).collect();
        format!("{{ {} }}", stmts.join(" "))
    }

    fn stmt(&mut self, depth: usize, in_loop: bool) -> String {
        let inner = depth.saturating_sub(1);
        match self.random.number() % if depth == 0 { 6 } else { 11 } {
            0 => format!("{} := {};", self.one_of(&["x", "y", "r", "h", "x.f", "y.g"]), self.reference()),
            1 => format!("{} := new();", self.one_of(&["x", "y", "r", "h", "x.f", "y.g"])),
            2 => format!("{} := {};", self.one_of(&["n", "m", "g", "x.k", "y.k"]), self.integer()),
            3 => format!("r, m := q({}, {}, {});", self.reference(), self.reference(), self.integer()),
            4 => format!("r := e({}, {});", self.reference(), self.integer()),
            5 if in_loop => self.one_of(&["break;", "continue;", "return;"]).to_owned(),
            5 => format!("assert x != y || {};", self.condition()),
            6 | 7 => format!("while ({}) {}", self.condition(), self.block(inner, true)),
            _ => {
                let (then, els) = (self.block(inner, in_loop), self.block(inner, in_loop));
                format!("if ({}) {then} else {els}", self.condition())
            }
        }
    }

    fn reference(&mut self) -> &'static str {
        self.one_of(&["x", "y", "r", "h", "x.f", "y.g", "x", "y", "x", "y", "null"])
    }

    fn integer(&mut self) -> &'static str {
        self.one_of(&[
            "0",
            "1",
            "n - 1",
            "n + 1",
            "m",
            "g",
            "x.k",
            "m / (n * n + 1)",
            "(m + 1) % 3",
            "g + n",
            "n",
            "7 / m",
        ])
    }

    fn condition(&mut self) -> String {
        match self.random.number() % 3 {
            0 => format!("{} == {}", self.reference(), self.reference()),
            1 => format!("{} != null && g < 9", self.reference()),
            _ => format!("{} < {} || {} == {}", self.integer(), self.integer(), self.integer(), self.integer()),
        }
    }

    /// Three objects that refer to one another or to nothing.
    fn input(&mut self, unit: &Unit) -> Input {
        let mut value = |ty: &crate::hir::Type| match (ty.is_reference(), self.random.number() % 16) {
            (true, 0) => Value::NULL,
            (true, at) => Addr(1 + at % 3).into(),
            (false, at) => Value::from(i64::try_from(at % 4).unwrap_or(0) - 1),
        };
        let mut store = Store::default();
        for at in 1..=3 {
            let fields = (0..).map(FieldId).zip(&unit.fields).map(|(id, field)| (id, value(&field.ty)));
            store.heap.insert(Addr(at), Object::with_fields(None, fields));
        }
        for (id, global) in (0..).map(GlobalId).zip(&unit.globals) {
            store.globals.insert(id, value(&global.ty));
        }
        let procedure = &unit.versions[0].procedures[2];
        let arguments = procedure.locals[..procedure.params].iter().map(|local| Some(value(&local.ty))).collect();
        Input { arguments, store }
    }
}

/// Calls `law` with programs, inputs, and behaviours of external procedures.
fn for_programs(mut law: impl FnMut(&Unit, &Input, Behaviour)) {
    for seed in 0..400 {
        let mut author = Author { random: Random::new(seed) };
        let unit = unit(&author.program());
        for _ in 0..4 {
            let input = author.input(&unit);
            law(&unit, &input, Behaviour::Seeded(seed % 7));
        }
    }
}

fn same(unit: &Unit, input: &Input, left: &Final, right: &Final) -> bool {
    same_outcome(unit, left, right, input).is_ok()
}

#[test]
fn no_outcome_depends_on_addresses() {
    let mut ends = [0; 4];
    for_programs(|unit, input, externals| {
        let sequential = run_input(unit, "p", input.clone(), FEW, &mut Sequential::after(input).with(externals));
        let scattered = run_input(unit, "p", input.clone(), FEW, &mut Scattered::new(99).with(externals));
        assert_eq!(sequential.work, scattered.work);
        let end = match (sequential.outcome, scattered.outcome) {
            (Outcome::Normal(left), Outcome::Normal(right)) => {
                assert!(same(unit, input, &left, &right) && same(unit, input, &right, &left));
                0
            }
            (left, right) => {
                assert_eq!(left, right);
                1 + usize::from(matches!(left, Outcome::Diverged(_)))
                    + 2 * usize::from(matches!(left, Outcome::Error(_)))
            }
        };
        ends[end] += 1;
    });
    assert!(ends.into_iter().all(|count| count > 10), "programs of all sorts are wanted: {ends:?}");
}

/// Who is said never to end does not end when nobody looks.
#[test]
fn what_is_said_to_diverge_does_not_end() {
    for_programs(|unit, input, externals| {
        let watched = run_input(unit, "p", input.clone(), FEW, &mut Sequential::after(input).with(externals));
        let limits = Limits { divergence: false, steps: 10 * FEW.steps, depth: 10 * FEW.depth, ..FEW };
        let run = run_input(unit, "p", input.clone(), limits, &mut Sequential::after(input).with(externals));
        match watched.outcome {
            Outcome::Diverged(_) => assert!(matches!(run.outcome, Outcome::OutOfBudget(_)), "{:?}", run.outcome),
            Outcome::OutOfBudget(_) => {}
            ended => assert_eq!(ended, run.outcome),
        }
    });
}

/// An input that is settled as it is read leads where the same input leads when it is complete.
#[test]
fn lazy_and_complete_inputs_agree() {
    for_programs(|unit, input, externals| {
        let partial = Input { arguments: input.arguments.clone(), store: Store::default() };
        let mut partial = Input { store: Store { heap: input.store.heap.clone(), ..partial.store }, ..partial };
        for (addr, object) in &input.store.heap {
            partial.store.heap.insert(*addr, Object::new(object.kind.clone()));
        }
        let lazy = run_input(unit, "p", partial, FEW, &mut Sequential::after(input).with(externals));
        let complete = lazy.input.clone();
        let again = run_input(unit, "p", complete.clone(), FEW, &mut Sequential::after(input).with(externals));
        assert_eq!(again.input, complete, "nothing was left to settle");
        match (&lazy.outcome, &again.outcome) {
            (Outcome::OutOfBudget(_), Outcome::Diverged(_)) | (Outcome::Diverged(_), Outcome::Diverged(_)) => {}
            (lazy, again) => assert_eq!(lazy, again),
        }
    });
}

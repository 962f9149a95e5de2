//! What is said of the outputs of a pair, held against two runs from one store.
//!
//! In: a [`PairDiff`], and runs. Out: what is wrong, in words.
//!
//! 1. `relation` holds of the outputs of each store from which the two differ.
//! 2. All stores of a settled row differ.
//! 3. Where a store of a row differs, the row's relation holds, its values are those that the versions leave, and what it says to be
//!    equal is.
//! 4. The two were run on the witness of a row, and differ there.
//!
//! Invariant: what depends on which new object is which is not judged.

use super::outputs::{Gap, Runs, Said};
use crate::oracle::{Compared, Difference, replays, satisfies};
use lang_l::Loaded;
use lang_l::heap::Input;
use lang_l::hir::{Expr, ProcId, Unit};
use prover::diff::{PairDiff, Row, Value, condition};

/// What is said of the outputs of a pair.
pub(super) struct Told {
    /// From which stores anything is said.
    asked: Option<Expr>,
    /// Of all stores that differ.
    relation: Option<Relation>,
    rows: Vec<ToldRow>,
}

/// A relation with its text.
struct Relation {
    text: String,
    said: Said,
}

/// One way to differ.
struct ToldRow {
    text: String,
    when: Expr,
    settled: bool,
    relation: Relation,
    /// What is the same in both.
    equal: Vec<Relation>,
    /// What each version leaves: the place, and the value.
    left: [Vec<(Relation, Said)>; 2],
}

impl Told {
    /// Reads what is said; what cannot be read is wrong.
    pub(super) fn read(source: &Loaded, pair: &PairDiff, wrong: &mut Vec<String>) -> Self {
        let asked = pair.when.as_ref().and_then(|_| condition(source, pair, "true"));
        let relation = pair.relation.as_deref().and_then(|text| Relation::read(text, wrong));
        let rows = pair.rows.iter().filter_map(|row| ToldRow::read(source, pair, row, wrong)).collect();
        Told { asked, relation, rows }
    }

    /// The witnesses of rows that show no difference, or are of another row.
    pub(super) fn witnesses(&self, source: &Loaded, pair: &PairDiff, wrong: &mut Vec<String>) {
        for row in &pair.rows {
            let when = condition(source, pair, &row.when);
            let compared = Compared { left: pair.pair.0, right: pair.pair.1, when: when.as_ref() };
            let (input, externals) = (row.witness.input(), row.witness.externals());
            if when.is_none() || replays(&source.unit, compared, input, externals) != Some(Difference::Outcome) {
                wrong.push(format!("{}: the witness of the row when {} shows nothing", pair.names[0], row.when));
            }
        }
    }

    /// What is wrong of a store, and of the outputs of the runs from there if these differ; counts what was held against them.
    pub(super) fn hold(
        &self,
        (unit, left, input): (&Unit, ProcId, &Input),
        runs: Option<&Runs<'_>>,
        count: &mut u64,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.asked.as_ref().is_some_and(|asked| !satisfies(unit, left, asked, input)) {
            return wrong;
        }
        if let (Some(runs), Some(relation)) = (runs, &self.relation) {
            *count += 1;
            wrong.extend(relation.broken(runs));
        }
        for row in self.rows.iter().filter(|row| satisfies(unit, left, &row.when, input)) {
            match runs {
                Some(runs) => wrong.extend(row.broken(runs, count)),
                None if row.settled => wrong.push(format!("the two do not differ, but are said to when {}", row.text)),
                None => {}
            }
        }
        wrong
    }
}

impl Relation {
    fn read(text: &str, wrong: &mut Vec<String>) -> Option<Self> {
        let said = Said::read(text);
        if said.is_none() {
            wrong.push(format!("this cannot be read: {text}"));
        }
        Some(Relation { text: text.to_owned(), said: said? })
    }

    /// Why the relation does not hold of two runs.
    fn broken(&self, runs: &Runs<'_>) -> Option<String> {
        match runs.hold(&self.said) {
            Ok(true) | Err(Gap::Unknown) => None,
            Ok(false) => Some(format!("it is said that {}", self.text)),
            Err(Gap::NoValue) => Some(format!("there is no value of {}", self.text)),
        }
    }
}

impl ToldRow {
    fn read(source: &Loaded, pair: &PairDiff, row: &Row, wrong: &mut Vec<String>) -> Option<Self> {
        let when = condition(source, pair, &row.when);
        if when.is_none() {
            wrong.push(format!("this cannot be read: {}", row.when));
        }
        let relation = Relation::read(&row.relation(), wrong)?;
        let equal = row.equal().into_iter().filter_map(|place| Relation::read(place, wrong)).collect();
        let mut values = |values: &[Value]| {
            let known = values.iter().filter_map(|value| Some((value.place(), value.value.as_deref()?)));
            let read = |(place, value): (&str, &str)| {
                Some((Relation::read(place, wrong)?, Relation::read(value, wrong)?.said))
            };
            known.filter_map(read).collect()
        };
        let left = [values(&row.left), values(&row.right)];
        Some(ToldRow { text: row.when.clone(), when: when?, settled: row.is_settled(), relation, equal, left })
    }

    /// What of this row is not so in two runs that differ.
    fn broken(&self, runs: &Runs<'_>, count: &mut u64) -> Vec<String> {
        *count += 1;
        let mut wrong: Vec<String> = self.relation.broken(runs).into_iter().collect();
        for place in &self.equal {
            *count += 1;
            let both = [0, 1].map(|side| runs.at(&place.said, side));
            let [Ok(one), Ok(other)] = both else { continue };
            if runs.same(&one, &other) == Ok(false) {
                wrong.push(format!("{} is said to be equal", place.text));
            }
        }
        for (side, (place, value)) in
            (0..).zip(&self.left).flat_map(|(side, all)| all.iter().map(move |one| (side, one)))
        {
            *count += 1;
            let (said, left) = (runs.on_entry(value), runs.at(&place.said, side));
            let is_so = match (&said, &left) {
                (Ok(said), Ok(left)) => runs.same(said, left) != Ok(false),
                (Err(Gap::Unknown), _) | (_, Err(Gap::Unknown)) => true,
                _ => false,
            };
            if !is_so {
                wrong.push(format!("version {side} is said to leave another value at {}", place.text));
            }
        }
        wrong
    }
}

//! A second opinion on what was proved.
//!
//! In: the queries of a run. Out: a [`CrossCheck`]: on how many of those that hold another solver agrees, on how many it
//! does not decide, and those on which it disagrees.

use super::process::cvc5::{Cvc5, Cvc5Answer};
use super::script::script;
use super::{Answer, Query, SolverFailure};

/// So many questions are put into one script.
const BATCH: usize = 200;

/// What another solver says of what was proved.
#[derive(Clone, Debug, Default)]
pub struct CrossCheck {
    /// Its name and version.
    pub solver: String,
    /// On how many queries it agrees.
    pub agreed: usize,
    /// How many it does not decide.
    pub undecided: usize,
    /// Those on which it disagrees.
    pub disagreed: Vec<Query>,
}

/// Asks about every query that was answered by yes.
///
/// # Errors
/// When the other solver cannot be run.
pub fn cross_check(cvc5: &Cvc5, queries: &[Query]) -> Result<CrossCheck, SolverFailure> {
    let mut found = CrossCheck { solver: cvc5.name(), ..CrossCheck::default() };
    let asked: Vec<&Query> = queries.iter().filter(|query| query.answer == Answer::Holds).collect();
    let batches: Vec<Vec<Query>> =
        asked.chunks(BATCH).map(|batch| batch.iter().map(|query| (*query).clone()).collect()).collect();
    let texts: Vec<String> = batches.iter().map(|batch| script("Everything that Z3 proved", batch)).collect();
    let scripts: Vec<(&str, usize)> =
        texts.iter().zip(&batches).map(|(text, batch)| (text.as_str(), batch.len())).collect();
    if scripts.is_empty() {
        return Ok(found);
    }
    for (query, opinion) in asked.iter().zip(cvc5.opinions(&scripts)?.into_iter().flatten()) {
        match opinion {
            Cvc5Answer::Agrees => found.agreed += 1,
            Cvc5Answer::Undecided(_) => found.undecided += 1,
            Cvc5Answer::Disagrees => found.disagreed.push((*query).clone()),
        }
    }
    Ok(found)
}

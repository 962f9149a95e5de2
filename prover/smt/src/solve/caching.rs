//! The backend that remembers what another one said: for whoever verifies many programs that are alike.
//!
//! In: questions. Out: the answers of the other backend, each found out once.
//!
//! Invariant: what is said is what the other backend would say; an answer depends on the question alone, and one that a limit
//! or a breakdown kept away is not remembered.

use super::{Answer, Backend, Logic, Question, Shared, SolverFailure, Task};
use rustc_hash::FxHashMap as HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Texts longer than this are not remembered: they are few, and seldom come again.
const LONGEST: usize = 8 * 1024;

/// When so much text is remembered nothing is added any more.
const MOST: usize = 1 << 28;

/// Remembers the answers of another backend.
#[derive(Debug)]
pub struct Caching {
    inner: Shared,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    answers: HashMap<Key, Answer>,
    /// How much text they were asked with.
    text: usize,
}

/// What an answer depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    smt2: Box<str>,
    logic: Logic,
    rlimit: u32,
    seed: u32,
}

impl Caching {
    /// Remembers what this backend says.
    pub fn new(inner: Shared) -> Self {
        Caching { inner, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Caching {
    fn decide(&self, question: &Question<'_>) -> Result<Answer, SolverFailure> {
        let Question { smt2, logic, rlimit, seed, .. } = *question;
        if smt2.len() > LONGEST {
            return self.inner.decide(question);
        }
        let key = Key { smt2: smt2.into(), logic, rlimit, seed };
        if let Some(answer) = self.known().answers.get(&key) {
            return Ok(answer.clone());
        }
        let answer = self.inner.decide(question)?;
        let mut known = self.known();
        if !matches!(answer, Answer::Unknown(_)) && known.text < MOST {
            known.text += smt2.len();
            known.answers.insert(key, answer.clone());
        }
        Ok(answer)
    }

    fn done(&self, task: Task) {
        self.inner.done(task);
    }
}

//! Work that leaves too much undecided is given up, and what it did not ask is not taken for asked.

use smt::obligation::Purpose;
use smt::solve::{Answer, Backend, QueryBudget, Question, Shared, Solver, SolverFailure};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Decides what holds in plain sight, and counts what it is asked.
#[derive(Debug, Default)]
struct Slow {
    asked: Arc<AtomicUsize>,
}

impl Backend for Slow {
    fn decide(&self, question: &Question<'_>) -> Result<Answer, SolverFailure> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(if question.smt2.contains("easy") { Answer::Holds } else { Answer::Unknown("hard".to_string()) })
    }
}

#[test]
fn after_so_many_undecided_questions_nothing_is_asked() {
    let asked = Arc::new(AtomicUsize::new(0));
    let slow = Slow { asked: Arc::clone(&asked) };
    let mut solver = Solver::new(QueryBudget::default()).with_backend(Shared::new(slow));
    let ask = |solver: &mut Solver, text: &str| solver.prove_text(text.to_string(), Purpose::NoDifference.into());
    let holds = |answer: Answer| answer == Answer::Holds;
    solver.with_patience(2, |solver| {
        assert!(!holds(ask(solver, "hard 1")));
        assert!(holds(ask(solver, "easy 1")));
        assert!(!holds(ask(solver, "hard 2")));
        assert!(!holds(ask(solver, "easy 2")));
        assert!(holds(ask(solver, "easy 1")), "what was decided before is known");
    });
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    assert!(holds(ask(&mut solver, "easy 2")), "what was not asked is open to others");
    assert_eq!(solver.log().len(), 4);
}

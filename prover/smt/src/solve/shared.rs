//! A backend that several solvers ask, and the one they ask when nobody says which.
//!
//! In: a [`Backend`]. Out: a handle to it, cheap to clone.

use super::{Answer, Backend, Question, SolverFailure, z3};
use std::ops::Deref;
use std::sync::Arc;

/// A backend that solvers share.
#[derive(Clone, Debug)]
pub struct Shared(Arc<dyn Backend>);

impl Shared {
    /// To be shared from now on.
    pub fn new(backend: impl Backend + 'static) -> Self {
        Shared(Arc::new(backend))
    }
}

impl Default for Shared {
    fn default() -> Self {
        Shared::new(InProcess)
    }
}

impl Deref for Shared {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// Z3 in this process: for the library, where nobody needs to be protected from a crash.
#[derive(Clone, Copy, Debug)]
pub struct InProcess;

impl Backend for InProcess {
    fn decide(&self, question: &Question<'_>) -> Result<Answer, SolverFailure> {
        Ok(z3::decide(question))
    }
}

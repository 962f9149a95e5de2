//! Solver processes: the only module below the command line that reads or writes anything outside of this process.
//!
//! In: questions and scripts. Out: answers, or why a process gave none. The three kinds of process are
//!
//! - [`Isolated`], the client: it starts copies of this program, asks them, and kills those that do not answer;
//! - [`serve()`], such a copy: it answers what is asked on standard input;
//! - [`cvc5`], another solver, where the machine has one.
//!
//! Invariant: what is read from a process is data to be checked, and only a whole and well-formed reply is an answer.
//! Invariant: files are not touched; finding one, reading one and writing one are left to the command line.

mod child;
mod wire;

mod isolated;
mod serve;

pub mod cvc5;

pub use isolated::Isolated;
pub use serve::serve;

//! The tree-sitter grammar of L, for tests that hold it against the parser of `ape`.
//!
//! In: nothing. Out: the tables that `grammar.js` was made into.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_l() -> *const ();
}

/// The language.
// Sound: the generated parser declares the function with this type, and it returns a table that is never written.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_l) };

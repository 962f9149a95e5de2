//! Functions and constants of a file, tests included.

use std::path::Path;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemConst, ItemFn, Signature, TraitItemFn};

/// A function: where it is, how long, and how much it takes.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) lines: usize,
    /// How many parameters, `self` among them.
    pub(crate) parameters: usize,
}

/// What there is in a file.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) functions: Vec<Function>,
    /// The names of constants, with their lines.
    pub(crate) constants: Vec<(String, usize)>,
}

/// Looks through a file.
pub(crate) fn contents(file: &Path) -> Contents {
    let mut contents = Contents::default();
    contents.visit_file(&super::sources::parse(file));
    contents
}

impl Contents {
    fn function(&mut self, signature: &Signature, body: &Block) {
        let line = signature.span().start().line;
        let lines = body.span().end().line + 1 - line;
        let name = signature.ident.to_string();
        self.functions.push(Function { name, line, lines, parameters: signature.inputs.len() });
    }
}

impl<'a> Visit<'a> for Contents {
    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &'a ItemConst) {
        self.constants.push((item.ident.to_string(), item.ident.span().start().line));
        visit::visit_item_const(self, item);
    }
}

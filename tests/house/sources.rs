//! The sources of every crate as trees of modules, and what a path in one of them means.
//!
//! In: the folders of the crates. Out: [`Crate`]s. Code under `#[cfg(test)]` is no part of a tree.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// A place in a crate, from its root: `[]` is the root itself, `["chc", "polynomial"]` a module, or an item of one.
pub(crate) type Place = Vec<String>;

/// A crate: its name in paths, and its modules.
pub(crate) struct Crate {
    pub(crate) name: &'static str,
    pub(crate) modules: BTreeMap<Place, Module>,
}

/// A module in a file of its own.
#[derive(Default)]
pub(crate) struct Module {
    /// The file, from the root of the repository.
    pub(crate) file: PathBuf,
    /// The modules declared in it, in order.
    pub(crate) declared: Vec<String>,
    /// What its `use` lines bring in, by name: paths as written.
    imports: BTreeMap<String, Vec<String>>,
    /// The paths of `use …::*`.
    globs: Vec<Vec<String>>,
    /// Every path in it, as written, with its line.
    pub(crate) paths: Vec<(Vec<String>, usize)>,
    /// Every macro that is called, with its line.
    pub(crate) macros: Vec<(String, usize)>,
}

/// A file of Rust, parsed.
pub(crate) fn parse(file: &Path) -> syn::File {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Whether it is there in tests alone.
fn of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let tokens = || attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        attribute.path().is_ident("test") || attribute.path().is_ident("cfg") && tokens() == "test"
    })
}

impl Crate {
    /// Reads a crate from its root file on.
    pub(crate) fn read(repository: &Path, name: &'static str, root: &str) -> Self {
        let mut read = Crate { name, modules: BTreeMap::new() };
        read.module(repository, Path::new(root), Vec::new());
        read
    }

    fn module(&mut self, repository: &Path, file: &Path, place: Place) {
        let mut reader = Reader { module: Module { file: file.into(), ..Module::default() } };
        reader.visit_file(&parse(&repository.join(file)));
        let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("lib" | "main" | "mod") => file.parent().unwrap_or(Path::new("")).to_path_buf(),
            _ => file.with_extension(""),
        };
        for child in &reader.module.declared {
            let [flat, deep] = [folder.join(format!("{child}.rs")), folder.join(child).join("mod.rs")];
            let found = if repository.join(&flat).is_file() { flat } else { deep };
            self.module(repository, &found, [place.clone(), vec![child.clone()]].concat());
        }
        self.modules.insert(place, reader.module);
    }

    /// What a path in a module of this crate means: the crate it leads to, and the place there.
    ///
    /// Names that modules bring in by `use` are followed to where they are declared.
    pub(crate) fn resolve(&self, from: &Place, path: &[String]) -> (String, Place) {
        self.follow(from, path, &mut BTreeSet::new())
    }

    fn follow(&self, from: &Place, path: &[String], seen: &mut BTreeSet<(Place, Vec<String>)>) -> (String, Place) {
        let foreign = |path: &[String]| (path[0].clone(), path[1..].to_vec());
        if !seen.insert((from.clone(), path.to_vec())) {
            return (self.name.into(), from.clone());
        }
        let (mut at, mut rest) = match path[0].as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.clone(), &path[1..]),
            "super" => (from[..from.len().saturating_sub(1)].to_vec(), &path[1..]),
            first => {
                let module = &self.modules[from];
                let here = module.declared.iter().any(|child| child == first) || module.imports.contains_key(first);
                if !here && !module.globs.is_empty() {
                    return self.through_globs(from, path, seen).unwrap_or_else(|| foreign(path));
                }
                if !here {
                    return foreign(path);
                }
                (from.clone(), path)
            }
        };
        while let Some((name, after)) = rest.split_first() {
            let Some(module) = self.modules.get(&at) else { break };
            if name == "super" {
                at.pop();
            } else if let Some(import) = module.imports.get(name).filter(|_| !module.declared.contains(name)) {
                let full = [import.as_slice(), after].concat();
                return self.follow(&at, &full, seen);
            } else {
                at.push(name.clone());
            }
            rest = after;
        }
        (self.name.into(), at)
    }

    /// A name that only a `use …::*` can have brought in.
    fn through_globs(
        &self,
        from: &Place,
        path: &[String],
        seen: &mut BTreeSet<(Place, Vec<String>)>,
    ) -> Option<(String, Place)> {
        self.modules[from].globs.iter().find_map(|glob| {
            let (name, at) = self.follow(from, glob, seen);
            let module = self.modules.get(&at).filter(|_| name == self.name)?;
            let has = module.declared.contains(&path[0]) || module.imports.contains_key(&path[0]);
            has.then(|| self.follow(&at, path, seen))
        })
    }

    /// The innermost module on the way to a place.
    pub(crate) fn module_of(&self, place: &Place) -> Place {
        let whole = (0..=place.len()).rev().find(|&length| self.modules.contains_key(&place[..length]));
        place[..whole.unwrap_or(0)].to_vec()
    }
}

/// Collects what a [`Module`] has.
struct Reader {
    module: Module,
}

impl Reader {
    fn import(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(path.ident.to_string())),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before)),
            UseTree::Name(name) if name.ident == "self" => {
                self.imported(before.last().cloned(), before.to_vec(), name.ident.span().start().line)
            }
            UseTree::Name(name) => self.imported(
                Some(name.ident.to_string()),
                with(name.ident.to_string()),
                name.ident.span().start().line,
            ),
            UseTree::Rename(name) => self.imported(
                Some(name.rename.to_string()),
                with(name.ident.to_string()),
                name.ident.span().start().line,
            ),
            UseTree::Glob(star) => {
                self.module.globs.push(before.to_vec());
                self.module.paths.push((before.to_vec(), star.star_token.spans[0].start().line));
            }
        }
    }

    fn imported(&mut self, name: Option<String>, path: Vec<String>, line: usize) {
        self.module.imports.extend(name.map(|name| (name, path.clone())));
        self.module.paths.push((path, line));
    }

    /// The paths in the arguments of a macro, which are not parsed: names joined by `::`.
    fn tokens(&mut self, tokens: &TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut line) = (0, 0);
        for token in tokens.clone() {
            match &token {
                TokenTree::Group(group) => self.tokens(&group.stream()),
                TokenTree::Ident(ident) if colons == 2 || path.is_empty() => {
                    path.push(ident.to_string());
                    (colons, line) = (0, ident.span().start().line);
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && colons < 2 => {
                    colons += 1;
                    continue;
                }
                _ => {}
            }
            self.finish(&mut path, line);
            colons = 0;
            if let TokenTree::Ident(ident) = token {
                path.push(ident.to_string());
                line = ident.span().start().line;
            }
        }
        self.finish(&mut path, line);
    }

    fn finish(&mut self, path: &mut Vec<String>, line: usize) {
        if path.len() > 1 {
            self.module.paths.push((path.clone(), line));
        }
        path.clear();
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if of_tests(attributes) {
            return;
        }
        match item {
            Item::Mod(item) if item.content.is_none() => self.module.declared.push(item.ident.to_string()),
            Item::Use(item) => self.import(&item.tree, &[]),
            item => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.module.paths.push((names, line));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let line = call.path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.module.macros.push((name, line));
        self.tokens(&call.tokens);
    }
}

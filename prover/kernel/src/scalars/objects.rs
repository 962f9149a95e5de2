//! Scalar replacement of objects: one that nobody else can see is variables.
//!
//! In: a procedure, and the program it is of. Out: the procedure with a variable for each field that is looked at.
//!
//! Rule *Scalars* (`proofs/soundness.md`). A variable holds a new object, is assigned nowhere else, and after that, in the same
//! block, nothing is done with it but to read and write fields of it, once helpers that it is handed to are in place. So no other variable and no place of the store ever refers to
//! that object: it is garbage wherever the variable is not looked at, and each of its fields is a variable of the procedure. The same
//! goes for an array of few cells whose indices are all literals.

use super::helpers::expanded;
use super::variables::{added, default};
use crate::bounds::scalars::{MAX_CELLS, MAX_HANDED};
use lang_l::hir::visit::{walk_stmts, walk_stmts_mut};
use lang_l::hir::{
    Block, ClassId, Expr, ExprKind, Field, FieldId, Local, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind,
    Type, Unit, Version,
};
use std::collections::{BTreeMap, BTreeSet};

/// Replaces such objects in a procedure of a version of a program.
pub(super) fn replace(procedure: &mut Procedure, (written, version): (&Unit, &Version)) {
    if !kinds_made(procedure).is_empty() {
        replace_all(procedure, &kept_alike(written, &procedure.name), (&written.fields, version));
    }
}

/// Replaces all objects of a procedure that are of these kinds.
fn replace_all(procedure: &mut Procedure, kinds: &BTreeSet<Kind>, (fields, version): (&[Field], &Version)) {
    let mut tried = BTreeSet::new();
    loop {
        let mut found = Private::all(procedure, kinds);
        if found.is_empty() {
            found.extend(handed(procedure, kinds, version, &mut tried));
        }
        if found.is_empty() {
            return;
        }
        found.iter().for_each(|private| private.replace(procedure, fields));
    }
}

/// An object that only helpers see beside the procedure; these are in place then. Few are tried, and none twice.
fn handed(
    procedure: &mut Procedure,
    kinds: &BTreeSet<Kind>,
    version: &Version,
    tried: &mut BTreeSet<LocalId>,
) -> Option<Private> {
    let (mut made, mut given) = (BTreeSet::new(), BTreeSet::new());
    walk_stmts(procedure.body.as_ref()?, &mut |stmt| {
        made.extend(Private::made_by(stmt).map(|made| made.variable));
        given.extend(stmt.as_call().into_iter().flat_map(|(_, _, args)| args).filter_map(variable));
        stmt.exprs().into_iter().for_each(|e| {
            e.walk(&mut |part| {
                if let ExprKind::Call(_, args) = &part.kind {
                    given.extend(args.iter().filter_map(variable));
                }
            });
        });
    });
    for variable in made.into_iter().filter(|variable| given.contains(variable)) {
        if tried.len() == MAX_HANDED || !tried.insert(variable) {
            continue;
        }
        let Some(with_helpers) = expanded(procedure, version, variable) else { continue };
        if let Some(private) = Private::all(&with_helpers, kinds).into_iter().find(|own| own.variable == variable) {
            *procedure = with_helpers;
            return Some(private);
        }
    }
    None
}

/// The kinds of objects of which the procedures of one name make as many in each version once all are replaced that can be. Where one
/// version hands an object to a helper and the other does not, what they do with it is compared as it is written.
pub(super) fn kept_alike(written: &Unit, name: &str) -> BTreeSet<Kind> {
    let procedures =
        written.versions.iter().filter_map(|version| Some((version, version.procedure(version.find(name)?))));
    let made: Vec<[Vec<Kind>; 2]> = procedures
        .map(|(version, procedure)| {
            let mut replaced = procedure.clone();
            let before = kinds_made(procedure);
            replace_all(&mut replaced, &before.iter().cloned().collect(), (&written.fields, version));
            [before, kinds_made(&replaced)]
        })
        .collect();
    let alike = |kind: &Kind| {
        let left = made.iter().map(|[_, after]| after.iter().filter(|own| *own == kind).count());
        left.collect::<BTreeSet<_>>().len() == 1
    };
    made.iter().flat_map(|[before, _]| before).filter(|kind| alike(kind)).cloned().collect()
}

/// What the statements of a procedure make.
fn kinds_made(procedure: &Procedure) -> Vec<Kind> {
    let mut made = Vec::new();
    procedure.body.iter().for_each(|body| {
        walk_stmts(body, &mut |stmt| made.extend(Kind::made_by(stmt)));
    });
    made
}

/// What a statement makes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Object(Option<ClassId>),
    Array(Type),
}

impl Kind {
    fn made_by(stmt: &Stmt) -> Option<Kind> {
        match &stmt.kind {
            StmtKind::Assign(_, Rhs::New(class)) => Some(Kind::Object(*class)),
            StmtKind::Assign(_, Rhs::NewArray(ty, _)) => Some(Kind::Array(ty.clone())),
            _ => None,
        }
    }
}

/// A field of an object, or a cell of an array.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Field(FieldId),
    Cell(usize, Type),
}

impl Part {
    pub(super) fn ty(&self, fields: &[Field]) -> Type {
        match self {
            Part::Field(field) => fields[field.index()].ty.clone(),
            Part::Cell(_, ty) => ty.clone(),
        }
    }

    /// As it is written of the variable of this name.
    pub(super) fn name(&self, variable: &str, fields: &[Field]) -> String {
        match self {
            Part::Field(field) => format!("{variable}.{}", fields[field.index()].name),
            Part::Cell(at, _) => format!("{variable}[{at}]"),
        }
    }
}

/// A variable that holds a new object which nothing else refers to.
#[derive(Clone)]
pub(super) struct Private {
    pub(super) variable: LocalId,
    /// The types of an array's cells, and how many there are.
    pub(super) cells: Option<(Type, usize)>,
}

impl Private {
    /// All of a procedure that are of these kinds.
    fn all(procedure: &Procedure, kinds: &BTreeSet<Kind>) -> Vec<Private> {
        let Some(body) = &procedure.body else { return Vec::new() };
        let mut uses = Uses::default();
        uses.block(body);
        let own = procedure.params + procedure.results;
        let is_private = |variable: LocalId| {
            let Use { at_all, parts } = uses.of.get(&variable).copied().unwrap_or_default();
            // All else that there is of it is that it is assigned once.
            let alone = at_all == parts + 1 || faults::planted("kernel/scalars/seen-elsewhere");
            variable.index() >= own && alone
        };
        let made = uses.made.iter().filter(|(kind, private)| kinds.contains(kind) && is_private(private.variable));
        made.map(|(_, private)| private.clone()).collect()
    }

    /// What a statement makes, if it is a new object or a short array.
    fn made_by(stmt: &Stmt) -> Option<Private> {
        match &stmt.kind {
            StmtKind::Assign(Place::Local(variable), Rhs::New(_)) => Some(Private { variable: *variable, cells: None }),
            StmtKind::Assign(Place::Local(variable), Rhs::NewArray(ty, length)) => {
                let length = literal(length).filter(|length| *length <= MAX_CELLS)?;
                Some(Private { variable: *variable, cells: Some((ty.clone(), length)) })
            }
            _ => None,
        }
    }

    fn is(&self, e: &Expr) -> bool {
        variable(e) == Some(self.variable)
    }

    pub(super) fn part(&self, e: &Expr) -> Option<Part> {
        match &e.kind {
            ExprKind::Field(object, field) => self.field(object, *field),
            ExprKind::Index(array, index) => self.cell(array, index),
            _ => None,
        }
    }

    pub(super) fn part_at(&self, place: &Place) -> Option<Part> {
        match place {
            Place::Field(object, field) => self.field(object, *field),
            Place::Index(array, index) => self.cell(array, index),
            Place::Local(_) | Place::Global(_) => None,
        }
    }

    fn field(&self, object: &Expr, field: FieldId) -> Option<Part> {
        (self.cells.is_none() && self.is(object)).then_some(Part::Field(field))
    }

    fn cell(&self, array: &Expr, index: &Expr) -> Option<Part> {
        let (ty, length) = self.cells.as_ref().filter(|_| self.is(array))?;
        literal(index).filter(|index| index < length).map(|index| Part::Cell(index, ty.clone()))
    }

    /// Puts a variable in the place of each part. The object is made no more; in its stead the variables get the values that its
    /// parts have at first.
    fn replace(&self, procedure: &mut Procedure, fields: &[Field]) {
        let Procedure { body: Some(body), locals, .. } = procedure else { return };
        let Local { name, span, .. } = locals[self.variable.index()].clone();
        let mut variables: BTreeMap<Part, LocalId> = BTreeMap::new();
        self.put(body, &mut |part| {
            let (name, ty) = (part.name(&name, fields), part.ty(fields));
            Some(*variables.entry(part).or_insert_with(|| added(locals, Local { name, ty, span })))
        });
        let assign = |(part, id): (Part, LocalId)| StmtKind::Assign(Place::Local(id), default(part.ty(fields), span));
        let first: Vec<StmtKind> = variables.into_iter().map(assign).collect();
        self.make(body, &first);
    }

    /// Puts variables in the place of its parts.
    pub(super) fn put(&self, body: &mut Block, variable: &mut dyn FnMut(Part) -> Option<LocalId>) {
        walk_stmts_mut(body, &mut |stmt| {
            for target in stmt.targets_mut() {
                if let Some(id) = self.part_at(target).and_then(&mut *variable) {
                    *target = Place::Local(id);
                }
            }
            for e in stmt.exprs_mut() {
                e.walk_mut(&mut |e| match (&e.kind, &self.cells) {
                    (ExprKind::Length(array), Some((_, length))) if self.is(array) => {
                        e.kind = ExprKind::Int((*length).into())
                    }
                    _ => {
                        if let Some(id) = self.part(e).and_then(&mut *variable) {
                            e.kind = ExprKind::Local(id);
                        }
                    }
                });
            }
        });
    }

    /// The place of a part.
    pub(super) fn place(&self, part: &Part, object: &Local) -> Place {
        let (kind, ty, span) = (ExprKind::Local(self.variable), object.ty.clone(), object.span);
        let base = Expr { kind, ty, span };
        match part {
            Part::Field(field) => Place::Field(base, *field),
            Part::Cell(at, _) => Place::Index(base, Expr { kind: ExprKind::Int((*at).into()), ty: Type::Int, span }),
        }
    }

    /// Has the variables assigned where the object was made.
    fn make(&self, block: &mut Block, first: &[StmtKind]) {
        let is_it = |stmt: &Stmt| Private::made_by(stmt).is_some_and(|made| made.variable == self.variable);
        if let Some(at) = block.stmts.iter().position(is_it) {
            let span = block.stmts[at].span;
            block.stmts.splice(at..=at, first.iter().map(|kind| Stmt { kind: kind.clone(), span }));
            return;
        }
        block.stmts.iter_mut().flat_map(Stmt::blocks_mut).for_each(|inner| self.make(inner, first));
    }
}

/// A helper, and the number of the parameter by which it is handed an object.
pub(super) type Handing = (ProcId, usize);

/// To whom a statement hands a variable, and by which parameter, if that is all that it does with it: it calls a helper, and its results go to
/// variables or globals.
pub(super) fn handing_of(stmt: &Stmt, variable: LocalId) -> Option<Handing> {
    let (targets, callee, args) = stmt.as_call()?;
    let simple = targets.iter().all(|target| matches!(target, Place::Local(_) | Place::Global(_)));
    let at = args.iter().position(|arg| arg.kind == ExprKind::Local(variable)).filter(|_| simple)?;
    Some((callee, at))
}

/// How often a variable is there.
#[derive(Clone, Copy, Default)]
struct Use {
    at_all: usize,
    /// As that whose part is read or written, after what it holds was made and in the same block, or in one within.
    parts: usize,
}

/// What a body does with variables that hold new objects.
#[derive(Default)]
pub(super) struct Uses {
    of: BTreeMap<LocalId, Use>,
    pub(super) made: Vec<(Kind, Private)>,
    /// Those that were made before, in this block or in one around it.
    open: BTreeMap<LocalId, Private>,
    /// To whom those are handed by statements that do no more with them.
    handed: BTreeMap<LocalId, Vec<Handing>>,
}

impl Uses {
    /// Begins with what a variable holds.
    pub(super) fn open(&mut self, private: &Private) {
        self.open.insert(private.variable, private.clone());
    }

    /// To whom a variable is handed, if all else that there is of it is that it is assigned so often, and that parts of what it holds are looked at.
    pub(super) fn handed_alone(&self, variable: LocalId, assigned: usize) -> Option<Vec<Handing>> {
        let Use { at_all, parts } = self.of.get(&variable).copied().unwrap_or_default();
        let handed = self.handed.get(&variable).cloned().unwrap_or_default();
        let alone = at_all == parts + handed.len() + assigned;
        alone.then_some(handed)
    }

    pub(super) fn block(&mut self, block: &Block) {
        let mut begun = Vec::new();
        for stmt in &block.stmts {
            for &variable in self.open.keys() {
                self.handed.entry(variable).or_default().extend(handing_of(stmt, variable));
            }
            for target in stmt.targets() {
                match target {
                    Place::Local(id) => self.of.entry(*id).or_default().at_all += 1,
                    Place::Field(base, _) | Place::Index(base, _) => {
                        self.part(base, |private| private.part_at(target).is_some());
                    }
                    Place::Global(_) => {}
                }
            }
            for e in stmt.exprs() {
                e.walk(&mut |part| {
                    if let Some(id) = variable(part) {
                        self.of.entry(id).or_default().at_all += 1;
                    }
                });
                self.parts(e);
            }
            stmt.blocks().into_iter().for_each(|inner| self.block(inner));
            if let (Some(kind), Some(private)) = (Kind::made_by(stmt), Private::made_by(stmt)) {
                begun.push(private.variable);
                self.open.insert(private.variable, private.clone());
                self.made.push((kind, private));
            }
        }
        begun.iter().for_each(|variable| drop(self.open.remove(variable)));
    }

    /// Takes up the parts that an expression reads. On entry there was no such object, so what `old` has of it is no part.
    fn parts(&mut self, e: &Expr) {
        let is_part = match &e.kind {
            ExprKind::Old(_) => return,
            ExprKind::Length(base) => self.part(base, |private| private.cells.is_some()),
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => self.part(base, |private| private.part(e).is_some()),
            _ => false,
        };
        if !is_part {
            e.parts().into_iter().for_each(|part| self.parts(part));
        }
    }

    /// Takes up a part of what a variable holds, if it is one.
    fn part(&mut self, base: &Expr, is_part: impl Fn(&Private) -> bool) -> bool {
        let own = variable(base).filter(|id| self.open.get(id).is_some_and(is_part));
        own.into_iter().for_each(|id| self.of.entry(id).or_default().parts += 1);
        own.is_some()
    }
}

fn variable(e: &Expr) -> Option<LocalId> {
    match e.kind {
        ExprKind::Local(id) => Some(id),
        _ => None,
    }
}

/// A literal that may be a length or an index.
fn literal(e: &Expr) -> Option<usize> {
    match &e.kind {
        ExprKind::Int(number) => usize::try_from(number).ok(),
        _ => None,
    }
}

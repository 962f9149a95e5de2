//! Scalar replacement of objects: one that nobody else can see is variables.
//!
//! In: a procedure, and the program it is of. Out: the procedure with a variable for each field that is looked at.
//!
//! Rule *Scalars* (`proofs/soundness.md`). A variable holds a new object, is assigned nowhere else, and after that, in the same
//! block, nothing is done with it but to read and write fields of it, once helpers that it is handed to are in place. So no other variable and no place of the store ever refers to
//! that object: it is garbage wherever the variable is not looked at, and each of its fields is a variable of the procedure. The same
//! goes for an array of few cells whose indices are all literals.

use super::helpers::{default, in_place};
use crate::bounds::scalars::MAX_CELLS;
use lang_l::hir::visit::{walk_stmts, walk_stmts_mut};
use lang_l::hir::{
    Block, ClassId, Expr, ExprKind, Field, FieldId, Local, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Type, Unit,
    Version,
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
    while let Some(private) =
        Private::in_procedure(procedure, kinds, |_| true).or_else(|| handed(procedure, kinds, version))
    {
        private.replace(procedure, fields);
    }
}

/// An object that only helpers see beside the procedure; these are in place then.
fn handed(procedure: &mut Procedure, kinds: &BTreeSet<Kind>, version: &Version) -> Option<Private> {
    let mut made = BTreeSet::new();
    walk_stmts(procedure.body.as_ref()?, &mut |stmt| made.extend(Private::made_by(stmt).map(|made| made.variable)));
    let (expanded, private) = made.into_iter().find_map(|variable| {
        let expanded = in_place(procedure, version, variable)?;
        let private = Private::in_procedure(&expanded, kinds, |own| own == variable)?;
        Some((expanded, private))
    })?;
    *procedure = expanded;
    Some(private)
}

/// The kinds of objects of which the procedures of one name make as many in each version once all are replaced that can be. Where one
/// version hands an object to a helper and the other does not, what they do with it is compared as it is written.
fn kept_alike(written: &Unit, name: &str) -> BTreeSet<Kind> {
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
enum Kind {
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
enum Part {
    Field(FieldId),
    Cell(usize, Type),
}

impl Part {
    fn ty(&self, fields: &[Field]) -> Type {
        match self {
            Part::Field(field) => fields[field.index()].ty.clone(),
            Part::Cell(_, ty) => ty.clone(),
        }
    }
}

/// A variable that holds a new object which nothing else refers to.
struct Private {
    variable: LocalId,
    /// The types of an array's cells, and how many there are.
    cells: Option<(Type, usize)>,
}

impl Private {
    /// The first one of a procedure that is of these kinds, and in a variable that is wanted.
    fn in_procedure(
        procedure: &Procedure,
        kinds: &BTreeSet<Kind>,
        is_wanted: impl Fn(LocalId) -> bool,
    ) -> Option<Private> {
        let body = procedure.body.as_ref()?;
        let mut blocks = vec![body];
        walk_stmts(body, &mut |stmt| blocks.extend(stmt.blocks()));
        let own = procedure.params + procedure.results;
        blocks.into_iter().find_map(|block| {
            (0..block.stmts.len()).find_map(|at| {
                let stmt = &block.stmts[at];
                let wanted = Kind::made_by(stmt).is_some_and(|kind| kinds.contains(&kind));
                let fits = |made: &Private| wanted && made.variable.index() >= own && is_wanted(made.variable);
                let private = Private::made_by(stmt).filter(fits)?;
                let seen: usize = block.stmts[at + 1..].iter().map(|stmt| private.parts_in(stmt)).sum();
                // All else that there is of it is that it is assigned here.
                let only = private.mentions(body) == seen + 1 || faults::planted("kernel/scalars/seen-elsewhere");
                only.then_some(private)
            })
        })
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

    /// How often a block has the variable at all.
    fn mentions(&self, block: &Block) -> usize {
        let mut count = 0;
        walk_stmts(block, &mut |stmt| {
            count += stmt.targets().iter().filter(|target| **target == Place::Local(self.variable)).count();
            stmt.exprs().into_iter().for_each(|e| e.walk(&mut |part| count += usize::from(self.is(part))));
        });
        count
    }

    fn is(&self, e: &Expr) -> bool {
        e.kind == ExprKind::Local(self.variable)
    }

    /// How often a statement, or one within it, has the variable as that whose part is read or written.
    fn parts_in(&self, stmt: &Stmt) -> usize {
        let here = stmt.targets().iter().filter(|target| self.part_at(target).is_some()).count();
        let read: usize = stmt.exprs().into_iter().map(|e| self.parts_of(e)).sum();
        let within = stmt.blocks().into_iter().flat_map(|block| &block.stmts);
        here + read + within.map(|stmt| self.parts_in(stmt)).sum::<usize>()
    }

    /// The same of an expression. On entry there was no such object, so what `old` has of it is no part.
    fn parts_of(&self, e: &Expr) -> usize {
        match &e.kind {
            ExprKind::Old(_) => 0,
            ExprKind::Length(array) if self.cells.is_some() && self.is(array) => 1,
            _ if self.part(e).is_some() => 1,
            _ => e.parts().into_iter().map(|part| self.parts_of(part)).sum(),
        }
    }

    fn part(&self, e: &Expr) -> Option<Part> {
        match &e.kind {
            ExprKind::Field(object, field) => self.field(object, *field),
            ExprKind::Index(array, index) => self.cell(array, index),
            _ => None,
        }
    }

    fn part_at(&self, place: &Place) -> Option<Part> {
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
        let mut variable = |part: Part| {
            let name = match &part {
                Part::Field(field) => format!("{name}.{}", fields[field.index()].name),
                Part::Cell(at, _) => format!("{name}[{at}]"),
            };
            let ty = part.ty(fields);
            *variables.entry(part).or_insert_with(|| {
                locals.push(Local { name, ty, span });
                LocalId(u32::try_from(locals.len() - 1).unwrap_or(u32::MAX))
            })
        };
        walk_stmts_mut(body, &mut |stmt| {
            for target in stmt.targets_mut() {
                if let Some(part) = self.part_at(target) {
                    *target = Place::Local(variable(part));
                }
            }
            for e in stmt.exprs_mut() {
                e.walk_mut(&mut |e| match (&e.kind, &self.cells) {
                    (ExprKind::Length(array), Some((_, length))) if self.is(array) => {
                        e.kind = ExprKind::Int((*length).into())
                    }
                    _ => {
                        if let Some(part) = self.part(e) {
                            e.kind = ExprKind::Local(variable(part));
                        }
                    }
                });
            }
        });
        let assign = |(part, id): (Part, LocalId)| StmtKind::Assign(Place::Local(id), default(part.ty(fields), span));
        let first: Vec<StmtKind> = variables.into_iter().map(assign).collect();
        self.make(body, &first);
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

/// A literal that may be a length or an index.
fn literal(e: &Expr) -> Option<usize> {
    match &e.kind {
        ExprKind::Int(number) => usize::try_from(number).ok(),
        _ => None,
    }
}

//! Promotion: a global, a field that a loop looks at through one variable alone, the one cell at which it looks of an array that a
//! variable owns, or a field or cell of which the loop writes none, is a variable while the loop runs.
//!
//! In: a program. Out: the program with `h := v.f; while (…) {…} v.f := h;` in place of a loop that has `v.f` wherever it now has `h`,
//! and nothing behind the loop where that only reads it. Where v may be null, and each turn comes to a field of it, all of that stands
//! under the condition of the loop. Where the loop returns, it breaks off instead, and returns once the field is stored. Where one version
//! does, the others do so too.
//!
//! Rule *Promotion* (`proofs/soundness.md`). Nothing in the loop reads or writes that field of any object but by `v.f`, and v is not
//! assigned: so the field holds there what the variable does. It is stored behind the loop. Where nothing writes such a field or cell, of
//! any object, all may look at them.

use super::locations::{Index, Kind, Location};
use super::nullness::{There, forget, not_null, replace_loops, surely_come_to, surely_read};
use super::owners::Owners;
use super::returns::{Around, break_off};
use super::variables::added;
use crate::effects::{Effects, callees_of, cell_sort, syntactic};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{
    Block, Expr, ExprKind, Field, Global, GlobalId, Local, LocalId, Place, ProcId, Procedure, Stmt, StmtKind, Type,
    Unit, Version,
};
use smt::term::{Selector, Sort};
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

/// Promotes fields and globals in all procedures; nothing in them quantifies over references. Where one version writes a field in loops
/// or recursion as before, the others do so too, and likewise where one looks at a global, or at what is only read.
pub(super) fn promote(unit: &mut Unit) {
    let mut all = unit.clone();
    let effects: Vec<Vec<Effects>> = (0..unit.versions.len()).map(|at| syntactic(unit, at)).collect();
    let tables = (&unit.fields[..], &unit.globals[..]);
    let mut found = BTreeSet::new();
    for (version, effects) in all.versions.iter_mut().zip(&effects) {
        for procedure in &mut version.procedures {
            let promoted = promote_in(procedure, (tables, effects), &|_| true, false);
            found.extend(promoted.into_iter().map(|kind| (procedure.name.clone(), kind)));
        }
    }
    if found.is_empty() {
        return;
    }
    let after: Vec<Vec<Effects>> = (0..all.versions.len()).map(|at| syntactic(&all, at)).collect();
    found.retain(|(name, kind)| {
        let own = |versions, effects| each_version(versions, effects, name);
        let counts = |selector: Selector| {
            [own(&unit.versions, &effects), own(&all.versions, &after)].map(|own| -> BTreeSet<usize> {
                own.into_iter().map(|(own, effects, id)| written(own, effects, id, selector)).collect()
            })
        };
        match *kind {
            Kind::Field(field) => {
                let [before, after] = counts(Selector::Field(field));
                // Loops that write it only before they return are left as they are, where no others write it.
                before != BTreeSet::from([0]) && after.len() == 1
            }
            Kind::Cell(sort) => {
                let [before, after] = counts(Selector::Cell(sort));
                before.len() > 1 && after.len() == 1
            }
            Kind::Global(global) => {
                let mut own = own(&all.versions, &after).into_iter();
                !own.any(|(own, effects, id)| is_looked_at(own, effects, id, global))
            }
            Kind::Read(selector) => {
                let own = own(&all.versions, &after).into_iter();
                let counts = own.map(|(own, effects, id)| looking(own, effects, id, selector));
                counts.collect::<BTreeSet<usize>>().len() == 1
            }
        }
    });
    let Unit { versions, fields, globals, .. } = unit;
    for (version, effects) in versions.iter_mut().zip(&effects) {
        for procedure in &mut version.procedures {
            let name = procedure.name.clone();
            let breaks_off = found.iter().any(|(own, kind)| *own == name && !matches!(kind, Kind::Read(_)));
            let wanted = |kind| found.contains(&(name.clone(), kind));
            promote_in(procedure, ((fields, globals), effects), &wanted, breaks_off);
        }
    }
}

/// The procedure of a name in each version, with what the procedures of that do.
fn each_version<'p>(
    versions: &'p [Version],
    effects: &'p [Vec<Effects>],
    name: &str,
) -> Vec<(&'p Version, &'p [Effects], ProcId)> {
    versions.iter().zip(effects).filter_map(|(own, effects)| Some((own, &effects[..], own.find(name)?))).collect()
}

/// The fields and globals of a program.
type Tables<'p> = (&'p [Field], &'p [Global]);

/// Promotes those locations in a procedure that are wanted; which they were. Where loops are to break off, those do too that only store
/// something before they return.
fn promote_in(
    procedure: &mut Procedure,
    (tables, effects): (Tables<'_>, &[Effects]),
    wanted: &dyn Fn(Kind) -> bool,
    breaks_off: bool,
) -> BTreeSet<Kind> {
    let results: Vec<LocalId> = procedure.result_ids().collect();
    let owners = Owners::of(procedure);
    let Procedure { body: Some(body), locals, requires, modifies, .. } = procedure else { return BTreeSet::new() };
    // Where a loop takes no turn a field is written all the same. Of globals no `modifies` speaks, nor of what is read.
    let wanted = |kind: Kind| (modifies.is_none() || !matches!(kind, Kind::Field(_) | Kind::Cell(_))) && wanted(kind);
    let mut known = BTreeSet::new();
    requires.iter().for_each(|clause| not_null(clause, &mut known));
    let (variables, held, kinds) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    let mut promotion = Promotion {
        tables,
        effects,
        wanted: &wanted,
        breaks_off,
        results: &results,
        owners,
        locals,
        variables,
        held,
        kinds,
        broken_off: 0,
    };
    for stmt in mem::take(&mut body.stmts) {
        promotion.owners.come_to(&stmt);
        let mut own = Block { span: stmt.span, stmts: vec![stmt] };
        replace_loops(&mut own, &mut known, &mut |stmt, known| promotion.looped(stmt, known));
        body.stmts.append(&mut own.stmts);
    }
    promotion.kinds
}

/// Whether a loop or a recursive procedure that runs when one is called looks at a global, itself or by a call; but where a loop only
/// assigns it before it returns.
fn is_looked_at(version: &Version, effects: &[Effects], id: ProcId, global: GlobalId) -> bool {
    let by_call = |id: ProcId| effects[id.index()].globals.contains(&global);
    let reads = |stmt: &Stmt| stmt.exprs().into_iter().any(|e| e.any(&|part| part.kind == ExprKind::Global(global)));
    let in_loop = |stmt: &Stmt| match &stmt.kind {
        StmtKind::While { cond, body, .. } => {
            let read = reads(stmt) || body.any(&reads) || callees_of(stmt).into_iter().any(by_call);
            read || goes_on_after((body, Some(cond)), Kind::Global(global), &by_call)
        }
        _ => false,
    };
    let run: BTreeSet<ProcId> = effects[id.index()].callees.iter().copied().chain([id]).collect();
    run.into_iter().any(|id| match &version.procedure(id).body {
        None => false,
        Some(body) => body.any(&in_loop) || effects[id.index()].recursive(id) && by_call(id),
    })
}

/// How many loops and recursive procedures look at such a field or cell when one is called, themselves or by a call.
fn looking(version: &Version, effects: &[Effects], id: ProcId, selector: Selector) -> usize {
    let by_call = |id: ProcId| effects[id.index()].accesses.contains(&selector);
    let is_one = |e: &Expr| match &e.kind {
        ExprKind::Field(_, field) => selector == Selector::Field(*field),
        ExprKind::Index(array, _) => selector == Selector::Cell(cell_sort(&array.ty)),
        _ => false,
    };
    let writes = |target: &Place| match target {
        Place::Field(_, field) => selector == Selector::Field(*field),
        Place::Index(array, _) => selector == Selector::Cell(cell_sort(&array.ty)),
        Place::Local(_) | Place::Global(_) => false,
    };
    let looks = |stmt: &Stmt| {
        stmt.exprs().into_iter().any(|e| e.any(&is_one))
            || stmt.targets().iter().any(writes)
            || callees_of(stmt).into_iter().any(by_call)
    };
    let count = |id: ProcId| match &version.procedure(id).body {
        None => 0,
        Some(body) => {
            let mut loops = 0;
            walk_stmts(body, &mut |stmt| {
                let StmtKind::While { body, .. } = &stmt.kind else { return };
                loops += usize::from(looks(stmt) || body.any(&looks));
            });
            loops + usize::from(effects[id.index()].recursive(id) && by_call(id))
        }
    };
    let run: BTreeSet<ProcId> = effects[id.index()].callees.iter().copied().chain([id]).collect();
    run.into_iter().map(count).sum()
}

/// How many loops and recursive procedures write such a field or cell when one is called; what is not known counts as well.
fn written(version: &Version, effects: &[Effects], id: ProcId, selector: Selector) -> usize {
    // A helper that writes it does so for whoever calls it.
    let by_call = |id: ProcId| {
        let own = &effects[id.index()];
        !own.recursive(id) && own.writes.contains(&selector)
    };
    let kind = match selector {
        Selector::Field(field) => Kind::Field(field),
        Selector::Cell(sort) => Kind::Cell(sort),
    };
    let count = |id: ProcId| match &version.procedure(id).body {
        None => 1,
        Some(body) => {
            let goes_on_after = |block, cond| goes_on_after((block, cond), kind, &by_call);
            let mut loops = 0;
            walk_stmts(body, &mut |stmt| {
                let StmtKind::While { cond, body, .. } = &stmt.kind else { return };
                loops += usize::from(goes_on_after(body, Some(cond)));
            });
            loops + usize::from(goes_on_after(body, None) && effects[id.index()].recursive(id))
        }
    };
    let run: BTreeSet<ProcId> = effects[id.index()].callees.iter().copied().chain([id]).collect();
    run.into_iter().map(count).sum()
}

/// Whether a block, or one within it, assigns such a location, itself or by a call, and then does more than to return, or to say that the
/// loop ends of which it is the body.
fn goes_on_after((block, cond): (&Block, Option<&Expr>), kind: Kind, by_call: &dyn Fn(ProcId) -> bool) -> bool {
    let is_it = |target: &Place| match target {
        Place::Field(_, field) => kind == Kind::Field(*field),
        Place::Global(global) => kind == Kind::Global(*global),
        Place::Index(array, _) => kind == Kind::Cell(cell_sort(&array.ty)),
        Place::Local(_) => false,
    };
    let calls = |e: &Expr| e.any(&|part| matches!(part.kind, ExprKind::Call(callee, _) if by_call(callee)));
    let assigns = |stmt: &Stmt| {
        stmt.targets().iter().any(is_it)
            || matches!(stmt.kind, StmtKind::Call { callee, .. } if by_call(callee))
            || stmt.exprs().into_iter().any(calls)
    };
    goes_on(Ahead { stmts: &block.stmts, behind: None, cond }, &assigns)
}

/// What is executed from a place within a loop on, as long as no turn ends.
#[derive(Clone, Copy)]
struct Ahead<'s> {
    stmts: &'s [Stmt],
    /// Behind the branch that these stand in.
    behind: Option<&'s Ahead<'s>>,
    /// The condition of the loop.
    cond: Option<&'s Expr>,
}

/// Whether one of these statements, or of those within, is such a one, and then more is done than to return.
fn goes_on(Ahead { stmts, behind, cond }: Ahead<'_>, is_one: &dyn Fn(&Stmt) -> bool) -> bool {
    stmts.iter().enumerate().any(|(at, stmt)| {
        let ahead = Ahead { stmts: &stmts[at + 1..], behind, cond };
        let (behind, cond) = match &stmt.kind {
            StmtKind::If(..) => (Some(&ahead), cond),
            StmtKind::While { cond, .. } => (None, Some(cond)),
            _ => (None, None),
        };
        let within = |inner: &Block| goes_on(Ahead { stmts: &inner.stmts, behind, cond }, is_one);
        is_one(stmt) && !returns_at_once(ahead) || stmt.blocks().into_iter().any(within)
    })
}

/// Whether all that is done is to store something and to return; or to set a flag that the condition of the loop asks for.
fn returns_at_once(Ahead { stmts, behind, cond }: Ahead<'_>) -> bool {
    let ends =
        |stmt: &Stmt| matches!(stmt.kind, StmtKind::Return(_)) || cond.is_some_and(|cond| stmt.sets_flag_of(cond));
    let mut before = stmts.iter().take_while(|stmt| !ends(stmt));
    before.all(only_stores) && (stmts.iter().any(ends) || behind.is_some_and(|behind| returns_at_once(*behind)))
}

/// Whether a statement stores something, or returns, or some branch of it does.
fn only_stores(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign(Place::Field(..) | Place::Global(_), _) | StmtKind::Return(_) => true,
        StmtKind::If(_, then, els) => [then, els].into_iter().all(|branch| branch.stmts.iter().all(only_stores)),
        _ => false,
    }
}

/// The locations of one procedure that are promoted.
struct Promotion<'p> {
    tables: Tables<'p>,
    /// What the procedures of the version do.
    effects: &'p [Effects],
    wanted: &'p dyn Fn(Kind) -> bool,
    results: &'p [LocalId],
    owners: Owners,
    locals: &'p mut Vec<Local>,
    /// What stands for a location.
    variables: BTreeMap<Location, LocalId>,
    /// The locations that are variables already where we are.
    held: BTreeSet<Location>,
    /// Which kinds of locations are promoted.
    kinds: BTreeSet<Kind>,
    /// Whether loops break off where they store something before they return, though nothing that they write is promoted.
    breaks_off: bool,
    /// How many loops break off in place of returning.
    broken_off: usize,
}

impl Promotion<'_> {
    /// A loop with its locations promoted, and with what stands before and behind it then. What is known is there, whatever it assigns.
    fn looped(&mut self, mut stmt: Stmt, known: &mut BTreeSet<There>) -> Vec<Stmt> {
        let span = stmt.span;
        let outside = self.held.clone();
        // As it is written: a variable that stands for a location is set only behind it.
        let first_test = condition(&stmt);
        let (mut before, mut behind, mut under_guard) = (Vec::new(), Vec::new(), BTreeSet::new());
        while let Some((location, kind)) = self.to_read_first(&stmt, known) {
            under_guard.extend(There::needed(location).filter(|needed| !known.contains(needed)));
            let [load, _] = self.promote((location, kind), &mut stmt);
            before.push(load);
        }
        let locals = self.locals.len();
        let mut promoted = stmt.clone();
        let around = break_off(&mut promoted, self.broken_off, self.results, self.locals);
        let come_to = come_to_in_a_turn(&promoted);
        for location in Location::written(&promoted).difference(&outside).copied() {
            let is_known = |needed: &There| known.contains(needed) || faults::planted("kernel/scalars/null");
            let unknown = There::needed(location).filter(|needed| !is_known(needed));
            let Some(kind) = self.kind_written(location, &promoted) else { continue };
            let alone = location.is_looked_at_alone(&promoted) || faults::planted("kernel/scalars/aliased");
            if alone && unknown.is_none_or(|needed| come_to.contains(&needed)) && (self.wanted)(kind) {
                under_guard.extend(unknown);
                let [load, store] = self.promote((location, kind), &mut promoted);
                before.push(load);
                behind.push(store);
            }
        }
        let is_better = |around: &Around| !behind.is_empty() || self.breaks_off && around.stores;
        match around.filter(is_better) {
            Some(around) => {
                self.broken_off += 1;
                before.extend(around.before);
                let at = if faults::planted("kernel/scalars/not-stored") { 0 } else { behind.len() };
                behind.insert(at, around.behind);
                stmt = promoted;
            }
            None if behind.is_empty() => self.locals.truncate(locals),
            None => stmt = promoted,
        }
        // Whoever is called in the condition, it has been looked at then.
        known.extend(read_at_once(&stmt));
        self.in_turns(&mut stmt, known.union(&under_guard).copied().collect());
        self.held = outside;
        let stmts: Vec<Stmt> = before.into_iter().chain([stmt]).chain(behind).collect();
        // The same variables are loaded for other loops, when the locations hold something else.
        if !faults::planted("kernel/scalars/loaded-again") {
            stmts.iter().for_each(|stmt| forget(known, stmt));
        }
        match first_test.filter(|_| !under_guard.is_empty()) {
            None => stmts,
            Some(guard) => {
                let kind = StmtKind::If(guard, Block { span, stmts }, Block { span, stmts: Vec::new() });
                vec![Stmt { kind, span }]
            }
        }
    }

    /// What kind of location a loop writes; `None` where it is a cell that may have another name there.
    fn kind_written(&self, location: Location, stmt: &Stmt) -> Option<Kind> {
        match location {
            Location::Field(_, field) => Some(Kind::Field(field)),
            Location::Global(global) => Some(Kind::Global(global)),
            Location::Cell(array, _) => {
                let sort = cell_sort(&self.locals[array.index()].ty);
                (sort != Sort::Ref && self.owners.own_alone(location, stmt)).then_some(Kind::Cell(sort))
            }
        }
    }

    /// Promotes what the loops within a loop look at, where this is there at the beginning of each turn.
    fn in_turns(&mut self, stmt: &mut Stmt, mut known: BTreeSet<There>) {
        if let StmtKind::While { cond, body, .. } = &mut stmt.kind {
            surely_read(cond, &mut known);
            not_null(cond, &mut known);
            replace_loops(body, &mut known, &mut |stmt, known| self.looped(stmt, known));
        }
    }

    /// A location that the loop only reads, that is wanted, and that may be read before the loop: what it is read of is there, or the
    /// loop comes to it first, in its condition or at each turn. Adds what is there, as the condition looks at it before anything else.
    fn to_read_first(&self, stmt: &Stmt, known: &mut BTreeSet<There>) -> Option<(Location, Kind)> {
        // A call may go on for ever, or tell somebody something, before it is come to.
        let calls = !callees_of(stmt).is_empty() && !faults::planted("kernel/scalars/called-before");
        let mut come_to = BTreeSet::new();
        if !calls {
            known.extend(read_at_once(stmt));
            come_to = come_to_in_a_turn(stmt);
        }
        let is_there = |location: Location| {
            There::needed(location).is_none_or(|needed| known.contains(&needed) || come_to.contains(&needed))
        };
        let found = Location::only_read(stmt, self.effects).into_iter();
        let mut found = found.filter(|(location, kind)| is_there(*location) && (self.wanted)(*kind));
        found.next()
    }

    /// Puts a variable in place of a location in a loop; how it is loaded, and how it is stored.
    fn promote(&mut self, (location, kind): (Location, Kind), stmt: &mut Stmt) -> [Stmt; 2] {
        let Self { tables: (fields, globals), owners, locals, variables, held, .. } = self;
        let (name, ty, span) = match location {
            Location::Field(object, field) => {
                let Local { name, span, .. } = &locals[object.index()];
                let Field { name: field_name, ty, .. } = &fields[field.index()];
                (format!("{name}.{field_name}"), ty.clone(), *span)
            }
            Location::Cell(array, index) => {
                let Local { name, ty, span } = &locals[array.index()];
                let index = match index {
                    Index::At(number) => number.to_string(),
                    Index::In(index) => locals[index.index()].name.clone(),
                };
                (format!("{name}[{index}]"), element_of(ty), *span)
            }
            Location::Global(global) => {
                let Global { name, ty, span } = &globals[global.index()];
                (name.clone(), ty.clone(), *span)
            }
        };
        self.kinds.insert(kind);
        let variable = variables.entry(location);
        let variable = *variable.or_insert_with(|| added(locals, Local { name, ty: ty.clone(), span }));
        owners.hold(variable, location);
        held.insert(location);
        *stmt = location.replaced(stmt.clone(), variable);
        location.moves(variable, &ty, locals, stmt.span)
    }
}

/// The type of the cells of an array.
fn element_of(array: &Type) -> Type {
    match array {
        Type::Array(element) => (**element).clone(),
        other => other.clone(),
    }
}

/// What is there, whatever a loop assigns, as its condition reads a field of it, or the cell, before it may do anything else.
fn read_at_once(stmt: &Stmt) -> BTreeSet<There> {
    let mut read = BTreeSet::new();
    if let StmtKind::While { cond, invariants, .. } = &stmt.kind
        // What an invariant says is said before the condition is looked at.
        && invariants.is_empty()
    {
        surely_read(cond, &mut read);
    }
    forget(&mut read, stmt);
    read
}

/// The condition of a loop, as it is written.
fn condition(stmt: &Stmt) -> Option<Expr> {
    match &stmt.kind {
        StmtKind::While { cond, .. } => Some(cond.clone()),
        _ => None,
    }
}

/// What, whatever a loop assigns, each turn comes to before it may do anything but to err: each turn errs where it is not there. None where there are invariants, which are looked at before the condition is. That the loop calls nobody is
/// looked at elsewhere ([`Location::is_looked_at_alone`]).
fn come_to_in_a_turn(stmt: &Stmt) -> BTreeSet<There> {
    let mut found = BTreeSet::new();
    if let StmtKind::While { invariants, body, .. } = &stmt.kind
        && invariants.is_empty()
    {
        for inner in &body.stmts {
            match &inner.kind {
                StmtKind::Assign(..) => surely_come_to(inner, &mut found),
                StmtKind::If(cond, ..) => surely_read(cond, &mut found),
                StmtKind::While { cond, invariants, .. } if invariants.is_empty() => surely_read(cond, &mut found),
                _ => {}
            }
            let mut goes_on = true;
            inner.walk(&mut |part| goes_on &= matches!(part.kind, StmtKind::Assign(..) | StmtKind::If(..)));
            if !goes_on && !faults::planted("kernel/scalars/left-before") {
                break;
            }
        }
    }
    forget(&mut found, stmt);
    found
}

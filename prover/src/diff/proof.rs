//! Conditions are believed only as they are printed.
//!
//! In: the text of a condition. Out: the condition as the language reads it, once it was proved to be what is said of it.
//!
//! Rule *Equal kind*: `equiv p ~ q when C` is proved by the engines, as `verify` does.
//! Rule *Differing kind*: of all pairs of paths that a store with C can take, both end, and an output differs.
//! Rule *One-sided kind*: of all pairs of paths that a store with C can take, exactly one ends.
//! Each takes it that C has a value in every store.

use super::paths::{Kind, Meetings, Question};
use crate::budget::diff::SHARE;
use crate::checked;
use crate::engines::claims;
use crate::goal::{Pair, PairProof, assumptions};
use crate::verdict::comparison::{premises, procedures_run};
use crate::verdict::judge::Proofs;
use kernel::alone::clauses::{Clause, contracts_hold};
use kernel::exec::{Executor, Limits, on_entry};
use kernel::proof::Kernel;
use kernel::relate::{ConditionalClaim, Level};
use lang_l::Loaded;
use lang_l::hir::{BinOp, Equiv, Expr, ExprKind, Procedure, Unit};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{Ending, Term};

/// The condition that a text says of a pair, together with the pair's own; `None` when it is no expression of the program.
pub(super) fn read(source: &Loaded, pair: Pair, own: Option<&Expr>, text: &str) -> Option<Expr> {
    let unit = &source.unit;
    let names = names(unit, pair);
    let has_own = |equiv: &&Equiv| (equiv.left, equiv.right) == pair;
    let beside = unit.equivs.iter().find(has_own).and_then(|equiv| equiv.when.as_ref());
    let written = |expr: &Expr| source.sources.text(expr.span);
    let both = match (own, beside) {
        (Some(own), _) => format!("({}) && ({text})", written(own)),
        // The fields of a program without classes are those that it mentions, in their order, be it in the condition that it has.
        (None, Some(beside)) => format!("({}) || ({text})", written(beside)),
        (None, None) => text.to_string(),
    };
    let again = with_claims(source, &[(pair, both)])?.unit;
    let name = |equiv: &Equiv| (&again.procedure(0, equiv.left).name, &again.procedure(1, equiv.right).name);
    let equiv = again.equivs.iter().find(|equiv| name(equiv) == names && equiv.when.is_some())?;
    let same = same_tables(unit, &again) && same_variables(unit.procedure(0, pair.0), again.procedure(0, equiv.left));
    let read = equiv.when.clone().filter(|_| same)?;
    match read.kind {
        ExprKind::Binary(BinOp::Or, _, said) if own.is_none() && beside.is_some() => Some(*said),
        _ => Some(read),
    }
}

/// The program with these conditions in the place of those that its pairs have; `None` where that is none.
pub(super) fn with_claims(source: &Loaded, claims: &[(Pair, String)]) -> Option<Loaded> {
    let unit = &source.unit;
    let mut files: Vec<(String, String)> =
        source.sources.iter().map(|(_, file)| (file.name.clone(), file.text.clone())).collect();
    let mut places: Vec<(Span, String)> = Vec::new();
    for (pair, when) in claims {
        let (left, right) = names(unit, *pair);
        let claim = format!("equiv {left} ~ {right} when {when};");
        let mut known = unit.equivs.iter().filter(|equiv| (equiv.left, equiv.right) == *pair);
        match known.next() {
            Some(first) => places.push((first.span, claim)),
            None => files.last_mut()?.1.push_str(&format!("\n{claim}\n")),
        }
        places.extend(known.map(|other| (other.span, String::new())));
    }
    // From the last to the first, so that those before stay where they are.
    places.sort_by_key(|(span, _)| std::cmp::Reverse((span.file, span.range().start)));
    for (span, claim) in places {
        files[span.file.0 as usize].1.replace_range(span.range(), &claim);
    }
    lang_l::load(files).ok()
}

fn names(unit: &Unit, pair: Pair) -> (&String, &String) {
    (&unit.versions[0].procedure(pair.0).name, &unit.versions[1].procedure(pair.1).name)
}

/// Whether classes, fields and globals of the two programs have the same numbers.
fn same_tables(a: &Unit, b: &Unit) -> bool {
    // Where they are declared is not compared: a condition may be longer than the one in whose place it is.
    let classes = a.classes.iter().map(|one| (&one.name, &one.fields));
    let fields = a.fields.iter().map(|one| (&one.name, one.class, &one.ty));
    let globals = a.globals.iter().map(|one| (&one.name, &one.ty));
    classes.eq(b.classes.iter().map(|one| (&one.name, &one.fields)))
        && fields.eq(b.fields.iter().map(|one| (&one.name, one.class, &one.ty)))
        && globals.eq(b.globals.iter().map(|one| (&one.name, &one.ty)))
}

/// Whether the variables that conditions speak of have the same numbers in a procedure and in the same one whose conditions are
/// others, and so bind other variables, which come last: no more than are bound in the first.
fn same_variables(a: &Procedure, b: &Procedure) -> bool {
    let same = a.locals.iter().zip(&b.locals).all(|(one, other)| (&one.name, &one.ty) == (&other.name, &other.ty));
    same && b.locals.len() <= a.locals.len() && (a.params, a.results) == (b.params, b.results)
}

/// The condition as a term of an arena, where it has a value in every store that satisfies what is assumed.
pub(super) fn term(
    question: Question<'_>,
    condition: &Expr,
    assumed: &[Term],
    arena: &mut Arena,
    solver: &mut Solver,
) -> Option<Term> {
    let Question { program, pair, .. } = question;
    let limits = Limits { whole_run: program.both().begins_run(pair), ..Limits::default() };
    let mut executor = Executor::new(program.unit.as_unit(), 0, &program.effects[0], limits, arena);
    let (view, ..) = on_entry(&mut executor, pair.0);
    let (value, has_value) = executor.value(&view, condition)?;
    let obligation = Obligation { assumptions: assumed.to_vec(), goal: has_value, tag: Purpose::NoDifference.into() };
    (solver.prove(arena, &obligation) == Answer::Holds).then_some(value)
}

/// A test that conditions may be built of, as terms of an arena: when it has a value, and its value.
pub(super) fn test(question: Question<'_>, condition: &Expr, arena: &mut Arena) -> Option<[Term; 2]> {
    let Question { program, pair, .. } = question;
    let limits = Limits { whole_run: program.both().begins_run(pair), ..Limits::default() };
    let mut executor = Executor::new(program.unit.as_unit(), 0, &program.effects[0], limits, arena);
    let (view, ..) = on_entry(&mut executor, pair.0);
    let (value, has_value) = executor.value(&view, condition)?;
    Some([has_value, value])
}

/// What was proved of all pairs, and of contracts.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    /// The proofs without conditions.
    pub(super) proofs: &'k Proofs,
    /// The contracts.
    pub(super) clauses: &'k [Clause],
    /// Who checked them.
    pub(super) kernel: &'k Kernel<'k>,
    /// Whether a run that does not end counts as equal to anything.
    pub(super) partial: bool,
}

/// The proof that the two are equivalent where the condition holds, if there is one. Calls may rest on what is claimed, and on the
/// very claim (rule *Condition*).
pub(super) fn equal(
    question: Question<'_>,
    known: Known<'_>,
    condition: Option<&Expr>,
    solver: &mut Solver,
) -> Option<PairProof> {
    let Question { program, pair, claims } = question;
    let needed = if known.partial { Level::Partial } else { Level::Full };
    let mut claims = claims.clone();
    claims.conditional.push(ConditionalClaim { pair, condition: condition.cloned(), level: Some(needed) });
    let mut proof = claims::prove_when(program, pair, condition, &claims, solver);
    proof.level = proof.level.filter(|level| *level >= needed).and(Some(needed));
    checked::conditional(known.kernel, program, (pair, condition), &mut proof, solver);
    (proof.level >= Some(needed) && premises_hold(question, known, &proof)).then_some(proof)
}

/// Whether the contracts of all that a proof rests on are proved.
pub(super) fn premises_hold(question: Question<'_>, known: Known<'_>, proof: &PairProof) -> bool {
    let Question { program, pair, .. } = question;
    let reach = premises(pair, Some(proof), known.proofs);
    let run = procedures_run(program, pair, &reach);
    (0..2).all(|version| contracts_hold(known.clauses, version, &run[version]))
}

/// Whether one condition follows from another in every store from which the two are asked about.
pub(super) fn follows(question: Question<'_>, [from, goal]: [&Expr; 2], solver: &mut Solver) -> bool {
    let mut arena = question.program.unit.arena();
    let assumed = assumptions(question.program, question.pair, None, &mut arena);
    let mut term = |condition: &Expr| term(question, condition, &assumed, &mut arena, solver);
    let (Some(from), Some(goal)) = (term(from), term(goal)) else { return false };
    let assumptions = assumed.iter().chain([&from]).copied().collect();
    let obligation = Obligation { assumptions, goal, tag: Purpose::NoDifference.into() };
    solver.prove(&mut arena, &obligation) == Answer::Holds
}

/// Whether both end, and differ, wherever the condition holds.
pub(super) fn differs(meetings: &Meetings, condition: Term, arena: &mut Arena, solver: &mut Solver) -> bool {
    everywhere(meetings, condition, (arena, solver), |kind, _| match kind {
        Kind::Differ(way) | Kind::Partly(way) => Some(*way),
        Kind::Equal | Kind::EqualWhere(_) | Kind::OneEnds | Kind::Open => None,
    })
}

/// Whether exactly one ends wherever the condition holds.
pub(super) fn one_ends(meetings: &Meetings, condition: Term, arena: &mut Arena, solver: &mut Solver) -> bool {
    let always = arena.terms.bool(true);
    everywhere(meetings, condition, (arena, solver), |kind, endings| {
        let endless = endings.map(|ending| ending == Ending::Diverges);
        (matches!(kind, Kind::OneEnds) && endless[0] != endless[1]).then_some(always)
    })
}

/// Whether of all meetings that a store with the condition can take, what is wanted of it follows; nothing wanted means that there
/// must be no such store.
fn everywhere(
    meetings: &Meetings,
    condition: Term,
    (arena, solver): (&mut Arena, &mut Solver),
    wanted: impl Fn(&Kind, [Ending; 2]) -> Option<Term>,
) -> bool {
    meetings.pairs.iter().all(|meeting| {
        let never = arena.terms.bool(false);
        let endings = [0, 1].map(|side| meetings.outcomes[side][meeting.paths[side]].ending);
        let goal = wanted(&meeting.kind, endings).unwrap_or(never);
        let assumptions = meeting.when.iter().chain([&condition]).copied().collect();
        let obligation = Obligation { assumptions, goal, tag: Purpose::NoDifference.into() };
        solver.with_share(SHARE, |solver| solver.prove(arena, &obligation)) == Answer::Holds
    })
}

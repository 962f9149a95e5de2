//! What ties the versions to each other: procedures of one name, and `equiv` declarations.
//!
//! In: the signatures of all versions. Out: [`hir::Equiv`]s; types that one version knows are passed on to the other.

use super::Context;
use super::body::{Body, Mode};
use super::declare::Signature;
use super::suggest::nearest;
use super::types::{Shape, Ty};
use crate::ast;
use crate::hir::{self, ProcId};
use crate::source::diagnostic::{Diagnostic, counted};
use std::collections::HashMap;

/// Procedures of one name start from the same store, so what one version knows of their types holds in the other. Where
/// both know and differ, they are no pair; that is for the prover to report.
pub(super) fn link_versions(cx: &mut Context) {
    let mut first: HashMap<&str, Signature> = HashMap::new();
    let all: Vec<Signature> = cx.names.iter().flat_map(|names| names.signatures.iter().cloned()).collect();
    for signature in all {
        let Some(known) = first.get(signature.declaration.name.text.as_str()) else {
            first.insert(&signature.declaration.name.text, signature);
            continue;
        };
        if known.params.len() == signature.params.len() && known.results.len() == signature.results.len() {
            let variables = signature.params.iter().chain(&signature.results);
            for (&a, &b) in variables.zip(known.params.iter().chain(&known.results)) {
                // That one version wants any reference does not keep the other from wanting a class.
                let any = matches!((cx.types.shape(a), cx.types.shape(b)), (Shape::Ref, _) | (_, Shape::Ref));
                if cx.classless() || !any {
                    // A clash is no error here, see above.
                    let _ = cx.types.unify(a, b);
                }
            }
        }
    }
}

/// All `equiv` declarations. Variables that a condition binds become locals of the left procedure.
pub(super) fn resolve_all<'a>(
    cx: &mut Context<'a>,
    versions: &mut [hir::Version],
    equivs: &[&'a ast::Equiv],
) -> Vec<hir::Equiv> {
    let mut seen: HashMap<(ProcId, ProcId), &ast::Equiv> = HashMap::new();
    let mut resolved = Vec::new();
    for equiv in equivs {
        if versions.len() < 2 {
            cx.report(
                Diagnostic::new("E0409", equiv.span, "`equiv` compares two versions", "there is only one")
                    .help("put each version under a `version` heading"),
            );
            continue;
        }
        let (left, right) = (find(cx, 0, &equiv.left), find(cx, 1, &equiv.right));
        let (Some(left), Some(right)) = (left, right) else { continue };
        if let Some(first) = seen.insert((left, right), equiv) {
            let message = format!("`{} ~ {}` is declared twice", equiv.left.text, equiv.right.text);
            let again = Diagnostic::new("E0205", equiv.span, message, "declared again here");
            cx.report(again.also(first.span, "first declared here"));
            continue;
        }
        let signature = cx.names[0].signatures[left.index()].clone();
        agree(cx, equiv, &signature, &cx.names[1].signatures[right.index()].clone());
        let procedure = &mut versions[0].procedures[left.index()];
        let mut body = Body::over_params(cx, 0, signature, std::mem::take(&mut procedure.locals));
        let when = equiv.when.as_ref().map(|condition| body.condition(condition, Mode::Contract));
        procedure.locals = body.locals;
        resolved.push(hir::Equiv { left, right, when, span: equiv.span });
    }
    resolved
}

fn find(cx: &mut Context, version: usize, name: &ast::Name) -> Option<ProcId> {
    let procedures = &cx.names[version].procedures;
    if let Some(id) = procedures.get(name.text.as_str()) {
        return Some(*id);
    }
    let which = if version == 0 { "first" } else { "second" };
    let message = format!("the {which} version has no procedure `{}`", name.text);
    let mut diagnostic = Diagnostic::new("E0202", name.span, message, "not declared");
    diagnostic.suggest(nearest(&cx.comparisons, &name.text, procedures.keys().copied()));
    cx.report(diagnostic);
    None
}

/// The two procedures must have as many parameters and results, of the same types.
fn agree(cx: &mut Context, equiv: &ast::Equiv, left: &Signature, right: &Signature) {
    let (a, b) = (left.declaration, right.declaration);
    let kinds: [(&str, &[Ty], &[Ty]); 2] =
        [("parameter", &left.params, &right.params), ("result", &left.results, &right.results)];
    for (what, lefts, rights) in kinds {
        let (left_count, right_count) = (counted(lefts.len(), what), counted(rights.len(), what));
        if lefts.len() != rights.len() {
            let message =
                format!("`{}` has {left_count}, but `{}` has {right_count}", equiv.left.text, equiv.right.text);
            cx.report(
                Diagnostic::new("E0411", equiv.span, message, "cannot be equivalent")
                    .also(a.name.span, left_count)
                    .also(b.name.span, right_count),
            );
            continue;
        }
        for (at, (&left, &right)) in lefts.iter().zip(rights).enumerate() {
            if cx.types.unify(left, right).is_err() {
                let (left, right) = (cx.describe_ty(left), cx.describe_ty(right));
                let (of_a, of_b) = match what {
                    "parameter" => (&a.params[at].name, &b.params[at].name),
                    _ => (&a.results[at].name, &b.results[at].name),
                };
                let message = format!("{what} {} is `{left}` on the left and `{right}` on the right", at + 1);
                cx.report(
                    Diagnostic::new("E0411", equiv.span, message, "cannot be equivalent")
                        .also(of_a.span, format!("this is `{left}`"))
                        .also(of_b.span, format!("this is `{right}`")),
                );
            }
        }
    }
}

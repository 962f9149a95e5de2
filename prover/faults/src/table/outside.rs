//! Faults outside the kernel, which may cost answers.

use super::{Fault, outside};

/// Each once.
pub(super) const ALL: &[Fault] = &[
    outside(
        "lower/calls/operand-not-kept",
        "prover/src/lower/calls.rs",
        "what is evaluated before a call is read after it",
    ),
    outside(
        "lower/calls/lazy-side-strict",
        "prover/src/lower/calls.rs",
        "a call on the lazy side of `&&`, `||` or `==>` is always made",
    ),
    outside(
        "lower/calls/condition-once",
        "prover/src/lower/calls.rs",
        "a condition with a call is evaluated before the loop alone",
    ),
    outside(
        "lower/calls/choice-crossed",
        "prover/src/lower/calls.rs",
        "the sides of a choice with calls are exchanged",
    ),
    outside(
        "lower/tail/break-skips-rest",
        "prover/src/lower/tail_absorption.rs",
        "a `break` returns without what follows the loop",
    ),
    outside(
        "lower/tail/return-forgotten",
        "prover/src/lower/tail_absorption.rs",
        "after what follows the loop the loop goes on",
    ),
    outside("lower/loops/continue-as-break", "prover/src/lower/loops.rs", "a `continue` leaves the loop"),
    outside("lower/loops/return-unflagged", "prover/src/lower/loops.rs", "a loop that returned says that it did not"),
    outside(
        "lower/loops/turns-crossed",
        "prover/src/lower/loops.rs",
        "the next turn is given its last two numbers crossed",
    ),
    outside(
        "lower/loops/ensures-after-break",
        "prover/src/lower/loops.rs",
        "a loop with a `break` is said to end by its condition",
    ),
    outside("lower/loops/invariant-lost", "prover/src/lower/loops.rs", "the first invariant of a loop is lost"),
    outside("lower/liveness/after-break", "prover/src/lower/liveness.rs", "what matters after a `break` is forgotten"),
    outside(
        "lower/liveness/condition",
        "prover/src/lower/liveness.rs",
        "what the condition of a loop reads does not matter at its head",
    ),
    outside(
        "lower/liveness/no-turn",
        "prover/src/lower/liveness.rs",
        "what matters after a loop does not matter at its head",
    ),
    outside(
        "lower/worker/arguments-crossed",
        "prover/src/lower/worker.rs",
        "a worker is given its arguments the other way round",
    ),
    outside("lower/worker/contract-lost", "prover/src/lower/worker.rs", "a procedure with a contract gets a worker"),
    outside(
        "lower/constants/meet-keeps-left",
        "prover/src/lower/constants.rs",
        "where two branches meet, the value of the first is kept",
    ),
    outside(
        "lower/constants/first-call",
        "prover/src/lower/constants.rs",
        "a parameter is the literal of the first call that was seen",
    ),
    outside(
        "lower/constants/twins-stay",
        "prover/src/lower/constants.rs",
        "parameters that were once alike stay alike",
    ),
    outside("lower/constants/first-return", "prover/src/lower/constants.rs", "a result is what the first return gave"),
    outside("lower/dead/condition", "prover/src/lower/dead_parameters.rs", "what a branch decides by does not matter"),
    outside(
        "lower/dead/argument",
        "prover/src/lower/dead_parameters.rs",
        "an argument that the callee needs does not matter",
    ),
    outside(
        "lower/dead/result",
        "prover/src/lower/dead_parameters.rs",
        "a result that some caller looks at is dropped",
    ),
    outside("lower/arguments/error-dropped", "prover/src/lower/dead_arguments.rs", "an argument that errs is left out"),
    outside(
        "lower/arguments/prologue-forgotten",
        "prover/src/lower/dead_arguments.rs",
        "a parameter that is known starts as nothing",
    ),
    outside("lower/errors/division-safe", "prover/src/lower/errors.rs", "no division errs"),
    outside(
        "lower/errors/idle-overwrites",
        "prover/src/lower/errors.rs",
        "a branch is idle though it assigns what matters",
    ),
    outside(
        "lower/loops/results-permuted",
        "prover/src/lower/loops.rs",
        "the results of a loop are crossed where two have the same name",
    ),
    outside(
        "lower/order/returns-kept",
        "prover/src/lower/parameter_order.rs",
        "results are put in order at calls and not at returns",
    ),
    outside(
        "lower/order/arguments-kept",
        "prover/src/lower/parameter_order.rs",
        "parameters are put in order and arguments are not",
    ),
    outside(
        "lower/simulations/inputs-crossed",
        "prover/src/lower/simulations.rs",
        "a procedure is said to be given its arguments the other way round",
    ),
    outside(
        "lower/simulations/rest-forgotten",
        "prover/src/lower/simulations.rs",
        "a loop is not said to have taken in what follows it",
    ),
    outside(
        "lower/simulations/result-of-another",
        "prover/src/lower/simulations.rs",
        "what a loop gives is said to be another result",
    ),
    outside(
        "analysis/inference/calls-write-nothing",
        "prover/src/analysis/inference.rs",
        "what callees may modify is not seen",
    ),
    outside(
        "analysis/inference/fills-unseen",
        "prover/src/analysis/inference.rs",
        "what a store changes is seen only where it is a parameter",
    ),
    outside(
        "analysis/inference/errors-of-calls",
        "prover/src/analysis/inference.rs",
        "errors within callees are forgotten",
    ),
    outside(
        "analysis/inference/other-errors",
        "prover/src/analysis/inference.rs",
        "an error that no null explains is forgotten",
    ),
    outside(
        "analysis/inference/needs-one-path",
        "prover/src/analysis/inference.rs",
        "a parameter is needed if one path needs it",
    ),
    outside(
        "analysis/inference/one-round",
        "prover/src/analysis/inference.rs",
        "what recursion modifies is looked at once",
    ),
    outside(
        "analysis/loop-invariants/unproved-kept",
        "prover/src/analysis/loop_invariants.rs",
        "a condition that the solver does not prove is kept",
    ),
    outside(
        "analysis/loop-invariants/exit-kept",
        "prover/src/analysis/loop_invariants.rs",
        "what holds after a loop is not checked",
    ),
    outside(
        "analysis/loop-invariants/first-entry",
        "prover/src/analysis/loop_invariants.rs",
        "the next turn of a loop is no entry",
    ),
    outside("analysis/ranking/unchecked", "prover/src/analysis/ranking.rs", "every measure shrinks"),
    outside("analysis/ranking/unbounded", "prover/src/analysis/ranking.rs", "a measure need not be bounded"),
    outside(
        "analysis/ranking/second-forgotten",
        "prover/src/analysis/ranking.rs",
        "where the second measure shrinks, nobody says that it does",
    ),
    outside(
        "analysis/ranking/blocked",
        "prover/src/analysis/mod.rs",
        "a component that may run for ever in a callee is said to end",
    ),
    outside(
        "analysis/contracts/modifies-place-dropped",
        "prover/src/analysis/contracts.rs",
        "a place of `modifies` that is no parameter is dropped",
    ),
    outside(
        "analysis/contracts/requires-unchecked",
        "prover/src/analysis/contracts.rs",
        "every `requires` holds at every call",
    ),
    outside(
        "analysis/contracts/ensures-kept",
        "prover/src/analysis/contracts.rs",
        "an `ensures` that is not proved is relied upon",
    ),
    outside(
        "analysis/contracts/modifies-kept",
        "prover/src/analysis/contracts.rs",
        "a `modifies` that is not proved is relied upon",
    ),
    outside(
        "engines/same-code/level-raised",
        "prover/src/engines/same_code.rs",
        "the same code over partial equivalence is full equivalence",
    ),
    outside(
        "engines/external/declared-alike",
        "prover/src/engines/external.rs",
        "externals of other contracts are the same",
    ),
    outside(
        "engines/paths/unrelated-skipped",
        "prover/src/engines/paths.rs",
        "paths that are not related are passed over",
    ),
    outside("engines/paths/endless-skipped", "prover/src/engines/paths.rs", "paths that never end need not be related"),
    outside(
        "engines/paths/numbers-crossed",
        "prover/src/engines/paths.rs",
        "how two paths are related is written down of two others",
    ),
    outside(
        "checked/plan-forgotten",
        "prover/src/checked.rs",
        "which calls were executed in place is not written down",
    ),
    outside("engines/unroll/level-raised", "prover/src/engines/unroll.rs", "what is unrolled is proved in full"),
    outside("engines/sweep/one-more", "prover/src/engines/sweep/turn.rs", "a loop downwards takes one more turn"),
    outside(
        "engines/sweep/always-returns",
        "prover/src/engines/sweep/turn.rs",
        "recursion is said to return even where it errs",
    ),
    outside(
        "engines/coupling/start-unchecked",
        "prover/src/engines/coupling/mod.rs",
        "equal outputs are not asked for",
    ),
    outside("engines/coupling/not-inductive", "prover/src/engines/coupling/mod.rs", "what does not follow is kept"),
    outside(
        "engines/coupling/budget-holds",
        "prover/src/engines/coupling/mod.rs",
        "what there is no budget to ask holds",
    ),
    outside("engines/coupling/ends-unchecked", "prover/src/engines/coupling/ends.rs", "calls without a partner end"),
    outside(
        "engines/closed-form/not-inductive",
        "prover/src/engines/coupling/closed_form.rs",
        "laws that do not follow are kept",
    ),
    outside(
        "engines/closed-form/outputs-unasked",
        "prover/src/engines/coupling/closed_form.rs",
        "laws prove whatever they are",
    ),
    outside(
        "engines/loops/unequal-kept",
        "prover/src/engines/loops/couple.rs",
        "results of loops that are not equal are kept",
    ),
    outside(
        "engines/loops/facts-kept",
        "prover/src/engines/loops/couple.rs",
        "facts that do not hold of a call are kept",
    ),
    outside(
        "engines/loops/ends-kept",
        "prover/src/engines/loops/couple.rs",
        "facts that do not hold of two ends are kept",
    ),
    outside(
        "engines/loops/equal-kept",
        "prover/src/engines/loops/couple.rs",
        "variables that are not equal at a call are kept",
    ),
    outside(
        "engines/loops/facts-shifted",
        "prover/src/engines/loops/couple.rs",
        "facts are written down by the number after theirs",
    ),
    outside(
        "engines/claims/not-rechecked",
        "prover/src/engines/claims.rs",
        "what rests on a claim that fell is not proved again",
    ),
    outside("engines/claims/kept", "prover/src/engines/claims.rs", "a claim that was not proved is not taken back"),
    outside("relate/class-ignored", "prover/src/relate/unify.rs", "objects of other classes correspond"),
    outside("relate/name-given-twice", "prover/src/relate/unify.rs", "an object that has a name is given another one"),
    outside("relate/births-crossed", "prover/src/relate/mod.rs", "which `new` corresponds is written down crossed"),
    outside("relate/births-one", "prover/src/relate/mod.rs", "of the objects that correspond one pair is written down"),
    outside("relate/split-one-side", "prover/src/relate/mod.rs", "of the two sides of a split one is looked at"),
    outside("relate/call-taken-twice", "prover/src/relate/mod.rs", "one call is matched with two"),
    outside(
        "relate/condition-unasked",
        "prover/src/relate/mod.rs",
        "a claim is used of calls that do not satisfy its condition",
    ),
    outside("relate/excluded-unasked", "prover/src/relate/mod.rs", "paths that end differently exclude each other"),
    outside("relate/matches-crossed", "prover/src/relate/mod.rs", "matched calls are written down crossed"),
    outside("relate/endings-alike", "prover/src/relate/mod.rs", "an error is as good as a return"),
    outside(
        "relate/repeat-non-local",
        "prover/src/relate/repeat.rs",
        "a call that looks at what existed before is repeated",
    ),
    outside(
        "relate/repeat-unchecked",
        "prover/src/relate/repeat.rs",
        "a later call repeats an earlier one without a look",
    ),
    outside(
        "relate/repeat-swapped-back",
        "prover/src/relate/repeat.rs",
        "the objects of a repeated call are written down as they were",
    ),
    outside("relate/enumerate-class-ignored", "prover/src/relate/enumerate.rs", "objects of other classes are tried"),
    outside(
        "search/recurrent/first-step",
        "prover/src/search/recurrent_set.rs",
        "only the first way to go on is looked at",
    ),
    outside("search/recurrent/last-end", "prover/src/search/recurrent_set.rs", "the last way to end is passed over"),
    outside(
        "search/recurrent/not-kept",
        "prover/src/search/recurrent_set.rs",
        "conditions that a turn does not keep are kept",
    ),
    outside("checked/level-raised", "prover/src/checked.rs", "what is proved in part is claimed in full"),
    outside("checked/external-as-code", "prover/src/checked.rs", "externals are said to be the same code"),
    outside("checked/premises-forgotten", "prover/src/checked.rs", "what rests on an unchecked pair is claimed"),
    outside(
        "checked/relations-dropped",
        "prover/src/checked.rs",
        "how the last two paths are related is not written down",
    ),
];

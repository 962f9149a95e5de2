//! All faults that can be switched on.

/// A fault that was planted.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its name.
    pub name: &'static str,
    /// The file that it is in.
    pub place: &'static str,
    /// What goes wrong.
    pub what: &'static str,
    /// Whether it is in the kernel, and so may make wrong answers.
    pub in_kernel: bool,
    /// For a check that is left out in the kernel: the fault outside that it would have found. Both are switched on.
    pub hides: Option<&'static str>,
}

const fn outside(name: &'static str, place: &'static str, what: &'static str) -> Fault {
    Fault { name, place, what, in_kernel: false, hides: None }
}

const fn kernel(name: &'static str, place: &'static str, what: &'static str) -> Fault {
    Fault { name, place, what, in_kernel: true, hides: None }
}

const fn hiding(fault: Fault, hides: &'static str) -> Fault {
    Fault { hides: Some(hides), ..fault }
}

/// Every fault, each once.
pub const ALL: &[Fault] = &[
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
    hiding(
        kernel(
            "kernel/relate/same-class",
            "prover/kernel/src/relate/follow.rs",
            "objects of other classes may correspond",
        ),
        "relate/class-ignored",
    ),
    hiding(
        kernel(
            "kernel/relate/condition-unshown",
            "prover/kernel/src/relate/mod.rs",
            "the condition of a claim need not hold of a call",
        ),
        "relate/condition-unasked",
    ),
    kernel(
        "kernel/relate/condition-moves",
        "prover/kernel/src/relate/claims.rs",
        "a condition on all objects is asked of a call",
    ),
    kernel("kernel/relate/injective", "prover/kernel/src/relate/align.rs", "two objects may be one"),
    kernel("kernel/relate/lengths", "prover/kernel/src/relate/agree.rs", "aligned arrays may have other lengths"),
    kernel(
        "kernel/relate/region-open",
        "prover/kernel/src/relate/agree.rs",
        "what is reached is not closed under fields",
    ),
    kernel(
        "kernel/relate/outside-admitted",
        "prover/kernel/src/relate/agree.rs",
        "an object that one version alone makes may stay reachable",
    ),
    kernel("kernel/relate/globals-at-end", "prover/kernel/src/relate/ends.rs", "globals need not be equal at the end"),
    kernel("kernel/relate/heaps-at-end", "prover/kernel/src/relate/agree.rs", "final heaps need not be equal"),
    kernel(
        "kernel/relate/heaps-at-calls",
        "prover/kernel/src/relate/agree.rs",
        "matched calls may start from other heaps",
    ),
    kernel("kernel/relate/arguments", "prover/kernel/src/relate/agree.rs", "matched calls may have other arguments"),
    hiding(
        kernel(
            "kernel/relate/split-one-side",
            "prover/kernel/src/relate/follow.rs",
            "of the two sides of a split one is checked twice",
        ),
        "relate/split-one-side",
    ),
    hiding(
        kernel("kernel/relate/matched-twice", "prover/kernel/src/relate/follow.rs", "a call may be matched twice"),
        "relate/call-taken-twice",
    ),
    kernel(
        "kernel/relate/unclaimed",
        "prover/kernel/src/relate/follow.rs",
        "calls are matched whatever is claimed of their callees",
    ),
    hiding(
        kernel(
            "kernel/relate/exclusive",
            "prover/kernel/src/relate/follow.rs",
            "paths exclude each other because the evidence says so",
        ),
        "relate/excluded-unasked",
    ),
    kernel("kernel/pair/compared", "prover/kernel/src/pair/loops.rs", "loops that write something may be compared"),
    kernel("kernel/pair/errors-unrelated", "prover/kernel/src/pair/paths.rs", "a return need not meet an error"),
    kernel(
        "kernel/pair/endless-unrelated",
        "prover/kernel/src/pair/paths.rs",
        "a return need not meet what never ends",
    ),
    kernel("kernel/pair/level", "prover/kernel/src/pair/same.rs", "the same code is equivalent at any level"),
    kernel(
        "kernel/pair/locality",
        "prover/kernel/src/pair/mod.rs",
        "claims are used of procedures that look at more than they are given",
    ),
    kernel(
        "kernel/pair/loop-relation-unshown",
        "prover/kernel/src/relate/agree.rs",
        "what relates two loops is not shown at their calls",
    ),
    hiding(
        kernel("kernel/alone/modifies", "prover/kernel/src/alone/facts.rs", "what a procedure modifies is not checked"),
        "analysis/inference/calls-write-nothing",
    ),
    hiding(
        kernel("kernel/alone/errors", "prover/kernel/src/alone/facts.rs", "when a procedure errs is not checked"),
        "analysis/inference/other-errors",
    ),
    hiding(
        kernel(
            "kernel/alone/needs",
            "prover/kernel/src/alone/facts.rs",
            "that a procedure errs where an argument is null is not checked",
        ),
        "analysis/inference/needs-one-path",
    ),
    kernel("kernel/alone/only-if", "prover/kernel/src/alone/facts.rs", "what changes only under tests is not checked"),
    hiding(
        kernel("kernel/alone/exit", "prover/kernel/src/alone/facts.rs", "what holds after a loop is not checked"),
        "analysis/loop-invariants/exit-kept",
    ),
    hiding(
        kernel(
            "kernel/sweep/unshown",
            "prover/kernel/src/pair/sweep.rs",
            "what all turns of a loop do together is not shown",
        ),
        "engines/sweep/one-more",
    ),
    kernel("kernel/sweep/objects", "prover/kernel/src/pair/sweep.rs", "loops that make objects are taken as a whole"),
    kernel(
        "kernel/sweep/kind-never-written",
        "prover/kernel/src/pair/sweep.rs",
        "a loop may be said to write cells of a kind that it never writes, which are not compared",
    ),
    kernel("kernel/endless/blocked", "prover/kernel/src/proof/endless.rs", "a blocked run is taken for an endless one"),
    kernel("kernel/endless/one-object", "prover/kernel/src/proof/endless.rs", "all objects that a run holds are one"),
    kernel("kernel/endless/start", "prover/kernel/src/proof/endless.rs", "what recurs need not hold where the run is"),
    hiding(
        kernel("kernel/endless/not-kept", "prover/kernel/src/proof/endless.rs", "a turn need not keep what recurs"),
        "search/recurrent/not-kept",
    ),
    hiding(
        kernel("kernel/endless/over", "prover/kernel/src/proof/endless.rs", "there may be a way out of what recurs"),
        "search/recurrent/last-end",
    ),
    kernel("kernel/summary/writers", "prover/kernel/src/pair/summaries/mod.rs", "summaries may be of writers"),
    kernel("kernel/summary/errors", "prover/kernel/src/pair/summaries/mod.rs", "a return need not meet an error"),
    kernel("kernel/summary/after-unshown", "prover/kernel/src/pair/summaries/mod.rs", "a summary is not shown"),
    kernel(
        "kernel/summary/overlap",
        "prover/kernel/src/pair/summaries/mod.rs",
        "a summary may be told of calls that overlap",
    ),
    kernel("kernel/summary/itself", "prover/kernel/src/pair/summaries/mod.rs", "a summary may rest on itself"),
    kernel("kernel/summary/ends", "prover/kernel/src/pair/summaries/ends.rs", "ends are not shown"),
    kernel(
        "kernel/shape/calls-within",
        "prover/kernel/src/proof/shape.rs",
        "calls within expressions, which no path executes, are let pass",
    ),
    kernel(
        "kernel/shape/holds-of-store",
        "prover/kernel/src/proof/shape.rs",
        "what holds of a loop may look at the heap, which is another one where it is assumed",
    ),
    kernel("kernel/shape/types", "prover/kernel/src/proof/shape.rs", "a value of any type may go anywhere"),
    kernel("kernel/alone/measure-unbounded", "prover/kernel/src/alone/measures.rs", "a measure may fall for ever"),
    kernel("kernel/alone/footprint", "prover/kernel/src/alone/mod.rs", "the footprint need not be what the text says"),
    hiding(
        kernel(
            "kernel/alone/external-contract",
            "prover/kernel/src/alone/mod.rs",
            "more is believed of an external than its contract says",
        ),
        "analysis/contracts/modifies-place-dropped",
    ),
    hiding(
        kernel(
            "kernel/alone/ensures",
            "prover/kernel/src/alone/mod.rs",
            "an `ensures` that is not proved may be relied upon",
        ),
        "analysis/contracts/ensures-kept",
    ),
    hiding(
        kernel(
            "kernel/alone/contracts-unproved",
            "prover/kernel/src/proof/mod.rs",
            "a proof may rest on contracts that are not proved",
        ),
        "analysis/contracts/requires-unchecked",
    ),
    kernel("kernel/proof/clauses", "prover/kernel/src/proof/contracts.rs", "a clause may be none of the source"),
    hiding(
        kernel("kernel/proof/used-fallen", "prover/kernel/src/proof/mod.rs", "a claim may rest on one that fell"),
        "engines/claims/kept",
    ),
    kernel("kernel/scalars/seen-elsewhere", "prover/kernel/src/scalars/objects.rs", "an object is seen elsewhere too"),
    kernel("kernel/scalars/helper-returns", "prover/kernel/src/scalars/in_place.rs", "a helper in place returns early"),
    kernel("kernel/scalars/helper-contract", "prover/kernel/src/scalars/in_place.rs", "a helper loses its contract"),
    kernel("kernel/scalars/read-before", "prover/kernel/src/scalars/expansion.rs", "it is read before a call"),
    kernel("kernel/scalars/aliased", "prover/kernel/src/scalars/promotion.rs", "another variable leads to the field"),
    kernel("kernel/scalars/argument-assigned", "prover/kernel/src/scalars/in_place.rs", "it assigns its argument"),
    kernel("kernel/scalars/written-by-call", "prover/kernel/src/scalars/locations.rs", "a call may write the global"),
    kernel("kernel/outline/seen-by-quantifier", "prover/kernel/src/outline/mod.rs", "a quantifier sees what is dead"),
    kernel("kernel/scalars/called-before", "prover/kernel/src/scalars/promotion.rs", "a call may come before a read"),
    kernel("kernel/scalars/loaded-again", "prover/kernel/src/scalars/promotion.rs", "what was there is not any more"),
    kernel("kernel/scalars/left-before", "prover/kernel/src/scalars/promotion.rs", "a turn may end before the field"),
    kernel("kernel/scalars/null", "prover/kernel/src/scalars/promotion.rs", "what may be null is read from early"),
    kernel("kernel/scalars/continued", "prover/kernel/src/scalars/rotation.rs", "a turn goes on without its end"),
    kernel("kernel/scalars/not-stored", "prover/kernel/src/scalars/promotion.rs", "a loop returns and stores no field"),
    kernel("kernel/scalars/tested-by-none", "prover/kernel/src/scalars/turn.rs", "a condition may err unseen"),
    kernel("kernel/scalars/calm", "prover/kernel/src/scalars/turn.rs", "what may err is done after an endless loop"),
    kernel("kernel/scalars/steered", "prover/kernel/src/scalars/fission.rs", "what a loop is steered by is written"),
    kernel("kernel/scalars/late", "prover/kernel/src/scalars/fission.rs", "what comes first in a turn comes last"),
    kernel("kernel/scalars/endless", "prover/kernel/src/scalars/fission.rs", "after an endless loop one errs"),
    kernel("kernel/scalars/sunk-past", "prover/kernel/src/scalars/sinking.rs", "what it begins with is assigned"),
    kernel("kernel/scalars/sunk-and-goes-on", "prover/kernel/src/scalars/sinking.rs", "a turn makes it and goes on"),
    kernel("kernel/scalars/quantified", "prover/kernel/src/scalars/mod.rs", "a quantifier ranges over the object"),
    hiding(
        kernel(
            "kernel/lemma/invariants",
            "prover/kernel/src/lemma.rs",
            "a loop need not require what its invariants say",
        ),
        "lower/loops/invariant-lost",
    ),
    hiding(
        kernel("kernel/lemma/paths", "prover/kernel/src/lemma.rs", "outcomes of the source may have other conditions"),
        "lower/calls/operand-not-kept",
    ),
    hiding(
        kernel("kernel/lemma/results", "prover/kernel/src/lemma.rs", "outcomes of the source may have other results"),
        "lower/calls/choice-crossed",
    ),
    hiding(
        kernel("kernel/lemma/arguments", "prover/kernel/src/lemma.rs", "calls of the source may have other arguments"),
        "lower/loops/turns-crossed",
    ),
    kernel(
        "kernel/exec/frame-too-wide",
        "prover/kernel/src/exec/call.rs",
        "a place of `modifies` that cannot be said is dropped",
    ),
];

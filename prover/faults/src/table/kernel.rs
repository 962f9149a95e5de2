//! Faults in the kernel, which the tests have to notice.

use super::{Fault, hiding, kernel};

/// Each once.
pub(super) const ALL: &[Fault] = &[
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
    kernel(
        "kernel/relate/hole-anywhere",
        "prover/kernel/src/relate/agree.rs",
        "an array with a hole may differ anywhere",
    ),
    kernel("kernel/places/one-name", "prover/kernel/src/places.rs", "all places that may differ hold one value"),
    kernel("kernel/pair/hole-of-anything", "prover/kernel/src/pair/loops.rs", "a hole may be of any array"),
    kernel(
        "kernel/pair/hole-unwritten",
        "prover/kernel/src/pair/loops.rs",
        "a hole may be of an array that nobody writes",
    ),
    kernel("kernel/pair/read-from-null", "prover/kernel/src/pair/loops.rs", "a reference may be read from null"),
    kernel(
        "kernel/pair/leaves-first",
        "prover/kernel/src/pair/loops.rs",
        "a loop of version 0 may leave several things",
    ),
    kernel("kernel/relate/lengths", "prover/kernel/src/relate/lengths.rs", "aligned arrays may have other lengths"),
    kernel(
        "kernel/relate/lengths-swapped",
        "prover/kernel/src/relate/lengths.rs",
        "swapped arrays may have other lengths",
    ),
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
        "kernel/pair/external-promise",
        "prover/kernel/src/effects.rs",
        "what an external promises of all objects is taken to depend on what it is given",
    ),
    kernel("kernel/pair/callees-alike", "prover/kernel/src/pair/same.rs", "the same code may call what is not"),
    kernel(
        "kernel/pair/named-unseen",
        "prover/kernel/src/effects.rs",
        "what the places of a `modifies` look at need not agree in both versions",
    ),
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
    kernel(
        "kernel/alone/needs-ends",
        "prover/kernel/src/alone/facts.rs",
        "that a procedure errs rests on that it ends, and that on this",
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
    kernel(
        "kernel/sweep/order",
        "prover/kernel/src/pair/sweep.rs",
        "that the order of steps does not matter is not shown",
    ),
    hiding(
        kernel(
            "kernel/sweep/other-ends",
            "prover/kernel/src/pair/sweep.rs",
            "that what is said to return does is not shown",
        ),
        "engines/sweep/always-returns",
    ),
    kernel(
        "kernel/sweep/comes-back",
        "prover/kernel/src/pair/sweep.rs",
        "what is said to return may call what calls it, beside its measure",
    ),
    kernel("kernel/sweep/blocked", "prover/kernel/src/pair/sweep.rs", "what is said to return may be blocked"),
    kernel("kernel/sweep/measure", "prover/kernel/src/pair/sweep.rs", "the measure of the next turn need not be less"),
    kernel(
        "kernel/relate/split-within",
        "prover/kernel/src/relate/split.rs",
        "cases are told apart by what is said of the number of a sum or a fold",
    ),
    kernel(
        "kernel/relate/split-unchanged",
        "prover/kernel/src/relate/split.rs",
        "cases are told apart by what a call leaves in an object that it does not come to",
    ),
    kernel(
        "kernel/relate/split-unwritten",
        "prover/kernel/src/relate/split.rs",
        "cases are told apart by what a call leaves in a global that it does not write",
    ),
    kernel(
        "kernel/relate/split-region",
        "prover/kernel/src/relate/split.rs",
        "cases are told apart by the region of a call, which has another one in each case",
    ),
    kernel("kernel/sweep/objects", "prover/kernel/src/pair/sweep.rs", "loops that make objects are taken as a whole"),
    kernel(
        "kernel/sweep/kind-never-written",
        "prover/kernel/src/pair/sweep.rs",
        "a loop may be said to write cells of a kind that it never writes, which are not compared",
    ),
    kernel(
        "kernel/endless/entry",
        "prover/kernel/src/proof/endless.rs",
        "a run is taken to be where the lowered program comes",
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
    kernel(
        "kernel/scalars/handed-back",
        "prover/kernel/src/scalars/handed_on/mod.rs",
        "what a helper gives back of an object is lost",
    ),
    kernel("kernel/scalars/seen-as-object", "prover/kernel/src/scalars/first_node/mod.rs", "null is seen as an object"),
    kernel(
        "kernel/scalars/argument-late",
        "prover/kernel/src/scalars/destination/placing.rs",
        "an argument is looked at after a call behind it",
    ),
    kernel(
        "kernel/scalars/led-to",
        "prover/kernel/src/scalars/destination/placing.rs",
        "a new object is known elsewhere",
    ),
    kernel(
        "kernel/scalars/changed-by-call",
        "prover/kernel/src/scalars/destination/placing.rs",
        "what a call changes is read before it",
    ),
    kernel("kernel/scalars/helper-contract", "prover/kernel/src/scalars/in_place.rs", "a helper loses its contract"),
    kernel("kernel/scalars/read-before", "prover/kernel/src/scalars/expansion.rs", "it is read before a call"),
    kernel("kernel/scalars/aliased", "prover/kernel/src/scalars/promotion.rs", "another variable leads to the field"),
    kernel(
        "kernel/scalars/owned-by-others",
        "prover/kernel/src/scalars/owners.rs",
        "something else leads to the array",
    ),
    kernel("kernel/scalars/other-cell", "prover/kernel/src/scalars/owners.rs", "the loop looks at another cell"),
    kernel("kernel/scalars/argument-assigned", "prover/kernel/src/scalars/in_place.rs", "it assigns its argument"),
    kernel("kernel/scalars/written-by-call", "prover/kernel/src/scalars/locations.rs", "a call may write the global"),
    kernel(
        "kernel/outline/own-body",
        "prover/kernel/src/outline/cuts.rs",
        "a procedure calls itself in place of its body",
    ),
    kernel("kernel/outline/seen-by-quantifier", "prover/kernel/src/effects.rs", "a quantifier sees what is dead"),
    kernel("kernel/scalars/called-before", "prover/kernel/src/scalars/promotion.rs", "a call may come before a read"),
    kernel("kernel/scalars/loaded-again", "prover/kernel/src/scalars/promotion.rs", "what was there is not any more"),
    kernel("kernel/scalars/left-before", "prover/kernel/src/scalars/promotion.rs", "a turn may end before the field"),
    kernel("kernel/scalars/null", "prover/kernel/src/scalars/promotion.rs", "what may be null is read from early"),
    kernel("kernel/scalars/continued", "prover/kernel/src/scalars/rotation.rs", "a turn goes on without its end"),
    kernel(
        "kernel/scalars/jumped",
        "prover/kernel/src/scalars/flattening/mod.rs",
        "a turn of a loop in a loop breaks off",
    ),
    kernel("kernel/scalars/asked-by-call", "prover/kernel/src/scalars/flattening/mod.rs", "a call asks twice"),
    kernel(
        "kernel/scalars/same-head",
        "prover/kernel/src/scalars/flattening/mod.rs",
        "one loop has the head of another",
    ),
    kernel(
        "kernel/scalars/same-last",
        "prover/kernel/src/scalars/first_node/mod.rs",
        "the last node is another one where a run was stopped",
    ),
    kernel(
        "kernel/relate/repeat-anywhere",
        "prover/kernel/src/relate/repeat.rs",
        "what is said of a repeated call is said where it never comes to",
    ),
    kernel("kernel/pair/same-as-lowered", "prover/kernel/src/pair/same.rs", "what is run alike was not written alike"),
    kernel("kernel/relate/region-wider", "prover/kernel/src/relate/agree.rs", "a call leaves what its name may not"),
    kernel("kernel/scalars/not-stored", "prover/kernel/src/scalars/promotion.rs", "a loop returns and stores no field"),
    kernel("kernel/scalars/tested-by-none", "prover/kernel/src/scalars/turn.rs", "a condition may err unseen"),
    kernel("kernel/scalars/calm", "prover/kernel/src/scalars/turn.rs", "what may err is done after an endless loop"),
    kernel("kernel/scalars/steered", "prover/kernel/src/scalars/fission.rs", "what a loop is steered by is written"),
    kernel("kernel/scalars/late", "prover/kernel/src/scalars/fission.rs", "what comes first in a turn comes last"),
    kernel("kernel/scalars/endless", "prover/kernel/src/scalars/fission.rs", "after an endless loop one errs"),
    kernel("kernel/scalars/sunk-past", "prover/kernel/src/scalars/sinking.rs", "what it begins with is assigned"),
    kernel("kernel/scalars/sunk-and-goes-on", "prover/kernel/src/scalars/sinking.rs", "a turn makes it and goes on"),
    kernel(
        "kernel/scalars/calls-on",
        "prover/kernel/src/scalars/tail_calls/mod.rs",
        "something is done after the call",
    ),
    kernel("kernel/scalars/one-by-one", "prover/kernel/src/scalars/tail_calls/mod.rs", "an argument sees another one"),
    kernel(
        "kernel/scalars/not-anew",
        "prover/kernel/src/scalars/tail_calls/mod.rs",
        "a call sees what one before it left",
    ),
    kernel("kernel/scalars/mended-once", "prover/kernel/src/scalars/unfolding.rs", "what is mended is not asked again"),
    kernel("kernel/scalars/not-asked", "prover/kernel/src/scalars/inversion.rs", "a turn that goes on does not ask"),
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
    kernel("kernel/lemma/globals", "prover/kernel/src/lemma.rs", "outcomes of the source may leave other globals"),
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

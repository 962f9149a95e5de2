//! Every bound on the work of the prover, in one place: counts, never times.
//!
//! A stage that comes to a bound gives up, and what it was to decide stays open. `MAX_` is the most of something; `SHARE`
//! divides the budget of a query. What a rule's queries get is its [`Rule::share`](crate::goal::Rule); the usual budget of a
//! query is [`smt::solve::QueryBudget`], and that of the search [`concrete::SearchBudget`].
//!
//! Invariant: no bound depends on the machine, so the same program gets the same report everywhere.

/// The lowering.
pub(crate) mod lower {
    /// More `continue`s of one turn are not joined with what follows them.
    pub(crate) const MAX_JOINED: usize = 8;
    /// More statements than this are not copied to where the loop is left.
    pub(crate) const MAX_REST: usize = 12;
}

/// Pre- and postconditions of loops, and postconditions of helpers.
pub(crate) mod loop_invariants {
    /// More conditions of one loop or helper than this are not tried.
    pub(crate) const MAX_CANDIDATES: usize = 48;
    /// With more numbers than these the results of a helper are not compared.
    pub(crate) const MAX_NUMBERS: usize = 6;
    /// Nor is more that might settle what a loop gives back.
    pub(crate) const MAX_SETTLING: usize = 6;
    /// More sums that turns keep are not tried for one loop.
    pub(crate) const MAX_CONSERVED: usize = 8;
    /// More questions for one version are not asked; what is still open then is dropped.
    pub(crate) const MAX_QUERIES: usize = 400;
}

/// What changes only if something held.
pub(crate) mod only_if {
    /// So often each procedure is looked at again, on average.
    pub(crate) const MAX_ROUNDS: usize = 4;
}

/// Ranking functions.
pub(crate) mod ranking {
    /// More candidates than this are not tried.
    pub(crate) const MAX_CANDIDATES: usize = 16;
    /// The most measures in lexicographic order.
    pub(crate) const MAX_MEASURES: usize = 2;
}

/// Certificates.
pub(crate) mod certificate {
    /// No claim under a condition has this number, or a greater one.
    pub(crate) const MAX_CONDITIONAL: usize = 10_000;
    /// So many statements may be cut out, each of which takes a walk over the program; who asks for more is no client of ours.
    pub(crate) const MAX_CUTS: usize = 200;
}

/// Relating two outcomes.
pub(crate) mod relate {
    /// More correspondences than this are not tried.
    pub(crate) const MAX_TRIED: usize = 48;
    /// With more open allocations on a side than this there are too many to be worth starting.
    pub(crate) const MAX_OPEN: usize = 6;
    /// All correspondences of a pair of procedures together take no more attempts than this.
    pub(crate) const MAX_ATTEMPTS: usize = 20_000;
}

/// Candidate pairs.
pub(crate) mod goal {
    /// More pairs of procedures without partners than this are not tried.
    pub(crate) const MAX_UNPAIRED: usize = 16;
    /// Of the procedures with the fingerprint of another one, no more than this are compared with it.
    pub(crate) const MAX_SAME_SHAPE: usize = 8;
}

/// What every engine does.
pub(crate) mod claims {
    /// An engine that leaves more questions about one pair undecided than this is given up: no proof of ours took more than half of it.
    pub(crate) const MAX_UNDECIDED: usize = 12;
}

/// What relational engines start with.
pub(crate) mod fragments {
    /// More procedures than this on one side are not worth starting with.
    pub(crate) const MAX_PROCEDURES: usize = 8;
}

/// Equations fitted to observed numbers.
pub(crate) mod polynomial {
    /// With more products than this, equations of that degree are not looked for.
    pub(crate) const MAX_PRODUCTS: usize = 60;
}

/// Unrolling.
pub(crate) mod unroll {
    /// More loops, or calls, of one procedure than this are not unrolled one by one.
    pub(crate) const MAX_UNROLLED: usize = 4;
}

/// Loops that are taken as a whole.
pub(crate) mod sweep {
    /// More conditions of a turn than this are not taken for the one to go on.
    pub(crate) const MAX_PROPOSED: usize = 4;
    /// What is proposed of a loop is looked at for this part of the usual budget: most of it is right or wrong in plain sight.
    pub(crate) const SHARE: u32 = 20;
}

/// Templates of what states or calls have in common.
pub(crate) mod templates {
    /// Bounds of invariants are near the numbers that the programs mention: near so many of them.
    pub(crate) const MAX_BOUNDS: usize = 8;
    /// So many of these numbers are tried as moduli.
    pub(crate) const MAX_MODULI: usize = 4;
    /// Equations with greater coefficients fit the rows and nothing else.
    pub(crate) const MAX_COEFFICIENT: u32 = 5_000;
    /// Rows that are looked at for equations; more say nothing new.
    pub(crate) const MAX_FITTED: usize = 160;
}

/// Relations between loops.
pub(crate) mod loops {
    /// More pairs of loops than this are not tried.
    pub(crate) const MAX_LOOPS: usize = 4;
    /// More pairs of loops that do parts of one another are not compared.
    pub(crate) const MAX_COMPARED: usize = 6;
    /// References of two loops may go together in more ways than this, which are not tried.
    pub(crate) const MAX_WAYS: usize = 6;
    /// Ways in which references that have a namesake go together with others.
    pub(crate) const MAX_OTHER_WAYS: usize = 2;
    /// More tests of the turns of two loops are not looked at.
    pub(crate) const MAX_TESTS: usize = 6;
    /// Nor are more values under one of them.
    pub(crate) const MAX_UNDER: usize = 32;
    /// Nor more under flags that are handed out.
    pub(crate) const MAX_UNDER_FLAGS: usize = 64;
    /// More that is 0 in both or in neither is not looked at.
    pub(crate) const MAX_ZEROS: usize = 16;
    /// Nor more of all cells of an array.
    pub(crate) const MAX_CELLS: usize = 16;
    /// Nor of what one of them computes and the other has in a variable.
    pub(crate) const MAX_COMPUTED: usize = 48;
    /// Nor of that a sum of more products.
    pub(crate) const MAX_PARTS: usize = 6;
    /// No cell is looked at that lies more cells than this before the one at a counter.
    pub(crate) const MAX_BACK: u32 = 4;
    /// Of a loop that tests for more bounds than this none is taken for the least of them.
    pub(crate) const MAX_BOUNDS: usize = 4;
    /// No more bounds of a loop than this are looked at for one that is the sum of two others.
    pub(crate) const MAX_SUMMED: usize = 5;
    /// Of the numbers that helpers are called with no more than this are looked at.
    pub(crate) const MAX_LITERALS: usize = 4;
    /// So many attempts are worth it in all ways.
    pub(crate) const COMMON_ATTEMPTS: usize = 3;
    /// So many are made of loops of which each does a part of the turns of one.
    pub(crate) const PARTS_ATTEMPTS: usize = 4;
    /// The turns of loops are laid side by side in so many ways.
    pub(crate) const MAX_LAYOUTS: usize = 16;
    /// The other ones are made in so many ways.
    pub(crate) const MAX_RARE_WAYS: usize = 2;
    /// How often something may be taken out of the relations.
    pub(crate) const MAX_ROUNDS: usize = 24;
    /// More attempts to match two calls on one path are not made.
    pub(crate) const MAX_ATTEMPTS: usize = 2_000;
    /// Of a variable that changes by more than this in a turn it is not looked at how many turns of another loop that makes.
    pub(crate) const MAX_STRIDE: u64 = 64;
}

/// Mutual summaries.
pub(crate) mod coupling {
    /// How often recursive calls are executed in place on each side before they are paired.
    pub(crate) const UNROLLINGS: [[usize; 2]; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];
    /// The degrees of the equations looked for.
    pub(crate) const DEGREES: [u32; 2] = [1, 2];
    /// Unrolled loops are related by equations of the first degree only: they differ by whole steps.
    pub(crate) const UNROLLED_DEGREES: [u32; 1] = [1];
    /// The same where bounds and remainders are looked for as well: there are more facts, so more that fit.
    pub(crate) const BOUNDED_UNROLLINGS: [[usize; 2]; 3] = [[0, 0], [0, 1], [1, 0]];
    /// More rounds of dropping equations than this are not worth it.
    pub(crate) const MAX_ROUNDS: usize = 12;
    /// More queries than this for one degree and one unrolling neither.
    pub(crate) const MAX_QUERIES: usize = 60;
    /// The same with bounds and remainders.
    pub(crate) const MAX_BOUNDED_QUERIES: usize = 80;
    /// Near so many of the numbers that the program mentions runs begin as well.
    pub(crate) const MAX_NEAR: usize = 3;
    /// No more turns than this.
    pub(crate) const MAX_PACE: usize = 8;
    /// More queries than this for one way to lay loops side by side are not worth it.
    pub(crate) const MAX_STAGE_QUERIES: usize = 200;
    /// Where it is about what is divided, such a way is given up when more of them stay undecided.
    pub(crate) const MAX_UNDECIDED_QUOTIENTS: usize = 4;
    /// How many inputs are tried.
    pub(crate) const MAX_INPUTS: usize = 48;
    /// Where a procedure may not be called with all inputs, so many are drawn for each that is tried.
    pub(crate) const MAX_REFUSED: usize = 8;
    /// Of one run alone so many of the first calls are looked at, and as many of the last.
    pub(crate) const MAX_ROWS_OF_RUN: usize = 3;
    /// The most calls of one run.
    pub(crate) const MAX_RUN_STEPS: usize = 400;
    /// The deepest run.
    pub(crate) const MAX_RUN_DEPTH: usize = 60;
    /// The most rows kept for one pair.
    pub(crate) const MAX_ROWS: usize = 160;
    /// More questions than this about the end of calls are not worth it.
    pub(crate) const MAX_ENDING_QUERIES: usize = 60;
    /// More paths than this on which a procedure never ends neither.
    pub(crate) const MAX_ENDLESS: usize = 12;
    /// More paths than this in one procedure are not worth starting with.
    pub(crate) const MAX_STEPS: usize = 24;
}

/// Closed forms.
pub(crate) mod closed_form {
    /// The highest degree of a polynomial.
    pub(crate) const MAX_DEGREE: u32 = 3;
    /// Inputs are told apart by no more conditions than this, and as many remainders.
    pub(crate) const MAX_CONDITIONS: usize = 4;
    /// By no more numbers than this.
    pub(crate) const MAX_MODULI: usize = 2;
    /// The remainders by numbers up to this are all told apart.
    pub(crate) const MAX_REMAINDERS: u32 = 3;
    /// More queries than this for one pair are not worth it.
    pub(crate) const MAX_QUERIES: usize = 60;
}

/// The paper's encoding.
pub(crate) mod paper {
    /// More than this many strategies are not tried: the query has two copies of the bodies for each.
    pub(crate) const MAX_STRATEGIES: usize = 64;
    /// The most steps of the search for them.
    pub(crate) const MAX_STRATEGY_STEPS: usize = 1_000 * MAX_STRATEGIES;
    /// More statements than this are not copied, those that stand after a `return` counted once for each way there.
    pub(crate) const MAX_STATEMENTS: usize = 1_000;
}

/// The search on concrete stores.
pub(crate) mod concrete {
    use lang_l::interp::Limits;

    /// How much a search may try.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SearchBudget {
        /// The most inputs.
        pub inputs: u64,
        /// The most steps of all runs together, with what contracts look at.
        pub steps: u64,
    }

    impl SearchBudget {
        /// Little more than the hints and what is near them.
        pub const NEAR: SearchBudget = SearchBudget { inputs: 160, steps: 1_000_000 };
        /// For runs of which one may never end.
        pub const ENDLESS: SearchBudget = SearchBudget { inputs: 600, steps: 1_000_000 };
        /// Some tens of milliseconds: what is worth trying before anything else.
        pub const QUICK: SearchBudget = SearchBudget { inputs: 4_000, steps: 1_000_000 };
        /// A few seconds: worth trying when no proof was found.
        pub const THOROUGH: SearchBudget = SearchBudget { inputs: 200_000, steps: 50_000_000 };

        /// The quick search of one of so many pairs.
        pub(crate) fn quick(pairs: usize) -> SearchBudget {
            let share = MAX_QUICK_STEPS / u64::try_from(pairs).unwrap_or(u64::MAX).max(1);
            SearchBudget { steps: SearchBudget::QUICK.steps.min(share), ..SearchBudget::QUICK }
        }

        /// The search of one of so many pairs that differ in nothing but in what they call.
        pub(crate) fn passed_on(pairs: usize) -> SearchBudget {
            SearchBudget { inputs: SearchBudget::NEAR.inputs, ..SearchBudget::quick(pairs) }
        }
    }

    /// The most steps of all quick searches of a program together: with very many pairs each of them is shorter.
    pub(crate) const MAX_QUICK_STEPS: u64 = 8_000_000;
    /// How far a run of the search goes; a witness may need more when it is replayed.
    pub(crate) const SEARCH: Limits = Limits {
        steps: 20_000,
        depth: 4_000,
        array_length: 1 << 12,
        int_bits: 1 << 12,
        checks: true,
        divergence: true,
    };
    /// Beside a run that was stopped this part of that is soon.
    pub(crate) const SOON: u64 = 16;
    /// How far a replay goes.
    pub const REPLAY: Limits = Limits {
        steps: 200_000,
        depth: 40_000,
        array_length: 1 << 16,
        int_bits: 1 << 14,
        checks: true,
        divergence: true,
    };
    /// How far a run goes that may never end.
    pub(crate) const SHORT: Limits =
        Limits { steps: 3_000, depth: 400, array_length: 1 << 12, int_bits: 1 << 12, checks: true, divergence: true };

    /// How far inputs may go.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct InputBounds {
        /// The most objects.
        pub(crate) objects: usize,
        /// How many of the integers to choose from.
        pub(crate) integers: usize,
        /// The longest array.
        pub(crate) array: u64,
    }

    /// The rounds: ever larger inputs.
    pub(crate) const ROUNDS: [InputBounds; 5] = [
        InputBounds { objects: 1, integers: 3, array: 1 },
        InputBounds { objects: 2, integers: 5, array: 2 },
        InputBounds { objects: 3, integers: 8, array: 3 },
        InputBounds { objects: 4, integers: 12, array: 4 },
        InputBounds { objects: 6, integers: usize::MAX, array: 6 },
    ];
    /// For what a hint leaves unset. It may have one object more than the hint has.
    pub(crate) const NEAR_HINTS: InputBounds = InputBounds { objects: 1, integers: 8, array: 2 };
    /// Each round makes at least so many runs, however small the budget is.
    pub(crate) const LEAST_RUNS: u64 = 8;
    /// For how many inputs a proof is looked for that a run never ends.
    pub(crate) const MAX_PROOFS: usize = 6;
    /// The most replays that making a witness smaller may take.
    pub(crate) const MAX_SHRINK_REPLAYS: usize = 1_000;
    /// How many inputs near each hint are tried, in order and again at random.
    pub(crate) const MAX_RUNS_NEAR_HINT: u64 = 64;
    /// How many of the seeded behaviours of external procedures are tried.
    pub(crate) const MAX_SEEDED: u64 = 24;
}

/// Bounded model checking.
pub(crate) mod bmc {
    /// How deep calls are executed in place, round after round.
    pub(crate) const DEPTHS: [usize; 5] = [1, 3, 6, 12, 24];
    /// More outcomes than this of one version: branches are joined.
    pub(crate) const MAX_OUTCOMES: usize = 120;
    /// More calls in all are too many.
    pub(crate) const MAX_CALLS: usize = 1_000;
    /// More work with terms of one version is too much; a tenth of it is seldom needed.
    pub(crate) const MAX_WORK: u64 = 1_000_000;
    /// More questions than this are not asked in one round.
    pub(crate) const MAX_QUERIES: usize = 40;
    /// More questions than this that stay undecided are not asked: the next ones would as well.
    pub(crate) const MAX_UNDECIDED: usize = 6;
    /// Each question gets this part of the budget.
    pub(crate) const SHARE: u32 = 10;
    /// How many fields away from a result is looked.
    pub(crate) const MAX_COMPARED_DEPTH: usize = 2;
    /// No array is made longer than this.
    pub(crate) const MAX_ARRAY_LENGTH: u64 = 1 << 15;
}

/// Recurrent sets.
pub(crate) mod recurrent_set {
    /// Variables beyond these are not compared with one another.
    pub(crate) const MAX_COMPARED: usize = 6;
    /// Each question gets this part of the budget.
    pub(crate) const SHARE: u32 = 20;
}

/// How two versions differ.
pub(crate) mod diff {
    /// More tests than this of a recursive pair are not tried for whether recursion keeps them.
    pub(crate) const MAX_KEPT: usize = 6;
    /// A value or test of more parts than this is not written.
    pub(crate) const MAX_NODES: usize = 60;
    /// With more tests than this no condition is looked for.
    pub(crate) const MAX_ATOMS: usize = 120;
    /// Of a test no more choices than this are taken apart.
    pub(crate) const MAX_LIFTED: usize = 6;
    /// A condition of more cases than this is none that a person would read.
    pub(crate) const MAX_CUBES: usize = 16;
    /// Nor is one with a case of more tests than this.
    pub(crate) const MAX_TESTS: usize = 16;
    /// More such cases than this are not looked at in the hope that others cover them.
    pub(crate) const MAX_LONG: usize = 2;
    /// More questions than this are not asked for one condition.
    pub(crate) const MAX_QUESTIONS: usize = 600;
    /// A pair of which this many questions stay undecided under one plan is asked nothing more then.
    pub(crate) const MAX_UNDECIDED: usize = 8;
    /// Of more tests than this those that can go in plain sight go first.
    pub(crate) const MAX_ASKED: usize = 24;
    /// More stores than this are not remembered of one pair.
    pub(crate) const MAX_STORES: usize = 64;
    /// Each question gets this part of the budget.
    pub(crate) const SHARE: u32 = 4;
    /// Where only the wording turns on the answer it gets this part of it.
    pub(crate) const FINISH_SHARE: u32 = 20;
    /// Whether two paths exclude each other is asked with this part of it: there are many, and most that do do so in plain sight.
    pub(crate) const PATHS_SHARE: u32 = 20;
    /// More sets of arguments from which a procedure never ends are not tried.
    pub(crate) const MAX_SETS: usize = 24;
    /// How deep calls that do not recur are executed in place.
    pub(crate) const MAX_DEPTH: usize = 40;
    /// How deep a pair that recurs is executed in place itself.
    pub(crate) const MAX_RECURSION_DEPTH: usize = 6;
    /// How deep turns are executed in place where it is known when all are alike.
    pub(crate) const MAX_TURNS_DEPTH: usize = 3;
    /// No more tests than this that one version alone makes are taken for where the two are equal.
    pub(crate) const MAX_ONE_SIDED: usize = 4;
    /// How deep recursion of callees is executed in place.
    pub(crate) const MAX_UNROLLED_DEPTH: usize = 26;
    /// More outcomes than this of one version are too many.
    pub(crate) const MAX_OUTCOMES: usize = 120;
    /// More pairs of outcomes that one store can come to are too many: what is not told of that many is told by no condition.
    pub(crate) const MAX_MEETINGS: usize = 300;
    /// More calls in all are too many.
    pub(crate) const MAX_CALLS: usize = 2_000;
    /// More work with terms of one version is too much.
    pub(crate) const MAX_WORK: u64 = 2_000_000;
}

/// The last line of a report: from which stores a pair differs.
pub(crate) mod brief {
    /// Of more pairs of a report than this it is not said.
    pub(crate) const MAX_PAIRS: usize = 4;
    /// Nor of a procedure of more outcomes than this.
    pub(crate) const MAX_OUTCOMES: usize = 8;
    /// A condition of more tests than this is none for one line.
    pub(crate) const MAX_TESTS: usize = 6;
    /// Each question gets this part of the budget.
    pub(crate) const SHARE: u32 = 4;
}

/// Conditions that recursion keeps.
pub(crate) mod kept {
    /// More pairs that call one another are not looked at together.
    pub(crate) const MAX_PAIRS: usize = 4;
    /// Of more parameters of one procedure nothing is asked.
    pub(crate) const MAX_NUMBERS: usize = 2;
    /// Remainders by more than this are not looked at.
    pub(crate) const MAX_MODULUS: usize = 4;
}

/// Boundaries that are looked for to settle what is open.
pub(crate) mod boundaries {
    /// In more procedures none are looked for.
    pub(crate) const MAX_CLIENTS: usize = 12;
    /// More rounds than this are not made for one of them.
    pub(crate) const MAX_ROUNDS: usize = 4;
}

/// Clients of what differs.
pub(crate) mod client {
    /// More boundaries than this are not tried for one call.
    pub(crate) const MAX_CANDIDATES: usize = 12;
    /// At more places than this a boundary of one block does not end.
    pub(crate) const MAX_ENDS: usize = 4;
    /// More rounds than this are not made for one client.
    pub(crate) const MAX_ROUNDS: usize = 24;
}

/// Pages.
pub(crate) mod page {
    /// Of a run this many steps are shown, the first and the last ones.
    pub(crate) const MAX_STEPS: usize = 200;
    /// The steps of all pairs of a page take no more bytes than this; with less for each, fewer steps are shown.
    pub(crate) const MAX_STEP_BYTES: usize = 160_000;
    /// The sources of a page have no more bytes, and no more lines, than this; the rest is left out.
    pub(crate) const MAX_SOURCE: (usize, usize) = (60_000, 2_400);
    /// More pairs than this are in the table of a page alone.
    pub(crate) const MAX_SECTIONS: usize = 60;
    /// More is not said of a line, and of a pair.
    pub(crate) const MAX_NOTES: usize = 6;
}

/// Conditions that are learned from runs.
pub(crate) mod learned {
    use super::concrete::SearchBudget;

    /// The stores that both versions are run from.
    pub(crate) const SAMPLES: SearchBudget = SearchBudget { inputs: 1_500, steps: 1_500_000 };
    /// More of them are not made.
    pub(crate) const MAX_SAMPLES: usize = 240;
    /// Near so many of them other numbers are tried.
    pub(crate) const MAX_PIVOTS: usize = 6;
    /// More samples in all are not kept.
    pub(crate) const MAX_KEPT: usize = 640;
    /// Of a number no more bounds than this are tests.
    pub(crate) const MAX_BOUNDS: usize = 4;
    /// More tests of the program than this are not looked at.
    pub(crate) const MAX_LITERALS: usize = 90;
    /// More tests of the cells of a range are not looked at.
    pub(crate) const MAX_QUANTIFIED: usize = 16;
    /// A condition of more tests than this is not looked for.
    pub(crate) const MAX_TESTS: usize = 6;
    /// Of more conjunctions than this conditions are not built.
    pub(crate) const MAX_CONJUNCTIONS: usize = 60;
    /// Of so many conditions that fit the runs it is tried whether they hold.
    pub(crate) const MAX_FORMULAS: usize = 3;
    /// How often a condition is learned again after a store has refuted it.
    pub(crate) const MAX_ROUNDS: usize = 6;
    /// Whether a condition holds is asked with this part of the budget: most are easy, or wrong.
    pub(crate) const SHARE: u32 = 10;
    /// It is given up where more questions than this stay undecided.
    pub(crate) const MAX_UNDECIDED: usize = 12;
    /// A condition of more characters than this is worth saying in other words.
    pub(crate) const READABLE: usize = 120;
    /// Of more ways to tell two outputs apart it is not tried whether they hold.
    pub(crate) const MAX_APART: usize = 4;
}

//! Rewriting: simplification under known facts, and renaming of allocs and calls.

use super::{AllocClass, AllocSet, CallId, Func, Node, Origin, Parts, Sort, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use rustc_hash::{FxBuildHasher, FxHashMap as HashMap};

/// A persistent map: it is copied at each branch.
type Persistent<K, V> = im::GenericHashMap<K, V, FxBuildHasher, im::shared_ptr::DefaultSharedPtr>;

/// Facts that hold on a path: boolean terms with their values, and what numbers and differences of two lie between.
#[derive(Clone, Debug, Default)]
pub struct PathFacts {
    facts: Persistent<Term, bool>,
    ranges: Persistent<(Term, Option<Term>), Range>,
}

/// What a number lies between.
#[derive(Clone, Debug, Default)]
struct Range {
    low: Option<BigInt>,
    high: Option<BigInt>,
}

/// `constant ± (first - second)`, or without `second`; the smaller term is the first, so that there is one form only.
struct Difference<'t> {
    constant: Option<&'t BigInt>,
    positive: bool,
    of: (Term, Option<Term>),
}

impl<'t> Difference<'t> {
    /// A number as a difference, if it is one.
    fn of(terms: &'t Terms, term: Term) -> Option<Self> {
        let Node::Linear(constant, parts) = terms.node(term) else {
            let atom = !matches!(terms.node(term), Node::Int(_));
            return atom.then_some(Difference { constant: None, positive: true, of: (term, None) });
        };
        let sign = |c: &BigInt| (c.magnitude().is_one()).then(|| c.is_positive());
        let constant = Some(constant);
        match parts.as_ref() {
            [(c, x)] => Some(Difference { constant, positive: sign(c)?, of: (*x, None) }),
            [(c, x), (d, y)] if sign(c)? != sign(d)? => {
                Some(Difference { constant, positive: sign(c)?, of: (*x, Some(*y)) })
            }
            _ => None,
        }
    }

    fn constant(&self) -> BigInt {
        self.constant.cloned().unwrap_or_default()
    }
}

impl PathFacts {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact, taken apart into its conjuncts. Returns false when it contradicts a known one outright.
    pub fn assume(&mut self, terms: &mut Terms, fact: Term) -> bool {
        let fact = terms.simplify(fact, self);
        match terms.node(fact).clone() {
            Node::Bool(value) => value,
            Node::And(parts) => parts.iter().all(|&part| self.assume(terms, part)),
            Node::Not(inner) => match terms.node(inner).clone() {
                Node::Or(parts) => parts.iter().all(|&part| {
                    let negated = terms.not(part);
                    self.assume(terms, negated)
                }),
                _ => {
                    self.facts.insert(inner, false);
                    true
                }
            },
            _ => {
                self.bound(terms, fact);
                self.facts.insert(fact, true);
                let negated = terms.not(fact);
                self.facts.insert(negated, false);
                true
            }
        }
    }

    /// Notes what a comparison says of a difference.
    fn bound(&mut self, terms: &Terms, fact: Term) {
        let (of, equal) = match terms.node(fact) {
            Node::AtMostZero(t) => (*t, false),
            Node::IsZero(t) => (*t, true),
            _ => return,
        };
        let Some(difference) = Difference::of(terms, of) else { return };
        let constant = difference.constant();
        let range = self.ranges.entry(difference.of).or_default();
        // constant + d <= 0, or constant - d <= 0
        if difference.positive || equal {
            let high = if difference.positive { -&constant } else { constant.clone() };
            range.high = Some(range.high.take().map_or(high.clone(), |known| known.min(high)));
        }
        if !difference.positive || equal {
            let low = if difference.positive { -constant } else { constant };
            range.low = Some(range.low.take().map_or(low.clone(), |known| known.max(low)));
        }
    }

    fn value(&self, terms: &Terms, term: Term) -> Option<bool> {
        self.facts.get(&term).copied().or_else(|| self.compared(terms, term))
    }

    /// What the ranges say of a comparison.
    fn compared(&self, terms: &Terms, term: Term) -> Option<bool> {
        let (of, equal) = match terms.node(term) {
            Node::AtMostZero(t) => (*t, false),
            Node::IsZero(t) => (*t, true),
            _ => return None,
        };
        if self.ranges.is_empty() {
            return None;
        }
        let difference = Difference::of(terms, of)?;
        let range = self.ranges.get(&difference.of)?;
        let constant = difference.constant();
        // The least and the greatest that constant ± d can be.
        let (least, greatest) = if difference.positive {
            (range.low.as_ref().map(|low| low + &constant), range.high.as_ref().map(|high| high + &constant))
        } else {
            (range.high.as_ref().map(|high| &constant - high), range.low.as_ref().map(|low| &constant - low))
        };
        let above = least.as_ref().is_some_and(BigInt::is_positive);
        let below = greatest.as_ref().is_some_and(BigInt::is_negative);
        let at_most = greatest.as_ref().is_some_and(|greatest| !greatest.is_positive());
        match equal {
            true if above || below => Some(false),
            true => (at_most && least.is_some_and(|least| least.is_zero())).then_some(true),
            false if above => Some(false),
            false => at_most.then_some(true),
        }
    }

    fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }
}

/// Which allocs and calls of one execution stand for which of another.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// Injective on allocs.
    pub allocs: HashMap<AllocClass, AllocClass>,
    /// Injective on calls.
    pub calls: HashMap<CallId, CallId>,
}

impl Renaming {
    /// The image of an alloc.
    pub fn alloc(&self, alloc: AllocClass) -> AllocClass {
        self.allocs.get(&alloc).copied().unwrap_or(alloc)
    }

    /// The image of a call.
    pub fn call(&self, call: CallId) -> CallId {
        self.calls.get(&call).copied().unwrap_or(call)
    }

    /// The image of a set.
    pub fn set(&self, set: &AllocSet) -> AllocSet {
        if set.is_everything() {
            return AllocSet::everything();
        }
        set.iter().map(|alloc| self.alloc(alloc)).collect()
    }
}

impl Terms {
    /// The term with every subterm whose truth is known replaced.
    pub fn simplify(&mut self, term: Term, known: &PathFacts) -> Term {
        if known.is_empty() {
            term
        } else {
            self.rewrite(term, &mut HashMap::default(), &|terms, t| known.value(terms, t), &|_, f| f)
        }
    }

    /// The term with allocs and calls renamed.
    ///
    /// Rule *Rename*: sound because a renaming is injective and the renamed execution is the same up to addresses. Calls
    /// that stay unmatched must have been given images whose regions are renamed too.
    pub fn rename(&mut self, term: Term, renaming: &Renaming, memo: &mut HashMap<Term, Term>) -> Term {
        self.rewrite(term, memo, &|_, _| None, &|_, func| match func {
            Func::New(alloc) => Func::New(renaming.alloc(alloc)),
            Func::Effect(call, at) => Func::Effect(renaming.call(call), at),
            Func::Result(call, at) => Func::Result(renaming.call(call), at),
            Func::GlobalAfter(call, at) => Func::GlobalAfter(renaming.call(call), at),
            Func::Ending(call) => Func::Ending(renaming.call(call)),
            Func::InRegion(call) => Func::InRegion(renaming.call(call)),
            other => other,
        })
    }

    /// The term with function symbols replaced.
    pub fn map_functions(&mut self, term: Term, memo: &mut HashMap<Term, Term>, to: &dyn Fn(Func) -> Func) -> Term {
        self.rewrite(term, memo, &|_, _| None, &|_, func| to(func))
    }

    /// The term with other terms in place of some constants.
    pub fn substitute(&mut self, term: Term, by: &HashMap<Term, Term>) -> Term {
        let mut memo = by.clone();
        self.rewrite(term, &mut memo, &|_, _| None, &|_, func| func)
    }

    /// Rebuilds a term bottom-up: `value` decides boolean subterms, `func` replaces function symbols.
    fn rewrite(
        &mut self,
        term: Term,
        memo: &mut HashMap<Term, Term>,
        value: &dyn Fn(&Terms, Term) -> Option<bool>,
        func: &dyn Fn(&Terms, Func) -> Func,
    ) -> Term {
        if let Some(&done) = memo.get(&term) {
            return done;
        }
        let sort = self.sort(term);
        if sort == Sort::Bool
            && let Some(known) = value(self, term)
        {
            return self.bool(known);
        }
        self.looked_at += 1;
        let old = self.node(term).subterms();
        let parts: Parts = old.iter().map(|&part| self.rewrite(part, memo, value, func)).collect();
        // What is made of the same parts is the same, and most of a term is.
        let same = parts == old;
        let rebuilt = match self.node(term) {
            &Node::App(f, _) => match func(self, f) {
                image if same && image == f => term,
                Func::InRegion(call) => self.in_region(call, parts[0]),
                f => self.app(f, &parts, sort),
            },
            &Node::InClass(_, alloc) => {
                let image = match self.origin(alloc) {
                    Origin::Call(call) => func(self, Func::Ending(*call)),
                    _ => Func::New(alloc),
                };
                let alloc = if let Func::Ending(call) = image { self.reach(call).fresh } else { alloc };
                self.born(parts[0], alloc)
            }
            _ if same => term,
            node => {
                let node = node.clone();
                self.rebuild(term, node, &parts)
            }
        };
        // What the rebuilding uncovered may itself be known.
        let rebuilt = match (sort == Sort::Bool).then(|| value(self, rebuilt)).flatten() {
            Some(known) => self.bool(known),
            None => rebuilt,
        };
        memo.insert(term, rebuilt);
        rebuilt
    }

    /// An operation applied to other terms, simplified again; a term that is no operation is as it was.
    pub(super) fn rebuild(&mut self, term: Term, node: Node, parts: &[Term]) -> Term {
        match (node, parts) {
            (Node::Linear(constant, old), _) => {
                let mut sum = self.int(constant);
                for ((coefficient, _), &part) in old.into_iter().zip(parts) {
                    let coefficient = self.int(coefficient);
                    let product = self.mul(coefficient, part);
                    sum = self.add(sum, product);
                }
                sum
            }
            (Node::Mul(_), _) => {
                let one = self.int(1);
                parts.iter().fold(one, |product, &part| self.mul(product, part))
            }
            (Node::Div(..), &[a, b]) => self.div(a, b),
            (Node::Rem(..), &[a, b]) => self.rem(a, b),
            (Node::AtMostZero(_), &[t]) => self.at_most_zero(t),
            (Node::IsZero(_), &[t]) => self.is_zero(t),
            (Node::SameRef(..), &[a, b]) => self.same_ref(a, b),
            (Node::Not(_), &[t]) => self.not(t),
            (Node::And(_), _) => self.and(parts),
            (Node::Or(_), _) => self.or(parts),
            (Node::Forall(bound, _), &[body]) => self.forall(bound, body),
            (Node::Ite(..), &[cond, then, els]) => self.ite(cond, then, els),
            _ => term,
        }
    }
}

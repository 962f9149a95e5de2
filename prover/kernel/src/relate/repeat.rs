//! What two calls have in common of which one repeats the other (rule *Repeat*).

use super::{Correspondence, Relater};
use smt::term::{AllocClass, AllocSet, CallId, Func, Selector, Sort, Term};
use std::collections::BTreeSet;

impl Relater<'_> {
    /// What the ends of the two calls have in common, which were shown to start alike on this region.
    pub fn isomorphic_ends(
        &mut self,
        version: usize,
        (earlier, later): (CallId, CallId),
        swap: &Correspondence,
        region: &AllocSet,
    ) -> Vec<Term> {
        let mut effects = Vec::new();
        let endings = [earlier, later].map(|call| self.arena.terms.app(Func::Ending(call), &[], Sort::Int));
        effects.push(self.arena.terms.eq(endings[0], endings[1]));
        let callee = self.arena.record(later).callee;
        let code = self.unit.procedure(version, callee);
        let numbers = self.effects[version][callee.index()].numbers_of_results(code.results);
        for (at, id) in numbers.into_iter().zip(code.result_ids()) {
            let sort = Sort::from(&code.local(id).ty);
            let [a, b] = [earlier, later].map(|call| self.arena.terms.app(Func::Result(call, at), &[], sort));
            self.image(a, b, (earlier, later), swap, &mut effects);
        }
        for global in self.effects[version][callee.index()].written_globals.clone() {
            let sort = Sort::from(&self.unit.globals[global.index()].ty);
            let [a, b] =
                [earlier, later].map(|call| self.arena.terms.app(Func::GlobalAfter(call, global.0), &[], sort));
            self.image(a, b, (earlier, later), swap, &mut effects);
        }
        // What a call of the other version leaves elsewhere under this name is another thing.
        let mut writes: BTreeSet<Selector> = self.arena.heaps.footprint(earlier).writes.clone();
        writes.retain(|&selector| self.effects[version][callee.index()].returned.shares(selector));
        // What the objects at hand hold, and what these hold in turn.
        let at_hand = self.objects_of_interest((earlier, later), swap, region);
        let always = self.arena.terms.bool(true);
        let mut objects: Vec<(Term, (Term, Term))> = at_hand.into_iter().map(|both| (always, both)).collect();
        for depth in 0..2 {
            let mut held = Vec::new();
            for (before, (mine, theirs)) in objects {
                let come_here = self.come_to((earlier, later), (mine, theirs));
                let come_there = self.arena.terms.and(&[before, come_here]);
                for &selector in writes.iter().filter(|selector| matches!(selector, Selector::Field(_))) {
                    let sort = self.arena.heaps.sort(selector);
                    let a = self.arena.terms.app(Func::Effect(earlier, selector), &[mine], sort);
                    let b = self.arena.terms.app(Func::Effect(later, selector), &[theirs], sort);
                    let mut alike = Vec::new();
                    self.image(a, b, (earlier, later), swap, &mut alike);
                    effects.extend(alike.into_iter().map(|alike| self.arena.terms.implies(come_there, alike)));
                    if sort == Sort::Ref && depth == 0 {
                        held.push((come_there, (a, b)));
                    }
                }
            }
            objects = held;
        }
        effects
    }

    /// That either call comes to its object, or has made it. What stands for what a call leaves in another object is nothing of its own:
    /// once it is matched it is what the partner leaves there, which may come to more.
    fn come_to(&mut self, (earlier, later): (CallId, CallId), (mine, theirs): (Term, Term)) -> Term {
        let come = [(earlier, mine), (later, theirs)].map(|(call, object)| {
            let fresh = self.arena.terms.reach(call).fresh;
            let there = [self.arena.terms.in_region(call, object), self.arena.terms.born(object, fresh)];
            self.arena.terms.or(&there)
        });
        match faults::planted("kernel/relate/repeat-anywhere") {
            true => self.arena.terms.bool(true),
            false => self.arena.terms.and(&come),
        }
    }

    /// Objects of the first call's region with their images: allocations it reaches, and objects both were handed.
    fn objects_of_interest(
        &mut self,
        (earlier, later): (CallId, CallId),
        swap: &Correspondence,
        region: &AllocSet,
    ) -> Vec<(Term, Term)> {
        let mut objects = Vec::new();
        // What is known of a call may be that it reaches more; there the two were not compared.
        for alloc in self.arena.terms.reach(earlier).region.clone().iter().filter(|&alloc| region.contains(alloc)) {
            if let smt::term::Origin::New(_) = self.arena.terms.origin(alloc) {
                let image = swap.allocs.get(&alloc).copied().unwrap_or(alloc);
                let [mine, theirs] = [alloc, image].map(|alloc| self.arena.terms.representative(alloc));
                objects.push((mine, theirs));
            }
        }
        let args = [earlier, later].map(|call| self.arena.record(call).args.clone());
        for (&a, &b) in args[0].iter().zip(&args[1]) {
            if a == b && self.arena.terms.sort(a) == Sort::Ref {
                objects.push((a, b));
            }
        }
        objects
    }

    /// Says that `b` is what the renaming makes of `a`.
    fn image(
        &mut self,
        a: Term,
        b: Term,
        (earlier, later): (CallId, CallId),
        swap: &Correspondence,
        effects: &mut Vec<Term>,
    ) {
        if self.arena.terms.sort(a) != Sort::Ref {
            effects.push(self.arena.terms.eq(a, b));
            return;
        }
        let [fresh_a, fresh_b] = [earlier, later].map(|call| self.arena.terms.reach(call).fresh);
        let mut allocs: AllocSet = self.arena.terms.allocs(a).clone();
        allocs.extend(self.arena.terms.allocs(b));
        for alloc in allocs.iter() {
            if alloc == fresh_b {
                continue;
            }
            let image = if alloc == fresh_a { fresh_b } else { swap.allocs.get(&alloc).copied().unwrap_or(alloc) };
            let there = self.arena.terms.born(a, alloc);
            let here = self.arena.terms.born(b, image);
            effects.push(self.arena.terms.eq(there, here));
            // One object alone in its alloc is settled by that; of the others, those made before both calls are the same.
            if image == alloc && alloc != AllocClass::NULL {
                let same = self.arena.terms.eq(a, b);
                effects.push(self.arena.terms.implies(there, same));
            }
        }
    }
}

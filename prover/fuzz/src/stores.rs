//! What both versions of a pair are run on.
//!
//! In: a program. Out: [`Input`]s: all small ones, one after the other, by [`Small`]; large ones at random, by [`large`].
//!
//! Invariant: [`Small`] goes through all that runs can tell apart within its bounds, before it repeats anything. Each place
//! of the store is chosen when it is first read. It is null, an object known so far, or one more.

use lang_l::heap::{Input, Kind, Object, Store, may_refer, slot_type};
use lang_l::hir::{ClassId, GlobalId, Procedure, Type, Unit};
use lang_l::interp::{Behaviour, Environment};
use lang_l::random::Random;
use lang_l::value::{Addr, Location, Value};

/// Where the objects that runs allocate begin.
const FIRST_NEW: u64 = 1_000_000;
/// The integers of small stores.
const INTEGERS: [i64; 4] = [0, 1, 2, -1];

/// A series of choices that is gone through in order, like the digits of a number.
#[derive(Clone, Debug, Default)]
pub struct Odometer {
    digits: Vec<(usize, usize)>,
    at: usize,
}

impl Odometer {
    fn choose(&mut self, options: usize) -> usize {
        if self.at == self.digits.len() {
            self.digits.push((0, options));
        }
        self.at += 1;
        self.digits[self.at - 1].0
    }

    /// Goes on to the next series; false when there is none.
    pub fn advance(&mut self) -> bool {
        self.digits.truncate(self.at);
        self.at = 0;
        while let Some((chosen, options)) = self.digits.pop() {
            if chosen + 1 < options {
                self.digits.push((chosen + 1, options));
                return true;
            }
        }
        false
    }
}

/// Surroundings that choose the initial store as it is read.
pub struct Small<'o> {
    odometer: &'o mut Odometer,
    objects: usize,
    externals: Behaviour,
    next: u64,
}

impl<'o> Small<'o> {
    /// Stores of at most so many objects.
    pub fn new(odometer: &'o mut Odometer, objects: usize, externals: Behaviour) -> Self {
        Small { odometer, objects, externals, next: FIRST_NEW }
    }
}

impl Environment for Small<'_> {
    fn fresh(&mut self) -> Addr {
        self.next += 1;
        Addr(self.next)
    }

    fn behaviour(&mut self, _: &str) -> Behaviour {
        self.externals
    }

    fn unset(&mut self, unit: &Unit, _: Location, ty: &Type, input: &mut Input) -> Value {
        match ty {
            Type::Int => Value::from(INTEGERS[self.odometer.choose(INTEGERS.len())]),
            Type::Bool => Value::Bool(self.odometer.choose(2) == 1),
            _ => {
                let known: Vec<Addr> =
                    input.store.heap.iter().filter(|(_, o)| may_refer(unit, ty, &o.kind)).map(|(a, _)| *a).collect();
                let more = if input.store.heap.len() < self.objects { kinds(unit, ty) } else { Vec::new() };
                let chosen = self.odometer.choose(1 + known.len() + more.len());
                match chosen.checked_sub(1) {
                    None => Value::NULL,
                    Some(at) if at < known.len() => known[at].into(),
                    Some(at) => {
                        let addr = Addr(input.last_addr() + 1);
                        input.store.heap.insert(addr, Object::new(more[at - known.len()].clone()));
                        addr.into()
                    }
                }
            }
        }
    }
}

/// The sorts of objects a reference of this type may refer to.
fn kinds(unit: &Unit, ty: &Type) -> Vec<Kind> {
    let array = |element: &Type, length| Kind::Array { element: element.clone(), length };
    match ty {
        Type::Class(class) => vec![Kind::Fields(Some(*class))],
        Type::Array(element) => vec![array(element, 2), array(element, 0), array(element, 1)],
        _ if unit.classes.is_empty() => vec![Kind::Fields(None)],
        _ => (0..).map(ClassId).zip(&unit.classes).map(|(class, _)| Kind::Fields(Some(class))).collect(),
    }
}

/// A store with `objects` objects of all the sorts the program can have, all places set at random.
pub fn large(unit: &Unit, procedure: &Procedure, objects: usize, random: &mut Random) -> Input {
    let mut sorts: Vec<Kind> = kinds(unit, &Type::Ref);
    let array = procedure.locals[..procedure.params].iter().find(|local| matches!(local.ty, Type::Array(_)));
    sorts.extend(array.into_iter().flat_map(|local| kinds(unit, &local.ty)));
    let mut input = Input { arguments: vec![None; procedure.params], store: Store::default() };
    for addr in (1..).map(Addr).take(objects) {
        if let Some(kind) = random.pick(&sorts) {
            input.store.heap.insert(addr, Object::new(kind.clone()));
        }
    }
    fill(unit, procedure, &mut input, random);
    input
}

/// Sets at random all that an input leaves unset.
pub fn fill(unit: &Unit, procedure: &Procedure, input: &mut Input, random: &mut Random) {
    let mut places = Vec::new();
    input.arguments.resize(procedure.params, None);
    for (at, local) in procedure.locals[..procedure.params].iter().enumerate() {
        if input.arguments[at].is_none() {
            places.push((Location::Argument(at), local.ty.clone()));
        }
    }
    for (id, global) in (0..).map(GlobalId).zip(&unit.globals) {
        if !input.store.globals.contains_key(&id) {
            places.push((Location::Global(id), global.ty.clone()));
        }
    }
    for (addr, object) in &input.store.heap {
        for slot in object.all_slots(unit) {
            if !object.slots.contains_key(&slot) {
                places.push((Location::Slot(*addr, slot), slot_type(unit, &object.kind, slot).clone()));
            }
        }
    }
    for (location, ty) in places {
        let value = match &ty {
            Type::Int => Value::from(random.below(9) as i64 - 3),
            Type::Bool => Value::Bool(random.percent(50)),
            ty => {
                let able: Vec<Addr> =
                    input.store.heap.iter().filter(|(_, o)| may_refer(unit, ty, &o.kind)).map(|(a, _)| *a).collect();
                match random.pick(&able) {
                    Some(addr) if random.percent(85) => (*addr).into(),
                    _ => Value::NULL,
                }
            }
        };
        input.set(location, value);
    }
}

//! Stores written down as JSON while a pair is planted.
//!
//! In: objects, one after the other. Out: the heap of a store, as `ape run --store` reads it.

use serde_json::{Map, Value as Json, json};

/// A heap that grows.
pub(super) struct Builder {
    /// The class of the objects of the program, if it has classes.
    class: Option<&'static str>,
    heap: Map<String, Json>,
}

impl Builder {
    /// An empty heap of a program with these objects.
    pub(super) fn new(class: Option<&'static str>) -> Self {
        Builder { class, heap: Map::new() }
    }

    /// Adds an object; its name.
    pub(super) fn add(&mut self, object: Json) -> Json {
        let name = format!("#{}", self.heap.len() + 1);
        self.heap.insert(name.clone(), object);
        json!(name)
    }

    /// A node whose field `f` refers to this.
    pub(super) fn node(&mut self, next: &Json) -> Json {
        let fields = if next.is_null() { json!({}) } else { json!({ "f": next }) };
        self.add(json!({ "class": self.class, "fields": fields }))
    }

    /// So many nodes before `next`; the first.
    pub(super) fn list_to(&mut self, count: usize, next: &Json) -> Json {
        (0..count).fold(next.clone(), |next, _| self.node(&next))
    }

    /// So many nodes in a row, of which the last refers to the one at this position, if there is one.
    pub(super) fn list(&mut self, count: usize, back: Option<usize>) -> Vec<Json> {
        let first = self.heap.len() + 1;
        let names: Vec<Json> = (first..first + count).map(|at| json!(format!("#{at}"))).collect();
        for at in 0..count {
            let next = if at + 1 < count { Some(at + 1) } else { back };
            self.node(&next.map_or(Json::Null, |to| names[to].clone()));
        }
        names
    }

    /// The whole store.
    pub(super) fn finish(self, arguments: Map<String, Json>) -> Json {
        json!({ "arguments": arguments, "heap": self.heap })
    }
}

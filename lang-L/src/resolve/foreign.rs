//! Names that other languages have and L has not: what to write instead.
//!
//! In: a name that nothing declares. Out: a word on it, and the text that can stand for it where there is one.

use crate::source::diagnostic::Diagnostic;

/// What to say of a name.
pub(super) struct Advice {
    /// What to write.
    pub(super) help: String,
    /// The text that can stand for it for certain.
    pub(super) mend: Option<&'static str>,
}

impl Advice {
    /// Says so in a report.
    pub(super) fn on(self, report: Diagnostic) -> Diagnostic {
        let mut report = report.help(self.help);
        report.fix = None;
        match self.mend {
            Some(mend) => {
                let span = report.span;
                report.replace(span, mend)
            }
            None => report,
        }
    }
}

fn advice(help: impl Into<String>, mend: Option<&'static str>) -> Advice {
    Advice { help: help.into(), mend }
}

/// A variable that nothing declares.
pub(super) fn variable(name: &str) -> Option<Advice> {
    let written = |mend: &'static str| Some(advice(format!("it is written `{mend}`"), Some(mend)));
    match name {
        "this" | "self" | "Me" => {
            let help = format!(
                "a procedure takes the object as a parameter, as in `procedure push(list: List, n: int)`: `{name}` is then `list`"
            );
            Some(advice(help, None))
        }
        "super" => Some(advice("L has no inheritance: a procedure takes each object as a parameter", None)),
        "None" | "NULL" | "nil" | "nullptr" | "undefined" | "Null" => written("null"),
        "True" | "TRUE" => written("true"),
        "False" | "FALSE" => written("false"),
        "result" | "Result" | "ret" | "retval" => {
            Some(advice("a procedure names its results, as in `returns (r: int)`: use that name", None))
        }
        "_" => Some(advice("a result that is not needed goes to a local of any other name", None)),
        "and" | "or" | "not" => Some(advice("`and` is written `&&`, `or` is `||`, and `not` is `!`", None)),
        _ => None,
    }
}

/// A type that nothing declares.
pub(super) fn ty(name: &str) -> Option<Advice> {
    match name {
        "integer" | "Integer" | "long" | "Long" | "short" | "byte" | "Int" | "i32" | "i64" | "u32" | "u64"
        | "usize" | "size_t" | "number" | "nat" | "unsigned" => {
            Some(advice("every whole number is an `int`, whatever its size", Some("int")))
        }
        "boolean" | "Boolean" | "Bool" | "_Bool" => Some(advice("it is written `bool`", Some("bool"))),
        "Object" | "object" | "any" | "Any" => Some(advice("it is written `ref`", Some("ref"))),
        "string" | "String" | "str" => Some(advice("L has no strings: an `int[]` or a `ref` can stand for one", None)),
        "char" | "Character" => Some(advice("L has no characters: an `int` can stand for one", None)),
        "float" | "double" | "Float" | "Double" | "real" => {
            Some(advice("L has no fractions: an `int` is a whole number of any size", None))
        }
        "void" => Some(advice("a procedure without results has no `returns`", None)),
        "List" | "ArrayList" | "list" | "Vec" | "vector" | "array" | "Array" => Some(advice(
            "an array is written `int[]`, and made by `new int[n]`; a list is a class with a field `next`",
            None,
        )),
        "Map" | "HashMap" | "dict" | "Set" | "HashSet" | "set" | "seq" | "map" => {
            Some(advice("L has no such collections: write a class, or keep keys and values in arrays", None))
        }
        _ => None,
    }
}

/// A procedure that nothing declares.
pub(super) fn procedure(name: &str, is_class: bool) -> Option<Advice> {
    if is_class {
        return Some(advice(
            format!("an object is made by `x := new {name}();`, and its fields are assigned afterwards"),
            None,
        ));
    }
    let external = |say: &str| {
        Some(advice(format!("{say}: an external procedure can stand for it, as in `procedure {name}(n: int);`"), None))
    };
    match name {
        "print" | "println" | "printf" | "puts" | "log" | "echo" | "write" | "writeln" => external("L prints nothing"),
        "input" | "scanf" | "read" | "readln" | "getchar" => Some(advice(
            format!("L reads nothing: take a parameter, or declare `procedure {name}() returns (n: int);`"),
            None,
        )),
        "len" | "length" | "size" | "sizeof" | "count" => Some(advice("the length of an array is `a.length`", None)),
        "malloc" | "calloc" | "alloc" => {
            Some(advice("an object is made by `x := new Node();`, and an array by `a := new int[n];`", None))
        }
        "free" | "dispose" => Some(advice("what cannot be reached any more counts as gone: leave this out", None)),
        "exit" | "abort" | "panic" | "error" | "throw" => {
            Some(advice("`assert false;` ends the run in an error", None))
        }
        "not" => Some(advice("it is written `!`", Some("!"))),
        "abs" | "min" | "max" | "pow" | "sqrt" | "range" => {
            Some(advice(format!("L has no library: declare `procedure {name}(…) returns (r: int) {{ … }}`"), None))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{procedure, ty, variable};

    /// What is said of a name, and what is put in its place.
    #[test]
    fn names_of_other_languages_are_known() {
        let mend = |advice: Option<super::Advice>| advice.and_then(|advice| advice.mend);
        assert_eq!(mend(variable("None")), Some("null"));
        assert_eq!(mend(ty("boolean")), Some("bool"));
        assert_eq!(mend(procedure("not", false)), Some("!"));
        assert!(variable("this").is_some_and(|advice| advice.help.contains("parameter") && advice.mend.is_none()));
        assert!(procedure("Node", true).is_some_and(|advice| advice.help.contains("new Node()")));
        assert!(variable("x").is_none() && ty("Node").is_none() && procedure("f", false).is_none());
    }
}

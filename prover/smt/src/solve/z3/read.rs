//! Reads the text of an obligation into terms of Z3.
//!
//! In: SMT-LIB 2 as `obligation` writes it, a command on each line. Out: what it asserts, in that order; nothing where a line is not
//! of that form, for Z3's own reader to try.
//!
//! That reader sets itself up anew for each text, and keeps what was defined for as long as there is the context. Both take longer
//! than to decide most texts.
//!
//! Invariant: a text means here what it means by the standard. What is applied has the sorts that it is declared with, so no call
//! of Z3's fails but for want of memory; long texts are left to the other reader, which says so.

use rustc_hash::FxHashMap as HashMap;
use z3::ast::{Ast, Bool, Dynamic, Int};
use z3::{FuncDecl, Sort};

/// Texts longer than this are not read here; in bytes.
const MAX_TEXT: usize = 1 << 22;
/// Nor are terms that are nested deeper.
const MAX_DEPTH: usize = 64;

/// What a text asserts.
pub(super) fn assertions(text: &str) -> Option<Vec<Bool>> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.command(line)?;
    }
    Some(reader.asserted)
}

/// A term with its sort.
#[derive(Clone, Debug)]
enum Value {
    Int(Int),
    Bool(Bool),
    Ref(Dynamic),
}

impl Value {
    fn of(sort: &str, term: Dynamic) -> Option<Self> {
        match sort {
            "Int" => term.as_int().map(Value::Int),
            "Bool" => term.as_bool().map(Value::Bool),
            "Ref" => Some(Value::Ref(term)),
            _ => None,
        }
    }

    fn sort(&self) -> &'static str {
        match self {
            Value::Int(_) => "Int",
            Value::Bool(_) => "Bool",
            Value::Ref(_) => "Ref",
        }
    }

    fn ast(&self) -> &dyn Ast {
        match self {
            Value::Int(term) => term,
            Value::Bool(term) => term,
            Value::Ref(term) => term,
        }
    }

    fn int(&self) -> Option<Int> {
        if let Value::Int(term) = self { Some(term.clone()) } else { None }
    }

    fn bool(&self) -> Option<Bool> {
        if let Value::Bool(term) = self { Some(term.clone()) } else { None }
    }
}

fn sort(name: &str) -> Option<Sort> {
    match name {
        "Int" => Some(Sort::int()),
        "Bool" => Some(Sort::bool()),
        "Ref" => Some(Sort::uninterpreted("Ref".into())),
        _ => None,
    }
}

/// A function as it is declared.
struct Function<'a> {
    from: Vec<&'a str>,
    to: &'a str,
    declared: FuncDecl,
}

#[derive(Default)]
struct Reader<'a> {
    functions: HashMap<&'a str, Function<'a>>,
    /// What stands for each constant and each definition.
    values: HashMap<&'a str, Value>,
    asserted: Vec<Bool>,
}

impl<'a> Reader<'a> {
    fn command(&mut self, line: &'a str) -> Option<()> {
        if matches!(line, "" | "(set-logic ALL)" | "(declare-sort Ref 0)" | "(check-sat)") || line.starts_with(';') {
            return Some(());
        }
        let inner = line.strip_prefix('(')?.strip_suffix(')')?;
        let (command, rest) = inner.split_once(' ')?;
        match command {
            "declare-fun" => self.declare(rest),
            "define-fun" => {
                let (name, rest) = rest.split_once(" () ")?;
                let (sort, body) = rest.split_once(' ')?;
                let value = self.whole(body)?;
                (value.sort() == sort && self.is_new(name)).then(|| self.values.insert(name, value))?;
                Some(())
            }
            "assert" => {
                let asserted = self.whole(rest)?.bool()?;
                self.asserted.push(asserted);
                Some(())
            }
            _ => None,
        }
    }

    fn declare(&mut self, text: &'a str) -> Option<()> {
        let (name, rest) = text.split_once(" (")?;
        let (from, to) = rest.split_once(") ")?;
        let from: Vec<&str> = from.split_whitespace().collect();
        let sorts: Option<Vec<Sort>> = from.iter().map(|name| sort(name)).collect();
        let declared = FuncDecl::new(name, &sorts?.iter().collect::<Vec<_>>(), &sort(to)?);
        if !self.is_new(name) {
            return None;
        }
        if from.is_empty() {
            self.values.insert(name, Value::of(to, declared.apply(&[]))?);
        } else {
            self.functions.insert(name, Function { from, to, declared });
        }
        Some(())
    }

    fn is_new(&self, name: &str) -> bool {
        !self.values.contains_key(name) && !self.functions.contains_key(name)
    }

    /// The term that is all of a text.
    fn whole(&self, text: &'a str) -> Option<Value> {
        let mut rest = text;
        let value = self.term(&mut rest, 0)?;
        rest.is_empty().then_some(value)
    }

    /// The term that a text begins with, which is taken from it.
    fn term(&self, rest: &mut &'a str, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let Some(inner) = rest.strip_prefix('(') else { return self.atom(word(rest)) };
        *rest = inner;
        let name = word(rest);
        let mut args = Vec::new();
        while let Some(next) = rest.strip_prefix(' ') {
            *rest = next;
            args.push(self.term(rest, depth + 1)?);
        }
        *rest = rest.strip_prefix(')')?;
        self.apply(name, &args)
    }

    fn atom(&self, word: &str) -> Option<Value> {
        if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
            return word.parse().map(Value::Int).ok();
        }
        match word {
            "true" => Some(Value::Bool(Bool::from_bool(true))),
            "false" => Some(Value::Bool(Bool::from_bool(false))),
            _ => self.values.get(word).cloned(),
        }
    }

    fn apply(&self, name: &str, args: &[Value]) -> Option<Value> {
        if let Some(Function { from, to, declared }) = self.functions.get(name) {
            let fits = from.iter().copied().eq(args.iter().map(Value::sort));
            let args: Vec<&dyn Ast> = args.iter().map(Value::ast).collect();
            return if fits { Value::of(to, declared.apply(&args)) } else { None };
        }
        if args.is_empty() {
            return None;
        }
        let ints = || args.iter().map(Value::int).collect::<Option<Vec<Int>>>();
        let bools = || args.iter().map(Value::bool).collect::<Option<Vec<Bool>>>();
        match (name, args) {
            ("+", _) => Some(Value::Int(Int::add(&ints()?))),
            ("*", _) => Some(Value::Int(Int::mul(&ints()?))),
            ("-", [one]) => Some(Value::Int(one.int()?.unary_minus())),
            ("-", _) => Some(Value::Int(Int::sub(&ints()?))),
            ("div", [a, b]) => Some(Value::Int(a.int()?.div(b.int()?))),
            ("<=", [a, b]) => Some(Value::Bool(a.int()?.le(b.int()?))),
            (">=", [a, b]) => Some(Value::Bool(a.int()?.ge(b.int()?))),
            ("and", _) => Some(Value::Bool(Bool::and(&bools()?))),
            ("or", _) => Some(Value::Bool(Bool::or(&bools()?))),
            ("not", [one]) => Some(Value::Bool(one.bool()?.not())),
            ("=>", [a, b]) => Some(Value::Bool(a.bool()?.implies(b.bool()?))),
            ("=", [Value::Int(a), Value::Int(b)]) => Some(Value::Bool(a.eq(b.clone()))),
            ("=", [Value::Bool(a), Value::Bool(b)]) => Some(Value::Bool(a.eq(b.clone()))),
            ("=", [Value::Ref(a), Value::Ref(b)]) => Some(Value::Bool(a.eq(b.clone()))),
            ("ite", [test, Value::Int(a), Value::Int(b)]) => Some(Value::Int(test.bool()?.ite(a, b))),
            ("ite", [test, Value::Bool(a), Value::Bool(b)]) => Some(Value::Bool(test.bool()?.ite(a, b))),
            ("ite", [test, Value::Ref(a), Value::Ref(b)]) => Some(Value::Ref(test.bool()?.ite(a, b))),
            _ => None,
        }
    }
}

/// The word that a text begins with, which is taken from it.
fn word<'a>(rest: &mut &'a str) -> &'a str {
    let end = rest.find([' ', '(', ')']).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use lang_l::random::Random;
    use z3::Tactic;

    const TEXT: &str = "; what it is for\n(set-logic ALL)\n(declare-sort Ref 0)\n(declare-fun alloc (Ref) Int)\n\
        (declare-fun null () Ref)\n(declare-fun x () Int)\n(declare-fun p () Bool)\n(declare-fun f (Ref Int) Ref)\n\
        (define-fun t3 () Ref (f null x))\n(define-fun t4 () Int (+ (- 7) (* 2 x) (- x (* x x)) (div x 3)))\n\
        (define-fun t5 () Bool (and (<= t4 0) (>= x 123456789012345678901234567890) (not p)))\n\
        (assert (or false (=> p (= (alloc t3) 2))))\n(assert (= (ite p t3 null) (ite (= p t5) null t3)))\n\
        (assert (ite p t5 (= x (- t4))))\n(check-sat)\n";

    /// What a text asserts must be what Z3's own reader makes of it; how many assertions that is.
    fn is_read_alike(text: &str) -> usize {
        let reader = Tactic::new("skip").solver();
        reader.from_string(text);
        let theirs: Vec<String> = reader.get_assertions().iter().map(ToString::to_string).collect();
        let ours: Vec<String> = assertions(text).expect("it can be read").iter().map(ToString::to_string).collect();
        assert_eq!(ours, theirs, "{text}");
        ours.len()
    }

    #[test]
    fn a_text_is_read_as_z3_reads_it() {
        assert_eq!(is_read_alike(TEXT), 3);
    }

    /// A term of a sort, made up.
    fn term(random: &mut Random, sort: &str, depth: usize) -> String {
        let shapes: &[&str] = match (sort, depth) {
            ("Int", 0) => &["x", "0", "3", "9223372036854775807", "9223372036854775808", "t4"],
            ("Bool", 0) => &["p", "true", "false", "t5"],
            (_, 0) => &["null", "t3"],
            ("Int", _) => {
                &["(+ I I)", "(+ I I I)", "(- I)", "(- I I)", "(* I I)", "(div I I)", "(ite B I I)", "(alloc R)"]
            }
            ("Bool", _) => &[
                "(and B)",
                "(and B B B)",
                "(or B B)",
                "(not B)",
                "(=> B B)",
                "(<= I I)",
                "(>= I I)",
                "(= I I)",
                "(= B B)",
                "(= R R)",
                "(ite B B B)",
            ],
            _ => &["(f R I)", "(ite B R R)"],
        };
        let shape = random.pick(shapes).copied().unwrap_or_default();
        let part = |letter: char| {
            let sort = match letter {
                'I' => "Int",
                'B' => "Bool",
                'R' => "Ref",
                _ => return letter.to_string(),
            };
            let less = random.below(depth);
            term(random, sort, less)
        };
        shape.chars().map(part).collect()
    }

    #[test]
    fn made_up_texts_are_read_as_z3_reads_them() {
        for seed in 0..500 {
            let random = &mut Random::new(seed);
            let lines: Vec<String> = (0..4).map(|_| format!("(assert {})", term(random, "Bool", 5))).collect();
            assert_eq!(is_read_alike(&TEXT.replace("(check-sat)", &lines.join("\n"))), 7);
        }
    }

    #[test]
    fn what_is_not_of_the_form_is_left_to_z3() {
        let with = |line: &str| assertions(&TEXT.replace("(check-sat)", line));
        assert!(with("(assert p)").is_some());
        for line in [
            "(assert x)",
            "(assert q)",
            "(assert (and))",
            "(assert (= x p))",
            "(assert (alloc x))",
            "(assert (= (alloc x) 2))",
            "(assert (= (f null) null))",
            "(assert (ite p x null))",
            "(assert (xor p p))",
            "(assert (<= x x x))",
            "(assert p) (assert p)",
            "(assert (p))",
            "(assert (not p)",
            "(assert (forall ((y Int)) (= y y)))",
            "(define-fun t3 () Bool p)",
            "(define-fun t9 () Int p)",
            "(declare-fun x () Bool)",
            "(declare-fun y () Real)",
            "(push 1)",
        ] {
            assert!(with(line).is_none(), "{line}");
        }
        let deep = format!("(assert {}p{})", "(not ".repeat(MAX_DEPTH + 1), ")".repeat(MAX_DEPTH + 1));
        assert!(with(&deep).is_none());
    }
}

/// <reference types="tree-sitter-cli/dsl" />
// The grammar of L, rule by rule as in lang-L/LANGUAGE.md. A test holds it against the parser of `ape`.

// How closely operators bind.
const BINDS = { cond: 1, implies: 2, or: 3, and: 4, equal: 5, compare: 6, sum: 7, product: 8, unary: 9, step: 10 };

const KEYWORDS = [
  "version", "VERSION", "class", "global", "procedure", "equiv", "when", "returns", "requires", "ensures", "modifies",
  "int", "bool", "ref", "var", "if", "else", "while", "invariant", "return", "break", "continue", "assert", "assume",
  "skip", "new", "call", "true", "false", "null", "forall", "exists",
];

const some = (rule) => seq(rule, repeat(seq(",", rule)));
const any = (rule) => optional(some(rule));

module.exports = grammar({
  name: "l",
  word: ($) => $.identifier,
  extras: ($) => [/[ \t\r\n\f]/, $.comment],
  // A word with a meaning of its own is no name anywhere.
  reserved: { global: (_) => KEYWORDS },
  supertypes: ($) => [$._item, $._statement, $._expression, $._type],

  rules: {
    source_file: ($) => seq(repeat($._item), repeat($.version)),

    version: ($) => seq(
      choice("version", "VERSION"),
      optional(field("label", choice($.integer, $.identifier, $.string))),
      repeat($._item),
    ),

    _item: ($) => choice($.class, $.global, $.procedure, $.equiv),

    class: ($) => seq("class", field("name", $.identifier), "{", repeat($.field_declaration), "}"),
    field_declaration: ($) => seq(field("name", $.identifier), ":", field("type", $._type), ";"),
    global: ($) => seq("global", field("name", $.identifier), ":", field("type", $._type), ";"),

    equiv: ($) => seq(
      "equiv", field("left", $.identifier), "~", field("right", $.identifier),
      optional(seq("when", field("when", $._expression))), ";",
    ),

    // The `;` of the last clause may also be the one that says that there is no body.
    procedure: ($) => prec.right(seq(
      "procedure", field("name", $.identifier), field("parameters", $.parameters),
      optional(seq("returns", field("results", $.parameters))),
      choice(
        seq(repeat1($._clause), optional(choice(field("body", $.block), ";"))),
        field("body", $.block),
        ";",
      ),
    )),
    parameters: ($) => seq("(", any($.parameter), ")"),
    parameter: ($) => seq(field("name", $.identifier), optional(seq(":", field("type", $._type)))),

    _clause: ($) => choice($.requires, $.ensures, $.modifies),
    requires: ($) => seq("requires", $._expression, ";"),
    ensures: ($) => seq("ensures", $._expression, ";"),
    modifies: ($) => seq("modifies", choice($._place, seq("{", any($._place), "}")), ";"),

    _type: ($) => choice($.primitive_type, $.class_type, $.array_type),
    primitive_type: ($) => choice("int", "bool", "ref"),
    class_type: ($) => $.identifier,
    array_type: ($) => seq(field("element", $._type), "[", "]"),

    block: ($) => seq("{", repeat($._statement), "}"),

    _statement: ($) => choice(
      $.var_statement, $.assignment, $.call_assignment, $.call_statement, $.if_statement, $.while_statement,
      $.return_statement, $.break_statement, $.continue_statement, $.assert_statement, $.assume_statement,
      $.skip_statement,
    ),

    var_statement: ($) => seq(
      "var", field("name", $.identifier),
      optional(seq(":", field("type", $._type))), optional(seq(":=", field("value", $._value))), ";",
    ),
    assignment: ($) => seq(field("place", $._place), ":=", field("value", $._value), ";"),
    call_assignment: ($) => seq(
      field("target", $.identifier), repeat1(seq(",", field("target", $.identifier))),
      ":=", field("value", choice($.call, $._call_in_parentheses)), ";",
    ),
    call_statement: ($) => seq(choice($.call, $._call_in_parentheses), ";"),
    _call_in_parentheses: ($) => seq("(", choice($.call, $._call_in_parentheses), ")"),

    if_statement: ($) => seq(
      "if", "(", field("condition", $._expression), ")", field("then", $.block),
      optional(seq("else", field("else", choice($.block, $.if_statement)))),
    ),
    while_statement: ($) => seq(
      "while", "(", field("condition", $._expression), ")", repeat($.invariant), field("body", $.block),
    ),
    invariant: ($) => seq("invariant", $._expression, ";"),
    return_statement: ($) => seq("return", any($._expression), ";"),
    break_statement: ($) => seq("break", ";"),
    continue_statement: ($) => seq("continue", ";"),
    assert_statement: ($) => seq("assert", $._expression, ";"),
    assume_statement: ($) => seq("assume", $._expression, ";"),
    skip_statement: ($) => seq("skip", ";"),

    _value: ($) => choice($._expression, $.new, $.new_array),
    new: ($) => seq("new", optional(field("class", $.class_type)), optional(seq("(", ")"))),
    new_array: ($) => seq("new", field("element", $._type), "[", field("length", $._expression), "]"),

    _expression: ($) => choice(
      $.identifier, $.field_access, $.index, $.integer, $.boolean, $.null, $.call, $.parenthesized, $.unary, $.binary,
      $.conditional, $.quantifier,
    ),

    // What can be assigned: a name with fields and indices.
    _place: ($) => choice(
      $.identifier,
      alias($.place_field, $.field_access),
      alias($.place_index, $.index),
      $._place_in_parentheses,
    ),
    _place_in_parentheses: ($) => seq("(", $._place, ")"),
    place_field: ($) => prec(BINDS.step, seq(field("object", $._place), ".", field("field", $.identifier))),
    place_index: ($) => prec(BINDS.step, seq(field("array", $._place), "[", field("index", $._expression), "]")),

    field_access: ($) => prec(BINDS.step, seq(field("object", $._expression), ".", field("field", $.identifier))),
    index: ($) => prec(BINDS.step, seq(field("array", $._expression), "[", field("index", $._expression), "]")),

    call: ($) => prec(BINDS.step, seq(
      optional("call"), field("procedure", $.identifier), "(", any($._expression), ")",
    )),
    parenthesized: ($) => seq("(", $._expression, ")"),

    unary: ($) => prec(BINDS.unary, seq(field("operator", choice("-", "!")), field("operand", $._expression))),
    binary: ($) => {
      const left = (binds, ...operators) => prec.left(binds, operation($, operators));
      return choice(
        left(BINDS.product, "*", "/", "%"),
        left(BINDS.sum, "+", "-"),
        left(BINDS.compare, "<", "<=", ">", ">="),
        left(BINDS.equal, "==", "!="),
        left(BINDS.and, "&&"),
        left(BINDS.or, "||"),
        prec.right(BINDS.implies, operation($, ["==>"])),
      );
    },
    conditional: ($) => prec.right(BINDS.cond, seq(
      field("condition", $._expression), "?", field("then", $._expression), ":", field("else", $._expression),
    )),
    quantifier: ($) => prec.right(seq(
      field("kind", choice("forall", "exists")),
      field("name", $.identifier), ":", field("type", $._type), "::", field("body", $._expression),
    )),

    boolean: ($) => choice("true", "false"),
    null: ($) => "null",
    identifier: ($) => /[A-Za-z_][A-Za-z0-9_']*/,
    integer: ($) => /[0-9]+/,
    string: ($) => /"([^"\\\n]|\\[^\n])*"/,
    comment: ($) => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
  },
});

function operation($, operators) {
  return seq(
    field("left", $._expression),
    field("operator", operators.length === 1 ? operators[0] : choice(...operators)),
    field("right", $._expression),
  );
}

; Colours for L. Names are those that Neovim, Helix and the tree-sitter command know.

(identifier) @variable
(parameter name: (identifier) @variable.parameter)
(field_access field: (identifier) @property)
(field_declaration name: (identifier) @property)
(call procedure: (identifier) @function.call)
((call procedure: (identifier) @function.builtin)
  (#any-of? @function.builtin "old" "fresh" "reach"))
(procedure name: (identifier) @function)
(equiv left: (identifier) @function)
(equiv right: (identifier) @function)

(class name: (identifier) @type)
(class_type (identifier) @type)
(primitive_type) @type.builtin
(version label: (_) @label)

[ "class" "global" "procedure" "var" "version" "VERSION" "equiv" "when" "returns" ] @keyword
[ "requires" "ensures" "modifies" "invariant" "assert" "assume" "forall" "exists" ] @keyword
[ "if" "else" ] @keyword.conditional
"while" @keyword.repeat
[ "break" "continue" "skip" "call" ] @keyword
"return" @keyword.return
"new" @keyword.operator

(boolean) @boolean
(null) @constant.builtin
(integer) @number
(string) @string
(comment) @comment

[ ":=" "==>" "||" "&&" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "!" "?" "~" "::" ] @operator
[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
[ "," ";" ":" "." ] @punctuation.delimiter

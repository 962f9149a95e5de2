" Colours for L. Every keyword of the lexer is here; a test holds the two together.
if exists("b:current_syntax")
  finish
endif

syntax keyword lDeclaration class global procedure var
syntax keyword lHeading version VERSION equiv when returns
syntax keyword lContract requires ensures modifies invariant assert assume forall exists
syntax keyword lControl if else while return break continue skip call
syntax keyword lNew new
syntax keyword lType int bool ref
syntax keyword lConstant true false null
syntax match lSpecial /\<\(old\|fresh\|reach\)\ze\s*(/
syntax match lNumber /\<[0-9]\+\>/
syntax region lText start=/"/ skip=/\\./ end=/"/ oneline
syntax match lComment "//.*$"
syntax region lComment start="/\*" end="\*/"

highlight default link lDeclaration Keyword
highlight default link lHeading PreProc
highlight default link lContract Special
highlight default link lControl Statement
highlight default link lNew Operator
highlight default link lType Type
highlight default link lConstant Constant
highlight default link lSpecial Function
highlight default link lNumber Number
highlight default link lText String
highlight default link lComment Comment

let b:current_syntax = "l"

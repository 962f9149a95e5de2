; What the proofs use of each procedure alone
; Part of certificate 822cc9168f24cb52411df227abc044838544573529af858b6d0fc0f6bd4b751e
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


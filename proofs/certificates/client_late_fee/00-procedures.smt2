; What the proofs use of each procedure alone
; Part of certificate cdc48ecc3f302da3c3ea7ca7f10d65cf707baf0403478b98d7d95a4ec11305a8
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


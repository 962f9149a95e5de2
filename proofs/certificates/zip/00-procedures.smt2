; What the proofs use of each procedure alone
; Part of certificate 33cae81383ff885643a4591788e027e7a77f402f77a49c3cd5e0076c597740f7
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


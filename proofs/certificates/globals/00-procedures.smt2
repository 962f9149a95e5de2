; What the proofs use of each procedure alone
; Part of certificate 7f5ebb15057fca884f0a8a1746219c35df956ab153cfb21421277d2c1dcb9886
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


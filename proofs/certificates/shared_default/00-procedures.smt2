; What the proofs use of each procedure alone
; Part of certificate e466f844a0cf888247b3061b521562b08724a8325cc8c05b4591e6e6996e165d
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


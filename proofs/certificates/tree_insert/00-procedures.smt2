; What the proofs use of each procedure alone
; Part of certificate aec8f1c954c12595e45c6d57ceae9d75f1233a2d535489ba509f8497c39efdfc
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


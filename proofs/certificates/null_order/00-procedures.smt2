; What the proofs use of each procedure alone
; Part of certificate cb3cf9138a5f2b82b6e698a13b7c05dd70bf0f340a06d5a14fe95bd9081df121
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


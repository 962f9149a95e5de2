; What the proofs use of each procedure alone
; Part of certificate 27a11d4f0cdac99b6cd679f1d740302608b579077912a465556bdeb404e0f230
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


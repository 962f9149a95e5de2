; What the proofs use of each procedure alone
; Part of certificate e308f3fbc06673ba13bc4f7b1a6eafae1ccd1a2867628da3b7081385e8ed1c91
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


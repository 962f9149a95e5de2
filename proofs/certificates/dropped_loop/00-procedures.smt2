; What the proofs use of each procedure alone
; Part of certificate 73b4a732d3690679a2c11931aa21b6f6dbdb46e7ee1700ef6a84ed7690c49dd9
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


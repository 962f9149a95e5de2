; What the proofs use of each procedure alone
; Part of certificate f02ea89fc7fae4383ac04f88e60013ea418f5a52c7c738d56003999d925708fb
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 09129fed81383f6ef45bdd3db2416100633741efacbf06d25c67aa0f7772d70a
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


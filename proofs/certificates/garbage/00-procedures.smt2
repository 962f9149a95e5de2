; What the proofs use of each procedure alone
; Part of certificate cb634db28a4ed943b24a5eae1272496a02cffb5f3df8b60480f5cfe611547698
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


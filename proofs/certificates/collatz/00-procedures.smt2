; What the proofs use of each procedure alone
; Part of certificate 8b2f95f21ac013c3bc9a6e956da9396f52d355e553b808ea82fe34605811956e
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 0f4b7fd73cfddbfba951f55ae73c6a20b1d9106470349ed5a820ef7f85b0c515
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


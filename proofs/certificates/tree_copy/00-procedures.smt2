; What the proofs use of each procedure alone
; Part of certificate d4ea8ccd7a49ca40c2e70bed361322dddb378ff761ec7dfb84000d0de12c1a73
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


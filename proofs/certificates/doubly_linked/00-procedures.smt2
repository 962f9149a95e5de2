; What the proofs use of each procedure alone
; Part of certificate dd36f46bb991b4b18e550da553c0685e8810ac3663ce0e5f6d026095a7bf351d
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


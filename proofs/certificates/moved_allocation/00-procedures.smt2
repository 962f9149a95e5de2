; What the proofs use of each procedure alone
; Part of certificate d0067c7bc717bea7d61114753e673aa71343bfc4eb0488e748302029926a7ba9
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


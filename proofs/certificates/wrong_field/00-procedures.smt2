; What the proofs use of each procedure alone
; Part of certificate e76e886a6b5fd9273ffd1a22f282035f217a55b329ca7330a8dce09a66ea8664
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 2c8f4c8664412618a1c41a1b817e162611139fbad3da74483207e06276bfaecb
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


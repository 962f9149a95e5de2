; What the proofs use of each procedure alone
; Part of certificate ffc89dc852e3951a3b572d5085a8839604c2db54326e332d10bb4f30e71f05b5
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 44f0d1ec002372a2b74a4884dbd61c48839ea48f973408590b7481026266f9d1
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 9df9e4c28c6f86c257cd7f806aee2927eff604d0fd438b5b4521a9ee936ae0cb
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 73f2c68d9fda9a6694e29f9256acab4b50c1ef421ebf33f56eb0cc2585085d55
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate a96dca55c14ff085ffcb39ab517d18fa6f34d6e9e6f401851696652b857955f8
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


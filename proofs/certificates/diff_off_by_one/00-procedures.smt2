; What the proofs use of each procedure alone
; Part of certificate 04736b6013b1a9c4b3b55e4f8b0948b2fed8c5e8eea177de3750b8930a31805c
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 741f2d07d827cdd9721c1f81b5122ac62128adc442b0f27a09adf2e0edac154b
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


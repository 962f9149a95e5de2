; What the proofs use of each procedure alone
; Part of certificate 70f8f5d81060673c20ecc2bfef8fb3f2258d46514b93f7c01e0fc63aabc9416e
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


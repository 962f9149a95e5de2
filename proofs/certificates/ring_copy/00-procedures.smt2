; What the proofs use of each procedure alone
; Part of certificate 7e08e06502e3bcc29c20a847491624e11630c0a784b5cf9d75bca0569cf51439
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 5062bf5dd3a1f31549ca29ceb08725ef5caa27a54a00b0416f8481a5b6d223cd
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate f529231a336d6e721509a5a097afb55d11a9701b0e96127d23ad8e5c0580b50a
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


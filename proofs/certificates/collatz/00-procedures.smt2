; What the proofs use of each procedure alone
; Part of certificate 2a3010ad2866238910d4a0eb24b73a8914677f6be19c4833a177cc469d07a522
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


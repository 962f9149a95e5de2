; What the proofs use of each procedure alone
; Part of certificate 94796710afb36224c2c9e155143b6fbbd8066957c90bd860ae9a273376b7ef74
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


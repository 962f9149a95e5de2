; What the proofs use of each procedure alone
; Part of certificate 5fd8a41f35c93350c64b70dfe40edece5c46b96b1d75884859e9ebea745b1ac0
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


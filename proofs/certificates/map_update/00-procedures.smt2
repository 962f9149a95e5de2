; What the proofs use of each procedure alone
; Part of certificate 05810007a94142509fbd98fc41a2029e8dd709fd0b89b611ee3ed597f91728b2
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate d19b69896e8b1f54623aab53b00390b3a8c185259efe90ac5dd9f8b5821947ef
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


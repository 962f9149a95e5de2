; What the proofs use of each procedure alone
; Part of certificate e3463fb014757c13e78a82b7a62f09b5f78ad58aed8cfcc04691ecee050607bc
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


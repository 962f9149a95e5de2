; What the proofs use of each procedure alone
; Part of certificate 8c41a6aa377da66feeab707e9017e51982f4d305ac4c5c49322806965cac26c3
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


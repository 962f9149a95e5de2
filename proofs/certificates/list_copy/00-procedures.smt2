; What the proofs use of each procedure alone
; Part of certificate c4cb102528e96209781f5f1b13aa400e8086a799529db0a8ca282da194e398c7
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


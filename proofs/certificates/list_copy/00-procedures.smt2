; What the proofs use of each procedure alone
; Part of certificate 083a35c0b2c61741d3b82f99bebf13514b69b08bfced622a6776233aeb3fc1c1
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


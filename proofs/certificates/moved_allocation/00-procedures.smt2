; What the proofs use of each procedure alone
; Part of certificate d737fd83a62cb924f606f3b65ce63e37a14d89a233d5634ea4eb9c80736e7e4a
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


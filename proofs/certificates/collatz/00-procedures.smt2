; What the proofs use of each procedure alone
; Part of certificate 78886f4ed5376d447f8a92e824a51549e4983689f974b16b7e4eecfac0e67676
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


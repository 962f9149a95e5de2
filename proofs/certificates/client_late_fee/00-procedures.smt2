; What the proofs use of each procedure alone
; Part of certificate a44868772b78bda51ae236598ee20a1886eeab39080eb24ec4c936e27313abd1
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 25799240685d54897c35f292200925159bcfe218f01e4ead1852c264517b16bd
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


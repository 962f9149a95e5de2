; What the proofs use of each procedure alone
; Part of certificate 879734f37cf55b22bd8cc13baf658fc4cb42cd3198f4954ecaadf78895b88b7b
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


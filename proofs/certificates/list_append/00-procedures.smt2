; What the proofs use of each procedure alone
; Part of certificate 93209272938fe2f58275e4e7e3bdd04e426f061e271f01507790650afd39e933
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 0dc050aec8ab0dacf4c67ac91fdd553fefe5010bdbc8183efd96fd0dff97ad45
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


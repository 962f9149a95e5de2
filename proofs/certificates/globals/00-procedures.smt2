; What the proofs use of each procedure alone
; Part of certificate 1989aa528e1fcce7a562db37889f6330f7056bf57fd6d776735e15d0cad2f7a0
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


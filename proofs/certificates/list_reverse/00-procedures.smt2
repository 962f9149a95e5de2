; What the proofs use of each procedure alone
; Part of certificate e3b6e19bcd64bf4669b52a1db8d2ede31e6b52905ea46c0164673690e2f17e08
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


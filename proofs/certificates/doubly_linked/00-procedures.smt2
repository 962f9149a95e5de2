; What the proofs use of each procedure alone
; Part of certificate b1445a84e64a43177258ca34efaa602fa34c68efb1ca04a0000c252417e63778
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


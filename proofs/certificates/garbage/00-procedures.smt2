; What the proofs use of each procedure alone
; Part of certificate 84f240764b4dada5da2217401ac46c140bde25b7010fe62378e8bd9f78583ef7
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)


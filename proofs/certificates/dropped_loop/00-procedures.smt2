; What the proofs use of each procedure alone
; Part of certificate 2aebcd07c3ca0af09c9ba8641db1efbe8695e9b33871b78a91da57f2ceadf1ee
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate 25b2d2b06085fed11f7d0a7d009d56ed154bcb075c63897004095da25c20c589
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)


; What the proofs use of each procedure alone
; Part of certificate c1f19f457543cbe9e43632624aae7bb315bee6b7ef89e4d55959227e0fecad9e
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)

; 1. a measure shrinks at a recursive call
(push 1)
(declare-fun ending0 () Int)
(declare-fun param0 () Int)
(define-fun t1 () Int (+ 1 (* (- 1) param0)))
(define-fun t2 () Bool (<= t1 0))
(define-fun t4 () Int (+ (- 2) (* 1 ending0)))
(define-fun t5 () Bool (= t4 0))
(define-fun t6 () Bool (<= param0 0))
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t5)
(assert t6)
(check-sat)
(pop 1)


; What the proofs use of each procedure alone
; Part of certificate 4c515f603ec44b4b2c1f006e43dbf79689baea8238b7360fdaed62561effa0da
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)

; 1. a measure shrinks at a recursive call
(push 1)
(declare-fun ending0 () Int)
(declare-fun param0 () Int)
(define-fun t1 () Int (+ 1 (* (- 1) param0)))
(define-fun t2 () Bool (<= t1 0))
(define-fun t4 () Int (+ (- 2) (* 1 ending0)))
(define-fun t5 () Bool (= t4 0))
(define-fun t6 () Bool (<= param0 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t5)
(assert t6)
(check-sat)
(pop 1)

; 2. ensures of sumTo
(push 1)
(declare-fun param0 () Int)
(define-fun t1 () Bool (<= param0 0))
(define-fun t2 () Int (+ 1 (* 1 param0)))
(define-fun t3 () Bool (<= t2 0))
(define-fun t4 () Int (* param0 param0))
(define-fun t5 () Int (+ 0 (* 1 param0) (* 1 t4)))
(define-fun t6 () Bool (= t5 0))
(define-fun t7 () Bool (or t3 t6))
(define-fun t8 () Bool (not t7))
; what is assumed, and last that the goal does not hold
(assert t1)
(assert t8)
(check-sat)
(pop 1)


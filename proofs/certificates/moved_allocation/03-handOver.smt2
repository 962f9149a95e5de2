; The proof of handOver
; Part of certificate 26a90e1f5d18acb4871891773a9d1ad7f8a3b95b1270124f94d34a73eb174b8f
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)

; 1. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(define-fun t1 () Int (+ (- 1) (* 1 ending0)))
(define-fun t2 () Bool (= t1 0))
(define-fun t3 () Bool (= ending0 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t3)
(assert true)
(check-sat)
(pop 1)

; 2. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(define-fun t1 () Int (+ (- 2) (* 1 ending0)))
(define-fun t2 () Bool (= t1 0))
(define-fun t3 () Int (+ (- 1) (* 1 ending0)))
(define-fun t4 () Bool (= t3 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t4)
(assert true)
(check-sat)
(pop 1)

; 3. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(define-fun t1 () Int (+ (- 2) (* 1 ending0)))
(define-fun t2 () Bool (= t1 0))
(define-fun t3 () Bool (= ending0 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t3)
(assert true)
(check-sat)
(pop 1)


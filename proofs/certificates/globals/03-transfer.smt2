; The proof of transfer
; Part of certificate 2815f201a7088d723dd3f1ad92a5ebbfc6a7ba0a322cc6f1c2dc0f0f45b7b3c8
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)

; 1. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun global0 () Bool)
(define-fun t1 () Bool (not global0))
(define-fun t3 () Int (+ (- 1) (* 1 ending0)))
(define-fun t4 () Bool (= t3 0))
(define-fun t5 () Bool (= ending0 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t1)
(assert t4)
(assert t5)
(assert true)
(check-sat)
(pop 1)

; 2. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun global0 () Bool)
(define-fun t1 () Bool (not global0))
(define-fun t3 () Int (+ (- 2) (* 1 ending0)))
(define-fun t4 () Bool (= t3 0))
(define-fun t5 () Int (+ (- 1) (* 1 ending0)))
(define-fun t6 () Bool (= t5 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t1)
(assert t4)
(assert t6)
(assert true)
(check-sat)
(pop 1)

; 3. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun global0 () Bool)
(define-fun t1 () Bool (not global0))
(define-fun t3 () Int (+ (- 2) (* 1 ending0)))
(define-fun t4 () Bool (= t3 0))
(define-fun t5 () Bool (= ending0 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t1)
(assert t4)
(assert t5)
(assert true)
(check-sat)
(pop 1)


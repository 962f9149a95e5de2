; The proof of weigh
; Part of certificate 59fe61922a65fa2eae479e996a4ba8ff69edd452d2c9ab53bfc8e46fc857c75e
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)

; 1. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun ending9 () Int)
(define-fun t1 () Int (+ (- 2) (* 1 ending0)))
(define-fun t2 () Bool (= t1 0))
(define-fun t3 () Bool (= ending0 0))
(define-fun t5 () Bool (= ending9 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
(assert (and (<= 0 ending9) (<= ending9 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t3)
(assert t5)
(assert true)
(check-sat)
(pop 1)

; 2. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun ending1 () Int)
(define-fun t1 () Bool (= ending0 0))
(define-fun t3 () Int (+ (- 2) (* 1 ending1)))
(define-fun t4 () Bool (= t3 0))
(define-fun t5 () Bool (= ending1 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
(assert (and (<= 0 ending1) (<= ending1 2)))
; what is assumed, and last that the goal does not hold
(assert t1)
(assert t4)
(assert t5)
(assert true)
(check-sat)
(pop 1)

; 3. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun ending1 () Int)
(define-fun t1 () Int (+ (- 2) (* 1 ending0)))
(define-fun t2 () Bool (= t1 0))
(define-fun t3 () Bool (= ending0 0))
(define-fun t5 () Bool (= ending1 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
(assert (and (<= 0 ending1) (<= ending1 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t3)
(assert t5)
(assert true)
(check-sat)
(pop 1)


; The proof of lookup
; Part of certificate 906e5d11b8bbae3f2129c1af7d86910822c659aa4eb793df2e43c00e21b50d95
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)

; 1. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun initial_f1 (Ref) Int)
(declare-fun null () Ref)
(declare-fun param0 () Ref)
(declare-fun param1 () Int)
(define-fun t2 () Bool (= param0 null))
(define-fun t3 () Bool (not t2))
(define-fun t5 () Int (initial_f1 param0))
(define-fun t6 () Int (+ 0 (* 1 param1) (* (- 1) t5)))
(define-fun t7 () Bool (= t6 0))
(define-fun t8 () Bool (not t7))
(define-fun t10 () Int (+ (- 2) (* 1 ending0)))
(define-fun t11 () Bool (= t10 0))
(define-fun t12 () Bool (= ending0 0))
(define-fun t13 () Bool (and t3 t8))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (or (= (birth param0) 0) (= (birth param0) 1)))
(assert (=> (= (birth param0) 0) (= param0 null)))
(assert (= (birth null) 0))
(assert (or (= (birth param0) 1) (= t5 0)))
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t3)
(assert t8)
(assert t11)
(assert t12)
(assert t13)
(assert true)
(check-sat)
(pop 1)


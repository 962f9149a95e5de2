; The proof of reverse@loop1
; Part of certificate c4c1825e7c0376a85fbc7b178f395634c6ea3436aeccfa4285511dadb7a2caf4
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)

; 1. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun null () Ref)
(declare-fun param1 () Ref)
(define-fun t2 () Bool (= param1 null))
(define-fun t3 () Bool (not t2))
(define-fun t5 () Int (+ (- 2) (* 1 ending0)))
(define-fun t6 () Bool (= t5 0))
(define-fun t7 () Bool (= ending0 0))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (or (= (birth param1) 0) (= (birth param1) 1)))
(assert (=> (= (birth param1) 0) (= param1 null)))
(assert (= (birth null) 0))
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t3)
(assert t6)
(assert t7)
(assert true)
(check-sat)
(pop 1)


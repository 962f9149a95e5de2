; The proof of zip
; Part of certificate fd2b14e946d71705cd86dc7edf29114cdb38b52d35c18ecabab54d33fde18dea
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)

; 1. the two paths exclude each other
(push 1)
(declare-fun ending0 () Int)
(declare-fun null () Ref)
(declare-fun param0 () Ref)
(declare-fun param1 () Ref)
(define-fun t2 () Bool (= param0 null))
(define-fun t3 () Bool (not t2))
(define-fun t5 () Bool (= param1 null))
(define-fun t6 () Bool (not t5))
(define-fun t8 () Int (+ (- 2) (* 1 ending0)))
(define-fun t9 () Bool (= t8 0))
(define-fun t10 () Bool (= ending0 0))
(define-fun t11 () Bool (and t3 t6))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (or (= (birth param0) 0) (= (birth param0) 1)))
(assert (=> (= (birth param0) 0) (= param0 null)))
(assert (= (birth null) 0))
(assert (or (= (birth param1) 0) (= (birth param1) 1)))
(assert (=> (= (birth param1) 0) (= param1 null)))
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t3)
(assert t6)
(assert t9)
(assert t10)
(assert t11)
(assert true)
(check-sat)
(pop 1)


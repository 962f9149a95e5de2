; The proof of withdraw
; Part of certificate 687f163df3f8de18cc7b9f8a0055746241307a8dd63f327438eecf5bcca12b49
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)

; 1. the final stores are equal where they can be reached
(push 1)
(declare-fun any0 () Ref)
(declare-fun initial_f0 (Ref) Int)
(declare-fun null () Ref)
(declare-fun param0 () Ref)
(declare-fun param1 () Int)
(define-fun t2 () Bool (= param0 null))
(define-fun t3 () Bool (not t2))
(define-fun t5 () Int (+ 0 (* (- 1) param1)))
(define-fun t6 () Bool (<= t5 0))
(define-fun t7 () Bool (and t3 t6))
(define-fun t8 () Int (initial_f0 param0))
(define-fun t9 () Int (+ 1 (* (- 1) param1) (* 1 t8)))
(define-fun t10 () Bool (<= t9 0))
(define-fun t12 () Int (initial_f0 any0))
(define-fun t13 () Bool (= param0 any0))
(define-fun t14 () Int (ite t13 t8 t12))
(define-fun t15 () Int (+ 0 (* 1 t12) (* (- 1) t14)))
(define-fun t16 () Bool (= t15 0))
(define-fun t17 () Bool (not t16))
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (or (= (alloc param0) 0) (= (alloc param0) 1)))
(assert (=> (= (alloc param0) 0) (= param0 null)))
(assert (= (alloc null) 0))
(assert (= (alloc any0) 1))
(assert (or (= (alloc param0) 1) (= t8 0)))
; what is assumed, and last that the goal does not hold
(assert t7)
(assert t10)
(assert t17)
(check-sat)
(pop 1)


; The proof of sumTo ~ gauss when n >= 0
; Part of certificate 771157354bf13ad444d8ddd7fad8cf2749094e8ef3b11aa2f28ed93b92222673
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)

; 1. the final stores are equal where they can be reached
(push 1)
(declare-fun ending0 () Int)
(declare-fun param0 () Int)
(declare-fun result0_0 () Int)
(define-fun t1 () Int (+ 0 (* (- 1) param0)))
(define-fun t2 () Bool (<= t1 0))
(define-fun t3 () Int (+ 1 (* (- 1) param0)))
(define-fun t4 () Bool (<= t3 0))
(define-fun t6 () Bool (= ending0 0))
(define-fun t8 () Int (* param0 param0))
(define-fun t9 () Int (+ 0 (* 1 param0) (* 2 result0_0) (* (- 1) t8)))
(define-fun t10 () Bool (= t9 0))
(define-fun t11 () Int (+ 0 (* 1 param0) (* 1 t8)))
(define-fun t13 () Int (ite (>= t11 0) (div t11 2) (- (div (- t11) 2))))
(define-fun t14 () Int (+ 0 (* 1 param0) (* 1 result0_0) (* (- 1) t13)))
(define-fun t15 () Bool (= t14 0))
(define-fun t16 () Bool (not t15))
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t4)
(assert t6)
(assert t10)
(assert t16)
(check-sat)
(pop 1)

; 2. the final stores are equal where they can be reached
(push 1)
(declare-fun param0 () Int)
(define-fun t1 () Int (+ 0 (* (- 1) param0)))
(define-fun t2 () Bool (<= t1 0))
(define-fun t3 () Bool (<= param0 0))
(define-fun t4 () Int (* param0 param0))
(define-fun t5 () Int (+ 0 (* 1 param0) (* 1 t4)))
(define-fun t7 () Int (ite (>= t5 0) (div t5 2) (- (div (- t5) 2))))
(define-fun t8 () Bool (= t7 0))
(define-fun t9 () Bool (not t8))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t3)
(assert t9)
(check-sat)
(pop 1)


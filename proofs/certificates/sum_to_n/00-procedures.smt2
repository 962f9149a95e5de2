; What the proofs use of each procedure alone
; Part of certificate 771157354bf13ad444d8ddd7fad8cf2749094e8ef3b11aa2f28ed93b92222673
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)

; 1. a measure shrinks at a recursive call
(push 1)
(declare-fun ending0 () Int)
(declare-fun param0 () Int)
(declare-fun param1 () Int)
(define-fun t1 () Int (+ 0 (* (- 1) param1)))
(define-fun t2 () Bool (<= t1 0))
(define-fun t4 () Int (+ 1 (* (- 1) param0)))
(define-fun t5 () Bool (<= t4 0))
(define-fun t7 () Int (+ (- 2) (* 1 ending0)))
(define-fun t8 () Bool (= t7 0))
(define-fun t9 () Bool (<= param0 0))
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t5)
(assert t8)
(assert t9)
(check-sat)
(pop 1)

; 2. a measure shrinks at a recursive call
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

; 3. ensures of sumTo
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

; 4. what holds of a loop
(push 1)
(declare-fun param0 () Int)
(declare-fun param1 () Int)
(define-fun t1 () Int (+ 0 (* (- 1) param1)))
(define-fun t2 () Bool (<= t1 0))
(define-fun t4 () Int (+ 1 (* (- 1) param0)))
(define-fun t5 () Bool (<= t4 0))
(define-fun t6 () Int (+ 1 (* 1 param0) (* 1 param1)))
(define-fun t7 () Bool (<= t6 0))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t5)
(assert t7)
(check-sat)
(pop 1)

; 5. what holds of a loop
(push 1)
(declare-fun ending0 () Int)
(declare-fun param0 () Int)
(declare-fun param1 () Int)
(declare-fun result0_0 () Int)
(define-fun t1 () Int (+ 0 (* (- 1) param1)))
(define-fun t2 () Bool (<= t1 0))
(define-fun t4 () Int (+ 1 (* (- 1) param0)))
(define-fun t5 () Bool (<= t4 0))
(define-fun t7 () Bool (= ending0 0))
(define-fun t9 () Int (+ 0 (* (- 1) result0_0)))
(define-fun t10 () Bool (<= t9 0))
(define-fun t11 () Int (+ 0 (* 1 param0) (* 1 param1) (* (- 1) result0_0)))
(define-fun t12 () Bool (<= t11 0))
(define-fun t13 () Int (+ 1 (* (- 1) param1) (* 1 result0_0)))
(define-fun t14 () Bool (<= t13 0))
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t5)
(assert t7)
(assert t10)
(assert t12)
(assert t14)
(check-sat)
(pop 1)


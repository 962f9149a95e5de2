; The proof of gcd
; Part of certificate 836d9ed8248dc54aeba76e843caa1730b262f2abea145ce90d9199614918056b
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)

; 1. calls 0 and 1 start from equal arguments and regions
(push 1)
(declare-fun ending0 () Int)
(declare-fun ending1 () Int)
(declare-fun param0 () Int)
(declare-fun param1 () Int)
(define-fun t1 () Bool (= param1 0))
(define-fun t2 () Bool (not t1))
(define-fun t4 () Bool (= ending0 0))
(define-fun t6 () Bool (= ending1 0))
(define-fun t8 () Int (- param0 (* param1 (ite (>= param0 0) (div param0 param1) (- (div (- param0) param1))))))
(define-fun t9 () Int (ite (>= param0 0) (div param0 param1) (- (div (- param0) param1))))
(define-fun t10 () Int (* param1 t9))
(define-fun t11 () Int (+ 0 (* 1 param0) (* (- 1) t8) (* (- 1) t10)))
(define-fun t12 () Bool (= t11 0))
(define-fun t13 () Bool (not t12))
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (and (<= 0 ending0) (<= ending0 2)))
(assert (and (<= 0 ending1) (<= ending1 2)))
; what is assumed, and last that the goal does not hold
(assert t2)
(assert t4)
(assert t6)
(assert t13)
(check-sat)
(pop 1)


; What the proofs use of each procedure alone
; Part of certificate 1722e94ab53acfa213fa45d81cca8404697b831f85ef95baf8e8c0b05f21c798
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


; The proof of insertAfter
; Part of certificate b1445a84e64a43177258ca34efaa602fa34c68efb1ca04a0000c252417e63778
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun birth (Ref) Int)

; 1. the two paths exclude each other
(push 1)
(declare-fun initial_f2 (Ref) Ref)
(declare-fun null () Ref)
(declare-fun param0 () Ref)
(define-fun t2 () Bool (= param0 null))
(define-fun t3 () Bool (not t2))
(define-fun t4 () Ref (initial_f2 param0))
(define-fun t5 () Bool (= null t4))
(define-fun t6 () Bool (not t5))
(define-fun t7 () Bool (or t2 t5))
; true of these values whatever the program: instances of the rules on births, calls and regions
(assert (or (= (birth param0) 0) (= (birth param0) 1)))
(assert (=> (= (birth param0) 0) (= param0 null)))
(assert (= (birth null) 0))
(assert (or (= (birth t4) 0) (= (birth t4) 1)))
(assert (=> (= (birth t4) 0) (= t4 null)))
(assert (or (= (birth param0) 1) (= t4 null)))
; what is assumed, and last that the goal does not hold
(assert t3)
(assert t6)
(assert t7)
(assert true)
(check-sat)
(pop 1)


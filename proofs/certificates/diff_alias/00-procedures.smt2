; What the proofs use of each procedure alone
; Part of certificate 3394ff453aae39f1e0219f64739b764bc833d3c7db7a45e735b6586a2f59a111
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)

; 1. the procedure cannot err here
(push 1)
(declare-fun null () Ref)
(declare-fun param0 () Ref)
(declare-fun param1 () Ref)
(define-fun t2 () Bool (= param0 null))
(define-fun t4 () Bool (= param1 null))
(define-fun t5 () Bool (or t2 t4))
(define-fun t6 () Bool (not t2))
(define-fun t7 () Bool (not t4))
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (or (= (alloc param0) 0) (= (alloc param0) 1)))
(assert (=> (= (alloc param0) 0) (= param0 null)))
(assert (= (alloc null) 0))
(assert (or (= (alloc param1) 0) (= (alloc param1) 1)))
(assert (=> (= (alloc param1) 0) (= param1 null)))
; what is assumed, and last that the goal does not hold
(assert t5)
(assert t6)
(assert t7)
(assert true)
(check-sat)
(pop 1)

; 2. the procedure cannot err here
(push 1)
(declare-fun null () Ref)
(declare-fun param0 () Ref)
(declare-fun param1 () Ref)
(define-fun t2 () Bool (= param1 null))
(define-fun t4 () Bool (= param0 null))
(define-fun t5 () Bool (or t2 t4))
(define-fun t6 () Bool (not t4))
(define-fun t7 () Bool (not t2))
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (or (= (alloc param1) 0) (= (alloc param1) 1)))
(assert (=> (= (alloc param1) 0) (= param1 null)))
(assert (= (alloc null) 0))
(assert (or (= (alloc param0) 0) (= (alloc param0) 1)))
(assert (=> (= (alloc param0) 0) (= param0 null)))
; what is assumed, and last that the goal does not hold
(assert t5)
(assert t6)
(assert t7)
(assert true)
(check-sat)
(pop 1)


; The proof of insertAfter
; Part of certificate dd36f46bb991b4b18e550da553c0685e8810ac3663ce0e5f6d026095a7bf351d
; Every answer must be unsat.
(set-logic ALL)
(declare-sort Ref 0)
(declare-fun alloc (Ref) Int)

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
; true of these values whatever the program: instances of the rules on allocs, calls and regions
(assert (or (= (alloc param0) 0) (= (alloc param0) 1)))
(assert (=> (= (alloc param0) 0) (= param0 null)))
(assert (= (alloc null) 0))
(assert (or (= (alloc t4) 0) (= (alloc t4) 1)))
(assert (=> (= (alloc t4) 0) (= t4 null)))
(assert (or (= (alloc param0) 1) (= t4 null)))
; what is assumed, and last that the goal does not hold
(assert t3)
(assert t6)
(assert t7)
(assert true)
(check-sat)
(pop 1)


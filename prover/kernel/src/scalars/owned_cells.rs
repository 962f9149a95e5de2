//! Tests of rule *Promotion*, of the cell at which a loop looks of an array that a variable owns.
//!
//! In: pairs of bodies. Out: whether the cell is a variable while the loop runs, or stays what it is.

use super::tests::{becomes, stays};

#[test]
fn the_one_cell_that_a_loop_looks_at_is_a_variable() {
    for (cells, variables) in [
        (
            "a := new int[99]; while (n > 0) { a[2] := a[2] + n; n := n - 1; } rows[0] := a;",
            "a := new int[99]; h := a[2]; while (n > 0) { h := h + n; n := n - 1; } a[2] := h; rows[0] := a;",
        ),
        // It is not known to be there, but each turn comes to it.
        (
            "a := new int[r]; while (n > 0) { a[n] := 0; i := 0; while (i < r) { a[n] := a[n] + i; i := i + 1; } n := n - 1; }",
            "a := new int[r]; while (n > 0) { a[n] := 0; i := 0; h := a[n]; while (i < r) { h := h + i; i := i + 1; } a[n] := h; n := n - 1; }",
        ),
        (
            "a := new int[r]; while (n > 0) { a[r] := a[r] + n; n := n - 1; }",
            "a := new int[r]; if (n > 0) { h := a[r]; while (n > 0) { h := h + n; n := n - 1; } a[r] := h; }",
        ),
        // A row of an array of arrays.
        (
            "m := new int[][99]; m[1] := new int[5]; while (m[1][r] > 0) { m[1][r] := m[1][r] - r; }",
            "m := new int[][99]; m[1] := new int[5]; m1 := m[1]; h := m1[r]; while (h > 0) { h := h - r; } m1[r] := h;",
        ),
        (
            "a := new int[99]; while (n > 0) { a[0] := a[0] + n; n := n - 1; if (a[0] == 7) { return a[0], c; } }",
            "a := new int[99]; h := a[0]; b := false; k := 0; o := null; while (n > 0) { h := h + n; n := n - 1; if (h == 7) { k := h; o := c; b := true; break; } } a[0] := h; if (b) { return k, o; }",
        ),
    ] {
        becomes(cells, variables);
    }
}

#[test]
fn a_cell_that_may_have_another_name_stays() {
    for kept in [
        // Something else leads to the array.
        "a := new int[99]; rows[0] := a; while (n > 0) { a[2] := a[2] + rows[n][n]; n := n - 1; }",
        "a := rows[1]; while (n > 0) { a[2] := a[2] + rows[n][n]; n := n - 1; }",
        "a := new int[99]; b := a; while (n > 0) { a[2] := a[2] + b[n]; n := n - 1; }",
        "a := new int[99]; while (n > 0) { a[2] := a[2] + rows[n][n]; rows[0] := a; n := n - 1; }",
        "a := new int[99]; a := x.a; while (n > 0) { a[2] := a[2] + rows[n][n]; n := n - 1; }",
        "a := new int[99]; b := n > 0 ? a : x.a; while (n > 0) { a[2] := a[2] + b[n]; n := n - 1; }",
        "m := new int[][99]; m[1] := new int[5]; while (n > 0) { i := n; m[i][2] := m[i][2] + n; n := n - 1; }",
        // The loop looks at another cell of it, or at another of its arrays, which may be the same one.
        "a := new int[99]; while (n > 0) { a[2] := a[2] + a[n]; n := n - 1; }",
        "a := new int[99]; while (n > 0) { a[2] := a[2] + 1; a[n] := 0; n := n - 1; }",
        "a := new int[99]; while (n > 0) { a[2] := a[2] + 1; n := n - 1; assert forall k: int :: k < 3 && 0 <= k ==> a[k] >= 0; }",
        // It is another cell in the next turn.
        "a := new int[99]; while (n > 0) { a[n] := a[n] + 1; n := n - 1; }",
        "a := new int[99]; while (n > 0) { a[2] := a[2] + n; a := new int[99]; n := n - 1; }",
        "m := new int[][99]; while (n > 0) { m[1] := new int[5]; m[1][2] := m[1][2] + n; n := n - 1; }",
        // It may not be there, and no turn comes to it.
        "a := new int[r]; while (n > 0) { if (n > 5) { a[r] := a[r] + n; } n := n - 1; }",
        "a := new int[99]; while (n > 0) { if (n > 5) { a[99] := a[99] + n; } n := n - 1; }",
        "a := new int[99]; if (r > 0) { a := new int[2 + r]; } while (n > 0) { if (n > 5) { a[2] := a[2] + n; } n := n - 1; }",
        // Somebody is called, or sees it.
        "a := new int[99]; while (n > 0) { a[2] := a[2] + n; read(n); n := n - 1; }",
        "a := new int[99]; while (n > 0) { a[2] := a[2] + n; assert fresh(a); n := n - 1; }",
    ] {
        stays(kept, "");
    }
}

/// The array is read before the loop, and its cell within.
#[test]
fn a_cell_of_a_row_that_may_have_another_name_stays() {
    for (row, held) in [
        (
            "m := new int[][99]; m[1] := rows[0]; while (n > 0) { m[1][2] := m[1][2] + rows[n][n]; n := n - 1; }",
            "m := new int[][99]; m[1] := rows[0]; y := m[1]; while (n > 0) { y[2] := y[2] + rows[n][n]; n := n - 1; }",
        ),
        (
            "m := new int[][99]; m[1] := new int[5]; a := m[1]; while (n > 0) { m[1][2] := m[1][2] + a[n]; n := n - 1; }",
            "m := new int[][99]; m[1] := new int[5]; a := m[1]; y := m[1]; while (n > 0) { y[2] := y[2] + a[n]; n := n - 1; }",
        ),
        (
            "m := new int[][99]; m[1] := new int[5]; x.a := m[1]; while (n > 0) { m[1][2] := m[1][2] + n; n := n - 1; }",
            "m := new int[][99]; m[1] := new int[5]; x.a := m[1]; y := m[1]; while (n > 0) { y[2] := y[2] + n; n := n - 1; }",
        ),
        (
            "m := new int[][99]; m[1] := new int[5]; while (n > 0) { m[1][2] := m[1][2] + m[n][2]; n := n - 1; }",
            "m := new int[][99]; m[1] := new int[5]; y := m[1]; while (n > 0) { y[2] := y[2] + m[n][2]; n := n - 1; }",
        ),
    ] {
        becomes(row, held);
    }
}

//! What differs between two pictures, by the names of places and objects.

use super::{Picture, Row};

/// Marks what one has and the other has not. Where one of them has no store nothing is marked: all of it differs.
pub(super) fn mark(pictures: &mut [Picture; 2]) {
    let before = pictures.clone();
    if before.iter().any(|picture| picture.note.is_some()) {
        return;
    }
    for (side, picture) in pictures.iter_mut().enumerate() {
        let other = &before[1 - side];
        // Results may go by other names; roots stand in one order.
        for (at, root) in picture.roots.iter_mut().enumerate() {
            root.differs = other.roots.get(at).is_none_or(|theirs| theirs.value != root.value);
        }
        for node in &mut picture.objects {
            match other.objects.iter().find(|theirs| theirs.addr == node.addr) {
                None => node.only_here = true,
                Some(theirs) => node.rows.iter_mut().for_each(|row| row.differs = !has(&theirs.rows, row)),
            }
        }
    }
}

fn has(rows: &[Row], row: &Row) -> bool {
    rows.iter().any(|other| other.name == row.name && other.value == row.value)
}

//! Places as editors count them.
//!
//! In: a text, and a line and a column, or a byte. Out: the other of the two.
//!
//! Invariant: whatever the numbers, the byte is in the text and between two characters: what lies beyond a line is its end, and
//! what lies beyond the text is the end of that.

use gen_lsp_types::{Position, PositionEncodingKind, Range};
use std::borrow::Cow;

/// What columns count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Pairs of bytes of UTF-16, as every client knows them.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The first that a client offers and that is known here.
    pub(super) fn negotiated<'o>(offered: impl IntoIterator<Item = &'o str>) -> Self {
        let known = |offer: &str| match offer {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        };
        offered.into_iter().find_map(known).unwrap_or_default()
    }

    /// As the protocol calls it.
    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// How much a character counts.
    fn width(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// The lines of a text. They end with `\n`, `\r\n` or `\r`.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// Where each line starts.
    starts: Cow<'t, [usize]>,
    encoding: Encoding,
}

/// Where each line of a text starts.
pub(super) fn starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at + 1);
        }
    }
    starts
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str, encoding: Encoding) -> Self {
        Lines { text, starts: Cow::Owned(starts(text)), encoding }
    }

    /// The lines of a text of which it is known where they start.
    pub(super) fn known(text: &'t str, starts: &'t [usize], encoding: Encoding) -> Self {
        Lines { text, starts: Cow::Borrowed(starts), encoding }
    }

    /// The byte at a position.
    pub(super) fn offset(&self, position: Position) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let line = self.line(start, position.line as usize);
        let (mut column, wanted) = (0, position.character as usize);
        for (at, character) in line.char_indices() {
            column += self.encoding.width(character);
            // The middle of a character is its start.
            if column > wanted {
                return start + at;
            }
        }
        start + line.len()
    }

    /// A line without its end.
    fn line(&self, start: usize, number: usize) -> &'t str {
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The position of a byte.
    pub(super) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let before = &self.text[self.starts[line]..offset];
        let column: usize = before.chars().map(|character| self.encoding.width(character)).sum();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: number(line), character: number(column) }
    }

    /// The range of some bytes.
    pub(super) fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end.max(bytes.start)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_as_agreed() {
        let text = "a\u{1f600}b\r\nä\rx\n";
        let table = [
            (Encoding::Utf8, 0, 5, 5),
            (Encoding::Utf16, 0, 3, 5),
            (Encoding::Utf32, 0, 2, 5),
            (Encoding::Utf16, 0, 2, 1),
            (Encoding::Utf16, 0, 99, 6),
            (Encoding::Utf16, 1, 1, 10),
            (Encoding::Utf16, 2, 1, 12),
            (Encoding::Utf16, 3, 7, 13),
            (Encoding::Utf16, 99, 0, 13),
            (Encoding::Utf8, 0, 3, 1),
        ];
        for (encoding, line, character, right) in table {
            let lines = Lines::new(text, encoding);
            assert_eq!(lines.offset(Position { line, character }), right, "{encoding:?} {line}:{character}");
        }
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let lines = Lines::new(text, encoding);
            for (at, _) in text.char_indices().filter(|(at, _)| !text[..*at].ends_with('\r') || *at == 11) {
                assert_eq!(lines.offset(lines.position(at)), at, "{encoding:?} {at}");
            }
        }
        assert_eq!(Encoding::negotiated(["utf-7", "utf-32", "utf-8"]), Encoding::Utf32);
        assert_eq!(Encoding::negotiated([]), Encoding::Utf16);
    }
}

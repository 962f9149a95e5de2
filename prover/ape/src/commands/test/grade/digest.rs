//! Words that are hidden from a glance, and from no more than that.
//!
//! In: texts. Out: their digest; or a text under a mask that is made of a digest.
//!
//! The five verdicts can be tried one after the other, and anybody who has the mask can take it off: this program does so.

use sha2::{Digest, Sha256};

/// A digest of several texts, in hexadecimal digits. Where one ends and the next begins counts.
pub(super) fn digest(parts: &[&str]) -> String {
    hexadecimal(&hash(parts))
}

fn hash(parts: &[&str]) -> Vec<u8> {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().to_vec()
}

/// A text under a mask that belongs to a salt.
pub(super) fn masked(salt: &str, text: &str) -> String {
    hexadecimal(&under_mask(salt, text.as_bytes()))
}

/// The text under a mask; `None` where there is none.
pub(super) fn unmasked(salt: &str, masked: &str) -> Option<String> {
    let digits: Vec<char> = masked.chars().collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).ok();
    let bytes = digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(under_mask(salt, &bytes)).ok()
}

fn under_mask(salt: &str, bytes: &[u8]) -> Vec<u8> {
    let blocks = (0_u64..).flat_map(|number| hash(&["mask", salt, &number.to_string()]));
    bytes.iter().zip(blocks).map(|(byte, mask)| byte ^ mask).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_come_off() {
        let text = "x != null && y != x ".repeat(9);
        assert_eq!(unmasked("salt", &masked("salt", &text)).as_deref(), Some(text.as_str()));
        assert_ne!(masked("salt", &text), masked("pepper", &text));
        assert!(!masked("salt", &text).contains("null"));
        assert!(["g0", "zz", "é", "+f"].iter().all(|wrong| unmasked("salt", wrong).is_none()));
    }

    #[test]
    fn digests_tell_parts_apart() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_eq!(digest(&["ab", "c"]), digest(&["ab", "c"]));
    }
}

//! Versions of Z3: text such as `5.4.0.0` or `Z3 4.13.3` comes in, something that can be compared comes out.
//!
//! The build script includes this file too, so that what it accepts and what `ape doctor` accepts is one decision.
//!
//! Invariant: versions are compared as numbers, part by part, so 4.13.3 is newer than 4.8.12.

use std::fmt;

/// The oldest version of Z3 that the `z3` crate works with.
pub const OLDEST: Z3Version = Z3Version([4, 13, 3, 0]);

/// A version of Z3: major, minor, build and revision number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Z3Version([u32; 4]);

impl Z3Version {
    /// Reads the first word of `text` that starts with a digit, as in `Z3 5.4.0.0`. Missing parts count as 0.
    pub fn parse(text: &str) -> Option<Self> {
        let word = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        let mut parts = [0; 4];
        for (index, part) in word.split('.').enumerate() {
            *parts.get_mut(index)? = part.parse().ok()?;
        }
        Some(Self(parts))
    }
}

impl fmt::Display for Z3Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, build, revision] = self.0;
        write!(f, "{major}.{minor}.{build}.{revision}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        let parse = |text| Z3Version::parse(text).expect("a version");
        assert!(parse("4.8.12") < OLDEST);
        assert!(parse("Z3 version 4.13.3 - 64 bit") == OLDEST);
        assert_eq!(parse("Z3 5.4.0.0").to_string(), "5.4.0.0");
        assert!(parse("4.13.10") > parse("4.13.3.1"));
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in ["", "Z3", "5.x", "1.2.3.4.5"] {
            assert_eq!(Z3Version::parse(text), None, "{text:?}");
        }
    }
}

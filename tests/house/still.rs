//! What of the house is still to be mended: the check, and a text that the violation has. The list only shrinks.

/// Violations that are known of.
pub(crate) const STILL: &[(&str, &str)] = &[];

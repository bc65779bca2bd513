//! The value of a string that is too long to be kept.

const OPENING: &str = "… (";
const HASH: &str = " characters, hash ";
const CLOSING: char = ')';

/// The value of a string that is too long to be kept:
/// `"The beginning"… (8025 characters, hash 5ae1e1854832ade4)`. The worker writes it, and other
/// stages parse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutText<'t> {
    /// The beginning of the string, as a Java literal.
    pub start: &'t str,
    /// The length and the hash of the string, which distinguish it from strings that begin alike:
    /// `… (8025 characters, hash 5ae1e1854832ade4)`. Noise rules may have masked a part of it.
    pub end: &'t str,
}

impl<'t> CutText<'t> {
    /// The text of the value. `length` counts UTF-16 code units, as Java does.
    #[must_use]
    pub fn write(start: &str, length: usize, hash: u64) -> String {
        format!("{start}{OPENING}{length}{HASH}{hash:016x}{CLOSING}")
    }

    /// Parses a value; `None` if it is not that of a cut string.
    #[must_use]
    pub fn parse(value: &'t str) -> Option<Self> {
        let (start, end) = value.split_at(value.rfind(OPENING)?);
        (end.ends_with(CLOSING) && end.contains(HASH)).then_some(Self { start, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_value_is_parsed_and_other_values_are_not() {
        let value = CutText::write("\"a… (b)\"", 8025, 0x5a);
        assert_eq!(value, "\"a… (b)\"… (8025 characters, hash 000000000000005a)");
        let end = "… (8025 characters, hash 000000000000005a)";
        assert_eq!(CutText::parse(&value), Some(CutText { start: "\"a… (b)\"", end }));
        for value in ["", "null", "\"a… (b)\"", "\"… (8025 characters, hash 5a)\""] {
            assert_eq!(CutText::parse(value), None, "{value}");
        }
    }
}

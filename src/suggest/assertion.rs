//! Writes the Java assertion that distinguishes two observed values.

use super::finding::is_literal;

/// An assertion for a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assertion {
    /// For JUnit: `assertEquals(3, stack.size())`.
    pub code: String,
    /// The expected value if it is too long for one line; `code` then says `expected` instead.
    pub expected: Option<String>,
}

/// Longest expected value that is written into the assertion itself, in characters.
const LONGEST: usize = 100;

/// Asserts that `actual`, a Java expression, has its value on the original code.
///
/// `None` if no single assertion can express the difference: objects of different classes, or
/// values that only one side has.
pub(super) fn assertion(
    type_name: &str,
    original: Option<&str>,
    transformed: Option<&str>,
    actual: &str,
) -> Option<Assertion> {
    let original = original?;
    let plain = |code: String| Some(Assertion { code, expected: None });
    match (type_name, original) {
        (_, "null") => return plain(format!("assertNull({actual})")),
        ("boolean" | "java.lang.Boolean", "true") => return plain(format!("assertTrue({actual})")),
        ("boolean" | "java.lang.Boolean", "false") => return plain(format!("assertFalse({actual})")),
        (_, value) if !is_literal(value) => {
            return match transformed {
                None | Some("null") => plain(format!("assertNotNull({actual})")),
                Some(_) => None,
            };
        }
        _ => {}
    }
    if original.chars().count() > LONGEST {
        return Some(Assertion {
            code: format!("assertEquals(expected, {actual})"),
            expected: Some(original.to_owned()),
        });
    }
    let finite = original.bytes().any(|c| c.is_ascii_digit());
    plain(match type_name {
        // JUnit 4 refuses to compare doubles without a tolerance; JUnit 5 refuses a tolerance of
        // zero.
        "double" if finite => format!("assertEquals({original}, {actual}, 1e-9)"),
        "float" if finite => format!("assertEquals({original}, {actual}, 1e-6)"),
        // With a bare number, JUnit 4's overloads for long and Object are ambiguous to javac.
        "java.lang.Integer" | "java.lang.Long" | "java.lang.Double" | "java.lang.Float" if finite => {
            let class = type_name.trim_start_matches("java.lang.");
            let suffix = match class {
                "Long" if !original.ends_with(['L', 'l']) => "L",
                "Float" if !original.ends_with(['f', 'F']) => "f",
                _ => "",
            };
            format!("assertEquals({class}.valueOf({original}{suffix}), {actual})")
        }
        "java.lang.Short" | "java.lang.Byte" => {
            let class = type_name.trim_start_matches("java.lang.");
            format!("assertEquals({class}.valueOf(({}) {original}), {actual})", class.to_lowercase())
        }
        "java.lang.Character" => format!("assertEquals(Character.valueOf({original}), {actual})"),
        "double[]" | "float[]" => format!("assertArrayEquals({original}, {actual}, 0)"),
        array if array.ends_with("[]") => format!("assertArrayEquals({original}, {actual})"),
        _ => format!("assertEquals({original}, {actual})"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(type_name: &str, original: &str, transformed: &str) -> Option<String> {
        assertion(type_name, Some(original), Some(transformed), "x").map(|assertion| assertion.code)
    }

    #[test]
    fn the_assertion_compiles_for_each_type_of_value() {
        assert_eq!(code("int", "3", "0").as_deref(), Some("assertEquals(3, x)"));
        assert_eq!(code("boolean", "true", "false").as_deref(), Some("assertTrue(x)"));
        assert_eq!(code("java.lang.Boolean", "false", "true").as_deref(), Some("assertFalse(x)"));
        assert_eq!(code("double", "1.5", "0.0").as_deref(), Some("assertEquals(1.5, x, 1e-9)"));
        assert_eq!(code("java.lang.Integer", "3", "0").as_deref(), Some("assertEquals(Integer.valueOf(3), x)"));
        assert_eq!(code("java.lang.String", "\"a\"", "null").as_deref(), Some("assertEquals(\"a\", x)"));
        assert_eq!(
            code("int[]", "new int[] {1}", "new int[] {}").as_deref(),
            Some("assertArrayEquals(new int[] {1}, x)")
        );
        assert_eq!(code("a.Foo", "non-null", "null").as_deref(), Some("assertNotNull(x)"));
        assert_eq!(code("a.Foo", "null", "non-null").as_deref(), Some("assertNull(x)"));
        assert_eq!(code("a.Foo", "non-null", "non-null"), None);
        assert_eq!(assertion("int", None, Some("1"), "x"), None);
    }

    #[test]
    fn a_long_expected_value_stays_out_of_the_code() {
        let long = format!("\"{}\"", "x".repeat(300));
        let assertion = assertion("java.lang.String", Some(&long), Some("\"\""), "x");
        assert_eq!(assertion.map(|a| (a.code, a.expected)), Some(("assertEquals(expected, x)".to_owned(), Some(long))));
    }
}

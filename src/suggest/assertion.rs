//! Writes the Java assertion that distinguishes two observed values.

use super::finding::is_expression;

/// An assertion for a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assertion {
    /// For JUnit: `assertEquals(3, stack.size())`.
    pub code: String,
    /// The expected value if it is too long for one line; `code` then says `expected` instead.
    pub expected: Option<String>,
    /// The code with the expected value, however long it is.
    pub whole: String,
}

impl Assertion {
    pub fn plain(code: String) -> Self {
        Self { whole: code.clone(), code, expected: None }
    }
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
    let plain = |code: String| Some(Assertion::plain(code));
    match (type_name, original) {
        (_, "null") => return plain(format!("assertNull({actual})")),
        // `assertTrue` would fail with a NullPointerException.
        ("java.lang.Boolean", "true" | "false") if transformed == Some("null") => {
            return plain(format!("assertEquals(Boolean.{}, {actual})", original.to_uppercase()));
        }
        ("boolean" | "java.lang.Boolean", "true") => return plain(format!("assertTrue({actual})")),
        ("boolean" | "java.lang.Boolean", "false") => return plain(format!("assertFalse({actual})")),
        (_, value) if !is_expression(value) => {
            return match transformed {
                None | Some("null") => plain(format!("assertNotNull({actual})")),
                Some(_) => None,
            };
        }
        _ => {}
    }
    let whole = equality(type_name, original, original, actual);
    if original.chars().count() > LONGEST {
        let code = equality(type_name, original, "expected", actual);
        return Some(Assertion { code, expected: Some(original.to_owned()), whole });
    }
    plain(whole)
}

/// The assertion that `actual` equals the value `original`, written as `expected`.
fn equality(type_name: &str, original: &str, expected: &str, actual: &str) -> String {
    match type_name {
        "double" | "float" => match comparison(type_name, original) {
            Comparison::Within(tolerance) => format!("assertEquals({expected}, {actual}, {tolerance})"),
            // JUnit 4 refuses to compare such numbers without a tolerance; JUnit 5 refuses a
            // tolerance of zero.
            Comparison::Exactly => {
                let class = if type_name == "double" { "Double" } else { "Float" };
                format!("assertEquals({class}.valueOf({expected}), {class}.valueOf({actual}))")
            }
        },
        // With a bare number, JUnit 4's overloads for long and Object are ambiguous to javac.
        "java.lang.Integer" | "java.lang.Long" | "java.lang.Double" | "java.lang.Float" => {
            let class = type_name.trim_start_matches("java.lang.");
            let suffix = match class {
                "Long" if !original.ends_with(['L', 'l']) => "L",
                "Float" if !original.ends_with(['f', 'F', 'N', 'Y']) => "f",
                _ => "",
            };
            format!("assertEquals({class}.valueOf({expected}{suffix}), {actual})")
        }
        "java.lang.Short" | "java.lang.Byte" => {
            let class = type_name.trim_start_matches("java.lang.");
            format!("assertEquals({class}.valueOf(({}) {expected}), {actual})", class.to_lowercase())
        }
        "java.lang.Character" => format!("assertEquals(Character.valueOf({expected}), {actual})"),
        "double[]" => format!("assertArrayEquals({expected}, {actual}, 1e-9)"),
        "float[]" => format!("assertArrayEquals({expected}, {actual}, 1e-6f)"),
        array if array.ends_with("[]") => format!("assertArrayEquals({expected}, {actual})"),
        _ => format!("assertEquals({expected}, {actual})"),
    }
}

/// The way to compare floating-point numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Up to this tolerance, which is Java source.
    Within(String),
    /// A tolerance would not notice another number.
    Exactly,
}

/// The comparison with a number of this type, `double` or `float`.
///
/// The tolerance is so small that it notices a change of a small number, too. The smallest numbers,
/// and the zero with a sign, have none.
pub(crate) fn comparison(type_name: &str, source: &str) -> Comparison {
    let (digits, suffix, smallest) = if type_name == "float" { (6, "f", -45) } else { (9, "", -323) };
    let usual = Comparison::Within(format!("1e-{digits}{suffix}"));
    // Infinities and "not a number" are equal to themselves within any tolerance.
    let Ok(number) = source.trim_end_matches(['f', 'F']).parse::<f64>() else { return usual };
    if number == 0.0 {
        return if number.is_sign_negative() { Comparison::Exactly } else { usual };
    }
    // Numbers from a thousandth on keep three digits at least with the usual tolerance.
    if number.abs() >= 1e-3 {
        return usual;
    }
    let written = format!("{:e}", number.abs());
    let exponent: i32 = written.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    match exponent - digits {
        tolerance if tolerance < smallest => Comparison::Exactly,
        tolerance => Comparison::Within(format!("1e{tolerance}{suffix}")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        assert_eq!(code("java.lang.Boolean", "false", "null").as_deref(), Some("assertEquals(Boolean.FALSE, x)"));
        assert_eq!(
            code("java.lang.Double", "Double.NaN", "0.0").as_deref(),
            Some("assertEquals(Double.valueOf(Double.NaN), x)")
        );
        assert_eq!(
            code("java.lang.IllegalStateException", "java.lang.IllegalStateException", "null").as_deref(),
            Some("assertNotNull(x)")
        );
        assert_eq!(code("Broken", "Broken", "Other"), None);
        assert_eq!(code("java.lang.Class", "int[][].class", "null").as_deref(), Some("assertEquals(int[][].class, x)"));
        assert_eq!(code("java.lang.Class", "class a.B$1", "null").as_deref(), Some("assertNotNull(x)"));
        assert_eq!(code("a.Color", "Color.RED", "null").as_deref(), Some("assertEquals(Color.RED, x)"));
        assert_eq!(code("a.Foo", "null", "non-null").as_deref(), Some("assertNull(x)"));
        assert_eq!(code("a.Foo", "non-null", "non-null"), None);
        assert_eq!(assertion("int", None, Some("1"), "x"), None);
    }

    #[test]
    fn a_tolerance_notices_a_change_of_a_small_number() {
        let code = |type_name: &str, original: &str| code(type_name, original, "0.0").unwrap_or_default();
        assert_eq!(code("double", "3.2e-19"), "assertEquals(3.2e-19, x, 1e-28)");
        assert_eq!(code("double", "0.0005"), "assertEquals(0.0005, x, 1e-13)");
        assert_eq!(code("double", "1e300"), "assertEquals(1e300, x, 1e-9)");
        assert_eq!(code("double", "5e-324"), "assertEquals(Double.valueOf(5e-324), Double.valueOf(x))");
        assert_eq!(code("double", "-0.0"), "assertEquals(Double.valueOf(-0.0), Double.valueOf(x))");
        assert_eq!(code("double", "Double.NaN"), "assertEquals(Double.NaN, x, 1e-9)");
        assert_eq!(code("float", "-2e-10f"), "assertEquals(-2e-10f, x, 1e-16f)");
        assert_eq!(code("float", "1e-45f"), "assertEquals(Float.valueOf(1e-45f), Float.valueOf(x))");
        assert_eq!(code("double[]", "new double[] {1.0}"), "assertArrayEquals(new double[] {1.0}, x, 1e-9)");
    }

    #[test]
    fn a_long_expected_value_stays_out_of_the_code() {
        let long = format!("\"{}\"", "x".repeat(300));
        let written = assertion("java.lang.String", Some(&long), Some("\"\""), "x").unwrap();
        assert_eq!(written.code, "assertEquals(expected, x)");
        assert_eq!(written.whole, format!("assertEquals({long}, x)"));
        assert_eq!(written.expected, Some(long));
        let array = format!("new int[] {{{}}}", "1, ".repeat(60));
        let written = assertion("int[]", Some(&array), Some("null"), "x").unwrap();
        assert_eq!(written.code, "assertArrayEquals(expected, x)");
    }
}

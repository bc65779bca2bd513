//! Expectations: values and events of the original code that an assertion can name.

use crate::fix::long_text::{LongText, of_long_text};
use crate::suggest::is_expression;

/// Longest expected value in one line of an assertion, in characters.
const LONGEST: usize = 160;

/// A value or event of the original code that the transformed code does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    Bool(bool),
    Null,
    NotNull,
    /// A value, as Java source.
    Equal {
        source: String,
        type_name: String,
    },
    /// The beginning or the end of a text, as Java source.
    Edge {
        at_end: bool,
        source: String,
    },
    /// The sign of a comparison, which is all that `compareTo` and `compare` promise.
    Sign {
        is_negative: bool,
    },
    /// The elements of an array or a list, as Java source, and their type.
    Elements {
        of: Sequence,
        element: String,
        sources: Vec<String>,
    },
    /// The number of elements.
    Count {
        of: Sequence,
        count: usize,
    },
    /// The number of times that a mock gets this call: `enter("a")`.
    Called {
        mock: String,
        call: String,
        times: usize,
    },
    /// The different values among the results of repeated calls: both truth values, or more than
    /// `above`.
    Varied {
        is_boolean: bool,
        above: usize,
    },
    /// The exception with which the call ends: binary name of the class, and the message as Java
    /// source if it is always the same.
    Throws {
        class: String,
        message: Option<String>,
    },
}

/// The kind of a sequence of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    Array,
    List,
    /// A collection or map whose order means nothing.
    Sized,
}

impl Expected {
    /// The expectation for one value.
    ///
    /// `None` if one assertion cannot name it: the object has no value of its own, there is a value
    /// on one side only, or what is known of a long text is the same on both sides.
    #[must_use]
    pub fn of(type_name: &str, original: Option<&str>, transformed: Option<&str>) -> Option<Self> {
        let original = original?;
        Some(match (type_name, original) {
            (_, "null") => Self::Null,
            // `assertTrue` would fail with a NullPointerException, which is no assertion.
            ("java.lang.Boolean", value) if transformed == Some("null") => {
                Self::Equal { source: format!("Boolean.{}", value.to_uppercase()), type_name: type_name.to_owned() }
            }
            ("boolean" | "java.lang.Boolean", value) => Self::Bool(value.parse().ok()?),
            ("java.lang.String", value) if value.chars().count() > LONGEST => match of_long_text(value, transformed)? {
                LongText::Whole(source) => Self::Equal { source, type_name: type_name.to_owned() },
                LongText::Beginning(source) => Self::Edge { at_end: false, source },
                LongText::End(source) => Self::Edge { at_end: true, source },
                LongText::Present => Self::NotNull,
            },
            (_, value) if !is_expression(value) => match transformed {
                Some("null") => Self::NotNull,
                _ => return None,
            },
            (_, value) if value.chars().count() > LONGEST || value.contains('…') => return None,
            // The elements say more; arrays of arrays have none that are listed.
            (array, _) if array.ends_with("[]") && !array.ends_with("[][]") => return None,
            _ => Self::Equal { source: original.to_owned(), type_name: type_name.to_owned() },
        })
    }

    /// For the value of a comparison, its sign, if that differs from the transformed one. Zero says it all by itself.
    #[must_use]
    pub fn by_sign(self, transformed: Option<&str>) -> Self {
        let sign = |value: &str| value.parse::<i32>().ok().map(i32::signum);
        match &self {
            Self::Equal { source, type_name } if type_name == "int" => {
                match (sign(source), transformed.and_then(sign)) {
                    (Some(own @ (-1 | 1)), Some(other)) if own != other => Self::Sign { is_negative: own < 0 },
                    _ => self,
                }
            }
            _ => self,
        }
    }

    /// How little an assertion says: a value says most, then `true` or `false`, then `null` or not.
    #[must_use]
    pub fn weakness(&self) -> u8 {
        match self {
            Self::Equal { .. } | Self::Sign { .. } | Self::Elements { .. } => 0,
            Self::Bool(_)
            | Self::Edge { .. }
            | Self::Varied { .. }
            | Self::Called { .. }
            | Self::Throws { message: Some(_), .. } => 1,
            Self::Null | Self::Count { .. } => 2,
            Self::NotNull => 3,
            // An exception that the JVM throws by itself is hardly intended.
            Self::Throws { class, message: None } if is_of_jvm(class) => 6,
            Self::Throws { .. } => 4,
        }
    }

    /// Whether nobody intended the code to behave so.
    #[must_use]
    pub fn is_accidental(&self) -> bool {
        self.weakness() > 5
    }
}

/// Whether the expression is a call of `compareTo` with one argument, or of `compare` with two.
#[must_use]
pub fn is_comparison(expression: &str) -> bool {
    let Some(inside) = expression.trim_end().strip_suffix(')') else { return false };
    let (mut depth, mut commas) = (0_usize, 0);
    for (at, character) in inside.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' if depth == 0 => {
                let name = inside.get(..at).unwrap_or_default();
                return (name.ends_with(".compareTo") && commas == 0) || (name.ends_with(".compare") && commas == 1);
            }
            '(' => depth -= 1,
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
    }
    false
}

/// Whether the JVM throws this exception by itself, or a collection because its caller has a fault.
#[must_use]
pub fn is_of_jvm(class: &str) -> bool {
    let by_itself =
        ["NullPointer", "ArrayIndexOutOfBounds", "ClassCast", "NegativeArraySize", "Arithmetic", "ArrayStore"];
    by_itself.iter().any(|name| class == format!("java.lang.{name}Exception"))
        || class == "java.lang.StringIndexOutOfBoundsException"
        || class == "java.util.ConcurrentModificationException"
        || class.ends_with("Error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_comparison_is_its_sign() {
        let int = |source: &str| Expected::Equal { source: source.into(), type_name: "int".into() };
        assert_eq!(int("-13").by_sign(Some("0")), Expected::Sign { is_negative: true });
        assert_eq!(int("-13").by_sign(Some("1")), Expected::Sign { is_negative: true });
        assert_eq!(int("13").by_sign(Some("0")), Expected::Sign { is_negative: false });
        assert_eq!(int("13").by_sign(Some("1")), int("13"), "only the number tells the two apart");
        assert_eq!(int("0").by_sign(Some("1")), int("0"));
        for comparison in ["a.compareTo(b)", "new A(1, 2).compareTo(new A(3, 4))", "ORDER.compare(a, f(b, c))"] {
            assert!(is_comparison(comparison), "{comparison}");
        }
        for other in
            ["a.size()", "a.compareTo(b, c)", "a.compare(b)", "f(a.compareTo(b))", "compareTo", "a.compareTo(b) + 1"]
        {
            assert!(!is_comparison(other), "{other}");
        }
    }
}

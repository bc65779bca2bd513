//! From a value that differs to the assertion that tells the two sides apart, as the test class would write it.

use super::style::{Library, Needed, Style};
use crate::suggest::is_literal;

/// Longest expected value that is written into an assertion, in characters.
const LONGEST: usize = 160;

/// An assertion as a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    pub code: String,
    pub imports: Vec<Needed>,
}

/// What the original code gives and the transformed code does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    Bool(bool),
    Null,
    NotNull,
    /// Java source of the value.
    Equal {
        source: String,
        type_name: String,
    },
}

impl Expected {
    /// `None` where one assertion cannot name it: objects without a value of their own, values on one side only, texts that were cut.
    #[must_use]
    pub fn of(type_name: &str, original: Option<&str>, transformed: Option<&str>) -> Option<Self> {
        let original = original?;
        Some(match (type_name, original) {
            (_, "null") => Self::Null,
            ("boolean" | "java.lang.Boolean", value) => Self::Bool(value.parse().ok()?),
            (_, value) if !is_literal(value) => match transformed {
                Some("null") => Self::NotNull,
                _ => return None,
            },
            (_, value) if value.chars().count() > LONGEST || value.contains('…') => return None,
            _ => Self::Equal { source: original.to_owned(), type_name: type_name.to_owned() },
        })
    }

    /// How much it says: a value, then true or false, then null or not.
    #[must_use]
    pub fn weakness(&self) -> u8 {
        match self {
            Self::Equal { .. } => 0,
            Self::Bool(_) => 1,
            Self::Null => 2,
            Self::NotNull => 3,
        }
    }
}

/// The assertion that `actual`, an expression, gives that.
#[must_use]
pub fn assertion(style: &Style, actual: &str, expected: &Expected) -> Assertion {
    let imports = expected_imports(expected);
    match style.library {
        Library::Fluent => {
            let that = style.call(&format!("{}assertThat", style.qualifier), &[actual]);
            let code = match expected {
                Expected::Bool(true) => format!("{that}.isTrue();"),
                Expected::Bool(false) => format!("{that}.isFalse();"),
                Expected::Null => format!("{that}.isNull();"),
                Expected::NotNull => format!("{that}.isNotNull();"),
                Expected::Equal { source, .. } => format!("{that}.{};", style.call("isEqualTo", &[source])),
            };
            with(style, code, &["assertThat"], imports)
        }
        Library::Hamcrest => {
            let (matcher, names): (String, &[&str]) = match expected {
                Expected::Bool(value) => (style.call("is", &[&value.to_string()]), &["is"]),
                Expected::Null => ("nullValue()".to_owned(), &["nullValue"]),
                Expected::NotNull => ("notNullValue()".to_owned(), &["notNullValue"]),
                Expected::Equal { source, .. } => (style.call("is", &[source]), &["is"]),
            };
            let code = format!("{};", style.call("assertThat", &[actual, &matcher]));
            let mut imports = imports;
            let matchers =
                names.iter().map(|name| Needed { is_static: true, name: format!("org.hamcrest.CoreMatchers.{name}") });
            imports.extend(matchers);
            Assertion { code, imports }
        }
        Library::JUnit | Library::TestNG => {
            let (name, arguments): (&str, Vec<String>) = match expected {
                Expected::Bool(true) => ("assertTrue", vec![actual.to_owned()]),
                Expected::Bool(false) => ("assertFalse", vec![actual.to_owned()]),
                Expected::Null => ("assertNull", vec![actual.to_owned()]),
                Expected::NotNull => ("assertNotNull", vec![actual.to_owned()]),
                Expected::Equal { source, type_name } => ("assertEquals", equal(style, source, type_name, actual)),
            };
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let code = format!("{};", style.call(&format!("{}{name}", style.qualifier), &arguments));
            with(style, code, &[name], imports)
        }
    }
}

fn equal(style: &Style, source: &str, type_name: &str, actual: &str) -> Vec<String> {
    let finite = source.bytes().any(|byte| byte.is_ascii_digit());
    let expected = match type_name {
        // With a bare number the overloads for long and Object are ambiguous to javac.
        "java.lang.Integer" | "java.lang.Long" | "java.lang.Double" | "java.lang.Float" | "java.lang.Character"
            if finite || type_name.ends_with("Character") =>
        {
            format!("{}.valueOf({source})", type_name.trim_start_matches("java.lang."))
        }
        "java.lang.Short" | "java.lang.Byte" => {
            let class = type_name.trim_start_matches("java.lang.");
            format!("{class}.valueOf(({}) {source})", class.to_lowercase())
        }
        _ => source.to_owned(),
    };
    let mut arguments = match style.library {
        Library::TestNG => vec![actual.to_owned(), expected],
        _ => vec![expected, actual.to_owned()],
    };
    match type_name {
        "double" if finite => arguments.push("1e-9".to_owned()),
        "float" if finite => arguments.push("1e-6f".to_owned()),
        _ => {}
    }
    arguments
}

/// A constant of an enum is named by its class.
fn expected_imports(expected: &Expected) -> Vec<Needed> {
    let Expected::Equal { source, type_name } = expected else { return Vec::new() };
    let is_name =
        source.starts_with(char::is_alphabetic) && source.contains('.') && !type_name.starts_with("java.lang.");
    let is_primitive = !type_name.contains('.');
    if !is_name || is_primitive {
        return Vec::new();
    }
    vec![Needed { is_static: false, name: type_name.split('$').next().unwrap_or(type_name).to_owned() }]
}

fn with(style: &Style, code: String, names: &[&str], mut imports: Vec<Needed>) -> Assertion {
    if let Some(class) = &style.assertions {
        if style.qualifier.is_empty() {
            imports.extend(names.iter().map(|name| Needed { is_static: true, name: format!("{class}.{name}") }));
        } else {
            imports.push(Needed { is_static: false, name: class.clone() });
        }
    }
    Assertion { code, imports }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::source::TestSource;
    use std::path::Path;

    fn code(imports: &str, body: &str, expected: &Expected) -> (String, Vec<String>) {
        let text =
            format!("package t;\n{imports}\nclass T {{\n    @Test\n    void a() {{\n        {body}\n    }}\n}}\n");
        let source = TestSource::of(Path::new("T.java"), text).unwrap();
        let made = assertion(&Style::of(&source, &source.methods[0]), "x.y()", expected);
        (made.code, made.imports.into_iter().map(|needed| needed.name).collect())
    }

    fn of(type_name: &str, original: &str, transformed: &str) -> Expected {
        Expected::of(type_name, Some(original), Some(transformed)).unwrap()
    }

    #[test]
    fn each_library_has_its_own_words() {
        let five = of("int", "5", "0");
        let in_words = |imports: &str, body: &str, expected: &Expected| code(imports, body, expected).0;
        assert_eq!(in_words("import org.junit.Test;", "", &five), "assertEquals(5, x.y());");
        let fluent = "import static org.assertj.core.api.Assertions.assertThat;";
        assert_eq!(in_words(fluent, "assertThat(1).isTrue();", &five), "assertThat(x.y()).isEqualTo(5);");
        assert_eq!(in_words(fluent, "assertThat(1).isTrue();", &Expected::Null), "assertThat(x.y()).isNull();");
        let hamcrest = "import static org.hamcrest.CoreMatchers.is;\nimport static org.junit.Assert.assertThat;";
        assert_eq!(in_words(hamcrest, "assertThat(1, is(1));", &five), "assertThat(x.y(), is(5));");
        assert_eq!(in_words("import static org.testng.Assert.*;", "", &five), "assertEquals(x.y(), 5);");
        assert_eq!(
            in_words("import org.junit.Assert;", "Assert.assertTrue(a);", &Expected::Bool(false)),
            "Assert.assertFalse(x.y());"
        );
    }

    #[test]
    fn the_expected_value_is_java_of_its_type() {
        let junit = |expected: &Expected| code("import org.junit.Test;", "", expected);
        assert_eq!(junit(&of("double", "1.5", "0.0")).0, "assertEquals(1.5, x.y(), 1e-9);");
        assert_eq!(junit(&of("java.lang.Long", "3L", "0L")).0, "assertEquals(Long.valueOf(3L), x.y());");
        assert_eq!(
            junit(&of("a.Foo", "non-null", "null")),
            ("assertNotNull(x.y());".into(), vec!["org.junit.Assert.assertNotNull".into()])
        );
        let color = junit(&of("a.Paint$Color", "Paint.Color.RED", "null"));
        assert_eq!(color.0, "assertEquals(Paint.Color.RED, x.y());");
        assert_eq!(color.1, ["a.Paint", "org.junit.Assert.assertEquals"]);
        assert_eq!(Expected::of("a.Foo", Some("non-null"), Some("non-null")), None);
        assert_eq!(Expected::of("int", None, Some("1")), None);
    }
}

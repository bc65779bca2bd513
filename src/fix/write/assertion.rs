//! From a value that differs to the assertion that tells the two sides apart, as the test class would write it.

use crate::fix::source::style::{Library, Needed, Style};
use crate::fix::techniques::mockito;
use crate::suggest::is_literal;

/// Longest expected value that is written into an assertion, in characters.
const LONGEST: usize = 160;

/// An assertion as a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    pub code: String,
    pub imports: Vec<Needed>,
    /// The exception that the annotation of the test has to name, as written.
    pub expects: Option<String>,
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
    /// The contents of an array or a list, as Java source, and the type of an element.
    Elements {
        of: Sequence,
        element: String,
        sources: Vec<String>,
    },
    /// How many elements.
    Count {
        of: Sequence,
        count: usize,
    },
    /// A mock was told this (`enter("a")`) so many times.
    Called {
        mock: String,
        call: String,
        times: usize,
    },
    /// Of [`CALLS`](crate::fix::trial::chance::CALLS) calls: both truth values, or more different values than this.
    Varied {
        is_boolean: bool,
        above: usize,
    },
    /// The exception that it ends with: binary name of the class, and the message as Java source where it is always the same.
    Throws {
        class: String,
        message: Option<String>,
    },
}

/// Of what the elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    Array,
    List,
    /// A collection or map whose order says nothing.
    Sized,
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
            Self::Equal { .. } | Self::Elements { .. } => 0,
            Self::Bool(_) | Self::Varied { .. } | Self::Called { .. } | Self::Throws { message: Some(_), .. } => 1,
            Self::Null | Self::Count { .. } => 2,
            Self::NotNull => 3,
            // Which exception the JVM throws where nobody has looked is hardly meant.
            Self::Throws { class, message: None } if is_of_jvm(class) => 6,
            Self::Throws { .. } => 4,
        }
    }

    /// Whether nobody has meant it to be so.
    #[must_use]
    pub fn is_accidental(&self) -> bool {
        self.weakness() > 5
    }
}

/// Whether the JVM throws it by itself.
#[must_use]
pub fn is_of_jvm(class: &str) -> bool {
    let by_itself =
        ["NullPointer", "ArrayIndexOutOfBounds", "ClassCast", "NegativeArraySize", "Arithmetic", "ArrayStore"];
    by_itself.iter().any(|name| class == format!("java.lang.{name}Exception"))
        || class == "java.lang.StringIndexOutOfBoundsException"
        || class.ends_with("Error")
}

/// The assertion that `actual`, an expression, gives that.
#[must_use]
pub fn assertion(style: &Style, actual: &str, expected: &Expected) -> Assertion {
    match expected {
        Expected::Count { of, count } => {
            let number = Expected::Equal { source: count.to_string(), type_name: "int".to_owned() };
            let of = if *of == Sequence::Array { ".length" } else { ".size()" };
            return assertion(style, &format!("{actual}{of}"), &number);
        }
        Expected::Called { mock, call, times } => return called(style, mock, call, *times),
        Expected::Varied { is_boolean, above } => return different(style, actual, *is_boolean, *above),
        Expected::Elements { of, element, sources } => return elements(style, actual, *of, element, sources),
        Expected::Bool(true) => {
            if let Some((one, other)) = actual.split_once(" == ") {
                return same(style, one, other);
            }
        }
        _ => {}
    }
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
                // Written elsewhere.
                Expected::Elements { .. }
                | Expected::Count { .. }
                | Expected::Called { .. }
                | Expected::Varied { .. }
                | Expected::Throws { .. } => String::new(),
            };
            with(style, code, &["assertThat"], imports)
        }
        Library::Hamcrest => {
            let (matcher, names): (String, &[&str]) = match expected {
                Expected::Bool(value) => (style.call("is", &[&value.to_string()]), &["is"]),
                Expected::Null => ("nullValue()".to_owned(), &["nullValue"]),
                Expected::NotNull => ("notNullValue()".to_owned(), &["notNullValue"]),
                Expected::Equal { source, .. } => (style.call("is", &[source]), &["is"]),
                Expected::Elements { .. }
                | Expected::Count { .. }
                | Expected::Called { .. }
                | Expected::Varied { .. }
                | Expected::Throws { .. } => (String::new(), &[]),
            };
            let code = format!("{};", style.call("assertThat", &[actual, &matcher]));
            let mut imports = imports;
            let matchers =
                names.iter().map(|name| Needed { is_static: true, name: format!("org.hamcrest.CoreMatchers.{name}") });
            imports.extend(matchers);
            Assertion { code, imports, expects: None }
        }
        Library::JUnit | Library::TestNG => {
            let (name, arguments): (&str, Vec<String>) = match expected {
                Expected::Bool(true) => ("assertTrue", vec![actual.to_owned()]),
                Expected::Bool(false) => ("assertFalse", vec![actual.to_owned()]),
                Expected::Null => ("assertNull", vec![actual.to_owned()]),
                Expected::NotNull => ("assertNotNull", vec![actual.to_owned()]),
                Expected::Equal { source, type_name } => ("assertEquals", equal(style, source, type_name, actual)),
                Expected::Elements { .. }
                | Expected::Count { .. }
                | Expected::Called { .. }
                | Expected::Varied { .. }
                | Expected::Throws { .. } => ("fail", Vec::new()),
            };
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let code = format!("{};", style.call(&format!("{}{name}", style.qualifier), &arguments));
            with(style, code, &[name], imports)
        }
    }
}

/// That a number of different values is that of both truth values, or more than this.
fn different(style: &Style, count: &str, is_boolean: bool, above: usize) -> Assertion {
    if is_boolean {
        // Its matchers compare objects, of one class.
        let is_long = style.library == Library::Hamcrest && !count.ends_with(".size()");
        let both = if is_long { "2L" } else { "2" };
        return assertion(style, count, &Expected::Equal { source: both.to_owned(), type_name: "long".to_owned() });
    }
    if style.library == Library::Fluent {
        let that = style.call(&format!("{}assertThat", style.qualifier), &[count]);
        // Truth compares objects, of one class.
        let suffix = if style.assertions.as_deref().is_some_and(|class| class.ends_with("Truth")) { "L" } else { "" };
        let code = format!("{that}.{};", style.call("isGreaterThan", &[&format!("{above}{suffix}")]));
        return with(style, code, &["assertThat"], Vec::new());
    }
    assertion(style, &format!("{count} > {above}"), &Expected::Bool(true))
}

/// That a mock was told this so many times.
fn called(style: &Style, mock: &str, call: &str, times: usize) -> Assertion {
    let qualifier = style.mockito.as_str();
    let times = match times {
        0 => Some(format!("{qualifier}never()")),
        1 => None,
        more => Some(format!("{qualifier}{}", style.call("times", &[&more.to_string()]))),
    };
    let arguments: Vec<&str> = std::iter::once(mock).chain(times.as_deref()).collect();
    let code = format!("{}.{call};", style.call(&format!("{qualifier}verify"), &arguments));
    let imports = mockito(&code, qualifier);
    Assertion { code, imports, expects: None }
}

/// That two expressions give one object.
fn same(style: &Style, one: &str, other: &str) -> Assertion {
    match style.library {
        Library::Fluent => {
            let that = style.call(&format!("{}assertThat", style.qualifier), &[one]);
            let word = if style.assertions.as_deref().is_some_and(|class| class.ends_with("Truth")) {
                "isSameInstanceAs"
            } else {
                "isSameAs"
            };
            with(style, format!("{that}.{};", style.call(word, &[other])), &["assertThat"], Vec::new())
        }
        Library::Hamcrest => {
            let code = format!("{};", style.call("assertThat", &[one, &style.call("sameInstance", &[other])]));
            let imports = vec![Needed { is_static: true, name: "org.hamcrest.CoreMatchers.sameInstance".to_owned() }];
            Assertion { code, imports, expects: None }
        }
        Library::JUnit | Library::TestNG => {
            let code = format!("{};", style.call(&format!("{}assertSame", style.qualifier), &[one, other]));
            with(style, code, &["assertSame"], Vec::new())
        }
    }
}

/// That an array or a list has these elements.
fn elements(style: &Style, actual: &str, of: Sequence, element: &str, sources: &[String]) -> Assertion {
    let all = sources.join(", ");
    let simple = crate::text::words::short_class(element);
    let class = |name: &str| Needed { is_static: false, name: name.to_owned() };
    let mut imports = Vec::new();
    if element.contains('.') && !element.starts_with("java.lang.") {
        imports.push(class(crate::text::words::top_level(element)));
    }
    let expected = match of {
        Sequence::Array => format!("new {simple}[] {{{all}}}"),
        _ if sources.is_empty() => {
            imports.push(class("java.util.Collections"));
            "Collections.emptyList()".to_owned()
        }
        _ => {
            imports.push(class("java.util.Arrays"));
            format!("Arrays.asList({all})")
        }
    };
    let is_real = of == Sequence::Array && matches!(element, "double" | "float");
    match style.library {
        Library::Fluent => {
            let that = style.call(&format!("{}assertThat", style.qualifier), &[actual]);
            with(style, format!("{that}.{};", style.call("isEqualTo", &[&expected])), &["assertThat"], imports)
        }
        Library::Hamcrest => {
            let code = format!("{};", style.call("assertThat", &[actual, &style.call("is", &[&expected])]));
            imports.push(Needed { is_static: true, name: "org.hamcrest.CoreMatchers.is".to_owned() });
            Assertion { code, imports, expects: None }
        }
        Library::JUnit | Library::TestNG => {
            let name = if of == Sequence::Array && style.library == Library::JUnit {
                "assertArrayEquals"
            } else {
                "assertEquals"
            };
            let mut arguments = vec![expected.as_str(), actual];
            if style.library == Library::TestNG {
                arguments.reverse();
            }
            if is_real {
                arguments.push("0");
            }
            // JUnit 3 has none for arrays.
            let code = match (&style.assertions, of) {
                (None, Sequence::Array) => {
                    imports.push(class("java.util.Arrays"));
                    style.call("assertTrue", &[&format!("Arrays.equals({expected}, {actual})")])
                }
                _ => style.call(&format!("{}{name}", style.qualifier), &arguments),
            };
            with(style, format!("{code};"), &[name], imports)
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
    Assertion { code, imports, expects: None }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::source::test_source::TestSource;
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
        assert_eq!(code("import org.junit.Test;", "", &Expected::Bool(true)).0, "assertTrue(x.y());");
        let source = TestSource::of(Path::new("T.java"), "class T { @Test void a() { } }".to_owned()).unwrap();
        let style = Style::of(&source, &source.methods[0]);
        assert_eq!(assertion(&style, "x.y() == x.y()", &Expected::Bool(true)).code, "assertSame(x.y(), x.y());");
        let color = junit(&of("a.Paint$Color", "Paint.Color.RED", "null"));
        assert_eq!(color.0, "assertEquals(Paint.Color.RED, x.y());");
        assert_eq!(color.1, ["a.Paint", "org.junit.Assert.assertEquals"]);
        assert_eq!(Expected::of("a.Foo", Some("non-null"), Some("non-null")), None);
        assert_eq!(Expected::of("int", None, Some("1")), None);
    }
}

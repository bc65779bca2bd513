//! Assertions: Java statements that state an expectation, in the style of the test class.

use crate::fix::expected::{Expected, Sequence};
use crate::fix::source::imports::NewImport;
use crate::fix::source::style::{AssertionLibrary, Style};
use crate::fix::write::value_source;
use crate::fix::write::verification::verification;
use crate::suggest::{Comparison, comparison};
use crate::text::words;

/// An assertion as a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    pub code: String,
    pub imports: Vec<NewImport>,
    /// The exception that the annotation of the test has to name, as written.
    pub expects: Option<String>,
}

/// The assertion that the expression `actual` gives what is expected.
#[must_use]
pub fn assertion(style: &Style, actual: &str, expected: &Expected) -> Assertion {
    match expected {
        Expected::Count { of, count } => {
            let number = Expected::Equal { source: count.to_string(), type_name: "int".to_owned() };
            let of = if *of == Sequence::Array { ".length" } else { ".size()" };
            return assertion(style, &format!("{actual}{of}"), &number);
        }
        Expected::Called { mock, call, times } => {
            let (code, imports) = verification(style, mock, call, *times);
            return Assertion { code, imports, expects: None };
        }
        Expected::Varied { is_boolean, above } => return different(style, actual, *is_boolean, *above),
        Expected::Sign { is_negative } => return sign(style, actual, *is_negative),
        Expected::Elements { of, element, sources } => return elements(style, actual, *of, element, sources),
        Expected::Equal { source, type_name } if type_name.ends_with("[]") => {
            return array(style, actual, source, value_source::imports(source, type_name), type_name);
        }
        Expected::Edge { at_end, source } => return edge(style, actual, *at_end, source),
        Expected::Bool(true) => {
            if let Some((one, other)) = actual.split_once(" == ") {
                return same(style, one, other);
            }
        }
        _ => {}
    }
    let imports = expected_imports(expected);
    match style.library {
        AssertionLibrary::Fluent => {
            let that = style.call(&format!("{}assertThat", style.qualifier), &[actual]);
            let code = match expected {
                Expected::Bool(true) => format!("{that}.isTrue();"),
                Expected::Bool(false) => format!("{that}.isFalse();"),
                Expected::Null => format!("{that}.isNull();"),
                Expected::NotNull => format!("{that}.isNotNull();"),
                Expected::Equal { source, .. } => format!("{that}.{};", style.call("isEqualTo", &[source])),
                // Written above.
                Expected::Edge { .. }
                | Expected::Sign { .. }
                | Expected::Elements { .. }
                | Expected::Count { .. }
                | Expected::Called { .. }
                | Expected::Varied { .. }
                | Expected::Throws { .. } => String::new(),
            };
            with(style, code, &["assertThat"], imports)
        }
        AssertionLibrary::Hamcrest => matching(style, actual, expected, imports),
        AssertionLibrary::JUnit | AssertionLibrary::TestNG => {
            let (name, arguments): (&str, Vec<String>) = match expected {
                Expected::Bool(true) => ("assertTrue", vec![actual.to_owned()]),
                Expected::Bool(false) => ("assertFalse", vec![actual.to_owned()]),
                Expected::Null => ("assertNull", vec![actual.to_owned()]),
                Expected::NotNull => ("assertNotNull", vec![actual.to_owned()]),
                Expected::Equal { source, type_name } => ("assertEquals", equal(style, source, type_name, actual)),
                Expected::Edge { .. }
                | Expected::Sign { .. }
                | Expected::Elements { .. }
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

/// Hamcrest's assertion.
fn matching(style: &Style, actual: &str, expected: &Expected, imports: Vec<NewImport>) -> Assertion {
    let (matcher, names): (String, &[&str]) = match expected {
        Expected::Bool(value) => (style.call("is", &[&value.to_string()]), &["is"]),
        Expected::Null => ("nullValue()".to_owned(), &["nullValue"]),
        Expected::NotNull => ("notNullValue()".to_owned(), &["notNullValue"]),
        Expected::Equal { source, .. } => (style.call("is", &[source]), &["is"]),
        Expected::Edge { .. }
        | Expected::Sign { .. }
        | Expected::Elements { .. }
        | Expected::Count { .. }
        | Expected::Called { .. }
        | Expected::Varied { .. }
        | Expected::Throws { .. } => (String::new(), &[]),
    };
    let code = format!("{};", style.call("assertThat", &[actual, &matcher]));
    let mut imports = imports;
    let matchers =
        names.iter().map(|name| NewImport { is_static: true, name: format!("org.hamcrest.CoreMatchers.{name}") });
    imports.extend(matchers);
    Assertion { code, imports, expects: None }
}

/// The assertion that a comparison gives a number of this sign.
fn sign(style: &Style, actual: &str, is_negative: bool) -> Assertion {
    if style.library == AssertionLibrary::Fluent {
        let that = style.call(&format!("{}assertThat", style.qualifier), &[actual]);
        let code = format!("{that}.{};", style.call(if is_negative { "isLessThan" } else { "isGreaterThan" }, &["0"]));
        return with(style, code, &["assertThat"], Vec::new());
    }
    let operator = if is_negative { '<' } else { '>' };
    assertion(style, &format!("{actual} {operator} 0"), &Expected::Bool(true))
}

/// The assertion that a number of different values is two, for both truth values, or greater than
/// `above`.
fn different(style: &Style, count: &str, is_boolean: bool, above: usize) -> Assertion {
    if is_boolean {
        // The matchers of Hamcrest compare objects of the same class.
        let is_long = style.library == AssertionLibrary::Hamcrest && !count.ends_with(".size()");
        let both = if is_long { "2L" } else { "2" };
        return assertion(style, count, &Expected::Equal { source: both.to_owned(), type_name: "long".to_owned() });
    }
    if style.library == AssertionLibrary::Fluent {
        let that = style.call(&format!("{}assertThat", style.qualifier), &[count]);
        // Truth compares objects of the same class.
        let suffix = if style.assertions.as_deref().is_some_and(|class| class.ends_with("Truth")) { "L" } else { "" };
        let code = format!("{that}.{};", style.call("isGreaterThan", &[&format!("{above}{suffix}")]));
        return with(style, code, &["assertThat"], Vec::new());
    }
    assertion(style, &format!("{count} > {above}"), &Expected::Bool(true))
}

/// The assertion that a text starts or ends with another one.
fn edge(style: &Style, actual: &str, at_end: bool, source: &str) -> Assertion {
    let name = if at_end { "endsWith" } else { "startsWith" };
    match style.library {
        AssertionLibrary::Fluent => {
            let that = style.call(&format!("{}assertThat", style.qualifier), &[actual]);
            with(style, format!("{that}.{};", style.call(name, &[source])), &["assertThat"], Vec::new())
        }
        AssertionLibrary::Hamcrest => {
            let code = format!("{};", style.call("assertThat", &[actual, &style.call(name, &[source])]));
            let imports = vec![NewImport { is_static: true, name: format!("org.hamcrest.CoreMatchers.{name}") }];
            Assertion { code, imports, expects: None }
        }
        AssertionLibrary::JUnit | AssertionLibrary::TestNG => {
            let call = style.call(&format!("{actual}.{name}"), &[source]);
            let code = format!("{};", style.call(&format!("{}assertTrue", style.qualifier), &[&call]));
            with(style, code, &["assertTrue"], Vec::new())
        }
    }
}

/// The assertion that two expressions give the same object.
fn same(style: &Style, one: &str, other: &str) -> Assertion {
    match style.library {
        AssertionLibrary::Fluent => {
            let that = style.call(&format!("{}assertThat", style.qualifier), &[one]);
            let word = if style.assertions.as_deref().is_some_and(|class| class.ends_with("Truth")) {
                "isSameInstanceAs"
            } else {
                "isSameAs"
            };
            with(style, format!("{that}.{};", style.call(word, &[other])), &["assertThat"], Vec::new())
        }
        AssertionLibrary::Hamcrest => {
            let code = format!("{};", style.call("assertThat", &[one, &style.call("sameInstance", &[other])]));
            let imports =
                vec![NewImport { is_static: true, name: "org.hamcrest.CoreMatchers.sameInstance".to_owned() }];
            Assertion { code, imports, expects: None }
        }
        AssertionLibrary::JUnit | AssertionLibrary::TestNG => {
            let code = format!("{};", style.call(&format!("{}assertSame", style.qualifier), &[one, other]));
            with(style, code, &["assertSame"], Vec::new())
        }
    }
}

/// The assertion that an array or a list has these elements.
fn elements(style: &Style, actual: &str, of: Sequence, element: &str, sources: &[String]) -> Assertion {
    let all = sources.join(", ");
    let simple = words::short_class(element);
    let class = |name: &str| NewImport { is_static: false, name: name.to_owned() };
    let mut imports = Vec::new();
    if element.contains('.') && !element.starts_with("java.lang.") {
        imports.push(class(words::top_level(element)));
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
    if of == Sequence::Array {
        return array(style, actual, &expected, imports, &format!("{element}[]"));
    }
    match style.library {
        AssertionLibrary::Fluent => {
            let that = style.call(&format!("{}assertThat", style.qualifier), &[actual]);
            with(style, format!("{that}.{};", style.call("isEqualTo", &[&expected])), &["assertThat"], imports)
        }
        AssertionLibrary::Hamcrest => is(style, actual, &expected, imports),
        AssertionLibrary::JUnit | AssertionLibrary::TestNG => {
            let code = style.call(&format!("{}assertEquals", style.qualifier), &in_order(style, &expected, actual));
            with(style, format!("{code};"), &["assertEquals"], imports)
        }
    }
}

/// The assertion that an array has the elements of another one.
fn array(style: &Style, actual: &str, expected: &str, mut imports: Vec<NewImport>, type_name: &str) -> Assertion {
    match style.library {
        AssertionLibrary::Fluent => {
            let that = style.call(&format!("{}assertThat", style.qualifier), &[actual]);
            with(style, format!("{that}.{};", style.call("isEqualTo", &[expected])), &["assertThat"], imports)
        }
        AssertionLibrary::Hamcrest => is(style, actual, expected, imports),
        AssertionLibrary::JUnit | AssertionLibrary::TestNG => {
            // JUnit 3 has no assertion for arrays.
            if style.assertions.is_none() {
                imports.push(NewImport { is_static: false, name: "java.util.Arrays".to_owned() });
                let equals = if type_name.ends_with("[][]") { "deepEquals" } else { "equals" };
                let code = style.call("assertTrue", &[&format!("Arrays.{equals}({expected}, {actual})")]);
                return with(style, format!("{code};"), &["assertTrue"], imports);
            }
            let name = if style.library == AssertionLibrary::JUnit { "assertArrayEquals" } else { "assertEquals" };
            let mut arguments = in_order(style, expected, actual).to_vec();
            // JUnit 5 compares exactly without a tolerance, and refuses one of zero.
            if matches!(type_name, "double[]" | "float[]") && !style.is_jupiter {
                arguments.push("0");
            }
            let code = style.call(&format!("{}{name}", style.qualifier), &arguments);
            with(style, format!("{code};"), &[name], imports)
        }
    }
}

/// The arguments of an assertion of equality in the order of its library.
fn in_order<'a>(style: &Style, expected: &'a str, actual: &'a str) -> [&'a str; 2] {
    if style.library == AssertionLibrary::TestNG { [actual, expected] } else { [expected, actual] }
}

/// Hamcrest's assertion that a value equals another one.
fn is(style: &Style, actual: &str, expected: &str, mut imports: Vec<NewImport>) -> Assertion {
    let code = format!("{};", style.call("assertThat", &[actual, &style.call("is", &[expected])]));
    imports.push(NewImport { is_static: true, name: "org.hamcrest.CoreMatchers.is".to_owned() });
    Assertion { code, imports, expects: None }
}

fn equal(style: &Style, source: &str, type_name: &str, actual: &str) -> Vec<String> {
    let boxed = |class: &str, source: &str| format!("{class}.valueOf({source})");
    let (expected, actual) = match type_name {
        // With a bare number, the overloads for `long` and `Object` are ambiguous to javac.
        "java.lang.Integer" | "java.lang.Long" | "java.lang.Double" | "java.lang.Float" | "java.lang.Character" => {
            (boxed(type_name.trim_start_matches("java.lang."), source), actual.to_owned())
        }
        "java.lang.Short" | "java.lang.Byte" => {
            let class = type_name.trim_start_matches("java.lang.");
            (boxed(class, &format!("({}) {source}", class.to_lowercase())), actual.to_owned())
        }
        "double" | "float" if comparison(type_name, source) == Comparison::Exactly && !style.is_jupiter => {
            let class = if type_name == "double" { "Double" } else { "Float" };
            (boxed(class, source), boxed(class, actual))
        }
        _ => (source.to_owned(), actual.to_owned()),
    };
    let mut arguments = match style.library {
        AssertionLibrary::TestNG => vec![actual, expected],
        _ => vec![expected, actual],
    };
    // Only JUnit 3 and 4 need a tolerance for infinities and "not a number".
    let is_finite = source.contains(|one: char| one.is_ascii_digit());
    if let ("double" | "float", Comparison::Within(tolerance)) = (type_name, comparison(type_name, source))
        && (is_finite || style.library == AssertionLibrary::JUnit && !style.is_jupiter)
    {
        arguments.push(tolerance);
    }
    arguments
}

fn expected_imports(expected: &Expected) -> Vec<NewImport> {
    let Expected::Equal { source, type_name } = expected else { return Vec::new() };
    value_source::imports(source, type_name)
}

fn with(style: &Style, code: String, names: &[&str], mut imports: Vec<NewImport>) -> Assertion {
    if let Some(class) = &style.assertions {
        if style.qualifier.is_empty() {
            imports.extend(names.iter().map(|name| NewImport { is_static: true, name: format!("{class}.{name}") }));
        } else {
            imports.push(NewImport { is_static: false, name: class.clone() });
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
    fn an_assertion_follows_the_library_of_the_class() {
        let five = of("int", "5", "0");
        let in_words = |imports: &str, body: &str, expected: &Expected| code(imports, body, expected).0;
        assert_eq!(in_words("import org.junit.Test;", "", &five), "assertEquals(5, x.y());");
        let fluent = "import static org.assertj.core.api.Assertions.assertThat;";
        assert_eq!(in_words(fluent, "assertThat(1).isTrue();", &five), "assertThat(x.y()).isEqualTo(5);");
        assert_eq!(in_words(fluent, "assertThat(1).isTrue();", &Expected::Null), "assertThat(x.y()).isNull();");
        let hamcrest = "import static org.hamcrest.CoreMatchers.is;\nimport static org.junit.Assert.assertThat;";
        assert_eq!(in_words(hamcrest, "assertThat(1, is(1));", &five), "assertThat(x.y(), is(5));");
        assert_eq!(in_words("import static org.testng.Assert.*;", "", &five), "assertEquals(x.y(), 5);");
        let sign = Expected::Sign { is_negative: true };
        assert_eq!(in_words("import org.junit.Test;", "", &sign), "assertTrue(x.y() < 0);");
        assert_eq!(
            in_words(fluent, "assertThat(1).isTrue();", &Expected::Sign { is_negative: false }),
            "assertThat(x.y()).isGreaterThan(0);"
        );
        let edge = |at_end: bool| Expected::Edge { at_end, source: "\"a\"".to_owned() };
        assert_eq!(in_words("import org.junit.Test;", "", &edge(false)), "assertTrue(x.y().startsWith(\"a\"));");
        assert_eq!(in_words(fluent, "assertThat(1).isTrue();", &edge(true)), "assertThat(x.y()).endsWith(\"a\");");
        assert_eq!(in_words(hamcrest, "assertThat(1, is(1));", &edge(true)), "assertThat(x.y(), endsWith(\"a\"));");
        assert_eq!(
            in_words("import org.junit.Assert;", "Assert.assertTrue(a);", &Expected::Bool(false)),
            "Assert.assertFalse(x.y());"
        );
    }

    #[test]
    fn an_expected_value_is_java_of_its_type() {
        let junit = |expected: &Expected| code("import org.junit.Test;", "", expected);
        assert_eq!(junit(&of("double", "1.5", "0.0")).0, "assertEquals(1.5, x.y(), 1e-9);");
        assert_eq!(junit(&of("double", "3.2e-19", "0.0")).0, "assertEquals(3.2e-19, x.y(), 1e-28);");
        assert_eq!(junit(&of("double", "-0.0", "0.0")).0, "assertEquals(Double.valueOf(-0.0), Double.valueOf(x.y()));");
        let jupiter = |expected: &Expected| code("import org.junit.jupiter.api.Test;", "", expected).0;
        assert_eq!(jupiter(&of("double", "5e-324", "0.0")), "assertEquals(5e-324, x.y());");
        assert_eq!(
            jupiter(&of("double[][]", "new double[][] {{1.0}, {}}", "null")),
            "assertArrayEquals(new double[][] {{1.0}, {}}, x.y());"
        );
        assert_eq!(jupiter(&of("double", "Double.NaN", "0.0")), "assertEquals(Double.NaN, x.y());");
        assert_eq!(junit(&of("double", "Double.NaN", "0.0")).0, "assertEquals(Double.NaN, x.y(), 1e-9);");
        assert_eq!(junit(&of("java.lang.Boolean", "false", "null")).0, "assertEquals(Boolean.FALSE, x.y());");
        assert_eq!(junit(&of("java.lang.Boolean", "false", "true")).0, "assertFalse(x.y());");
        assert_eq!(
            junit(&of("java.lang.Double", "Double.NaN", "0.0")).0,
            "assertEquals(Double.valueOf(Double.NaN), x.y());"
        );
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

//! Translates names, descriptors and recorded values of the JVM to the words of a Java developer.

use crate::observation::noise::NoiseRules;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

/// The types of a method descriptor (JVMS §4.3.3) in Java's notation: parameters, then the result.
#[must_use]
pub fn types(descriptor: &str) -> (Vec<String>, String) {
    let mut parameters = Vec::new();
    let mut rest = descriptor.strip_prefix('(').unwrap_or(descriptor);
    while !rest.is_empty() && !rest.starts_with(')') {
        let (name, after) = first_type(rest);
        parameters.push(name);
        rest = after;
    }
    let (result, _) = first_type(rest.strip_prefix(')').unwrap_or(""));
    (parameters, result)
}

fn first_type(descriptor: &str) -> (String, &str) {
    let dimensions = descriptor.chars().take_while(|&c| c == '[').count();
    let element = descriptor.get(dimensions..).unwrap_or("");
    let (name, rest) = match element.chars().next() {
        Some('L') => match element.split_once(';') {
            Some((class, rest)) => (class.trim_start_matches('L').replace('/', "."), rest),
            None => (element.to_owned(), ""),
        },
        Some(c) => {
            let name = match c {
                'B' => "byte",
                'C' => "char",
                'D' => "double",
                'F' => "float",
                'I' => "int",
                'J' => "long",
                'S' => "short",
                'Z' => "boolean",
                'V' => "void",
                _ => "?",
            };
            (name.to_owned(), element.get(c.len_utf8()..).unwrap_or(""))
        }
        None => (String::new(), ""),
    };
    (name + &"[]".repeat(dimensions), rest)
}

/// `org.example.Stack$Node` → `Stack.Node`. `Rule$4` has no name in Java and stays as it is.
#[must_use]
pub fn short_class(binary: &str) -> String {
    let simple = binary.rsplit('.').next().unwrap_or(binary);
    let mut out = String::with_capacity(simple.len());
    let mut chars = simple.chars().peekable();
    while let Some(c) = chars.next() {
        let names_a_member = !out.is_empty() && chars.peek().is_some_and(|next| !next.is_ascii_digit() && *next != '$');
        out.push(if c == '$' && names_a_member { '.' } else { c });
    }
    out
}

/// `Inner` of `a.Outer$Inner`.
#[must_use]
pub fn simple_name(binary: &str) -> &str {
    binary.rsplit(['.', '$']).next().unwrap_or(binary)
}

/// `org.example.Stack$Node` → `org.example.Stack`.
#[must_use]
pub fn top_level(binary: &str) -> &str {
    let start = binary.rfind('.').map_or(0, |dot| dot + 1);
    match binary.get(start + 1..).and_then(|name| name.find('$')) {
        Some(dollar) => binary.get(..start + 1 + dollar).unwrap_or(binary),
        None => binary,
    }
}

/// Whether a source file is named like this class or its top-level class.
#[must_use]
pub fn is_source_name(file: &Path, class: &str) -> bool {
    file.file_stem().and_then(OsStr::to_str) == top_level(class).rsplit('.').next()
}

/// `org.example.Stack` → `org.example`; empty for the default package.
#[must_use]
pub fn package(binary: &str) -> &str {
    binary.rfind('.').and_then(|dot| binary.get(..dot)).unwrap_or("")
}

/// `Stack.push(int, String)`, `new Stack(int)`, `lambda in Stack.sort`: enough to recognise a
/// method whose full name appears elsewhere.
#[must_use]
pub fn short_method(class: &str, name: &str, descriptor: &str) -> String {
    let class = short_class(class);
    if let Some(rest) = name.strip_prefix("lambda$") {
        return match rest.rsplit_once('$') {
            // In constructors, initialisers and other lambdas.
            None | Some(("new" | "static" | "null", _)) => format!("lambda in {class}"),
            Some((method, _)) if method.contains('$') => format!("lambda in {class}"),
            Some((method, _)) => format!("lambda in {class}.{method}"),
        };
    }
    let (parameters, _) = types(descriptor);
    let parameters: Vec<String> = parameters.iter().map(|parameter| short_class(parameter)).collect();
    let parameters = parameters.join(", ");
    match name {
        "<init>" => format!("new {class}({parameters})"),
        "<clinit>" => format!("static initialiser of {class}"),
        _ => format!("{class}.{name}({parameters})"),
    }
}

/// `org.example.Stack$Node.push(int, java.lang.String)`, as the JSON report names entry points and
/// accessors.
#[must_use]
pub fn full_method(class: &str, name: &str, descriptor: &str) -> String {
    format!("{class}.{name}({})", types(descriptor).0.join(", "))
}

/// The test's name without its package: `Stack.pops()` for `org.example.Stack.pops()`. Parameters
/// may contain dots themselves.
#[must_use]
pub fn short_test(name: &str, class: &str) -> String {
    match name.strip_prefix(class) {
        Some(rest) => short_class(class) + rest,
        None => name.to_owned(),
    }
}

/// The same if the test's class is unknown: `StackTest.pops(int)[2]` for
/// `org.example.StackTest.pops(int)[2]`.
#[must_use]
pub fn short_test_name(test: &str) -> String {
    let class = class_of_test(test);
    match test.get(class.len()..).and_then(|rest| rest.strip_prefix('.')) {
        Some(method) => format!("{}.{method}", short_class(class)),
        None => test.to_owned(),
    }
}

/// The binary name of a test's class: everything before the last dot in front of the parameters,
/// which may contain dots themselves.
#[must_use]
pub fn class_of_test(test: &str) -> &str {
    let name = test.split('(').next().unwrap_or(test);
    name.rsplit_once('.').map_or(test, |(class, _)| class)
}

/// The constant of a transformation, from the name that Descartes gives it: Java source or a few
/// words (`true`, `' '`, `an empty array`). The flag says whether it is source. `None` for `void`.
#[must_use]
pub fn constant(transformation: &str, descriptor: &str) -> Option<(String, bool)> {
    let words = match transformation {
        "void" => return None,
        "empty" if types(descriptor).1.ends_with("[]") => ("an empty array".to_owned(), false),
        "empty" => ("an empty value".to_owned(), false),
        "new" => ("a new object".to_owned(), false),
        // Descartes writes the space as an octal escape.
        "'\\40'" => ("' '".to_owned(), true),
        other => match other.strip_prefix("argument").and_then(|number| number.trim().parse::<u16>().ok()) {
            Some(number) => (format!("its {} argument", ordinal(number)), false),
            None => (other.to_owned(), true),
        },
    };
    Some(words)
}

/// 0 → `first`: people count arguments from one.
#[must_use]
pub fn ordinal(index: u16) -> String {
    match index {
        0 => "first".to_owned(),
        1 => "second".to_owned(),
        2 => "third".to_owned(),
        3 => "fourth".to_owned(),
        n => {
            let n = u32::from(n) + 1;
            let ending = match (n % 10, n % 100) {
                (1, rest) if rest != 11 => "st",
                (2, rest) if rest != 12 => "nd",
                (3, rest) if rest != 13 => "rd",
                _ => "th",
            };
            format!("{n}{ending}")
        }
    }
}

/// `1 test`, `2 tests`.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A variable name for an object of the class: `VersionedSet` → `versionedSet`.
#[must_use]
pub fn variable(class: &str) -> String {
    let simple = short_class(class).replace("[]", "s");
    let name = simple.rsplit('.').next().unwrap_or_default();
    let upper = name.chars().take_while(|character| character.is_uppercase()).count();
    // In `IDKey` the second word begins at the third letter; in `URL` there is only one.
    let begins_word = name.chars().nth(upper).is_some_and(char::is_lowercase);
    let lowered = if begins_word { upper.saturating_sub(1).max(1) } else { upper.max(1) };
    let lower = name.chars().take(lowered).flat_map(char::to_lowercase);
    let name: String = lower.chain(name.chars().skip(lowered)).collect();
    match name.as_str() {
        // A reserved word (JLS §3.9) cannot be a variable, and neither can the name of an anonymous
        // class.
        "int" | "long" | "short" | "byte" | "char" | "boolean" | "float" | "double" | "enum" | "class"
        | "interface" | "package" | "case" | "default" | "import" | "switch" | "object" => "value".to_owned(),
        name if name.is_empty() || name.contains('$') => "value".to_owned(),
        name => name.to_owned(),
    }
}

/// Removes what varies from run to run from a text of the running JVM, such as an exception's
/// message: identity hash codes (`Foo@1b2c3d`), the project's absolute path, and what the noise
/// rules mask (names of temporary files).
///
/// Other variations cannot be recognised from a single text.
#[must_use]
pub fn steady(text: &str, base: &str) -> String {
    let text = if base.len() > 1 { text.replace(base, ".") } else { text.to_owned() };
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('@') {
        let (before, after) = rest.split_at(at);
        let after = after.get(1..).unwrap_or("");
        let digits = after.bytes().take_while(u8::is_ascii_hexdigit).count();
        let follows_a_name =
            before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ';' | ']'));
        let ends = !after.get(digits..).is_some_and(|next| next.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        out.push_str(before);
        if follows_a_name && (1..=8).contains(&digits) && ends && !after.starts_with(|c: char| c.is_ascii_uppercase()) {
            out.push_str("@…");
            rest = after.get(digits..).unwrap_or("");
        } else {
            let _ = write!(out, "@");
            rest = after;
        }
    }
    out.push_str(rest);
    NoiseRules::embedded().normalise(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_named_after_their_class() {
        let classes = ["a.Stack", "a.IDKey", "URL", "XMLReader", "HTTP2Client", "Map$Entry", "A", "int[]", "a.Rule$4"];
        let variables = ["stack", "idKey", "url", "xmlReader", "http2Client", "entry", "a", "ints", "value"];
        assert_eq!(classes.map(variable), variables);
    }

    #[test]
    fn methods_are_named_as_in_java() {
        assert_eq!(
            short_method("a.b.Map$Entry", "put", "([Ljava/lang/String;IJ)V"),
            "Map.Entry.put(String[], int, long)"
        );
        assert_eq!(short_method("a.B$C", "<init>", "(Ljava/util/Set;)V"), "new B.C(Set)");
        assert_eq!(short_method("a.B", "<clinit>", "()V"), "static initialiser of B");
        assert_eq!(full_method("a.B$C", "m", "(La/X$Y;)[[I"), "a.B$C.m(a.X$Y)");
        assert_eq!(types("()[[I").1, "int[][]");
        assert_eq!(short_class("a.Rule$4"), "Rule$4");
        assert_eq!(short_class("$Gson$Types"), "$Gson.Types");
        assert_eq!(top_level("a.b.Foo$Bar$1"), "a.b.Foo");
        assert_eq!(top_level("Foo"), "Foo");
        assert_eq!(short_test("a.FooTest.x(int)[2]", "a.FooTest"), "FooTest.x(int)[2]");
    }

    #[test]
    fn lambdas_are_named_after_their_method() {
        let named = |name| short_method("a.B", name, "(Ljava/lang/Object;)Z");
        assert_eq!(named("lambda$sort$0"), "lambda in B.sort");
        assert_eq!(named("lambda$sort$by$2"), "lambda in B");
        // In a constructor, in an initialiser, in another lambda (two compilers), and as Eclipse
        // names them.
        for name in ["lambda$new$1", "lambda$static$0", "lambda$null$3", "lambda$lambda$sort$0$1", "lambda$0"] {
            assert_eq!(named(name), "lambda in B", "{name}");
        }
    }

    #[test]
    fn a_broken_descriptor_does_not_panic() {
        for descriptor in ["", "(", "()", "(L", "([", "(é)V", "([é", ")"] {
            let _ = types(descriptor);
        }
    }

    #[test]
    fn identity_hash_codes_and_the_base_directory_are_removed_from_messages() {
        assert_eq!(steady("expected:<a.Foo@1b2c3d> at /home/me/p/x", "/home/me/p"), "expected:<a.Foo@…> at ./x");
        assert_eq!(steady("no \"/tmp/prefix13795161370192603319\"", ""), "no \"/tmp/prefix#\"");
        assert_eq!(steady("[I@7f31 and me@example.org, @Test", ""), "[I@… and me@example.org, @Test");
    }

    #[test]
    fn ordinals_follow_english() {
        assert_eq!(ordinal(0), "first");
        assert_eq!(ordinal(10), "11th");
        assert_eq!(ordinal(21), "22nd");
    }
}

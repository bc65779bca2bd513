//! The Java source of expected values: the classes that it imports, and its form in Java 8.

use crate::code::java_text::outside_literals;
use crate::fix::source::imports::NewImport;
use crate::observation::kinds::Kinds;
use crate::text::words;

/// The imports for a source. `type_name` is the class of the value (binary name), which names the
/// enum if the source is one of its constants.
pub fn imports(source: &str, type_name: &str) -> Vec<NewImport> {
    let kinds = Kinds::embedded().map(|kinds| kinds.value.as_slice()).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for name in class_names(source) {
        let own = words::top_level(type_name);
        if own.contains('.') && words::simple_name(own) == name {
            found.push(own.to_owned());
            continue;
        }
        match name {
            "List" | "Set" | "Map" | "Arrays" | "Collections" | "HashSet" => found.push(format!("java.util.{name}")),
            _ => {
                let own = kinds
                    .iter()
                    .filter(|kind| kind.source.is_some())
                    .map(|kind| words::top_level(&kind.r#type).to_owned());
                let mut named = kinds.iter().flat_map(|kind| kind.imports()).chain(own);
                found.extend(named.find(|import| words::simple_name(import) == name));
            }
        }
    }
    found.sort();
    found.dedup();
    found.retain(|import| !import.starts_with("java.lang."));
    found.into_iter().map(|name| NewImport { is_static: false, name }).collect()
}

/// The names of classes in a source, outside of texts: those that begin with a capital letter and do
/// not follow a dot.
fn class_names(source: &str) -> Vec<&str> {
    let is_of_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    let mut names = Vec::new();
    let mut before = ' ';
    for (start, character, _) in outside_literals(source) {
        if character.is_uppercase() && before != '.' && !is_of_word(before) {
            let rest = source.get(start..).unwrap_or_default();
            names.push(rest.split(|one| !is_of_word(one)).next().unwrap_or_default());
        }
        before = character;
    }
    names
}

/// The source for a project that has no `List.of`, `Set.of` and `Map.of`, which came with Java 9.
/// `None` if there is no expression for it: a map of several entries.
pub fn in_java_8(source: &str) -> Option<String> {
    let Some((name, arguments)) = factory(source) else {
        return if source.contains(".of(") && contains_factory(source) { None } else { Some(source.to_owned()) };
    };
    let arguments: Vec<String> = split_arguments(arguments).into_iter().map(in_java_8).collect::<Option<_>>()?;
    let all = arguments.join(", ");
    Some(match (name, arguments.len()) {
        ("List", 0) => "Collections.emptyList()".to_owned(),
        ("List", _) => format!("Arrays.asList({all})"),
        ("Set", 0) => "Collections.emptySet()".to_owned(),
        ("Set", 1) => format!("Collections.singleton({all})"),
        ("Set", _) => format!("new HashSet<>(Arrays.asList({all}))"),
        (_, 0) => "Collections.emptyMap()".to_owned(),
        (_, 2) => format!("Collections.singletonMap({all})"),
        _ => return None,
    })
}

fn contains_factory(source: &str) -> bool {
    let names = class_names(source);
    ["List", "Set", "Map"].iter().any(|name| names.contains(name) && source.contains(&format!("{name}.of(")))
}

/// `List.of("a")` gives `List` and `"a"`.
fn factory(source: &str) -> Option<(&str, &str)> {
    let (name, rest) = source.split_once(".of(")?;
    let arguments = rest.strip_suffix(')')?;
    matches!(name, "List" | "Set" | "Map").then_some((name, arguments))
}

/// Splits at the commas that are not inside of brackets or texts.
fn split_arguments(arguments: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (comma, _, _) in outside_literals(arguments).filter(|(_, one, depth)| *one == ',' && *depth == 0) {
        found.push(arguments.get(start..comma).unwrap_or_default().trim());
        start = comma + 1;
    }
    let last = arguments.get(start..).unwrap_or_default().trim();
    if !last.is_empty() {
        found.push(last);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str, type_name: &str) -> Vec<String> {
        imports(source, type_name).into_iter().map(|import| import.name).collect()
    }

    #[test]
    fn a_source_imports_the_classes_that_it_names() {
        assert_eq!(names("new BigDecimal(\"11\")", "java.math.BigDecimal"), ["java.math.BigDecimal"]);
        assert_eq!(names("Map.of(\"List\", UUID.fromString(\"a\"))", "x.Y"), ["java.util.Map", "java.util.UUID"]);
        assert_eq!(names("Charset.forName(\"UTF-8\")", "sun.nio.cs.UTF_8"), ["java.nio.charset.Charset"]);
        assert_eq!(names("Paint.Color.RED", "a.Paint$Color"), ["a.Paint"]);
        assert!(names("\"BigDecimal\"", "java.lang.String").is_empty());
        assert!(names("Double.NaN", "double").is_empty());
    }

    #[test]
    fn collections_have_another_form_in_java_8() {
        let written = |source: &str| in_java_8(source).unwrap_or_default();
        assert_eq!(written("List.of(\"a, b\", List.of())"), "Arrays.asList(\"a, b\", Collections.emptyList())");
        assert_eq!(written("Set.of(1, 2)"), "new HashSet<>(Arrays.asList(1, 2))");
        assert_eq!(written("Map.of(\"k\", 2)"), "Collections.singletonMap(\"k\", 2)");
        assert_eq!(written("LocalDate.of(1970, 1, 2)"), "LocalDate.of(1970, 1, 2)");
        assert_eq!(in_java_8("Map.of(1, 2, 3, 4)"), None);
        assert_eq!(in_java_8("Optional.of(List.of(1))"), None);
    }
}

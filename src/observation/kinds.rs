//! The kinds of values in `rules/values.toml`: how the observer reads an object of the platform, how
//! a report and an assertion write one, and how a new test makes one.

use serde::Deserialize;
use std::sync::LazyLock;

const EMBEDDED: &str = include_str!("../../rules/values.toml");

/// The content of `rules/values.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kinds {
    pub value: Vec<ValueKind>,
    pub container: Vec<ContainerKind>,
    /// Containers as classes outside of the platform inherit them.
    pub inherited: Vec<ContainerKind>,
}

/// A type whose objects are values, or are described by the results of some methods.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ValueKind {
    /// The Java type as in source: `int`, `java.util.Map.Entry`.
    pub r#type: String,
    /// Binary names of the run-time classes. Empty if `type` is the only one.
    pub classes: Vec<String>,
    /// Whether all subclasses of `type` that the platform declares belong to it.
    pub family: bool,
    /// Java expressions that make an object, simplest first.
    pub make: Vec<String>,
    /// The Java expression of an equal object, with holes such as `{toString()}`.
    pub source: Option<String>,
    /// The field that is null or false in an empty object.
    pub present: Option<String>,
    /// The source of an empty object.
    pub absent: Option<String>,
    /// Methods whose results describe an object: `get()`, `toString() = buf`,
    /// `toByteArray() = buf[count]`.
    pub asks: Vec<String>,
    /// Calls that a test can make to see the state of an object that is read from its fields.
    pub looks: Vec<String>,
    /// The checked exceptions of `looks` (binary names).
    pub throws: Vec<String>,
    /// Classes that `make`, `source` and `absent` name, if it is not just `type`.
    imports: Option<Vec<String>>,
    /// Two different objects, as Java source.
    pub examples: Vec<String>,
}

/// A container of the platform.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContainerKind {
    pub kind: ContainerForm,
    /// Whether the order of a set or map means something.
    #[serde(default)]
    pub ordered: bool,
    /// The rule by which the contents are read; see `rules/values.toml`.
    pub read: String,
    /// Binary names of the run-time classes.
    pub classes: Vec<String>,
}

/// The state that a class outside of the platform inherits from one of the platform.
#[derive(Clone, Copy, Debug)]
pub enum Inherited<'k> {
    /// Nothing that says something about the program.
    Nothing,
    /// A container that is read from its fields.
    Contents(&'k ContainerKind),
    /// A state that only methods show, and none may be called.
    Unreadable,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ContainerForm {
    List,
    Set,
    Map,
}

impl Kinds {
    /// The kinds of `rules/values.toml`, which is parsed once.
    ///
    /// # Errors
    ///
    /// When the file is invalid. That is a bug, because it is part of the binary.
    pub fn embedded() -> Result<&'static Self, String> {
        static KINDS: LazyLock<Result<Kinds, String>> =
            LazyLock::new(|| toml::from_str(EMBEDDED).map_err(|error| format!("rules/values.toml: {error}")));
        KINDS.as_ref().map_err(Clone::clone)
    }

    /// The state that a class outside of the platform inherits from this one of the platform (binary
    /// name).
    #[must_use]
    pub fn inherited(&self, class: &str) -> Inherited<'_> {
        let mut from_fields = self.inherited.iter().chain(self.container.iter().filter(|kind| kind.read != "code"));
        let is_read = || self.container(class).is_some() || self.value(class, &[]).is_some_and(ValueKind::is_read);
        match from_fields.find(|kind| kind.has_class(class)) {
            Some(kind) => Inherited::Contents(kind),
            None if is_read() => Inherited::Unreadable,
            None => Inherited::Nothing,
        }
    }

    /// The container with this run-time class (binary name).
    #[must_use]
    pub fn container(&self, class: &str) -> Option<&ContainerKind> {
        self.container.iter().find(|kind| kind.has_class(class))
    }

    /// The value with this run-time class (binary name) or, if it is a family, with one of these
    /// superclasses.
    #[must_use]
    pub fn value(&self, class: &str, superclasses: &[String]) -> Option<&ValueKind> {
        self.value.iter().find(|kind| kind.has_class(class) || (kind.family && superclasses.contains(&kind.r#type)))
    }
}

impl ContainerKind {
    fn has_class(&self, class: &str) -> bool {
        self.classes.iter().any(|name| name == class)
    }
}

impl ValueKind {
    /// Whether objects of this run-time class are of this kind.
    #[must_use]
    pub fn has_class(&self, class: &str) -> bool {
        if self.classes.is_empty() { self.r#type == class } else { self.classes.iter().any(|name| name == class) }
    }

    /// Whether the observer has a description of such objects.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.source.is_some() || !self.asks.is_empty()
    }

    /// The classes that a source of this type has to import.
    #[must_use]
    pub fn imports(&self) -> Vec<String> {
        if let Some(imports) = &self.imports {
            return imports.clone();
        }
        let is_known = !self.r#type.contains('.') || self.r#type.starts_with("java.lang.");
        if !is_known { vec![top_level(&self.r#type)] } else { Vec::new() }
    }
}

/// `java.util.Map.Entry` gives `java.util.Map`.
fn top_level(type_name: &str) -> String {
    let mut name = String::new();
    for part in type_name.split('.') {
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(part);
        if part.starts_with(char::is_uppercase) {
            break;
        }
    }
    name
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_one_description() {
        let kinds = Kinds::embedded().unwrap();
        let of_values = kinds.value.iter().filter(|kind| kind.is_read()).flat_map(|kind| {
            let own = std::slice::from_ref(&kind.r#type);
            if kind.classes.is_empty() { own } else { &kind.classes }
        });
        let mut classes: Vec<&String> =
            of_values.chain(kinds.container.iter().flat_map(|kind| &kind.classes)).collect();
        let count = classes.len();
        classes.sort();
        classes.dedup();
        assert_eq!(classes.len(), count);
    }

    #[test]
    fn a_value_that_is_read_can_be_told_from_another() {
        for kind in &Kinds::embedded().unwrap().value {
            assert!(kind.examples.is_empty() || kind.is_read(), "{}", kind.r#type);
            assert!(kind.source.is_none() || kind.examples.len() == 2, "{} needs two examples", kind.r#type);
            assert!(kind.source.is_none() || kind.asks.is_empty(), "{} has a source, so nothing is asked", kind.r#type);
            assert_eq!(kind.present.is_some(), kind.absent.is_some(), "{}", kind.r#type);
        }
    }

    #[test]
    fn imports_name_top_level_classes_outside_of_java_lang() {
        let kinds = Kinds::embedded().unwrap();
        let imports = |class: &str| kinds.value(class, &[]).unwrap().imports();
        assert_eq!(imports("java.util.KeyValueHolder"), ["java.util.Map"]);
        assert_eq!(imports("sun.nio.fs.UnixPath"), ["java.nio.file.Paths"]);
        assert!(imports("java.lang.StringBuilder").is_empty());
    }
}

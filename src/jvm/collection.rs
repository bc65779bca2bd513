//! Sizes and contents of JDK collections: the fields in which `rules/state.toml` finds them.

#![allow(unsafe_code)]

use super::environment::Environment;
use jni::sys;

/// The way to read the size of a JDK collection.
#[derive(Clone, Debug)]
pub enum Size {
    Constant(i32),
    /// The value of an `int` field.
    Field(FieldId),
    /// The length of the array in this field.
    Length(FieldId),
    /// The size of the collection in this field.
    Of(FieldId),
    /// The number of slots from `head` to `tail` in a circular array.
    Circular {
        head: FieldId,
        tail: FieldId,
        elements: FieldId,
    },
    /// For the JDK's list and set of one or two elements: 1 if the second field is empty, otherwise 2. An empty field is null
    /// or holds a marker object.
    OneOrTwo {
        second: FieldId,
    },
}

/// The way to read the contents of a JDK collection.
#[derive(Clone, Debug)]
pub enum Contents {
    /// The elements of the array in this field, up to the size of the collection.
    Elements(FieldId),
    /// The contents of the collection in this field.
    Of(FieldId),
    /// Entries that are linked by `next`, starting with `first`. `items` are the fields of an entry, each with the step that
    /// it adds to a path.
    Linked { first: FieldId, next: FieldId, items: Vec<(&'static str, FieldId)> },
}

/// The JNI ID of a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldId(pub sys::jfieldID);

// SAFETY: a field ID is valid in every thread as long as its class is loaded. JDK classes are never unloaded, and the shape of
// a project class is only used while an object of that class is alive.
unsafe impl Send for FieldId {}
// SAFETY: as above.
unsafe impl Sync for FieldId {}

impl Size {
    /// Parses a rule of `sizes` in `rules/state.toml`. `None` if it is invalid, or if this JDK has no such field.
    pub fn parse(jvm: Environment, class: sys::jclass, rule: &str) -> Option<Self> {
        let mut words = rule.split_whitespace();
        let size = match (words.next()?, words.next(), words.next(), words.next()) {
            ("constant", Some(value), None, None) => Self::Constant(value.parse().ok()?),
            ("field", Some(field), None, None) => Self::Field(typed_field(jvm, class, field)?),
            ("length", Some(field), None, None) => Self::Length(typed_field(jvm, class, field)?),
            ("of", Some(field), None, None) => Self::Of(typed_field(jvm, class, field)?),
            ("one-or-two", Some(field), None, None) => Self::OneOrTwo { second: typed_field(jvm, class, field)? },
            ("circular", Some(head), Some(tail), Some(elements)) => Self::Circular {
                head: typed_field(jvm, class, head)?,
                tail: typed_field(jvm, class, tail)?,
                elements: typed_field(jvm, class, elements)?,
            },
            _ => return None,
        };
        Some(size)
    }
}

impl Contents {
    /// Parses a rule of `contents` in `rules/state.toml`. `None` if it is invalid, or if this JDK has no such field.
    pub fn parse(jvm: Environment, class: sys::jclass, rule: &str) -> Option<Self> {
        let mut words = rule.split_whitespace();
        match (words.next()?, words.next()?) {
            ("elements", field) => Some(Self::Elements(typed_field(jvm, class, field)?)),
            ("of", field) => Some(Self::Of(typed_field(jvm, class, field)?)),
            ("linked", first) => {
                let (_, descriptor) = first.split_once(':')?;
                let entry = jvm.find_class(descriptor.strip_prefix('L')?.strip_suffix(';')?).ok()?;
                let next = typed_field(jvm, entry, words.next()?)?;
                let items = words
                    .map(|word| {
                        let (label, field) = word.split_once('=')?;
                        let label = match label {
                            "key" => ".key",
                            "value" => ".value",
                            _ => "",
                        };
                        Some((label, typed_field(jvm, entry, field)?))
                    })
                    .collect::<Option<Vec<_>>>()?;
                jvm.delete(entry);
                Some(Self::Linked { first: typed_field(jvm, class, first)?, next, items })
            }
            _ => None,
        }
    }
}

/// Finds a field of a class by `name:descriptor`.
fn typed_field(jvm: Environment, class: sys::jclass, field: &str) -> Option<FieldId> {
    let (name, descriptor) = field.split_once(':')?;
    jvm.field(class, name, descriptor).ok().map(FieldId)
}

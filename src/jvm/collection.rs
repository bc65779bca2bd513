//! Sizes and contents of JDK containers: the fields and methods with which `rules/state.toml` and `rules/values.toml` find
//! them.

#![allow(unsafe_code)]

use super::environment::Environment;
use crate::observation::kinds::{ContainerForm, ContainerKind};
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

/// The way to read the contents of a JDK container (`rules/values.toml`).
#[derive(Clone, Debug)]
pub struct Contents {
    pub form: ContainerForm,
    /// Whether the order of a set or map means something.
    pub ordered: bool,
    pub read: Read,
}

/// The place of the elements of a JDK container.
#[derive(Clone, Debug)]
pub enum Read {
    /// `toArray()`.
    ToArray(MethodId),
    /// `keySet()` and `values()`, and `toArray()` of both.
    KeysAndValues { keys: MethodId, values: MethodId, to_array: MethodId },
    /// The contents of the container in this field.
    Of(FieldId),
    /// The keys of the map in this field.
    KeysOf(FieldId),
    /// The first `count` elements of an array.
    Elements { array: FieldId, count: FieldId },
    /// `count` elements of an array, of which the first one is at `first`, and which go on at its start.
    Ring { array: FieldId, first: FieldId, count: FieldId },
    /// Nodes that are linked by `next`.
    Linked { first: FieldId, next: FieldId, item: FieldId },
    /// The nodes of a hash table, those of one bucket linked by `next`.
    Table { array: FieldId, next: FieldId, key: FieldId, value: FieldId },
}

/// The JNI ID of a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldId(pub sys::jfieldID);

// SAFETY: a field ID is valid in every thread as long as its class is loaded. JDK classes are never unloaded, and the shape of
// a project class is only used while an object of that class is alive.
unsafe impl Send for FieldId {}
// SAFETY: as above.
unsafe impl Sync for FieldId {}

/// The JNI ID of an instance method of a platform class.
#[derive(Clone, Copy, Debug)]
pub struct MethodId(pub sys::jmethodID);

// SAFETY: a method ID is valid in every thread as long as its class is loaded, and platform classes are never unloaded.
unsafe impl Send for MethodId {}
// SAFETY: as above.
unsafe impl Sync for MethodId {}

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
    /// Parses the rule of a container. `None` if it is invalid, or if this JDK has no such field.
    pub fn parse(jvm: Environment, class: sys::jclass, kind: &ContainerKind) -> Option<Self> {
        let read = Read::parse(jvm, class, kind)?;
        Some(Self { form: kind.kind, ordered: kind.ordered || kind.kind == ContainerForm::List, read })
    }
}

impl Read {
    fn parse(jvm: Environment, class: sys::jclass, kind: &ContainerKind) -> Option<Self> {
        let words: Vec<&str> = kind.read.split_whitespace().collect();
        let field = |word: &str| typed_field(jvm, class, word);
        Some(match *words.as_slice() {
            ["code"] if kind.kind == ContainerForm::Map => Self::KeysAndValues {
                keys: method(jvm, class, "keySet", "()Ljava/util/Set;")?,
                values: method(jvm, class, "values", "()Ljava/util/Collection;")?,
                to_array: method_of(jvm, "java/util/Collection", "toArray", TO_ARRAY)?,
            },
            ["code"] => Self::ToArray(method(jvm, class, "toArray", TO_ARRAY)?),
            ["of", inner] => Self::Of(field(inner)?),
            ["keys", inner] => Self::KeysOf(field(inner)?),
            ["elements", array, count] => Self::Elements { array: field(array)?, count: field(count)? },
            ["ring", array, first, count] => {
                Self::Ring { array: field(array)?, first: field(first)?, count: field(count)? }
            }
            ["linked", first, next, item] => {
                let of_node = |word: &str| node_field(jvm, first, word);
                Self::Linked { first: field(first)?, next: of_node(next)?, item: of_node(item)? }
            }
            ["table", array, next, key, value] => {
                let of_node = |word: &str| node_field(jvm, array, word);
                Self::Table { array: field(array)?, next: of_node(next)?, key: of_node(key)?, value: of_node(value)? }
            }
            _ => return None,
        })
    }
}

/// The descriptor of `Collection.toArray()`.
const TO_ARRAY: &str = "()[Ljava/lang/Object;";

pub(super) fn method(jvm: Environment, class: sys::jclass, name: &str, descriptor: &str) -> Option<MethodId> {
    jvm.method(class, name, descriptor).ok().map(MethodId)
}

fn method_of(jvm: Environment, class: &str, name: &str, descriptor: &str) -> Option<MethodId> {
    let class = jvm.find_class(class).ok()?;
    let found = method(jvm, class, name, descriptor);
    jvm.delete(class);
    found
}

/// Finds a field of the class of nodes, which is the type of the field `holder` or of its elements.
fn node_field(jvm: Environment, holder: &str, word: &str) -> Option<FieldId> {
    let (_, descriptor) = holder.split_once(':')?;
    let name = descriptor.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';')?;
    let class = jvm.find_class(name).ok()?;
    let found = typed_field(jvm, class, word);
    jvm.delete(class);
    found
}

/// Finds a field of a class by `name:descriptor`.
fn typed_field(jvm: Environment, class: sys::jclass, field: &str) -> Option<FieldId> {
    let (name, descriptor) = field.split_once(':')?;
    jvm.field(class, name, descriptor).ok().map(FieldId)
}

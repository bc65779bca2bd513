//! Reads the state of objects in the JVM as properties (decision 0010).
//!
//! Fields are read through JNI; no method of an observed object is ever called. Sizes and contents of JDK collections come
//! from the fields that `rules/state.toml` names.

use super::atom::Atom;
use super::collection::{Contents, FieldId, Size};
use super::environment::values::Primitive;
use super::environment::{Environment, Tools};
use super::shape::{Field, Kind, Shapes};
use super::source::{array_type_name, enum_type, primitive_name};
use crate::observation::{Part, Property};
use foldhash::quality::{FixedState, FoldHasher};
use jni::sys;
use std::hash::{BuildHasher, Hash, Hasher};

/// The most steps from the root of a state to a property.
const DEEPEST: usize = 4;
/// The most elements of an array or collection that are read.
const BROADEST: usize = 16;
/// The most properties of one part of a state.
const MOST_PROPERTIES: usize = 120;

/// Reads states, and keeps the shapes of classes.
pub struct Reader {
    shapes: Shapes,
    /// A buffer for the texts of strings.
    units: Vec<u16>,
}

/// A part of a state, to be read.
#[derive(Clone, Copy)]
pub struct Slot {
    pub part: Part,
    /// May be null. For [`Part::Static`], the class.
    pub value: sys::jobject,
    /// The descriptor of the declared type, if it is primitive; the value is then boxed.
    pub declared: Option<u8>,
}

/// The level of static fields. They are not part of the paper's state, so all of them count as deep.
const STATIC_LEVEL: usize = 2;

/// A hasher with the same seed in every process of the same binary.
pub fn fingerprint_hasher() -> FoldHasher<'static> {
    FixedState::default().build_hasher()
}

/// The result of a walk. Most states are known: a fingerprint recognises them, and no texts are made.
enum Sink<'a> {
    Fingerprint(FoldHasher<'static>),
    Properties(&'a mut Vec<Property>),
}

impl Reader {
    pub fn new() -> Result<Self, String> {
        Ok(Self { shapes: Shapes::new()?, units: Vec::new() })
    }

    /// A 64-bit hash of parts, paths, types and values. Equal states have equal fingerprints; others almost never do.
    pub fn fingerprint(&mut self, jvm: Environment, tools: &Tools, slots: &[Slot], deep: bool) -> u64 {
        let mut walk = Walk::new(self, jvm, tools, Sink::Fingerprint(fingerprint_hasher()));
        walk.slots(slots, deep);
        match walk.sink {
            Sink::Fingerprint(hasher) => hasher.finish(),
            Sink::Properties(_) => 0,
        }
    }

    /// The properties of a state.
    pub fn properties(&mut self, jvm: Environment, tools: &Tools, slots: &[Slot], deep: bool) -> Vec<Property> {
        let mut properties = Vec::new();
        Walk::new(self, jvm, tools, Sink::Properties(&mut properties)).slots(slots, deep);
        properties
    }
}

/// A walk through a state, from its parts to the ends of all paths.
struct Walk<'a> {
    reader: &'a mut Reader,
    jvm: Environment,
    tools: &'a Tools,
    part: Part,
    /// The path from the part to the current object.
    path: String,
    sink: Sink<'a>,
    /// The objects on the current path, to find cycles.
    ancestors: Vec<sys::jobject>,
    /// The number of further properties that this part may have.
    remaining: usize,
}

impl<'a> Walk<'a> {
    fn new(reader: &'a mut Reader, jvm: Environment, tools: &'a Tools, sink: Sink<'a>) -> Self {
        Self { reader, jvm, tools, part: Part::Result, path: String::new(), sink, ancestors: Vec::new(), remaining: 0 }
    }

    fn slots(&mut self, slots: &[Slot], deep: bool) {
        for slot in slots {
            self.part = slot.part;
            self.remaining = MOST_PROPERTIES;
            if slot.part == Part::Static {
                self.statics(slot.value);
            } else {
                self.value(slot.value, slot.declared, 0, deep);
            }
        }
    }

    fn add(&mut self, type_name: &str, atom: &Atom<'_>, level: usize) {
        self.remaining = self.remaining.saturating_sub(1);
        match &mut self.sink {
            Sink::Fingerprint(hasher) => {
                (self.part, &self.path, type_name, level > 1).hash(hasher);
                atom.hash_into(hasher);
            }
            Sink::Properties(properties) => properties.push(Property {
                part: self.part,
                path: self.path.clone(),
                type_name: type_name.to_owned(),
                value: atom.source(),
                deep: level > 1,
            }),
        }
    }

    /// Reads what is at `step` below the current path.
    fn descend(&mut self, step: &str, read: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(step);
        read(self);
        self.path.truncate(length);
    }

    fn text(&mut self, type_name: &str, string: sys::jobject, level: usize) {
        let mut units = std::mem::take(&mut self.reader.units);
        self.jvm.string_into(string, &mut units);
        self.add(type_name, &Atom::Text(&units), level);
        self.reader.units = units;
    }

    /// Reads a value. Levels 0 and 1 are the paper's state; deeper levels are read only if `deep` is set.
    fn value(&mut self, value: sys::jobject, declared: Option<u8>, level: usize, deep: bool) {
        if value.is_null() {
            return self.add("null", &Atom::Null, level);
        }
        let jvm = self.jvm;
        let Some(shape) = self.reader.shapes.of(jvm, self.tools, value) else { return };
        let name = shape.name.as_str();
        match &shape.kind {
            Kind::String => self.text(name, value, level),
            Kind::Box(descriptor, field) => {
                let primitive = jvm.get_primitive(value, field.0, *descriptor);
                let type_name = match declared {
                    Some(declared) => primitive_name(declared),
                    None => name,
                };
                self.add(type_name, &Atom::Primitive(primitive), level);
            }
            Kind::Enum(field) => {
                let constant = jvm.get_object(value, field.0);
                let constant_name = if constant.is_null() { "?".to_owned() } else { jvm.string(constant) };
                jvm.delete(constant);
                // A constant with a body has its own class: `Rule$4` for an enum `Rule`.
                self.add(name, &Atom::Source(&format!("{}.{constant_name}", enum_type(name))), level);
                // The paper's state of a constant is its name alone, so its fields are deep.
                if deep {
                    self.fields(value, &shape.fields, level.max(1), deep);
                }
            }
            Kind::Class => self.add(name, &Atom::Source(&format!("{}.class", jvm.name_of(value))), level),
            Kind::Array(element) => self.array(value, name, *element, level, deep && !shape.busy),
            Kind::Sized { size, contents } => {
                self.add(name, &Atom::NonNull, level);
                self.sized(value, size, contents.as_ref(), level, deep);
            }
            Kind::Throwable => {
                self.add(name, &Atom::Source(name), level);
                if level == 0 || deep {
                    let message = jvm.throwable_message(value);
                    self.descend(".message", |walk| match message {
                        Some(message) => {
                            let units: Vec<u16> = message.encode_utf16().collect();
                            walk.add("java.lang.String", &Atom::Text(&units), level + 1);
                        }
                        None => walk.add("null", &Atom::Null, level + 1),
                    });
                    self.fields(value, &shape.fields, level, deep);
                }
            }
            Kind::Object => {
                self.add(name, &Atom::NonNull, level);
                if level == 0 || (deep && !shape.busy) {
                    self.fields(value, &shape.fields, level, deep);
                }
            }
            Kind::Opaque => self.add(name, &Atom::NonNull, level),
        }
    }

    fn is_at_end(&self, level: usize) -> bool {
        level >= DEEPEST || self.remaining == 0
    }

    fn is_cycle(&self, object: sys::jobject) -> bool {
        self.ancestors.iter().any(|ancestor| self.jvm.same(*ancestor, object))
    }

    fn fields(&mut self, object: sys::jobject, fields: &[Field], level: usize, deep: bool) {
        if self.is_at_end(level) || self.is_cycle(object) {
            return;
        }
        self.ancestors.push(object);
        for field in fields {
            let kind = field.descriptor;
            self.descend(&field.path, |walk| {
                if kind == b'L' || kind == b'[' {
                    let value = walk.jvm.get_object(object, field.id.0);
                    walk.value(value, None, level + 1, deep);
                    walk.jvm.delete(value);
                } else {
                    let value = walk.jvm.get_primitive(object, field.id.0, kind);
                    walk.add(primitive_name(kind), &Atom::Primitive(value), level + 1);
                }
            });
        }
        self.ancestors.pop();
    }

    /// Reads the static fields of a class.
    fn statics(&mut self, class: sys::jclass) {
        let fields = self.reader.shapes.statics(self.jvm, self.tools, class);
        for field in fields.iter() {
            let kind = field.descriptor;
            self.descend(&field.path, |walk| {
                if kind == b'L' || kind == b'[' {
                    let value = walk.jvm.get_static_object(class, field.id.0);
                    walk.value(value, None, STATIC_LEVEL, true);
                    walk.jvm.delete(value);
                } else {
                    let value = walk.jvm.get_static_primitive(class, field.id.0, kind);
                    walk.add(primitive_name(kind), &Atom::Primitive(value), STATIC_LEVEL);
                }
            });
        }
    }

    fn array(&mut self, array: sys::jobject, name: &str, element: u8, level: usize, deep: bool) {
        self.add(&array_type_name(name), &Atom::NonNull, level);
        let length = self.jvm.array_length(array);
        let size = Atom::Size(i64::try_from(length).unwrap_or(i64::MAX));
        self.descend(".length", |walk| walk.add("int", &size, level));
        if !deep || self.is_at_end(level) {
            return;
        }
        if element == b'L' || element == b'[' {
            self.elements(array, length, level);
        } else {
            for (index, value) in self.jvm.primitive_elements(array, element, BROADEST).into_iter().enumerate() {
                let atom = Atom::Primitive(value);
                self.descend(&format!("[{index}]"), |walk| walk.add(primitive_name(element), &atom, level.max(1) + 1));
            }
        }
    }

    /// Reads the first elements of an array of references, as deep properties.
    fn elements(&mut self, array: sys::jobject, length: usize, level: usize) {
        if self.is_cycle(array) {
            return;
        }
        self.ancestors.push(array);
        for index in 0..length.min(BROADEST).min(self.jvm.array_length(array)) {
            let element = self.jvm.array_element(array, index);
            self.descend(&format!("[{index}]"), |walk| walk.value(element, None, level.max(1) + 1, true));
            self.jvm.delete(element);
        }
        self.ancestors.pop();
    }

    fn sized(&mut self, object: sys::jobject, size: &Size, contents: Option<&Contents>, level: usize, deep: bool) {
        let Some(size) = self.size(object, size, 0) else { return };
        self.descend(".size", |walk| walk.add("int", &Atom::Size(size), level));
        if let (true, Some(contents)) = (deep, contents) {
            self.contents(object, contents, size, level);
        }
    }

    /// Reads the contents of a collection or map of the JDK, as deep properties.
    fn contents(&mut self, object: sys::jobject, contents: &Contents, size: i64, level: usize) {
        if self.is_at_end(level) {
            return;
        }
        let jvm = self.jvm;
        match contents {
            Contents::Elements(field) => {
                let array = jvm.get_object(object, field.0);
                if !array.is_null() {
                    self.elements(array, usize::try_from(size).unwrap_or(0), level);
                }
                jvm.delete(array);
            }
            Contents::Of(field) => {
                let inner = jvm.get_object(object, field.0);
                if !inner.is_null() && !self.is_cycle(inner) {
                    self.ancestors.push(object);
                    self.wrapped_contents(inner, level.max(1) + 1);
                    self.ancestors.pop();
                }
                jvm.delete(inner);
            }
            Contents::Linked { first, next, items } => {
                let mut entry = jvm.get_object(object, first.0);
                let mut index = 0;
                self.ancestors.push(object);
                while !entry.is_null() && index < BROADEST {
                    for (label, item) in items {
                        let value = jvm.get_object(entry, item.0);
                        let step = format!("[{index}]{label}");
                        self.descend(&step, |walk| walk.value(value, None, level.max(1) + 1, true));
                        jvm.delete(value);
                    }
                    let following = jvm.get_object(entry, next.0);
                    jvm.delete(entry);
                    entry = following;
                    index += 1;
                }
                self.ancestors.pop();
                jvm.delete(entry);
            }
        }
    }

    /// Reads the contents of a wrapped collection, at the path of its wrapper. Its presence, class and size are properties of
    /// the wrapper; here they would count as deep.
    fn wrapped_contents(&mut self, inner: sys::jobject, level: usize) {
        let Some(shape) = self.reader.shapes.of(self.jvm, self.tools, inner) else { return };
        match &shape.kind {
            Kind::Sized { size, contents: Some(contents) } => {
                if let Some(size) = self.size(inner, size, 0) {
                    self.contents(inner, contents, size, level);
                }
            }
            Kind::Object => self.fields(inner, &shape.fields, level, true),
            _ => {}
        }
    }

    /// The size of a JDK collection. `None` if it wraps an object whose size cannot be read, such as a collection of the
    /// project.
    fn size(&mut self, object: sys::jobject, size: &Size, depth: usize) -> Option<i64> {
        let jvm = self.jvm;
        let int = |field: &FieldId| match jvm.get_primitive(object, field.0, b'I') {
            Primitive::Int(value) => i64::from(value),
            _ => 0,
        };
        let length = |field: &FieldId| {
            let array = jvm.get_object(object, field.0);
            let length = if array.is_null() { 0 } else { jvm.array_length(array) };
            jvm.delete(array);
            i64::try_from(length).unwrap_or(i64::MAX)
        };
        match size {
            Size::Constant(value) => Some(i64::from(*value)),
            Size::Field(field) => Some(int(field)),
            Size::Length(field) => Some(length(field)),
            Size::Of(field) => {
                let inner = jvm.get_object(object, field.0);
                if inner.is_null() || depth > 8 {
                    return None;
                }
                let shape = self.reader.shapes.of(jvm, self.tools, inner);
                let found = match shape.as_ref().map(|shape| &shape.kind) {
                    Some(Kind::Sized { size, .. }) => self.size(inner, size, depth + 1),
                    _ => None,
                };
                jvm.delete(inner);
                found
            }
            Size::Circular { head, tail, elements } => {
                let slots = length(elements);
                Some(if slots == 0 { 0 } else { (int(tail) - int(head)).rem_euclid(slots) })
            }
            Size::OneOrTwo { second } => {
                let value = jvm.get_object(object, second.0);
                // The JDK marks the empty slot with null, or with a plain `Object`.
                let is_single = value.is_null() || jvm.class_name(value) == "java.lang.Object";
                jvm.delete(value);
                Some(if is_single { 1 } else { 2 })
            }
        }
    }
}

//! From an object in the JVM to its properties (decision 0010): fields are read through JNI, and no method of an
//! observed object is ever called. Sizes and contents of JDK collections come from the fields that `rules/state.toml` names.

use super::environment::{Environment, Primitive, Tools};
use super::shape::{Contents, Field, FieldId, Kind, Shapes, Size};
use super::source::{array_type_name, enum_type, primitive_name, primitive_source, text_source};
use crate::observation::{Part, Property};
use foldhash::quality::{FixedState, FoldHasher};
use jni::sys;
use std::hash::{BuildHasher, Hash, Hasher};

/// How deep, how broad and how long the deep part may get.
const DEEPEST: usize = 4;
const BROADEST: usize = 16;
const MOST_PROPERTIES: usize = 120;

/// Reads states; remembers the shape of each class under a JVMTI tag of the class object.
pub struct Reader {
    shapes: Shapes,
    /// Text of strings on their way through.
    units: Vec<u16>,
}

/// One part of a state, to be read.
#[derive(Clone, Copy)]
pub struct Slot {
    pub part: Part,
    /// Null is allowed; for [`Part::Static`] the class.
    pub value: sys::jobject,
    /// The declared type of a boxed value, where it is primitive.
    pub declared: Option<u8>,
}

/// Static fields are not part of the paper's state: all of them count as deep.
const LEVEL_OF_STATICS: usize = 2;

/// The same in every process of the same binary.
pub fn fingerprinting() -> FoldHasher<'static> {
    FixedState::default().build_hasher()
}

/// What a reading is for. Most states have been seen before: they are told by their fingerprint, and no text is made of them.
enum Sink<'a> {
    Fingerprint(FoldHasher<'static>),
    Properties(&'a mut Vec<Property>),
}

/// A value on its way to the sink.
enum Atom<'a> {
    Null,
    NonNull,
    /// UTF-16.
    Text(&'a [u16]),
    Primitive(Primitive),
    Size(i64),
    /// Already Java source.
    Source(&'a str),
}

impl Reader {
    pub fn new() -> Result<Self, String> {
        Ok(Self { shapes: Shapes::new()?, units: Vec::new() })
    }

    /// Equal for equal states, and as good as never for others: 64 bits over parts, paths, types and values.
    pub fn fingerprint(&mut self, jvm: Environment, tools: &Tools, slots: &[Slot], deep: bool) -> u64 {
        let mut reading = Reading::new(self, jvm, tools, Sink::Fingerprint(fingerprinting()));
        reading.slots(slots, deep);
        match reading.sink {
            Sink::Fingerprint(hasher) => hasher.finish(),
            Sink::Properties(_) => 0,
        }
    }

    pub fn properties(&mut self, jvm: Environment, tools: &Tools, slots: &[Slot], deep: bool) -> Vec<Property> {
        let mut properties = Vec::new();
        Reading::new(self, jvm, tools, Sink::Properties(&mut properties)).slots(slots, deep);
        properties
    }
}

/// One reading of one state.
struct Reading<'a> {
    reader: &'a mut Reader,
    jvm: Environment,
    tools: &'a Tools,
    part: Part,
    /// From the part to where the reading is.
    path: String,
    sink: Sink<'a>,
    /// The objects on the way from the root to here, for cycles.
    seen: Vec<sys::jobject>,
    /// How many properties may still come of this part.
    left: usize,
}

impl<'a> Reading<'a> {
    fn new(reader: &'a mut Reader, jvm: Environment, tools: &'a Tools, sink: Sink<'a>) -> Self {
        Self { reader, jvm, tools, part: Part::Result, path: String::new(), sink, seen: Vec::new(), left: 0 }
    }

    fn slots(&mut self, slots: &[Slot], deep: bool) {
        for slot in slots {
            self.part = slot.part;
            self.left = MOST_PROPERTIES;
            if slot.part == Part::Static {
                self.statics(slot.value);
            } else {
                self.value(slot.value, slot.declared, 0, deep);
            }
        }
    }

    fn add(&mut self, type_name: &str, atom: &Atom<'_>, level: usize) {
        self.left = self.left.saturating_sub(1);
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

    /// Goes on below `step`.
    fn below(&mut self, step: &str, read: impl FnOnce(&mut Self)) {
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

    /// Levels 0 and 1 are the paper's state; what lies deeper is read only where `deep` says so.
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
                // A constant with a body has a class of its own: `Rule$4` of `Rule`.
                self.add(name, &Atom::Source(&format!("{}.{constant_name}", enum_type(name))), level);
                // The paper's state of a constant is its name alone: what it holds is deep.
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
                    self.below(".message", |reading| match message {
                        Some(message) => {
                            let units: Vec<u16> = message.encode_utf16().collect();
                            reading.add("java.lang.String", &Atom::Text(&units), level + 1);
                        }
                        None => reading.add("null", &Atom::Null, level + 1),
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
        level >= DEEPEST || self.left == 0
    }

    fn is_cycle(&self, object: sys::jobject) -> bool {
        self.seen.iter().any(|seen| self.jvm.same(*seen, object))
    }

    fn fields(&mut self, object: sys::jobject, fields: &[Field], level: usize, deep: bool) {
        if self.is_at_end(level) || self.is_cycle(object) {
            return;
        }
        self.seen.push(object);
        for field in fields {
            let kind = field.descriptor;
            self.below(&field.path, |reading| {
                if kind == b'L' || kind == b'[' {
                    let value = reading.jvm.get_object(object, field.id.0);
                    reading.value(value, None, level + 1, deep);
                    reading.jvm.delete(value);
                } else {
                    let value = reading.jvm.get_primitive(object, field.id.0, kind);
                    reading.add(primitive_name(kind), &Atom::Primitive(value), level + 1);
                }
            });
        }
        self.seen.pop();
    }

    fn statics(&mut self, class: sys::jclass) {
        let fields = self.reader.shapes.statics(self.jvm, self.tools, class);
        for field in fields.iter() {
            let kind = field.descriptor;
            self.below(&field.path, |reading| {
                if kind == b'L' || kind == b'[' {
                    let value = reading.jvm.get_static_object(class, field.id.0);
                    reading.value(value, None, LEVEL_OF_STATICS, true);
                    reading.jvm.delete(value);
                } else {
                    let value = reading.jvm.get_static_primitive(class, field.id.0, kind);
                    reading.add(primitive_name(kind), &Atom::Primitive(value), LEVEL_OF_STATICS);
                }
            });
        }
    }

    fn array(&mut self, array: sys::jobject, name: &str, element: u8, level: usize, deep: bool) {
        self.add(&array_type_name(name), &Atom::NonNull, level);
        let length = self.jvm.array_length(array);
        let size = Atom::Size(i64::try_from(length).unwrap_or(i64::MAX));
        self.below(".length", |reading| reading.add("int", &size, level));
        if !deep || self.is_at_end(level) {
            return;
        }
        if element == b'L' || element == b'[' {
            self.elements(array, length, level);
        } else {
            for (index, value) in self.jvm.primitive_elements(array, element, BROADEST).into_iter().enumerate() {
                let atom = Atom::Primitive(value);
                self.below(&format!("[{index}]"), |reading| {
                    reading.add(primitive_name(element), &atom, level.max(1) + 1)
                });
            }
        }
    }

    /// The first elements of a reference array; deep.
    fn elements(&mut self, array: sys::jobject, length: usize, level: usize) {
        if self.is_cycle(array) {
            return;
        }
        self.seen.push(array);
        for index in 0..length.min(BROADEST).min(self.jvm.array_length(array)) {
            let element = self.jvm.array_element(array, index);
            self.below(&format!("[{index}]"), |reading| reading.value(element, None, level.max(1) + 1, true));
            self.jvm.delete(element);
        }
        self.seen.pop();
    }

    fn sized(&mut self, object: sys::jobject, size: &Size, contents: Option<&Contents>, level: usize, deep: bool) {
        let Some(size) = self.size(object, size, 0) else { return };
        self.below(".size", |reading| reading.add("int", &Atom::Size(size), level));
        if let (true, Some(contents)) = (deep, contents) {
            self.contents(object, contents, size, level);
        }
    }

    /// What is in a collection or map of the JDK; deep.
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
                    self.seen.push(object);
                    self.inside(inner, level.max(1) + 1);
                    self.seen.pop();
                }
                jvm.delete(inner);
            }
            Contents::Linked { first, next, items } => {
                let mut entry = jvm.get_object(object, first.0);
                let mut index = 0;
                self.seen.push(object);
                while !entry.is_null() && index < BROADEST {
                    for (label, item) in items {
                        let value = jvm.get_object(entry, item.0);
                        let step = format!("[{index}]{label}");
                        self.below(&step, |reading| reading.value(value, None, level.max(1) + 1, true));
                        jvm.delete(value);
                    }
                    let following = jvm.get_object(entry, next.0);
                    jvm.delete(entry);
                    entry = following;
                    index += 1;
                }
                self.seen.pop();
                jvm.delete(entry);
            }
        }
    }

    /// What is in the collection that another one wraps, at the path of the wrapper. Its presence, class and size are the wrapper's business:
    /// told again from here, they would be told as deep.
    fn inside(&mut self, inner: sys::jobject, level: usize) {
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

    /// `None` where the object inside is not one whose size can be read (a collection of the project behind a wrapper of the JDK).
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
                // The JDK marks the empty slot with null, or with a plain `Object` of its own.
                let one = value.is_null() || jvm.class_name(value) == "java.lang.Object";
                jvm.delete(value);
                Some(if one { 1 } else { 2 })
            }
        }
    }
}

impl Atom<'_> {
    fn hash_into(&self, hasher: &mut FoldHasher<'_>) {
        match self {
            Atom::Null => 0_u8.hash(hasher),
            Atom::NonNull => 1_u8.hash(hasher),
            Atom::Text(units) => units.hash(hasher),
            Atom::Size(size) => size.hash(hasher),
            Atom::Source(source) => source.hash(hasher),
            Atom::Primitive(primitive) => match primitive {
                Primitive::Boolean(value) => value.hash(hasher),
                Primitive::Char(value) => value.hash(hasher),
                Primitive::Int(value) => value.hash(hasher),
                Primitive::Long(value) => value.hash(hasher),
                Primitive::Float(value) => value.to_bits().hash(hasher),
                Primitive::Double(value) => value.to_bits().hash(hasher),
            },
        }
    }

    /// As Java source, where there is one.
    fn source(&self) -> String {
        match self {
            Atom::Null => "null".to_owned(),
            Atom::NonNull => "non-null".to_owned(),
            Atom::Text(units) => text_source(units),
            Atom::Size(size) => size.to_string(),
            Atom::Source(source) => (*source).to_owned(),
            Atom::Primitive(primitive) => primitive_source(*primitive),
        }
    }
}

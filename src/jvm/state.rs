//! Reads the state of objects in the JVM as properties (decisions 0010 and 0067).
//!
//! Fields are read through JNI; no code of the project is ever called. `rules/values.toml` names the methods that are called on
//! objects of the platform.

mod contents;
mod java_source;

use super::atom::Atom;
use super::bounds::{DEPTH, DIGEST_DEPTH, DIGEST_VALUES, PLATFORM_DEPTH, PROPERTIES, STATIC_VALUES};
use super::environment::{Environment, Tools};
use super::shape::{Field, Inside, Kind, Shape, Shapes};
use super::source::{class_source, enum_type, primitive_name};
use super::template::{self, Answer, Ask};
use crate::observation::{DIGEST, NOT_SEEN, ORDER, Part, Property, WHOLE};
use foldhash::quality::{FixedState, FoldHasher};
use jni::sys;
use std::hash::{BuildHasher, Hash, Hasher};

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
    /// The number of further values that digests may cover.
    digestible: usize,
    /// Whether the walk is for a digest, which goes deeper.
    digesting: bool,
    /// The number of steps through objects of the platform without a description.
    platform_depth: usize,
    /// The class of an object that the current digest leaves out.
    cut: Option<String>,
}

impl<'a> Walk<'a> {
    fn new(reader: &'a mut Reader, jvm: Environment, tools: &'a Tools, sink: Sink<'a>) -> Self {
        Self {
            reader,
            jvm,
            tools,
            part: Part::Result,
            path: String::new(),
            sink,
            ancestors: Vec::new(),
            remaining: 0,
            digestible: DIGEST_VALUES,
            digesting: false,
            platform_depth: 0,
            cut: None,
        }
    }

    fn slots(&mut self, slots: &[Slot], deep: bool) {
        for slot in slots {
            self.part = slot.part;
            self.remaining = PROPERTIES;
            if slot.part == Part::Static {
                self.digestible = self.digestible.min(STATIC_VALUES);
                self.statics(slot.value);
            } else {
                self.value(slot.value, slot.declared, 0, deep);
            }
        }
    }

    fn add(&mut self, type_name: &str, atom: &Atom<'_>, level: usize) {
        if self.digesting {
            self.digestible = self.digestible.saturating_sub(1);
        } else {
            self.remaining = self.remaining.saturating_sub(1);
        }
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
                    self.fields(value, name, &shape.fields, level.max(1), deep);
                }
            }
            Kind::Class => self.add(name, &Atom::Source(&class_source(&jvm.name_of(value))), level),
            Kind::Array(element) => self.array(value, name, *element, level, deep && !shape.busy),
            Kind::Platform { size, inside } => {
                self.add(name, &Atom::NonNull, level);
                let size = size.as_ref().and_then(|size| self.size(value, size, 0));
                if let Some(size) = size {
                    self.descend(".size", |walk| walk.add("int", &Atom::Size(size), level));
                }
                if deep && (level == 0 || !shape.busy) {
                    self.inside(value, &shape, inside, size.is_some(), level);
                } else if deep {
                    self.not_seen(name, level);
                }
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
                    self.fields(value, name, &shape.fields, level, deep);
                    if deep {
                        self.cause(value, level);
                    }
                }
            }
            Kind::Object { inherited } => {
                self.add(name, &Atom::NonNull, level);
                if level == 0 || (deep && !shape.busy) {
                    self.fields(value, name, &shape.fields, level, deep);
                }
                if let Some(inside) = inherited.as_ref().filter(|_| deep && !shape.busy) {
                    self.inside(value, &shape, inside, false, level);
                }
            }
            Kind::Opaque => {
                self.add(name, &Atom::NonNull, level);
                self.not_seen(name, level);
            }
        }
    }

    /// Looks into an object of the platform. All of it is deep.
    fn inside(&mut self, object: sys::jobject, shape: &Shape, inside: &Inside, has_size: bool, level: usize) {
        match inside {
            Inside::Source(template) => match self.source(object, 0) {
                // A part without a source is read by itself.
                Some(source) if source.contains('…') => {
                    self.whole(&shape.name, &source, level);
                    template.holes().for_each(|ask| self.answer(object, ask, level));
                }
                Some(source) => self.whole(&shape.name, &source, level),
                None => template.holes().for_each(|ask| self.answer(object, ask, level)),
            },
            Inside::Asks(asks) => asks.iter().for_each(|ask| self.answer(object, ask, level)),
            Inside::Contents(contents) => self.contents(object, &shape.name, contents, has_size, level),
            Inside::Fields if self.platform_depth < PLATFORM_DEPTH => {
                self.platform_depth += 1;
                self.fields(object, &shape.name, &shape.fields, level.max(1), true);
                self.platform_depth -= 1;
            }
            Inside::Fields | Inside::Nothing => self.not_seen(&shape.name, level),
        }
    }

    /// Adds the value of an object as a whole, at the step [`WHOLE`].
    fn whole(&mut self, type_name: &str, source: &str, level: usize) {
        self.descend(WHOLE, |walk| walk.add(type_name, &Atom::Source(source), level.max(2)));
    }

    /// Marks an object that is not looked into, or not into all of it, at the step [`NOT_SEEN`]. In a
    /// digest, the mark is that of the digest.
    fn not_seen(&mut self, type_name: &str, level: usize) {
        if self.digesting {
            return self.leave_out(type_name);
        }
        self.descend(NOT_SEEN, |walk| walk.add(type_name, &Atom::NonNull, level.max(2)));
    }

    /// Marks that the current digest does not cover an object of this class.
    fn leave_out(&mut self, type_name: &str) {
        self.cut.get_or_insert_with(|| type_name.to_owned());
    }

    /// Reads an object behind the bounds: by a digest, as far as there can be one.
    fn beyond(&mut self, object: sys::jobject, type_name: &str, level: usize) {
        if self.digesting {
            return self.leave_out(type_name);
        }
        let hash = self.hash_of(object, level);
        self.digest("", hash, level);
    }

    /// Reads the result of a method, or what a field says about it.
    fn answer(&mut self, object: sys::jobject, ask: &Ask, level: usize) {
        let Some(result) = ask.answer.read(self.jvm, object) else { return };
        let below = level.max(1) + 1;
        self.descend(&ask.step, |walk| match result {
            template::Result::Primitive(value, descriptor) => {
                walk.add(primitive_name(descriptor), &Atom::Primitive(value), below);
            }
            template::Result::Text(units) => walk.add("java.lang.String", &Atom::Text(&units), below),
            template::Result::Elements { array, element, length } => {
                walk.first_elements(array, element, length, below);
                walk.jvm.delete(array);
            }
            template::Result::Object(value) => {
                match walk.text_of_buffer(value, ask) {
                    Some(units) => walk.add("java.lang.String", &Atom::Text(&units), below),
                    None => walk.value(value, None, below, true),
                }
                walk.jvm.delete(value);
            }
        });
    }

    /// The text of the buffer in a field that stands for the result of a method.
    fn text_of_buffer(&mut self, buffer: sys::jobject, ask: &Ask) -> Option<Vec<u16>> {
        if buffer.is_null() || !matches!(ask.answer, Answer::Field(_)) {
            return None;
        }
        let shape = self.reader.shapes.of(self.jvm, self.tools, buffer)?;
        let Kind::Platform { inside: Inside::Asks(asks), .. } = &shape.kind else { return None };
        match asks.first()?.answer.read(self.jvm, buffer)? {
            template::Result::Text(units) => Some(units),
            _ => None,
        }
    }

    /// Reads the cause of a throwable. A throwable without one refers to itself until somebody asks for it.
    fn cause(&mut self, throwable: sys::jobject, level: usize) {
        let Ok(cause) = self.jvm.field_of(throwable, "cause", "Ljava/lang/Throwable;") else { return };
        if !cause.is_null() && !self.jvm.same(cause, throwable) && !self.is_at_end(level) && !self.is_cycle(cause) {
            self.ancestors.push(throwable);
            self.descend(".getCause()", |walk| walk.value(cause, None, level.max(1) + 1, true));
            self.ancestors.pop();
        }
        self.jvm.delete(cause);
    }

    /// The hash of everything that is reachable from a value, as far as the bounds go.
    fn hash_of(&mut self, value: sys::jobject, level: usize) -> u64 {
        let sink = std::mem::replace(&mut self.sink, Sink::Fingerprint(fingerprint_hasher()));
        let path = std::mem::take(&mut self.path);
        let digesting = std::mem::replace(&mut self.digesting, true);
        self.value(value, None, level, true);
        self.digesting = digesting;
        self.path = path;
        match std::mem::replace(&mut self.sink, sink) {
            Sink::Fingerprint(hasher) => hasher.finish(),
            Sink::Properties(_) => 0,
        }
    }

    /// Adds a digest of everything at the current path, at the step [`DIGEST`].
    fn digest(&mut self, type_name: &str, hash: u64, level: usize) {
        let text = format!("contents {hash:016x}");
        self.descend(DIGEST, |walk| walk.add(type_name, &Atom::Source(&text), level.max(2)));
        if !self.digesting
            && let Some(class) = self.cut.take()
        {
            self.not_seen(&class, level);
        }
    }

    /// Whether nothing below this level is read.
    fn is_at_end(&self, level: usize) -> bool {
        if self.digesting {
            return level >= DIGEST_DEPTH || self.digestible == 0;
        }
        level >= DEPTH || self.remaining == 0
    }

    fn is_cycle(&self, object: sys::jobject) -> bool {
        self.ancestors.iter().any(|ancestor| self.jvm.same(*ancestor, object))
    }

    fn fields(&mut self, object: sys::jobject, name: &str, fields: &[Field], level: usize, deep: bool) {
        if self.is_cycle(object) {
            return;
        }
        if self.is_at_end(level) {
            if deep && !fields.is_empty() {
                self.beyond(object, name, level);
            }
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
}

//! From an object in the JVM to its properties (DESIGN.md, "State of a value"): fields are read through JNI, and no method of an
//! observed object is ever called. Sizes and contents of JDK collections come from the fields that `rules/state.toml` names.

#![allow(unsafe_code)]

use super::environment::{Environment, Primitive, Tools};
use crate::observation::{Part, Property};
use jni::sys;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// How deep, how broad and how long the deep part may get.
const DEEPEST: usize = 4;
const BROADEST: usize = 16;
const MOST_PROPERTIES: usize = 120;
/// Longer strings are kept by their beginning, length and hash.
const LONGEST_STRING: usize = 2000;

/// `rules/state.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    /// Binary name of a JDK class → how its size is read.
    sizes: BTreeMap<String, String>,
    /// JDK classes whose contents are read, by the shape of their storage.
    contents: BTreeMap<String, String>,
    /// Fields that never count, by binary name of the declaring class or `*`.
    skipped_fields: BTreeMap<String, Vec<String>>,
    /// Parts of class names that mark generated classes, proxies and mocks: their fields are not read.
    generated: Vec<String>,
    /// Prefixes of classes that belong to the platform.
    platform: Vec<String>,
}

/// What is known of a run-time class.
#[derive(Clone, Debug)]
struct Shape {
    name: String,
    kind: Kind,
    fields: Vec<Field>,
}

#[derive(Clone, Debug)]
enum Kind {
    String,
    /// A box: field `value` and its descriptor.
    Box(u8, FieldId),
    Enum(FieldId),
    Class,
    Throwable,
    /// Element's descriptor.
    Array(u8),
    /// A JDK class with a size, and perhaps readable contents.
    Sized {
        size: Size,
        contents: Option<Contents>,
    },
    /// Any object: its fields count.
    Object,
    /// Its presence and class only: other JDK classes, proxies, mocks, generated classes.
    Opaque,
}

/// How to find the size of a JDK collection.
#[derive(Clone, Debug)]
enum Size {
    Constant(i32),
    /// An `int` field.
    Field(FieldId),
    /// Length of the array in this field.
    Length(FieldId),
    /// Size of the collection in this field.
    Of(FieldId),
    /// Number of slots from `head` to `tail` in a circular array.
    Circular {
        head: FieldId,
        tail: FieldId,
        elements: FieldId,
    },
    /// 1 and 2 for the JDK's two-element list or set: 1 when the second field is empty. The empty slot may hold a marker object.
    OneOrTwo {
        second: FieldId,
    },
}

/// Where contents are found: an array (with as many elements as the size), or the same contents as another collection.
#[derive(Clone, Debug)]
enum Contents {
    Elements(FieldId),
    Of(FieldId),
    /// Entries linked by `next` from `first`, value in `item`.
    Linked {
        first: FieldId,
        next: FieldId,
        items: Vec<(&'static str, FieldId)>,
    },
}

#[derive(Clone, Copy, Debug)]
struct FieldId(sys::jfieldID);

// SAFETY: a field ID is a number that is valid in every thread as long as its class is loaded; JDK classes are never unloaded, and
// shapes of project classes are only used with an object of that very class at hand.
unsafe impl Send for FieldId {}
// SAFETY: as above.
unsafe impl Sync for FieldId {}

#[derive(Clone, Debug)]
struct Field {
    /// `.name`
    path: String,
    /// First byte of its descriptor.
    descriptor: u8,
    id: FieldId,
}

/// Reads states; remembers the shape of each class under a JVMTI tag of the class object.
pub struct Reader {
    rules: Rules,
    shapes: Vec<Arc<Shape>>,
    /// Text of strings on their way through.
    units: Vec<u16>,
}

/// One part of a state, to be read.
#[derive(Clone, Copy)]
pub struct Slot {
    pub part: Part,
    /// Null is allowed.
    pub value: sys::jobject,
    /// The declared type of a boxed value, where it is primitive.
    pub declared: Option<u8>,
}

/// What a reading is for. Most states have been seen before: they are told by their fingerprint, and no text is made of them.
enum Sink<'a> {
    Fingerprint(DefaultHasher),
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
        let rules: Rules = toml::from_str(include_str!("../../rules/state.toml"))
            .map_err(|error| format!("rules/state.toml: {error}"))?;
        Ok(Self { rules, shapes: Vec::new(), units: Vec::new() })
    }

    /// Equal for equal states, and as good as never for others: 64 bits over parts, paths, types and values.
    pub fn fingerprint(&mut self, jvm: Environment, tools: &Tools, slots: &[Slot], deep: bool) -> u64 {
        let mut reading = Reading::new(self, jvm, tools, Sink::Fingerprint(DefaultHasher::new()));
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

    fn shape(&mut self, jvm: Environment, tools: &Tools, object: sys::jobject) -> usize {
        let class = jvm.class_of(object);
        // SAFETY: `class` is a live local reference of this thread.
        let tag = unsafe { tools.0.get_tag(class.cast()) }.unwrap_or(0);
        let index =
            usize::try_from(tag).ok().and_then(|tag| tag.checked_sub(1)).filter(|index| *index < self.shapes.len());
        let index = index.unwrap_or_else(|| {
            let shape = self.make_shape(jvm, tools, class);
            self.shapes.push(Arc::new(shape));
            let index = self.shapes.len() - 1;
            if let Ok(tag) = sys::jlong::try_from(index + 1) {
                // SAFETY: as above.
                let _ = unsafe { tools.0.set_tag(class.cast(), tag) };
            }
            index
        });
        jvm.delete(class);
        index
    }

    fn make_shape(&mut self, jvm: Environment, tools: &Tools, class: sys::jclass) -> Shape {
        let name = jvm.name_of(class);
        let plain = |kind| Shape { name: name.clone(), kind, fields: Vec::new() };
        if let Some(element) = name.strip_prefix('[') {
            return plain(Kind::Array(element.bytes().next().unwrap_or(b'L')));
        }
        let value_field = |descriptor: &str| jvm.field(class, "value", descriptor).map(FieldId);
        let boxed = |descriptor: u8| {
            value_field(&char::from(descriptor).to_string()).map_or(Kind::Opaque, |field| Kind::Box(descriptor, field))
        };
        match name.as_str() {
            "java.lang.String" => return plain(Kind::String),
            "java.lang.Boolean" => return plain(boxed(b'Z')),
            "java.lang.Byte" => return plain(boxed(b'B')),
            "java.lang.Short" => return plain(boxed(b'S')),
            "java.lang.Character" => return plain(boxed(b'C')),
            "java.lang.Integer" => return plain(boxed(b'I')),
            "java.lang.Long" => return plain(boxed(b'J')),
            "java.lang.Float" => return plain(boxed(b'F')),
            "java.lang.Double" => return plain(boxed(b'D')),
            "java.lang.Class" => return plain(Kind::Class),
            _ => {}
        }
        let supers = self.superclasses(jvm, class);
        if supers.iter().any(|name| name == "java.lang.Enum") {
            return plain(
                jvm.field(class, "name", "Ljava/lang/String;").map_or(Kind::Opaque, |field| Kind::Enum(FieldId(field))),
            );
        }
        if self.is_platform(&name) {
            let size = supers.iter().find_map(|ancestor| self.rules.sizes.get(ancestor));
            if let Some(size) = size.and_then(|rule| parse_size(jvm, class, rule)) {
                let contents = supers.iter().find_map(|ancestor| self.rules.contents.get(ancestor));
                let contents = contents.and_then(|rule| parse_contents(jvm, class, rule));
                return plain(Kind::Sized { size, contents });
            }
        }
        let throwable = supers.iter().any(|name| name == "java.lang.Throwable");
        let generated = self.rules.generated.iter().any(|mark| name.contains(mark.as_str()));
        let fields = if generated || (self.is_platform(&name) && !throwable) {
            None
        } else {
            Some(self.fields(jvm, tools, class))
        };
        match fields {
            Some(fields) => Shape { name, kind: if throwable { Kind::Throwable } else { Kind::Object }, fields },
            None => plain(Kind::Opaque),
        }
    }

    fn is_platform(&self, class_name: &str) -> bool {
        self.rules.platform.iter().any(|prefix| class_name.starts_with(prefix.as_str()))
    }

    /// Names from the class itself upwards.
    fn superclasses(&self, jvm: Environment, class: sys::jclass) -> Vec<String> {
        let mut names = vec![jvm.name_of(class)];
        let mut current = jvm.superclass(class);
        while !current.is_null() {
            names.push(jvm.name_of(current));
            let next = jvm.superclass(current);
            jvm.delete(current);
            current = next;
        }
        names
    }

    /// Instance fields, declared and inherited up to the first class of the platform, whatever their visibility.
    fn fields(&self, jvm: Environment, tools: &Tools, class: sys::jclass) -> Vec<Field> {
        const STATIC: i32 = 0x0008;
        const SYNTHETIC: i32 = 0x1000;
        let mut fields: Vec<Field> = Vec::new();
        let mut current = jvm.local(class);
        while !current.is_null() {
            let class_name = jvm.name_of(current);
            if self.is_platform(&class_name) {
                break;
            }
            // SAFETY: `current` is a live class reference; the IDs come from it.
            let ids = unsafe { tools.0.get_class_fields(current.cast()) }.unwrap_or_default();
            for id in ids {
                // SAFETY: as above.
                let (modifiers, named) = unsafe {
                    (tools.0.get_field_modifiers(current.cast(), id), tools.0.get_field_name(current.cast(), id))
                };
                let (Ok(modifiers), Ok((name, descriptor, _))) = (modifiers, named) else { continue };
                if modifiers & (STATIC | SYNTHETIC) != 0 || self.is_skipped(&class_name, &name) {
                    continue;
                }
                // A field hidden by one of a subclass is told apart by its class.
                let path = if fields.iter().any(|field| field.path == format!(".{name}")) {
                    format!(".{}.{name}", class_name.rsplit('.').next().unwrap_or(&class_name))
                } else {
                    format!(".{name}")
                };
                fields.push(Field {
                    path,
                    descriptor: descriptor.bytes().next().unwrap_or(b'L'),
                    id: FieldId(id.cast()),
                });
            }
            let next = jvm.superclass(current);
            jvm.delete(current);
            current = next;
        }
        jvm.delete(current);
        fields
    }

    fn is_skipped(&self, class: &str, field: &str) -> bool {
        ["*", class].iter().any(|key| {
            self.rules.skipped_fields.get(*key).is_some_and(|fields| {
                fields.iter().any(|pattern| {
                    pattern.strip_suffix('*').map_or(pattern == field, |prefix| field.starts_with(prefix))
                })
            })
        })
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
            self.value(slot.value, slot.declared, 0, deep);
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
        let index = self.reader.shape(jvm, self.tools, value);
        let Some(shape) = self.reader.shapes.get(index).map(Arc::clone) else { return };
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
            }
            Kind::Class => self.add(name, &Atom::Source(&format!("{}.class", jvm.name_of(value))), level),
            Kind::Array(element) => self.array(value, name, *element, level, deep),
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
                if level == 0 || deep {
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
        let (true, Some(contents)) = (deep && !self.is_at_end(level), contents) else { return };
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
                    self.below("", |reading| reading.value(inner, None, level.max(1) + 1, true));
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
                let index = self.reader.shape(jvm, self.tools, inner);
                let shape = self.reader.shapes.get(index).map(Arc::clone);
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

fn parse_size(jvm: Environment, class: sys::jclass, rule: &str) -> Option<Size> {
    let mut words = rule.split_whitespace();
    let size = match (words.next()?, words.next(), words.next(), words.next()) {
        ("constant", Some(value), None, None) => Size::Constant(value.parse().ok()?),
        ("field", Some(field), None, None) => Size::Field(typed_field(jvm, class, field)?),
        ("length", Some(field), None, None) => Size::Length(typed_field(jvm, class, field)?),
        ("of", Some(field), None, None) => Size::Of(typed_field(jvm, class, field)?),
        ("one-or-two", Some(field), None, None) => Size::OneOrTwo { second: typed_field(jvm, class, field)? },
        ("circular", Some(head), Some(tail), Some(elements)) => Size::Circular {
            head: typed_field(jvm, class, head)?,
            tail: typed_field(jvm, class, tail)?,
            elements: typed_field(jvm, class, elements)?,
        },
        _ => return None,
    };
    Some(size)
}

fn parse_contents(jvm: Environment, class: sys::jclass, rule: &str) -> Option<Contents> {
    let mut words = rule.split_whitespace();
    match (words.next()?, words.next()?) {
        ("elements", field) => Some(Contents::Elements(typed_field(jvm, class, field)?)),
        ("of", field) => Some(Contents::Of(typed_field(jvm, class, field)?)),
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
            Some(Contents::Linked { first: typed_field(jvm, class, first)?, next, items })
        }
        _ => None,
    }
}

/// `name:descriptor`.
fn typed_field(jvm: Environment, class: sys::jclass, field: &str) -> Option<FieldId> {
    let (name, descriptor) = field.split_once(':')?;
    jvm.field(class, name, descriptor).ok().map(FieldId)
}

/// `org.example.Rule$4` → `Rule`: the digits of a constant's own class are left out; the package too.
fn enum_type(class: &str) -> String {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let mut parts: Vec<&str> = simple.split('$').collect();
    if parts.len() > 1 && parts.last().is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit())) {
        parts.pop();
    }
    parts.join(".")
}

/// `[[I` → `int[][]`.
fn array_type_name(name: &str) -> String {
    let dimensions = name.bytes().take_while(|byte| *byte == b'[').count();
    let element = name.get(dimensions..).unwrap_or_default();
    let element = match element.strip_prefix('L').and_then(|element| element.strip_suffix(';')) {
        Some(class) => class.to_owned(),
        None => primitive_name(element.bytes().next().unwrap_or(b'?')).to_owned(),
    };
    format!("{element}{}", "[]".repeat(dimensions))
}

fn primitive_name(descriptor: u8) -> &'static str {
    match descriptor {
        b'Z' => "boolean",
        b'B' => "byte",
        b'C' => "char",
        b'S' => "short",
        b'I' => "int",
        b'J' => "long",
        b'F' => "float",
        b'D' => "double",
        _ => "?",
    }
}

fn primitive_source(value: Primitive) -> String {
    match value {
        Primitive::Boolean(value) => value.to_string(),
        Primitive::Int(value) => value.to_string(),
        Primitive::Long(value) => format!("{value}L"),
        Primitive::Float(value) => floating(f64::from(value), &format!("{value:?}"), "f", "Float"),
        Primitive::Double(value) => floating(value, &format!("{value:?}"), "", "Double"),
        Primitive::Char(unit) => {
            let mut text = String::from("'");
            match char::from_u32(u32::from(unit)) {
                Some(character) => escape(&mut text, character, '\''),
                None => text.push_str(&format!("\\u{unit:04x}")),
            }
            text.push('\'');
            text
        }
    }
}

fn floating(value: f64, shortest: &str, suffix: &str, class: &str) -> String {
    if value.is_nan() {
        format!("{class}.NaN")
    } else if value.is_infinite() {
        format!("{class}.{}_INFINITY", if value > 0.0 { "POSITIVE" } else { "NEGATIVE" })
    } else {
        format!("{shortest}{suffix}")
    }
}

impl Atom<'_> {
    fn hash_into(&self, hasher: &mut DefaultHasher) {
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

fn text_source(units: &[u16]) -> String {
    if units.len() <= LONGEST_STRING {
        return quoted(units);
    }
    // Long strings differ if anything of them does: their end is in the hash.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for unit in units {
        hash = (hash ^ u64::from(*unit)).wrapping_mul(0x0100_0000_01b3);
    }
    let start = units.get(..LONGEST_STRING / 4).unwrap_or_default();
    format!("{}… ({} characters, hash {hash:016x})", quoted(start), units.len())
}

/// A Java string literal.
fn quoted(units: &[u16]) -> String {
    let mut literal = String::with_capacity(units.len() + 2);
    literal.push('"');
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(character) => escape(&mut literal, character, '"'),
            Err(half) => literal.push_str(&format!("\\u{:04x}", half.unpaired_surrogate())),
        }
    }
    literal.push('"');
    literal
}

fn escape(text: &mut String, character: char, quote: char) {
    match character {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\\' => text.push_str("\\\\"),
        character if character == quote => {
            text.push('\\');
            text.push(character);
        }
        character if character.is_control() => text.push_str(&format!("\\u{:04x}", u32::from(character))),
        character => text.push(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_become_java_literals() {
        let units: Vec<u16> = "a\"b\\\n\u{1}'é".encode_utf16().collect();
        assert_eq!(quoted(&units), "\"a\\\"b\\\\\\n\\u0001'é\"");
        assert_eq!(primitive_source(Primitive::Char(u16::from(b'\''))), "'\\''");
    }

    #[test]
    fn numbers_become_java_literals() {
        assert_eq!(primitive_source(Primitive::Double(1.0)), "1.0");
        assert_eq!(primitive_source(Primitive::Float(1.5)), "1.5f");
        assert_eq!(primitive_source(Primitive::Double(f64::NAN)), "Double.NaN");
        assert_eq!(primitive_source(Primitive::Long(-3)), "-3L");
    }

    #[test]
    fn array_classes_read_like_java() {
        assert_eq!(array_type_name("[[I"), "int[][]");
        assert_eq!(array_type_name("[Ljava.lang.String;"), "java.lang.String[]");
    }

    #[test]
    fn an_enum_constant_with_a_body_is_named_by_its_enum() {
        assert_eq!(enum_type("org.example.Rule$4"), "Rule");
        assert_eq!(enum_type("org.example.Outer$Color"), "Outer.Color");
    }
}

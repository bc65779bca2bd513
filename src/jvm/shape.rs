//! The shapes of classes in the JVM: the kind of each class, and the fields by which its objects are read.

#![allow(unsafe_code)]

use super::collection::{Contents, FieldId, Size};
use super::environment::{Environment, Tools};
use super::template::{Ask, Template};
use crate::observation::kinds::{Inherited, Kinds};
use crate::observation::noise::NoiseRules;
use jni::sys;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

// Access flags (JVMS §4.5).
const STATIC: i32 = 0x0008;
const FINAL: i32 = 0x0010;
const TRANSIENT: i32 = 0x0080;
const SYNTHETIC: i32 = 0x1000;
const STRING: &str = "Ljava/lang/String;";

/// The content of `rules/state.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    /// Rules of [`Size::parse`] by binary name of a JDK class.
    sizes: BTreeMap<String, String>,
    /// Fields that are never read, by binary name of the declaring class or `*`.
    skipped_fields: BTreeMap<String, Vec<String>>,
    /// Names of `int` fields that are not read in a class that declares `hashCode()`, unless they are final.
    hash_caches: Vec<String>,
    /// Names of fields in which a container of the platform counts its modifications.
    modification_counts: Vec<String>,
    /// Parts of class names that mark generated classes, proxies and mocks: their fields are not read.
    generated: Vec<String>,
    /// Prefixes of classes that belong to the platform.
    platform: Vec<String>,
    /// Binary names of JDK types whose objects other threads modify.
    busy: Vec<String>,
}

/// The shape of a run-time class.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Binary name of the class.
    pub name: String,
    pub kind: Kind,
    /// Whether other threads may modify such objects, or the elements of such arrays, while they are read.
    pub busy: bool,
    /// The fields to read, for `Kind::Object`, `Kind::Enum`, `Kind::Throwable` and `Inside::Fields` only.
    pub fields: Vec<Field>,
}

/// The kind of a class, which decides how its objects are read.
#[derive(Clone, Debug)]
pub enum Kind {
    String,
    /// A box class: the descriptor of its field `value`, and the field.
    Box(u8, FieldId),
    /// An enum: the field with the constant's name.
    Enum(FieldId),
    Class,
    Throwable,
    /// An array, by the first byte of its elements' descriptor.
    Array(u8),
    /// An object of the platform: its size, if that belongs to the study's state, and what is inside.
    Platform {
        size: Option<Size>,
        inside: Inside,
    },
    /// An object whose fields are read. It may inherit from a class of the platform that has more inside.
    Object {
        inherited: Option<Inside>,
    },
    /// An object of which only presence and class are read: proxies, mocks, generated classes.
    Opaque,
}

/// The way to look into an object of the platform.
#[derive(Clone, Debug)]
pub enum Inside {
    /// It has a value of its own, which is written as Java source.
    Source(Template),
    /// The results of its methods describe it.
    Asks(Vec<Ask>),
    Contents(Contents),
    /// Nothing is known of its class, so the fields of [`Shape::fields`] are read.
    Fields,
    /// Its state says nothing about the program (`rules/noise.toml`).
    Nothing,
}

/// A field to read.
#[derive(Clone, Debug)]
pub struct Field {
    /// The step that it adds to a path: `.name`.
    pub path: String,
    /// The first byte of its descriptor.
    pub descriptor: u8,
    pub id: FieldId,
}

/// The shapes of all classes seen so far. The JVMTI tag of each class object is the index of its shape, plus one.
pub struct Shapes {
    rules: Rules,
    kinds: &'static Kinds,
    shapes: Vec<Arc<Shape>>,
    /// Static fields of classes, by index of the shape.
    statics: HashMap<usize, Arc<[Field]>>,
}

impl Shapes {
    pub fn new() -> Result<Self, String> {
        let rules = toml::from_str(include_str!("../../rules/state.toml"))
            .map_err(|error| format!("rules/state.toml: {error}"))?;
        Ok(Self { rules, kinds: Kinds::embedded()?, shapes: Vec::new(), statics: HashMap::new() })
    }

    /// The shape of the run-time class of `object`, which must not be null.
    pub fn of(&mut self, jvm: Environment, tools: &Tools, object: sys::jobject) -> Option<Arc<Shape>> {
        let class = jvm.class_of(object);
        let index = self.index(jvm, tools, class);
        jvm.delete(class);
        self.shapes.get(index).map(Arc::clone)
    }

    /// The static fields that the class itself declares, except for constants (final primitives and strings).
    pub fn statics(&mut self, jvm: Environment, tools: &Tools, class: sys::jclass) -> Arc<[Field]> {
        let index = self.index(jvm, tools, class);
        if let Some(known) = self.statics.get(&index) {
            return Arc::clone(known);
        }
        let name = jvm.name_of(class);
        let is_constant = |field: &Declared| {
            field.modifiers & FINAL != 0 && (!field.descriptor.starts_with(['L', '[']) || field.descriptor == STRING)
        };
        let fields: Arc<[Field]> = declared(tools, class)
            .into_iter()
            .filter(|field| field.modifiers & (STATIC | SYNTHETIC) == STATIC && !is_constant(field))
            .filter(|field| !self.is_skipped(&name, &field.name))
            .map(|field| field.at(format!(".{}", field.name)))
            .collect();
        self.statics.insert(index, Arc::clone(&fields));
        fields
    }

    fn index(&mut self, jvm: Environment, tools: &Tools, class: sys::jclass) -> usize {
        // SAFETY: `class` is a live local reference of this thread.
        let tag = unsafe { tools.0.get_tag(class.cast()) }.unwrap_or(0);
        let known =
            usize::try_from(tag).ok().and_then(|tag| tag.checked_sub(1)).filter(|index| *index < self.shapes.len());
        known.unwrap_or_else(|| {
            let shape = self.make_shape(jvm, tools, class);
            self.shapes.push(Arc::new(shape));
            let index = self.shapes.len() - 1;
            if let Ok(tag) = sys::jlong::try_from(index + 1) {
                // SAFETY: as above.
                let _ = unsafe { tools.0.set_tag(class.cast(), tag) };
            }
            index
        })
    }

    fn make_shape(&mut self, jvm: Environment, tools: &Tools, class: sys::jclass) -> Shape {
        let name = jvm.name_of(class);
        let plain = |kind| Shape { name: name.clone(), kind, busy: false, fields: Vec::new() };
        if let Some(element) = name.strip_prefix('[') {
            let busy =
                self.rules.busy.iter().any(|ancestor| element.strip_prefix('L') == Some(&format!("{ancestor};")));
            return Shape { busy, ..plain(Kind::Array(element.bytes().next().unwrap_or(b'L'))) };
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
            // Constants may hold results of the program in their fields, like other objects.
            let fields = self.fields(jvm, tools, class);
            return Shape { fields, ..plain(enum_name(jvm).map_or(Kind::Opaque, Kind::Enum)) };
        }
        let busy = self.is_busy(jvm, class);
        let generated = self.rules.generated.iter().any(|mark| name.contains(mark.as_str()));
        if supers.iter().any(|name| name == "java.lang.Throwable") {
            let fields = if generated { Vec::new() } else { self.fields(jvm, tools, class) };
            let kind = if generated { Kind::Opaque } else { Kind::Throwable };
            return Shape { name, kind, busy, fields };
        }
        if self.is_platform(&name) {
            let size = supers.iter().find_map(|ancestor| self.rules.sizes.get(ancestor));
            let size = size.and_then(|rule| Size::parse(jvm, class, rule));
            let inside = self.inside(jvm, class, &name, &supers);
            let is_unknown = matches!(inside, Inside::Fields);
            let fields = if is_unknown { self.platform_fields(jvm, tools, class) } else { Vec::new() };
            return Shape { name, kind: Kind::Platform { size, inside }, busy, fields };
        }
        if generated {
            return plain(Kind::Opaque);
        }
        let fields = self.fields(jvm, tools, class);
        let inherited = self.inherited(jvm, &supers);
        Shape { name, kind: Kind::Object { inherited }, busy, fields }
    }

    /// The way to look into the state that a class outside of the platform inherits from one of the platform.
    fn inherited(&self, jvm: Environment, supers: &[String]) -> Option<Inside> {
        let name = supers.iter().find(|name| self.is_platform(name))?;
        let contents = |kind| {
            let class = jvm.find_class(&name.replace('.', "/")).ok()?;
            let contents = Contents::parse(jvm, class, kind);
            jvm.delete(class);
            contents
        };
        match self.kinds.inherited(name) {
            Inherited::Nothing => None,
            Inherited::Contents(kind) => Some(contents(kind).map_or(Inside::Nothing, Inside::Contents)),
            Inherited::Unreadable => Some(Inside::Nothing),
        }
    }

    /// The way to look into objects of a class of the platform.
    fn inside(&self, jvm: Environment, class: sys::jclass, name: &str, supers: &[String]) -> Inside {
        if let Some(contents) = self.kinds.container(name).and_then(|kind| Contents::parse(jvm, class, kind)) {
            return Inside::Contents(contents);
        }
        if let Some(kind) = self.kinds.value(name, supers) {
            if let Some(template) = Template::parse(jvm, class, kind) {
                return Inside::Source(template);
            }
            let asks: Vec<Ask> = kind.asks.iter().filter_map(|rule| Ask::parse(jvm, class, rule)).collect();
            if !asks.is_empty() {
                return Inside::Asks(asks);
            }
        }
        let generated = self.rules.generated.iter().any(|mark| name.contains(mark.as_str()));
        if generated || NoiseRules::embedded().is_opaque(name) { Inside::Nothing } else { Inside::Fields }
    }

    fn is_platform(&self, class_name: &str) -> bool {
        self.rules.platform.iter().any(|prefix| class_name.starts_with(prefix.as_str()))
    }

    fn is_busy(&self, jvm: Environment, class: sys::jclass) -> bool {
        self.rules.busy.iter().any(|ancestor| {
            jvm.find_class(&ancestor.replace('.', "/")).is_ok_and(|ancestor| {
                let found = jvm.is_subclass(class, ancestor);
                jvm.delete(ancestor);
                found
            })
        })
    }

    /// The names of the class and its superclasses, from the class upwards.
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

    /// All instance fields that the class declares and inherits, up to the first class of the platform.
    fn fields(&self, jvm: Environment, tools: &Tools, class: sys::jclass) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        let mut current = jvm.local(class);
        while !current.is_null() {
            let class_name = jvm.name_of(current);
            if self.is_platform(&class_name) {
                break;
            }
            for field in declared(tools, current) {
                let name = &field.name;
                if field.modifiers & (STATIC | SYNTHETIC) != 0 || self.is_skipped(&class_name, name) {
                    continue;
                }
                if field.modifiers & FINAL == 0
                    && field.descriptor == "I"
                    && self.rules.hash_caches.contains(name)
                    && declares_hash_code(tools, current)
                {
                    continue;
                }
                // If a field of a subclass hides this one, the path contains the class name.
                let path = if fields.iter().any(|field| field.path == format!(".{name}")) {
                    format!(".{}.{name}", class_name.rsplit('.').next().unwrap_or(&class_name))
                } else {
                    format!(".{name}")
                };
                fields.push(field.at(path));
            }
            let next = jvm.superclass(current);
            jvm.delete(current);
            current = next;
        }
        jvm.delete(current);
        fields
    }

    /// The fields of a class of the platform and its superclasses. Transient ones are caches, or what is behind the contents of
    /// containers.
    fn platform_fields(&self, jvm: Environment, tools: &Tools, class: sys::jclass) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut current = jvm.local(class);
        while !current.is_null() {
            let class_name = jvm.name_of(current);
            let own = declared(tools, current).into_iter().filter(|field| {
                field.modifiers & (STATIC | SYNTHETIC | TRANSIENT) == 0 && !self.is_skipped(&class_name, &field.name)
            });
            fields.extend(own.filter(|field| !self.is_cache(field)).map(|field| field.at(format!(".{}", field.name))));
            let next = jvm.superclass(current);
            jvm.delete(current);
            current = next;
        }
        fields
    }

    fn is_cache(&self, field: &Declared) -> bool {
        self.rules.hash_caches.contains(&field.name) || self.rules.modification_counts.contains(&field.name)
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

/// A field, as its class declares it.
struct Declared {
    name: String,
    descriptor: String,
    modifiers: i32,
    id: FieldId,
}

impl Declared {
    fn at(&self, path: String) -> Field {
        Field { path, descriptor: self.descriptor.bytes().next().unwrap_or(b'L'), id: self.id }
    }
}

/// The fields that a class declares; `class` must be a live reference of this thread.
fn declared(tools: &Tools, class: sys::jclass) -> Vec<Declared> {
    // SAFETY: `class` is a live class reference; the IDs come from it. Checked for all JVMTI calls here: they throw nothing, make no
    // local references, and the binding frees what the JVM has allocated. A class that is not prepared is an error, not a fault.
    let ids = unsafe { tools.0.get_class_fields(class.cast()) }.unwrap_or_default();
    let field = |id| {
        // SAFETY: `class` is a live class reference, and the ID is one of its fields.
        let (modifiers, named) =
            unsafe { (tools.0.get_field_modifiers(class.cast(), id), tools.0.get_field_name(class.cast(), id)) };
        let (name, descriptor, _) = named.ok()?;
        Some(Declared { name, descriptor, modifiers: modifiers.ok()?, id: FieldId(id.cast()) })
    };
    ids.into_iter().filter_map(field).collect()
}

fn declares_hash_code(tools: &Tools, class: sys::jclass) -> bool {
    // SAFETY: `class` is a live class reference.
    let methods = unsafe { tools.0.get_class_methods(class.cast()) }.unwrap_or_default();
    methods.into_iter().any(|method| {
        // SAFETY: the ID comes from a class to which there is a live reference.
        let named = unsafe { tools.0.get_method_name(method) };
        named.is_ok_and(|(name, descriptor, _)| name == "hashCode" && descriptor == "()I")
    })
}

/// The field `name` of `java.lang.Enum`. The class of a constant may declare another field by that name.
fn enum_name(jvm: Environment) -> Option<FieldId> {
    let class = jvm.find_class("java/lang/Enum").ok()?;
    let field = jvm.field(class, "name", "Ljava/lang/String;").ok();
    jvm.delete(class);
    field.map(FieldId)
}

//! Describes an object of the platform by Java source or by the results of its methods (`rules/values.toml`).

use super::collection::{FieldId, MethodId, method};
use super::environment::Environment;
use super::environment::values::Primitive;
use crate::observation::kinds::ValueKind;
use jni::sys;

/// The descriptors of results that are tried for a method, most frequent first.
const RESULTS: [&str; 18] = [
    "Ljava/lang/String;",
    "I",
    "J",
    "Z",
    "Ljava/lang/Object;",
    "D",
    "[J",
    "[B",
    "[C",
    "[I",
    "[S",
    "[F",
    "[D",
    "C",
    "F",
    "S",
    "B",
    "Ljava/lang/Boolean;",
];

/// Java source with holes, for an object with a value of its own.
#[derive(Clone, Debug)]
pub struct Template {
    pub pieces: Vec<Piece>,
    /// The field that is null or false in an empty object, with its descriptor, and the source of an empty object.
    pub empty: Option<(FieldId, u8, String)>,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Text(String),
    Hole(Ask),
}

/// A method whose result describes an object.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The step that it adds to a path: `.get()`.
    pub step: String,
    pub answer: Answer,
}

/// The way to the result of a method.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// A call of the method. The descriptor begins with this byte.
    Call(MethodId, u8),
    /// A field of a reference type that has the result.
    Field(FieldId),
    /// The first `count` elements of a primitive array, with the descriptor of an element.
    Elements { array: FieldId, element: u8, count: FieldId },
    /// A text: its first `count` characters, in an array of characters, or of bytes if there is a `coder`.
    Text { array: FieldId, count: FieldId, coder: Option<FieldId> },
}

/// A result.
pub enum Result {
    Primitive(Primitive, u8),
    /// A local reference, which may be null.
    Object(sys::jobject),
    /// The first elements of a primitive array, which is a local reference or null: the first byte of
    /// their descriptor, and their number.
    Elements {
        array: sys::jobject,
        element: u8,
        length: usize,
    },
    /// UTF-16 units.
    Text(Vec<u16>),
}

impl Template {
    /// `None` if the kind has no source, or if this JDK lacks a method or field.
    pub fn parse(jvm: Environment, class: sys::jclass, kind: &ValueKind) -> Option<Self> {
        let mut rest = kind.source.as_deref()?;
        let mut pieces = Vec::new();
        while let Some((text, hole)) = rest.split_once('{') {
            let (name, after) = hole.split_once('}')?;
            pieces.push(Piece::Text(text.to_owned()));
            pieces.push(Piece::Hole(Ask::parse(jvm, class, name)?));
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        let empty = match (&kind.present, &kind.absent) {
            (Some(field), Some(source)) => {
                let (field, descriptor) = field_of(jvm, class, field, &["Ljava/lang/Object;", "Z"])?;
                Some((field, descriptor, source.clone()))
            }
            _ => None,
        };
        Some(Self { pieces, empty })
    }

    pub fn holes(&self) -> impl Iterator<Item = &Ask> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Hole(ask) => Some(ask),
            Piece::Text(_) => None,
        })
    }
}

impl Ask {
    /// Parses `get()`, `toString() = buf` or `toByteArray() = buf[count]`. `None` if this JDK lacks the method or field.
    pub fn parse(jvm: Environment, class: sys::jclass, rule: &str) -> Option<Self> {
        let (call, place) = rule.split_once(" = ").map_or((rule, None), |(call, place)| (call, Some(place)));
        let name = call.strip_suffix("()")?;
        let answer = match place {
            None => RESULTS.iter().find_map(|result| {
                let method = method(jvm, class, name, &format!("(){result}"))?;
                Some(Answer::Call(method, result.bytes().next().unwrap_or(b'L')))
            })?,
            Some(place) => Answer::in_fields(jvm, class, place, name == "toString")?,
        };
        Some(Self { step: format!(".{call}"), answer })
    }
}

impl Answer {
    fn in_fields(jvm: Environment, class: sys::jclass, place: &str, is_text: bool) -> Option<Self> {
        let Some((array, count)) = place.split_once('[') else {
            return Some(Self::Field(field_of(jvm, class, place, &["Ljava/lang/StringBuffer;"])?.0));
        };
        let (count, _) = field_of(jvm, class, count.strip_suffix(']')?, &["I"])?;
        for descriptor in ["[B", "[C"] {
            let Some((array, _)) = field_of(jvm, class, array, &[descriptor]) else { continue };
            let element = *descriptor.as_bytes().get(1)?;
            if !is_text {
                return Some(Self::Elements { array, element, count });
            }
            let coder = if element == b'B' { Some(field_of(jvm, class, "coder", &["B"])?.0) } else { None };
            return Some(Self::Text { array, count, coder });
        }
        None
    }

    /// The result for this object. `None` if the method throws.
    pub fn read(self, jvm: Environment, object: sys::jobject) -> Option<Result> {
        match self {
            Self::Call(method, b'L' | b'[') => jvm.call_object(object, method.0).ok().map(Result::Object),
            Self::Call(method, descriptor) => {
                let value = jvm.call_primitive(object, method.0, descriptor).ok()?;
                Some(Result::Primitive(value, descriptor))
            }
            Self::Field(field) => Some(Result::Object(jvm.get_object(object, field.0))),
            Self::Elements { array, element, count } => {
                let array = jvm.get_object(object, array.0);
                let all = if array.is_null() { 0 } else { jvm.array_length(array) };
                let length = jvm.get_count(object, count.0).min(all);
                Some(Result::Elements { array, element, length })
            }
            Self::Text { array, count, coder } => {
                let array = jvm.get_object(object, array.0);
                if array.is_null() {
                    return Some(Result::Text(Vec::new()));
                }
                let is_wide = coder.is_some_and(|coder| jvm.get_primitive(object, coder.0, b'B') != Primitive::Int(0));
                let count = jvm.get_count(object, count.0);
                let units = text_units(jvm, array, count, coder.is_some(), is_wide);
                jvm.delete(array);
                Some(Result::Text(units))
            }
        }
    }
}

/// The UTF-16 units of a text of the platform: an array of characters, of bytes in ISO 8859-1, or of two bytes for each
/// unit in the order of the machine.
fn text_units(jvm: Environment, array: sys::jobject, count: usize, of_bytes: bool, is_wide: bool) -> Vec<u16> {
    if !of_bytes {
        let unit = |element: Primitive| if let Primitive::Char(unit) = element { unit } else { 0 };
        return jvm.primitive_elements(array, b'C', count).into_iter().map(unit).collect();
    }
    let byte = |element: Primitive| if let Primitive::Int(value) = element { value.to_le_bytes()[0] } else { 0 };
    let length = if is_wide { 2 * count } else { count };
    let bytes: Vec<u8> = jvm.primitive_elements(array, b'B', length).into_iter().map(byte).collect();
    if is_wide {
        let (pairs, _) = bytes.as_chunks::<2>();
        return pairs.iter().map(|pair| u16::from_ne_bytes(*pair)).collect();
    }
    bytes.into_iter().map(u16::from).collect()
}

/// The field with this name and one of these descriptors, and the first byte of its descriptor.
fn field_of(jvm: Environment, class: sys::jclass, name: &str, descriptors: &[&str]) -> Option<(FieldId, u8)> {
    descriptors.iter().find_map(|descriptor| {
        let field = jvm.field(class, name, descriptor).ok()?;
        Some((FieldId(field), descriptor.bytes().next()?))
    })
}

//! Writes values as Java source.

use super::Walk;
use crate::jvm::bounds::{BREADTH, WRITTEN_LENGTH};
use crate::jvm::environment::values::Primitive;
use crate::jvm::shape::{Inside, Kind};
use crate::jvm::source::{array_type_name, enum_type, primitive_source, text_source};
use crate::jvm::template::{Piece, Result, Template};
use jni::sys;

/// The most containers and values around a value.
const NESTING: usize = 3;

impl Walk<'_> {
    /// The Java source of an equal value. `None` if it has none, or a long one.
    pub(super) fn source(&mut self, value: sys::jobject, depth: usize) -> Option<String> {
        if value.is_null() {
            return Some("null".to_owned());
        }
        if depth > NESTING {
            return None;
        }
        let jvm = self.jvm;
        let shape = self.reader.shapes.of(jvm, self.tools, value)?;
        let source = match &shape.kind {
            Kind::String => self.text_literal(value),
            Kind::Box(descriptor, field) => boxed_source(jvm.get_primitive(value, field.0, *descriptor), *descriptor),
            Kind::Enum(field) => {
                let constant = jvm.get_object(value, field.0);
                let name = if constant.is_null() { None } else { Some(jvm.string(constant)) };
                jvm.delete(constant);
                format!("{}.{}", enum_type(&shape.name), name?)
            }
            Kind::Array(element) if *element != b'L' => self.array_source(value, &shape.name, *element)?,
            Kind::Array(_) if shape.name == "[Ljava.lang.String;" => self.array_source(value, &shape.name, b'L')?,
            Kind::Platform { inside: Inside::Source(template), .. } => self.filled(value, template, depth)?,
            Kind::Platform { inside: Inside::Contents(contents), .. } if !self.is_cycle(value) => {
                let _frame = jvm.frame(64);
                self.ancestors.push(value);
                let entries = self.entries(value, contents, 0);
                let source = entries.and_then(|entries| self.entries_source(&entries, depth));
                self.ancestors.pop();
                source?
            }
            _ => return None,
        };
        (source.len() <= WRITTEN_LENGTH).then_some(source)
    }

    fn text_literal(&mut self, string: sys::jobject) -> String {
        let mut units = std::mem::take(&mut self.reader.units);
        self.jvm.string_into(string, &mut units);
        let literal = text_source(&units);
        self.reader.units = units;
        literal
    }

    fn filled(&mut self, object: sys::jobject, template: &Template, depth: usize) -> Option<String> {
        let jvm = self.jvm;
        if let Some((field, descriptor, source)) = &template.empty {
            let is_empty = if *descriptor == b'L' {
                let value = jvm.get_object(object, field.0);
                let is_null = value.is_null();
                jvm.delete(value);
                is_null
            } else {
                jvm.get_primitive(object, field.0, *descriptor) == Primitive::Boolean(false)
            };
            if is_empty {
                return Some(source.clone());
            }
        }
        let mut written = String::new();
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => written.push_str(text),
                Piece::Hole(ask) => match ask.answer.read(jvm, object)? {
                    Result::Primitive(value, _) => written.push_str(&primitive_source(value)),
                    Result::Text(units) => written.push_str(&text_source(&units)),
                    Result::Elements { array, .. } => {
                        jvm.delete(array);
                        return None;
                    }
                    Result::Object(value) => {
                        let source = self.source(value, depth + 1).filter(|_| !value.is_null());
                        jvm.delete(value);
                        written.push_str(source.as_deref().unwrap_or("…"));
                    }
                },
            }
        }
        Some(written)
    }

    /// `new int[] {1, 2}`, also of several dimensions.
    fn array_source(&mut self, array: sys::jobject, name: &str, element: u8) -> Option<String> {
        let type_name = array_type_name(name);
        let type_name = type_name.strip_prefix("java.lang.").unwrap_or(&type_name);
        Some(format!("new {type_name} {}", self.braced(array, element, 0)?))
    }

    fn braced(&mut self, array: sys::jobject, element: u8, depth: usize) -> Option<String> {
        let jvm = self.jvm;
        let length = jvm.array_length(array);
        if length > BREADTH || depth > NESTING {
            return None;
        }
        let mut written = Vec::with_capacity(length);
        if element != b'[' && element != b'L' {
            let elements = jvm.primitive_elements(array, element, length);
            written.extend(elements.into_iter().map(primitive_source));
        } else {
            for index in 0..length {
                let inner = jvm.array_element(array, index);
                let source = self.element_source(inner, depth);
                jvm.delete(inner);
                written.push(source?);
            }
        }
        Some(format!("{{{}}}", written.join(", ")))
    }

    fn element_source(&mut self, element: sys::jobject, depth: usize) -> Option<String> {
        if element.is_null() {
            return Some("null".to_owned());
        }
        let shape = self.reader.shapes.of(self.jvm, self.tools, element)?;
        match &shape.kind {
            Kind::Array(inner) if *inner != b'L' => self.braced(element, *inner, depth + 1),
            Kind::String => Some(self.text_literal(element)),
            _ => None,
        }
    }
}

/// A value of a box class, so that boxing the source gives the same class again.
fn boxed_source(value: Primitive, descriptor: u8) -> String {
    let source = primitive_source(value);
    match descriptor {
        b'B' => format!("(byte) {source}"),
        b'S' => format!("(short) {source}"),
        _ => source,
    }
}

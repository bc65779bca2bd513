//! Java source for values and types, as reports show them.

use super::environment::values::Primitive;
use crate::observation::CutText;
use crate::text::encoding::{is_invisible, push_escaped};

/// The longest string that is kept whole, in UTF-16 units. Of a longer one, the beginning, the length and a hash are kept.
const LONGEST_STRING: usize = 2000;

/// The simple name of an enum, from the class of a constant: `org.example.Rule$4`, a constant with a body, gives `Rule`.
pub fn enum_type(class: &str) -> String {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let mut parts: Vec<&str> = simple.split('$').collect();
    if parts.len() > 1 && parts.last().is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit())) {
        parts.pop();
    }
    parts.join(".")
}

/// The name of an array type in Java source: `[[I` gives `int[][]`.
pub fn array_type_name(name: &str) -> String {
    let dimensions = name.bytes().take_while(|byte| *byte == b'[').count();
    let element = name.get(dimensions..).unwrap_or_default();
    if dimensions == 0 {
        return name.to_owned();
    }
    let element = match element.strip_prefix('L').and_then(|element| element.strip_suffix(';')) {
        Some(class) => class.to_owned(),
        None => primitive_name(element.bytes().next().unwrap_or(b'?')).to_owned(),
    };
    format!("{element}{}", "[]".repeat(dimensions))
}

/// The class literal of a class: `int[].class`. A class without a name in Java gives words that are no
/// source: `class a.Outer$1`.
pub fn class_source(name: &str) -> String {
    let source = array_type_name(name);
    let inner = source.split('$').skip(1);
    let has_name = !name.contains('/') && inner.clone().all(|part| part.starts_with(|one: char| one.is_alphabetic()));
    if has_name { format!("{}.class", source.replace('$', ".")) } else { format!("class {name}") }
}

pub fn primitive_name(descriptor: u8) -> &'static str {
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

pub fn primitive_source(value: Primitive) -> String {
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

pub fn text_source(units: &[u16]) -> String {
    if units.len() <= LONGEST_STRING {
        return quoted(units);
    }
    // The hash covers the whole string, so strings that differ anywhere have different values.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for unit in units {
        hash = (hash ^ u64::from(*unit)).wrapping_mul(0x0100_0000_01b3);
    }
    let start = units.get(..LONGEST_STRING / 4).unwrap_or_default();
    CutText::write(&quoted(start), units.len(), hash)
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
        character if is_invisible(character) => push_escaped(text, character),
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
        let unseen: Vec<u16> = "a\u{a0}b\u{200b}\u{202e}\u{feff}\u{e0041}".encode_utf16().collect();
        assert_eq!(quoted(&unseen), "\"a\\u00a0b\\u200b\\u202e\\ufeff\\udb40\\udc41\"");
    }

    #[test]
    fn numbers_become_java_literals() {
        assert_eq!(primitive_source(Primitive::Double(1.0)), "1.0");
        assert_eq!(primitive_source(Primitive::Float(1.5)), "1.5f");
        assert_eq!(primitive_source(Primitive::Double(f64::NAN)), "Double.NaN");
        assert_eq!(primitive_source(Primitive::Long(-3)), "-3L");
    }

    #[test]
    fn array_types_are_named_as_in_java() {
        assert_eq!(array_type_name("[[I"), "int[][]");
        assert_eq!(array_type_name("[Ljava.lang.String;"), "java.lang.String[]");
    }

    #[test]
    fn only_a_class_with_a_name_has_a_literal() {
        assert_eq!(class_source("java.lang.String"), "java.lang.String.class");
        assert_eq!(class_source("int"), "int.class");
        assert_eq!(class_source("[[I"), "int[][].class");
        assert_eq!(class_source("[La.Outer$Inner;"), "a.Outer.Inner[].class");
        assert_eq!(class_source("a.Outer$1"), "class a.Outer$1");
        assert_eq!(class_source("a.B$$Lambda/0x1f"), "class a.B$$Lambda/0x1f");
    }

    #[test]
    fn a_constant_with_a_body_is_named_by_its_enum() {
        assert_eq!(enum_type("org.example.Rule$4"), "Rule");
        assert_eq!(enum_type("org.example.Outer$Color"), "Outer.Color");
    }
}

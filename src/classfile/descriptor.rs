//! Parses method descriptors (JVMS §4.3.3).

use super::error::{Fault, malformed};

/// A field descriptor (JVMS §4.3.2), or `V` as the result of a void method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type<'a>(pub &'a str);

/// The representation of a value on the operand stack (JVMS §2.11.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Void,
    /// A boolean, byte, char, short or int.
    Int,
    Long,
    Float,
    Double,
    Reference,
}

impl Kind {
    /// The number of entries on the operand stack, or of local variable slots.
    pub(super) fn size(self) -> u16 {
        match self {
            Kind::Void => 0,
            Kind::Int | Kind::Float | Kind::Reference => 1,
            Kind::Long | Kind::Double => 2,
        }
    }
}

impl<'a> Type<'a> {
    pub(super) fn kind(self) -> Kind {
        match self.0.as_bytes().first() {
            Some(b'Z' | b'B' | b'C' | b'S' | b'I') => Kind::Int,
            Some(b'J') => Kind::Long,
            Some(b'F') => Kind::Float,
            Some(b'D') => Kind::Double,
            Some(b'L' | b'[') => Kind::Reference,
            _ => Kind::Void,
        }
    }

    /// The name in a `CONSTANT_Class_info` of this reference type: `java/lang/String`, `[I`.
    pub(super) fn class_name(self) -> &'a str {
        self.0.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(self.0)
    }
}

#[derive(Debug)]
pub(super) struct MethodType<'a> {
    pub parameters: Vec<Type<'a>>,
    pub result: Type<'a>,
}

pub(super) fn parse(descriptor: &str) -> Result<MethodType<'_>, Fault> {
    let wrong = || malformed(format!("{descriptor} is not a method descriptor"));
    let (mut rest, result) = descriptor.strip_prefix('(').and_then(|rest| rest.rsplit_once(')')).ok_or_else(wrong)?;
    let mut parameters = Vec::new();
    while !rest.is_empty() {
        let (parameter, after) = rest.split_at_checked(length(rest).ok_or_else(wrong)?).ok_or_else(wrong)?;
        parameters.push(Type(parameter));
        rest = after;
    }
    if result != "V" && length(result) != Some(result.len()) {
        return Err(wrong());
    }
    Ok(MethodType { parameters, result: Type(result) })
}

/// The length of the field descriptor at the start of `text`.
fn length(text: &str) -> Option<usize> {
    let dimensions = text.bytes().take_while(|byte| *byte == b'[').count();
    let element = match text.as_bytes().get(dimensions)? {
        b'Z' | b'B' | b'C' | b'S' | b'I' | b'J' | b'F' | b'D' => 1,
        b'L' => text.get(dimensions..)?.find(';')? + 1,
        _ => return None,
    };
    Some(dimensions + element)
}

/// Whether `text` is a field descriptor.
pub(super) fn is_field(text: &str) -> bool {
    length(text) == Some(text.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_split_into_its_types() {
        let method = parse("(I[[Ljava/lang/String;J[BLorg/example/Stack;)[D").unwrap();
        let parameters: Vec<&str> = method.parameters.iter().map(|parameter| parameter.0).collect();
        assert_eq!(parameters, ["I", "[[Ljava/lang/String;", "J", "[B", "Lorg/example/Stack;"]);
        assert_eq!(method.result, Type("[D"));
    }

    #[test]
    fn invalid_descriptors_are_refused() {
        for text in ["", "I", "()", "(", "(V)V", "(I", "()Ljava/lang/String", "()II", "([)V", "(é)V", "()VV", "(L)V"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

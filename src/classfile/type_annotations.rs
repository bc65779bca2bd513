//! Relocates the type annotations of `Code` (JVMS §4.7.20) from the offsets of the original code to those of the woven code, and
//! checks annotations of all kinds.
//!
//! ristretto's `TypeAnnotation` is not used: it reads nested values by recursion without a limit, so a class file can
//! exhaust the stack (`docs/ristretto-findings.md`).

use super::code::MAX_LENGTH;
use super::error::{Fault, malformed};
use super::relocation::Positions;
use ristretto_classfile::byte_reader::ByteReader;

/// The deepest nesting of arrays and annotations that is read. The Java language has no limit; two or three levels are
/// usual.
const MAX_DEPTH: usize = 64;

/// Relocates the content of a `RuntimeVisibleTypeAnnotations` or `RuntimeInvisibleTypeAnnotations` attribute.
pub(super) fn relocate(info: &[u8], positions: &Positions) -> Result<Vec<u8>, Fault> {
    let mut relocated = info.to_vec();
    let mut reader = ByteReader::new(info);
    for _ in 0..reader.read_u16()? {
        target(&mut reader, &mut relocated, positions)?;
        let path = reader.read_u8()?;
        reader.skip(2 * usize::from(path))?;
        annotation(&mut reader, 0)?;
    }
    if reader.remaining() != 0 {
        return Err(malformed("type annotations are longer than what they hold"));
    }
    Ok(relocated)
}

/// Checks the length and the depth of such an attribute.
pub(super) fn check(info: &[u8]) -> Result<(), Fault> {
    relocate(info, &Positions::Shifted { by: 0, length: MAX_LENGTH }).map(drop)
}

/// Checks the length and the depth of a `RuntimeVisibleAnnotations` or `RuntimeInvisibleAnnotations` attribute.
pub(super) fn check_declared(info: &[u8]) -> Result<(), Fault> {
    let mut reader = ByteReader::new(info);
    for _ in 0..reader.read_u16()? {
        annotation(&mut reader, 0)?;
    }
    if reader.remaining() != 0 {
        return Err(malformed("annotations are longer than what they hold"));
    }
    Ok(())
}

/// Relocates one target (JVMS tables 4.7.20-A and 4.7.20-B). A `catch` target is an index into the exception table and
/// stays as it is, because woven entries are added at the end.
fn target(reader: &mut ByteReader<'_>, relocated: &mut [u8], positions: &Positions) -> Result<(), Fault> {
    match reader.read_u8()? {
        0x13..=0x15 => {}
        0x00 | 0x01 | 0x16 => reader.skip(1)?,
        0x10..=0x12 | 0x17 | 0x42 => reader.skip(2)?,
        // Local variables and resources: a table of ranges.
        0x40 | 0x41 => {
            for _ in 0..reader.read_u16()? {
                let at = reader.position();
                let (start, length) = positions.range(reader.read_u16()?, reader.read_u16()?)?;
                put(relocated, at, start);
                put(relocated, at + 2, length);
                reader.skip(2)?;
            }
        }
        kind @ 0x43..=0x4B => {
            let at = reader.position();
            put(relocated, at, positions.at_u16(reader.read_u16()?)?);
            // Casts and calls also name a type argument.
            reader.skip(usize::from(kind >= 0x47))?;
        }
        kind => return Err(malformed(format!("{kind} is not a target of a type annotation"))),
    }
    Ok(())
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    if let Some(place) = bytes.get_mut(at..at + 2) {
        place.copy_from_slice(&value.to_be_bytes());
    }
}

/// Skips the type and the values of an annotation (JVMS §4.7.16).
fn annotation(reader: &mut ByteReader<'_>, depth: usize) -> Result<(), Fault> {
    reader.skip(2)?;
    for _ in 0..reader.read_u16()? {
        reader.skip(2)?;
        value(reader, depth)?;
    }
    Ok(())
}

/// Skips an element value (JVMS §4.7.16.1).
fn value(reader: &mut ByteReader<'_>, depth: usize) -> Result<(), Fault> {
    if depth > MAX_DEPTH {
        return Err(malformed("an annotation is nested too deeply"));
    }
    match reader.read_u8()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => reader.skip(2)?,
        b'e' => reader.skip(4)?,
        b'@' => annotation(reader, depth + 1)?,
        b'[' => {
            for _ in 0..reader.read_u16()? {
                value(reader, depth + 1)?;
            }
        }
        tag => return Err(malformed(format!("{tag} is not the tag of an annotation's value"))),
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_ranges_are_relocated_and_values_stay() {
        let positions = Positions::Shifted { by: 16, length: 100 };
        // Two annotations: on a cast at 7 (type argument 1), with an array of two ints, and on a local variable in 10..30.
        let cast = [0x47, 0, 7, 1, 1, 3, 0, 0, 9, 0, 1, 0, 5, b'[', 0, 2, b'I', 0, 7, b'I', 0, 8];
        let local = [0x40, 0, 1, 0, 10, 0, 20, 0, 3, 0, 0, 9, 0, 0];
        let info = [&[0, 2], cast.as_slice(), &local].concat();
        let mut expected = info.clone();
        expected[4] = 23;
        expected[2 + cast.len() + 4] = 26;
        assert_eq!(relocate(&info, &positions).unwrap(), expected);
    }

    #[test]
    fn endless_nesting_does_not_exhaust_the_stack() {
        let positions = Positions::Shifted { by: 0, length: 100 };
        let mut info = vec![0, 1, 0x13, 0, 0, 9, 0, 1, 0, 5];
        info.extend([b'[', 0, 1].repeat(500_000));
        assert!(relocate(&info, &positions).is_err());
    }
}

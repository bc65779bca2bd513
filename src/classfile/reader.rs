//! Reads class files into ristretto's `ClassFile` with attributes as bytes, so that everything that is not woven can be
//! written unchanged.
//!
//! ristretto's own `ClassFile::from_bytes` decodes `Code` into instructions, which is neither lossless nor needed here (see
//! `docs/ristretto-findings.md`). `ClassFile::to_bytes` turns the result of [`read`] into exactly the bytes that were read.

use super::error::{Fault, malformed};
use ristretto_classfile::attributes::Attribute;
use ristretto_classfile::byte_reader::ByteReader;
use ristretto_classfile::{
    ClassAccessFlags, ClassFile, Constant, ConstantPool, Field, FieldAccessFlags, FieldType, JavaStr, Method,
    MethodAccessFlags, Version,
};

/// JVMS §4.1.
const MAGIC: u32 = 0xCAFE_BABE;
/// JVMS §4.4.1: an array type has at most 255 dimensions. ristretto parses dimensions by recursion, without a limit.
const MAX_DIMENSIONS: usize = 255;

/// Reads the structure of JVMS §4.1. Every attribute becomes `Attribute::Unknown`.
pub(super) fn read(bytes: &[u8]) -> Result<ClassFile<'_>, Fault> {
    let mut reader = ByteReader::new(bytes);
    if reader.read_u32()? != MAGIC {
        return Err(malformed("it does not begin with 0xCAFEBABE"));
    }
    let version = Version::from_bytes(&mut reader)?;
    if version.major() == 45 && version.minor() < 3 {
        return Err(Fault::TooOld { major: 45, minor: version.minor() });
    }
    let constant_pool = ConstantPool::from_bytes(&mut reader)?;
    check_dimensions(&constant_pool)?;
    // ristretto drops unknown flags; the JVM ignores them (JVMS §4.1), so they are kept.
    let access_flags = ClassAccessFlags::from_bits_retain(reader.read_u16()?);
    let this_class = reader.read_u16()?;
    let super_class = reader.read_u16()?;
    let interfaces = list(&mut reader, |reader| Ok(reader.read_u16()?))?;
    let fields = list(&mut reader, |reader| {
        let access_flags = FieldAccessFlags::from_bits_retain(reader.read_u16()?);
        let name_index = reader.read_u16()?;
        let descriptor_index = reader.read_u16()?;
        let descriptor = constant_pool.try_get_utf8(descriptor_index)?;
        check_descriptor(descriptor)?;
        let field_type = FieldType::parse_java_str(descriptor)?;
        let attributes = list(reader, attribute)?;
        Ok(Field { access_flags, name_index, descriptor_index, field_type, attributes })
    })?;
    let methods = list(&mut reader, |reader| {
        let access_flags = MethodAccessFlags::from_bits_retain(reader.read_u16()?);
        let name_index = reader.read_u16()?;
        let descriptor_index = reader.read_u16()?;
        check_descriptor(constant_pool.try_get_utf8(descriptor_index)?)?;
        Ok(Method { access_flags, name_index, descriptor_index, attributes: list(reader, attribute)? })
    })?;
    let attributes = list(&mut reader, attribute)?;
    if reader.remaining() != 0 {
        return Err(malformed("there are bytes after its end"));
    }
    Ok(ClassFile {
        version,
        constant_pool,
        access_flags,
        this_class,
        super_class,
        interfaces,
        fields,
        methods,
        attributes,
        code_source_url: None,
    })
}

/// Checks the descriptors that constants refer to. Any other text may have as many brackets as it likes: a program can print it.
fn check_dimensions(pool: &ConstantPool<'_>) -> Result<(), Fault> {
    for constant in pool {
        let (Constant::Class(text) | Constant::MethodType(text) | Constant::NameAndType { descriptor_index: text, .. }) =
            constant
        else {
            continue;
        };
        check_descriptor(pool.try_get_utf8(*text)?)?;
    }
    Ok(())
}

fn check_descriptor(descriptor: &JavaStr) -> Result<(), Fault> {
    let mut runs = descriptor.as_bytes().split(|byte| *byte != b'[');
    if runs.any(|run| run.len() > MAX_DIMENSIONS) {
        return Err(malformed("a type has more than 255 dimensions"));
    }
    Ok(())
}

/// Reads a `u2` count and that many items.
pub(super) fn list<'a, T>(
    reader: &mut ByteReader<'a>,
    mut item: impl FnMut(&mut ByteReader<'a>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let count = reader.read_u16()?;
    // Nothing is allocated ahead: the count may be larger than the bytes that follow.
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(item(reader)?);
    }
    Ok(items)
}

fn attribute(reader: &mut ByteReader<'_>) -> Result<Attribute, Fault> {
    let name_index = reader.read_u16()?;
    let length = usize::try_from(reader.read_u32()?).map_err(|_| malformed("an attribute is too long"))?;
    Ok(Attribute::Unknown { name_index, info: reader.read_bytes(length)?.to_vec() })
}

//! Decodes class files: the constant pool, members and those attributes that reneri looks at, each into ristretto's form.
//!
//! ristretto's own `ClassFile::from_bytes` reads nested attributes and annotations by recursion without a limit, and does
//! not stop at the end of an attribute (see `docs/ristretto-findings.md`). Here, `reader` separates the attributes, and
//! ristretto decodes each of them from its own bytes, after a check of what it would read by recursion.

use super::error::{Fault, malformed};
use super::{code, reader, type_annotations};
use ristretto_classfile::attributes::{Attribute, Record};
use ristretto_classfile::byte_reader::ByteReader;
use ristretto_classfile::{ClassAccessFlags, ClassFile, ConstantPool, FieldAccessFlags, MethodAccessFlags};

/// Decodes a class file. It has those attributes only that [`attribute`] names.
///
/// # Errors
/// The bytes are not a class file of JVMS §4, or nest something deeper than any compiler does.
pub fn decode(bytes: &[u8]) -> Result<ClassFile<'static>, Fault> {
    let mut class = reader::read(bytes)?;
    let pool = &class.constant_pool;
    class.access_flags = ClassAccessFlags::from_bits_truncate(class.access_flags.bits());
    class.attributes = attributes(pool, &class.attributes)?;
    for field in &mut class.fields {
        field.access_flags = FieldAccessFlags::from_bits_truncate(field.access_flags.bits());
        field.attributes = attributes(pool, &field.attributes)?;
    }
    for method in &mut class.methods {
        method.access_flags = MethodAccessFlags::from_bits_truncate(method.access_flags.bits());
        method.attributes = attributes(pool, &method.attributes)?;
    }
    Ok(class.into_owned())
}

fn attributes(pool: &ConstantPool<'_>, attributes: &[Attribute]) -> Result<Vec<Attribute>, Fault> {
    let mut decoded = Vec::new();
    for read in attributes {
        let Attribute::Unknown { name_index, info } = read else { continue };
        decoded.extend(attribute(pool, *name_index, info)?);
    }
    Ok(decoded)
}

/// Decodes an attribute of a class, field or method; `None` if nothing looks at attributes of that name.
fn attribute(pool: &ConstantPool<'_>, name_index: u16, info: &[u8]) -> Result<Option<Attribute>, Fault> {
    match pool.try_get_utf8(name_index)?.as_bytes() {
        b"Code" => {
            let mut code = code::read(info)?;
            let is_line_table = |index| pool.try_get_utf8(index).is_ok_and(|name| *name == *"LineNumberTable");
            code.attributes.retain(|attribute| is_line_table(attribute.name_index));
            for lines in &code.attributes {
                alone(pool, lines.name_index, &lines.info)?;
            }
            return alone(pool, name_index, &code.to_bytes()?).map(Some);
        }
        b"Record" => return components(name_index, info).map(Some),
        b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => type_annotations::check_declared(info)?,
        b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => type_annotations::check(info)?,
        b"BootstrapMethods" | b"Deprecated" | b"EnclosingMethod" | b"Exceptions" | b"InnerClasses" | b"Signature"
        | b"SourceFile" | b"Synthetic" => {}
        _ => return Ok(None),
    }
    alone(pool, name_index, info).map(Some)
}

/// Has ristretto decode one attribute from its own bytes.
fn alone(pool: &ConstantPool<'_>, name_index: u16, info: &[u8]) -> Result<Attribute, Fault> {
    let length = u32::try_from(info.len()).map_err(|_| malformed("an attribute is too long"))?;
    let bytes = [&name_index.to_be_bytes(), length.to_be_bytes().as_slice(), info].concat();
    let mut reader = ByteReader::new(&bytes);
    let decoded = Attribute::from_bytes(pool, &mut reader)?;
    if reader.remaining() != 0 {
        return Err(malformed("an attribute is longer than what it holds"));
    }
    Ok(decoded)
}

/// Reads the names and descriptors of a record's components (JVMS §4.7.30), without their attributes.
fn components(name_index: u16, info: &[u8]) -> Result<Attribute, Fault> {
    let mut reader = ByteReader::new(info);
    let records = reader::list(&mut reader, |reader| {
        let (name_index, descriptor_index) = (reader.read_u16()?, reader.read_u16()?);
        reader::list(reader, |reader| {
            reader.skip(2)?;
            let length = usize::try_from(reader.read_u32()?).map_err(|_| malformed("an attribute is too long"))?;
            Ok(reader.skip(length)?)
        })?;
        Ok(Record { name_index, descriptor_index, attributes: Vec::new() })
    })?;
    if reader.remaining() != 0 {
        return Err(malformed("a Record attribute is longer than what it holds"));
    }
    Ok(Attribute::Record { name_index, records })
}

#[cfg(test)]
#[path = "hostile.rs"]
mod hostile;

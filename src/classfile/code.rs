//! Reads and writes the `Code` attribute (JVMS §4.7.3).

use super::error::{Fault, malformed};
use super::reader::list;
use ristretto_classfile::attributes::ExceptionTableEntry;
use ristretto_classfile::byte_reader::ByteReader;
use std::borrow::Cow;

/// The most bytes of code: `code_length` must be less than 65,536 (JVMS §4.7.3).
pub(super) const MAX_LENGTH: usize = 65_535;

pub(super) struct Code<'a> {
    pub max_stack: u16,
    pub max_locals: u16,
    pub code: Cow<'a, [u8]>,
    pub exceptions: Vec<ExceptionTableEntry>,
    pub attributes: Vec<CodeAttribute<'a>>,
}

/// An attribute of `Code`, with the index of its name.
pub(super) struct CodeAttribute<'a> {
    pub name_index: u16,
    pub info: Cow<'a, [u8]>,
}

pub(super) fn read(info: &[u8]) -> Result<Code<'_>, Fault> {
    let mut reader = ByteReader::new(info);
    let max_stack = reader.read_u16()?;
    let max_locals = reader.read_u16()?;
    let length = length(&mut reader)?;
    if length == 0 || length > MAX_LENGTH {
        return Err(malformed("a method has no instructions, or more than 65,535 bytes of them"));
    }
    let code = Cow::Borrowed(reader.read_bytes(length)?);
    let exceptions = list(&mut reader, |reader| Ok(ExceptionTableEntry::from_bytes(reader)?))?;
    let attributes = list(&mut reader, |reader| {
        let name_index = reader.read_u16()?;
        let length = self::length(reader)?;
        Ok(CodeAttribute { name_index, info: Cow::Borrowed(reader.read_bytes(length)?) })
    })?;
    if reader.remaining() != 0 {
        return Err(malformed("a Code attribute is longer than what it holds"));
    }
    Ok(Code { max_stack, max_locals, code, exceptions, attributes })
}

fn length(reader: &mut ByteReader<'_>) -> Result<usize, Fault> {
    usize::try_from(reader.read_u32()?).map_err(|_| malformed("an attribute is too long"))
}

impl Code<'_> {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, Fault> {
        if self.code.len() > MAX_LENGTH {
            return Err(Fault::TooLarge("the code of the method"));
        }
        let mut bytes = Vec::with_capacity(self.code.len() + 256);
        bytes.extend(self.max_stack.to_be_bytes());
        bytes.extend(self.max_locals.to_be_bytes());
        push_block(&mut bytes, &self.code)?;
        bytes.extend(count(self.exceptions.len(), "the exception table")?);
        for entry in &self.exceptions {
            entry.to_bytes(&mut bytes)?;
        }
        bytes.extend(count(self.attributes.len(), "the number of attributes")?);
        for attribute in &self.attributes {
            bytes.extend(attribute.name_index.to_be_bytes());
            push_block(&mut bytes, &attribute.info)?;
        }
        Ok(bytes)
    }
}

fn push_block(bytes: &mut Vec<u8>, block: &[u8]) -> Result<(), Fault> {
    let length = u32::try_from(block.len()).map_err(|_| Fault::TooLarge("an attribute"))?;
    bytes.extend(length.to_be_bytes());
    bytes.extend(block);
    Ok(())
}

/// Encodes a `u2` count; `counted` names in an error what there are too many of.
pub(super) fn count(length: usize, counted: &'static str) -> Result<[u8; 2], Fault> {
    Ok(u16::try_from(length).map_err(|_| Fault::TooLarge(counted))?.to_be_bytes())
}

//! The constant pool of a class during weaving: adds each entry once, and reports when the pool is full.

use super::error::Fault;
use ristretto_classfile::{Constant, ConstantPool, JavaString};
use std::borrow::Cow;
use std::collections::HashMap;

/// JVMS §4.1: `constant_pool_count` is a `u2`, so the greatest index is 65,534. (ristretto accepts one more and then
/// overflows.)
const MAX_INDEX: usize = 65_534;
/// The most bytes of a `CONSTANT_Utf8_info` (JVMS §4.4.7).
const MAX_UTF8: usize = 65_535;

pub(super) struct Pool<'a> {
    constants: ConstantPool<'a>,
    /// Indexes of added texts. Entries of the original pool are not reused: finding them costs more than it saves.
    texts: HashMap<String, u16>,
    /// Indexes of other added entries, by tag and content: the bits of a number, or the indexes in the entry.
    entries: HashMap<(u8, u64), u16>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(constants: ConstantPool<'a>) -> Self {
        Self { constants, texts: HashMap::new(), entries: HashMap::new() }
    }

    pub(super) fn into_constants(self) -> ConstantPool<'a> {
        self.constants
    }

    /// The text at `index`, converted from modified UTF-8.
    pub(super) fn text(&self, index: u16) -> Result<Cow<'_, str>, Fault> {
        Ok(self.constants.try_get_utf8(index)?.to_str_lossy())
    }

    fn push(&mut self, constant: Constant<'a>) -> Result<u16, Fault> {
        // JVMS §4.4.5: eight-byte constants take up two entries.
        let size = if matches!(constant, Constant::Long(_) | Constant::Double(_)) { 2 } else { 1 };
        if self.constants.len() + size > MAX_INDEX {
            return Err(Fault::PoolFull);
        }
        Ok(self.constants.add(constant)?)
    }

    fn add(&mut self, content: u64, constant: Constant<'a>) -> Result<u16, Fault> {
        let key = (constant.tag(), content);
        if let Some(index) = self.entries.get(&key) {
            return Ok(*index);
        }
        let index = self.push(constant)?;
        self.entries.insert(key, index);
        Ok(index)
    }

    pub(super) fn utf8(&mut self, text: &str) -> Result<u16, Fault> {
        if let Some(index) = self.texts.get(text) {
            return Ok(*index);
        }
        let java_text = JavaString::from(text);
        if java_text.as_bytes().len() > MAX_UTF8 {
            return Err(Fault::TooLarge("a text constant"));
        }
        let index = self.push(Constant::Utf8(Cow::Owned(java_text)))?;
        self.texts.insert(text.to_owned(), index);
        Ok(index)
    }

    /// Adds a class; `name` is an internal class name, or the descriptor of an array (JVMS §4.4.1).
    pub(super) fn class(&mut self, name: &str) -> Result<u16, Fault> {
        let name = self.utf8(name)?;
        self.add(u64::from(name), Constant::Class(name))
    }

    pub(super) fn string(&mut self, text: &str) -> Result<u16, Fault> {
        let text = self.utf8(text)?;
        self.add(u64::from(text), Constant::String(text))
    }

    pub(super) fn integer(&mut self, value: i32) -> Result<u16, Fault> {
        self.add(u64::from(value.cast_unsigned()), Constant::Integer(value))
    }

    pub(super) fn float(&mut self, value: f32) -> Result<u16, Fault> {
        self.add(u64::from(value.to_bits()), Constant::Float(value))
    }

    pub(super) fn long(&mut self, value: i64) -> Result<u16, Fault> {
        self.add(value.cast_unsigned(), Constant::Long(value))
    }

    pub(super) fn double(&mut self, value: f64) -> Result<u16, Fault> {
        self.add(value.to_bits(), Constant::Double(value))
    }

    pub(super) fn field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Fault> {
        let (class_index, name_and_type_index) = self.member(class, name, descriptor)?;
        self.add(pair(class_index, name_and_type_index), Constant::FieldRef { class_index, name_and_type_index })
    }

    pub(super) fn method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Fault> {
        let (class_index, name_and_type_index) = self.member(class, name, descriptor)?;
        self.add(pair(class_index, name_and_type_index), Constant::MethodRef { class_index, name_and_type_index })
    }

    pub(super) fn interface_method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Fault> {
        let (class_index, name_and_type_index) = self.member(class, name, descriptor)?;
        self.add(
            pair(class_index, name_and_type_index),
            Constant::InterfaceMethodRef { class_index, name_and_type_index },
        )
    }

    fn member(&mut self, class: &str, name: &str, descriptor: &str) -> Result<(u16, u16), Fault> {
        let class_index = self.class(class)?;
        let name_index = self.utf8(name)?;
        let descriptor_index = self.utf8(descriptor)?;
        let content = pair(name_index, descriptor_index);
        Ok((class_index, self.add(content, Constant::NameAndType { name_index, descriptor_index })?))
    }
}

fn pair(first: u16, second: u16) -> u64 {
    u64::from(first) << 16 | u64::from(second)
}

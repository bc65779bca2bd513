//! Hashes the meaning of a class file's parts: constants by value, places in code by instruction number.

use crate::classfile::assembler::opcode::{LDC, LDC_W, LDC2_W};
use crate::classfile::error::{Fault, malformed};
use crate::classfile::instructions::{self, Form, Instruction};
use crate::classfile::reader;
use ristretto_classfile::attributes::Attribute;
use ristretto_classfile::byte_reader::ByteReader;
use ristretto_classfile::{ClassFile, Constant};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The layouts of attributes (JVMS §4.7). `c` is an index into the constant pool, `2` two other bytes, `*( )` a list with a
/// two-byte count, `+( )` a list with a one-byte count, `a` an annotation, `e` an element value, `A` an attribute.
const LAYOUTS: [(&str, &str); 17] = [
    ("AnnotationDefault", "e"),
    ("ConstantValue", "c"),
    ("Deprecated", ""),
    ("EnclosingMethod", "cc"),
    ("Exceptions", "*(c)"),
    ("MethodParameters", "+(c2)"),
    ("NestHost", "c"),
    ("NestMembers", "*(c)"),
    ("PermittedSubclasses", "*(c)"),
    ("Record", "*(cc*(A))"),
    ("RuntimeInvisibleAnnotations", "*(a)"),
    ("RuntimeInvisibleParameterAnnotations", "+(*(a))"),
    ("RuntimeVisibleAnnotations", "*(a)"),
    ("RuntimeVisibleParameterAnnotations", "+(*(a))"),
    ("Signature", "c"),
    ("SourceFile", "c"),
    ("Synthetic", ""),
];
/// The layout of an annotation.
const ANNOTATION: &str = "c*(ce)";
/// Attributes of `Code` that a program cannot see, except for line numbers in stack traces.
const NOT_DIGESTED: [&str; 6] = [
    "LineNumberTable",
    "LocalVariableTable",
    "LocalVariableTypeTable",
    "RuntimeInvisibleTypeAnnotations",
    "RuntimeVisibleTypeAnnotations",
    "StackMapTable",
];
/// The deepest nesting of constants and element values. javac never nests them that deeply.
const DEEPEST: usize = 64;

#[derive(Default)]
pub(super) struct Hash(Sha256);

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes.len().to_be_bytes());
        self.0.update(bytes);
    }

    pub(super) fn number(&mut self, number: u16) {
        self.0.update(number.to_be_bytes());
    }

    fn instruction_number(&mut self, instruction: usize) {
        self.0.update(instruction.to_be_bytes());
    }

    pub(super) fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A class file and its bootstrap methods.
pub(super) struct ClassHasher<'a> {
    class: &'a ClassFile<'a>,
    /// Constant pool indexes of each method handle and its arguments (JVMS §4.7.23).
    bootstrap_methods: Vec<Vec<u16>>,
    /// Digests of constants that refer to others: a pool can refer to each of its constants twice, which takes 2ⁿ steps otherwise.
    compound: RefCell<BTreeMap<u16, String>>,
    /// Digest of the whole constant pool, for attributes of unknown layout: they may refer to any constant.
    pool: String,
}

impl<'a> ClassHasher<'a> {
    pub(super) fn new(class: &'a ClassFile<'a>) -> Result<Self, Fault> {
        let mut pool = Hash::default();
        pool.bytes(format!("{:?}", class.constant_pool).as_bytes());
        let compound = RefCell::default();
        let mut hasher = Self { class, bootstrap_methods: Vec::new(), compound, pool: pool.finish() };
        for attribute in &class.attributes {
            if hasher.name(attribute)? == "BootstrapMethods" {
                hasher.bootstrap_methods = reader::list(&mut ByteReader::new(info(attribute)?), |reader| {
                    let method = reader.read_u16()?;
                    let arguments = reader::list(reader, |reader| Ok(reader.read_u16()?))?;
                    Ok([&[method], arguments.as_slice()].concat())
                })?;
            }
        }
        Ok(hasher)
    }

    pub(super) fn text(&self, index: u16) -> Result<String, Fault> {
        Ok(self.class.constant_pool.try_get_utf8(index)?.to_str_lossy().into_owned())
    }

    pub(super) fn name(&self, attribute: &Attribute) -> Result<String, Fault> {
        match attribute {
            Attribute::Unknown { name_index, .. } => self.text(*name_index),
            _ => Err(malformed("an attribute was not read as bytes")),
        }
    }

    /// Hashes the value of the constant at `index`. Index 0 means that there is none.
    pub(super) fn constant(&self, index: u16, hash: &mut Hash, depth: usize) -> Result<(), Fault> {
        if depth > DEEPEST {
            return Err(malformed("its constants refer to each other without end"));
        }
        if index == 0 {
            hash.number(0);
            return Ok(());
        }
        let constant = self.class.constant_pool.try_get(index)?;
        hash.number(u16::from(constant.tag()));
        match constant {
            Constant::Utf8(text) => hash.bytes(text.as_bytes()),
            Constant::Integer(value) => hash.bytes(&value.to_be_bytes()),
            Constant::Float(value) => hash.bytes(&value.to_bits().to_be_bytes()),
            Constant::Long(value) => hash.bytes(&value.to_be_bytes()),
            Constant::Double(value) => hash.bytes(&value.to_bits().to_be_bytes()),
            _ => {
                let known = self.compound.borrow().get(&index).cloned();
                let digest = match known {
                    Some(digest) => digest,
                    None => self.compound(constant, depth)?,
                };
                hash.bytes(digest.as_bytes());
                self.compound.borrow_mut().insert(index, digest);
            }
        }
        Ok(())
    }

    /// The digest of a constant that refers to others.
    fn compound(&self, constant: &Constant<'_>, depth: usize) -> Result<String, Fault> {
        let mut own = Hash::default();
        let mut refer =
            |indexes: &[u16]| indexes.iter().try_for_each(|index| self.constant(*index, &mut own, depth + 1));
        match constant {
            Constant::Class(text)
            | Constant::String(text)
            | Constant::MethodType(text)
            | Constant::Module(text)
            | Constant::Package(text) => refer(&[*text])?,
            Constant::FieldRef { class_index, name_and_type_index }
            | Constant::MethodRef { class_index, name_and_type_index }
            | Constant::InterfaceMethodRef { class_index, name_and_type_index } => {
                refer(&[*class_index, *name_and_type_index])?;
            }
            Constant::NameAndType { name_index, descriptor_index } => refer(&[*name_index, *descriptor_index])?,
            Constant::MethodHandle { reference_kind, reference_index } => {
                own.number(u16::from(reference_kind.kind()));
                self.constant(*reference_index, &mut own, depth + 1)?;
            }
            Constant::Dynamic { bootstrap_method_attr_index, name_and_type_index }
            | Constant::InvokeDynamic { bootstrap_method_attr_index, name_and_type_index } => {
                let bootstrap = self.bootstrap_methods.get(usize::from(*bootstrap_method_attr_index));
                refer(bootstrap.ok_or_else(|| malformed("a bootstrap method is missing"))?)?;
                refer(&[*name_and_type_index])?;
            }
            Constant::Utf8(_) | Constant::Integer(_) | Constant::Float(_) | Constant::Long(_) | Constant::Double(_) => {
            }
        }
        Ok(own.finish())
    }

    pub(super) fn attributes(
        &self,
        attributes: impl IntoIterator<Item = &'a Attribute>,
        hash: &mut Hash,
    ) -> Result<(), Fault> {
        for attribute in attributes {
            self.attribute(&self.name(attribute)?, info(attribute)?, hash, 0)?;
        }
        Ok(())
    }

    fn attribute(&self, name: &str, info: &[u8], hash: &mut Hash, depth: usize) -> Result<(), Fault> {
        let reader = &mut ByteReader::new(info);
        match LAYOUTS.iter().find(|(known, _)| *known == name) {
            // Hashed at each use, by `constant`.
            None if name == "BootstrapMethods" => return Ok(()),
            None if name == "InnerClasses" => self.inner_classes(reader, hash)?,
            None => {
                hash.bytes(name.as_bytes());
                hash.bytes(self.pool.as_bytes());
                hash.bytes(info);
                return Ok(());
            }
            Some((_, layout)) => {
                hash.bytes(name.as_bytes());
                self.layout(layout, reader, hash, depth)?;
            }
        }
        if reader.remaining() != 0 {
            return Err(malformed(format!("there are bytes after the end of its attribute {name}")));
        }
        Ok(())
    }

    /// Hashes data of that layout ([`LAYOUTS`]).
    fn layout(&self, layout: &str, reader: &mut ByteReader<'_>, hash: &mut Hash, depth: usize) -> Result<(), Fault> {
        if depth > DEEPEST {
            return Err(malformed("an annotation or a record is too deep"));
        }
        let mut rest = layout;
        while let Some(item) = rest.chars().next() {
            rest = rest.get(1..).unwrap_or_default();
            match item {
                'c' => self.constant(reader.read_u16()?, hash, 0)?,
                '2' => hash.number(reader.read_u16()?),
                'a' => self.layout(ANNOTATION, reader, hash, depth + 1)?,
                'e' => {
                    let tag = reader.read_u8()?;
                    hash.number(u16::from(tag));
                    // JVMS §4.7.16.1: an enum constant, an annotation, an array, or a constant.
                    let layout = match tag {
                        b'e' => "cc",
                        b'@' => "a",
                        b'[' => "*(e)",
                        _ => "c",
                    };
                    self.layout(layout, reader, hash, depth + 1)?;
                }
                'A' => {
                    let name = self.text(reader.read_u16()?)?;
                    let length = usize::try_from(reader.read_u32()?).unwrap_or(usize::MAX);
                    self.attribute(&name, reader.read_bytes(length)?, hash, depth + 1)?;
                }
                _ => {
                    let count = if item == '*' { reader.read_u16()? } else { u16::from(reader.read_u8()?) };
                    hash.number(count);
                    let inner = inside(rest);
                    rest = rest.get(inner.len() + 2..).unwrap_or_default();
                    for _ in 0..count {
                        self.layout(inner, reader, hash, depth + 1)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Hashes the entries about this class and its members. The attribute also lists every other nested class that the
    /// constant pool mentions (JVMS §4.7.6).
    fn inner_classes(&self, reader: &mut ByteReader<'_>, hash: &mut Hash) -> Result<(), Fault> {
        let this = self.class.constant_pool.try_get_class(self.class.this_class)?;
        let is_this =
            |index: u16| index != 0 && self.class.constant_pool.try_get_class(index).is_ok_and(|class| class == this);
        for _ in 0..reader.read_u16()? {
            let (inner, outer) = (reader.read_u16()?, reader.read_u16()?);
            let (name, flags) = (reader.read_u16()?, reader.read_u16()?);
            if is_this(inner) || is_this(outer) {
                [inner, outer, name].into_iter().try_for_each(|index| self.constant(index, hash, 0))?;
                hash.number(flags);
            }
        }
        Ok(())
    }

    fn instruction(
        &self,
        instruction: &Instruction,
        bytes: &[u8],
        numbers: &InstructionNumbers<'_>,
        hash: &mut Hash,
    ) -> Result<(), Fault> {
        match (&instruction.form, bytes) {
            (Form::Jump { .. } | Form::FarJump { .. }, _) => hash.bytes(&[instruction.opcode]),
            (Form::Table { low, high, .. }, _) => {
                hash.bytes(&[instruction.opcode]);
                hash.bytes(&[low.to_be_bytes(), high.to_be_bytes()].concat());
            }
            (Form::Lookup { pairs, .. }, _) => {
                hash.bytes(&[instruction.opcode]);
                hash.bytes(&pairs.iter().flat_map(|(key, _)| key.to_be_bytes()).collect::<Vec<u8>>());
            }
            (_, [LDC, index]) => self.load(u16::from(*index), hash)?,
            (_, [LDC_W, high, low]) => self.load(u16::from_be_bytes([*high, *low]), hash)?,
            // The other instructions with a two-byte index (JVMS §6.5).
            (_, [opcode @ (LDC2_W | 178..=187 | 189 | 192 | 193 | 197), high, low, rest @ ..]) => {
                hash.bytes(&[*opcode]);
                self.constant(u16::from_be_bytes([*high, *low]), hash, 0)?;
                hash.bytes(rest);
            }
            _ => hash.bytes(bytes),
        }
        instruction.targets().into_iter().try_for_each(|target| {
            hash.instruction_number(numbers.at(target)?);
            Ok(())
        })
    }

    /// Hashes `ldc` and `ldc_w` alike.
    fn load(&self, index: u16, hash: &mut Hash) -> Result<(), Fault> {
        hash.bytes(&[LDC]);
        self.constant(index, hash, 0)
    }

    /// Hashes a `Code` attribute (JVMS §4.7.3) and returns its line numbers.
    pub(super) fn code(&self, attribute: &Attribute, hash: &mut Hash) -> Result<Vec<u16>, Fault> {
        let reader = &mut ByteReader::new(info(attribute)?);
        let (stack, locals) = (reader.read_u16()?, reader.read_u16()?);
        hash.number(stack);
        hash.number(locals);
        let length = usize::try_from(reader.read_u32()?).unwrap_or(usize::MAX);
        let code = reader.read_bytes(length)?;
        let instructions = instructions::read(code)?;
        let numbers = InstructionNumbers { instructions: &instructions, end: code.len() };
        for instruction in &instructions {
            let bytes = code.get(instruction.pc..instruction.pc + instruction.length).unwrap_or_default();
            self.instruction(instruction, bytes, &numbers, hash)?;
        }
        let handlers = reader.read_u16()?;
        hash.number(handlers);
        for _ in 0..handlers {
            for _ in 0..3 {
                hash.instruction_number(numbers.at(usize::from(reader.read_u16()?))?);
            }
            self.constant(reader.read_u16()?, hash, 0)?;
        }
        let mut lines = Vec::new();
        for _ in 0..reader.read_u16()? {
            let name = self.text(reader.read_u16()?)?;
            let length = usize::try_from(reader.read_u32()?).unwrap_or(usize::MAX);
            let info = reader.read_bytes(length)?;
            if name == "LineNumberTable" {
                lines.extend(reader::list(&mut ByteReader::new(info), |entry| {
                    let (_pc, line) = (entry.read_u16()?, entry.read_u16()?);
                    Ok(line)
                })?);
            }
            if !NOT_DIGESTED.contains(&name.as_str()) {
                self.attribute(&name, info, hash, 0)?;
            }
        }
        Ok(lines)
    }
}

/// Maps offsets in code to instruction numbers.
struct InstructionNumbers<'a> {
    instructions: &'a [Instruction],
    end: usize,
}

impl InstructionNumbers<'_> {
    fn at(&self, pc: usize) -> Result<usize, Fault> {
        if pc == self.end {
            return Ok(self.instructions.len());
        }
        self.instructions
            .binary_search_by_key(&pc, |instruction| instruction.pc)
            .map_err(|_| malformed(format!("no instruction begins at {pc}")))
    }
}

fn info(attribute: &Attribute) -> Result<&[u8], Fault> {
    match attribute {
        Attribute::Unknown { info, .. } => Ok(info),
        _ => Err(malformed("an attribute was not read as bytes")),
    }
}

/// The content of the parentheses at the start of `layout`.
fn inside(layout: &str) -> &str {
    let mut depth = 0_usize;
    for (index, character) in layout.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return layout.get(1..index).unwrap_or_default();
        }
    }
    ""
}

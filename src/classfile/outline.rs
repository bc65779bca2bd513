//! The outline of a class: its members, their access, and for each method the fields that it reads and writes and the
//! methods that it calls.

use crate::classfile::Fault;
use crate::classfile::decoded::decode;
use crate::classfile::names::{self, Member};
use ristretto_classfile::attributes::{Attribute, Instruction};
use ristretto_classfile::{
    ClassFile, Constant, ConstantPool, Error, FieldType, Method as PoolMethod, MethodAccessFlags, ReferenceKind,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

// Access flags of classes, fields and methods (JVMS tables 4.1-B, 4.5-A, 4.6-A and 4.7.6-A).

pub const PUBLIC: u16 = 0x0001;
pub const PRIVATE: u16 = 0x0002;
pub const PROTECTED: u16 = 0x0004;
pub const STATIC: u16 = 0x0008;
pub const FINAL: u16 = 0x0010;
pub const VARARGS: u16 = 0x0080;
pub const INTERFACE: u16 = 0x0200;
pub const ABSTRACT: u16 = 0x0400;
pub const SYNTHETIC: u16 = 0x1000;

/// The facts about a class of the project that later stages need.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ClassOutline {
    /// Binary name: `org.example.Stack$Node`.
    pub name: String,
    pub super_name: Option<String>,
    pub interfaces: Vec<String>,
    /// Access flags as the source declares them. For a nested class they come from `InnerClasses` (JVMS §4.7.6), which
    /// includes private and protected.
    pub access: u16,
    /// From the `SourceFile` attribute: `Stack.java`.
    pub source_file: Option<String>,
    pub fields: Vec<FieldOutline>,
    pub methods: Vec<MethodOutline>,
    /// Binary name of the enclosing class, if the class is nested.
    pub outer: Option<String>,
    /// Whether it is a local or anonymous class, which no other code can name.
    pub local: bool,
    /// Whether it declares type parameters (JVMS §4.7.9.1).
    pub is_generic: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct FieldOutline {
    pub name: String,
    pub descriptor: String,
    pub access: u16,
}

/// A method and what its own instructions do. Lists are sorted and have no duplicates.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct MethodOutline {
    pub name: String,
    pub descriptor: String,
    pub access: u16,
    /// Field descriptor of the returned type, or `V`.
    pub returned: String,
    /// The number of declared parameters.
    pub parameters: usize,
    /// The smallest line in `LineNumberTable`.
    pub first_line: Option<u32>,
    /// The largest line in `LineNumberTable`.
    pub last_line: Option<u32>,
    /// The fields that it reads, as the instructions name them: the owner may be a subclass of the class that declares the
    /// field.
    pub reads: Vec<Member>,
    pub writes: Vec<Member>,
    pub calls: Vec<Call>,
    /// The string constants that it loads.
    pub texts: Vec<String>,
    /// The numbers and characters in its instructions and switch tables.
    pub numbers: Vec<i64>,
    /// Binary names of the exceptions that it declares (JVMS §4.7.5).
    pub throws: Vec<String>,
}

/// A call, or a reference to a method from a lambda or a method reference.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The method as the instruction names it: the owner is the static type of the receiver.
    pub to: Member,
    /// Whether the class of the receiver selects the method, which may override `to` (`invokevirtual`, `invokeinterface`).
    pub dispatched: bool,
}

impl ClassOutline {
    #[must_use]
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&MethodOutline> {
        self.methods.iter().find(|method| method.name == name && method.descriptor == descriptor)
    }

    #[must_use]
    pub fn member(&self, method: &MethodOutline) -> Member {
        Member { owner: self.name.clone(), name: method.name.clone(), descriptor: method.descriptor.clone() }
    }
}

/// The outline of one class file.
///
/// # Errors
/// `bytes` are not a class file, or one that refers to a constant that it does not have.
pub fn outline(bytes: &[u8]) -> Result<ClassOutline, Fault> {
    Ok(of(&decode(bytes)?)?)
}

/// The outline of a parsed class file.
///
/// # Errors
/// It refers to a constant that it does not have.
pub fn of(class: &ClassFile<'_>) -> Result<ClassOutline, Error> {
    let pool = &class.constant_pool;
    let mut outline = ClassOutline {
        name: names::class(pool, class.this_class)?,
        super_name: (class.super_class != 0).then(|| names::class(pool, class.super_class)).transpose()?,
        interfaces: class.interfaces.iter().map(|index| names::class(pool, *index)).collect::<Result<_, Error>>()?,
        access: class.access_flags.bits(),
        ..ClassOutline::default()
    };
    for attribute in &class.attributes {
        match attribute {
            Attribute::SourceFile { source_file_index, .. } => {
                outline.source_file = Some(names::text(pool, *source_file_index)?);
            }
            Attribute::Signature { signature_index, .. } => {
                outline.is_generic = names::text(pool, *signature_index)?.starts_with('<');
            }
            Attribute::InnerClasses { classes, .. } => {
                for inner in classes {
                    if names::class(pool, inner.class_info_index)? == outline.name {
                        outline.access = inner.access_flags.bits();
                        if inner.outer_class_info_index == 0 {
                            outline.local = true;
                        } else {
                            outline.outer = Some(names::class(pool, inner.outer_class_info_index)?);
                        }
                    }
                }
            }
            Attribute::EnclosingMethod { class_index, .. } => {
                outline.local = true;
                outline.outer = Some(names::class(pool, *class_index)?);
            }
            _ => {}
        }
    }
    for field in &class.fields {
        outline.fields.push(FieldOutline {
            name: names::text(pool, field.name_index)?,
            descriptor: names::text(pool, field.descriptor_index)?,
            access: field.access_flags.bits(),
        });
    }
    for method in &class.methods {
        outline.methods.push(method_outline(class, method)?);
    }
    Ok(outline)
}

fn method_outline(class: &ClassFile<'_>, method: &PoolMethod) -> Result<MethodOutline, Error> {
    let pool = &class.constant_pool;
    let (parameters, returned) = FieldType::parse_method_descriptor(pool.try_get_utf8(method.descriptor_index)?)?;
    let mut outline = MethodOutline {
        name: names::text(pool, method.name_index)?,
        descriptor: names::text(pool, method.descriptor_index)?,
        access: method.access_flags.bits(),
        returned: returned.map_or_else(|| "V".to_string(), |returned| returned.descriptor()),
        parameters: parameters.len(),
        ..MethodOutline::default()
    };
    if method.attributes.iter().any(|attribute| matches!(attribute, Attribute::Synthetic { .. })) {
        outline.access |= MethodAccessFlags::SYNTHETIC.bits();
    }
    for attribute in &method.attributes {
        if let Attribute::Exceptions { exception_indexes, .. } = attribute {
            outline.throws =
                exception_indexes.iter().map(|index| names::class(pool, *index)).collect::<Result<_, Error>>()?;
        }
        let Attribute::Code { code, attributes, .. } = attribute else { continue };
        for attribute in attributes {
            if let Attribute::LineNumberTable { line_numbers, .. } = attribute {
                let lines = || line_numbers.iter().map(|line| u32::from(line.line_number));
                outline.first_line = outline.first_line.into_iter().chain(lines()).min();
                outline.last_line = outline.last_line.into_iter().chain(lines()).max();
            }
        }
        let mut body = Body::default();
        for instruction in code {
            body.add(class, instruction)?;
        }
        outline.reads = body.reads.into_iter().collect();
        outline.writes = body.writes.into_iter().collect();
        outline.calls = body.calls.into_iter().collect();
        outline.texts = body.texts.into_iter().collect();
        outline.numbers = body.numbers.into_iter().collect();
    }
    Ok(outline)
}

/// The longest string constant that is kept, in bytes: longer ones are prose.
const LONGEST_TEXT: usize = 60;

/// The uses of fields, methods and constants in a method's instructions.
#[derive(Default)]
struct Body {
    reads: BTreeSet<Member>,
    writes: BTreeSet<Member>,
    calls: BTreeSet<Call>,
    texts: BTreeSet<String>,
    numbers: BTreeSet<i64>,
}

impl Body {
    fn add(&mut self, class: &ClassFile<'_>, instruction: &Instruction) -> Result<(), Error> {
        let pool = &class.constant_pool;
        match instruction {
            Instruction::Getfield(index) | Instruction::Getstatic(index) => {
                self.reads.insert(names::member(pool, *index)?);
            }
            Instruction::Putfield(index) | Instruction::Putstatic(index) => {
                self.writes.insert(names::member(pool, *index)?);
            }
            Instruction::Invokespecial(index) | Instruction::Invokestatic(index) => {
                self.calls.insert(Call { to: names::member(pool, *index)?, dispatched: false });
            }
            Instruction::Invokevirtual(index) | Instruction::Invokeinterface(index, _) => {
                self.calls.insert(Call { to: names::member(pool, *index)?, dispatched: true });
            }
            Instruction::Invokedynamic(index) => self.add_bootstrap_arguments(class, *index)?,
            Instruction::Ldc(index) => self.add_constant(pool, u16::from(*index))?,
            Instruction::Ldc_w(index) | Instruction::Ldc2_w(index) => self.add_constant(pool, *index)?,
            // `iconst_0` and `iconst_1` are too common to be of use.
            Instruction::Iconst_2 => self.numbers.extend([2]),
            Instruction::Iconst_3 => self.numbers.extend([3]),
            Instruction::Iconst_4 => self.numbers.extend([4]),
            Instruction::Iconst_5 => self.numbers.extend([5]),
            Instruction::Bipush(number) => self.numbers.extend([i64::from(*number)]),
            Instruction::Sipush(number) => self.numbers.extend([i64::from(*number)]),
            Instruction::Lookupswitch(table) => self.numbers.extend(table.pairs.keys().map(|key| i64::from(*key))),
            Instruction::Tableswitch(table) => self.numbers.extend([i64::from(table.low), i64::from(table.high)]),
            _ => {}
        }
        Ok(())
    }

    fn add_constant(&mut self, pool: &ConstantPool<'_>, index: u16) -> Result<(), Error> {
        match pool.get(index) {
            Some(Constant::String(text)) => {
                let text = names::text(pool, *text)?;
                if text.len() <= LONGEST_TEXT {
                    self.texts.insert(text);
                }
            }
            Some(Constant::Integer(number)) => self.numbers.extend([i64::from(*number)]),
            Some(Constant::Long(number)) => self.numbers.extend([*number]),
            _ => {}
        }
        Ok(())
    }

    /// Adds the methods that an `invokedynamic` passes to its bootstrap method (JVMS §4.7.23).
    fn add_bootstrap_arguments(&mut self, class: &ClassFile<'_>, index: u16) -> Result<(), Error> {
        let pool = &class.constant_pool;
        let Some(Constant::InvokeDynamic { bootstrap_method_attr_index, .. }) = pool.get(index) else { return Ok(()) };
        for attribute in &class.attributes {
            let Attribute::BootstrapMethods { methods, .. } = attribute else { continue };
            let Some(bootstrap) = methods.get(usize::from(*bootstrap_method_attr_index)) else { continue };
            for argument in &bootstrap.arguments {
                let Some(to) = names::called_by_handle(pool, *argument)? else { continue };
                let dispatched = matches!(
                    pool.get(*argument),
                    Some(Constant::MethodHandle {
                        reference_kind: ReferenceKind::InvokeVirtual | ReferenceKind::InvokeInterface,
                        ..
                    })
                );
                self.calls.insert(Call { to, dispatched });
            }
        }
        Ok(())
    }
}

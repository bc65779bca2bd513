//! Finds the methods that `invokedynamic` instructions use: bodies of lambdas, and the bootstrap
//! methods of strings and records.

use crate::classfile::names::{self, Member, NameAndType};
use ristretto_classfile::attributes::{Attribute, Instruction};
use ristretto_classfile::{ClassFile, Constant as PoolConstant, ConstantPool, Result};

/// The `BootstrapMethods` attribute of a class (JVMS §4.7.23).
pub(super) struct Bootstraps<'a> {
    pool: &'a ConstantPool<'a>,
    /// Method handle and arguments, as indices into the constant pool.
    methods: Vec<(u16, &'a [u16])>,
}

impl<'a> Bootstraps<'a> {
    pub(super) fn new(class: &'a ClassFile<'a>) -> Self {
        let methods = class
            .attributes
            .iter()
            .filter_map(|attribute| match attribute {
                Attribute::BootstrapMethods { methods, .. } => Some(methods),
                _ => None,
            })
            .flatten()
            .map(|method| (method.bootstrap_method_ref, method.arguments.as_slice()))
            .collect();
        Self { pool: &class.constant_pool, methods }
    }

    fn entry(&self, index: u16) -> Option<(u16, &'a [u16])> {
        match self.pool.get(index) {
            Some(PoolConstant::InvokeDynamic { bootstrap_method_attr_index, .. }) => {
                self.methods.get(usize::from(*bootstrap_method_attr_index)).copied()
            }
            _ => None,
        }
    }

    pub(super) fn method(&self, index: u16) -> Result<Option<Member>> {
        self.entry(index).map_or(Ok(None), |(handle, _)| names::called_by_handle(self.pool, handle))
    }

    /// Methods of the class itself that `code` passes to bootstrap methods.
    pub(super) fn lambdas(&self, code: &[Instruction], class: &str) -> Result<Vec<NameAndType>> {
        let mut found = Vec::new();
        for instruction in code {
            let Instruction::Invokedynamic(index) = instruction else { continue };
            for argument in self.entry(*index).map_or(&[][..], |(_, arguments)| arguments) {
                if let Some(member) = names::called_by_handle(self.pool, *argument)?
                    && member.owner == class
                {
                    found.push(NameAndType { name: member.name, descriptor: member.descriptor });
                }
            }
        }
        Ok(found)
    }
}

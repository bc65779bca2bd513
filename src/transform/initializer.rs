//! Finds the private methods that run only while their class is initialized.

use crate::classfile::names::{self, Member, NameAndType};
use ristretto_classfile::attributes::{Attribute, Instruction};
use ristretto_classfile::{ClassFile, Constant, MethodAccessFlags, Result};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Adds to `named` the methods that `class` names without declaring them. That is how classes of
/// the same nest call each other's private methods (JVMS §5.4.4).
///
/// # Errors
/// If the class file is broken.
pub fn add_methods_of_others(class: &ClassFile<'_>, named: &mut HashSet<Member>) -> Result<()> {
    let pool = &class.constant_pool;
    let this = names::class(pool, class.this_class)?;
    for index in 1..=u16::try_from(pool.len()).unwrap_or(u16::MAX) {
        if let Some(Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. }) = pool.get(index) {
            let member = names::member(pool, index)?;
            if member.owner != this {
                named.insert(member);
            }
        }
    }
    Ok(())
}

/// Each private method of `class` that its static initializer reaches through private methods only,
/// and that nothing else calls.
///
/// # Errors
/// If the class file is broken.
pub fn only_called_by_initializer(
    class: &ClassFile<'_>,
    named_from_outside: &HashSet<Member>,
) -> Result<BTreeSet<NameAndType>> {
    let mut calls: BTreeMap<NameAndType, BTreeSet<NameAndType>> = BTreeMap::new();
    let mut only = BTreeSet::new();
    let pool = &class.constant_pool;
    let this = names::class(pool, class.this_class)?;
    for method in &class.methods {
        let caller = NameAndType {
            name: names::text(pool, method.name_index)?,
            descriptor: names::text(pool, method.descriptor_index)?,
        };
        let as_member =
            Member { owner: this.clone(), name: caller.name.clone(), descriptor: caller.descriptor.clone() };
        if method.access_flags.contains(MethodAccessFlags::PRIVATE)
            && !caller.name.starts_with('<')
            && !named_from_outside.contains(&as_member)
        {
            only.insert(caller.clone());
        }
        calls.insert(caller, calls_to(class, &this, &method.attributes)?);
    }
    let initializer = NameAndType { name: "<clinit>".to_owned(), descriptor: "()V".to_owned() };
    if !calls.contains_key(&initializer) {
        return Ok(BTreeSet::new());
    }
    // Remove what any other method calls, then what the removed methods call, and so on.
    loop {
        let called_by_others: Vec<_> = calls
            .iter()
            .filter(|(caller, _)| **caller != initializer && !only.contains(*caller))
            .flat_map(|(_, callees)| callees)
            .filter(|callee| only.contains(*callee))
            .cloned()
            .collect();
        if called_by_others.is_empty() {
            break;
        }
        for callee in called_by_others {
            only.remove(&callee);
        }
    }
    let mut reached = BTreeSet::new();
    let mut waiting = vec![initializer];
    while let Some(caller) = waiting.pop() {
        for callee in calls.get(&caller).into_iter().flatten() {
            if only.contains(callee) && reached.insert(callee.clone()) {
                waiting.push(callee.clone());
            }
        }
    }
    Ok(reached)
}

/// The methods of the class `this` that a method calls. A method that is only passed to a bootstrap
/// method (the body of a lambda) does not count: it runs later, when somebody calls the function,
/// and not during initialization.
fn calls_to(class: &ClassFile<'_>, this: &str, attributes: &[Attribute]) -> Result<BTreeSet<NameAndType>> {
    let mut calls = BTreeSet::new();
    for attribute in attributes {
        let Attribute::Code { code, .. } = attribute else { continue };
        for instruction in code {
            if let Instruction::Invokevirtual(index)
            | Instruction::Invokespecial(index)
            | Instruction::Invokestatic(index)
            | Instruction::Invokeinterface(index, _) = instruction
            {
                let callee = names::member(&class.constant_pool, *index)?;
                if callee.owner == this {
                    calls.insert(NameAndType { name: callee.name, descriptor: callee.descriptor });
                }
            }
        }
    }
    Ok(calls)
}

//! Weaves a plan into a class file: coverage, guards (all transformations of a method at once) and observation.
//!
//! Woven code calls the runtime class `reneri.rt.Probe`, which the boot loader must find. `snippets.rs` makes the
//! instructions. Without observation, the body stays byte for byte as it was: the prologue is padded to a multiple of
//! four bytes, so that relative jumps and the padding of switches stay valid (JVMS §6.5.tableswitch), and only the tables
//! move. With observation, code is inserted before each return, so `relocation.rs` lays out the whole body anew.

use super::assembler::{Assembler, opcode};
use super::code::{self, Code, CodeAttribute};
use super::descriptor;
use super::error::{ClassFileError, Fault};
use super::frames::{self, Added};
use super::names::NameAndType;
use super::plan::{ClassWeave, MethodWeave};
use super::pool::Pool;
use super::reader;
use super::relocation::{self, Positions, Relocated, to_u16};

use super::snippets::{self, Subject};
use super::tables::{self, Table};
use ristretto_classfile::attributes::{Attribute, ExceptionTableEntry};
use ristretto_classfile::{Method, MethodAccessFlags};
use std::borrow::Cow;
use std::collections::HashMap;

/// A class file with everything that could be woven into it.
#[derive(Clone, Debug)]
pub struct Woven {
    pub class_file: Vec<u8>,
    /// Why methods of the plan were left unchanged, in the order of the plan. Each error names its method.
    pub left_out: Vec<ClassFileError>,
}

/// Weaves all of `plan` into `class_file`. An empty plan returns the same bytes.
///
/// # Errors
/// The class file is broken, or a method cannot be woven. In the second case the error names the method;
/// [`weave_what_fits`] would leave it out.
pub fn weave(class_file: &[u8], plan: &ClassWeave) -> Result<Vec<u8>, ClassFileError> {
    let woven = weave_what_fits(class_file, plan)?;
    match woven.left_out.into_iter().next() {
        None => Ok(woven.class_file),
        Some(error) => Err(error),
    }
}

/// Weaves the methods that can be woven, and reports the others: a method that would become too large, that has no code,
/// or that does not exist.
///
/// # Errors
/// The class file as a whole is broken.
pub fn weave_what_fits(class_file: &[u8], plan: &ClassWeave) -> Result<Woven, ClassFileError> {
    let broken = |fault| ClassFileError { class: None, method: None, fault };
    let mut class = reader::read(class_file).map_err(broken)?;
    let name = class.class_name().map_err(|error| broken(error.into()))?.to_rust_string();
    let version = class.version.major();
    let mut pool = Pool::new(std::mem::take(&mut class.constant_pool));
    let mut by_name = HashMap::new();
    for (index, method) in class.methods.iter().enumerate() {
        let key = method_key(method, &pool).map_err(broken)?;
        by_name.insert(key, Some(index));
    }
    let mut left_out = Vec::new();
    for plan in &plan.methods {
        let planned = NameAndType { name: plan.name.clone(), descriptor: plan.descriptor.clone() };
        let woven = match by_name.get_mut(&planned) {
            None => Err(Fault::NoSuchMethod),
            // Each method is taken once: a second weaving would enclose the first.
            Some(index) => index.take().and_then(|index| class.methods.get_mut(index)).ok_or(Fault::NamedTwice),
        }
        .and_then(|method| weave_method(plan, method, &name, version, &mut pool));
        if let Err(fault) = woven {
            left_out.push(ClassFileError { class: Some(name.clone()), method: Some(planned), fault });
        }
    }
    class.constant_pool = pool.into_constants();
    let mut bytes = Vec::with_capacity(class_file.len() + class_file.len() / 2);
    class.to_bytes(&mut bytes).map_err(|error| broken(error.into()))?;
    Ok(Woven { class_file: bytes, left_out })
}

fn method_key(method: &Method, pool: &Pool<'_>) -> Result<NameAndType, Fault> {
    Ok(NameAndType {
        name: pool.text(method.name_index)?.into_owned(),
        descriptor: pool.text(method.descriptor_index)?.into_owned(),
    })
}

/// Weaves one method; if that fails, the method stays unchanged.
fn weave_method(
    plan: &MethodWeave,
    method: &mut Method,
    class: &str,
    class_version: u16,
    pool: &mut Pool<'_>,
) -> Result<(), Fault> {
    if plan.coverage.is_none() && plan.guards.is_empty() && plan.observe.is_none() {
        return Ok(());
    }
    let is_initializer = plan.name.starts_with('<');
    if is_initializer && (plan.observe.is_some() || !plan.guards.is_empty()) {
        return Err(Fault::Initializer);
    }
    let mut code_info = None;
    for attribute in &mut method.attributes {
        if let Attribute::Unknown { name_index, info } = attribute
            && pool.text(*name_index)? == "Code"
        {
            code_info = Some(info);
        }
    }
    let code_info = code_info.ok_or(Fault::NoCode)?;
    let subject = Subject {
        class,
        class_version,
        is_static: method.access_flags.contains(MethodAccessFlags::STATIC),
        method: descriptor::parse(&plan.descriptor)?,
    };
    let code = code::read(code_info)?;
    let woven = weave_code(plan, &subject, code, pool)?;
    *code_info = woven;
    Ok(())
}

fn weave_code(
    plan: &MethodWeave,
    subject: &Subject<'_>,
    mut code: Code<'_>,
    pool: &mut Pool<'_>,
) -> Result<Vec<u8>, Fault> {
    let mut prologue = subject.prologue(plan, pool)?;
    let mut max_stack = code.max_stack.max(prologue.max_stack);
    let mut handler_position = None;
    let mut woven;
    let Relocated { positions, trampolines } = match plan.observe {
        None => {
            let padding = prologue.code.len().next_multiple_of(4) - prologue.code.len();
            woven = vec![opcode::NOP; padding];
            woven.append(&mut prologue.code);
            prologue.targets.iter_mut().for_each(|target| *target += padding);
            let positions = Positions::Shifted { by: woven.len(), length: code.code.len() };
            woven.extend(code.code.iter());
            Relocated { positions, trampolines: Vec::new() }
        }
        Some(method) => {
            woven = std::mem::take(&mut prologue.code);
            // A method may return while other values are still on the stack below the result, up to its own maximum.
            let mut assembler = Assembler::new(pool, code.max_stack);
            subject.leave(method, &mut assembler)?;
            max_stack = max_stack.max(assembler.max_stack);
            let before_return = assembler.code;
            let relocated = relocation::relocate(&code.code, &code.exceptions, &before_return, &mut woven)?;
            let (handler, handler_stack) = snippets::handler(method, pool)?;
            max_stack = max_stack.max(handler_stack);
            handler_position = Some(woven.len());
            woven.extend(handler);
            relocated
        }
    };
    if woven.len() > code::MAX_LENGTH {
        return Err(Fault::TooLarge("the code of the method"));
    }
    let handler = handler_position.map(to_u16).transpose()?;
    tables::exceptions(&mut code.exceptions, &positions)?;
    if let Some(handler) = handler {
        // The last entry, so that the method's own handlers come first (JVMS §2.10). Catch type 0 catches everything.
        let start = positions.at_u16(0)?;
        code.exceptions.push(ExceptionTableEntry { range_pc: start..handler, handler_pc: handler, catch_type: 0 });
    }

    let mut frame_table: Cow<'_, [u8]> = Cow::Borrowed(&[]);
    let mut attributes = Vec::with_capacity(code.attributes.len() + 1);
    for attribute in code.attributes {
        let name = pool.text(attribute.name_index)?;
        match tables::relocate(&name, &attribute.info, &positions, handler)? {
            Table::Relocated(info) => {
                attributes.push(CodeAttribute { name_index: attribute.name_index, info: Cow::Owned(info) });
            }
            Table::Dropped => {}
            Table::Frames => frame_table = attribute.info,
        }
    }
    // Below version 50 the verifier infers types and ignores the attribute (JVMS §4.10).
    if subject.class_version >= 50 {
        let added = Added { prologue_targets: &prologue.targets, trampolines: &trampolines, handler: handler_position };
        let initial =
            |pool: &mut Pool<'_>| frames::initial_locals(subject.class, subject.is_static, &subject.method, pool);
        let frames = frames::relocate(&frame_table, &positions, &added, initial, pool)?;
        if !frames.is_empty() {
            attributes.push(CodeAttribute { name_index: pool.utf8("StackMapTable")?, info: Cow::Owned(frames) });
        }
    }
    Code { max_stack, max_locals: code.max_locals, code: Cow::Owned(woven), exceptions: code.exceptions, attributes }
        .to_bytes()
}

#[cfg(test)]
mod tests;

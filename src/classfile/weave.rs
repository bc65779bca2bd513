//! From a class file and a plan to the woven class file: coverage, guards (all transformations of a method at once) and observation.
//!
//! Woven code calls the runtime class `reneri.rt.Probe`, which the boot loader must find. What is woven where is in `snippets.rs`. Without
//! observation the body stays byte for byte as it was: the prologue is padded to a multiple of four bytes, so that relative jumps and the
//! padding of switches stay valid (JVMS §6.5.tableswitch), and only the tables move. With observation the body is moved properly.

use super::assembler::{Assembler, opcode};
use super::code::{self, Code, CodeAttribute};
use super::constant::Constant;
use super::descriptor;
use super::error::{ClassFileError, Fault};
use super::frames::{self, Added};
use super::opaque;
use super::pool::Pool;
use super::relocate::{self, Positions, Relocated, to_u16};
use super::snippets::{self, Subject};
use super::tables::{self, Table};
use ristretto_classfile::attributes::{Attribute, ExceptionTableEntry};
use ristretto_classfile::{Method, MethodAccessFlags};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// What to weave into one method. All numbers reach the runtime class as `int`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodWeave {
    pub name: String,
    /// JVMS §4.3.3.
    pub descriptor: String,
    /// Method number: `entered[number] = 1` at entry. The only thing that constructors and static initialisers can have.
    pub coverage: Option<u32>,
    /// Numbers of transformations, none of them 0, and what the method returns at once while `active` is that number.
    pub guards: Vec<(u32, Constant)>,
    /// Method number: `Probe.enter` at entry, and `leave` or `threw` at every exit, those of the guards included.
    pub observe: Option<u32>,
}

/// What to weave into one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassWeave {
    /// Each method at most once.
    pub methods: Vec<MethodWeave>,
}

/// A class file with all that could be woven into it.
#[derive(Clone, Debug)]
pub struct Woven {
    pub class_file: Vec<u8>,
    /// Why methods of the plan were left as they were; each names its method. In the order of the plan.
    pub left_out: Vec<ClassFileError>,
}

/// Weaves all of `plan` into `class_file`. An empty plan gives the same bytes back.
///
/// # Errors
/// When the class file is broken, and when one method cannot be woven: the error then names it, and [`weave_what_fits`] leaves it out.
pub fn weave(class_file: &[u8], plan: &ClassWeave) -> Result<Vec<u8>, ClassFileError> {
    let woven = weave_what_fits(class_file, plan)?;
    match woven.left_out.into_iter().next() {
        None => Ok(woven.class_file),
        Some(error) => Err(error),
    }
}

/// Weaves what can be woven, and says what cannot: a method that would be too large, that has no code, that is not there.
///
/// # Errors
/// When the class file as a whole is broken.
pub fn weave_what_fits(class_file: &[u8], plan: &ClassWeave) -> Result<Woven, ClassFileError> {
    let broken = |fault| ClassFileError { class: None, method: None, fault };
    let mut class = opaque::read(class_file).map_err(broken)?;
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
        let woven = match by_name.get_mut(&(plan.name.clone(), plan.descriptor.clone())) {
            None => Err(Fault::NoSuchMethod),
            // Taken: a second weaving would enclose the first.
            Some(index) => index.take().and_then(|index| class.methods.get_mut(index)).ok_or(Fault::NamedTwice),
        }
        .and_then(|method| weave_method(plan, method, &name, version, &mut pool));
        if let Err(fault) = woven {
            left_out.push(ClassFileError {
                class: Some(name.clone()),
                method: Some((plan.name.clone(), plan.descriptor.clone())),
                fault,
            });
        }
    }
    class.constant_pool = pool.into_constants();
    let mut bytes = Vec::with_capacity(class_file.len() + class_file.len() / 2);
    class.to_bytes(&mut bytes).map_err(|error| broken(error.into()))?;
    Ok(Woven { class_file: bytes, left_out })
}

fn method_key(method: &Method, pool: &Pool<'_>) -> Result<(String, String), Fault> {
    Ok((pool.text(method.name_index)?.into_owned(), pool.text(method.descriptor_index)?.into_owned()))
}

/// Leaves `method` as it was when it fails.
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
            // Below the result there may be anything that the method left on the stack, up to its own maximum.
            let mut assembler = Assembler::new(pool, code.max_stack);
            subject.leave(method, &mut assembler)?;
            max_stack = max_stack.max(assembler.max_stack);
            let before_return = assembler.code;
            let relocated = relocate::relocate(&code.code, &code.exceptions, &before_return, &mut woven)?;
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
        // Last, so that the method's own handlers come first (JVMS §2.10). 0: catches everything.
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
    // JVMS §4.10: below version 50 types are inferred, and the attribute means nothing.
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

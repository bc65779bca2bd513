//! Relocates the `StackMapTable` (JVMS §4.7.4) of the original code and adds the frames of woven code.

use super::code::count;
use super::descriptor::{MethodType, Type};
use super::error::{Fault, malformed};
use super::pool::Pool;
use super::reader::list;
use super::relocation::{Positions, to_u16};
use ristretto_classfile::attributes::{StackFrame, VerificationType};
use ristretto_classfile::byte_reader::ByteReader;

/// The places of woven code that need frames; positions are those in the woven code.
pub(super) struct Added<'a> {
    /// Ascending. The state at each of them is the state at method entry.
    pub prologue_targets: &'a [usize],
    /// Each with its position and its target in the original code, ascending by position.
    pub trampolines: &'a [(usize, usize)],
    pub handler: Option<usize>,
}

/// Relocates `table`, which is empty if the method has no `StackMapTable`; an empty result means the same.
pub(super) fn relocate(
    table: &[u8],
    positions: &Positions,
    added: &Added<'_>,
    initial_locals: impl FnOnce(&mut Pool<'_>) -> Result<Vec<VerificationType>, Fault>,
    pool: &mut Pool<'_>,
) -> Result<Vec<u8>, Fault> {
    let mut frames = Vec::new();
    let mut old = Vec::new();
    for (pc, mut frame) in read(table)? {
        relocate_types(&mut frame, positions)?;
        old.push((pc, frame));
    }
    if added.trampolines.is_empty() {
        let first = old.first().map(|(pc, _)| positions.at(*pc)).transpose()?;
        // An original frame at offset 0 also serves the last guard: there must not be two frames at one position.
        frames.extend(
            added
                .prologue_targets
                .iter()
                .filter(|target| Some(**target) != first)
                .map(|target| (*target, StackFrame::SameFrame { frame_type: 0 })),
        );
        for (pc, frame) in old {
            frames.push((positions.at(pc)?, frame));
        }
    } else {
        // A frame is encoded as the difference to the one before. To insert frames, all are written as full frames.
        let initial = initial_locals(pool)?;
        frames.extend(added.prologue_targets.iter().map(|target| (*target, full(initial.clone(), Vec::new()))));
        let old = expand(old, initial)?;
        for (position, target) in added.trampolines {
            let index = old
                .binary_search_by_key(target, |(pc, _)| *pc)
                .map_err(|_| malformed("a jump leads to a place without stack map frame"))?;
            if let Some((_, frame)) = old.get(index) {
                frames.push((*position, frame.clone()));
            }
        }
        for (pc, frame) in old {
            frames.push((positions.at(pc)?, frame));
        }
        // The sort is stable: of two frames at the start of the body, the original one comes later and is kept.
        frames.sort_by_key(|(position, _)| *position);
        frames.reverse();
        frames.dedup_by_key(|(position, _)| *position);
        frames.reverse();
    }
    if let Some(handler) = added.handler {
        // Every state is assignable to a frame without locals, so the handler can cover the whole body.
        let throwable = VerificationType::Object { cpool_index: pool.class("java/lang/Throwable")? };
        frames.push((handler, full(Vec::new(), vec![throwable])));
    }
    write(frames)
}

/// The local variables at method entry (JVMS §4.10.1.6) of a method that is not a constructor.
pub(super) fn initial_locals(
    class: &str,
    is_static: bool,
    method: &MethodType<'_>,
    pool: &mut Pool<'_>,
) -> Result<Vec<VerificationType>, Fault> {
    let mut locals = Vec::new();
    if !is_static {
        locals.push(VerificationType::Object { cpool_index: pool.class(class)? });
    }
    for parameter in &method.parameters {
        locals.push(verification_type(*parameter, pool)?);
    }
    Ok(locals)
}

fn verification_type(declared: Type<'_>, pool: &mut Pool<'_>) -> Result<VerificationType, Fault> {
    use super::descriptor::Kind;
    Ok(match declared.kind() {
        Kind::Void => VerificationType::Top,
        Kind::Int => VerificationType::Integer,
        Kind::Long => VerificationType::Long,
        Kind::Float => VerificationType::Float,
        Kind::Double => VerificationType::Double,
        Kind::Reference => VerificationType::Object { cpool_index: pool.class(declared.class_name())? },
    })
}

/// Reads the frames of a table, each with its offset.
fn read(table: &[u8]) -> Result<Vec<(usize, StackFrame)>, Fault> {
    if table.is_empty() {
        return Ok(Vec::new());
    }
    let mut reader = ByteReader::new(table);
    let mut next = 0;
    let frames = list(&mut reader, |reader| {
        let frame = StackFrame::from_bytes(reader)?;
        let pc = next + usize::from(frame.offset_delta());
        next = pc + 1;
        Ok((pc, frame))
    })?;
    if reader.remaining() != 0 {
        return Err(malformed("a StackMapTable is longer than what it holds"));
    }
    Ok(frames)
}

fn write(frames: Vec<(usize, StackFrame)>) -> Result<Vec<u8>, Fault> {
    if frames.is_empty() {
        return Ok(Vec::new());
    }
    let mut table = count(frames.len(), "the stack map table")?.to_vec();
    let mut next = 0;
    for (position, frame) in frames {
        let delta = position.checked_sub(next).ok_or_else(|| malformed("stack map frames are not in order"))?;
        with_delta(frame, to_u16(delta)?).to_bytes(&mut table)?;
        next = position + 1;
    }
    Ok(table)
}

/// The same frame at the distance `offset_delta` from the one before.
fn with_delta(frame: StackFrame, offset_delta: u16) -> StackFrame {
    let short = u8::try_from(offset_delta).ok().filter(|delta| *delta < 64);
    match (frame, short) {
        (StackFrame::SameFrame { .. } | StackFrame::SameFrameExtended { .. }, Some(frame_type)) => {
            StackFrame::SameFrame { frame_type }
        }
        (StackFrame::SameFrame { .. } | StackFrame::SameFrameExtended { .. }, None) => {
            StackFrame::SameFrameExtended { frame_type: 251, offset_delta }
        }
        (
            StackFrame::SameLocals1StackItemFrame { stack, .. }
            | StackFrame::SameLocals1StackItemFrameExtended { stack, .. },
            short,
        ) => match short {
            Some(delta) => StackFrame::SameLocals1StackItemFrame { frame_type: 64 + delta, stack },
            None => StackFrame::SameLocals1StackItemFrameExtended { frame_type: 247, offset_delta, stack },
        },
        (StackFrame::ChopFrame { frame_type, .. }, _) => StackFrame::ChopFrame { frame_type, offset_delta },
        (StackFrame::AppendFrame { frame_type, locals, .. }, _) => {
            StackFrame::AppendFrame { frame_type, offset_delta, locals }
        }
        (StackFrame::FullFrame { frame_type, locals, stack, .. }, _) => {
            StackFrame::FullFrame { frame_type, offset_delta, locals, stack }
        }
    }
}

/// Relocates the types of a frame: `Uninitialized` holds the offset of the `new` that made the value.
fn relocate_types(frame: &mut StackFrame, positions: &Positions) -> Result<(), Fault> {
    let (locals, stack): (&mut [VerificationType], &mut [VerificationType]) = match frame {
        StackFrame::SameFrame { .. } | StackFrame::SameFrameExtended { .. } | StackFrame::ChopFrame { .. } => {
            (&mut [], &mut [])
        }
        StackFrame::SameLocals1StackItemFrame { stack, .. }
        | StackFrame::SameLocals1StackItemFrameExtended { stack, .. } => (&mut [], stack),
        StackFrame::AppendFrame { locals, .. } => (locals, &mut []),
        StackFrame::FullFrame { locals, stack, .. } => (locals, stack),
    };
    for verification_type in locals.iter_mut().chain(stack) {
        if let VerificationType::Uninitialized { offset } = verification_type {
            *offset = positions.at_u16(*offset)?;
        }
    }
    Ok(())
}

fn full(locals: Vec<VerificationType>, stack: Vec<VerificationType>) -> StackFrame {
    StackFrame::FullFrame { frame_type: 255, offset_delta: 0, locals, stack }
}

/// Turns every frame into a full frame.
fn expand(frames: Vec<(usize, StackFrame)>, initial: Vec<VerificationType>) -> Result<Vec<(usize, StackFrame)>, Fault> {
    let mut current = initial;
    let mut expanded = Vec::with_capacity(frames.len());
    for (pc, frame) in frames {
        let stack = match frame {
            StackFrame::SameFrame { .. } | StackFrame::SameFrameExtended { .. } => Vec::new(),
            StackFrame::SameLocals1StackItemFrame { stack, .. }
            | StackFrame::SameLocals1StackItemFrameExtended { stack, .. } => stack,
            StackFrame::ChopFrame { frame_type, .. } => {
                let chopped = usize::from(251u8.saturating_sub(frame_type));
                let length = current.len().checked_sub(chopped);
                current.truncate(length.ok_or_else(|| malformed("a stack map frame removes more than there is"))?);
                Vec::new()
            }
            StackFrame::AppendFrame { locals, .. } => {
                current.extend(locals);
                Vec::new()
            }
            StackFrame::FullFrame { locals, stack, .. } => {
                current = locals;
                stack
            }
        };
        expanded.push((pc, full(current.clone(), stack)));
    }
    Ok(expanded)
}

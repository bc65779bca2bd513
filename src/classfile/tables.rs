//! The tables of `Code` that hold offsets, except the stack map: from those of the original code to those of the woven code.

use super::code::count;
use super::error::Fault;
use super::opaque::list;
use super::relocate::Positions;
use super::type_annotations;
use ristretto_classfile::attributes::{ExceptionTableEntry, LineNumber, LocalVariableTable, LocalVariableTypeTable};
use ristretto_classfile::byte_reader::ByteReader;

/// What becomes of an attribute of `Code`.
pub(super) enum Table {
    Relocated(Vec<u8>),
    /// Not known, or broken: its offsets cannot be moved, and the JVM does not need it (JVMS §4.7.1).
    Dropped,
    /// `StackMapTable`, which is another file's work.
    Frames,
}

/// `handler`: position of the woven exception handler, which gets a line number too.
pub(super) fn relocate(name: &str, info: &[u8], positions: &Positions, handler: Option<u16>) -> Result<Table, Fault> {
    let relocated = match name {
        "StackMapTable" => return Ok(Table::Frames),
        "LineNumberTable" => line_numbers(info, positions, handler),
        "LocalVariableTable" => table(
            info,
            |reader| {
                let mut variable = LocalVariableTable::from_bytes(reader)?;
                (variable.start_pc, variable.length) = range(variable.start_pc, variable.length, positions)?;
                Ok(variable)
            },
            |variable, bytes| Ok(variable.to_bytes(bytes)?),
        ),
        "LocalVariableTypeTable" => table(
            info,
            |reader| {
                let mut variable = LocalVariableTypeTable::from_bytes(reader)?;
                (variable.start_pc, variable.length) = range(variable.start_pc, variable.length, positions)?;
                Ok(variable)
            },
            |variable, bytes| Ok(variable.to_bytes(bytes)?),
        ),
        "RuntimeVisibleTypeAnnotations" | "RuntimeInvisibleTypeAnnotations" => {
            type_annotations::relocate(info, positions)
        }
        _ => return Ok(Table::Dropped),
    };
    match relocated {
        Ok(info) => Ok(Table::Relocated(info)),
        // Debugging information that is wrong does not keep a class from running, so it does not keep it from being woven.
        Err(Fault::Malformed(_)) => Ok(Table::Dropped),
        Err(fault) => Err(fault),
    }
}

pub(super) fn exceptions(entries: &mut [ExceptionTableEntry], positions: &Positions) -> Result<(), Fault> {
    for entry in entries {
        entry.range_pc = positions.at_u16(entry.range_pc.start)?..positions.at_u16(entry.range_pc.end)?;
        entry.handler_pc = positions.at_u16(entry.handler_pc)?;
    }
    Ok(())
}

fn line_numbers(info: &[u8], positions: &Positions, handler: Option<u16>) -> Result<Vec<u8>, Fault> {
    let mut lines = list(&mut ByteReader::new(info), |reader| {
        let mut line = LineNumber::from_bytes(reader)?;
        // The prologue belongs to the first line, so that a stack taken there has one.
        if line.start_pc != 0 {
            line.start_pc = positions.at_u16(line.start_pc)?;
        }
        Ok(line)
    })?;
    if let Some(handler) = handler
        && let Some(first) = lines.iter().min_by_key(|line| line.start_pc)
    {
        lines.push(LineNumber { start_pc: handler, line_number: first.line_number });
    }
    let mut bytes = count(lines.len(), "the line number table")?.to_vec();
    for line in &lines {
        line.to_bytes(&mut bytes)?;
    }
    Ok(bytes)
}

/// A table of a `u2` count and so many entries, each relocated as it is read.
fn table<T>(
    info: &[u8],
    entry: impl FnMut(&mut ByteReader<'_>) -> Result<T, Fault>,
    write: impl Fn(&T, &mut Vec<u8>) -> Result<(), Fault>,
) -> Result<Vec<u8>, Fault> {
    let entries = list(&mut ByteReader::new(info), entry)?;
    let mut bytes = count(entries.len(), "a table of local variables")?.to_vec();
    for entry in &entries {
        write(entry, &mut bytes)?;
    }
    Ok(bytes)
}

/// Start and length of the range in which a local variable has a value.
pub(super) fn range(start: u16, length: u16, positions: &Positions) -> Result<(u16, u16), Fault> {
    let end = usize::from(start) + usize::from(length);
    let start = positions.at_u16(start)?;
    let length = positions.at(end)?.saturating_sub(usize::from(start));
    Ok((start, super::relocate::to_u16(length)?))
}

//! Relocates the tables of `Code` that hold offsets, except the stack map (`frames.rs`).

use super::code::count;
use super::error::Fault;
use super::reader::list;
use super::relocation::Positions;
use super::type_annotations;
use ristretto_classfile::attributes::{ExceptionTableEntry, LineNumber, LocalVariableTable, LocalVariableTypeTable};
use ristretto_classfile::byte_reader::ByteReader;

/// The fate of an attribute of `Code`.
pub(super) enum Table {
    Relocated(Vec<u8>),
    /// Unknown or broken: its offsets cannot be relocated, and the JVM does not need it (JVMS §4.7.1).
    Dropped,
    /// `StackMapTable`, which `frames.rs` relocates.
    Frames,
}

/// Relocates one attribute. `handler` is the position of the woven exception handler, which also gets a line number.
pub(super) fn relocate(name: &str, info: &[u8], positions: &Positions, handler: Option<u16>) -> Result<Table, Fault> {
    let relocated = match name {
        "StackMapTable" => return Ok(Table::Frames),
        "LineNumberTable" => line_numbers(info, positions, handler),
        "LocalVariableTable" => table(
            info,
            |reader| {
                let mut variable = LocalVariableTable::from_bytes(reader)?;
                (variable.start_pc, variable.length) = positions.range(variable.start_pc, variable.length)?;
                Ok(variable)
            },
            |variable, bytes| Ok(variable.to_bytes(bytes)?),
        ),
        "LocalVariableTypeTable" => table(
            info,
            |reader| {
                let mut variable = LocalVariableTypeTable::from_bytes(reader)?;
                (variable.start_pc, variable.length) = positions.range(variable.start_pc, variable.length)?;
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
        // A class with wrong debugging information runs, so it can be woven as well.
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
        // The entry at 0 stays there: the prologue belongs to the first line, so that a stack taken in it has a line.
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

/// Relocates a table that consists of a `u2` count and that many entries; `entry` relocates each as it reads it.
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

//! Lays out a method's code anew, with inserted code before each return, and maps old offsets to new ones.

use super::assembler::opcode;
use super::error::{Fault, malformed};
use super::instructions::{self, Form, Instruction, padding};
use ristretto_classfile::attributes::ExceptionTableEntry;
use std::collections::{BTreeMap, BTreeSet};

/// Maps offsets in the original code to offsets in the woven code.
pub(super) enum Positions {
    /// Everything moved by the same distance; the original code has `length` bytes.
    Shifted { by: usize, length: usize },
    /// New offsets by old offset; the last entry is the end of the code.
    Table(Vec<usize>),
}

impl Positions {
    /// The new offset.
    ///
    /// # Errors
    /// `pc` is outside of the original code.
    pub(super) fn at(&self, pc: usize) -> Result<usize, Fault> {
        match self {
            Positions::Shifted { by, length } => (pc <= *length).then_some(pc + by),
            Positions::Table(table) => table.get(pc).copied(),
        }
        .ok_or_else(|| malformed(format!("a table of a method refers to offset {pc}, which is outside of the code")))
    }

    /// The new offset, as tables hold it.
    pub(super) fn at_u16(&self, pc: u16) -> Result<u16, Fault> {
        to_u16(self.at(usize::from(pc))?)
    }

    /// The new start and length of a range of code, such as the one in which a local variable has a value.
    pub(super) fn range(&self, start: u16, length: u16) -> Result<(u16, u16), Fault> {
        let old_end = usize::from(start) + usize::from(length);
        let new_start = self.at_u16(start)?;
        let new_length = self.at(old_end)?.saturating_sub(usize::from(new_start));
        Ok((new_start, to_u16(new_length)?))
    }
}

/// An offset in woven code, as tables hold it.
pub(super) fn to_u16(position: usize) -> Result<u16, Fault> {
    u16::try_from(position).map_err(|_| Fault::TooLarge("the code of the method"))
}

pub(super) struct Relocated {
    pub positions: Positions,
    /// The `goto_w`s that were added for jumps that no longer reach their target: the position of each in the woven code,
    /// and its target in the original code.
    pub trampolines: Vec<(usize, usize)>,
}

/// A `goto_w`, as two indexes of instructions: the one that it is placed after, and the one that it jumps to.
type Trampoline = (usize, usize);
/// An opcode and a four-byte offset.
const FAR_JUMP_LENGTH: usize = 5;
/// The longest distance between a jump and its trampoline at first. It leaves room: code that is added in between later
/// must not push the trampoline out of reach.
const TRAMPOLINE_REACH: usize = 24_000;

/// Appends `code` to `woven`, with `before_return` in front of each return.
///
/// A conditional jump that no longer reaches its target jumps to a trampoline: a `goto_w` after an instruction that ends
/// the flow. The usual inversion (`ifeq far` to `ifne next; goto_w far; next:`) would need a stack map frame at `next`,
/// which takes data flow analysis to find; the frame of a trampoline is the frame of its target. A trampoline must not be
/// in the range of one of `exceptions`, because the handler's frame may not fit the state at the target.
pub(super) fn relocate(
    code: &[u8],
    exceptions: &[ExceptionTableEntry],
    before_return: &[u8],
    woven: &mut Vec<u8>,
) -> Result<Relocated, Fault> {
    let instructions = instructions::read(code)?;
    let mut index_of = vec![0; code.len() + 1];
    for (index, instruction) in instructions.iter().enumerate() {
        if let Some(entry) = index_of.get_mut(instruction.pc) {
            *entry = index;
        }
    }
    let mut layout = Layout {
        instructions: &instructions,
        index_of,
        exceptions,
        before_return,
        widened: BTreeSet::new(),
        trampolines: BTreeMap::new(),
        diverted: BTreeMap::new(),
        starts: Vec::new(),
        end: 0,
    };
    layout.settle(woven.len())?;
    layout.write(code, woven)?;

    let mut table = Vec::with_capacity(code.len() + 1);
    for (instruction, start) in instructions.iter().zip(&layout.starts) {
        // A table may refer to the inside of an instruction; the distance from its start is kept.
        table.extend((0..instruction.length).map(|inside| start + inside));
    }
    table.push(layout.end);
    let mut trampolines = Vec::new();
    for ((_, target), position) in &layout.trampolines {
        let target = instructions.get(*target).map(|instruction| instruction.pc);
        trampolines.push((*position, target.ok_or_else(|| malformed("a jump leaves the method"))?));
    }
    trampolines.sort_unstable();
    Ok(Relocated { positions: Positions::Table(table), trampolines })
}

/// The positions of all instructions in the woven code, as far as they are settled.
struct Layout<'a> {
    instructions: &'a [Instruction],
    /// Indexes of instructions by offset in the original code.
    index_of: Vec<usize>,
    exceptions: &'a [ExceptionTableEntry],
    before_return: &'a [u8],
    /// Indexes of `goto`s and `jsr`s that got a four-byte offset.
    widened: BTreeSet<usize>,
    /// The positions of trampolines in the woven code.
    trampolines: BTreeMap<Trampoline, usize>,
    /// The trampolines of conditional jumps, by index of the jump.
    diverted: BTreeMap<usize, Trampoline>,
    /// The position of each instruction, or of the code inserted before it.
    starts: Vec<usize>,
    end: usize,
}

impl Layout<'_> {
    /// Finds positions at which every jump reaches its target.
    fn settle(&mut self, start: usize) -> Result<(), Fault> {
        loop {
            self.place(start);
            // No jump is longer than the whole body.
            if self.end - start <= usize::from(i16::MAX.unsigned_abs()) {
                return Ok(());
            }
            let mut changed = false;
            for (index, instruction) in self.instructions.iter().enumerate() {
                let Form::Jump { target } = instruction.form else { continue };
                if self.widened.contains(&index) || self.offset_of_jump(index, target)?.is_some() {
                    continue;
                }
                if instruction.can_widen() {
                    self.widened.insert(index);
                } else {
                    let trampoline = (self.place_for_trampoline(index)?, self.index(target)?);
                    if self.diverted.insert(index, trampoline).is_some() {
                        return Err(Fault::TooLarge("a jump"));
                    }
                    // The next call of `place` sets the position; until then, nothing reads it.
                    self.trampolines.insert(trampoline, 0);
                }
                changed = true;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// Computes all positions, for code that begins at `start`.
    fn place(&mut self, start: usize) {
        let mut position = start;
        self.starts.clear();
        for (index, instruction) in self.instructions.iter().enumerate() {
            self.starts.push(position);
            position += match &instruction.form {
                Form::Plain | Form::FarJump { .. } => instruction.length,
                Form::Return => self.before_return.len() + instruction.length,
                Form::Jump { .. } if self.widened.contains(&index) => FAR_JUMP_LENGTH,
                Form::Jump { .. } => instruction.length,
                Form::Table { .. } | Form::Lookup { .. } => {
                    instruction.length - padding(instruction.pc) + padding(position)
                }
            };
            for (_, trampoline) in self.trampolines.range_mut((index, 0)..=(index, usize::MAX)) {
                *trampoline = position;
                position += FAR_JUMP_LENGTH;
            }
        }
        self.end = position;
    }

    fn index(&self, pc: usize) -> Result<usize, Fault> {
        self.index_of.get(pc).copied().ok_or_else(|| malformed("a jump leaves the method"))
    }

    fn start(&self, index: usize) -> Result<usize, Fault> {
        self.starts.get(index).copied().ok_or_else(|| malformed("a jump leaves the method"))
    }

    /// The offset from `position` to the instruction that was at `pc`.
    fn offset(&self, position: usize, pc: usize) -> Result<i32, Fault> {
        difference(position, self.start(self.index(pc)?)?)
    }

    /// The two-byte offset of the jump with this index, if it fits.
    fn offset_of_jump(&self, index: usize, target: usize) -> Result<Option<i16>, Fault> {
        let position = self.start(index)?;
        let offset = match self.diverted.get(&index).and_then(|trampoline| self.trampolines.get(trampoline)) {
            Some(trampoline) => difference(position, *trampoline)?,
            None => self.offset(position, target)?,
        };
        Ok(i16::try_from(offset).ok())
    }

    /// The index of the instruction that ends the flow and is nearest to the jump with this index.
    fn place_for_trampoline(&self, jump: usize) -> Result<usize, Fault> {
        let position = self.start(jump)?;
        self.instructions
            .iter()
            .zip(&self.starts)
            .enumerate()
            .filter(|(_, (instruction, _))| instruction.ends_flow() && !self.is_caught(instruction.pc))
            .map(|(index, (_, start))| (start.abs_diff(position), index))
            .min()
            .filter(|(distance, _)| *distance <= TRAMPOLINE_REACH)
            .map(|(_, index)| index)
            .ok_or(Fault::TooLarge("a jump"))
    }

    fn is_caught(&self, pc: usize) -> bool {
        self.exceptions
            .iter()
            .any(|entry| (usize::from(entry.range_pc.start)..usize::from(entry.range_pc.end)).contains(&pc))
    }

    fn write(&self, code: &[u8], woven: &mut Vec<u8>) -> Result<(), Fault> {
        for (index, instruction) in self.instructions.iter().enumerate() {
            let start = self.start(index)?;
            if matches!(instruction.form, Form::Return) {
                woven.extend(self.before_return);
            }
            match &instruction.form {
                Form::Plain | Form::Return => {
                    let bytes = code.get(instruction.pc..instruction.pc + instruction.length);
                    woven.extend(bytes.ok_or_else(|| malformed("an instruction is cut off"))?);
                }
                Form::Jump { target } if self.widened.contains(&index) => {
                    // goto 167 → goto_w 200, jsr 168 → jsr_w 201
                    woven.push(instruction.opcode + (opcode::GOTO_W - 167));
                    woven.extend(self.offset(start, *target)?.to_be_bytes());
                }
                Form::Jump { target } => {
                    woven.push(instruction.opcode);
                    let offset = self.offset_of_jump(index, *target)?.ok_or(Fault::TooLarge("a jump"))?;
                    woven.extend(offset.to_be_bytes());
                }
                Form::FarJump { target } => {
                    woven.push(instruction.opcode);
                    woven.extend(self.offset(start, *target)?.to_be_bytes());
                }
                Form::Table { default, low, high, targets } => {
                    self.open_switch(instruction, start, *default, woven)?;
                    woven.extend(low.to_be_bytes());
                    woven.extend(high.to_be_bytes());
                    for target in targets {
                        woven.extend(self.offset(start, *target)?.to_be_bytes());
                    }
                }
                Form::Lookup { default, pairs } => {
                    self.open_switch(instruction, start, *default, woven)?;
                    let count = i32::try_from(pairs.len()).map_err(|_| Fault::TooLarge("a switch"))?;
                    woven.extend(count.to_be_bytes());
                    for (key, target) in pairs {
                        woven.extend(key.to_be_bytes());
                        woven.extend(self.offset(start, *target)?.to_be_bytes());
                    }
                }
            }
            for ((_, target), position) in self.trampolines.range((index, 0)..=(index, usize::MAX)) {
                woven.push(opcode::GOTO_W);
                woven.extend(difference(*position, self.start(*target)?)?.to_be_bytes());
            }
        }
        Ok(())
    }

    fn open_switch(
        &self,
        instruction: &Instruction,
        start: usize,
        default: usize,
        woven: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        woven.push(instruction.opcode);
        woven.extend(std::iter::repeat_n(0, padding(start)));
        woven.extend(self.offset(start, default)?.to_be_bytes());
        Ok(())
    }
}

fn difference(from: usize, to: usize) -> Result<i32, Fault> {
    i32::try_from(to)
        .ok()
        .zip(i32::try_from(from).ok())
        .map(|(to, from)| to - from)
        .ok_or(Fault::TooLarge("the code of the method"))
}

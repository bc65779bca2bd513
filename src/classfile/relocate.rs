//! From a method's code to the same code at another place, with a call before each return, and where each old offset went.

use super::assembler::opcode;
use super::error::{Fault, malformed};
use super::instructions::{self, Form, Instruction, padding};
use ristretto_classfile::attributes::ExceptionTableEntry;
use std::collections::{BTreeMap, BTreeSet};

/// Where the offsets of the original code are in the woven code.
pub(super) enum Positions {
    /// Everything moved by as much; the code has `length` bytes.
    Shifted { by: usize, length: usize },
    /// By old offset; the last one is that of the end.
    Table(Vec<usize>),
}

impl Positions {
    pub(super) fn at(&self, pc: usize) -> Result<usize, Fault> {
        match self {
            Positions::Shifted { by, length } => (pc <= *length).then_some(pc + by),
            Positions::Table(table) => table.get(pc).copied(),
        }
        .ok_or_else(|| malformed(format!("a table of a method refers to offset {pc}, which is outside of the code")))
    }

    /// The same for a field of a table.
    pub(super) fn at_u16(&self, pc: u16) -> Result<u16, Fault> {
        to_u16(self.at(usize::from(pc))?)
    }
}

/// An offset in woven code, as the tables hold it.
pub(super) fn to_u16(position: usize) -> Result<u16, Fault> {
    u16::try_from(position).map_err(|_| Fault::TooLarge("the code of the method"))
}

pub(super) struct Relocated {
    pub positions: Positions,
    /// `goto_w`s that were added for jumps that no longer reach their target: position, and target in the original code.
    pub trampolines: Vec<(usize, usize)>,
}

/// A `goto_w` to the instruction of index `target`, placed after the instruction of index `after`.
type Trampoline = (usize, usize);
/// opcode and four-byte offset
const FAR_JUMP_LENGTH: usize = 5;
/// How far from a jump its trampoline may be placed at first: what is added in between later must not push it out of reach.
const TRAMPOLINE_REACH: usize = 24_000;

/// Appends `code` to `woven`, with `before_return` in front of each return.
///
/// A conditional jump that no longer reaches its target goes through a `goto_w` placed behind an instruction that ends the flow. The usual
/// inversion (`ifeq far` to `ifne next; goto_w far; next:`) would need a stack-map frame at `next`, which is not known without data flow
/// analysis; the frame of a trampoline is that of its target.
/// It must not stand where one of `exceptions` is caught: the handler's frame need not fit the state at the target.
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
        // Tables may refer to the inside of an instruction; for these the offset within it is kept.
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

struct Layout<'a> {
    instructions: &'a [Instruction],
    /// By offset in the original code.
    index_of: Vec<usize>,
    exceptions: &'a [ExceptionTableEntry],
    before_return: &'a [u8],
    /// `goto`s and `jsr`s that got a four-byte offset.
    widened: BTreeSet<usize>,
    /// With their positions.
    trampolines: BTreeMap<Trampoline, usize>,
    /// Conditional jumps that go through a trampoline.
    diverted: BTreeMap<usize, Trampoline>,
    /// Position of each instruction, or of what was put before it.
    starts: Vec<usize>,
    end: usize,
}

impl Layout<'_> {
    /// Finds positions at which every jump reaches its target.
    fn settle(&mut self, start: usize) -> Result<(), Fault> {
        loop {
            self.place(start);
            // The widest jump spans the whole body.
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
                    // Until the next `place`, nothing asks for its position.
                    self.trampolines.insert(trampoline, 0);
                }
                changed = true;
            }
            if !changed {
                return Ok(());
            }
        }
    }

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
            for (_, at) in self.trampolines.range_mut((index, 0)..=(index, usize::MAX)) {
                *at = position;
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

    /// Offset from `position` to the instruction that was at `pc`.
    fn offset(&self, position: usize, pc: usize) -> Result<i32, Fault> {
        difference(position, self.start(self.index(pc)?)?)
    }

    /// Two-byte offset of the jump of this index, if it fits.
    fn offset_of_jump(&self, index: usize, target: usize) -> Result<Option<i16>, Fault> {
        let position = self.start(index)?;
        let offset = match self.diverted.get(&index).and_then(|trampoline| self.trampolines.get(trampoline)) {
            Some(trampoline) => difference(position, *trampoline)?,
            None => self.offset(position, target)?,
        };
        Ok(i16::try_from(offset).ok())
    }

    /// The instruction that ends the flow and is nearest to the jump of this index.
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

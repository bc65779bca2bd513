//! Reads the instructions of a method (JVMS §6.5), in as much detail as relocation needs.

use super::assembler::opcode;
use super::error::{Fault, malformed};
use ristretto_classfile::byte_reader::ByteReader;

/// An instruction. `pc` and all targets are offsets in the code that it was read from.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub pc: usize,
    pub length: usize,
    pub opcode: u8,
    pub form: Form,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Has the same meaning at every position.
    Plain,
    /// One of the six return instructions.
    Return,
    /// Has a two-byte offset: `if…`, `goto`, `jsr`.
    Jump { target: usize },
    /// Has a four-byte offset: `goto_w`, `jsr_w`.
    FarJump { target: usize },
    /// `tableswitch`: `low`, `high`, and the targets in order.
    Table { default: usize, low: i32, high: i32, targets: Vec<usize> },
    /// `lookupswitch`: keys with their targets.
    Lookup { default: usize, pairs: Vec<(i32, usize)> },
}

impl Instruction {
    /// Whether control never goes from this instruction to the next one.
    pub(super) fn ends_flow(&self) -> bool {
        // goto, ret, both switches, the returns, athrow, goto_w. (`wide ret` is not worth recognising.)
        matches!(self.opcode, 167 | 169..=177 | opcode::ATHROW | opcode::GOTO_W)
    }

    /// Whether a form with a four-byte offset exists, as for `goto` and `jsr`.
    pub(super) fn can_widen(&self) -> bool {
        matches!(self.opcode, 167 | 168)
    }

    /// The targets of a jump or switch.
    pub(super) fn targets(&self) -> Vec<usize> {
        match &self.form {
            Form::Plain | Form::Return => Vec::new(),
            Form::Jump { target } | Form::FarJump { target } => vec![*target],
            Form::Table { default, targets, .. } => [&[*default], targets.as_slice()].concat(),
            Form::Lookup { default, pairs } => {
                std::iter::once(*default).chain(pairs.iter().map(|(_, target)| *target)).collect()
            }
        }
    }
}

/// Reads all instructions, and checks that every target is the start of one of them.
pub(super) fn read(code: &[u8]) -> Result<Vec<Instruction>, Fault> {
    let mut reader = ByteReader::new(code);
    let mut instructions = Vec::with_capacity(code.len() / 2);
    let mut starts = vec![false; code.len()];
    while reader.remaining() != 0 {
        let instruction = instruction(&mut reader)?;
        if let Some(start) = starts.get_mut(instruction.pc) {
            *start = true;
        }
        instructions.push(instruction);
    }
    for instruction in &instructions {
        if instruction.targets().iter().any(|target| starts.get(*target) != Some(&true)) {
            return Err(malformed(format!("the jump at {} does not lead to an instruction", instruction.pc)));
        }
    }
    Ok(instructions)
}

fn instruction(reader: &mut ByteReader<'_>) -> Result<Instruction, Fault> {
    let pc = reader.position();
    let target = |offset: i32| {
        isize::try_from(offset)
            .ok()
            .and_then(|offset| pc.checked_add_signed(offset))
            .ok_or_else(|| malformed(format!("the jump at {pc} leaves the method")))
    };
    let opcode = reader.read_u8()?;
    let form = match opcode {
        153..=168 | 198 | 199 => Form::Jump { target: target(i32::from(reader.read_i16()?))? },
        200 | 201 => Form::FarJump { target: target(reader.read_i32()?)? },
        170 | 171 => {
            reader.skip(padding(pc))?;
            let default = target(reader.read_i32()?)?;
            if opcode == 170 {
                let (low, high) = (reader.read_i32()?, reader.read_i32()?);
                if low > high {
                    return Err(malformed(format!("the tableswitch at {pc} has no range")));
                }
                let targets = (low..=high).map(|_| target(reader.read_i32()?)).collect::<Result<_, _>>()?;
                Form::Table { default, low, high, targets }
            } else {
                let count = reader.read_i32()?;
                let pairs = (0..count)
                    .map(|_| Ok((reader.read_i32()?, target(reader.read_i32()?)?)))
                    .collect::<Result<_, Fault>>()?;
                Form::Lookup { default, pairs }
            }
        }
        172..=177 => Form::Return,
        _ => {
            reader.skip(operands(opcode, reader)?)?;
            Form::Plain
        }
    };
    Ok(Instruction { pc, length: reader.position() - pc, opcode, form })
}

/// The number of bytes between the opcode of a switch at `pc` and its operands, which begin at a multiple of four (JVMS
/// §6.5.tableswitch).
pub(super) fn padding(pc: usize) -> usize {
    3 - pc % 4
}

/// The number of bytes of operands after this opcode.
fn operands(opcode: u8, reader: &ByteReader<'_>) -> Result<usize, Fault> {
    Ok(match opcode {
        0..=15 | 26..=53 | 59..=131 | 133..=152 | 190 | 191 | 194 | 195 => 0,
        16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 1,
        17 | 19 | 20 | 132 | 178..=184 | 187 | 189 | 192 | 193 => 2,
        197 => 3,
        185 | 186 => 4,
        opcode::WIDE => match reader.data().get(reader.position()) {
            Some(132) => 5,
            Some(21..=25 | 54..=58 | 169) => 3,
            _ => return Err(malformed("wide modifies an instruction that has no wide form")),
        },
        _ => return Err(malformed(format!("{opcode} is not an instruction"))),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn padding_of_a_switch_is_skipped() {
        // nop; tableswitch (two bytes of padding) 5..6
        let mut code = vec![0, 170, 0, 0];
        for word in [27, 5, 6, 23, -1] {
            code.extend(i32::to_be_bytes(word));
        }
        code.extend([177; 5]);
        let instructions = read(&code).unwrap();
        assert_eq!(instructions[1].form, Form::Table { default: 28, low: 5, high: 6, targets: vec![24, 0] });
        assert_eq!(instructions[1].length, 23);
    }

    #[test]
    fn broken_code_is_an_error() {
        let broken: [&[u8]; 9] = [
            &[202],                                     // reserved
            &[16],                                      // no operand
            &[167, 0],                                  // half an offset
            &[167, 0, 1],                               // into itself
            &[167, 255, 255],                           // before the method
            &[196, 0, 0, 0],                            // wide nop
            &[170, 0, 0, 0, 0, 0, 0, 0, 127, 255, 255], // no range
            &[171, 0, 0, 0, 0, 0, 0, 0, 127, 255, 255, 255, 0, 0],
            &[200, 128, 0, 0, 0],
        ];
        for code in broken {
            assert!(read(code).is_err(), "{code:?}");
        }
    }
}

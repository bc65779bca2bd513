//! Encodes single instructions (JVMS §6.5) and computes the operand stack that they need.

use super::descriptor::{Kind, MethodType, Type};
use super::error::Fault;
use super::pool::Pool;

/// The opcodes of woven code, by their names in JVMS §6.5.
pub(super) mod opcode {
    pub const NOP: u8 = 0;
    pub const ACONST_NULL: u8 = 1;
    pub const ICONST_0: u8 = 3;
    pub const LCONST_0: u8 = 9;
    pub const FCONST_0: u8 = 11;
    pub const DCONST_0: u8 = 14;
    pub const BIPUSH: u8 = 16;
    pub const SIPUSH: u8 = 17;
    pub const LDC: u8 = 18;
    pub const LDC_W: u8 = 19;
    pub const LDC2_W: u8 = 20;
    pub const ILOAD: u8 = 21;
    pub const LLOAD: u8 = 22;
    pub const FLOAD: u8 = 23;
    pub const DLOAD: u8 = 24;
    pub const ALOAD: u8 = 25;
    pub const AASTORE: u8 = 83;
    pub const BASTORE: u8 = 84;
    pub const DUP: u8 = 89;
    pub const DUP2: u8 = 92;
    pub const IF_ICMPNE: u8 = 160;
    pub const IRETURN: u8 = 172;
    pub const LRETURN: u8 = 173;
    pub const FRETURN: u8 = 174;
    pub const DRETURN: u8 = 175;
    pub const ARETURN: u8 = 176;
    pub const RETURN: u8 = 177;
    pub const GETSTATIC: u8 = 178;
    pub const INVOKESPECIAL: u8 = 183;
    pub const INVOKESTATIC: u8 = 184;
    pub const NEW: u8 = 187;
    pub const NEWARRAY: u8 = 188;
    pub const ANEWARRAY: u8 = 189;
    pub const ATHROW: u8 = 191;
    pub const CHECKCAST: u8 = 192;
    pub const WIDE: u8 = 196;
    pub const GOTO_W: u8 = 200;
}
use opcode::*;

/// Writes instructions one after the other.
pub(super) struct Assembler<'p, 'c> {
    pub pool: &'p mut Pool<'c>,
    pub code: Vec<u8>,
    depth: u16,
    pub max_stack: u16,
}

impl<'p, 'c> Assembler<'p, 'c> {
    /// An assembler for code that begins with `depth` entries on the operand stack.
    pub(super) fn new(pool: &'p mut Pool<'c>, depth: u16) -> Self {
        Self { pool, code: Vec::new(), depth, max_stack: depth }
    }

    fn pop(&mut self, entries: u16) {
        self.depth = self.depth.saturating_sub(entries);
    }

    fn push(&mut self, entries: u16) {
        self.depth = self.depth.saturating_add(entries);
        self.max_stack = self.max_stack.max(self.depth);
    }

    fn emit(&mut self, opcode: u8, pops: u16, pushes: u16) {
        self.code.push(opcode);
        self.pop(pops);
        self.push(pushes);
    }

    fn emit_u16(&mut self, opcode: u8, operand: u16, pops: u16, pushes: u16) {
        self.emit(opcode, pops, pushes);
        self.code.extend(operand.to_be_bytes());
    }

    pub(super) fn null(&mut self) {
        self.emit(ACONST_NULL, 0, 1);
    }

    fn ldc(&mut self, index: u16) {
        match u8::try_from(index) {
            Ok(short) => {
                self.emit(LDC, 0, 1);
                self.code.push(short);
            }
            Err(_) => self.emit_u16(LDC_W, index, 0, 1),
        }
    }

    pub(super) fn int(&mut self, value: i32) -> Result<(), Fault> {
        if let Ok(value @ -1..=5) = i8::try_from(value) {
            self.emit(ICONST_0.wrapping_add_signed(value), 0, 1);
        } else if let Ok(value) = i8::try_from(value) {
            self.emit(BIPUSH, 0, 1);
            self.code.extend(value.to_be_bytes());
        } else if let Ok(value) = i16::try_from(value) {
            self.emit(SIPUSH, 0, 1);
            self.code.extend(value.to_be_bytes());
        } else {
            let index = self.pool.integer(value)?;
            self.ldc(index);
        }
        Ok(())
    }

    /// Pushes the number of a method or of a transformation, which is an `int` at run time.
    pub(super) fn number(&mut self, number: u32) -> Result<(), Fault> {
        self.int(number.cast_signed())
    }

    pub(super) fn long(&mut self, value: i64) -> Result<(), Fault> {
        if let Ok(value @ 0..=1) = u8::try_from(value) {
            self.emit(LCONST_0 + value, 0, 2);
        } else {
            let index = self.pool.long(value)?;
            self.emit_u16(LDC2_W, index, 0, 2);
        }
        Ok(())
    }

    pub(super) fn float(&mut self, value: f32) -> Result<(), Fault> {
        // Compared by bits, because `fconst_0` is +0.0.
        match [0.0f32, 1.0, 2.0].iter().zip(FCONST_0..).find(|(short, _)| short.to_bits() == value.to_bits()) {
            Some((_, opcode)) => self.emit(opcode, 0, 1),
            None => {
                let index = self.pool.float(value)?;
                self.ldc(index);
            }
        }
        Ok(())
    }

    pub(super) fn double(&mut self, value: f64) -> Result<(), Fault> {
        match [0.0f64, 1.0].iter().zip(DCONST_0..).find(|(short, _)| short.to_bits() == value.to_bits()) {
            Some((_, opcode)) => self.emit(opcode, 0, 2),
            None => {
                let index = self.pool.double(value)?;
                self.emit_u16(LDC2_W, index, 0, 2);
            }
        }
        Ok(())
    }

    pub(super) fn string(&mut self, text: &str) -> Result<(), Fault> {
        let index = self.pool.string(text)?;
        self.ldc(index);
        Ok(())
    }

    /// Pushes the local variable at `slot`.
    pub(super) fn load(&mut self, kind: Kind, slot: u16) {
        let opcode = match kind {
            Kind::Void => return,
            Kind::Int => ILOAD,
            Kind::Long => LLOAD,
            Kind::Float => FLOAD,
            Kind::Double => DLOAD,
            Kind::Reference => ALOAD,
        };
        match u8::try_from(slot) {
            // `iload_0` is 26; each type has four such opcodes, in the order of `iload` (21) to `aload` (25).
            Ok(slot @ 0..=3) => self.emit(26 + 4 * (opcode - ILOAD) + slot, 0, kind.size()),
            Ok(slot) => {
                self.emit(opcode, 0, kind.size());
                self.code.push(slot);
            }
            Err(_) => {
                self.code.push(WIDE);
                self.emit_u16(opcode, slot, 0, kind.size());
            }
        }
    }

    /// Duplicates the value on top, by `dup` or `dup2`.
    pub(super) fn dup(&mut self, kind: Kind) {
        match kind.size() {
            1 => self.emit(DUP, 1, 2),
            2 => self.emit(DUP2, 2, 4),
            _ => {}
        }
    }

    pub(super) fn array_store(&mut self, opcode: u8) {
        self.emit(opcode, 3, 0);
    }

    pub(super) fn get_static(&mut self, class: &str, name: &str, descriptor: &str) -> Result<(), Fault> {
        let index = self.pool.field(class, name, descriptor)?;
        self.emit_u16(GETSTATIC, index, 0, Type(descriptor).kind().size());
        Ok(())
    }

    /// Calls a static method. `interface` says whether `class` is one, which takes a different constant (JVMS §4.4.2).
    pub(super) fn invoke_static(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        method: &MethodType<'_>,
        interface: bool,
    ) -> Result<(), Fault> {
        let index = if interface {
            self.pool.interface_method(class, name, descriptor)?
        } else {
            self.pool.method(class, name, descriptor)?
        };
        let arguments = method.parameters.iter().map(|parameter| parameter.kind().size()).sum();
        self.emit_u16(INVOKESTATIC, index, arguments, method.result.kind().size());
        Ok(())
    }

    /// Writes `new class()`.
    pub(super) fn new_object(&mut self, class: &str) -> Result<(), Fault> {
        let index = self.pool.class(class)?;
        self.emit_u16(NEW, index, 0, 1);
        self.dup(Kind::Reference);
        let constructor = self.pool.method(class, "<init>", "()V")?;
        self.emit_u16(INVOKESPECIAL, constructor, 1, 0);
        Ok(())
    }

    /// Makes a new array, whose length is on the stack.
    pub(super) fn new_array(&mut self, element: Type<'_>) -> Result<(), Fault> {
        // JVMS table 6.5.newarray-A.
        let primitive = match element.0 {
            "Z" => Some(4),
            "C" => Some(5),
            "F" => Some(6),
            "D" => Some(7),
            "B" => Some(8),
            "S" => Some(9),
            "I" => Some(10),
            "J" => Some(11),
            _ => None,
        };
        match primitive {
            Some(code) => {
                self.emit(NEWARRAY, 1, 1);
                self.code.push(code);
            }
            None => {
                let index = self.pool.class(element.class_name())?;
                self.emit_u16(ANEWARRAY, index, 1, 1);
            }
        }
        Ok(())
    }

    pub(super) fn check_cast(&mut self, class: &str) -> Result<(), Fault> {
        let index = self.pool.class(class)?;
        self.emit_u16(CHECKCAST, index, 1, 1);
        Ok(())
    }

    pub(super) fn athrow(&mut self) {
        self.emit(ATHROW, 1, 0);
    }

    pub(super) fn return_value(&mut self, kind: Kind) {
        let opcode = match kind {
            Kind::Void => RETURN,
            Kind::Int => IRETURN,
            Kind::Long => LRETURN,
            Kind::Float => FRETURN,
            Kind::Double => DRETURN,
            Kind::Reference => ARETURN,
        };
        self.emit(opcode, kind.size(), 0);
    }

    /// Writes an `if_icmpne` whose target [`Assembler::land`] sets; returns its position.
    pub(super) fn branch_if_not_equal(&mut self) -> usize {
        let branch = self.code.len();
        self.emit_u16(IF_ICMPNE, 0, 2, 0);
        branch
    }

    /// Makes the instruction at `branch` jump to the current end of the code.
    pub(super) fn land(&mut self, branch: usize) -> Result<(), Fault> {
        let offset = i16::try_from(self.code.len() - branch).map_err(|_| Fault::TooLarge("a guard"))?;
        if let Some(operand) = self.code.get_mut(branch + 1..branch + 3) {
            operand.copy_from_slice(&offset.to_be_bytes());
        }
        Ok(())
    }
}

//! The instructions that are woven into a method: the prologue, the calls before each return, and the exception handler.
//!
//! The prologue, in this order (`n` is a method number):
//!
//! ```text
//! coverage   getstatic reneri/rt/Probe.entered [B; push n; iconst_1; bastore
//! observe    push n; new Object[] {receiver, boxed arguments}; invokestatic Probe.enter(I[Ljava/lang/Object;)V
//! each guard getstatic Probe.active I; push transformation; if_icmpne next; invokestatic Probe.taken()V;
//!            push constant; (observe: dup; push n; invokestatic Probe.leave(R I)V); xreturn; next:
//! ```

use super::assembler::{Assembler, opcode};
use super::constant::Constant;
use super::descriptor::{self, Kind, MethodType, Type};
use super::error::Fault;
use super::plan::MethodWeave;
use super::pool::Pool;
use crate::base::id::MethodId;

/// The runtime class. The boot loader defines it, so every class can link to it.
const PROBE: &str = "reneri/rt/Probe";
const OBJECT: &str = "Ljava/lang/Object;";
/// JVMS §4.4.2: before version 52 a static method of an interface cannot be called.
const STATIC_INTERFACE_METHODS: u16 = 52;

/// The method to weave, as its class file describes it.
pub(super) struct Subject<'a> {
    /// Internal name of the declaring class.
    pub class: &'a str,
    pub class_version: u16,
    pub is_static: bool,
    pub method: MethodType<'a>,
}

#[derive(Default)]
pub(super) struct Prologue {
    pub code: Vec<u8>,
    /// The jump targets of the guards, ascending; the last one is the end of the prologue. At each of them the operand
    /// stack is empty and the local variables are as at method entry.
    pub targets: Vec<usize>,
    pub max_stack: u16,
}

impl Subject<'_> {
    pub(super) fn prologue(&self, plan: &MethodWeave, pool: &mut Pool<'_>) -> Result<Prologue, Fault> {
        let mut assembler = Assembler::new(pool, 0);
        let mut targets = Vec::new();
        if let Some(method) = plan.coverage {
            assembler.get_static(PROBE, "entered", "[B")?;
            assembler.number(method.0)?;
            assembler.int(1)?;
            assembler.array_store(opcode::BASTORE);
        }
        if let Some(method) = plan.observe {
            self.enter(method, &mut assembler)?;
        }
        for (transformation, constant) in &plan.guards {
            assembler.get_static(PROBE, "active", "I")?;
            assembler.number(*transformation)?;
            let branch = assembler.branch_if_not_equal();
            let descriptor = "()V";
            assembler.invoke_static(PROBE, "taken", descriptor, &descriptor::parse(descriptor)?, false)?;
            self.constant(constant, &mut assembler)?;
            if let Some(method) = plan.observe {
                self.leave(method, &mut assembler)?;
            }
            assembler.return_value(self.method.result.kind());
            assembler.land(branch)?;
            targets.push(assembler.code.len());
        }
        Ok(Prologue { code: assembler.code, targets, max_stack: assembler.max_stack })
    }

    /// Passes the receiver (null for a static method) and the boxed arguments to `Probe.enter`.
    fn enter(&self, method: MethodId, assembler: &mut Assembler<'_, '_>) -> Result<(), Fault> {
        let too_many = || Fault::TooLarge("the number of arguments");
        assembler.number(method.0)?;
        let length = i32::try_from(self.method.parameters.len() + 1).map_err(|_| too_many())?;
        assembler.int(length)?;
        assembler.new_array(Type(OBJECT))?;
        if !self.is_static {
            assembler.dup(Kind::Reference);
            assembler.int(0)?;
            assembler.load(Kind::Reference, 0);
            assembler.array_store(opcode::AASTORE);
        }
        for (index, (parameter, slot)) in (1..).zip(self.slots()) {
            assembler.dup(Kind::Reference);
            assembler.int(index)?;
            assembler.load(parameter.kind(), slot);
            if let Some(class) = box_of(parameter) {
                value_of(class, parameter, assembler)?;
            }
            assembler.array_store(opcode::AASTORE);
        }
        let descriptor = "(I[Ljava/lang/Object;)V";
        assembler.invoke_static(PROBE, "enter", descriptor, &descriptor::parse(descriptor)?, false)
    }

    /// The parameters, each with its local variable slot (JVMS §2.6.1).
    fn slots(&self) -> impl Iterator<Item = (Type<'_>, u16)> {
        self.method.parameters.iter().scan(u16::from(!self.is_static), |next, parameter| {
            let slot = *next;
            *next = next.saturating_add(parameter.kind().size());
            Some((*parameter, slot))
        })
    }

    /// Passes the result to `Probe.leave`. It is on top of the stack and stays there.
    pub(super) fn leave(&self, method: MethodId, assembler: &mut Assembler<'_, '_>) -> Result<(), Fault> {
        let result = self.method.result;
        let overload = match result.kind() {
            Kind::Void => "",
            Kind::Reference => OBJECT,
            _ => result.0,
        };
        assembler.dup(result.kind());
        assembler.number(method.0)?;
        let descriptor = format!("({overload}I)V");
        assembler.invoke_static(PROBE, "leave", &descriptor, &descriptor::parse(&descriptor)?, false)
    }

    /// Pushes the constant that a guard returns.
    #[allow(clippy::too_many_lines, reason = "two tables with an arm for each kind of constant")]
    fn constant(&self, constant: &Constant, assembler: &mut Assembler<'_, '_>) -> Result<(), Fault> {
        let result = self.method.result;
        let unfit = || Fault::DoesNotFit { constant: format!("{constant:?}") };
        let kind = match constant {
            Constant::Void => Kind::Void,
            Constant::Int(_) => Kind::Int,
            Constant::Long(_) => Kind::Long,
            Constant::Float(_) => Kind::Float,
            Constant::Double(_) => Kind::Double,
            // A primitive argument must have exactly the returned type: returning an `int` does not make it a `boolean`.
            Constant::Argument(index) => self
                .method
                .parameters
                .get(usize::from(*index))
                .filter(|parameter| parameter.kind() == Kind::Reference || parameter.0 == result.0)
                .map(|parameter| parameter.kind())
                .ok_or_else(unfit)?,
            Constant::StaticCall { descriptor, .. } => descriptor::parse(descriptor)?.result.kind(),
            _ => Kind::Reference,
        };
        if kind != result.kind() {
            return Err(unfit());
        }
        // The descriptor of the pushed value; none if the verifier knows that it fits.
        let mut pushed: Option<String> = None;
        match constant {
            Constant::Void => {}
            Constant::Null => assembler.null(),
            Constant::Int(value) => assembler.int(*value)?,
            Constant::Long(value) => assembler.long(*value)?,
            Constant::Float(value) => assembler.float(*value)?,
            Constant::Double(value) => assembler.double(*value)?,
            Constant::String(text) => {
                assembler.string(text)?;
                pushed = Some("Ljava/lang/String;".to_owned());
            }
            Constant::EmptyArray(element) => {
                if !descriptor::is_field(element) {
                    return Err(unfit());
                }
                assembler.int(0)?;
                assembler.new_array(Type(element))?;
                pushed = Some(format!("[{element}"));
            }
            Constant::This => {
                if self.is_static {
                    return Err(unfit());
                }
                assembler.load(Kind::Reference, 0);
                pushed = Some(format!("L{};", self.class));
            }
            Constant::Argument(index) => {
                let (parameter, slot) = self.slots().nth(usize::from(*index)).ok_or_else(unfit)?;
                assembler.load(kind, slot);
                pushed = Some(parameter.0.to_owned());
            }
            Constant::StaticCall { class, method, descriptor, interface } => {
                let called = descriptor::parse(descriptor)?;
                if !called.parameters.is_empty() || (*interface && self.class_version < STATIC_INTERFACE_METHODS) {
                    return Err(unfit());
                }
                assembler.invoke_static(class, method, descriptor, &called, *interface)?;
                pushed = Some(called.result.0.to_owned());
            }
            Constant::New(class) => {
                assembler.new_object(class)?;
                pushed = Some(format!("L{class};"));
            }
            Constant::Boxed { class, primitive, value } => {
                let primitive = Type(primitive);
                match (primitive.kind(), value.as_ref()) {
                    (Kind::Int, Constant::Int(value)) => assembler.int(*value)?,
                    (Kind::Long, Constant::Long(value)) => assembler.long(*value)?,
                    (Kind::Float, Constant::Float(value)) => assembler.float(*value)?,
                    (Kind::Double, Constant::Double(value)) => assembler.double(*value)?,
                    _ => return Err(unfit()),
                }
                value_of(class, primitive, assembler)?;
                pushed = Some(format!("L{class};"));
            }
        }
        // With a cast, a constant of the wrong type fails where it is returned, and does not make the whole class
        // unverifiable. It also keeps the verifier from loading classes.
        if let Some(pushed) = pushed
            && kind == Kind::Reference
            && pushed != result.0
            && result.0 != OBJECT
        {
            assembler.check_cast(result.class_name())?;
        }
        Ok(())
    }
}

/// The exception handler: passes the throwable on the stack to `Probe.threw` and throws it again. The second value is the
/// stack that it needs.
pub(super) fn handler(method: MethodId, pool: &mut Pool<'_>) -> Result<(Vec<u8>, u16), Fault> {
    let mut assembler = Assembler::new(pool, 1);
    assembler.dup(Kind::Reference);
    assembler.number(method.0)?;
    let descriptor = "(Ljava/lang/Throwable;I)V";
    assembler.invoke_static(PROBE, "threw", descriptor, &descriptor::parse(descriptor)?, false)?;
    assembler.athrow();
    Ok((assembler.code, assembler.max_stack))
}

/// The internal name of the box class of a primitive type; `None` for references.
fn box_of(primitive: Type<'_>) -> Option<&'static str> {
    Some(match primitive.0 {
        "Z" => "java/lang/Boolean",
        "B" => "java/lang/Byte",
        "C" => "java/lang/Character",
        "S" => "java/lang/Short",
        "I" => "java/lang/Integer",
        "J" => "java/lang/Long",
        "F" => "java/lang/Float",
        "D" => "java/lang/Double",
        _ => return None,
    })
}

/// Boxes the value on top of the stack.
fn value_of(class: &str, primitive: Type<'_>, assembler: &mut Assembler<'_, '_>) -> Result<(), Fault> {
    let descriptor = format!("({})L{class};", primitive.0);
    assembler.invoke_static(class, "valueOf", &descriptor, &descriptor::parse(&descriptor)?, false)
}

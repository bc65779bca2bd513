//! Reduces the instructions of a method to the few steps that stop rules distinguish.

use crate::classfile::names::{self, Member};
use crate::transform::Constant;
use ristretto_classfile::attributes::{ArrayType, Instruction};
use ristretto_classfile::{Constant as PoolConstant, ConstantPool, Result};

/// One instruction, reduced to what rules need: `iload_1` and `iload 1` are the same step.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Pushes a constant; `None` if no transformation returns it (a class, a method type, a dynamic
    /// constant).
    Push(Option<Constant>),
    /// Pushes the local variable in that slot.
    Load {
        slot: u16,
        reference: bool,
    },
    GetStatic,
    GetField,
    PutStatic,
    PutField,
    /// `invokevirtual`, `invokespecial`, `invokeinterface`.
    Invoke(Member),
    InvokeStatic(Member),
    /// The bootstrap method, if it belongs to the class's own attribute.
    InvokeDynamic(Option<Member>),
    /// Element type as field descriptor.
    NewArray(String),
    New(String),
    Dup,
    Return,
    ReturnValue {
        reference: bool,
    },
    Other,
}

/// The steps of `code`. `bootstrap` returns the bootstrap method of an `invokedynamic`.
///
/// # Errors
/// If an instruction refers to something that is not in the constant pool.
pub fn steps(
    code: &[Instruction],
    pool: &ConstantPool<'_>,
    bootstrap: impl Fn(u16) -> Result<Option<Member>>,
) -> Result<Vec<Step>> {
    code.iter().map(|instruction| step(instruction, pool, &bootstrap)).collect()
}

fn step(
    instruction: &Instruction,
    pool: &ConstantPool<'_>,
    bootstrap: &impl Fn(u16) -> Result<Option<Member>>,
) -> Result<Step> {
    use Instruction as I;
    if let Some(load) = load(instruction) {
        return Ok(load);
    }
    let int = |value: i32| Step::Push(Some(Constant::Int(value)));
    Ok(match instruction {
        I::Aconst_null => Step::Push(Some(Constant::Null)),
        I::Iconst_m1 => int(-1),
        I::Iconst_0 => int(0),
        I::Iconst_1 => int(1),
        I::Iconst_2 => int(2),
        I::Iconst_3 => int(3),
        I::Iconst_4 => int(4),
        I::Iconst_5 => int(5),
        I::Bipush(value) => int(i32::from(*value)),
        I::Sipush(value) => int(i32::from(*value)),
        I::Lconst_0 => Step::Push(Some(Constant::Long(0))),
        I::Lconst_1 => Step::Push(Some(Constant::Long(1))),
        I::Fconst_0 => Step::Push(Some(Constant::Float(0.0))),
        I::Fconst_1 => Step::Push(Some(Constant::Float(1.0))),
        I::Fconst_2 => Step::Push(Some(Constant::Float(2.0))),
        I::Dconst_0 => Step::Push(Some(Constant::Double(0.0))),
        I::Dconst_1 => Step::Push(Some(Constant::Double(1.0))),
        I::Ldc(index) => Step::Push(loadable(pool, u16::from(*index))?),
        I::Ldc_w(index) | I::Ldc2_w(index) => Step::Push(loadable(pool, *index)?),
        I::Getstatic(_) => Step::GetStatic,
        I::Getfield(_) => Step::GetField,
        I::Putstatic(_) => Step::PutStatic,
        I::Putfield(_) => Step::PutField,
        I::Invokevirtual(index) | I::Invokespecial(index) | I::Invokeinterface(index, _) => {
            Step::Invoke(names::member(pool, *index)?)
        }
        I::Invokestatic(index) => Step::InvokeStatic(names::member(pool, *index)?),
        I::Invokedynamic(index) => Step::InvokeDynamic(bootstrap(*index)?),
        I::Newarray(element) => Step::NewArray(primitive(element).to_string()),
        I::Anewarray(index) => Step::NewArray(as_descriptor(&pool.try_get_class(*index)?.to_rust_string())),
        I::New(index) => Step::New(pool.try_get_class(*index)?.to_rust_string()),
        I::Dup => Step::Dup,
        I::Return => Step::Return,
        I::Areturn => Step::ReturnValue { reference: true },
        I::Ireturn | I::Lreturn | I::Freturn | I::Dreturn => Step::ReturnValue { reference: false },
        _ => Step::Other,
    })
}

fn load(instruction: &Instruction) -> Option<Step> {
    use Instruction as I;
    let (slot, reference) = match instruction {
        I::Aload(slot) => (u16::from(*slot), true),
        I::Aload_w(slot) => (*slot, true),
        I::Aload_0 => (0, true),
        I::Aload_1 => (1, true),
        I::Aload_2 => (2, true),
        I::Aload_3 => (3, true),
        I::Iload(slot) | I::Lload(slot) | I::Fload(slot) | I::Dload(slot) => (u16::from(*slot), false),
        I::Iload_w(slot) | I::Lload_w(slot) | I::Fload_w(slot) | I::Dload_w(slot) => (*slot, false),
        I::Iload_0 | I::Lload_0 | I::Fload_0 | I::Dload_0 => (0, false),
        I::Iload_1 | I::Lload_1 | I::Fload_1 | I::Dload_1 => (1, false),
        I::Iload_2 | I::Lload_2 | I::Fload_2 | I::Dload_2 => (2, false),
        I::Iload_3 | I::Lload_3 | I::Fload_3 | I::Dload_3 => (3, false),
        _ => return None,
    };
    Some(Step::Load { slot, reference })
}

/// The constant that `ldc`, `ldc_w` or `ldc2_w` pushes (JVMS §6.5.ldc).
fn loadable(pool: &ConstantPool<'_>, index: u16) -> Result<Option<Constant>> {
    Ok(match pool.try_get(index)? {
        PoolConstant::Integer(value) => Some(Constant::Int(*value)),
        PoolConstant::Long(value) => Some(Constant::Long(*value)),
        PoolConstant::Float(value) => Some(Constant::Float(*value)),
        PoolConstant::Double(value) => Some(Constant::Double(*value)),
        PoolConstant::String(_) => Some(Constant::String(pool.try_get_string(index)?.to_rust_string())),
        _ => None,
    })
}

fn primitive(element: &ArrayType) -> &'static str {
    match element {
        ArrayType::Boolean => "Z",
        ArrayType::Char => "C",
        ArrayType::Float => "F",
        ArrayType::Double => "D",
        ArrayType::Byte => "B",
        ArrayType::Short => "S",
        ArrayType::Int => "I",
        ArrayType::Long => "J",
    }
}

/// The descriptor of the class that `anewarray` names, either by internal name or as an array's
/// descriptor.
fn as_descriptor(class: &str) -> String {
    if class.starts_with('[') { class.to_string() } else { format!("L{class};") }
}

/// The constant that the body returns, if it does nothing else: a transformation to the same
/// constant would not change the program.
#[must_use]
pub fn returned(steps: &[Step], slots: &Slots) -> Option<Constant> {
    match steps {
        [Step::Return] => Some(Constant::Void),
        [Step::Push(constant), Step::ReturnValue { .. }] => constant.clone(),
        [Step::Load { slot, .. }, Step::ReturnValue { .. }] => slots.constant(*slot),
        [Step::Push(Some(Constant::Int(0))), Step::NewArray(element), Step::ReturnValue { .. }] => {
            Some(Constant::EmptyArray(element.clone()))
        }
        [Step::InvokeStatic(call), Step::ReturnValue { reference: true }] if call.descriptor.starts_with("()") => {
            Some(Constant::StaticCall {
                class: call.owner.replace('.', "/"),
                method: call.name.clone(),
                descriptor: call.descriptor.clone(),
                // The JVM resolves both kinds of reference to the same method.
                interface: false,
            })
        }
        [Step::New(class), Step::Dup, Step::Invoke(constructor), Step::ReturnValue { .. }]
            if constructor.descriptor == "()V" =>
        {
            Some(Constant::New(class.clone()))
        }
        [Step::Push(Some(constant)), Step::InvokeStatic(call), Step::ReturnValue { reference: true }]
            if call.name == "valueOf" =>
        {
            let (primitive, class) = call.descriptor.strip_prefix('(')?.split_once(")L")?;
            Some(Constant::Boxed {
                class: class.strip_suffix(';')?.to_string(),
                primitive: primitive.to_string(),
                value: Box::new(constant.clone()),
            })
        }
        _ => None,
    }
}

/// Whether two constants are the same value to the program; `0.0` and `-0.0` are not.
#[must_use]
pub fn same(first: &Constant, second: &Constant) -> bool {
    match (first, second) {
        (Constant::Float(first), Constant::Float(second)) => first.to_bits() == second.to_bits(),
        (Constant::Double(first), Constant::Double(second)) => first.to_bits() == second.to_bits(),
        (
            Constant::StaticCall { class, method, descriptor, .. },
            Constant::StaticCall { class: class2, method: method2, descriptor: descriptor2, .. },
        ) => class == class2 && method == method2 && descriptor == descriptor2,
        (
            Constant::Boxed { class, primitive, value },
            Constant::Boxed { class: class2, primitive: primitive2, value: value2 },
        ) => class == class2 && primitive == primitive2 && same(value, value2),
        _ => first == second,
    }
}

/// The local variables that hold `this` and the parameters when a method starts (JVMS §2.6.1).
#[derive(Clone, Debug, Default)]
pub struct Slots {
    is_static: bool,
    /// First slot of each parameter.
    parameters: Vec<u16>,
}

impl Slots {
    /// `parameters` are field descriptors; a long or double takes two slots.
    #[must_use]
    pub fn new(is_static: bool, parameters: &[String]) -> Self {
        let mut next = u16::from(!is_static);
        let parameters = parameters
            .iter()
            .map(|descriptor| {
                let slot = next;
                next = next.saturating_add(if matches!(descriptor.as_str(), "J" | "D") { 2 } else { 1 });
                slot
            })
            .collect();
        Self { is_static, parameters }
    }

    /// Whether `slot` is `this`.
    #[must_use]
    pub fn is_this(&self, slot: u16) -> bool {
        slot == 0 && !self.is_static
    }

    /// The number of the parameter in `slot`, from 0.
    #[must_use]
    pub fn parameter(&self, slot: u16) -> Option<u16> {
        let number = self.parameters.iter().position(|first| *first == slot)?;
        u16::try_from(number).ok()
    }

    fn constant(&self, slot: u16) -> Option<Constant> {
        if self.is_this(slot) { Some(Constant::This) } else { self.parameter(slot).map(Constant::Argument) }
    }
}

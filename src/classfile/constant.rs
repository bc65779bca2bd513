//! The constants that guards return in place of a method's body.

use serde::{Deserialize, Serialize};

/// The value that a transformed method returns instead of running its body. Reports use the names of Descartes
/// (`rules/transformations.toml`).
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub enum Constant {
    Void,
    Null,
    /// A boolean, byte, short, char or int: each is an `int` on the operand stack.
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(String),
    /// A new array of length zero, by the field descriptor of its elements: `I`, `Ljava/lang/String;`, `[B`.
    EmptyArray(String),
    This,
    /// The declared parameter with that index; 0 is the first one, whatever its local variable slot.
    Argument(u16),
    /// The result of a static method without parameters, such as `Optional.empty()`: internal class name, method name and
    /// descriptor.
    StaticCall {
        class: String,
        method: String,
        descriptor: String,
        interface: bool,
    },
    /// `new T()`, by internal class name.
    New(String),
    /// A primitive constant boxed by `valueOf`: internal name of the box class, field descriptor of the primitive, and the
    /// constant.
    Boxed {
        class: String,
        primitive: String,
        value: Box<Constant>,
    },
}

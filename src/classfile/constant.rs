//! What a method returns when its body is replaced: the value that a guard puts on the operand stack.

use serde::{Deserialize, Serialize};

/// What a transformed method does instead of its body. Names in reports are Descartes' (`rules/transformations.toml`).
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub enum Constant {
    Void,
    Null,
    /// Any of boolean, byte, short, char, int: an `int` on the operand stack.
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(String),
    /// New array of length zero; the element type as a field descriptor: `I`, `Ljava/lang/String;`, `[B`.
    EmptyArray(String),
    /// `this`, or the parameter of that number (0 is the first declared parameter, whatever its slot).
    This,
    Argument(u16),
    /// Result of a static call without parameters: internal class name, method name, descriptor (`Optional.empty()`, `Collections.emptyList()`).
    StaticCall {
        class: String,
        method: String,
        descriptor: String,
        interface: bool,
    },
    /// `new T()`: internal class name.
    New(String),
    /// Boxed through `valueOf`: internal name of the box, field descriptor of the primitive, and the primitive constant.
    Boxed {
        class: String,
        primitive: String,
        value: Box<Constant>,
    },
}

//! The reasons why a class file, or one of its methods, cannot be read or woven.

use super::names::NameAndType;
use std::fmt;

/// A class file that cannot be read, or a method that cannot be woven. If `method` is set, the class is still usable:
/// leave that method out of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFileError {
    /// Internal name (`org/example/Stack`), if the class file could be read that far.
    pub class: Option<String>,
    /// The method, if a method is the cause.
    pub method: Option<NameAndType>,
    pub fault: Fault,
}

/// The fault itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The bytes are not a class file of JVMS §4.
    #[error("it is not a valid class file ({0}); compile the class again")]
    Malformed(String),
    /// Class files below version 45.3 have a different `Code` attribute (JVMS §4.7.3 of the first edition).
    #[error("its class file version {major}.{minor} is older than 45.3; compile the class again")]
    TooOld { major: u16, minor: u16 },
    /// No method of that name and descriptor.
    #[error("the class has no such method; compile the project again, its classes and the plan differ")]
    NoSuchMethod,
    /// The plan has two entries for one method.
    #[error("the plan names the method twice; merge the two entries")]
    NamedTwice,
    /// Abstract or native.
    #[error("the method has no code (it is abstract or native); leave it out")]
    NoCode,
    /// `<init>` or `<clinit>`: these can have coverage only.
    #[error("guards and observation do not apply to constructors and static initialisers; leave it out")]
    Initializer,
    /// The method cannot return the constant of a guard.
    #[error("{constant} cannot be returned by this method; choose another transformation")]
    DoesNotFit { constant: String },
    /// More than 65,535 bytes of code (JVMS §4.7.3), or a table or jump beyond its limit.
    #[error("with the code that reneri weaves in, {0} would exceed the limit of the class file format")]
    TooLarge(&'static str),
    /// More than 65,534 entries in the constant pool (JVMS §4.1).
    #[error("the constant pool of the class is full, and reneri weaves in constants")]
    PoolFull,
}

impl fmt::Display for ClassFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.class.as_deref().map(|class| class.replace('/', "."));
        match (&class, &self.method) {
            (Some(class), Some(NameAndType { name, descriptor })) => write!(f, "Method {class}.{name}{descriptor}: ")?,
            (Some(class), None) => write!(f, "Class {class}: ")?,
            (None, _) => write!(f, "Class file: ")?,
        }
        write!(f, "{}.", self.fault)
    }
}

impl std::error::Error for ClassFileError {}

impl From<ristretto_classfile::Error> for Fault {
    fn from(error: ristretto_classfile::Error) -> Self {
        Fault::Malformed(error.to_string())
    }
}

/// A [`Fault::Malformed`].
pub(super) fn malformed(what: impl Into<String>) -> Fault {
    Fault::Malformed(what.into())
}

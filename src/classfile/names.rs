//! Resolves indexes into a constant pool to names (JVMS §4.4).

use ristretto_classfile::{Constant, ConstantPool, Error, JavaStr, ReferenceKind, Result};
use serde::{Deserialize, Serialize};

/// A field or method, as an instruction names it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Member {
    /// Binary name, `org.example.Stack$Node`; for a method of an array, its descriptor, `[I`.
    pub owner: String,
    pub name: String,
    /// JVMS §4.3.
    pub descriptor: String,
}

/// A method of a given class, or a call of a method in any class (JVMS §4.4.6).
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameAndType {
    pub name: String,
    pub descriptor: String,
}

/// The binary name, `org.example.Stack$Node`, of `org/example/Stack$Node`.
#[must_use]
pub fn binary(internal: &str) -> String {
    internal.replace('/', ".")
}

/// The package of a binary name; empty for the unnamed package.
#[must_use]
pub fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

/// The text of a `CONSTANT_Utf8_info`.
///
/// # Errors
/// There is none at `index`.
pub fn text(pool: &ConstantPool<'_>, index: u16) -> Result<String> {
    pool.try_get_utf8(index).map(JavaStr::to_rust_string)
}

/// The binary name of a `CONSTANT_Class_info`.
///
/// # Errors
/// There is none at `index`.
pub fn class(pool: &ConstantPool<'_>, index: u16) -> Result<String> {
    pool.try_get_class(index).map(|name| binary(&name.to_rust_string()))
}

/// The member that a `CONSTANT_Fieldref_info`, `CONSTANT_Methodref_info` or `CONSTANT_InterfaceMethodref_info` names.
///
/// # Errors
/// There is none at `index`.
pub fn member(pool: &ConstantPool<'_>, index: u16) -> Result<Member> {
    let (Constant::FieldRef { class_index, name_and_type_index }
    | Constant::MethodRef { class_index, name_and_type_index }
    | Constant::InterfaceMethodRef { class_index, name_and_type_index }) = pool.try_get(index)?
    else {
        return Err(Error::InvalidConstantPoolIndexType(index));
    };
    let (name, descriptor) = pool.try_get_name_and_type(*name_and_type_index)?;
    Ok(Member { owner: class(pool, *class_index)?, name: text(pool, *name)?, descriptor: text(pool, *descriptor)? })
}

/// The method that a `CONSTANT_MethodHandle_info` calls; `None` if it reads or writes a field, or is no method handle.
///
/// # Errors
/// The constant pool is broken.
pub fn called_by_handle(pool: &ConstantPool<'_>, index: u16) -> Result<Option<Member>> {
    use ReferenceKind::{GetField, GetStatic, PutField, PutStatic};
    match pool.try_get(index)? {
        Constant::MethodHandle { reference_kind: GetField | GetStatic | PutField | PutStatic, .. } => Ok(None),
        Constant::MethodHandle { reference_index, .. } => member(pool, *reference_index).map(Some),
        _ => Ok(None),
    }
}

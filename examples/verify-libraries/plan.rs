//! Makes a plan that weaves every possible probe and guard into each method of a class file.

use reneri::base::id::MethodId;
use reneri::classfile::Constant;
use reneri::classfile::plan::{ClassWeave, MethodWeave};
use ristretto_classfile::{ClassFile, MethodAccessFlags};

/// The plan with every possible probe and guard.
///
/// # Errors
/// If the bytes are no class file.
pub fn plan(bytes: &[u8], observe: bool) -> Result<ClassWeave, ristretto_classfile::Error> {
    let class = ClassFile::from_slice(bytes)?;
    let mut methods = Vec::new();
    for (number, method) in (1000..).zip(&class.methods) {
        if method.access_flags.intersects(MethodAccessFlags::ABSTRACT | MethodAccessFlags::NATIVE) {
            continue;
        }
        let name = class.constant_pool.try_get_utf8(method.name_index)?.to_rust_string();
        let descriptor = class.constant_pool.try_get_utf8(method.descriptor_index)?.to_rust_string();
        let initializer = name.starts_with('<');
        methods.push(MethodWeave {
            coverage: Some(MethodId(number)),
            guards: if initializer { Vec::new() } else { guards(number * 2, &descriptor) },
            observe: (observe && !initializer).then_some(MethodId(number)),
            name,
            descriptor,
        });
    }
    Ok(ClassWeave { methods })
}

/// Two constants that the method may return: one from the constant pool or made by code if there is one,
/// and the usual one.
fn guards(number: u32, descriptor: &str) -> Vec<(u32, Constant)> {
    let result = descriptor.rsplit_once(')').map_or("V", |(_, result)| result);
    let constants = match result {
        "V" => vec![Constant::Void],
        "Z" => vec![Constant::Int(1), Constant::Int(0)],
        "B" | "C" | "S" | "I" => vec![Constant::Int(100), Constant::Int(0)],
        "J" => vec![Constant::Long(-7), Constant::Long(0)],
        "F" => vec![Constant::Float(0.1), Constant::Float(0.0)],
        "D" => vec![Constant::Double(0.1), Constant::Double(0.0)],
        "Ljava/lang/String;" => vec![Constant::String("A".to_owned()), Constant::Null],
        _ => match result.strip_prefix('[') {
            Some(element) => vec![Constant::EmptyArray(element.to_owned()), Constant::Null],
            None => vec![Constant::Null],
        },
    };
    (number..).zip(constants).collect()
}

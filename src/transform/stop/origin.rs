//! Stop rules on the origin of a method: members that a compiler adds, parts of a static
//! initializer, and `toString` and `hashCode`.

use super::Stop;
use crate::classfile::names::NameAndType;
use crate::transform::body::Step;
use crate::transform::candidate::Candidate;

pub(super) fn to_string(method: &Candidate<'_>) -> Stop {
    (method.name == "toString" && method.descriptor == "()Ljava/lang/String;").into()
}

pub(super) fn hash_code(method: &Candidate<'_>) -> Stop {
    (method.name == "hashCode" && method.descriptor == "()I").into()
}

/// Synthetic methods, except the bodies of lambdas, which somebody wrote.
pub(super) fn synthetic(method: &Candidate<'_>) -> Stop {
    (method.synthetic && !method.name.starts_with("lambda$")).into()
}

/// Members that javac adds to an enum (JLS §8.9.3), including `$values` of JDK 15 and later.
pub(super) fn enum_member(method: &Candidate<'_>) -> Stop {
    let enumeration = &method.class.name.replace('.', "/");
    let generated = match method.name.as_str() {
        "values" | "$values" => method.descriptor == format!("()[L{enumeration};"),
        "valueOf" => method.descriptor == format!("(Ljava/lang/String;)L{enumeration};"),
        _ => false,
    };
    (generated && method.is_static() && method.class.super_name.as_deref() == Some("java.lang.Enum")).into()
}

/// Members that javac adds to a record: accessors that only read their component, and `equals`,
/// `hashCode` and `toString` (JLS §8.10.3), which consist of one `invokedynamic` on
/// `java.lang.runtime.ObjectMethods`.
pub(super) fn record_member(method: &Candidate<'_>) -> Stop {
    if method.class.super_name.as_deref() != Some("java.lang.Record") {
        return Stop::Nothing;
    }
    let is_component = method.class.components.iter().any(|(name, descriptor)| {
        *name == method.name && method.parameters.is_empty() && *descriptor == method.return_type
    });
    match method.steps.as_slice() {
        [Step::Load { slot: 0, .. }, Step::GetField, Step::ReturnValue { .. }] => is_component,
        [Step::Load { .. }, .., Step::InvokeDynamic(Some(bootstrap)), Step::ReturnValue { .. }] => {
            bootstrap.owner == "java.lang.runtime.ObjectMethods" && method.steps.len() <= 4
        }
        _ => false,
    }
    .into()
}

/// In Kotlin classes: `componentN` and `copy` of data classes, and all other methods on line 0 or
/// without lines, which nobody wrote.
pub(super) fn kotlin_member(method: &Candidate<'_>) -> Stop {
    let is_kotlin = method.class.annotations.iter().any(|annotation| annotation.class == "kotlin.Metadata")
        || method.class.source_file.as_deref().is_some_and(|file| file.ends_with(".kt"));
    (is_kotlin && method.lines.iter().all(|line| *line == 0)).into()
}

/// Methods without lines in a class that has lines. In a class that was compiled without line
/// numbers, no method has any, and none is stopped.
pub(super) fn without_lines(method: &Candidate<'_>) -> Stop {
    (method.lines.is_empty() && method.class.has_lines).into()
}

/// Methods that only the static initializer calls. They run once, before the test that happens to
/// need the class first.
pub(super) fn static_initializer(method: &Candidate<'_>) -> Stop {
    method
        .class
        .initialization
        .contains(&NameAndType { name: method.name.clone(), descriptor: method.descriptor.clone() })
        .into()
}

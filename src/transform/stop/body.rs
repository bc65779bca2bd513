//! Stop rules on the instruction pattern of a body. The comment on each rule shows the pattern; `|`
//! means or, `*` any number.

use super::Stop;
use crate::transform::Constant;
use crate::transform::body::Step;
use crate::transform::candidate::Candidate;

/// `RETURN`
pub(super) fn empty(method: &Candidate<'_>) -> Stop {
    matches!(method.steps.as_slice(), [Step::Return]).into()
}

/// `ACONST_NULL ARETURN`
pub(super) fn returns_null(method: &Candidate<'_>) -> Stop {
    matches!(method.steps.as_slice(), [Step::Push(Some(Constant::Null)), Step::ReturnValue { .. }]).into()
}

/// `(xCONST | BIPUSH | SIPUSH | LDC) xRETURN`
pub(super) fn returns_constant(method: &Candidate<'_>) -> Stop {
    matches!(method.steps.as_slice(), [Step::Push(_), Step::ReturnValue { .. }]).into()
}

/// `ICONST_0 (NEWARRAY | ANEWARRAY) ARETURN`
pub(super) fn returns_empty_array(method: &Candidate<'_>) -> Stop {
    matches!(
        method.steps.as_slice(),
        [Step::Push(Some(Constant::Int(0))), Step::NewArray(_), Step::ReturnValue { reference: true }]
    )
    .into()
}

/// `ALOAD_0 ARETURN` in an instance method
pub(super) fn returns_this(method: &Candidate<'_>) -> Stop {
    match method.steps.as_slice() {
        [Step::Load { slot, .. }, Step::ReturnValue { .. }] => method.slots.is_this(*slot),
        _ => false,
    }
    .into()
}

/// `xLOAD xRETURN`
pub(super) fn returns_parameter(method: &Candidate<'_>) -> Stop {
    match method.steps.as_slice() {
        [Step::Load { slot, .. }, Step::ReturnValue { .. }] => method.slots.parameter(*slot).is_some(),
        _ => false,
    }
    .into()
}

/// `(GETSTATIC | ALOAD GETFIELD) xRETURN`
pub(super) fn getter(method: &Candidate<'_>) -> Stop {
    matches!(
        method.steps.as_slice(),
        [Step::GetStatic, Step::ReturnValue { .. }]
            | [Step::Load { reference: true, .. }, Step::GetField, Step::ReturnValue { .. }]
    )
    .into()
}

/// `(ALOAD xLOAD PUTFIELD | xLOAD PUTSTATIC) (RETURN | ALOAD ARETURN)`
pub(super) fn setter(method: &Candidate<'_>) -> Stop {
    let after = match method.steps.as_slice() {
        [Step::Load { reference: true, .. }, Step::Load { .. }, Step::PutField, after @ ..]
        | [Step::Load { .. }, Step::PutStatic, after @ ..] => after,
        _ => return Stop::Nothing,
    };
    matches!(after, [Step::Return] | [Step::Load { reference: true, .. }, Step::ReturnValue { .. }]).into()
}

/// `ALOAD_1 LDC INVOKESTATIC Intrinsics.check… ALOAD_0 ALOAD_1 PUTFIELD RETURN`. The check is
/// `checkParameterIsNotNull` up to Kotlin 1.3, and `checkNotNullParameter` from 1.4 on.
pub(super) fn kotlin_setter(method: &Candidate<'_>) -> Stop {
    match method.steps.as_slice() {
        [
            Step::Load { slot: 1, .. },
            Step::Push(Some(Constant::String(_))),
            Step::InvokeStatic(check),
            Step::Load { slot: 0, .. },
            Step::Load { slot: 1, .. },
            Step::PutField,
            Step::Return,
        ] => {
            check.owner == "kotlin.jvm.internal.Intrinsics"
                && matches!(check.name.as_str(), "checkParameterIsNotNull" | "checkNotNullParameter")
        }
        _ => false,
    }
    .into()
}

/// `(ALOAD | ALOAD GETFIELD | GETSTATIC) xLOAD* (INVOKEVIRTUAL | INVOKESPECIAL | INVOKEINTERFACE) xRETURN`,
/// or `xLOAD* INVOKESTATIC xRETURN`. A body without stores has no locals but `this` and the
/// parameters.
pub(super) fn delegate(method: &Candidate<'_>) -> Stop {
    let [before @ .., call, Step::Return | Step::ReturnValue { .. }] = method.steps.as_slice() else {
        return Stop::Nothing;
    };
    let arguments = match (call, before) {
        (Step::InvokeStatic(_), arguments) => arguments,
        (
            Step::Invoke(_),
            [Step::Load { reference: true, .. }, Step::GetField, arguments @ ..]
            | [Step::GetStatic | Step::Load { reference: true, .. }, arguments @ ..],
        ) => arguments,
        _ => return Stop::Nothing,
    };
    arguments.iter().all(|step| matches!(step, Step::Load { .. })).into()
}

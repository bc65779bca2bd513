//! The native methods of `reneri.rt.Probe` and `reneri.rt.Events`: they pass calls in the tested JVM on to the recorder.

#![allow(unsafe_code)]

use super::environment::{Environment, Thrown};
use super::protocol::{FoundTest, Outcome};
use super::recorder::{Invocation, Occurrence, Recorder, recorder};
use super::state::Slot;
use crate::base::id::{ExpressionId, MethodId};
use crate::observation::{Part, Site};
use jni::sys;
use std::ffi::c_void;

/// Name, descriptor and function of each native method of a class.
type Natives = &'static [(&'static str, &'static str, *mut c_void)];

/// Registers the native methods.
///
/// # Errors
/// The classes of `reneri.rt` do not belong to this binary.
pub fn register(jvm: Environment) -> Result<(), Thrown> {
    let probe: Natives = &[
        ("limitReached", "()Z", limit_reached as *mut c_void),
        ("addThread", "(Ljava/lang/String;)I", add_thread as *mut c_void),
        (
            "observeInvocation",
            "(III[Ljava/lang/Object;Ljava/lang/Object;ZLjava/lang/Throwable;)V",
            observe_invocation as *mut c_void,
        ),
        ("observeExpression", "(IIILjava/lang/Object;C)V", observe_expression as *mut c_void),
        ("countLeftOut", "(IIII)V", count_left_out as *mut c_void),
    ];
    let events: Natives = &[
        ("startTest", "(Ljava/lang/String;)Z", start_test as *mut c_void),
        ("endTest", "(Ljava/lang/String;ILjava/lang/Throwable;)V", end_test as *mut c_void),
        ("classEnded", "(Z)V", class_ended as *mut c_void),
        ("testFound", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V", test_found as *mut c_void),
    ];
    for (class, natives) in [("reneri/rt/Probe", probe), ("reneri/rt/Events", events)] {
        let class = jvm.find_class(class)?;
        jvm.register(class, natives)?;
        jvm.delete(class);
    }
    Ok(())
}

/// Calls `body` with the recorder. If there is none, or `body` panics, the result is `otherwise`: no panic may unwind into the
/// JVM.
fn with_recorder<T>(raw: *mut sys::JNIEnv, otherwise: T, body: impl FnOnce(Environment, &Recorder) -> T) -> T {
    let Some(recorder) = recorder() else { return otherwise };
    // SAFETY: the JVM passes the environment of the calling thread. Checked: it calls with no exception pending, `Environment` leaves
    // none, and the references that a body makes end with the native method, or with their frame if there may be many.
    let jvm = unsafe { Environment::new(raw) };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(jvm, recorder))).unwrap_or(otherwise)
}

extern "system" fn limit_reached(env: *mut sys::JNIEnv, _class: sys::jclass) -> sys::jboolean {
    with_recorder(env, false, |jvm, recorder| recorder.exceed_invocations(jvm))
}

extern "system" fn add_thread(env: *mut sys::JNIEnv, _class: sys::jclass, name: sys::jstring) -> sys::jint {
    with_recorder(env, 0, |jvm, recorder| recorder.add_thread(&jvm.string(name)))
}

#[allow(clippy::too_many_arguments, reason = "a native method has the parameters of the Java method")]
extern "system" fn observe_invocation(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    method: sys::jint,
    number: sys::jint,
    thread: sys::jint,
    values: sys::jobjectArray,
    result: sys::jobject,
    has_result: sys::jboolean,
    thrown: sys::jobject,
) {
    with_recorder(env, (), |jvm, recorder| {
        let Ok(method) = u32::try_from(method).map(MethodId) else { return };
        let occurrence = Occurrence { site: Site::Method(method), thread, number };
        let invocation = Invocation { values, result: has_result.then_some(result), thrown };
        recorder.observe_invocation(jvm, occurrence, &invocation);
    });
}

extern "system" fn observe_expression(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    expression: sys::jint,
    number: sys::jint,
    thread: sys::jint,
    value: sys::jobject,
    kind: sys::jchar,
) {
    with_recorder(env, (), |jvm, recorder| {
        let Ok(expression) = u32::try_from(expression).map(ExpressionId) else { return };
        let occurrence = Occurrence { site: Site::Expression(expression), thread, number };
        // The descriptor of a primitive type, `L` for a reference, or `E` for an exception.
        let kind = u8::try_from(kind).unwrap_or(b'L');
        let declared = (!matches!(kind, b'L' | b'E')).then_some(kind);
        let part = if kind == b'E' { Part::Exception } else { Part::Expression };
        recorder.observe_expression(jvm, occurrence, Slot { part, value, declared });
    });
}

extern "system" fn count_left_out(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    method: sys::jint,
    expression: sys::jint,
    thread: sys::jint,
    left_out: sys::jint,
) {
    with_recorder(env, (), |_, recorder| {
        // Java passes -1 for the one of the two that is not meant.
        let site = match (u32::try_from(method), u32::try_from(expression)) {
            (Ok(method), _) => Site::Method(MethodId(method)),
            (_, Ok(expression)) => Site::Expression(ExpressionId(expression)),
            _ => return,
        };
        recorder.count_left_out(site, thread, u64::try_from(left_out).unwrap_or(0));
    });
}

extern "system" fn start_test(env: *mut sys::JNIEnv, _class: sys::jclass, id: sys::jstring) -> sys::jboolean {
    with_recorder(env, false, |jvm, recorder| recorder.start_test(jvm, &jvm.string(id)))
}

extern "system" fn end_test(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    id: sys::jstring,
    outcome: sys::jint,
    thrown: sys::jobject,
) {
    with_recorder(env, (), |jvm, recorder| {
        let outcome = match outcome {
            0 => Outcome::Passed,
            1 => Outcome::Failed,
            _ => Outcome::Skipped,
        };
        recorder.end_test(jvm, &jvm.string(id), outcome, thrown);
    });
}

extern "system" fn class_ended(env: *mut sys::JNIEnv, _class: sys::jclass, disturbed: sys::jboolean) {
    with_recorder(env, (), |jvm, recorder| recorder.end_class(jvm, disturbed));
}

extern "system" fn test_found(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    id: sys::jstring,
    name: sys::jstring,
    class: sys::jstring,
) {
    with_recorder(env, (), |jvm, recorder| {
        recorder.add_test(FoundTest { id: jvm.string(id), name: jvm.string(name), class: jvm.string(class) });
    });
}

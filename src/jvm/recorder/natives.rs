//! The native methods of `reneri.rt.Probe` and `reneri.rt.Events`: from a call in the tested JVM to the recorder.

#![allow(unsafe_code)]

use super::{
    Current, DEEP_OCCURRENCES, NO_TEST, RECORDER, Recorder, cpu_time, loaded, nanoseconds, tell_entered, thread_name,
};
use crate::base::id::{ExpressionId, MethodId};
use crate::jvm::environment::{Environment, Thrown};
use crate::jvm::protocol::{Event, Finished, FoundTest, Outcome, Record, Sites};
use crate::jvm::stack::{class_at, stack};
use crate::jvm::state::Slot;
use crate::observation::{Part, Site, Thread};
use jni::sys;
use std::ffi::c_void;
use std::time::Instant;

/// Frames from the innermost on, when `observed` is called: observed, left, leave (or threw), then the method.
const METHOD_FRAME: i32 = 3;

/// Name, descriptor and function of each native method.
type Natives = &'static [(&'static str, &'static str, *mut c_void)];

/// Registers the native methods.
///
/// # Errors
/// When the classes are not those that this binary was built with.
pub fn register(jvm: Environment) -> Result<(), Thrown> {
    let probe: Natives = &[
        ("tooOften", "()Z", too_often as *mut c_void),
        ("thread", "(Ljava/lang/String;)I", thread as *mut c_void),
        ("observed", "(III[Ljava/lang/Object;Ljava/lang/Object;ZLjava/lang/Throwable;)V", observed as *mut c_void),
        ("seen", "(IIILjava/lang/Object;C)V", seen as *mut c_void),
        ("cut", "(IIII)V", cut as *mut c_void),
    ];
    let events: Natives = &[
        ("test", "(Ljava/lang/String;)Z", test as *mut c_void),
        ("end", "(Ljava/lang/String;ILjava/lang/Throwable;)V", end as *mut c_void),
        ("left", "(Z)V", left as *mut c_void),
        ("unexpected", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V", unexpected as *mut c_void),
    ];
    for (class, natives) in [("reneri/rt/Probe", probe), ("reneri/rt/Events", events)] {
        let class = jvm.find_class(class)?;
        jvm.register(class, natives)?;
        jvm.delete(class);
    }
    Ok(())
}

/// Runs `body` with the recorder; nothing may unwind into the JVM.
fn guarded<T>(raw: *mut sys::JNIEnv, otherwise: T, body: impl FnOnce(Environment, &Recorder) -> T) -> T {
    let Some(recorder) = RECORDER.get() else { return otherwise };
    // SAFETY: the JVM passes the environment of the calling thread.
    let jvm = unsafe { Environment::new(raw) };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(jvm, recorder))).unwrap_or(otherwise)
}

extern "system" fn too_often(env: *mut sys::JNIEnv, _class: sys::jclass) -> sys::jboolean {
    guarded(env, false, |jvm, recorder| {
        let Some(late) = recorder.run.lock().become_late() else { return false };
        tell_entered(jvm);
        (recorder.send)(&Event::Late(late));
        true
    })
}

extern "system" fn thread(env: *mut sys::JNIEnv, _class: sys::jclass, name: sys::jstring) -> sys::jint {
    guarded(env, 0, |jvm, recorder| {
        let name = thread_name(&jvm.string(name));
        let mut run = recorder.run.lock();
        // Several threads of one name get numbers in order of appearance; where that order varies, it shows as noise.
        let same =
            run.threads.iter().filter(|other| other.as_str().split('\u{1}').next() == Some(name.as_str())).count();
        run.threads.push(Thread::from(if same == 0 { name } else { format!("{name}\u{1}{same}") }.as_str()));
        i32::try_from(run.threads.len() - 1).unwrap_or(0)
    })
}

#[allow(clippy::too_many_arguments)]
extern "system" fn observed(
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
    guarded(env, (), |jvm, recorder| {
        let Ok(method) = u32::try_from(method).map(MethodId) else { return };
        let Some(shape) = recorder.methods.get(method) else { return };
        let mut run = recorder.run.lock();
        let site = Site::Method(method);
        let Some(key) = run.key(site, thread, number) else { return };
        jvm.push(64);
        let run = &mut *run;
        let mut slots = Vec::with_capacity(shape.arguments.len() + 3);
        let receiver = jvm.array_element(values, 0);
        if !receiver.is_null() {
            slots.push(Slot { part: Part::Receiver, value: receiver, declared: None });
        }
        for (index, declared) in (0_u16..).zip(&shape.arguments) {
            let value = jvm.array_element(values, usize::from(index) + 1);
            slots.push(Slot { part: Part::Argument(index), value, declared: *declared });
        }
        if has_result {
            slots.push(Slot { part: Part::Result, value: result, declared: shape.result });
        }
        if !thrown.is_null() {
            slots.push(Slot { part: Part::Exception, value: thrown, declared: None });
        }
        if key.occurrence <= DEEP_OCCURRENCES {
            let class = class_at(&recorder.tools, METHOD_FRAME);
            if !class.is_null() {
                slots.push(Slot { part: Part::Static, value: class, declared: None });
            }
        }
        if !run.wanted.is_recorded(site, key.occurrence) {
            run.digest(jvm, &recorder.tools, key, thread, &slots);
            return jvm.pop();
        }
        let with_stack = matches!(run.request.record, Record::State(Sites { stacks: true, .. }));
        if with_stack && key.occurrence <= DEEP_OCCURRENCES {
            let stack = stack(&recorder.tools, &mut run.frames, METHOD_FRAME);
            let next = u32::try_from(run.stacks.len()).unwrap_or(u32::MAX);
            let stack = *run.stacks.entry(stack).or_insert(next);
            if key.test == NO_TEST {
                run.set_up_stacks.push((key.clone(), stack));
            } else {
                run.stack_of.insert(key.clone(), stack);
            }
        }
        run.add(jvm, &recorder.tools, key, &slots);
        jvm.pop();
    });
}

extern "system" fn seen(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    expression: sys::jint,
    number: sys::jint,
    thread: sys::jint,
    value: sys::jobject,
    kind: sys::jchar,
) {
    guarded(env, (), |jvm, recorder| {
        let Ok(expression) = u32::try_from(expression).map(ExpressionId) else { return };
        let mut run = recorder.run.lock();
        let site = Site::Expression(expression);
        let Some(key) = run.key(site, thread, number) else { return };
        let kind = u8::try_from(kind).unwrap_or(b'L');
        let declared = (!matches!(kind, b'L' | b'E')).then_some(kind);
        let part = if kind == b'E' { Part::Exception } else { Part::Expression };
        let slots = [Slot { part, value, declared }];
        jvm.push(64);
        if run.wanted.is_recorded(site, key.occurrence) {
            run.add(jvm, &recorder.tools, key, &slots);
        } else {
            run.digest(jvm, &recorder.tools, key, thread, &slots);
        }
        jvm.pop();
    });
}

extern "system" fn cut(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    method: sys::jint,
    expression: sys::jint,
    thread: sys::jint,
    left_out: sys::jint,
) {
    guarded(env, (), |_, recorder| {
        let site = match (u32::try_from(method), u32::try_from(expression)) {
            (Ok(method), _) => Site::Method(MethodId(method)),
            (_, Ok(expression)) => Site::Expression(ExpressionId(expression)),
            _ => return,
        };
        let mut run = recorder.run.lock();
        // Kept under the key of the site's first observation: only their number is known.
        if let Some(key) = run.key(site, thread, 1) {
            let count = run.cut.entry(key).or_insert(0);
            *count = (*count).max(u64::try_from(left_out).unwrap_or(0));
        }
    });
}

extern "system" fn test(env: *mut sys::JNIEnv, _class: sys::jclass, id: sys::jstring) -> sys::jboolean {
    guarded(env, false, |jvm, recorder| {
        let set_up = recorder.take_entered(jvm);
        let id = jvm.string(id);
        let mut run = recorder.run.lock();
        if run.stop {
            return false;
        }
        let Some((number, limit)) = run.numbers.get(&id).copied() else { return true };
        run.close_digests();
        let torn_down = run.torn_down.take();
        let (started, started_at_cpu) = (Instant::now(), cpu_time());
        let started_at_class = loaded();
        run.current =
            Some(Current { number, started, started_at_cpu, started_at_class, limit, late: false, torn_down, set_up });
        let count = |field, value| jvm.set_static_long(recorder.tables.probe, field, value);
        count(recorder.tables.taken, 0);
        count(recorder.tables.most, i64::try_from(limit.invocations).unwrap_or(i64::MAX));
        run.threads.truncate(1);
        run.adopt(number);
        drop(run);
        (recorder.send)(&Event::Started(number));
        true
    })
}

extern "system" fn end(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    id: sys::jstring,
    outcome: sys::jint,
    thrown: sys::jobject,
) {
    guarded(env, (), |jvm, recorder| {
        let entered = recorder.take_entered(jvm);
        let id = jvm.string(id);
        let mut run = recorder.run.lock();
        let Some((number, _)) = run.numbers.get(&id).copied() else { return };
        run.close_digests();
        // A class-level failure is told of tests that were never started, or have ended before.
        let current = run.current.take().filter(|current| current.number == number);
        let of_class = current.is_none();
        let (wall, cpu, classes) = current.as_ref().map_or_else(Default::default, |current| {
            let cpu = cpu_time().saturating_sub(current.started_at_cpu);
            let classes = loaded().wrapping_sub(current.started_at_class);
            (nanoseconds(current.started.elapsed()), nanoseconds(cpu), classes)
        });
        let (torn_down, set_up) = match current {
            None => (run.torn_down.take(), Vec::new()),
            Some(current) => (current.torn_down, current.set_up),
        };
        let outcome = match outcome {
            0 => Outcome::Passed,
            1 => Outcome::Failed,
            _ => Outcome::Skipped,
        };
        let thrown = if thrown.is_null() {
            Thrown { class: String::new(), message: String::new() }
        } else {
            jvm.describe(thrown)
        };
        if outcome == Outcome::Failed {
            // Set-up or tear-down of a class may insist on all of its tests; what the test itself did is none the worse for it.
            if !of_class {
                run.failed.push((number, format!("{}: {}", thrown.class, thrown.message)));
            }
            run.stop |= run.request.stop_at_first_failure;
        }
        drop(run);
        (recorder.send)(&Event::Finished(Finished {
            number,
            outcome,
            of_class,
            nanoseconds: wall,
            cpu_nanoseconds: cpu,
            classes,
            exception: thrown.class,
            message: thrown.message,
            torn_down,
            set_up,
            entered,
            disturbs: false,
        }));
    });
}

extern "system" fn left(env: *mut sys::JNIEnv, _class: sys::jclass, disturbed: sys::jboolean) {
    guarded(env, (), |jvm, recorder| {
        let entered = recorder.take_entered(jvm);
        let mut run = recorder.run.lock();
        let torn_down = run.torn_down.get_or_insert_default();
        torn_down.extend(entered);
        torn_down.sort_unstable();
        torn_down.dedup();
        drop(run);
        if disturbed {
            (recorder.send)(&Event::Disturbed);
        }
    });
}

extern "system" fn unexpected(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    id: sys::jstring,
    name: sys::jstring,
    class: sys::jstring,
) {
    guarded(env, (), |jvm, recorder| {
        let found = FoundTest { id: jvm.string(id), name: jvm.string(name), class: jvm.string(class) };
        let mut run = recorder.run.lock();
        if run.numbers.contains_key(&found.id) {
            return;
        }
        let number = run.next_number;
        run.next_number += 1;
        let limit = run.request.other_limit;
        run.numbers.insert(found.id.clone(), (number, limit));
        drop(run);
        (recorder.send)(&Event::Unexpected { number, test: found });
    });
}

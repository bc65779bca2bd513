//! The JVM's events: from the bytes of a class about to be defined to woven bytes, or to those of an instrumented test class; and its end.

#![allow(unsafe_code)]

use super::agents;
use super::environment::{Environment, Tools};
use super::protocol::{Event, Unwoven};
use super::recorder;
use crate::classfile::plan::ClassWeave;
use crate::classfile::weave::weave_what_fits;
use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_VM_DEATH, jvmtiEnv, jvmtiEventCallbacks,
};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_char, c_uchar};
use std::path::PathBuf;
use std::sync::OnceLock;

struct Hook {
    weave: Mutex<BTreeMap<String, ClassWeave>>,
    replace: Mutex<BTreeMap<String, PathBuf>>,
    /// By class name: the bytes that came in and those that went out; a clean start loads every class again.
    done: Mutex<HashMap<String, Done>>,
    send: Box<dyn Fn(&Event) + Send + Sync>,
}

struct Done {
    before: Vec<u8>,
    after: Option<Vec<u8>>,
}

static HOOK: OnceLock<Hook> = OnceLock::new();

/// Switches the hook on.
///
/// # Errors
/// When the JVM does not offer class file load hooks.
pub fn install(
    tools: &Tools,
    weave: BTreeMap<String, ClassWeave>,
    replace: BTreeMap<String, PathBuf>,
    send: Box<dyn Fn(&Event) + Send + Sync>,
) -> Result<(), String> {
    let _ = HOOK.set(Hook {
        weave: Mutex::new(weave),
        replace: Mutex::new(replace),
        done: Mutex::new(HashMap::new()),
        send,
    });
    let failed = |error| format!("JVMTI: {error:?}");
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.ClassFileLoadHook = Some(load);
    callbacks.VMDeath = Some(death);
    tools.0.set_event_callbacks(callbacks).map_err(failed)?;
    tools.0.enable_events_global(&[JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_VM_DEATH]).map_err(failed)
}

/// From the next class on these files take the place of the project's own, and this is woven in, or what was.
pub fn replace(weave: Option<BTreeMap<String, ClassWeave>>, files: BTreeMap<String, PathBuf>) {
    if let Some(hook) = HOOK.get() {
        // In the order of `make`.
        let mut woven = hook.weave.lock();
        let mut replace = hook.replace.lock();
        let mut done = hook.done.lock();
        replace.keys().chain(files.keys()).for_each(|name| drop(done.remove(name)));
        *replace = files;
        if let Some(weave) = weave {
            done.clear();
            *woven = weave;
        }
    }
}

/// `System.exit` and `Runtime.halt` come by here, with JNI still in order (JVMTI, VMDeath).
unsafe extern "system" fn death(_jvmti: *mut jvmtiEnv, jni: *mut JNIEnv) {
    // SAFETY: the JVM passes the environment of the calling thread.
    let jvm = unsafe { Environment::new(jni.cast()) };
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| recorder::tell_entered(jvm)));
}

#[allow(clippy::too_many_arguments)]
unsafe extern "system" fn load(
    jvmti: *mut jvmtiEnv,
    jni: *mut JNIEnv,
    class_being_redefined: jclass,
    loader: jobject,
    name: *const c_char,
    _protection_domain: jobject,
    length: jint,
    data: *const c_uchar,
    new_length: *mut jint,
    new_data: *mut *mut c_uchar,
) {
    let Some(hook) = HOOK.get() else { return };
    recorder::count_class();
    // Hidden classes without a name are none of the project's.
    if name.is_null() {
        return;
    }
    // SAFETY: the JVM passes a NUL-terminated name.
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return };
    // SAFETY: the JVM passes the environment of the calling thread.
    let jvm = unsafe { Environment::new(jni.cast()) };
    agents::see(jvm, name, loader.cast(), !class_being_redefined.is_null());
    // Nor are classes of the boot loader.
    if loader.is_null() || data.is_null() {
        return;
    }
    let Ok(length) = usize::try_from(length) else { return };
    // SAFETY: the JVM passes `length` bytes of class file (JVMTI, ClassFileLoadHook).
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| hook.make(name, bytes))).unwrap_or(None);
    let Some(made) = made else { return };
    let Ok(made_length) = jint::try_from(made.len()) else { return };
    // SAFETY: `jvmti` is the environment of this callback; the memory is handed over to the JVM, as the hook's contract asks.
    unsafe {
        let tools = jvmti_bindings::env::Jvmti::from_raw(jvmti);
        if let Ok(memory) = tools.allocate_raw(made_length.into()) {
            std::ptr::copy_nonoverlapping(made.as_ptr(), memory, made.len());
            *new_length = made_length;
            *new_data = memory;
        }
    }
}

impl Hook {
    /// The bytes to define instead, if any.
    fn make(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let weave = self.weave.lock();
        let plan = weave.get(name);
        let replacement = self.replace.lock().get(name).cloned();
        if plan.is_none() && replacement.is_none() {
            return None;
        }
        let mut done = self.done.lock();
        if let Some(known) = done.get(name)
            && known.before == bytes
        {
            return known.after.clone();
        }
        let mut made = None;
        if let Some(path) = replacement {
            match std::fs::read(path) {
                Ok(read) => made = Some(read),
                Err(error) => self.unwoven(name, None, &error.to_string()),
            }
        }
        if let Some(plan) = plan {
            match weave_what_fits(made.as_deref().unwrap_or(bytes), plan) {
                Ok(woven) => {
                    for error in &woven.left_out {
                        self.unwoven(name, error.method.clone(), &error.to_string());
                    }
                    made = Some(woven.class_file);
                }
                Err(error) => self.unwoven(name, None, &error.to_string()),
            }
        }
        done.insert(name.to_owned(), Done { before: bytes.to_vec(), after: made.clone() });
        made
    }

    fn unwoven(&self, class: &str, method: Option<(String, String)>, reason: &str) {
        (self.send)(&Event::Unwoven(Unwoven { class: class.replace('/', "."), method, reason: reason.to_owned() }));
    }
}

//! Handles events of the JVM: replaces the bytes of a class that is about to be defined by woven bytes, or by those of an
//! instrumented test class, and reports the end of the JVM.

#![allow(unsafe_code)]

use super::agents;
use super::environment::{Environment, Tools};
use super::protocol::{Event, Unwoven};
use super::recorder;
use super::usage;
use crate::classfile::names::NameAndType;
use crate::classfile::plan::ClassWeave;
use crate::classfile::weave::weave_what_fits;
use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_VM_DEATH, jvmtiEnv, jvmtiEventCallbacks,
};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_char, c_uchar};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;

struct Hook {
    weave: Mutex<BTreeMap<String, ClassWeave>>,
    replace: Mutex<BTreeMap<String, PathBuf>>,
    /// Results by class name, because every clean start loads the same classes again.
    cache: Mutex<HashMap<String, CachedClass>>,
    send: Box<dyn Fn(&Event) + Send + Sync>,
}

/// The bytes that the JVM read, and those that were defined in their place, if any.
struct CachedClass {
    original: Vec<u8>,
    defined: Option<Vec<u8>>,
}

static HOOK: OnceLock<Hook> = OnceLock::new();

/// Installs the callbacks.
///
/// # Errors
/// The JVM offers no class file load hook.
pub fn install(
    tools: &Tools,
    weave: BTreeMap<String, ClassWeave>,
    replace: BTreeMap<String, PathBuf>,
    send: Box<dyn Fn(&Event) + Send + Sync>,
) -> Result<(), String> {
    let _ = HOOK.set(Hook {
        weave: Mutex::new(weave),
        replace: Mutex::new(replace),
        cache: Mutex::new(HashMap::new()),
        send,
    });
    let failed = |error| format!("JVMTI: {error:?}");
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.ClassFileLoadHook = Some(class_file_load);
    callbacks.VMDeath = Some(vm_death);
    tools.0.set_event_callbacks(callbacks).map_err(failed)?;
    tools.0.enable_events_global(&[JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_VM_DEATH]).map_err(failed)
}

/// Changes what happens to classes that are loaded from now on: `files` replace the project's own class files, and `weave`,
/// if given, replaces the plans.
pub fn replace(weave: Option<BTreeMap<String, ClassWeave>>, files: BTreeMap<String, PathBuf>) {
    if let Some(hook) = HOOK.get() {
        // The locks are taken in the same order as in `definition`.
        let mut plans = hook.weave.lock();
        let mut replaced = hook.replace.lock();
        let mut cache = hook.cache.lock();
        for name in replaced.keys().chain(files.keys()) {
            cache.remove(name);
        }
        *replaced = files;
        if let Some(weave) = weave {
            cache.clear();
            *plans = weave;
        }
    }
}

/// Called after `System.exit` and `Runtime.halt`, while JNI still works (JVMTI, VMDeath).
unsafe extern "system" fn vm_death(_jvmti: *mut jvmtiEnv, jni: *mut JNIEnv) {
    // SAFETY: the JVM passes the environment of the calling thread. Checked: the thread belongs to the JVM, which frees its references.
    let jvm = unsafe { Environment::new(jni.cast()) };
    let _ = catch_unwind(AssertUnwindSafe(|| recorder::report_entered(jvm)));
}

#[allow(clippy::too_many_arguments)]
unsafe extern "system" fn class_file_load(
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
    usage::count_class();
    // A class without a name is hidden, and not one of the project.
    if name.is_null() {
        return;
    }
    // SAFETY: the JVM passes a NUL-terminated name.
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return };
    // SAFETY: the JVM passes the environment of the calling thread.
    let jvm = unsafe { Environment::new(jni.cast()) };
    // No panic may unwind into the JVM. Checked: no exception is pending here, and nothing here throws or makes local references.
    let is_redefined = !class_being_redefined.is_null();
    let _ = catch_unwind(AssertUnwindSafe(|| agents::note_class(jvm, name, loader.cast(), is_redefined)));
    // Classes of the boot loader are not of the project.
    if loader.is_null() || data.is_null() {
        return;
    }
    let Ok(length) = usize::try_from(length) else { return };
    // SAFETY: the JVM passes `length` bytes of class file (JVMTI, ClassFileLoadHook).
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    let definition = catch_unwind(AssertUnwindSafe(|| hook.definition(name, bytes)));
    let Ok(Some(definition)) = definition else { return };
    let Ok(definition_length) = jint::try_from(definition.len()) else { return };
    // SAFETY: `jvmti` is the environment of this callback. The memory is allocated by it and handed over to the JVM, as the
    // contract of the hook requires. Checked: if there is no memory, the class stays as it is; `from_raw` owns nothing, so nothing is
    // disposed of here.
    unsafe {
        let tools = jvmti_bindings::env::Jvmti::from_raw(jvmti);
        if let Ok(memory) = tools.allocate_raw(definition_length.into()) {
            std::ptr::copy_nonoverlapping(definition.as_ptr(), memory, definition.len());
            *new_length = definition_length;
            *new_data = memory;
        }
    }
}

impl Hook {
    /// The bytes to define in place of `bytes`, if any.
    fn definition(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let plans = self.weave.lock();
        let plan = plans.get(name);
        let replacement = self.replace.lock().get(name).cloned();
        if plan.is_none() && replacement.is_none() {
            return None;
        }
        let mut cache = self.cache.lock();
        if let Some(cached) = cache.get(name)
            && cached.original == bytes
        {
            return cached.defined.clone();
        }
        let mut defined = None;
        if let Some(path) = replacement {
            match std::fs::read(path) {
                Ok(file) => defined = Some(file),
                Err(error) => self.report_unwoven(name, None, &error.to_string()),
            }
        }
        if let Some(plan) = plan {
            match weave_what_fits(defined.as_deref().unwrap_or(bytes), plan) {
                Ok(woven) => {
                    for error in &woven.left_out {
                        self.report_unwoven(name, error.method.clone(), &error.to_string());
                    }
                    defined = Some(woven.class_file);
                }
                Err(error) => self.report_unwoven(name, None, &error.to_string()),
            }
        }
        cache.insert(name.to_owned(), CachedClass { original: bytes.to_vec(), defined: defined.clone() });
        defined
    }

    fn report_unwoven(&self, class: &str, method: Option<NameAndType>, reason: &str) {
        (self.send)(&Event::Unwoven(Unwoven { class: class.replace('/', "."), method, reason: reason.to_owned() }));
    }
}

//! Detects Java agents that tests attach, and undoes the effects of Mockito's agent, so that the same JVM can have a clean
//! start.
//!
//! Mockito's agent adds a transformer and lets it transform loaded classes, those of the JDK included. The transformed
//! classes call a class in the boot loader, which knows the Mockito of each class loader. All of this can be undone. Agents
//! that do more, or that are not Mockito's, cannot be undone.

#![allow(unsafe_code)]

use super::environment::{Environment, Thrown};
use jni::sys;
use jvmti_bindings::env::Jvmti;
use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jclass, jint, jobject};
use jvmti_bindings::sys::jvmti::{JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, jvmtiEnv, jvmtiEventCallbacks};
use parking_lot::Mutex;
use std::ffi::{c_char, c_uchar};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The class of the JDK that implements `Instrumentation` for each agent.
const AGENT: &str = "sun/instrument/InstrumentationImpl";
const TRANSFORMER: &str = "org.mockito.internal.creation.bytebuddy.InlineBytecodeGenerator";
const DISPATCHER: &str = "org/mockito/internal/creation/bytebuddy/inject/MockMethodDispatcher";
/// The class in which Byte Buddy, with which Mockito attaches itself, keeps the agent.
const INSTALLER: &str = "net/bytebuddy/agent/Installer";
/// The package of the classes that such an agent brings into the JVM's own class loader.
const BYTE_BUDDY: &str = "net/bytebuddy/";

/// Whether the tests have attached an agent.
static ATTACHED: AtomicBool = AtomicBool::new(false);
/// Whether an agent did something that cannot be undone.
static LASTING: AtomicBool = AtomicBool::new(false);
/// A global reference to the JVM's own class loader.
static APPLICATION_LOADER: AtomicUsize = AtomicUsize::new(0);
/// Weak global references to the classes that were transformed after they had been loaded.
static TRANSFORMED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Prepares the detection; must be called before tests can attach an agent.
///
/// # Errors
/// The exception that the JVM throws.
pub fn prepare(jvm: Environment) -> Result<(), Thrown> {
    let class = jvm.find_class("java/lang/ClassLoader")?;
    let get = jvm.static_method(class, "getSystemClassLoader", "()Ljava/lang/ClassLoader;")?;
    let loader = jvm.call_static(class, get, &[])?;
    APPLICATION_LOADER.store(jvm.global(loader) as usize, Ordering::Relaxed);
    [class, loader].into_iter().for_each(|reference| jvm.delete(reference));
    Ok(())
}

/// Inspects a class that is about to be defined or redefined.
pub fn note_class(jvm: Environment, name: &str, loader: sys::jobject, is_redefined: bool) {
    if loader.is_null() && name == AGENT && !ATTACHED.swap(true, Ordering::Relaxed) && watch(jvm).is_none() {
        LASTING.store(true, Ordering::Relaxed);
    }
    // Agents are loaded by the JVM's own class loader, which contains nothing else of an isolated project.
    let is_other_agent = || {
        let application = APPLICATION_LOADER.load(Ordering::Relaxed) as sys::jobject;
        ATTACHED.load(Ordering::Relaxed)
            && !loader.is_null()
            && !name.starts_with(BYTE_BUDDY)
            && jvm.same(loader, application)
    };
    if is_redefined || is_other_agent() {
        LASTING.store(true, Ordering::Relaxed);
    }
}

/// Asks the JVM to report retransformed classes. It reports them only to environments that may retransform classes
/// themselves (JVMTI, RetransformClasses).
fn watch(jvm: Environment) -> Option<()> {
    let machine: *mut JavaVM = jvm.machine().cast();
    // SAFETY: the machine is alive until the process ends.
    let tools = unsafe { Jvmti::from_java_vm_raw(machine) }.ok()?;
    tools.add_capabilities_with(|capabilities| capabilities.set_can_retransform_classes(true)).ok()?;
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.ClassFileLoadHook = Some(transformed);
    tools.set_event_callbacks(callbacks).ok()?;
    tools.enable_events_global(&[JVMTI_EVENT_CLASS_FILE_LOAD_HOOK]).ok()?;
    Some(())
}

#[allow(clippy::too_many_arguments)]
unsafe extern "system" fn transformed(
    _jvmti: *mut jvmtiEnv,
    jni: *mut JNIEnv,
    class: jclass,
    _loader: jobject,
    _name: *const c_char,
    _protection_domain: jobject,
    _length: jint,
    _data: *const c_uchar,
    _new_length: *mut jint,
    _new_data: *mut *mut c_uchar,
) {
    if !class.is_null() {
        // SAFETY: the JVM passes the environment of the calling thread.
        let jvm = unsafe { Environment::new(jni.cast()) };
        // Checked: nothing here throws. No panic may unwind into the JVM.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let class = jvm.weak(class.cast()) as usize;
            TRANSFORMED.lock().push(class);
        }));
    }
}

/// Whether the tests have attached an agent whose effects a clean start in this JVM could not undo.
pub fn have_lasting_effect(jvm: Environment) -> bool {
    let is_lasting =
        ATTACHED.load(Ordering::Relaxed) && (LASTING.load(Ordering::Relaxed) || Traces::find(jvm).is_err());
    LASTING.fetch_or(is_lasting, Ordering::Relaxed);
    is_lasting
}

/// Undoes the effects of an attached agent. If that fails, the effect counts as lasting.
pub fn undo(jvm: Environment) {
    if ATTACHED.load(Ordering::Relaxed) && Traces::find(jvm).and_then(|traces| traces.undo(jvm)).is_err() {
        LASTING.store(true, Ordering::Relaxed);
    }
}

/// The objects that Mockito's agent leaves in the JVM.
struct Traces {
    /// `java.lang.instrument.Instrumentation`.
    agent: sys::jobject,
    transformers: Vec<sys::jobject>,
    /// The map in the boot loader from each Mockito's name to its dispatcher; null if no transformer is left.
    dispatchers: sys::jobject,
}

/// The agent is missing, or is not Mockito's.
struct Unknown;

impl From<Thrown> for Unknown {
    fn from(_: Thrown) -> Self {
        Self
    }
}

impl Traces {
    fn find(jvm: Environment) -> Result<Self, Unknown> {
        let installer = jvm.find_class(INSTALLER)?;
        let field = jvm.static_field(installer, "instrumentation", "Ljava/lang/instrument/Instrumentation;")?;
        let agent = jvm.get_static_object(installer, field);
        let mut transformers = Vec::new();
        if agent.is_null() {
            return Err(Unknown);
        }
        for manager in ["mTransformerManager", "mRetransfomableTransformerManager"] {
            let manager = jvm.field_of(agent, manager, "Lsun/instrument/TransformerManager;")?;
            if manager.is_null() {
                continue;
            }
            let list = "[Lsun/instrument/TransformerManager$TransformerInfo;";
            let list = jvm.field_of(manager, "mTransformerList", list)?;
            for index in 0..jvm.array_length(list) {
                let information = jvm.array_element(list, index);
                let transformer =
                    jvm.field_of(information, "mTransformer", "Ljava/lang/instrument/ClassFileTransformer;")?;
                if jvm.class_name(transformer) != TRANSFORMER {
                    return Err(Unknown);
                }
                transformers.push(transformer);
            }
        }
        let dispatchers = if transformers.is_empty() {
            std::ptr::null_mut()
        } else {
            let dispatcher = jvm.find_class(DISPATCHER)?;
            let field = |name| jvm.static_field(dispatcher, name, "Ljava/util/concurrent/ConcurrentMap;");
            // The name in Mockito 4 and later, and the one in earlier versions.
            let field = field("DISPATCHERS").or_else(|_| field("INSTANCE"))?;
            jvm.get_static_object(dispatcher, field)
        };
        Ok(Self { agent, transformers, dispatchers })
    }

    fn undo(self, jvm: Environment) -> Result<(), Unknown> {
        let changed = std::mem::take(&mut *TRANSFORMED.lock());
        let alive: Vec<_> = changed.iter().map(|class| jvm.local(*class as sys::jobject)).collect();
        changed.iter().for_each(|class| jvm.delete_weak(*class as sys::jobject));
        let alive: Vec<_> = alive.into_iter().filter(|class| !class.is_null()).collect();
        let agents = jvm.find_class("reneri/rt/Agents")?;
        let descriptor = "(Ljava/lang/Object;[Ljava/lang/Object;[Ljava/lang/Class;)V";
        let undo = jvm.static_method(agents, "undo", descriptor)?;
        let arguments = [
            sys::jvalue { l: self.agent },
            sys::jvalue { l: jvm.new_objects("java/lang/Object", &self.transformers)? },
            sys::jvalue { l: jvm.new_objects("java/lang/Class", &alive)? },
        ];
        jvm.call_static_void(agents, undo, &arguments)?;
        // Last, because classes that are still transformed use the dispatchers.
        if !self.dispatchers.is_null() {
            let map = jvm.find_class("java/util/Map")?;
            let clear = jvm.method(map, "clear", "()V")?;
            jvm.call_void(self.dispatchers, clear)?;
        }
        Ok(())
    }
}

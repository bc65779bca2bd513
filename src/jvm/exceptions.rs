//! Notes the messages of exceptions that the JVM and the classes of the JDK make. They may be others in another version of Java.
//!
//! Each exception calls a native method when it is made (`Throwable.fillInStackTrace`). Another function takes its place, and
//! calls the function of the JVM.

#![allow(unsafe_code)]

use super::environment::{Environment, Thrown, Tools};
use jni::sys;
use jvmti_bindings::env::Jvmti;
use jvmti_bindings::sys::jni::JavaVM;
use jvmti_bindings::sys::jvmti::jvmtiFrameInfo;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The function of the JVM that records the stack of a new exception (`jvm.h`).
const FUNCTION: &str = "JVM_FillInStackTrace";
/// The most frames between the native method and the code that makes the exception: constructors of the exception and of its
/// superclasses.
const MOST_CONSTRUCTORS: i32 = 24;
/// The most exceptions that are kept during one test.
const MOST_KEPT: usize = 200;
/// Packages of the JDK, as they begin in signatures.
const JDK: [&str; 5] = ["Ljava/", "Ljavax/", "Ljdk/", "Lsun/", "Lcom/sun/"];
/// Classes of the JDK that hand over a message of their caller, or call its constructor.
const MESSENGERS: [&str; 5] =
    ["Ljava/util/Objects;", "Ljava/lang/reflect/", "Ljava/lang/invoke/", "Ljdk/internal/reflect/", "Lsun/reflect/"];
/// The opcode of a call of a constructor (JVMS §6.5, invokespecial).
const INVOKESPECIAL: u8 = 0xb7;

static TOOLS: OnceLock<Tools> = OnceLock::new();
static ORIGINAL: AtomicUsize = AtomicUsize::new(0);
/// Whether the run wants the messages.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Global references to exceptions that the JDK has made.
static MADE: Mutex<Vec<usize>> = Mutex::new(Vec::new());

type FillIn = unsafe extern "system" fn(*mut sys::JNIEnv, sys::jobject);

/// Begins a run. If it wants the messages, and the JVM has the function, they are noted from now on.
pub fn enter(jvm: Environment, libjvm: &Path, is_wanted: bool) {
    let is_on = is_wanted && install(jvm, libjvm).is_some();
    IS_ON.store(is_on, Ordering::Relaxed);
    take_messages(jvm);
}

fn install(jvm: Environment, libjvm: &Path) -> Option<()> {
    if ORIGINAL.load(Ordering::Relaxed) != 0 {
        return Some(());
    }
    let (path, name) = (CString::new(libjvm.as_os_str().as_bytes()).ok()?, CString::new(FUNCTION).ok()?);
    // SAFETY: both texts end with NUL, and the library is loaded already.
    let function = unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY);
        if library.is_null() { std::ptr::null_mut() } else { libc::dlsym(library, name.as_ptr()) }
    };
    if function.is_null() {
        return None;
    }
    let machine: *mut JavaVM = jvm.machine().cast();
    // SAFETY: the machine is alive until the process ends.
    let tools = unsafe { Jvmti::from_java_vm_raw(machine) }.ok()?;
    tools.add_capabilities_with(|capabilities| capabilities.set_can_get_bytecodes(true)).ok()?;
    let _ = TOOLS.set(Tools(tools));
    ORIGINAL.store(function as usize, Ordering::Relaxed);
    let replace = || -> Result<(), Thrown> {
        let class = jvm.find_class("java/lang/Throwable")?;
        let descriptor = "(I)Ljava/lang/Throwable;";
        jvm.register(class, &[("fillInStackTrace", descriptor, fill_in_stack_trace as *mut c_void)])?;
        jvm.delete(class);
        Ok(())
    };
    replace().ok()
}

/// The messages since the last call.
pub fn take_messages(jvm: Environment) -> BTreeSet<String> {
    let mut messages = BTreeSet::new();
    for exception in std::mem::take(&mut *MADE.lock()) {
        let exception = exception as sys::jobject;
        messages.extend(jvm.throwable_message(exception));
        jvm.delete_global(exception);
    }
    messages
}

extern "system" fn fill_in_stack_trace(env: *mut sys::JNIEnv, exception: sys::jobject, _: sys::jint) -> sys::jobject {
    let original = ORIGINAL.load(Ordering::Relaxed);
    // SAFETY: the address is that of the function with this signature in the JVM; `install` has stored it before.
    // Checked: an exception that it leaves pending stays so, because nothing below calls Java.
    unsafe { std::mem::transmute::<usize, FillIn>(original)(env, exception) };
    if IS_ON.load(Ordering::Relaxed) {
        // SAFETY: the JVM passes the environment of the calling thread.
        let jvm = unsafe { Environment::new(env) };
        // No panic may unwind into the JVM.
        let _ = catch_unwind(AssertUnwindSafe(|| note(jvm, exception)));
    }
    exception
}

/// Keeps an exception that the JDK has made.
fn note(jvm: Environment, exception: sys::jobject) {
    if !is_of_jdk().unwrap_or(false) {
        return;
    }
    let mut made = MADE.lock();
    if made.len() < MOST_KEPT {
        let kept = jvm.global(exception);
        made.extend((!kept.is_null()).then_some(kept as usize));
    }
}

/// Whether the JVM itself or a class of the JDK makes the exception whose constructor is running.
fn is_of_jdk() -> Option<bool> {
    let tools = &TOOLS.get()?.0;
    // SAFETY: a null thread means the current one. Checked: the local reference to the class ends with the native method that calls
    // this function.
    let frames = unsafe { tools.get_stack_trace(std::ptr::null_mut(), 1, MOST_CONSTRUCTORS) }.ok()?;
    let maker = frames.iter().find(|frame| !is_constructor(tools, frame))?;
    // SAFETY: the method ID comes from a frame of the current thread, so its class is loaded.
    let class = unsafe { tools.get_method_declaring_class(maker.method) }.ok()?;
    // SAFETY: `class` is a live local reference.
    let (signature, _) = unsafe { tools.get_class_signature(class) }.ok()?;
    let is_in = |all: &[&str]| all.iter().any(|begin| signature.starts_with(begin));
    if is_in(&JDK) {
        return Some(!is_in(&MESSENGERS));
    }
    // Code makes an exception by calling its constructor. At any other instruction, the JVM makes it.
    // SAFETY: as above.
    let code = unsafe { tools.get_bytecodes(maker.method) }.ok()?;
    let instruction = code.get(usize::try_from(maker.location).ok()?)?;
    Some(*instruction != INVOKESPECIAL)
}

fn is_constructor(tools: &Jvmti, frame: &jvmtiFrameInfo) -> bool {
    // SAFETY: the method ID comes from a frame of the current thread, so its class is loaded.
    let name = unsafe { tools.get_method_name(frame.method) };
    name.is_ok_and(|(name, _, _)| name == "<init>" || name == "fillInStackTrace")
}

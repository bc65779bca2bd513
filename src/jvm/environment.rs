//! Wraps raw JNI calls in safe-looking methods, so that unsafe code for reading a JVM is in one place.

#![allow(unsafe_code)]

use jni::sys;
use jvmti_bindings::env::Jvmti;
use std::ffi::{CString, c_void};
use std::ptr;

/// The JNI environment of the current thread.
#[derive(Clone, Copy)]
pub struct Environment {
    raw: *mut sys::JNIEnv,
}

/// Calls a function of the JNI table. Every function used here exists in JNI 1.6 (Java 6).
///
/// Checked for all uses: no exception is pending after a method of [`Environment`], because each method that can throw clears it,
/// and those that cannot (references, fields of an object, lengths) may be called in any case.
macro_rules! jni_call {
    ($self:ident . $name:ident ( $($argument:expr),* )) => {
        // SAFETY: `raw` is the environment of the current thread (contract of `Environment::new`), the arguments are live
        // references (contract of each caller), and the function has this signature in the JNI specification.
        unsafe { ((**$self.raw).v1_6.$name)($self.raw $(, $argument)*) }
    };
}

// After the macro, which it uses.
pub mod values;

/// The longest message of an exception that is kept, in UTF-16 units. Messages may print lists of millions of elements.
const LONGEST_MESSAGE: i32 = 4_000;

/// An exception that the JVM has thrown.
#[derive(Debug)]
pub struct Thrown {
    /// Binary name.
    pub class: String,
    /// Cut to [`LONGEST_MESSAGE`]; a message that was cut ends with "…".
    pub message: String,
}

impl std::fmt::Display for Thrown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

impl Environment {
    /// # Safety
    /// `raw` must be the JNI environment of the current thread, and the thread must stay attached as long as the result is
    /// used.
    pub unsafe fn new(raw: *mut sys::JNIEnv) -> Self {
        Self { raw }
    }

    /// Clears the pending exception.
    ///
    /// # Errors
    /// The exception, if there was one.
    pub fn check(self) -> Result<(), Thrown> {
        let thrown = jni_call!(self.ExceptionOccurred());
        if thrown.is_null() {
            return Ok(());
        }
        jni_call!(self.ExceptionClear());
        let described = self.describe(thrown);
        self.delete(thrown);
        Err(described)
    }

    /// The result of a call, unless the call has thrown an exception.
    fn checked<T>(self, result: T) -> Result<T, Thrown> {
        self.check()?;
        Ok(result)
    }

    /// The class and message of a throwable. The message is read from its field, so that no code of the project runs.
    pub fn describe(self, thrown: sys::jobject) -> Thrown {
        let class = self.class_name(thrown);
        let message = self.message(thrown, |message| self.beginning(message, LONGEST_MESSAGE)).unwrap_or_default();
        Thrown { class, message }
    }

    /// The whole message of a throwable, if it has one.
    pub fn throwable_message(self, thrown: sys::jobject) -> Option<String> {
        self.message(thrown, |message| self.string(message))
    }

    fn message(self, thrown: sys::jobject, read: impl Fn(sys::jobject) -> String) -> Option<String> {
        let class = self.find_class("java/lang/Throwable").ok()?;
        let field = self.field(class, "detailMessage", "Ljava/lang/String;").ok()?;
        let message = self.get_object(thrown, field);
        let text = (!message.is_null()).then(|| read(message));
        self.delete(message);
        self.delete(class);
        text
    }

    /// The binary name of an object's class.
    pub fn class_name(self, object: sys::jobject) -> String {
        let class = self.class_of(object);
        let name = self.name_of(class);
        self.delete(class);
        name
    }

    /// The binary name of a class, by `Class.getName()`, which runs no code of the project.
    pub fn name_of(self, class: sys::jclass) -> String {
        let name = (|| {
            let meta = self.find_class("java/lang/Class").ok()?;
            let method = self.method(meta, "getName", "()Ljava/lang/String;").ok()?;
            let name = jni_call!(self.CallObjectMethodA(class, method, ptr::null()));
            self.check().ok()?;
            let text = (!name.is_null()).then(|| self.string(name));
            self.delete(name);
            self.delete(meta);
            text
        })();
        name.unwrap_or_else(|| "?".to_owned())
    }

    /// # Errors
    /// `NoClassDefFoundError`, or an error in a static initialiser.
    pub fn find_class(self, internal_name: &str) -> Result<sys::jclass, Thrown> {
        let name = c_string(internal_name);
        self.checked(jni_call!(self.FindClass(name.as_ptr())))
    }

    /// Defines a class in the boot loader, where it cannot be found as a resource. Class loaders that copy the classes that
    /// they find as resources (PowerMock's, Spring's) therefore do not copy it.
    ///
    /// # Errors
    /// `LinkageError`.
    pub fn define_in_boot_loader(self, internal_name: &str, class_file: &[u8]) -> Result<(), Thrown> {
        let name = c_string(internal_name);
        let length = sys::jsize::try_from(class_file.len()).unwrap_or(0);
        jni_call!(self.DefineClass(name.as_ptr(), std::ptr::null_mut(), class_file.as_ptr().cast(), length));
        self.check()
    }

    /// # Errors
    /// `NoSuchMethodError`.
    pub fn static_method(self, class: sys::jclass, name: &str, descriptor: &str) -> Result<sys::jmethodID, Thrown> {
        let (name, descriptor) = (c_string(name), c_string(descriptor));
        self.checked(jni_call!(self.GetStaticMethodID(class, name.as_ptr(), descriptor.as_ptr())))
    }

    /// # Errors
    /// `NoSuchMethodError`.
    pub fn method(self, class: sys::jclass, name: &str, descriptor: &str) -> Result<sys::jmethodID, Thrown> {
        let (name, descriptor) = (c_string(name), c_string(descriptor));
        self.checked(jni_call!(self.GetMethodID(class, name.as_ptr(), descriptor.as_ptr())))
    }

    /// # Errors
    /// `NoSuchFieldError`.
    pub fn field(self, class: sys::jclass, name: &str, descriptor: &str) -> Result<sys::jfieldID, Thrown> {
        let (name, descriptor) = (c_string(name), c_string(descriptor));
        self.checked(jni_call!(self.GetFieldID(class, name.as_ptr(), descriptor.as_ptr())))
    }

    /// # Errors
    /// `NoSuchFieldError`.
    pub fn static_field(self, class: sys::jclass, name: &str, descriptor: &str) -> Result<sys::jfieldID, Thrown> {
        let (name, descriptor) = (c_string(name), c_string(descriptor));
        self.checked(jni_call!(self.GetStaticFieldID(class, name.as_ptr(), descriptor.as_ptr())))
    }

    /// # Errors
    /// The exception that the method throws.
    pub fn call_static(
        self,
        class: sys::jclass,
        method: sys::jmethodID,
        arguments: &[sys::jvalue],
    ) -> Result<sys::jobject, Thrown> {
        self.checked(jni_call!(self.CallStaticObjectMethodA(class, method, arguments.as_ptr())))
    }

    /// # Errors
    /// The exception that the method throws.
    pub fn call_static_void(
        self,
        class: sys::jclass,
        method: sys::jmethodID,
        arguments: &[sys::jvalue],
    ) -> Result<(), Thrown> {
        jni_call!(self.CallStaticVoidMethodA(class, method, arguments.as_ptr()));
        self.check()
    }

    /// # Errors
    /// The exception that the method throws.
    pub fn call_static_int(
        self,
        class: sys::jclass,
        method: sys::jmethodID,
        arguments: &[sys::jvalue],
    ) -> Result<i32, Thrown> {
        self.checked(jni_call!(self.CallStaticIntMethodA(class, method, arguments.as_ptr())))
    }

    /// # Errors
    /// The exception that the method throws.
    pub fn call_static_boolean(
        self,
        class: sys::jclass,
        method: sys::jmethodID,
        arguments: &[sys::jvalue],
    ) -> Result<bool, Thrown> {
        self.checked(jni_call!(self.CallStaticBooleanMethodA(class, method, arguments.as_ptr())))
    }

    /// Calls a method without arguments.
    ///
    /// # Errors
    /// The exception that the method throws.
    pub fn call_void(self, object: sys::jobject, method: sys::jmethodID) -> Result<(), Thrown> {
        jni_call!(self.CallVoidMethodA(object, method, ptr::null()));
        self.check()
    }

    /// Calls a method without arguments that returns an object.
    ///
    /// # Errors
    /// The exception that the method throws.
    pub fn call_object(self, object: sys::jobject, method: sys::jmethodID) -> Result<sys::jobject, Thrown> {
        self.checked(jni_call!(self.CallObjectMethodA(object, method, ptr::null())))
    }

    /// Registers native methods, each by name, descriptor and function.
    ///
    /// # Errors
    /// The class does not declare one of them.
    pub fn register(self, class: sys::jclass, natives: &[(&str, &str, *mut c_void)]) -> Result<(), Thrown> {
        let names: Vec<(CString, CString, *mut c_void)> = natives
            .iter()
            .map(|(name, descriptor, function)| (c_string(name), c_string(descriptor), *function))
            .collect();
        let table: Vec<sys::JNINativeMethod> = names
            .iter()
            .map(|(name, descriptor, function)| sys::JNINativeMethod {
                name: name.as_ptr().cast_mut(),
                signature: descriptor.as_ptr().cast_mut(),
                fnPtr: *function,
            })
            .collect();
        let count = i32::try_from(table.len()).unwrap_or(0);
        jni_call!(self.RegisterNatives(class, table.as_ptr(), count));
        self.check()
    }

    #[must_use]
    pub fn class_of(self, object: sys::jobject) -> sys::jclass {
        jni_call!(self.GetObjectClass(object))
    }

    /// The superclass; null for `Object` and interfaces.
    #[must_use]
    pub fn superclass(self, class: sys::jclass) -> sys::jclass {
        jni_call!(self.GetSuperclass(class))
    }

    /// Whether objects of `class` are also objects of `ancestor`.
    #[must_use]
    pub fn is_subclass(self, class: sys::jclass, ancestor: sys::jclass) -> bool {
        jni_call!(self.IsAssignableFrom(class, ancestor))
    }

    #[must_use]
    pub fn same(self, a: sys::jobject, b: sys::jobject) -> bool {
        jni_call!(self.IsSameObject(a, b))
    }

    /// Deletes a local reference, which may be null.
    pub fn delete(self, reference: sys::jobject) {
        if !reference.is_null() {
            jni_call!(self.DeleteLocalRef(reference));
        }
    }

    /// A new local reference to the same object.
    #[must_use]
    pub fn local(self, reference: sys::jobject) -> sys::jobject {
        jni_call!(self.NewLocalRef(reference))
    }

    /// A reference that lives until the process ends.
    ///
    /// It is null if the JVM has no memory left.
    #[must_use]
    pub fn global(self, reference: sys::jobject) -> sys::jobject {
        jni_call!(self.NewGlobalRef(reference))
    }

    pub fn delete_global(self, reference: sys::jobject) {
        jni_call!(self.DeleteGlobalRef(reference));
    }

    /// A reference that does not keep the object alive. It is valid until [`Self::delete_weak`]; if the object is gone,
    /// [`Self::local`] returns null.
    #[must_use]
    pub fn weak(self, reference: sys::jobject) -> sys::jobject {
        jni_call!(self.NewWeakGlobalRef(reference))
    }

    pub fn delete_weak(self, reference: sys::jobject) {
        jni_call!(self.DeleteWeakGlobalRef(reference));
    }

    /// The JVM of this environment.
    #[must_use]
    pub fn machine(self) -> *mut sys::JavaVM {
        let mut machine = ptr::null_mut();
        jni_call!(self.GetJavaVM(&raw mut machine));
        machine
    }

    /// Makes room for `count` local references, which are freed with the frame. If the JVM has no memory for it, there is no
    /// frame, and the references are freed with the one around.
    pub fn frame(self, count: i32) -> LocalFrame {
        let is_pushed = jni_call!(self.PushLocalFrame(count)) == sys::JNI_OK;
        let _ = self.check();
        LocalFrame { jvm: self, is_pushed }
    }
}

/// A frame of local references. It is freed at the end of its scope, after a panic as well, so that frames never get mixed up.
#[must_use]
pub struct LocalFrame {
    jvm: Environment,
    is_pushed: bool,
}

impl Drop for LocalFrame {
    fn drop(&mut self) {
        // To pop a frame that was never pushed would free the references of the caller.
        if self.is_pushed {
            let jvm = self.jvm;
            jni_call!(jvm.PopLocalFrame(ptr::null_mut()));
        }
    }
}

fn c_string(text: &str) -> CString {
    // Names in class files contain no NUL, because modified UTF-8 encodes it differently.
    CString::new(text).unwrap_or_default()
}

/// The JVMTI environment of this process, shared by all threads.
pub struct Tools(pub Jvmti);

// SAFETY: a JVMTI environment may be used from any thread (JVMTI specification, "Environments").
unsafe impl Send for Tools {}
// SAFETY: as for `Send`.
unsafe impl Sync for Tools {}

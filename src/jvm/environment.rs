//! Raw JNI and JVMTI calls behind names; the unsafe part of reading a JVM, in one place.

#![allow(unsafe_code)]

use jni::sys;
use jvmti_bindings::env::Jvmti;
use std::ffi::{CString, c_void};
use std::ptr;

/// A JNI environment of the current thread.
#[derive(Clone, Copy)]
pub struct Environment {
    raw: *mut sys::JNIEnv,
}

/// Calls a function of the JNI table; every function used here exists since JNI 1.6 (Java 6).
macro_rules! jni_call {
    ($self:ident . $name:ident ( $($argument:expr),* )) => {
        // SAFETY: `raw` is the environment of the current thread (contract of `Environment::new`); the arguments are references that are
        // alive (contract of each caller) and the function has this signature by the JNI specification.
        unsafe { ((**$self.raw).v1_6.$name)($self.raw $(, $argument)*) }
    };
}

/// So many UTF-16 units of the message of a failure are told: a list of millions, printed, says no more.
const LONGEST_MESSAGE: i32 = 4_000;

#[derive(Debug)]
pub struct Thrown {
    /// Binary name.
    pub class: String,
    /// No longer than [`LONGEST_MESSAGE`], and "…" where it goes on.
    pub message: String,
}

impl std::fmt::Display for Thrown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

impl Environment {
    /// # Safety
    /// `raw` is the JNI environment of the current thread, which stays attached as long as the result is used.
    pub unsafe fn new(raw: *mut sys::JNIEnv) -> Self {
        Self { raw }
    }

    /// The pending exception, taken and described; `Err` where there is one.
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

    /// What a call has given, if it has thrown nothing.
    fn checked<T>(self, result: T) -> Result<T, Thrown> {
        self.check()?;
        Ok(result)
    }

    /// Class and message of a throwable. Reads the field, so that no code of the project runs.
    pub fn describe(self, thrown: sys::jobject) -> Thrown {
        let class = self.class_name(thrown);
        let message = self.message(thrown, |message| self.beginning(message, LONGEST_MESSAGE)).unwrap_or_default();
        Thrown { class, message }
    }

    /// Of a throwable, whole; `None` where it has none.
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

    /// Binary name of the run-time class.
    pub fn class_name(self, object: sys::jobject) -> String {
        let class = self.class_of(object);
        let name = self.name_of(class);
        self.delete(class);
        name
    }

    /// Binary name of a class: `Class.getName()`, which runs no code of the project.
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
    /// What the JVM throws (`NoClassDefFoundError`, errors of initialisers).
    pub fn find_class(self, internal_name: &str) -> Result<sys::jclass, Thrown> {
        let name = c_string(internal_name);
        self.checked(jni_call!(self.FindClass(name.as_ptr())))
    }

    /// Defines a class in the boot loader, where no resource of it can be found: class loaders that make their own copies of what they find
    /// (PowerMock's, Spring's) leave it alone.
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
    /// What the method throws.
    pub fn call_static(
        self,
        class: sys::jclass,
        method: sys::jmethodID,
        arguments: &[sys::jvalue],
    ) -> Result<sys::jobject, Thrown> {
        self.checked(jni_call!(self.CallStaticObjectMethodA(class, method, arguments.as_ptr())))
    }

    /// # Errors
    /// What the method throws.
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
    /// What the method throws.
    pub fn call_static_int(
        self,
        class: sys::jclass,
        method: sys::jmethodID,
        arguments: &[sys::jvalue],
    ) -> Result<i32, Thrown> {
        self.checked(jni_call!(self.CallStaticIntMethodA(class, method, arguments.as_ptr())))
    }

    /// # Errors
    /// What the method throws.
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
    /// What the method throws.
    pub fn call_void(self, object: sys::jobject, method: sys::jmethodID) -> Result<(), Thrown> {
        jni_call!(self.CallVoidMethodA(object, method, ptr::null()));
        self.check()
    }

    /// # Errors
    /// When the JVM refuses them (a name or descriptor that the class does not declare).
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
    pub fn new_string(self, text: &str) -> sys::jobject {
        let units: Vec<u16> = text.encode_utf16().collect();
        let length = i32::try_from(units.len()).unwrap_or(0);
        jni_call!(self.NewString(units.as_ptr(), length))
    }

    /// # Errors
    /// When there is no memory, or no class String.
    pub fn new_strings<S: AsRef<str>>(self, texts: &[S]) -> Result<sys::jobjectArray, Thrown> {
        let strings: Vec<_> = texts.iter().map(|text| self.new_string(text.as_ref())).collect();
        let array = self.new_objects("java/lang/String", &strings);
        strings.into_iter().for_each(|string| self.delete(string));
        array
    }

    /// An array of these objects, whose class has this internal name.
    ///
    /// # Errors
    /// When there is no memory, or no such class.
    pub fn new_objects(self, class: &str, objects: &[sys::jobject]) -> Result<sys::jobjectArray, Thrown> {
        let class = self.find_class(class)?;
        let length = i32::try_from(objects.len()).unwrap_or(0);
        let array = self.checked(jni_call!(self.NewObjectArray(length, class, ptr::null_mut())))?;
        for (index, object) in (0..length).zip(objects) {
            jni_call!(self.SetObjectArrayElement(array, index, *object));
        }
        self.delete(class);
        Ok(array)
    }

    /// Text of a `java.lang.String`.
    #[must_use]
    pub fn string(self, string: sys::jobject) -> String {
        let mut units = Vec::new();
        self.string_into(string, &mut units);
        String::from_utf16_lossy(&units)
    }

    /// No more than `limit` UTF-16 units of it, and then that there are more.
    fn beginning(self, string: sys::jobject, limit: i32) -> String {
        if self.length(string) <= limit {
            return self.string(string);
        }
        let mut units = Vec::new();
        self.region_into(string, limit, &mut units);
        // Half of a character beyond U+FFFF.
        units.pop_if(|last| (0xD800..0xDC00).contains(last));
        format!("{} …", String::from_utf16_lossy(&units))
    }

    fn length(self, string: sys::jobject) -> i32 {
        jni_call!(self.GetStringLength(string))
    }

    /// Its UTF-16 units take the place of what is in `units`.
    pub fn string_into(self, string: sys::jobject, units: &mut Vec<u16>) {
        self.region_into(string, self.length(string), units);
    }

    fn region_into(self, string: sys::jobject, length: i32, units: &mut Vec<u16>) {
        units.clear();
        units.resize(usize::try_from(length).unwrap_or(0), 0);
        jni_call!(self.GetStringRegion(string, 0, length, units.as_mut_ptr()));
    }

    #[must_use]
    pub fn array_length(self, array: sys::jobject) -> usize {
        usize::try_from(jni_call!(self.GetArrayLength(array))).unwrap_or(0)
    }

    #[must_use]
    pub fn array_element(self, array: sys::jobject, index: usize) -> sys::jobject {
        let element = jni_call!(self.GetObjectArrayElement(array, i32::try_from(index).unwrap_or(0)));
        let _ = self.check();
        element
    }

    /// The strings of a `String[]`; a null element is `None`.
    #[must_use]
    pub fn strings(self, array: sys::jobject) -> Vec<Option<String>> {
        (0..self.array_length(array))
            .map(|index| {
                let element = self.array_element(array, index);
                let text = (!element.is_null()).then(|| self.string(element));
                self.delete(element);
                text
            })
            .collect()
    }

    /// Copies `bytes.len()` bytes from the start of a `byte[]` or `boolean[]`.
    pub fn copy_bytes(self, array: sys::jobject, bytes: &mut [i8]) {
        jni_call!(self.GetByteArrayRegion(array, 0, i32::try_from(bytes.len()).unwrap_or(0), bytes.as_mut_ptr()));
    }

    pub fn set_bytes(self, array: sys::jobject, bytes: &[i8]) {
        jni_call!(self.SetByteArrayRegion(array, 0, i32::try_from(bytes.len()).unwrap_or(0), bytes.as_ptr()));
    }

    /// Elements `0..limit` of a primitive array as Java source, by the element's descriptor.
    #[must_use]
    pub fn primitive_elements(self, array: sys::jobject, descriptor: u8, limit: usize) -> Vec<Primitive> {
        let length = self.array_length(array).min(limit);
        let count = i32::try_from(length).unwrap_or(0);
        macro_rules! region {
            ($function:ident, $kind:ty, $variant:ident) => {{
                let mut elements = vec![<$kind>::default(); length];
                jni_call!(self.$function(array, 0, count, elements.as_mut_ptr()));
                elements.into_iter().map(|element| Primitive::$variant(element.into())).collect()
            }};
        }
        match descriptor {
            b'Z' => {
                let mut elements: Vec<sys::jboolean> = vec![false; length];
                jni_call!(self.GetBooleanArrayRegion(array, 0, count, elements.as_mut_ptr()));
                elements.into_iter().map(Primitive::Boolean).collect()
            }
            b'B' => region!(GetByteArrayRegion, i8, Int),
            b'S' => region!(GetShortArrayRegion, i16, Int),
            b'C' => region!(GetCharArrayRegion, u16, Char),
            b'I' => region!(GetIntArrayRegion, i32, Int),
            b'J' => region!(GetLongArrayRegion, i64, Long),
            b'F' => region!(GetFloatArrayRegion, f32, Float),
            b'D' => region!(GetDoubleArrayRegion, f64, Double),
            _ => Vec::new(),
        }
    }

    #[must_use]
    pub fn class_of(self, object: sys::jobject) -> sys::jclass {
        jni_call!(self.GetObjectClass(object))
    }

    /// Null for `Object` and interfaces.
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
    pub fn same(self, one: sys::jobject, other: sys::jobject) -> bool {
        jni_call!(self.IsSameObject(one, other))
    }

    #[must_use]
    pub fn get_object(self, object: sys::jobject, field: sys::jfieldID) -> sys::jobject {
        jni_call!(self.GetObjectField(object, field))
    }

    /// What a field of the object's class, or of a class above it, refers to, however hidden it is.
    ///
    /// # Errors
    /// `NoSuchFieldError`.
    pub fn field_of(self, object: sys::jobject, field: &str, descriptor: &str) -> Result<sys::jobject, Thrown> {
        let class = self.class_of(object);
        let field = self.field(class, field, descriptor);
        self.delete(class);
        Ok(self.get_object(object, field?))
    }

    #[must_use]
    pub fn get_static_object(self, class: sys::jclass, field: sys::jfieldID) -> sys::jobject {
        jni_call!(self.GetStaticObjectField(class, field))
    }

    /// Value of a primitive field (not a reference), by its descriptor.
    #[must_use]
    pub fn get_primitive(self, object: sys::jobject, field: sys::jfieldID, descriptor: u8) -> Primitive {
        match descriptor {
            b'Z' => Primitive::Boolean(jni_call!(self.GetBooleanField(object, field))),
            b'B' => Primitive::Int(jni_call!(self.GetByteField(object, field)).into()),
            b'S' => Primitive::Int(jni_call!(self.GetShortField(object, field)).into()),
            b'C' => Primitive::Char(jni_call!(self.GetCharField(object, field))),
            b'J' => Primitive::Long(jni_call!(self.GetLongField(object, field))),
            b'F' => Primitive::Float(jni_call!(self.GetFloatField(object, field))),
            b'D' => Primitive::Double(jni_call!(self.GetDoubleField(object, field))),
            _ => Primitive::Int(jni_call!(self.GetIntField(object, field))),
        }
    }

    /// Value of a primitive static field (not a reference), by its descriptor.
    #[must_use]
    pub fn get_static_primitive(self, class: sys::jclass, field: sys::jfieldID, descriptor: u8) -> Primitive {
        match descriptor {
            b'Z' => Primitive::Boolean(jni_call!(self.GetStaticBooleanField(class, field))),
            b'B' => Primitive::Int(jni_call!(self.GetStaticByteField(class, field)).into()),
            b'S' => Primitive::Int(jni_call!(self.GetStaticShortField(class, field)).into()),
            b'C' => Primitive::Char(jni_call!(self.GetStaticCharField(class, field))),
            b'J' => Primitive::Long(jni_call!(self.GetStaticLongField(class, field))),
            b'F' => Primitive::Float(jni_call!(self.GetStaticFloatField(class, field))),
            b'D' => Primitive::Double(jni_call!(self.GetStaticDoubleField(class, field))),
            _ => Primitive::Int(jni_call!(self.GetStaticIntField(class, field))),
        }
    }

    pub fn set_static_int(self, class: sys::jclass, field: sys::jfieldID, value: i32) {
        jni_call!(self.SetStaticIntField(class, field, value));
    }

    pub fn set_static_long(self, class: sys::jclass, field: sys::jfieldID, value: i64) {
        jni_call!(self.SetStaticLongField(class, field, value));
    }

    pub fn set_static_boolean(self, class: sys::jclass, field: sys::jfieldID, value: bool) {
        jni_call!(self.SetStaticBooleanField(class, field, value));
    }

    /// Sets a field to null, however hidden it is. One that this JDK does not have is left alone.
    pub fn forget(self, object: sys::jobject, field: &str, descriptor: &str) {
        let class = self.class_of(object);
        if let Ok(field) = self.field(class, field, descriptor) {
            jni_call!(self.SetObjectField(object, field, ptr::null_mut()));
        }
        self.delete(class);
    }

    /// Ends a local reference; null is allowed.
    pub fn delete(self, reference: sys::jobject) {
        if !reference.is_null() {
            jni_call!(self.DeleteLocalRef(reference));
        }
    }

    /// Another local reference to the same object.
    #[must_use]
    pub fn local(self, reference: sys::jobject) -> sys::jobject {
        jni_call!(self.NewLocalRef(reference))
    }

    /// A reference that lives until the process ends.
    #[must_use]
    pub fn global(self, reference: sys::jobject) -> sys::jobject {
        jni_call!(self.NewGlobalRef(reference))
    }

    /// A reference that does not keep the object alive, until [`Self::delete_weak`]; [`Self::local`] is null when it is gone.
    #[must_use]
    pub fn weak(self, reference: sys::jobject) -> sys::jobject {
        jni_call!(self.NewWeakGlobalRef(reference))
    }

    pub fn delete_weak(self, reference: sys::jobject) {
        jni_call!(self.DeleteWeakGlobalRef(reference));
    }

    /// The JVM that this is an environment of.
    #[must_use]
    pub fn machine(self) -> *mut sys::JavaVM {
        let mut machine = ptr::null_mut();
        jni_call!(self.GetJavaVM(&raw mut machine));
        machine
    }

    /// Room for `count` local references, freed by [`Self::pop`].
    pub fn push(self, count: i32) {
        jni_call!(self.PushLocalFrame(count));
        let _ = self.check();
    }

    pub fn pop(self) {
        jni_call!(self.PopLocalFrame(ptr::null_mut()));
    }
}

/// A value that is no reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    Boolean(bool),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
}

fn c_string(text: &str) -> CString {
    // Names in class files hold no NUL in modified UTF-8.
    CString::new(text).unwrap_or_default()
}

/// The JVMTI environment of this process, shared by all threads.
pub struct Tools(pub Jvmti);

// SAFETY: a JVMTI environment may be used from any thread (JVMTI specification, "Environments").
unsafe impl Send for Tools {}
// SAFETY: as above.
unsafe impl Sync for Tools {}

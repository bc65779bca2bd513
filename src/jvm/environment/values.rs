//! Strings, arrays and fields: reading and writing values in the JVM.

use super::{Environment, Thrown};
use jni::sys;
use std::hash::{Hash, Hasher};
use std::ptr;

impl Environment {
    /// A `String`; null if the JVM has no memory.
    #[must_use]
    pub fn new_string(self, text: &str) -> sys::jobject {
        let units: Vec<u16> = text.encode_utf16().collect();
        let length = i32::try_from(units.len()).unwrap_or(0);
        let string = jni_call!(self.NewString(units.as_ptr(), length));
        let _ = self.check();
        string
    }

    /// A `String[]`.
    ///
    /// # Errors
    /// The JVM has no memory.
    pub fn new_strings<S: AsRef<str>>(self, texts: &[S]) -> Result<sys::jobjectArray, Thrown> {
        let strings: Vec<_> = texts.iter().map(|text| self.new_string(text.as_ref())).collect();
        let array = self.new_objects("java/lang/String", &strings);
        strings.into_iter().for_each(|string| self.delete(string));
        array
    }

    /// An array of objects; `class` is the internal name of the element type.
    ///
    /// # Errors
    /// The JVM has no memory, or no such class.
    pub fn new_objects(self, class: &str, objects: &[sys::jobject]) -> Result<sys::jobjectArray, Thrown> {
        let class = self.find_class(class)?;
        let length = i32::try_from(objects.len()).unwrap_or(0);
        let array = self.checked(jni_call!(self.NewObjectArray(length, class, ptr::null_mut())));
        self.delete(class);
        let array = array?;
        for (index, object) in (0..length).zip(objects) {
            jni_call!(self.SetObjectArrayElement(array, index, *object));
            // `ArrayStoreException`.
            self.check()?;
        }
        Ok(array)
    }

    /// The text of a `java.lang.String`.
    #[must_use]
    pub fn string(self, string: sys::jobject) -> String {
        let mut units = Vec::new();
        self.string_into(string, &mut units);
        String::from_utf16_lossy(&units)
    }

    /// The text of a `java.lang.String`, cut to `limit` UTF-16 units and "…".
    pub(super) fn beginning(self, string: sys::jobject, limit: i32) -> String {
        if self.length(string) <= limit {
            return self.string(string);
        }
        let mut units = Vec::new();
        self.region_into(string, limit, &mut units);
        // The cut may be in the middle of a surrogate pair.
        units.pop_if(|last| (0xD800..0xDC00).contains(last));
        format!("{} …", String::from_utf16_lossy(&units))
    }

    fn length(self, string: sys::jobject) -> i32 {
        jni_call!(self.GetStringLength(string))
    }

    /// Replaces `units` by the UTF-16 units of a string.
    pub fn string_into(self, string: sys::jobject, units: &mut Vec<u16>) {
        self.region_into(string, self.length(string), units);
    }

    fn region_into(self, string: sys::jobject, length: i32, units: &mut Vec<u16>) {
        units.clear();
        units.resize(usize::try_from(length).unwrap_or(0), 0);
        jni_call!(self.GetStringRegion(string, 0, length, units.as_mut_ptr()));
    }

    /// The length of an array; 0 for null.
    #[must_use]
    pub fn array_length(self, array: sys::jobject) -> usize {
        if array.is_null() {
            return 0;
        }
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

    /// The first `limit` elements of a primitive array, whose elements have this descriptor.
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

    /// Adds elements of a primitive array to a hash.
    pub fn hash_elements(
        self,
        array: sys::jobject,
        descriptor: u8,
        range: std::ops::Range<usize>,
        hasher: &mut impl Hasher,
    ) {
        let (first, length) = (i32::try_from(range.start).unwrap_or(0), range.len());
        let count = i32::try_from(length).unwrap_or(0);
        macro_rules! region {
            ($function:ident, $kind:ty) => {{
                let mut elements = vec![<$kind>::default(); length];
                jni_call!(self.$function(array, first, count, elements.as_mut_ptr()));
                elements
            }};
        }
        match descriptor {
            b'Z' => region!(GetBooleanArrayRegion, sys::jboolean).hash(hasher),
            b'B' => region!(GetByteArrayRegion, i8).hash(hasher),
            b'S' => region!(GetShortArrayRegion, i16).hash(hasher),
            b'C' => region!(GetCharArrayRegion, u16).hash(hasher),
            b'I' => region!(GetIntArrayRegion, i32).hash(hasher),
            b'J' => region!(GetLongArrayRegion, i64).hash(hasher),
            b'F' => region!(GetFloatArrayRegion, f32).iter().for_each(|element| element.to_bits().hash(hasher)),
            b'D' => region!(GetDoubleArrayRegion, f64).iter().for_each(|element| element.to_bits().hash(hasher)),
            _ => {}
        }
    }

    #[must_use]
    pub fn get_object(self, object: sys::jobject, field: sys::jfieldID) -> sys::jobject {
        jni_call!(self.GetObjectField(object, field))
    }

    /// The object in a field of the object's class or a superclass, whatever its visibility; null for null.
    ///
    /// # Errors
    /// `NoSuchFieldError`.
    pub fn field_of(self, object: sys::jobject, field: &str, descriptor: &str) -> Result<sys::jobject, Thrown> {
        if object.is_null() {
            return Ok(ptr::null_mut());
        }
        let class = self.class_of(object);
        let field = self.field(class, field, descriptor);
        self.delete(class);
        Ok(self.get_object(object, field?))
    }

    #[must_use]
    pub fn get_static_object(self, class: sys::jclass, field: sys::jfieldID) -> sys::jobject {
        jni_call!(self.GetStaticObjectField(class, field))
    }

    /// The value of an `int` field that holds a size or an index. 0 if it is negative.
    #[must_use]
    pub fn get_count(self, object: sys::jobject, field: sys::jfieldID) -> usize {
        usize::try_from(jni_call!(self.GetIntField(object, field))).unwrap_or(0)
    }

    /// The value of a primitive field with this descriptor.
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

    /// The result of a method without arguments whose primitive result has this descriptor.
    ///
    /// # Errors
    /// The exception that the method throws.
    pub fn call_primitive(
        self,
        object: sys::jobject,
        method: sys::jmethodID,
        descriptor: u8,
    ) -> Result<Primitive, Thrown> {
        let none = ptr::null();
        self.checked(match descriptor {
            b'Z' => Primitive::Boolean(jni_call!(self.CallBooleanMethodA(object, method, none))),
            b'B' => Primitive::Int(jni_call!(self.CallByteMethodA(object, method, none)).into()),
            b'S' => Primitive::Int(jni_call!(self.CallShortMethodA(object, method, none)).into()),
            b'C' => Primitive::Char(jni_call!(self.CallCharMethodA(object, method, none))),
            b'J' => Primitive::Long(jni_call!(self.CallLongMethodA(object, method, none))),
            b'F' => Primitive::Float(jni_call!(self.CallFloatMethodA(object, method, none))),
            b'D' => Primitive::Double(jni_call!(self.CallDoubleMethodA(object, method, none))),
            _ => Primitive::Int(jni_call!(self.CallIntMethodA(object, method, none))),
        })
    }

    /// The value of a primitive static field with this descriptor.
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

    pub fn set_static_object(self, class: sys::jclass, field: sys::jfieldID, value: sys::jobject) {
        jni_call!(self.SetStaticObjectField(class, field, value));
    }

    pub fn set_int(self, object: sys::jobject, field: sys::jfieldID, value: i32) {
        jni_call!(self.SetIntField(object, field, value));
    }

    pub fn set_long(self, object: sys::jobject, field: sys::jfieldID, value: i64) {
        jni_call!(self.SetLongField(object, field, value));
    }

    pub fn set_static_boolean(self, class: sys::jclass, field: sys::jfieldID, value: bool) {
        jni_call!(self.SetStaticBooleanField(class, field, value));
    }

    /// Sets a field to null, whatever its visibility. Does nothing if the class has no such field.
    pub fn forget(self, object: sys::jobject, field: &str, descriptor: &str) {
        let class = self.class_of(object);
        if let Ok(field) = self.field(class, field, descriptor) {
            jni_call!(self.SetObjectField(object, field, ptr::null_mut()));
        }
        self.delete(class);
    }
}

/// A value of a primitive type; `Int` includes byte and short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    Boolean(bool),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
}

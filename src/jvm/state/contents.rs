//! Reads arrays, and containers of the platform.

use super::{ORDER, Walk};
use crate::jvm::atom::Atom;
use crate::jvm::bounds::{BREADTH, ENTRIES, PRIMITIVES, WRITTEN_ELEMENTS, WRITTEN_KEYS};
use crate::jvm::collection::{Contents, FieldId, MethodId, Read, Size};
use crate::jvm::environment::values::Primitive;
use crate::jvm::shape::{Inside, Kind};
use crate::jvm::source::{array_type_name, primitive_name, primitive_source};
use crate::observation::kinds::ContainerForm;
use jni::sys;
use std::hash::{Hash, Hasher};

/// The most containers around another one.
const WRAPPERS: usize = 8;

/// The entries of a container, as local references in the order of its iteration.
pub(super) struct Entries {
    form: ContainerForm,
    ordered: bool,
    /// Elements, or keys of a map.
    keys: Vec<sys::jobject>,
    /// Values of a map, in the order of the keys; empty for lists and sets.
    values: Vec<sys::jobject>,
    /// The number of all entries, if it is known. Beyond [`ENTRIES`], they are not among the above.
    count: Option<usize>,
}

impl Entries {
    fn are_all(&self) -> bool {
        self.count == Some(self.keys.len())
    }
}

impl Walk<'_> {
    pub(super) fn array(&mut self, array: sys::jobject, name: &str, element: u8, level: usize, deep: bool) {
        let type_name = array_type_name(name);
        self.add(&type_name, &Atom::NonNull, level);
        let length = self.jvm.array_length(array);
        self.length(length, level);
        if !deep || self.is_cycle(array) {
            return;
        }
        if self.is_at_end(level) {
            return self.beyond(array, &type_name, level);
        }
        if let Some(source) = self.source(array, 0) {
            self.whole(&type_name, &source, level);
        }
        let below = level.max(1) + 1;
        if element == b'L' || element == b'[' {
            self.ancestors.push(array);
            let _frame = self.jvm.frame(64);
            let elements: Vec<sys::jobject> =
                (0..length.min(ENTRIES)).map(|index| self.jvm.array_element(array, index)).collect();
            self.elements(&elements, &type_name, below);
            self.ancestors.pop();
            if length > ENTRIES {
                self.not_seen(&type_name, level);
            }
        } else {
            self.primitives(array, element, length, level);
        }
    }

    /// An array that a method returns, and that has the first elements of `array`.
    pub(super) fn first_elements(&mut self, array: sys::jobject, element: u8, length: usize, level: usize) {
        let type_name = format!("{}[]", primitive_name(element));
        self.add(&type_name, &Atom::NonNull, level);
        self.length(length, level);
        if array.is_null() {
            return;
        }
        if length <= BREADTH {
            let elements = self.jvm.primitive_elements(array, element, length);
            let sources: Vec<String> = elements.into_iter().map(primitive_source).collect();
            self.whole(&type_name, &format!("new {type_name} {{{}}}", sources.join(", ")), level);
        }
        self.primitives(array, element, length, level);
    }

    fn length(&mut self, length: usize, level: usize) {
        let size = Atom::Size(i64::try_from(length).unwrap_or(i64::MAX));
        self.descend(".length", |walk| walk.add("int", &size, level));
    }

    /// Elements of a primitive array: the first ones one by one, the others as digests of ranges.
    fn primitives(&mut self, array: sys::jobject, element: u8, length: usize, level: usize) {
        let below = level.max(1) + 1;
        let elements = self.jvm.primitive_elements(array, element, length.min(BREADTH));
        for (index, value) in elements.into_iter().enumerate() {
            let atom = Atom::Primitive(value);
            self.descend(&format!("[{index}]"), |walk| walk.add(primitive_name(element), &atom, below));
        }
        for (first, last) in ranges(length.min(PRIMITIVES)) {
            let mut hasher = super::fingerprint_hasher();
            self.jvm.hash_elements(array, element, first..last + 1, &mut hasher);
            self.range(first, last, hasher.finish(), below);
        }
        if length > PRIMITIVES {
            self.not_seen(&format!("{}[]", primitive_name(element)), level);
        }
    }

    /// The elements of an array or list: the first ones one by one, the others as digests of ranges.
    fn elements(&mut self, elements: &[sys::jobject], type_name: &str, level: usize) {
        for (index, element) in elements.iter().take(BREADTH).enumerate() {
            self.descend(&format!("[{index}]"), |walk| walk.value(*element, None, level, true));
        }
        for (first, last) in ranges(elements.len()) {
            let mut hasher = super::fingerprint_hasher();
            for element in elements.get(first..=last).unwrap_or_default() {
                if self.digestible == 0 {
                    self.leave_out(type_name);
                    break;
                }
                self.hash_of(*element, level).hash(&mut hasher);
            }
            self.range(first, last, hasher.finish(), level);
        }
    }

    fn range(&mut self, first: usize, last: usize, hash: u64, level: usize) {
        self.descend(&format!("[{first}…{last}]"), |walk| walk.digest("", hash, level));
    }

    /// Reads the contents of a container of the platform, as deep properties.
    pub(super) fn contents(
        &mut self,
        object: sys::jobject,
        type_name: &str,
        contents: &Contents,
        has_size: bool,
        level: usize,
    ) {
        if self.is_cycle(object) {
            return;
        }
        if self.is_at_end(level) {
            return self.beyond(object, type_name, level);
        }
        if self.digestible == 0 {
            return self.not_seen(type_name, level);
        }
        let _frame = self.jvm.frame(64);
        self.ancestors.push(object);
        match self.entries(object, contents, 0) {
            Some(entries) => {
                self.digestible = self.digestible.saturating_sub(entries.keys.len());
                if let Some(count) = entries.count.filter(|_| !has_size) {
                    let size = Atom::Size(i64::try_from(count).unwrap_or(i64::MAX));
                    self.descend(".size", |walk| walk.add("int", &size, level.max(2)));
                }
                if let Some(source) = self.entries_source(&entries, 0) {
                    self.whole(type_name, &source, level);
                }
                // A part of a set or map is a matter of chance.
                if entries.are_all() || entries.form == ContainerForm::List {
                    self.read_entries(&entries, type_name, level.max(1) + 1);
                }
                if !entries.are_all() {
                    self.not_seen(type_name, level);
                }
            }
            None => self.wrapped(object, type_name, contents, level.max(1) + 1),
        }
        self.ancestors.pop();
    }

    fn read_entries(&mut self, entries: &Entries, type_name: &str, level: usize) {
        if entries.form == ContainerForm::List {
            return self.elements(&entries.keys, type_name, level);
        }
        let are_few = entries.keys.len() <= WRITTEN_KEYS;
        let keys: Option<Vec<String>> =
            if are_few { entries.keys.iter().map(|key| self.source(*key, 0)).collect() } else { None };
        if let Some(keys) = &keys {
            let mut sorted: Vec<(&String, usize)> = keys.iter().zip(0..).collect();
            sorted.sort();
            for (key, index) in sorted.into_iter().take(BREADTH) {
                match entries.values.get(index) {
                    Some(value) => self.descend(&format!(".get({key})"), |walk| walk.value(*value, None, level, true)),
                    None => {
                        let contained = Atom::Primitive(Primitive::Boolean(true));
                        self.descend(&format!(".contains({key})"), |walk| walk.add("boolean", &contained, level));
                    }
                }
            }
            if entries.ordered {
                let order = if keys.len() <= WRITTEN_ELEMENTS { keys.join(", ") } else { hash_of(keys) };
                let order = format!("in the order {order}");
                self.descend(ORDER, |walk| walk.add("", &Atom::Source(&order), level));
            }
        }
        if keys.is_none() || entries.keys.len() > BREADTH {
            // The order of a hash table means nothing, so the hashes of entries are added up.
            let mut sum: u64 = 0;
            for (index, key) in entries.keys.iter().enumerate() {
                let value = entries.values.get(index).map(|value| self.hash_of(*value, level));
                let mut hasher = super::fingerprint_hasher();
                (self.hash_of(*key, level), value).hash(&mut hasher);
                sum = sum.wrapping_add(hasher.finish());
            }
            self.digest("", sum, level);
        }
    }

    /// Reads what a container of the platform wraps if it is an object of the project.
    fn wrapped(&mut self, object: sys::jobject, type_name: &str, contents: &Contents, level: usize) {
        // Another thread is changing the container.
        let (Read::Of(field) | Read::KeysOf(field)) = &contents.read else { return self.not_seen(type_name, level) };
        let inner = self.jvm.get_object(object, field.0);
        if inner.is_null() || self.is_cycle(inner) {
            return;
        }
        let Some(shape) = self.reader.shapes.of(self.jvm, self.tools, inner) else { return };
        match &shape.kind {
            Kind::Object { inherited } => {
                self.fields(inner, &shape.name, &shape.fields, level, true);
                if let Some(inside) = inherited {
                    self.inside(inner, &shape, inside, false, level);
                }
            }
            Kind::Platform { inside, size } => self.inside(inner, &shape, inside, size.is_some(), level),
            _ => self.not_seen(&shape.name, level),
        }
    }

    /// The entries of a container. `None` if it wraps an object that is no container of the platform, or if another thread is
    /// changing it. The local references belong to the caller's frame.
    pub(super) fn entries(&mut self, object: sys::jobject, contents: &Contents, wrappers: usize) -> Option<Entries> {
        let jvm = self.jvm;
        let (form, ordered) = (contents.form, contents.ordered);
        let of_keys = |(keys, count): (Vec<sys::jobject>, Option<usize>)| Entries {
            form,
            ordered,
            keys,
            values: Vec::new(),
            count,
        };
        match &contents.read {
            Read::ToArray(method) => Some(of_keys(self.array_of(object, *method)?)),
            Read::KeysAndValues { keys, values, to_array } => {
                let of_view = |view: &MethodId| {
                    let view = jvm.call_object(object, view.0).ok().filter(|view| !view.is_null())?;
                    self.array_of(view, *to_array)
                };
                let (keys, count) = of_view(keys)?;
                let (values, count_of_values) = of_view(values)?;
                (count == count_of_values).then_some(Entries { form, ordered, keys, values, count })
            }
            Read::Of(field) | Read::KeysOf(field) => {
                let inner = jvm.get_object(object, field.0);
                if inner.is_null() || wrappers > WRAPPERS {
                    return None;
                }
                let shape = self.reader.shapes.of(jvm, self.tools, inner)?;
                let Kind::Platform { inside: Inside::Contents(inner_contents), .. } = &shape.kind else { return None };
                let inner = self.entries(inner, inner_contents, wrappers + 1)?;
                if matches!(contents.read, Read::KeysOf(_)) {
                    return Some(Entries { form, ordered, values: Vec::new(), ..inner });
                }
                // A wrapper of collections is of the form of what it wraps.
                Some(if form == ContainerForm::List { inner } else { Entries { form, ..inner } })
            }
            Read::Elements { array, count } => {
                let (array, count) = (jvm.get_object(object, array.0), jvm.get_count(object, count.0));
                Some(of_keys(self.references(array, count)))
            }
            Read::Ring { array, first, count } => {
                let (first, count) = (jvm.get_count(object, first.0), jvm.get_count(object, count.0));
                let array = jvm.get_object(object, array.0);
                let length = jvm.array_length(array).max(1);
                let element = |index: usize| jvm.array_element(array, (first + index) % length);
                Some(of_keys(((0..count.min(ENTRIES).min(length)).map(element).collect(), Some(count))))
            }
            Read::Linked { first, next, item } => {
                let mut keys = Vec::new();
                let mut node = jvm.get_object(object, first.0);
                while !node.is_null() && keys.len() < ENTRIES {
                    let item = jvm.get_object(node, item.0);
                    // The first node of some queues is empty.
                    if !item.is_null() {
                        keys.push(item);
                    }
                    node = jvm.get_object(node, next.0);
                }
                let count = node.is_null().then_some(keys.len());
                Some(of_keys((keys, count)))
            }
            Read::Table { array, next, key, value } => {
                let table = jvm.get_object(object, array.0);
                let (mut keys, mut values) = (Vec::new(), Vec::new());
                let mut is_complete = true;
                for bucket in 0..if table.is_null() { 0 } else { jvm.array_length(table) } {
                    let mut node = jvm.array_element(table, bucket);
                    while !node.is_null() && keys.len() < ENTRIES {
                        keys.push(jvm.get_object(node, key.0));
                        values.push(jvm.get_object(node, value.0));
                        node = jvm.get_object(node, next.0);
                    }
                    if !node.is_null() {
                        is_complete = false;
                        break;
                    }
                }
                Some(Entries { form, ordered, count: is_complete.then_some(keys.len()), keys, values })
            }
        }
    }

    /// The elements that `toArray()` returns, and the number of all.
    fn array_of(&self, object: sys::jobject, to_array: MethodId) -> Option<(Vec<sys::jobject>, Option<usize>)> {
        let array = self.jvm.call_object(object, to_array.0).ok().filter(|array| !array.is_null())?;
        let found = self.references(array, usize::MAX);
        self.jvm.delete(array);
        Some(found)
    }

    /// The first ones of the first `count` elements of an array, which may be null, and the number of these.
    fn references(&self, array: sys::jobject, count: usize) -> (Vec<sys::jobject>, Option<usize>) {
        let count = if array.is_null() { 0 } else { count.min(self.jvm.array_length(array)) };
        ((0..count.min(ENTRIES)).map(|index| self.jvm.array_element(array, index)).collect(), Some(count))
    }

    /// `List.of("a", "b")`, with elements of sets and keys of maps in the order of their texts. `None` if it would be too
    /// long, or if an element has no source.
    pub(super) fn entries_source(&mut self, entries: &Entries, depth: usize) -> Option<String> {
        if !entries.are_all() || entries.keys.len() > WRITTEN_ELEMENTS {
            return None;
        }
        let mut written = Vec::new();
        for (index, key) in entries.keys.iter().enumerate() {
            let mut source = self.entry_source(*key, depth)?;
            if let Some(value) = entries.values.get(index) {
                // A map says at least which keys it has.
                let value = self.entry_source(*value, depth);
                source = format!("{source}, {}", value.as_deref().unwrap_or("…"));
            }
            written.push(source);
        }
        let name = match entries.form {
            ContainerForm::List => "List",
            ContainerForm::Set => "Set",
            ContainerForm::Map => "Map",
        };
        if entries.form != ContainerForm::List {
            written.sort();
        }
        Some(format!("{name}.of({})", written.join(", ")))
    }

    /// The source of an element, key or value. `None` for an array, which equals only itself, and for null.
    fn entry_source(&mut self, entry: sys::jobject, depth: usize) -> Option<String> {
        let shape = if entry.is_null() { None } else { self.reader.shapes.of(self.jvm, self.tools, entry) };
        let is_array = matches!(shape?.kind, Kind::Array(_));
        if is_array { None } else { self.source(entry, depth + 1) }
    }

    /// The size of a JDK collection. `None` if it wraps an object whose size cannot be read, such as a collection of the
    /// project.
    pub(super) fn size(&mut self, object: sys::jobject, size: &Size, depth: usize) -> Option<i64> {
        let jvm = self.jvm;
        let int = |field: &FieldId| i64::try_from(jvm.get_count(object, field.0)).unwrap_or(0);
        let length = |field: &FieldId| {
            let array = jvm.get_object(object, field.0);
            let length = if array.is_null() { 0 } else { jvm.array_length(array) };
            jvm.delete(array);
            i64::try_from(length).unwrap_or(i64::MAX)
        };
        match size {
            Size::Constant(value) => Some(i64::from(*value)),
            Size::Field(field) => Some(int(field)),
            Size::Length(field) => Some(length(field)),
            Size::Of(field) => {
                let inner = jvm.get_object(object, field.0);
                if inner.is_null() || depth > WRAPPERS {
                    return None;
                }
                let shape = self.reader.shapes.of(jvm, self.tools, inner);
                let found = match shape.as_ref().map(|shape| &shape.kind) {
                    Some(Kind::Platform { size: Some(size), .. }) => self.size(inner, size, depth + 1),
                    _ => None,
                };
                jvm.delete(inner);
                found
            }
            Size::Circular { head, tail, elements } => {
                let slots = length(elements);
                Some(if slots == 0 { 0 } else { (int(tail) - int(head)).rem_euclid(slots) })
            }
            Size::OneOrTwo { second } => {
                let value = jvm.get_object(object, second.0);
                // The JDK marks the empty slot with null, or with a plain `Object`.
                let is_single = value.is_null() || jvm.class_name(value) == "java.lang.Object";
                jvm.delete(value);
                Some(if is_single { 1 } else { 2 })
            }
        }
    }
}

/// The ranges of elements behind the first ones, each twice as long as the one before: first and last index.
fn ranges(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = BREADTH;
    std::iter::from_fn(move || {
        let range = (first < count).then(|| (first, (2 * first).min(count) - 1));
        first *= 2;
        range
    })
}

fn hash_of(texts: &[String]) -> String {
    let mut hasher = super::fingerprint_hasher();
    texts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_double_in_length_and_end_with_the_last_element() {
        assert_eq!(ranges(16).count(), 0);
        assert_eq!(ranges(17).collect::<Vec<_>>(), [(16, 16)]);
        assert_eq!(ranges(100).collect::<Vec<_>>(), [(16, 31), (32, 63), (64, 99)]);
    }
}

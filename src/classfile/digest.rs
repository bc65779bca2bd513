//! Digests of a class file, to find out what an edit changed: one for the body of each method, and one for everything else.
//!
//! Digests contain constants by value and not by index, because a new constant in one method moves the indexes of all
//! others. An index above 255 also turns `ldc` into `ldc_w`, which moves the code after it, so digests refer to code by the
//! number of the instruction and not by offset. Line numbers and names of local variables do not count, and neither do
//! stack maps, which follow from the code.

mod hasher;

use super::error::{ClassFileError, Fault};
use super::reader;
use hasher::{ClassHasher, Hash};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The content of a class file, without constant pool indexes and offsets. Digests are hexadecimal digits.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ClassDigest {
    /// Digest of everything but bodies: names, flags, supertypes, fields, headers of methods, annotations, constants.
    shape: String,
    /// Digests of bodies by name and descriptor of the method, `isEmpty()Z`.
    bodies: BTreeMap<String, String>,
    /// The lines of each method's `LineNumberTable`s (JVMS §4.7.12), in their order.
    lines: BTreeMap<String, Vec<u16>>,
}

impl ClassDigest {
    /// The digest of everything but the bodies of methods.
    #[must_use]
    pub fn shape(&self) -> &str {
        &self.shape
    }

    /// The methods with different bodies, by name and descriptor; `None` if anything else differs.
    #[must_use]
    pub fn changed_bodies(&self, other: &Self) -> Option<BTreeSet<&str>> {
        if self.shape != other.shape || !self.bodies.keys().eq(other.bodies.keys()) {
            return None;
        }
        let pairs = self.bodies.iter().zip(other.bodies.values());
        Some(pairs.filter(|((_, own), other)| own != other).map(|((method, _), _)| method.as_str()).collect())
    }

    /// Maps the lines of unchanged bodies in `earlier` to their current lines. A line that would map to two lines is left
    /// out.
    #[must_use]
    pub fn lines_since(&self, earlier: &Self) -> BTreeMap<u16, u16> {
        let mut moved: BTreeMap<u16, Option<u16>> = BTreeMap::new();
        for (method, old_lines) in &earlier.lines {
            if self.bodies.get(method) != earlier.bodies.get(method) {
                continue;
            }
            let Some(new_lines) = self.lines.get(method).filter(|lines| lines.len() == old_lines.len()) else {
                continue;
            };
            for (old, new) in old_lines.iter().zip(new_lines) {
                let target = moved.entry(*old).or_insert(Some(*new));
                *target = target.filter(|known| known == new);
            }
        }
        moved.into_iter().filter_map(|(old, new)| Some((old, new?))).collect()
    }
}

/// Computes the digests of a class file.
///
/// # Errors
/// `bytes` are not a class file, or one that refers to a constant that it does not have.
pub fn digest(bytes: &[u8]) -> Result<ClassDigest, ClassFileError> {
    of(bytes).map_err(|fault| ClassFileError { class: None, method: None, fault })
}

fn of(bytes: &[u8]) -> Result<ClassDigest, Fault> {
    let class = reader::read(bytes)?;
    let hasher = ClassHasher::new(&class)?;
    let mut shape = Hash::default();
    shape.number(class.version.major());
    shape.number(class.version.minor());
    shape.number(class.access_flags.bits());
    for index in [&[class.this_class, class.super_class], class.interfaces.as_slice()].concat() {
        hasher.constant(index, &mut shape, 0)?;
    }
    for field in &class.fields {
        shape.number(field.access_flags.bits());
        hasher.constant(field.name_index, &mut shape, 0)?;
        hasher.constant(field.descriptor_index, &mut shape, 0)?;
        hasher.attributes(&field.attributes, &mut shape)?;
    }
    let (mut bodies, mut lines) = (BTreeMap::new(), BTreeMap::new());
    for method in &class.methods {
        shape.number(method.access_flags.bits());
        hasher.constant(method.name_index, &mut shape, 0)?;
        hasher.constant(method.descriptor_index, &mut shape, 0)?;
        let (code_attributes, other_attributes): (Vec<_>, Vec<_>) =
            method.attributes.iter().partition(|attribute| hasher.name(attribute).is_ok_and(|name| name == "Code"));
        hasher.attributes(other_attributes, &mut shape)?;
        let mut body = Hash::default();
        let mut body_lines = Vec::new();
        for attribute in code_attributes {
            body_lines.extend(hasher.code(attribute, &mut body)?);
        }
        let name = format!("{}{}", hasher.text(method.name_index)?, hasher.text(method.descriptor_index)?);
        if !body_lines.is_empty() {
            lines.insert(name.clone(), body_lines);
        }
        bodies.insert(name, body.finish());
    }
    hasher.attributes(&class.attributes, &mut shape)?;
    Ok(ClassDigest { shape: shape.finish(), bodies, lines })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classfile::test_javac::compile;
    use std::sync::LazyLock;

    const STACK: &str = "import java.util.*;
        @Deprecated(since = \"1\") class Stack<T> {
            static final int MOST = 3;
            final List<T> items = new ArrayList<>();
            /* here */
            void push(T item) { items.add(item); }
            boolean isEmpty() { return items.size() == 0; }
            Runnable printer() { return () -> System.out.println(items); }
            int sum(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i; } return s; }
            String name() { return \"stack of \" + items; }
            static class Node { record Pair(@Deprecated int left, String right) { } }
        }";

    fn digest_of(source: &str, class: &str) -> ClassDigest {
        let folder = compile(&[source], &["-nowarn"]);
        digest(&std::fs::read(folder.path().join(format!("{class}.class"))).unwrap()).unwrap()
    }

    /// The bodies that differ after the replacement, or `None` if something else differs.
    fn after(from: &str, to: &str) -> Option<Vec<String>> {
        static ORIGINAL: LazyLock<ClassDigest> = LazyLock::new(|| digest_of(STACK, "Stack"));
        assert!(STACK.contains(from));
        let other = digest_of(&STACK.replace(from, to), "Stack");
        ORIGINAL.changed_bodies(&other).map(|methods| methods.into_iter().map(str::to_owned).collect())
    }

    fn bodies(methods: &[&str]) -> Option<Vec<String>> {
        Some(methods.iter().map(|method| (*method).to_owned()).collect())
    }

    #[test]
    fn line_numbers_and_names_of_variables_do_not_count() {
        assert_eq!(after("/* here */", "\n\n"), bodies(&[]));
        assert_eq!(
            after(
                "int sum(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i; } return s; }",
                "int sum(int m) { int t = 0; for (int i = 0; i < m; i++) { t += i; } return t; }"
            ),
            bodies(&[])
        );
    }

    #[test]
    fn a_changed_body_is_found_even_if_all_constants_move() {
        assert_eq!(
            after("items.add(item);", "items.add(Objects.requireNonNull(item, \"item\"));"),
            bodies(&["push(Ljava/lang/Object;)V"])
        );
        assert_eq!(after("items.size() == 0", "items.isEmpty()"), bodies(&["isEmpty()Z"]));
        assert_eq!(after("i < n", "i <= n"), bodies(&["sum(I)I"]));
        // A string that is only an argument of a bootstrap method, and the body of a lambda, which is a method of its own.
        assert_eq!(after("stack of ", "pile of "), bodies(&["name()Ljava/lang/String;"]));
        assert_eq!(after("println(items)", "print(items)"), bodies(&["lambda$printer$0()V"]));
        assert_eq!(after("new ArrayList<>()", "new LinkedList<>()"), bodies(&["<init>()V"]));
        // `InnerClasses` also lists nested classes of the JDK.
        assert_eq!(
            after("items.add(item);", "Map.Entry<T, T> e = Map.entry(item, item); items.add(e.getKey());"),
            bodies(&["push(Ljava/lang/Object;)V"])
        );
    }

    #[test]
    fn ldc_equals_ldc_w_and_moves_no_jump() {
        let texts = |from: u32, to: u32| (from..to).map(|number| format!("\"text {number}\",")).collect::<String>();
        let with = |first: &str| {
            let source = format!(
                "class Texts {{
                    String[] first() {{ return new String[] {{ {first} {} }}; }}
                    int second(int n) {{
                        try {{
                            String[] texts = {{ {} }};
                            for (String text : texts) {{ if (text.isEmpty()) {{ n++; }} }}
                            switch (n) {{ case 1: return 2; case 2: return 1; default: }}
                            switch (n) {{ case 1: return 3; case 100000: return 4; default: return 5; }}
                        }} catch (RuntimeException e) {{ return 0; }}
                    }}
                }}",
                texts(0, 110),
                texts(200, 400)
            );
            digest_of(&source, "Texts")
        };
        let other = with("\"one more\", \"and another\",");
        let changed = with("").changed_bodies(&other).map(|methods| methods.into_iter().collect::<Vec<_>>().join(" "));
        assert_eq!(changed.as_deref(), Some("first()[Ljava/lang/String;"));
    }

    #[test]
    fn a_changed_jump_target_changes_the_body() {
        assert_eq!(
            after(
                "for (int i = 0; i < n; i++) { s += i; } return s;",
                "int i = 0; do { if (i >= n) { break; } s += i; i++; } while (true); return s;"
            ),
            bodies(&["sum(I)I"])
        );
        let choose = |cases: &str| {
            digest_of(&format!("class C {{ int of(int n) {{ switch (n) {{ {cases} }} return 3; }} }}"), "C")
        };
        let one = choose("case 1: return 1; case 2: return 2;");
        for other in
            ["case 1: case 2: return 2;", "case 1: return 1; case 3: return 2;", "case 2: return 1; case 1: return 2;"]
        {
            assert_eq!(one.changed_bodies(&choose(other)), Some(BTreeSet::from(["of(I)I"])), "{other}");
        }
    }

    #[test]
    fn every_change_outside_of_bodies_is_found() {
        for (from, to) in [
            ("MOST = 3", "MOST = 4"),
            ("since = \"1\"", "since = \"2\""),
            ("final List<T> items", "List<T> items"),
            ("Stack<T> {", "Stack<T> implements Cloneable {"),
            ("void push", "public void push"),
            ("boolean isEmpty() {", "boolean isEmpty() throws RuntimeException {"),
            ("boolean isEmpty() {", "@Deprecated boolean isEmpty() {"),
            ("/* here */", "void other() { }"),
            ("static class Node", "private static class Node"),
        ] {
            assert_eq!(after(from, to), None, "{to}");
        }
        let pair = |source: &str| digest_of(source, "Stack$Node$Pair");
        assert_eq!(pair(STACK).changed_bodies(&pair(&STACK.replace("@Deprecated int left", "int left"))), None);
    }

    #[test]
    fn truncated_class_files_are_errors() {
        assert!(digest(b"cafe").is_err());
        let folder = compile(&[STACK], &["-nowarn"]);
        let bytes = std::fs::read(folder.path().join("Stack.class")).unwrap();
        for length in 0..bytes.len() {
            assert!(digest(&bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn lines_of_unchanged_bodies_are_mapped() {
        let lines = |source: &str| digest_of(source, "Lines");
        let earlier = lines("class Lines {\n void a() {\n a();\n }\n void b() { b();\n a(); }\n}");
        let later = lines("class Lines {\n\n void a() {\n a(); a();\n }\n void b() { b();\n\n a(); }\n}");
        let moved: Vec<(u16, u16)> = later.lines_since(&earlier).into_iter().collect();
        assert_eq!(moved, [(1, 1), (5, 6), (6, 8)]);
        assert_eq!(earlier.changed_bodies(&later).unwrap(), BTreeSet::from(["a()V"]));
        let joined = lines("class Lines { void a() { a(); } void b() { b(); a(); } }");
        let apart = lines("class Lines {\n void a() { a(); }\n void b() { b(); a(); } }");
        assert!(apart.lines_since(&joined).is_empty(), "one line has become three");
    }
}

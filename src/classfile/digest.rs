//! From a class file to what a change of it amounts to: a digest for the body of each method, and one for everything else.
//!
//! What an index into the constant pool stands for is digested, not the index: a constant more at one place moves those of all others, and then
//! `ldc` is `ldc_w` where it was not, which moves the code behind it. So places in code are told by the number of the instruction. Lines and names
//! of local variables are left out, and so are stack maps, which follow from the code.

use super::assembler::opcode::{LDC, LDC_W, LDC2_W};
use super::error::{ClassFileError, Fault, malformed};
use super::instructions::{self, Form, Instruction};
use super::opaque;
use ristretto_classfile::attributes::Attribute;
use ristretto_classfile::byte_reader::ByteReader;
use ristretto_classfile::{ClassFile, Constant};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// What a class file says, without the order and the indexes in which it says it. Digests are hexadecimal digits.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ClassDigest {
    /// Of all but bodies: names, flags, supertypes, fields, headers of methods, annotations, constants.
    shape: String,
    /// By name and descriptor of the method, `isEmpty()Z`.
    bodies: BTreeMap<String, String>,
    /// The lines of each method's `LineNumberTable`s (JVMS §4.7.12), in their order.
    lines: BTreeMap<String, Vec<u16>>,
}

impl ClassDigest {
    /// Of all but the bodies of methods.
    #[must_use]
    pub fn shape(&self) -> &str {
        &self.shape
    }

    /// Methods whose bodies are others, by name and descriptor; `None` where anything else is another.
    #[must_use]
    pub fn changed_bodies(&self, other: &Self) -> Option<BTreeSet<&str>> {
        if self.shape != other.shape || !self.bodies.keys().eq(other.bodies.keys()) {
            return None;
        }
        let pairs = self.bodies.iter().zip(other.bodies.values());
        Some(pairs.filter(|((_, one), other)| one != other).map(|((method, _), _)| method.as_str()).collect())
    }

    /// Where lines of bodies that are the same have come to, from those of `earlier`; without lines of which two would be in the place of one.
    #[must_use]
    pub fn lines_since(&self, earlier: &Self) -> BTreeMap<u16, u16> {
        let mut moved: BTreeMap<u16, Option<u16>> = BTreeMap::new();
        for (method, then) in &earlier.lines {
            let (is_same, now) = (self.bodies.get(method) == earlier.bodies.get(method), self.lines.get(method));
            if let Some(now) = now.filter(|now| is_same && now.len() == then.len()) {
                for (then, now) in then.iter().zip(now) {
                    let place = moved.entry(*then).or_insert(Some(*now));
                    *place = place.filter(|known| known == now);
                }
            }
        }
        moved.into_iter().filter_map(|(then, now)| Some((then, now?))).collect()
    }
}

/// The digests of a class file, and its lines.
///
/// # Errors
/// When `bytes` are no class file, or one that refers to what it does not have.
pub fn digest(bytes: &[u8]) -> Result<ClassDigest, ClassFileError> {
    of(bytes).map_err(|fault| ClassFileError { class: None, method: None, fault })
}

/// The layout of attributes (JVMS §4.7): `c` is an index into the constant pool, `2` two bytes of something else, `*( )` a list with a count of two
/// bytes, `+( )` one with a count of one byte, `a` an annotation, `e` the value of one of its elements, `A` an attribute.
const LAYOUTS: [(&str, &str); 17] = [
    ("AnnotationDefault", "e"),
    ("ConstantValue", "c"),
    ("Deprecated", ""),
    ("EnclosingMethod", "cc"),
    ("Exceptions", "*(c)"),
    ("MethodParameters", "+(c2)"),
    ("NestHost", "c"),
    ("NestMembers", "*(c)"),
    ("PermittedSubclasses", "*(c)"),
    ("Record", "*(cc*(A))"),
    ("RuntimeInvisibleAnnotations", "*(a)"),
    ("RuntimeInvisibleParameterAnnotations", "+(*(a))"),
    ("RuntimeVisibleAnnotations", "*(a)"),
    ("RuntimeVisibleParameterAnnotations", "+(*(a))"),
    ("Signature", "c"),
    ("SourceFile", "c"),
    ("Synthetic", ""),
];
const ANNOTATION: &str = "c*(ce)";
/// Of the code: nothing that a program can see, but for lines in stack traces.
const NOT_DIGESTED: [&str; 6] = [
    "LineNumberTable",
    "LocalVariableTable",
    "LocalVariableTypeTable",
    "RuntimeInvisibleTypeAnnotations",
    "RuntimeVisibleTypeAnnotations",
    "StackMapTable",
];
/// Constants and elements of annotations hold one another; javac nests neither as deep.
const DEEPEST: usize = 64;

fn of(bytes: &[u8]) -> Result<ClassDigest, Fault> {
    let class = opaque::read(bytes)?;
    let reading = Reading::new(&class)?;
    let mut shape = Hash::default();
    shape.number(class.version.major());
    shape.number(class.version.minor());
    shape.number(class.access_flags.bits());
    for index in [&[class.this_class, class.super_class], class.interfaces.as_slice()].concat() {
        reading.constant(index, &mut shape, 0)?;
    }
    for field in &class.fields {
        shape.number(field.access_flags.bits());
        reading.constant(field.name_index, &mut shape, 0)?;
        reading.constant(field.descriptor_index, &mut shape, 0)?;
        reading.attributes(&field.attributes, &mut shape)?;
    }
    let (mut bodies, mut lines) = (BTreeMap::new(), BTreeMap::new());
    for method in &class.methods {
        shape.number(method.access_flags.bits());
        reading.constant(method.name_index, &mut shape, 0)?;
        reading.constant(method.descriptor_index, &mut shape, 0)?;
        let (code, others): (Vec<_>, Vec<_>) =
            method.attributes.iter().partition(|attribute| reading.name(attribute).is_ok_and(|name| name == "Code"));
        reading.attributes(others, &mut shape)?;
        let mut body = Hash::default();
        let mut of_body = Vec::new();
        for attribute in code {
            of_body.extend(reading.code(attribute, &mut body)?);
        }
        let name = format!("{}{}", reading.text(method.name_index)?, reading.text(method.descriptor_index)?);
        if !of_body.is_empty() {
            lines.insert(name.clone(), of_body);
        }
        bodies.insert(name, body.finish());
    }
    reading.attributes(&class.attributes, &mut shape)?;
    Ok(ClassDigest { shape: shape.finish(), bodies, lines })
}

#[derive(Default)]
struct Hash(Sha256);

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes.len().to_be_bytes());
        self.0.update(bytes);
    }

    fn number(&mut self, number: u16) {
        self.0.update(number.to_be_bytes());
    }

    fn place(&mut self, instruction: usize) {
        self.0.update(instruction.to_be_bytes());
    }

    fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A class file, and what its `invokedynamic` instructions refer to.
struct Reading<'a> {
    class: &'a ClassFile<'a>,
    /// Each a method handle and its arguments (JVMS §4.7.23).
    bootstrap_methods: Vec<Vec<u16>>,
    /// Of the constant pool as it is: what is not understood may refer to any place of it.
    pool: String,
}

impl<'a> Reading<'a> {
    fn new(class: &'a ClassFile<'a>) -> Result<Self, Fault> {
        let mut pool = Hash::default();
        pool.bytes(format!("{:?}", class.constant_pool).as_bytes());
        let mut reading = Self { class, bootstrap_methods: Vec::new(), pool: pool.finish() };
        for attribute in &class.attributes {
            if reading.name(attribute)? == "BootstrapMethods" {
                reading.bootstrap_methods = opaque::list(&mut ByteReader::new(info(attribute)?), |reader| {
                    let method = reader.read_u16()?;
                    let arguments = opaque::list(reader, |reader| Ok(reader.read_u16()?))?;
                    Ok([&[method], arguments.as_slice()].concat())
                })?;
            }
        }
        Ok(reading)
    }

    fn text(&self, index: u16) -> Result<String, Fault> {
        Ok(self.class.constant_pool.try_get_utf8(index)?.to_str_lossy().into_owned())
    }

    fn name(&self, attribute: &Attribute) -> Result<String, Fault> {
        match attribute {
            Attribute::Unknown { name_index, .. } => self.text(*name_index),
            _ => Err(malformed("an attribute was not read as bytes")),
        }
    }

    /// What the constant at `index` stands for; nothing for 0, which means that there is none.
    fn constant(&self, index: u16, hash: &mut Hash, depth: usize) -> Result<(), Fault> {
        if depth > DEEPEST {
            return Err(malformed("its constants refer to each other without end"));
        }
        if index == 0 {
            hash.number(0);
            return Ok(());
        }
        let constant = self.class.constant_pool.try_get(index)?;
        hash.number(u16::from(constant.tag()));
        let mut refer = |indexes: &[u16]| indexes.iter().try_for_each(|index| self.constant(*index, hash, depth + 1));
        match constant {
            Constant::Utf8(text) => hash.bytes(text.as_bytes()),
            Constant::Integer(value) => hash.bytes(&value.to_be_bytes()),
            Constant::Float(value) => hash.bytes(&value.to_bits().to_be_bytes()),
            Constant::Long(value) => hash.bytes(&value.to_be_bytes()),
            Constant::Double(value) => hash.bytes(&value.to_bits().to_be_bytes()),
            Constant::Class(text)
            | Constant::String(text)
            | Constant::MethodType(text)
            | Constant::Module(text)
            | Constant::Package(text) => refer(&[*text])?,
            Constant::FieldRef { class_index, name_and_type_index }
            | Constant::MethodRef { class_index, name_and_type_index }
            | Constant::InterfaceMethodRef { class_index, name_and_type_index } => {
                refer(&[*class_index, *name_and_type_index])?;
            }
            Constant::NameAndType { name_index, descriptor_index } => refer(&[*name_index, *descriptor_index])?,
            Constant::MethodHandle { reference_kind, reference_index } => {
                hash.number(u16::from(reference_kind.kind()));
                self.constant(*reference_index, hash, depth + 1)?;
            }
            Constant::Dynamic { bootstrap_method_attr_index, name_and_type_index }
            | Constant::InvokeDynamic { bootstrap_method_attr_index, name_and_type_index } => {
                let bootstrap = self.bootstrap_methods.get(usize::from(*bootstrap_method_attr_index));
                refer(bootstrap.ok_or_else(|| malformed("a bootstrap method is missing"))?)?;
                refer(&[*name_and_type_index])?;
            }
        }
        Ok(())
    }

    fn attributes(&self, attributes: impl IntoIterator<Item = &'a Attribute>, hash: &mut Hash) -> Result<(), Fault> {
        for attribute in attributes {
            self.attribute(&self.name(attribute)?, info(attribute)?, hash)?;
        }
        Ok(())
    }

    fn attribute(&self, name: &str, info: &[u8], hash: &mut Hash) -> Result<(), Fault> {
        let reader = &mut ByteReader::new(info);
        match LAYOUTS.iter().find(|(known, _)| *known == name) {
            // Digested where they are used.
            None if name == "BootstrapMethods" => return Ok(()),
            None if name == "InnerClasses" => self.inner_classes(reader, hash)?,
            None => {
                hash.bytes(name.as_bytes());
                hash.bytes(self.pool.as_bytes());
                hash.bytes(info);
                return Ok(());
            }
            Some((_, layout)) => {
                hash.bytes(name.as_bytes());
                self.layout(layout, reader, hash, 0)?;
            }
        }
        if reader.remaining() != 0 {
            return Err(malformed(format!("there are bytes after the end of its attribute {name}")));
        }
        Ok(())
    }

    /// Digests what `layout` says ([`LAYOUTS`]).
    fn layout(&self, layout: &str, reader: &mut ByteReader<'_>, hash: &mut Hash, depth: usize) -> Result<(), Fault> {
        if depth > DEEPEST {
            return Err(malformed("an annotation is too deep"));
        }
        let mut rest = layout;
        while let Some(item) = rest.chars().next() {
            rest = rest.get(1..).unwrap_or_default();
            match item {
                'c' => self.constant(reader.read_u16()?, hash, 0)?,
                '2' => hash.number(reader.read_u16()?),
                'a' => self.layout(ANNOTATION, reader, hash, depth + 1)?,
                'e' => {
                    let tag = reader.read_u8()?;
                    hash.number(u16::from(tag));
                    // JVMS §4.7.16.1: an enum constant, an annotation, an array; else a constant.
                    let layout = match tag {
                        b'e' => "cc",
                        b'@' => "a",
                        b'[' => "*(e)",
                        _ => "c",
                    };
                    self.layout(layout, reader, hash, depth + 1)?;
                }
                'A' => {
                    let name = self.text(reader.read_u16()?)?;
                    let length = usize::try_from(reader.read_u32()?).unwrap_or(usize::MAX);
                    self.attribute(&name, reader.read_bytes(length)?, hash)?;
                }
                _ => {
                    let count = if item == '*' { reader.read_u16()? } else { u16::from(reader.read_u8()?) };
                    hash.number(count);
                    let inner = inside(rest);
                    rest = rest.get(inner.len() + 2..).unwrap_or_default();
                    for _ in 0..count {
                        self.layout(inner, reader, hash, depth + 1)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// What the attribute says of this class and of its members. Other classes are in it for no more than being named somewhere (JVMS §4.7.6).
    fn inner_classes(&self, reader: &mut ByteReader<'_>, hash: &mut Hash) -> Result<(), Fault> {
        let this = self.class.constant_pool.try_get_class(self.class.this_class)?;
        let is_this =
            |index: u16| index != 0 && self.class.constant_pool.try_get_class(index).is_ok_and(|class| class == this);
        for _ in 0..reader.read_u16()? {
            let (inner, outer) = (reader.read_u16()?, reader.read_u16()?);
            let (name, flags) = (reader.read_u16()?, reader.read_u16()?);
            if is_this(inner) || is_this(outer) {
                [inner, outer, name].into_iter().try_for_each(|index| self.constant(index, hash, 0))?;
                hash.number(flags);
            }
        }
        Ok(())
    }

    fn instruction(
        &self,
        instruction: &Instruction,
        bytes: &[u8],
        numbers: &Numbers<'_>,
        hash: &mut Hash,
    ) -> Result<(), Fault> {
        match (&instruction.form, bytes) {
            (Form::Jump { .. } | Form::FarJump { .. }, _) => hash.bytes(&[instruction.opcode]),
            (Form::Table { low, high, .. }, _) => {
                hash.bytes(&[instruction.opcode]);
                hash.bytes(&[low.to_be_bytes(), high.to_be_bytes()].concat());
            }
            (Form::Lookup { pairs, .. }, _) => {
                hash.bytes(&[instruction.opcode]);
                hash.bytes(&pairs.iter().flat_map(|(key, _)| key.to_be_bytes()).collect::<Vec<u8>>());
            }
            (_, [LDC, index]) => self.load(u16::from(*index), hash)?,
            (_, [LDC_W, high, low]) => self.load(u16::from_be_bytes([*high, *low]), hash)?,
            // What else has an index of two bytes (JVMS §6.5).
            (_, [opcode @ (LDC2_W | 178..=187 | 189 | 192 | 193 | 197), high, low, rest @ ..]) => {
                hash.bytes(&[*opcode]);
                self.constant(u16::from_be_bytes([*high, *low]), hash, 0)?;
                hash.bytes(rest);
            }
            _ => hash.bytes(bytes),
        }
        instruction.targets().into_iter().try_for_each(|target| {
            hash.place(numbers.at(target)?);
            Ok(())
        })
    }

    /// `ldc` or `ldc_w`.
    fn load(&self, index: u16, hash: &mut Hash) -> Result<(), Fault> {
        hash.bytes(&[LDC]);
        self.constant(index, hash, 0)
    }

    /// JVMS §4.7.3. Returns its lines.
    fn code(&self, attribute: &Attribute, hash: &mut Hash) -> Result<Vec<u16>, Fault> {
        let reader = &mut ByteReader::new(info(attribute)?);
        let (stack, locals) = (reader.read_u16()?, reader.read_u16()?);
        hash.number(stack);
        hash.number(locals);
        let length = usize::try_from(reader.read_u32()?).unwrap_or(usize::MAX);
        let code = reader.read_bytes(length)?;
        let instructions = instructions::read(code)?;
        let numbers = Numbers { instructions: &instructions, end: code.len() };
        for instruction in &instructions {
            let bytes = code.get(instruction.pc..instruction.pc + instruction.length).unwrap_or_default();
            self.instruction(instruction, bytes, &numbers, hash)?;
        }
        let handlers = reader.read_u16()?;
        hash.number(handlers);
        for _ in 0..handlers {
            for _ in 0..3 {
                hash.place(numbers.at(usize::from(reader.read_u16()?))?);
            }
            self.constant(reader.read_u16()?, hash, 0)?;
        }
        let mut lines = Vec::new();
        for _ in 0..reader.read_u16()? {
            let name = self.text(reader.read_u16()?)?;
            let length = usize::try_from(reader.read_u32()?).unwrap_or(usize::MAX);
            let info = reader.read_bytes(length)?;
            if name == "LineNumberTable" {
                lines.extend(opaque::list(&mut ByteReader::new(info), |entry| {
                    let (_pc, line) = (entry.read_u16()?, entry.read_u16()?);
                    Ok(line)
                })?);
            }
            if !NOT_DIGESTED.contains(&name.as_str()) {
                self.attribute(&name, info, hash)?;
            }
        }
        Ok(lines)
    }
}

/// From offsets in code to the numbers of instructions.
struct Numbers<'a> {
    instructions: &'a [Instruction],
    end: usize,
}

impl Numbers<'_> {
    fn at(&self, pc: usize) -> Result<usize, Fault> {
        if pc == self.end {
            return Ok(self.instructions.len());
        }
        self.instructions
            .binary_search_by_key(&pc, |instruction| instruction.pc)
            .map_err(|_| malformed(format!("no instruction begins at {pc}")))
    }
}

fn info(attribute: &Attribute) -> Result<&[u8], Fault> {
    match attribute {
        Attribute::Unknown { info, .. } => Ok(info),
        _ => Err(malformed("an attribute was not read as bytes")),
    }
}

/// What is in the parentheses that `layout` begins with.
fn inside(layout: &str) -> &str {
    let mut depth = 0_usize;
    for (at, character) in layout.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return layout.get(1..at).unwrap_or_default();
        }
    }
    ""
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classfile::compiled::compile;
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

    /// What is another after the replacement: bodies, or `None` for something else.
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
    fn lines_and_names_of_variables_do_not_count() {
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
    fn a_body_that_is_another_is_named_wherever_its_constants_went() {
        assert_eq!(
            after("items.add(item);", "items.add(Objects.requireNonNull(item, \"item\"));"),
            bodies(&["push(Ljava/lang/Object;)V"])
        );
        assert_eq!(after("items.size() == 0", "items.isEmpty()"), bodies(&["isEmpty()Z"]));
        assert_eq!(after("i < n", "i <= n"), bodies(&["sum(I)I"]));
        // A text that only a bootstrap method's argument has, and the body of a lambda, which is a method of its own.
        assert_eq!(after("stack of ", "pile of "), bodies(&["name()Ljava/lang/String;"]));
        assert_eq!(after("println(items)", "print(items)"), bodies(&["lambda$printer$0()V"]));
        assert_eq!(after("new ArrayList<>()", "new LinkedList<>()"), bodies(&["<init>()V"]));
        // A class of the JDK that is inside of another is in `InnerClasses`.
        assert_eq!(
            after("items.add(item);", "Map.Entry<T, T> e = Map.entry(item, item); items.add(e.getKey());"),
            bodies(&["push(Ljava/lang/Object;)V"])
        );
    }

    #[test]
    fn a_load_of_a_constant_is_the_same_in_both_its_lengths_and_moves_no_jump() {
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
    fn another_place_to_jump_to_is_another_body() {
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
    fn whatever_else_is_another_is_said() {
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
    fn what_is_no_class_file_is_an_error() {
        assert!(digest(b"cafe").is_err());
        let folder = compile(&[STACK], &["-nowarn"]);
        let bytes = std::fs::read(folder.path().join("Stack.class")).unwrap();
        for length in 0..bytes.len() {
            assert!(digest(&bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn lines_of_bodies_that_are_the_same_are_found_again() {
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

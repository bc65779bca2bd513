//! Class files that nest something 60,000 deep, or refer to it in circles: each is read or refused, in little time.

#![allow(clippy::unwrap_used)]

use crate::classfile::digest::digest;
use crate::classfile::outline::outline;
use crate::classfile::plan::ClassWeave;
use crate::classfile::weave::weave_what_fits;

const DEEP: usize = 60_000;

/// A constant pool. Index 1 is the name of the class, index 2 the class, index 3 `java/lang/Object`, and index 4 that class.
struct Hostile {
    constants: Vec<Vec<u8>>,
    /// The descriptor of its field.
    field: Option<u16>,
    /// The descriptor of its method, and the attributes of the method.
    method: Option<(u16, Vec<u8>)>,
    /// The attributes of the class.
    attributes: Vec<Vec<u8>>,
}

impl Hostile {
    fn new() -> Self {
        let mut class = Self { constants: Vec::new(), field: None, method: None, attributes: Vec::new() };
        class.text("Hostile");
        class.add(7, &[1]);
        class.text("java/lang/Object");
        class.add(7, &[3]);
        class
    }

    /// Adds a constant of that tag, which refers to others; returns its index.
    fn add(&mut self, tag: u8, indexes: &[u16]) -> u16 {
        self.constants.push([vec![tag], indexes.iter().flat_map(|index| index.to_be_bytes()).collect()].concat());
        u16::try_from(self.constants.len()).unwrap()
    }

    fn text(&mut self, text: &str) -> u16 {
        let length = u16::try_from(text.len()).unwrap();
        self.constants.push([&[1], length.to_be_bytes().as_slice(), text.as_bytes()].concat());
        u16::try_from(self.constants.len()).unwrap()
    }

    fn attribute(&mut self, name: &str, info: &[u8]) -> Vec<u8> {
        attribute(self.text(name), info)
    }

    fn bytes(&self) -> Vec<u8> {
        let two = |number: usize| u16::try_from(number).unwrap().to_be_bytes();
        let mut bytes = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61].to_vec();
        bytes.extend(two(self.constants.len() + 1));
        bytes.extend(self.constants.concat());
        bytes.extend([0, 0x21, 0, 2, 0, 4, 0, 0]);
        bytes.extend(two(self.field.iter().count()));
        if let Some(descriptor) = self.field {
            bytes.extend([[0, 1], [0, 1], descriptor.to_be_bytes(), [0, 0]].concat());
        }
        bytes.extend(two(self.method.iter().count()));
        if let Some((descriptor, attributes)) = &self.method {
            bytes.extend([[4, 1], [0, 1], descriptor.to_be_bytes(), two(usize::from(!attributes.is_empty()))].concat());
            bytes.extend(attributes);
        }
        bytes.extend(two(self.attributes.len()));
        bytes.extend(self.attributes.concat());
        bytes
    }
}

fn attribute(name_index: u16, info: &[u8]) -> Vec<u8> {
    let length = u32::try_from(info.len()).unwrap();
    [&name_index.to_be_bytes(), length.to_be_bytes().as_slice(), info].concat()
}

/// Whether all three readers take the class.
fn is_read(class: &Hostile) -> [bool; 3] {
    let bytes = class.bytes();
    let woven = weave_what_fits(&bytes, &ClassWeave { methods: Vec::new() });
    [outline(&bytes).is_ok(), digest(&bytes).is_ok(), woven.is_ok()]
}

const READ: [bool; 3] = [true; 3];
const REFUSED: [bool; 3] = [false; 3];

#[test]
fn a_plain_class_is_read() {
    let mut class = Hostile::new();
    class.field = Some(class.text("[I"));
    let signature = class.text("(I[J)V");
    class.method = Some((signature, Vec::new()));
    assert_eq!(is_read(&class), READ);
}

#[test]
fn descriptors_of_too_many_dimensions_are_refused() {
    let [most, beyond, deep] = [255, 256, DEEP].map(|dimensions| format!("{}I", "[".repeat(dimensions)));
    for (descriptor, expected) in [(most, READ), (beyond, REFUSED), (deep, REFUSED)] {
        let mut field = Hostile::new();
        field.field = Some(field.text(&descriptor));
        assert_eq!(is_read(&field), expected, "field");

        for method in [format!("({descriptor})V"), format!("(I{descriptor}I){descriptor}")] {
            let mut class = Hostile::new();
            let index = class.text(&method[..method.len().min(65_535)]);
            class.method = Some((index, Vec::new()));
            assert_eq!(is_read(&class), expected, "method");
        }

        for tag in [7, 16, 12] {
            let mut class = Hostile::new();
            let index = class.text(&descriptor);
            class.add(tag, if tag == 12 { &[1, 5][..] } else { &[5] });
            assert_eq!((index, is_read(&class)), (5, expected), "tag {tag}");
        }
    }
}

#[test]
fn a_text_may_have_any_number_of_brackets() {
    let mut class = Hostile::new();
    let text = class.text(&"[".repeat(DEEP));
    class.add(8, &[text]);
    assert_eq!(is_read(&class), READ);
}

#[test]
fn deep_annotations_are_refused() {
    let arrays = |depth: usize| [[b'[', 0, 1].repeat(depth), vec![b'I', 0, 1]].concat();
    let annotations = |depth: usize| [[b'@', 0, 1, 0, 1, 0, 1].repeat(depth), vec![b'I', 0, 1]].concat();
    // One annotation with one element.
    let head = [0, 1, 0, 1, 0, 1, 0, 1];
    let type_head = [[0, 1, 0x13, 0].as_slice(), &head[2..]].concat();
    for name in ["RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations", "RuntimeVisibleTypeAnnotations"] {
        let head = if name.contains("Type") { &type_head } else { head.as_slice() };
        for value in [arrays, annotations] {
            let mut class = Hostile::new();
            let flat = class.attribute(name, &[head, &value(3)].concat());
            class.attributes.push(flat);
            assert!(outline(&class.bytes()).is_ok(), "{name}");
            let deep = class.attribute(name, &[head, &value(DEEP)].concat());
            class.attributes.push(deep);
            assert!(outline(&class.bytes()).is_err(), "{name}");
            drop(digest(&class.bytes()));
        }
    }
    let mut class = Hostile::new();
    let default = class.attribute("AnnotationDefault", &arrays(DEEP));
    class.method = Some((1, default));
    assert!(digest(&class.bytes()).is_err());
}

#[test]
fn counts_beyond_the_end_take_no_memory() {
    let mut class = Hostile::new();
    let greedy = class.attribute("RuntimeVisibleAnnotations", &[0xff; 6].repeat(10));
    class.attributes = vec![greedy];
    assert!(outline(&class.bytes()).is_err());
}

#[test]
fn deep_signatures_are_read() {
    let mut class = Hostile::new();
    let signature = class.text(&"LA<".repeat(DEEP / 3));
    let attribute = class.attribute("Signature", &signature.to_be_bytes());
    class.attributes.push(attribute);
    assert_eq!(is_read(&class), READ);
}

#[test]
fn records_and_code_inside_each_other_do_not_exhaust_the_stack() {
    let mut class = Hostile::new();
    let (record, code) = (class.text("Record"), class.text("Code"));
    let mut record_info = vec![0, 0];
    let mut code_info = vec![0, 1, 0, 1, 0, 0, 0, 1, 177, 0, 0, 0, 0];
    for _ in 0..2_000 {
        record_info = [[0, 1, 0, 1, 0, 1, 0, 1].as_slice(), &attribute(record, &record_info)].concat();
        code_info = [[0, 1, 0, 1, 0, 0, 0, 1, 177, 0, 0, 0, 1].as_slice(), &attribute(code, &code_info)].concat();
    }
    class.attributes.push(attribute(record, &record_info));
    let descriptor = class.text("()V");
    class.method = Some((descriptor, attribute(code, &code_info)));
    assert!(outline(&class.bytes()).is_ok());
    assert!(digest(&class.bytes()).is_err());
}

#[test]
fn an_attribute_ends_where_its_length_says() {
    let mut class = Hostile::new();
    // Its length is 4. Its own count asks for more.
    let long = class.attribute("InnerClasses", &[0, 9, 0, 1]);
    // Bytes follow its end.
    let short = class.attribute("SourceFile", &[0, 1, 0, 1]);
    for attribute in [long, short] {
        class.attributes = vec![attribute];
        assert!(outline(&class.bytes()).is_err());
    }
}

#[test]
fn constants_that_refer_to_each_other_twice_take_little_time() {
    let mut class = Hostile::new();
    class.field = Some(1);
    // Forty levels of two references each.
    let mut last = 1;
    for _ in 0..40 {
        last = class.add(9, &[last, last]);
    }
    let value = class.attribute("Signature", &last.to_be_bytes());
    class.attributes.push(value);
    let since = std::time::Instant::now();
    drop(digest(&class.bytes()));
    assert!(since.elapsed().as_secs() < 5);
}

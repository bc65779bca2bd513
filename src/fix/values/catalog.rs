//! The catalog of values for one test class: Java expressions of any type.

use crate::classfile::names::Member;
use crate::classfile::outline::{ClassOutline, MethodOutline};
use crate::classfile::outlines::Outlines;
use crate::fix::source::imports::NewImport;
use crate::fix::source::test_source::TestSource;
use crate::fix::subject::Subject;
use crate::fix::values::constants::constants;
use crate::fix::values::questions::questions;
use crate::fix::values::usual::UsualValues;
use crate::fix::values::value::{VALUES, Value};
use crate::text::words;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The cost of `null`, which comes last.
const NULL_COST: usize = 40;

/// Values by type and depth.
type Known = BTreeMap<(String, usize), Rc<[Value]>>;

/// Values for the tests of one method in one test source.
pub struct Values<'a> {
    pub(super) outlines: &'a Outlines,
    pub(super) usual: &'a UsualValues,
    pub(super) source: &'a TestSource,
    pub(super) texts: Vec<String>,
    pub(super) numbers: Vec<i64>,
    /// By type, the methods that return it.
    pub(super) makers: BTreeMap<String, Vec<(&'a ClassOutline, &'a MethodOutline)>>,
    /// Methods with a result that the method may call, nearest first: a mock may be asked these.
    pub(super) asked: Vec<Member>,
    known: RefCell<Known>,
}

impl<'a> Values<'a> {
    #[must_use]
    pub fn new(subject: &Subject<'a>, source: &'a TestSource, usual: &'a UsualValues) -> Self {
        let (texts, numbers) = constants(subject, source);
        let mut makers: BTreeMap<String, Vec<(&ClassOutline, &MethodOutline)>> = BTreeMap::new();
        for class in subject.outlines.classes() {
            for method in class.methods.iter().filter(|method| !method.name.starts_with('<')) {
                if let Some(returned) = method.returned.strip_prefix('L').and_then(|name| name.strip_suffix(';')) {
                    makers.entry(returned.replace('/', ".")).or_default().push((class, method));
                }
            }
        }
        let asked = if usual.mocks { questions(subject, &source.package) } else { Vec::new() };
        Self { outlines: subject.outlines, usual, source, texts, numbers, makers, asked, known: RefCell::default() }
    }

    /// The package of the test.
    #[must_use]
    pub fn package(&self) -> &str {
        &self.source.package
    }

    /// Whether the values may include mocks.
    #[must_use]
    pub fn has_mocks(&self) -> bool {
        self.usual.mocks
    }

    /// Values of a type in Java notation (`int`, `java.lang.String[]`, binary names), cheapest
    /// first, `null` last. Objects are made of objects up to this depth.
    #[must_use]
    pub fn of(&self, type_name: &str, depth: usize) -> Rc<[Value]> {
        let key = (type_name.to_owned(), depth);
        if let Some(known) = self.known.borrow().get(&key) {
            return Rc::clone(known);
        }
        let found: Rc<[Value]> = self.made(type_name, depth).into();
        self.known.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    fn made(&self, type_name: &str, depth: usize) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        if let Some(element) = type_name.strip_suffix("[]") {
            found.extend(self.arrays(element, depth));
        } else {
            found.extend(self.mined(type_name));
            if let Some((codes, imports)) = self.usual.by_type.get(type_name) {
                let imports: Vec<NewImport> =
                    imports.iter().map(|name| NewImport { is_static: false, name: name.clone() }).collect();
                let first = if found.is_empty() { 0 } else { 2 };
                found.extend(codes.iter().enumerate().map(|(index, code)| Value {
                    code: code.clone(),
                    imports: imports.clone(),
                    cost: first + index,
                    ..Value::default()
                }));
            }
            found.extend(self.objects(type_name, depth));
            if found.is_empty() {
                found.extend(self.stubs(type_name, depth));
            }
            found.extend(self.mocks(type_name, found.is_empty(), depth));
        }
        found.sort_by_key(|value| value.cost);
        let mut unique: Vec<Value> = Vec::new();
        for value in found {
            if unique.len() < VALUES
                && !unique.iter().any(|known| known.code == value.code && known.before == value.before)
            {
                unique.push(value);
            }
        }
        if type_name.contains('.') || type_name.ends_with("[]") {
            unique.push(Value { code: "null".to_owned(), cost: NULL_COST, ..Value::default() });
        }
        unique
    }

    /// A class or primitive type as it is written in the source, and its imports.
    #[must_use]
    pub fn written(&self, class: &str) -> (String, Vec<NewImport>) {
        if !class.contains('.') && self.outlines.class(class).is_none() {
            return (class.to_owned(), Vec::new());
        }
        let top = words::top_level(class);
        let name = words::simple_name(top);
        let is_taken = self
            .source
            .imports
            .iter()
            .any(|import| !import.is_static && import.name != top && import.name.rsplit('.').next() == Some(name))
            || self.source.types.iter().any(|one| one.class != top && words::simple_name(&one.class) == name);
        if is_taken {
            return (class.replace('$', "."), Vec::new());
        }
        (words::short_class(class), vec![NewImport { is_static: false, name: top.to_owned() }])
    }
}

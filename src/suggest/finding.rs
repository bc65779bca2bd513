//! The facts about a finding that all rules use: the method and its transformation in words, the
//! home of a new test, and the calls.

use super::Input;
use super::home::{self, Home};
use super::snippet::Snippet;
use crate::base::id::TestId;
use crate::code::Signature;
use crate::diagnose::{At, CallSeen, Diagnosis, Evidence, SeenValue};
use crate::observe::Part;
use crate::text::escape;
use crate::text::words;
use crate::transform::{Method, Transformation};
use minijinja::Value;
use std::path::PathBuf;

/// JVMS table 4.6-A.
const ACC_STATIC: u16 = 0x0008;

pub(super) struct Finding<'a> {
    pub input: &'a Input<'a>,
    pub diagnosis: &'a Diagnosis,
    /// Tests that are skipped under the transformation.
    pub skipped: &'a [TestId],
    pub transformation: &'a Transformation,
    pub method: &'a Method,
    pub signature: Signature,
    pub home: Option<Home>,
}

/// A suggestion of a rule before its text is written: the values of the text, and where the new
/// code belongs.
pub(super) struct Proposal {
    /// Smaller is more useful. For suggestions about a place, the index of its evidence.
    pub rank: usize,
    pub values: Value,
    pub entry_points: Vec<String>,
    pub accessors: Vec<String>,
    pub file: Option<PathBuf>,
    pub line: Option<u32>,
    /// The code that the text prints.
    pub snippet: Option<Snippet>,
}

impl<'a> Finding<'a> {
    pub fn new(input: &'a Input<'a>, diagnosis: &'a Diagnosis, skipped: &'a [TestId]) -> Option<Self> {
        let transformation = input.transformations.transformations.get(diagnosis.transformation)?;
        let method = input.transformations.methods.get(transformation.method)?;
        let signature = Signature {
            class: method.class.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            is_static: method.access & ACC_STATIC != 0,
        };
        let home = home::home(input, &method.class);
        Some(Self { input, diagnosis, skipped, transformation, method, signature, home })
    }

    /// Whether an assertion in a test, at the place of this evidence, could see the difference.
    ///
    /// It cannot if the transformation skips the test: then the test does not reach the exception,
    /// or the exception is the one that skips it.
    pub fn is_place(&self, evidence: &Evidence) -> bool {
        let is_one_sided = evidence.original.is_none() || evidence.transformed.is_none();
        let is_of_skipping = evidence.part == Part::Exception && is_one_sided && self.skipped.contains(&evidence.test);
        evidence.at == At::Test && !is_of_skipping
    }

    /// The replacement of the body, to follow "with": `returning always `true``, `an empty body`.
    pub fn instead(&self) -> Value {
        let markdown = match words::constant(&self.transformation.name, &self.method.descriptor) {
            None => "an empty body".to_owned(),
            Some((source, true)) => format!("the constant {}", escape::code(&source)),
            Some((text, false)) => text,
        };
        Value::from_safe_string(markdown)
    }

    /// The constant itself in words; undefined for `void`.
    pub fn constant(&self) -> Value {
        match words::constant(&self.transformation.name, &self.method.descriptor) {
            None => Value::from(()),
            Some((source, true)) => Value::from(source),
            Some((text, false)) => Value::from_safe_string(text),
        }
    }

    /// The package of the test that would call the method.
    pub fn test_package(&self) -> &str {
        words::package(self.home.as_ref().map_or(self.method.class.as_str(), |home| home.class.as_str()))
    }

    /// The package of the code that would read the property: the test of the evidence, or else the
    /// test that would call the method.
    pub fn reading_package(&self, evidence: &Evidence) -> String {
        let of_file = || self.input.sources.test_package_of(evidence.file.as_deref()?);
        let of_test = || Some(words::package(&self.input.coverage.tests.get(evidence.test)?.class).to_owned());
        let of_place = (evidence.at == At::Test).then(|| of_file().or_else(of_test)).flatten();
        of_place.unwrap_or_else(|| self.test_package().to_owned())
    }

    /// The class, or its nearest superclass that the code about this evidence can name.
    pub fn nameable(&self, evidence: &Evidence, class: &str) -> String {
        self.input.structure.nameable(class, &self.reading_package(evidence))
    }

    /// The simple name of the class in which a new test belongs.
    pub fn home_name(&self) -> Value {
        match &self.home {
            Some(home) if home.is_new => {
                let name = escape::code(&words::short_class(&home.class));
                Value::from_safe_string(format!("a new class {name}"))
            }
            Some(home) => Value::from(words::short_class(&home.class)),
            None => Value::from_safe_string("a new test class".to_owned()),
        }
    }

    /// Whether a test can call the method and name its class. `equals` can be called on an object of
    /// a private class, but a test has no such object.
    pub fn is_accessible(&self) -> bool {
        let (structure, package) = (self.input.structure, self.test_package());
        structure.is_accessible(&self.signature, package)
            && structure.nameable(&self.method.class, package) == self.method.class
    }

    /// A suggestion to write something in the test class of the method's class.
    pub fn at_home(&self, values: Value) -> Proposal {
        Proposal {
            rank: 0,
            values,
            entry_points: vec![],
            accessors: vec![],
            file: self.home.as_ref().and_then(|home| home.file.clone()),
            line: None,
            snippet: None,
        }
    }

    /// A test that runs the method, if any is known.
    pub fn any_test(&self) -> Option<TestId> {
        let seen = self.diagnosis.evidence.iter().map(|evidence| evidence.test);
        let covering = self.input.coverage.covering.get(self.transformation.method).into_iter().flatten().copied();
        seen.chain(self.diagnosis.calls.iter().map(|call| call.test)).chain(covering).next()
    }

    pub fn test_name(&self, test: TestId) -> String {
        match self.input.coverage.tests.get(test) {
            Some(test) => words::short_test(&test.name, &test.class),
            None => String::new(),
        }
    }

    /// The call to start a new test from: the most frequent one, or one in which the original
    /// showed the value of `evidence`.
    pub fn model_call(&self, evidence: Option<&Evidence>) -> Option<&'a CallSeen> {
        let calls = &self.diagnosis.calls;
        let Some(evidence) = evidence else { return calls.first() };
        let exact = calls.iter().find(|call| call.test == evidence.test && call.invocation == evidence.invocation);
        exact
            .or_else(|| {
                // Calls that looked the same are listed once. A call with the same result will do
                // as well, since the transformation changes it.
                let original = evidence.original.as_deref().filter(|value| is_literal(value))?;
                (evidence.part == Part::Result && evidence.path.is_empty())
                    .then(|| {
                        calls.iter().find(|call| call.result.as_ref().is_some_and(|result| result.value == original))
                    })
                    .flatten()
            })
            // The arguments of a different call do not belong to this evidence, unless all calls
            // looked the same.
            .or_else(|| {
                calls
                    .first()
                    .filter(|_| calls.len() == 1 && self.diagnosis.calls_cut == 0 && !self.diagnosis.calls_vary)
            })
    }

    /// A call as it could be written in a test: `versionedSet.contains("a")`. Objects without a
    /// literal value become variables.
    pub fn call_code(&self, call: Option<&CallSeen>) -> String {
        let (parameters, _) = words::types(&self.method.descriptor);
        let arguments: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(index, parameter)| argument(parameter, call.and_then(|call| call.arguments.get(index))))
            .collect();
        let on = if self.signature.is_static {
            words::short_class(&self.method.class)
        } else {
            words::variable(&self.method.class)
        };
        format!("{on}.{}({})", self.method.name, arguments.join(", "))
    }

    /// Names and types (binary names) of the variables in the code of a call. Of two with one name,
    /// the first counts.
    pub fn call_variables(&self, call: Option<&CallSeen>) -> Vec<(String, String)> {
        let mut variables = Vec::new();
        if !self.signature.is_static {
            variables.push((words::variable(&self.method.class), self.method.class.clone()));
        }
        let (parameters, _) = words::types(&self.method.descriptor);
        for (index, parameter) in parameters.into_iter().enumerate() {
            let name = words::variable(&parameter);
            let is_written = argument(&parameter, call.and_then(|call| call.arguments.get(index))) == name;
            if is_written && variables.iter().all(|(known, _)| *known != name) {
                variables.push((name, parameter));
            }
        }
        variables
    }

    /// Describes a call in a few words of Markdown:
    /// `first argument `"a"`, and afterwards `.size` = `2` in the receiver`. Empty if there is
    /// nothing to say.
    ///
    /// States are those after the call, because probes read them when the method returns.
    pub fn call_words(&self, call: &CallSeen, with_receiver: bool) -> Value {
        const MOST: usize = 4;
        let mut markdown = Vec::new();
        for (index, argument) in call.arguments.iter().enumerate().take(MOST) {
            let which = words::ordinal(u16::try_from(index).unwrap_or(u16::MAX));
            markdown.push(match argument.atoms.is_empty() {
                true => format!("{which} argument {}", value_words(&argument.value, &argument.type_name)),
                false => format!(
                    "{which} argument {} with {}",
                    value_words(&argument.value, &argument.type_name),
                    atoms(&argument.atoms)
                ),
            });
        }
        if let Some(more) = call.arguments.len().checked_sub(MOST).filter(|&more| more > 0) {
            markdown.push(format!("{more} more"));
        }
        if with_receiver && !call.receiver.is_empty() {
            // Fields that the method itself reads come first.
            let reads = self.input.structure.fields_read_by(&self.signature);
            let is_read = |path: &str| {
                let field = path.strip_prefix('.').unwrap_or(path);
                reads.iter().any(|read| {
                    field.strip_prefix(read.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
                })
            };
            let (mut first, rest): (Vec<_>, Vec<_>) =
                call.receiver.iter().cloned().partition(|(path, _)| is_read(path));
            first.extend(rest);
            markdown.push(format!("and afterwards {} in the receiver", atoms(&first)));
        }
        let text = markdown.join(", ");
        Value::from_safe_string(text.strip_prefix("and ").unwrap_or(&text).to_owned())
    }

    /// The number of calls in words, as far as they were counted: `in all 12 calls`.
    pub fn in_all_calls(&self) -> Value {
        let times: u64 = self.diagnosis.calls.iter().map(|call| call.count).sum();
        let distinct = self.diagnosis.calls.len();
        let is_counted = self.diagnosis.calls_cut == 0 && !self.diagnosis.calls_vary;
        let mut text = match times {
            _ if !is_counted => "in every call".to_owned(),
            0 => "in every call".to_owned(),
            1 => "in its only call".to_owned(),
            2 => "in both calls".to_owned(),
            times => format!("in all {times} calls"),
        };
        if is_counted && distinct > 1 {
            text.push_str(&format!(" ({distinct} different ones)"));
        }
        Value::from_safe_string(text)
    }

    /// The class whose field begins the path of the evidence: the observed class, or else the
    /// declared one.
    pub fn owner(&self, evidence: &Evidence) -> Option<String> {
        if let Some(owner) = &evidence.owner {
            return Some(owner.clone());
        }
        let (parameters, result) = words::types(&self.method.descriptor);
        match evidence.part {
            Part::Receiver | Part::Static => Some(self.method.class.clone()),
            Part::Argument(index) => parameters.get(usize::from(index)).cloned(),
            Part::Result => Some(result),
            Part::Exception | Part::Expression => None,
        }
    }
}

/// Whether a recorded value (`observe::Property::value`) is Java source. Otherwise it describes an
/// object or a value that varies.
pub(crate) fn is_literal(value: &str) -> bool {
    match value.chars().next() {
        Some('"' | '\'') => true,
        // A constructor or a call may have several arguments.
        Some(_) => {
            let word = value.split(' ').next().unwrap_or_default();
            value != "non-null" && !value.contains('…') && (word == value || word == "new" || word.contains('('))
        }
        None => false,
    }
}

/// Whether a recorded value is an expression in Java. The value of an exception is the name of its
/// class, which is none.
pub(crate) fn is_expression(value: &str) -> bool {
    let is_name = value.chars().all(|one| one.is_alphanumeric() || matches!(one, '.' | '_' | '$'));
    let is_qualified = value.starts_with(char::is_lowercase) && value.contains('.') && !value.ends_with(".class");
    let is_simple = value.starts_with(char::is_uppercase) && !value.contains('.');
    is_literal(value) && !(is_name && (is_qualified || is_simple))
}

/// A recorded value in words: its Java source, or `a `Stack`` for an object without a literal
/// value.
pub(super) fn value_words(value: &str, type_name: &str) -> String {
    if is_literal(value) {
        return escape::code_short(value, escape::LONGEST);
    }
    if !value.starts_with("non-null") {
        return escape::prose(value);
    }
    // `non-null (some.Type)` names the class.
    let class = value.strip_prefix("non-null (").and_then(|rest| rest.strip_suffix(')')).unwrap_or(type_name);
    if class.is_empty() || class == "java.lang.Object" {
        return "an object".to_owned();
    }
    let article =
        if class.rsplit('.').next().is_some_and(|name| name.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o'])) {
            "an"
        } else {
            "a"
        };
    format!("{article} {}", escape::code(&words::short_class(class)))
}

fn atoms(atoms: &[(String, String)]) -> String {
    const MOST: usize = 3;
    // A number or a string says more about an object than a reference to another object.
    let mut shown: Vec<&(String, String)> = atoms.iter().filter(|(_, value)| is_literal(value)).collect();
    if shown.is_empty() {
        shown = atoms.iter().collect();
    }
    let more = if shown.len() > MOST { ", …" } else { "" };
    let list: Vec<String> = shown
        .iter()
        .take(MOST)
        .map(|(path, value)| format!("{} = {}", escape::code_short(path, 60), escape::code_short(value, 40)))
        .collect();
    list.join(", ") + more
}

fn argument(parameter: &str, seen: Option<&SeenValue>) -> String {
    const LONGEST: usize = 40;
    match seen {
        Some(seen) if is_literal(&seen.value) && seen.value.chars().count() <= LONGEST => match parameter {
            "byte" | "short" => format!("({parameter}) {}", seen.value),
            "long" if seen.value.bytes().all(|c| c.is_ascii_digit() || c == b'-') => format!("{}L", seen.value),
            "float" if seen.value.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'-' | b'.')) => {
                format!("{}f", seen.value)
            }
            _ => seen.value.clone(),
        },
        _ => words::variable(parameter),
    }
}

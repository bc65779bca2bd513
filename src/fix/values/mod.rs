//! From a type to Java expressions of it that a new test could use: constants of the program and its tests, usual ones, objects made from those.

mod constants;
mod mocks;
mod objects;
mod stubs;
#[cfg(test)]
mod tests;

use crate::base::error::{Error, Result};
use crate::classfile::names::Member;
use crate::classfile::outline::{ClassOutline, MethodOutline};
use crate::classfile::outlines::Outlines;
use crate::fix::source::style::Needed;
use crate::fix::source::test_source::TestSource;
use crate::fix::techniques::{Subject, simple};
use crate::text::words;
use constants::constants;
use mocks::asked;
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The usual values, as they are in the repository.
const RULES: &str = include_str!("../../../rules/values.toml");
/// Most values of one type.
const VALUES: usize = 250;
/// Most constructors, factories on objects and subclasses that are tried for one class.
const WAYS: usize = 6;
/// Most texts of which arrays of characters are made.
const TEXTS: usize = 8;
/// Most long texts that are changed, and most characters that are put into each.
const EDITED: usize = 3;
/// So many bytes are long.
const LONG: usize = 12;
/// What such a text costs.
const EDITED_COST: usize = 9;
/// Most lists of arguments for one constructor or factory.
const LISTS: usize = 5;
/// Most values of a parameter of variable arity, each once and twice.
const VARIABLE: usize = 6;
/// What a text of several words costs.
const SENTENCE_COST: usize = 30;
/// What `null` costs: it comes last.
const NULL_COST: usize = 40;

/// An expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Statements that come before: of a new object in a variable, and what is done to it.
    pub before: Vec<String>,
    pub code: String,
    pub imports: Vec<Needed>,
    /// Binary names of the checked and other exceptions that what it calls declares.
    pub throws: Vec<String>,
    /// Fewer is better.
    pub cost: usize,
}

/// An entry of `rules/values.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Usual {
    r#type: String,
    code: Vec<String>,
    #[serde(default)]
    imports: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    value: Vec<Usual>,
}

/// What tests can use that is not the project's own.
pub struct UsualValues {
    /// The usual values and what they need imported, by type.
    by_type: BTreeMap<String, (Vec<String>, Vec<String>)>,
    /// The tests have Mockito.
    mocks: bool,
}

impl UsualValues {
    /// # Errors
    /// When `rules/values.toml` cannot be read: a bug, since it is part of the binary.
    pub fn read(mocks: bool) -> Result<Self> {
        let rules: Rules =
            toml::from_str(RULES).map_err(|error| Error::bug(format!("rules/values.toml cannot be read: {error}.")))?;
        let by_type = rules.value.into_iter().map(|one| (one.r#type, (one.code, one.imports))).collect();
        Ok(Self { by_type, mocks })
    }
}

/// By type and depth.
type Known = BTreeMap<(String, usize), Rc<[Value]>>;

/// Values for the tests of one method in one test source.
pub struct Values<'a> {
    outlines: &'a Outlines,
    usual: &'a UsualValues,
    source: &'a TestSource,
    texts: Vec<String>,
    numbers: Vec<i64>,
    /// By type, static methods and methods that make one.
    makers: BTreeMap<String, Vec<(&'a ClassOutline, &'a MethodOutline)>>,
    /// Methods with a result that the method may call, nearest first: what mocks are asked.
    asked: Vec<Member>,
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
        let asked = if usual.mocks { asked(subject, &source.package) } else { Vec::new() };
        Self { outlines: subject.outlines, usual, source, texts, numbers, makers, asked, known: RefCell::default() }
    }

    /// The package of the test.
    #[must_use]
    pub fn package(&self) -> &str {
        &self.source.package
    }

    /// Whether mocks are among them.
    #[must_use]
    pub fn has_mocks(&self) -> bool {
        self.usual.mocks
    }

    /// Values of a type in Java's notation (`int`, `java.lang.String[]`, binary names), cheapest first, `null` last. Objects are made of
    /// objects up to this depth.
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
                let imports: Vec<Needed> =
                    imports.iter().map(|name| Needed { is_static: false, name: name.clone() }).collect();
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

    /// Constants of the program and of the tests.
    fn mined(&self, type_name: &str) -> Vec<Value> {
        let plain = |code: String, cost: usize| Value { code, cost, ..Value::default() };
        let numbers = || self.numbers.iter().enumerate();
        match type_name {
            "java.lang.String" | "java.lang.CharSequence" => {
                // Parts of messages are hardly what anybody would try first.
                let strangeness = |text: &str| match text {
                    text if is_word(text) => 0,
                    text if text.contains(' ') => SENTENCE_COST,
                    _ => 6,
                };
                let cost = |index: usize, text: &str| 1 + index + strangeness(text);
                let texts = self.texts.iter().enumerate().map(|(index, text)| plain(text.clone(), cost(index, text)));
                let edited = self.edited().into_iter().enumerate();
                texts.chain(edited.map(|(index, text)| plain(text, EDITED_COST + 2 * index))).collect()
            }
            "int" => numbers()
                .filter_map(|(index, number)| Some(plain(i32::try_from(*number).ok()?.to_string(), 4 + index)))
                .collect(),
            "long" => numbers().map(|(index, number)| plain(format!("{number}L"), 4 + index)).collect(),
            "char" | "byte" => {
                let characters =
                    numbers().filter_map(|(_, number)| char::from_u32(u32::try_from(*number).ok()?)).chain(
                        self.texts
                            .iter()
                            .flat_map(|text| text.trim_matches('"').chars().take(2).collect::<Vec<char>>()),
                    );
                let printable = characters
                    .filter(|one| (one.is_ascii_graphic() || *one == ' ') && !matches!(one, '\'' | '\\' | '"'));
                let cast = if type_name == "byte" { "(byte) " } else { "" };
                printable.enumerate().map(|(index, one)| plain(format!("{cast}'{one}'"), 4 + index)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Long texts with a character at their beginning that the program asks for.
    fn edited(&self) -> Vec<String> {
        let mut long: Vec<&String> =
            self.texts.iter().filter(|text| text.len() >= LONG && !text.contains([' ', '\\'])).take(EDITED).collect();
        long.sort_by_key(|text| !is_word(text));
        let characters = self.numbers.iter().filter_map(|number| u8::try_from(*number).ok()).map(char::from);
        let characters: Vec<char> =
            characters.filter(|one| one.is_ascii_punctuation() && !matches!(one, '"' | '\\')).take(EDITED).collect();
        let edited = |text: &String| {
            let rest = text.get(2..).unwrap_or_default().to_owned();
            characters.iter().map(move |one| format!("\"{one}{rest}")).collect::<Vec<String>>()
        };
        long.into_iter().flat_map(edited).collect()
    }

    fn arrays(&self, element: &str, depth: usize) -> Vec<Value> {
        let (written, imports) = self.written(element.trim_end_matches("[]"));
        let written = format!("{written}{}", "[]".repeat(element.matches("[]").count()));
        let dimensions = element.matches("[]").count();
        let empty = if dimensions == 0 {
            format!("new {written}[0]")
        } else {
            format!("new {}[0]{}", written.trim_end_matches("[]"), "[]".repeat(dimensions))
        };
        let mut found = Vec::new();
        for (index, value) in
            self.of(element, depth.saturating_sub(1)).iter().filter(|one| one.code != "null").take(4).enumerate()
        {
            let of_all = value.imports.iter().chain(&imports).cloned().collect();
            let inner = value.code.strip_prefix("(byte) ").filter(|_| element == "byte").unwrap_or(&value.code);
            found.push(Value {
                before: value.before.clone(),
                code: format!("new {written}[] {{{inner}}}"),
                imports: of_all,
                throws: value.throws.clone(),
                cost: value.cost.min(3) + 1 + index,
            });
        }
        found.push(Value { code: empty, imports, cost: 4, ..Value::default() });
        if element == "char" {
            let mut texts = self.mined("java.lang.String");
            texts.sort_by_key(|text| text.cost);
            found.extend(texts.into_iter().take(TEXTS).enumerate().map(|(index, text)| Value {
                code: format!("{}.toCharArray()", text.code),
                cost: 2 + index,
                ..text
            }));
        }
        found
    }

    /// Positions of the parameters at which another method of that name has another type, so that `null` is not clear.
    #[must_use]
    pub fn overloads(&self, class: &ClassOutline, method: &MethodOutline) -> Vec<usize> {
        let (own, _) = words::types(&method.descriptor);
        let others = class.methods.iter().filter(|other| {
            other.name == method.name && other.parameters == method.parameters && other.descriptor != method.descriptor
        });
        let mut found = Vec::new();
        for other in others {
            let (theirs, _) = words::types(&other.descriptor);
            found.extend(
                own.iter().zip(&theirs).enumerate().filter(|(_, (one, two))| one != two).map(|(index, _)| index),
            );
        }
        found
    }

    /// Lists of arguments, cheapest first.
    #[must_use]
    pub fn lists(
        &self,
        parameters: &[String],
        is_varargs: bool,
        depth: usize,
        most: usize,
        overloaded: &[usize],
    ) -> Vec<Arguments> {
        let last = parameters.len().wrapping_sub(1);
        let mut choices: Vec<Vec<Arguments>> = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let element = parameter.strip_suffix("[]").filter(|_| is_varargs && index == last);
            choices.push(match element {
                Some(element) => {
                    let values = self.of(element, depth);
                    let mut lists: Vec<Arguments> = Vec::new();
                    for value in values.iter().filter(|one| one.code != "null").take(VARIABLE) {
                        let one = Arguments(vec![value.clone()]);
                        let two = Arguments(vec![value.clone(), Value { cost: value.cost + 1, ..value.clone() }]);
                        lists.extend([one, two]);
                    }
                    lists.insert(lists.len().min(1), Arguments::default());
                    lists
                }
                None => {
                    let values = self.of(parameter, depth);
                    let typed = |value: &Value| {
                        if value.code == "null" && overloaded.contains(&index) {
                            let (written, imports) = self.written(parameter.trim_end_matches("[]"));
                            let brackets = "[]".repeat(parameter.matches("[]").count());
                            Value { code: format!("({written}{brackets}) null"), imports, ..value.clone() }
                        } else {
                            value.clone()
                        }
                    };
                    values.iter().map(|value| Arguments(vec![typed(value)])).collect()
                }
            });
        }
        combined(&choices, most)
    }

    /// How a class or primitive type is written in the source, and what has to be imported for that.
    #[must_use]
    pub fn written(&self, class: &str) -> (String, Vec<Needed>) {
        if !class.contains('.') && self.outlines.class(class).is_none() {
            return (class.to_owned(), Vec::new());
        }
        let top = words::top_level(class);
        let name = simple(top);
        let is_taken = self
            .source
            .imports
            .iter()
            .any(|import| !import.is_static && import.name != top && import.name.rsplit('.').next() == Some(name))
            || self.source.types.iter().any(|one| one.class != top && simple(&one.class) == name);
        if is_taken {
            return (class.replace('$', "."), Vec::new());
        }
        (words::short_class(class), vec![Needed { is_static: false, name: top.to_owned() }])
    }
}

/// Arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(pub Vec<Value>);

impl Arguments {
    #[must_use]
    pub fn cost(&self) -> usize {
        self.0.iter().map(|value| value.cost).sum()
    }

    /// What a call with them gives.
    #[must_use]
    pub fn called(&self, what: &str, imports: Vec<Needed>, throws: &[String]) -> Value {
        let codes: Vec<&str> = self.0.iter().map(|value| value.code.as_str()).collect();
        let mut before: Vec<String> = Vec::new();
        for value in &self.0 {
            add_new(&mut before, &value.before);
        }
        Value {
            before,
            code: format!("{what}({})", codes.join(", ")),
            imports: self.0.iter().flat_map(|value| value.imports.iter().cloned()).chain(imports).collect(),
            throws: self.0.iter().flat_map(|value| &value.throws).chain(throws).cloned().collect(),
            cost: self.cost() + 1 + self.0.len(),
        }
    }
}

impl Value {
    /// After one more statement.
    #[must_use]
    fn then(mut self, line: String) -> Self {
        self.before.push(line);
        self.cost += objects::STATEMENT_COST;
        self
    }

    /// After a call as one more statement.
    #[must_use]
    fn then_call(self, call: &Self) -> Self {
        let line = format!("{};", call.code);
        let code = self.code.clone();
        // What the call needs comes before it, and behind what is there.
        let mut before = self.before.clone();
        add_new(&mut before, &call.before);
        let mut all = self.after(&Self { before: Vec::new(), ..call.clone() });
        (all.before, all.code) = (before, code);
        all.then(line)
    }

    /// With what another expression in it needs.
    #[must_use]
    pub fn after(mut self, other: &Self) -> Self {
        let own = std::mem::replace(&mut self.before, other.before.clone());
        add_new(&mut self.before, &own);
        self.imports.extend(other.imports.iter().cloned());
        self.throws.extend(other.throws.iter().cloned());
        self.cost += other.cost;
        self
    }
}

/// Whether a text, with its quotes, has nothing but letters and digits.
fn is_word(text: &str) -> bool {
    text.trim_matches('"').chars().all(|one| one.is_ascii_alphanumeric())
}

/// An object that is used twice is made once.
fn add_new(lines: &mut Vec<String>, more: &[String]) {
    for line in more {
        if !lines.contains(line) {
            lines.push(line.clone());
        }
    }
}

/// So many lists of one choice each, those first that are the first choices.
fn combined(choices: &[Vec<Arguments>], most: usize) -> Vec<Arguments> {
    let mut lists: Vec<(usize, Arguments)> = vec![(0, Arguments::default())];
    for choice in choices {
        let of_list = |(rank, list)| choice.iter().enumerate().map(move |(index, one)| (rank + index, list, one));
        let mut longer: Vec<(usize, &Arguments, &Arguments)> =
            lists.iter().map(|(rank, list)| (*rank, list)).flat_map(of_list).collect();
        longer.sort_by_key(|(rank, ..)| *rank);
        longer.truncate(most);
        let joined =
            |(rank, list, one): (usize, &Arguments, &Arguments)| (rank, Arguments([&*list.0, &one.0].concat()));
        lists = longer.into_iter().map(joined).collect();
    }
    lists.into_iter().map(|(_, list)| list).collect()
}

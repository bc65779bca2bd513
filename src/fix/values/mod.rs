//! From a type to Java expressions of it that a new test could use: constants of the program and its tests, usual ones, objects made from those.

mod constants;
#[cfg(test)]
mod tests;

use super::source::TestSource;
use super::style::Needed;
use super::techniques::{Subject, simple};
use crate::classfile::outline::{ABSTRACT, ClassOutline, INTERFACE, MethodOutline, PRIVATE, PUBLIC, STATIC, VARARGS};
use crate::classfile::outlines::Outlines;
use crate::error::{Error, Result};
use crate::suggest::words;
use constants::constants;
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The usual values, as they are in the repository.
const RULES: &str = include_str!("../../../rules/values.toml");
/// Most values of one type.
const VALUES: usize = 100;
/// Most objects of one class of the project.
const OBJECTS: usize = 24;
/// Most constructors, factories on objects and subclasses that are tried for one class.
const WAYS: usize = 6;
/// Most static factories.
const FACTORIES: usize = 10;
/// Most methods that change an object before it is used.
const CHANGES: usize = 12;
/// Most texts of which arrays of characters are made.
const TEXTS: usize = 8;
/// Most long texts that are changed, and most characters that are put into each.
const EDITED: usize = 3;
/// So many bytes are long.
const LONG: usize = 12;
/// What such a text costs.
const EDITED_COST: usize = 9;
/// What the next object costs that is made in the same way.
const WAY_COST: usize = 3;
/// Most lists of arguments for one constructor or factory.
const LISTS: usize = 5;
/// Most values of a parameter of variable arity, each once and twice.
const VARIABLE: usize = 6;
/// What `null` costs: it comes last.
const NULL_COST: usize = 40;

/// An expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
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

/// The usual values by type.
pub struct UsualValues(BTreeMap<String, (Vec<String>, Vec<String>)>);

impl UsualValues {
    /// # Errors
    /// When `rules/values.toml` cannot be read: a bug, since it is part of the binary.
    pub fn read() -> Result<Self> {
        let rules: Rules =
            toml::from_str(RULES).map_err(|error| Error::bug(format!("rules/values.toml cannot be read: {error}.")))?;
        Ok(Self(rules.value.into_iter().map(|one| (one.r#type, (one.code, one.imports))).collect()))
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
        Self { outlines: subject.outlines, usual, source, texts, numbers, makers, known: RefCell::default() }
    }

    /// The package of the test.
    #[must_use]
    pub fn package(&self) -> &str {
        &self.source.package
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
            if let Some((codes, imports)) = self.usual.0.get(type_name) {
                let imports: Vec<Needed> =
                    imports.iter().map(|name| Needed { is_static: false, name: name.clone() }).collect();
                let first = if found.is_empty() { 0 } else { 2 };
                found.extend(codes.iter().enumerate().map(|(index, code)| Value {
                    code: code.clone(),
                    imports: imports.clone(),
                    throws: Vec::new(),
                    cost: first + index,
                }));
            }
            found.extend(self.objects(type_name, depth));
        }
        found.sort_by_key(|value| value.cost);
        let mut unique: Vec<Value> = Vec::new();
        for value in found {
            if unique.len() < VALUES && !unique.iter().any(|known| known.code == value.code) {
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
                let inner = |text: &str| text.trim_matches('"').to_owned();
                let is_word = |text: &str| inner(text).chars().all(|one| one.is_ascii_alphanumeric());
                // Parts of messages are hardly what anybody would try first.
                let cost = |index: usize, text: &str| 1 + index + if is_word(text) { 0 } else { 6 };
                let texts = self.texts.iter().enumerate().map(|(index, text)| plain(text.clone(), cost(index, text)));
                texts.chain(self.edited().into_iter().map(|text| plain(text, EDITED_COST))).collect()
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
        let long = self.texts.iter().filter(|text| text.len() >= LONG && !text.contains([' ', '\\'])).take(EDITED);
        let characters = self.numbers.iter().filter_map(|number| u8::try_from(*number).ok()).map(char::from);
        let characters: Vec<char> =
            characters.filter(|one| one.is_ascii_punctuation() && !matches!(one, '"' | '\\')).take(EDITED).collect();
        let edited = |text: &String| {
            let rest = text.get(2..).unwrap_or_default().to_owned();
            characters.iter().map(move |one| format!("\"{one}{rest}")).collect::<Vec<String>>()
        };
        long.flat_map(edited).collect()
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
                code: format!("new {written}[] {{{inner}}}"),
                imports: of_all,
                throws: value.throws.clone(),
                cost: value.cost.min(3) + 1 + index,
            });
        }
        found.push(Value { code: empty, imports, throws: Vec::new(), cost: 4 });
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

    /// Objects of a class of the project, or of its subclasses: of each way to make one the first, then of each the second.
    fn objects(&self, class: &str, depth: usize) -> Vec<Value> {
        let Some(outline) = self.outlines.class(class) else { return Vec::new() };
        let mut ways: Vec<Vec<Value>> = vec![self.constants_of(outline)];
        if outline.super_name.as_deref() != Some("java.lang.Enum") {
            let concrete = |class: &&ClassOutline| class.access & (ABSTRACT | INTERFACE) == 0;
            let own = std::iter::once(outline).filter(concrete);
            let below =
                self.outlines.classes().filter(|other| other.name != class && self.outlines.is_a(&other.name, class));
            let is_open = outline.access & (ABSTRACT | INTERFACE) != 0;
            let below = below.filter(concrete).take(if is_open { WAYS } else { 0 });
            for one in own.chain(below) {
                ways.extend(self.constructors(one, depth, None));
                if is_open {
                    ways.push(self.constants_of(one));
                }
            }
            ways.extend(self.factories(class, depth));
            let plain: Vec<Value> = ways.iter().filter_map(|way| way.first()).take(2).cloned().collect();
            ways.extend(self.changed(class, &plain, depth));
        }
        let mut found: Vec<Value> = Vec::new();
        for (rank, way) in ways.into_iter().filter(|way| !way.is_empty()).enumerate() {
            found.extend(way.into_iter().enumerate().map(|(index, value)| {
                let late = WAY_COST * index + rank;
                Value { cost: value.cost + late, ..value }
            }));
        }
        found.sort_by_key(|value| value.cost);
        found.truncate(OBJECTS);
        found
    }

    /// The same objects after a call that gives the object itself, or another of its class, as builders do.
    fn changed(&self, class: &str, objects: &[Value], depth: usize) -> Vec<Vec<Value>> {
        let Some(outline) = self.outlines.class(class).filter(|_| depth >= 2) else { return Vec::new() };
        let descriptor = format!("L{};", class.replace('.', "/"));
        let mut methods: Vec<&MethodOutline> = outline.methods.iter().collect();
        methods.retain(|method| {
            method.access & STATIC == 0
                && method.returned == descriptor
                && self.outlines.accessible(&outline.member(method), self.package())
        });
        methods.sort_by_key(|method| method.parameters);
        let mut ways = Vec::new();
        for method in methods.into_iter().take(CHANGES) {
            let (parameters, _) = words::types(&method.descriptor);
            let is_varargs = method.access & VARARGS != 0;
            let lists = self.lists(&parameters, is_varargs, depth - 2, 2, &self.overloads(outline, method));
            let call = |object: &Value, list: &Arguments| {
                list.called(&format!("{}.{}", object.code, method.name), Vec::new(), &method.throws).after(object)
            };
            ways.push(
                objects.iter().take(1).flat_map(|object| lists.iter().map(move |list| call(object, list))).collect(),
            );
        }
        ways
    }

    /// Constants that the class has of itself.
    #[must_use]
    pub fn constants_of(&self, class: &ClassOutline) -> Vec<Value> {
        if !self.outlines.class_accessible(&class.name, self.package()) {
            return Vec::new();
        }
        let descriptor = format!("L{};", class.name.replace('.', "/"));
        let (written, imports) = self.written(&class.name);
        let is_one = |access: u16| {
            access & STATIC != 0
                && (access & PUBLIC != 0 || (access & PRIVATE == 0 && words::package(&class.name) == self.package()))
        };
        let fields = class.fields.iter().filter(|field| field.descriptor == descriptor && is_one(field.access));
        let value = |(index, name): (usize, &String)| Value {
            code: format!("{written}.{name}"),
            imports: imports.clone(),
            throws: Vec::new(),
            cost: 1 + index.min(5),
        };
        fields.map(|field| &field.name).enumerate().map(value).collect()
    }

    /// Objects that a constructor of the class makes.
    #[must_use]
    pub fn constructed(&self, class: &ClassOutline, depth: usize, descriptor: &str) -> Vec<Value> {
        self.constructors(class, depth, Some(descriptor)).into_iter().flatten().collect()
    }

    /// Objects that each constructor of the class makes; all of them, or one.
    fn constructors(&self, class: &ClassOutline, depth: usize, only: Option<&str>) -> Vec<Vec<Value>> {
        let constructors = class.methods.iter().filter(|method| {
            let member = class.member(method);
            method.name == "<init>"
                && only.is_none_or(|only| method.descriptor == only)
                && self.outlines.accessible(&member, self.package())
        });
        let mut constructors: Vec<&MethodOutline> = constructors.collect();
        constructors.sort_by_key(|method| method.parameters);
        let lists = if only.is_some() { VALUES } else { LISTS };
        let mut ways = Vec::new();
        for constructor in constructors.into_iter().take(WAYS) {
            if depth == 0 && constructor.parameters > 0 {
                continue;
            }
            let mut found = Vec::new();
            let (parameters, _) = words::types(&constructor.descriptor);
            // An inner class gets the object around it first (JLS §8.8.9).
            let around = class
                .outer
                .as_deref()
                .filter(|outer| class.access & STATIC == 0 && parameters.first().is_some_and(|first| first == outer));
            let own = parameters.get(usize::from(around.is_some())..).unwrap_or_default();
            let is_varargs = constructor.access & VARARGS != 0;
            let of_any = if class.is_generic { "<>" } else { "" };
            for list in self.lists(own, is_varargs, depth.saturating_sub(1), lists, &self.overloads(class, constructor))
            {
                match around {
                    None => {
                        let (written, imports) = self.written(&class.name);
                        found.push(list.called(&format!("new {written}{of_any}"), imports, &constructor.throws));
                    }
                    Some(outer) => {
                        for object in
                            self.of(outer, depth.saturating_sub(1)).iter().filter(|one| one.code != "null").take(1)
                        {
                            let made = list.called(
                                &format!("{}.new {}{of_any}", object.code, simple(&class.name)),
                                Vec::new(),
                                &constructor.throws,
                            );
                            found.push(made.after(object));
                        }
                    }
                }
            }
            ways.push(found);
        }
        ways
    }

    /// What each method of the project gives that returns this type, or one below it.
    fn factories(&self, class: &str, depth: usize) -> Vec<Vec<Value>> {
        let types = self.makers.keys().filter(|made| *made == class || self.outlines.is_a(made, class));
        let mut makers: Vec<&(&ClassOutline, &MethodOutline)> =
            types.filter_map(|made| self.makers.get(made)).flatten().collect();
        makers.retain(|(owner, method)| {
            self.outlines.accessible(&owner.member(method), self.package())
                && (method.access & STATIC != 0 || (owner.name != class && depth >= 2))
        });
        makers.sort_by_key(|(owner, method)| (method.access & STATIC == 0, owner.name != class, method.parameters));
        let (fixed, on_objects): (Vec<_>, Vec<_>) =
            makers.into_iter().partition(|(_, method)| method.access & STATIC != 0);
        let mut ways = Vec::new();
        for (owner, method) in fixed.into_iter().take(FACTORIES).chain(on_objects.into_iter().take(WAYS)) {
            if depth == 0 && method.parameters > 0 {
                continue;
            }
            let (parameters, _) = words::types(&method.descriptor);
            let lists = self.lists(
                &parameters,
                method.access & VARARGS != 0,
                depth.saturating_sub(1),
                LISTS,
                &self.overloads(owner, method),
            );
            if method.access & STATIC != 0 {
                let (written, imports) = self.written(&owner.name);
                let call = |list: &Arguments| {
                    list.called(&format!("{written}.{}", method.name), imports.clone(), &method.throws)
                };
                ways.push(lists.iter().map(call).collect());
            } else {
                let mut made = Vec::new();
                for receiver in self.of(&owner.name, depth - 2).iter().filter(|one| one.code != "null").take(2) {
                    for list in lists.iter().take(2) {
                        let one =
                            list.called(&format!("{}.{}", receiver.code, method.name), Vec::new(), &method.throws);
                        made.push(one.after(receiver));
                    }
                }
                ways.push(made);
            }
        }
        ways
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
        Value {
            code: format!("{what}({})", codes.join(", ")),
            imports: self.0.iter().flat_map(|value| value.imports.iter().cloned()).chain(imports).collect(),
            throws: self.0.iter().flat_map(|value| &value.throws).chain(throws).cloned().collect(),
            cost: self.cost() + 1 + self.0.len(),
        }
    }
}

impl Value {
    /// With what another expression in it needs.
    #[must_use]
    pub fn after(mut self, other: &Self) -> Self {
        self.imports.extend(other.imports.iter().cloned());
        self.throws.extend(other.throws.iter().cloned());
        self.cost += other.cost;
        self
    }
}

/// So many lists of one choice each, those first that are the first choices.
fn combined(choices: &[Vec<Arguments>], most: usize) -> Vec<Arguments> {
    let mut lists: Vec<(usize, Arguments)> = vec![(0, Arguments::default())];
    for choice in choices {
        let mut longer: Vec<(usize, Arguments)> = Vec::new();
        for (rank, list) in &lists {
            for (index, one) in choice.iter().enumerate() {
                let all = list.0.iter().chain(&one.0).cloned().collect();
                longer.push((rank + index, Arguments(all)));
            }
        }
        longer.sort_by_key(|(rank, _)| *rank);
        longer.truncate(most);
        lists = longer;
    }
    lists.into_iter().map(|(_, list)| list).collect()
}

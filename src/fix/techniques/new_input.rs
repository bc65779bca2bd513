//! Call the method, or what leads to it, with inputs that no test has, in a test of its own (`rules/fixes/new-input.toml`).

use super::call_here::fields;
use super::{Look, Subject, readers, simple};
use crate::classfile::outline::{Call, VARARGS};
use crate::code::Signature;
use crate::fix::values::{Arguments, Value, Values};
use crate::fix::write::name::{About, When};
use crate::text::words;

/// How deep objects are made of objects.
const DEPTH: usize = 3;
/// Most methods and constructors at which tests begin.
const ENTRIES: usize = 10;
/// Most receivers of one method.
const RECEIVERS: usize = 24;
/// Another receiver is as far off as so many other lists of arguments.
const RECEIVER_WEIGHT: usize = 3;
/// Most lists of arguments of one method.
const LISTS: usize = 80;
/// Most calls of one method.
const CALLS: usize = 240;
/// The same of one that looks at what a constructor has made, where either may matter.
const READS: usize = 600;
/// Most methods that look at what a constructor has made.
const READERS: usize = 3;
/// Most methods that look at an object that was seen to be another one, and most calls of them all.
const FURTHER: (usize, usize) = (8, 300);
/// Most lists of arguments for one of these methods, and as how many lists another method counts.
const FURTHER_LISTS: (usize, usize) = (240, 60);
/// The same for one that calls another of them, which shows as much.
const LEADING_LISTS: usize = 30;
/// Of so many receivers the texts are put into a row, with so many choices of the other arguments; and what such a text costs.
const COMPOSED: (usize, usize) = (12, 4);
const COMPOSED_COST: usize = 6;
/// Where text goes: as it is made, its type, the name of a variable for it.
const SINKS: [(&str, &str, &str); 3] = [
    ("new StringWriter()", "StringWriter", "writer"),
    ("new StringBuilder()", "StringBuilder", "builder"),
    ("new ByteArrayOutputStream()", "ByteArrayOutputStream", "output"),
];

/// Calls of the method, or of what leads to it, each in a test of its own.
#[must_use]
pub fn looks(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
    let mut looks = Vec::new();
    for entry in entries(subject, values) {
        if entry.name == "<init>" {
            looks.extend(of_constructor(subject, values, &entry));
        } else {
            looks.extend(of_method(subject, values, &entry));
        }
    }
    looks
}

/// Where a test can begin: the method or what leads to it, and what leads there in turn where a test cannot make the arguments.
pub(super) fn entries(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Signature> {
    let mut entries = subject.entries(values.package());
    let mut at = 0;
    while let Some(entry) = entries.get(at).cloned().filter(|_| entries.len() < ENTRIES) {
        at += 1;
        let (parameters, _) = words::types(&entry.descriptor);
        let is_made = |type_name: &str| values.of(type_name, DEPTH - 1).iter().any(|one| one.code != "null");
        let has_receiver = entry.is_static || entry.name == "<init>" || is_made(&entry.class);
        if !has_receiver || !parameters.iter().all(|parameter| is_made(parameter)) {
            let above = super::callers(subject.outlines, &entry, values.package());
            let new: Vec<Signature> = above.into_iter().filter(|caller| !entries.contains(caller)).collect();
            entries.extend(new);
        }
    }
    entries.truncate(ENTRIES);
    entries
}

fn receivers(values: &Values<'_>, class: &str) -> Vec<Value> {
    values.of(class, DEPTH).iter().filter(|one| one.code != "null").take(RECEIVERS).cloned().collect()
}

/// The arguments that a method may be given.
pub(super) fn arguments(subject: &Subject<'_>, values: &Values<'_>, method: &Signature, most: usize) -> Vec<Arguments> {
    let Some((class, outline)) = subject.outlines.class(&method.class).zip(subject.outlines.method(&method.member()))
    else {
        return Vec::new();
    };
    let (parameters, _) = words::types(&method.descriptor);
    values.lists(&parameters, outline.access & VARARGS != 0, DEPTH - 1, most, &values.overloads(class, outline))
}

fn of_method(subject: &Subject<'_>, values: &Values<'_>, method: &Signature) -> Vec<Look> {
    let lists = arguments(subject, values, method, LISTS);
    if method.is_static {
        let (written, imports) = values.written(&method.class);
        let call = |list: &Arguments| {
            let made = list.called(&format!("{written}.{}", method.name), imports.clone(), subject.throws(method));
            look(method, made, list, None)
        };
        return lists.iter().take(CALLS).map(call).collect();
    }
    called(subject, values, &receivers(values, &method.class), method, &lists, CALLS)
}

/// The method called on each of these, with each of those.
pub(super) fn called(
    subject: &Subject<'_>,
    values: &Values<'_>,
    receivers: &[Value],
    method: &Signature,
    lists: &[Arguments],
    most: usize,
) -> Vec<Look> {
    let pairs = receivers.iter().enumerate().flat_map(|(one, receiver)| {
        lists.iter().enumerate().map(move |(other, list)| (RECEIVER_WEIGHT * one + other, receiver, list))
    });
    let mut pairs: Vec<(usize, &Value, &Arguments)> = pairs.collect();
    let composed: Vec<(usize, &Value, Arguments)> = composed(method, receivers, lists);
    pairs.extend(composed.iter().map(|(rank, receiver, list)| (*rank, *receiver, list)));
    pairs.sort_by_key(|(rank, ..)| *rank);
    // What a call that gives nothing has done is seen in its receiver.
    let is_kept = method.descriptor.ends_with('V')
        && subject.outlines.class(&method.class).is_some_and(|class| !class.is_generic);
    let look_of = |(_, receiver, list): (usize, &Value, &Arguments)| {
        let writes = |code: &str| SINKS.iter().any(|(sink, ..)| code.contains(sink));
        let is_writing = writes(&receiver.code) || list.0.iter().any(|value| writes(&value.code));
        let receiver = match receiver.code.starts_with("new ") && is_kept && !is_writing {
            true => values.in_variable(&method.class, receiver).1,
            false => receiver.clone(),
        };
        let made = list.called(&format!("{}.{}", receiver.code, method.name), Vec::new(), subject.throws(method));
        look(method, made.after(&receiver), list, Some(&receiver))
    };
    pairs.into_iter().take(most).map(look_of).collect()
}

/// With the texts of which the receiver was made, in a row, in the place of a text: what looks for one in the other finds it.
fn composed<'r>(method: &Signature, receivers: &'r [Value], lists: &[Arguments]) -> Vec<(usize, &'r Value, Arguments)> {
    let (parameters, _) = words::types(&method.descriptor);
    let is_text = |name: &String| matches!(name.as_str(), "java.lang.String" | "java.lang.CharSequence");
    let Some(at) = parameters.iter().position(is_text) else { return Vec::new() };
    let mut found = Vec::new();
    for (rank, receiver) in receivers.iter().enumerate().take(COMPOSED.0) {
        let texts = texts_in(&receiver.code);
        if texts.len() < 2 {
            continue;
        }
        let text = format!("\"{}\"", texts.concat());
        let mut known: Vec<Vec<&str>> = Vec::new();
        for list in lists.iter().filter(|list| list.0.len() == parameters.len()) {
            let others: Vec<&str> =
                list.0.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, one)| one.code.as_str()).collect();
            if known.len() == COMPOSED.1 || known.contains(&others) {
                continue;
            }
            let mut list = list.clone();
            if let Some(value) = list.0.get_mut(at) {
                *value = Value { code: text.clone(), cost: COMPOSED_COST, ..Value::default() };
            }
            found.push((RECEIVER_WEIGHT * rank + known.len() + COMPOSED_COST, receiver, list));
            known.push(others);
        }
    }
    found
}

/// What is between the quotes of the texts in an expression.
fn texts_in(code: &str) -> Vec<&str> {
    // Texts with quotes in them are rare, and left out by what does not compile then.
    code.split('"').skip(1).step_by(2).filter(|text| !text.is_empty()).collect()
}

fn of_constructor(subject: &Subject<'_>, values: &Values<'_>, constructor: &Signature) -> Vec<Look> {
    let Some(class) = subject.outlines.class(&constructor.class) else { return Vec::new() };
    // What the class has of itself was made by it, too.
    let mut made = values.constants_of(class);
    made.extend(values.constructed(class, DEPTH, &constructor.descriptor));
    // The objects themselves, to see which of them are others.
    let mut looks: Vec<Look> =
        made.iter().map(|one| look(constructor, one.clone(), &Arguments::default(), None)).collect();
    for reader in readers(subject, &constructor.class, values.package(), &fields(subject)).into_iter().take(READERS) {
        let lists = arguments(subject, values, &reader, LISTS);
        looks.extend(called(subject, values, &made, &reader, &lists, READS));
    }
    looks
}

/// What shows of an object of this class that is another one on the transformed code, first in this field, though no assertion can name it.
#[must_use]
pub fn further(subject: &Subject<'_>, values: &Values<'_>, of: &Look, class: &str, field: &str) -> Vec<Look> {
    let object = Value {
        before: of.before.clone(),
        code: of.expression.clone(),
        imports: of.imports.clone(),
        throws: of.throws.clone(),
        cost: of.rank,
    };
    let mut looks = Vec::new();
    let mut readers = readers(subject, class, values.package(), &[field.to_owned()]);
    readers.truncate(FURTHER.0);
    let leads_to = |reader: &Signature, others: &[Signature]| {
        let calls = subject.outlines.method(&reader.member()).map_or(&[][..], |outline| &outline.calls);
        let is_it =
            |call: &Call, other: &Signature| call.to.name == other.name && call.to.descriptor == other.descriptor;
        others.iter().any(|other| calls.iter().any(|call| is_it(call, other)))
    };
    for (rank, reader) in readers.iter().enumerate() {
        let leads_on = leads_to(reader, readers.get(..rank).unwrap_or_default());
        let most = if leads_on { LEADING_LISTS } else { FURTHER_LISTS.0 };
        for (index, list) in arguments(subject, values, reader, most).into_iter().enumerate() {
            let made = list.called(&format!("{}.{}", object.code, reader.name), Vec::new(), subject.throws(reader));
            let mut look = look(reader, made.after(&object), &list, Some(&object));
            if let Some(call) = of.act.as_deref() {
                look.act = Some(call.to_owned());
                let name = call.split_once('.').and_then(|(_, call)| call_of(call));
                look.when = name.map_or(look.when, When::After);
            }
            looks.push((index + rank * FURTHER_LISTS.1, look));
        }
    }
    looks.sort_by_key(|(rank, _)| *rank);
    looks.into_iter().map(|(_, look)| look).take(FURTHER.1).collect()
}

/// What an object is called in a name.
fn words_of(code: &str) -> &'static str {
    match code {
        "null" => "Null",
        code if code.starts_with('"') || code == "new Object()" || code.parse::<i64>().is_ok() => {
            "ObjectOfAnotherClass"
        }
        _ => "AnotherObject",
    }
}

/// What a call gives, or what it has done to its receiver, or that it ends at all.
fn look(method: &Signature, made: Value, arguments: &Arguments, receiver: Option<&Value>) -> Look {
    let codes: Vec<String> = arguments.0.iter().map(|value| value.code.clone()).collect();
    let has_null = codes.iter().any(|code| code.ends_with("null"));
    let about = match codes.as_slice() {
        [other] if method.name == "equals" => {
            About::Equality { one: simple(&method.class).to_owned(), other: words_of(other).to_owned() }
        }
        _ if method.name == "<init>" => About::Result { method: simple(&method.class).to_owned() },
        _ => About::Result { method: method.name.clone() },
    };
    // What was done to the receiver before.
    let done = receiver.and_then(|receiver| {
        let start = format!("{}.", receiver.code);
        receiver.before.last().and_then(|line| line.strip_prefix(&start)).and_then(call_of)
    });
    let mut look = Look {
        before: made.before,
        act: None,
        expression: made.code.clone(),
        about,
        when: if !codes.is_empty() {
            When::For(codes)
        } else if let Some(done) = done {
            When::After(done)
        } else if made.code.starts_with("new ") {
            When::New(simple(&method.class).to_owned())
        } else {
            When::Always
        },
        is_pure: true,
        imports: made.imports,
        throws: made.throws,
        // `null` is a case that few mean.
        rank: made.cost + if has_null { 20 } else { 0 },
    };
    if method.descriptor.ends_with('V') && method.name != "<init>" {
        let written = SINKS.iter().find(|(code, ..)| made.code.matches(code).count() == 1);
        match (written, receiver.filter(|receiver| !receiver.before.is_empty())) {
            (Some((code, class, name)), _) => {
                let call = made.code.replacen(code, name, 1);
                look.act = Some(format!("{class} {name} = {code};\n{call};"));
                look.expression = format!("{name}.toString()");
            }
            (None, Some(receiver)) => {
                look.act = Some(format!("{};", made.code));
                look.expression.clone_from(&receiver.code);
            }
            (None, None) => {
                look.act = Some(format!("{};", made.code));
                look.expression = super::ENDS.to_owned();
            }
        }
    }
    look
}

/// The method that is called: `add` of `add(1);`, nothing of `size = 1;`.
fn call_of(code: &str) -> Option<String> {
    let (name, _) = code.split_once('(')?;
    name.chars().all(char::is_alphanumeric).then(|| name.to_owned())
}

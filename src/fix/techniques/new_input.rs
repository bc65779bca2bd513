//! Call the method, or its callers, in a new test with inputs that no test has
//! (`rules/fixes/new-input.toml`).

use crate::classfile::outline::{Call, VARARGS};
use crate::code::Signature;
use crate::fix::look::{About, ENDS, Look, When};
use crate::fix::subject::{Subject, callers};
use crate::fix::techniques::outside::acts_outside;
use crate::fix::techniques::readers::readers;
use crate::fix::techniques::technique::{DifferentObject, Technique};
use crate::fix::values::catalog::Values;
use crate::fix::values::value::{Arguments, Value};
use crate::text::words;

pub const TECHNIQUE: Technique = Technique {
    in_new_test: Some(new_calls),
    of_object: Some(object_readers),
    ..Technique::new("new-input", include_str!("../../../rules/fixes/new-input.toml"))
};

/// Depth to which objects are made of objects.
const DEPTH: usize = 3;
/// Most methods and constructors with which a test begins.
const ENTRIES: usize = 10;
/// Most receivers of one method.
const RECEIVERS: usize = 24;
/// The next receiver is tried after this number of other argument lists.
const RECEIVER_WEIGHT: usize = 3;
/// Most lists of arguments of one method.
const LISTS: usize = 80;
/// Most calls of one method.
const CALLS: usize = 240;
/// Most calls of a method that reads the result of a constructor. Here both the object and the
/// arguments may matter.
const READS: usize = 600;
/// Most methods that read the result of a constructor.
const READERS: usize = 3;
/// Most methods that are asked about an object whose state differs, and most calls of all of them.
const FURTHER: (usize, usize) = (8, 300);
/// Most argument lists for one of these methods, and the number of lists as which the next method
/// counts.
const FURTHER_LISTS: (usize, usize) = (240, 60);
/// Most argument lists for a method that calls another one of these, which shows as much.
const LEADING_LISTS: usize = 30;
/// Number of receivers whose texts are joined, and of choices of the other arguments for each.
const COMPOSED: (usize, usize) = (12, 4);
const COMPOSED_COST: usize = 6;
/// The cost of an argument that a test drew at random.
const DRAWN_COST: usize = 2;
/// Objects that receive text: the expression, its type, and the name of a variable for it.
const SINKS: [(&str, &str, &str); 3] = [
    ("new StringWriter()", "StringWriter", "writer"),
    ("new StringBuilder()", "StringBuilder", "builder"),
    ("new ByteArrayOutputStream()", "ByteArrayOutputStream", "output"),
];

/// Calls of the method, or of its callers, each in a test of its own.
#[must_use]
pub fn new_calls(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
    let mut looks = Vec::new();
    for entry in entry_points(subject, values) {
        if entry.name == "<init>" {
            looks.extend(of_constructor(subject, values, &entry));
        } else {
            looks.extend(of_method(subject, values, &entry));
        }
    }
    looks
}

/// Methods with which a test can begin: the method or its callers and, if a test cannot make the
/// arguments of one of these, the callers of that one.
pub(super) fn entry_points(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Signature> {
    let mut entries = subject.entries(values.package());
    let mut at = 0;
    while let Some(entry) = entries.get(at).cloned().filter(|_| entries.len() < ENTRIES) {
        at += 1;
        let (parameters, _) = words::types(&entry.descriptor);
        let is_made = |type_name: &str| values.of(type_name, DEPTH - 1).iter().any(|value| value.code != "null");
        let has_receiver = entry.is_static || entry.name == "<init>" || is_made(&entry.class);
        if !has_receiver || !parameters.iter().all(|parameter| is_made(parameter)) {
            let above = callers(subject.outlines, &entry, values.package());
            let new: Vec<Signature> = above.into_iter().filter(|caller| !entries.contains(caller)).collect();
            entries.extend(new);
        }
    }
    entries.retain(|entry| !acts_outside(subject.outlines, &entry.member()));
    entries.truncate(ENTRIES);
    entries
}

fn receivers(values: &Values<'_>, class: &str) -> Vec<Value> {
    values.of(class, DEPTH).iter().filter(|value| value.code != "null").take(RECEIVERS).cloned().collect()
}

/// Lists of arguments for a method.
pub(super) fn argument_lists(
    subject: &Subject<'_>,
    values: &Values<'_>,
    method: &Signature,
    most: usize,
) -> Vec<Arguments> {
    let Some((class, outline)) = subject.outlines.class(&method.class).zip(subject.outlines.method(&method.member()))
    else {
        return Vec::new();
    };
    let (parameters, _) = words::types(&method.descriptor);
    let overloads = values.overloads(class, outline);
    let made = values.lists(&parameters, outline.access & VARARGS != 0, DEPTH - 1, most, &overloads);
    let drawn = subject.drawn_for(method).into_iter().map(|list| {
        let value = |code: String| Value { cost: DRAWN_COST, code, ..Value::default() };
        Arguments(list.into_iter().map(value).collect())
    });
    drawn.chain(made).collect()
}

fn of_method(subject: &Subject<'_>, values: &Values<'_>, method: &Signature) -> Vec<Look> {
    let lists = argument_lists(subject, values, method, LISTS);
    if method.is_static {
        let (written, imports) = values.written(&method.class);
        let call = |list: &Arguments| {
            let made = list.called(&format!("{written}.{}", method.name), imports.clone(), subject.throws(method));
            look(method, made, list, None)
        };
        return lists.iter().take(CALLS).map(call).collect();
    }
    calls_on(subject, values, &receivers(values, &method.class), method, &lists, CALLS)
}

/// Calls of the method on each receiver with each list of arguments.
pub(super) fn calls_on(
    subject: &Subject<'_>,
    values: &Values<'_>,
    receivers: &[Value],
    method: &Signature,
    lists: &[Arguments],
    most: usize,
) -> Vec<Look> {
    let pairs = receivers.iter().enumerate().flat_map(|(receiver_rank, receiver)| {
        let lists = lists.iter().enumerate();
        lists.map(move |(list_rank, list)| (RECEIVER_WEIGHT * receiver_rank + list_rank, receiver, list))
    });
    let mut pairs: Vec<(usize, &Value, &Arguments)> = pairs.collect();
    let composed: Vec<(usize, &Value, Arguments)> = composed(method, receivers, lists);
    pairs.extend(composed.iter().map(|(rank, receiver, list)| (*rank, *receiver, list)));
    pairs.sort_by_key(|(rank, ..)| *rank);
    // A call without a result shows its effect in its receiver.
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

/// Argument lists in which the joined texts of the receiver replace a text. A method that searches
/// one text in another finds it there.
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
            let others: Vec<&str> = list
                .0
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != at)
                .map(|(_, argument)| argument.code.as_str())
                .collect();
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

/// The contents of the string literals in an expression.
fn texts_in(code: &str) -> Vec<&str> {
    // Literals with quotes in them are rare. A test with a wrong text does not compile and is
    // dropped.
    code.split('"').skip(1).step_by(2).filter(|text| !text.is_empty()).collect()
}

fn of_constructor(subject: &Subject<'_>, values: &Values<'_>, constructor: &Signature) -> Vec<Look> {
    let Some(class) = subject.outlines.class(&constructor.class) else { return Vec::new() };
    // The constants of the class were also made by the constructor.
    let mut made = values.constants_of(class);
    made.extend(values.constructed(class, DEPTH, &constructor.descriptor));
    // The objects themselves show which of them have a different state.
    let mut looks: Vec<Look> =
        made.iter().map(|object| look(constructor, object.clone(), &Arguments::default(), None)).collect();
    for reader in
        readers(subject, &constructor.class, values.package(), &subject.evidence_fields()).into_iter().take(READERS)
    {
        let lists = argument_lists(subject, values, &reader, LISTS);
        looks.extend(calls_on(subject, values, &made, &reader, &lists, READS));
    }
    looks
}

/// Calls that show the different state of an object, those that read its field first.
fn object_readers(subject: &Subject<'_>, values: &Values<'_>, different: &DifferentObject<'_>) -> Vec<Look> {
    let DifferentObject { look: of, class, field } = *different;
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
            |call: &Call, callee: &Signature| call.to.name == callee.name && call.to.descriptor == callee.descriptor;
        others.iter().any(|callee| calls.iter().any(|call| is_it(call, callee)))
    };
    for (rank, reader) in readers.iter().enumerate() {
        let leads_on = leads_to(reader, readers.get(..rank).unwrap_or_default());
        let most = if leads_on { LEADING_LISTS } else { FURTHER_LISTS.0 };
        for (index, list) in argument_lists(subject, values, reader, most).into_iter().enumerate() {
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

/// Words for an object in the name of a test.
fn words_of(code: &str) -> &'static str {
    match code {
        "null" => "Null",
        code if code.starts_with('"') || code == "new Object()" || code.parse::<i64>().is_ok() => {
            "ObjectOfAnotherClass"
        }
        _ => "AnotherObject",
    }
}

/// A look at the result of a call, at its effect on the receiver, or only at its end.
fn look(method: &Signature, made: Value, arguments: &Arguments, receiver: Option<&Value>) -> Look {
    let codes: Vec<String> = arguments.0.iter().map(|value| value.code.clone()).collect();
    let has_null = codes.iter().any(|code| code.ends_with("null"));
    let about = match codes.as_slice() {
        [argument] if method.name == "equals" => {
            About::Equality { one: words::simple_name(&method.class).to_owned(), other: words_of(argument).to_owned() }
        }
        _ if method.name == "<init>" => About::Result { method: words::simple_name(&method.class).to_owned() },
        _ => About::Result { method: method.name.clone() },
    };
    // The last call on the receiver before this one.
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
            When::New(words::simple_name(&method.class).to_owned())
        } else {
            When::Always
        },
        is_pure: true,
        imports: made.imports,
        throws: made.throws,
        // Few people mean `null`.
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
                look.expression = ENDS.to_owned();
            }
        }
    }
    look
}

/// The method that a statement calls: `add` of `add(1);`, nothing for `size = 1;`.
fn call_of(code: &str) -> Option<String> {
    let (name, _) = code.split_once('(')?;
    name.chars().all(char::is_alphanumeric).then(|| name.to_owned())
}

//! Finds the distinct ways in which the tests called a method, on the original code.

use super::stack::{from_test_to_method, nearest_test_frame};
use super::{CallSeen, Input, SeenValue, unit_rank};
use crate::base::id::{MethodId, TestId};
use crate::observation::NOT_SEEN as NOT_SEEN_STEP;
use crate::observe::difference::seen_on_original;
use crate::observe::runs::{Constant, shown};
use crate::observe::{Frame, Observed, Part, Property};
use crate::transform::Method;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::rc::Rc;

/// Number of ways that a diagnosis shows.
pub(super) const CALLS: usize = 10;

/// Number of classes that are not looked into and that a diagnosis names.
pub(super) const NOT_SEEN: usize = 3;

/// Number of calls with drawn arguments that a diagnosis keeps.
const DRAWN: usize = 12;

/// Stands for a value that is not the same in every run of the original code.
pub const VARIES: &str = "different in each run";

/// The calls of one method.
#[derive(Default)]
pub(super) struct Calls {
    /// All ways, most frequent first.
    pub(super) seen: Vec<CallSeen>,
    /// See [`Diagnosis::calls_vary`](super::Diagnosis::calls_vary).
    pub(super) vary: bool,
    /// By test: files and lines of test code from which the method was reached.
    pub(super) lines: BTreeMap<TestId, BTreeSet<(PathBuf, u32)>>,
    /// Classes (binary names) of objects that are not looked into.
    pub(super) not_seen: BTreeSet<String>,
    /// See [`Diagnosis::drawn`](super::Diagnosis::drawn).
    pub(super) drawn: Vec<Vec<String>>,
}

/// The properties that two invocations must share to count as the same way: the basic ones.
type Looks = Vec<Property>;

struct Group {
    looks: Rc<Constant>,
    count: u64,
    best: Representative,
}

/// The invocation that stands for its group. Prefers the unit's own test, then the shortest stack, then
/// the earliest invocation.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Representative {
    unit_rank: u8,
    stack_length: usize,
    test: TestId,
    invocation: u32,
    stack: Rc<[Frame]>,
}

pub(super) fn calls(input: &Input<'_>, id: MethodId, method: &Method, observed: &Observed) -> Calls {
    let mut calls = Calls::default();
    let mut seen_calls: Vec<(Rc<Constant>, Representative)> = Vec::new();
    let mut random: BTreeSet<TestId> = BTreeSet::new();
    // Recordings intern stacks, so the address identifies one.
    let mut trimmed: HashMap<(TestId, *const Frame), Rc<[Frame]>> = HashMap::new();
    seen_on_original(observed, id, |seen| {
        let (test, stack) = (seen.key.test, seen.stack);
        if !input.is_evidence(test) {
            return;
        }
        let way = Rc::clone(trimmed.entry((test, stack.as_ptr())).or_insert_with(|| {
            let way = from_test_to_method(stack, input.test(test), &method.class, input.tests);
            if let Some(frame) = nearest_test_frame(stack, input.tests)
                && let (Some(file), Some(line)) = (input.tests.file(frame), frame.line)
            {
                calls.lines.entry(test).or_default().insert((file.to_owned(), line));
            }
            way.into()
        }));
        let representative = Representative {
            unit_rank: input.test(test).map_or(u8::MAX, |test| unit_rank(&test.class, &method.class)),
            stack_length: if way.is_empty() { usize::MAX } else { way.len() },
            test,
            invocation: seen.key.occurrence,
            stack: way,
        };
        let not_seen = seen.constant.properties.iter().filter(|property| property.path.ends_with(NOT_SEEN_STEP));
        calls.not_seen.extend(not_seen.map(|property| named(&property.type_name)));
        let varies = |(part, path): &(Part, String)| matches!(part, Part::Argument(_)) && path.is_empty();
        if seen.constant.varying.iter().any(varies) {
            random.insert(test);
        }
        seen_calls.push((seen.constant, representative));
    });
    if !random.is_empty() {
        calls.drawn = drawn(observed, id, &random, &seen_calls, declared_types(&method.descriptor).0.len());
    }
    // If a test draws its arguments at random, some are equal in all runs by chance, each time others.
    if seen_calls.iter().any(|(_, call)| !random.contains(&call.test)) {
        seen_calls.retain(|(_, call)| !random.contains(&call.test));
        calls.vary = !random.is_empty();
    }
    calls.seen = groups(seen_calls).iter().map(|group| group.call(method)).collect();
    calls
}

/// The arguments of the calls of these tests in single runs, repetitions first. `seen_calls` are the calls in the first
/// runs, if there are repetitions.
fn drawn(
    observed: &Observed,
    id: MethodId,
    tests: &BTreeSet<TestId>,
    seen_calls: &[(Rc<Constant>, Representative)],
    parameters: usize,
) -> Vec<Vec<String>> {
    let mut drawn = Vec::new();
    if !observed.first.is_empty() {
        let repeated = Observed { original: observed.original.clone(), ..Observed::default() };
        seen_on_original(&repeated, id, |seen| {
            if tests.contains(&seen.key.test) {
                add_drawn(&mut drawn, &seen.constant, parameters);
            }
        });
    }
    for (looks, _) in seen_calls.iter().filter(|(_, call)| tests.contains(&call.test)) {
        add_drawn(&mut drawn, looks, parameters);
    }
    drawn
}

/// Adds the arguments of a call in each run.
fn add_drawn(drawn: &mut Vec<Vec<String>>, looks: &Constant, parameters: usize) {
    let runs = looks.values.iter().map(|(_, values)| values.len()).max().unwrap_or_default();
    for run in 0..runs {
        let argument = |number: u16| {
            let part = Part::Argument(number);
            let of_all_runs = || looks.get(part, "").map(|property| &property.value);
            let varying =
                || looks.values.iter().find(|(property, _)| property.part == part && property.path.is_empty());
            let value = varying().map_or_else(of_all_runs, |(_, values)| values.get(run))?;
            Some(value.clone())
        };
        let arguments: Option<Vec<String>> = (0_u16..).take(parameters).map(argument).collect();
        if let Some(arguments) = arguments.filter(|arguments| drawn.len() < DRAWN && !drawn.contains(arguments)) {
            drawn.push(arguments);
        }
    }
}

/// A class for people: that of a lambda has no name that they know.
fn named(class: &str) -> String {
    if class.contains("$$Lambda") { "lambda expression".to_owned() } else { class.to_owned() }
}

/// The distinct ways, most frequent first.
fn groups(seen_calls: Vec<(Rc<Constant>, Representative)>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of_looks: HashMap<(Looks, Vec<(Part, String)>), usize> = HashMap::new();
    let mut group_of_constant: HashMap<*const Constant, usize> = HashMap::new();
    for (looks, call) in seen_calls {
        let index = *group_of_constant.entry(Rc::as_ptr(&looks)).or_insert_with(|| {
            let basic = looks.properties.iter().filter(|property| !property.deep).cloned().collect();
            let varying = looks.varying.iter().filter(|(_, path)| path.is_empty()).cloned().collect();
            *group_of_looks.entry((basic, varying)).or_insert(groups.len())
        });
        match groups.get_mut(index) {
            Some(group) => {
                group.count += 1;
                if call < group.best {
                    group.best = call;
                }
            }
            None => groups.push(Group { looks, count: 1, best: call }),
        }
    }
    groups.sort_by(|a, b| (Reverse(a.count), &a.best).cmp(&(Reverse(b.count), &b.best)));
    groups
}

impl Group {
    fn call(&self, method: &Method) -> CallSeen {
        let (parameters, result) = declared_types(&method.descriptor);
        let exception = self.looks.get(Part::Exception, "").map(|thrown| {
            let message = self.looks.get(Part::Exception, ".message").filter(|message| message.value != "null");
            message.map_or_else(|| thrown.value.clone(), |message| format!("{}: {}", thrown.value, message.value))
        });
        CallSeen {
            test: self.best.test,
            invocation: self.best.invocation,
            count: self.count,
            receiver: self.atoms(Part::Receiver),
            arguments: (0_u16..)
                .zip(&parameters)
                .map(|(k, declared)| self.value(Part::Argument(k), declared))
                .collect(),
            result: (self.looks.get(Part::Result, "").is_some() || self.looks.varies(Part::Result, ""))
                .then(|| self.value(Part::Result, &result)),
            exception,
            stack: self.best.stack.to_vec(),
        }
    }

    fn value(&self, part: Part, declared: &str) -> SeenValue {
        let root = self.looks.get(part, "");
        SeenValue {
            type_name: root
                .map(|root| root.type_name.as_str())
                .filter(|name| !name.is_empty() && *name != "null")
                .unwrap_or(declared)
                .to_owned(),
            value: root.map_or_else(|| VARIES.to_owned(), |root| shown(root).into_owned()),
            atoms: self.atoms(part),
        }
    }

    /// Parts one level deep, without those that vary.
    fn atoms(&self, part: Part) -> Vec<(String, String)> {
        self.looks
            .properties
            .iter()
            .filter(|property| property.part == part && !property.deep && !property.path.is_empty())
            .map(|property| (property.path.clone(), shown(property).into_owned()))
            .collect()
    }
}

/// Types of the parameters and of the result, as Java writes them, from a method descriptor (JVMS §4.3.3).
fn declared_types(descriptor: &str) -> (Vec<String>, String) {
    let mut rest = descriptor.strip_prefix('(').unwrap_or(descriptor);
    let mut parameters = Vec::new();
    while !rest.is_empty() && !rest.starts_with(')') {
        let (name, after) = declared_type(rest);
        parameters.push(name);
        rest = after;
    }
    let (result, _) = declared_type(rest.strip_prefix(')').unwrap_or(rest));
    (parameters, result)
}

fn declared_type(descriptor: &str) -> (String, &str) {
    let element = descriptor.trim_start_matches('[');
    let dimensions = "[]".repeat(descriptor.len() - element.len());
    let mut letters = element.chars();
    let simple = match letters.next() {
        Some('B') => "byte",
        Some('C') => "char",
        Some('D') => "double",
        Some('F') => "float",
        Some('I') => "int",
        Some('J') => "long",
        Some('S') => "short",
        Some('Z') => "boolean",
        Some('V') => "void",
        Some('L') => {
            let (class, after) = letters.as_str().split_once(';').unwrap_or((letters.as_str(), ""));
            return (format!("{}{dimensions}", class.replace('/', ".")), after);
        }
        _ => "",
    };
    (format!("{simple}{dimensions}"), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::declared_types;

    #[test]
    fn declared_types_are_read_from_a_descriptor() {
        assert_eq!(
            declared_types("(I[[JLjava/lang/String;[La/B$C;Z)[B"),
            (
                ["int", "long[][]", "java.lang.String", "a.B$C[]", "boolean"].map(str::to_owned).to_vec(),
                "byte[]".to_owned()
            )
        );
        assert_eq!(declared_types("()V"), (vec![], "void".to_owned()));
    }

    #[test]
    fn a_broken_descriptor_ends() {
        assert_eq!(declared_types("(Ljava/lang"), (vec!["java.lang".to_owned()], String::new()));
        assert_eq!(declared_types(""), (vec![], String::new()));
    }
}

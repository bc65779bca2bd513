//! What a worker records while tests run: keys, properties, states, stacks. Plain data, shared by worker and stages.

use serde::{Deserialize, Serialize};

/// Where a state was read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// Right after an invocation of the method (index into `Transformations::methods`).
    Method(u32),
    /// Value of an expression of the tests (index into `propagate::Instrumented::expressions`).
    Expression(u32),
}

/// One observation: the same key on both sides is "the same invocation of the same test".
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Index into `Coverage::tests`.
    pub test: u32,
    pub site: Site,
    /// Empty for the thread that runs the test; else its name, digits as `#`.
    pub thread: String,
    /// 1 for the first time within test, site and thread. In order of entry.
    pub occurrence: u32,
}

/// Which part of a state a property belongs to. `Expression` is the value of a test's expression, `Exception` also an exception seen in a test.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Receiver,
    Argument(u16),
    Result,
    Exception,
    Expression,
    /// A static field of the declaring class.
    Static,
}

/// One observed atom.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Property {
    pub part: Part,
    /// Empty for the value itself; else `.field`, `.size`, `.length`, `.message`, `.items.size`, `.items[0]` …
    pub path: String,
    /// Java type of the atom for people: `int`, `java.lang.String`, for a reference its run-time class.
    pub type_name: String,
    /// The value as Java source where there is one (`3`, `"a\n"`, `null`, `'c'`, `1.5`, `Color.RED`), else `non-null`.
    pub value: String,
    /// True for what goes beyond the paper's state (deeper than one level, contents of collections, statics): the symptom is not decided on it.
    pub deep: bool,
}

/// The properties of one observation, sorted.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    pub properties: Vec<Property>,
}

/// What one run of a list of tests recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Recording {
    /// Interned states.
    pub states: Vec<State>,
    /// Sorted by key: index into `states`.
    pub observations: Vec<(Key, u32)>,
    /// Stacks at the end of method invocations, innermost (the method itself) first: index into `stacks` by index into `observations`.
    /// Recorded in some runs only.
    pub stacks: Vec<Vec<Frame>>,
    pub stack_of: Vec<(u32, u32)>,
    /// Observations that were not recorded because a site was hit too often: key of the first one left out, and how many.
    pub cut: Vec<(Key, u64)>,
    /// The tests that did not pass in this run (index into `Coverage::tests`, reason).
    pub failed: Vec<(u32, String)>,
}

/// One frame of a stack, from the test to the method.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    /// Binary name.
    pub class: String,
    pub method: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

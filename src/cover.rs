//! From a recipe to its tests: their order and time, which methods each enters, which fail or are unstable.

use serde::{Deserialize, Serialize};

/// One test: a test method, or one invocation of a parameterised test.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Test {
    /// The engine's own identifier, with which the driver finds the test again.
    pub id: String,
    /// Name for people, unique in the module: `org.example.StackTest.pops()`, `org.example.StackTest.pops(int)[2]`.
    pub name: String,
    /// Binary name of the test class.
    pub class: String,
}

/// A test that cannot be used as evidence, and why.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Quarantined {
    /// Index into [`Coverage::tests`].
    pub test: usize,
    pub reason: String,
}

/// Result of the stage.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Coverage {
    /// In the order in which they run.
    pub tests: Vec<Test>,
    /// Wall time of each test, in nanoseconds, on the original code.
    pub nanoseconds: Vec<u64>,
    /// For each method (index into `Transformations::methods`): the tests that entered it, in order.
    pub covering: Vec<Vec<usize>>,
    /// Fail before any change.
    pub failing: Vec<Quarantined>,
    /// Did not behave the same each time.
    pub unstable: Vec<Quarantined>,
    /// Methods that only the first run in a fresh class loader enters (static initialisation): only a clean start tells the truth of them.
    pub once: Vec<usize>,
}

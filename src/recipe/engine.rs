//! The engines that run tests.

use serde::{Deserialize, Serialize};

/// What runs the tests.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum Engine {
    /// JUnit 4 behind the project's own JUnit 3, and classes with test methods that extend nothing.
    JUnit3,
    /// JUnit 4, also for tests written for JUnit 3.
    JUnit4,
    /// The JUnit Platform's launcher: JUnit 5 and 6, JUnit 4 through the vintage engine, other engines.
    JUnitPlatform,
    /// TestNG, and JUnit 4 for what is written for JUnit beside it.
    TestNG,
}

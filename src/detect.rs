//! From transformations and their covering tests to a verdict for each: detected, undetected, timed out, not covered.

use serde::{Deserialize, Serialize};

/// The reason of a detection.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Kill {
    /// Index into `Coverage::tests`.
    pub test: usize,
    /// Binary name of the exception's class, empty for a time-out.
    pub exception: String,
    pub message: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum Verdict {
    Detected(Kill),
    /// A covering test did not end, confirmed alone with far more time.
    TimedOut(Kill),
    /// Every covering test passes, from a clean start.
    Undetected,
    NotCovered,
    /// The JVM would not take the transformed class, or died of it.
    FailedToRun(String),
}

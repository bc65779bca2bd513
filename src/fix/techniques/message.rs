//! An exception whose message no test reads.

use crate::base::id::TransformationId;
use std::collections::BTreeSet;

/// An exception whose message no test reads.
pub struct Message<'a> {
    pub technique: &'static str,
    /// Number of the test source.
    pub source: usize,
    /// The byte at which a catch clause names its variable, or at which the name of the test
    /// begins.
    pub byte: usize,
    /// Name of the variable. `None` if the exception leaves the test.
    pub variable: Option<&'a str>,
    /// The message, as Java source.
    pub text: &'a str,
    pub shown_for: BTreeSet<TransformationId>,
}

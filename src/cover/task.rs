//! The tests to cover, and the callbacks that report progress.

use super::reuse::EarlierRuns;
use crate::jvm::client::Launch;
use crate::recipe::Recipe;
use crate::run::Pool;
use std::sync::Arc;

/// Tests of one recipe that are to be covered.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub pool: &'a Pool,
    pub recipe: &'a Recipe,
    pub launch: &'a Arc<Launch>,
    /// The test classes that surefire would run.
    pub classes: &'a [String],
    /// The number of methods whose coverage is recorded.
    pub methods: usize,
    /// The runs of an earlier analysis. If they still hold for a test, it runs only once, or not at all.
    pub earlier: Option<&'a EarlierRuns<'a>>,
    /// The number of workers that may run tests at the same time.
    pub jobs: usize,
    pub progress: Progress<'a>,
}

/// Callbacks that report how the runs of one recipe's tests proceed.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// Writes a line to the log.
    pub log: &'a dyn Fn(&str),
    /// Counts one more finished test.
    pub test_finished: &'a (dyn Fn() + Sync),
    /// Announces how many more tests are to run.
    pub expect_tests: &'a dyn Fn(usize),
}

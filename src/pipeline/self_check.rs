//! The self-check: observes the original code on both sides, where no difference may be found.

use super::coverage::{Covered, covered};
use super::instrumented::LazyInstrumentedTests;
use super::observation::Stages;
use crate::base::error::{Error, Result};
use crate::base::id::{MethodId, TestId};
use crate::cli::Settings;
use crate::observe::observers::Observers;
use crate::observe::self_check::compare_with_itself;
use crate::recipe::Build;
use crate::run::Pool;
use crate::terminal::Terminal;
use crate::transform::{Selection, list};
use std::collections::BTreeSet;

/// Observes the original code on both sides, in all tests.
///
/// # Errors
/// If a difference was found, which is a bug of reneri. Also the errors that end an analysis.
pub(crate) fn self_check(settings: &Settings, terminal: &Terminal, selection: &Selection, build: &Build) -> Result<()> {
    let transformations = &list(&build.compiled_classes()?, selection)?;
    let pool = &Pool::new(settings.jobs);
    let Covered { launches, coverage, .. } =
        covered(&settings.target, pool, terminal, build, transformations, None, None)?;
    pool.keep(0);
    let (launches, coverage, tests) = (&launches, &coverage, &LazyInstrumentedTests::default());
    Stages { settings, terminal, build, launches, transformations, coverage, tests, compilers: None }.self_check(pool)
}

impl Stages<'_> {
    /// Observes every method that could be transformed, and every test, on two sides with the same
    /// original code.
    fn self_check(&self, pool: &Pool) -> Result<()> {
        let Self { settings, terminal, transformations, coverage, .. } = *self;
        let methods: BTreeSet<MethodId> = transformations.methods.indices().collect();
        let tests = self.instrumented()?;
        let (posts, instrumented) = (self.observation_posts(tests, &methods), &tests.all);
        let stage = terminal.stage("Comparing the original code with itself", None);
        let tests: Vec<TestId> = coverage.tests.indices().filter(|test| !coverage.is_quarantined(*test)).collect();
        let observers = Observers::new(&posts, coverage, settings.runs as usize, self.jobs(), pool);
        let other_methods = methods.iter().copied().collect();
        let found = compare_with_itself(&observers, tests, other_methods, &|line| terminal.verbose(line))?;
        pool.keep(0);
        stage.finish();
        for (test, reason) in &found.failed {
            let name = coverage.tests.get(*test).map_or("?", |test| test.name.as_str());
            terminal.verbose(&format!("{name} does not pass while observed: {reason}"));
        }
        for difference in found.differences.iter().take(20) {
            let test = coverage.tests.get(difference.key.test).map_or("?", |test| test.name.as_str());
            let site = match difference.key.site {
                crate::observe::Site::Method(method) => {
                    let method = &transformations.methods[method];
                    format!("{}.{}", method.class, method.name)
                }
                crate::observe::Site::Expression(expression) => instrumented
                    .expressions
                    .get(expression)
                    .map_or_else(String::new, |expression| expression.text.clone()),
            };
            terminal.warn(&format!(
                "{test}, {site}, {:?}{}: {} / {}",
                difference.part,
                difference.path,
                difference.original.as_deref().unwrap_or("absent"),
                difference.transformed.as_deref().unwrap_or("absent")
            ));
        }
        let tests = coverage.tests.len();
        if found.differences.is_empty() {
            terminal.summary(&format!(
                "Self-check passed: {} observations in {tests} tests, up to {} runs on each side, and no difference.\n",
                found.compared, settings.runs
            ));
            return Ok(());
        }
        let count = found.differences.len();
        Err(Error::bug(format!("Self-check: {count} differences between the original code and itself.")))
    }
}

//! Covers the tests of a recipe with one class loader. Tries to reuse earlier runs, and reuses less of them each time
//! that the new runs contradict them.

use super::assess::{Assessment, Evidence, assess};
use super::coverage::Coverage;
use super::discovery::find;
use super::fixture_coverage::FixtureCoverage;
use super::recorded_runs::{OrderDependentClasses, RecordedRuns};
use super::reuse::{EarlierRuns, ReusableResults, has_different_outcomes, same_tests};
use super::run_log::{Results, RunLog};
use super::runs::once::{RepeatedRuns, repeat_tests};
use super::runs::repeat::Repetition;
use super::runs::suite::{Suite, SuiteRun};
use super::task::Task;
use crate::base::error::{Error, ExitCode, Result};
use crate::base::id::TestId;
use crate::jvm::protocol::FoundTest;
use std::collections::{BTreeMap, BTreeSet};

/// The coverage with one class loader.
pub(super) struct LoaderResult {
    pub(super) coverage: Coverage,
    /// Tests that may pass in another class loader: they fail each time, or from one of the clean starts.
    pub(super) suspects: Vec<TestId>,
    /// The runs behind the coverage, if a later analysis may reuse them.
    pub(super) runs: Option<RecordedRuns>,
    pub(super) reused: ReusedTests,
}

/// How many tests have reused results.
#[derive(Clone, Copy)]
pub(super) struct ReusedTests {
    /// Those that ran once, or not at all.
    pub(super) all: usize,
    /// Those that did not run.
    pub(super) skipped: usize,
}

/// How much of the earlier runs an attempt reuses.
#[derive(Clone, Copy)]
enum Reuse<'a> {
    /// Tests that no edit reaches do not run.
    SkipTests(EarlierRuns<'a>),
    /// All tests run once; only those that an edit reaches run again.
    RunAllOnce(EarlierRuns<'a>),
    /// All tests run three times.
    Nothing,
}

impl<'a> Reuse<'a> {
    fn earlier(self) -> Option<EarlierRuns<'a>> {
        match self {
            Self::SkipTests(earlier) | Self::RunAllOnce(earlier) => Some(earlier),
            Self::Nothing => None,
        }
    }

    /// The earlier runs if tests may be skipped.
    fn skip_by(self) -> Option<EarlierRuns<'a>> {
        if let Self::SkipTests(earlier) = self { Some(earlier) } else { None }
    }

    /// The results that the next attempt reuses after a contradiction.
    fn after(self, contradiction: &Contradiction) -> Self {
        match self {
            Self::SkipTests(earlier) if !contradiction.gave_up_test => Self::RunAllOnce(earlier),
            _ => Self::Nothing,
        }
    }
}

enum AttemptOutcome {
    Complete(Box<LoaderResult>),
    Contradicted(Contradiction),
}

/// The runs of now contradict the earlier ones.
struct Contradiction {
    /// Test classes that have different results when other tests are skipped.
    order_dependent: OrderDependentClasses,
    /// Whether a test hung or ended the JVM.
    gave_up_test: bool,
}

impl Contradiction {
    fn message(&self) -> String {
        let classes: Vec<&str> = self.order_dependent.keys().map(String::as_str).collect();
        if classes.is_empty() {
            "All tests run again: their results contradict those of the last analysis.".to_owned()
        } else {
            format!("All tests run again: without the skipped tests, the results of {} differ.", classes.join(", "))
        }
    }
}

/// Finds the tests, and runs them three times on the original code, with coverage: from a clean start, again in the same
/// class loader, and from another clean start.
pub(super) fn cover(task: &Task<'_>) -> Result<LoaderResult> {
    let found = find(task.pool, task.recipe, task.launch, task.classes)?;
    cover_tests(task, &found)
}

/// Covers these tests.
pub(super) fn cover_tests(task: &Task<'_>, found: &[FoundTest]) -> Result<LoaderResult> {
    let mut reuse = task.earlier.map_or(Reuse::Nothing, |earlier| Reuse::SkipTests(*earlier));
    let mut order_dependent = OrderDependentClasses::new();
    loop {
        match Attempt::new(task, reuse, found).run()? {
            AttemptOutcome::Complete(mut result) => {
                if let Some((earlier, runs)) = task.earlier.zip(result.runs.as_mut()) {
                    runs.order_dependent = earlier.order_dependent_classes_to_record(order_dependent, runs);
                }
                return Ok(*result);
            }
            AttemptOutcome::Contradicted(contradiction) => {
                (task.progress.log)(&contradiction.message());
                reuse = reuse.after(&contradiction);
                order_dependent.extend(contradiction.order_dependent);
            }
        }
        task.pool.keep(0);
    }
}

/// One attempt to cover the tests.
struct Attempt<'a> {
    task: &'a Task<'a>,
    earlier: Option<EarlierRuns<'a>>,
    suite: Suite<'a>,
    /// How many tests were found before any test ran.
    found: usize,
    skipped_classes: BTreeSet<String>,
    /// Tests of other classes that do not run.
    skipped_tests: BTreeSet<TestId>,
    /// The tests that the first run runs.
    to_run: Vec<TestId>,
}

/// What the second and third run show.
struct Repeated {
    runs: RepeatedRuns,
    competing: BTreeSet<TestId>,
    flaky: Results,
}

/// The three runs of all tests.
struct WholeRuns {
    results: [Results; 3],
    logs: Option<[RunLog; 3]>,
    fixtures: FixtureCoverage,
}

impl<'a> Attempt<'a> {
    fn new(task: &'a Task<'a>, reuse: Reuse<'a>, found: &[FoundTest]) -> Self {
        let skip_by = reuse.skip_by();
        let skipped_classes = skip_by.map(|earlier| earlier.skippable_classes(found)).unwrap_or_default();
        let skipped_tests = skip_by.map(|earlier| earlier.skippable_tests(&skipped_classes)).unwrap_or_default();
        if let Some(earlier) = skip_by {
            log_disturbing_classes(task, &earlier);
        }
        let suite = Suite::new(task, found);
        let is_skipped = |test: &TestId| {
            suite.tests.get(*test).is_some_and(|test| skipped_classes.contains(test.top_level_class()))
                || skipped_tests.contains(test)
        };
        let to_run = (0..found.len()).map(TestId::new).filter(|test| !is_skipped(test)).collect();
        Self { task, earlier: reuse.earlier(), suite, found: found.len(), skipped_classes, skipped_tests, to_run }
    }

    fn run(mut self) -> Result<AttemptOutcome> {
        let Some(first) = self.first_run()? else { return Ok(self.contradicted(OrderDependentClasses::new())) };
        if first.results.is_empty() {
            return Err(no_tests_found(self.task));
        }
        let reusable = match self.compare(&first) {
            Ok(reusable) => reusable,
            Err(order_dependent) => return Ok(self.contradicted(order_dependent)),
        };
        let ran = tests_in_order(&first);
        let to_rerun = match &reusable {
            Some(reusable) => reusable.tests_to_rerun(&self.suite.tests, &ran),
            None => ran.clone(),
        };
        let reused = ReusedTests { all: ran.len() - to_rerun.len(), skipped: self.found - self.to_run.len() };
        let mut repeated = self.repeat(&to_rerun, &first)?;
        self.add_earlier_facts(reusable.as_ref(), &mut repeated);
        match self.whole_runs(first, &mut repeated.runs, reusable, &to_rerun) {
            Some(runs) => Ok(AttemptOutcome::Complete(Box::new(self.assessed(runs, repeated, reused)?))),
            None => Ok(self.contradicted(OrderDependentClasses::new())),
        }
    }

    /// Runs the tests that are not skipped, and completes the run with the earlier results of the others. `None` if that
    /// contradicts the earlier runs.
    fn first_run(&mut self) -> Result<Option<SuiteRun>> {
        let first = self.suite.run(&self.to_run, true)?;
        let Some(earlier) = self.earlier.filter(|_| self.skips()) else { return Ok(Some(first)) };
        let tests = &self.suite.tests;
        let with_tests = first.log.and_then(|log| earlier.runs.logs[0].fill_in(tests, log, &self.skipped_tests));
        let whole = with_tests.and_then(|log| earlier.complete_first_run(&self.skipped_classes, tests, &log));
        Ok(whole.map(|log| SuiteRun { results: log.results(), log: Some(log) }))
    }

    fn skips(&self) -> bool {
        !self.skipped_classes.is_empty()
    }

    /// The earlier results that hold according to the first run; `None` if nothing can be reused. The error, if the run
    /// contradicts the earlier ones, are the classes that depend on skipped tests.
    fn compare(&self, first: &SuiteRun) -> std::result::Result<Option<ReusableResults>, OrderDependentClasses> {
        let tests = &self.suite.tests;
        let compared = self.earlier.zip(first.log.as_ref()).and_then(|(earlier, log)| {
            let reusable = earlier.reusable_results(tests, log, self.skips())?;
            let order_dependent = earlier.order_dependent_classes(reusable.different_classes(), tests, log);
            Some((reusable, order_dependent))
        });
        let Some((reusable, order_dependent)) = compared else {
            return if self.skips() { Err(OrderDependentClasses::new()) } else { Ok(None) };
        };
        if !self.skips() {
            return Ok(Some(reusable));
        }
        let class = |test: &TestId| tests.get(*test).map(super::coverage::Test::top_level_class);
        let is_held = |test: &TestId| class(test).is_some_and(|class| reusable.holds(class));
        if !self.skipped_tests.iter().all(is_held) {
            return Err(OrderDependentClasses::new());
        }
        if order_dependent.is_empty() { Ok(Some(reusable)) } else { Err(order_dependent) }
    }

    /// Runs tests a second and a third time.
    fn repeat(&mut self, tests: &[TestId], first: &SuiteRun) -> Result<Repeated> {
        let is_parallel = self.task.jobs > 1 && self.earlier.is_none() && first.log.is_some();
        let may_run_once = !self.depends_on_other_classes();
        let mut repetition = Repetition::new(&mut self.suite, is_parallel);
        let runs = repeat_tests(&mut repetition, tests, first, may_run_once, self.task.progress.expect_tests)?;
        let Repetition { competing, flaky, .. } = repetition;
        Ok(Repeated { runs, competing, flaky })
    }

    /// Whether what TestNG sets up for the suite, and which tests wait for which, depends on tests of other classes.
    fn depends_on_other_classes(&self) -> bool {
        self.task.recipe.engine.runs_suites()
    }

    /// Adds what only the earlier analysis could see of tests.
    fn add_earlier_facts(&self, reusable: Option<&ReusableResults>, repeated: &mut Repeated) {
        let Some(earlier) = &self.earlier else { return };
        if let Some(reusable) = reusable {
            repeated.runs.run_once.extend(reusable.tests_run_once(earlier, &self.suite.tests));
        }
        // Whether tests compete shows only if all tests run in two JVMs at the same time.
        repeated.competing.extend(same_tests(&earlier.runs.tests, &earlier.runs.competing, &self.suite.tests));
    }

    /// Completes the runs with the reusable results. `None` if tests have other results without those that did not run
    /// before them.
    fn whole_runs(
        &mut self,
        first: SuiteRun,
        repeated: &mut RepeatedRuns,
        reusable: Option<ReusableResults>,
        to_rerun: &[TestId],
    ) -> Option<WholeRuns> {
        let again = std::mem::take(&mut repeated.again);
        let clean = std::mem::take(&mut repeated.clean);
        let logs = first.log.zip(repeated.logs.take()).map(|(first, [again, clean])| [first, again, clean]);
        let Some((earlier, reusable)) = self.earlier.zip(reusable) else {
            let fixtures = std::mem::take(&mut self.suite.fixtures);
            return Some(WholeRuns { results: [first.results, again, clean], logs, fixtures });
        };
        let [first_log, again_log, clean_log] = &logs?;
        let tests = &self.suite.tests;
        if has_different_outcomes(&first.results, &clean, to_rerun)
            || self.skips() && earlier.misses_initialisation(&reusable, tests, first_log, again_log)
        {
            return None;
        }
        let logs = reusable.complete(tests, first_log, again_log, clean_log);
        let results = logs.each_ref().map(RunLog::results);
        let fixtures = FixtureCoverage::of_logs(tests, &logs);
        Some(WholeRuns { results, logs: Some(logs), fixtures })
    }

    fn contradicted(&self, order_dependent: OrderDependentClasses) -> AttemptOutcome {
        let gave_up_test = !self.suite.given_up.is_empty();
        AttemptOutcome::Contradicted(Contradiction { order_dependent, gave_up_test })
    }

    fn assessed(self, runs: WholeRuns, repeated: Repeated, reused: ReusedTests) -> Result<LoaderResult> {
        let Assessment { coverage, suspects } = assess(
            &Evidence {
                tests: &self.suite.tests,
                runs: &runs.results,
                given_up: &self.suite.given_up,
                fixtures: &runs.fixtures,
                run_once: &repeated.runs.run_once,
                competing: &repeated.competing,
                flaky: &repeated.flaky,
            },
            self.task.methods,
        );
        if coverage.tests.indices().all(|test| coverage.is_quarantined(test)) {
            return Err(no_test_passes(&coverage));
        }
        let can_be_reused = self.suite.given_up.is_empty() && !self.depends_on_other_classes();
        let recorded = runs.logs.filter(|_| can_be_reused).map(|logs| RecordedRuns {
            tests: self.suite.tests.clone(),
            logs,
            found: self.found,
            run_once: repeated.runs.run_once,
            competing: repeated.competing,
            order_dependent: OrderDependentClasses::new(),
        });
        Ok(LoaderResult { coverage, suspects, runs: recorded, reused })
    }
}

fn log_disturbing_classes(task: &Task<'_>, earlier: &EarlierRuns<'_>) {
    let disturbing = earlier.reached_disturbing_classes();
    if !disturbing.is_empty() {
        (task.progress.log)(&format!(
            "All tests run: an edit reaches {}, which changes properties, streams or defaults of the JVM.",
            disturbing.join(", ")
        ));
    }
}

/// The tests with a result, in the order in which they ran. A test that is only found while running, such as an
/// invocation of a parameterised test, has a number after all others. If its class has no other test, it would run last
/// the next time. The container of reported invocations has no result, and is no test.
fn tests_in_order(first: &SuiteRun) -> Vec<TestId> {
    let mut tests: Vec<TestId> = first.results.keys().copied().collect();
    if let Some(log) = &first.log {
        let mut positions: BTreeMap<TestId, usize> = BTreeMap::new();
        for (position, result) in log.finished.iter().enumerate() {
            positions.entry(result.number).or_insert(position);
        }
        tests.sort_by_key(|test| positions.get(test).copied().unwrap_or(usize::MAX));
    }
    tests
}

fn no_tests_found(task: &Task<'_>) -> Error {
    Error::cannot_build(
        format!("No tests were found in {}.", task.recipe.test_classes.display()),
        "reneri needs tests that `mvn test` runs; check surefire's `includes` if there are some.",
    )
}

fn no_test_passes(coverage: &Coverage) -> Error {
    let quarantined = coverage.failing.iter().chain(&coverage.unstable).take(5);
    let reasons: Vec<String> = quarantined
        .filter_map(|entry| Some(format!("{}: {}", coverage.tests.get(entry.test)?.name, entry.reason)))
        .collect();
    Error::new(
        ExitCode::TestsFail,
        format!("All {} tests fail before any change.", coverage.tests.len()),
        "Make `mvn test` pass first; if it does pass, please report this as a bug in reneri.",
    )
    .with_details(reasons.join("\n"))
}

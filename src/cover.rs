//! From a recipe to its tests: their order and time, which methods each enters, which fail or are unstable.

mod join;

use crate::error::{Error, ExitCode, Result};
use crate::jvm::client::{End, Launch, Ran, Worker};
use crate::jvm::protocol::{Finished, FoundTest, Outcome, Record, RunRequest, RunTest};
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A test on the original code may take this long (milliseconds); one that takes longer is quarantined.
const LONGEST_TEST: u64 = 120_000;

/// One test: a test method, or one invocation of a parameterised test.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Test {
    /// The engine's own identifier, with which the driver finds the test again.
    pub id: String,
    /// Name for people, unique in its module: `org.example.StackTest.pops()`, `org.example.StackTest.pops(int)[2]`.
    pub name: String,
    /// Binary name of the test class.
    pub class: String,
    /// Index of the recipe by which it runs: of the module whose test it is.
    pub recipe: usize,
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
    /// The same for tests that are quarantined and say nothing: a method that only they enter is not "not covered".
    pub quarantined_covering: Vec<Vec<usize>>,
    /// Pass from a clean start only: they fail when they run again in the same class loader.
    pub clean_only: Vec<usize>,
    /// Methods that some test enters in a fresh class loader and not when it runs there again (static initialisation): which test that is
    /// hangs on the order of the tests, and only a clean start tells the truth of them.
    pub once: Vec<usize>,
}

impl Coverage {
    /// Whether the test may be used as evidence.
    #[must_use]
    pub fn is_quarantined(&self, test: usize) -> bool {
        self.failing.iter().chain(&self.unstable).any(|quarantined| quarantined.test == test)
    }
}

/// Finds the tests and runs them three times on the original code, with coverage: from a clean start, again in the same class loader,
/// and from another clean start. `methods` is the number of methods, `classes` the test classes that surefire would take.
///
/// # Errors
/// When there are no tests, when all of them fail, or when no worker can be started.
pub fn cover(recipe: &Recipe, launch: &Launch, classes: &[String], methods: usize) -> Result<Coverage> {
    let filter = &recipe.filter;
    let mut worker = Worker::start(launch)?;
    let mut found = worker.discover(classes, filter.groups.as_deref(), filter.excluded_groups.as_deref())?;
    let selection = filter.selection()?;
    found.retain(|test| selection.takes_test(&test.class, &test.name));
    let mut suite = Suite { tests: Vec::new(), worker: Some(worker), launch };
    let first = suite.run(&found.iter().map(|test| test.id.clone()).collect::<Vec<_>>(), &found, true)?;
    if first.is_empty() {
        return Err(Error::cannot_build(
            format!("No tests were found in {}.", recipe.test_classes.display()),
            "reneri needs tests that `mvn test` runs; check surefire's `includes` if there are some.",
        ));
    }
    // What stands for invocations that were reported themselves has not finished, and is no test.
    let all: Vec<String> = first.keys().filter_map(|test| suite.tests.get(*test)).map(|test| test.id.clone()).collect();
    let again = suite.run(&all, &[], false)?;
    let clean = suite.run(&all, &[], true)?;
    let coverage = assess(suite.tests, &[first, again, clean], methods);
    let usable = (0..coverage.tests.len()).any(|test| !coverage.is_quarantined(test));
    if !usable {
        let reasons: Vec<String> = coverage
            .failing
            .iter()
            .take(5)
            .filter_map(|failing| Some(format!("{}: {}", coverage.tests.get(failing.test)?.name, failing.reason)))
            .collect();
        return Err(Error::new(
            ExitCode::TestsFail,
            format!("All {} tests fail before any change.", coverage.tests.len()),
            "Make `mvn test` pass first; if it does pass, please report this as a bug in reneri.",
        )
        .with_details(reasons.join("\n")));
    }
    Ok(coverage)
}

/// What a test did in one run.
type Outcomes = BTreeMap<usize, Finished>;

/// The tests of a project and the worker that runs them.
struct Suite<'a> {
    tests: Vec<Test>,
    worker: Option<Worker>,
    launch: &'a Launch,
}

impl Suite<'_> {
    /// Runs `ids` and goes on behind a test that hangs or ends the JVM. Tests are numbered in the order of their first start.
    fn run(&mut self, ids: &[String], found: &[FoundTest], fresh: bool) -> Result<Outcomes> {
        for test in found {
            self.add(test);
        }
        let mut results = Outcomes::new();
        let mut left: Vec<String> = ids.to_vec();
        let mut fresh = fresh;
        loop {
            let numbers: BTreeMap<String, usize> =
                self.tests.iter().enumerate().map(|(number, test)| (test.id.clone(), number)).collect();
            let mut worker = match self.worker.take() {
                Some(worker) => worker,
                None => Worker::start(self.launch)?,
            };
            let ran = worker.run(&RunRequest {
                fresh,
                active: 0,
                tests: left
                    .iter()
                    .filter_map(|id| Some((id, u32::try_from(*numbers.get(id)?).ok()?)))
                    .map(|(id, number)| RunTest { number, id: id.clone(), limit: LONGEST_TEST })
                    .collect(),
                stop_at_first_failure: false,
                record: Record::Coverage,
                next_number: u32::try_from(self.tests.len()).unwrap_or(u32::MAX),
                other_limit: LONGEST_TEST,
            })?;
            for (_, test) in &ran.unexpected {
                self.add(test);
            }
            let culprit = culprit(&ran);
            let Ran { finished, end, .. } = ran;
            results.extend(finished.into_iter().map(|finished| (finished.number as usize, finished)));
            if !matches!(end, End::Hung(_) | End::Died(_)) {
                self.worker = Some(worker);
            }
            let Some((culprit, reason)) = culprit else { return Ok(results) };
            let Some(number) = culprit.map(|number| number as usize) else {
                return match end {
                    End::Broken(reason) => Err(Error::cannot_build(
                        format!("The tests could not be run: {reason}."),
                        "Check that `mvn test` works; if it does, please report this as a bug in reneri.",
                    )),
                    _ => Ok(results),
                };
            };
            results.insert(
                number,
                Finished {
                    number: u32::try_from(number).unwrap_or(u32::MAX),
                    outcome: Outcome::Failed,
                    of_class: false,
                    nanoseconds: 0,
                    exception: String::new(),
                    message: reason.to_owned(),
                    entered: Vec::new(),
                },
            );
            let ended: BTreeSet<&str> =
                results.keys().filter_map(|number| Some(self.tests.get(*number)?.id.as_str())).collect();
            left.retain(|id| !ended.contains(id.as_str()));
            if left.is_empty() {
                return Ok(results);
            }
            fresh = true;
        }
    }

    fn add(&mut self, test: &FoundTest) {
        if self.tests.iter().all(|known| known.id != test.id) {
            self.tests.push(Test {
                id: test.id.clone(),
                name: test.name.clone(),
                class: test.class.clone(),
                recipe: 0,
            });
        }
    }
}

/// The test that ended a run before its time, and how; `None` for a run that came to its end.
fn culprit(ran: &Ran) -> Option<(Option<u32>, &'static str)> {
    match &ran.end {
        End::Complete => None,
        End::Late(test) => Some((Some(*test), "it does not end")),
        End::Hung(test) => Some((*test, "it does not end")),
        End::Died(test) => Some((*test, "it ends the JVM")),
        End::Broken(_) => Some((None, "")),
    }
}

/// From three runs (clean, same loader, clean) to coverage. A container of parameterised tests never runs itself and is left out.
fn assess(tests: Vec<Test>, runs: &[Outcomes; 3], methods: usize) -> Coverage {
    let [first, again, clean] = runs;
    let ran: Vec<usize> = (0..tests.len()).filter(|test| runs.iter().any(|run| run.contains_key(test))).collect();
    let mut coverage = Coverage {
        covering: vec![Vec::new(); methods],
        quarantined_covering: vec![Vec::new(); methods],
        ..Coverage::default()
    };
    let mut once: BTreeSet<usize> = BTreeSet::new();
    for (number, test) in ran.iter().enumerate() {
        let outcomes: Vec<Option<Outcome>> = runs.iter().map(|run| run.get(test).map(|run| run.outcome)).collect();
        let failure = runs.iter().filter_map(|run| run.get(test)).find(|run| run.outcome == Outcome::Failed);
        let reason = failure.map(reason).unwrap_or_default();
        match outcomes.as_slice() {
            [Some(a), Some(b), Some(c)] if a == b && b == c => {
                if *a == Outcome::Failed {
                    coverage.failing.push(Quarantined { test: number, reason });
                }
            }
            [Some(Outcome::Passed), Some(Outcome::Failed), Some(Outcome::Passed)] => coverage.clean_only.push(number),
            _ => {
                let reason = if reason.is_empty() {
                    "it is not run each time".to_owned()
                } else {
                    format!("fails sometimes: {reason}")
                };
                coverage.unstable.push(Quarantined { test: number, reason });
            }
        }
        let nanoseconds = [first, again, clean].iter().filter_map(|run| Some(run.get(test)?.nanoseconds)).max();
        coverage.nanoseconds.push(nanoseconds.unwrap_or(0));
        let entered: BTreeSet<u32> =
            [first, clean].iter().filter_map(|run| run.get(test)).flat_map(|run| run.entered.iter().copied()).collect();
        let covering =
            if coverage.is_quarantined(number) { &mut coverage.quarantined_covering } else { &mut coverage.covering };
        if outcomes.iter().any(|outcome| matches!(outcome, Some(Outcome::Passed | Outcome::Failed))) {
            for method in entered {
                if let Some(tests) = covering.get_mut(method as usize) {
                    tests.push(number);
                }
            }
        }
        if let (Some(first), Some(again)) = (first.get(test), again.get(test)) {
            let again: BTreeSet<u32> = again.entered.iter().copied().collect();
            once.extend(first.entered.iter().filter(|method| !again.contains(method)).map(|method| *method as usize));
        }
    }
    coverage.once = once.into_iter().filter(|method| *method < methods).collect();
    coverage.tests = tests
        .into_iter()
        .enumerate()
        .filter(|(test, _)| ran.binary_search(test).is_ok())
        .map(|(_, test)| test)
        .collect();
    coverage
}

/// `java.lang.AssertionError: expected:<1> but was:<2>`, one line.
fn reason(failure: &Finished) -> String {
    let first_line = failure.message.lines().next().unwrap_or_default();
    match (failure.exception.is_empty(), first_line.is_empty()) {
        (true, _) => first_line.to_owned(),
        (false, true) => failure.exception.clone(),
        (false, false) => format!("{}: {first_line}", failure.exception),
    }
}

//! From transformations and their covering tests to a verdict for each: detected, undetected, timed out, not covered.

use crate::cover::Coverage;
use crate::error::Result;
use crate::jvm::client::{End, Launch, Ran, Worker};
use crate::jvm::protocol::{Finished, Outcome, Record, RunRequest, RunTest, Unwoven};
use crate::transform::{Transformations, plan};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How much longer than on the original code a test may take.
struct Patience {
    /// So many times its time there, and this much more (milliseconds of CPU time).
    times: u64,
    slack: u64,
    /// A long test, where that is less. Loops in long tests are what takes longest to find.
    times_if_long: u64,
    slack_if_long: u64,
}

/// Beyond this a test is late, which is a suspicion only.
const SUSPICION: Patience = Patience { times: 10, slack: 300, times_if_long: 3, slack_if_long: 3000 };
/// Beyond this it has timed out: alone, from a clean start, measured against the original code alone from a clean start.
const CONFIRMATION: Patience = Patience { times: 10, slack: 1200, times_if_long: 4, slack_if_long: 6000 };
/// For the original code alone from a clean start: longer than ever needed, because nothing is known of it yet.
const CLEAN_START: Patience = Patience { times: 60, slack: 3000, times_if_long: 18, slack_if_long: 30_000 };

impl Patience {
    /// Milliseconds of CPU time, for a test that took so many.
    fn limit(&self, time: u64) -> u64 {
        (time * self.times + self.slack).min(time * self.times_if_long + self.slack_if_long)
    }
}

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
    /// Only tests that are quarantined enter the method, and they say nothing.
    Quarantined,
    /// The JVM would not take the transformed class, or died of it.
    FailedToRun(String),
}

/// Finds a verdict for each transformation, with `jobs` workers side by side. `launches` has one launch for each recipe; what the tests of a
/// module do not detect, the tests of the modules behind it may. `progress` is called once for each transformation.
///
/// # Errors
/// When a worker cannot be started, or the user interrupts.
pub fn detect(
    launches: &[Launch],
    transformations: &Transformations,
    coverage: &Coverage,
    jobs: usize,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::with_capacity(transformations.transformations.len());
    // For each transformation, by recipe: the tests that can see it and have not run yet.
    let mut open: Vec<BTreeMap<usize, Vec<usize>>> = Vec::with_capacity(verdicts.capacity());
    for transformation in &transformations.transformations {
        let mut by_recipe: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for test in candidates(transformations, coverage, transformation.method) {
            if let Some(known) = coverage.tests.get(test) {
                by_recipe.entry(known.recipe).or_default().push(test);
            }
        }
        let says_nothing =
            coverage.quarantined_covering.get(transformation.method).is_some_and(|tests| !tests.is_empty());
        verdicts.push(if says_nothing { Verdict::Quarantined } else { Verdict::NotCovered });
        if by_recipe.is_empty() {
            progress();
        }
        open.push(by_recipe);
    }
    for (recipe, launch) in launches.iter().enumerate() {
        let work: Vec<Work> = open
            .iter_mut()
            .enumerate()
            .filter_map(|(transformation, open)| {
                let tests = open.remove(&recipe)?;
                Some(Work { transformation, tests, is_last: open.is_empty() })
            })
            .collect();
        for (index, verdict) in judge_all(launch, transformations, coverage, jobs, &work, progress)? {
            if matches!(verdict, Verdict::Detected(_) | Verdict::TimedOut(_))
                && let Some(open) = open.get_mut(index)
            {
                if !open.is_empty() {
                    progress();
                }
                open.clear();
            }
            if let Some(known) = verdicts.get_mut(index) {
                *known = stronger(std::mem::replace(known, Verdict::NotCovered), verdict);
            }
        }
    }
    Ok(verdicts)
}

/// What the tests of two recipes say together: a detection settles it, and tests that ran say more than tests that could not.
fn stronger(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Detected(_) => 5,
        Verdict::TimedOut(_) => 4,
        Verdict::Undetected => 3,
        Verdict::FailedToRun(_) => 2,
        Verdict::Quarantined => 1,
        Verdict::NotCovered => 0,
    };
    if rank(&other) > rank(&one) { other } else { one }
}

/// A transformation and the tests of one recipe that can see it.
struct Work {
    transformation: usize,
    tests: Vec<usize>,
    /// No other recipe has tests for it.
    is_last: bool,
}

/// The verdicts of one recipe's tests.
fn judge_all(
    launch: &Launch,
    transformations: &Transformations,
    coverage: &Coverage,
    jobs: usize,
    work: &[Work],
    progress: &(dyn Fn() + Sync),
) -> Result<BTreeMap<usize, Verdict>> {
    let stage = Stage {
        launch,
        transformations,
        coverage,
        entered_by: methods_by_test(coverage),
        start_up: 2 * coverage.start_up_nanoseconds / 1_000_000,
        once: coverage.once.iter().copied().collect(),
        clean_only: coverage.clean_only.iter().copied().collect(),
        alone: Mutex::new(BTreeMap::new()),
        unwoven: Mutex::new(BTreeSet::new()),
    };
    let verdicts: Mutex<BTreeMap<usize, Verdict>> = Mutex::new(BTreeMap::new());
    let next = AtomicUsize::new(0);
    let run = || -> Result<()> {
        let mut bench = Bench { stage: &stage, worker: None, is_dirty: false, last: Vec::new() };
        while let Some(work) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let verdict = bench.judge(work)?;
            let verdict = stage.unwoven(work.transformation).map_or(verdict, Verdict::FailedToRun);
            verdicts.lock().unwrap_or_else(PoisonError::into_inner).insert(work.transformation, verdict);
            if work.is_last {
                progress();
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.clamp(1, work.len().max(1))).map(|_| scope.spawn(run)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(crate::error::Error::bug("A thread of the detection panicked.")))
        })
    })?;
    Ok(verdicts.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Tests that can see a transformation of the method, in the order of the suite. A method that runs only while classes are initialised
/// is reached, from a clean start, by every test that uses its class: which of them comes first depends on the order alone.
#[must_use]
pub fn candidates(transformations: &Transformations, coverage: &Coverage, method: usize) -> Vec<usize> {
    let mut tests: BTreeSet<usize> = coverage.covering.get(method).into_iter().flatten().copied().collect();
    if coverage.once.contains(&method)
        && let Some(class) = transformations.methods.get(method).map(|method| &method.class)
    {
        for (other, covering) in transformations.methods.iter().zip(&coverage.covering) {
            if other.class == *class {
                tests.extend(covering);
            }
        }
    }
    tests.into_iter().filter(|test| !coverage.is_quarantined(*test)).collect()
}

/// How many methods each test enters.
fn methods_by_test(coverage: &Coverage) -> Vec<usize> {
    let mut counts = vec![0; coverage.tests.len()];
    for test in coverage.covering.iter().flatten() {
        if let Some(count) = counts.get_mut(*test) {
            *count += 1;
        }
    }
    counts
}

struct Stage<'a> {
    launch: &'a Launch,
    transformations: &'a Transformations,
    coverage: &'a Coverage,
    entered_by: Vec<usize>,
    /// How much longer any test may take that is the first of a clean start to need what others share, in milliseconds.
    start_up: u64,
    once: BTreeSet<usize>,
    clean_only: BTreeSet<usize>,
    /// Milliseconds of CPU time of a test alone on the original code, from a clean start; `None` if it does not pass that way.
    alone: Mutex<BTreeMap<usize, Option<u64>>>,
    /// Classes and methods that run as they are: nothing can be said of their transformations.
    unwoven: Mutex<BTreeSet<Unwoven>>,
}

impl Stage<'_> {
    /// The likeliest killer first: the unit's own test class, then the most focused tests. Nothing that varies from run to run counts (times,
    /// what other workers have found so far), so that the same test is named each time.
    fn by_likelihood(&self, method: usize, tests: &[usize]) -> Vec<usize> {
        let class = self.transformations.methods.get(method).map(|method| method.class.as_str()).unwrap_or_default();
        let unit = class.rsplit('.').next().unwrap_or(class).split('$').next().unwrap_or(class);
        let rank = |test: &usize| {
            let known = self.coverage.tests.get(*test);
            let own = known.is_some_and(|test| test.class.contains(unit));
            let entered = self.entered_by.get(*test).copied().unwrap_or(0);
            (!own, entered, known.map_or("", |test| test.name.as_str()))
        };
        let mut ranked = tests.to_vec();
        ranked.sort_by(|one, other| rank(one).cmp(&rank(other)));
        ranked
    }

    /// Why the transformation is not in the class that ran, if it is not.
    fn unwoven(&self, transformation: usize) -> Option<String> {
        let transformation = self.transformations.transformations.get(transformation)?;
        let method = self.transformations.methods.get(transformation.method)?;
        let unwoven = self.unwoven.lock().unwrap_or_else(PoisonError::into_inner);
        unwoven
            .iter()
            .filter(|unwoven| unwoven.class == method.class)
            .find(|unwoven| {
                unwoven
                    .method
                    .as_ref()
                    .is_none_or(|(name, descriptor)| *name == method.name && *descriptor == method.descriptor)
            })
            .map(|unwoven| unwoven.reason.clone())
    }

    fn limit(&self, test: usize, patience: &Patience) -> u64 {
        patience.limit(self.coverage.milliseconds(test))
    }
}

/// One worker and what it does for one transformation after the other.
struct Bench<'a> {
    stage: &'a Stage<'a>,
    worker: Option<Worker>,
    /// The class loader has seen something that may have left traces: the next run starts clean.
    is_dirty: bool,
    /// What the tests of the last run came to.
    last: Vec<Finished>,
}

/// A failure, of a test itself or of the set-up or tear-down of its class.
struct Failure {
    kill: Kill,
    of_class: bool,
}

/// What a run of some tests says.
enum Seen {
    AllPassed,
    Failed(Failure),
    /// A test did not end in time.
    Late(usize),
    /// The JVM ended during this test.
    Died(Option<usize>),
    Broken(String),
}

impl Bench<'_> {
    fn judge(&mut self, work: &Work) -> Result<Verdict> {
        let stage = self.stage;
        let tests = &work.tests;
        let Some(method) = stage.transformations.transformations.get(work.transformation).map(|known| known.method)
        else {
            return Ok(Verdict::NotCovered);
        };
        let number = plan::number(work.transformation);
        let only_clean = stage.once.contains(&method) || tests.iter().any(|test| stage.clean_only.contains(test));
        if !only_clean {
            let ranked = stage.by_likelihood(method, tests);
            let mut seen = self.run(number, &ranked, false)?;
            if let Seen::Failed(failure) = &seen {
                // The killing test, on the original again: if it fails there too, the loader is dirty.
                let kill = failure.kill.clone();
                if !failure.of_class && self.passes_on_original(&[kill.test], failure, false)? {
                    return Ok(Verdict::Detected(kill));
                }
                // What made it dirty hangs on which transformations ran here before; from a clean start the answer is always the same.
                seen = self.run(number, &ranked, true)?;
            }
            match seen {
                Seen::AllPassed => {}
                Seen::Failed(failure) => {
                    let kill = failure.kill.clone();
                    if !failure.of_class && self.passes_on_original(&[kill.test], &failure, true)? {
                        return Ok(Verdict::Detected(kill));
                    }
                }
                Seen::Late(test) => {
                    if let Some(verdict) = self.confirm_late(number, test)? {
                        return Ok(verdict);
                    }
                }
                Seen::Died(_) => {}
                Seen::Broken(reason) => return Ok(Verdict::FailedToRun(reason)),
            }
        }
        self.confirm(number, tests.clone())
    }

    /// All tests from a clean start, the transformation active before the first class of the project is loaded.
    fn confirm(&mut self, number: u32, tests: Vec<usize>) -> Result<Verdict> {
        // Lists that run by themselves; where `true`, what befalls the class as a whole does not count.
        let mut waiting = vec![(tests, false)];
        let mut passed = false;
        while let Some((mut tests, ignores_class)) = waiting.pop() {
            if tests.is_empty() {
                continue;
            }
            let failure = match self.run(number, &tests, true)? {
                Seen::AllPassed => {
                    if let Some(kill) = self.kill_of_template(number)? {
                        return Ok(Verdict::Detected(kill));
                    }
                    passed = true;
                    continue;
                }
                Seen::Failed(failure) if failure.of_class && ignores_class => {
                    passed = true;
                    continue;
                }
                Seen::Failed(failure) => failure,
                Seen::Late(test) => {
                    if let Some(verdict) = self.confirm_late(number, test)? {
                        return Ok(verdict);
                    }
                    // A false time-out: the others decide, and this test has passed with more time.
                    passed = true;
                    tests.retain(|other| *other != test);
                    waiting.push((tests, ignores_class));
                    continue;
                }
                Seen::Died(Some(test)) => Failure { kill: ended_jvm(test), of_class: false },
                Seen::Died(None) => return Ok(Verdict::FailedToRun("the JVM ended before a test was running".into())),
                Seen::Broken(reason) => return Ok(Verdict::FailedToRun(reason)),
            };
            // The same tests, on the original, from a clean start: only the transformation may make the difference.
            let culprit = failure.kill.test;
            let mut same = tests.clone();
            if !failure.of_class {
                let upto = tests.iter().position(|test| *test == culprit).map_or(tests.len(), |index| index + 1);
                same.truncate(upto);
            }
            if self.passes_on_original(&same, &failure, true)? {
                return Ok(Verdict::Detected(failure.kill));
            }
            if failure.of_class {
                // The class insists on being run whole (its tear-down counts its tests, say): it goes by itself.
                let class = self.class_of(culprit);
                let (inside, outside) = tests.iter().partition(|test| self.class_of(**test) == class);
                waiting.push((outside, ignores_class));
                waiting.push((inside, true));
            } else {
                // Fails here without any change: it needs other tests before it.
                tests.retain(|test| *test != culprit);
                waiting.push((tests, ignores_class));
            }
        }
        Ok(if passed {
            Verdict::Undetected
        } else {
            Verdict::FailedToRun("its tests fail, without any change, when they run without the other tests".into())
        })
    }

    /// An invocation that was aborted may be one that is tried again (retrying tests): what its template makes of it is the truth.
    fn kill_of_template(&mut self, number: u32) -> Result<Option<Kill>> {
        let mut seen = BTreeSet::new();
        for finished in std::mem::take(&mut self.last) {
            if finished.outcome != Outcome::Skipped {
                continue;
            }
            let test = finished.number as usize;
            let Some(template) = self.stage.coverage.tests.get(test).and_then(|test| test.template()) else { continue };
            if !seen.insert(template) {
                continue;
            }
            let whole = |number: u32, bench: &mut Self| {
                let id = template.to_owned();
                let limit = bench.stage.limit(test, &CLEAN_START);
                let test = RunTest { number: u32::try_from(test).unwrap_or(u32::MAX), id, limit };
                bench.request(number, vec![test], true)
            };
            if let Seen::Failed(failure) = whole(number, self)?
                && matches!(whole(0, self)?, Seen::AllPassed)
            {
                return Ok(Some(Kill { test, ..failure.kill }));
            }
        }
        Ok(None)
    }

    fn class_of(&self, test: usize) -> Option<&str> {
        self.stage.coverage.tests.get(test).map(|test| test.class.as_str())
    }

    /// A late test again, alone, from a clean start, with more time than the original code takes there.
    fn confirm_late(&mut self, number: u32, test: usize) -> Result<Option<Verdict>> {
        let limit = match self.time_alone(test)? {
            Some(time) => CONFIRMATION.limit(time),
            // It needs other tests before it; what it then takes is not known.
            None => self.stage.limit(test, &CLEAN_START),
        };
        Ok(match self.run_within(number, &[test], true, |_| limit)? {
            Seen::Late(_) => {
                Some(Verdict::TimedOut(Kill { test, exception: String::new(), message: "it does not end".into() }))
            }
            Seen::Failed(failure) if self.passes_on_original(&[test], &failure, true)? => {
                Some(Verdict::Detected(failure.kill))
            }
            Seen::Died(Some(_)) => Some(Verdict::Detected(ended_jvm(test))),
            Seen::AllPassed | Seen::Failed(_) | Seen::Died(None) | Seen::Broken(_) => None,
        })
    }

    /// Measured once for each test.
    fn time_alone(&mut self, test: usize) -> Result<Option<u64>> {
        let stage = self.stage;
        let known = || stage.alone.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(time) = known().get(&test) {
            return Ok(*time);
        }
        let limit = stage.limit(test, &CLEAN_START) + stage.start_up;
        let passes = matches!(self.run_within(0, &[test], true, |_| limit)?, Seen::AllPassed);
        let nanoseconds = self.last.iter().map(|finished| finished.cpu_nanoseconds).sum::<u64>();
        let time = passes.then_some(nanoseconds / 1_000_000);
        known().insert(test, time);
        Ok(time)
    }

    /// Whether the same tests on the original do not show the same failure.
    fn passes_on_original(&mut self, tests: &[usize], failure: &Failure, fresh: bool) -> Result<bool> {
        Ok(match self.run(0, tests, fresh)? {
            Seen::AllPassed => true,
            // Tests come before classes: no test failed by itself there.
            Seen::Failed(original) => original.of_class && !failure.of_class,
            Seen::Late(_) | Seen::Died(_) | Seen::Broken(_) => false,
        })
    }

    /// Runs tests with a transformation, up to the first failure.
    fn run(&mut self, number: u32, tests: &[usize], fresh: bool) -> Result<Seen> {
        let stage = self.stage;
        // What the first test of the suite once set up (mocks, a context), any test has to set up that is the first of a clean start.
        let start_up = if fresh || self.is_dirty || self.worker.is_none() { stage.start_up } else { 0 };
        self.run_within(number, tests, fresh, |test| stage.limit(test, &SUSPICION) + start_up)
    }

    fn run_within(&mut self, number: u32, tests: &[usize], fresh: bool, limit: impl Fn(usize) -> u64) -> Result<Seen> {
        let tests = tests
            .iter()
            .filter_map(|test| {
                Some(RunTest {
                    number: u32::try_from(*test).ok()?,
                    id: self.stage.coverage.tests.get(*test)?.id.clone(),
                    limit: limit(*test),
                })
            })
            .collect();
        self.request(number, tests, fresh)
    }

    fn request(&mut self, number: u32, tests: Vec<RunTest>, fresh: bool) -> Result<Seen> {
        let stage = self.stage;
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(stage.launch)?,
        };
        let longest = tests.iter().map(|test| test.limit).max().unwrap_or(0);
        let ran = worker.run(&RunRequest {
            fresh: fresh || self.is_dirty,
            active: number,
            tests,
            stop_at_first_failure: true,
            record: Record::Coverage,
            next_number: u32::try_from(stage.coverage.tests.len()).unwrap_or(u32::MAX),
            other_limit: longest,
        })?;
        stage.unwoven.lock().unwrap_or_else(PoisonError::into_inner).extend(worker.unwoven.drain(..));
        let Ran { finished, end, .. } = ran;
        // A JVM in which a loop was broken off goes on with a new loader.
        self.is_dirty = !matches!(end, End::Complete);
        if matches!(end, End::Complete | End::Late(_)) && !worker.is_littered() {
            self.worker = Some(worker);
        }
        self.last.clone_from(&finished);
        // What a test does itself tells more than what befalls its class, and comes first.
        let failure = finished
            .into_iter()
            .filter(|finished| finished.outcome == Outcome::Failed)
            .min_by_key(|finished| finished.of_class);
        Ok(match (end, failure) {
            (End::Late(late), _) => Seen::Late(late as usize),
            (End::Hung(Some(hung)), _) => Seen::Late(hung as usize),
            (_, Some(failure)) => Seen::Failed(Failure { of_class: failure.of_class, kill: kill(failure) }),
            (End::Died(test), None) => Seen::Died(test.map(|test| test as usize)),
            (End::Hung(None), None) => Seen::Died(None),
            (End::Broken(reason), None) => Seen::Broken(reason),
            (End::Complete, None) => Seen::AllPassed,
        })
    }
}

fn kill(failure: Finished) -> Kill {
    Kill { test: failure.number as usize, exception: failure.exception, message: failure.message }
}

fn ended_jvm(test: usize) -> Kill {
    Kill { test, exception: String::new(), message: "the JVM ended while the test was running".to_owned() }
}

//! From a recipe to its tests: their order and time, which methods each enters, which fail or are unstable.

mod again;
mod follow;
mod idle;
mod join;
mod loader;
mod runs;
mod set_up;
mod slow;
mod spared;
mod strays;
mod suite;
mod twice;

pub use again::Before;
pub use loader::{Chosen, choose};
pub use runs::{Run, Runs};

use crate::base::error::{Error, ExitCode, Result};
use crate::base::id::{IdVec, MethodId, RecipeId};
use crate::jvm::client::Launch;
use crate::jvm::protocol::{Finished, FoundTest, Outcome};
use crate::recipe::{Engine, Recipe};
use crate::run::Session;
use follow::{Follower, first_run, may_follow};
use serde::{Deserialize, Serialize};
use set_up::{SetUp, top_level};
use spared::{Reruns, reruns, with_copies};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use strays::Strays;
use suite::Suite;
use twice::Twice;

/// One test: a test method, or one invocation of a parameterised test.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Test {
    /// The engine's own identifier, with which the driver finds the test again.
    pub id: String,
    /// Name for people, unique in its module: `org.example.StackTest.pops()`, `org.example.StackTest.pops(int)[2]`.
    pub name: String,
    /// Binary name of the test class.
    pub class: String,
    /// By which it runs.
    pub recipe: RecipeId,
}

impl Test {
    /// The engine's identifier of the parameterised, repeated or dynamic test that this is an invocation of, where the JUnit Platform runs it.
    #[must_use]
    pub fn template(&self) -> Option<&str> {
        let (template, invocation) = self.id.rsplit_once("/[")?;
        ["test-template-invocation:#", "dynamic-test:#"]
            .iter()
            .any(|kind| invocation.starts_with(kind))
            .then_some(template)
    }

    /// Whether it is one of several invocations of its method, as the drivers name them: `org.example.StackTest.pops(int)[2]`,
    /// `org.example.StackTest[1].pops()`. JUnit 4 lets a runner name them as it likes.
    #[must_use]
    pub fn is_invocation(&self) -> bool {
        let name = self.name.strip_prefix(self.class.as_str()).and_then(|name| name.strip_prefix('.'));
        let method = name.and_then(|name| name.strip_suffix(')')?.split_once('('));
        !method.is_some_and(|(method, _)| method.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$')))
    }
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
    /// CPU time of the whole process during each test, in nanoseconds.
    pub cpu_nanoseconds: Vec<u64>,
    /// What a test took longest from a clean start beyond its time in a class loader where it had run before (a context, mocks): some test
    /// set up what others share, and in another selection of tests it is another one.
    pub start_up_nanoseconds: u64,
    /// The tests that entered each method, in order.
    pub covering: IdVec<MethodId, Vec<usize>>,
    /// Fail before any change; in order.
    pub failing: Vec<Quarantined>,
    /// Did not behave the same each time; in order.
    pub unstable: Vec<Quarantined>,
    /// The same for tests that are quarantined and say nothing: a method that only they enter is not "not covered".
    pub quarantined_covering: IdVec<MethodId, Vec<usize>>,
    /// Pass from a clean start only: they fail when they run again in the same class loader.
    pub clean_only: Vec<usize>,
    /// Take far longer than other invocations of the same test, or other tests of their class: all others are asked first. In order.
    pub slow: Vec<usize>,
    /// Methods that some test enters in a fresh class loader and not when it runs there again (static initialisation): which test that is
    /// hangs on the order of the tests, and only a clean start tells the truth of them.
    pub once: Vec<MethodId>,
    /// Pass alone, and not while another JVM runs them, too: both need the same port or file. In order.
    pub contended: Vec<usize>,
}

impl Coverage {
    /// The coverage if no test runs, of a project with this number of methods.
    #[must_use]
    pub fn without_tests(methods: usize) -> Self {
        let nothing = IdVec::from_vec(vec![Vec::new(); methods]);
        Self { covering: nothing.clone(), quarantined_covering: nothing, ..Self::default() }
    }

    /// Whether the test may be used as evidence.
    #[must_use]
    pub fn is_quarantined(&self, test: usize) -> bool {
        // Both in the order of the tests.
        let is_in = |list: &[Quarantined]| list.binary_search_by_key(&test, |quarantined| quarantined.test).is_ok();
        is_in(&self.failing) || is_in(&self.unstable)
    }

    /// So many of `jobs` may run tests at a time.
    #[must_use]
    pub fn jobs(&self, jobs: usize) -> usize {
        if self.contended.is_empty() { jobs } else { 1 }
    }

    /// Whether the test takes far longer than what is like it.
    #[must_use]
    pub fn is_slow(&self, test: usize) -> bool {
        self.slow.binary_search(&test).is_ok()
    }

    /// Time that the test needs on the original code, in milliseconds: by the clock, or of the CPU where several threads work.
    #[must_use]
    pub fn milliseconds(&self, test: usize) -> u64 {
        let (cpu, wall) = self.cpu_and_wall_milliseconds(test);
        cpu.max(wall)
    }

    /// CPU time that the test needs on the original code, and time by the clock.
    #[must_use]
    pub fn cpu_and_wall_milliseconds(&self, test: usize) -> (u64, u64) {
        let of = |times: &[u64]| times.get(test).copied().unwrap_or(0) / 1_000_000;
        (of(&self.cpu_nanoseconds), of(&self.nanoseconds))
    }
}

/// Tests of one recipe that are to be covered.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub recipe: &'a Recipe,
    pub launch: &'a Launch,
    /// The test classes that surefire would take.
    pub classes: &'a [String],
    /// How many methods there are, of which coverage is asked.
    pub methods: usize,
    /// What an earlier analysis knows: tests of which its runs hold still run once, or not at all.
    pub before: Option<&'a Before<'a>>,
    /// So many workers may run tests at a time.
    pub jobs: usize,
    pub progress: Progress<'a>,
}

/// Who is told how the runs of the tests of one recipe go on.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// What belongs in the log.
    pub said: &'a dyn Fn(&str),
    /// One more test has run.
    pub ran: &'a (dyn Fn() + Sync),
    /// So many more are to run.
    pub left: &'a dyn Fn(usize),
}

/// What a run of each test did, by its number.
type Outcomes = BTreeMap<usize, Finished>;

/// The result with one class loader.
struct Covered {
    coverage: Coverage,
    /// Tests that fail each time, or again as soon as they run in the same JVM once more: another class loader may suit them better.
    suspects: Vec<usize>,
    /// The runs behind it, where each came to its end by itself.
    runs: Option<Runs>,
    /// How many tests ran no more than once, and how many of these not at all, because the runs of before hold of them.
    held: (usize, usize),
    /// JVMs that can go on with other tests.
    workers: Vec<Session>,
}

/// The tests of these classes that surefire would run, in a worker that has loaded nothing else: groups and single methods are heeded.
///
/// # Errors
/// When no worker can be started, or the engine fails.
pub fn find(recipe: &Recipe, launch: &Launch, classes: &[String]) -> Result<(Session, Vec<FoundTest>)> {
    let filter = &recipe.filter;
    let mut session = Session::new(Arc::new(launch.clone()));
    let mut found = session.discover(classes, filter.groups.as_deref(), filter.excluded_groups.as_deref())?;
    let selection = filter.selection()?;
    found.retain(|test| selection.takes_test(&test.class, &test.name));
    Ok((session, found))
}

/// Finds the tests and runs them three times on the original code, with coverage: from a clean start, again in the same class loader,
/// and from another clean start.
fn cover(task: &Task<'_>) -> Result<Covered> {
    let (session, found) = find(task.recipe, task.launch, task.classes)?;
    cover_tests(task, session, &found)
}

/// The same for tests that `session` has found.
fn cover_tests(task: &Task<'_>, mut session: Session, found: &[FoundTest]) -> Result<Covered> {
    let mut before = task.before.copied();
    let mut strays = Strays::new();
    let mut follows = task.jobs > 1 && before.is_none() && may_follow(task.recipe.engine);
    loop {
        match attempt(&Task { before: before.as_ref(), ..*task }, session, found, follows)? {
            Attempt::Whole(mut covered) => {
                if let Some((before, runs)) = task.before.zip(covered.runs.as_mut()) {
                    runs.strays = before.known_strays(strays, runs);
                }
                return Ok(*covered);
            }
            Attempt::Disturbed => {
                (task.progress.said)("All tests run again: some failed while another JVM ran others.");
                follows = false;
            }
            // With all tests, and if that is not enough, with nothing of before.
            Attempt::Part { strays: more, gave_up } => {
                let classes: Vec<&str> = more.keys().map(String::as_str).collect();
                let why = if classes.is_empty() {
                    "what some do, or what happens between test classes, does not fit what was known".to_owned()
                } else {
                    format!("without those that did not run, {} did otherwise", classes.join(", "))
                };
                (task.progress.said)(&format!("All tests run again: {why}."));
                strays.extend(more);
                before = before.filter(|before| before.may_leave_out && !gave_up);
                before = before.map(|before| Before { may_leave_out: false, ..before });
            }
        }
        session = Session::new(Arc::new(task.launch.clone()));
    }
}

/// What came of running the tests.
enum Attempt {
    Whole(Box<Covered>),
    /// Tests failed beside the follower.
    Disturbed,
    /// Something is missing: the runs of before do not hold, or tests do otherwise while others rest (`strays`).
    Part {
        strays: Strays,
        /// Some test ended the JVM, or had to be stopped.
        gave_up: bool,
    },
}

/// With `follows`, a second JVM follows the first run.
fn attempt(task: &Task<'_>, session: Session, found: &[FoundTest], follows: bool) -> Result<Attempt> {
    let Task { recipe, launch, methods, before, progress, .. } = *task;
    let missing = |suite: &Suite<'_>, strays| Attempt::Part { strays, gave_up: !suite.given_up.is_empty() };
    let idle = before.map(|before| before.idle(found)).unwrap_or_default();
    let attempted = before.filter(|before| before.may_leave_out);
    let disturbing = attempted.map(Before::changed_disturbing).unwrap_or_default();
    if !disturbing.is_empty() {
        (progress.said)(&format!(
            "All tests run: what has changed reaches {}, where properties, streams or defaults of the JVM do not stay what they are.",
            disturbing.join(", ")
        ));
    }
    let mut suite = Suite::new(session, launch, found, recipe.engine, progress.ran);
    let resting = before.map(|before| before.resting(&idle)).unwrap_or_default();
    let is_idle = |test: &usize| {
        suite.tests.get(*test).is_some_and(|known| idle.contains(top_level(known)))
            || u32::try_from(*test).is_ok_and(|test| resting.contains(&test))
    };
    let wanted: Vec<usize> = (0..found.len()).filter(|test| !is_idle(test)).collect();
    let (mut first, follower) =
        if follows { first_run(&mut suite, &wanted)? } else { (suite.run(&wanted, true)?, None) };
    let mut told = suite.told();
    if follows && (told.is_none() || first.values().any(|one| one.outcome == Outcome::Failed)) {
        return Ok(Attempt::Disturbed);
    }
    if let Some(before) = before.filter(|_| !idle.is_empty()) {
        let tests = &suite.tests;
        let part = told.and_then(|part| with_copies(tests, &before.runs.runs[0], part, &resting));
        let Some(whole) = part.and_then(|part| before.with_idle(&idle, tests, &part)) else {
            return Ok(missing(&suite, Strays::new()));
        };
        first = again::outcomes(&whole);
        told = Some(whole);
    }
    if first.is_empty() {
        return Err(Error::cannot_build(
            format!("No tests were found in {}.", recipe.test_classes.display()),
            "reneri needs tests that `mvn test` runs; check surefire's `includes` if there are some.",
        ));
    }
    // What stands for invocations that were reported themselves has not finished, and is no test.
    let mut all: Vec<usize> = first.keys().copied().collect();
    if let Some(told) = &told {
        in_order_of(told, &mut all);
    }
    let known = before.zip(told.as_ref());
    let known = known.and_then(|(before, first)| Some((before, before.still(&suite.tests, first, !idle.is_empty())?)));
    let holds = |test: &u32| {
        let class = suite.tests.get(*test as usize).map(top_level);
        known.as_ref().zip(class).is_some_and(|((_, still), class)| still.holds(class))
    };
    if known.is_none() && !idle.is_empty() || !resting.iter().all(holds) {
        return Ok(missing(&suite, Strays::new()));
    }
    if let Some(((before, still), told)) = known.as_ref().zip(told.as_ref()).filter(|_| !idle.is_empty()) {
        let strays = before.strays(still, &suite.tests, told);
        if !strays.is_empty() {
            return Ok(missing(&suite, strays));
        }
    }
    let open = known.as_ref().map_or_else(|| all.clone(), |(_, still)| still.open(&suite.tests, &all));
    // What TestNG sets up for the suite, and which tests wait for which, hangs on tests of other classes.
    let waits = recipe.engine == Engine::TestNG;
    let at_once = task.jobs > 1 && before.is_none() && told.is_some();
    let other = follower.or_else(|| at_once.then(|| Follower::new(suite.other())));
    let mut twice = Twice::new(&mut suite, other);
    let Reruns { again, clean, told: told_later, mut spared } =
        reruns(&mut twice, &open, (&first, told.as_ref()), !waits, progress.left)?;
    let Twice { mut contended, varying, left, .. } = twice;
    if let Some((before, still)) = &known {
        spared.extend(still.spared(before.runs, &suite.tests));
    }
    // What needs what others have is seen where all tests run two times at a time, and holds on.
    let contended_before =
        before.map(|before| again::same_tests(&before.runs.tests, &before.runs.contended, &suite.tests));
    contended.extend(contended_before.into_iter().flatten());
    let told = told.zip(told_later).map(|(first, [again, clean])| [first, again, clean]);
    let (mut runs, mut set_up) = ([first, again, clean], std::mem::take(&mut suite.set_up));
    let told = match (known, told) {
        (None, told) => told,
        (Some((before, still)), Some([first, again, clean]))
            if !again::differs(&runs[0], &runs[2], &open)
                && (idle.is_empty() || !before.misses(&still, &suite.tests, &first, &again)) =>
        {
            let told = still.complete(&suite.tests, &first, &again, &clean);
            runs = told.each_ref().map(again::outcomes);
            set_up = again::set_up(&suite.tests, &told);
            Some(told)
        }
        // These do something else without the tests before them.
        (Some(_), _) => return Ok(missing(&suite, Strays::new())),
    };
    let is_known = suite.given_up.is_empty() && !waits;
    let told = told.filter(|_| is_known);
    let asides = Asides { given_up: &suite.given_up, set_up: &set_up, spared, contended, varying };
    let mut covered = assess(&suite.tests, &runs, &asides, methods);
    let Asides { spared, contended, .. } = asides;
    let runs_told = told.map(|runs| {
        let strays = Strays::new();
        Runs { tests: suite.tests.clone(), runs, found: found.len(), spared, contended, strays }
    });
    (covered.runs, covered.held) = (runs_told, (all.len() - open.len(), found.len() - wanted.len()));
    covered.workers = suite.into_session().into_iter().chain(left).collect();
    let coverage = &covered.coverage;
    let usable = (0..coverage.tests.len()).any(|test| !coverage.is_quarantined(test));
    if !usable {
        let reasons: Vec<String> = coverage
            .failing
            .iter()
            .chain(&coverage.unstable)
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
    Ok(Attempt::Whole(Box::new(covered)))
}

/// As they ran: what is found only then, invocations of parameterised tests, has numbers behind all others, and classes that have nothing else would
/// run last when they run again.
fn in_order_of(told: &Run, tests: &mut [usize]) {
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for (place, finished) in told.finished.iter().enumerate() {
        places.entry(finished.number as usize).or_insert(place);
    }
    tests.sort_by_key(|test| places.get(test).copied().unwrap_or(usize::MAX));
}

/// What is known of tests beside their three runs, by their numbers.
struct Asides<'a> {
    given_up: &'a Outcomes,
    set_up: &'a SetUp,
    /// What they did the first time stands in the other runs.
    spared: BTreeSet<u32>,
    contended: BTreeSet<u32>,
    varying: Outcomes,
}

/// From three runs (clean, same loader, clean) to coverage. A container of parameterised tests never runs itself and is left out.
fn assess(tests: &[Test], runs: &[Outcomes; 3], asides: &Asides<'_>, methods: usize) -> Covered {
    let Asides { given_up, set_up, spared, contended, varying } = asides;
    let [first, again, clean] = runs;
    let ran: Vec<usize> = (0..tests.len()).filter(|test| runs.iter().any(|run| run.contains_key(test))).collect();
    let mut coverage = Coverage {
        slow: slow::slow(tests, &ran, runs, spared),
        covering: vec![Vec::new(); methods].into(),
        quarantined_covering: vec![Vec::new(); methods].into(),
        ..Coverage::default()
    };
    let mut suspects = Vec::new();
    let mut once: BTreeSet<MethodId> = only_spared(tests, runs, spared, set_up);
    for (number, test) in ran.iter().enumerate() {
        let outcomes: Vec<Option<Outcome>> = runs.iter().map(|run| run.get(test).map(|run| run.outcome)).collect();
        let failure = runs.iter().filter_map(|run| run.get(test)).find(|run| run.outcome == Outcome::Failed);
        let reason = failure.map(reason).unwrap_or_default();
        match outcomes.as_slice() {
            [Some(a), Some(b), Some(c)] if a == b && b == c => {
                if *a == Outcome::Failed {
                    coverage.failing.push(Quarantined { test: number, reason });
                    suspects.extend(Some(number).filter(|_| !given_up.contains_key(test)));
                }
            }
            [Some(Outcome::Passed), Some(Outcome::Failed), Some(Outcome::Passed)] => coverage.clean_only.push(number),
            _ => {
                if matches!(outcomes.as_slice(), [Some(Outcome::Passed), _, Some(Outcome::Failed)])
                    && !varying.contains_key(test)
                {
                    suspects.push(number);
                }
                let reason = if reason.is_empty() {
                    "it is not run each time".to_owned()
                } else {
                    format!("fails sometimes: {reason}")
                };
                coverage.unstable.push(Quarantined { test: number, reason });
            }
        }
        let longest = |time: fn(&Finished) -> u64| runs.iter().filter_map(|run| run.get(test)).map(time).max();
        coverage.nanoseconds.push(longest(|finished| finished.nanoseconds).unwrap_or(0));
        coverage.cpu_nanoseconds.push(longest(|finished| finished.cpu_nanoseconds).unwrap_or(0));
        if let (Some(first), Some(again), Some(clean)) = (first.get(test), again.get(test), clean.get(test)) {
            let time = |run: &Finished| run.nanoseconds.max(run.cpu_nanoseconds);
            let set_up = time(first).min(time(clean)).saturating_sub(time(again));
            coverage.start_up_nanoseconds = coverage.start_up_nanoseconds.max(set_up);
        }
        let mut entered: Vec<u32> =
            [first, clean].iter().filter_map(|run| run.get(test)).flat_map(|run| run.entered.iter().copied()).collect();
        entered.extend(tests.get(*test).into_iter().flat_map(|test| set_up.of(test)));
        entered.sort_unstable();
        entered.dedup();
        let covering =
            if coverage.is_quarantined(number) { &mut coverage.quarantined_covering } else { &mut coverage.covering };
        if outcomes.iter().any(|outcome| matches!(outcome, Some(Outcome::Passed | Outcome::Failed))) {
            for method in entered {
                if let Some(tests) = covering.get_mut(MethodId(method)) {
                    tests.push(number);
                }
            }
        }
        if let (Some(first), Some(again)) = (first.get(test), again.get(test)) {
            let of = |run: &Finished| run.entered.iter().copied().chain(run.between()).collect::<BTreeSet<u32>>();
            once.extend(of(first).difference(&of(again)).map(|method| MethodId(*method)));
            // Without the spared tests, somebody else comes first.
            if let Some(clean) = clean.get(test).filter(|_| !spared.is_empty()) {
                once.extend(of(clean).difference(&of(again)).map(|method| MethodId(*method)));
            }
        }
    }
    coverage.once = once.into_iter().filter(|method| method.index() < methods).collect();
    let is_contended = |test: &usize| u32::try_from(*test).is_ok_and(|test| contended.contains(&test));
    coverage.contended = (0..ran.len()).filter(|place| ran.get(*place).is_some_and(is_contended)).collect();
    coverage.tests = ran.iter().filter_map(|test| tests.get(*test).cloned()).collect();
    Covered { coverage, suspects, runs: None, held: (0, 0), workers: Vec::new() }
}

/// Methods that only spared tests enter: whether they do so each time is not known.
fn only_spared(tests: &[Test], runs: &[Outcomes; 3], spared: &BTreeSet<u32>, set_up: &SetUp) -> BTreeSet<MethodId> {
    let all = || runs.iter().flat_map(BTreeMap::values);
    let of = |one: &Finished| one.entered.iter().copied().chain(one.between()).collect::<Vec<u32>>();
    let others = || all().filter(|one| !spared.contains(&one.number));
    let mut by_others: BTreeSet<u32> = others().flat_map(of).collect();
    // What is ahead of a spared test may be set-up of its class: it is ahead of another one where that one does not run.
    by_others.extend(others().filter_map(|one| tests.get(one.number as usize)).flat_map(|test| set_up.of(test)));
    let by_spared = all().filter(|one| spared.contains(&one.number)).flat_map(of);
    by_spared.filter(|method| !by_others.contains(method)).map(MethodId).collect()
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

//! Runs a list of tests to its end: goes on behind a test that hangs or ends the JVM.

use super::job::{End, Job, Ran, Start};
use super::session::Session;
use crate::base::error::Result;
use crate::base::id::{MethodId, TestId};
use crate::jvm::protocol::{Finished, RunTest};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most runs of [`Rest::AllOthers`]. Each leaves out a test that did not end.
const MOST_RUNS: usize = 4;

/// The tests that run on after one of them hung or ended the JVM.
#[derive(Clone, Copy)]
pub enum Rest<'a> {
    /// Those without a result, from a clean start: the results of all runs count.
    ///
    /// If a run gets nowhere and no test is to blame, the set-up of the first class is, and all tests
    /// of that class are stuck. The function says whether two tests are of the same class.
    Unfinished(&'a dyn Fn(TestId, TestId) -> bool),
    /// All others, in a new JVM, so that one run has all results.
    ///
    /// If no test is to blame, or too many are, all tests are stuck.
    AllOthers,
}

/// The runs that it took to get to the end of a list of tests.
#[derive(Clone, Debug, Default)]
pub struct Completion {
    /// In order.
    pub runs: Vec<Ran>,
    /// The tests that did not come to their end, and why.
    pub stuck: BTreeMap<TestId, Stuck>,
    /// The reason why a run did not get to its first test, if the JVM itself says so.
    pub broken: Option<String>,
}

/// A test that did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    pub cause: Cause,
    /// The methods that it entered, as far as the worker could report them.
    pub entered: Vec<MethodId>,
}

/// The reason why a test is stuck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It did not end in time.
    Endless,
    /// It ended the JVM, in this way if the system says.
    EndsJvm(Option<String>),
    /// It did not start.
    NotStarted,
}

impl Session {
    /// Runs the tests of a job to the end, with as many runs as that takes. Calls `finished` at the
    /// end of each test.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_to_end(&mut self, job: &Job, rest: Rest<'_>, finished: &mut dyn FnMut(&Finished)) -> Result<Completion> {
        let mut runner = Runner {
            session: self,
            job,
            rest,
            finished,
            numbers: Numbers::new(job),
            with_result: BTreeSet::new(),
            completion: Completion::default(),
        };
        runner.run_all()?;
        Ok(runner.completion)
    }
}

/// The loop behind [`Session::run_to_end`].
struct Runner<'r> {
    session: &'r mut Session,
    job: &'r Job,
    rest: Rest<'r>,
    finished: &'r mut dyn FnMut(&Finished),
    numbers: Numbers,
    /// The tests with a result in some run.
    with_result: BTreeSet<TestId>,
    completion: Completion,
}

/// The end of one run.
enum RunEnd {
    Complete,
    /// The run did not get past this test.
    At(TestId, Stuck),
    /// No test was running.
    BetweenTests,
}

impl Runner<'_> {
    fn run_all(&mut self) -> Result<()> {
        let mut remaining = self.job.tests.clone();
        let mut start = self.job.start;
        while !remaining.is_empty() {
            let end = self.run(&remaining, start)?;
            if matches!(end, RunEnd::Complete) {
                break;
            }
            match self.rest {
                Rest::Unfinished(is_same_class) => {
                    self.settle(end, &remaining, start)?;
                    if self.completion.broken.is_some() {
                        break;
                    }
                    let is_open = |test: &RunTest| self.is_open(test.number);
                    if start == Start::Clean && remaining.iter().all(is_open) {
                        self.give_up_first_class(&remaining, is_same_class);
                    }
                    remaining.retain(|test| self.is_open(test.number));
                }
                Rest::AllOthers => {
                    self.leave_out(end, &remaining);
                    remaining.retain(|test| !self.completion.stuck.contains_key(&test.number));
                }
            }
            start = Start::Clean;
        }
        Ok(())
    }

    /// Makes one run.
    fn run(&mut self, tests: &[RunTest], start: Start) -> Result<RunEnd> {
        if matches!(self.rest, Rest::AllOthers) {
            // The recording has the numbers of this run.
            self.numbers = Numbers::new(self.job);
        }
        let job = Job {
            tests: tests.to_vec(),
            transformation: self.job.transformation,
            record: self.job.record.clone(),
            start,
            whole_classes: self.job.whole_classes,
            stop_at_first_failure: self.job.stop_at_first_failure,
            next_number: self.numbers.next,
            other_limit: self.job.other_limit,
            world: self.job.world,
        };
        let mut ran = self.session.run_telling(&job, self.finished)?;
        self.numbers.apply(&mut ran, self.job);
        self.with_result.extend(ran.reported.finished.iter().map(|finished| finished.number));
        let stuck = |cause: Cause| Stuck { cause, entered: ran.reported.entered.clone() };
        let end = match &ran.end {
            End::Complete => RunEnd::Complete,
            End::Late(test) | End::Hung(Some(test)) => RunEnd::At(*test, stuck(Cause::Endless)),
            End::Died { test: Some(test), exit } => RunEnd::At(*test, stuck(Cause::EndsJvm(exit.clone()))),
            End::Hung(None) | End::Died { test: None, .. } => RunEnd::BetweenTests,
            End::Broken(reason) => {
                if ran.reported.finished.is_empty() {
                    self.completion.broken = Some(reason.clone());
                }
                RunEnd::BetweenTests
            }
        };
        self.completion.runs.push(ran);
        Ok(end)
    }

    /// Whether the test has no result and is not stuck.
    fn is_open(&self, test: TestId) -> bool {
        !self.with_result.contains(&test) && !self.completion.stuck.contains_key(&test)
    }

    /// Leaves out the test that a run did not get past, or gives up all tests.
    fn leave_out(&mut self, end: RunEnd, remaining: &[RunTest]) {
        self.session.end();
        let may_run_again = self.completion.runs.len() < MOST_RUNS;
        let is_at_test = matches!(end, RunEnd::At(..));
        if let RunEnd::At(test, stuck) = end {
            self.add_stuck(test, stuck);
        }
        if !is_at_test || !may_run_again {
            self.give_up(remaining);
        }
    }

    /// Finds out whether the test that a run did not get past is to blame.
    ///
    /// A thread that an earlier test left behind can end the JVM during any later test. So a test
    /// that did not run first is stuck only if the JVM also ends when it runs alone.
    fn settle(&mut self, end: RunEnd, remaining: &[RunTest], start: Start) -> Result<()> {
        let RunEnd::At(test, stuck) = end else { return Ok(()) };
        let was_first = start == Start::Clean && remaining.first().is_some_and(|first| first.number == test);
        if was_first || stuck.cause == Cause::Endless {
            self.add_stuck(test, stuck);
            return Ok(());
        }
        let Some(suspect) = self.numbers.tests.get(&test).cloned() else { return Ok(()) };
        if let RunEnd::At(test, stuck) = self.run(&[suspect], Start::Clean)? {
            self.add_stuck(test, stuck);
        }
        Ok(())
    }

    /// Adds a stuck test. An invocation of a parameterised test makes that test stuck as well,
    /// because it cannot run without this invocation.
    fn add_stuck(&mut self, test: TestId, stuck: Stuck) {
        let container = self.numbers.tests.get(&test).and_then(|invocation| {
            let contains = |listed: &&RunTest| {
                let below = invocation.id.strip_prefix(listed.id.as_str());
                below.is_some_and(|below| below.starts_with('/'))
            };
            self.job.tests.iter().find(contains)
        });
        if let Some(container) = container {
            self.completion.stuck.insert(container.number, stuck.clone());
        }
        self.completion.stuck.insert(test, stuck);
    }

    fn give_up_first_class(&mut self, remaining: &[RunTest], is_same_class: &dyn Fn(TestId, TestId) -> bool) {
        let Some(first) = remaining.first() else { return };
        let of_class = remaining.iter().filter(|test| is_same_class(first.number, test.number));
        self.give_up(of_class);
    }

    fn give_up<'t>(&mut self, tests: impl IntoIterator<Item = &'t RunTest>) {
        for test in tests {
            let stuck = Stuck { cause: Cause::NotStarted, entered: Vec::new() };
            self.completion.stuck.entry(test.number).or_insert(stuck);
        }
    }
}

/// The numbers of tests in all runs. A worker gives a new number to an unexpected test each time.
struct Numbers {
    by_id: HashMap<String, TestId>,
    tests: BTreeMap<TestId, RunTest>,
    next: TestId,
}

impl Numbers {
    fn new(job: &Job) -> Self {
        Self {
            by_id: job.tests.iter().map(|test| (test.id.clone(), test.number)).collect(),
            tests: job.tests.iter().map(|test| (test.number, test.clone())).collect(),
            next: job.next_number,
        }
    }

    /// Gives each unexpected test the number that it had in an earlier run, or the next one.
    /// `ran.unexpected` keeps those that are new.
    fn apply(&mut self, ran: &mut Ran, job: &Job) {
        let mut changed: BTreeMap<TestId, TestId> = BTreeMap::new();
        let mut new = Vec::new();
        for (number, test) in std::mem::take(&mut ran.reported.unexpected) {
            if let Some(known) = self.by_id.get(&test.id) {
                changed.insert(number, *known);
                continue;
            }
            let own = self.next;
            self.next = TestId(own.0 + 1);
            changed.insert(number, own);
            self.by_id.insert(test.id.clone(), own);
            self.tests.insert(own, RunTest { number: own, id: test.id.clone(), limit: job.other_limit });
            new.push((own, test));
        }
        ran.reported.unexpected = new;
        let renumber = |number: &mut TestId| *number = changed.get(number).copied().unwrap_or(*number);
        ran.reported.finished.iter_mut().for_each(|finished| renumber(&mut finished.number));
        match &mut ran.end {
            End::Late(test) | End::Hung(Some(test)) | End::Died { test: Some(test), .. } => renumber(test),
            End::Complete | End::Hung(None) | End::Died { test: None, .. } | End::Broken(_) => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::fake::{Act, FakeJvms, Fault, Project, disturb_everywhere};
    use super::*;
    use crate::base::id::GuardId;
    use crate::jvm::protocol::{Limit, Record, World};
    use std::sync::Arc;

    fn job(names: &[&str]) -> Job {
        let limit = Limit::of_time(1);
        let test = |(number, id): (u32, &&str)| RunTest { number: TestId(number), id: (*id).to_owned(), limit };
        Job {
            tests: (0..).zip(names).map(test).collect(),
            transformation: None,
            record: Record::Coverage,
            start: Start::Clean,
            whole_classes: false,
            stop_at_first_failure: false,
            next_number: TestId::new(names.len()),
            other_limit: limit,
            world: World::default(),
        }
    }

    /// `b` hangs, and `d` ends the JVM. `e` ends it unless it runs first: a thread that an earlier
    /// test left behind does that.
    fn project(_: Option<GuardId>, test: &str, is_first: bool) -> Act {
        match test {
            "b" => Act::Hangs,
            "d" => Act::Exit(3),
            "e" if !is_first => Act::Exit(3),
            _ => Act::Pass,
        }
    }

    const ALL: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

    fn complete(jvms: &FakeJvms, names: &[&str], rest: Rest<'_>) -> Result<Completion> {
        Session::new(Arc::new(jvms.launch())).run_to_end(&job(names), rest, &mut |_| {})
    }

    /// Each test is a class of its own.
    fn is_same_class(one: TestId, other: TestId) -> bool {
        one == other
    }

    fn finished(run: &Ran) -> Vec<u32> {
        run.reported.finished.iter().map(|finished| finished.number.0).collect()
    }

    fn stuck(completion: &Completion) -> Vec<(u32, Cause)> {
        completion.stuck.iter().map(|(test, stuck)| (test.0, stuck.cause.clone())).collect()
    }

    fn exits() -> Cause {
        Cause::EndsJvm(Some("System.exit or Runtime.halt, status 3".to_owned()))
    }

    #[test]
    fn tests_without_a_result_run_on_behind_a_stuck_one() {
        let completion = complete(&FakeJvms::new(project, &[]), &ALL, Rest::Unfinished(&is_same_class)).unwrap();
        let runs: Vec<Vec<u32>> = completion.runs.iter().map(finished).collect();
        // `d` ends the JVM alone, too. `e` runs first after that.
        assert_eq!(runs, [vec![0], vec![2], vec![], vec![4, 5]]);
        assert_eq!(stuck(&completion), [(1, Cause::Endless), (3, exits())]);
    }

    #[test]
    fn a_test_that_ends_the_jvm_only_after_others_is_not_stuck() {
        let completion = complete(&FakeJvms::new(project, &[]), &["a", "e"], Rest::Unfinished(&is_same_class)).unwrap();
        let runs: Vec<Vec<u32>> = completion.runs.iter().map(finished).collect();
        assert_eq!((runs, stuck(&completion)), (vec![vec![0], vec![1]], vec![]));
    }

    #[test]
    fn all_other_tests_run_again_in_one_run() {
        let completion = complete(&FakeJvms::new(project, &[]), &["a", "b", "c", "d"], Rest::AllOthers).unwrap();
        let runs: Vec<Vec<u32>> = completion.runs.iter().map(finished).collect();
        assert_eq!(runs, [vec![0], vec![0, 2], vec![0, 2]]);
        assert_eq!(stuck(&completion), [(1, Cause::Endless), (3, exits())]);
    }

    #[test]
    fn all_tests_are_given_up_if_too_many_are_stuck() {
        let hangs = |_: Option<GuardId>, _: &str, _: bool| Act::Hangs;
        let jvms = FakeJvms::new(hangs, &[]);
        let completion = complete(&jvms, &ALL, Rest::AllOthers).unwrap();
        assert_eq!((completion.runs.len(), completion.stuck.len()), (MOST_RUNS, ALL.len()));
        assert_eq!(stuck(&completion).last(), Some(&(5, Cause::NotStarted)));
    }

    /// `p` and `q` have two invocations each.
    struct WithInvocations<F>(F);

    impl<F: Fn(Option<GuardId>, &str, bool) -> Act + Send + Sync> Project for WithInvocations<F> {
        fn act(&self, transformation: Option<GuardId>, test: &str, is_first: bool) -> Act {
            (self.0)(transformation, test, is_first)
        }

        fn invocations(&self, test: &str) -> usize {
            if matches!(test, "p" | "q") { 2 } else { 0 }
        }
    }

    /// A parameterised test with three invocations, of which one ends the JVM.
    #[derive(Clone)]
    struct Parameterised;

    impl Project for Parameterised {
        fn act(&self, _: Option<GuardId>, test: &str, _: bool) -> Act {
            if test == "p/2" { Act::Exit(3) } else { Act::Pass }
        }

        fn invocations(&self, test: &str) -> usize {
            if test == "p" { 3 } else { 0 }
        }
    }

    #[test]
    fn a_parameterised_test_with_a_stuck_invocation_is_stuck_too() {
        let jvms = FakeJvms::new(Parameterised, &[]);
        let completion = complete(&jvms, &["a", "p", "z"], Rest::Unfinished(&is_same_class)).unwrap();
        let runs: Vec<Vec<u32>> = completion.runs.iter().map(finished).collect();
        assert_eq!(runs, [vec![0, 3], vec![], vec![2]]);
        assert_eq!(stuck(&completion), [(1, exits()), (4, exits())]);
    }

    #[test]
    fn an_unexpected_test_keeps_its_number() {
        let project = |_: Option<GuardId>, test: &str, _: bool| if test == "z" { Act::Exit(3) } else { Act::Pass };
        let jvms = FakeJvms::new(WithInvocations(project), &[]);
        let completion = complete(&jvms, &["p", "z", "q"], Rest::Unfinished(&is_same_class)).unwrap();
        let runs: Vec<Vec<u32>> = completion.runs.iter().map(finished).collect();
        // `p` has no result of its own, so it runs again.
        assert_eq!(runs, [vec![3, 4], vec![], vec![3, 4, 5, 6]]);
        let unexpected = completion.runs.iter().flat_map(|run| &run.reported.unexpected);
        let unexpected: Vec<(u32, &str)> = unexpected.map(|(number, test)| (number.0, test.id.as_str())).collect();
        assert_eq!(unexpected, [(3, "p/1"), (4, "p/2"), (5, "q/1"), (6, "q/2")]);
    }

    #[test]
    fn a_fault_of_the_machine_makes_no_test_stuck_wherever_it_happens() {
        let summary = |completion: Completion| {
            let last = completion.runs.last().map(finished);
            (completion.runs.len(), last, stuck(&completion))
        };
        disturb_everywhere(&project, &[Fault::Kill, Fault::Stop], |jvms| {
            let unfinished = complete(jvms, &ALL, Rest::Unfinished(&is_same_class))?;
            let others = complete(jvms, &["a", "b", "c", "d"], Rest::AllOthers)?;
            Ok((summary(unfinished), summary(others)))
        });
    }
}

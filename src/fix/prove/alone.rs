//! Proves each draft by itself, in a test of its own.
//!
//! The test has to pass on the original code, and to fail by an assertion with the transformation,
//! from two clean starts. Only the lines of the draft can be the reason, because the test in which
//! they stand does not notice the transformation without them. It has to pass on other days and on
//! another machine, too, and with other line separators if it asserts the end of a line.

use crate::base::error::Result;
use crate::base::id::{GuardId, TestId, TransformationId};
use crate::base::interrupt;
use crate::fix::prove::compile::compile_drafts;
use crate::fix::prove::machine::MachineNames;
use crate::fix::source::library::Library;
use crate::fix::trial::bench::{Benches, RunOrder};
use crate::fix::trial::entered::{EnteredMethods, add_to_groups};
use crate::fix::trial::exploration::Group;
use crate::fix::trial::run_result::{RunResult, is_by_assertion};
use crate::fix::trial::surroundings::{ANOTHER_DAY, Surroundings, other_days};
use crate::fix::trial::test_name::{is_named, tried_name};
use crate::fix::trial::workshop::Workshop;
use crate::fix::write::draft::Draft;
use crate::jvm::client::Launch;
use crate::jvm::protocol::{FoundTest, Outcome};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How often a draft has to pass on the original code: one that depends on chance may pass once or
/// twice.
pub const PASSES: usize = 5;
/// How often a draft has to fail with the transformation.
pub const FAILURES: usize = 2;

/// The doubt about a draft that does not pass 400 days later, or on some other day.
pub const DAY_DOUBT: &str = "it does not pass on every day";
/// The doubts about a draft that does not pass elsewhere.
pub const ABROAD_DOUBT: &str = "it does not pass in another time zone and locale";
pub const TURKISH_DOUBT: &str = "it does not pass in the Turkish locale, where `i` and `I` are different letters";
pub const MACHINE_DOUBT: &str =
    "it does not pass on another machine: with another user, folder, number of processors, memory, or version of Java";
/// The doubt about a draft that asserts a message of the JDK.
pub const MESSAGE_DOUBT: &str =
    "it asserts a message that a class of the JDK makes, which may be another one in another version of Java";
/// The doubt about a draft that passes only with the line separator of this machine.
pub const LINE_ENDS_DOUBT: &str = "it does not pass where lines end with `\\r\\n`, as they do on Windows";

/// Whether the code asserts the end of a line.
pub fn has_line_ends(code: &str) -> bool {
    code.contains("\\n")
}

/// The proof of a draft by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Transformations that the draft notices each time.
    pub closes: BTreeSet<TransformationId>,
    /// The reason why it is only a draft, if there is one.
    pub doubt: Option<String>,
}

/// One proof for each draft. `None` if the draft does not compile, does not pass, or notices
/// nothing.
///
/// Adds to `entered`, which has one entry for each group.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn prove_alone(
    workshop: &mut Workshop<'_>,
    library: &Library<'_>,
    groups: &[Group],
    drafts: &[Draft],
    entered: &mut [EnteredMethods],
) -> Result<Vec<Option<Proof>>> {
    let mut proofs: Vec<Option<Proof>> = vec![None; drafts.len()];
    let Some((classes, compiled)) = compile_drafts(workshop, &library.sources, drafts)? else { return Ok(proofs) };
    let benches = workshop.benches(&classes, 0);
    let found = benches.tests(&test_classes(library, drafts, &compiled))?;
    let tests = draft_tests(library, drafts, &compiled, &found);
    let tell = |line: &str| workshop.tell(line);
    let mut run = ProofRun {
        benches: &benches,
        tell: &tell,
        groups,
        drafts,
        compiled,
        tests,
        proofs: &mut proofs,
        entered,
        messages: BTreeSet::new(),
    };
    let reading = run.pass()?;
    run.name_no_machine(&MachineNames::of(workshop.recipe), library);
    run.fail()?;
    run.drop_useless();
    run.pass_on_other_days(&reading)?;
    let launch = |surroundings| workshop.launch_in(surroundings, &classes);
    run.pass_elsewhere(&launch)?;
    run.pass_with_other_line_ends(&launch)?;
    workshop.clear_away();
    Ok(proofs)
}

/// The test of a draft. If subclasses inherit the test, the draft has several.
struct DraftTest<'t> {
    draft: usize,
    number: TestId,
    /// The engine's id.
    id: &'t str,
}

/// The tests among those found that belong to drafts, numbered in the order of the drafts.
fn draft_tests<'t>(
    library: &Library<'_>,
    drafts: &[Draft],
    compiled: &[usize],
    found: &'t [FoundTest],
) -> Vec<DraftTest<'t>> {
    let mut tests: Vec<DraftTest<'t>> = Vec::new();
    for index in compiled {
        let Some(draft) = drafts.get(*index) else { continue };
        let runners = library.runners(draft.place, draft.is_new);
        let name = tried_name(*index);
        for test in found.iter().filter(|test| is_named(test, &name) && runners.contains(&test.class)) {
            let number = TestId::new(tests.len());
            tests.push(DraftTest { draft: *index, number, id: test.id.as_str() });
        }
    }
    tests
}

/// Test classes (binary names) that run the tests of these drafts.
fn test_classes(library: &Library<'_>, drafts: &[Draft], compiled: &[usize]) -> Vec<String> {
    let mut classes: BTreeSet<String> = BTreeSet::new();
    for draft in compiled.iter().filter_map(|draft| drafts.get(*draft)) {
        classes.extend(library.runners(draft.place, draft.is_new).iter().cloned());
    }
    classes.into_iter().collect()
}

/// The outcome of the tests of one draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DraftOutcome {
    Passed,
    FailedByAssertion,
    Otherwise,
}

/// The runs that prove the drafts.
struct ProofRun<'r, 't> {
    benches: &'r Benches<'r>,
    /// Writes a line to the log.
    tell: &'r dyn Fn(&str),
    groups: &'r [Group],
    drafts: &'r [Draft],
    /// Indices of the drafts that compile.
    compiled: Vec<usize>,
    tests: Vec<DraftTest<'t>>,
    /// One for each draft.
    proofs: &'r mut [Option<Proof>],
    /// One for each group.
    entered: &'r mut [EnteredMethods],
    /// Messages of exceptions that the JDK made.
    messages: BTreeSet<String>,
}

impl<'t> ProofRun<'_, 't> {
    /// The tests of the wanted drafts.
    fn select(&self, wanted: impl Fn(usize) -> bool) -> Vec<(TestId, &'t str)> {
        let wanted = self.tests.iter().filter(|test| wanted(test.draft));
        wanted.map(|test| (test.number, test.id)).collect()
    }

    fn note(&mut self, result: &RunResult, tests: &[(TestId, &str)]) {
        let (drafts, all) = (self.drafts, &self.tests);
        let group_of = |number: TestId| drafts.get(all.get(number.index())?.draft).map(|draft| draft.group);
        add_to_groups(self.entered, result, tests, group_of);
    }

    /// Runs these tests on the original code, once for each time by which the clock is ahead.
    fn run_originals(&mut self, tests: &[(TestId, &'t str)], ahead: &[i64]) -> Result<Vec<RunResult>> {
        let benches = self.benches;
        let order = |(number, ahead): (usize, &i64)| RunOrder {
            bench: Some(benches.turn(number)),
            active: None,
            tests: tests.to_vec(),
            ahead: *ahead,
        };
        let orders: Vec<RunOrder<'_>> = ahead.iter().enumerate().map(order).collect();
        let results = benches.run(&orders, &[])?;
        let results: Vec<RunResult> = results.into_iter().map(|(_, result)| result).collect();
        results.iter().for_each(|result| self.note(result, tests));
        Ok(results)
    }

    /// Gives a proof to each draft that passes on the original code in all runs. Returns the test
    /// sources whose drafts read the clock.
    fn pass(&mut self) -> Result<BTreeSet<usize>> {
        let all = self.select(|_| true);
        let results = self.run_originals(&all, &[0; PASSES])?;
        for draft in self.compiled.clone() {
            let passes = |result: &RunResult| outcome(result, &self.tests, draft) == DraftOutcome::Passed;
            match results.iter().position(|result| !passes(result)) {
                None => {
                    if let Some(proof) = self.proofs.get_mut(draft) {
                        *proof = Some(Proof::default());
                    }
                }
                Some(0) => self.tell_failure(draft, results.first()),
                Some(_) => self.tell(draft, "does not pass each time"),
            }
        }
        let reading = results.iter().flat_map(|result| &result.read_clock);
        Ok(reading.flat_map(|test| self.sources_of(*test)).collect())
    }

    /// The test source of a test; all of them if the test is an invocation of some other test.
    fn sources_of(&self, test: TestId) -> Vec<usize> {
        let source = |draft: usize| self.drafts.get(draft).map(|draft| draft.place.source);
        match self.tests.get(test.index()) {
            Some(test) => source(test.draft).into_iter().collect(),
            None => self.compiled.iter().filter_map(|draft| source(*draft)).collect(),
        }
    }

    /// The drafts with a proof and no doubt.
    fn without_doubt(&self) -> BTreeSet<usize> {
        let is_certain = |proof: &Option<Proof>| proof.as_ref().is_some_and(|proof| proof.doubt.is_none());
        self.proofs.iter().enumerate().filter(|(_, proof)| is_certain(proof)).map(|(draft, _)| draft).collect()
    }

    fn doubt(&mut self, draft: usize, because: &str) {
        self.tell(draft, &format!("is a draft: {because}"));
        if let Some(Some(proof)) = self.proofs.get_mut(draft) {
            proof.doubt.get_or_insert_with(|| because.to_owned());
        }
    }

    /// Doubts drafts that name something of this machine, which their sources do not name already.
    fn name_no_machine(&mut self, names: &MachineNames, library: &Library<'_>) {
        for draft in self.without_doubt() {
            let Some(known) = self.drafts.get(draft) else { continue };
            let (code, source) = (new_code(known), library.sources.get(known.place.source));
            let source = source.map_or("", |source| source.text.as_str());
            if let Some(because) = names.in_code(&code, source) {
                self.doubt(draft, &because);
            }
        }
    }

    /// Doubts drafts that do not pass on other days. Those that cannot see the clock run only once.
    fn pass_on_other_days(&mut self, reading: &BTreeSet<usize>) -> Result<()> {
        self.pass_ahead(&[ANOTHER_DAY], |_| true)?;
        let drafts = self.drafts;
        let reads = |draft: usize| drafts.get(draft).is_some_and(|draft| reading.contains(&draft.place.source));
        self.pass_ahead(&other_days(), reads)
    }

    fn pass_ahead(&mut self, ahead: &[i64], wanted: impl Fn(usize) -> bool) -> Result<()> {
        let drafts: BTreeSet<usize> = self.without_doubt().into_iter().filter(|draft| wanted(*draft)).collect();
        let tests = self.select(|draft| drafts.contains(&draft));
        if tests.is_empty() {
            return Ok(());
        }
        let results = self.run_originals(&tests, ahead)?;
        for draft in drafts {
            if results.iter().any(|result| !self.holds(result, draft)) {
                self.doubt(draft, DAY_DOUBT);
            }
        }
        Ok(())
    }

    /// Whether the draft passes, or its test decides by itself not to run here.
    fn holds(&self, result: &RunResult, draft: usize) -> bool {
        let is_new = self.drafts.get(draft).is_none_or(|draft| draft.is_new);
        let mut own = self.tests.iter().filter(|test| test.draft == draft);
        let is_skipped = |number: TestId| result.of(number).is_some_and(|test| test.outcome == Outcome::Skipped);
        own.all(|test| result.passed(test.number) || !is_new && is_skipped(test.number))
    }

    /// Doubts drafts that do not pass on another machine in another country.
    fn pass_elsewhere(&mut self, launch: &dyn Fn(Surroundings) -> Arc<Launch>) -> Result<()> {
        let all = self.without_doubt();
        let failing = self.failing_in(Surroundings::Elsewhere, &all, launch)?;
        self.doubt_messages(&all);
        let abroad = self.failing_in(Surroundings::Abroad, &failing, launch)?;
        let others = failing.difference(&abroad).copied().collect();
        let in_turkey = self.failing_in(Surroundings::Turkey, &others, launch)?;
        for draft in failing {
            let because = match draft {
                _ if abroad.contains(&draft) => ABROAD_DOUBT,
                _ if in_turkey.contains(&draft) => TURKISH_DOUBT,
                _ => MACHINE_DOUBT,
            };
            self.doubt(draft, because);
        }
        Ok(())
    }

    /// Doubts those of the drafts that assert a message of the JDK.
    fn doubt_messages(&mut self, drafts: &BTreeSet<usize>) {
        let literals: Vec<String> = self.messages.iter().filter_map(|message| in_literal(message)).collect();
        for draft in drafts {
            let code = self.drafts.get(*draft).map(new_code).unwrap_or_default();
            let asserts =
                |literal: &String| code.contains(&format!("\"{literal}")) || code.contains(&format!("{literal}\""));
            if is_helpful_message(&code) || literals.iter().any(asserts) {
                self.doubt(*draft, MESSAGE_DOUBT);
            }
        }
    }

    /// The drafts among these that do not pass in other surroundings.
    fn failing_in(
        &mut self,
        surroundings: Surroundings,
        drafts: &BTreeSet<usize>,
        launch: &dyn Fn(Surroundings) -> Arc<Launch>,
    ) -> Result<BTreeSet<usize>> {
        let tests = self.select(|draft| drafts.contains(&draft));
        if tests.is_empty() {
            return Ok(BTreeSet::new());
        }
        let result = match self.benches.run_with(&launch(surroundings), |bench| {
            bench.notes_messages = true;
            bench.run(None, &tests, &[])
        }) {
            Err(error) if interrupt::ends_run(&error) => return Err(error),
            // The JVM does not start there, so no draft passes.
            Err(_) => RunResult::default(),
            Ok(result) => result,
        };
        self.note(&result, &tests);
        let failing = drafts.iter().copied().filter(|draft| !self.holds(&result, *draft)).collect();
        self.messages.extend(result.messages);
        Ok(failing)
    }

    fn tell(&self, draft: usize, what: &str) {
        let code = self.drafts.get(draft).map_or("", |draft| draft.code.as_str());
        (self.tell)(&format!("{code} {what}"));
    }

    fn tell_failure(&self, draft: usize, result: Option<&RunResult>) {
        let test = self.tests.iter().find(|test| test.draft == draft);
        let finished = test.zip(result).and_then(|(test, result)| result.of(test.number));
        let why = finished.map_or_else(
            || "it did not run".to_owned(),
            |finished| format!("{:?}, {} {}", finished.outcome, finished.exception, finished.message),
        );
        self.tell(draft, &format!("does not pass: {why}"));
    }

    /// Doubts drafts that assert the end of a line and do not pass with another line separator.
    fn pass_with_other_line_ends(&mut self, launch: &dyn Fn(Surroundings) -> Arc<Launch>) -> Result<()> {
        let has = |draft: usize| self.drafts.get(draft).is_some_and(|draft| has_line_ends(&draft.code));
        let drafts = self.without_doubt().into_iter().filter(|draft| has(*draft)).collect();
        for draft in self.failing_in(Surroundings::Windows, &drafts, launch)? {
            self.doubt(draft, LINE_ENDS_DOUBT);
        }
        Ok(())
    }

    /// Adds to each proof the transformations with which the draft fails by an assertion in all
    /// runs.
    fn fail(&mut self) -> Result<()> {
        let benches = self.benches;
        let mut orders: Vec<RunOrder<'_>> = Vec::new();
        let mut of_orders: Vec<(usize, TransformationId)> = Vec::new();
        for (group, of_group) in self.groups.iter().enumerate() {
            let is_proven = |draft: usize| self.proofs.get(draft).is_some_and(Option::is_some);
            let is_own = |draft: usize| self.drafts.get(draft).is_some_and(|draft| draft.group == group);
            let tests = self.select(|draft| is_own(draft) && is_proven(draft));
            for transformation in of_group.transformations.iter().filter(|_| !tests.is_empty()) {
                for _ in 0..FAILURES {
                    let bench = Some(benches.turn(orders.len()));
                    let active = Some(GuardId::of(*transformation));
                    orders.push(RunOrder { bench, active, tests: tests.clone(), ahead: 0 });
                }
                of_orders.push((group, *transformation));
            }
        }
        let results = benches.run(&orders, &[])?;
        let runs = orders.chunks(FAILURES).zip(results.chunks(FAILURES));
        for ((group, transformation), (orders, results)) in of_orders.into_iter().zip(runs) {
            let own = self.drafts.iter().enumerate().filter(|(_, draft)| draft.group == group);
            let mut closing: BTreeSet<usize> = own.map(|(draft, _)| draft).collect();
            for (order, (_, result)) in orders.iter().zip(results) {
                self.note(result, &order.tests);
                closing.retain(|draft| outcome(result, &self.tests, *draft) == DraftOutcome::FailedByAssertion);
            }
            for draft in closing {
                if let Some(Some(proof)) = self.proofs.get_mut(draft) {
                    proof.closes.insert(transformation);
                }
            }
        }
        Ok(())
    }

    /// Removes the proofs of drafts that notice no transformation each time.
    fn drop_useless(&mut self) {
        for draft in 0..self.drafts.len() {
            let Some(proof) = self.proofs.get_mut(draft) else { continue };
            if proof.take_if(|proof| proof.closes.is_empty()).is_some() {
                self.tell(draft, "passes, and notices nothing each time");
            }
        }
    }
}

/// All that the draft adds to its source.
fn new_code(draft: &Draft) -> String {
    draft.edits.iter().map(|edit| edit.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The shortest message of the JDK that is recognised in a draft, in bytes.
const SHORTEST_MESSAGE: usize = 8;

/// The message as it stands in a literal of Java. `None` if it is too short to be told from other
/// texts, or has characters that are written in several ways.
fn in_literal(message: &str) -> Option<String> {
    let is_plain = message.len() >= SHORTEST_MESSAGE && message.chars().all(|one| one == ' ' || one.is_ascii_graphic());
    is_plain.then(|| message.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Whether the code has a message of a `NullPointerException` that the JVM makes when it is asked
/// for (JEP 358).
fn is_helpful_message(code: &str) -> bool {
    code.contains("\"Cannot ") && code.contains("\\\" is null")
}

/// The outcome of all tests of a draft: passed if all pass, failed if one fails by an assertion and
/// the others pass.
fn outcome(result: &RunResult, tests: &[DraftTest<'_>], draft: usize) -> DraftOutcome {
    let mut all = None;
    for test in tests.iter().filter(|test| test.draft == draft) {
        let own = match result.of(test.number) {
            Some(finished) if finished.outcome == Outcome::Passed => DraftOutcome::Passed,
            Some(finished) if is_by_assertion(finished) => DraftOutcome::FailedByAssertion,
            _ => return DraftOutcome::Otherwise,
        };
        all = match all {
            Some(DraftOutcome::FailedByAssertion) => all,
            _ => Some(own),
        };
    }
    all.unwrap_or(DraftOutcome::Otherwise)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::jvm::protocol::{Finished, Limit};
    use crate::run::Pool;
    use crate::run::fake::{Act, FakeJvms, Fault, disturb_everywhere};

    fn finished(number: u32, outcome: Outcome, exception: &str) -> Finished {
        Finished { outcome, exception: exception.into(), ..Finished::passed(number, &[]) }
    }

    #[test]
    fn another_exception_is_no_proof() {
        let test = |draft, number| DraftTest { draft, number, id: "" };
        let tests =
            [test(0, TestId(0)), test(1, TestId(1)), test(1, TestId(2)), test(2, TestId(3)), test(3, TestId(4))];
        let result = RunResult {
            finished: vec![
                finished(0, Outcome::Failed, "java.lang.AssertionError"),
                finished(1, Outcome::Passed, ""),
                finished(2, Outcome::Failed, "org.junit.ComparisonFailure"),
                finished(3, Outcome::Failed, "java.lang.NullPointerException"),
            ],
            ..RunResult::default()
        };
        let outcomes: Vec<DraftOutcome> = (0..4).map(|draft| outcome(&result, &tests, draft)).collect();
        let (failed, otherwise) = (DraftOutcome::FailedByAssertion, DraftOutcome::Otherwise);
        assert_eq!(outcomes, [failed, failed, otherwise, otherwise]);
    }

    #[test]
    fn a_message_of_the_jdk_is_found_in_a_literal() {
        assert_eq!(in_literal("For input string: \"x\"").as_deref(), Some("For input string: \\\"x\\\""));
        assert_eq!(in_literal("5"), None);
        assert!(is_helpful_message(
            "assertEquals(\"Cannot invoke \\\"String.length()\\\" because \\\"<local1>\\\" is null\", m);"
        ));
    }

    const DRAFTS: [&str; 7] =
        ["asserts", "throws", "notices-nothing", "fails-before", "hangs-before", "ends-jvm", "hangs"];

    /// The behaviour of the drafts on the original code, and with the transformation.
    fn project(transformation: Option<GuardId>, draft: &str, _: bool) -> Act {
        match (draft, transformation) {
            ("fails-before", _) => Act::FailsAssertion,
            ("hangs-before", _) | ("hangs", Some(_)) => Act::Hangs,
            ("asserts", Some(_)) => Act::FailsAssertion,
            ("throws", Some(_)) => Act::Fail,
            ("ends-jvm", Some(_)) => Act::Exit(3),
            _ => Act::Pass,
        }
    }

    /// The proofs of those drafts, with this code in each of them.
    fn proofs(jvms: &FakeJvms, names: &[&str], code: &str, jobs: usize) -> Result<Vec<Option<Proof>>> {
        let pool = Pool::new(jobs);
        let launch = Arc::new(jvms.launch());
        let draft = |name: &&str| Draft { code: code.to_owned(), ..Draft::of_new_test(name, "") };
        let drafts: Vec<Draft> = names.iter().map(draft).collect();
        let of_draft = |(draft, id): (usize, &&'static str)| DraftTest { draft, number: TestId::new(draft), id };
        let group = Group { candidates: Vec::new(), transformations: vec![TransformationId(0)], is_random: false };
        let mut proofs = vec![None; drafts.len()];
        let mut run = ProofRun {
            benches: &Benches::new(&pool, Arc::clone(&launch), Limit::of_time(1), jobs > 1),
            tell: &|_| {},
            groups: &[group],
            drafts: &drafts,
            compiled: (0..drafts.len()).collect(),
            tests: DRAFTS.iter().filter(|name| names.contains(name)).enumerate().map(of_draft).collect(),
            proofs: &mut proofs,
            entered: &mut [EnteredMethods::default()],
            messages: BTreeSet::new(),
        };
        let reading = run.pass()?;
        run.fail()?;
        run.drop_useless();
        run.pass_on_other_days(&reading)?;
        run.pass_elsewhere(&|_| Arc::clone(&launch))?;
        run.pass_with_other_line_ends(&|_| Arc::clone(&launch))?;
        Ok(proofs)
    }

    #[test]
    fn only_a_draft_that_passes_and_fails_by_an_assertion_has_a_proof() {
        for jobs in [1, 2] {
            let proofs = proofs(&FakeJvms::new(project, &[]), &DRAFTS, "", jobs).unwrap();
            let proven: Vec<&str> =
                DRAFTS.iter().zip(&proofs).filter(|(_, proof)| proof.is_some()).map(|(name, _)| *name).collect();
            assert_eq!(proven, ["asserts"]);
            assert_eq!(proofs[0], Some(Proof { closes: BTreeSet::from([TransformationId(0)]), doubt: None }));
        }
    }

    #[test]
    fn a_draft_passes_and_fails_several_times() {
        let jvms = FakeJvms::new(project, &[]);
        proofs(&jvms, &["asserts"], "", 1).unwrap();
        let active: Vec<bool> = jvms.runs().iter().map(|run| run.active.is_some()).collect();
        // The last two are on another day and on another machine.
        assert_eq!(active, [[false; PASSES].as_slice(), &[true; FAILURES], &[false; 2]].concat());
    }

    #[test]
    fn a_draft_with_line_ends_passes_in_one_more_jvm() {
        let jvms = FakeJvms::new(project, &[]);
        let proofs = proofs(&jvms, &["asserts"], "assertEquals(\"a\\n\", a)", 2).unwrap();
        assert!(proofs[0].as_ref().is_some_and(|proof| proof.doubt.is_none()));
        assert_eq!((jvms.runs().len(), jvms.starts()), (PASSES + FAILURES + 3, 4));
    }

    #[test]
    fn no_fault_of_the_machine_changes_a_proof_wherever_it_happens() {
        let names = ["asserts", "throws", "ends-jvm", "hangs"];
        disturb_everywhere(&project, &Fault::ALL, |jvms| proofs(jvms, &names, "\\n", 1));
    }
}

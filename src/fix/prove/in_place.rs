//! Proves patches in their places, together with the other patches of their files.
//!
//! The patched tests have to pass with all other tests of their classes in two new JVMs: as usual,
//! and in reversed order. With a transformation they have to fail by an assertion, together with
//! the other patches of their class.

use crate::base::error::Result;
use crate::base::id::{GuardId, TestId, TransformationId};
use crate::cover::Coverage;
use crate::fix::edit::{Edit, apply};
use crate::fix::outcome::PlacedPatch;
use crate::fix::prove::alone::{DAY_DOUBT, FAILURES, LINE_ENDS_DOUBT, MACHINE_DOUBT, PASSES, has_line_ends};
use crate::fix::source::library::Library;
use crate::fix::source::test_source::TestSource;
use crate::fix::trial::bench::Bench;
use crate::fix::trial::entered::EnteredMethods;
use crate::fix::trial::run_result::{RunResult, is_by_assertion};
use crate::fix::trial::surroundings::{ANOTHER_DAY, Surroundings, other_days};
use crate::fix::trial::test_name::is_named;
use crate::fix::trial::workshop::Workshop;
use crate::jvm::client::Launch;
use crate::jvm::protocol::{FoundTest, Outcome};
use crate::text::words::top_level;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// How often all patches run on the original code: as usual, and in reversed order.
const PASSES_TOGETHER: usize = 2;

/// The doubt about a patch that holds with the settings of one execution of surefire only.
const OTHER_EXECUTION: &str = "it does not pass in every execution of maven-surefire-plugin";

/// A patch that is proven in its place.
#[derive(Default)]
pub struct PatchCheck {
    pub placed: PlacedPatch,
    /// Whether its earlier proof by itself may not hold any longer.
    pub unproven: bool,
    /// The reason for a doubt, if there is one.
    pub because: Option<String>,
    /// Whether that reason is the same for all patches of the file or class, of which one may be to
    /// blame.
    pub is_shared: bool,
    /// The methods that were entered meanwhile.
    pub entered: EnteredMethods,
}

/// Tests to run: number, the engine's id.
type Tests<'t> = Vec<(TestId, &'t str)>;

/// The runs that prove the patches.
struct Plan<'t> {
    /// The tests of the classes with patches, and the patched tests among them.
    all: Tests<'t>,
    changed: Tests<'t>,
    reversed: Tests<'t>,
    /// For each transformation: its index, how often it runs, and the patched tests in the classes
    /// of the patches that close it.
    transformed: Vec<(TransformationId, usize, Tests<'t>)>,
    /// The tests of patches that need a proof by themselves, and those of them that assert the end
    /// of a line.
    unproven: Tests<'t>,
    of_line_ends: Tests<'t>,
}

/// The results on the original code, as usual.
struct UsualRuns {
    first: RunResult,
    /// A second run, if a test failed that has no patch.
    again: Option<RunResult>,
}

/// The launches in which the patched tests have to pass, too.
struct OtherPlaces<'t> {
    elsewhere: Arc<Launch>,
    windows: Arc<Launch>,
    /// Those of other executions of surefire, with the classes that each runs.
    siblings: Vec<(Arc<Launch>, &'t [String])>,
    found: &'t [FoundTest],
}

/// The results of all other runs.
struct OtherRuns {
    backwards: RunResult,
    /// As in [`Plan::transformed`], each as often as there.
    transformed: Vec<(TransformationId, RunResult)>,
    unproven: Vec<RunResult>,
    on_other_days: Vec<RunResult>,
    elsewhere: Option<RunResult>,
    with_other_line_ends: Option<RunResult>,
    /// With the settings of other executions of surefire.
    of_siblings: Vec<RunResult>,
}

/// Proves that the patches hold in place, and adds a doubt to those that do not.
///
/// Patches that need a proof by themselves have to pass and to fail as often as in
/// [`prove_alone`](crate::fix::prove::alone::prove_alone). Their lines have to be the only new ones
/// in their tests.
///
/// # Errors
///
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn prove_patches(workshop: &mut Workshop<'_>, library: &Library<'_>, chosen: &mut [PatchCheck]) -> Result<()> {
    let Some(classes) = compiled(workshop, library, chosen)? else { return Ok(()) };
    let of: BTreeSet<String> = chosen.iter().flat_map(|one| one.placed.runners.iter().cloned()).collect();
    let benches = workshop.new_benches(&classes);
    let found: Vec<FoundTest> = benches.tests(&of.into_iter().collect::<Vec<String>>())?;
    let plan = Plan::of(&found, chosen, library.coverage);
    let [elsewhere, windows] =
        [Surroundings::Elsewhere, Surroundings::Windows].map(|surroundings| workshop.launch_in(surroundings, &classes));
    let places = OtherPlaces { elsewhere, windows, siblings: workshop.launches_of_siblings(&classes), found: &found };
    let (usual_runs, other_runs) =
        benches.run_in_each(|bench| plan.usual_runs(bench), |bench| plan.other_runs(bench, &places))?;
    let mut judge = Judge { chosen, found: &found, plan: &plan };
    judge.usual_runs(&usual_runs, library.coverage);
    judge.other_runs(&other_runs);
    Ok(())
}

/// The folder of the classes of all patched sources. Patches of sources that do not compile get a
/// doubt. `None` if no source is left.
fn compiled(workshop: &mut Workshop<'_>, library: &Library<'_>, chosen: &mut [PatchCheck]) -> Result<Option<PathBuf>> {
    let files: BTreeSet<PathBuf> = chosen.iter().map(|one| one.placed.file.clone()).collect();
    let mut given: Vec<(PathBuf, String)> = Vec::new();
    for file in files {
        let own: Vec<&PlacedPatch> =
            chosen.iter().map(|one| &one.placed).filter(|placed| placed.file == file).collect();
        let source = library.sources.iter().find(|source| source.path == file);
        match source.and_then(|source| merged(source, &own)) {
            Some(text) => given.push((file, text)),
            None => doubt_all(
                chosen,
                |placed| placed.file == file,
                "it cannot be applied together with the other patches of its file",
            ),
        }
    }
    // Javac may stop at the first kind of error, so that the next pass complains about other sources.
    while !given.is_empty() {
        let complaints = match workshop.compile(&given)? {
            Ok(classes) => return Ok(Some(classes)),
            Err(complaints) => complaints,
        };
        let mut refused: BTreeSet<usize> = BTreeSet::new();
        for complaint in complaints {
            let source = complaint.source.and_then(|source| given.get(source)).map(|(file, _)| file);
            let message = complaint.message.lines().next().unwrap_or_default();
            let because = format!("together with the other patches it does not compile: {message}");
            doubt_all(chosen, |placed| source.is_none_or(|file| placed.file == *file), &because);
            match complaint.source {
                Some(source) => refused.insert(source),
                None => return Ok(None),
            };
        }
        let mut number = 0..;
        given.retain(|_| number.next().is_some_and(|number| !refused.contains(&number)));
    }
    Ok(None)
}

impl<'t> Plan<'t> {
    fn of(found: &'t [FoundTest], chosen: &[PatchCheck], coverage: &Coverage) -> Self {
        let those = |wanted: &dyn Fn(&FoundTest) -> bool| {
            let numbered = (0..).map(TestId).zip(found).filter(|(_, test)| wanted(test));
            numbered.map(|(number, test)| (number, test.id.as_str())).collect::<Tests<'t>>()
        };
        let is_changed = |test: &FoundTest| chosen.iter().any(|one| one.placed.changes(test));
        let slow: BTreeSet<&str> = coverage.slow.iter().map(|test| coverage.tests[*test].id.as_str()).collect();
        let quick = those(&|test| !slow.contains(test.id.as_str()) || is_changed(test));
        let is_unproven = chosen.iter().any(|one| one.unproven);
        let transformations: BTreeSet<TransformationId> =
            chosen.iter().flat_map(|one| one.placed.closes.iter().copied()).collect();
        let transformed = transformations.into_iter().map(|transformation| {
            let closing: Vec<&PatchCheck> =
                chosen.iter().filter(|one| one.placed.closes.contains(&transformation)).collect();
            let times = if closing.iter().any(|one| one.unproven) { FAILURES } else { 1 };
            let is_beside = |test: &FoundTest| closing.iter().any(|one| one.placed.is_beside(test));
            (transformation, times, those(&|test| is_changed(test) && is_beside(test)))
        });
        let is_of_unproven = |one: &&PatchCheck, test: &FoundTest| one.unproven && one.placed.changes(test);
        let of_line_ends = |one: &&PatchCheck| one.placed.edits.iter().any(|edit| has_line_ends(&edit.text));
        Self {
            // The effect of a patch on slow tests of its class is checked once, when the patch is
            // made.
            all: if is_unproven { quick.clone() } else { those(&|_| true) },
            changed: those(&is_changed),
            reversed: quick.into_iter().rev().collect(),
            transformed: transformed.collect(),
            unproven: those(&|test| chosen.iter().any(|one| is_of_unproven(&one, test))),
            of_line_ends: those(&|test| chosen.iter().filter(of_line_ends).any(|one| is_of_unproven(&one, test))),
        }
    }

    fn is_changed(&self, number: TestId) -> bool {
        self.changed.iter().any(|(other, _)| *other == number)
    }

    /// The unpatched tests that did not pass.
    fn failed<'p>(&'p self, tried: &'p RunResult) -> impl Iterator<Item = TestId> + 'p {
        let failed = |number: &TestId| {
            tried.stuck.contains(number) || tried.of(*number).is_some_and(|of| of.outcome == Outcome::Failed)
        };
        self.all.iter().map(|(number, _)| *number).filter(|number| !self.is_changed(*number)).filter(failed)
    }

    /// Ends the JVM after these runs.
    fn usual_runs(&self, bench: &mut Bench<'_>) -> Result<UsualRuns> {
        let first = bench.run_classes(&self.all)?;
        // A test that depends on the clock fails now and then, but an effect of the new code
        // repeats.
        let again = match self.failed(&first).next().is_some() || first.failed_with_class().next().is_some() {
            true => Some(bench.run_classes(&self.all)?),
            false => None,
        };
        bench.end();
        Ok(UsualRuns { first, again })
    }

    /// The runs in other surroundings have JVMs of their own, one after the other. Ends the last one.
    fn other_runs(&self, bench: &mut Bench<'_>, places: &OtherPlaces<'_>) -> Result<OtherRuns> {
        let OtherPlaces { elsewhere, windows, siblings, found } = places;
        let backwards = bench.run_one_by_one(&self.reversed)?;
        let mut transformed = Vec::new();
        for (transformation, times, tests) in &self.transformed {
            for _ in 0..*times {
                transformed.push((*transformation, bench.run(Some(GuardId::of(*transformation)), tests, &[])?));
            }
        }
        let mut unproven = Vec::new();
        for _ in (PASSES_TOGETHER..PASSES).filter(|_| !self.unproven.is_empty()) {
            unproven.push(bench.run(None, &self.unproven, &[])?);
        }
        let on_other_days = self.runs_on_other_days(bench)?;
        let mut run_in = |launch: &Arc<Launch>, tests: &Tests<'_>| {
            if tests.is_empty() {
                return Ok(None);
            }
            bench.change_to(launch);
            bench.run(None, tests, &[]).map(Some)
        };
        let elsewhere = run_in(elsewhere, &self.unproven)?;
        let with_other_line_ends = run_in(windows, &self.of_line_ends)?;
        let mut of_siblings = Vec::new();
        for (launch, classes) in siblings {
            let class = |number: TestId| found.get(number.index()).map_or("", |test| top_level(&test.class));
            let runs = |test: &&(TestId, &str)| classes.iter().any(|own| own == class(test.0));
            let tests: Tests<'_> = self.changed.iter().filter(runs).copied().collect();
            of_siblings.extend(run_in(launch, &tests)?);
        }
        bench.end();
        Ok(OtherRuns { backwards, transformed, unproven, on_other_days, elsewhere, with_other_line_ends, of_siblings })
    }

    /// Runs the tests of patches that need a proof by themselves 400 days later. If one of them sees
    /// the clock, they run on many more days.
    fn runs_on_other_days(&self, bench: &mut Bench<'_>) -> Result<Vec<RunResult>> {
        let mut results: Vec<RunResult> = Vec::new();
        let mut days = vec![ANOTHER_DAY];
        while let Some(ahead) = days.pop().filter(|_| !self.unproven.is_empty()) {
            bench.ahead = ahead;
            let result = bench.run(None, &self.unproven, &[])?;
            if results.is_empty() && !result.read_clock.is_empty() {
                days = other_days();
            }
            results.push(result);
        }
        bench.ahead = 0;
        Ok(results)
    }
}

/// Adds doubts to patches from the results. The first doubt about a patch stays.
struct Judge<'j, 't> {
    chosen: &'j mut [PatchCheck],
    found: &'j [FoundTest],
    plan: &'j Plan<'t>,
}

impl Judge<'_, '_> {
    fn usual_runs(&mut self, UsualRuns { first, again }: &UsualRuns, coverage: &Coverage) {
        self.note(first);
        again.iter().for_each(|again| self.note(again));
        let quarantined: BTreeSet<&str> = coverage
            .failing
            .iter()
            .chain(&coverage.unstable)
            .filter_map(|test| coverage.tests.get(test.test))
            .map(|test| test.name.as_str())
            .collect();
        let failed_again: BTreeSet<TestId> = again.iter().flat_map(|again| self.plan.failed(again)).collect();
        for number in self.plan.failed(first).filter(|number| failed_again.contains(number)) {
            let Some(test) = self.found.get(number.index()) else { continue };
            let known_before =
                quarantined.contains(test.name.as_str()) || coverage.tests.iter().all(|known| known.name != test.name);
            if !known_before {
                let because = format!("with it, {} fails", test.name);
                doubt_all(self.chosen, |placed| placed.is_of(test), &because);
            }
        }
        self.failed_classes(first, again.as_ref(), &quarantined);
        self.doubt_failed(first, "it does not pass together with the other tests of its class");
    }

    /// Adds doubts to the patches of classes that fail as a whole each time: at their ends, say,
    /// where a runner insists that stubs are used. A class with a quarantined test may do so anyway.
    fn failed_classes(&mut self, first: &RunResult, again: Option<&RunResult>, quarantined: &BTreeSet<&str>) {
        let failed = |result: &RunResult| -> BTreeMap<String, String> {
            let found = |test: TestId| self.found.get(test.index());
            let failures = result.failed_with_class();
            failures.filter_map(|one| Some((found(one.number)?.class.clone(), one.exception.clone()))).collect()
        };
        let failed_again = again.map(failed).unwrap_or_default();
        for (class, exception) in failed(first) {
            let is_quarantined = quarantined.iter().any(|name| name.starts_with(&format!("{class}.")));
            if failed_again.contains_key(&class) && !is_quarantined {
                let because = format!("with it, {class} fails as a whole ({exception})");
                doubt(self.chosen, |placed| placed.runners.contains(&class), &because);
            }
        }
    }

    fn other_runs(&mut self, other_runs: &OtherRuns) {
        let OtherRuns { backwards, transformed, unproven, on_other_days, elsewhere, with_other_line_ends, of_siblings } =
            other_runs;
        self.passes(backwards, "it does not pass when the tests of its class run in reversed order");
        for (transformation, tried) in transformed {
            self.note(tried);
            let did_not_notice = |placed: &PlacedPatch| {
                placed.closes.contains(transformation)
                    && !self.plan.changed.iter().any(|(number, _)| {
                        placed.changes_number(self.found, *number) && tried.of(*number).is_some_and(is_by_assertion)
                    })
            };
            doubt(self.chosen, did_not_notice, "in its class it does not notice the transformation each time");
        }
        unproven.iter().for_each(|tried| self.passes(tried, "it does not pass each time"));
        on_other_days.iter().for_each(|tried| self.passes(tried, DAY_DOUBT));
        elsewhere.iter().for_each(|tried| self.passes(tried, MACHINE_DOUBT));
        of_siblings.iter().for_each(|tried| self.passes(tried, OTHER_EXECUTION));
        with_other_line_ends.iter().for_each(|tried| self.passes(tried, LINE_ENDS_DOUBT));
    }

    /// A patch depends on the methods of all tests of its class.
    fn note(&mut self, tried: &RunResult) {
        for PatchCheck { placed, entered, .. } in self.chosen.iter_mut() {
            let is_beside = |number: TestId| self.found.get(number.index()).is_none_or(|test| placed.is_beside(test));
            entered.add(tried, is_beside);
        }
    }

    fn passes(&mut self, tried: &RunResult, because: &str) {
        self.note(tried);
        self.doubt_failed(tried, because);
    }

    /// Adds a doubt to the patches with a test that did not pass.
    fn doubt_failed(&mut self, tried: &RunResult, because: &str) {
        let (found, changed) = (self.found, &self.plan.changed);
        let did_not_pass = |placed: &PlacedPatch| {
            let own: Vec<TestId> = changed
                .iter()
                .map(|(number, _)| *number)
                .filter(|number| placed.changes_number(found, *number))
                .collect();
            // A parameterised test is one test in the list, and several when it runs.
            own.is_empty()
                || own
                    .iter()
                    .any(|number| tried.of(*number).is_some() && !tried.passed(*number) || tried.stuck.contains(number))
        };
        doubt(self.chosen, did_not_pass, because);
    }
}

fn doubt(chosen: &mut [PatchCheck], concerns: impl Fn(&PlacedPatch) -> bool, because: &str) {
    for one in chosen.iter_mut().filter(|one| concerns(&one.placed) && one.because.is_none()) {
        one.because = Some(because.to_owned());
    }
}

/// Adds a doubt that one of several patches may cause.
fn doubt_all(chosen: &mut [PatchCheck], concerns: impl Fn(&PlacedPatch) -> bool, because: &str) {
    for one in chosen.iter_mut().filter(|one| concerns(&one.placed) && one.because.is_none()) {
        one.because = Some(because.to_owned());
        one.is_shared = true;
    }
}

impl PlacedPatch {
    /// Whether the test belongs to a class that runs the patched test.
    fn is_of(&self, test: &FoundTest) -> bool {
        self.runners.contains(&test.class)
    }

    /// Whether the test is the patched one.
    fn changes(&self, test: &FoundTest) -> bool {
        is_named(test, &self.test) && self.is_of(test)
    }

    fn changes_number(&self, found: &[FoundTest], number: TestId) -> bool {
        found.get(number.index()).is_some_and(|test| self.changes(test))
    }

    /// Whether the test is in the same file as one of these classes.
    fn is_beside(&self, test: &FoundTest) -> bool {
        self.runners.iter().any(|runner| top_level(runner) == top_level(&test.class))
    }
}

/// The source with all patches in their places. `None` if two of them change the same lines.
fn merged(source: &TestSource, patches: &[&PlacedPatch]) -> Option<String> {
    let mut edits: Vec<Edit> = Vec::new();
    for edit in patches.iter().flat_map(|patch| &patch.edits) {
        if !edits.contains(edit) {
            let overlaps = |other: &Edit| other.start < edit.end && edit.start < other.end;
            if edits.iter().any(overlaps) {
                return None;
            }
            edits.push(edit.clone());
        }
    }
    apply(&source.text, &edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;

    fn chosen(class: &str, test: &str, closes: &[u32], unproven: bool, text: &str) -> PatchCheck {
        let placed = PlacedPatch {
            file: PathBuf::from(class),
            test: test.into(),
            runners: [class.to_owned()].into(),
            closes: closes.iter().copied().map(TransformationId).collect(),
            edits: vec![Edit::insert(0, text.into())],
            ..PlacedPatch::default()
        };
        PatchCheck { placed, unproven, ..PatchCheck::default() }
    }

    fn found() -> Vec<FoundTest> {
        let test = |class: &str, name: &str| FoundTest {
            id: format!("{class}#{name}"),
            name: format!("{class}.{name}()"),
            class: class.into(),
        };
        vec![test("A", "a"), test("A", "b"), test("A$In", "c"), test("B", "d"), test("B", "e")]
    }

    #[test]
    fn a_transformation_runs_with_all_patched_tests_of_the_files_that_close_it() {
        let chosen = [
            chosen("A", "a", &[1, 2], false, ""),
            chosen("A$In", "c", &[3], false, ""),
            chosen("B", "e", &[2], false, ""),
        ];
        let found = found();
        let plan = Plan::of(&found, &chosen, &Coverage::default());
        let numbers = |tests: &Tests<'_>| tests.iter().map(|(number, _)| number.0).collect::<Vec<u32>>();
        assert_eq!(numbers(&plan.all), [0, 1, 2, 3, 4]);
        assert_eq!(numbers(&plan.reversed), [4, 3, 2, 1, 0]);
        assert_eq!(numbers(&plan.changed), [0, 2, 4]);
        let transformed: Vec<(u32, usize, Vec<u32>)> =
            plan.transformed.iter().map(|(one, times, tests)| (one.0, *times, numbers(tests))).collect();
        assert_eq!(transformed, [(1, 1, vec![0, 2]), (2, 1, vec![0, 2, 4]), (3, 1, vec![0, 2])]);
        assert!(plan.unproven.is_empty() && plan.of_line_ends.is_empty());
    }

    #[test]
    fn an_unproven_patch_runs_as_often_as_a_proof_by_itself() {
        let chosen = [chosen("A", "a", &[1], true, "\"\\n\""), chosen("B", "e", &[2], false, "\"\\n\"")];
        let found = found();
        let plan = Plan::of(&found, &chosen, &Coverage::default());
        assert_eq!(plan.transformed.iter().map(|(_, times, _)| *times).collect::<Vec<usize>>(), [FAILURES, 1]);
        assert_eq!((plan.unproven, plan.of_line_ends), (vec![(TestId(0), "A#a")], vec![(TestId(0), "A#a")]));
    }

    #[test]
    fn a_patch_is_to_blame_only_if_another_test_fails_twice() {
        let mut chosen = [chosen("A", "a", &[], false, ""), chosen("B", "e", &[], false, "")];
        let found = found();
        let known = |test: &FoundTest| crate::cover::Test {
            id: test.id.clone(),
            name: test.name.clone(),
            class: test.class.clone(),
            recipe: RecipeId(0),
        };
        let coverage = Coverage { tests: found.iter().map(known).collect(), ..Coverage::default() };
        let plan = Plan::of(&found, &chosen, &coverage);
        let tried = |failed: &[u32]| {
            let finished = plan.all.iter().map(|(number, _)| {
                let outcome = if failed.contains(&number.0) { Outcome::Failed } else { Outcome::Passed };
                crate::jvm::protocol::Finished { outcome, ..crate::jvm::protocol::Finished::passed(number.0, &[]) }
            });
            RunResult { finished: finished.collect(), ..RunResult::default() }
        };
        let usual_runs = UsualRuns { first: tried(&[1, 3]), again: Some(tried(&[3])) };
        Judge { chosen: &mut chosen, found: &found, plan: &plan }.usual_runs(&usual_runs, &coverage);
        let because: Vec<Option<&str>> = chosen.iter().map(|one| one.because.as_deref()).collect();
        assert_eq!(because, [None, Some("with it, B.d() fails")]);
    }
}

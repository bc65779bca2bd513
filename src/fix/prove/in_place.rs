//! From patches that hold by themselves to whether they hold together, in their places.
//!
//! They have to pass with all other tests of their classes in three new JVMs: as ever, in another time zone and locale, and in reversed order; and
//! to fail, with the other patches of their class, by an assertion.

use crate::base::error::Result;
use crate::base::id::{GuardId, TransformationId};
use crate::cover::Coverage;
use crate::fix::edit::{Edit, apply};
use crate::fix::outcome::{Entered, Placed};
use crate::fix::prove::alone::{FAILURES, OF_LINE_ENDS, PASSES_TODAY, has_line_ends};
use crate::fix::source::library::Library;
use crate::fix::source::test_source::TestSource;
use crate::fix::trial::bench::{Bench, Benches, Tried, both, is_by_assertion};
use crate::fix::trial::explore::is_named;
use crate::fix::trial::workshop::{Surroundings, Workshop};
use crate::jvm::protocol::{FoundTest, Outcome};
use crate::text::words::top_level;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How often all patches pass on the original code: as ever, elsewhere, and in reversed order.
const PASSES_TOGETHER: usize = 3;

/// A patch to be proven together with others.
pub struct Chosen {
    pub placed: Placed,
    /// Whether what was proven of it by itself may hold no more.
    pub anew: bool,
    /// What does not hold; nothing where all does.
    pub because: Option<String>,
    /// While it was proven together with others.
    pub entered: Entered,
}

/// Tests that are run: number, the engine's id.
type Tests<'t> = Vec<(u32, &'t str)>;

/// What is run.
struct Plan<'t> {
    /// Tests of the classes with patches, and of them those that are changed.
    all: Tests<'t>,
    changed: Tests<'t>,
    reversed: Tests<'t>,
    /// The transformation, how often, and the changed tests of the classes of what closes it.
    transformed: Vec<(TransformationId, usize, Tests<'t>)>,
    /// What may hold no more by itself, and of it what asserts where lines end.
    anew: Tests<'t>,
    of_line_ends: Tests<'t>,
}

/// What came of it on the original code as ever.
struct Ordinary {
    first: Tried,
    /// Where something else than the changed tests failed.
    again: Option<Tried>,
}

/// What came of all else.
struct Otherwise {
    elsewhere: Tried,
    backwards: Tried,
    /// As in [`Plan::transformed`], each as often as there.
    transformed: Vec<(TransformationId, Tried)>,
    anew: Vec<Tried>,
    with_other_line_ends: Option<Tried>,
}

/// Whether the chosen patches hold together: adds what does not. Those that are to be proven anew have to pass and to fail as often as
/// [`alone`](crate::fix::prove::alone::alone); their lines have to be the only new ones in their tests.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn together(workshop: &mut Workshop<'_>, library: &Library<'_>, chosen: &mut [Chosen]) -> Result<()> {
    let Some(classes) = compiled(workshop, library, chosen)? else { return Ok(()) };
    let of: BTreeSet<String> = chosen.iter().flat_map(|one| one.placed.runners.iter().cloned()).collect();
    let mut benches = workshop.new_benches(&classes);
    let found: Vec<FoundTest> = benches.tests(&of.into_iter().collect::<Vec<String>>())?;
    let plan = Plan::of(&found, chosen, library.coverage);
    let [elsewhere, windows] =
        [Surroundings::Elsewhere, Surroundings::Windows].map(|surroundings| workshop.bench(&classes, surroundings));
    let Benches { both: [bench, usual], .. } = benches;
    let (ordinary, otherwise) =
        both(workshop.at_once, || plan.ordinary(bench), || plan.otherwise(usual, elsewhere, windows))?;
    let mut judge = Judge { chosen, found: &found, plan: &plan };
    judge.ordinary(&ordinary, library.coverage);
    judge.otherwise(&otherwise);
    Ok(())
}

/// The folder of the classes of all patched sources; what cannot be in it is doubted. `None` where nothing is.
fn compiled(workshop: &mut Workshop<'_>, library: &Library<'_>, chosen: &mut [Chosen]) -> Result<Option<PathBuf>> {
    let files: BTreeSet<PathBuf> = chosen.iter().map(|one| one.placed.file.clone()).collect();
    let mut given: Vec<(PathBuf, String)> = Vec::new();
    for file in files {
        let own: Vec<&Placed> = chosen.iter().map(|one| &one.placed).filter(|placed| placed.file == file).collect();
        let source = library.sources.iter().find(|source| source.path == file);
        match source.and_then(|source| merged(source, &own)) {
            Some(text) => given.push((file, text)),
            None => doubt(
                chosen,
                |placed| placed.file == file,
                "it cannot be applied together with the other patches of its file",
            ),
        }
    }
    if given.is_empty() {
        return Ok(None);
    }
    match workshop.compile(&given)? {
        Ok(classes) => Ok(Some(classes)),
        Err(complaints) => {
            for complaint in complaints {
                let source = complaint.source.and_then(|source| given.get(source)).map(|(file, _)| file);
                let message = complaint.message.lines().next().unwrap_or_default();
                let because = format!("together with the other patches it does not compile: {message}");
                doubt(chosen, |placed| source.is_none_or(|file| placed.file == *file), &because);
            }
            Ok(None)
        }
    }
}

impl<'t> Plan<'t> {
    fn of(found: &'t [FoundTest], chosen: &[Chosen], coverage: &Coverage) -> Self {
        let those = |wanted: &dyn Fn(&FoundTest) -> bool| {
            let numbered = (0..).zip(found).filter(|(_, test)| wanted(test));
            numbered.map(|(number, test)| (number, test.id.as_str())).collect::<Tests<'t>>()
        };
        let is_changed = |test: &FoundTest| chosen.iter().any(|one| one.placed.changes(test));
        let slow: BTreeSet<&str> = (0..coverage.tests.len())
            .filter(|test| coverage.is_slow(*test))
            .filter_map(|test| Some(coverage.tests.get(test)?.id.as_str()))
            .collect();
        let quick = those(&|test| !slow.contains(test.id.as_str()) || is_changed(test));
        let is_anew = chosen.iter().any(|one| one.anew);
        let transformations: BTreeSet<TransformationId> =
            chosen.iter().flat_map(|one| one.placed.closes.iter().copied()).collect();
        let transformed = transformations.into_iter().map(|transformation| {
            let closing: Vec<&Chosen> =
                chosen.iter().filter(|one| one.placed.closes.contains(&transformation)).collect();
            let times = if closing.iter().any(|one| one.anew) { FAILURES } else { 1 };
            let is_beside = |test: &FoundTest| closing.iter().any(|one| one.placed.is_beside(test));
            (transformation, times, those(&|test| is_changed(test) && is_beside(test)))
        });
        let is_of_anew = |one: &&Chosen, test: &FoundTest| one.anew && one.placed.changes(test);
        let of_line_ends = |one: &&Chosen| one.placed.edits.iter().any(|edit| has_line_ends(&edit.text));
        Self {
            // What patches do to slow tests beside them is told once, when they are made.
            all: if is_anew { quick.clone() } else { those(&|_| true) },
            changed: those(&is_changed),
            reversed: quick.into_iter().rev().collect(),
            transformed: transformed.collect(),
            anew: those(&|test| chosen.iter().any(|one| is_of_anew(&one, test))),
            of_line_ends: those(&|test| chosen.iter().filter(of_line_ends).any(|one| is_of_anew(&one, test))),
        }
    }

    fn is_changed(&self, number: u32) -> bool {
        self.changed.iter().any(|(other, _)| *other == number)
    }

    /// Those that are as they were, and did not pass.
    fn failed<'p>(&'p self, tried: &'p Tried) -> impl Iterator<Item = u32> + 'p {
        let failed = |number: &u32| {
            tried.stuck.contains(number) || tried.of(*number).is_some_and(|of| of.outcome == Outcome::Failed)
        };
        self.all.iter().map(|(number, _)| *number).filter(|number| !self.is_changed(*number)).filter(failed)
    }

    fn ordinary(&self, mut bench: Bench) -> Result<Ordinary> {
        let first = bench.run(None, &self.all, &[])?;
        // A test that hangs on the clock fails now and then; what the new code does to it, it does each time.
        let again = match self.failed(&first).next() {
            Some(_) => Some(bench.run(None, &self.all, &[])?),
            None => None,
        };
        Ok(Ordinary { first, again })
    }

    /// One JVM after the other.
    fn otherwise(&self, mut usual: Bench, mut elsewhere: Bench, mut windows: Bench) -> Result<Otherwise> {
        let backwards = usual.run_one_by_one(&self.reversed)?;
        let mut transformed = Vec::new();
        for (transformation, times, tests) in &self.transformed {
            for _ in 0..*times {
                transformed.push((*transformation, usual.run(Some(GuardId::of(*transformation)), tests, &[])?));
            }
        }
        let mut anew = Vec::new();
        for _ in (PASSES_TOGETHER..PASSES_TODAY).filter(|_| !self.anew.is_empty()) {
            anew.push(usual.run(None, &self.anew, &[])?);
        }
        drop(usual);
        let in_elsewhere = elsewhere.run(None, &self.changed, &[])?;
        drop(elsewhere);
        let with_other_line_ends = match self.of_line_ends.is_empty() {
            true => None,
            false => Some(windows.run(None, &self.of_line_ends, &[])?),
        };
        Ok(Otherwise { elsewhere: in_elsewhere, backwards, transformed, anew, with_other_line_ends })
    }
}

/// From what came of it to what does not hold: what is found first is told.
struct Judge<'j, 't> {
    chosen: &'j mut [Chosen],
    found: &'j [FoundTest],
    plan: &'j Plan<'t>,
}

impl Judge<'_, '_> {
    fn ordinary(&mut self, Ordinary { first, again }: &Ordinary, coverage: &Coverage) {
        self.note(first);
        again.iter().for_each(|again| self.note(again));
        let quarantined: BTreeSet<&str> = coverage
            .failing
            .iter()
            .chain(&coverage.unstable)
            .filter_map(|test| coverage.tests.get(test.test))
            .map(|test| test.name.as_str())
            .collect();
        let failed_again: BTreeSet<u32> = again.iter().flat_map(|again| self.plan.failed(again)).collect();
        for number in self.plan.failed(first).filter(|number| failed_again.contains(number)) {
            let Some(test) = self.found.get(number as usize) else { continue };
            let known_before =
                quarantined.contains(test.name.as_str()) || coverage.tests.iter().all(|known| known.name != test.name);
            if !known_before {
                let because = format!("with it, {} fails", test.name);
                doubt(self.chosen, |placed| placed.is_of(test), &because);
            }
        }
        self.doubt_failed(first, "it does not pass together with the other tests of its class");
    }

    fn otherwise(&mut self, otherwise: &Otherwise) {
        let Otherwise { elsewhere, backwards, transformed, anew, with_other_line_ends } = otherwise;
        self.passes(elsewhere, "it does not pass in another time zone and locale");
        self.passes(backwards, "it does not pass when the tests of its class run in reversed order");
        for (transformation, tried) in transformed {
            self.note(tried);
            let did_not_notice = |placed: &Placed| {
                placed.closes.contains(transformation)
                    && !self.plan.changed.iter().any(|(number, _)| {
                        placed.changes_number(self.found, *number) && tried.of(*number).is_some_and(is_by_assertion)
                    })
            };
            doubt(self.chosen, did_not_notice, "in its class it does not notice the transformation each time");
        }
        anew.iter().for_each(|tried| self.passes(tried, "it does not pass each time"));
        with_other_line_ends.iter().for_each(|tried| self.passes(tried, OF_LINE_ENDS));
    }

    /// What any test of its class does may have a part in whether it holds there.
    fn note(&mut self, tried: &Tried) {
        for Chosen { placed, entered, .. } in self.chosen.iter_mut() {
            let is_beside = |number: u32| self.found.get(number as usize).is_none_or(|test| placed.is_beside(test));
            entered.add(tried, is_beside);
        }
    }

    fn passes(&mut self, tried: &Tried, because: &str) {
        self.note(tried);
        self.doubt_failed(tried, because);
    }

    /// Doubts the patches of which a test did not pass.
    fn doubt_failed(&mut self, tried: &Tried, because: &str) {
        let (found, changed) = (self.found, &self.plan.changed);
        let did_not_pass = |placed: &Placed| {
            let own: Vec<u32> = changed
                .iter()
                .map(|(number, _)| *number)
                .filter(|number| placed.changes_number(found, *number))
                .collect();
            // A parameterised test is one in the list and several when it runs.
            own.is_empty()
                || own
                    .iter()
                    .any(|number| tried.of(*number).is_some() && !tried.passed(*number) || tried.stuck.contains(number))
        };
        doubt(self.chosen, did_not_pass, because);
    }
}

fn doubt(chosen: &mut [Chosen], concerns: impl Fn(&Placed) -> bool, because: &str) {
    for one in chosen.iter_mut().filter(|one| concerns(&one.placed) && one.because.is_none()) {
        one.because = Some(because.to_owned());
    }
}

impl Placed {
    /// Whether the test is one of a class that runs what stands here.
    fn is_of(&self, test: &FoundTest) -> bool {
        self.runners.contains(&test.class)
    }

    /// Whether the test is the one that it is in.
    fn changes(&self, test: &FoundTest) -> bool {
        is_named(test, &self.test) && self.is_of(test)
    }

    fn changes_number(&self, found: &[FoundTest], number: u32) -> bool {
        found.get(number as usize).is_some_and(|test| self.changes(test))
    }

    /// Whether the test runs in the same file as one of these classes.
    fn is_beside(&self, test: &FoundTest) -> bool {
        self.runners.iter().any(|runner| top_level(runner) == top_level(&test.class))
    }
}

/// The source with all patches in their places. `None` where two of them change the same lines.
fn merged(source: &TestSource, patches: &[&Placed]) -> Option<String> {
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

    fn chosen(class: &str, test: &str, closes: &[u32], anew: bool, text: &str) -> Chosen {
        let placed = Placed {
            file: PathBuf::from(class),
            test: test.into(),
            runners: [class.to_owned()].into(),
            closes: closes.iter().copied().map(TransformationId).collect(),
            edits: vec![Edit::insert(0, text.into())],
            ..Placed::default()
        };
        Chosen { placed, anew, because: None, entered: Entered::default() }
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
    fn a_transformation_runs_with_the_patched_tests_of_the_files_of_what_closes_it() {
        let chosen = [
            chosen("A", "a", &[1, 2], false, ""),
            chosen("A$In", "c", &[3], false, ""),
            chosen("B", "e", &[2], false, ""),
        ];
        let found = found();
        let plan = Plan::of(&found, &chosen, &Coverage::default());
        let numbers = |tests: &Tests<'_>| tests.iter().map(|(number, _)| *number).collect::<Vec<u32>>();
        assert_eq!(numbers(&plan.all), [0, 1, 2, 3, 4]);
        assert_eq!(numbers(&plan.reversed), [4, 3, 2, 1, 0]);
        assert_eq!(numbers(&plan.changed), [0, 2, 4]);
        let transformed: Vec<(u32, usize, Vec<u32>)> =
            plan.transformed.iter().map(|(one, times, tests)| (one.0, *times, numbers(tests))).collect();
        assert_eq!(transformed, [(1, 1, vec![0, 2]), (2, 1, vec![0, 2, 4]), (3, 1, vec![0, 2])]);
        assert!(plan.anew.is_empty() && plan.of_line_ends.is_empty());
    }

    #[test]
    fn what_may_hold_no_more_by_itself_runs_as_often_as_alone() {
        let chosen = [chosen("A", "a", &[1], true, "\"\\n\""), chosen("B", "e", &[2], false, "\"\\n\"")];
        let found = found();
        let plan = Plan::of(&found, &chosen, &Coverage::default());
        assert_eq!(plan.transformed.iter().map(|(_, times, _)| *times).collect::<Vec<usize>>(), [FAILURES, 1]);
        assert_eq!((plan.anew, plan.of_line_ends), (vec![(0, "A#a")], vec![(0, "A#a")]));
    }

    #[test]
    fn a_test_beside_a_patch_has_to_fail_twice_to_be_its_fault() {
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
                let outcome = if failed.contains(number) { Outcome::Failed } else { Outcome::Passed };
                crate::jvm::protocol::Finished { outcome, ..crate::jvm::protocol::Finished::passed(*number, &[]) }
            });
            Tried { finished: finished.collect(), ..Tried::default() }
        };
        let ordinary = Ordinary { first: tried(&[1, 3]), again: Some(tried(&[3])) };
        Judge { chosen: &mut chosen, found: &found, plan: &plan }.ordinary(&ordinary, &coverage);
        let because: Vec<Option<&str>> = chosen.iter().map(|one| one.because.as_deref()).collect();
        assert_eq!(because, [None, Some("with it, B.d() fails")]);
    }
}

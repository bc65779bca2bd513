//! From drafts to what holds of each: first every draft alone in a test of its own, then all that are chosen together in their classes.
//!
//! Alone, a draft has to pass on the original code and to fail by an assertion, from two clean starts, with the transformation. Nothing else than
//! its lines can be the reason: the test that they stand in does not notice the transformation without them. Together, they have to pass with
//! all other tests of their classes in three new JVMs: as ever, in another time zone and locale, and in reversed order. What asserts where a line
//! ends has to pass with other line separators, too.

use super::bench::{Order, Tried, is_by_assertion};
use super::draft::Draft;
use super::edit::{Edit, apply};
use super::explore::{Group, is_named};
use super::fixed::{Entered, Placed, add_to_groups};
use super::library::Library;
use super::source::TestSource;
use super::style::{Needed, import_edits};
use super::workshop::{Complaint, Surroundings, Workshop};
use super::woven::tried_name;
use crate::error::Result;
use crate::jvm::protocol::{FoundTest, Outcome};
use crate::suggest::words::top_level;
use crate::transform::plan;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;

/// More passes than dropping what does not compile can need.
const PASSES: usize = 8;
/// How often a draft has to pass on the original code, alone: what hangs on chance passes once, or twice.
const PASSES_TODAY: usize = 5;
/// How often all patches pass on the original code, together: as ever, elsewhere, and in reversed order.
const PASSES_TOGETHER: usize = 3;
/// How often a draft has to fail with the transformation.
const FAILURES: usize = 2;

/// Why a draft that passes only where lines end as they do here is none to rely on.
const OF_LINE_ENDS: &str = "it does not pass where lines end with `\\r\\n`, as they do on Windows";

/// What is known of a draft by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Transformations that it notices each time.
    pub closes: BTreeSet<usize>,
    /// Whether it passes only where lines end as they do here.
    pub is_of_line_ends: bool,
}

impl Proof {
    /// What does not hold.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        self.is_of_line_ends.then(|| OF_LINE_ENDS.to_owned())
    }
}

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

/// What holds of each draft by itself; `None` where it does not compile, does not pass, or notices nothing. Adds to `entered` (one for each group).
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn alone(
    workshop: &mut Workshop<'_>,
    library: &Library<'_>,
    groups: &[Group],
    drafts: &[Draft],
    entered: &mut [Entered],
) -> Result<Vec<Option<Proof>>> {
    let sources = &library.sources;
    let mut proofs: Vec<Option<Proof>> = vec![None; drafts.len()];
    let Some((classes, left)) = compiled(workshop, sources, drafts)? else { return Ok(proofs) };
    let mut benches = workshop.benches(&classes, 0);
    let of: BTreeSet<String> = left
        .iter()
        .filter_map(|draft| drafts.get(*draft))
        .flat_map(|draft| runners(library, draft).iter().cloned().collect::<Vec<String>>())
        .collect();
    let found = benches.both[0].tests(&of.into_iter().collect::<Vec<String>>())?;
    let mut tests: Vec<(usize, u32, &str)> = Vec::new();
    for draft in &left {
        let of_it = drafts.get(*draft).map(|draft| runners(library, draft)).unwrap_or_default();
        let is_own = |test: &&FoundTest| is_named(test, &tried_name(*draft)) && of_it.contains(&test.class);
        for test in found.iter().filter(is_own) {
            tests.push((*draft, number(tests.len()), test.id.as_str()));
        }
    }
    let all: Vec<(u32, &str)> = tests.iter().map(|(_, number, id)| (*number, *id)).collect();
    let group_of = |number: u32| drafts.get(tests.get(number as usize)?.0).map(|draft| draft.group);
    let pass = |number: usize| Order { bench: benches.turn(number), active: 0, tests: all.clone() };
    let passes: Vec<Order<'_>> = (0..PASSES_TODAY).map(pass).collect();
    let mut again = benches.run(&passes, &[])?;
    let original = again.remove(0);
    [&original].into_iter().chain(&again).for_each(|tried| add_to_groups(entered, tried, &all, group_of));
    let outcome = |tried: &Tried, draft: usize| outcome(tried, &tests, draft);
    for draft in &left {
        if again.iter().any(|tried| outcome(tried, *draft) != Came::Passed)
            && outcome(&original, *draft) == Came::Passed
        {
            let code = drafts.get(*draft).map_or("", |draft| draft.code.as_str());
            workshop.tell(&format!("{code} does not pass each time"));
        } else if outcome(&original, *draft) == Came::Passed {
            if let Some(proof) = proofs.get_mut(*draft) {
                *proof = Some(Proof::default());
            }
        } else {
            let code = drafts.get(*draft).map_or("", |draft| draft.code.as_str());
            let of = tests.iter().find(|(of, ..)| of == draft).and_then(|(_, number, _)| original.of(*number));
            let why = of.map_or_else(
                || "it did not run".to_owned(),
                |of| format!("{:?}, {} {}", of.outcome, of.exception, of.message),
            );
            workshop.tell(&format!("{code} does not pass: {why}"));
        }
    }
    let of_drafts = drafts.iter().zip(&proofs).enumerate();
    let of_line_ends: Vec<usize> = of_drafts
        .filter(|(_, (draft, proof))| draft.has_line_ends() && proof.is_some())
        .map(|(draft, _)| draft)
        .collect();
    if !of_line_ends.is_empty() {
        let theirs = tests.iter().filter(|(draft, ..)| of_line_ends.contains(draft));
        let theirs: Vec<(u32, &str)> = theirs.map(|(_, number, id)| (*number, *id)).collect();
        let mut bench = workshop.bench(&classes, 0, Surroundings::Windows);
        let tried = bench.run(0, &theirs, &[], true)?;
        add_to_groups(entered, &tried, &theirs, group_of);
        for draft in of_line_ends {
            if let Some(Some(proof)) = proofs.get_mut(draft) {
                proof.is_of_line_ends = outcome(&tried, draft) != Came::Passed;
            }
        }
    }
    let mut orders: Vec<Order<'_>> = Vec::new();
    let mut of_orders: Vec<(usize, usize)> = Vec::new();
    for (group, one) in groups.iter().enumerate() {
        let is_own = |draft: usize| drafts.get(draft).is_some_and(|draft| draft.group == group);
        let own: Vec<(u32, &str)> = tests
            .iter()
            .filter(|(draft, ..)| is_own(*draft) && proofs.get(*draft).is_some_and(Option::is_some))
            .map(|(_, number, id)| (*number, *id))
            .collect();
        for transformation in one.transformations.iter().filter(|_| !own.is_empty()) {
            for _ in 0..FAILURES {
                let bench = benches.turn(orders.len());
                orders.push(Order { bench, active: plan::number(*transformation), tests: own.clone() });
                of_orders.push((group, *transformation));
            }
        }
    }
    let tried = benches.run(&orders, &[])?;
    for ((order, tried), of) in orders.chunks(FAILURES).zip(tried.chunks(FAILURES)).zip(of_orders.chunks(FAILURES)) {
        let Some((group, transformation)) = of.first() else { continue };
        let is_own = |draft: &usize| drafts.get(*draft).is_some_and(|draft| draft.group == *group);
        let mut closing: BTreeSet<usize> = (0..drafts.len()).filter(is_own).collect();
        for (order, tried) in order.iter().zip(tried) {
            add_to_groups(entered, tried, &order.tests, group_of);
            closing.retain(|draft| outcome(tried, *draft) == Came::FailedByAssertion);
        }
        for draft in closing {
            if let Some(Some(proof)) = proofs.get_mut(draft) {
                proof.closes.insert(*transformation);
            }
        }
    }
    for (draft, proof) in drafts.iter().zip(&mut proofs) {
        if proof.as_ref().is_some_and(|proof| proof.closes.is_empty()) {
            workshop.tell(&format!("{} passes, and notices nothing each time", draft.code));
            *proof = None;
        }
    }
    Ok(proofs)
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Passed,
    FailedByAssertion,
    Otherwise,
}

/// Of all tests that a draft is in (subclasses inherit it): passed if all do, failed if one does and none fails otherwise.
fn outcome(tried: &Tried, tests: &[(usize, u32, &str)], draft: usize) -> Came {
    let mut came = None;
    for (_, number, _) in tests.iter().filter(|(of, ..)| *of == draft) {
        let this = match tried.of(*number) {
            Some(finished) if finished.outcome == Outcome::Passed => Came::Passed,
            Some(finished) if is_by_assertion(finished) => Came::FailedByAssertion,
            _ => Came::Otherwise,
        };
        came = Some(match (came, this) {
            (_, Came::Otherwise) | (Some(Came::Otherwise), _) => Came::Otherwise,
            (Some(Came::FailedByAssertion), _) | (_, Came::FailedByAssertion) => Came::FailedByAssertion,
            (_, Came::Passed) => Came::Passed,
        });
    }
    came.unwrap_or(Came::Otherwise)
}

/// The folder of classes in which each draft has a test of its own, and the drafts that compile.
fn compiled(
    workshop: &mut Workshop<'_>,
    sources: &[TestSource],
    drafts: &[Draft],
) -> Result<Option<(PathBuf, Vec<usize>)>> {
    let mut left: BTreeSet<usize> = (0..drafts.len()).collect();
    for _ in 0..PASSES {
        let used: BTreeSet<usize> =
            left.iter().filter_map(|draft| drafts.get(*draft)).map(|draft| draft.source).collect();
        let mut texts = Vec::new();
        let mut spans: Vec<Vec<(usize, usize, usize)>> = Vec::new();
        let mut of_text: Vec<usize> = Vec::new();
        for index in &used {
            let Some(source) = sources.get(*index) else { continue };
            let own: Vec<(usize, &Draft)> = left
                .iter()
                .filter_map(|draft| Some((*draft, drafts.get(*draft)?)))
                .filter(|(_, draft)| draft.source == *index)
                .collect();
            let (text, of_it) = weave(source, &own);
            texts.push((source.path.clone(), text));
            spans.push(of_it);
            of_text.push(*index);
        }
        if texts.is_empty() {
            return Ok(None);
        }
        match workshop.compile(&texts)? {
            Ok(classes) => return Ok(Some((classes, left.into_iter().collect()))),
            Err(complaints) => {
                let before = left.len();
                for Complaint { source, byte, .. } in complaints {
                    let Some(text) = source else { continue };
                    let at = byte.unwrap_or(0);
                    let around =
                        spans.get(text).into_iter().flatten().find(|(start, end, _)| *start <= at && at < *end);
                    match around {
                        Some((.., draft)) => {
                            left.remove(draft);
                        }
                        // An import, say, that there is none of: which draft wanted it is told by dropping those with imports.
                        None => {
                            let source = of_text.get(text).copied();
                            left.retain(|draft| {
                                drafts
                                    .get(*draft)
                                    .is_some_and(|draft| Some(draft.source) != source || draft.imports.is_empty())
                            });
                        }
                    }
                }
                if left.len() == before {
                    return Ok(None);
                }
            }
        }
    }
    Ok(None)
}

/// The source with each draft alone in a copy of its test, and where each stands.
fn weave(source: &TestSource, drafts: &[(usize, &Draft)]) -> (String, Vec<(usize, usize, usize)>) {
    let needed: Vec<Needed> = drafts.iter().flat_map(|(_, draft)| draft.imports.iter().cloned()).collect();
    let mut edits: Vec<Edit> = Vec::new();
    let mut placed: Vec<(usize, usize, String)> = drafts
        .iter()
        .filter_map(|(index, draft)| {
            let method = source.methods.get(draft.method)?;
            let (before, after) = &draft.alone;
            Some((method.end, *index, format!("\n{before}{}{after}\n", tried_name(*index))))
        })
        .collect();
    placed.sort_by_key(|(at, ..)| *at);
    edits.extend(import_edits(source, &needed));
    let mut moved: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut spans = Vec::new();
    for (at, index, text) in placed {
        spans.push((at + moved, at + moved + text.len(), index));
        moved += text.len();
        edits.push(Edit::insert(at, text));
    }
    (apply(&source.text, &edits).unwrap_or_default(), spans)
}

/// Whether the chosen patches hold together, in their places: adds what does not. Those that are to be proven anew have to pass and to fail as often
/// as [`alone`]; their lines have to be the only new ones in their tests.
///
/// # Errors
/// As [`alone`].
pub fn together(workshop: &mut Workshop<'_>, library: &Library<'_>, chosen: &mut [Chosen]) -> Result<()> {
    let coverage = library.coverage;
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
        return Ok(());
    }
    let classes = match workshop.compile(&given)? {
        Ok(classes) => classes,
        Err(complaints) => {
            for complaint in complaints {
                let source = complaint.source.and_then(|source| given.get(source)).map(|(file, _)| file);
                let message = complaint.message.lines().next().unwrap_or_default();
                let because = format!("together with the other patches it does not compile: {message}");
                doubt(chosen, |placed| source.is_none_or(|file| placed.file == *file), &because);
            }
            return Ok(());
        }
    };
    let of: BTreeSet<String> = chosen.iter().flat_map(|one| one.placed.runners.iter().cloned()).collect();
    let mut bench = workshop.bench(&classes, 0, Surroundings::Usual);
    let found: Vec<FoundTest> = bench.tests(&of.into_iter().collect::<Vec<String>>())?;
    let tests: Vec<(u32, &str)> =
        found.iter().enumerate().map(|(index, test)| (number(index), test.id.as_str())).collect();
    let is_changed = |index: u32, placed: &Placed| {
        found.get(index as usize).is_some_and(|test| is_named(test, &placed.test) && placed.is_of(test))
    };
    let changed: Vec<(u32, &str)> =
        tests.iter().copied().filter(|(number, _)| chosen.iter().any(|one| is_changed(*number, &one.placed))).collect();
    // What any test of its class does may have a part in whether it holds there.
    let note = |chosen: &mut [Chosen], tried: &Tried| {
        for Chosen { placed, entered, .. } in chosen {
            let is_beside = |number: u32| found.get(number as usize).is_none_or(|test| placed.is_beside(test));
            entered.add(tried, is_beside);
        }
    };

    let is_other = |index: u32| !changed.iter().any(|(number, _)| *number == index);
    let slow: BTreeSet<&str> = (0..coverage.tests.len())
        .filter(|test| coverage.is_slow(*test))
        .filter_map(|test| Some(coverage.tests.get(test)?.id.as_str()))
        .collect();
    let quick: Vec<(u32, &str)> =
        tests.iter().copied().filter(|(index, id)| !slow.contains(id) || !is_other(*index)).collect();

    // As ever, with the rest of the class. What patches do to slow tests beside them is told once, when they are made.
    let tests = if chosen.iter().any(|one| one.anew) { quick.clone() } else { tests };
    let ordinary = bench.run(0, &tests, &[], true)?;
    note(chosen, &ordinary);
    let quarantined: BTreeSet<&str> = coverage
        .failing
        .iter()
        .chain(&coverage.unstable)
        .filter_map(|test| coverage.tests.get(test.test))
        .map(|test| test.name.as_str())
        .collect();
    let failed_in = |tried: &Tried, index: u32| {
        tried.stuck.contains(&index) || tried.of(index).is_some_and(|of| of.outcome == Outcome::Failed)
    };
    // A test that hangs on the clock fails now and then; what the new code does to it, it does each time.
    let again = if tests.iter().any(|(index, _)| is_other(*index) && failed_in(&ordinary, *index)) {
        Some(bench.run(0, &tests, &[], true)?)
    } else {
        None
    };
    again.iter().for_each(|again| note(chosen, again));
    for (index, _) in &tests {
        let Some(test) = found.get(*index as usize) else { continue };
        let failed = failed_in(&ordinary, *index) && again.as_ref().is_some_and(|again| failed_in(again, *index));
        let known_before =
            quarantined.contains(test.name.as_str()) || coverage.tests.iter().all(|known| known.name != test.name);
        if failed && !known_before && is_other(*index) {
            let because = format!("with it, {} fails", test.name);
            doubt(chosen, |placed| placed.is_of(test), &because);
        }
    }
    doubt_failed(
        chosen,
        &ordinary,
        &changed,
        &is_changed,
        "it does not pass together with the other tests of its class",
    );
    drop(bench);

    let mut bench = workshop.bench(&classes, 0, Surroundings::Elsewhere);
    let elsewhere = bench.run(0, &changed, &[], true)?;
    note(chosen, &elsewhere);
    doubt_failed(chosen, &elsewhere, &changed, &is_changed, "it does not pass in another time zone and locale");
    drop(bench);

    let mut bench = workshop.bench(&classes, 0, Surroundings::Usual);
    let reversed: Vec<(u32, &str)> = quick.into_iter().rev().collect();
    let backwards = bench.run_one_by_one(&reversed)?;
    note(chosen, &backwards);
    doubt_failed(
        chosen,
        &backwards,
        &changed,
        &is_changed,
        "it does not pass when the tests of its class run in reversed order",
    );

    let transformations: BTreeSet<usize> = chosen.iter().flat_map(|one| one.placed.closes.iter().copied()).collect();
    for transformation in transformations {
        let closing = |one: &&mut Chosen| one.placed.closes.contains(&transformation);
        let is_anew = chosen.iter_mut().filter(closing).any(|one| one.anew);
        for _ in 0..if is_anew { FAILURES } else { 1 } {
            let tried = bench.run(plan::number(transformation), &changed, &[], true)?;
            note(chosen, &tried);
            for Chosen { placed, because, .. } in chosen.iter_mut().filter(closing) {
                let noticed = changed
                    .iter()
                    .filter(|(number, _)| is_changed(*number, placed))
                    .any(|(number, _)| tried.of(*number).is_some_and(is_by_assertion));
                if !noticed && because.is_none() {
                    *because = Some("in its class it does not notice the transformation each time".to_owned());
                }
            }
        }
    }

    let of_anew = |chosen: &[Chosen], wanted: &dyn Fn(&Placed) -> bool| {
        let wanted =
            |number: u32| chosen.iter().any(|one| one.anew && wanted(&one.placed) && is_changed(number, &one.placed));
        changed.iter().copied().filter(|(number, _)| wanted(*number)).collect::<Vec<(u32, &str)>>()
    };
    let (anew, of_line_ends) = (of_anew(chosen, &|_| true), of_anew(chosen, &Placed::has_line_ends));
    for _ in (PASSES_TOGETHER..PASSES_TODAY).filter(|_| !anew.is_empty()) {
        let tried = bench.run(0, &anew, &[], true)?;
        note(chosen, &tried);
        doubt_failed(chosen, &tried, &changed, &is_changed, "it does not pass each time");
    }
    drop(bench);
    if !of_line_ends.is_empty() {
        let mut bench = workshop.bench(&classes, 0, Surroundings::Windows);
        let tried = bench.run(0, &of_line_ends, &[], true)?;
        note(chosen, &tried);
        doubt_failed(chosen, &tried, &changed, &is_changed, OF_LINE_ENDS);
    }
    Ok(())
}

fn doubt(chosen: &mut [Chosen], concerns: impl Fn(&Placed) -> bool, because: &str) {
    for one in chosen.iter_mut().filter(|one| concerns(&one.placed) && one.because.is_none()) {
        one.because = Some(because.to_owned());
    }
}

/// Doubts the patches of which a test did not pass.
fn doubt_failed(
    chosen: &mut [Chosen],
    tried: &Tried,
    changed: &[(u32, &str)],
    is_changed: &impl Fn(u32, &Placed) -> bool,
    because: &str,
) {
    doubt(
        chosen,
        |placed| {
            let own: Vec<u32> =
                changed.iter().map(|(number, _)| *number).filter(|number| is_changed(*number, placed)).collect();
            // A parameterised test is one in the list and several when it runs.
            own.is_empty()
                || own
                    .iter()
                    .any(|number| tried.of(*number).is_some() && !tried.passed(*number) || tried.stuck.contains(number))
        },
        because,
    );
}

fn runners(library: &Library<'_>, draft: &Draft) -> Rc<BTreeSet<String>> {
    library.runners(draft.source, draft.method, draft.is_new)
}

impl Placed {
    /// Whether it says how lines end.
    fn has_line_ends(&self) -> bool {
        self.edits.iter().any(|edit| edit.text.contains("\\n"))
    }

    /// Whether the test is one of a class that runs what stands here.
    fn is_of(&self, test: &FoundTest) -> bool {
        self.runners.contains(&test.class)
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
    use crate::jvm::protocol::Finished;

    fn finished(number: u32, outcome: Outcome, exception: &str) -> Finished {
        Finished { outcome, exception: exception.into(), ..Finished::passed(number, &[]) }
    }

    #[test]
    fn each_library_fails_with_an_error_of_its_own() {
        let failed = |exception: &str| is_by_assertion(&finished(0, Outcome::Failed, exception));
        let truth = "com.google.common.truth.Truth$AssertionErrorWithCause";
        let mockito = "org.mockito.exceptions.verification.WantedButNotInvoked";
        let all = [
            "java.lang.AssertionError",
            "org.opentest4j.AssertionFailedError",
            "org.junit.ComparisonFailure",
            truth,
            mockito,
        ];
        assert!(all.iter().all(|exception| failed(exception)));
        assert!(!failed("java.lang.IllegalStateException") && !failed("org.junit.AssumptionViolatedException"));
        assert!(!is_by_assertion(&finished(0, Outcome::Skipped, "java.lang.AssertionError")));
    }

    #[test]
    fn an_error_on_the_way_is_no_proof() {
        let tests = [(0, 0, "a"), (1, 1, "b"), (1, 2, "c"), (2, 3, "d"), (3, 4, "e")];
        let tried = Tried {
            finished: vec![
                finished(0, Outcome::Failed, "java.lang.AssertionError"),
                finished(1, Outcome::Passed, ""),
                finished(2, Outcome::Failed, "org.junit.ComparisonFailure"),
                finished(3, Outcome::Failed, "java.lang.NullPointerException"),
            ],
            ..Tried::default()
        };
        let came: Vec<Came> = (0..4).map(|draft| outcome(&tried, &tests, draft)).collect();
        assert_eq!(came, [Came::FailedByAssertion, Came::FailedByAssertion, Came::Otherwise, Came::Otherwise]);
    }
}

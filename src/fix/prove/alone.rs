//! From drafts to what holds of each by itself, alone in a test of its own.
//!
//! It has to pass on the original code and to fail by an assertion, from two clean starts, with the transformation. Nothing else than its lines can
//! be the reason: the test that they stand in does not notice the transformation without them. What asserts where a line ends has to pass with
//! other line separators, too.

use crate::base::error::Result;
use crate::base::id::{GuardId, TransformationId};
use crate::fix::edit::{Edit, apply};
use crate::fix::outcome::{Entered, add_to_groups};
use crate::fix::source::library::Library;
use crate::fix::source::style::{Needed, import_edits};
use crate::fix::source::test_source::TestSource;
use crate::fix::trial::bench::{Order, Tried, is_by_assertion};
use crate::fix::trial::compile::tried_name;
use crate::fix::trial::explore::{Group, is_named};
use crate::fix::trial::workshop::{Complaint, Surroundings, Workshop};
use crate::fix::write::draft::Draft;
use crate::jvm::protocol::{FoundTest, Outcome};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How often a draft has to pass on the original code, alone: what hangs on chance passes once, or twice.
pub const PASSES_TODAY: usize = 5;
/// How often a draft has to fail with the transformation.
pub const FAILURES: usize = 2;

/// Why a draft that passes only where lines end as they do here is none to rely on.
pub const OF_LINE_ENDS: &str = "it does not pass where lines end with `\\r\\n`, as they do on Windows";

/// Whether the code says how lines end.
#[must_use]
pub fn has_line_ends(code: &str) -> bool {
    code.contains("\\n")
}

/// What is known of a draft by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Transformations that it notices each time.
    pub closes: BTreeSet<TransformationId>,
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
    let found = benches.tests(&of.into_iter().collect::<Vec<String>>())?;
    let mut tests: Vec<(usize, u32, &str)> = Vec::new();
    for draft in &left {
        let of_it = drafts.get(*draft).map(|draft| runners(library, draft)).unwrap_or_default();
        let name = tried_name(*draft);
        let is_own = |test: &&FoundTest| is_named(test, &name) && of_it.contains(&test.class);
        for test in found.iter().filter(is_own) {
            tests.push((*draft, number(tests.len()), test.id.as_str()));
        }
    }
    let all: Vec<(u32, &str)> = tests.iter().map(|(_, number, id)| (*number, *id)).collect();
    let group_of = |number: u32| drafts.get(tests.get(number as usize)?.0).map(|draft| draft.group);
    let pass = |number: usize| Order { bench: Some(benches.turn(number)), active: None, tests: all.clone() };
    let passes: Vec<Order<'_>> = (0..PASSES_TODAY).map(pass).collect();
    let mut again: Vec<Tried> = benches.run(&passes, &[])?.into_iter().map(|(_, tried)| tried).collect();
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
        .filter(|(_, (draft, proof))| has_line_ends(&draft.code) && proof.is_some())
        .map(|(draft, _)| draft)
        .collect();
    if !of_line_ends.is_empty() {
        let theirs = tests.iter().filter(|(draft, ..)| of_line_ends.contains(draft));
        let theirs: Vec<(u32, &str)> = theirs.map(|(_, number, id)| (*number, *id)).collect();
        let mut bench = workshop.bench(&classes, Surroundings::Windows);
        let tried = bench.run(None, &theirs, &[])?;
        add_to_groups(entered, &tried, &theirs, group_of);
        for draft in of_line_ends {
            if let Some(Some(proof)) = proofs.get_mut(draft) {
                proof.is_of_line_ends = outcome(&tried, draft) != Came::Passed;
            }
        }
    }
    let mut orders: Vec<Order<'_>> = Vec::new();
    let mut of_orders: Vec<(usize, TransformationId)> = Vec::new();
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
                orders.push(Order {
                    bench: Some(bench),
                    active: Some(GuardId::of(*transformation)),
                    tests: own.clone(),
                });
                of_orders.push((group, *transformation));
            }
        }
    }
    let tried = benches.run(&orders, &[])?;
    workshop.keep(benches);
    for ((order, tried), of) in orders.chunks(FAILURES).zip(tried.chunks(FAILURES)).zip(of_orders.chunks(FAILURES)) {
        let Some((group, transformation)) = of.first() else { continue };
        let is_own = |draft: &usize| drafts.get(*draft).is_some_and(|draft| draft.group == *group);
        let mut closing: BTreeSet<usize> = (0..drafts.len()).filter(is_own).collect();
        for (order, (_, tried)) in order.iter().zip(tried) {
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
    let folder = workshop.folder()?;
    let mut parts: Vec<Part<'_>> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let own = drafts.iter().enumerate().filter(|(_, draft)| draft.source == number);
        parts.push((source, own.collect(), Vec::new()));
    }
    parts.retain(|(_, left, _)| !left.is_empty());
    let paths: Vec<&Path> = parts.iter().map(|(source, ..)| source.path.as_path()).collect();
    let compiles = workshop.compile_each(&folder, &paths, |part, complaints| {
        let (source, left, spans) = parts.get_mut(part)?;
        let is_better = complaints.is_empty() || blame(complaints, spans, left);
        if !is_better || left.is_empty() {
            return None;
        }
        let (text, places) = weave(source, left);
        *spans = places;
        Some(text)
    })?;
    let compiled = parts.iter().zip(compiles).filter(|(_, compiles)| *compiles);
    let mut compiled: Vec<usize> = compiled.flat_map(|((_, left, _), _)| left).map(|(draft, _)| *draft).collect();
    compiled.sort_unstable();
    Ok(if compiled.is_empty() { None } else { Some((folder, compiled)) })
}

/// A source with its drafts, and where they stand in the text that was compiled last.
type Part<'s> = (&'s TestSource, Vec<(usize, &'s Draft)>, Vec<Span>);

/// Where in a changed source a draft stands: start, end, and its number.
type Span = (usize, usize, usize);

/// Leaves out the drafts that the complaints are about: whether there are any.
fn blame(complaints: &[Complaint], spans: &[Span], left: &mut Vec<(usize, &Draft)>) -> bool {
    let before = left.len();
    for complaint in complaints {
        let at = complaint.byte.unwrap_or(0);
        match spans.iter().find(|(start, end, _)| *start <= at && at < *end) {
            Some((.., draft)) => left.retain(|(other, _)| other != draft),
            // An import, say, that there is none of: which draft wanted it is told by dropping those with imports.
            None => left.retain(|(_, draft)| draft.imports.is_empty()),
        }
    }
    left.len() != before
}

/// The source with each draft alone in a copy of its test, and where each stands.
fn weave(source: &TestSource, drafts: &[(usize, &Draft)]) -> (String, Vec<Span>) {
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

fn runners(library: &Library<'_>, draft: &Draft) -> Rc<BTreeSet<String>> {
    library.runners(draft.source, draft.method, draft.is_new)
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

//! Diagnoses each undetected transformation: one symptom, with the best evidence for it.

mod alike;
mod calls;
mod evidence;
mod stack;

pub use calls::VARIES;
pub use stack::TestCode;

use crate::base::id::{ExpressionId, MethodId, TestId, TransformationId};
use crate::cover::{Coverage, Test};
use crate::instrument::{Expression, Instrumented};
use crate::observation::Recording;
use crate::observe::difference::{Repeatability, repeatability};
use crate::observe::first::First;
use crate::observe::{Difference, Frame, Observed, Part, Site};
use crate::text::words::short_class;
use crate::transform::Transformations;
use serde::{Deserialize, Serialize};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Symptom {
    /// A test evaluates an expression that differs, but does not assert on it.
    WeakOracle,
    /// The method leaves a different state, but no expression of a test shows it.
    NoPropagation,
    /// With the inputs of the tests, the method always does the same as the constant.
    NoInfection,
    Undecided,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum At {
    Method,
    Test,
}

/// One difference, and everything needed to find it again. Value, place, test and stack belong to the
/// same observation.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Evidence {
    pub test: TestId,
    pub invocation: u32,
    pub at: At,
    pub part: Part,
    pub path: String,
    pub type_name: String,
    /// Run-time class (binary name) of the part itself: the type of its property with the empty path. It
    /// declares the field that `path` begins with. `None` if that property was not recorded.
    #[serde(default)]
    pub owner: Option<String>,
    pub original: Option<String>,
    pub transformed: Option<String>,
    pub deep: bool,
    /// Place in the test: of the expression (`at` test), or of the line from which the method was
    /// reached (`at` method, end 0).
    pub file: Option<PathBuf>,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// Source text of the expression (`at` test only).
    pub expression: Option<String>,
    /// The role of the expression in the test (`at` test only).
    pub expression_kind: Option<crate::instrument::ExpressionKind>,
    /// Whether the expression may be evaluated again, in this test or another (`at` test only).
    pub repeats: bool,
    /// Whether each invocation of the test evaluates it once, all with the same value, on the original
    /// code (`at` test only).
    #[serde(default)]
    pub alike: bool,
    /// From the test (first) to the method (last), without frames of the JDK and the test framework.
    pub stack: Vec<Frame>,
}

/// One way in which the tests called the method on the original code. Explains `no-infection`, and
/// suggests calls for new tests.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct CallSeen {
    pub test: TestId,
    pub invocation: u32,
    /// Number of invocations in all tests that looked like this one.
    pub count: u64,
    /// Paths and values of the receiver's parts, one level deep.
    pub receiver: Vec<(String, String)>,
    /// The arguments with their parts, one level deep. An object without a value of its own is
    /// `non-null (some.Type)`.
    pub arguments: Vec<SeenValue>,
    /// The result; `None` if the method is void or threw.
    pub result: Option<SeenValue>,
    /// Class and message of the exception, if the method threw.
    pub exception: Option<String>,
    /// From the test (first) to the method (last).
    pub stack: Vec<Frame>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct SeenValue {
    pub type_name: String,
    pub value: String,
    pub atoms: Vec<(String, String)>,
}

/// Diagnosis of one undetected transformation.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Diagnosis {
    pub transformation: TransformationId,
    pub symptom: Symptom,
    /// The symptom by the state of the study: the fields of an object, the sizes of containers, and
    /// nothing below.
    pub study_symptom: Symptom,
    /// Only for `Undecided`: a sentence.
    pub undecided_because: Option<String>,
    /// Only for `NoInfection`: classes (binary names) of objects that the method got or gave and that
    /// the observer does not see in full, so that a difference there may stay unseen. Sorted; bounded.
    #[serde(default)]
    pub not_seen: Vec<String>,
    /// Best first; bounded.
    pub evidence: Vec<Evidence>,
    /// Number of differences that were found in repeated tests but left out of `evidence`.
    pub evidence_cut: usize,
    /// Distinct ways in which the tests called the method, most frequent first; bounded.
    pub calls: Vec<CallSeen>,
    /// Number of distinct ways left out of `calls`.
    pub calls_cut: usize,
    /// Whether `calls` leaves out those of some tests, because their arguments are different in each run.
    pub calls_vary: bool,
    /// Calls whose arguments are different in each run: the values of the arguments in single runs;
    /// bounded. What a test draws at random may tell original and transformed code apart.
    #[serde(default)]
    pub drawn: Vec<Vec<String>>,
}

/// The results of earlier stages that the stage needs.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    pub instrumented: &'a Instrumented,
    pub tests: &'a TestCode,
}

impl Input<'_> {
    fn test(&self, test: TestId) -> Option<&Test> {
        self.coverage.tests.get(test)
    }

    fn expression(&self, expression: ExpressionId) -> Option<&Expression> {
        self.instrumented.expressions.get(expression)
    }

    /// The distance of a test from a method: smaller is nearer, and at equal distance slow tests come
    /// last. `None` if the test's expressions were not observed.
    #[must_use]
    pub fn preference(&self, method: MethodId, test: TestId) -> Option<u8> {
        let is_slow = self.coverage.is_slow(test);
        let (test, method) = (self.test(test)?, &self.transformations.methods[method]);
        let near = || 2 * unit_rank(&test.class, &method.class) + u8::from(is_slow);
        self.instrumented.unseen(&test.class).is_none().then(near)
    }

    /// Quarantined tests are never evidence.
    fn is_evidence(&self, test: TestId) -> bool {
        !self.coverage.is_quarantined(test)
    }
}

/// Diagnoses one undetected transformation from its observations and their differences. A difference
/// at any depth is an infection; the paper's state decides [`Diagnosis::study_symptom`].
#[must_use]
pub fn diagnose(
    input: &Input<'_>,
    transformation: TransformationId,
    observed: &Observed,
    differences: &[Difference],
) -> Diagnosis {
    let id = input.transformations.transformations[transformation].method;
    let method = &input.transformations.methods[id];
    let site = Site::Method(id);
    // Other methods are probed in the same runs. Their differences are neither an infection of this
    // method nor visible to a test. What decides no symptom is no evidence either: a report would
    // contradict itself.
    let differences: Vec<&Difference> = differences
        .iter()
        .filter(|difference| difference.key.site == site || matches!(difference.key.site, Site::Expression(_)))
        .filter(|difference| input.is_evidence(difference.key.test))
        .filter(|difference| !difference.implementation_only)
        .collect();
    let shallow: Vec<&Difference> = differences.iter().copied().filter(|difference| !difference.deep).collect();
    let found: Lazy<'_> = LazyCell::new(Box::new(|| repeatability(observed, id, |test| input.is_evidence(test))));
    let (mut symptom, mut undecided_because) = symptom(input, id, observed, &differences, &found);
    let (study_symptom, _) = self::symptom(input, id, observed, &shallow, &found);
    if symptom == Symptom::NoInfection && found.varying > 0 {
        (symptom, undecided_because) = (Symptom::Undecided, Some(varies_at_times(*found)));
    }
    let mut calls = calls::calls(input, id, method, observed);
    let (evidence, evidence_cut) = evidence::evidence(input, method, symptom, &differences, &calls, observed);
    let calls_cut = calls.seen.len().saturating_sub(calls::CALLS);
    calls.seen.truncate(calls::CALLS);
    let is_relevant = symptom == Symptom::NoInfection;
    let not_seen = std::mem::take(&mut calls.not_seen).into_iter().filter(|_| is_relevant).take(calls::NOT_SEEN);
    let not_seen = not_seen.collect();
    Diagnosis {
        transformation,
        symptom,
        study_symptom,
        undecided_because,
        not_seen,
        evidence,
        evidence_cut,
        calls: calls.seen,
        calls_cut,
        calls_vary: calls.vary,
        drawn: calls.drawn,
    }
}

/// The repeatability of the invocations, computed when it is first needed.
type Lazy<'a> = LazyCell<Repeatability, Box<dyn FnOnce() -> Repeatability + 'a>>;

/// The symptom that these differences show, and the reason if it is undecided.
fn symptom(
    input: &Input<'_>,
    method: MethodId,
    observed: &Observed,
    differences: &[&Difference],
    found: &Lazy<'_>,
) -> (Symptom, Option<String>) {
    let is_at_method = |difference: &&Difference| difference.key.site == Site::Method(method);
    if differences.iter().any(|difference| !is_at_method(difference)) {
        return (Symptom::WeakOracle, None);
    }
    let (symptom, reason) = if differences.is_empty() {
        (Symptom::NoInfection, why_nothing_can_be_said(input, observed, found))
    } else {
        (Symptom::NoPropagation, unseen(input, differences))
    };
    if reason.is_some() { (Symptom::Undecided, reason) } else { (symptom, None) }
}

/// A diagnosis, and the result of the first runs. If they give the same result after an edit, the
/// repetitions would, too.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Explanation {
    pub diagnosis: Diagnosis,
    /// `None` if the original code did not do the same in all of them.
    pub first: Option<FirstRuns>,
}

/// The result of the first runs of a transformation.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct FirstRuns {
    /// The diagnosis from these runs alone, without the id of the transformation.
    pub diagnosis: Diagnosis,
    /// See [`First::digest`].
    pub digest: String,
    /// Whether a single run of the original code gives the same result.
    pub one_will_do: bool,
    /// Number of tests that ran.
    pub tests: usize,
}

impl FirstRuns {
    /// The result for a transformation and its method. `tests` are those that ran.
    #[must_use]
    pub fn new(
        input: &Input<'_>,
        transformation: TransformationId,
        method: MethodId,
        tests: &[TestId],
        first: &First,
    ) -> Option<Self> {
        let preference = |method, test| input.preference(method, test);
        let digest = first.digest(tests, method, &preference)?;
        let one_will_do = first.one_gives(&digest, tests, method, &preference);
        let diagnosis = diagnose(input, transformation, &first.observed, &first.seen);
        Some(Self {
            diagnosis: Diagnosis { transformation: TransformationId(0), ..diagnosis },
            digest,
            one_will_do,
            tests: tests.len(),
        })
    }
}

impl Diagnosis {
    /// Whether both are equal, apart from the id of the transformation.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        *self == Self { transformation: self.transformation, ..other.clone() }
    }

    /// The diagnosis of a transformation that was not observed (the worker died, time ran out).
    #[must_use]
    pub fn undecided(transformation: TransformationId, because: String) -> Self {
        Self {
            transformation,
            symptom: Symptom::Undecided,
            study_symptom: Symptom::Undecided,
            undecided_because: Some(because),
            not_seen: Vec::new(),
            evidence: Vec::new(),
            evidence_cut: 0,
            calls: Vec::new(),
            calls_cut: 0,
            calls_vary: false,
            drawn: Vec::new(),
        }
    }
}

/// The reason why an expression may show the difference after all: the expressions of a test with a
/// difference were not observed.
fn unseen(input: &Input<'_>, differences: &[&Difference]) -> Option<String> {
    let tests: BTreeSet<TestId> = differences.iter().map(|difference| difference.key.test).collect();
    let named = tests.into_iter().filter_map(|test| input.test(test)).find_map(|test| {
        let (file, reason) = input.instrumented.unseen(&test.class)?;
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Some((test, name, reason))
    });
    let (test, name, reason) = named.or_else(|| unwatched(input, differences))?;
    let reason = reason.trim_end_matches('.');
    Some(format!(
        "The method did something else in {}, but whether an expression there sees it is not known, because {name} was not watched ({reason}).",
        test.name
    ))
}

/// A test with a difference that runs test code without probes: its test, the class, and the reason.
fn unwatched<'a>(input: &'a Input<'_>, differences: &[&Difference]) -> Option<(&'a Test, String, &'a str)> {
    differences.iter().find_map(|difference| {
        let test = input.test(difference.key.test)?;
        let is_unwatched = |class: &&str| input.instrumented.is_unwatched(test.recipe, class);
        let own = Some(test.class.as_str()).filter(|class| input.tests.contains(class));
        let method = input.transformations.methods.iter();
        let is_program = |class: &str| method.clone().any(|method| method.class == class);
        let above = stack::test_classes(&difference.stack, test, input.tests).filter(|class| !is_program(class));
        let class = own.into_iter().chain(above).find(is_unwatched)?;
        let reason = input.instrumented.unseen(class).map_or(NOT_COMPILED, |(_, reason)| reason);
        Some((test, short_class(class), reason))
    })
}

/// The reason why a finding is undecided if the user interrupted the analysis before.
pub const NOT_OBSERVED: &str = "the analysis was interrupted before it looked at the tests of this change";

const NOT_COMPILED: &str = "its source is not among those that are compiled with the tests of this module";

/// The reason why nothing could be compared, if so: then finding no difference proves nothing.
fn why_nothing_can_be_said(input: &Input<'_>, observed: &Observed, found: &Lazy<'_>) -> Option<String> {
    if observed.original.is_empty() || observed.transformed.is_empty() {
        return Some("Its tests were not repeated, so there is nothing to compare.".into());
    }
    if found.repeatable > 0 {
        return None;
    }
    if found.comparable > 0 {
        let invocations = match found.comparable {
            1 => "its only invocation".to_owned(),
            count => format!("each of its {count} invocations"),
        };
        return Some(format!(
            "What the method returns or changes is {VARIES} of the same code, in {invocations}, so nothing can be compared."
        ));
    }
    if found.seen > 0 {
        return Some(
            "The tests do not reach the method in the same way in every run, so there are no two invocations to compare.".into(),
        );
    }
    let failed = |runs: &[Arc<Recording>]| -> Option<String> {
        let all: BTreeMap<TestId, &String> =
            runs.iter().flat_map(|run| &run.failed).map(|(test, reason)| (*test, reason)).rev().collect();
        let (test, reason) = all.iter().find_map(|(test, reason)| Some((input.test(*test)?, reason)))?;
        let reason = reason.trim_end_matches([' ', ':', '.']);
        Some(format!("{} failed{}{reason}", test.name, if reason.is_empty() { "" } else { " with " }))
    };
    Some(match (failed(&observed.original), failed(&observed.transformed)) {
        (Some(failure), _) => format!("Its tests pass once, but not in every repetition: {failure}."),
        (None, Some(failure)) => format!("In some repetitions its tests notice the change: {failure}."),
        (None, None) => "No run of the original code was seen to enter the method when its tests were repeated.".into(),
    })
}

/// The reason why nothing is known if some invocations cannot be compared: in them, the method may do
/// something else than the constant.
fn varies_at_times(found: Repeatability) -> String {
    format!(
        "What the method returns or throws is {VARIES} of the same code, in {} of its {} invocations; in the others, it is the same with the change.",
        found.varying, found.comparable
    )
}

/// How well the name of a test class fits a unit: 0 `StackTest` for `Stack`, 1 `StackPushTest`, 2 any
/// other.
fn unit_rank(test_class: &str, unit: &str) -> u8 {
    let simple = |class: &str| {
        let name = class.rsplit('.').next().unwrap_or(class);
        name.split('$').next().unwrap_or(name).to_owned()
    };
    let (test, unit) = (simple(test_class), simple(unit));
    let rest = test.strip_prefix(&unit).or_else(|| test.strip_suffix(&unit));
    if rest.is_some_and(|rest| ["Test", "Tests", "TestCase", "IT", "Spec"].contains(&rest)) {
        0
    } else if test.contains(&unit) {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests;

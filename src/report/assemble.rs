//! Assembles the results of all stages into one report: names instead of indices, paths relative to
//! the project, and counts.

use super::identity;
use super::model::{
    Atom, Call, Entry, Evidence, Fix, KilledBy, LeftOut, Probes, Project, Reason, Report, SCHEMA_VERSION, Scope,
    Settings, Shard, Status, Suggestion, Summary, Tests, Tool, Value, Visibility,
};
use crate::base::error::{Error, Result};
use crate::base::id::{IdSlice, ModuleId, TransformationId};
use crate::code::Sources;
use crate::cover::{Coverage, Quarantined};
use crate::detect::{Kill, Verdict};
use crate::diagnose::{self, Diagnosis, SeenValue, Symptom};
use crate::fix::{Attempt, Patch};
use crate::instrument::Instrumented;
use crate::observe::{Frame, Part};
use crate::suggest;
use crate::suggest::covering_tests_by_closeness;
use crate::text::escape;
use crate::text::words;
use crate::transform::{Method, Transformation, Transformations};
use std::path::Path;

/// The results of all stages.
#[derive(Clone, Copy)]
pub struct Findings<'a> {
    /// The project's name for people.
    pub project: &'a str,
    /// Module names, in the order in which modules are numbered.
    pub modules: &'a IdSlice<ModuleId, String>,
    pub settings: &'a Settings,
    /// `None` if the whole project was analyzed.
    pub scope: Option<&'a Scope>,
    /// `None` if everything in scope was analyzed.
    pub shard: Option<Shard>,
    pub sources: &'a Sources,
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    /// One for each transformation.
    pub verdicts: &'a IdSlice<TransformationId, Verdict>,
    /// One for each undetected transformation, in any order.
    pub diagnoses: &'a [Diagnosis],
    /// One list for each diagnosis.
    pub suggestions: &'a [Vec<suggest::Suggestion>],
    /// One for each diagnosis; empty if no patches were requested.
    pub attempts: &'a [Attempt],
    /// `None` if no test was instrumented because everything was detected.
    pub probes: Option<&'a Probes>,
}

/// Assembles the report.
///
/// # Errors
/// Only if reneri has a bug: if the parts do not belong together.
pub fn assemble(findings: &Findings<'_>) -> Result<Report> {
    let total = findings.transformations.transformations.len();
    if findings.verdicts.len() != total || findings.diagnoses.len() != findings.suggestions.len() {
        return Err(Error::bug(format!(
            "The parts of the report do not belong together: {total} transformations with {} verdicts, {} diagnoses with {} lists of suggestions.",
            findings.verdicts.len(),
            findings.diagnoses.len(),
            findings.suggestions.len()
        )));
    }
    let mut entries = Vec::with_capacity(total);
    for ((id, transformation), verdict) in
        findings.transformations.transformations.iter_enumerated().zip(findings.verdicts)
    {
        let method = &findings.transformations.methods[transformation.method];
        let number =
            findings.diagnoses.iter().position(|diagnosis| diagnosis.transformation == id && verdict.is_undetected());
        let diagnosis = number.and_then(|number| findings.diagnoses.get(number).zip(findings.suggestions.get(number)));
        let mut entry = entry(findings, method, transformation, verdict, diagnosis);
        match number.and_then(|number| findings.attempts.get(number)) {
            Some(Attempt { patch: Some(patch), .. }) => entry.suggestions.insert(0, patched(findings, patch)),
            Some(Attempt { in_vain, .. }) if *in_vain > 0 => {
                if let Some(first) = entry.suggestions.first_mut() {
                    first.text.push_str(&in_vain_text(*in_vain));
                }
            }
            _ => {}
        }
        entries.push(entry);
    }
    identity::fill_in(&mut entries);
    Ok(Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        project: Project { name: findings.project.to_owned(), modules: findings.modules.raw.to_vec() },
        settings: findings.settings.clone(),
        scope: findings.scope.cloned(),
        shard: findings.shard,
        tests: tests(findings),
        summary: Summary {
            methods: findings.transformations.transformed_methods(),
            stopped: findings.transformations.stopped.len(),
            ..summary(&entries)
        },
        baseline: None,
        transformations: entries,
    })
}

fn entry(
    findings: &Findings<'_>,
    method: &Method,
    transformation: &Transformation,
    verdict: &Verdict,
    diagnosis: Option<(&Diagnosis, &Vec<suggest::Suggestion>)>,
) -> Entry {
    let (status, kill, failure) = match verdict {
        Verdict::Detected(kill) => (Status::Detected, Some(kill), None),
        Verdict::TimedOut(kill) => (Status::TimedOut, Some(kill), None),
        Verdict::Undetected { .. } => (Status::Undetected, None, None),
        Verdict::NotCovered => (Status::NotCovered, None, None),
        Verdict::Quarantined => (Status::Quarantined, None, None),
        Verdict::FailedToRun(reason) => (Status::FailedToRun, None, Some(steady(findings, reason))),
    };
    let covering = match verdict {
        Verdict::Quarantined => &findings.coverage.quarantined_covering,
        _ => &findings.coverage.covering,
    };
    let covering = covering[transformation.method].as_slice();
    let mut covering_tests: Vec<String>;
    if let Some((diagnosis, _)) = diagnosis {
        covering_tests =
            covering_tests_by_closeness(diagnosis, covering).into_iter().map(|test| name(findings, test)).collect();
    } else {
        covering_tests = covering.iter().map(|&test| name(findings, test)).collect();
        covering_tests.sort_unstable();
    }
    let file = findings.sources.file_of(method);
    let symptom = match (status, diagnosis) {
        (Status::Undetected, Some((diagnosis, _))) => Some(diagnosis.symptom),
        // Every undetected transformation has a symptom; without a diagnosis it is undecided.
        (Status::Undetected, None) => Some(Symptom::Undecided),
        _ => None,
    };
    Entry {
        id: findings.transformations.id(transformation),
        short_id: String::new(),
        class: method.class.clone(),
        method: method.name.clone(),
        descriptor: method.descriptor.clone(),
        visibility: visibility(method.access),
        transformation: transformation.name.clone(),
        module: findings.modules[method.module].clone(),
        file: file.and_then(|file| findings.sources.relative(&file)),
        line: method.line,
        status,
        detected_by: kill.map(|kill| name(findings, kill.test)).into_iter().collect(),
        killed_by: kill.map(|kill| killed_by(findings, kill)),
        failure,
        covering_tests,
        skipped_tests: match verdict {
            Verdict::Undetected { skipped } => skipped.iter().map(|&test| name(findings, test)).collect(),
            _ => Vec::new(),
        },
        symptom,
        undecided_because: match diagnosis {
            Some((diagnosis, _)) => diagnosis.undecided_because.clone(),
            None => symptom.map(|_| "It was not observed.".to_owned()),
        },
        accepted: None,
        baseline_state: None,
        evidence: diagnosis
            .map(|(diagnosis, _)| {
                diagnosis.evidence.iter().map(|evidence| self::evidence(findings, evidence)).collect()
            })
            .unwrap_or_default(),
        evidence_cut: diagnosis.map_or(0, |(diagnosis, _)| diagnosis.evidence_cut),
        calls: diagnosis
            .map(|(diagnosis, _)| diagnosis.calls.iter().map(|call| self::call(findings, call)).collect())
            .unwrap_or_default(),
        calls_cut: diagnosis.map_or(0, |(diagnosis, _)| diagnosis.calls_cut),
        suggestions: diagnosis
            .map(|(_, suggestions)| {
                suggestions.iter().map(|suggestion| self::suggestion(findings, suggestion)).collect()
            })
            .unwrap_or_default(),
    }
}

fn evidence(findings: &Findings<'_>, evidence: &diagnose::Evidence) -> Evidence {
    let known = |number: u32| Some(number).filter(|&number| number > 0);
    Evidence {
        test: name(findings, evidence.test),
        invocation: evidence.invocation,
        at: evidence.at,
        part: part(evidence.part),
        path: evidence.path.clone(),
        type_name: evidence.type_name.clone(),
        owner: evidence.owner.clone(),
        original: evidence.original.clone(),
        transformed: evidence.transformed.clone(),
        deep: evidence.deep,
        file: relative(findings, evidence.file.as_deref()),
        line: known(evidence.line),
        column: known(evidence.column),
        end_line: known(evidence.end_line),
        end_column: known(evidence.end_column),
        expression: evidence.expression.clone(),
        expression_kind: evidence.expression_kind.map(Into::into),
        source: evidence.file.as_deref().and_then(|file| findings.sources.line(file, evidence.line)),
        stack: evidence.stack.iter().map(frame).collect(),
    }
}

fn call(findings: &Findings<'_>, call: &diagnose::CallSeen) -> Call {
    Call {
        test: name(findings, call.test),
        invocation: call.invocation,
        count: call.count,
        receiver: atoms(&call.receiver),
        arguments: call.arguments.iter().map(value).collect(),
        result: call.result.as_ref().map(value),
        exception: call.exception.as_ref().map(|exception| steady(findings, exception)),
        stack: call.stack.iter().map(frame).collect(),
    }
}

fn value(seen: &SeenValue) -> Value {
    Value { type_name: seen.type_name.clone(), value: seen.value.clone(), atoms: atoms(&seen.atoms) }
}

fn atoms(atoms: &[(String, String)]) -> Vec<Atom> {
    atoms.iter().map(|(path, value)| Atom { path: path.clone(), value: value.clone() }).collect()
}

fn suggestion(findings: &Findings<'_>, suggestion: &suggest::Suggestion) -> Suggestion {
    Suggestion {
        rule: suggestion.rule.clone(),
        trust: suggestion.trust,
        brief: suggestion.brief.clone(),
        text: suggestion.text.clone(),
        entry_points: suggestion.entry_points.clone(),
        accessors: suggestion.accessors.clone(),
        file: relative(findings, suggestion.file.as_deref()),
        line: suggestion.line,
        patch: suggestion.patch.clone(),
        fix: None,
    }
}

/// The addition to a suggestion if no tried expression distinguished the original from the
/// transformation.
fn in_vain_text(tried: usize) -> String {
    let expressions = words::count(u64::try_from(tried).unwrap_or(u64::MAX), "expression");
    format!(
        " reneri has tried {expressions} in tests of its own, and none gave anything else with the transformation. \
         If you find none either, it may make no difference: then accept the finding in `reneri.toml`."
    )
}

/// Longest code of a patch in one short line, in characters.
const BRIEF: usize = 60;

/// Turns a patch into a suggestion: its words and its diff.
fn patched(findings: &Findings<'_>, patch: &Patch) -> Suggestion {
    let (test, code) = (escape::code(&patch.test), escape::code_short(&patch.code, escape::LONGEST));
    let id = |id: &TransformationId| findings.transformations.id(&findings.transformations.transformations[*id]);
    let (word, proof) = match &patch.because {
        None => (
            "Proven",
            "With it the tests pass today, also in reversed order and in another time zone and locale, and fail with the transformation.".to_owned(),
        ),
        Some(because) => ("Not proven", format!("It notices the transformation, but {}.", escape::prose(because))),
    };
    let asks = patch.strange.as_ref().map_or_else(String::new, |strange| {
        format!(" **Look twice**: {strange}. The patch says what the program does today; if that is wrong, mend the program.")
    });
    Suggestion {
        rule: patch.technique.clone(),
        trust: patch.trust,
        brief: format!(
            "Apply the patch that asserts {} in {test}.",
            escape::code(&escape::shorten(&patch.code, BRIEF).0)
        ),
        text: format!("{word}: in {test}, {code}. {proof}{asks}"),
        entry_points: Vec::new(),
        accessors: Vec::new(),
        file: relative(findings, Some(&patch.file)),
        line: Some(patch.line).filter(|line| *line > 0),
        patch: Some(patch.diff.clone()),
        fix: Some(Fix {
            test: patch.test.clone(),
            content: patch.content.clone(),
            new_lines: patch.new_lines,
            also_closes: patch.also_closes.iter().map(id).collect(),
            because: patch.because.clone(),
        }),
    }
}

fn killed_by(findings: &Findings<'_>, kill: &Kill) -> KilledBy {
    KilledBy {
        test: name(findings, kill.test),
        exception: kill.exception.clone(),
        // Some assertions put a stack trace into their message. Its frames of reflection vary from
        // run to run.
        message: steady(findings, kill.message.split("\n\tat ").next().unwrap_or_default()),
    }
}

fn tests(findings: &Findings<'_>) -> Tests {
    let names = |quarantined: &[Quarantined]| {
        let mut names: Vec<String> = quarantined.iter().map(|test| name(findings, test.test)).collect();
        names.sort_unstable();
        names
    };
    let coverage = findings.coverage;
    let mut reasons: Vec<Reason> = coverage
        .failing
        .iter()
        .chain(&coverage.unstable)
        .map(|test| Reason { test: name(findings, test.test), reason: steady(findings, &test.reason) })
        .collect();
    reasons.sort_by(|a, b| (&a.test, &a.reason).cmp(&(&b.test, &b.reason)));
    Tests {
        total: coverage.tests.len(),
        failing: names(&coverage.failing),
        unstable: names(&coverage.unstable),
        reasons,
        probes: findings.probes.cloned(),
    }
}

/// How closely the tests are observed.
#[must_use]
pub fn probes(instrumented: &Instrumented, sources: &Sources) -> Probes {
    let mut left_out: Vec<LeftOut> = instrumented
        .left_out
        .iter()
        .map(|(file, reason)| LeftOut {
            file: sources.relative(file).unwrap_or_else(|| "(outside of the project)".to_owned()),
            reason: words::steady(reason, &sources.base_directory.to_string_lossy()),
        })
        .collect();
    left_out.sort_by(|a, b| a.file.cmp(&b.file));
    let counts = instrumented.counts;
    Probes { wrapped: counts.wrapped, by_rule: counts.by_rule, refused: counts.refused, left_out }
}

/// Counts the entries. The numbers of methods are not known here and stay 0.
pub(super) fn summary(entries: &[Entry]) -> Summary {
    let status = |wanted: Status| entries.iter().filter(|entry| entry.status == wanted).count();
    let symptom = |wanted: Symptom| entries.iter().filter(|entry| entry.symptom == Some(wanted)).count();
    Summary {
        methods: 0,
        transformations: entries.len(),
        detected: status(Status::Detected),
        undetected: status(Status::Undetected),
        not_covered: status(Status::NotCovered),
        timed_out: status(Status::TimedOut),
        no_infection: symptom(Symptom::NoInfection),
        no_propagation: symptom(Symptom::NoPropagation),
        weak_oracle: symptom(Symptom::WeakOracle),
        undecided: symptom(Symptom::Undecided),
        quarantined: status(Status::Quarantined),
        failed_to_run: status(Status::FailedToRun),
        stopped: 0,
        accepted: 0,
    }
}

fn name(findings: &Findings<'_>, test: usize) -> String {
    findings.coverage.tests.get(test).map(|test| test.name.clone()).unwrap_or_default()
}

fn relative(findings: &Findings<'_>, file: Option<&Path>) -> Option<String> {
    findings.sources.relative(file?)
}

fn steady(findings: &Findings<'_>, text: &str) -> String {
    words::steady(text, &findings.sources.base_directory.to_string_lossy())
}

fn part(part: Part) -> String {
    match part {
        Part::Receiver => "receiver".to_owned(),
        Part::Argument(index) => format!("argument {index}"),
        Part::Result => "result".to_owned(),
        Part::Exception => "exception".to_owned(),
        Part::Expression => "expression".to_owned(),
        Part::Static => "static".to_owned(),
    }
}

/// Formats a frame as `StackTraceElement` does: `org.example.StackTest.pops(StackTest.java:40)`.
fn frame(frame: &Frame) -> String {
    let place = match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        (None, _) => "Unknown Source".to_owned(),
    };
    format!("{}.{}({place})", frame.class, frame.method)
}

/// The visibility by access flags (JVMS table 4.6-A).
fn visibility(access: u16) -> Visibility {
    match access {
        access if access & 0x0001 != 0 => Visibility::Public,
        access if access & 0x0004 != 0 => Visibility::Protected,
        access if access & 0x0002 != 0 => Visibility::Private,
        _ => Visibility::Package,
    }
}

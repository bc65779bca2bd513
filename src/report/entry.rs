//! Builds the report's entry for one transformation.

use super::findings::Findings;
use super::model::{Atom, Call, Entry, Evidence, KilledBy, Status, Suggestion, Value, Visibility};
use crate::base::id::TestId;
use crate::detect::{Kill, Verdict};
use crate::diagnose::{self, Diagnosis, SeenValue, Symptom};
use crate::observe::{Frame, Part};
use crate::suggest::{self, covering_tests_by_closeness};
use crate::transform::{Method, Transformation};

pub(super) fn entry(
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
        Verdict::FailedToRun(reason) => (Status::FailedToRun, None, Some(findings.steady(reason))),
    };
    let covering = match verdict {
        Verdict::Quarantined => &findings.coverage.quarantined_covering,
        _ => &findings.coverage.covering,
    };
    let covering = covering[transformation.method].as_slice();
    let covering_tests = covering_tests(findings, covering, diagnosis.map(|(diagnosis, _)| diagnosis));
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
        detected_by: kill.map(|kill| findings.test_name(kill.test)).into_iter().collect(),
        killed_by: kill.map(|kill| killed_by(findings, kill)),
        failure,
        covering_tests,
        skipped_tests: match verdict {
            Verdict::Undetected { skipped, .. } => skipped.iter().map(|&test| findings.test_name(test)).collect(),
            _ => Vec::new(),
        },
        sometimes_detected_by: match verdict {
            Verdict::Undetected { sometimes, .. } => sometimes.iter().map(|&test| findings.test_name(test)).collect(),
            _ => Vec::new(),
        },
        symptom,
        study_symptom: symptom.map(|symptom| diagnosis.map_or(symptom, |(diagnosis, _)| diagnosis.study_symptom)),
        undecided_because: match diagnosis {
            Some((diagnosis, _)) => diagnosis.undecided_because.clone(),
            None => symptom.map(|_| "It was not observed.".to_owned()),
        },
        not_seen: diagnosis.map(|(diagnosis, _)| diagnosis.not_seen.clone()).unwrap_or_default(),
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
        calls_vary: diagnosis.is_some_and(|(diagnosis, _)| diagnosis.calls_vary),
        suggestions: diagnosis
            .map(|(_, suggestions)| {
                suggestions.iter().map(|suggestion| self::suggestion(findings, suggestion)).collect()
            })
            .unwrap_or_default(),
    }
}

/// The names of the tests that run a method: closest to the method first if it is diagnosed,
/// otherwise by name.
fn covering_tests(findings: &Findings<'_>, covering: &[TestId], diagnosis: Option<&Diagnosis>) -> Vec<String> {
    if let Some(diagnosis) = diagnosis {
        let closest_first = covering_tests_by_closeness(diagnosis, covering).into_iter();
        return closest_first.map(|test| findings.test_name(test)).collect();
    }
    let mut names: Vec<String> = covering.iter().map(|&test| findings.test_name(test)).collect();
    names.sort_unstable();
    names
}

fn evidence(findings: &Findings<'_>, evidence: &diagnose::Evidence) -> Evidence {
    let known = |number: u32| Some(number).filter(|&number| number > 0);
    Evidence {
        test: findings.test_name(evidence.test),
        invocation: evidence.invocation,
        at: evidence.at,
        part: part(evidence.part),
        path: evidence.path.clone(),
        type_name: evidence.type_name.clone(),
        owner: evidence.owner.clone(),
        original: evidence.original.clone(),
        transformed: evidence.transformed.clone(),
        deep: evidence.deep,
        file: findings.relative(evidence.file.as_deref()),
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
        test: findings.test_name(call.test),
        invocation: call.invocation,
        count: call.count,
        receiver: atoms(&call.receiver),
        arguments: call.arguments.iter().map(value).collect(),
        result: call.result.as_ref().map(value),
        exception: call.exception.as_ref().map(|exception| findings.steady(exception)),
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
        file: findings.relative(suggestion.file.as_deref()),
        line: suggestion.line,
        patch: suggestion.patch.clone(),
        fix: None,
    }
}

fn killed_by(findings: &Findings<'_>, kill: &Kill) -> KilledBy {
    KilledBy {
        test: findings.test_name(kill.test),
        exception: kill.exception.clone(),
        // Some assertions put a stack trace into their message. Its frames of reflection vary from
        // run to run.
        message: findings.steady(kill.message.split("\n\tat ").next().unwrap_or_default()),
    }
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

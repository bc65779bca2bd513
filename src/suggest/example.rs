//! Builds suggestions from the `[example.given]` table of a rule's file, for tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::Input;
use super::RuleText;
use super::Suggestion;
use crate::base::id::{IdVec, MethodId, ModuleId, RecipeId, TestId, TransformationId};
use crate::code::Signature;
use crate::code::Sources;
use crate::code::Structure;
use crate::code::structure::{Chance, ChanceUse};
use crate::cover::{Coverage, Test};
use crate::diagnose::{At, CallSeen, Diagnosis, Evidence, SeenValue, Symptom};
use crate::instrument::ExpressionKind;
use crate::observe::{Frame, Part};
use crate::transform::{Constant, Method, Transformation, Transformations};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    method: String,
    transformation: String,
    #[serde(default)]
    r#static: bool,
    #[serde(default)]
    access: Option<String>,
    tests: Vec<String>,
    #[serde(default)]
    accessible: bool,
    /// Classes that a test cannot name.
    #[serde(default)]
    hidden: Vec<String>,
    #[serde(default)]
    accessors: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    callers: Vec<Vec<String>>,
    #[serde(default)]
    calls: Vec<GivenCall>,
    #[serde(default)]
    evidence: Vec<GivenEvidence>,
    #[serde(default)]
    undecided_because: Option<String>,
    /// `random org.example.Picker`, `clock org.example.Watch handed`
    #[serde(default)]
    chance: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenCall {
    #[serde(default)]
    count: Option<u64>,
    #[serde(default)]
    receiver: Vec<(String, String)>,
    #[serde(default)]
    arguments: Vec<GivenValue>,
    result: Option<GivenValue>,
    exception: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenValue {
    r#type: String,
    value: String,
    #[serde(default)]
    atoms: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenEvidence {
    at: String,
    part: String,
    path: String,
    r#type: String,
    owner: Option<String>,
    original: Option<String>,
    transformed: Option<String>,
    #[serde(default)]
    deep: bool,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    column: u32,
    expression: Option<String>,
    kind: Option<String>,
    #[serde(default)]
    repeats: bool,
    #[serde(default)]
    alike: bool,
    called: Option<GivenCaller>,
}

/// The line of the program that calls the method.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenCaller {
    class: String,
    method: String,
    line: u32,
    source: String,
}

/// A structure with fixed answers.
#[derive(Default)]
pub(crate) struct FixedStructure {
    pub accessible: Vec<String>,
    /// Classes that a test cannot name.
    pub hidden: Vec<String>,
    pub accessors: BTreeMap<String, Vec<Signature>>,
    pub reads: Vec<String>,
    pub callers: Vec<Vec<Signature>>,
    pub chance: Option<ChanceUse>,
}

impl Structure for FixedStructure {
    fn is_accessible(&self, method: &Signature, _: &str) -> bool {
        self.accessible.iter().any(|name| *name == method.full())
    }

    fn nameable(&self, class: &str, _: &str) -> String {
        if self.hidden.iter().any(|hidden| hidden == class) {
            "java.lang.Exception".to_owned()
        } else {
            class.to_owned()
        }
    }

    fn accessors_of(&self, _: &str, field: &str, _: &str) -> Vec<Signature> {
        self.accessors.get(field).cloned().unwrap_or_default()
    }

    fn fields_read_by(&self, _: &Signature) -> Vec<String> {
        self.reads.clone()
    }

    fn callers_of(&self, method: &Signature, _: &str) -> Vec<Vec<Signature>> {
        self.callers.iter().filter(|chain| chain.last() == Some(method)).cloned().collect()
    }

    fn chance_in(&self, _: &Signature) -> Option<ChanceUse> {
        self.chance.clone()
    }
}

fn asked(text: &str) -> ChanceUse {
    let words: Vec<&str> = text.split(' ').collect();
    ChanceUse {
        chance: if words[0] == "clock" { Chance::Clock } else { Chance::Random },
        class: words[1].to_owned(),
        is_handed: words.get(2) == Some(&"handed"),
    }
}

/// `org.example.Stack.push(I)V`
pub(crate) fn signature(text: &str) -> Signature {
    let open = text.find('(').expect("a descriptor");
    let dot = text[..open].rfind('.').expect("a class");
    Signature {
        class: text[..dot].to_owned(),
        name: text[dot + 1..open].to_owned(),
        descriptor: text[open..].to_owned(),
        is_static: false,
    }
}

/// The text that a rule gives for its own example after `change` was applied to it; `None` if the
/// rule does not apply.
pub(crate) fn rule_text(name: &str, change: impl FnOnce(&mut toml::Table)) -> Option<String> {
    rule_text_with_skipped(name, change, &[])
}

/// The same if these tests are skipped under the transformation.
pub(crate) fn rule_text_with_skipped(
    name: &str,
    change: impl FnOnce(&mut toml::Table),
    skipped: &[TestId],
) -> Option<String> {
    let mut text = super::rules::rule_texts().unwrap().into_iter().find(|text| text.name == name).unwrap();
    change(&mut text.example.given);
    let all = suggestions_with_skipped(&text, skipped);
    assert!(!all.is_empty(), "there is always something to be said");
    all.into_iter().find(|suggestion| suggestion.rule == name).map(|suggestion| suggestion.text)
}

pub(crate) fn suggestions(text: &RuleText) -> Vec<Suggestion> {
    suggestions_with_skipped(text, &[])
}

fn suggestions_with_skipped(text: &RuleText, skipped: &[TestId]) -> Vec<Suggestion> {
    let given: Given = text.example.given.clone().try_into().unwrap_or_else(|error| panic!("{}: {error}", text.name));
    let mut method = signature(&given.method);
    method.is_static = given.r#static;
    let tests: IdVec<TestId, Test> = given
        .tests
        .iter()
        .map(|name| {
            let open = name.find('(').unwrap();
            let class = name[..name[..open].rfind('.').unwrap()].split('[').next().unwrap().to_owned();
            Test { id: name.clone(), name: name.clone(), class, recipe: RecipeId(0) }
        })
        .collect();
    let access = match given.access.as_deref() {
        Some("private") => 2,
        _ => 1,
    } | if given.r#static { 8 } else { 0 };
    let transformations = Transformations {
        methods: IdVec::from_vec(vec![Method {
            class: method.class.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            access,
            source_file: None,
            line: None,
            module: ModuleId(0),
        }]),
        transformations: vec![Transformation {
            method: MethodId(0),
            name: given.transformation,
            constant: Constant::Void,
        }]
        .into(),
        ..Transformations::default()
    };
    let covering = vec![(0..tests.len()).map(TestId::new).collect()].into();
    let stack = |test: TestId| {
        let class = tests[test].class.clone();
        let source = format!("{}.java", class.rsplit('.').next().unwrap());
        vec![Frame { class, method: "test".into(), file: Some(source), line: Some(10) }]
    };
    let calls =
        given.calls.into_iter().enumerate().map(|(index, call)| call_seen(call, index, stack(TestId(0)))).collect();
    let source = format!("{}.java", tests[TestId(0)].class.replace('.', "/"));
    let folder = tempfile::tempdir().unwrap();
    let callers: Vec<GivenCaller> = given.evidence.iter().filter_map(|evidence| evidence.called.clone()).collect();
    for caller in &callers {
        let file = folder.path().join(format!("{}.java", caller.class.replace('.', "/")));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "\n".repeat(caller.line as usize - 1) + &caller.source).unwrap();
    }
    let evidence =
        given.evidence.into_iter().map(|evidence| evidence_of(evidence, &source, stack(TestId(0)))).collect();
    let coverage = Coverage { covering, tests, ..Coverage::default() };
    let all = |names: &Vec<String>| names.iter().map(|name| signature(name)).collect::<Vec<_>>();
    let told = FixedStructure {
        accessible: if given.accessible { vec![method.full()] } else { vec![] },
        hidden: given.hidden,
        accessors: given.accessors.iter().map(|(field, names)| (field.clone(), all(names))).collect(),
        reads: given.reads,
        callers: given.callers.iter().map(all).collect(),
        chance: given.chance.as_deref().map(asked),
    };
    let sources = Sources { roots: vec![vec![folder.path().to_owned()]].into(), ..Sources::default() };
    let input = Input { transformations: &transformations, coverage: &coverage, structure: &told, sources: &sources };
    let diagnosis = Diagnosis {
        transformation: TransformationId(0),
        symptom: text.symptom,
        study_symptom: text.symptom,
        undecided_because: given.undecided_because,
        not_seen: vec![],
        evidence,
        evidence_cut: 0,
        calls,
        calls_cut: 0,
        calls_vary: false,
        drawn: Vec::new(),
    };
    assert!(text.symptom == Symptom::Undecided || diagnosis.undecided_because.is_none());
    super::suggest(&input, &diagnosis, skipped).unwrap()
}

fn call_seen(call: GivenCall, index: usize, stack: Vec<Frame>) -> CallSeen {
    let value = |value: GivenValue| SeenValue { type_name: value.r#type, value: value.value, atoms: value.atoms };
    CallSeen {
        test: TestId(0),
        invocation: index as u32 + 1,
        count: call.count.unwrap_or(1),
        receiver: call.receiver,
        arguments: call.arguments.into_iter().map(value).collect(),
        result: call.result.map(value),
        exception: call.exception,
        stack,
    }
}

fn evidence_of(given: GivenEvidence, source: &str, mut stack: Vec<Frame>) -> Evidence {
    if let Some(caller) = given.called {
        stack.push(Frame { class: caller.class, method: caller.method, file: None, line: Some(caller.line) });
    }
    let part = match given.part.as_str() {
        "receiver" => Part::Receiver,
        "result" => Part::Result,
        "exception" => Part::Exception,
        "expression" => Part::Expression,
        "static" => Part::Static,
        other => Part::Argument(other.trim_start_matches("argument ").parse().unwrap()),
    };
    let expression_kind = given.kind.as_deref().map(|kind| match kind {
        "value" => ExpressionKind::Value,
        "discarded" => ExpressionKind::Discarded,
        "caught" => ExpressionKind::Caught,
        "thrown" => ExpressionKind::Thrown,
        "asserted" => ExpressionKind::Asserted,
        other => panic!("unknown kind {other}"),
    });
    Evidence {
        test: TestId(0),
        invocation: 1,
        at: if given.at == "test" { At::Test } else { At::Method },
        part,
        path: given.path,
        type_name: given.r#type,
        owner: given.owner,
        original: given.original,
        transformed: given.transformed,
        deep: given.deep,
        file: Some(source.into()),
        line: given.line,
        column: given.column,
        end_line: given.line,
        end_column: given.column + 1,
        expression: given.expression,
        expression_kind,
        repeats: given.repeats,
        alike: given.alike,
        stack,
    }
}

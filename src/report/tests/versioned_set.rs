//! The results of all stages, written by hand, for a small set class that counts its modifications:
//! the running example of the paper, written anew.

use crate::base::id::{IdVec, MethodId, ModuleId, RecipeId, TestId, TransformationId};
use crate::code::Sources;
use crate::cover::{Coverage, Quarantined, Test};
use crate::detect::{Kill, Verdict};
use crate::diagnose::{At, CallSeen, Diagnosis, Evidence, SeenValue, Symptom};
use crate::instrument::ExpressionKind;
use crate::observe::{Frame, Part};
use crate::report::model::Probes;
use crate::report::{Findings, Report, Settings, assemble};
use crate::suggest::Input;
use crate::suggest::Suggestion;
use crate::suggest::example::{FixedStructure, signature};
use crate::suggest::suggest;
use crate::transform::{Constant, Method, Transformation, Transformations};
use std::path::PathBuf;

const CLASS: &str = include_str!("VersionedSet.java");
const TEST: &str = include_str!("VersionedSetTest.java");

pub(in crate::report) struct VersionedSet {
    folder: tempfile::TempDir,
    pub modules: IdVec<ModuleId, String>,
    pub sources: Sources,
    pub transformations: Transformations,
    pub coverage: Coverage,
    pub verdicts: IdVec<TransformationId, Verdict>,
    pub diagnoses: Vec<Diagnosis>,
    pub told: FixedStructure,
    settings: Settings,
    probes: Probes,
    suggestions: Vec<Vec<Suggestion>>,
}

const UNIT: &str = "org.example.VersionedSet";
const UNIT_TEST: &str = "org.example.VersionedSetTest";

fn line_of(text: &str, needle: &str) -> u32 {
    text.lines().position(|line| line.contains(needle)).unwrap_or_else(|| panic!("no line has {needle}")) as u32 + 1
}

fn method(name: &str, descriptor: &str, access: u16) -> Method {
    let result = if descriptor.ends_with('V') { "void" } else { "boolean" };
    Method {
        class: UNIT.into(),
        name: name.into(),
        descriptor: descriptor.into(),
        access,
        source_file: Some("VersionedSet.java".into()),
        line: Some(line_of(CLASS, &format!(" {result} {name}(")) + 1),
        module: ModuleId(0),
    }
}

fn frame(class: &str, method: &str, line: u32) -> Frame {
    let file = format!("{}.java", class.rsplit('.').next().unwrap());
    Frame { class: class.into(), method: method.into(), file: Some(file), line: Some(line) }
}

fn seen(type_name: &str, value: &str, atoms: &[(&str, &str)]) -> SeenValue {
    let atoms = atoms.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
    SeenValue { type_name: type_name.into(), value: value.into(), atoms }
}

impl VersionedSet {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (main, test) = (folder.path().join("src/main/java"), folder.path().join("src/test/java"));
        for (root, name, text) in [(&main, "VersionedSet.java", CLASS), (&test, "VersionedSetTest.java", TEST)] {
            std::fs::create_dir_all(root.join("org/example")).unwrap();
            std::fs::write(root.join("org/example").join(name), text).unwrap();
        }
        let test_file = test.join("org/example/VersionedSetTest.java");
        let sources = Sources {
            base_directory: folder.path().into(),
            roots: vec![vec![main]].into(),
            test_roots: vec![test],
            ..Sources::default()
        };
        let tests = ["adds", "equalSets", "removes", "removesNothing", "printsItself"];
        let coverage = Coverage {
            tests: tests
                .iter()
                .map(|name| Test {
                    id: (*name).into(),
                    name: format!("{UNIT_TEST}.{name}()"),
                    class: UNIT_TEST.into(),
                    recipe: RecipeId(0),
                })
                .collect(),
            nanoseconds: vec![1; tests.len()].into(),
            covering: vec![
                vec![TestId(0), TestId(1), TestId(2)],
                vec![],
                vec![TestId(1)],
                vec![TestId(0), TestId(1), TestId(2)],
                vec![TestId(2), TestId(3)],
                vec![TestId(2)],
            ]
            .into(),
            failing: vec![Quarantined {
                test: TestId(4),
                reason: format!(
                    "expected: <x> but was: <org.example.VersionedSet@1b2c3d4e> in {}/x",
                    folder.path().display()
                ),
            }],
            ..Coverage::default()
        };
        let transformations = Transformations {
            methods: vec![
                method("add", "(Ljava/lang/Object;)Z", 1),
                method("clear", "()V", 1),
                method("equals", "(Ljava/lang/Object;)Z", 1),
                method("incrementVersion", "()V", 2),
                method("isEmpty", "()Z", 1),
                method("remove", "(Ljava/lang/Object;)Z", 1),
            ]
            .into(),
            transformations: [
                (0, "true"),
                (0, "false"),
                (1, "void"),
                (2, "true"),
                (2, "false"),
                (3, "void"),
                (4, "true"),
                (4, "false"),
                (5, "true"),
                (5, "false"),
            ]
            .into_iter()
            .map(|(method, name)| Transformation {
                method: MethodId(method),
                name: name.into(),
                constant: Constant::Void,
            })
            .collect(),
            ..Transformations::default()
        };
        let killed = |test: u32, message: &str| {
            Verdict::Detected(Kill {
                test: TestId(test),
                exception: "org.opentest4j.AssertionFailedError".into(),
                message: message.into(),
            })
        };
        let undetected = || Verdict::Undetected { skipped: Vec::new(), sometimes: Vec::new() };
        let verdicts = IdVec::from_vec(vec![
            killed(0, "expected: <1> but was: <0>"),
            killed(0, "expected: <true> but was: <false>"),
            Verdict::NotCovered,
            undetected(),
            killed(1, "expected: <org.example.VersionedSet@1b2c3d4e> but was: <org.example.VersionedSet@1b2c3d4e>"),
            undetected(),
            undetected(),
            undetected(),
            killed(2, "expected: <0> but was: <1>"),
            Verdict::TimedOut(Kill {
                test: TestId(2),
                exception: String::new(),
                message: "did not end within 10 s".into(),
            }),
        ]);
        let told = FixedStructure {
            hidden: vec![],
            reads: vec![],
            accessible: ["add", "equals", "remove"]
                .iter()
                .map(|name| format!("{UNIT}.{name}(java.lang.Object)"))
                .chain([format!("{UNIT}.isEmpty()")])
                .collect(),
            accessors: [("version", "org.example.VersionedSet.getVersion()I")]
                .into_iter()
                .map(|(field, accessor)| (field.to_owned(), vec![signature(accessor)]))
                .collect(),
            callers: vec![vec![
                signature("org.example.VersionedSet.add(Ljava/lang/Object;)Z"),
                signature("org.example.VersionedSet.incrementVersion()V"),
            ]],
            chance: None,
        };
        let diagnoses = vec![equals(), increment_version(&test_file), is_empty_true(&test_file), is_empty_false()];
        let mut project = Self {
            folder,
            modules: vec!["versioned-set".into()].into(),
            sources,
            transformations,
            coverage,
            verdicts,
            diagnoses,
            told,
            settings: Settings {
                runs: 10,
                transformations: vec!["void".into(), "true".into(), "false".into()],
                command: "reneri analyze".into(),
            },
            probes: Probes { wrapped: 21, by_rule: 9, refused: 1, left_out: Vec::new() },
            suggestions: vec![],
        };
        project.suggest();
        project
    }

    pub fn suggest(&mut self) {
        let input = Input {
            transformations: &self.transformations,
            coverage: &self.coverage,
            structure: &self.told,
            sources: &self.sources,
        };
        self.suggestions = self.diagnoses.iter().map(|diagnosis| suggest(&input, diagnosis, &[]).unwrap()).collect();
    }

    pub fn folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    pub fn findings(&self) -> Findings<'_> {
        Findings {
            project: "Versioned set",
            modules: &self.modules,
            settings: &self.settings,
            scope: None,
            shard: None,
            sources: &self.sources,
            transformations: &self.transformations,
            coverage: &self.coverage,
            verdicts: &self.verdicts,
            diagnoses: &self.diagnoses,
            suggestions: &self.suggestions,
            attempts: &[],
            probes: Some(&self.probes),
        }
    }

    pub fn report(&self) -> Report {
        assemble(&self.findings()).unwrap()
    }

    /// The same project with better tests.
    pub fn nothing_undetected(mut self) -> Report {
        for verdict in &mut self.verdicts {
            if verdict.is_undetected() {
                *verdict = Verdict::FailedToRun("The JVM died.".into());
            }
        }
        self.diagnoses.clear();
        self.suggestions.clear();
        self.report()
    }
}

fn diagnosis(transformation: u32, symptom: Symptom) -> Diagnosis {
    Diagnosis {
        transformation: TransformationId(transformation),
        symptom,
        study_symptom: symptom,
        undecided_because: None,
        not_seen: vec![],
        evidence: vec![],
        evidence_cut: 0,
        calls: vec![],
        calls_cut: 0,
        calls_vary: false,
        drawn: Vec::new(),
    }
}

fn call(test: u32, count: u64, size: &str, version: &str, result: &str, stack: Vec<Frame>) -> CallSeen {
    CallSeen {
        test: TestId(test),
        invocation: 1,
        count,
        receiver: vec![
            (".items".into(), "non-null".into()),
            (".items.size".into(), size.into()),
            (".version".into(), version.into()),
        ],
        arguments: vec![],
        result: Some(seen("boolean", result, &[])),
        exception: None,
        stack,
    }
}

fn equals() -> Diagnosis {
    let stack = vec![
        frame(UNIT_TEST, "equalSets", line_of(TEST, "assertEquals(one, two)")),
        frame(UNIT, "equals", line_of(CLASS, " equals(") + 1),
    ];
    let mut call = call(1, 1, "1", "1", "true", stack);
    call.arguments =
        vec![seen(UNIT, "non-null (org.example.VersionedSet)", &[(".items.size", "1"), (".version", "1")])];
    Diagnosis { calls: vec![call], ..diagnosis(3, Symptom::NoInfection) }
}

fn increment_version(file: &std::path::Path) -> Diagnosis {
    let line = line_of(TEST, "assertEquals(1, set.size())");
    let called = line_of(TEST, "set.add(\"a\"); // adds");
    let stack = vec![
        frame(UNIT_TEST, "adds", called),
        frame(UNIT, "add", line_of(CLASS, "incrementVersion();")),
        frame(UNIT, "incrementVersion", line_of(CLASS, "version++")),
    ];
    let reaches = Evidence {
        test: TestId(0),
        invocation: 1,
        at: At::Test,
        part: Part::Expression,
        path: ".version".into(),
        type_name: "int".into(),
        owner: Some(UNIT.into()),
        original: Some("1".into()),
        transformed: Some("0".into()),
        deep: false,
        file: Some(PathBuf::from(file)),
        line,
        column: 25,
        end_line: line,
        end_column: 28,
        expression: Some("set".into()),
        expression_kind: Some(ExpressionKind::Value),
        repeats: false,
        alike: false,
        stack: stack.clone(),
    };
    let infects = Evidence {
        at: At::Method,
        part: Part::Receiver,
        line: called,
        column: 0,
        end_line: 0,
        end_column: 0,
        expression: None,
        expression_kind: None,
        ..reaches.clone()
    };
    Diagnosis { evidence: vec![reaches, infects], evidence_cut: 4, ..diagnosis(5, Symptom::WeakOracle) }
}

fn is_empty_true(file: &std::path::Path) -> Diagnosis {
    let line = line_of(TEST, "set.remove(\"a\"); // removes");
    let stack = vec![
        frame(UNIT_TEST, "removes", line),
        frame(UNIT, "remove", line_of(CLASS, "if (isEmpty())")),
        frame(UNIT, "isEmpty", line_of(CLASS, " isEmpty(") + 1),
    ];
    let evidence = Evidence {
        test: TestId(2),
        invocation: 1,
        at: At::Method,
        part: Part::Result,
        path: String::new(),
        type_name: "boolean".into(),
        owner: None,
        original: Some("false".into()),
        transformed: Some("true".into()),
        deep: false,
        file: Some(PathBuf::from(file)),
        line,
        column: 0,
        end_line: 0,
        end_column: 0,
        expression: None,
        expression_kind: None,
        repeats: false,
        alike: false,
        stack: stack.clone(),
    };
    let calls = vec![call(2, 2, "1", "1", "false", stack)];
    Diagnosis { evidence: vec![evidence], calls, ..diagnosis(6, Symptom::NoPropagation) }
}

fn is_empty_false() -> Diagnosis {
    Diagnosis {
        transformation: TransformationId(7),
        symptom: Symptom::NoInfection,
        study_symptom: Symptom::NoInfection,
        evidence: vec![],
        ..is_empty_true(std::path::Path::new(""))
    }
}

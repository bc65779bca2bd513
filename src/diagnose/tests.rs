//! Diagnoses of recordings made by hand: a unit `a.Stack` with the method `pop()`, tests in `a.StackTest` and `a.ClientTest`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::base::id::{MethodId, ModuleId, RecipeId, TestId, TransformationId};
use crate::cover::Quarantined;
use crate::instrument::ExpressionKind;
use crate::observe::difference::differences;
use crate::observe::recorded::{Recorded, frame, key, observed, property, test_key};
use crate::observe::{Key, Property};
use crate::transform::{Constant, Method, Transformation};
use std::collections::BTreeSet;

struct Project {
    transformations: Transformations,
    coverage: Coverage,
    instrumented: Instrumented,
    tests: TestCode,
}

const STACK_TEST: &str = "/p/src/test/java/a/StackTest.java";
const CLIENT_TEST: &str = "/p/src/test/java/a/ClientTest.java";

/// Test 0: `a.ClientTest.uses()`, test 1: `a.StackTest.pops()`.
fn project(descriptor: &str) -> Project {
    let method = Method {
        class: "a.Stack".into(),
        name: "pop".into(),
        descriptor: descriptor.into(),
        access: 1,
        source_file: Some("Stack.java".into()),
        line: Some(20),
        module: ModuleId(0),
    };
    let test = |class: &str, method: &str| Test {
        id: method.into(),
        name: format!("{class}.{method}()"),
        class: class.into(),
        recipe: RecipeId(0),
    };
    Project {
        transformations: Transformations {
            methods: vec![method].into(),
            transformations: vec![Transformation { method: MethodId(0), name: "0".into(), constant: Constant::Int(0) }]
                .into(),
            ..Transformations::default()
        },
        coverage: Coverage {
            tests: vec![test("a.ClientTest", "uses"), test("a.StackTest", "pops")].into(),
            covering: vec![vec![TestId(0), TestId(1)]].into(),
            ..Coverage::default()
        },
        instrumented: Instrumented::default(),
        tests: TestCode::new(
            BTreeSet::from(["a.ClientTest".into(), "a.StackTest".into()]),
            [("a/StackTest.java", STACK_TEST), ("a/ClientTest.java", CLIENT_TEST)]
                .map(|(below, file)| (below.into(), file.into()))
                .into(),
        ),
    }
}

impl Project {
    fn expression(mut self, file: &str, line: u32, text: &str, kind: ExpressionKind) -> Self {
        self.instrumented.expressions.push(Expression {
            file: file.into(),
            line,
            column: 5,
            end_line: line,
            end_column: 5 + text.len() as u32,
            text: text.into(),
            kind,
            method: Some("pops".into()),
            repeats: false,
        });
        self
    }

    fn diagnose(&self, observed: &Observed) -> Diagnosis {
        let input = Input {
            transformations: &self.transformations,
            coverage: &self.coverage,
            instrumented: &self.instrumented,
            tests: &self.tests,
        };
        diagnose(&input, TransformationId(0), observed, &differences(observed))
    }
}

fn twice(original: &Recorded, transformed: &Recorded) -> Observed {
    observed(&[original; 2], &[transformed; 2])
}

fn result(value: &str) -> Property {
    property(Part::Result, "", "int", value)
}

fn value(value: &str) -> Property {
    property(Part::Expression, "", "int", value)
}

fn places(diagnosis: &Diagnosis) -> Vec<String> {
    diagnosis
        .evidence
        .iter()
        .map(|piece| {
            format!("{} {} {:?}{}", piece.line, piece.expression.as_deref().unwrap_or("pop()"), piece.part, piece.path)
        })
        .collect()
}

#[test]
fn a_difference_at_an_expression_is_a_weak_oracle_and_names_the_place() {
    let mut project = project("()I").expression(STACK_TEST, 8, "stack.size()", ExpressionKind::Value);
    project.instrumented.expressions[0].repeats = true;
    let run = |infected: &str, seen: &str| {
        Recorded::default()
            .state(key(1, 0, 1), [result(infected)])
            .stack(&[frame("a.Stack", "pop", 21), frame("a.StackTest", "pops", 7)])
            .state(test_key(1, 0, 1), [value(seen)])
    };
    let diagnosis = project.diagnose(&twice(&run("3", "2"), &run("0", "9")));
    assert_eq!(diagnosis.symptom, Symptom::WeakOracle);
    assert_eq!(places(&diagnosis), ["8 stack.size() Expression", "7 pop() Result"]);
    let piece = &diagnosis.evidence[0];
    assert_eq!((piece.at, piece.original.as_deref(), piece.transformed.as_deref()), (At::Test, Some("2"), Some("9")));
    assert_eq!((piece.column, piece.end_line, piece.end_column), (5, 8, 17));
    assert!(piece.repeats);
    assert_eq!(piece.file.as_deref(), Some(STACK_TEST.as_ref()));
}

#[test]
fn a_difference_inside_an_assertion_that_passes_is_a_weak_oracle_too() {
    let project = project("()I").expression(STACK_TEST, 8, "stack.size()", ExpressionKind::Asserted);
    let run = |infected: &str, seen: &str| {
        Recorded::default().state(key(1, 0, 1), [result(infected)]).state(test_key(1, 0, 1), [value(seen)])
    };
    assert_eq!(project.diagnose(&twice(&run("3", "2"), &run("0", "9"))).symptom, Symptom::WeakOracle);
}

#[test]
fn an_infection_that_no_expression_sees_is_no_propagation_with_the_line_of_the_test() {
    let project = project("()I");
    let run = |infected: &str| {
        Recorded::default().state(key(0, 0, 1), [result(infected)]).stack(&[
            frame("a.Stack", "pop", 21),
            frame("a.Client", "use", 5),
            frame("a.ClientTest", "uses", 40),
            frame("org.junit.Runner", "run", 1),
        ])
    };
    let diagnosis = project.diagnose(&twice(&run("3"), &run("0")));
    assert_eq!(diagnosis.symptom, Symptom::NoPropagation);
    let piece = &diagnosis.evidence[0];
    assert_eq!((piece.line, piece.end_line), (40, 0));
    assert_eq!(piece.file.as_deref(), Some(CLIENT_TEST.as_ref()));
    let classes: Vec<&str> = piece.stack.iter().map(|frame| frame.class.as_str()).collect();
    assert_eq!(classes, ["a.ClientTest", "a.Client", "a.Stack"]);
}

#[test]
fn where_the_source_of_a_test_was_not_watched_nobody_says_that_nothing_reaches_it() {
    let mut project = project("()I");
    let one = Recorded::default().state(key(1, 0, 1), [result("3")]);
    let other = Recorded::default().state(key(1, 0, 1), [result("0")]);
    assert_eq!(project.diagnose(&twice(&one, &other)).symptom, Symptom::NoPropagation);
    project.instrumented.left_out = vec![("/p/src/test/kotlin/ClientTest.kt".into(), "It is not Java.".into())];
    assert_eq!(project.diagnose(&twice(&one, &other)).symptom, Symptom::NoPropagation, "another test");
    project.instrumented.left_out = vec![("/p/src/test/kotlin/StackTest.kt".into(), "It is not Java.".into())];
    let diagnosis = project.diagnose(&twice(&one, &other));
    assert_eq!(diagnosis.symptom, Symptom::Undecided);
    assert!(!diagnosis.evidence.is_empty(), "what the method did is known");
    assert!(diagnosis.undecided_because.unwrap().contains("StackTest.kt was not watched (It is not Java)"));
}

#[test]
fn without_any_difference_the_method_was_not_infected_and_the_calls_seen_are_told() {
    let project = project("(ILjava/lang/String;)I");
    let call = |argument: &str| {
        [
            property(Part::Receiver, "", "a.Stack", "non-null"),
            property(Part::Receiver, ".size", "int", "0"),
            property(Part::Receiver, ".items[0]", "int", "7").deep(),
            property(Part::Argument(0), "", "int", argument),
            property(Part::Argument(1), "", "null", "null"),
            result("0"),
        ]
    };
    let run = Recorded::default()
        .state(key(0, 0, 1), call("1"))
        .stack(&[frame("a.Stack", "pop", 21), frame("a.Client", "use", 5), frame("a.ClientTest", "uses", 40)])
        .state(key(1, 0, 1), call("1"))
        .stack(&[frame("a.Stack", "pop", 21), frame("a.StackTest", "pops", 7)])
        .state(key(1, 0, 2), call("2"));
    let diagnosis = project.diagnose(&twice(&run, &run));
    assert_eq!(diagnosis.symptom, Symptom::NoInfection);
    assert_eq!(diagnosis.evidence, []);
    assert_eq!(diagnosis.calls.len(), 2);
    let call = &diagnosis.calls[0];
    assert_eq!((call.count, call.test, call.invocation), (2, TestId(1), 1), "the unit's own test stands for the group");
    assert_eq!(call.receiver, [(".size".to_owned(), "0".to_owned())]);
    assert_eq!(call.arguments[0], SeenValue { type_name: "int".into(), value: "1".into(), atoms: vec![] });
    assert_eq!(
        call.arguments[1],
        SeenValue { type_name: "java.lang.String".into(), value: "null".into(), atoms: vec![] }
    );
    assert_eq!(call.result.as_ref().unwrap().value, "0");
    assert_eq!(call.stack.len(), 2);
}

#[test]
fn what_differs_only_beyond_the_papers_state_does_not_decide_the_symptom_of_the_study() {
    let project = project("()I").expression(STACK_TEST, 8, "stack", ExpressionKind::Value);
    let run = |deep: &str| {
        Recorded::default()
            .state(key(1, 0, 1), [result("1"), property(Part::Receiver, ".a.b", "int", deep).deep()])
            .state(test_key(1, 0, 1), [property(Part::Expression, ".a.b", "int", deep).deep()])
    };
    let diagnosis = project.diagnose(&twice(&run("1"), &run("2")));
    assert_eq!((diagnosis.symptom, diagnosis.study_symptom), (Symptom::WeakOracle, Symptom::NoInfection));
    assert_eq!(diagnosis.evidence.len(), 2);
    assert!(diagnosis.evidence.iter().all(|piece| piece.deep));
}

#[test]
fn differences_of_other_methods_probed_in_the_same_runs_do_not_count() {
    let project = project("()I");
    let run = |other: &str| Recorded::default().state(key(1, 0, 1), [result("1")]).state(key(1, 5, 1), [result(other)]);
    let diagnosis = project.diagnose(&twice(&run("1"), &run("2")));
    assert_eq!((diagnosis.symptom, diagnosis.evidence.len()), (Symptom::NoInfection, 0));
}

#[test]
fn a_quarantined_test_is_never_evidence() {
    let mut project = project("()I");
    project.coverage.unstable.push(Quarantined { test: TestId(0), reason: "changes".into() });
    let run = |one: &str| Recorded::default().state(key(0, 0, 1), [result(one)]).state(key(1, 0, 1), [result("1")]);
    let diagnosis = project.diagnose(&twice(&run("3"), &run("0")));
    assert_eq!(diagnosis.symptom, Symptom::NoInfection);
    assert_eq!(diagnosis.calls.iter().map(|call| call.test).collect::<Vec<_>>(), [TestId(1)]);
}

#[test]
fn nothing_is_claimed_where_nothing_could_be_compared() {
    let project = project("()I");
    let because = |observed: &Observed| {
        let diagnosis = project.diagnose(observed);
        assert_eq!(diagnosis.symptom, Symptom::Undecided);
        diagnosis.undecided_because.unwrap()
    };
    let run = |value: &str| Recorded::default().state(key(1, 0, 1), [result(value)]);
    let (empty, zero) = (Recorded::default(), run("0"));
    assert!(because(&observed(&[&run("1"), &run("2")], &[&zero, &run("2")])).contains("different in each run"));
    assert!(because(&observed(&[&run("1"), &empty], &[&zero, &zero])).contains("in the same way in every run"));
    assert!(because(&twice(&empty, &zero)).contains("No run of the original code"));
    assert!(because(&observed(&[&zero], &[])).contains("not repeated"));
    let failing = run("1").failed(1, "java.net.BindException");
    assert_eq!(
        because(&twice(&failing, &zero)),
        "Its tests pass once, but not in every repetition: a.StackTest.pops() failed with java.net.BindException."
    );
    let noticing = zero.clone().failed(1, "java.lang.AssertionError: ");
    assert_eq!(
        because(&twice(&empty, &noticing)),
        "In some repetitions its tests notice the change: a.StackTest.pops() failed with java.lang.AssertionError."
    );
}

#[test]
fn a_method_without_any_state_is_decided() {
    let run = Recorded::default().state(key(1, 0, 1), []);
    assert_eq!(project("()V").diagnose(&twice(&run, &run)).symptom, Symptom::NoInfection);
}

#[test]
fn what_an_assertion_can_take_comes_before_fields_and_what_is_near_before_what_is_far() {
    let project = project("()I")
        .expression(STACK_TEST, 8, "stack", ExpressionKind::Value)
        .expression(STACK_TEST, 30, "stack.peek()", ExpressionKind::Value)
        .expression(STACK_TEST, 9, "stack.size()", ExpressionKind::Value)
        .expression(STACK_TEST, 7, "stack.pop() > 0", ExpressionKind::Asserted)
        .expression(STACK_TEST, 7, "stack.pop()", ExpressionKind::Discarded)
        .expression(CLIENT_TEST, 41, "client.size()", ExpressionKind::Value)
        .expression(STACK_TEST, 3, "before()", ExpressionKind::Value);
    let run = |n: &str| {
        let mut run = Recorded::default()
            .state(key(1, 0, 1), [result("1")])
            .stack(&[frame("a.Stack", "pop", 21), frame("a.StackTest", "pops", 7)])
            .state(test_key(1, 0, 1), [property(Part::Expression, ".count", "int", n)])
            .state(test_key(0, 5, 1), [value(n)]);
        for expression in [1, 2, 3, 4, 6] {
            run = run.state(test_key(1, expression, 1), [value(n)]);
        }
        run
    };
    assert_eq!(
        places(&project.diagnose(&twice(&run("1"), &run("2")))),
        [
            "7 stack.pop() Expression",
            "9 stack.size() Expression",
            "30 stack.peek() Expression",
            "3 before() Expression",
            "41 client.size() Expression",
            "7 stack.pop() > 0 Expression",
            "8 stack Expression.count",
        ]
    );
}

#[test]
fn of_an_infection_the_result_comes_first_then_receiver_then_arguments() {
    let project = project("(I)I");
    let run = |n: &str| {
        Recorded::default().state(
            key(1, 0, 1),
            [
                property(Part::Receiver, ".size", "int", n),
                property(Part::Argument(0), ".x", "int", n),
                property(Part::Exception, ".message", "int", n),
                result(n),
            ],
        )
    };
    let parts: Vec<Part> =
        project.diagnose(&twice(&run("1"), &run("2"))).evidence.iter().map(|piece| piece.part).collect();
    assert_eq!(parts, [Part::Result, Part::Receiver, Part::Argument(0), Part::Exception]);
}

#[test]
fn an_exception_that_is_no_longer_thrown_is_the_first_evidence() {
    let project = project("()I");
    let thrown =
        Recorded::default().state(key(1, 0, 1), [property(Part::Exception, "", "a.EmptyException", "non-null")]);
    let returned = Recorded::default().state(key(1, 0, 1), [result("0")]);
    let diagnosis = project.diagnose(&twice(&thrown, &returned));
    assert_eq!(diagnosis.evidence[0].original.as_deref(), Some("a.EmptyException"));
    assert_eq!(diagnosis.evidence[0].transformed, None);
    assert_eq!(diagnosis.calls[0].exception.as_deref(), Some("a.EmptyException"));
    assert_eq!(diagnosis.calls[0].result, None);
}

#[test]
fn evidence_is_bounded_and_repeats_of_a_place_come_last() {
    let project = project("()I").expression(STACK_TEST, 8, "stack.size()", ExpressionKind::Value).expression(
        STACK_TEST,
        90,
        "other.size()",
        ExpressionKind::Value,
    );
    let run = |n: &str| {
        let mut run = Recorded::default().state(test_key(1, 1, 1), [value(n)]);
        for occurrence in 1..=50 {
            run = run.state(test_key(1, 0, occurrence), [value(n)]).state(key(1, 0, occurrence), [result(n)]);
        }
        run
    };
    let diagnosis = project.diagnose(&twice(&run("1"), &run("2")));
    assert_eq!((diagnosis.evidence.len(), diagnosis.evidence_cut), (20, 81));
    let lines: Vec<u32> = diagnosis.evidence.iter().map(|piece| piece.line).collect();
    assert_eq!(lines.get(..3), Some([8, 90, 8].as_slice()));
    assert_eq!(diagnosis.evidence.iter().filter(|piece| piece.at == At::Method).count(), 5);
}

#[test]
fn a_text_that_nobody_would_write_into_an_assertion_comes_after_a_field() {
    let project = project("()I").expression(STACK_TEST, 8, "stack.toString()", ExpressionKind::Value).expression(
        STACK_TEST,
        90,
        "stack.copy()",
        ExpressionKind::Value,
    );
    let run = |text: &str, index: &str| {
        let field = property(Part::Expression, ".index", "int", index);
        Recorded::default()
            .state(test_key(1, 0, 1), [property(Part::Expression, "", "java.lang.String", text)])
            .state(test_key(1, 1, 1), [field])
    };
    let first = |original: &str| {
        let diagnosis = project.diagnose(&twice(&run(original, "1"), &run("\"b\"", "2")));
        (diagnosis.symptom, diagnosis.evidence[0].path.clone())
    };
    assert_eq!(first("\"a\""), (Symptom::WeakOracle, String::new()));
    assert_eq!(first("\"a\"… (8025 characters, hash 5ae1e1854832ade4)"), (Symptom::WeakOracle, ".index".to_owned()));
}

#[test]
fn an_invocation_with_a_random_result_is_undecided_even_if_another_one_can_be_compared() {
    let project = project("()I");
    let run = |random: &str| {
        let first = Recorded::default().state(key(1, 0, 1), [result("0")]);
        first.state(key(1, 0, 2), [result(random)])
    };
    let (one, two, three) = (run("0"), run("7"), run("0"));
    let diagnosis = project.diagnose(&observed(&[&one, &two], &[&three, &three]));
    assert_eq!((diagnosis.symptom, diagnosis.study_symptom), (Symptom::Undecided, Symptom::NoInfection));
    let because = diagnosis.undecided_because.unwrap();
    assert!(because.contains("in 1 of its 2 invocations"), "{because}");
}

#[test]
fn a_container_of_another_class_of_the_jdk_is_neither_an_infection_nor_evidence() {
    let list = |class: &str| {
        let parts = [property(Part::Result, "", class, "non-null"), property(Part::Result, ".size", "int", "0")];
        Recorded::default().state(key(1, 0, 1), parts)
    };
    let lists = twice(&list("java.util.ArrayList"), &list("java.util.Collections$EmptyList"));
    let diagnosis = project("()Ljava/util/List;").diagnose(&lists);
    assert_eq!((diagnosis.symptom, diagnosis.evidence), (Symptom::NoInfection, vec![]));
}

#[test]
fn nothing_is_said_of_tests_whose_source_is_not_watched() {
    let run = |value: &str, stack: Vec<Frame>| Recorded::default().state(key(1, 0, 1), [result(value)]).stack(&stack);
    let symptom = |watched: &[&str], stack: &[Frame]| {
        let mut project = project("()I");
        project.instrumented.watched = vec![watched.iter().map(|class| (*class).to_owned()).collect()].into();
        let diagnosis = project.diagnose(&twice(&run("1", stack.to_vec()), &run("0", stack.to_vec())));
        (diagnosis.symptom, diagnosis.undecided_because.unwrap_or_default())
    };
    let own = [frame("a.Stack", "pop", 20), frame("a.StackTest", "pops", 7), frame("org.junit.X", "run", 1)];
    assert_eq!(symptom(&["a.StackTest"], &own).0, Symptom::NoPropagation);
    let (undecided, because) = symptom(&["a.ClientTest"], &own);
    assert!(undecided == Symptom::Undecided && because.contains("StackTest was not watched"), "{because}");
    let inherited = [frame("a.Stack", "pop", 20), frame("kit.Base", "pops", 7), frame("org.junit.X", "pops", 1)];
    let (undecided, because) = symptom(&["a.StackTest"], &inherited);
    assert!(undecided == Symptom::Undecided && because.contains("Base was not watched"), "{because}");
    let helper = [frame("a.Stack", "pop", 20), frame("a.ClientTest", "ask", 7), frame("a.StackTest", "pops", 9)];
    assert_eq!(symptom(&["a.StackTest"], &helper).0, Symptom::Undecided);
    assert_eq!(symptom(&["a.StackTest", "a.ClientTest"], &helper).0, Symptom::NoPropagation);
}

#[test]
fn values_that_vary_are_not_shown_in_calls() {
    let project = project("(J)I");
    let run = |time: &str| {
        Recorded::default().state(
            key(1, 0, 1),
            [property(Part::Receiver, ".at", "long", time), property(Part::Argument(0), "", "long", time), result("0")],
        )
    };
    let (one, two) = (run("1L"), run("2L"));
    let diagnosis = project.diagnose(&observed(&[&one, &two], &[&one, &two]));
    let call = &diagnosis.calls[0];
    assert_eq!(call.receiver, []);
    assert_eq!(call.arguments[0], SeenValue { type_name: "long".into(), value: VARIES.into(), atoms: vec![] });
}

#[test]
fn calls_with_arguments_that_a_test_draws_at_random_are_shown_only_where_there_are_no_others() {
    let project = project("(J)I");
    let call = |test: u32, occurrence: u32, argument: &str| {
        (key(test, 0, occurrence), [property(Part::Argument(0), "", "long", argument), result("0")])
    };
    let values = |of_both: bool| {
        let run = |random: &str| {
            // The second one is the same in both runs by chance.
            let calls = [call(1, 1, random), call(1, 2, "7L")].into_iter().chain(of_both.then(|| call(2, 1, "5L")));
            calls.fold(Recorded::default(), |run, (key, properties)| run.state(key, properties))
        };
        let (one, two) = (run("1L"), run("2L"));
        let diagnosis = project.diagnose(&observed(&[&one, &two], &[&one, &two]));
        assert_eq!(diagnosis.calls_vary, of_both);
        assert_eq!(diagnosis.drawn, [["1L"], ["2L"]], "a patch may need what only one run draws");
        diagnosis.calls.iter().map(|call| call.arguments[0].value.clone()).collect::<Vec<_>>()
    };
    assert_eq!(values(true), ["5L"]);
    assert_eq!(values(false), [VARIES, "7L"]);
}

#[test]
fn calls_are_bounded_and_the_most_frequent_come_first() {
    let mut run = Recorded::default();
    for occurrence in 1..=15 {
        run = run.state(key(1, 0, occurrence), [result(&occurrence.to_string())]);
    }
    run = run.state(key(1, 0, 16), [result("9")]);
    let diagnosis = project("()I").diagnose(&twice(&run, &run));
    assert_eq!((diagnosis.calls.len(), diagnosis.calls_cut), (10, 5));
    assert_eq!((diagnosis.calls[0].count, diagnosis.calls[0].invocation), (2, 9));
}

#[test]
fn a_test_class_is_recognised_by_the_name_of_its_unit() {
    for (test, unit, rank) in [
        ("a.StackTest", "a.Stack", 0),
        ("b.TestStack", "a.Stack$Node", 0),
        ("a.StackPushTest", "a.Stack", 1),
        ("a.QueueTest", "a.Stack", 2),
        ("a.StackTest$Nested", "a.Stack", 0),
    ] {
        assert_eq!(unit_rank(test, unit), rank, "{test} for {unit}");
    }
}

#[test]
fn a_thread_of_the_project_is_part_of_the_key() {
    let in_thread = |value: &str| {
        let key = Key { thread: "worker-#".into(), ..key(1, 0, 1) };
        Recorded::default().state(key, [result(value)])
    };
    assert_eq!(project("()I").diagnose(&twice(&in_thread("1"), &in_thread("0"))).symptom, Symptom::NoPropagation);
}

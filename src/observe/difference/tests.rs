//! Differences on recordings made by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::base::id::{MethodId, TestId};
use crate::observation::{KeyLists, Packing};
use crate::observe::Recording;
use crate::observe::recorded::{Recorded, frame, key, observed, property, sides, test_key};

/// `original` and `transformed`, each repeated over three runs.
fn thrice(original: &Recorded, transformed: &Recorded) -> Observed {
    observed(&[original; 3], &[transformed; 3])
}

fn result(value: &str) -> Property {
    property(Part::Result, "", "int", value)
}

pub(super) fn lines(differences: &[Difference]) -> Vec<String> {
    differences
        .iter()
        .map(|difference| {
            let site = match difference.key.site {
                Site::Method(number) => format!("m{number}"),
                Site::Expression(number) => format!("e{number}"),
            };
            format!(
                "t{} {site}#{} {:?}{}: {} {} -> {}{}",
                difference.key.test,
                difference.key.occurrence,
                difference.part,
                difference.path,
                difference.type_name,
                difference.original.as_deref().unwrap_or("-"),
                difference.transformed.as_deref().unwrap_or("-"),
                if difference.deep { " (deep)" } else { "" }
            )
        })
        .collect()
}

#[test]
fn a_value_that_is_constant_on_both_sides_and_not_the_same_is_a_difference() {
    let original = Recorded::default().state(key(0, 0, 1), [result("3")]);
    let transformed = Recorded::default().state(key(0, 0, 1), [result("0")]);
    assert_eq!(lines(&differences(&thrice(&original, &transformed))), ["t0 m0#1 Result: int 3 -> 0"]);
}

#[test]
fn a_value_that_varies_within_a_side_differs_from_one_that_it_never_has() {
    let run = |value: &str| Recorded::default().state(key(0, 0, 1), [result(value)]);
    let (one, two, zero) = (run("1"), run("2"), run("0"));
    assert_eq!(
        lines(&differences(&observed(&[&one, &two, &one], &[&zero, &zero, &zero]))),
        ["t0 m0#1 Result: int a value that varies -> 0 (deep)"]
    );
    assert_eq!(
        lines(&differences(&observed(&[&zero, &zero, &zero], &[&one, &one, &two]))),
        ["t0 m0#1 Result: int 0 -> a value that varies (deep)"]
    );
}

#[test]
fn a_value_that_varies_within_a_side_is_noise_if_the_other_side_has_it_once_or_varies_too() {
    let run = |value: &str| Recorded::default().state(key(0, 0, 1), [result(value)]);
    let (one, two, three, zero) = (run("1"), run("2"), run("3"), run("0"));
    assert_eq!(lines(&differences(&observed(&[&one, &two, &zero], &[&zero, &zero, &zero]))), [""; 0]);
    assert_eq!(lines(&differences(&observed(&[&one, &two, &one], &[&three, &zero, &zero]))), [""; 0]);
    let absent = Recorded::default().state(key(0, 0, 1), [property(Part::Result, ".other", "int", "1")]);
    assert_eq!(lines(&differences(&observed(&[&one, &two, &absent], &[&zero, &zero, &zero]))), [""; 0]);
}

#[test]
fn a_reference_that_varies_and_is_never_null_differs_from_null() {
    let run = |type_name: &str, value: &str| {
        Recorded::default().state(key(0, 0, 1), [property(Part::Result, "", type_name, value)])
    };
    let (one, two, null) = (run("java.lang.String", "\"a\""), run("java.lang.String", "\"b\""), run("null", "null"));
    let constant = run("java.lang.String", "\"A\"");
    assert_eq!(
        lines(&differences(&observed(&[&one, &two], &[&null, &null]))),
        ["t0 m0#1 Result: java.lang.String non-null (java.lang.String) -> null"]
    );
    assert_eq!(
        lines(&differences(&observed(&[&one, &two], &[&constant, &constant]))),
        ["t0 m0#1 Result: java.lang.String a value that varies -> \"A\" (deep)"]
    );
    assert_eq!(lines(&differences(&observed(&[&one, &null], &[&null, &null]))), [""; 0]);
}

#[test]
fn noise_in_one_property_does_not_hide_another_of_the_same_state() {
    let run = |noise: &str, value: &str| {
        Recorded::default().state(key(0, 0, 1), [property(Part::Receiver, ".port", "int", noise), result(value)])
    };
    let observed = observed(&[&run("1", "3"), &run("2", "3")], &[&run("3", "0"), &run("4", "0")]);
    assert_eq!(lines(&differences(&observed)), ["t0 m0#1 Result: int 3 -> 0"]);
}

#[test]
fn an_observation_that_exists_on_one_side_only_is_no_difference_and_hides_none() {
    let original = Recorded::default()
        .state(key(0, 0, 1), [result("1")])
        .state(key(0, 0, 2), [result("2")])
        .state(test_key(0, 7, 1), [property(Part::Expression, "", "int", "5")])
        .state(test_key(0, 8, 1), [property(Part::Expression, "", "int", "6")]);
    let transformed = Recorded::default()
        .state(key(0, 0, 1), [result("1")])
        .state(test_key(0, 8, 1), [property(Part::Expression, "", "int", "7")]);
    assert_eq!(lines(&differences(&thrice(&original, &transformed))), ["t0 e8#1 Expression: int 6 -> 7"]);
}

#[test]
fn an_observation_that_some_runs_of_a_side_lack_is_noise() {
    let with = Recorded::default().state(key(0, 0, 1), [result("1")]);
    let zero = Recorded::default().state(key(0, 0, 1), [result("0")]);
    let without = Recorded::default();
    assert_eq!(lines(&differences(&observed(&[&with, &without], &[&zero, &zero]))), [""; 0]);
    assert_eq!(lines(&differences(&observed(&[&with, &with], &[&zero, &without]))), [""; 0]);
}

#[test]
fn a_test_that_failed_in_one_run_is_evidence_in_none() {
    let original = Recorded::default().state(key(0, 0, 1), [result("3")]).state(key(1, 0, 1), [result("4")]);
    let transformed = Recorded::default().state(key(0, 0, 1), [result("0")]).state(key(1, 0, 1), [result("0")]);
    let failing = transformed.clone().failed(0, "AssertionError");
    let observed = observed(&[&original, &original], &[&transformed, &failing]);
    assert_eq!(lines(&differences(&observed)), ["t1 m0#1 Result: int 4 -> 0"]);
}

#[test]
fn the_parts_of_an_object_that_became_null_are_not_listed() {
    let object = Recorded::default().state(
        key(0, 0, 1),
        [
            property(Part::Result, "", "java.util.ArrayList", "non-null"),
            property(Part::Result, ".size", "int", "3"),
            property(Part::Result, "[0]", "int", "1").deep(),
        ],
    );
    let null = Recorded::default().state(key(0, 0, 1), [property(Part::Result, "", "null", "null")]);
    assert_eq!(
        lines(&differences(&thrice(&object, &null))),
        ["t0 m0#1 Result: java.util.ArrayList non-null (java.util.ArrayList) -> null"]
    );
    assert_eq!(
        lines(&differences(&thrice(&null, &object))),
        ["t0 m0#1 Result: java.util.ArrayList null -> non-null (java.util.ArrayList)"]
    );
}

#[test]
fn of_two_objects_only_the_fields_that_differ_are_listed() {
    let run = |name: &str, deep: &str| {
        Recorded::default().state(
            key(0, 0, 1),
            [
                property(Part::Receiver, "", "a.B", "non-null"),
                property(Part::Receiver, ".id", "int", "1"),
                property(Part::Receiver, ".name", "java.lang.String", name),
                property(Part::Receiver, ".next", "a.B", "non-null"),
                property(Part::Receiver, ".next.id", "int", deep).deep(),
            ],
        )
    };
    assert_eq!(
        lines(&differences(&thrice(&run("\"x\"", "1"), &run("\"y\"", "2")))),
        ["t0 m0#1 Receiver.name: java.lang.String \"x\" -> \"y\"", "t0 m0#1 Receiver.next.id: int 1 -> 2 (deep)"]
    );
}

#[test]
fn an_object_of_another_class_is_a_difference_and_what_the_classes_share_is_still_compared() {
    let run = |class: &str, own: &str, name: &str| {
        Recorded::default().state(
            key(0, 0, 1),
            [
                property(Part::Result, "", class, "non-null"),
                property(Part::Result, own, "int", "1"),
                property(Part::Result, ".name", "java.lang.String", name),
            ],
        )
    };
    assert_eq!(
        lines(&differences(&thrice(&run("a.Circle", ".radius", "\"c\""), &run("a.Square", ".side", "\"s\"")))),
        [
            "t0 m0#1 Result: a.Circle non-null (a.Circle) -> non-null (a.Square)",
            "t0 m0#1 Result.name: java.lang.String \"c\" -> \"s\""
        ]
    );
}

#[test]
fn which_class_of_the_jdk_implements_an_empty_list_goes_beyond_the_papers_state() {
    let run = |class: &str| {
        Recorded::default().state(
            key(0, 0, 1),
            [property(Part::Result, "", class, "non-null"), property(Part::Result, ".size", "int", "0")],
        )
    };
    let found = differences(&thrice(&run("java.util.ArrayList"), &run("java.util.Collections$EmptyList")));
    assert_eq!(found.len(), 1);
    assert!(found[0].deep);
}

#[test]
fn elements_that_a_shorter_list_lacks_follow_from_its_size() {
    let original = Recorded::default().state(
        key(0, 0, 1),
        [
            property(Part::Receiver, ".items", "java.util.ArrayList", "non-null"),
            property(Part::Receiver, ".items.size", "int", "2"),
            property(Part::Receiver, ".items[0]", "int", "1").deep(),
            property(Part::Receiver, ".items[1]", "int", "2").deep(),
        ],
    );
    let transformed = Recorded::default().state(
        key(0, 0, 1),
        [
            property(Part::Receiver, ".items", "java.util.ArrayList", "non-null"),
            property(Part::Receiver, ".items.size", "int", "1"),
            property(Part::Receiver, ".items[0]", "int", "9").deep(),
        ],
    );
    assert_eq!(
        lines(&differences(&thrice(&original, &transformed))),
        ["t0 m0#1 Receiver.items.size: int 2 -> 1", "t0 m0#1 Receiver.items[0]: int 1 -> 9 (deep)"]
    );
}

#[test]
fn what_one_side_lacks_deep_below_an_object_of_both_was_perhaps_not_read() {
    let run = |more: bool| {
        let object = |path: &str| property(Part::Receiver, path, "a.B", "non-null");
        let mut properties = vec![object(""), object(".next"), object(".next.next").deep()];
        if more {
            properties.push(property(Part::Receiver, ".next.next.id", "int", "1").deep());
        }
        Recorded::default().state(key(0, 0, 1), properties)
    };
    assert_eq!(lines(&differences(&thrice(&run(true), &run(false)))), [""; 0]);
}

#[test]
fn a_text_with_something_masked_does_not_look_like_a_literal() {
    let text =
        |text: &str| Recorded::default().state(key(0, 0, 1), [property(Part::Result, "", "java.lang.String", text)]);
    assert_eq!(
        lines(&differences(&thrice(&text("\"a.B@1b2c3d\""), &text("\"\"")))),
        ["t0 m0#1 Result: java.lang.String a text like \"a.B@#\" -> \"\""]
    );
}

#[test]
fn an_exception_instead_of_a_result_shows_both() {
    let thrown = Recorded::default().state(
        key(0, 0, 1),
        [
            property(Part::Exception, "", "java.lang.IllegalStateException", "non-null"),
            property(Part::Exception, ".message", "java.lang.String", "\"empty\""),
        ],
    );
    let returned = Recorded::default().state(key(0, 0, 1), [result("0")]);
    assert_eq!(
        lines(&differences(&thrice(&thrown, &returned))),
        [
            "t0 m0#1 Result: int - -> 0",
            "t0 m0#1 Exception: java.lang.IllegalStateException java.lang.IllegalStateException -> -"
        ]
    );
}

#[test]
fn exceptions_of_different_classes_differ() {
    let thrown =
        |class: &str| Recorded::default().state(test_key(0, 0, 1), [property(Part::Exception, "", class, "non-null")]);
    assert_eq!(lines(&differences(&thrice(&thrown("a.X"), &thrown("a.Y")))), ["t0 e0#1 Exception: a.X a.X -> a.Y"]);
}

#[test]
fn an_exception_that_a_test_catches_on_one_side_only_is_a_difference_unless_observations_were_cut() {
    let caught = Recorded::default().state(
        test_key(0, 4, 1),
        [
            property(Part::Exception, "", "a.X", "non-null"),
            property(Part::Exception, ".message", "java.lang.String", "\"m\""),
        ],
    );
    let quiet = Recorded::default();
    assert_eq!(lines(&differences(&thrice(&caught, &quiet))), ["t0 e4#1 Exception: a.X a.X -> -"]);
    assert_eq!(lines(&differences(&thrice(&quiet, &caught))), ["t0 e4#1 Exception: a.X - -> a.X"]);
    assert_eq!(lines(&differences(&observed(&[&caught, &caught], &[&quiet, &caught]))), [""; 0]);
    let cut = quiet.clone().cut(test_key(0, 4, 1), 12);
    assert_eq!(lines(&differences(&thrice(&caught, &cut))), [""; 0]);
}

#[test]
fn what_is_noise_by_origin_never_differs() {
    let run = |text: &str, hash: &str, mock: &str, inside: &str| {
        Recorded::default().state(
            key(0, 0, 1),
            [
                property(Part::Receiver, ".hashCode", "int", hash),
                property(Part::Receiver, ".dao", mock, "non-null"),
                property(Part::Receiver, ".dao.handler", "int", inside),
                property(Part::Result, "", "java.lang.String", text),
            ],
        )
    };
    let original = run("\"a.B@1b2c3d\"", "0", "a.Dao$MockitoMock$123", "1");
    let transformed = run("\"a.B@77f03bb1\"", "4711", "a.Dao$MockitoMock$456", "2");
    assert_eq!(lines(&differences(&thrice(&original, &transformed))), [""; 0]);
}

#[test]
fn a_mock_that_is_no_longer_stored_is_a_difference() {
    let run = |class: &str, value: &str| {
        Recorded::default().state(key(0, 0, 1), [property(Part::Receiver, ".dao", class, value)])
    };
    let found = differences(&thrice(&run("a.Dao$MockitoMock$123", "non-null"), &run("a.Dao", "null")));
    assert_eq!(lines(&found), ["t0 m0#1 Receiver.dao: a.Dao$MockitoMock$# non-null (a.Dao$MockitoMock$#) -> null"]);
}

#[test]
fn two_threads_of_the_same_name_are_no_evidence() {
    let doubled = Recorded::default().state(key(0, 0, 1), [result("1")]).state(key(0, 0, 1), [result("2")]);
    let single = Recorded::default().state(key(0, 0, 1), [result("0")]);
    assert_eq!(lines(&differences(&thrice(&doubled, &single))), [""; 0]);
}

#[test]
fn when_a_recursive_method_no_longer_calls_itself_later_invocations_are_not_mistaken_for_its_inner_ones() {
    let outer = vec![frame("a.B", "f", 10), frame("a.T", "t", 3)];
    let inner = vec![frame("a.B", "f", 10), frame("a.B", "f", 11), frame("a.T", "t", 3)];
    let second = vec![frame("a.B", "f", 9), frame("a.T", "t", 4)];
    let argument = |value: &str| [property(Part::Argument(0), "", "int", value)];
    let original = Recorded::default()
        .state(key(0, 0, 1), argument("2"))
        .stack(&outer)
        .state(key(0, 0, 2), argument("1"))
        .stack(&inner)
        .state(key(0, 0, 3), argument("7"))
        .stack(&second);
    // The transformed body runs on a different line of the method; only its callers count.
    let transformed_second = vec![frame("a.B", "f", 1), frame("a.T", "t", 4)];
    let transformed = Recorded::default()
        .state(key(0, 0, 1), argument("2"))
        .state(key(0, 0, 2), argument("7"))
        .stack(&transformed_second);
    assert_eq!(lines(&differences(&thrice(&original, &transformed))), [""; 0]);
    let without_stack = Recorded::default().state(key(0, 0, 1), argument("2")).state(key(0, 0, 2), argument("7"));
    assert_eq!(lines(&differences(&thrice(&original, &without_stack))), [""; 0]);
}

/// `Box.equals` asks `Node.equals` twice from each of two lines, and the first `Node` asks a third one.
#[test]
fn invocations_of_a_recursive_method_are_the_same_only_if_as_many_from_the_same_callers_came_before() {
    let of_line = |line: u32| vec![frame("a.Node", "f", 10), frame("a.Box", "g", 8), frame("a.T", "t", line)];
    let mut inner = of_line(14);
    inner.insert(1, frame("a.Node", "f", 11));
    let record = |calls: &[(&[Frame], &str)]| {
        (1..).zip(calls).fold(Recorded::default(), |recorded, (number, (stack, value))| {
            recorded.state(key(0, 0, number), [property(Part::Argument(0), "", "int", value)]).stack(stack)
        })
    };
    let (first, second) = (of_line(14), of_line(15));
    let original = record(&[(&first, "1"), (&inner, "5"), (&first, "2"), (&second, "3"), (&second, "4")]);
    let transformed = record(&[(&first, "1"), (&first, "2"), (&second, "3"), (&second, "4")]);
    assert_eq!(lines(&differences(&thrice(&original, &transformed))), [""; 0]);
    let other = record(&[(&first, "1"), (&first, "2"), (&inner, "6"), (&second, "9")]);
    let last = ["t0 m0#4 Argument(0): int 3 -> 9"];
    assert_eq!(lines(&differences(&thrice(&original, &other))), last);
}

#[test]
fn a_difference_carries_the_stack_of_the_original_wherever_it_was_recorded() {
    let stack = vec![frame("a.B", "f", 10), frame("a.T", "t", 3)];
    let plain = Recorded::default().state(key(0, 0, 1), [result("1")]);
    let with_stack = plain.clone().stack(&stack);
    let transformed = Recorded::default().state(key(0, 0, 1), [result("0")]);
    let found = differences(&observed(&[&plain, &with_stack], &[&transformed, &transformed]));
    assert_eq!(found[0].stack, stack);
}

#[test]
fn runs_that_share_their_keys_are_compared_as_those_that_do_not() {
    let run = |value: &str| {
        let run = Recorded::default().state(key(0, 0, 1), [result("1")]).state(key(1, 0, 1), [result(value)]);
        run.state(key(1, 0, 2), [result("3")]).done()
    };
    let more = |value: &str| {
        let run = Recorded::default().state(key(0, 0, 1), [result("1")]).state(key(1, 0, 1), [result(value)]);
        run.done()
    };
    let lists = KeyLists::default();
    for shared in [false, true] {
        let mut runs = [run("2"), more("2"), run("2"), run("0"), more("0"), run("0")];
        if shared {
            runs.iter_mut().for_each(|run| lists.share(&mut run.observations));
        }
        let mut original = runs.to_vec();
        let transformed = original.split_off(3);
        let observed = sides(original, transformed);
        assert_eq!(lines(&differences(&observed)), ["t1 m0#1 Result: int 2 -> 0"], "shared: {shared}");
        assert_eq!(
            repeatability(&observed, MethodId(0), |_| true),
            Repeatability { seen: 3, comparable: 2, repeatable: 2, varying: 0 }
        );
    }
}

#[test]
fn a_side_without_runs_gives_no_difference() {
    let run = Recorded::default().state(key(0, 0, 1), [result("1")]);
    assert_eq!(lines(&differences(&observed(&[&run], &[]))), [""; 0]);
    assert_eq!(lines(&differences(&observed(&[], &[&run]))), [""; 0]);
    assert_eq!(lines(&differences(&Observed::default())), [""; 0]);
}

#[test]
fn repeatability_tells_what_could_be_compared() {
    let run = |value: &str| Recorded::default().state(key(0, 0, 1), [result(value)]).state(key(0, 0, 2), [result("5")]);
    let shorter = Recorded::default().state(key(0, 0, 1), [result("0")]).state(key(0, 0, 2), [result("5")]);
    let observed = observed(&[&run("1"), &run("2").state(key(0, 0, 3), [])], &[&shorter, &shorter]);
    assert_eq!(
        repeatability(&observed, MethodId(0), |_| true),
        Repeatability { seen: 3, comparable: 2, repeatable: 1, varying: 1 }
    );
    assert_eq!(repeatability(&observed, MethodId(1), |_| true), Repeatability::default());
    assert_eq!(repeatability(&observed, MethodId(0), |test| test != TestId(0)), Repeatability::default());
}

#[test]
fn of_a_test_that_is_left_out_nothing_is_compared() {
    let run =
        |value: &str| Recorded::default().state(key(0, 0, 1), [result(value)]).state(key(1, 0, 1), [result(value)]);
    let mut observed = thrice(&run("1"), &run("2"));
    assert_eq!(repeatable_tests(&observed, MethodId(0)), BTreeSet::from([TestId(0), TestId(1)]));
    observed.left_out = BTreeSet::from([TestId(0)]);
    assert_eq!(repeatable_tests(&observed, MethodId(0)), BTreeSet::from([TestId(1)]));
    assert_eq!(differences(&observed).iter().map(|found| found.key.test).collect::<Vec<_>>(), [TestId(1)]);
}

/// This does not test the time. Run it by hand: `cargo test --release -- --ignored a_large`.
#[test]
#[ignore = "large: for measuring"]
fn a_large_recording_is_compared() {
    let run = |side: u32, run: u32| {
        let mut recording = Recording::default();
        let mut states = Packing::default();
        let mut observations = Vec::new();
        for test in 0..50_u32 {
            for occurrence in 1..=1_000_u32 {
                let noise = occurrence % 5 == 0;
                let number = states.pool().count();
                let value = if occurrence % 7 == 0 { side } else { 0 };
                let properties: Vec<Property> = (0..12)
                    .map(|field| {
                        let value = match field {
                            0 if noise => format!("{test}{occurrence}{run}"),
                            1 => value.to_string(),
                            2 => format!("\"some text {} of {test}\"", occurrence % 100),
                            _ => field.to_string(),
                        };
                        property(Part::Receiver, &format!(".field{field:02}"), "int", &value)
                    })
                    .collect();
                if noise || occurrence <= 700 {
                    states.push(&properties);
                    observations.push((key(test, 0, occurrence), number));
                } else {
                    let earlier = number.saturating_sub(occurrence % 300);
                    observations.push((key(test, 0, occurrence), earlier));
                }
            }
        }
        recording.states = states.take();
        recording.observations = observations.into_iter().collect();
        recording
    };
    let observed = sides((0..10).map(|n| run(1, n)).collect(), (0..10).map(|n| run(2, n + 10)).collect());
    let begin = std::time::Instant::now();
    let found = differences(&observed).len();
    eprintln!(
        "{found} differences of {} observations in {:?}",
        observed.original[0].observations.len() * 20,
        begin.elapsed()
    );
    assert!(found > 0);
}

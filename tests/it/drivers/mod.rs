//! The drivers find and run the tests of small Java classes with every generation of test engines, and report all events.

mod sessions;
mod testng;

use sessions::{
    Engines, JUNIT_4_10, JUNIT_4_12, JUNIT_4_13, JUPITER_5_10, JUPITER_5_14, JUPITER_6, TESTNG_6_8, TESTNG_6_14,
    TESTNG_7_5, TESTNG_7_10, TESTNG_AND_JUNIT, again, events, found, session,
};

const PLATFORMS: [&Engines; 3] = [&JUPITER_5_10, &JUPITER_5_14, &JUPITER_6];

mod junit4 {
    use super::*;

    const BOTH: [&Engines; 2] = [&JUNIT_4_12, &JUNIT_4_13];

    #[test]
    fn every_outcome_is_reported() {
        for engines in BOTH {
            assert_eq!(
                events(engines, &["Outcomes4Test"], &[]),
                [
                    "started Outcomes4Test.aPasses()",
                    "passed Outcomes4Test.aPasses()",
                    "started Outcomes4Test.bFails()",
                    "failed Outcomes4Test.bFails() by AssertionError: expected:<1> but was:<2>",
                    "started Outcomes4Test.cIsIgnored()",
                    "skipped Outcomes4Test.cIsIgnored()",
                    "started Outcomes4Test.dAssumes()",
                    "skipped Outcomes4Test.dAssumes() by AssumptionViolatedException: got: <false>, expected: is <true>",
                    "started Outcomes4Test.eThrows()",
                    "passed Outcomes4Test.eThrows()",
                ]
            );
        }
    }

    #[test]
    fn discovery_finds_the_tests_that_surefire_finds_in_the_given_order() {
        let classes = [
            "Theory4Test",
            "Inherits4Test",
            "Abstract4Test",
            "Base4",
            "Enclosing4Test",
            "Suite4Test",
            "Categories4Test$Slow",
        ];
        assert_eq!(
            found(&JUNIT_4_13, &classes, &[]),
            [
                "Theory4Test.isPositive()",
                "Inherits4Test.isInherited()",
                "Enclosing4Test$Inner.isEnclosed()",
                // The same tests again, as a part of the suite.
                "Inherits4Test.isInherited() #2",
                "JUnit3Test.testFails()",
                "JUnit3Test.testPasses()",
            ]
        );
    }

    #[test]
    fn methods_have_a_fixed_order_even_if_junit_has_none() {
        let names = ["echoes", "mike", "zeta", "alpha", "bravo", "tango", "isAddedToTheList", "isRemovedFromTheList"];
        let tests = names.map(|name| format!("Ordered4Test.{name}()"));
        assert_eq!(found(&JUNIT_4_10, &["Ordered4Test"], &[]), tests);
        let told = tests.iter().flat_map(|test| [format!("started {test}"), format!("passed {test}")]);
        assert_eq!(events(&JUNIT_4_10, &["Ordered4Test"], &[]), told.collect::<Vec<_>>());
    }

    #[test]
    fn a_test_that_is_announced_twice_is_one_test() {
        for engines in BOTH {
            assert_eq!(
                events(engines, &["AnnouncedTwice4Test"], &[]),
                ["started AnnouncedTwice4Test.passes()", "passed AnnouncedTwice4Test.passes()"]
            );
        }
    }

    #[test]
    fn junit_3_tests_run_under_junit_4() {
        assert_eq!(
            events(&JUNIT_4_12, &["JUnit3Test"], &[]),
            [
                "started JUnit3Test.testFails()",
                "failed JUnit3Test.testFails() by AssertionFailedError: as JUnit 3 does",
                "started JUnit3Test.testPasses()",
                "passed JUnit3Test.testPasses()",
            ]
        );
    }

    #[test]
    fn the_failure_of_a_class_fails_each_of_its_tests() {
        for engines in BOTH {
            let mut set_up = events(engines, &["SetUpFails4Test"], &[]);
            set_up.sort();
            assert_eq!(
                set_up,
                [
                    "failed SetUpFails4Test.first() by IllegalStateException: no set-up",
                    "failed SetUpFails4Test.second() by IllegalStateException: no set-up",
                    "started SetUpFails4Test.first()",
                    "started SetUpFails4Test.second()",
                ]
            );
            assert_eq!(
                events(engines, &["TearDownFails4Test"], &[]),
                [
                    "started TearDownFails4Test.passesAtFirst()",
                    "passed TearDownFails4Test.passesAtFirst()",
                    "failed TearDownFails4Test.passesAtFirst() by IllegalStateException: no tear-down",
                ]
            );
            let assumed = events(engines, &["Assumed4Test"], &[]);
            assert_eq!(assumed[0], "started Assumed4Test.never()");
            assert!(
                assumed[1].starts_with("skipped Assumed4Test.never() by AssumptionViolatedException"),
                "{assumed:?}"
            );
        }
    }

    #[test]
    fn parameterised_tests_with_equal_names_have_different_ids() {
        for engines in BOTH {
            assert_eq!(
                found(engines, &["Parameters4Test"], &[]),
                [
                    "Parameters4Test.isPositive()[same]",
                    "Parameters4Test.isPositive()[same] #2",
                    "Parameters4Test.isPositive()[other]"
                ]
            );
            assert_eq!(
                again(engines, &["Parameters4Test"], "Parameters4Test.isPositive()[same] #2"),
                [
                    "started Parameters4Test.isPositive()[same] #2",
                    "failed Parameters4Test.isPositive()[same] #2 by AssertionError: value -1",
                ]
            );
        }
    }

    #[test]
    fn a_parameterised_test_with_a_changed_name_is_found() {
        // The names in the second session differ from those in the first one.
        let events = events(&JUNIT_4_13, &["Renamed4Test"], &["quiet", "select-all"]);
        let outcomes: Vec<&str> = events.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(outcomes, ["again", "started", "passed", "started", "failed"]);
    }

    #[test]
    fn a_runner_that_cannot_be_made_fails_its_tests() {
        assert_eq!(
            again(&JUNIT_4_13, &["InitFails4Test"], "InitFails4Test.never()[0]"),
            [
                "started InitFails4Test.never()[0]",
                "failed InitFails4Test.never()[0] by IllegalStateException: no parameters"
            ]
        );
    }

    #[test]
    fn a_run_stops_at_the_first_failure_or_on_request_of_the_listener() {
        for engines in BOTH {
            let classes = ["Outcomes4Test", "Inherits4Test"];
            assert_eq!(
                events(engines, &classes, &["stop"]),
                [
                    "started Outcomes4Test.aPasses()",
                    "passed Outcomes4Test.aPasses()",
                    "started Outcomes4Test.bFails()",
                    "failed Outcomes4Test.bFails() by AssertionError: expected:<1> but was:<2>",
                ]
            );
            assert_eq!(
                events(engines, &classes, &["refuse=sample.Outcomes4Test.aPasses()"]),
                ["started Outcomes4Test.aPasses()"]
            );
            assert_eq!(
                events(engines, &classes, &["throw=sample.Outcomes4Test.aPasses()"]),
                ["started Outcomes4Test.aPasses()", "thrown thrown by the listener"]
            );
        }
    }

    #[test]
    fn groups_are_category_classes() {
        let of = |options: &[&str]| found(&JUNIT_4_13, &["Categories4Test"], options);
        let (slow, network, plain) =
            ("Categories4Test.aSlow()", "Categories4Test.bSlowNetwork()", "Categories4Test.cPlain()");
        assert_eq!(of(&["groups=sample.Categories4Test$Slow"]), [slow, network]);
        assert_eq!(of(&["excluded=Categories4Test$Network"]), [slow, plain]);
        assert_eq!(of(&["groups=sample.Categories4Test$Slow && !Network"]), [slow]);
        assert_eq!(of(&["groups=Network,nothing"]), [network]);
        assert_eq!(of(&["groups=!(Network || Slow)"]), [plain]);
    }

    #[test]
    fn a_run_restores_the_jvm_and_a_class_that_changes_it_is_reported() {
        let dirty = "Dirty4Test.leavesTraces()";
        let passed = [format!("started {dirty}"), format!("passed {dirty}"), "disturbed".to_owned()];
        assert_eq!(events(&JUNIT_4_13, &["Dirty4Test"], &[]), passed);
        assert_eq!(again(&JUNIT_4_13, &["Dirty4Test"], dirty), passed);
    }
}

mod platform {
    use super::*;

    #[test]
    fn every_outcome_is_reported_and_invocations_are_found_during_the_run() {
        for engines in PLATFORMS {
            assert_eq!(
                events(engines, &["OutcomesTest"], &[]),
                [
                    "started OutcomesTest.aPasses()",
                    "passed OutcomesTest.aPasses()",
                    "started OutcomesTest.bFails()",
                    "failed OutcomesTest.bFails() by AssertionFailedError: expected: <1> but was: <2>",
                    "started OutcomesTest.cIsDisabled()",
                    "skipped OutcomesTest.cIsDisabled()",
                    "started OutcomesTest.dAssumes()",
                    "skipped OutcomesTest.dAssumes() by TestAbortedException: Assumption failed: assumption is not true",
                    "unexpected OutcomesTest.eRepeats()[1] in OutcomesTest",
                    "started OutcomesTest.eRepeats()[1]",
                    "passed OutcomesTest.eRepeats()[1]",
                    "unexpected OutcomesTest.eRepeats()[2] in OutcomesTest",
                    "started OutcomesTest.eRepeats()[2]",
                    "passed OutcomesTest.eRepeats()[2]",
                    "started OutcomesTest$Inside.isNested()",
                    "passed OutcomesTest$Inside.isNested()",
                    "started OutcomesTest$Inside$Deeper.isNestedTwice()",
                    "passed OutcomesTest$Inside$Deeper.isNestedTwice()",
                    "witness tear-down of OutcomesTest",
                ],
                "{}",
                engines.name
            );
        }
    }

    #[test]
    fn discovery_runs_nothing_and_finds_the_tests_of_every_engine() {
        for engines in PLATFORMS {
            let classes = ["ParametersTest", "InheritsTest", "Base", "NoTest", "VintageTest", "VintageParametersTest"];
            let mut names = found(engines, &classes, &[]);
            names.sort();
            assert_eq!(
                names,
                [
                    "InheritsTest.isInherited()",
                    "ParametersTest.isPositive(int)",
                    "ParametersTest.makes()",
                    "ParametersTest.neverStarts(String[], List)",
                    "VintageParametersTest.isPositive()[0]",
                    "VintageParametersTest.isPositive()[1]",
                    "VintageParametersTest.isPositive()[2]",
                    "VintageTest.aFails()",
                    "VintageTest.bPasses()",
                ],
                "{}",
                engines.name
            );
        }
    }

    #[test]
    fn single_invocations_can_be_selected_in_another_class_loader() {
        for engines in PLATFORMS {
            assert_eq!(
                again(
                    engines,
                    &["ParametersTest", "VintageParametersTest"],
                    "ParametersTest.isPositive(int)[2];ParametersTest.makes()[2][1]"
                ),
                [
                    "started ParametersTest.isPositive(int)[2]",
                    "witness value -1",
                    "failed ParametersTest.isPositive(int)[2] by AssertionFailedError: expected: <true> but was: <false>",
                    "started ParametersTest.makes()[2][1]",
                    "witness dynamic two",
                    "passed ParametersTest.makes()[2][1]",
                ],
                "{}",
                engines.name
            );
            assert_eq!(
                again(engines, &["VintageParametersTest"], "VintageParametersTest.isPositive()[2]"),
                [
                    "started VintageParametersTest.isPositive()[2]",
                    "witness value 2",
                    "passed VintageParametersTest.isPositive()[2]",
                ],
                "{}",
                engines.name
            );
        }
    }

    #[test]
    fn a_template_selected_with_its_invocations_is_no_separate_test() {
        for engines in PLATFORMS {
            assert_eq!(
                again(engines, &["OutcomesTest"], "OutcomesTest.eRepeats();OutcomesTest.eRepeats()[1]")
                    .iter()
                    .filter(|line| line.contains("skipped") || line.ends_with("eRepeats()"))
                    .count(),
                0
            );
        }
    }

    #[test]
    fn the_outcome_of_a_class_or_template_is_that_of_its_tests() {
        for engines in PLATFORMS {
            assert_eq!(
                events(engines, &["SetUpFailsTest", "TearDownFailsTest", "DisabledTest"], &[]),
                [
                    "started SetUpFailsTest.never()",
                    "failed SetUpFailsTest.never() by IllegalStateException: no set-up",
                    "started SetUpFailsTest$Inside.neither()",
                    "failed SetUpFailsTest$Inside.neither() by IllegalStateException: no set-up",
                    "started TearDownFailsTest.passesAtFirst()",
                    "passed TearDownFailsTest.passesAtFirst()",
                    "failed TearDownFailsTest.passesAtFirst() by IllegalStateException: no tear-down",
                    "started DisabledTest.never()",
                    "skipped DisabledTest.never()",
                ],
                "{}",
                engines.name
            );
            let template = "ParametersTest.neverStarts(String[], List)";
            assert_eq!(
                again(engines, &["ParametersTest"], template),
                [format!("started {template}"), format!("failed {template} by IllegalStateException: no parameters")],
                "{}",
                engines.name
            );
        }
    }

    #[test]
    fn a_run_stops_at_the_first_failure_after_the_tear_down_of_its_class() {
        for engines in PLATFORMS {
            assert_eq!(
                events(engines, &["OutcomesTest", "InheritsTest"], &["stop"]),
                [
                    "started OutcomesTest.aPasses()",
                    "passed OutcomesTest.aPasses()",
                    "started OutcomesTest.bFails()",
                    "failed OutcomesTest.bFails() by AssertionFailedError: expected: <1> but was: <2>",
                    "witness tear-down of OutcomesTest",
                ],
                "{}",
                engines.name
            );
            assert_eq!(
                events(engines, &["ParametersTest"], &["stop"]),
                [
                    "unexpected ParametersTest.isPositive(int)[1] in ParametersTest",
                    "started ParametersTest.isPositive(int)[1]",
                    "witness value 1",
                    "passed ParametersTest.isPositive(int)[1]",
                    "unexpected ParametersTest.isPositive(int)[2] in ParametersTest",
                    "started ParametersTest.isPositive(int)[2]",
                    "witness value -1",
                    "failed ParametersTest.isPositive(int)[2] by AssertionFailedError: expected: <true> but was: <false>",
                ],
                "{}",
                engines.name
            );
            assert_eq!(
                events(engines, &["VintageTest", "VintageParametersTest"], &["stop"]),
                [
                    "started VintageTest.aFails()",
                    "failed VintageTest.aFails() by AssertionError: as Vintage does",
                    "witness tear-down of VintageTest",
                ],
                "{}",
                engines.name
            );
        }
    }

    #[test]
    fn the_listener_can_stop_a_run_and_its_exceptions_are_not_swallowed() {
        for engines in PLATFORMS {
            let start = "started OutcomesTest.aPasses()".to_owned();
            let tear_down = "witness tear-down of OutcomesTest".to_owned();
            assert_eq!(
                events(engines, &["OutcomesTest", "InheritsTest"], &["refuse=sample.OutcomesTest.aPasses()"]),
                [start.clone(), tear_down.clone()]
            );
            assert_eq!(
                events(engines, &["OutcomesTest", "InheritsTest"], &["throw=sample.OutcomesTest.aPasses()"]),
                [start, tear_down, "thrown thrown by the listener".to_owned()]
            );
        }
    }

    #[test]
    fn a_parameterised_test_of_vintage_with_a_changed_name_is_found() {
        for engines in PLATFORMS {
            let events = events(engines, &["VintageRenamedTest"], &["quiet", "select-all"]);
            let outcomes: Vec<&str> = events.iter().filter_map(|line| line.split(' ').next()).collect();
            assert_eq!(outcomes, ["again", "started", "passed", "started", "failed"], "{}", engines.name);
        }
    }

    #[test]
    fn groups_are_tags() {
        for engines in PLATFORMS {
            assert_eq!(found(engines, &["OutcomesTest"], &["groups=slow"]), ["OutcomesTest.bFails()"]);
            assert_eq!(
                found(engines, &["OutcomesTest", "InheritsTest"], &["excluded=slow"]).len(),
                found(engines, &["OutcomesTest", "InheritsTest"], &[]).len() - 1
            );
        }
    }

    #[test]
    fn a_run_restores_the_jvm_and_a_class_that_changes_it_is_reported() {
        for engines in PLATFORMS {
            let dirty = "DirtyTest.leavesTraces()";
            let passed = [format!("started {dirty}"), format!("passed {dirty}"), "disturbed".to_owned()];
            assert_eq!(again(engines, &["DirtyTest"], dirty), passed);
        }
    }
}

#[test]
fn each_engine_has_its_driver() {
    assert_eq!(session(&JUNIT_4_13, &["Outcomes4Test"], &["quiet"]), ["driver JUnit4Driver"]);
    assert_eq!(session(&JUPITER_5_10, &["InheritsTest"], &["quiet"]), ["driver JUnitPlatformDriver"]);
    assert_eq!(session(&TESTNG_7_5, &["InheritsNTest"], &["quiet"]), ["driver TestNGDriver"]);
    assert_eq!(session(&TESTNG_AND_JUNIT, &["NativeTest"], &["quiet"]), ["driver MixedDriver"]);
}

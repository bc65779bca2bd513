//! TestNG, from 6.8 to 7.10.

use super::*;

const ALL: [&Engines; 4] = [&TESTNG_6_8, &TESTNG_6_14, &TESTNG_7_5, &TESTNG_7_10];

/// Removes identity hash codes and the wording of TestNG versions, which differ.
fn outcomes(events: Vec<String>) -> Vec<String> {
    events.into_iter().map(|line| line.split(" by ").next().unwrap().to_owned()).collect()
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

#[test]
fn every_outcome_is_reported() {
    for engines in ALL {
        assert_eq!(
            outcomes(events(engines, &["OutcomesNTest"], &[])),
            [
                "started OutcomesNTest.aPasses()",
                "passed OutcomesNTest.aPasses()",
                "started OutcomesNTest.bFails()",
                "failed OutcomesNTest.bFails()",
                "started OutcomesNTest.dSkips()",
                "skipped OutcomesNTest.dSkips()",
                "started OutcomesNTest.eThrows()",
                "passed OutcomesNTest.eThrows()",
                "started OutcomesNTest.fDoesNotThrow()",
                "failed OutcomesNTest.fDoesNotThrow()",
                "witness tear-down of OutcomesNTest",
            ],
            "{}",
            engines.name
        );
    }
}

#[test]
fn discovery_runs_nothing_and_finds_tests_only() {
    for engines in ALL {
        let classes = ["ParametersNTest", "SetUpNTest", "FactoryNTest", "BaseN", "InheritsNTest", "Helper"];
        assert_eq!(
            sorted(found(engines, &classes, &[])),
            [
                "InheritsNTest.isInherited()",
                "Made[1].isPositive()",
                "Made[2].isPositive()",
                "ParametersNTest.isPositive(int, String)",
                "ParametersNTest.repeats()",
                "SetUpNTest.isReady()",
            ],
            "{}",
            engines.name
        );
        let all = session(engines, &["SetUpNTest"], &["refuse=sample.SetUpNTest.isReady()"]);
        assert!(all[1].starts_with("found ") && all[2] == "witness before the suite", "{all:?}");
    }
}

#[test]
fn invocations_are_reported_one_by_one_and_can_be_selected() {
    for engines in ALL {
        let events = events(engines, &["ParametersNTest"], &[]);
        for line in [
            "unexpected ParametersNTest.isPositive(int, String)[3] in ParametersNTest",
            "passed ParametersNTest.isPositive(int, String)[3]",
            "witness repeats in main",
            "passed ParametersNTest.repeats()[2]",
        ] {
            assert!(events.iter().any(|event| event == line), "{line} is not in {events:#?}");
        }
        let two = "ParametersNTest.isPositive(int, String)[2];ParametersNTest.isPositive(int, String)[3]";
        assert_eq!(
            outcomes(again(engines, &["ParametersNTest"], two)),
            [
                "started ParametersNTest.isPositive(int, String)[2]",
                "witness value -1",
                "failed ParametersNTest.isPositive(int, String)[2]",
                "started ParametersNTest.isPositive(int, String)[3]",
                "witness value 2",
                "passed ParametersNTest.isPositive(int, String)[3]",
            ],
            "{}",
            engines.name
        );
        assert_eq!(
            outcomes(again(engines, &["FactoryNTest"], "Made[2].isPositive()")),
            ["started Made[2].isPositive()", "witness made of -1", "failed Made[2].isPositive()"]
        );
    }
}

#[test]
fn dependencies_of_a_test_run_before_it_and_are_not_reported() {
    for engines in ALL {
        assert_eq!(
            again(engines, &["DependsNTest", "AcrossNTest"], "AcrossNTest.sells()"),
            ["witness login", "started AcrossNTest.sells()", "passed AcrossNTest.sells()"]
        );
        assert_eq!(
            again(engines, &["DependsNTest"], "DependsNTest.buys()"),
            ["witness login", "started DependsNTest.buys()", "passed DependsNTest.buys()"]
        );
        assert_eq!(
            again(engines, &["SetUpNTest", "NeedsSetUpNTest"], "NeedsSetUpNTest.isReady()"),
            [
                "witness before the suite",
                "started NeedsSetUpNTest.isReady()",
                "passed NeedsSetUpNTest.isReady()",
                "witness after the suite",
            ]
        );
        let depends = outcomes(events(engines, &["DependsNTest"], &[]));
        assert_eq!(depends[0], "started DependsNTest.zComesFirst()", "{depends:?}");
        assert!(depends.contains(&"skipped DependsNTest.isSkipped()".to_owned()), "{depends:?}");
    }
}

#[test]
fn failing_set_up_and_tear_down_fail_their_tests() {
    for engines in ALL {
        assert_eq!(
            events(engines, &["SetUpFailsNTest"], &[]),
            ["started SetUpFailsNTest.never()", "failed SetUpFailsNTest.never() by IllegalStateException: no set-up",],
            "{}",
            engines.name
        );
        assert_eq!(
            events(engines, &["TearDownFailsNTest"], &[]),
            [
                "started TearDownFailsNTest.passesAtFirst()",
                "passed TearDownFailsNTest.passesAtFirst()",
                "failed TearDownFailsNTest.passesAtFirst() by IllegalStateException: no tear-down",
            ]
        );
        assert_eq!(
            events(engines, &["AfterMethodFailsNTest"], &[]),
            [
                "started AfterMethodFailsNTest.leavesTraces()",
                "failed AfterMethodFailsNTest.leavesTraces() by IllegalStateException: traces",
            ]
        );
    }
}

#[test]
fn a_retried_test_has_the_outcome_of_its_last_attempt() {
    // 6.8 reports the first attempt as failed, and so does surefire.
    for engines in [&TESTNG_6_14, &TESTNG_7_5, &TESTNG_7_10] {
        let start = "started RetriedNTest.passesAtTheSecondAttempt()";
        assert_eq!(
            events(engines, &["RetriedNTest"], &[]),
            [start, start, "passed RetriedNTest.passesAtTheSecondAttempt()"],
            "{}",
            engines.name
        );
    }
}

#[test]
fn a_run_stops_on_request_and_exceptions_of_the_listener_are_not_swallowed() {
    for engines in ALL {
        let run = |option: &str| {
            let all = outcomes(events(engines, &["OutcomesNTest"], &[option]));
            all.into_iter().filter(|line| !line.ends_with("OutcomesNTest")).collect::<Vec<_>>()
        };
        let first = ["started OutcomesNTest.aPasses()", "passed OutcomesNTest.aPasses()"];
        let failing = ["started OutcomesNTest.bFails()", "failed OutcomesNTest.bFails()"];
        assert_eq!(run("stop"), [first, failing].concat(), "{}", engines.name);
        assert_eq!(run("refuse=sample.OutcomesNTest.aPasses()"), [first[0]]);
        assert_eq!(run("throw=sample.OutcomesNTest.aPasses()"), [first[0], "thrown thrown"]);
    }
}

#[test]
fn groups_are_expressions() {
    for engines in ALL {
        assert_eq!(found(engines, &["OutcomesNTest"], &["groups=slow || none"]), ["OutcomesNTest.bFails()"]);
        assert_eq!(found(engines, &["OutcomesNTest", "InheritsNTest"], &["excluded=slow"]).len(), 5);
    }
}

#[test]
fn junit_tests_run_after_those_of_testng() {
    let all = outcomes(events(&TESTNG_AND_JUNIT, &["FourTest", "NativeTest", "ThreeTest"], &[]));
    assert_eq!(all[..2], ["started NativeTest.isOfTestNG()", "passed NativeTest.isOfTestNG()"]);
    assert_eq!(
        sorted(all[2..].to_vec()),
        [
            "failed FourTest.fails()",
            "passed FourTest.isOfJUnit4()",
            "passed ThreeTest.testIsOfJUnit3()",
            "started FourTest.fails()",
            "started FourTest.isOfJUnit4()",
            "started ThreeTest.testIsOfJUnit3()",
        ]
    );
    let found = found(&TESTNG_AND_JUNIT, &["FourTest", "NativeTest"], &["groups=slow"]);
    assert_eq!(sorted(found), ["FourTest.fails()", "FourTest.isOfJUnit4()"]);
}

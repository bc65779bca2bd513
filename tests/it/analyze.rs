//! Runs whole analyses with the binary, from a Maven project to its reports, on copies of the test
//! projects.

use crate::common::{copy, outcomes, printed};
use std::collections::BTreeSet;
use std::path::Path;

fn expected(project: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects").join(project).join("expected").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a report with the kept one. `RENERI_ACCEPT=1` replaces the kept one, to be reviewed as
/// a diff.
fn compare(project: &str, file: &str, found: &str) {
    if std::env::var_os("RENERI_ACCEPT").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects").join(project).join("expected");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(file), found).unwrap();
    }
    let expected = expected(project, file);
    if found != expected {
        let diff = similar::TextDiff::from_lines(expected.as_str(), found);
        panic!("{project}/expected/{file} is not what was found:\n{}", diff.unified_diff());
    }
}

/// (class.method, transformation, symptom) of everything undetected.
fn undetected(report: &serde_json::Value) -> Vec<(String, String, String)> {
    report["transformations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["status"] == "undetected")
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap().to_owned();
            (text("method"), text("transformation"), text("symptom"))
        })
        .collect()
}

fn schema_errors(report: &serde_json::Value) -> Vec<String> {
    let schema = serde_json::from_str(reneri::report::SCHEMA).unwrap();
    jsonschema::validator_for(&schema).unwrap().iter_errors(report).map(|error| error.to_string()).collect()
}

/// Checks that each stage has its own workers and fits within the whole.
fn compare_timings(json: &str, printed: &str) {
    let times: serde_json::Value = serde_json::from_str(json).unwrap();
    let seconds = |time: &serde_json::Value, kind: &str| time[kind].as_f64().unwrap();
    let in_mebibytes = |used: &serde_json::Value| used["peak_memory_bytes"].as_u64().map(|bytes| bytes >> 20);
    assert!(in_mebibytes(&times).is_some_and(|size| (3..1000).contains(&size)), "{times}");
    let stages = times["stages"].as_array().unwrap();
    for (name, worker_runs) in [("Running the tests", 3), ("Transforming", 5), ("Observing", 12)] {
        let stage = stages.iter().find(|stage| stage["name"].as_str().unwrap().starts_with(name)).unwrap();
        assert!(printed.contains(stage["name"].as_str().unwrap()), "{printed}");
        let workers = stage["workers"].as_array().unwrap();
        let runs: u64 = workers.iter().map(|worker| worker["runs"].as_u64().unwrap()).sum();
        assert!(runs >= worker_runs, "{stage}");
        let of_workers: f64 = workers.iter().map(|worker| seconds(worker, "cpu_seconds")).sum();
        assert!(of_workers > 0.0 && of_workers <= seconds(stage, "cpu_seconds") + 0.01, "{stage}");
        // A JVM that has run tests needs more memory than this, and less than that.
        assert!(
            workers.iter().all(|worker| in_mebibytes(worker).is_some_and(|size| (10..4000).contains(&size))),
            "{stage}"
        );
    }
    let sum: f64 = stages.iter().map(|stage| seconds(stage, "wall_seconds")).sum();
    assert!(sum <= seconds(&times["total"], "wall_seconds") + 0.1, "{times}");
    assert!(printed.contains("in all"), "{printed}");
}

#[test]
fn the_running_example_has_its_four_findings_and_the_reports_are_the_kept_ones() {
    let project = copy("versioned-set");
    let before = project.files();
    let output = project.analyze(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let json = project.report("report.json");
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let found = undetected(&report);
    let four = [
        ("equals", "true", "no-infection"),
        ("incrementVersion", "void", "weak-oracle"),
        ("isEmpty", "true", "no-propagation"),
        ("isEmpty", "false", "no-infection"),
    ];
    assert_eq!(found.len(), four.len(), "{found:?}");
    for (method, transformation, symptom) in four {
        let one = (method.to_owned(), transformation.to_owned(), symptom.to_owned());
        assert!(found.contains(&one), "{one:?} is not in {found:?}");
    }
    assert_eq!(schema_errors(&report), Vec::<String>::new());
    let markdown = project.report("report.md");

    // The same input again gives the same bytes.
    let output = project.analyze(&["--jobs", "1", "--no-history"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(project.report("report.json"), json);
    assert_eq!(project.report("report.md"), markdown);
    assert_eq!(project.files(), before, "the project was changed");

    compare("versioned-set", "report.md", &markdown);
    compare("versioned-set", "summary.md", &project.report("summary.md"));
    compare("versioned-set", "report.json", &json);
}

#[test]
fn junit_5_with_parameterised_and_nested_tests_has_the_same_four_findings() {
    let project = copy("versioned-set-junit5");
    let output = project.analyze(&["--runs", "4", "--fail-on", "any", "--timings", "--no-fix"]);
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    compare_timings(&project.report("timings.json"), &printed(&output));
    let report = project.json();
    assert_eq!(schema_errors(&report), Vec::<String>::new());
    let symptoms: Vec<String> = undetected(&report).into_iter().map(|(_, _, symptom)| symptom).collect();
    assert_eq!(symptoms.iter().filter(|symptom| *symptom == "no-infection").count(), 2);
    assert_eq!(symptoms.len(), 4);
    assert_eq!(report["tests"]["failing"], serde_json::json!([]));
    assert_eq!(report["tests"]["unstable"], serde_json::json!([]));
}

#[test]
fn a_jvm_goes_on_with_what_follows() {
    let project = copy("versioned-set");
    let test = "package org.example;

import static java.nio.file.StandardOpenOption.*;
import java.nio.file.*;

public class ProcessTest {
    @org.junit.Test
    public void saysWhereItRuns() throws Exception {
        new VersionedSet<String>().clear();
        String name = java.lang.management.ManagementFactory.getRuntimeMXBean().getName() + \"\\n\";
        Files.write(Paths.get(\"target/processes\"), name.getBytes(), CREATE, APPEND);
    }
}
";
    std::fs::write(project.root.join("src/test/java/org/example/ProcessTest.java"), test).unwrap();
    let file = project.root.join("target/processes");
    for (jobs, expected) in [("1", 1), ("2", 2)] {
        let report = project.analyzed(&["--jobs", jobs, "--runs", "2", "--no-history", "--no-fix"]);
        assert_eq!(report["summary"]["undetected"], 4, "{:#}", report["summary"]);
        let said = std::fs::read_to_string(&file).unwrap();
        let processes: BTreeSet<&str> = said.lines().collect();
        // The JVMs of the coverage judge as well, and one of them observes; the second JVM of the
        // observation is new.
        assert_eq!(processes.len(), expected + 1, "{said}");
        std::fs::remove_file(&file).unwrap();
    }
    project.analyzed(&["--jobs", "2", "--runs", "2", "--no-history", "--timings"]);
    let timings: serde_json::Value = serde_json::from_str(&project.report("timings.json")).unwrap();
    let patches = timings["stages"].as_array().unwrap().last().unwrap();
    assert!(patches["name"].as_str().unwrap().starts_with("Writing tests"), "{timings:#}");
    // All attempts run in the JVMs of the observation. Their results are proven in two others, and
    // elsewhere in one.
    assert_eq!(patches["workers"].as_array().unwrap().len(), 5, "{patches:#}");
}

#[test]
fn original_against_original_finds_nothing() {
    let project = copy("versioned-set");
    let output = project.analyze(&["--self-check"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("Self-check passed"), "{}", printed(&output));
}

#[test]
fn a_test_that_fails_beforehand_is_left_out_and_named_and_the_others_count() {
    let project = copy("failing-test");
    let report = project.analyzed(&["--runs", "2"]);
    assert_eq!(report["tests"]["failing"].as_array().unwrap().len(), 1, "{}", report["tests"]);
    assert!(report["summary"]["detected"].as_u64().unwrap() > 0, "{}", report["summary"]);
}

#[test]
fn loops_exits_static_tables_assertions_noise_and_set_up_are_each_judged_right() {
    let project = copy("behaviours");
    let report = project.analyzed(&["--runs", "4"]);
    let outcomes = outcomes(&report);
    let expected = [
        // A loop that never ends.
        ("Countdown.isOver/false", "timed-out"),
        ("Countdown.isOver/true", "detected"),
        // `System.exit` ends one worker and nothing else.
        ("Guard.isWelcome/false", "detected"),
        // The switch is on before the class is initialised.
        ("Squares.square/0", "detected"),
        ("Squares.square/1", "detected"),
        // Surefire runs with `-ea`.
        ("Checked.divide/0", "detected"),
        // Two levels deep.
        ("Ledger.deposit/void", "no-propagation"),
        // A static field.
        ("Visits.register/void", "no-propagation"),
        // Wrapping a collection or not does not change its depth.
        ("Tags.distinct/null", "weak-oracle"),
        ("Tags.frozen/null", "weak-oracle"),
        // A tear-down that counts the tests of its class hides nothing that one of these tests sees
        // or misses.
        ("Names.greet/null", "detected"),
        ("Names.clean/null", "detected"),
        ("Names.isLong/false", "detected"),
        ("Names.isLong/true", "no-infection"),
        // A transformation that leaves something in a static cache does not make another one
        // detected.
        ("Cache.compute/0", "detected"),
        ("Cache.tally/void", "no-propagation"),
        // If the test that found an existing context runs alone, it has to set it up: that is slow,
        // but not a time-out.
        ("Context.tick/void", "no-propagation"),
        // The only test skips itself if this does not hold, so it does not fail.
        ("Platform.supports/false", "weak-oracle"),
        // Clocks, random numbers and identities around it are noise; the counter is not.
        ("Token.count/void", "weak-oracle"),
        // Called for the parameters of a test, before any test runs.
        ("Modes.names/empty", "weak-oracle"),
    ];
    for (transformation, outcome) in expected {
        assert_eq!(
            outcomes.get(transformation).map(String::as_str),
            Some(outcome),
            "{transformation} in {outcomes:#?}"
        );
    }
    let entry = |method: &str| {
        report["transformations"].as_array().unwrap().iter().find(|entry| entry["method"] == method).unwrap().clone()
    };
    let skips: Vec<_> = report["transformations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["skippedTests"].is_array())
        .map(|entry| (&entry["method"], &entry["transformation"], &entry["skippedTests"]))
        .collect();
    let parameters = serde_json::json!(["org.example.ModesTest.hasAName()[1]", "org.example.ModesTest.hasAName()[2]"]);
    let assumption = serde_json::json!(["org.example.PlatformTest.startsWhereItIsSupported()"]);
    assert_eq!(
        skips,
        [(&"names".into(), &"empty".into(), &parameters), (&"supports".into(), &"false".into(), &assumption)]
    );
    let of_class = &entry("register")["evidence"][0];
    assert_eq!(
        (&of_class["part"], &of_class["path"], &of_class["original"], &of_class["transformed"]),
        (&"static".into(), &".count".into(), &"1".into(), &"0".into())
    );
    let deep = entry("deposit");
    // The study looked at one level.
    assert_eq!(deep["studySymptom"], "no-infection", "{deep:#}");
    assert!(
        deep["evidence"].as_array().unwrap().iter().any(|evidence| evidence["deep"] == true
            && evidence["path"] == ".entries[0].amount"
            && evidence["original"] == "5"
            && evidence["transformed"] == "0"),
        "{deep:#}"
    );
    let noisy = entry("count");
    for evidence in noisy["evidence"].as_array().unwrap() {
        assert_eq!(evidence["path"], ".uses", "{evidence:#}");
    }
}

#[test]
fn noise_is_no_difference_between_the_original_and_itself() {
    let project = copy("behaviours");
    let output = project.analyze(&["--self-check", "--runs", "4"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
}

#[test]
fn tests_that_another_module_inherits_are_watched_there_and_generated_code_is_no_finding() {
    let project = copy("inherited-tests");
    let report = project.analyzed(&["--no-fix"]);
    let expected = [("Engine.gap/0", "weak-oracle"), ("Engine.gap/1", "weak-oracle")];
    let (undetected, detected): (Vec<_>, Vec<_>) =
        outcomes(&report).into_iter().partition(|(_, outcome)| outcome != "detected");
    assert_eq!(undetected, expected.map(|(id, outcome)| (id.to_owned(), outcome.to_owned())));
    assert!(detected.iter().all(|(id, _)| !id.starts_with("Lexer")), "{detected:?}");
    let all = report["transformations"].as_array().unwrap();
    let gap = all.iter().find(|entry| entry["method"] == "gap").unwrap();
    assert_eq!(gap["evidence"][0]["test"], "org.app.MotorTest.runs()");
    assert_eq!(gap["evidence"][0]["file"], "kit/src/test/java/org/kit/AbstractEngineTest.java");
    assert_eq!(report["summary"]["stopped"], 1, "`Lexer.next` has the mark of ANTLR in its source only");
}

#[test]
fn tests_of_every_module_reach_the_code_of_those_it_depends_on() {
    let project = copy("several-modules");
    let before = project.files();
    let output = project.analyze(&["--no-fix"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("tools has no tests"), "{}", printed(&output));
    assert_eq!(project.files(), before, "the project was changed");
    let report = project.json();
    assert_eq!(schema_errors(&report), Vec::<String>::new());
    assert_eq!(report["project"]["modules"], serde_json::json!(["core", "app", "tools"]));
    let all = report["transformations"].as_array().unwrap();
    let of = |id: &str| all.iter().find(|entry| entry["id"] == id).unwrap_or_else(|| panic!("no {id}"));
    // The tests of `core` enter it but do not check it; `checks`, two modules further, does.
    let withdraw = of("org.example.core.Account.withdraw(I)V/void");
    assert_eq!(withdraw["module"], "core");
    assert_eq!(withdraw["file"], "core/src/main/java/org/example/core/Account.java");
    assert_eq!(withdraw["detectedBy"][0], "org.example.checks.WithdrawalTest.anAccountIsEmptied()");
    // No test of its own module enters it.
    let label = of("org.example.core.Account.label()Ljava/lang/String;/null");
    assert_eq!(label["detectedBy"][0], "org.example.app.BankTest.accountsAreLabelled()");
    assert_eq!(of("org.example.app.Bank.close(Lorg/example/core/Account;)V/void")["symptom"], "no-propagation");
    // No test checks it, but tests of all three modules were compared.
    let count = of("org.example.core.Account.count()V/void");
    assert_eq!(count["status"], "undetected");
    let modules: std::collections::BTreeSet<&str> = count["coveringTests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| test.as_str().unwrap().split('.').nth(2).unwrap())
        .collect();
    assert!(modules.contains("core") && modules.contains("checks"), "{modules:?}");
    assert!(
        all.iter().filter(|entry| entry["module"] == "tools").all(|entry| entry["status"] == "not-covered"),
        "code without tests is not left out"
    );

    let report = project.analyzed(&["--module", "app", "--no-fix"]);
    let modules: Vec<&str> =
        report["transformations"].as_array().unwrap().iter().map(|entry| entry["module"].as_str().unwrap()).collect();
    assert!(!modules.is_empty() && modules.iter().all(|module| *module == "app"), "{modules:?}");

    let output = project.analyze(&["--module", "nowhere"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains("core, app, tools"), "{}", printed(&output));
}

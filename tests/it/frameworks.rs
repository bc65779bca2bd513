//! Every kind of test of every framework. Only one kind of test calls each method of a project's
//! `Kinds`, so the test that detects its transformations shows that the kind was run and credited.

use crate::common::{Copy, copy};
use serde_json::Value;
use std::collections::BTreeMap;

struct Analysed {
    report: Value,
    project: Copy,
}

fn analyse(project: &str, arguments: &[&str]) -> Analysed {
    let project = copy(project);
    let report = project.analyzed(&[&["--runs", "2"], arguments].concat());
    for kind in ["failing", "unstable"] {
        assert_eq!(report["tests"][kind], serde_json::json!([]), "{:#}", report["tests"]);
    }
    Analysed { report, project }
}

impl Analysed {
    /// The result of returning 0 for each method of `Kinds`: the detecting test, the status, or the
    /// symptom.
    fn outcomes(&self) -> BTreeMap<String, String> {
        let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let entries = self.report["transformations"].as_array().unwrap().iter();
        entries
            .filter(|entry| entry["transformation"] == "0")
            .map(|entry| {
                let outcome = match text(entry, "status").as_str() {
                    "detected" => entry["detectedBy"][0].as_str().unwrap().replace("org.example.", ""),
                    "undetected" => text(entry, "symptom"),
                    status => status.to_owned(),
                };
                (text(entry, "method"), outcome)
            })
            .collect()
    }

    fn covering(&self, method: &str) -> Vec<String> {
        let mut entries = self.report["transformations"].as_array().unwrap().iter();
        let entry = entries.find(|entry| entry["method"] == method).unwrap();
        let names = entry["coveringTests"].as_array().unwrap().iter();
        names.map(|name| name.as_str().unwrap().replace("org.example.", "")).collect()
    }

    /// Checks the detecting test or status of each of these methods.
    fn are(&self, expected: &[(&str, &str)]) {
        let outcomes = self.outcomes();
        for (method, outcome) in expected {
            assert_eq!(outcomes.get(*method).map(String::as_str), Some(*outcome), "{method} in {outcomes:#?}");
        }
    }

    /// Checks that the set-up of a class does not count for the class before it.
    fn is_of_kinds_test_alone(&self, method: &str) {
        let covering = self.covering(method);
        assert!(covering.len() > 1 && covering.iter().all(|test| test.starts_with("KindsTest")), "{covering:#?}");
    }

    fn total(&self) -> u64 {
        self.report["tests"]["total"].as_u64().unwrap()
    }
}

#[test]
fn testng_runs_data_providers_factories_dependencies_suite_set_up_listeners_and_junit_beside_it() {
    let analysed = analyse("testng", &[]);
    analysed.are(&[
        ("plain", "MethodsTest.plain()"),
        ("provided", "MethodsTest.provided(int, int)[1]"),
        ("repeated", "MethodsTest.repeated()[1]"),
        ("expected", "MethodsTest.expected()"),
        // Alone, each of them is skipped, or fails because something it depends on is missing.
        ("dependent", "DependentTest.dependent()"),
        ("across", "AcrossTest.across()"),
        // The test that enters it checks nothing, and one of another class depends on it.
        ("awaited", "AcrossTest.across()"),
        ("made", "Made[1].made()"),
        ("inherited", "InheritedTest.inherited()"),
        // Passes only if another class has prepared the suite and the POM's listener was called.
        ("nextSuite", "AfterSuiteTest.nextSuite()"),
        ("beside", "BesideTest.beside()"),
        // Called before the suite.
        ("beforeSuite", "SuiteTest.beforeSuite()"),
        ("excluded", "not-covered"),
        ("unchecked", "weak-oracle"),
    ]);
    assert_eq!(
        analysed.covering("provided"),
        ["MethodsTest.provided(int, int)[1]", "MethodsTest.provided(int, int)[2]"]
    );
    assert_eq!(analysed.covering("made"), ["Made[1].made()", "Made[2].made()"]);
    assert_eq!(analysed.total(), 16);
}

#[test]
fn testng_suite_files_select_the_tests() {
    let analysed = analyse("testng", &["--no-fix", "--maven-arg=-Dsurefire.suiteXmlFiles=testng.xml"]);
    analysed.are(&[
        ("plain", "MethodsTest.plain()"),
        ("dependent", "DependentTest.dependent()"),
        ("made", "Made[1].made()"),
        ("provided", "not-covered"),
        ("beside", "not-covered"),
    ]);
    assert_eq!(analysed.total(), 5);
}

#[test]
fn junit_3_without_junit_4_runs_test_cases_and_suites() {
    let analysed = analyse("junit3", &[]);
    analysed.are(&[
        ("plain", "PlainTest.testPlain()"),
        ("inherited", "PlainTest.testInherited()"),
        ("suite", "AllTests$InSuite.testSuite()"),
        ("pojo", "PojoTest.testPojo()"),
        // The set-up of the suite calls it, and one of its tests, not the first, checks it.
        ("decorated", "AllTests$InSuite.testDecorated()"),
        ("unchecked", "weak-oracle"),
    ]);
    assert_eq!(analysed.total(), 6);
}

#[test]
fn junit_4_runs_rules_runners_suites_and_categories() {
    // In this order, the first class is not the one that supplies parameters.
    let analysed = analyse("junit4", &["--maven-arg=-Dsurefire.runOrder=alphabetical"]);
    analysed.are(&[
        ("plain", "KindsTest.plain()"),
        ("rule", "KindsTest.rule()"),
        ("expected", "KindsTest.expected()"),
        ("parameterized", "ParametersTest.parameterized()[0]"),
        ("supplied", "ParametersTest.parameterized()[0]"),
        ("theory", "TheoryTest.theory()"),
        ("category", "KindsTest.category()"),
        ("excluded", "not-covered"),
        ("inSuite", "InSuite.inSuite()"),
        ("enclosed", "EnclosedTest$Inner.enclosed()"),
        ("runner", "RunnerTest.runs()"),
        ("three", "ThreeTest.testThree()"),
        ("inherited", "InheritsTest.inherited()"),
        // The set-up of the class calls it, and one of its tests, not the first, checks it.
        ("beforeClass", "KindsTest.beforeClass()"),
        ("classRule", "KindsTest.classRule()"),
        ("unchecked", "weak-oracle"),
    ]);
    // Listing the tests also calls the methods that supply parameters; that is no set-up of the first
    // class.
    for method in ["parameterized", "supplied"] {
        let both = ["ParametersTest.parameterized()[0]", "ParametersTest.parameterized()[1]"];
        assert_eq!(analysed.covering(method), both, "{method}");
    }
    analysed.is_of_kinds_test_alone("beforeClass");
    analysed.is_of_kinds_test_alone("classRule");
    assert_eq!(analysed.total(), 16);
}

/// The same tests with JUnit 5 and with JUnit 6.
fn is_jupiter(arguments: &[&str]) {
    let analysed = analyse("jupiter", arguments);
    analysed.are(&[
        ("plain", "KindsTest.plain()"),
        ("parameterized", "KindsTest.parameterized(int[])[1]"),
        ("repeated", "KindsTest.repeated()[1]"),
        ("dynamic", "KindsTest.dynamic()[1]"),
        ("nested", "KindsTest$Inner.nested()"),
        ("deeper", "KindsTest$Inner$Deeper.deeper()"),
        ("inherited", "InheritsTest.inherited()"),
        ("contract", "InheritsTest.contract()"),
        ("generic", "InheritsTest.generic()"),
        ("extension", "ExtendedTest.extension(int)"),
        ("thrown", "KindsTest.thrown()"),
        ("inSuite", "InSuite.inSuite()"),
        ("excluded", "not-covered"),
        ("four", "FourTest.four()"),
        ("three", "ThreeTest.testThree()"),
        ("theory", "TheoryTest.theory(int)"),
        ("retried", "RetriedTest.retried()[1]"),
        // The set-up of the class calls it, and one of its tests, not the first, checks it.
        ("beforeAll", "KindsTest.beforeAll()"),
        ("unchecked", "weak-oracle"),
    ]);
    assert_eq!(analysed.covering("dynamic"), ["KindsTest.dynamic()[1]", "KindsTest.dynamic()[2]"]);
    analysed.is_of_kinds_test_alone("beforeAll");
    assert_eq!(analysed.total(), 22);
}

#[test]
fn junit_5_runs_its_own_tests_and_those_of_junit_4_and_3() {
    is_jupiter(&["--no-fix"]);
}

#[test]
fn junit_6_runs_the_same_tests_as_junit_5() {
    is_jupiter(&[
        "--maven-arg=-Djunit.version=6.0.1",
        "--maven-arg=-Djunit.platform.version=6.0.1",
        "--maven-arg=-Dmaven.compiler.source=17",
        "--maven-arg=-Dmaven.compiler.target=17",
    ]);
}

#[test]
fn specifications_of_spock_run_and_the_report_says_that_they_are_not_observed() {
    let analysed = analyse("spock", &[]);
    analysed.are(&[("feature", "KindsSpec.a feature has words()"), ("java", "weak-oracle")]);
    let iterated = analysed.outcomes()["iterated"].clone();
    assert!(iterated.starts_with("KindsSpec.") && iterated.ends_with(']'), "{iterated}");
    is_said_of(&analysed, "src/test/groovy/org/example/KindsSpec.groovy");
}

#[test]
fn tests_in_kotlin_run_and_the_report_says_that_they_are_not_observed() {
    let analysed = analyse("kotlin", &[]);
    analysed.are(&[("written", "WrittenTest.is written in words()"), ("java", "weak-oracle")]);
    is_said_of(&analysed, "src/test/kotlin/org/example/WrittenTest.kt");
}

fn is_said_of(analysed: &Analysed, file: &str) {
    let left_out = &analysed.report["tests"]["probes"]["leftOut"];
    assert_eq!(left_out[0]["file"], file, "{left_out:#}");
    let markdown = analysed.project.report("report.md");
    let name = file.rsplit('/').next().unwrap();
    assert!(markdown.contains(name) && markdown.contains("not written in Java"), "{markdown}");
}

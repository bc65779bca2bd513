//! The drivers find and run the tests of small Java classes, with every generation of test engines, and tell what happened as it did.
//!
//! JUnit comes from Maven Central, once, into the target folder; `tests/java/main/Session.java` does what a worker does.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use reneri::java::{compile_cached, tool};
use reneri::jvm::driver_sources::sources;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A set of engines as a project may have it.
struct Engines {
    name: &'static str,
    /// `group:artifact:version`.
    artifacts: &'static [&'static str],
    junit4: bool,
    platform: bool,
    samples: &'static str,
}

const JUNIT_4_12: Engines =
    Engines { name: "junit-4.12", artifacts: &["junit:junit:4.12"], junit4: true, platform: false, samples: "junit4" };
const JUNIT_4_13: Engines = Engines { name: "junit-4.13.2", artifacts: &["junit:junit:4.13.2"], ..JUNIT_4_12 };
const JUPITER_5_10: Engines = Engines {
    name: "jupiter-5.10.5",
    artifacts: &[
        "org.junit.jupiter:junit-jupiter:5.10.5",
        "org.junit.vintage:junit-vintage-engine:5.10.5",
        "org.junit.platform:junit-platform-launcher:1.10.5",
    ],
    junit4: true,
    platform: true,
    samples: "jupiter",
};
const JUPITER_5_14: Engines = Engines {
    name: "jupiter-5.14.1",
    artifacts: &[
        "org.junit.jupiter:junit-jupiter:5.14.1",
        "org.junit.vintage:junit-vintage-engine:5.14.1",
        "org.junit.platform:junit-platform-launcher:1.14.1",
    ],
    ..JUPITER_5_10
};
const JUPITER_6: Engines = Engines {
    name: "jupiter-6.0.1",
    artifacts: &[
        "org.junit.jupiter:junit-jupiter:6.0.1",
        "org.junit.vintage:junit-vintage-engine:6.0.1",
        "org.junit.platform:junit-platform-launcher:6.0.1",
    ],
    ..JUPITER_5_10
};
const PLATFORMS: [&Engines; 3] = [&JUPITER_5_10, &JUPITER_5_14, &JUPITER_6];

fn java_home() -> &'static Path {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| {
        std::env::var_os("JAVA_HOME").map(PathBuf::from).filter(|home| tool(home, "javac").is_file()).unwrap_or_else(
            || {
                let path = std::env::var_os("PATH").unwrap();
                let javac =
                    std::env::split_paths(&path).map(|folder| folder.join("javac")).find(|javac| javac.is_file());
                let javac = javac.expect("a JDK: set JAVA_HOME").canonicalize().unwrap();
                javac.parent().unwrap().parent().unwrap().to_path_buf()
            },
        )
    })
}

/// The jars of these engines and of all that they need, sorted.
fn jars(engines: &Engines) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines").join(engines.name);
    let complete = folder.join("complete");
    if !complete.is_file() {
        fs::create_dir_all(&folder).unwrap();
        let dependencies: String = engines
            .artifacts
            .iter()
            .map(|artifact| {
                let parts: Vec<_> = artifact.split(':').collect();
                format!(
                    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>",
                    parts[0], parts[1], parts[2]
                )
            })
            .collect();
        fs::write(
            folder.join("pom.xml"),
            format!(
                "<project><modelVersion>4.0.0</modelVersion><groupId>reneri</groupId><artifactId>engines</artifactId>\
                 <version>1</version><dependencies>{dependencies}</dependencies></project>"
            ),
        )
        .unwrap();
        let maven = Command::new("mvn")
            .args(["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"])
            .current_dir(&folder)
            .output()
            .expect("mvn");
        assert!(maven.status.success(), "{}", String::from_utf8_lossy(&maven.stdout));
        fs::write(complete, "").unwrap();
    }
    let mut jars: Vec<_> = fs::read_dir(folder.join("jars")).unwrap().map(|entry| entry.unwrap().path()).collect();
    jars.sort();
    jars
}

/// Class path of the samples, the drivers and the engines: what a worker would have.
fn class_path(engines: &Engines) -> Vec<PathBuf> {
    let jars = jars(engines);
    let drivers =
        compile_cached(java_home(), "drivers", &sources(engines.junit4, engines.platform), &[], &jars).unwrap();
    let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples").join(engines.name);
    let mut path = vec![classes.clone(), drivers];
    path.extend(jars);
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    let files: Vec<PathBuf> = [java.join("main"), java.join(engines.samples).join("sample")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    fs::create_dir_all(&classes).unwrap();
    let javac = Command::new(tool(java_home(), "javac"))
        .args(["-nowarn", "-proc:none", "-d"])
        .arg(&classes)
        .arg("-cp")
        .arg(std::env::join_paths(&path).unwrap())
        .args(files)
        .output()
        .unwrap();
    assert!(javac.status.success(), "{}", String::from_utf8_lossy(&javac.stderr));
    path
}

/// One JVM for each set of engines, which holds one session after the other; it ends when this process does.
struct Sessions {
    engines: &'static str,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

static SESSIONS: Mutex<Vec<Sessions>> = Mutex::new(Vec::new());

fn start(engines: &Engines) -> Sessions {
    let mut java = Command::new(tool(java_home(), "java"))
        .args(["-Dsample.kept=value", "-Duser.timezone=UTC", "-Duser.language=en", "-Duser.country=US", "-cp"])
        .arg(std::env::join_paths(class_path(engines)).unwrap())
        .arg("Session")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let answers = BufReader::new(java.stdout.take().unwrap());
    Sessions { engines: engines.name, requests: java.stdin.take().unwrap(), answers }
}

/// What a session prints, without the package of the samples.
fn session(engines: &Engines, classes: &[&str], options: &[&str]) -> Vec<String> {
    let mut all = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if !all.iter().any(|sessions| sessions.engines == engines.name) {
        let started = start(engines);
        all.push(started);
    }
    let sessions = all.iter_mut().find(|sessions| sessions.engines == engines.name).unwrap();
    let classes: Vec<String> = classes.iter().map(|class| format!("sample.{class}")).collect();
    let request = [&[classes.join(",").as_str()], options].concat().join("\t");
    writeln!(sessions.requests, "{request}").unwrap();
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        assert_ne!(sessions.answers.read_line(&mut line).unwrap(), 0, "the JVM ended after {lines:?}");
        let line = line.trim_end().replace("sample.", "");
        if line == "end" {
            return lines;
        }
        lines.push(line);
    }
}

/// What happened in the run.
fn events(engines: &Engines, classes: &[&str], options: &[&str]) -> Vec<String> {
    let keep = |line: &String| !line.starts_with("found ") && !line.starts_with("driver ");
    session(engines, classes, options).into_iter().filter(keep).collect()
}

/// Names of the tests that discovery found.
fn found(engines: &Engines, classes: &[&str], options: &[&str]) -> Vec<String> {
    session(engines, classes, options)
        .into_iter()
        .filter_map(|line| line.strip_prefix("found ").and_then(|line| line.split(" in ").next()).map(str::to_owned))
        .collect()
}

/// What the second session, which runs `names` only, does.
fn again(engines: &Engines, classes: &[&str], names: &str) -> Vec<String> {
    let names: Vec<String> = names.split(';').map(|name| format!("sample.{name}")).collect();
    let all = events(engines, classes, &["quiet", &format!("select={}", names.join(";"))]);
    let second = all.iter().position(|line| line == "again").unwrap();
    all[second + 1..].to_vec()
}

mod junit4 {
    use super::*;

    const BOTH: [&Engines; 2] = [&JUNIT_4_12, &JUNIT_4_13];

    #[test]
    fn every_outcome_is_told() {
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
    fn discovery_takes_what_surefire_takes_in_the_order_asked_for() {
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
                // Once more, by way of the suite.
                "Inherits4Test.isInherited() #2",
                "JUnit3Test.testFails()",
                "JUnit3Test.testPasses()",
            ]
        );
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
    fn a_class_that_fails_fails_each_of_its_tests() {
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
    fn parameterised_tests_with_equal_names_are_told_apart() {
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
    fn a_parameterised_test_whose_name_changed_is_found_by_its_place() {
        // The second session finds other names than the first one.
        let events = events(&JUNIT_4_13, &["Renamed4Test"], &["quiet", "select-all"]);
        let outcomes: Vec<&str> = events.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(outcomes, ["again", "started", "passed", "started", "failed"]);
    }

    #[test]
    fn a_runner_that_cannot_be_made_fails_the_tests_that_it_should_run() {
        assert_eq!(
            again(&JUNIT_4_13, &["InitFails4Test"], "InitFails4Test.never()[0]"),
            [
                "started InitFails4Test.never()[0]",
                "failed InitFails4Test.never()[0] by IllegalStateException: no parameters"
            ]
        );
    }

    #[test]
    fn a_run_stops_at_the_first_failure_or_when_the_listener_says_so() {
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
    fn a_run_leaves_the_jvm_as_it_was() {
        let dirty = "Dirty4Test.leavesTraces()";
        let passed: [String; 2] = [format!("started {dirty}"), format!("passed {dirty}")];
        assert_eq!(events(&JUNIT_4_13, &["Dirty4Test"], &[]), passed);
        assert_eq!(again(&JUNIT_4_13, &["Dirty4Test"], dirty), passed);
    }
}

mod platform {
    use super::*;

    #[test]
    fn every_outcome_is_told_and_invocations_come_unexpectedly() {
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
    fn discovery_runs_nothing_and_finds_what_every_engine_has() {
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
    fn what_fails_or_skips_a_class_or_a_template_does_so_to_its_tests() {
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
    fn the_listener_can_stop_a_run_and_what_it_throws_is_not_swallowed() {
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
    fn a_parameterised_test_of_vintage_whose_name_changed_is_found_by_its_place() {
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
    fn a_run_leaves_the_jvm_as_it_was() {
        for engines in PLATFORMS {
            let dirty = "DirtyTest.leavesTraces()";
            assert_eq!(again(engines, &["DirtyTest"], dirty), [format!("started {dirty}"), format!("passed {dirty}")]);
        }
    }
}

#[test]
fn the_driver_is_chosen_by_what_is_on_the_class_path() {
    assert_eq!(session(&JUNIT_4_13, &["Outcomes4Test"], &["quiet"]), ["driver JUnit4Driver"]);
    assert_eq!(session(&JUPITER_5_10, &["InheritsTest"], &["quiet"]), ["driver JUnitPlatformDriver"]);
}

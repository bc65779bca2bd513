//! Runs `tests/java/main/Session.java`, which does the work of a worker, with a set of test engines.
//!
//! The engines are downloaded from Maven Central once, into the target folder.

use reneri::base::embedded_java::{compile_cached, tool};
use reneri::recipe::Engine;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A set of test engines that a project may have.
pub struct Engines {
    pub name: &'static str,
    /// `group:artifact:version`.
    artifacts: &'static [&'static str],
    /// The name in `recipe::Engine`.
    engine: &'static str,
    junit4: bool,
    samples: &'static str,
}

pub const JUNIT_4_12: Engines =
    Engines { name: "junit-4.12", artifacts: &["junit:junit:4.12"], engine: "JUnit4", junit4: true, samples: "junit4" };
/// The last version without a defined order of methods.
pub const JUNIT_4_10: Engines =
    Engines { name: "junit-4.10", artifacts: &["junit:junit:4.10"], samples: "junit4-old", ..JUNIT_4_12 };
pub const JUNIT_4_13: Engines = Engines { name: "junit-4.13.2", artifacts: &["junit:junit:4.13.2"], ..JUNIT_4_12 };
pub const JUPITER_5_10: Engines = Engines {
    name: "jupiter-5.10.5",
    artifacts: &[
        "org.junit.jupiter:junit-jupiter:5.10.5",
        "org.junit.vintage:junit-vintage-engine:5.10.5",
        "org.junit.platform:junit-platform-launcher:1.10.5",
    ],
    engine: "JUnitPlatform",
    junit4: true,
    samples: "jupiter",
};
pub const JUPITER_5_14: Engines = Engines {
    name: "jupiter-5.14.1",
    artifacts: &[
        "org.junit.jupiter:junit-jupiter:5.14.1",
        "org.junit.vintage:junit-vintage-engine:5.14.1",
        "org.junit.platform:junit-platform-launcher:1.14.1",
    ],
    ..JUPITER_5_10
};
pub const JUPITER_6: Engines = Engines {
    name: "jupiter-6.0.1",
    artifacts: &[
        "org.junit.jupiter:junit-jupiter:6.0.1",
        "org.junit.vintage:junit-vintage-engine:6.0.1",
        "org.junit.platform:junit-platform-launcher:6.0.1",
    ],
    ..JUPITER_5_10
};

pub const TESTNG_6_8: Engines = Engines {
    name: "testng-6.8.8",
    artifacts: &["org.testng:testng:6.8.8"],
    engine: "TestNG",
    junit4: false,
    samples: "testng",
};
pub const TESTNG_6_14: Engines =
    Engines { name: "testng-6.14.3", artifacts: &["org.testng:testng:6.14.3"], ..TESTNG_6_8 };
pub const TESTNG_7_5: Engines = Engines { name: "testng-7.5.1", artifacts: &["org.testng:testng:7.5.1"], ..TESTNG_6_8 };
pub const TESTNG_7_10: Engines =
    Engines { name: "testng-7.10.2", artifacts: &["org.testng:testng:7.10.2"], ..TESTNG_6_8 };
pub const TESTNG_AND_JUNIT: Engines = Engines {
    name: "testng-junit",
    artifacts: &["org.testng:testng:7.5.1", "junit:junit:4.13.2"],
    junit4: true,
    samples: "testng-junit",
    ..TESTNG_6_8
};

/// JVM options for a process that works for a few seconds at most.
const QUICK: [&str; 2] = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

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

/// The jars of these engines and of their dependencies, sorted.
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
            .env("MAVEN_OPTS", QUICK[1])
            .output()
            .expect("mvn");
        assert!(maven.status.success(), "{}", String::from_utf8_lossy(&maven.stdout));
        fs::write(complete, "").unwrap();
    }
    let mut jars: Vec<_> = fs::read_dir(folder.join("jars")).unwrap().map(|entry| entry.unwrap().path()).collect();
    jars.sort();
    jars
}

/// The class path with samples, drivers and engines, as a worker would have it.
fn class_path(engines: &Engines) -> Vec<PathBuf> {
    let jars = jars(engines);
    let engine: Engine = serde_json::from_value(engines.engine.into()).unwrap();
    let drivers =
        compile_cached(java_home(), "drivers", &engine.driver_sources(|_| engines.junit4), &[], &jars).unwrap();
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
        .args(QUICK.map(|option| format!("-J{option}")))
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

/// A JVM for a set of engines, which runs one session after the other and ends with this process.
struct Sessions {
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// JVMs by name of the engines, started on demand. Only tests with the same engines wait for each other.
static SESSIONS: Mutex<BTreeMap<&str, Arc<Mutex<Option<Sessions>>>>> = Mutex::new(BTreeMap::new());

// The JVM ends when its input ends, which is when this process ends.
#[allow(clippy::zombie_processes)]
fn start(engines: &Engines) -> Sessions {
    let mut java = Command::new(tool(java_home(), "java"))
        .args(QUICK)
        .args(["-Dsample.kept=value", "-Duser.timezone=UTC", "-Duser.language=en", "-Duser.country=US"])
        .arg(format!("-Dsample.engine={}", engines.engine))
        .arg("-cp")
        .arg(std::env::join_paths(class_path(engines)).unwrap())
        .arg("Session")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let answers = BufReader::new(java.stdout.take().unwrap());
    Sessions { requests: java.stdin.take().unwrap(), answers }
}

/// The output of a session, without the package of the samples.
pub fn session(engines: &Engines, classes: &[&str], options: &[&str]) -> Vec<String> {
    let engine_sessions = {
        let mut all = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(engines.name).or_default())
    };
    let mut sessions = engine_sessions.lock().unwrap_or_else(PoisonError::into_inner);
    let sessions = sessions.get_or_insert_with(|| start(engines));
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

/// The events of the run.
pub fn events(engines: &Engines, classes: &[&str], options: &[&str]) -> Vec<String> {
    let keep = |line: &String| !line.starts_with("found ") && !line.starts_with("driver ");
    session(engines, classes, options).into_iter().filter(keep).collect()
}

/// The names of the tests that discovery found.
pub fn found(engines: &Engines, classes: &[&str], options: &[&str]) -> Vec<String> {
    session(engines, classes, options)
        .into_iter()
        .filter_map(|line| line.strip_prefix("found ").and_then(|line| line.split(" in ").next()).map(str::to_owned))
        .collect()
}

/// The events of the second session, which runs `names` only.
pub fn again(engines: &Engines, classes: &[&str], names: &str) -> Vec<String> {
    let names: Vec<String> = names.split(';').map(|name| format!("sample.{name}")).collect();
    let all = events(engines, classes, &["quiet", &format!("select={}", names.join(";"))]);
    let second = all.iter().position(|line| line == "again").unwrap();
    all[second + 1..].to_vec()
}

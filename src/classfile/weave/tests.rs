//! Runs woven classes in a JVM and checks the result of each scenario and the calls of the runtime class.
//!
//! The woven classes are in `testdata/Subjects.java`, the scenarios that call them in `testdata/Scenarios.java`. They are
//! compiled once for all tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::*;
use crate::base::id::MethodId;
use crate::classfile::constant::Constant;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

mod exits;
mod files;
mod guards;

fn tool(name: &str) -> Command {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => Command::new(crate::base::embedded_java::tool(Path::new(&home), name)),
        None => Command::new(name),
    }
}

/// The folder of compiled subjects.
static SUBJECTS: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let far = far_source(2_900);
    let sources = [
        ("Probe.java", include_str!("testdata/Probe.java")),
        ("Subjects.java", include_str!("testdata/Subjects.java")),
        ("Scenarios.java", include_str!("testdata/Scenarios.java")),
        ("Far.java", &far),
    ];
    let mut javac = tool("javac");
    javac.args(["-g", "--release", "11", "-proc:none", "-d"]).arg(folder.path());
    for (name, text) in sources {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        javac.arg(file);
    }
    let output = javac.output().expect("these tests need a JDK: set JAVA_HOME, or put javac on the path");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
});

/// A loop around so many returns that its jumps barely reach across them, until code is inserted before each return.
fn far_source(returns: usize) -> String {
    let returns: String = (1000..1000 + returns).map(|n| format!("if (n == {n}) return {n};\n")).collect();
    format!(
        "class Far {{ static int far(int n) {{ int sum = 0; while (sum < n) {{\n{returns} sum += 1000; }} return -sum; }} }}"
    )
}

fn subject(class: &str) -> Vec<u8> {
    std::fs::read(SUBJECTS.path().join(format!("{class}.class"))).unwrap()
}

fn method(name: &str, descriptor: &str) -> MethodWeave {
    MethodWeave { name: name.to_owned(), descriptor: descriptor.to_owned(), ..MethodWeave::default() }
}

fn covered(number: u32, name: &str, descriptor: &str) -> MethodWeave {
    MethodWeave { coverage: Some(MethodId(number)), ..method(name, descriptor) }
}

fn guarded(name: &str, descriptor: &str, guards: &[(u32, Constant)]) -> MethodWeave {
    MethodWeave { guards: guards.to_vec(), ..method(name, descriptor) }
}

fn observed(number: u32, name: &str, descriptor: &str) -> MethodWeave {
    MethodWeave { observe: Some(MethodId(number)), ..method(name, descriptor) }
}

/// Weaves `methods` into `class` and runs scenarios, each with its active transformation. Returns a line for each.
fn run(class: &str, methods: &[MethodWeave], scenarios: &[(u32, &str)]) -> Vec<String> {
    let woven =
        weave(&subject(class), &ClassWeave { methods: methods.to_vec() }).unwrap_or_else(|error| panic!("{error}"));
    run_class(class, &woven, scenarios)
}

fn run_class(class: &str, bytes: &[u8], scenarios: &[(u32, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(format!("{class}.class")), bytes).unwrap();
    let class_path = std::env::join_paths([folder.path(), SUBJECTS.path()]).unwrap();
    let mut java = tool("java");
    java.args(["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp"]).arg(class_path).arg("Scenarios");
    for (active, scenario) in scenarios {
        java.arg(active.to_string()).arg(scenario);
    }
    let output = java.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Adds observation to a plan with guards.
fn with_observation(mut plan: MethodWeave, number: u32) -> MethodWeave {
    plan.observe = Some(MethodId(number));
    plan.coverage = Some(MethodId(number));
    plan
}

//! Weaves every class of jars or class folders in full, links it in a JVM under full verification, and
//! prints a table of the results.
//!
//! `cargo run --release --example verify-libraries -- [--class-path <path>] <jar or folder>...`
//!
//! Each library is woven twice: with coverage and guards (the body stays in place), and with observation
//! too (the body moves). A class fails if the JVM links the original but not the woven class. If the
//! original does not link either, because an optional dependency is missing, the class cannot be checked.
//! Uses the JDK of `JAVA_HOME`, else the one on the path. The exit code is 1 if a class failed.

mod plan;

use plan::plan;
use reneri::classfile::plan::ClassWeave;
use reneri::classfile::weave::{weave, weave_what_fits};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const VERIFY: &str = include_str!("Verify.java");

fn main() -> Result<ExitCode> {
    let mut class_path = String::new();
    let mut libraries = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--class-path" {
            class_path = arguments.next().ok_or("--class-path needs a path")?;
        } else {
            libraries.push(PathBuf::from(argument));
        }
    }
    if libraries.is_empty() {
        return Err("name at least one jar or folder of classes".into());
    }
    let scratch = tempfile::tempdir()?;
    std::fs::write(scratch.path().join("Verify.java"), VERIFY)?;
    run(tool("javac").arg("-d").arg(scratch.path()).arg(scratch.path().join("Verify.java")))?;
    check_the_checker(scratch.path())?;

    println!(
        "{:<36} {:>7} {:>8} {:>9} {:>9} {:>10} {:>9} {:>7}",
        "library", "classes", "methods", "identical", "left out", "classes/s", "verified", "failed"
    );
    let mut failed = 0;
    for library in &libraries {
        failed += verify(library, &class_path, scratch.path())?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn verify(library: &Path, class_path: &str, scratch: &Path) -> Result<usize> {
    let name = library.file_name().ok_or("a library has no name")?.to_string_lossy().into_owned();
    let work = tempfile::tempdir_in(scratch)?;
    let original = if library.is_dir() {
        library.to_path_buf()
    } else {
        let folder = work.path().join("original");
        std::fs::create_dir(&folder)?;
        run(tool("jar").arg("--extract").arg("--file").arg(std::path::absolute(library)?).current_dir(&folder))?;
        // Skip the variants of classes for other versions of Java.
        let versions = folder.join("META-INF/versions");
        if versions.exists() {
            std::fs::remove_dir_all(versions)?;
        }
        folder
    };
    let mut class_files = Vec::new();
    for entry in walkdir::WalkDir::new(&original).sort_by_file_name() {
        let entry = entry?;
        if entry.path().extension().is_some_and(|ending| ending == "class") {
            class_files.push((entry.path().strip_prefix(&original)?.to_owned(), std::fs::read(entry.path())?));
        }
    }
    let identical = class_files
        .iter()
        .filter(|(_, bytes)| weave(bytes, &ClassWeave::default()).is_ok_and(|unchanged| unchanged == *bytes))
        .count();
    let folders = ["guards", "observed"].map(|mode| work.path().join(mode));
    let mut totals = Vec::new();
    for (observe, folder) in [false, true].into_iter().zip(&folders) {
        let plans =
            class_files.iter().map(|(_, bytes)| plan(bytes, observe)).collect::<std::result::Result<Vec<_>, _>>()?;
        let start = Instant::now();
        let woven = class_files
            .iter()
            .zip(&plans)
            .map(|((_, bytes), plan)| weave_what_fits(bytes, plan))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let time = start.elapsed();
        totals.push(Totals {
            methods: plans.iter().map(|plan| plan.methods.len()).sum(),
            left_out: woven.iter().map(|woven| woven.left_out.len()).sum(),
            time,
        });
        for ((path, _), woven) in class_files.iter().zip(woven) {
            for left_out in &woven.left_out {
                println!("left out: {left_out}");
            }
            let file = folder.join(path);
            std::fs::create_dir_all(file.parent().ok_or("a class file has no folder")?)?;
            std::fs::write(file, woven.class_file)?;
        }
    }
    let before = link(scratch, class_path, &original)?;
    let mut failed = 0;
    for ((mode, folder), totals) in ["guards", "observed"].into_iter().zip(&folders).zip(&totals) {
        let after = link(scratch, class_path, folder)?;
        let linked = before.iter().filter(|(_, outcome)| *outcome == LINKS).map(|(class, _)| class).collect::<Vec<_>>();
        let failures = linked.iter().filter(|class| after.get(**class).is_none_or(|outcome| outcome != LINKS));
        let mut failed_here = 0;
        for class in failures {
            failed_here += 1;
            println!("failed: {class}: {}", after.get(*class).map_or("not there", String::as_str));
        }
        println!(
            "{:<36} {:>7} {:>8} {:>9} {:>9} {:>10.0} {:>9} {:>7}   ({} cannot be checked)",
            format!("{name}, {mode}"),
            class_files.len(),
            totals.methods,
            identical,
            totals.left_out,
            class_files.len() as f64 / totals.time.as_secs_f64(),
            linked.len() - failed_here,
            failed_here,
            class_files.len() - linked.len(),
        );
        failed += failed_here;
    }
    Ok(failed)
}

/// The outcome that `Verify` prints for a class that links.
const LINKS: &str = "links";

/// Links each class of `folder`. Returns the outcomes by class.
fn link(scratch: &Path, class_path: &str, folder: &Path) -> Result<BTreeMap<String, String>> {
    let output = run(tool("java").args(["-Xverify:all", "-cp"]).arg(scratch).args(["Verify", class_path]).arg(folder))?;
    let outcomes = output.lines().filter_map(|line| line.split_once('\t'));
    Ok(outcomes.map(|(class, outcome)| (class.to_owned(), outcome.to_owned())).collect())
}

struct Totals {
    methods: usize,
    left_out: usize,
    time: Duration,
}

/// Checks that the verifier rejects a broken class, which returns an `int` from an empty operand stack.
fn check_the_checker(scratch: &Path) -> Result<()> {
    let work = tempfile::tempdir_in(scratch)?;
    let [source, good, bad] = ["source", "good", "bad"].map(|folder| work.path().join(folder));
    for folder in [&source, &good, &bad] {
        std::fs::create_dir(folder)?;
    }
    std::fs::write(source.join("Canary.java"), "class Canary { static int sings() { return 12345; } }")?;
    run(tool("javac").arg("-d").arg(&good).arg(source.join("Canary.java")))?;
    let mut bytes = std::fs::read(good.join("Canary.class"))?;
    // sipush 12345; ireturn → nop; nop; nop; ireturn
    let at = bytes.windows(4).position(|window| window == [17, 48, 57, 172]).ok_or("the canary has no body")?;
    bytes[at..at + 3].fill(0);
    std::fs::write(bad.join("Canary.class"), bytes)?;
    let [good, bad] = [link(scratch, "", &good)?, link(scratch, "", &bad)?];
    let outcome = |of: &BTreeMap<String, String>| of.get("Canary").cloned().unwrap_or_default();
    if outcome(&good) == LINKS && outcome(&bad).contains("VerifyError") {
        Ok(())
    } else {
        Err(format!("this JVM does not verify: {good:?} {bad:?}").into())
    }
}

fn tool(name: &str) -> Command {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => Command::new(reneri::base::embedded_java::tool(Path::new(&home), name)),
        None => Command::new(name),
    }
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

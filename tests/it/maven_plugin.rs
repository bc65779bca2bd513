//! The Maven plugin, installed by the documented command, in real builds of copies of the test projects.

use crate::common::{Copy, copy, outcomes, printed};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The goal by its coordinates, which needs nothing in POM or settings.
fn goal() -> String {
    format!("io.github.reneri:reneri-maven-plugin:{}:analyze", env!("CARGO_PKG_VERSION"))
}

/// A local repository of our own with the plugin in it. It stays between runs, so that Maven's own plugins are fetched once; ours is made anew.
fn repository() -> &'static Path {
    static REPOSITORY: OnceLock<PathBuf> = OnceLock::new();
    REPOSITORY.get_or_init(|| {
        let repository = Path::new(env!("CARGO_TARGET_TMPDIR")).join("maven-repository");
        // It need not be there yet.
        let _ = std::fs::remove_dir_all(repository.join("io/github/reneri"));
        let mut command = maven(&repository);
        let output = command.args(["-f", "maven-plugin", "install"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        repository
    })
}

fn maven(repository: &Path) -> Command {
    let mut command = crate::common::maven();
    command.arg("-ntp").arg(option("-Dmaven.repo.local=", repository));
    // Annotations would come into the output where these tests run in GitHub Actions.
    command.env_remove("GITHUB_ACTIONS");
    command
}

fn option(name: &str, value: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(value);
    option
}

/// Maven on the copy with the plugin at hand and no reneri named; not yet started.
fn build(project: &Copy, arguments: &[&str]) -> Command {
    let mut command = maven(repository());
    command.args(arguments).current_dir(&project.root);
    command
}

/// Maven on the copy, where the plugin finds the reneri that is under test.
fn built(project: &Copy, arguments: &[&str]) -> Output {
    let binary = option("-Dreneri.binary=", Path::new(env!("CARGO_BIN_EXE_reneri")));
    build(project, arguments).arg(binary).output().unwrap()
}

fn succeeds(output: &Output, words: &[&str]) -> String {
    let text = printed(output);
    assert!(output.status.success(), "{text}");
    contains(&text, words);
    text
}

fn fails(output: &Output, words: &[&str]) -> String {
    let text = printed(output);
    assert!(!output.status.success() && text.contains("BUILD FAILURE"), "{text}");
    contains(&text, words);
    text
}

fn contains(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "«{word}» is not in:\n{text}");
    }
}

/// Names the plugin in the POM of `several-modules`, which all of its modules inherit.
fn bind(project: &Copy, inside: &str) {
    let pom = project.root.join("pom.xml");
    let text = std::fs::read_to_string(&pom).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let plugin = format!(
        "</pluginManagement><plugins><plugin><groupId>io.github.reneri</groupId><artifactId>reneri-maven-plugin</artifactId>\
         <version>{version}</version>{inside}</plugin></plugins>"
    );
    assert!(text.contains("</pluginManagement>"));
    std::fs::write(pom, text.replacen("</pluginManagement>", &plugin, 1)).unwrap();
}

const EXECUTION: &str = "<executions><execution><goals><goal>analyze</goal></goals></execution></executions>";
const TWO_RUNS: &str = "<configuration><arguments><argument>--runs</argument><argument>2</argument>\
     <argument>--no-fix</argument></arguments></configuration>";

#[test]
fn plugin_and_program_have_the_same_version() {
    let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("maven-plugin/pom.xml");
    let text = std::fs::read_to_string(pom).unwrap();
    let plugin = text.split_once("<artifactId>reneri-maven-plugin</artifactId>").unwrap().1;
    assert!(plugin.trim_start().starts_with(&format!("<version>{}</version>", env!("CARGO_PKG_VERSION"))), "{plugin}");
}

#[test]
fn a_project_is_analyzed_with_the_arguments_of_the_command_line() {
    let project = copy("versioned-set");
    let before = project.files();
    let program = Path::new(env!("CARGO_BIN_EXE_reneri"));
    let path = std::env::var_os("PATH").unwrap();
    let folders = std::iter::once(program.parent().unwrap().to_path_buf()).chain(std::env::split_paths(&path));
    let arguments = "-Dreneri.args=--runs 2 --no-fix --format sarif --maven-arg '-Dorg.example.text=two words'";
    let output = build(&project, &[&goal(), arguments, "-Dorg.example.user=mine"])
        .env("PATH", std::env::join_paths(folders).unwrap())
        .output()
        .unwrap();
    let report = project.root.join("target/reneri/report.md");
    let last = format!("[INFO] 1 more finding and all evidence: {}", report.display());
    let text = succeeds(&output, &["[INFO] 12 transformations of 7 methods: 8 detected, 4 undetected", &last]);
    assert!(!text.contains("[WARNING] "), "{text}");
    let report = project.json();
    assert_eq!(report["settings"]["runs"], 2);
    assert_eq!(outcomes(&report)["VersionedSet.incrementVersion/void"], "weak-oracle");
    assert!(project.root.join("target/reneri/report.sarif").is_file());
    let asked = project.report("maven.log");
    let asked = asked.lines().next().unwrap();
    contains(asked, &["-Dorg.example.text=two words", "-Dorg.example.user=mine", "-Dmaven.repo.local="]);
    assert!(!asked.contains("reneri.args"), "{asked}");
    assert_eq!(project.files(), before);
}

#[test]
fn several_modules_are_analyzed_once_with_the_last_of_them() {
    let project = copy("several-modules");
    bind(&project, &format!("{TWO_RUNS}{EXECUTION}"));
    let text = succeeds(&built(&project, &["verify"]), &["13 transformations of 8 methods"]);
    assert_eq!(text.matches("reneri runs once for all modules").count(), 4, "{text}");
    assert_eq!(text.matches("target/reneri/report.md").count(), 1, "{text}");
    let report = project.json();
    assert_eq!(report["settings"]["runs"], 2);
    assert_eq!(outcomes(&report)["Account.count/void"], "weak-oracle");
    // The Maven that reneri asks runs no reneri.
    assert!(!project.report("maven.log").contains(":analyze"));

    // The prefix is known from the POM, and what is said last holds.
    let text = succeeds(
        &built(&project, &["reneri:analyze", "-pl", "core,checks", "-T2", "-Dreneri.args=--runs 3"]),
        &["Report: "],
    );
    assert!(!text.contains("runs once"), "{text}");
    let report = project.json();
    assert_eq!(report["settings"]["runs"], 3);
    let classes: Vec<_> = outcomes(&report).into_keys().collect();
    assert!(!classes.is_empty() && classes.iter().all(|name| name.starts_with("Account.")), "{classes:?}");

    // A module that says so is left out, wherever it stands.
    let pom = project.root.join("app/pom.xml");
    let properties = "<properties><reneri.skip>true</reneri.skip></properties>\n  <dependencies>";
    let with_skip = std::fs::read_to_string(&pom).unwrap().replacen("<dependencies>", properties, 1);
    std::fs::write(pom, with_skip).unwrap();
    for goal in ["verify", "reneri:analyze"] {
        let text = succeeds(&built(&project, &[goal, "-T2"]), &["Report: "]);
        assert!(text.contains("reneri is skipped (reneri.skip)."), "{text}");
        // Maven takes test dependencies from the modules that are built while an aggregator begins (MNG-6843).
        assert!(!text.contains("aggregator"), "{text}");
        let classes: Vec<_> = outcomes(&project.json()).into_keys().collect();
        assert!(classes.iter().any(|name| name.starts_with("Account.")), "{classes:?}");
        assert!(!classes.iter().any(|name| name.starts_with("Bank.")), "{classes:?}");
    }
}

#[test]
fn where_there_is_nothing_to_analyze_a_line_says_so_and_the_build_goes_on() {
    let project = copy("several-modules");
    bind(&project, EXECUTION);
    let none = project.root.join("target/reneri");
    // No reneri is needed for any of this.
    let run = |arguments: &[&str], words: &[&str]| {
        succeeds(&build(&project, arguments).output().unwrap(), words);
        assert!(!none.exists());
    };
    run(&["verify", "-DskipTests"], &["reneri is skipped, as tests are (skipTests)."]);
    run(&["verify", "-Dmaven.test.skip"], &["reneri is skipped, as tests are (maven.test.skip)."]);
    run(&["reneri:analyze", "-Dreneri.skip"], &["reneri is skipped (reneri.skip)."]);
    run(&["reneri:analyze", "-N"], &["There is nothing to analyze: no project of this build has code"]);
    let mut within = build(&project, &["reneri:analyze"]);
    succeeds(&within.env("RENERI_HANDOVER", "x").output().unwrap(), &["does not analyze within its analysis"]);
    let output = build(&copy("no-tests"), &[&goal()]).output().unwrap();
    succeeds(&output, &["There is nothing to analyze: no project of this build has tests"]);
}

#[test]
fn what_reneri_says_of_the_project_fails_the_build() {
    let project = copy("versioned-set");
    let report = project.root.join("target/reneri/report.md");
    let output = built(&project, &["-q", &goal(), "-Dreneri.args=--runs 2 --no-fix --fail-on any"]);
    let text = printed(&output);
    assert!(!output.status.success() && !text.contains("[INFO]"), "{text}");
    contains(&text, &["`--fail-on`", &format!("Report: {}", report.display())]);
    fails(&built(&project, &[&goal(), "-Dreneri.args=--rus 2"]), &["'--rus'", "'--runs'", "MojoExecutionException"]);
    fails(&built(&project, &[&goal(), "-Dreneri.args=--runs '2"]), &["a quote is not closed"]);
    let project = copy("does-not-compile");
    fails(&built(&project, &[&goal()]), &["Counter.java:[8,16]", "maven.log", "MojoFailureException"]);
}

#[test]
fn where_there_is_no_reneri_it_says_how_to_get_it() {
    let project = copy("versioned-set");
    let path = std::env::var_os("PATH").unwrap();
    let without = std::env::split_paths(&path).filter(|folder| !folder.join("reneri").exists());
    let output = build(&project, &[&goal()]).env("PATH", std::env::join_paths(without).unwrap()).output().unwrap();
    let how = ["cargo install --path .", "-Dreneri.binary=", "MojoExecutionException"];
    fails(&output, &[&["no `reneri` in any folder of PATH"], how.as_slice()].concat());
    let output = build(&project, &[&goal(), "-Dreneri.binary=nowhere/reneri"]).output().unwrap();
    fails(&output, &[&["There is no file", "nowhere/reneri"], how.as_slice()].concat());
    let other = option("-Dreneri.binary=", &std::env::current_exe().unwrap());
    let output = build(&project, &[&goal()]).arg(other).output().unwrap();
    fails(&output, &["is not reneri", "cargo install"]);
}

/// Programs that only answer as reneri does.
#[cfg(unix)]
mod pretenders {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    fn pretender(project: &Copy, version: &str, script: &str) -> OsString {
        let program = project.folder.path().join("reneri");
        let text = format!("#!/bin/sh\nif [ \"$1\" = --version ]; then echo reneri {version}; exit; fi\n{script}\n");
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        option("-Dreneri.binary=", &program)
    }

    #[test]
    fn each_exit_code_becomes_a_result_of_the_build() {
        let project = copy("versioned-set");
        let version = env!("CARGO_PKG_VERSION");
        for (code, kind) in [(4, "MojoFailureException"), (5, "MojoFailureException"), (70, "MojoExecutionException")] {
            let script = format!("printf 'error: It does not work.\\nDo this.\\n' >&2; exit {code}");
            let binary = pretender(&project, version, &script);
            let output = build(&project, &[&goal()]).arg(binary).output().unwrap();
            fails(&output, &["It does not work.\n[ERROR] Do this.", kind]);
        }
        let binary = pretender(&project, version, "exit 9");
        fails(&build(&project, &[&goal()]).arg(binary).output().unwrap(), &["reneri ended with exit code 9."]);
    }

    #[test]
    fn what_maven_was_told_is_told_on_and_what_reneri_says_is_said_on() {
        let project = copy("versioned-set");
        let binary = pretender(&project, "9.9.9", "echo 'warning: Look.' >&2; echo ::warning::here; echo \"with $*\"");
        let settings = project.folder.path().join("settings.xml");
        let groups = "<settings><pluginGroups><pluginGroup>io.github.reneri</pluginGroup></pluginGroups></settings>";
        std::fs::write(&settings, groups).unwrap();
        let settings = settings.to_str().unwrap();
        let arguments = ["reneri:analyze", "-s", settings, "-o", "-X", "-Pfast,!slow", "-Dstyle.color=never"];
        let text = succeeds(
            &build(&project, &arguments).arg(binary).output().unwrap(),
            &["has version 9.9.9, and the plugin", "[WARNING] Look.", "\n::warning::here\n"],
        );
        let said = text.lines().find(|line| line.starts_with("[INFO] with analyze --project")).unwrap();
        let asked = format!("--maven-arg=--settings={settings}");
        contains(said, &["--offline", "--verbose", "--color=never", "--maven-arg=-Pfast,!slow", &asked]);
        assert!(!said.contains("style.color"), "{said}");
    }

    #[test]
    fn a_build_that_is_ended_leaves_no_reneri_behind() {
        let project = copy("versioned-set");
        let binary = pretender(&project, env!("CARGO_PKG_VERSION"), "echo $$ > started; exec sleep 600");
        let started = project.root.join("started");
        let mut maven = build(&project, &[&goal()]).arg(binary).stdout(Stdio::null()).spawn().unwrap();
        let begin = Instant::now();
        let process = loop {
            match std::fs::read_to_string(&started) {
                Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
            assert!(begin.elapsed() < Duration::from_mins(2), "reneri was not started");
        };
        let signal = |name: &str, process: &str| {
            Command::new("kill").args([name, process]).stderr(Stdio::null()).status().unwrap().success()
        };
        assert!(signal("-0", &process) && signal("-TERM", &maven.id().to_string()));
        maven.wait().unwrap();
        assert!(!signal("-0", &process), "process {process} is alive");
    }
}

//! Runs the Maven plugin, installed by the documented command, in builds of copies of the test
//! projects.

use crate::common::{Copy, copy, outcomes, printed};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The goal by its coordinates, which needs nothing in POM or settings.
fn goal() -> String {
    format!("io.github.reneri:reneri-maven-plugin:{}:analyze", env!("CARGO_PKG_VERSION"))
}

/// A local repository with the plugin in it. It stays between runs, so that Maven downloads its own
/// plugins once; ours is installed again each time.
fn repository() -> &'static Path {
    static REPOSITORY: OnceLock<PathBuf> = OnceLock::new();
    REPOSITORY.get_or_init(|| {
        let repository = Path::new(env!("CARGO_TARGET_TMPDIR")).join("maven-repository");
        // The folder may not exist yet.
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
    // In GitHub Actions, the output would contain annotations.
    command.env_remove("GITHUB_ACTIONS");
    command
}

fn option(name: &str, value: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(value);
    option
}

/// The command that runs Maven with the plugin on the copy, without naming a reneri.
fn build(project: &Copy, arguments: &[&str]) -> Command {
    let mut command = maven(repository());
    command.args(arguments).current_dir(&project.root);
    command
}

/// Runs Maven on the copy; the plugin uses the reneri under test.
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
    // The Maven that reneri starts does not run reneri again.
    assert!(!project.report("maven.log").contains(":analyze"));

    // Maven knows the prefix from the POM, and the last argument wins.
    let text = succeeds(
        &built(&project, &["reneri:analyze", "-pl", "core,checks", "-T2", "-Dreneri.args=--runs 3"]),
        &["Report: "],
    );
    assert!(!text.contains("runs once"), "{text}");
    let report = project.json();
    assert_eq!(report["settings"]["runs"], 3);
    let classes: Vec<_> = outcomes(&report).into_keys().collect();
    assert!(!classes.is_empty() && classes.iter().all(|name| name.starts_with("Account.")), "{classes:?}");

    // A module that asks for it is left out, whatever its position.
    let pom = project.root.join("app/pom.xml");
    let properties = "<properties><reneri.skip>true</reneri.skip></properties>\n  <dependencies>";
    let with_skip = std::fs::read_to_string(&pom).unwrap().replacen("<dependencies>", properties, 1);
    std::fs::write(pom, with_skip).unwrap();
    for goal in ["verify", "reneri:analyze"] {
        let text = succeeds(&built(&project, &[goal, "-T2"]), &["Report: "]);
        assert!(text.contains("reneri is skipped (reneri.skip)."), "{text}");
        // Modules that are being built when an aggregator begins lose their test dependencies
        // (MNG-6843).
        assert!(!text.contains("aggregator"), "{text}");
        let classes: Vec<_> = outcomes(&project.json()).into_keys().collect();
        assert!(classes.iter().any(|name| name.starts_with("Account.")), "{classes:?}");
        assert!(!classes.iter().any(|name| name.starts_with("Bank.")), "{classes:?}");
    }
}

#[test]
fn the_build_goes_on_with_a_remark_if_there_is_nothing_to_analyze() {
    let project = copy("several-modules");
    bind(&project, EXECUTION);
    let none = project.root.join("target/reneri");
    // None of this needs a reneri.
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
fn an_error_of_reneri_fails_the_build() {
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
fn the_error_without_reneri_says_how_to_install_it() {
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

/// Programs that imitate reneri.
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
    fn mavens_options_reach_reneri_and_reneris_output_reaches_mavens_log() {
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
    fn a_build_that_is_killed_leaves_no_reneri_behind() {
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

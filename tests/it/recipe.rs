//! Asks Maven for the recipes of copies of the test projects.

use crate::common::{Copy, copy};
use reneri::base::error::{ExitCode, Result};
use reneri::project;
use reneri::recipe::{Build, BuildTool, Engine, MavenOptions, MavenRequest, Recipe};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Asks Maven for the recipe of a copy.
trait Asked {
    fn ask(&self, arguments: &[&str]) -> Result<Build>;
    /// The recipe of a build with one module.
    fn recipe(&self, arguments: &[&str]) -> Recipe {
        let mut build = self.ask(arguments).unwrap();
        assert_eq!((build.modules.len(), build.recipes.len(), build.notes.as_slice()), (1, 1, [].as_slice()));
        build.recipes.raw.remove(0)
    }
    fn log(&self) -> PathBuf;
}

impl Asked for Copy {
    fn ask(&self, arguments: &[&str]) -> Result<Build> {
        let arguments = arguments.iter().map(ToString::to_string).collect();
        let options = MavenOptions { arguments, offline: false, history: false };
        let project = project::find(&self.root)?;
        let maven = BuildTool::Maven(MavenRequest { project, options, log: self.log() });
        maven.build(&AtomicBool::new(false), &mut |_| {})
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("maven.log")
    }
}

fn names(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn the_recipe_of_versioned_set_does_what_surefire_would_do() {
    let project = copy("versioned-set");
    let before = project.files();
    let recipe = project.recipe(&[]);
    assert_eq!((recipe.project.as_str(), recipe.module.as_str()), ("Versioned set", "versioned-set"));
    assert_eq!(recipe.engine, Engine::JUnit4);
    assert!(recipe.engine_class_path.is_empty(), "{:?}", recipe.engine_class_path);
    assert_eq!(
        names(&recipe.test_class_path),
        ["test-classes", "classes", "junit-4.13.2.jar", "hamcrest-core-1.3.jar"]
    );
    assert_eq!(recipe.test_class_path[1], project.root.join("target/classes"));
    assert!(recipe.classes.join("org/example/VersionedSet.class").is_file());
    assert!(recipe.test_classes.join("org/example/VersionedSetTest.class").is_file());
    assert_eq!(recipe.test_source_roots, [project.root.join("src/test/java")]);
    assert_eq!(recipe.working_directory, project.root);
    assert!(recipe.enable_assertions && recipe.jvm_arguments.is_empty());
    assert_eq!(recipe.filter.includes, ["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"]);
    assert_eq!(recipe.filter.excludes, ["**/*$*"]);
    assert_eq!(recipe.system_properties["basedir"], project.root.to_string_lossy());
    assert_eq!((recipe.compiler.source.as_deref(), recipe.compiler.encoding.as_deref()), (Some("8"), Some("UTF-8")));
    assert_eq!(recipe.notes, [""; 0]);
    assert!(recipe.java_release >= 8 && recipe.java_home.join("bin").is_dir());
    let log = std::fs::read_to_string(project.log()).unwrap();
    assert!(log.contains("Tests are skipped") && !log.contains("Tests run"), "{log}");
    assert!(!project.root.join("target/surefire-reports").exists());
    assert_eq!(project.files(), before);
    let written = serde_json::to_string(&recipe).unwrap();
    assert_eq!(serde_json::from_str::<Recipe>(&written).unwrap(), recipe);
}

#[test]
fn a_junit_5_project_gets_the_launcher_that_fits_its_engine() {
    let project = copy("versioned-set-junit5");
    let recipe = project.recipe(&["-Dorg.example.user=mine"]);
    assert_eq!(recipe.engine, Engine::JUnitPlatform);
    assert_eq!(names(&recipe.engine_class_path), ["junit-platform-launcher-1.11.4.jar"]);
    assert_eq!(recipe.jvm_arguments, ["-Dorg.example.late=late", "-Dorg.example.text=two words"]);
    assert_eq!(recipe.system_properties["org.example.folder"], project.root.join("target").to_string_lossy());
    assert_eq!(recipe.system_properties["org.example.user"], "mine");
    assert!(!recipe.system_properties.contains_key("maven.ext.class.path"));
    assert_eq!(recipe.environment["ORG_EXAMPLE"], "example");
    assert_eq!(recipe.filter.excluded_groups.as_deref(), Some("slow"));
}

#[test]
fn the_error_for_a_project_that_does_not_compile_shows_the_line() {
    let project = copy("does-not-compile");
    let before = project.files();
    let error = project.ask(&[]).unwrap_err();
    assert_eq!(error.exit_code, ExitCode::CannotBuild);
    let details = error.details.unwrap();
    assert!(details.contains("Counter.java:[8,16] incompatible types"), "{details}");
    assert!(error.next.contains(&project.log().display().to_string()), "{}", error.next);
    assert_eq!(project.files(), before);
}

#[test]
fn a_project_without_tests_is_an_error() {
    let error = copy("no-tests").ask(&[]).unwrap_err();
    assert_eq!(error.exit_code, ExitCode::CannotBuild);
    assert!(error.what.contains("no-tests"), "{error}");
}

#[test]
fn patterns_that_select_no_class_and_skipped_tests_are_errors() {
    let project = copy("versioned-set");
    let error = project.ask(&["-Dtest=OtherTest"]).unwrap_err();
    assert!(error.exit_code == ExitCode::CannotBuild && error.what.contains("OtherTest"), "{error}");
    let error = project.ask(&["-DskipTests"]).unwrap_err();
    assert!(error.exit_code == ExitCode::CannotBuild && error.next.contains("-DskipTests=false"), "{error}");
}

/// Names of the modules with code, and of those whose tests run.
fn modules(build: &Build) -> (Vec<&str>, Vec<&str>) {
    let modules = build.modules.iter().map(|module| module.name.as_str()).collect();
    (modules, build.recipes.iter().map(|recipe| recipe.module.as_str()).collect())
}

#[test]
fn a_build_of_several_modules_has_a_recipe_for_each_module_with_tests() {
    let project = copy("several-modules");
    let before = project.files();
    let build = project.ask(&[]).unwrap();
    assert_eq!((build.project.as_str(), &build.root), ("Several modules", &project.root));
    assert_eq!(modules(&build), (vec!["core", "app", "tools"], vec!["core", "app", "checks"]));
    assert_eq!(build.modules[1].classes, project.root.join("app/target/classes"));
    assert_eq!(build.modules[1].source_roots[0], project.root.join("app/src/main/java"));
    // The aggregator has nothing to run, which needs no note.
    assert!(build.notes.len() == 1 && build.notes[0].contains("tools has no tests"), "{:?}", build.notes);
    let app = &build.recipes[1];
    assert!(app.test_class_path.contains(&project.root.join("core/target/classes")), "{:?}", app.test_class_path);
    assert_eq!((&app.working_directory, app.notes.len()), (&project.root.join("app"), 0));
    for recipe in &build.recipes {
        assert_eq!(recipe.system_properties["org.example.module"], recipe.module);
    }
    assert_eq!(project.files(), before);
}

#[test]
fn mavens_options_choose_skip_and_parallelize_modules() {
    let project = copy("several-modules");
    std::fs::create_dir(project.root.join(".mvn")).unwrap();
    std::fs::write(project.root.join(".mvn/maven.config"), "-T\n3\n").unwrap();
    let build = project.ask(&["-pl", "app,tools", "-am", "-Dskip.app.tests=true"]).unwrap();
    assert_eq!(modules(&build), (vec!["core", "app", "tools"], vec!["core"]));
    let notes = build.notes.join("\n");
    assert!(notes.contains("app skips its tests") && notes.contains("tools has no tests"), "{notes}");
    assert!(std::fs::read_to_string(project.log()).unwrap().contains("MultiThreadedBuilder"));
}

#[test]
fn the_error_for_a_build_without_tests_gives_the_reason_of_each_module() {
    let error = copy("several-modules").ask(&["-DskipTests", "-Dskip.app.tests=true"]).unwrap_err();
    let details = error.details.unwrap();
    assert_eq!(error.exit_code, ExitCode::CannotBuild);
    for module in ["core", "app", "tools", "checks"] {
        assert!(details.contains(module), "{details}");
    }
    assert!(error.next.contains("-DskipTests=false"), "{}", error.next);
}

/// Runs JUnit 4 in a JVM of its own on the test classes of a recipe, with its module path.
fn run_on_module_path(recipe: &Recipe) -> std::process::Output {
    let module_path = recipe.module_path.as_ref().unwrap();
    let class_path = recipe.test_class_path.iter().filter(|element| !module_path.elements.contains(element));
    std::process::Command::new(recipe.java_home.join("bin/java"))
        .arg("--module-path")
        .arg(std::env::join_paths(&module_path.elements).unwrap())
        .arg("-cp")
        .arg(std::env::join_paths(class_path).unwrap())
        .args(&module_path.arguments)
        .arg("org.junit.runner.JUnitCore")
        .args(recipe.test_class_names().unwrap())
        .output()
        .unwrap()
}

#[test]
fn tests_of_a_named_module_run_inside_of_it_if_surefire_would() {
    let project = copy("named-module");
    let recipe = project.recipe(&[]);
    let module_path = recipe.module_path.as_ref().unwrap();
    assert_eq!((module_path.module.as_str(), recipe.notes.len()), ("org.example.greeting", 0));
    assert_eq!(names(&module_path.elements), ["classes", "slf4j-api-2.0.16.jar"]);
    let patch = format!("--patch-module=org.example.greeting={}", project.root.join("target/test-classes").display());
    let expected = [
        patch.as_str(),
        "--add-opens=org.example.greeting/org.example.greeting=ALL-UNNAMED",
        "--add-opens=org.example.greeting/org.example.greeting.internal=ALL-UNNAMED",
        "--add-reads=org.example.greeting=ALL-UNNAMED",
        "--add-modules=ALL-MODULE-PATH",
    ];
    assert_eq!(module_path.arguments, expected);
    let ran = crate::common::printed(&run_on_module_path(&recipe));
    assert!(ran.contains("OK (3 tests)"), "{ran}");

    assert_eq!(project.recipe(&["-Dsurefire.useModulePath=false"]).module_path, None);
}

#[test]
fn a_method_named_on_the_command_line_is_the_only_test_that_runs() {
    let project = copy("versioned-set-junit5");
    let output = project.analyze(&["--runs", "2", "--no-fix", "--maven-arg=-Dtest=VersionedSetTest#a*"]);
    assert!(output.status.success(), "{}", crate::common::printed(&output));
    let report = project.json();
    let mut tests: Vec<&str> = report["transformations"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|entry| entry["coveringTests"].as_array().into_iter().flatten())
        .map(|test| test.as_str().unwrap())
        .collect();
    tests.sort_unstable();
    tests.dedup();
    assert!(!tests.is_empty() && tests.iter().all(|test| test.contains(".VersionedSetTest.a")), "{tests:?}");
    assert_eq!(report["tests"]["total"], tests.len());
}

/// A wrapper that leaves a trace and starts the installed Maven. It is not executable, as after
/// unpacking an archive.
#[cfg(unix)]
#[test]
fn the_projects_own_maven_wrapper_builds_it() {
    let project = copy("several-modules");
    std::fs::create_dir(project.root.join(".mvn")).unwrap();
    let trace = project.folder.path().join("trace");
    let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec mvn \"$@\"\n", trace.display());
    std::fs::write(project.root.join("mvnw"), script).unwrap();
    let module = Copy { root: project.root.join("core"), folder: project.folder };
    let recipe = module.recipe(&["-Dorg.example.x=y"]);
    assert_eq!((recipe.module.as_str(), recipe.notes.len()), ("core", 0));
    let trace = std::fs::read_to_string(trace).unwrap();
    assert!(trace.starts_with("-B -version\n") && trace.contains("-Dorg.example.x=y"), "{trace}");
    let log = std::fs::read_to_string(module.log()).unwrap();
    assert!(log.starts_with("$ sh ") && log.contains("mvnw -B"), "{log}");
}

#[cfg(unix)]
#[test]
fn the_installed_maven_replaces_a_wrapper_that_cannot_download_its_own() {
    let project = copy("versioned-set");
    std::fs::write(project.root.join("mvnw"), "#!/bin/sh\necho 'curl: (6) Could not resolve host' >&2\nexit 1\n")
        .unwrap();
    let build = project.ask(&[]).unwrap();
    assert_eq!(build.recipes.len(), 1);
    let notes = build.notes.join("\n");
    assert!(notes.contains("mvnw does not start") && notes.contains("Could not resolve host"), "{notes}");
}

/// Puts `text` before the end of the project's POM.
fn add_to_pom(project: &Copy, before: &str, text: &str) {
    let pom = project.root.join("pom.xml");
    let content = std::fs::read_to_string(&pom).unwrap();
    assert!(content.contains(before));
    std::fs::write(pom, content.replacen(before, &format!("{text}{before}"), 1)).unwrap();
}

#[test]
fn a_project_that_asks_for_another_maven_is_built_if_possible_with_a_note() {
    let project = copy("versioned-set");
    let enforcer = "<plugin><artifactId>maven-enforcer-plugin</artifactId><version>3.5.0</version><executions><execution>\
                    <goals><goal>enforce</goal></goals><configuration><rules><requireMavenVersion><version>[9,)</version>\
                    </requireMavenVersion><requireJavaVersion><version>1.8</version></requireJavaVersion></rules>\
                    </configuration></execution></executions></plugin>";
    add_to_pom(&project, "</plugins>", enforcer);
    let build = project.ask(&[]).unwrap();
    assert_eq!(build.notes.len(), 1, "{:?}", build.notes);
    assert!(build.notes[0].contains("asks for Maven [9,) (requireMavenVersion)"), "{:?}", build.notes);

    let pom = project.root.join("pom.xml");
    let content = std::fs::read_to_string(&pom).unwrap();
    std::fs::write(&pom, content.replace("<modelVersion>4.0.0<", "<modelVersion>4.9.0<")).unwrap();
    let error = project.ask(&[]).unwrap_err();
    assert!(error.next.contains("asks for Maven 4 or later") && error.next.contains("mvnw"), "{error}");
}

#[test]
fn test_classes_that_the_build_rewrites_run_as_rewritten() {
    let project = copy("rewritten-tests");
    let recipe = project.recipe(&[]);
    assert_eq!(recipe.rewritten_test_classes, ["org.example.RewrittenTest"]);
    assert!(recipe.notes.len() == 1 && recipe.notes[0].contains("(maven-antrun-plugin:run)"), "{:?}", recipe.notes);
    // The second build finds classes that are rewritten already.
    let output = project.analyze(&["--runs", "2"]);
    let printed = crate::common::printed(&output);
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("RewrittenTest.java is not instrumented"), "{printed}");
    let report = project.json();
    assert_eq!((&report["tests"]["total"], &report["tests"]["failing"]), (&2.into(), &serde_json::json!([])));
    assert_eq!((&report["summary"]["undetected"], &report["summary"]["undecided"]), (&3.into(), &0.into()));
    let evidence = report["transformations"].to_string();
    assert!(evidence.contains("PlainTest.rings()"), "{evidence}");
}

#[test]
fn every_test_of_a_build_with_all_kinds_of_settings_passes_as_in_surefire() {
    let mut project = copy("surefire-settings");
    let root = project.folder.path().join("a (copied) project");
    std::fs::rename(&project.root, &root).unwrap();
    project.root = root;
    let before = project.files();
    let output = project
        .command(&["--runs", "2", "--maven-arg=-Pwithout-assertions"])
        .env("ORG_EXAMPLE_HIDDEN", "seen")
        .output()
        .unwrap();
    let printed = crate::common::printed(&output);
    assert!(output.status.success(), "{printed}");
    let report = project.json();
    let expected = serde_json::json!({"total": 9, "failing": [], "unstable": []});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&report["tests"][key], value, "{}", report["tests"]);
    }
    // JaCoCo's agent is removed, which only the log mentions. Nothing else differs from surefire.
    assert!(!printed.contains("jacoco") && !printed.contains("not instrumented"), "{printed}");
    let log = std::fs::read_to_string(project.root.join("build/reneri/reneri.log")).unwrap_or_default();
    let log = log + &std::fs::read_to_string(project.root.join("target/reneri/reneri.log")).unwrap_or_default();
    assert!(log.contains("jacoco") && log.contains("was left out (JaCoCo)"), "{log}");
    let entries = report["transformations"].as_array().unwrap();
    let undetected: BTreeSet<&str> = entries
        .iter()
        .filter(|entry| entry["status"] == "undetected")
        .map(|entry| entry["method"].as_str().unwrap())
        .collect();
    assert_eq!(undetected, BTreeSet::from(["greeting"]), "{printed}");
    let built: BTreeSet<PathBuf> = project.files().into_keys().filter(|file| !before.contains_key(file)).collect();
    assert!(built.iter().all(|file| file.starts_with(project.root.join("build"))), "{built:?}");
}

#[test]
fn test_classes_are_in_the_order_in_which_surefire_runs_them() {
    let project = copy("versioned-set");
    for class in ["z.FirstTest", "a.b.DeepTest", "ZTest", "ATest", "a.ATest", "M5Test", "M4Test"] {
        let (package, name) = class.rsplit_once('.').map_or((String::new(), class), |(p, n)| (format!(".{p}"), n));
        let file = project.root.join("src/test/java/org/example").join(class.replace('.', "/")).with_extension("java");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = "package org.example_;\npublic class NAME { @org.junit.Test public void runs() {} }\n";
        std::fs::write(file, text.replace('_', &package).replace("NAME", name)).unwrap();
    }
    let recipe = project.recipe(&[]);
    let output = crate::common::maven().arg("surefire:test").current_dir(&project.root).output().unwrap();
    let printed = crate::common::printed(&output);
    let ran: Vec<&str> = printed.lines().filter_map(|line| Some(line.split_once("Running ")?.1)).collect();
    assert_eq!(recipe.test_class_names().unwrap(), ran);
    assert_eq!(ran.len(), 8);

    let mut sorted = ran.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let recipe = project.recipe(&["-Dsurefire.runOrder=reversealphabetical"]);
    assert_eq!(recipe.test_class_names().unwrap(), sorted);
}

#[test]
fn several_executions_of_surefire_run_each_test_class_once_with_the_same_settings() {
    let project = copy("versioned-set");
    let tests = project.root.join("src/test/java/org/example");
    std::fs::write(
        tests.join("SlowTest.java"),
        "package org.example;\npublic class SlowTest { @org.junit.Test public void runs() {} }\n",
    )
    .unwrap();
    let execution = |id: &str, configuration: &str| {
        format!(
            "<execution><id>{id}</id><goals><goal>test</goal></goals><configuration>{configuration}</configuration></execution>"
        )
    };
    let executions = [
        execution("default-test", "<excludes><exclude>**/Slow*.java</exclude></excludes>"),
        execution("slow", "<argLine>-Dorg.example.slow=yes</argLine>"),
        execution("again", "<useModulePath>false</useModulePath>"),
        execution("nothing-new", "<trimStackTrace>false</trimStackTrace>"),
    ];
    add_to_pom(
        &project,
        "</plugins>",
        &format!(
            "<plugin><artifactId>maven-surefire-plugin</artifactId><executions>{}</executions></plugin>",
            executions.concat()
        ),
    );
    let build = project.ask(&[]).unwrap();
    let classes: Vec<Vec<String>> = build.recipes.iter().map(|recipe| recipe.test_class_names().unwrap()).collect();
    // `slow` has another argLine, so both classes count; `again` adds what the first leaves out.
    let mut of_slow = classes[1].clone();
    of_slow.sort();
    assert_eq!(of_slow, ["org.example.SlowTest", "org.example.VersionedSetTest"]);
    assert_eq!(
        (&classes[0][..], &classes[2][..]),
        (&["org.example.VersionedSetTest".to_owned()][..], &["org.example.SlowTest".to_owned()][..])
    );
    assert_eq!(build.recipes[1].jvm_arguments, ["-Dorg.example.slow=yes"]);
    let executions: Vec<Option<&str>> = build.recipes.iter().map(|recipe| recipe.execution.as_deref()).collect();
    assert_eq!(executions, [None, Some("slow"), Some("again")]);
    let notes = &build.recipes[0].notes;
    assert!(notes.len() == 1 && notes[0].contains("`nothing-new`"), "{notes:?}");

    let build = project.ask(&["-DdependenciesToScan=junit:junit", "-Dtest=TestCase,SlowTest"]).unwrap();
    assert_eq!(names(&build.recipes[0].scanned_dependencies), ["junit-4.13.2.jar"]);
    let expected = ["org.example.SlowTest", "junit.framework.TestCase"];
    assert_eq!(build.recipes[0].test_class_names().unwrap(), expected);
}

/// Whether Maven was started, and the build.
fn ask_again(project: &Copy, arguments: &[&str], history: bool) -> (bool, Build) {
    let (said, build) = said_again(project, arguments, history);
    (is_started(&said), build.unwrap())
}

fn is_started(said: &[String]) -> bool {
    said.iter().any(|line| line.starts_with("$ ") && !line.contains("javac "))
}

/// All output, and the build.
fn said_again(project: &Copy, arguments: &[&str], history: bool) -> (Vec<String>, Result<Build>) {
    let arguments = arguments.iter().map(ToString::to_string).collect();
    let options = MavenOptions { arguments, offline: false, history };
    let mut said = Vec::new();
    let found = project::find(&project.root).unwrap();
    let output = project.root.join("target/reneri");
    std::fs::create_dir_all(&output).unwrap();
    let log = output.join("maven.log");
    let maven = BuildTool::Maven(MavenRequest { project: found, options, log });
    let build = maven.build(&AtomicBool::new(false), &mut |line| said.push(line.to_owned()));
    (said, build)
}

#[test]
fn maven_is_not_asked_twice_while_nothing_changes() {
    let project = copy("several-modules");
    let (started, first) = ask_again(&project, &[], true);
    assert!(started);
    assert_eq!(ask_again(&project, &[], true), (false, first.clone()));
    assert_eq!(ask_again(&project, &[], false), (true, first), "--no-history");
    // That run of Maven may have changed inputs of the stored answer, such as the time of a file list.
    ask_again(&project, &[], true);
    assert!(!ask_again(&project, &[], true).0);

    assert!(ask_again(&project, &["-Dorg.example.user=mine"], true).0, "another command line");
    let pom = project.root.join("pom.xml");
    let text = std::fs::read_to_string(&pom).unwrap();
    std::fs::write(&pom, text + "\n<!-- changed -->\n").unwrap();
    assert!(ask_again(&project, &[], true).0, "the POM has changed");
}

const ACCOUNT: &str = "core/src/main/java/org/example/core/Account.java";
const BANK_TEST: &str = "app/src/test/java/org/example/app/BankTest.java";

fn edit(project: &Copy, file: &str, from: &str, to: &str) {
    let path = project.root.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// The class files of the project.
fn classes(project: &Copy) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(&project.root).into_iter().map(|entry| entry.unwrap().into_path());
    let files = entries.filter(|path| path.extension().is_some_and(|end| end == "class"));
    files.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn an_edited_source_is_compiled_without_maven_as_maven_would() {
    let project = copy("several-modules");
    let first = ask_again(&project, &[], true).1;
    let before = classes(&project);
    edit(&project, ACCOUNT, "balance -= amount;", "int now = balance;\n        balance = now - amount - 1;");
    // Adds a test in a class that no other source names.
    edit(
        &project,
        BANK_TEST,
        "    @Test\n",
        "    @Test\n    public void more() { Runnable no = () -> { }; no.run(); }\n\n    @Test\n",
    );
    let (said, build) = said_again(&project, &[], true);
    assert!(!is_started(&said), "{said:?}");
    assert_eq!(build.unwrap(), first);
    assert!(!ask_again(&project, &[], true).0, "its answer holds from there on");
    let edited = classes(&project);
    let changed: Vec<&str> = edited
        .iter()
        .filter(|(file, bytes)| before.get(*file) != Some(bytes))
        .map(|(file, _)| file.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(changed, ["BankTest.class", "Account.class"]);
    #[cfg(unix)]
    for file in edited.keys() {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(file).unwrap().permissions());
        assert_eq!(mode & 0o044, 0o044, "{} can be read by others, as before", file.display());
    }
    // Maven finds nothing to do, and makes the same classes from scratch.
    let (said, _) = said_again(&project, &[], false);
    assert!(is_started(&said) && !said.iter().any(|line| line.contains("Compiling 1")), "{said:?}");
    for file in edited.keys() {
        std::fs::remove_file(file).unwrap();
    }
    ask_again(&project, &[], false);
    assert!(classes(&project) == edited, "Maven makes other classes");
}

#[test]
fn maven_compiles_an_edit_that_other_sources_may_see() {
    let project = copy("several-modules");
    ask_again(&project, &[], true);
    let asked = |why: &str| {
        let (said, build) = said_again(&project, &[], true);
        assert!(is_started(&said) && said.iter().any(|line| line.contains(why)), "not because of {why}: {said:?}");
        build
    };
    edit(&project, ACCOUNT, "private int changes;", "int changes;");
    asked("Account.class has changed in more than bodies of methods").unwrap();
    edit(&project, ACCOUNT, "return balance == 0;", "return new Object() { }.hashCode() == 0;");
    asked("Account$1.class has changed in more than bodies of methods").unwrap();
    edit(&project, ACCOUNT, "return new Object() { }.hashCode() == 0;", "return balance == 0;");
    asked("Account$1.class is no longer made").unwrap();
    edit(
        &project,
        "checks/src/test/java/org/example/checks/WithdrawalTest.java",
        "public class",
        "// BankTest, beside\npublic class",
    );
    assert!(!ask_again(&project, &[], true).0, "a comment");
    edit(&project, BANK_TEST, "    @Test\n", "    public static final int LIMIT = 7;\n\n    @Test\n");
    asked("WithdrawalTest.java names BankTest").unwrap();
    let new = project.root.join("core/src/main/java/org/example/core/New.java");
    std::fs::write(new, "package org.example.core; class New { }").unwrap();
    assert!(ask_again(&project, &[], true).0, "a new source");
    edit(&project, ACCOUNT, "return balance == 0;", "return balance == nothing;");
    let error = asked("the edited sources do not compile").unwrap_err();
    assert!(error.to_string().contains("Account.java"), "{error}");
}

#[test]
fn maven_compiles_edited_sources_if_a_plugin_may_depend_on_sources() {
    let project = copy("rewritten-tests");
    ask_again(&project, &[], true);
    let source = project.files().into_keys().find(|file| file.ends_with("PlainTest.java")).unwrap();
    let text = std::fs::read_to_string(&source).unwrap();
    std::fs::write(&source, text + "// edited\n").unwrap();
    let (said, _) = said_again(&project, &[], true);
    assert!(is_started(&said) && said.iter().any(|line| line.contains("maven-antrun-plugin:run writes")), "{said:?}");
}

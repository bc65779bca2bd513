//! Reads recipe files, through the binary and through the library.

use crate::common::{copy, maven, printed};
use reneri::base::error::{ExitCode, Result};
use reneri::recipe::{Build, BuildTool, Engine, RunOrder};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

const SCHEMA: &str = include_str!("../../src/recipe/recipe.schema.json");

/// Reads a recipe file.
fn read(file: &Path) -> Result<Build> {
    BuildTool::RecipeFile(file.to_path_buf()).build(&AtomicBool::new(false), &mut |_| {})
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn fits_the_schema(recipe: &Value) -> bool {
    jsonschema::validator_for(&schema()).unwrap().is_valid(recipe)
}

fn write(file: &Path, recipe: &Value) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, serde_json::to_string_pretty(recipe).unwrap()).unwrap();
}

/// A folder with a class, a test class and an empty jar for recipes.
struct Built {
    folder: tempfile::TempDir,
}

impl Built {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in
            ["main/org/example/Stack.class", "test/org/example/StackTest.class", "kotlin/org/example/QueueTest.class"]
        {
            let file = folder.path().join("out").join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        for file in ["junit/org/junit/runner/Runner.class", "platform/org/junit/platform/commons/JUnitException.class"]
        {
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        std::fs::create_dir(folder.path().join("src")).unwrap();
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("conf/recipe.json")
    }

    /// The error for a recipe with this module.
    fn refusal(&self, module: &Value) -> String {
        write(&self.file(), &json!({"recipeVersion": 1, "modules": [module]}));
        let error = read(&self.file()).unwrap_err();
        assert_eq!(error.exit_code, ExitCode::Usage, "{error}");
        assert!(error.what.contains("recipe.json") && error.next.contains("recipe.schema.json"), "{error}");
        error.what
    }
}

#[test]
fn a_project_that_is_built_already_is_analyzed_without_maven_and_with_the_same_result() {
    let project = copy("versioned-set");
    let build = maven().args(["-q", "test-compile"]).current_dir(&project.root).output().unwrap();
    assert!(build.status.success(), "{}", printed(&build));
    let listed = maven()
        .args(["-q", "dependency:build-classpath", "-Dmdep.outputFile=target/class-path"])
        .current_dir(&project.root)
        .output()
        .unwrap();
    assert!(listed.status.success(), "{}", printed(&listed));
    let jars = std::fs::read_to_string(project.root.join("target/class-path")).unwrap();
    let recipe = json!({
        "recipeVersion": 1, "project": "Versioned set", "root": "..",
        "modules": [{
            "name": "versioned-set", "baseDirectory": "..", "classes": ["../target/classes"],
            "testClasses": ["../target/test-classes"], "sourceRoots": ["../src/main/java"],
            "testSourceRoots": ["../src/test/java"], "testClassPath": jars.trim().split(':').collect::<Vec<_>>()}]});
    assert!(fits_the_schema(&recipe));
    let file = project.root.join("target/recipe.json");
    write(&file, &recipe);
    let empty = tempfile::tempdir().unwrap();
    let java =
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|folder| folder.join("java").is_file()).unwrap();
    let home = java.join("java").canonicalize().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_reneri"))
        .args(["analyze", "--recipe"])
        .arg(&file)
        .arg("--output")
        .arg(project.root.join("target/reneri"))
        .env("JAVA_HOME", home.parent().unwrap().parent().unwrap())
        .env("PATH", empty.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects/versioned-set/expected/report.json");
    let mut report = project.json();
    let mut expected: Value = serde_json::from_str(&std::fs::read_to_string(expected).unwrap()).unwrap();
    // The reports differ only in the command that reproduces them.
    let command = report["settings"]["command"].take();
    assert_eq!(command, "reneri analyze --recipe=recipe.json");
    expected["settings"]["command"].take();
    assert_eq!(report, expected);
}

#[test]
fn fields_that_a_recipe_omits_have_surefires_defaults() {
    let built = Built::new();
    let recipe = json!({"recipeVersion": 1, "modules": [
        {"name": "stack", "baseDirectory": "..", "classes": ["../out/main"], "testClasses": ["../out/test", "../out/kotlin"],
         "testClassPath": ["../junit"]},
        {"name": "none"}]});
    assert!(fits_the_schema(&recipe));
    write(&built.file(), &recipe);
    let build = read(&built.file()).unwrap();
    assert_eq!((build.modules.len(), build.recipes.len(), build.project.as_str()), (1, 1, "conf"));
    let (recipe, out) = (&build.recipes[0], built.folder.path().join("out"));
    let path = [out.join("test"), out.join("kotlin"), out.join("main"), built.folder.path().join("junit")];
    assert_eq!(recipe.test_class_path, path);
    assert_eq!(
        (recipe.engine, recipe.run_order, recipe.enable_assertions),
        (Engine::JUnit4, RunOrder::Filesystem, true)
    );
    assert_eq!(recipe.working_directory, built.folder.path());
    assert_eq!(recipe.test_class_names().unwrap(), ["org.example.StackTest", "org.example.QueueTest"]);
    assert!(recipe.java_home.join("bin").is_dir() && recipe.java_release >= 8);
}

/// Every field of the schema, each with a value that is not its default.
fn complete() -> Value {
    json!({
        "$schema": "recipe.schema.json", "recipeVersion": 1, "project": "P", "root": "..",
        "modules": [{
            "name": "m", "baseDirectory": "..", "classes": ["../out/main"], "sourceRoots": ["../src"],
            "testClasses": ["../out/test"], "testSourceRoots": ["../src"], "testClassPath": ["../junit"],
            "modulePath": {"module": "m", "elements": ["../out/main"], "arguments": ["--add-reads=m=ALL-UNNAMED"]},
            "engine": "junit4", "engineClassPath": ["../platform"], "engineParameters": {"a": "b"},
            "jvmArguments": ["-Xmx1g", "-javaagent:/x/jacocoagent.jar=a"], "systemProperties": {"c": "d"},
            "environment": {"E": "F"}, "environmentRemoved": ["G"], "workingDirectory": "../work", "enableAssertions": false,
            "includes": ["**/*Test.class"], "excludes": ["**/Slow*"], "groups": "fast", "excludedGroups": "slow",
            "runOrder": "reversealphabetical", "javaHome": "java-home",
            "compiler": {"encoding": "ISO-8859-1", "release": "17", "source": "11", "target": "11", "parameters": true,
                         "arguments": ["-Xlint:none"]}}]})
}

#[test]
fn every_field_of_the_schema_is_described_and_reaches_the_recipe() {
    let (schema, mut complete) = (schema(), complete());
    assert!(fits_the_schema(&complete));
    for (part, value) in [
        ("/properties", ""),
        ("/properties/modules/items/properties", "/modules/0"),
        ("/properties/modules/items/properties/modulePath/properties", "/modules/0/modulePath"),
        ("/properties/modules/items/properties/compiler/properties", "/modules/0/compiler"),
    ] {
        let fields = schema.pointer(part).unwrap().as_object().unwrap();
        for (name, field) in fields {
            assert!(field["description"].as_str().is_some_and(|text| text.ends_with('.')), "{name}");
            assert!(!complete.pointer(value).unwrap()[name].is_null(), "{name} is not in the example");
        }
    }
    let java =
        Command::new("sh").args(["-c", "dirname $(dirname $(readlink -f $(command -v javac)))"]).output().unwrap();
    let home = String::from_utf8(java.stdout).unwrap().trim().to_owned();
    complete["modules"][0]["javaHome"] = json!(home);
    let built = Built::new();
    write(&built.file(), &complete);
    let build = read(&built.file()).unwrap();
    let recipe = &build.recipes[0];
    let root = built.folder.path();
    assert_eq!((build.project.as_str(), build.root.as_path(), recipe.module.as_str()), ("P", root, "m"));
    assert_eq!((&recipe.java_home, &recipe.working_directory), (&PathBuf::from(home), &root.join("work")));
    assert_eq!(
        (recipe.source_roots.as_slice(), recipe.test_source_roots.as_slice()),
        ([root.join("src")].as_slice(), [root.join("src")].as_slice())
    );
    assert_eq!(recipe.module_path.as_ref().unwrap().elements, [root.join("out/main")]);
    assert_eq!(recipe.engine_class_path, [root.join("platform")]);
    assert_eq!((recipe.engine_parameters["a"].as_str(), recipe.system_properties["c"].as_str()), ("b", "d"));
    assert_eq!(
        (recipe.environment["E"].as_str(), recipe.environment_removed.as_slice()),
        ("F", ["G".to_owned()].as_slice())
    );
    assert_eq!((recipe.jvm_arguments.as_slice(), recipe.asides.len()), (["-Xmx1g".to_owned()].as_slice(), 1));
    assert_eq!((recipe.enable_assertions, recipe.run_order), (false, RunOrder::ReverseAlphabetical));
    assert_eq!(
        (recipe.filter.includes[0].as_str(), recipe.filter.excludes[0].as_str()),
        ("**/*Test.class", "**/Slow*")
    );
    assert_eq!(
        (recipe.filter.groups.as_deref(), recipe.filter.excluded_groups.as_deref()),
        (Some("fast"), Some("slow"))
    );
    let compiler = &recipe.compiler;
    assert_eq!((compiler.encoding.as_deref(), compiler.release.as_deref()), (Some("ISO-8859-1"), Some("17")));
    assert_eq!((compiler.source.as_deref(), compiler.target.as_deref()), (Some("11"), Some("11")));
    assert_eq!((compiler.parameters, compiler.arguments.as_slice()), (true, ["-Xlint:none".to_owned()].as_slice()));
}

#[test]
fn the_example_of_the_manual_fits_the_schema() {
    let manual = include_str!("../../docs/gradle.md");
    let example = manual.split("```json").nth(1).unwrap().split("```").next().unwrap();
    assert!(fits_the_schema(&serde_json::from_str(example).unwrap()));
    assert!(!fits_the_schema(&json!({"recipeVersion": 1, "modules": [{"name": "m", "clases": []}]})));
}

#[test]
fn the_error_for_an_unusable_recipe_names_the_wrong_field() {
    let built = Built::new();
    assert!(built.refusal(&json!({"name": "m", "clases": []})).contains("unknown field `clases`"));
    assert!(built.refusal(&json!({"classes": []})).contains("no `name`"));
    assert!(
        built
            .refusal(&json!({"name": "m", "classes": ["../gone"]}))
            .contains("gone, which is no folder; is the project built")
    );
    assert!(
        built
            .refusal(&json!({"name": "m", "classes": ["../out/main"]}))
            .contains("none of its modules has `testClasses`")
    );
    let tests = |path: &str| json!({"name": "m", "classes": ["../out/main"], "testClasses": ["../out/test"], "testClassPath": [path]});
    assert!(built.refusal(&tests("../gone.jar")).contains("`testClassPath` names"));
    assert!(built.refusal(&tests("../src")).contains("no JUnit and no TestNG"));
    assert!(built.refusal(&tests("../platform")).contains("junit-platform-launcher"));
    let only_tests = json!({"name": "m", "testClasses": ["../out/test"], "testClassPath": ["../junit"]});
    assert!(built.refusal(&only_tests).contains("none of its modules has `classes`"));
    std::fs::write(built.file(), "{\"recipeVersion\": 2, \"modules\": []}").unwrap();
    assert!(read(&built.file()).unwrap_err().what.contains("recipeVersion is 2"));
    std::fs::write(built.file(), "{").unwrap();
    assert!(read(&built.file()).unwrap_err().what.contains("line 1"));
    let missing = read(&built.folder.path().join("none.json")).unwrap_err();
    assert!(missing.what.contains("none.json") && missing.next.contains("--recipe"));
}

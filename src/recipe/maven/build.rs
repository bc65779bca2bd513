//! Turns the handover of the Maven extension into a build: modules, recipes, and the reasons why a
//! module has none.

use super::failure::failure;
use super::request::{MavenOptions, MavenRequest};
use crate::base::error::{Error, Result};
use crate::project::Project;
use crate::recipe::foreign_tests::{ForeignTests, note_foreign_tests};
use crate::recipe::handover::{Execution, HandedModule, Handover, Problem};
use crate::recipe::surefire::{existing, recipe};
use crate::recipe::test_classes::{check, class_files, no_test_classes};
use crate::recipe::{Build, Module, Recipe};
use std::collections::BTreeSet;

/// The end of a run of Maven.
pub(super) struct MavenEnd {
    pub(super) success: bool,
    /// All that Maven printed.
    pub(super) output: String,
}

/// The build that Maven has handed over.
///
/// # Errors
/// If Maven failed before it came to the tests, or if no module has tests that can be run.
pub(super) fn conclude(handover: Handover, end: &MavenEnd, request: &MavenRequest) -> Result<Build> {
    let MavenRequest { project, options, .. } = request;
    if let Some(problem) = &handover.problem {
        return Err(problem_error(problem, options));
    }
    let mut notes = handover.notes;
    if !end.success {
        // Surefire had everything it needs. Goals after it do not affect the tests.
        if handover.modules.is_empty() || !handover.modules.iter().all(HandedModule::reached_surefire) {
            let mut error = failure(&end.output, request);
            // The reason may be that the project asks for another version.
            error.what = notes.iter().fold(error.what, |what, note| format!("{what} {note}"));
            return Err(error);
        }
        notes.push("Maven failed after the tests' turn; its log says why.".to_string());
    }
    let mut build = Build {
        project: handover.name.unwrap_or_else(|| project.root.display().to_string()),
        root: project.root.clone(),
        notes,
        ..Build::default()
    };
    let mut without_tests: Vec<Error> = Vec::new();
    let all_tests: Vec<ForeignTests> = handover.modules.iter().filter_map(tests_of).collect();
    for mut handed in handover.modules {
        build.modules.extend(module(&handed));
        let notes = std::mem::take(&mut handed.notes);
        match recipes_of(handed, options) {
            Ok(mut recipes) => {
                if let Some(recipe) = recipes.first_mut() {
                    recipe.notes.splice(0..0, notes);
                }
                build.recipes.extend(recipes);
            }
            Err(why) => {
                build.notes.extend(notes);
                without_tests.push(why);
            }
        }
    }
    if build.recipes.is_empty() {
        return Err(no_tests(project, without_tests));
    }
    if build.modules.is_empty() {
        return Err(Error::cannot_build(
            format!("{} has no classes: Maven compiled nothing but tests.", build.project),
            "Choose a project that has code with `--project`.",
        ));
    }
    build.notes.extend(without_tests.into_iter().map(|error| error.what));
    note_foreign_tests(&mut build.recipes.raw, &all_tests);
    Ok(build)
}

/// The test classes of a module, which may have no tests that run: then they are for others.
fn tests_of(handed: &HandedModule) -> Option<ForeignTests> {
    let project = handed.project.as_ref()?;
    let compile = handed.test_compile.clone().unwrap_or_default();
    Some(ForeignTests {
        classes: project.test_output_directory.clone(),
        source_roots: existing(&project.test_source_roots, compile.generated_test_sources_directory.as_ref()),
        encoding: compile.settings().encoding,
        build_directory: project.build_directory.clone(),
    })
}

impl HandedModule {
    /// Whether Maven came as far as surefire in this module.
    fn reached_surefire(&self) -> bool {
        !self.executions.is_empty() || self.skipped_execution.is_some() || self.problem.is_some()
    }
}

fn module(handed: &HandedModule) -> Option<Module> {
    let project = handed.project.as_ref()?;
    let classes =
        handed.executions.first().map_or(&project.output_directory, |execution| &execution.surefire.classes_directory);
    class_files(classes).next()?;
    Some(Module {
        name: project.artifact_id.clone(),
        base_directory: project.base_directory.clone(),
        build_directory: Some(project.build_directory.clone()),
        classes: classes.clone(),
        source_roots: existing(&project.source_roots, None),
    })
}

/// The recipes of a module's tests, or the reason why there are none: one for each execution of
/// surefire, without the test classes that an earlier one runs with the same settings.
fn recipes_of(handed: HandedModule, options: &MavenOptions) -> Result<Vec<Recipe>> {
    let name = handed.artifact_id;
    let test_compile = handed.test_compile.unwrap_or_default();
    let skipped = handed.skipped_execution.is_some() || test_compile.skip;
    let test_classes = handed.project.as_ref().map(|project| project.test_output_directory.clone());
    let mut recipes: Vec<Recipe> = Vec::new();
    if let Some(project) = &handed.project {
        let mut notes: Vec<String> = Vec::new();
        for Execution { id, engine, mut surefire } in handed.executions {
            let module_path = surefire.module_path.take();
            let recipe = recipe(project.clone(), test_compile.clone(), engine, surefire, Vec::new());
            let next = recipe.and_then(|mut recipe| {
                check(&recipe)?;
                if let Some(module_path) = module_path.filter(|_| recipe.java_release >= 9) {
                    recipe.module_path = Some(module_path.module_path(&recipe)?);
                }
                recipe.rewritten_test_classes.clone_from(&handed.rewritten_test_classes);
                without_repetitions(recipe, &id, &recipes)
            });
            match next {
                Ok(Some(recipe)) => recipes.push(recipe),
                Ok(None) => notes.push(format!(
                    "Execution `{id}` of maven-surefire-plugin repeats those before it, and is left out."
                )),
                Err(error) if recipes.is_empty() => return Err(error),
                Err(error) => {
                    notes.push(format!("Execution `{id}` of maven-surefire-plugin is left out. {}", error.what))
                }
            }
        }
        if let Some(first) = recipes.first_mut() {
            if let count @ 1.. = first.rewritten_test_classes.len() {
                notes.push(format!(
                    "The build changes {count} test classes after they were compiled ({}): they run as they are, and what their \
                     expressions yield is not seen.",
                    handed.rewriters.join(", ")
                ));
            }
            notes.extend(handed.problem.map(|problem| problem.text));
            first.notes.append(&mut notes);
            return Ok(recipes);
        }
    }
    if let Some(problem) = &handed.problem {
        // If there are no tests, that is why there is no engine.
        let empty = test_classes.filter(|folder| class_files(folder).next().is_none());
        return Err(empty.map_or_else(|| problem_error(problem, options), |folder| no_test_classes(&name, &folder)));
    }
    if skipped {
        return Err(skipped_error(&name));
    }
    Err(Error::cannot_build(
        format!("maven-surefire-plugin has no part in building {name}."),
        "reneri runs the tests that surefire runs in Maven's `test` phase: choose a module whose tests run there.",
    ))
}

/// Restricts the recipe of an execution to the test classes that no recipe of `before` runs with the
/// same settings; `None` if there are none. Names the execution if another recipe runs some of its
/// classes.
fn without_repetitions(mut recipe: Recipe, execution: &str, before: &[Recipe]) -> Result<Option<Recipe>> {
    let settings = settings_of(&recipe);
    let mut repeated: BTreeSet<String> = BTreeSet::new();
    let mut with_other_settings: BTreeSet<String> = BTreeSet::new();
    for earlier in before {
        let classes = if settings_of(earlier) == settings { &mut repeated } else { &mut with_other_settings };
        classes.extend(earlier.test_class_names()?);
    }
    let all = recipe.test_class_names()?;
    let remaining: Vec<&String> = all.iter().filter(|class| !repeated.contains(*class)).collect();
    if remaining.is_empty() {
        return Ok(None);
    }
    if remaining.iter().any(|class| with_other_settings.contains(*class)) {
        recipe.execution = Some(execution.to_owned());
    }
    if remaining.len() < all.len() {
        recipe.filter.includes = remaining.iter().map(|class| format!("{}.class", class.replace('.', "/"))).collect();
        recipe.filter.excludes.clear();
    }
    Ok(Some(recipe))
}

/// The recipe without what only chooses its test classes, and without what only people read. With
/// other groups, a class has other tests.
fn settings_of(recipe: &Recipe) -> Recipe {
    let mut settings = recipe.clone();
    settings.filter.includes.clear();
    settings.filter.excludes.clear();
    settings.notes.clear();
    settings.asides.clear();
    settings.execution = None;
    settings
}

fn skipped_error(module: &str) -> Error {
    Error::cannot_build(
        format!("The build of {module} skips its tests (skipTests or maven.test.skip)."),
        "Switch them on, for example with `--maven-arg=-DskipTests=false --maven-arg=-Dmaven.test.skip=false`.",
    )
}

/// The reason if there is one module, or all reasons if there are several.
fn no_tests(project: &Project, mut reasons: Vec<Error>) -> Error {
    if reasons.len() == 1 {
        return reasons.remove(0);
    }
    let details: Vec<String> = reasons.iter().map(|reason| reason.what.clone()).collect();
    let next = reasons.first().map_or("Choose another project with `--project`.", |reason| reason.next.as_str());
    Error::cannot_build(
        format!("None of the {} modules in {} has tests that can be run.", reasons.len(), project.root.display()),
        next,
    )
    .with_details(details.join("\n"))
}

/// The problem that the extension found, and what to do about it.
fn problem_error(problem: &Problem, options: &MavenOptions) -> Error {
    let next = match problem.kind.as_str() {
        "no-code" => "Choose a module that has code with `--project`.",
        "old-testng" => "reneri runs TestNG from version 6.8 on: depend on a newer one.",
        "no-framework" => "reneri runs JUnit and TestNG tests: add one of them to the dependencies, with scope `test`.",
        "not-resolved" if options.offline => "Run once without `--offline`, so that Maven can fetch it.",
        "not-resolved" => "Check the network and the repositories in Maven's settings.",
        "unknown-surefire" => "Use a newer version of maven-surefire-plugin: 2.12 or later.",
        _ => "Choose another module with `--project`.",
    };
    Error::cannot_build(&problem.text, next)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn concluded(handover: Value, success: bool) -> Result<Build> {
        let project = Project { root: "/p".into(), pom: "/p/pom.xml".into() };
        let handover = serde_json::from_value(handover).unwrap();
        let request = MavenRequest { project, options: MavenOptions::default(), log: "/log".into() };
        conclude(handover, &MavenEnd { success, output: "[ERROR] it broke\n".into() }, &request)
    }

    #[test]
    fn the_error_says_why_each_module_has_no_tests_and_what_to_do_about_the_first() {
        let modules = json!({"modules": [
            {"artifactId": "one", "skippedExecution": "default-test"},
            {"artifactId": "two", "problem": {"kind": "no-framework", "text": "No JUnit in two."}},
            {"artifactId": "three"}]});
        let error = concluded(modules, true).unwrap_err();
        let details = error.details.unwrap();
        assert_eq!(details.lines().count(), 3, "{details}");
        assert!(error.what.contains("3 modules") && details.contains("one skips") && details.contains("in two."));
        assert!(details.contains("three") && error.next.contains("-DskipTests=false"), "{details}");
    }

    #[test]
    fn a_build_that_fails_before_surefire_has_reached_each_module_is_an_error() {
        let modules = json!({
            "modules": [{"artifactId": "one", "skippedExecution": "x"}, {"artifactId": "two"}],
            "notes": ["The project asks for Maven [4,)."]});
        let error = concluded(modules, false).unwrap_err();
        assert!(
            error.details.unwrap().contains("it broke") && error.what.ends_with("The project asks for Maven [4,).")
        );
        assert!(concluded(json!({}), false).unwrap_err().details.unwrap().contains("it broke"));
    }

    #[test]
    fn a_problem_of_the_whole_build_is_an_error() {
        let error = concluded(json!({"problem": {"kind": "no-code", "text": "No code."}}), false).unwrap_err();
        assert_eq!((error.what.as_str(), error.next.contains("--project")), ("No code.", true));
    }
}

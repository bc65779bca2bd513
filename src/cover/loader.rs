//! Chooses the class loader that suits the tests of a recipe: one of their own, which makes clean starts cheap, or the
//! JVM's, as under surefire.

use super::attempt::{LoaderResult, ReusedTests, cover, cover_tests};
use super::coverage::{Coverage, Test};
use super::recorded_runs::RecordedRuns;
use super::runs::suite::JVMS;
use super::task::Task;
use crate::base::error::{Error, Result};
use crate::base::id::TestId;
use crate::base::interrupt;
use crate::jvm::client::Launch;
use crate::jvm::protocol::FoundTest;
use crate::recipe::{TestLoader, loaders, with_loader};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The coverage with the chosen class loader, and the launch for the stages that follow.
#[derive(Debug)]
pub struct LoaderChoice {
    pub coverage: Coverage,
    pub launch: Arc<Launch>,
    /// A sentence for the user, if the tests do not run in a class loader of their own.
    pub note: Option<String>,
    /// The runs behind the coverage, and where the tests ran; `None` if a later analysis cannot reuse them.
    pub runs: Option<(TestLoader, RecordedRuns)>,
}

/// A class loader and the coverage with it.
struct Candidate {
    loader: TestLoader,
    launch: Arc<Launch>,
    result: LoaderResult,
}

/// Covers the tests in a class loader of their own, and if tests fail there, also in those of the JVM. Chooses the first
/// of the loaders in which the fewest tests fail. JVMs in which other tests can run with this launch stay alive.
///
/// # Errors
/// When no test can be used with any of the loaders (the error of the first one); when no JVM can be started; when
/// the user interrupts.
pub fn choose_loader(task: &Task<'_>) -> Result<LoaderChoice> {
    let (recipe, log) = (task.recipe, task.progress.log);
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut first_error = None;
    for loader in loaders(recipe) {
        let launch = Arc::new(with_loader(task.launch, recipe, loader)?);
        let suspects = candidates.iter().map(|candidate| suspects(&candidate.result, loader)).min_by_key(Vec::len);
        if let Some(suspects) = &suspects
            && (suspects.is_empty() || !any_passes(&Task { launch: &launch, ..*task }, suspects)?)
        {
            continue;
        }
        let earlier = task.earlier.filter(|earlier| earlier.loader == loader);
        let result = cover(&Task { launch: &launch, earlier, ..*task });
        // Otherwise another loader may be tried, or each clean start is a new JVM.
        let stay = loader == TestLoader::Isolated && result.as_ref().is_ok_and(|result| result.suspects.is_empty());
        task.pool.keep(if stay { JVMS } else { 0 });
        match result {
            Ok(result) => {
                log_reuse(task, &result);
                candidates.push(Candidate { loader, launch, result });
            }
            Err(error) if interrupt::ends_run(&error) => return Err(error),
            Err(error) => {
                log(&format!("Tests in {}: {}", loader.name(), error.what));
                first_error = first_error.or(Some(error));
            }
        }
    }
    let Some(chosen) = best_candidate(task, candidates) else {
        return Err(first_error.unwrap_or_else(|| Error::bug("No class loader was tried.")));
    };
    log(&format!("The tests run in {}", chosen.loader.name()));
    let note = chosen.loader.note(&recipe.module);
    let LoaderResult { coverage, runs, .. } = chosen.result;
    let runs = runs.map(|runs| (chosen.loader, runs));
    Ok(LoaderChoice { coverage, launch: chosen.launch, note, runs })
}

fn log_reuse(task: &Task<'_>, result: &LoaderResult) {
    let ReusedTests { all, skipped } = result.reused;
    if all > 0 {
        (task.progress.log)(&format!(
            "The last results of {all} of {} tests hold: {skipped} of them did not run, the others ran once",
            result.coverage.tests.len()
        ));
    }
}

/// The first of the candidates that miss the fewest of the tests that pass with any of them.
fn best_candidate(task: &Task<'_>, mut candidates: Vec<Candidate>) -> Option<Candidate> {
    let passing_anywhere: BTreeSet<&str> =
        candidates.iter().flat_map(|candidate| passing_tests(&candidate.result.coverage)).collect();
    let mut best: Option<(usize, usize)> = None;
    for (index, candidate) in candidates.iter().enumerate() {
        let passing: BTreeSet<&str> = passing_tests(&candidate.result.coverage).collect();
        let (all, missing) = (passing_anywhere.len(), passing_anywhere.difference(&passing).count());
        (task.progress.log)(&format!("Tests in {}: {} of {all} pass", candidate.loader.name(), all - missing));
        if best.is_none_or(|(fewest, _)| missing < fewest) {
            best = Some((missing, index));
        }
    }
    let (_, index) = best?;
    Some(candidates.swap_remove(index))
}

/// Names of the tests that can be used as evidence.
fn passing_tests(coverage: &Coverage) -> impl Iterator<Item = &str> {
    let tests = coverage.tests.iter_enumerated();
    tests.filter(|(number, _)| !coverage.is_quarantined(*number)).map(|(_, test)| test.name.as_str())
}

/// The suspects that may pass in `loader`, in the order in which they run.
fn suspects(result: &LoaderResult, loader: TestLoader) -> Vec<FoundTest> {
    let Coverage { tests, failing, .. } = &result.coverage;
    let fails_anywhere = |test: &TestId| {
        let of_test = failing.iter().filter(|failing| failing.test == *test);
        loader != TestLoader::ModulePath && of_test.map(|failing| &*failing.reason).any(is_closed_to_class_paths)
    };
    let found =
        |Test { id, name, class, .. }: &Test| FoundTest { id: id.clone(), name: name.clone(), class: class.clone() };
    let suspects = result.suspects.iter().filter(|test| !fails_anywhere(test));
    suspects.filter_map(|test| tests.get(*test)).map(found).collect()
}

/// Whether a test failed because a module of the JDK is closed to its class path. What is opened to one class path is
/// opened to all (`ALL-UNNAMED`, JEP 261), so no other loader of the class path helps. Tests from before JDK 16 fail this
/// way.
fn is_closed_to_class_paths(reason: &str) -> bool {
    reason.starts_with("java.lang.reflect.InaccessibleObjectException: ") && reason.contains(" to unnamed module @")
}

/// Whether one of the suspects passes with this launch when they run alone. If none does, the whole suite need not run
/// with it. The suspects are known, so no discovery is needed.
fn any_passes(task: &Task<'_>, suspects: &[FoundTest]) -> Result<bool> {
    let alone = Task { methods: 0, earlier: None, jobs: 1, ..*task };
    let result = cover_tests(&alone, suspects);
    task.pool.keep(0);
    match result {
        Ok(result) => {
            Ok(passing_tests(&result.coverage).any(|name| suspects.iter().any(|suspect| suspect.name == name)))
        }
        Err(error) if interrupt::ends_run(&error) => Err(error),
        Err(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_closed_to_one_class_path_is_closed_to_all() {
        let closed = "java.lang.reflect.InaccessibleObjectException: Unable to make field private final byte[] java.lang.String.value \
                      accessible: module java.base does not \"opens java.lang\" to unnamed module @433d61fb";
        assert!(is_closed_to_class_paths(closed));
        assert!(!is_closed_to_class_paths(&closed.replace("unnamed module @433d61fb", "module org.example.app")));
        assert!(!is_closed_to_class_paths(&format!("java.lang.AssertionError: {closed}")));
    }
}

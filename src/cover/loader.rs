//! From a recipe to the class loader that suits its tests: one of their own, which makes clean starts cheap, or the JVM's, as under surefire.

use super::{Coverage, Covered, Runs, Task, Test, cover, cover_tests};
use crate::base::error::Result;
use crate::jvm::client::Launch;
use crate::jvm::protocol::FoundTest;
use crate::recipe::{TestLoader, loaders, with_loader};
use crate::run::Session;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Coverage, and the launch with which it was found, for the stages that follow.
#[derive(Debug)]
pub struct Chosen {
    pub coverage: Coverage,
    pub launch: Launch,
    /// A sentence, where the tests do not run in a class loader of their own.
    pub note: Option<String>,
    /// The runs behind the coverage, and where the tests ran; `None` where these say nothing of later ones.
    pub runs: Option<(TestLoader, Runs)>,
    /// JVMs of this launch in which the tests ran, and that can go on: at most as many as there are jobs.
    pub workers: Vec<Session>,
}

/// Covers the tests in a class loader of their own; where tests fail there, in the JVM's own, too. The loader in which fewest tests fail is
/// chosen, the first of equals.
///
/// # Errors
/// When with none of the loaders a test can be used, what the first one says; when no worker can be started; when the user interrupts.
pub fn choose(task: &Task<'_>) -> Result<Chosen> {
    let (recipe, said) = (task.recipe, task.progress.said);
    let mut tried: Vec<Tried> = Vec::new();
    let mut refused = None;
    for loader in loaders(recipe) {
        let launch = with_loader(task.launch, recipe, loader)?;
        let suspects = tried.iter().map(|tried| suspicious(&tried.covered, loader)).min_by_key(Vec::len);
        if let Some(suspects) = &suspects
            && (suspects.is_empty() || !any_passes(&Task { launch: &launch, ..*task }, suspects)?)
        {
            continue;
        }
        let before = task.before.filter(|before| before.loader == loader);
        match cover(&Task { launch: &launch, before, ..*task }) {
            Ok(mut covered) => {
                // Another loader may be tried, or each clean start is a new JVM.
                if !covered.suspects.is_empty() || loader != TestLoader::Isolated {
                    covered.workers.clear();
                }
                if let (held @ 1.., idle) = covered.held {
                    let all = covered.coverage.tests.len();
                    said(&format!(
                        "{held} of {all} tests do what they did: {idle} of them did not run, the others once"
                    ));
                }
                tried.push(Tried { loader, launch, covered });
            }
            Err(error) if error.ends_run() => return Err(error),
            Err(error) => {
                said(&format!("Tests in {}: {}", loader.name(), error.what));
                refused = refused.or(Some(error));
            }
        }
    }
    let known: BTreeSet<&str> = tried.iter().flat_map(|tried| passing(&tried.covered.coverage)).collect();
    let missing = |tried: &Tried| {
        let passing: BTreeSet<&str> = passing(&tried.covered.coverage).collect();
        known.difference(&passing).count()
    };
    for tried in &tried {
        said(&format!("Tests in {}: {} of {} pass", tried.loader.name(), known.len() - missing(tried), known.len()));
    }
    let mut best: Option<(usize, usize)> = None;
    for (index, tried) in tried.iter().enumerate() {
        let missing = missing(tried);
        if best.is_none_or(|(least, _)| missing < least) {
            best = Some((missing, index));
        }
    }
    let Some((_, index)) = best else {
        return Err(refused.unwrap_or_else(|| crate::base::error::Error::bug("No class loader was tried.")));
    };
    let chosen = tried.swap_remove(index);
    said(&format!("The tests run in {}", chosen.loader.name()));
    let note = (chosen.loader != TestLoader::Isolated).then(|| {
        format!(
            "The tests of {} need {}: each clean start is a new JVM, which takes longer.",
            recipe.module,
            chosen.loader.name()
        )
    });
    let Covered { coverage, runs, workers, .. } = chosen.covered;
    Ok(Chosen { coverage, launch: chosen.launch, note, runs: runs.map(|runs| (chosen.loader, runs)), workers })
}

struct Tried {
    loader: TestLoader,
    launch: Launch,
    covered: Covered,
}

/// Names of the tests that can be used as evidence.
fn passing(coverage: &Coverage) -> impl Iterator<Item = &str> {
    coverage
        .tests
        .iter()
        .enumerate()
        .filter(|(test, _)| !coverage.is_quarantined(*test))
        .map(|(_, test)| test.name.as_str())
}

/// The suspects that may pass in `loader`, in the order in which they run.
fn suspicious(covered: &Covered, loader: TestLoader) -> Vec<FoundTest> {
    let Coverage { tests, failing, .. } = &covered.coverage;
    let fails_anywhere = |test: &usize| {
        let of_test = failing.iter().filter(|failing| failing.test == *test);
        loader != TestLoader::ModulePath && of_test.map(|failing| &*failing.reason).any(is_closed_to_class_paths)
    };
    let tests = covered.suspects.iter().filter(|test| !fails_anywhere(test)).filter_map(|test| tests.get(*test));
    let found =
        |Test { id, name, class, .. }: &Test| FoundTest { id: id.clone(), name: name.clone(), class: class.clone() };
    tests.map(found).collect()
}

/// Whether a test failed because a module of the JDK is closed to its class path: what is opened to one is opened to all (`ALL-UNNAMED`, JEP 261),
/// so that no other loader of the class path helps. Tests from before JDK 16 fail so.
fn is_closed_to_class_paths(reason: &str) -> bool {
    reason.starts_with("java.lang.reflect.InaccessibleObjectException: ") && reason.contains(" to unnamed module @")
}

/// Whether one of the suspects passes with this launch when they run alone: else the whole suite is spared. They need not be looked for.
fn any_passes(task: &Task<'_>, suspects: &[FoundTest]) -> Result<bool> {
    let alone = Task { methods: 0, before: None, jobs: 1, ..*task };
    let covered = cover_tests(&alone, Session::new(Arc::new(task.launch.clone())), suspects);
    match covered {
        Ok(covered) => Ok(passing(&covered.coverage).any(|name| suspects.iter().any(|suspect| suspect.name == name))),
        Err(error) if error.ends_run() => Err(error),
        Err(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_jdk_keeps_from_one_class_path_it_keeps_from_any() {
        let closed = "java.lang.reflect.InaccessibleObjectException: Unable to make field private final byte[] java.lang.String.value \
                      accessible: module java.base does not \"opens java.lang\" to unnamed module @433d61fb";
        assert!(is_closed_to_class_paths(closed));
        assert!(!is_closed_to_class_paths(&closed.replace("unnamed module @433d61fb", "module org.example.app")));
        assert!(!is_closed_to_class_paths(&format!("java.lang.AssertionError: {closed}")));
    }
}

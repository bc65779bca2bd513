//! Runs the tests of each recipe to see which methods they reach.

use crate::base::error::{ExitCode, Result};
use crate::base::id::{IdVec, RecipeId};
use crate::base::output_folder::OutputFolder;
use crate::classfile::outlines::Outlines;
use crate::cli::Target;
use crate::cover::{self, Coverage, LoaderChoice, Progress, RecordedRuns, Task};
use crate::history::Recall;
use crate::jvm::client::Launch;
use crate::recipe::launch::{launch, tune};
use crate::recipe::{Build, Recipe, TestLoader};
use crate::run::Pool;
use crate::terminal::Terminal;
use crate::text::escape::shorten;
use crate::transform::{Transformations, plan};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// The file with what the JVMs of the tests say.
const TEST_LOG: &str = "tests.log";

/// The longest reason of a quarantine on the terminal, in characters. The report has all of it.
const REASON: usize = 200;
/// Most tests that one warning names.
const NAMED: usize = 3;

/// The coverage of a build's tests, and how to run them.
#[derive(Debug, Default)]
pub(crate) struct Covered {
    pub launches: IdVec<RecipeId, Launch>,
    pub coverage: Coverage,
    /// The runs that the coverage was measured in, and the classes that ran.
    pub runs: IdVec<RecipeId, Option<(TestLoader, RecordedRuns)>>,
}

impl Covered {
    /// Finds the tests that can depend on chance, whose failures a verdict has to repeat, those that may write files, whose
    /// verdicts need a clean copy, and those that use what other tests set up. `program` are the classes of the build.
    pub(crate) fn ask_what_tests_call(
        &mut self,
        build: &Build,
        program: &Outlines,
        transformations: &Transformations,
        terminal: &Terminal,
    ) {
        let tests = cover::test_outlines(build);
        let found = cover::by_chance(&tests, program, transformations, &self.coverage);
        terminal.verbose(&format!("{} of {} tests can depend on chance", found.len(), self.coverage.tests.len()));
        self.coverage.by_chance = found;
        let found = cover::writing(&tests, program, transformations, &self.coverage);
        terminal.verbose(&format!("{} of {} tests may write files", found.len(), self.coverage.tests.len()));
        self.coverage.writing = found;
        self.coverage.sharing = cover::users_of_shared_state(program, transformations, &self.coverage);
    }
}

/// Runs the tests of every recipe, or only those of the test classes in `only`. `recall` are the test
/// runs of the last analysis that may be reused. The JVMs in which the tests of the only recipe ran stay alive.
///
/// # Errors
/// If no test of any recipe can be used.
pub(crate) fn covered(
    target: &Target,
    pool: &Pool,
    terminal: &Terminal,
    build: &Build,
    transformations: &Transformations,
    recall: Option<&Recall<'_>>,
    only: Option<&BTreeSet<String>>,
) -> Result<Covered> {
    let since = SystemTime::now();
    let test_output = target.output.join(TEST_LOG);
    OutputFolder::open(&target.output)?.log(TEST_LOG)?;
    let stage = terminal.stage("Running the tests to see what they reach", None);
    let mut launches = IdVec::new();
    let mut coverages = IdVec::new();
    let mut all_runs = IdVec::new();
    let mut refused = Vec::new();
    for (number, recipe) in build.recipes.iter_enumerated() {
        let launch = coverage_launch(recipe, build, transformations, terminal, &test_output)?;
        let methods = transformations.methods.len();
        let mut classes = recipe.test_class_names()?;
        classes.retain(|class| only.is_none_or(|only| only.contains(class)));
        if only.is_some() && classes.is_empty() {
            launches.push(launch);
            coverages.push(Coverage::without_tests(methods));
            all_runs.push(None);
            continue;
        }
        let earlier = recall.and_then(|recall| recall.earlier_runs(number));
        // The number of tests is unknown until the first run.
        stage.expect(None);
        let progress = Progress {
            log: &|line| terminal.verbose(line),
            test_finished: &|| stage.advance(1),
            expect_tests: &|more| stage.expect(u64::try_from(more).ok().map(|more| stage.done() + more)),
        };
        let (mut launch, earlier, jobs) = (Arc::new(launch), earlier.as_ref(), pool.jobs());
        let task = Task { pool, recipe, launch: &launch, classes: &classes, methods, earlier, jobs, progress };
        let (coverage, runs) = match cover::choose_loader(&task) {
            Ok(LoaderChoice { coverage, launch: chosen, note, runs }) => {
                launch = chosen;
                note.iter().for_each(|note| terminal.warn(note));
                (coverage, runs)
            }
            // If the tests of one module cannot be used, those of the other modules still can.
            Err(error) if matches!(error.exit_code, ExitCode::CannotBuild | ExitCode::TestsFail) => {
                refused.push((recipe, error));
                (Coverage::default(), None)
            }
            Err(error) => return Err(error),
        };
        let suite = coverage.nanoseconds.iter().sum();
        let options = launch.start.options.clone();
        let mut launch = Arc::unwrap_or_clone(launch);
        tune(&mut launch, recipe, suite);
        // JVMs of one recipe would only take memory while the tests of the next recipe run.
        if build.recipes.len() > 1 || launch.start.options != options {
            pool.keep(0);
        }
        terminal.verbose(&format!("The tests of {} take {} ms", recipe.module, suite / 1_000_000));
        launches.push(launch);
        coverages.push(coverage);
        all_runs.push(runs);
    }
    pool.end_stage();
    stage.finish();
    if refused.len() == build.recipes.len()
        && let Some((_, error)) = refused.pop()
    {
        return Err(error);
    }
    for (recipe, error) in &refused {
        terminal.warn(&format!("The tests of {} are left out. {}", recipe.module, error.what));
    }
    let mut coverage = Coverage::join(coverages);
    coverage.since = Some(since);
    coverage.executions = build.recipes.iter().map(|recipe| recipe.execution.clone()).collect();
    warn_of_left_out(&coverage, pool.jobs(), terminal);
    Ok(Covered { launches, coverage, runs: all_runs })
}

/// The launch of a recipe's tests with coverage probes in all methods.
fn coverage_launch(
    recipe: &Recipe,
    build: &Build,
    transformations: &Transformations,
    terminal: &Terminal,
    test_output: &Path,
) -> Result<Launch> {
    let mut launch = launch(recipe, Some(test_output))?;
    launch.timings = terminal.timings().clone();
    launch.start.weave = plan::plan(transformations, &BTreeSet::new(), &build.seen_by(recipe));
    launch.start.methods = plan::shapes(transformations);
    terminal.verbose(&format!("JVM of the tests of {}: {}", recipe.module, launch.start.options.join(" ")));
    Ok(launch)
}

/// Warns of quarantined tests, and of tests that compete for a resource.
fn warn_of_left_out(coverage: &Coverage, jobs: usize, terminal: &Terminal) {
    let left_out = coverage.failing.iter().chain(&coverage.unstable);
    let left_out = left_out.map(|test| (coverage.full_name(test.test).unwrap_or_default(), test.reason.as_str()));
    for warning in left_out_warnings(left_out) {
        terminal.warn(&warning);
    }
    if let Some(note) = competition_warning(coverage).filter(|_| jobs > 1) {
        terminal.warn(&note);
    }
}

/// A warning for each reason. It names the first few tests.
fn left_out_warnings<'r>(left_out: impl Iterator<Item = (String, &'r str)>) -> Vec<String> {
    let mut by_reason: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, reason) in left_out {
        match by_reason.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => by_reason.push((reason, vec![name])),
        }
    }
    let warning = |(reason, names): (&str, Vec<String>)| {
        let (reason, cut) = shorten(reason, REASON);
        let cut = if cut.is_some() { " …" } else { "" };
        match names.as_slice() {
            [name] => format!("{name} is left out: {reason}{cut}"),
            all => {
                let named = all.get(..NAMED).unwrap_or(all).join(", ");
                let more = if all.len() > NAMED { ", …" } else { "" };
                format!("{} tests are left out ({named}{more}): {reason}{cut}", all.len())
            }
        }
    };
    by_reason.into_iter().map(warning).collect()
}

/// The warning about tests that compete with another JVM for a resource.
fn competition_warning(coverage: &Coverage) -> Option<String> {
    let (first, others) = coverage.competing.split_first()?;
    let name = coverage.tests.get(*first).map_or("?", |test| test.name.as_str());
    let (subject, pass) = match others.len() {
        0 => (name.to_owned(), "passes"),
        1 => (format!("{name} and another test"), "pass"),
        more => (format!("{name} and {more} other tests"), "pass"),
    };
    Some(format!(
        "{subject} {pass} alone, but not while another JVM runs the same (a port, a file, or time, that only one can have?): one job is used from here on."
    ))
}

#[cfg(test)]
mod tests {
    use super::left_out_warnings;

    #[test]
    fn tests_with_one_reason_share_a_warning_that_names_the_first_few() {
        let test = |name: &str, reason| (name.to_owned(), reason);
        let all = [test("a", "no network"), test("b", "it varies"), test("c", "no network"), test("d", "no network")];
        assert_eq!(
            left_out_warnings(all.clone().into_iter()),
            ["3 tests are left out (a, c, d): no network", "b is left out: it varies"]
        );
        let more = all.into_iter().chain([test("e", "no network")]);
        assert_eq!(
            left_out_warnings(more).first().map(String::as_str),
            Some("4 tests are left out (a, c, d, …): no network")
        );
    }
}

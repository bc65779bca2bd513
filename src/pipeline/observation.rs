//! From a list of transformations to verdicts, to how their tests are observed, and from what was observed to diagnoses.

use super::instrumented::{InstrumentedTests, Part};
use crate::cli::Settings;
use crate::cover::Coverage;
use crate::detect::{Judged, Late, candidates, detect};
use crate::diagnose::{self, Diagnosis, TestCode, diagnose};
use crate::error::{Error, Result};
use crate::jvm::client::Launch;
use crate::jvm::protocol::Unwoven;
use crate::observe::repeat::{Group, Undetected, group, observe};
use crate::observe::run::{Observers, Post, Target};
use crate::observe::{Difference, Observed};
use crate::recipe::launch::tune_clean_starts;
use crate::recipe::{Build, Recipe};
use crate::terminal::Terminal;
use crate::transform::{Transformations, plan};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A transformation whose verdict took longer is named with `--verbose`.
const SLOW: Duration = Duration::from_secs(1);

/// What the stages behind the coverage share.
#[derive(Clone, Copy)]
pub(super) struct Stages<'a> {
    pub settings: &'a Settings,
    pub terminal: &'a Terminal,
    pub build: &'a Build,
    /// One for each recipe.
    pub launches: &'a [Launch],
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    /// Set as soon as they are needed, or ahead of that.
    pub tests: &'a OnceLock<InstrumentedTests>,
}

impl Stages<'_> {
    /// So many workers run tests at a time.
    pub(super) fn jobs(&self) -> usize {
        self.coverage.jobs(self.settings.jobs)
    }

    /// How `methods` and every expression of these tests are observed.
    pub(super) fn observing(&self, tests: &InstrumentedTests, methods: &BTreeSet<usize>) -> Vec<Post> {
        let of_recipes = self.build.recipes.iter().zip(self.launches).zip(&tests.parts);
        let post = |((recipe, launch), part): ((&Recipe, &Launch), &Part)| {
            let mut launch = launch.clone();
            tune_clean_starts(&mut launch, recipe);
            launch.start.weave = plan::plan(self.transformations, methods, &self.build.seen_by(recipe));
            launch.start.expressions = u32::try_from(part.expressions).unwrap_or(u32::MAX);
            if let Some(classes) = &part.classes {
                launch.start.replace = plan::replacements(classes, &recipe.test_classes);
            }
            Post { launch, first_expression: u32::try_from(part.first_expression).unwrap_or(u32::MAX) }
        };
        of_recipes.map(post).collect()
    }

    fn name(&self, transformation: usize) -> String {
        let known = self.transformations.transformations.get(transformation);
        known.map_or_else(String::new, |known| self.transformations.id(known))
    }

    /// A verdict for each transformation; `late` is what an earlier analysis knows.
    pub(super) fn judge(&self, late: &Late) -> Result<Vec<Judged>> {
        let total = self.transformations.transformations.len();
        if total == 0 {
            return Ok(Vec::new());
        }
        let stage = self.terminal.stage("Transforming methods and running their tests", u64::try_from(total).ok());
        let advance = |transformation: usize, took: Duration| {
            stage.advance(1);
            if took > SLOW {
                self.terminal.verbose(&format!("{}: {} ms", self.name(transformation), took.as_millis()));
            }
        };
        let judged = detect(self.launches, self.transformations, self.coverage, late, self.jobs(), &advance)?;
        stage.finish();
        Ok(judged)
    }

    /// A diagnosis for each undetected transformation.
    pub(super) fn diagnose(&self, judged: &[Judged]) -> Result<Vec<Diagnosis>> {
        let undetected: Vec<Undetected> = judged
            .iter()
            .zip(&self.transformations.transformations)
            .enumerate()
            .filter(|(_, (judged, _))| judged.verdict.is_undetected())
            .map(|(index, (_, transformation))| {
                let method = u32::try_from(transformation.method).unwrap_or(u32::MAX);
                (index, method, candidates(self.transformations, self.coverage, transformation.method))
            })
            .collect();
        if undetected.is_empty() {
            return Ok(Vec::new());
        }
        let methods = &undetected.iter().map(|(_, method, _)| *method as usize).collect();
        let mut groups = group(&undetected);
        let tests = self.instrumented()?;
        let posts = self.observing(tests, methods);
        let recipes = &self.build.recipes;
        let test_classes: Vec<PathBuf> = recipes.iter().map(|recipe| recipe.test_classes.clone()).collect();
        let roots: Vec<PathBuf> = recipes.iter().flat_map(|recipe| recipe.test_source_roots.clone()).collect();
        let input = diagnose::Input {
            transformations: self.transformations,
            coverage: self.coverage,
            instrumented: &tests.all,
            tests: &TestCode::read(&test_classes, &roots),
        };
        let total = groups.iter().map(|group| group.targets.len()).sum::<usize>();
        let stage = self.terminal.stage("Observing what the tests miss", u64::try_from(total).ok());
        let lanes = Observers::lanes(&posts, self.coverage, self.settings.runs as usize, self.jobs());
        if let Some(lane) = lanes.first() {
            groups.sort_by_key(|group| Reverse(group.time(lane)));
        }
        let groups = &groups;
        let preference = |method: u32, test: u32| input.preference(method, test);
        let of_group = |observers: &Observers<'_>, group: &Group| -> Result<Vec<Diagnosis>> {
            let since = Instant::now();
            let found = observe(observers, group, &preference)?;
            let names: Vec<String> =
                group.targets.iter().filter_map(|target| Some(self.name(target.transformation?))).collect();
            let (tests, took) = (group.tests.len(), since.elapsed().as_millis());
            self.terminal.verbose(&format!("{} in {tests} tests: {took} ms", names.join(", ")));
            stage.advance(group.targets.len() as u64);
            let of_target = |(target, (observed, differences)): (&Target, (Observed, Vec<Difference>))| {
                Some(diagnose(&input, target.transformation?, &observed, &differences))
            };
            Ok(group.targets.iter().zip(found).filter_map(of_target).collect())
        };
        let mut diagnoses = in_lanes(&lanes, groups, &of_group)?;
        let unwoven: BTreeSet<Unwoven> = lanes.iter().flat_map(Observers::unwoven).collect();
        drop(lanes);
        stage.finish();
        for unwoven in unwoven {
            self.terminal.warn(&format!("{} could not be observed: {}", unwoven.class, unwoven.reason));
        }
        diagnoses.sort_by_key(|diagnosis| diagnosis.transformation);
        Ok(diagnoses)
    }
}

/// What comes of all groups, each observed in the first lane that is free; in no order. Where one of them fails, no other is begun.
fn in_lanes<'a>(
    lanes: &[Observers<'a>],
    groups: &[Group],
    of_group: &(impl Fn(&Observers<'a>, &Group) -> Result<Vec<Diagnosis>> + Sync),
) -> Result<Vec<Diagnosis>> {
    let left = Mutex::new(groups.iter());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let of_lane = |lane: &Observers<'a>| {
        let mut all = Vec::new();
        while let Some(group) = next() {
            match of_group(lane, group) {
                Ok(diagnoses) => all.extend(diagnoses),
                Err(error) => {
                    while next().is_some() {}
                    return Err(error);
                }
            }
        }
        Ok(all)
    };
    let of_lane = &of_lane;
    std::thread::scope(|scope| {
        let threads: Vec<_> = lanes.iter().map(|lane| scope.spawn(move || of_lane(lane))).collect();
        let panicked = |_| Err(Error::bug("A thread of the observation panicked."));
        let all = threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked));
        Ok(all.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    })
}

/// A folder for instrumented tests, gone when the run ends.
pub(super) fn scratch_folder() -> Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("reneri-").tempdir().map_err(|error| {
        Error::usage(
            format!("A temporary folder could not be made: {error}."),
            "Make room, or set TMPDIR to a folder that can be written.",
        )
    })
}

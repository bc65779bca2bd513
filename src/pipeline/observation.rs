//! From a list of transformations to verdicts, to how their tests are observed, and from what was observed to diagnoses.

use crate::cli::Settings;
use crate::cover::Coverage;
use crate::detect::{Judged, candidates, detect};
use crate::diagnose::{self, Diagnosis, TestCode, diagnose};
use crate::error::{Error, Result};
use crate::jvm::client::{Launch, probe_classes};
use crate::jvm::protocol::Unwoven;
use crate::observe::repeat::{Group, Undetected, group, observe};
use crate::observe::run::{Observers, Post, Target};
use crate::observe::{Difference, Observed};
use crate::propagate::{Instrumented, instrument, instrument_or_recall};
use crate::recipe::launch::tune_clean_starts;
use crate::recipe::{Build, Recipe};
use crate::terminal::Terminal;
use crate::transform::{Transformations, plan};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
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
}

impl Stages<'_> {
    /// Instruments the tests and returns how `methods` and every expression are observed.
    pub(super) fn observing(&self, scratch: &Path, methods: &BTreeSet<usize>) -> Result<(Vec<Post>, Instrumented)> {
        let stage = self.terminal.stage("Instrumenting the tests", None);
        let mut posts = Vec::new();
        let mut parts: Vec<Instrumented> = Vec::new();
        for (number, (recipe, launch)) in self.build.recipes.iter().zip(self.launches).enumerate() {
            let first_expression = parts.iter().map(|part| part.expressions.len()).sum::<usize>();
            let instrument = if self.settings.target.history { instrument_or_recall } else { instrument };
            let part = instrument(recipe, &scratch.join(number.to_string()), &probe_classes(&recipe.java_home)?)?;
            posts.push(Post {
                launch: self.observing_launch(recipe, launch, &part, methods),
                first_expression: u32::try_from(first_expression).unwrap_or(u32::MAX),
            });
            parts.push(part);
        }
        stage.finish();
        let instrumented = Instrumented::join(parts);
        let counts = instrumented.counts;
        self.terminal.verbose(&format!(
            "{} expressions probed, {} left out by rule, {} refused by the compiler",
            counts.wrapped, counts.by_rule, counts.refused
        ));
        for (reason, count) in &instrumented.unprobed {
            self.terminal.verbose(&format!("  {count} not probed: {reason}"));
        }
        for (file, reason) in &instrumented.left_out {
            self.terminal.warn(&format!("{} is not instrumented: {reason}", file.display()));
        }
        Ok((posts, instrumented))
    }

    fn observing_launch(
        &self,
        recipe: &Recipe,
        launch: &Launch,
        instrumented: &Instrumented,
        methods: &BTreeSet<usize>,
    ) -> Launch {
        let mut launch = launch.clone();
        tune_clean_starts(&mut launch, recipe);
        launch.start.weave = plan::plan(self.transformations, methods, &self.build.seen_by(recipe));
        launch.start.expressions = u32::try_from(instrumented.expressions.len()).unwrap_or(u32::MAX);
        if let Some(classes) = &instrumented.classes {
            launch.start.replace = plan::replacements(classes, &recipe.test_classes);
        }
        launch
    }

    fn name(&self, transformation: usize) -> String {
        let known = self.transformations.transformations.get(transformation);
        known.map_or_else(String::new, |known| self.transformations.id(known))
    }

    /// A verdict for each transformation.
    pub(super) fn judge(&self) -> Result<Vec<Judged>> {
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
        let judged = detect(self.launches, self.transformations, self.coverage, self.settings.jobs, &advance)?;
        stage.finish();
        Ok(judged)
    }

    /// The tests, instrumented, for what is to be said of them.
    pub(super) fn instrument(&self) -> Result<Instrumented> {
        Ok(self.observing(scratch_folder()?.path(), &BTreeSet::new())?.1)
    }

    /// A diagnosis for each undetected transformation, and the tests that were instrumented for it; `None` where all are detected.
    pub(super) fn diagnose(&self, judged: &[Judged]) -> Result<Option<(Vec<Diagnosis>, Instrumented)>> {
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
            return Ok(None);
        }
        let methods = &undetected.iter().map(|(_, method, _)| *method as usize).collect();
        let groups = &group(&undetected);
        let scratch = scratch_folder()?;
        let (posts, instrumented) = self.observing(scratch.path(), methods)?;
        let recipes = &self.build.recipes;
        let test_classes: Vec<PathBuf> = recipes.iter().map(|recipe| recipe.test_classes.clone()).collect();
        let roots: Vec<PathBuf> = recipes.iter().flat_map(|recipe| recipe.test_source_roots.clone()).collect();
        let input = diagnose::Input {
            transformations: self.transformations,
            coverage: self.coverage,
            instrumented: &instrumented,
            tests: &TestCode::read(&test_classes, &roots),
        };
        let total = groups.iter().map(|group| group.targets.len()).sum::<usize>();
        let stage = self.terminal.stage("Observing what the tests miss", u64::try_from(total).ok());
        let lanes = Observers::lanes(&posts, self.coverage, self.settings.runs as usize, self.settings.jobs);
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
        Ok(Some((diagnoses, instrumented)))
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

//! Finds the verdicts on transformations, observes the tests of the undetected ones, and explains them.

use super::instrumented::{InstrumentedRecipe, InstrumentedTests, LazyInstrumentedTests};
use crate::base::error::{Error, Result};
use crate::base::id::{GuardId, IdSlice, IdVec, MethodId, RecipeId, TestId, TransformationId};
use crate::base::interrupt;
use crate::cli::Settings;
use crate::cover::Coverage;
use crate::detect::{self, Expected, Judged, candidates, detect};
use crate::diagnose::{self, Diagnosis, Explanation, FirstRuns, TestCode, diagnose};
use crate::history::Explained;
use crate::instrument::Instrumented;
use crate::instrument::javac::Compilers;
use crate::jvm::client::Launch;
use crate::jvm::protocol::Unwoven;
use crate::observe::first::First;
use crate::observe::group::{Group, Undetected, group};
use crate::observe::observers::Observers;
use crate::observe::order::observe;
use crate::observe::previous::{Found, Previous};
use crate::observe::series::{Post, Target};
use crate::observe::{Difference, Observed};
use crate::recipe::launch::tune_clean_starts;
use crate::recipe::{Build, Recipe};
use crate::run::Pool;
use crate::terminal::Terminal;
use crate::transform::{Transformations, plan};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// `--verbose` names transformations whose verdicts took longer.
const SLOW: Duration = Duration::from_secs(1);

/// The inputs of the stages after the coverage.
#[derive(Clone, Copy)]
pub(super) struct Stages<'a> {
    pub settings: &'a Settings,
    pub terminal: &'a Terminal,
    pub build: &'a Build,
    pub launches: &'a IdSlice<RecipeId, Launch>,
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    pub tests: &'a LazyInstrumentedTests,
    /// Compilers to keep alive for the search for patches; `None` if there is no search.
    pub compilers: Option<&'a Compilers>,
}

impl Stages<'_> {
    /// The number of workers that run tests at a time.
    pub(super) fn jobs(&self) -> usize {
        self.coverage.jobs(self.settings.jobs)
    }

    /// The launches that observe `methods` and all expressions of these tests.
    pub(super) fn observation_posts(
        &self,
        tests: &InstrumentedTests,
        methods: &BTreeSet<MethodId>,
    ) -> IdVec<RecipeId, Post> {
        let of_recipes = self.build.recipes.iter().zip(self.launches).zip(&tests.of_recipes);
        let post = |((recipe, launch), tests): ((&Recipe, &Launch), &InstrumentedRecipe)| {
            let mut launch = launch.clone();
            tune_clean_starts(&mut launch, recipe);
            launch.start.weave = plan::plan(self.transformations, methods, &self.build.seen_by(recipe));
            launch.start.expressions = tests.expressions;
            if let Some(classes) = &tests.classes {
                launch.start.replace = plan::replacements(classes, &recipe.test_classes);
                for tests in &recipe.foreign_tests {
                    for (name, file) in plan::replacements(classes, &tests.classes) {
                        launch.start.replace.entry(name).or_insert(file);
                    }
                }
            }
            Post { launch: Arc::new(launch), first_expression: tests.first_expression }
        };
        of_recipes.map(post).collect()
    }

    fn name(&self, transformation: TransformationId) -> String {
        self.transformations.id(&self.transformations.transformations[transformation])
    }

    /// Finds a verdict for each transformation; `None` only after an interrupt. `expected` are the likely verdicts, `guards` the guards of
    /// the transformations in the woven classes. The first JVM stays alive if there is only one recipe;
    /// the observation needs new ones otherwise.
    pub(super) fn judge(
        &self,
        expected: &Expected,
        guards: &IdSlice<TransformationId, Option<GuardId>>,
        pool: &Pool,
    ) -> Result<IdVec<TransformationId, Option<Judged>>> {
        let total = self.transformations.transformations.len();
        if total == 0 {
            pool.keep(0);
            return Ok(IdVec::new());
        }
        let stage = self.terminal.stage("Transforming methods and running their tests", u64::try_from(total).ok());
        let advance = |transformation: TransformationId, took: Duration| {
            stage.advance(1);
            if took > SLOW {
                self.terminal.verbose(&format!("{}: {} ms", self.name(transformation), took.as_millis()));
            }
        };
        let Self { transformations, coverage, .. } = *self;
        let launches: IdVec<RecipeId, Arc<Launch>> = self.launches.iter().cloned().map(Arc::new).collect();
        let (launches, recipes, jobs, progress) = (&*launches, &*self.build.recipes, self.jobs(), &advance);
        let input = detect::Input { launches, recipes, transformations, guards, coverage, expected, jobs, progress };
        let judged = detect(&input, pool)?;
        pool.keep(usize::from(launches.len() == 1));
        pool.end_stage();
        stage.finish();
        Ok(judged)
    }

    /// Explains each undetected transformation; after an interrupt, only some of them. An explanation in `previous` holds
    /// if the first runs give the same results as in the last analysis.
    pub(super) fn diagnose(
        &self,
        judged: &IdSlice<TransformationId, Option<Judged>>,
        previous: &Explained,
        pool: &Pool,
    ) -> Result<Vec<Explanation>> {
        let undetected: Vec<Undetected> = judged
            .iter_enumerated()
            .filter(|(_, judged)| judged.as_ref().is_some_and(|judged| judged.verdict.is_undetected()))
            .map(|(id, _)| {
                let method = self.transformations.transformations[id].method;
                (id, method, candidates(self.coverage, method))
            })
            .collect();
        if undetected.is_empty() || interrupt::is_interrupted() {
            pool.keep(0);
            return Ok(Vec::new());
        }
        let methods = &undetected.iter().map(|(_, method, _)| *method).collect();
        let mut groups = group(&undetected);
        let tests = match self.instrumented() {
            Err(_) if interrupt::is_interrupted() => return Ok(Vec::new()),
            tests => tests?,
        };
        let posts = self.observation_posts(tests, methods);
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
        let lanes = Observers::lanes(&posts, self.coverage, self.settings.runs as usize, self.jobs(), pool);
        if let Some(lane) = lanes.first() {
            groups.sort_by_key(|group| Reverse(group.time(lane)));
        }
        groups.iter_mut().enumerate().for_each(|(rank, group)| group.rank = rank);
        let groups = &groups;
        let preference = |method: MethodId, test: TestId| input.preference(method, test);
        let of_group = |observers: &Observers<'_>, group: &Group| -> Result<Vec<Explanation>> {
            let since = Instant::now();
            let mut comparison = PreviousExplanations { input: &input, previous, first: RefCell::default() };
            let found = observe(observers, group, &preference, &comparison)?;
            let names: Vec<String> =
                group.targets.iter().filter_map(|target| Some(self.name(target.transformation?))).collect();
            let (tests, took) = (group.tests.len(), since.elapsed().as_millis());
            self.terminal.verbose(&format!("{} in {tests} tests: {took} ms", names.join(", ")));
            // An interrupt kills the JVMs, and that must not become an explanation.
            interrupt::check()?;
            stage.advance(group.targets.len() as u64);
            let of_target =
                |(target, found): (&Target, Option<_>)| comparison.explanation(target.transformation?, found);
            Ok(group.targets.iter().zip(found).filter_map(of_target).collect())
        };
        let mut explanations = in_lanes(&lanes, groups, &of_group)?;
        let unwoven: BTreeSet<Unwoven> = lanes.iter().flat_map(Observers::unwoven).collect();
        if posts.len() != 1 {
            pool.keep(0);
        }
        pool.end_stage();
        stage.finish();
        for unwoven in unwoven {
            self.terminal.warn(&format!("{} could not be observed: {}", unwoven.class, unwoven.reason));
        }
        explanations.sort_by_key(|explanation| explanation.diagnosis.transformation);
        Ok(explanations)
    }
}

impl<'a> Stages<'a> {
    /// The instrumented tests. Instruments them if necessary, and reports what is not instrumented.
    pub(super) fn instrumented(&self) -> Result<&'a InstrumentedTests> {
        let tests = match self.tests.get() {
            Some(tests) => tests,
            None => {
                let stage = self.terminal.stage("Instrumenting the tests", None);
                let tests = self.tests.make(self.compilers, &self.settings.target, self.build)?;
                stage.finish();
                tests
            }
        };
        let Instrumented { counts, unprobed, left_out, .. } = &tests.all;
        self.terminal.verbose(&format!(
            "{} expressions probed, {} left out by rule, {} refused by the compiler",
            counts.wrapped, counts.by_rule, counts.refused
        ));
        for (reason, count) in unprobed {
            self.terminal.verbose(&format!("  {count} not probed: {reason}"));
        }
        for (file, reason) in left_out {
            self.terminal.warn(&format!("{} is not instrumented: {reason}", file.display()));
        }
        Ok(tests)
    }
}

/// Compares the explanations of the last analysis with the runs of this one.
struct PreviousExplanations<'a> {
    input: &'a diagnose::Input<'a>,
    previous: &'a Explained,
    /// The results of the first runs of this analysis.
    first: RefCell<HashMap<TransformationId, FirstRuns>>,
}

impl PreviousExplanations<'_> {
    fn previous(&self, transformation: TransformationId) -> Option<&Explanation> {
        self.previous.get(&self.input.transformations.transformations[transformation].key())
    }

    /// The explanation of a new observation; without one, the previous explanation, which still holds.
    fn explanation(&mut self, transformation: TransformationId, found: Option<Found>) -> Option<Explanation> {
        let diagnosis = match found {
            Some((observed, differences)) => diagnose(self.input, transformation, &observed, &differences),
            None => Diagnosis { transformation, ..self.previous(transformation)?.diagnosis.clone() },
        };
        Some(Explanation { diagnosis, first: self.first.get_mut().remove(&transformation) })
    }
}

impl Previous for PreviousExplanations<'_> {
    fn may_need_one_run(&self, target: &Target, tests: &[TestId]) -> bool {
        let first = target.transformation.and_then(|transformation| self.previous(transformation)?.first.as_ref());
        first.is_some_and(|first| first.one_will_do && first.tests == tests.len())
    }

    fn is_known(&self, target: &Target, tests: &[TestId], first: &First) -> bool {
        let (Some(transformation), Some(method)) = (target.transformation, target.method) else { return false };
        let now = FirstRuns::new(self.input, transformation, method, tests, first);
        let is_known = now.is_some() && self.previous(transformation).is_some_and(|previous| previous.first == now);
        let mut first_runs = self.first.borrow_mut();
        first_runs.remove(&transformation);
        first_runs.extend(now.map(|now| (transformation, now)));
        is_known
    }

    fn is_explained(&self, target: &Target) -> bool {
        target.transformation.is_some_and(|transformation| self.previous(transformation).is_some())
    }

    fn is_confirmed(&self, target: &Target, observed: &Observed, told: &[Difference]) -> bool {
        let Some(transformation) = target.transformation else { return false };
        let Some(previous) = self.previous(transformation) else { return false };
        let previous = &previous.diagnosis;
        let now = diagnose(self.input, transformation, observed, told);
        // After a few runs, the evidence that is not shown may include more chance differences.
        let has_all = now.evidence_cut >= previous.evidence_cut;
        has_all && Diagnosis { evidence_cut: previous.evidence_cut, ..now }.is_same(previous)
    }
}

/// The explanations of all groups, in no order. Each group is observed in the first free lane. After an
/// error, no further group is started. After an interrupt, they are those of the groups that were finished.
fn in_lanes<'a>(
    lanes: &[Observers<'a>],
    groups: &[Group],
    of_group: &(impl Fn(&Observers<'a>, &Group) -> Result<Vec<Explanation>> + Sync),
) -> Result<Vec<Explanation>> {
    let waiting = Mutex::new(groups.iter());
    let next = || waiting.lock().next();
    let of_lane = |lane: &Observers<'a>| {
        let mut all = Vec::new();
        while let Some(group) = next() {
            match of_group(lane, group) {
                Ok(explanations) => all.extend(explanations),
                Err(error) => {
                    while next().is_some() {}
                    return if interrupt::is_interrupted() { Ok(all) } else { Err(error) };
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

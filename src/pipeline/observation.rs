//! From a list of transformations to verdicts, to how their tests are observed, and from what was observed to diagnoses.

use super::instrumented::{InstrumentedTests, Once, Part};
use crate::base::error::{Error, Result};
use crate::base::id::{GuardId, IdSlice, IdVec, MethodId, RecipeId, TransformationId};
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

/// A transformation whose verdict took longer is named with `--verbose`.
const SLOW: Duration = Duration::from_secs(1);

/// What the stages behind the coverage share.
#[derive(Clone, Copy)]
pub(super) struct Stages<'a> {
    pub settings: &'a Settings,
    pub terminal: &'a Terminal,
    pub build: &'a Build,
    pub launches: &'a IdSlice<RecipeId, Launch>,
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    pub tests: &'a Once,
    /// Where something else is compiled behind the tests.
    pub compilers: Option<&'a Compilers>,
}

impl Stages<'_> {
    /// So many workers run tests at a time.
    pub(super) fn jobs(&self) -> usize {
        self.coverage.jobs(self.settings.jobs)
    }

    /// How `methods` and every expression of these tests are observed.
    pub(super) fn observing(&self, tests: &InstrumentedTests, methods: &BTreeSet<MethodId>) -> IdVec<RecipeId, Post> {
        let of_recipes = self.build.recipes.iter().zip(self.launches).zip(&tests.parts);
        let post = |((recipe, launch), part): ((&Recipe, &Launch), &Part)| {
            let mut launch = launch.clone();
            tune_clean_starts(&mut launch, recipe);
            launch.start.weave = plan::plan(self.transformations, methods, &self.build.seen_by(recipe));
            launch.start.expressions = part.expressions;
            if let Some(classes) = &part.classes {
                launch.start.replace = plan::replacements(classes, &recipe.test_classes);
            }
            Post { launch: Arc::new(launch), first_expression: part.first_expression }
        };
        of_recipes.map(post).collect()
    }

    fn name(&self, transformation: TransformationId) -> String {
        self.transformations.id(&self.transformations.transformations[transformation])
    }

    /// A verdict for each transformation. `expected` is what is likely after the last analysis, `guards` are those by which the
    /// launches know the transformations. The first JVM lives on if there is only one recipe; the others have to be new for
    /// the observation.
    pub(super) fn judge(
        &self,
        expected: &Expected,
        guards: &IdSlice<TransformationId, Option<GuardId>>,
        pool: &Pool,
    ) -> Result<IdVec<TransformationId, Judged>> {
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
        let (launches, jobs, progress) = (&*launches, self.jobs(), &advance);
        let input = detect::Input { launches, transformations, guards, coverage, expected, jobs, progress };
        let judged = detect(&input, pool)?;
        pool.keep(usize::from(launches.len() == 1));
        pool.end_stage();
        stage.finish();
        Ok(judged)
    }

    /// An explanation for each undetected transformation. Those of an earlier analysis still hold if the first runs do the same
    /// as before.
    pub(super) fn diagnose(
        &self,
        judged: &IdSlice<TransformationId, Judged>,
        before: &Explained,
        pool: &Pool,
    ) -> Result<Vec<Explanation>> {
        let undetected: Vec<Undetected> = judged
            .iter_enumerated()
            .filter(|(_, judged)| judged.verdict.is_undetected())
            .map(|(id, _)| {
                let method = self.transformations.transformations[id].method;
                (id, method, candidates(self.transformations, self.coverage, method))
            })
            .collect();
        if undetected.is_empty() {
            pool.keep(0);
            return Ok(Vec::new());
        }
        let methods = &undetected.iter().map(|(_, method, _)| *method).collect();
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
        let lanes = Observers::lanes(&posts, self.coverage, self.settings.runs as usize, self.jobs(), pool);
        if let Some(lane) = lanes.first() {
            groups.sort_by_key(|group| Reverse(group.time(lane)));
        }
        groups.iter_mut().enumerate().for_each(|(rank, group)| group.rank = rank);
        let groups = &groups;
        let preference = |method: MethodId, test: u32| input.preference(method, test);
        let of_group = |observers: &Observers<'_>, group: &Group| -> Result<Vec<Explanation>> {
            let since = Instant::now();
            let mut held = Held { input: &input, before, first: RefCell::default() };
            let found = observe(observers, group, &preference, &held)?;
            let names: Vec<String> =
                group.targets.iter().filter_map(|target| Some(self.name(target.transformation?))).collect();
            let (tests, took) = (group.tests.len(), since.elapsed().as_millis());
            self.terminal.verbose(&format!("{} in {tests} tests: {took} ms", names.join(", ")));
            stage.advance(group.targets.len() as u64);
            let of_target = |(target, found): (&Target, Option<_>)| held.explanation(target.transformation?, found);
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
    /// The tests, instrumented now if that was not done ahead, and what is to be said of them.
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

/// Explanations of an earlier analysis, held against the first runs of now.
struct Held<'a> {
    input: &'a diagnose::Input<'a>,
    before: &'a Explained,
    /// What the first runs say of each transformation.
    first: RefCell<HashMap<TransformationId, FirstRuns>>,
}

impl Held<'_> {
    fn before(&self, transformation: TransformationId) -> Option<&Explanation> {
        self.before.get(&self.input.transformations.transformations[transformation].key())
    }

    /// Of what was observed, or the one of before.
    fn explanation(&mut self, transformation: TransformationId, found: Option<Found>) -> Option<Explanation> {
        let diagnosis = match found {
            Some((observed, differences)) => diagnose(self.input, transformation, &observed, &differences),
            None => Diagnosis { transformation, ..self.before(transformation)?.diagnosis.clone() },
        };
        Some(Explanation { diagnosis, first: self.first.get_mut().remove(&transformation) })
    }
}

impl Previous for Held<'_> {
    fn may_need_one_run(&self, target: &Target, tests: &[usize]) -> bool {
        let first = target.transformation.and_then(|transformation| self.before(transformation)?.first.as_ref());
        first.is_some_and(|first| first.one_will_do && first.tests == tests.len())
    }

    fn is_known(&self, target: &Target, tests: &[usize], first: &First) -> bool {
        let (Some(transformation), Some(method)) = (target.transformation, target.method) else { return false };
        let now = FirstRuns::new(self.input, transformation, method, tests, first);
        let is_known = now.is_some() && self.before(transformation).is_some_and(|before| before.first == now);
        let mut all = self.first.borrow_mut();
        all.remove(&transformation);
        all.extend(now.map(|now| (transformation, now)));
        is_known
    }

    fn is_explained(&self, target: &Target) -> bool {
        target.transformation.is_some_and(|transformation| self.before(transformation).is_some())
    }

    fn is_confirmed(&self, target: &Target, observed: &Observed, told: &[Difference]) -> bool {
        let Some(transformation) = target.transformation else { return false };
        let is_same = |before: &Explanation| {
            let (now, before) = (diagnose(self.input, transformation, observed, told), &before.diagnosis);
            // Of what is not shown, a few runs have more that is chance.
            let has_all = now.evidence_cut >= before.evidence_cut;
            has_all && Diagnosis { evidence_cut: before.evidence_cut, ..now }.is_same(before)
        };
        self.before(transformation).is_some_and(is_same)
    }
}

/// What comes of all groups, each observed in the first lane that is free; in no order. Where one of them fails, no other is begun.
fn in_lanes<'a>(
    lanes: &[Observers<'a>],
    groups: &[Group],
    of_group: &(impl Fn(&Observers<'a>, &Group) -> Result<Vec<Explanation>> + Sync),
) -> Result<Vec<Explanation>> {
    let left = Mutex::new(groups.iter());
    let next = || left.lock().next();
    let of_lane = |lane: &Observers<'a>| {
        let mut all = Vec::new();
        while let Some(group) = next() {
            match of_group(lane, group) {
                Ok(explanations) => all.extend(explanations),
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

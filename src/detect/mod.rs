//! From transformations and their covering tests to a verdict for each: detected, undetected, timed out, not covered.

mod bench;
mod patience;
mod ranking;
mod stage;

use crate::base::error::{Error, Result};
use crate::base::id::{GuardId, IdSlice, IdVec, MethodId, RecipeId, TransformationId, TransformationKey};
use crate::cover::Coverage;
use crate::jvm::client::Launch;
use crate::run::Session;
use crate::transform::Transformations;
use bench::Bench;
use fixedbitset::FixedBitSet;
use parking_lot::Mutex;
pub use ranking::Ranking;
use serde::{Deserialize, Serialize};
use stage::Stage;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The reason of a detection.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Kill {
    /// Index into `Coverage::tests`.
    pub test: usize,
    /// Binary name of the exception's class, empty for a time-out.
    pub exception: String,
    pub message: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum Verdict {
    Detected(Kill),
    /// A covering test did not end, confirmed alone with far more time.
    TimedOut(Kill),
    /// No covering test fails, from a clean start.
    Undetected {
        /// Tests that pass without the transformation and are skipped with it: an assumption of theirs no longer holds, or they are left without
        /// parameters. Sorted.
        skipped: Vec<usize>,
    },
    NotCovered,
    /// Only tests that are quarantined enter the method, and they say nothing.
    Quarantined,
    /// The JVM would not take the transformed class, or died of it.
    FailedToRun(String),
}

impl Verdict {
    #[must_use]
    pub fn is_undetected(&self) -> bool {
        matches!(self, Self::Undetected { .. })
    }

    /// Why it is detected, if it is.
    #[must_use]
    pub fn kill(&self) -> Option<&Kill> {
        match self {
            Self::Detected(kill) | Self::TimedOut(kill) => Some(kill),
            Self::Undetected { .. } | Self::NotCovered | Self::Quarantined | Self::FailedToRun(_) => None,
        }
    }
}

/// What a verdict hangs on.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Basis {
    /// Indices into `Coverage::tests`, in the order of [`Ranking::tests`].
    pub tests: Vec<usize>,
    /// Other tests have no part in the verdict: those behind these, and where it is a single one, those before it as well.
    pub is_prefix: bool,
    /// The verdict comes from clean starts alone.
    pub only_clean: bool,
    /// Methods that these tests enter, on the original code or with the transformation; `None` where that is not known for all.
    #[serde(with = "blocks")]
    pub entered: Option<FixedBitSet>,
    /// Methods that were entered with the transformation, where the verdict asks no more of the original code than its first runs say: that the
    /// tests pass there.
    #[serde(with = "blocks")]
    pub transformed: Option<FixedBitSet>,
    /// What the last of the tests takes on the original code, in milliseconds of CPU time: how long it is waited for hangs on that.
    pub milliseconds: u64,
}

/// The crate's own form cannot be read from JSON.
mod blocks {
    use fixedbitset::{Block, FixedBitSet};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(set: &Option<FixedBitSet>, serializer: S) -> Result<S::Ok, S::Error> {
        set.as_ref().map(FixedBitSet::as_slice).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<FixedBitSet>, D::Error> {
        let blocks: Option<Vec<Block>> = Option::deserialize(deserializer)?;
        let bits = |blocks: &Vec<Block>| blocks.len() * size_of::<Block>() * 8;
        Ok(blocks.map(|blocks| FixedBitSet::with_capacity_and_blocks(bits(&blocks), blocks)))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Judged {
    pub verdict: Verdict,
    pub basis: Basis,
}

impl Judged {
    fn without_tests(verdict: Verdict) -> Self {
        Self { verdict, basis: Basis { entered: Some(FixedBitSet::new()), ..Basis::default() } }
    }

    /// What the tests of two recipes say together, those of `self` first.
    fn and(mut self, other: Self) -> Self {
        let is_alone = self.basis.tests.is_empty();
        self.basis.tests.extend(other.basis.tests);
        self.basis.entered = self.basis.entered.zip(other.basis.entered).map(|(mut all, more)| {
            all.union_with(&more);
            all
        });
        // Tests of another recipe noticed nothing, which is said by comparison with the original code.
        self.basis.transformed = other.basis.transformed.filter(|_| is_alone);
        self.basis.milliseconds = other.basis.milliseconds;
        self.basis.is_prefix = other.basis.is_prefix;
        self.basis.only_clean |= other.basis.only_clean;
        Self { verdict: stronger(self.verdict, other.verdict), basis: self.basis }
    }
}

/// What is called with a transformation on which there is a verdict.
pub type Progress<'a> = dyn Fn(TransformationId, Duration) + Sync + 'a;

/// What came of transformations in an earlier analysis, and is likely to come of them again, by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The test (an index into `Coverage::tests`) that did not end.
    pub late: HashMap<TransformationKey, usize>,
    /// The test that noticed: it is asked first, and no other where it does so again.
    pub noticed: HashMap<TransformationKey, usize>,
    pub undetected: HashSet<TransformationKey>,
}

/// What has the transformations woven in.
#[derive(Debug, Default)]
pub struct Woven {
    /// By which guard the launches know each of them, if they do.
    pub guards: IdVec<TransformationId, Option<GuardId>>,
    /// JVMs of the first launch in which tests have run.
    pub workers: Vec<Session>,
}

/// Finds a verdict for each transformation, with `jobs` workers side by side. `launches` has one launch for each recipe; what the tests of a
/// module do not detect, the tests of the modules behind it may. What is `expected` changes no verdict, only how soon there is one, and which of
/// several tests that notice is named. `woven` says by which guards the launches know the transformations. `progress` is called with each
/// transformation once there is a verdict on it, and the time that took. With the verdicts come the JVMs of the last launch, which can go on with
/// other tests.
///
/// # Errors
/// When a worker cannot be started, or the user interrupts.
pub fn detect(
    launches: &IdSlice<RecipeId, Launch>,
    transformations: &Transformations,
    coverage: &Coverage,
    expected: &Expected,
    jobs: usize,
    woven: Woven,
    progress: &Progress<'_>,
) -> Result<(IdVec<TransformationId, Judged>, Vec<Session>)> {
    let Woven { guards, workers: mut before } = woven;
    let guards: Option<IdVec<TransformationId, GuardId>> = guards.into_iter().collect();
    let Some(guards) = guards.filter(|guards| guards.len() == transformations.transformations.len()) else {
        return Err(Error::bug("Not all transformations that are to be judged are woven in."));
    };
    let mut workers = Vec::new();
    let mut verdicts = IdVec::with_capacity(transformations.transformations.len());
    // For each transformation, by recipe: the tests that can see it and have not run yet.
    let mut open: IdVec<TransformationId, BTreeMap<RecipeId, Vec<usize>>> = IdVec::with_capacity(guards.len());
    for (id, transformation) in transformations.transformations.iter_enumerated() {
        let mut by_recipe: BTreeMap<RecipeId, Vec<usize>> = BTreeMap::new();
        for test in candidates(transformations, coverage, transformation.method) {
            if let Some(known) = coverage.tests.get(test) {
                by_recipe.entry(known.recipe).or_default().push(test);
            }
        }
        let says_nothing = !coverage.quarantined_covering[transformation.method].is_empty();
        verdicts.push(Judged::without_tests(if says_nothing { Verdict::Quarantined } else { Verdict::NotCovered }));
        if by_recipe.is_empty() {
            progress(id, Duration::ZERO);
        }
        open.push(by_recipe);
    }
    for (recipe, launch) in launches.iter_enumerated() {
        let mut work: Vec<Work> = open
            .iter_mut_enumerated()
            .zip(&guards)
            .filter_map(|((transformation, open), guard)| {
                let tests = open.remove(&recipe)?;
                Some(Work { transformation, guard: *guard, tests, is_last: open.is_empty() })
            })
            .collect();
        // The dearest first, so that nobody waits for it at the end.
        let time = |work: &Work| work.tests.iter().map(|test| coverage.milliseconds(*test)).sum::<u64>();
        work.sort_by_cached_key(|work| Reverse(time(work)));
        let stage = Stage::new(launch, transformations, coverage, expected);
        workers.clear();
        let (judged, left) = judge_all(&stage, jobs, std::mem::take(&mut before), &work, progress)?;
        workers = left;
        for (id, judged) in judged {
            if judged.verdict.kill().is_some() {
                let open = &mut open[id];
                if !open.is_empty() {
                    progress(id, Duration::ZERO);
                }
                open.clear();
            }
            let known = &mut verdicts[id];
            *known = std::mem::replace(known, Judged::without_tests(Verdict::NotCovered)).and(judged);
        }
    }
    Ok((verdicts, workers))
}

/// What the tests of two recipes say together: a detection settles it, and tests that ran say more than tests that could not.
fn stronger(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Detected(_) => 5,
        Verdict::TimedOut(_) => 4,
        Verdict::Undetected { .. } => 3,
        Verdict::FailedToRun(_) => 2,
        Verdict::Quarantined => 1,
        Verdict::NotCovered => 0,
    };
    match (one, other) {
        (Verdict::Undetected { mut skipped }, Verdict::Undetected { skipped: others }) => {
            skipped.extend(others);
            Verdict::Undetected { skipped }
        }
        (one, other) if rank(&other) > rank(&one) => other,
        (one, _) => one,
    }
}

/// A transformation and the tests of one recipe that can see it.
struct Work {
    transformation: TransformationId,
    /// By which the launch knows it.
    guard: GuardId,
    tests: Vec<usize>,
    /// No other recipe has tests for it.
    is_last: bool,
}

/// The verdicts of one recipe's tests, and the JVMs that can go on with others; `workers` are such that can begin.
fn judge_all(
    stage: &Stage<'_>,
    jobs: usize,
    mut workers: Vec<Session>,
    work: &[Work],
    progress: &Progress<'_>,
) -> Result<(BTreeMap<TransformationId, Judged>, Vec<Session>)> {
    let verdicts: Mutex<BTreeMap<TransformationId, Judged>> = Mutex::new(BTreeMap::new());
    let next = AtomicUsize::new(0);
    let jobs = jobs.clamp(1, work.len().max(1));
    workers.truncate(jobs);
    let (before, after) = (Mutex::new(workers), Mutex::new(Vec::new()));
    let run = || -> Result<()> {
        let session = before.lock().pop();
        let session = session.unwrap_or_else(|| Session::new(Arc::new(stage.launch.clone())));
        let mut bench = Bench::new(stage, session);
        while let Some(work) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let since = Instant::now();
            let mut judged = bench.judge(work)?;
            if let Some(reason) = stage.unwoven(work.transformation) {
                judged.verdict = Verdict::FailedToRun(reason);
            }
            verdicts.lock().insert(work.transformation, judged);
            if work.is_last {
                progress(work.transformation, since.elapsed());
            }
        }
        after.lock().extend(bench.into_session());
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(run)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Error::bug("A thread of the detection panicked.")))
        })
    })?;
    Ok((verdicts.into_inner(), after.into_inner()))
}

/// Tests that can see a transformation of the method, in the order of the suite. A method that runs only while classes are initialised
/// is reached, from a clean start, by every test that uses its class: which of them comes first depends on the order alone.
#[must_use]
pub fn candidates(transformations: &Transformations, coverage: &Coverage, method: MethodId) -> Vec<usize> {
    let mut tests: BTreeSet<usize> = coverage.covering[method].iter().copied().collect();
    if coverage.clean_start_methods.contains(&method) {
        let class = &transformations.methods[method].class;
        for (other, covering) in transformations.methods.iter().zip(&coverage.covering) {
            if other.class == *class {
                tests.extend(covering);
            }
        }
    }
    tests.into_iter().filter(|test| !coverage.is_quarantined(*test)).collect()
}

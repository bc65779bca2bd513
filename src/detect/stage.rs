//! The knowledge that the judges of one recipe's tests share.

use super::Expected;
use super::patience::{CLEAN_START, Patience, Taken};
use super::ranking::Ranking;
use super::way::Way;
use super::whole_classes::WholeClasses;
use crate::base::id::{TestId, TransformationId, TransformationKey};
use crate::cover::Coverage;
use crate::jvm::protocol::{Limit, Unwoven};
use crate::recipe::CleanCopy;
use crate::transform::Transformations;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Stage<'a> {
    pub(super) transformations: &'a Transformations,
    pub(super) coverage: &'a Coverage,
    expected: &'a Expected,
    pub(super) ranking: Ranking<'a>,
    /// Milliseconds that a test may take longer if it is the first of a clean start to set up what
    /// all tests share.
    pub(super) start_up: u64,
    /// Time of a test alone on the original code, from a clean start; `None` if it does not pass
    /// that way.
    pub(super) alone: Mutex<BTreeMap<TestId, Option<Taken>>>,
    /// Lists of tests that pass on the original code, run in this order and way from a clean start.
    pub(super) passing: Mutex<BTreeSet<(Way, Vec<TestId>)>>,
    pub(super) classes: WholeClasses<'a>,
    /// Classes and methods that run as they are. There is no verdict on their transformations.
    pub(super) unwoven: Mutex<BTreeSet<Unwoven>>,
    /// The copy of the module's folder in which the tests run; `None` for the project's own folder.
    pub(super) copy: Option<Mutex<CleanCopy>>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(transformations: &'a Transformations, coverage: &'a Coverage, expected: &'a Expected) -> Self {
        Self {
            transformations,
            coverage,
            expected,
            ranking: Ranking::new(transformations, coverage),
            start_up: 2 * coverage.start_up_nanoseconds / 1_000_000,
            alone: Mutex::new(BTreeMap::new()),
            passing: Mutex::new(BTreeSet::new()),
            classes: WholeClasses::new(coverage),
            unwoven: Mutex::new(BTreeSet::new()),
            copy: None,
        }
    }

    /// The test that did not end under this transformation in an earlier analysis.
    pub(super) fn late(&self, transformation: TransformationId) -> Option<TestId> {
        self.expected.late.get(&self.key(transformation)).copied()
    }

    /// The test that noticed this transformation in an earlier analysis.
    pub(super) fn noticed(&self, transformation: TransformationId) -> Option<TestId> {
        self.expected.noticed.get(&self.key(transformation)).copied()
    }

    /// Whether an earlier analysis found no test that notices.
    pub(super) fn was_undetected(&self, transformation: TransformationId) -> bool {
        self.expected.undetected.contains(&self.key(transformation))
    }

    fn key(&self, transformation: TransformationId) -> TransformationKey {
        self.transformations.transformations[transformation].key()
    }

    /// Why the transformation is not in the class that ran; `None` if it is.
    pub(super) fn unwoven(&self, transformation: TransformationId) -> Option<String> {
        let method = &self.transformations.methods[self.transformations.transformations[transformation].method];
        let unwoven = self.unwoven.lock();
        unwoven
            .iter()
            .filter(|unwoven| unwoven.class == method.class)
            .find(|unwoven| {
                unwoven
                    .method
                    .as_ref()
                    .is_none_or(|unwoven| unwoven.name == method.name && unwoven.descriptor == method.descriptor)
            })
            .map(|unwoven| unwoven.reason.clone())
    }

    /// For a test alone, from a clean start, whose time there is not known.
    pub(super) fn limit_alone(&self, test: TestId) -> Limit {
        self.limit(test, &CLEAN_START).and(self.start_up)
    }

    /// For a test with this time alone on the original code, from a clean start. Most of that time
    /// is loading classes, so the number of invocations depends on the time in a warm run.
    pub(super) fn confirmation(&self, test: TestId, alone: Taken, patience: &Patience) -> Limit {
        Limit {
            milliseconds: patience.milliseconds(alone.cpu),
            wall_milliseconds: patience.limit(alone).wall_milliseconds,
            ..self.limit(test, patience)
        }
    }

    pub(super) fn limit(&self, test: TestId, patience: &Patience) -> Limit {
        let (cpu, wall) = self.coverage.cpu_and_wall_milliseconds(test);
        patience.limit(Taken { cpu, wall })
    }
}

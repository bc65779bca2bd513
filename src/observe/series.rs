//! A series of runs, and the launches and targets that it names.

use super::Site;
use crate::base::id::{ExpressionId, MethodId, TestId, TransformationId};
use crate::jvm::client::Launch;
use std::sync::Arc;

/// The repetitions are spread over this many JVMs, so that what depends on one JVM shows as noise.
pub const MACHINES: usize = 2;

/// How the tests of one recipe are observed.
#[derive(Clone, Debug)]
pub struct Post {
    /// With state probes woven in, and instrumented tests.
    pub launch: Arc<Launch>,
    /// Number of this recipe's first expression among those of all recipes. Its probes count from
    /// 0.
    pub first_expression: ExpressionId,
}

/// One transformation and its method. Without them, the original code once more, for the
/// self-check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    pub transformation: Option<TransformationId>,
    pub method: Option<MethodId>,
}

/// Runs of the same tests on both sides.
#[derive(Clone, Copy)]
pub(super) struct Series<'a> {
    /// The rank of its group.
    pub(super) rank: usize,
    /// In the order of the suite.
    pub(super) tests: &'a [TestId],
    pub(super) targets: &'a [Target],
    /// Expressions numbered over all recipes.
    pub(super) recorded: &'a [Site],
    /// Sites of which only the first observations in each test are recorded.
    pub(super) briefly: &'a [Site],
    pub(super) digested: &'a [Site],
    /// Observations of each run that are recorded in addition to its digests; see
    /// [`Sites::samples`](crate::jvm::protocol::Sites::samples).
    pub(super) samples: u32,
    /// Whether the first run of each JVM records where methods are called from. That is the same
    /// each time.
    pub(super) stacks: bool,
    /// Each target runs once, in the JVM that is free; the original code runs as often as the
    /// series says.
    pub(super) targets_once: bool,
}

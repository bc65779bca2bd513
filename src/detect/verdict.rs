//! Verdicts on transformations: detected, undetected, timed out, not covered.

use crate::base::id::TestId;
use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};

/// The reason of a detection.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Kill {
    pub test: TestId,
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
        /// Tests that pass without the transformation and are skipped with it, because an
        /// assumption no longer holds or no parameters are left. Sorted.
        skipped: Vec<TestId>,
        /// Tests that fail with some seeds and pass with others. Sorted.
        sometimes: Vec<TestId>,
    },
    NotCovered,
    /// Only quarantined tests enter the method, and they are no evidence.
    Quarantined,
    /// The JVM rejected the transformed class, or ended because of it.
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

/// The tests and methods that a verdict depends on.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Basis {
    /// In the order of [`Ranking::tests`](super::Ranking::tests).
    pub tests: Vec<TestId>,
    /// The other tests of their classes, and tests that depend on these, if they ran as well. Sorted.
    #[serde(default)]
    pub beside: Vec<TestId>,
    /// Tests after these have no part in the verdict. If there is only one test, the tests before
    /// it have no part in it either.
    pub is_prefix: bool,
    /// The verdict comes from clean starts alone.
    pub only_clean: bool,
    /// Methods that these tests enter, on the original code or with the transformation; `None` if
    /// that is not known for all of them.
    #[serde(with = "blocks")]
    pub entered: Option<FixedBitSet>,
    /// Methods that were entered with the transformation. They are given if the verdict depends on
    /// the original code only because the tests must pass there, which their first runs show.
    #[serde(with = "blocks")]
    pub transformed: Option<FixedBitSet>,
    /// CPU time of the last test on the original code, in milliseconds. The time-out depends on it.
    pub milliseconds: u64,
}

impl Basis {
    /// The tests that ran.
    pub fn all_tests(&self) -> impl Iterator<Item = TestId> {
        self.tests.iter().chain(&self.beside).copied()
    }
}

/// The form of sets in files: that of the crate cannot be read from JSON.
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
    pub(super) fn without_tests(verdict: Verdict) -> Self {
        Self { verdict, basis: Basis { entered: Some(FixedBitSet::new()), ..Basis::default() } }
    }

    /// Combines the verdicts of the tests of two recipes. Those of `self` come first.
    pub(super) fn and(mut self, other: Self) -> Self {
        let is_alone = self.basis.tests.is_empty();
        self.basis.tests.extend(other.basis.tests);
        self.basis.beside.extend(other.basis.beside);
        self.basis.entered = self.basis.entered.zip(other.basis.entered).map(|(mut all, more)| {
            all.union_with(&more);
            all
        });
        // If tests of another recipe noticed nothing, this depends on a comparison with the
        // original code.
        self.basis.transformed = other.basis.transformed.filter(|_| is_alone);
        self.basis.milliseconds = other.basis.milliseconds;
        self.basis.is_prefix = other.basis.is_prefix;
        self.basis.only_clean |= other.basis.only_clean;
        Self { verdict: stronger(self.verdict, other.verdict), basis: self.basis }
    }
}

/// The verdict of the tests of two recipes together: a detection settles it, and tests that ran say
/// more than tests that could not run.
fn stronger(first: Verdict, second: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Detected(_) => 5,
        Verdict::TimedOut(_) => 4,
        Verdict::Undetected { .. } => 3,
        Verdict::FailedToRun(_) => 2,
        Verdict::Quarantined => 1,
        Verdict::NotCovered => 0,
    };
    match (first, second) {
        (
            Verdict::Undetected { mut skipped, mut sometimes },
            Verdict::Undetected { skipped: more, sometimes: others },
        ) => {
            skipped.extend(more);
            sometimes.extend(others);
            Verdict::Undetected { skipped, sometimes }
        }
        (first, second) if rank(&second) > rank(&first) => second,
        (first, _) => first,
    }
}

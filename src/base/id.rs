//! Typed ids: the number of a test, a method, a transformation and the like within one analysis.
//!
//! An id is a position in one list, which its documentation names. It is valid in that list and wherever the lists of
//! the same analysis are parallel to it, so an [`IdVec`] of the same analysis may be indexed with `[]`.
//! Ids that were read from a file, or that belong to an earlier analysis, are looked up with `get`.

use index_vec::Idx;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;

/// A list whose entries are found by an id.
pub type IdVec<I, T> = index_vec::IndexVec<I, T>;

/// A borrowed [`IdVec`].
pub type IdSlice<I, T> = index_vec::IndexSlice<I, [T]>;

macro_rules! ids {
    ($($(#[$documentation:meta])* $name:ident),* $(,)?) => { $(
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id at this position. No analysis has as many as 2³² of anything.
            #[must_use]
            pub const fn new(index: usize) -> Self {
                debug_assert!(index <= u32::MAX as usize);
                Self(index as u32)
            }

            /// The position in the list.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Idx for $name {
            fn from_usize(index: usize) -> Self {
                Self::new(index)
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    )* };
}

ids! {
    /// A module of the build: a position in `Build::modules`.
    ModuleId,
    /// A recipe, by which the tests of one module run: a position in `Build::recipes`.
    RecipeId,
    /// A method with transformations: a position in `Transformations::methods`.
    MethodId,
    /// A transformation: a position in `Transformations::transformations`.
    TransformationId,
    /// A test: a position in `Coverage::tests`. In a request to a worker, the number by which the events name a test.
    TestId,
    /// An expression of the tests that is observed: a position in `Instrumented::expressions`.
    ExpressionId,
}

/// The number by which the woven classes know a transformation.
///
/// It is the position of the transformation in the list that was woven, plus one: the woven code reserves 0 for the
/// original code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GuardId(NonZeroU32);

impl GuardId {
    /// The guard of a transformation of the list that is woven.
    #[must_use]
    pub const fn of(transformation: TransformationId) -> Self {
        Self(NonZeroU32::MIN.saturating_add(transformation.0))
    }

    /// The number in the woven code.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.get()
    }
}

/// The name of a transformation that stays the same from one analysis to the next, as long as the methods do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TransformationKey {
    pub method: MethodId,
    /// As in `Transformation::name`.
    pub name: String,
}

impl TransformationKey {
    #[must_use]
    pub fn new(method: MethodId, name: &str) -> Self {
        Self { method, name: name.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_finds_its_entry() {
        let names: IdVec<TestId, &str> = ["first", "second"].into_iter().collect();
        let second = names.position(|name| *name == "second");
        assert_eq!(second, Some(TestId(1)));
        assert_eq!(names[TestId(1)], "second");
        assert_eq!(names.get(TestId(2)), None);
    }

    #[test]
    fn an_id_is_a_plain_number_where_it_is_written() {
        assert_eq!(serde_json::to_string(&[TestId(3)]).unwrap_or_default(), "[3]");
        assert_eq!(TestId(3).to_string(), "3");
    }

    #[test]
    fn the_original_code_has_no_guard() {
        assert_eq!(GuardId::of(TransformationId(0)).number(), 1);
        assert_eq!(size_of::<Option<GuardId>>(), size_of::<u32>());
    }
}

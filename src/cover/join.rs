//! From the coverage of each recipe's tests to that of the whole build.

use super::{Coverage, Quarantined};
use crate::base::id::{IdVec, RecipeId};
use std::collections::BTreeSet;

impl Coverage {
    /// Tests are numbered through, recipe by recipe; what is said of methods holds for all recipes together.
    #[must_use]
    pub fn join(parts: IdVec<RecipeId, Self>) -> Self {
        let mut all = Self::default();
        for (recipe, part) in parts.into_iter_enumerated() {
            let first = all.tests.len();
            let moved = |quarantined: Vec<Quarantined>| {
                quarantined.into_iter().map(move |one| Quarantined { test: first + one.test, ..one })
            };
            all.tests.extend(part.tests.into_iter().map(|test| super::Test { recipe, ..test }));
            all.nanoseconds.extend(part.nanoseconds);
            all.cpu_nanoseconds.extend(part.cpu_nanoseconds);
            all.start_up_nanoseconds = all.start_up_nanoseconds.max(part.start_up_nanoseconds);
            all.failing.extend(moved(part.failing));
            all.unstable.extend(moved(part.unstable));
            all.clean_only.extend(part.clean_only.into_iter().map(|test| first + test));
            all.slow.extend(part.slow.into_iter().map(|test| first + test));
            all.contended.extend(part.contended.into_iter().map(|test| first + test));
            all.once.extend(part.once);
            all.covering.resize(all.covering.len().max(part.covering.len()), Vec::new());
            for (all, covering) in all.covering.iter_mut().zip(part.covering) {
                all.extend(covering.into_iter().map(|test| first + test));
            }
            all.quarantined_covering.resize(all.covering.len(), Vec::new());
            for (all, covering) in all.quarantined_covering.iter_mut().zip(part.quarantined_covering) {
                all.extend(covering.into_iter().map(|test| first + test));
            }
        }
        all.once = all.once.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::MethodId;
    use crate::cover::Test;

    fn coverage(name: &str, covering: &[&[usize]], tests: usize) -> Coverage {
        let test = |number: usize| Test {
            id: number.to_string(),
            name: format!("{name}{number}"),
            class: name.into(),
            recipe: RecipeId(0),
        };
        Coverage {
            tests: (0..tests).map(test).collect(),
            nanoseconds: vec![1; tests],
            covering: covering.iter().map(|tests| tests.to_vec()).collect(),
            quarantined_covering: vec![Vec::new(); covering.len()].into(),
            once: vec![MethodId(1)],
            clean_only: vec![0],
            slow: vec![1],
            contended: vec![0],
            failing: vec![Quarantined { test: tests - 1, reason: "no".into() }],
            ..Coverage::default()
        }
    }

    #[test]
    fn tests_are_numbered_through_and_methods_are_not() {
        let all = Coverage::join(vec![coverage("a", &[&[0], &[1]], 2), coverage("b", &[&[], &[0]], 3)].into());
        assert_eq!(all.tests.iter().map(|test| test.recipe.0).collect::<Vec<_>>(), [0, 0, 1, 1, 1]);
        assert_eq!(all.covering, [vec![0], vec![1, 2]]);
        assert_eq!((all.once, all.clean_only, all.slow), (vec![MethodId(1)], vec![0, 2], vec![1, 3]));
        assert_eq!(all.contended, [0, 2]);
        assert_eq!(all.failing.iter().map(|failing| failing.test).collect::<Vec<_>>(), [1, 4]);
    }
}

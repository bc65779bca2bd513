//! Maps keys to observed states. Repeated runs have the same keys and share them.

use super::{Key, count};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// States by key, in the order of keys. Keys take up nearly all of a recording's memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Keyed {
    keys: Arc<[Key]>,
    /// The number of each key's state in the recording's pool.
    states: Vec<u32>,
}

impl Keyed {
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys, sorted; duplicates are possible.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The number of the state at the key with this index.
    #[must_use]
    pub fn state(&self, index: u32) -> Option<u32> {
        self.states.get(index as usize).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Key, u32)> {
        self.keys.iter().zip(self.states.iter().copied())
    }

    /// The number of the state at this key.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<u32> {
        self.keys.binary_search(key).ok().and_then(|index| self.states.get(index).copied())
    }

    /// The observations from the first key to the last, both included.
    pub fn between(&self, first: &Key, last: &Key) -> impl Iterator<Item = (&Key, u32)> + use<'_> {
        let start = self.keys.partition_point(|key| key < first);
        let end = self.keys.partition_point(|key| key <= last);
        let keys = self.keys.get(start..end).unwrap_or_default();
        keys.iter().zip(self.states.get(start..end).unwrap_or_default().iter().copied())
    }

    /// The keys, for changes that keep their order.
    pub(super) fn keys_mut(&mut self) -> &mut [Key] {
        Arc::make_mut(&mut self.keys)
    }

    /// Adds the observations of `other`, whose states get numbers that are higher by `states`.
    /// Returns the new index of each key: first those of the own keys in their order, then those of
    /// `other`.
    pub(super) fn add(&mut self, other: &Self, states: u32) -> Vec<u32> {
        let own = self.len();
        let mut new_indexes: Vec<u32> = (0..own + other.len()).map(count).collect();
        if other.is_empty() {
            return new_indexes;
        }
        let keys: Vec<Key> = self.keys.iter().chain(&*other.keys).cloned().collect();
        self.states.extend(other.states.iter().map(|state| states + state));
        if own > 0 && keys.get(own - 1) > keys.get(own) {
            let mut sorted: Vec<(&Key, usize, u32)> =
                keys.iter().enumerate().zip(&self.states).map(|((index, key), state)| (key, index, *state)).collect();
            sorted.sort_by_key(|(key, ..)| *key);
            for (new_index, (_, old_index, _)) in (0..).zip(&sorted) {
                if let Some(entry) = new_indexes.get_mut(*old_index) {
                    *entry = new_index;
                }
            }
            self.states = sorted.iter().map(|(.., state)| *state).collect();
            self.keys = sorted.into_iter().map(|(key, ..)| key.clone()).collect();
        } else {
            self.keys = keys.into();
        }
        new_indexes
    }
}

/// Collects observations in any order.
impl FromIterator<(Key, u32)> for Keyed {
    fn from_iter<I: IntoIterator<Item = (Key, u32)>>(observed: I) -> Self {
        let mut observed: Vec<(Key, u32)> = observed.into_iter().collect();
        observed.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (keys, states): (Vec<Key>, Vec<u32>) = observed.into_iter().unzip();
        Self { keys: keys.into(), states }
    }
}

/// The lists of keys of several recordings, each list once.
#[derive(Debug, Default)]
pub struct KeyLists(Mutex<Vec<Arc<[Key]>>>);

impl KeyLists {
    /// Replaces the keys by an equal list, if there is one; otherwise adds them. Can be called from
    /// any thread.
    pub fn share(&self, keyed: &mut Keyed) {
        let mut lists = self.0.lock();
        match lists.iter().find(|list| **list == keyed.keys) {
            Some(list) => keyed.keys = Arc::clone(list),
            None => lists.push(Arc::clone(&keyed.keys)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Site, Thread};
    use super::*;
    use crate::base::id::{MethodId, TestId};

    fn key(occurrence: u32) -> Key {
        Key { test: TestId(0), site: Site::Method(MethodId(1)), thread: Thread::default(), occurrence }
    }

    #[test]
    fn states_are_found_by_key_from_any_order() {
        let observed = Keyed::from_iter([(key(3), 30), (key(1), 10), (key(2), 20)]);
        assert_eq!(observed.iter().collect::<Vec<_>>(), [(&key(1), 10), (&key(2), 20), (&key(3), 30)]);
        let between = observed.between(&key(2), &key(9));
        assert_eq!(between.map(|(_, state)| state).collect::<Vec<_>>(), [20, 30]);
        assert_eq!([key(0), key(2), key(3)].map(|key| observed.get(&key)), [None, Some(20), Some(30)]);
    }

    #[test]
    fn recordings_with_equal_keys_share_them() {
        let lists = KeyLists::default();
        let mut runs = [10, 20, 30].map(|state| Keyed::from_iter([(key(1), state), (key(2), state + 1)]));
        let mut other = Keyed::from_iter([(key(1), 10)]);
        runs.iter_mut().for_each(|run| lists.share(run));
        lists.share(&mut other);
        assert!(runs.iter().all(|run| std::ptr::eq(run.keys(), runs[0].keys())));
        assert_eq!(runs.map(|run| run.get(&key(2))), [11, 21, 31].map(Some));
        assert_eq!(other.len(), 1);
    }

    #[test]
    fn a_change_does_not_affect_other_owners_of_the_list() {
        let lists = KeyLists::default();
        let mut runs = [1, 2].map(|state| Keyed::from_iter([(key(1), state)]));
        runs.iter_mut().for_each(|run| lists.share(run));
        let [first, second] = &mut runs;
        first.keys_mut().iter_mut().for_each(|key| key.occurrence += 1);
        assert_eq!((first.get(&key(2)), second.get(&key(1))), (Some(1), Some(2)));
        first.add(&Keyed::from_iter([(key(7), 5)]), 100);
        assert_eq!(first.get(&key(7)), Some(105));
    }
}

//! Which state was observed at which key; runs that are repeated have the same keys, and share them.

use super::{Key, count};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// States by their keys, in the order of keys. Of a run's memory the keys are nearly all.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Keyed {
    keys: Arc<[Key]>,
    /// By index of the key: number of the state in the recording's pool.
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

    /// Sorted; a key may be there twice.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Number of the state at the key with this index.
    #[must_use]
    pub fn state(&self, index: u32) -> Option<u32> {
        self.states.get(index as usize).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Key, u32)> {
        self.keys.iter().zip(self.states.iter().copied())
    }

    /// Number of the state at this key.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<u32> {
        self.keys.binary_search(key).ok().and_then(|index| self.states.get(index).copied())
    }

    /// Those from the first of these keys to the second, both included.
    pub fn between(&self, first: &Key, last: &Key) -> impl Iterator<Item = (&Key, u32)> + use<'_> {
        let from = self.keys.partition_point(|key| key < first);
        let to = self.keys.partition_point(|key| key <= last);
        let own = self.keys.get(from..to).unwrap_or_default();
        own.iter().zip(self.states.get(from..to).unwrap_or_default().iter().copied())
    }

    /// To be changed in a way that keeps their order.
    pub(super) fn keys_mut(&mut self) -> &mut [Key] {
        Arc::make_mut(&mut self.keys)
    }

    /// Adds others, with the numbers of their states moved up by `states`. The result tells where each key is now: the own ones in their order, and
    /// behind them those of `other`.
    pub(super) fn add(&mut self, other: &Self, states: u32) -> Vec<u32> {
        let own = self.len();
        let mut places: Vec<u32> = (0..own + other.len()).map(count).collect();
        if other.is_empty() {
            return places;
        }
        let keys: Vec<Key> = self.keys.iter().chain(&*other.keys).cloned().collect();
        self.states.extend(other.states.iter().map(|state| states + state));
        if own > 0 && keys.get(own - 1) > keys.get(own) {
            let mut order: Vec<(&Key, usize, u32)> =
                keys.iter().enumerate().zip(&self.states).map(|((from, key), state)| (key, from, *state)).collect();
            order.sort_by_key(|(key, ..)| *key);
            for (to, (_, from, _)) in (0..).zip(&order) {
                if let Some(place) = places.get_mut(*from) {
                    *place = to;
                }
            }
            self.states = order.iter().map(|(.., state)| *state).collect();
            self.keys = order.into_iter().map(|(key, ..)| key.clone()).collect();
        } else {
            self.keys = keys.into();
        }
        places
    }
}

/// In any order.
impl FromIterator<(Key, u32)> for Keyed {
    fn from_iter<I: IntoIterator<Item = (Key, u32)>>(observed: I) -> Self {
        let mut observed: Vec<(Key, u32)> = observed.into_iter().collect();
        observed.sort_by(|(left, _), (right, _)| left.cmp(right));
        let (keys, states): (Vec<Key>, Vec<u32>) = observed.into_iter().unzip();
        Self { keys: keys.into(), states }
    }
}

/// Lists of keys of several runs, each list once.
#[derive(Debug, Default)]
pub struct KeyLists(Mutex<Vec<Arc<[Key]>>>);

impl KeyLists {
    /// Puts an equal list that is known in the place of the run's own. From any thread.
    pub fn share(&self, own: &mut Keyed) {
        let mut known = self.0.lock();
        match known.iter().find(|known| **known == own.keys) {
            Some(known) => own.keys = Arc::clone(known),
            None => known.push(Arc::clone(&own.keys)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Site, Thread};
    use super::*;
    use crate::base::id::MethodId;

    fn key(occurrence: u32) -> Key {
        Key { test: 0, site: Site::Method(MethodId(1)), thread: Thread::default(), occurrence }
    }

    #[test]
    fn states_are_found_by_their_keys_whatever_the_order_they_came_in() {
        let observed = Keyed::from_iter([(key(3), 30), (key(1), 10), (key(2), 20)]);
        assert_eq!(observed.iter().collect::<Vec<_>>(), [(&key(1), 10), (&key(2), 20), (&key(3), 30)]);
        let between = observed.between(&key(2), &key(9));
        assert_eq!(between.map(|(_, state)| state).collect::<Vec<_>>(), [20, 30]);
        assert_eq!([key(0), key(2), key(3)].map(|key| observed.get(&key)), [None, Some(20), Some(30)]);
    }

    #[test]
    fn runs_with_the_same_keys_share_them_and_keep_their_states() {
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
    fn a_shared_list_that_is_changed_is_no_longer_shared() {
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

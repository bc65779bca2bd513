//! What several have in turn: of those that wait for it, the one with the lowest rank is next.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};

/// One at a time has it.
#[derive(Debug, Default)]
pub(super) struct Ranked<T> {
    value: Mutex<T>,
    queue: Mutex<Queue>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    is_taken: bool,
    /// Ranks of those that wait.
    waiting: Vec<usize>,
}

/// Whoever has it; gives it back at the end.
pub(super) struct Held<'r, T> {
    ranked: &'r Ranked<T>,
    value: MutexGuard<'r, T>,
}

impl<T> Ranked<T> {
    /// Waits until nobody has it, and nobody with a lower rank waits for it.
    pub(super) fn take(&self, rank: usize) -> Held<'_, T> {
        let mut queue = self.queue.lock();
        queue.waiting.push(rank);
        while queue.is_taken || queue.waiting.iter().any(|other| *other < rank) {
            self.freed.wait(&mut queue);
        }
        if let Some(place) = queue.waiting.iter().position(|other| *other == rank) {
            queue.waiting.swap_remove(place);
        }
        queue.is_taken = true;
        drop(queue);
        Held { ranked: self, value: self.value.lock() }
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.ranked.queue.lock().is_taken = false;
        self.ranked.freed.notify_all();
    }
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_those_that_wait_the_lowest_rank_is_next() {
        let ranked: Ranked<Vec<usize>> = Ranked::default();
        std::thread::scope(|scope| {
            let held = ranked.take(9);
            for rank in [3, 1, 2, 1] {
                let ranked = &ranked;
                scope.spawn(move || ranked.take(rank).push(rank));
            }
            while ranked.queue.lock().waiting.len() < 4 {
                std::thread::yield_now();
            }
            drop(held);
        });
        assert_eq!(*ranked.take(0), [1, 1, 2, 3]);
    }
}

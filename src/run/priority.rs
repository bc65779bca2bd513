//! A mutex that the most urgent of the waiting threads gets next.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};

/// One thread at a time has the value. Smaller numbers are more urgent.
#[derive(Debug, Default)]
pub(super) struct PriorityMutex<T> {
    value: Mutex<T>,
    queue: Mutex<Queue>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    is_taken: bool,
    /// Priorities of the threads that wait.
    waiting: Vec<usize>,
}

/// Gives the value back when it is dropped.
pub(super) struct PriorityGuard<'m, T> {
    mutex: &'m PriorityMutex<T>,
    value: MutexGuard<'m, T>,
}

impl<T> PriorityMutex<T> {
    /// Waits until no thread has the value, and no thread with a smaller number waits for it.
    pub(super) fn lock(&self, priority: usize) -> PriorityGuard<'_, T> {
        let mut queue = self.queue.lock();
        queue.waiting.push(priority);
        while queue.is_taken || queue.waiting.iter().any(|other| *other < priority) {
            self.freed.wait(&mut queue);
        }
        if let Some(place) = queue.waiting.iter().position(|other| *other == priority) {
            queue.waiting.swap_remove(place);
        }
        queue.is_taken = true;
        drop(queue);
        PriorityGuard { mutex: self, value: self.value.lock() }
    }
}

impl<T> Drop for PriorityGuard<'_, T> {
    fn drop(&mut self) {
        self.mutex.queue.lock().is_taken = false;
        self.mutex.freed.notify_all();
    }
}

impl<T> Deref for PriorityGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for PriorityGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_thread_is_next() {
        let mutex: PriorityMutex<Vec<usize>> = PriorityMutex::default();
        std::thread::scope(|scope| {
            let guard = mutex.lock(9);
            for priority in [3, 1, 2, 1] {
                let mutex = &mutex;
                scope.spawn(move || mutex.lock(priority).push(priority));
            }
            while mutex.queue.lock().waiting.len() < 4 {
                std::thread::yield_now();
            }
            drop(guard);
        });
        assert_eq!(*mutex.lock(0), [1, 1, 2, 3]);
    }
}

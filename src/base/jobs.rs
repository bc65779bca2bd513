//! The default number of workers, from the processors and the free memory of the machine.

use sysinfo::System;

/// Memory for one worker: a JVM that runs the tests of a project. Most need less.
const MEMORY_OF_ONE: u64 = 1 << 30;

/// One worker per processor, but no more than fit into the free memory (or the limit of the
/// container), and at least one.
#[must_use]
pub fn by_default() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    with_room(processors, free_memory())
}

/// Free memory in bytes, if the system reports it.
fn free_memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    // A container counts cached files as used memory, which the system frees on demand.
    let of_container = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    Some(system.available_memory().min(of_container)).filter(|bytes| *bytes > 0)
}

/// `free` is in bytes.
fn with_room(processors: usize, free: Option<u64>) -> usize {
    let room = free.map_or(usize::MAX, |free| usize::try_from(free / MEMORY_OF_ONE).unwrap_or(usize::MAX));
    processors.min(room).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_workers_than_processors_or_than_memory_has_room_for() {
        let gigabytes = |count: u64| Some(count << 30);
        assert_eq!(with_room(4, gigabytes(16)), 4);
        assert_eq!(with_room(4, gigabytes(3)), 3);
        assert_eq!(with_room(4, Some(100)), 1);
        assert_eq!(with_room(4, None), 4, "not known");
    }
}

//! The resources that this process has used: CPU time and loaded classes.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

static LOADED_CLASSES: AtomicU32 = AtomicU32::new(0);

/// Counts a loaded class.
pub fn count_class() {
    LOADED_CLASSES.fetch_add(1, Ordering::Relaxed);
}

/// The number of classes that the JVM has loaded.
pub fn loaded_classes() -> u32 {
    LOADED_CLASSES.load(Ordering::Relaxed)
}

/// The CPU time of all threads of this process.
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing, and the clock exists on Linux and macOS. If the call fails, the time stays 0, and
    // only the wall clock limits tests.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

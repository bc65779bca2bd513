//! Tells a process that only waits from one that works, or would work if the machine let it.

use super::children;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The time between two looks at the process.
const INTERVAL: Duration = Duration::from_secs(1);
/// The CPU time that a process uses although it only waits, in percent: a JVM wakes its own threads now and then.
const IDLE_PERCENT: u128 = 3;
/// A thread that is ready at so many looks in a row does not get the processor. The JVM's own threads are at one look or two.
const STARVED: u32 = 5;
/// The unit of CPU time in `/proc` (`USER_HZ`), the same on all Linux systems.
const TICK: Duration = Duration::from_millis(10);

/// A process, and when it began to wait.
#[derive(Debug)]
pub struct Idleness {
    pid: u32,
    since: Instant,
    looked: Instant,
    ticks: u64,
    /// How often in a row each thread was ready to run.
    ready: BTreeMap<u32, u32>,
}

impl Idleness {
    #[must_use]
    pub fn of(pid: u32) -> Self {
        let now = Instant::now();
        Self { pid, since: now, looked: now, ticks: children::activity(pid).ticks, ready: BTreeMap::new() }
    }

    /// The time for which the process, and all that it has started, have used hardly any CPU time. A process that the
    /// machine does not let run is not idle. 0 on systems without `/proc`.
    pub fn lasts(&mut self) -> Duration {
        let elapsed = self.looked.elapsed();
        if elapsed >= INTERVAL {
            let now = children::activity(self.pid);
            let used = TICK.as_millis() * u128::from(now.ticks.saturating_sub(self.ticks));
            let works = used > TICK.as_millis() + elapsed.as_millis() * IDLE_PERCENT / 100;
            let before = std::mem::take(&mut self.ready);
            self.ready = now.ready.iter().map(|thread| (*thread, 1 + before.get(thread).unwrap_or(&0))).collect();
            let is_starved = self.ready.values().any(|looks| *looks >= STARVED);
            (self.looked, self.ticks) = (Instant::now(), now.ticks);
            if works || is_starved || now.ticks == 0 {
                self.since = self.looked;
            }
        }
        self.looked.saturating_duration_since(self.since)
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_that_waits_is_idle_and_one_that_works_or_has_a_child_that_works_is_not() {
        // Each has worked before, as a JVM has when it has started.
        let work = "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done;";
        let cases =
            [("sleep 600 & wait", true), ("while :; do :; done", false), ("(while :; do :; done) & wait", false)];
        let mut running = Vec::new();
        for (script, expected) in cases {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("{work} {script}")]);
            running.push((children::spawn(command).unwrap(), script, expected));
        }
        std::thread::sleep(Duration::from_millis(1500));
        let mut watches: Vec<Idleness> = running.iter().map(|(child, ..)| Idleness::of(child.id())).collect();
        for _ in 0..7 {
            std::thread::sleep(Duration::from_millis(500));
            for watch in &mut watches {
                watch.lasts();
            }
        }
        let idle: Vec<bool> = watches.iter_mut().map(|watch| watch.lasts() > Duration::from_secs(2)).collect();
        for (child, ..) in &mut running {
            children::kill_group(child.id());
            child.wait().unwrap();
            children::forget(child.id());
        }
        assert_eq!(idle, running.iter().map(|(.., expected)| *expected).collect::<Vec<_>>(), "{running:?}");
    }
}

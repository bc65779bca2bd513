//! Measures where the time of an analysis goes, by stage and by worker. Clones share one table.

use crate::base::error::{Error, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The times of all stages and workers so far.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    shared: Arc<Mutex<Times>>,
}

/// The resources that a process has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub cpu: Duration,
    /// Peak memory in bytes; 0 if unknown.
    pub peak_memory: u64,
}

/// The content of `timings.json`. Times are in seconds, memory in bytes. CPU time is user and system
/// time of the process and of its children.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Times {
    pub stages: Vec<StageTime>,
    /// From the start of the process up to now.
    pub total: Time,
    /// Of this process, without its children.
    pub peak_memory_bytes: u64,
    #[serde(skip)]
    ended: Vec<WorkerTime>,
}

/// One stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StageTime {
    pub name: String,
    #[serde(flatten)]
    pub time: Time,
    /// The JVMs that ended during this stage, in that order, then those that the next stage reuses.
    /// Each with its share of this stage.
    pub workers: Vec<WorkerTime>,
}

/// A worker process from its start to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WorkerTime {
    #[serde(flatten)]
    pub time: Time,
    /// Number of requests that it carried out.
    pub runs: u32,
    /// Peak memory after the last request that it finished; 0 if it finished none.
    pub peak_memory_bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Time {
    pub wall_seconds: f64,
    pub cpu_seconds: f64,
}

impl Time {
    fn new(wall: Duration, cpu: Duration) -> Self {
        let rounded = |time: Duration| (time.as_secs_f64() * 1000.0).round() / 1000.0;
        Self { wall_seconds: rounded(wall), cpu_seconds: rounded(cpu) }
    }
}

/// CPU time that was already counted of children that are still alive, in microseconds.
static OF_LIVING: AtomicU64 = AtomicU64::new(0);

/// A child process that outlives a stage. Its CPU time counts when [`Living::count`] is called, not
/// when it ends.
#[derive(Debug)]
pub struct Living {
    pid: u32,
    counted: u64,
    all: &'static AtomicU64,
}

impl Living {
    #[must_use]
    pub fn new(pid: u32) -> Self {
        Self { pid, counted: 0, all: &OF_LIVING }
    }

    /// Counts the CPU time of the child up to now.
    pub fn count(&mut self) {
        let taken = u64::try_from(cpu_time_of(self.pid).as_micros()).unwrap_or(0).max(self.counted);
        self.all.fetch_add(taken - self.counted, Ordering::Relaxed);
        self.counted = taken;
    }

    /// Memory of the child in bytes; 0 if the system does not report it.
    #[must_use]
    pub fn memory(&self) -> u64 {
        memory(&self.pid.to_string(), "VmRSS:").unwrap_or(0)
    }
}

impl Drop for Living {
    /// Drop it after waiting for the child, which then counts among the ended children.
    fn drop(&mut self) {
        self.all.fetch_sub(self.counted, Ordering::Relaxed);
    }
}

/// CPU time of a child that is alive; zero if the system does not report it.
fn cpu_time_of(pid: u32) -> Duration {
    #[cfg(target_os = "linux")]
    {
        use nix::time::clock_getcpuclockid;
        let clock =
            i32::try_from(pid).map(nix::unistd::Pid::from_raw).ok().and_then(|pid| clock_getcpuclockid(pid).ok());
        clock.and_then(|clock| clock.now().ok()).map_or(Duration::ZERO, Duration::from)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        Duration::ZERO
    }
}

/// CPU time of this process, of ended children, and of living children as far as counted.
fn cpu_time() -> Duration {
    let of = |who| {
        getrusage(who).map_or(0, |usage| usage.user_time().num_microseconds() + usage.system_time().num_microseconds())
    };
    let microseconds = of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN);
    Duration::from_micros(u64::try_from(microseconds).unwrap_or(0) + OF_LIVING.load(Ordering::Relaxed))
}

/// Peak memory of this process in bytes; 0 if the system does not report it.
///
/// Not from `getrusage`: Linux keeps that value across `execve`, so a worker would start with the
/// size of the coordinator (proc_pid_status(5): `VmHWM`).
#[must_use]
pub fn peak_memory() -> u64 {
    if cfg!(target_os = "linux") {
        return memory("self", "VmHWM:").unwrap_or(0);
    }
    // In bytes, on macOS.
    getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0))
}

/// A memory figure of a process in bytes, as Linux reports it.
fn memory(process: &str, key: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_suffix(" kB"))?;
    Some(kibibytes.trim().parse::<u64>().ok()? * 1024)
}

/// The start of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    wall: Instant,
    cpu: Duration,
}

impl Since {
    #[must_use]
    pub fn now() -> Self {
        Self { wall: Instant::now(), cpu: cpu_time() }
    }

    fn time(self) -> Time {
        Time::new(self.wall.elapsed(), cpu_time().saturating_sub(self.cpu))
    }
}

impl Timings {
    /// Records a worker that was started at `started` and has ended.
    pub fn worker(&self, started: Instant, usage: Usage, runs: u32) {
        let time = Time::new(started.elapsed(), usage.cpu);
        self.with(|times| times.ended.push(WorkerTime { time, runs, peak_memory_bytes: usage.peak_memory }));
    }

    /// Records a stage that has ended, with the workers it had started.
    pub fn stage(&self, name: &str, since: Since) {
        self.with(|times| {
            let workers = std::mem::take(&mut times.ended);
            times.stages.push(StageTime { name: name.to_owned(), time: since.time(), workers });
        });
    }

    /// All times up to now.
    #[must_use]
    pub fn times(&self, since: Since) -> Times {
        self.with(|times| Times { total: since.time(), peak_memory_bytes: peak_memory(), ..times.clone() })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Times) -> T) -> T {
        change(&mut self.shared.lock())
    }
}

impl Times {
    /// # Errors
    /// If it cannot be written as JSON, which is a bug.
    pub fn json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map(|text| text + "\n")
            .map_err(|error| Error::bug(format!("The timings cannot be written as JSON: {error}.")))
    }

    /// A table for people: one line per stage, and below it one line per worker.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = "   wall s     CPU s  peak MiB".to_owned();
        let mut line = |time: Time, peak_memory: u64, what: &str| {
            let mebibytes = if peak_memory == 0 { String::new() } else { (peak_memory >> 20).to_string() };
            let _ = write!(text, "\n{:9.1} {:9.1} {mebibytes:>9}  {what}", time.wall_seconds, time.cpu_seconds);
        };
        for stage in &self.stages {
            line(stage.time, 0, &stage.name);
            for worker in &stage.workers {
                let runs = if worker.runs == 1 { "run" } else { "runs" };
                line(worker.time, worker.peak_memory_bytes, &format!("  a JVM, {} {runs}", worker.runs));
            }
        }
        line(self.total, self.peak_memory_bytes, "in all; memory of reneri itself");
        text
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp)]
mod tests {
    use super::*;

    #[test]
    fn workers_belong_to_the_stage_in_which_they_end() {
        let (timings, begin) = (Timings::default(), Since::now());
        let used = |milliseconds| Usage { cpu: Duration::from_millis(milliseconds), peak_memory: 3 << 20 };
        timings.worker(Instant::now(), used(1500), 1);
        timings.clone().stage("Covering", Since::now());
        timings.worker(Instant::now(), used(20_040), 7);
        timings.stage("Detecting", Since::now());
        let times = timings.times(begin);
        let of: Vec<(&str, Vec<(f64, u32)>)> = times
            .stages
            .iter()
            .map(|stage| {
                let workers = stage.workers.iter().map(|worker| (worker.time.cpu_seconds, worker.runs)).collect();
                (stage.name.as_str(), workers)
            })
            .collect();
        assert_eq!(of, [("Covering", vec![(1.5, 1)]), ("Detecting", vec![(20.04, 7)])]);
        assert_eq!(times.stages[0].workers[0].peak_memory_bytes, 3 << 20);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_child_takes_counts_once_before_it_ends_and_then() {
        static ALL: AtomicU64 = AtomicU64::new(0);
        let mut child = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let mut living = Living { all: &ALL, ..Living::new(child.id()) };
        let taken = Duration::from_millis(200);
        while cpu_time_of(child.id()) < taken {
            std::thread::sleep(Duration::from_millis(10));
        }
        living.count();
        living.count();
        assert!(living.memory() > 0);
        let counted = Duration::from_micros(ALL.load(Ordering::Relaxed));
        assert!(counted >= taken && counted <= cpu_time_of(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        drop(living);
        assert_eq!(ALL.load(Ordering::Relaxed), 0);
        assert!(cpu_time() >= taken);
    }

    #[test]
    fn memory_that_was_used_is_in_the_peak() {
        let block = vec![1_u8; 200 << 20];
        // A byte of each page.
        assert!(std::hint::black_box(&block).iter().step_by(4096).all(|byte| *byte == 1));
        assert!(peak_memory() > 200 << 20);
    }

    #[test]
    fn a_table_has_stages_and_their_workers() {
        let time = |wall_seconds, cpu_seconds| Time { wall_seconds, cpu_seconds };
        let times = Times {
            stages: vec![StageTime {
                name: "Detecting".into(),
                time: time(12.34, 20.0),
                workers: vec![WorkerTime { time: time(12.0, 9.96), runs: 250, peak_memory_bytes: 345 << 20 }],
            }],
            total: time(100.0, 1234.5),
            peak_memory_bytes: 67 << 20,
            ended: Vec::new(),
        };
        assert_eq!(
            times.table(),
            "   wall s     CPU s  peak MiB
     12.3      20.0            Detecting
     12.0      10.0       345    a JVM, 250 runs
    100.0    1234.5        67  in all; memory of reneri itself"
        );
        let json: serde_json::Value = serde_json::from_str(&times.json().unwrap()).unwrap();
        assert_eq!(json["stages"][0]["workers"][0]["cpu_seconds"], 9.96);
        assert_eq!(json["stages"][0]["workers"][0]["peak_memory_bytes"], 345 << 20);
        assert_eq!(json["total"]["wall_seconds"], 100.0);
        assert_eq!(json["peak_memory_bytes"], 67 << 20);
    }
}

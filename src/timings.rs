//! From stages and workers that end to a table of where the time went. Clones write to the same place.

use crate::error::{Error, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What stages and workers took so far.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    shared: Arc<Mutex<Times>>,
}

/// All of it, as `timings.json` has it. Times are in seconds; CPU time is user and system time of the process and of its children.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Times {
    pub stages: Vec<StageTime>,
    /// From the start of the process up to now.
    pub total: Time,
    #[serde(skip)]
    ended: Vec<WorkerTime>,
}

/// One stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StageTime {
    pub name: String,
    #[serde(flatten)]
    pub time: Time,
    /// The JVMs that ended during this stage, in the order of their ends.
    pub workers: Vec<WorkerTime>,
}

/// A worker process from its start to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WorkerTime {
    #[serde(flatten)]
    pub time: Time,
    /// Requests that it carried out.
    pub runs: u32,
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

/// CPU time of this process and of the children that have ended.
fn cpu_time() -> Duration {
    let of = |who| {
        getrusage(who).map_or(0, |usage| usage.user_time().num_microseconds() + usage.system_time().num_microseconds())
    };
    let microseconds = of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN);
    Duration::from_micros(u64::try_from(microseconds).unwrap_or(0))
}

/// Since when something is measured.
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
    /// A worker that was started at `started` and has used `cpu` has ended.
    pub fn worker(&self, started: Instant, cpu: Duration, runs: u32) {
        self.with(|times| times.ended.push(WorkerTime { time: Time::new(started.elapsed(), cpu), runs }));
    }

    /// A stage has ended, and with it the workers that it had started.
    pub fn stage(&self, name: &str, since: Since) {
        self.with(|times| {
            let workers = std::mem::take(&mut times.ended);
            times.stages.push(StageTime { name: name.to_owned(), time: since.time(), workers });
        });
    }

    /// What is known up to now.
    #[must_use]
    pub fn times(&self, since: Since) -> Times {
        self.with(|times| Times { total: since.time(), ..times.clone() })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Times) -> T) -> T {
        change(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Times {
    /// # Errors
    /// When it cannot be written as JSON, which is a bug.
    pub fn json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map(|text| text + "\n")
            .map_err(|error| Error::bug(format!("The timings cannot be written as JSON: {error}.")))
    }

    /// For people: one line for each stage, below it one for each worker.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = "   wall s     CPU s".to_owned();
        let mut line = |time: Time, what: &str| {
            let _ = write!(text, "\n{:9.1} {:9.1}  {what}", time.wall_seconds, time.cpu_seconds);
        };
        for stage in &self.stages {
            line(stage.time, &stage.name);
            for worker in &stage.workers {
                let runs = if worker.runs == 1 { "run" } else { "runs" };
                line(worker.time, &format!("  a JVM, {} {runs}", worker.runs));
            }
        }
        line(self.total, "in all");
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
        timings.worker(Instant::now(), Duration::from_millis(1500), 1);
        timings.clone().stage("Covering", Since::now());
        timings.worker(Instant::now(), Duration::from_millis(20_040), 7);
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
    }

    #[test]
    fn a_table_has_stages_and_their_workers() {
        let time = |wall_seconds, cpu_seconds| Time { wall_seconds, cpu_seconds };
        let times = Times {
            stages: vec![StageTime {
                name: "Detecting".into(),
                time: time(12.34, 20.0),
                workers: vec![WorkerTime { time: time(12.0, 9.96), runs: 250 }],
            }],
            total: time(100.0, 1234.5),
            ended: Vec::new(),
        };
        assert_eq!(
            times.table(),
            "   wall s     CPU s
     12.3      20.0  Detecting
     12.0      10.0    a JVM, 250 runs
    100.0    1234.5  in all"
        );
        let json: serde_json::Value = serde_json::from_str(&times.json().unwrap()).unwrap();
        assert_eq!(json["stages"][0]["workers"][0]["cpu_seconds"], 9.96);
        assert_eq!(json["total"]["wall_seconds"], 100.0);
    }
}

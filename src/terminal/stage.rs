//! Shows the progress of a stage as a moving line, or without a terminal as a line every ten
//! seconds.

use super::{Shared, Terminal, Verbosity, clean};
use crate::base::timings::Since;
use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Stands for an unknown total, since an atomic number has no `None`.
const UNKNOWN: u64 = u64::MAX;
/// Time between two lines about the same stage if there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// There is an estimate only after one of this many parts of a stage.
const TENTH: u64 = 10;
/// A moving estimate may jitter by this much, and by a quarter.
const SLACK: Duration = Duration::from_secs(5);

impl Terminal {
    /// Begins a stage of `total` steps, if their number is known. `name` says what the stage does:
    /// `Observing transformations`.
    pub fn stage(&self, name: &str, total: Option<u64>) -> StageProgress {
        let shared = Arc::clone(&self.shared);
        let name = clean(name);
        let shows = shared.verbosity != Verbosity::Quiet;
        let bar = shared.bars.as_ref().filter(|_| shows).map(|bars| {
            let bar = bars.add(total.map_or_else(ProgressBar::new_spinner, ProgressBar::new));
            bar.set_style(style(total.is_some()));
            bar.set_message(name.clone());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let began = (shared.clock)();
        let state = Arc::new(Stage {
            shared,
            name,
            is_counted: total.is_some(),
            total: AtomicU64::new(total.unwrap_or(UNKNOWN)),
            done: AtomicU64::new(0),
            began,
            since: Since::now(),
            last_line: Mutex::new(began),
            said_left: Mutex::new(None),
            finished: AtomicBool::new(false),
            bar,
        });
        let first = total.map_or_else(|| state.name.clone(), |total| format!("{} ({total})", state.name));
        state.tell(&first, state.bar.is_none());
        // Nobody calls `advance` while a stage waits for one long step such as Maven, so a thread
        // writes the lines.
        let heart = (shows && state.bar.is_none()).then(|| {
            let (stop, stopped) = channel();
            let state = Arc::clone(&state);
            std::thread::spawn(move || {
                while stopped.recv_timeout(BETWEEN_LINES) == Err(RecvTimeoutError::Timeout) {
                    state.tell_if_due();
                }
            });
            stop
        });
        StageProgress { state, _heart: heart }
    }
}

/// A running stage. It ends with [`StageProgress::finish`], or as "stopped" if it is dropped before
/// all steps are done.
#[must_use]
pub struct StageProgress {
    pub(super) state: Arc<Stage>,
    /// Dropping it ends the thread that writes lines.
    _heart: Option<Sender<()>>,
}

pub(super) struct Stage {
    shared: Arc<Shared>,
    name: String,
    /// Whether the last line names the number of steps. If not, the number only serves to show
    /// progress.
    is_counted: bool,
    /// The total, or [`UNKNOWN`].
    total: AtomicU64,
    done: AtomicU64,
    began: Duration,
    since: Since,
    last_line: Mutex<Duration>,
    /// The time left that the last line with an estimate gave.
    said_left: Mutex<Option<Duration>>,
    finished: AtomicBool,
    bar: Option<ProgressBar>,
}

impl StageProgress {
    /// Counts `count` more steps as done. Any thread may call it.
    pub fn advance(&self, count: u64) {
        self.state.done.fetch_add(count, Ordering::Relaxed);
        match &self.state.bar {
            Some(bar) => bar.inc(count),
            None => self.state.tell_if_due(),
        }
    }

    /// Changes the expected number of steps; `None` if it is no longer known.
    pub fn expect(&self, total: Option<u64>) {
        self.state.total.store(total.unwrap_or(UNKNOWN), Ordering::Relaxed);
        if let Some(bar) = &self.state.bar {
            total.map_or_else(|| bar.unset_length(), |total| bar.set_length(total));
            bar.set_style(style(total.is_some()));
        }
    }

    /// The number of steps done so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.state.done.load(Ordering::Relaxed)
    }

    /// Ends the stage as done.
    pub fn finish(self) {
        self.state.end(true);
    }
}

impl Drop for StageProgress {
    fn drop(&mut self) {
        self.state.end(self.state.total().is_some_and(|total| self.done() >= total));
    }
}

impl Stage {
    fn total(&self) -> Option<u64> {
        Some(self.total.load(Ordering::Relaxed)).filter(|total| *total != UNKNOWN)
    }

    fn tell(&self, text: &str, shown: bool) {
        self.shared.log(text);
        if shown && self.shared.verbosity != Verbosity::Quiet {
            self.shared.write(&self.shared.notes, text);
        }
    }

    pub(super) fn tell_if_due(&self) {
        // The lock is held until the line is written, so that no line follows the last one of the
        // stage.
        let mut last = self.last_line.lock();
        let now = (self.shared.clock)();
        if now.saturating_sub(*last) < BETWEEN_LINES || self.finished.load(Ordering::SeqCst) {
            return;
        }
        *last = now;
        let elapsed = now.saturating_sub(self.began);
        let done = self.done.load(Ordering::Relaxed);
        if self.total().is_some_and(|total| done >= total) {
            // The last line of the stage will say so.
            return;
        }
        let mut line = self.name.clone();
        let seconds = elapsed.as_secs_f64();
        match self.total() {
            Some(total) if done > 0 && seconds > 0.0 => {
                let rate = per_second(done as f64 / seconds);
                let _ = match self.time_left(total, done, elapsed) {
                    Some(left) => write!(line, ": {done} of {total}, {rate}, about {} left", duration(left)),
                    None => write!(line, ": {done} of {total} after {}, {rate}", duration(elapsed)),
                };
            }
            Some(total) => drop(write!(line, ": {done} of {total} after {}", duration(elapsed))),
            None if done > 0 => drop(write!(line, ": {done} after {}", duration(elapsed))),
            None => drop(write!(line, ": still running after {}", duration(elapsed))),
        }
        self.tell(&line, true);
    }

    /// The time that the steps left take, as those before took on average. `None` before a tenth is done, because the first
    /// steps are not like all others, and `None` if it would be more than an earlier line said: then nobody knows.
    fn time_left(&self, total: u64, done: u64, elapsed: Duration) -> Option<Duration> {
        if done.saturating_mul(TENTH) < total {
            return None;
        }
        let left = elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64);
        let mut said = self.said_left.lock();
        if said.is_some_and(|said| left > said) {
            return None;
        }
        *said = Some(left);
        Some(left)
    }

    fn end(&self, complete: bool) {
        let _no_other_line = self.last_line.lock();
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.shared.timings.stage(&self.name, self.since);
        let elapsed = (self.shared.clock)().saturating_sub(self.began);
        let done = self.done.load(Ordering::Relaxed);
        let counted = match self.total() {
            Some(total) if done < total => format!("{done} of {total} "),
            _ if done > 0 && self.is_counted => format!("{done} "),
            _ => String::new(),
        };
        let verb = if complete { "done" } else { "stopped" };
        let after = if complete { "in" } else { "after" };
        self.tell(&format!("{}: {verb}, {counted}{after} {}", self.name, duration(elapsed)), true);
    }
}

fn style(total_known: bool) -> ProgressStyle {
    // The least estimate so far. One that is much larger is not shown.
    let least = Arc::new(Mutex::new(Duration::from_secs(u64::from(u32::MAX))));
    let template = if total_known {
        "{spinner} {msg} {bar:20} {pos}/{len} ({per_sec}, {eta})"
    } else {
        "{spinner} {msg} {elapsed}"
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("per_sec", |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
            let _ = text.write_str(&per_second(state.per_sec()));
        })
        .with_key("eta", move |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
            let is_begun = state.len().is_some_and(|total| state.pos().saturating_mul(TENTH) >= total);
            let mut least = least.lock();
            let shown = is_begun && state.eta() <= least.mul_f64(1.25).saturating_add(SLACK);
            if shown {
                *least = state.eta().min(*least);
            }
            let _ = if shown { write!(text, "{} left", duration(state.eta())) } else { text.write_str("…") };
        })
        .with_key("elapsed", |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
            let _ = text.write_str(&duration(state.elapsed()));
        })
}

/// `0.4/s`, `12/s`
fn per_second(rate: f64) -> String {
    if rate < 9.95 { format!("{rate:.1}/s") } else { format!("{rate:.0}/s") }
}

/// `3.4 s`, `42 s`, `3 min 5 s`, `2 h 7 min`
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let seconds = seconds.round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

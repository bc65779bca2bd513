//! From the pieces of a stage that are done to its moving line or, without a terminal, to a line now and then.

use super::{Shared, Terminal, Verbosity, clean};
use crate::base::timings::Since;
use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// In the place of a total that is not known.
const UNKNOWN: u64 = u64::MAX;
/// Time between two lines about the same stage where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

impl Terminal {
    /// Begins a stage of `total` pieces, if their number is known; `name` says what is done: `Observing transformations`.
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
            finished: AtomicBool::new(false),
            bar,
        });
        let first = total.map_or_else(|| state.name.clone(), |total| format!("{} ({total})", state.name));
        state.tell(&first, state.bar.is_none());
        // A stage that waits for one long thing (Maven) has nobody who calls `advance`.
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

/// A stage that goes on; ends with [`StageProgress::finish`], or as "stopped" when it is dropped before all is done.
#[must_use]
pub struct StageProgress {
    pub(super) state: Arc<Stage>,
    /// Dropping it ends the thread that tells that a stage still goes on.
    _heart: Option<Sender<()>>,
}

pub(super) struct Stage {
    shared: Arc<Shared>,
    name: String,
    /// The number of pieces says something when the stage is over, and not only how far it is.
    is_counted: bool,
    /// Or [`UNKNOWN`].
    total: AtomicU64,
    done: AtomicU64,
    began: Duration,
    since: Since,
    last_line: Mutex<Duration>,
    finished: AtomicBool,
    bar: Option<ProgressBar>,
}

impl StageProgress {
    /// `count` more pieces are done. From any thread.
    pub fn advance(&self, count: u64) {
        self.state.done.fetch_add(count, Ordering::Relaxed);
        match &self.state.bar {
            Some(bar) => bar.inc(count),
            None => self.state.tell_if_due(),
        }
    }

    /// From now on it is known how many pieces there are in all, or no longer.
    pub fn expect(&self, total: Option<u64>) {
        self.state.total.store(total.unwrap_or(UNKNOWN), Ordering::Relaxed);
        if let Some(bar) = &self.state.bar {
            total.map_or_else(|| bar.unset_length(), |total| bar.set_length(total));
            bar.set_style(style(total.is_some()));
        }
    }

    /// So many pieces are done so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.state.done.load(Ordering::Relaxed)
    }

    /// The stage did all it had to do.
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
        // Held until the line is written: nothing may come after the last line of the stage.
        let mut last = self.last_line.lock();
        let now = (self.shared.clock)();
        if now.saturating_sub(*last) < BETWEEN_LINES || self.finished.load(Ordering::SeqCst) {
            return;
        }
        *last = now;
        let elapsed = now.saturating_sub(self.began);
        let done = self.done.load(Ordering::Relaxed);
        if self.total().is_some_and(|total| done >= total) {
            // The last line of the stage says it.
            return;
        }
        let mut line = self.name.clone();
        let seconds = elapsed.as_secs_f64();
        match self.total() {
            Some(total) if done > 0 && seconds > 0.0 => {
                let rate = done as f64 / seconds;
                let left = Duration::from_secs_f64(total.saturating_sub(done) as f64 / rate);
                let _ = write!(line, ": {done} of {total}, {}, about {} left", per_second(rate), duration(left));
            }
            Some(total) => drop(write!(line, ": {done} of {total} after {}", duration(elapsed))),
            None if done > 0 => drop(write!(line, ": {done} after {}", duration(elapsed))),
            None => drop(write!(line, ": still running after {}", duration(elapsed))),
        }
        self.tell(&line, true);
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
    let template = if total_known {
        "{spinner} {msg} {bar:20} {pos}/{len} ({per_sec}, {eta} left)"
    } else {
        "{spinner} {msg} {elapsed}"
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("per_sec", |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
            let _ = text.write_str(&per_second(state.per_sec()));
        })
        .with_key("eta", |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
            let _ = text.write_str(&duration(state.eta()));
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

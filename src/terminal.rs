//! From what the stages do to what a person sees of it (progress, warnings, summary, errors), and to the log file, which gets everything.
//!
//! On a terminal there is one moving line with stage, rate and remaining time; elsewhere a plain line when a stage begins, one when it
//! ends, and one every ten seconds in between, without control characters. All of it can be called from any thread.

use crate::error::{Error, Result};
use crate::timings::{Since, Timings};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much is shown. The log gets everything in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Warnings and errors.
    Quiet,
    #[default]
    Normal,
    /// Also what is run.
    Verbose,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const ASIDE: Style = Style::new().dimmed();
const HEADING: Style = Style::new().bold();

/// Time between two lines about the same stage where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Where a run tells what it does. Clones write to the same place.
#[derive(Clone)]
pub struct Terminal {
    shared: Arc<Shared>,
}

struct Shared {
    verbosity: Verbosity,
    /// Results: standard output.
    results: Mutex<Box<dyn Write + Send>>,
    /// Everything else: standard error.
    notes: Mutex<Box<dyn Write + Send>>,
    /// The moving line, on a terminal.
    bars: Option<MultiProgress>,
    log: Mutex<Log>,
    warnings: Mutex<Vec<String>>,
    timings: Timings,
    /// Time since the run began.
    clock: Box<dyn Fn() -> Duration + Send + Sync>,
}

enum Log {
    /// The file is not open yet: what it will begin with.
    Waiting(String),
    File(std::fs::File),
}

impl Terminal {
    /// Writes to standard output and standard error.
    #[must_use]
    pub fn new(verbosity: Verbosity, color: Color) -> Self {
        let choice = match color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        let moves = std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let begin = Instant::now();
        Self::with(
            verbosity,
            Box::new(anstream::AutoStream::new(std::io::stdout(), choice)),
            Box::new(anstream::AutoStream::new(std::io::stderr(), choice)),
            moves.then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr())),
            Box::new(move || begin.elapsed()),
        )
    }

    fn with(
        verbosity: Verbosity,
        results: Box<dyn Write + Send>,
        notes: Box<dyn Write + Send>,
        bars: Option<MultiProgress>,
        clock: Box<dyn Fn() -> Duration + Send + Sync>,
    ) -> Self {
        let (results, notes) = (Mutex::new(results), Mutex::new(notes));
        Self {
            shared: Arc::new(Shared {
                verbosity,
                results,
                notes,
                bars,
                log: Mutex::new(Log::Waiting(String::new())),
                warnings: Mutex::new(Vec::new()),
                timings: Timings::default(),
                clock,
            }),
        }
    }

    /// From now on everything also goes to `reneri.log` in the folder, which is made if need be; so does what was told before.
    /// To be called once it is certain that the folder belongs to a project.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn log_to(&self, folder: &Path) -> Result<()> {
        let unwritable = |error: std::io::Error| {
            Error::usage(
                format!("The output folder {} cannot be written: {error}.", folder.display()),
                "Give --output a folder that can be written.",
            )
        };
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let mut file = std::fs::File::create(folder.join("reneri.log")).map_err(unwritable)?;
        let mut log = self.shared.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Log::Waiting(text) = &*log {
            file.write_all(text.as_bytes()).map_err(unwritable)?;
        }
        *log = Log::File(file);
        Ok(())
    }

    /// What the stages took; workers tell it when they end.
    #[must_use]
    pub fn timings(&self) -> &Timings {
        &self.shared.timings
    }

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
            total,
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

    /// What is run, what was left out and why: shown with `-v` only.
    pub fn verbose(&self, text: &str) {
        self.note(text, None, ASIDE, self.shared.verbosity == Verbosity::Verbose);
    }

    /// Something that the reader of the report should know, and that does not stop the run.
    pub fn warn(&self, text: &str) {
        self.shared.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        self.note(text, Some("warning"), WARNING, true);
    }

    /// What was warned of so far, in order.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.shared.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The result, for a person: to standard output. Lines with others indented under them stand out where there are colours.
    pub fn summary(&self, text: &str) {
        let text = clean(text);
        self.shared.log(&text);
        if self.shared.verbosity != Verbosity::Quiet {
            self.shared.write(&self.shared.results, &with_headings(&text));
        }
    }

    /// A text in Markdown that was asked for: to standard output, however little people want to see. Headings stand out where there are colours.
    pub fn document(&self, markdown: &str) {
        let text = clean(markdown);
        self.shared.log(&text);
        let styled: String = text
            .lines()
            .map(
                |line| {
                    if line.starts_with('#') { format!("{HEADING}{line}{HEADING:#}\n") } else { format!("{line}\n") }
                },
            )
            .collect();
        self.shared.write(&self.shared.results, &styled);
    }

    /// What programs read: to standard output, however little people want to see.
    pub fn output(&self, text: &str) {
        if !text.is_empty() {
            let text = clean(text);
            self.shared.log(&text);
            self.shared.write(&self.shared.results, &text);
        }
    }

    /// A result for a person where standard output is for programs.
    pub fn remark(&self, text: &str) {
        self.note(text, None, Style::new(), self.shared.verbosity != Verbosity::Quiet);
    }

    /// What ended the run.
    pub fn error(&self, error: &Error) {
        self.note(&error.to_string(), Some("error"), ERROR, true);
    }

    fn note(&self, text: &str, label: Option<&str>, style: Style, shown: bool) {
        let text = clean(text);
        let plain = label.map_or_else(|| text.clone(), |label| format!("{label}: {text}"));
        self.shared.log(&plain);
        if shown {
            let styled = match label {
                Some(label) => format!("{style}{label}:{style:#} {text}"),
                None => format!("{style}{text}{style:#}"),
            };
            self.shared.write(&self.shared.notes, &styled);
        }
    }
}

impl Shared {
    /// A reader who is gone (a closed pipe) is no reason to stop.
    fn write(&self, stream: &Mutex<Box<dyn Write + Send>>, text: &str) {
        let write = || {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = writeln!(stream, "{}", text.trim_end_matches('\n')).and_then(|()| stream.flush());
        };
        match &self.bars {
            Some(bars) => bars.suspend(write),
            None => write(),
        }
    }

    fn log(&self, text: &str) {
        let line = format!("[{:9.3}] {}\n", (self.clock)().as_secs_f64(), text.trim_end_matches('\n'));
        match &mut *self.log.lock().unwrap_or_else(PoisonError::into_inner) {
            Log::Waiting(begin) => begin.push_str(&line),
            // A full disk shows itself when the report is written.
            Log::File(file) => drop(file.write_all(line.as_bytes())),
        }
    }
}

/// A stage that goes on; ends with [`StageProgress::finish`], or as "stopped" when it is dropped before all is done.
#[must_use]
pub struct StageProgress {
    state: Arc<Stage>,
    /// Dropping it ends the thread that tells that a stage still goes on.
    _heart: Option<Sender<()>>,
}

struct Stage {
    shared: Arc<Shared>,
    name: String,
    total: Option<u64>,
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

    /// The stage did all it had to do.
    pub fn finish(self) {
        self.state.end(true);
    }
}

impl Drop for StageProgress {
    fn drop(&mut self) {
        let done = self.state.done.load(Ordering::Relaxed);
        self.state.end(self.state.total.is_some_and(|total| done >= total));
    }
}

impl Stage {
    fn tell(&self, text: &str, shown: bool) {
        self.shared.log(text);
        if shown && self.shared.verbosity != Verbosity::Quiet {
            self.shared.write(&self.shared.notes, text);
        }
    }

    fn tell_if_due(&self) {
        // Held until the line is written: nothing may come after the last line of the stage.
        let mut last = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (self.shared.clock)();
        if now.saturating_sub(*last) < BETWEEN_LINES || self.finished.load(Ordering::SeqCst) {
            return;
        }
        *last = now;
        let elapsed = now.saturating_sub(self.began);
        let done = self.done.load(Ordering::Relaxed);
        if self.total.is_some_and(|total| done >= total) {
            // The last line of the stage says it.
            return;
        }
        let mut line = self.name.clone();
        let seconds = elapsed.as_secs_f64();
        match self.total {
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
        let _no_other_line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.shared.timings.stage(&self.name, self.since);
        let elapsed = (self.shared.clock)().saturating_sub(self.began);
        let done = self.done.load(Ordering::Relaxed);
        let counted = match self.total {
            Some(total) if done < total => format!("{done} of {total} "),
            _ if done > 0 => format!("{done} "),
            _ => String::new(),
        };
        let verb = if complete { "done" } else { "stopped" };
        let after = if complete { "in" } else { "after" };
        self.tell(&format!("{}: {verb}, {counted}{after} {}", self.name, duration(elapsed)), true);
    }
}

/// A line with others indented under it is a heading.
fn with_headings(text: &str) -> String {
    let mut lines = text.lines().peekable();
    let mut styled = String::with_capacity(text.len());
    while let Some(line) = lines.next() {
        let is_heading = !line.starts_with(' ') && lines.peek().is_some_and(|next| next.starts_with("  "));
        let (before, behind) =
            if is_heading { (format!("{HEADING}"), format!("{HEADING:#}")) } else { Default::default() };
        // Writing to a String cannot fail.
        let _ = writeln!(styled, "{before}{line}{behind}");
    }
    styled
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
fn duration(duration: Duration) -> String {
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

/// Texts of the project under test must not move the cursor or change colours.
fn clean(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' && c != '\t' {
            result.extend(c.escape_default());
        } else {
            result.push(c);
        }
    }
    result
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    /// What was written, to both streams in one.
    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    struct Scene {
        terminal: Terminal,
        screen: Screen,
        milliseconds: Arc<AtomicU64>,
    }

    impl Scene {
        fn new(verbosity: Verbosity) -> Self {
            let screen = Screen::default();
            let milliseconds = Arc::new(AtomicU64::new(0));
            let time = Arc::clone(&milliseconds);
            let stream = || -> Box<dyn Write + Send> {
                let screen: Box<dyn Write + Send> = Box::new(screen.clone());
                Box::new(anstream::StripStream::new(screen))
            };
            let terminal = Terminal::with(
                verbosity,
                stream(),
                stream(),
                None,
                Box::new(move || Duration::from_millis(time.load(Ordering::SeqCst))),
            );
            Self { terminal, screen, milliseconds }
        }

        fn later(&self, milliseconds: u64) {
            self.milliseconds.fetch_add(milliseconds, Ordering::SeqCst);
        }

        fn text(&self) -> String {
            String::from_utf8(self.screen.0.lock().unwrap().clone()).unwrap()
        }
    }

    /// A run with everything in it.
    fn play(scene: &Scene) {
        let terminal = &scene.terminal;
        let stage = terminal.stage("Asking Maven how the tests run", None);
        terminal.verbose("mvn -B test-compile");
        scene.later(10_000);
        stage.state.tell_if_due();
        scene.later(1_250);
        stage.finish();
        let stage = terminal.stage("Observing transformations", Some(40));
        for _ in 0..20 {
            scene.later(1_000);
            stage.advance(1);
        }
        terminal.warn("org.example.PortTest.binds() is unstable\u{1b}[2J");
        scene.later(100_000);
        stage.advance(20);
        stage.finish();
        let stage = terminal.stage("Writing the report", Some(3));
        scene.later(5);
        stage.advance(1);
        drop(stage);
        terminal.summary("4 findings: target/reneri/report.md\n");
        terminal.error(&Error::usage("There is no folder x.", "Give --project another."));
    }

    #[test]
    fn lines_with_others_under_them_stand_out() {
        let styled = with_headings("2 findings.\n\nStack.java:4  weak-oracle\n  pop()\n  Assert it.\n\nReport: x\n");
        let heading = format!("{HEADING}Stack.java:4  weak-oracle{HEADING:#}");
        assert_eq!(styled, format!("2 findings.\n\n{heading}\n  pop()\n  Assert it.\n\nReport: x\n"));
    }

    #[test]
    fn without_a_terminal_there_are_plain_lines() {
        let scene = Scene::new(Verbosity::Normal);
        play(&scene);
        assert_eq!(
            scene.text(),
            "\
Asking Maven how the tests run
Asking Maven how the tests run: still running after 10 s
Asking Maven how the tests run: done, in 11 s
Observing transformations (40)
Observing transformations: 10 of 40, 1.0/s, about 30 s left
Observing transformations: 20 of 40, 1.0/s, about 20 s left
warning: org.example.PortTest.binds() is unstable\\u{1b}[2J
Observing transformations: done, 40 in 2 min 0 s
Writing the report (3)
Writing the report: stopped, 1 of 3 after 0.0 s
4 findings: target/reneri/report.md
error: There is no folder x.
Give --project another.
"
        );
    }

    #[test]
    fn quiet_shows_warnings_and_errors_only() {
        let scene = Scene::new(Verbosity::Quiet);
        play(&scene);
        let text = scene.text();
        let labels: Vec<&str> = text.lines().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(labels, ["warning", "error", "Give --project another."]);
    }

    #[test]
    fn verbose_also_shows_what_is_run() {
        let scene = Scene::new(Verbosity::Verbose);
        play(&scene);
        assert!(scene.text().contains("\nmvn -B test-compile\n"));
    }

    #[test]
    fn the_log_gets_everything_with_times_even_what_came_before_it_was_opened() {
        let scene = Scene::new(Verbosity::Quiet);
        scene.terminal.verbose("before");
        scene.later(12_345);
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("target/reneri");
        scene.terminal.log_to(&output).unwrap();
        play(&scene);
        let log = std::fs::read_to_string(output.join("reneri.log")).unwrap();
        assert!(log.starts_with("[    0.000] before\n[   12.345] Asking Maven how the tests run\n"), "{log}");
        for part in
            ["mvn -B test-compile", "warning: org.example", "4 findings", "error: There is no folder x.", "done, 40"]
        {
            assert!(log.contains(part), "{part} in {log}");
        }
        assert!(!log.contains('\u{1b}'));
    }

    #[test]
    fn an_output_folder_that_cannot_be_made_is_named_with_the_next_step() {
        let scene = Scene::new(Verbosity::Normal);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = scene.terminal.log_to(&file.join("reneri")).unwrap_err();
        assert_eq!(error.exit_code, crate::error::ExitCode::Usage);
        assert!(error.to_string().ends_with("Give --output a folder that can be written."));
    }

    #[test]
    fn several_threads_may_advance_a_stage() {
        let scene = Scene::new(Verbosity::Normal);
        let stage = scene.terminal.stage("Detecting", Some(4_000));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1_000).for_each(|_| stage.advance(1)));
            }
        });
        stage.finish();
        assert!(scene.text().ends_with("Detecting: done, 4000 in 0.0 s\n"), "{}", scene.text());
    }

    #[test]
    fn a_stage_that_is_dropped_when_all_is_done_is_done() {
        let scene = Scene::new(Verbosity::Normal);
        let stage = scene.terminal.stage("Detecting", Some(1));
        stage.advance(1);
        drop(stage);
        assert!(scene.text().contains("Detecting: done, 1 in"));
    }

    #[test]
    fn durations_are_short() {
        let text = |milliseconds| duration(Duration::from_millis(milliseconds));
        assert_eq!([text(40), text(9_940), text(9_960), text(59_000)], ["0.0 s", "9.9 s", "10 s", "59 s"]);
        assert_eq!([text(61_000), text(7_620_000)], ["1 min 1 s", "2 h 7 min"]);
    }
}

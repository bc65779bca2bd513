//! Shows what a run does (progress, warnings, summary, errors), and writes all of it to the log
//! file.
//!
//! A terminal shows one moving line with stage, rate and remaining time. Without a terminal, there
//! is a plain line when a stage begins, when it ends, and every ten seconds in between, without
//! control characters. Any thread may call these functions.

mod stage;

pub use stage::StageProgress;

use crate::base::error::{Error, Result};
use crate::base::output_folder::{LOG, OutputFolder};
use crate::base::timings::Timings;
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use indicatif::{MultiProgress, ProgressDrawTarget};
use parking_lot::Mutex;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much is shown. The log always gets everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Warnings and errors.
    Quiet,
    #[default]
    Normal,
    /// Also the commands that are run.
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

/// The output of a run. Clones write to the same place.
#[derive(Clone)]
pub struct Terminal {
    shared: Arc<Shared>,
}

struct Shared {
    verbosity: Verbosity,
    /// Standard output, for results.
    results: Mutex<Box<dyn Write + Send>>,
    /// Standard error, for everything else.
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
    /// Text that is kept until the file is open.
    Waiting(String),
    File(std::fs::File),
}

impl Terminal {
    /// Creates an output to standard output and standard error.
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

    /// Opens `reneri.log` in the folder, which is created if necessary. The log also gets
    /// everything written before.
    ///
    /// To be called once it is certain that the folder belongs to a project.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub fn log_to(&self, folder: &Path) -> Result<()> {
        let mut file = OutputFolder::open(folder)?.log(LOG)?;
        let mut log = self.shared.log.lock();
        if let Log::Waiting(text) = &*log {
            file.write_all(text.as_bytes()).map_err(|error| {
                let what = format!("The output folder {} cannot be written: {error}.", folder.display());
                Error::of_system(what, &error, "Give --output a folder that can be written.")
            })?;
        }
        *log = Log::File(file);
        Ok(())
    }

    /// The durations of the stages. Workers add to them when they end.
    #[must_use]
    pub fn timings(&self) -> &Timings {
        &self.shared.timings
    }

    /// Writes details, such as the commands that are run; shown only with `-v`.
    pub fn verbose(&self, text: &str) {
        self.note(text, None, ASIDE, self.shared.verbosity == Verbosity::Verbose);
    }

    /// Writes a warning: something that readers of the report should know, but that does not stop
    /// the run.
    pub fn warn(&self, text: &str) {
        self.shared.warnings.lock().push(text.to_owned());
        self.note(text, Some("warning"), WARNING, true);
    }

    /// All warnings so far, in order.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.shared.warnings.lock().clone()
    }

    /// Writes the result for a person to standard output. A line with indented lines below it is
    /// highlighted.
    pub fn summary(&self, text: &str) {
        let text = clean(text);
        self.shared.log(&text);
        if self.shared.verbosity != Verbosity::Quiet {
            self.shared.write(&self.shared.results, &with_headings(&text));
        }
    }

    /// Writes a requested Markdown text to standard output, even with `--quiet`. Headings are
    /// highlighted.
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

    /// Writes output for programs to standard output, even with `--quiet`.
    pub fn output(&self, text: &str) {
        if !text.is_empty() {
            let text = clean(text);
            self.shared.log(&text);
            self.shared.write(&self.shared.results, &text);
        }
    }

    /// Writes a result for a person to standard error, because standard output is for programs.
    pub fn remark(&self, text: &str) {
        self.note(text, None, Style::new(), self.shared.verbosity != Verbosity::Quiet);
    }

    /// Writes the error that ended the run.
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
    /// A closed pipe on the reader's side is no reason to stop.
    fn write(&self, stream: &Mutex<Box<dyn Write + Send>>, text: &str) {
        let write = || {
            let mut stream = stream.lock();
            let _ = writeln!(stream, "{}", text.trim_end_matches('\n')).and_then(|()| stream.flush());
        };
        match &self.bars {
            Some(bars) => bars.suspend(write),
            None => write(),
        }
    }

    fn log(&self, text: &str) {
        let line = format!("[{:9.3}] {}\n", (self.clock)().as_secs_f64(), text.trim_end_matches('\n'));
        match &mut *self.log.lock() {
            Log::Waiting(begin) => begin.push_str(&line),
            // A full disk becomes visible when the report is written.
            Log::File(file) => drop(file.write_all(line.as_bytes())),
        }
    }
}

/// Highlights headings: lines with indented lines below them.
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

/// Removes control characters: texts of the project under test must not move the cursor or change
/// colours.
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
mod tests;

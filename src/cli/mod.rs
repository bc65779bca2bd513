//! Parses the command line into settings, and turns the outcome of a command into the exit code.

mod acceptances;
mod arguments;
mod configuration;
mod effective;
mod help;
mod keys;
mod parse;
mod refusal;
pub mod reproduce;
mod resolve;

pub use parse::parse;

use crate::base::children;
use crate::base::error::{Error, ExitCode, Result};
use crate::base::interrupt;
use crate::base::run_folder;
use crate::change;
use crate::jvm::allocator;
use crate::report::{Acceptance, Format, Shard};
use crate::terminal::{Color, Terminal, Verbosity};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The project to work on and how to show it; the same for each command. All paths are absolute,
/// all values checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Folder of the project; exists.
    pub project: PathBuf,
    /// Folder for reports and log; may not exist yet.
    pub output: PathBuf,
    pub configuration: ConfigurationFile,
    /// Modules whose code is analyzed; all if empty.
    pub modules: Vec<String>,
    /// File that describes how the tests run, instead of Maven; exists.
    pub recipe: Option<PathBuf>,
    /// Passed to Maven unchanged.
    pub maven_arguments: Vec<String>,
    pub offline: bool,
    /// Whether results of earlier runs may be used.
    pub history: bool,
    pub verbosity: Verbosity,
    pub color: Color,
}

/// How the `reneri.toml` in the folder of the project is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigurationFile {
    /// The file does not exist.
    None,
    /// The command line says `--no-config`.
    LeftOut,
    /// The file sets defaults of options.
    Read(PathBuf),
}

/// Everything that an analysis depends on; all values checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub target: Target,
    /// Repetitions on each side, at least 2.
    pub runs: u32,
    /// Number of worker processes at the same time, at least 1.
    pub jobs: usize,
    /// Names of the transformations to make, in the given order, each once; `None` for the default
    /// set of `rules/transformations.toml`.
    pub transformations: Option<Vec<String>>,
    /// Disabled rules of `rules/stop-methods`, each once.
    pub disabled_stop_rules: Vec<String>,
    /// The change to which the analysis is restricted; `None` for the whole project.
    pub change: Option<change::Source>,
    /// The shard to analyze; `None` for everything.
    pub shard: Option<Shard>,
    /// Most tests tried per method to find patches; `None` if no patches are wanted.
    pub fix_budget: Option<u32>,
    /// Compare the original code with itself: every difference is a bug of reneri.
    pub self_check: bool,
    /// `report.json` of an earlier analysis; exists.
    pub baseline: Option<PathBuf>,
    pub fail_on: FailOn,
    /// Most undetected transformations that do not fail the run.
    pub max_undetected: Option<usize>,
    /// What the project accepts.
    pub accept: Vec<Acceptance>,
    /// Show where the time went.
    pub timings: bool,
    /// Formats besides `report.md` and `report.json`, each once, in order. Contains
    /// [`Format::Github`] if annotations are wanted.
    pub formats: Vec<Format>,
}

/// Settings of `reneri list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSettings {
    pub target: Target,
    /// As in [`Settings`].
    pub transformations: Option<Vec<String>>,
    /// As in [`Settings`].
    pub disabled_stop_rules: Vec<String>,
    pub json: bool,
}

/// Settings of `reneri show`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShowSettings {
    /// Folder of the report; may not exist.
    pub output: PathBuf,
    /// Short or long id of a transformation.
    pub id: String,
}

/// Settings of `reneri verify`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifySettings {
    pub target: Target,
    /// Short or long ids of transformations; at least one.
    pub ids: Vec<String>,
}

/// Settings of `reneri fix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixSettings {
    pub target: Target,
    /// Short or long ids of transformations; `None` for all with a verified patch.
    pub ids: Option<Vec<String>>,
    /// Write to the working tree instead of printing.
    pub apply: bool,
}

/// Default number of tests tried per method.
pub const DEFAULT_FIX_BUDGET: u32 = 120;

/// Default number of repetitions on each side.
pub const DEFAULT_RUNS: u32 = 10;

/// Which findings make the run end with exit code 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Findings never fail the run.
    #[default]
    None,
    /// At least one undetected transformation fails the run.
    Any,
    /// At least one that the baseline does not have fails the run.
    New,
}

/// The request of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Analyze(Box<Settings>),
    /// Combine the reports of all shards.
    Merge {
        settings: Box<Settings>,
        reports: Vec<PathBuf>,
    },
    Doctor(Box<Target>),
    List(Box<ListSettings>),
    Show(ShowSettings),
    Fix(Box<FixSettings>),
    Verify(Box<VerifySettings>),
    /// Run tests in this process for the coordinator that listens on the socket.
    Worker {
        socket: PathBuf,
    },
    /// Explain this rule, or list all rules.
    Explain {
        rule: Option<String>,
    },
    /// Print this text (help, version) and exit.
    Print(String),
}

/// The functions that carry out the requests.
#[derive(Clone, Copy)]
pub struct Commands {
    pub analyze: fn(&Settings, &Terminal) -> Result<ExitCode>,
    pub merge: fn(&Settings, &[PathBuf], &Terminal) -> Result<ExitCode>,
    pub doctor: fn(&Target, &Terminal) -> Result<ExitCode>,
    pub list: fn(&ListSettings, &Terminal) -> Result<ExitCode>,
    pub show: fn(&ShowSettings, &Terminal) -> Result<ExitCode>,
    pub fix: fn(&FixSettings, &Terminal) -> Result<ExitCode>,
    pub verify: fn(&VerifySettings, &Terminal) -> Result<ExitCode>,
    /// Returns the text to print, in Markdown.
    pub explain: fn(Option<&str>) -> Result<String>,
    pub worker: fn(&Path) -> Result<()>,
}

/// The whole of `main`: parses the command line, runs the command, shows errors, and returns the
/// exit code.
///
/// It also ends child processes that are still registered. Commands call [`Terminal::log_to`] once
/// they know that there is a project.
pub fn run(commands: Commands) -> std::process::ExitCode {
    report_panics();
    let outcome = std::panic::catch_unwind(|| match parse(std::env::args_os()) {
        Ok(request) => commands.carry_out(&request),
        Err(error) => exit_code(Err(error)),
    });
    // The panic hook has already shown the message.
    let code = outcome.unwrap_or_else(|_| {
        children::end_all();
        if LACKS_THREADS.load(Ordering::SeqCst) { ExitCode::Machine } else { ExitCode::Bug }
    });
    run_folder::remove();
    std::process::ExitCode::from(code as u8)
}

impl Commands {
    fn carry_out(self, request: &Request) -> ExitCode {
        match request {
            Request::Analyze(settings) => {
                run_interruptible(&settings.target, settings, |terminal| (self.analyze)(settings, terminal))
            }
            Request::Merge { settings, reports } => {
                run_interruptible(&settings.target, settings, |terminal| (self.merge)(settings, reports, terminal))
            }
            Request::Doctor(target) => run_interruptible(target, target, |terminal| (self.doctor)(target, terminal)),
            Request::List(listing) => {
                run_interruptible(&listing.target, listing, |terminal| (self.list)(listing, terminal))
            }
            Request::Verify(verification) => {
                run_interruptible(&verification.target, verification, |terminal| (self.verify)(verification, terminal))
            }
            // A worker that lacks memory crashes, as a JVM does; what that means is known from its signal.
            Request::Worker { socket } => exit_code((self.worker)(socket).map(|()| ExitCode::Done)),
            Request::Show(wanted) => exit_code((self.show)(wanted, &plain_terminal())),
            Request::Fix(fixing) => run_interruptible(&fixing.target, fixing, |terminal| (self.fix)(fixing, terminal)),
            Request::Explain { rule } => exit_code((self.explain)(rule.as_deref()).map(|text| {
                plain_terminal().document(&text);
                ExitCode::Done
            })),
            Request::Print(text) => {
                anstream::print!("{text}");
                ExitCode::Done
            }
        }
    }
}

/// Runs a command that can be interrupted, and shows its error.
fn run_interruptible(
    target: &Target,
    settings: &dyn std::fmt::Debug,
    command: impl FnOnce(&Terminal) -> Result<ExitCode>,
) -> ExitCode {
    allocator::end_with_message();
    let terminal = Terminal::new(target.verbosity, target.color);
    terminal.verbose(&format!("reneri {}, {settings:?}", env!("CARGO_PKG_VERSION")));
    let outcome = interrupt::install().and_then(|()| command(&terminal));
    // An error after Ctrl-C (a killed worker, for example) is only its consequence.
    let outcome = match outcome {
        Err(error) if error.exit_code == ExitCode::Interrupted => Err(error),
        outcome => interrupt::check().and(outcome),
    };
    children::end_all();
    outcome.unwrap_or_else(|error| {
        terminal.error(&error);
        error.exit_code
    })
}

fn exit_code(outcome: Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        plain_terminal().error(&error);
        error.exit_code
    })
}

/// The terminal for commands without options about output.
fn plain_terminal() -> Terminal {
    Terminal::new(Verbosity::Normal, Color::Auto)
}

/// Whether a panic came from a system that allows no more threads.
static LACKS_THREADS: AtomicBool = AtomicBool::new(false);

/// Reports a panic as a bug of reneri, unless the standard library had to panic because the system allows no more threads.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map_or_else(String::new, |place| format!(" ({place})"));
        let error = if text.starts_with("failed to spawn thread") {
            LACKS_THREADS.store(true, Ordering::SeqCst);
            let limits = std::io::Error::from_raw_os_error(libc::EAGAIN);
            Error::of_system("reneri cannot start a thread.", &limits, "")
        } else {
            Error::bug(format!("reneri stopped: {text}{place}."))
        };
        plain_terminal().error(&error);
    }));
}

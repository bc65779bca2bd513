//! From the command line to settings: parsed first, then resolved once and checked, before anything runs; and from the outcome to the exit code.

use crate::error::{Error, ExitCode, Result};
use crate::interrupt;
use crate::report::{Annotations, Format};
use crate::terminal::{Color, Terminal, Verbosity};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What is looked at, and how that is shown; the same for each command. All paths are absolute, all values checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Folder of the project; exists.
    pub project: PathBuf,
    /// Folder for reports and log; may not exist yet.
    pub output: PathBuf,
    /// Modules whose code is analyzed; all if empty.
    pub modules: Vec<String>,
    /// Says how the tests run, in the place of Maven; exists.
    pub recipe: Option<PathBuf>,
    /// Passed on to Maven as they are.
    pub maven_arguments: Vec<String>,
    pub offline: bool,
    pub verbosity: Verbosity,
    pub color: Color,
}

/// Everything that an analysis depends on; all values checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub target: Target,
    /// Repetitions on each side, at least 2.
    pub runs: u32,
    /// Worker processes at a time, at least 1.
    pub jobs: usize,
    /// Names of the transformations to make, in the order given, each once; `None` for the default set of `rules/transformations.toml`.
    pub transformations: Option<Vec<String>>,
    /// Rules of `rules/stop-methods` that are switched off, each once.
    pub disabled_stop_rules: Vec<String>,
    /// Compare the original code with itself: whatever is found is an error of the tool.
    pub self_check: bool,
    pub fail_on: FailOn,
    /// What is written beside `report.md` and `report.json`, each once, in order; [`Format::Github`] if annotations are wanted, asked for or not.
    pub formats: Vec<Format>,
}

/// Repetitions on each side where nothing else is asked for.
pub const DEFAULT_RUNS: u32 = 10;

/// Which findings make the run end with exit code 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Findings never fail the run.
    #[default]
    None,
    /// At least one undetected transformation fails the run.
    Any,
}

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Analyze(Box<Settings>),
    Doctor(Box<Target>),
    /// Run tests in this process, on behalf of the coordinator that listens on the socket.
    Worker {
        socket: PathBuf,
    },
    /// Show this text (help, version) and be done.
    Show(String),
}

const EXAMPLES: &str = "\
Examples:
  reneri analyze                             the project in the current folder
  reneri analyze --project ../commons-cli    another project
  reneri analyze --runs 20 --fail-on any     more repetitions; exit code 2 if anything is found
  reneri analyze --format html,sarif         also a page with pictures, and what code scanning reads
  reneri analyze --transformations null,empty --disable-stop-rule to-string

The report for people is target/reneri/report.md (short: summary.md), the one for programs target/reneri/report.json,
and target/reneri/reneri.log tells what was done. Nothing else of the project is written to.
";

const EXIT_CODES: &str = "\
Exit codes:
    0  done
    1  wrong usage or configuration (an unknown option, a folder that cannot be written)
    2  there are findings, and --fail-on says that findings fail the run
    3  the project does not build or has no tests; no JDK or no Maven was found
    4  tests fail before any change
    5  the diff does not match the tree
   70  a bug in reneri
  130  stopped by Ctrl-C
";

/// Tells Java developers why their tests miss a change, and what to write so that they no longer do
///
/// reneri replaces the body of one method after the other by `return <constant>`, finds the replacements that no test notices, watches what the
/// program does with and without them, and says for each why the tests missed it and which assertion or call to write where.
#[derive(Debug, Parser)]
#[command(name = "reneri", version, propagate_version = true, arg_required_else_help = true, max_term_width = 110)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Analyze a Maven project and write a report
    Analyze(Box<Analyze>),
    /// Say what was found of a project, and what will not work and why, without analyzing it
    ///
    /// Maven compiles the project and says how its tests run; the tests are looked for, and none is run.
    Doctor(TargetArguments),
    /// Run tests on behalf of another reneri process
    #[command(hide = true)]
    Worker {
        /// Socket on which the coordinator listens
        #[arg(long, value_name = "PATH")]
        socket: PathBuf,
    },
}

#[derive(Debug, Args)]
struct TargetArguments {
    /// Folder of the Maven project (the one with the pom.xml)
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    project: PathBuf,

    /// Folder for the report and the log [default: target/reneri in the project]
    ///
    /// Made if it does not exist. It is the only folder that reneri writes to, apart from what Maven itself builds and from the user's cache.
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Take the code of this module only, with all tests that reach it (can be repeated)
    ///
    /// Its artifact id, or its folder relative to the project. Tests of modules that depend on it run, too. Without this option the code of
    /// all modules is analyzed.
    #[arg(long = "module", value_name = "NAME", value_delimiter = ',')]
    modules: Vec<String>,

    /// Read from this file how the tests run, instead of asking Maven: for projects built with Gradle, Bazel, Ant
    ///
    /// The project has to be built, and the file written, beforehand; src/recipe/recipe.schema.json of reneri's sources describes it, and
    /// gradle/reneri.init.gradle makes Gradle write it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["project", "maven_arguments", "offline"])]
    recipe: Option<PathBuf>,

    /// Pass an argument on to Maven: -Pprofile, -Dname=value, --settings=FILE (can be repeated)
    #[arg(long = "maven-arg", value_name = "ARG", allow_hyphen_values = true)]
    maven_arguments: Vec<String>,

    /// Let Maven download nothing
    #[arg(long)]
    offline: bool,

    /// Also show what is run: commands, workers, what was left out and why
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,

    /// Show warnings, errors and nothing else
    #[arg(long, short)]
    quiet: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Color,
}

#[derive(Debug, Args)]
struct Analyze {
    #[command(flatten)]
    target: TargetArguments,

    /// How often each side, original and transformed, is observed
    ///
    /// What is not the same in all runs of the same code is noise and does not count, so more runs mean fewer false claims and more time.
    /// At least 2.
    #[arg(long, short = 'n', value_name = "N", default_value_t = DEFAULT_RUNS, value_parser = clap::value_parser!(u32).range(2..=1000))]
    runs: u32,

    /// How many worker processes run tests at the same time [default: one per processor]
    ///
    /// Use 1 if the tests disturb each other: fixed ports, files of the same name.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Make only these transformations, by name, separated by commas: null, empty, void, true, 0, '""', …
    ///
    /// Names are those that reports show. Without this option the set of the Reneri study is used, which has a constant or two for each
    /// return type; others (`empty-collection`, `optional`, `new`, `this`, `argument`) have to be asked for.
    #[arg(long, short, value_name = "NAME,…", value_delimiter = ',', allow_hyphen_values = true)]
    transformations: Vec<String>,

    /// Also transform the methods that this stop rule leaves out (can be repeated)
    ///
    /// Some methods are hardly worth a test of their own and are left out by default: simple getters, `toString`, deprecated ones, and so
    /// on. Each such rule has a name, the one of its file in rules/stop-methods.
    #[arg(long = "disable-stop-rule", value_name = "RULE", value_delimiter = ',')]
    disabled_stop_rules: Vec<String>,

    /// Compare the original code with itself, where nothing may be found: a test of reneri on this project
    #[arg(long)]
    self_check: bool,

    /// Which findings make the exit code 2
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    fail_on: FailOn,

    /// Also write the report in this format (can be repeated)
    ///
    /// report.md and report.json are written in any case. Files of other formats that an earlier run left in the output folder are removed.
    #[arg(long = "format", value_name = "FORMAT,…", value_enum, value_delimiter = ',', conflicts_with = "self_check")]
    formats: Vec<Format>,

    /// Whether findings are shown on the lines of a pull request, by commands to the CI service on standard output
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    annotations: Annotations,
}

/// Parses and resolves the command line; `arguments` begin with the name of the program.
///
/// # Errors
/// With exit code 1 when it cannot be parsed, or names what is not there.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request> {
    let analyze_help = format!("{EXAMPLES}\n{EXIT_CODES}");
    let mut command = CommandLine::command()
        .after_help("Start with `reneri analyze` in the folder of a Maven project. `reneri doctor` says what it would work with. More: `reneri analyze --help`.")
        .after_long_help(EXIT_CODES)
        .mut_subcommand("analyze", |analyze| {
            analyze.after_help("More about each option, examples and exit codes: --help").after_long_help(analyze_help)
        });
    let parsed =
        command.try_get_matches_from_mut(arguments).and_then(|matches| CommandLine::from_arg_matches(&matches));
    match parsed {
        Ok(CommandLine { command: Command::Analyze(analyze) }) => Ok(Request::Analyze(Box::new(analyze.resolve()?))),
        Ok(CommandLine { command: Command::Doctor(target) }) => Ok(Request::Doctor(Box::new(target.resolve()?))),
        Ok(CommandLine { command: Command::Worker { socket } }) => Ok(Request::Worker { socket }),
        Err(error) => refused(&error),
    }
}

/// What clap has to say: help that was asked for, or an error in our own form.
fn refused(error: &clap::Error) -> Result<Request> {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    match error.kind() {
        // With colours; whoever writes it strips them where they are not wanted.
        DisplayHelp | DisplayVersion => Ok(Request::Show(error.render().ansi().to_string())),
        DisplayHelpOnMissingArgumentOrSubcommand => Err(Error::usage(
            "reneri was not told what to do.",
            "Start `reneri analyze` in the folder of a Maven project, or `reneri --help` to see what there is.",
        )),
        _ => {
            let text = error.render().to_string();
            let text = text.split("\n\nFor more information").next().unwrap_or(&text).trim();
            let text = text.strip_prefix("error: ").unwrap_or(text);
            let mut what = text.chars();
            let what: String = what.next().map(char::to_uppercase).into_iter().flatten().chain(what).collect();
            Err(Error::usage(what, "See `reneri analyze --help` for all options with their meaning."))
        }
    }
}

impl TargetArguments {
    fn resolve(self) -> Result<Target> {
        let project = existing_folder(&self.project)?;
        let output = match &self.output {
            Some(output) => std::path::absolute(output).map_err(|error| {
                Error::usage(
                    format!("The output folder {} is no path: {error}.", output.display()),
                    "Give --output a folder.",
                )
            })?,
            None => project.join("target").join("reneri"),
        };
        if let Some(file) = output.ancestors().find(|path| path.exists()).filter(|path| !path.is_dir()) {
            return Err(Error::usage(
                format!("The output folder {} cannot be made: {} is a file.", output.display(), file.display()),
                "Give --output another folder, or move that file away.",
            ));
        }
        Ok(Target {
            project,
            output,
            modules: distinct("--module", self.modules)?,
            recipe: self.recipe.map(|file| existing_file(&file)).transpose()?,
            maven_arguments: self.maven_arguments,
            offline: self.offline,
            verbosity: match (self.verbose, self.quiet) {
                (true, _) => Verbosity::Verbose,
                (false, true) => Verbosity::Quiet,
                (false, false) => Verbosity::Normal,
            },
            color: self.color,
        })
    }
}

impl Analyze {
    fn resolve(self) -> Result<Settings> {
        let jobs = self
            .jobs
            .map_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get), usize::from);
        let transformations = distinct("--transformations", self.transformations)?;
        Ok(Settings {
            target: self.target.resolve()?,
            runs: self.runs,
            jobs,
            transformations: (!transformations.is_empty()).then_some(transformations),
            disabled_stop_rules: distinct("--disable-stop-rule", self.disabled_stop_rules)?,
            self_check: self.self_check,
            fail_on: self.fail_on,
            formats: formats(self.formats, self.annotations, std::env::var_os("GITHUB_ACTIONS").as_deref())?,
        })
    }
}

/// All formats to write. `github_actions` is the variable that GitHub sets to `true` in each job.
fn formats(asked: Vec<Format>, annotations: Annotations, github_actions: Option<&OsStr>) -> Result<Vec<Format>> {
    let mut formats = asked;
    let is_asked = formats.contains(&Format::Github);
    match annotations {
        Annotations::None if is_asked => {
            return Err(Error::usage(
                "--format github asks for annotations, and --annotations none for none.",
                "Leave one of the two away.",
            ));
        }
        Annotations::Github => formats.push(Format::Github),
        Annotations::Auto if github_actions.is_some_and(|value| value == "true") => formats.push(Format::Github),
        Annotations::Auto | Annotations::None => {}
    }
    formats.sort_unstable();
    formats.dedup();
    Ok(formats)
}

fn existing_folder(given: &Path) -> Result<PathBuf> {
    let next = "Give --project the folder that holds the project's pom.xml.";
    if given.is_file() {
        return Err(Error::usage(format!("{} is a file, not the folder of a project.", given.display()), next));
    }
    given.canonicalize().map_err(|error| {
        let what = match error.kind() {
            std::io::ErrorKind::NotFound => format!("There is no folder {}.", given.display()),
            _ => format!("The folder {} cannot be read: {error}.", given.display()),
        };
        Error::usage(what, next)
    })
}

fn existing_file(given: &Path) -> Result<PathBuf> {
    std::path::absolute(given).ok().filter(|file| file.is_file()).ok_or_else(|| {
        Error::usage(
            format!("There is no file {}.", given.display()),
            "Give --recipe the file that describes the tests.",
        )
    })
}

/// Each name once, in the order given.
fn distinct(option: &str, names: Vec<String>) -> Result<Vec<String>> {
    let mut result: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let name = name.trim();
        if name.is_empty() {
            return Err(Error::usage(
                format!("{option} was given an empty name."),
                "Separate names by one comma, without spaces.",
            ));
        }
        if !result.iter().any(|known| known == name) {
            result.push(name.to_owned());
        }
    }
    Ok(result)
}

/// All of `main`: parses the command line, runs what it asks for, shows errors, and says how the process ends. Nothing here is left
/// running: children still registered are ended. Commands call [`Terminal::log_to`] once it knows that there is a project.
pub fn run(
    analyze: impl FnOnce(&Settings, &Terminal) -> Result<ExitCode>,
    doctor: impl FnOnce(&Target, &Terminal) -> Result<ExitCode>,
    worker: impl FnOnce(&Path) -> Result<()>,
) -> std::process::ExitCode {
    report_panics();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match parse(std::env::args_os()) {
        Ok(Request::Analyze(settings)) => {
            to_its_end(&settings.target, &settings, |terminal| analyze(&settings, terminal))
        }
        Ok(Request::Doctor(target)) => to_its_end(&target, &target, |terminal| doctor(&target, terminal)),
        Ok(Request::Worker { socket }) => shown(worker(&socket).map(|()| ExitCode::Done)),
        Ok(Request::Show(text)) => {
            anstream::print!("{text}");
            ExitCode::Done
        }
        Err(error) => shown(Err(error)),
    }));
    // The hook has shown the panic.
    let code = outcome.unwrap_or_else(|_| {
        interrupt::kill_children();
        ExitCode::Bug
    });
    std::process::ExitCode::from(code as u8)
}

/// Runs a command that can be interrupted, and shows its error.
fn to_its_end(
    target: &Target,
    settings: &dyn std::fmt::Debug,
    command: impl FnOnce(&Terminal) -> Result<ExitCode>,
) -> ExitCode {
    let terminal = Terminal::new(target.verbosity, target.color);
    terminal.verbose(&format!("reneri {}, {settings:?}", env!("CARGO_PKG_VERSION")));
    let outcome = interrupt::install().and_then(|()| command(&terminal));
    // Whatever went wrong after Ctrl-C (a worker that was killed, say) is its consequence.
    let outcome = interrupt::check().and(outcome);
    interrupt::kill_children();
    outcome.unwrap_or_else(|error| {
        terminal.error(&error);
        error.exit_code
    })
}

fn shown(outcome: Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        Terminal::new(Verbosity::Normal, Color::Auto).error(&error);
        error.exit_code
    })
}

/// A panic is a bug of ours, and is told as one.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map_or_else(String::new, |place| format!(" ({place})"));
        Terminal::new(Verbosity::Normal, Color::Auto).error(&Error::bug(format!("reneri stopped: {text}{place}.")));
    }));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn parse_line(arguments: &[&str]) -> Result<Request> {
        parse(std::iter::once("reneri").chain(arguments.iter().copied()).map(OsString::from))
    }

    fn settings(arguments: &[&str]) -> Settings {
        match parse_line(arguments).unwrap() {
            Request::Analyze(settings) => *settings,
            other => panic!("{other:?}"),
        }
    }

    fn refusal(arguments: &[&str]) -> String {
        let error = parse_line(arguments).unwrap_err();
        assert_eq!(error.exit_code, ExitCode::Usage);
        error.to_string()
    }

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn without_options_the_project_is_here_and_the_report_in_its_target_folder() {
        let settings = settings(&["analyze"]);
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(settings.target.output, here.join("target/reneri"));
        assert_eq!(settings.target.project, here);
        assert_eq!((settings.runs, settings.transformations, settings.fail_on), (10, None, FailOn::None));
        assert_eq!((settings.target.verbosity, settings.target.color), (Verbosity::Normal, Color::Auto));
        assert!(settings.jobs >= 1 && !settings.target.offline && !settings.self_check);
    }

    #[test]
    fn every_option_reaches_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().to_str().unwrap();
        let output = folder.path().join("out");
        let settings = settings(&[
            "analyze",
            "--project",
            project,
            "--output",
            output.to_str().unwrap(),
            "--runs",
            "4",
            "--jobs",
            "3",
            "--transformations",
            "null,\"\",-1,null",
            "--disable-stop-rule",
            "getter",
            "--disable-stop-rule",
            "setter",
            "--maven-arg",
            "-Pfast",
            "--maven-arg=-Da=b,c",
            "--module",
            "core,:app",
            "--offline",
            "--fail-on",
            "any",
            "--format",
            "gitlab,sarif",
            "--format",
            "gitlab",
            "--annotations",
            "github",
            "--verbose",
            "--color",
            "never",
        ]);
        assert_eq!(
            settings,
            Settings {
                target: Target {
                    project: folder.path().canonicalize().unwrap(),
                    output,
                    modules: ["core", ":app"].map(str::to_owned).to_vec(),
                    recipe: None,
                    maven_arguments: ["-Pfast", "-Da=b,c"].map(str::to_owned).to_vec(),
                    offline: true,
                    verbosity: Verbosity::Verbose,
                    color: Color::Never,
                },
                runs: 4,
                jobs: 3,
                transformations: Some(["null", "\"\"", "-1"].map(str::to_owned).to_vec()),
                disabled_stop_rules: ["getter", "setter"].map(str::to_owned).to_vec(),
                self_check: false,
                fail_on: FailOn::Any,
                formats: vec![Format::Sarif, Format::Github, Format::Gitlab],
            }
        );
    }

    #[test]
    fn annotations_are_written_where_github_runs_the_job_or_asked_for() {
        let in_github = Some(OsStr::new("true"));
        for (asked, annotations, github_actions, written) in [
            (vec![], Annotations::Auto, in_github, true),
            (vec![], Annotations::Auto, Some(OsStr::new("false")), false),
            (vec![], Annotations::Auto, None, false),
            (vec![], Annotations::None, in_github, false),
            (vec![], Annotations::Github, None, true),
            (vec![Format::Github], Annotations::Auto, in_github, true),
        ] {
            let expected = if written { vec![Format::Github] } else { vec![] };
            assert_eq!(formats(asked, annotations, github_actions).unwrap(), expected, "{annotations:?}");
        }
        let text = refusal(&["analyze", "--format", "github", "--annotations", "none"]);
        assert!(text.contains("Leave one of the two away"), "{text}");
    }

    #[test]
    fn a_self_check_writes_no_report_so_that_no_format_can_be_asked_for() {
        assert!(settings(&["analyze", "--self-check"]).self_check);
        assert!(refusal(&["analyze", "--self-check", "--format", "html"]).contains("cannot be used with"));
    }

    #[test]
    fn a_recipe_stands_in_the_place_of_maven() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recipe.json");
        let name = file.to_str().unwrap();
        assert!(refusal(&["analyze", "--recipe", name]).contains("no file"));
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(settings(&["analyze", "--recipe", name]).target.recipe, Some(file.clone()));
        assert!(refusal(&["analyze", "--recipe", name, "--offline"]).contains("--offline"));
    }

    #[test]
    fn wrong_usage_is_named_and_ends_with_the_next_step() {
        for (arguments, named) in [
            (vec!["analyze", "--rnus", "3"], "'--rnus'"),
            (vec!["analyse"], "'analyse'"),
            (vec!["analyze", "--runs", "1"], "1 is not in 2..=1000"),
            (vec!["analyze", "--jobs", "0"], "0 is not in 1..=1024"),
            (vec!["analyze", "--fail-on", "all"], "[possible values: none, any]"),
            (vec!["analyze", "-v", "-q"], "cannot be used with"),
            (vec!["analyze", "--transformations", "null,,empty"], "empty name"),
            (vec!["worker"], "--socket"),
        ] {
            let text = refusal(&arguments);
            assert!(text.contains(named), "{arguments:?}: {text}");
            let last = text.lines().last().unwrap();
            assert!(last.starts_with("See `reneri") || last.starts_with("Separate"), "{arguments:?}: {text}");
            assert!(!text.contains("error:") && !text.contains("For more information"), "{text}");
        }
        assert!(refusal(&[]).contains("`reneri --help`"));
    }

    #[test]
    fn a_project_that_is_not_there_or_is_a_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pom.xml");
        std::fs::write(&file, "").unwrap();
        assert!(refusal(&["analyze", "--project", file.to_str().unwrap()]).contains("is a file"));
        let missing = folder.path().join("missing");
        assert!(refusal(&["analyze", "--project", missing.to_str().unwrap()]).starts_with("There is no folder"));
    }

    #[test]
    fn an_output_folder_below_a_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("target");
        std::fs::write(&file, "").unwrap();
        assert!(refusal(&["analyze", "--project", folder.path().to_str().unwrap()]).contains("target is a file"));
        let below = file.join("reneri");
        assert!(refusal(&["analyze", "--output", below.to_str().unwrap()]).contains("Give --output another folder"));
    }

    #[test]
    fn help_and_version_are_shown() {
        let shown = |arguments: &[&str]| match parse_line(arguments).unwrap() {
            Request::Show(text) => anstream::adapter::strip_str(&text).to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(shown(&["--version"]), format!("reneri {}\n", env!("CARGO_PKG_VERSION")));
        let help = shown(&["analyze", "--help"]);
        for part in ["Exit codes:", "  130  stopped by Ctrl-C", "Examples:", "--self-check", "[default: 10]"] {
            assert!(help.contains(part), "{part} in {help}");
        }
        assert!(!shown(&["--help"]).contains("worker"));
        assert!(shown(&["--help"]).contains("Exit codes:"));
    }

    #[test]
    fn the_exit_codes_of_the_help_are_those_of_the_program() {
        for code in [
            ExitCode::Done,
            ExitCode::Usage,
            ExitCode::Findings,
            ExitCode::CannotBuild,
            ExitCode::TestsFail,
            ExitCode::DiffMismatch,
            ExitCode::Bug,
            ExitCode::Interrupted,
        ] {
            let number = (code as u8).to_string();
            assert!(EXIT_CODES.lines().any(|line| line.split_whitespace().next() == Some(&number)), "{number}");
        }
    }

    #[test]
    fn the_worker_is_told_its_socket() {
        let Request::Worker { socket } = parse_line(&["worker", "--socket", "/run/s"]).unwrap() else { panic!() };
        assert_eq!(socket, Path::new("/run/s"));
    }
}

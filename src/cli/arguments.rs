//! The options and their documentation.

use super::help::{
    CONFIG_EXAMPLES, EXAMPLES, EXIT_CODES, EXPLAIN_EXAMPLES, FIX_EXAMPLES, LIST_EXAMPLES, MERGE_EXAMPLES,
    SHOW_EXAMPLES, VERIFY_EXAMPLES,
};
use super::{DEFAULT_FIX_BUDGET, DEFAULT_RUNS, FailOn};
use crate::report::{Annotations, Format, Shard};
use crate::terminal::Color;
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::path::PathBuf;

/// Finds code that your tests run but do not check, explains why, and writes the missing assertion
///
/// reneri replaces the body of one method after the other by `return <constant>`, finds the
/// replacements that no test notices, watches what the program does with and without them, and says
/// for each why the tests missed it and which assertion or call to write where.
#[derive(Debug, Parser)]
#[command(name = "reneri", version, propagate_version = true, arg_required_else_help = true, max_term_width = 110)]
// The last of two values counts, so that users can override arguments of a script or a Maven build.
#[command(args_override_self = true)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Analyze a Maven project and write a report
    Analyze(Box<Analyze>),
    /// Make one report of those of all parts that `reneri analyze --shard` has analyzed
    ///
    /// It is the same, byte by byte, as that of an analysis in one run. The project has to be there
    /// and built as it was for the parts, for the names and lines of its sources; no test runs.
    /// Takes the options of `reneri analyze` that say where and how reports are written.
    #[command(after_help = MERGE_EXAMPLES)]
    Merge {
        #[command(flatten)]
        analyze: Box<Analyze>,

        /// report.json of each part
        #[arg(value_name = "REPORT", required = true)]
        reports: Vec<PathBuf>,
    },
    /// Say what was found of a project, and what will not work and why, without analyzing it
    ///
    /// Maven compiles the project and says how its tests run; the tests are looked for, and none is
    /// run.
    Doctor(TargetArguments),
    /// List the transformations that an analysis would make, and the methods that a rule leaves
    /// out, without running a test
    ///
    /// One in each line, to standard output: its id (of a method that is left out, its name), a
    /// tab, and where it stands; of a method that is left out also a tab and the rule.
    #[command(after_help = LIST_EXAMPLES)]
    List(List),
    /// Show one finding of the last analysis, in the words of its report
    ///
    /// The report is read from the output folder; nothing is run.
    #[command(after_help = SHOW_EXAMPLES)]
    Show {
        #[command(flatten)]
        place: PlaceArguments,

        /// What stands behind "Finding" in report.md, or the id of a transformation from
        /// report.json or `reneri list`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Print the patches that close findings, or apply them to the tests
    ///
    /// They are those of the last analysis, from the output folder. Each gets its place by the code
    /// around it, so the tests may have changed since. With --apply, Maven compiles the project, the
    /// patches are proven again in the tests as they are now, and those that hold are written to the
    /// test sources. Without it, nothing is run. The exit code is 2 if a patch is left out.
    #[command(after_help = FIX_EXAMPLES)]
    Fix {
        #[command(flatten)]
        target: TargetArguments,

        /// What stands behind "Finding" in report.md, or ids of transformations from report.json
        #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
        ids: Vec<String>,

        /// All findings with a verified patch
        #[arg(long)]
        all: bool,

        /// Change the test sources, instead of printing
        #[arg(long)]
        apply: bool,
    },
    /// Say whether the tests, as they are now, notice what a finding is about
    ///
    /// For whoever has just written a test: Maven compiles it, all tests run, and then only the
    /// transformations that are asked for are made. The report stays as it is. The exit code is 2
    /// if one of them is not detected.
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify {
        #[command(flatten)]
        target: TargetArguments,

        /// What stands behind "Finding" in report.md, or ids of transformations from report.json or
        /// `reneri list`
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// Say what a rule means: a symptom, a suggestion, a stop method or a transformation, by its
    /// name in a report
    ///
    /// Without a name: all that there are, with one line each.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain {
        /// A name that a report or the list shows
        #[arg(value_name = "NAME")]
        rule: Option<String>,
    },
    /// Show the effective settings and where each one is set: command line, reneri.toml or default
    ///
    /// What is printed is itself a reneri.toml. Nothing is run.
    #[command(after_help = CONFIG_EXAMPLES)]
    Config(Box<Analyze>),
    /// Print a script that completes commands and options in a shell
    ///
    /// For instance `reneri completions bash > ~/.local/share/bash-completion/completions/reneri`.
    Completions {
        #[arg(value_name = "SHELL", value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print a manual page: of reneri, or of one of its commands
    ///
    /// For instance `reneri man analyze > reneri-analyze.1`; `reneri man | man -l -` shows one.
    Man {
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// Run tests on behalf of another reneri process
    #[command(hide = true)]
    Worker {
        /// Socket on which the coordinator listens
        #[arg(long, value_name = "PATH")]
        socket: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(super) struct PlaceArguments {
    /// Folder of the Maven project (the one with the pom.xml)
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub(super) project: PathBuf,

    /// Folder for the report and the log [default: target/reneri in the project]
    ///
    /// Made if it does not exist. It is the only folder that reneri writes to, apart from what
    /// Maven itself builds and from the user's cache.
    #[arg(long, short, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,

    /// Leave the reneri.toml of the project out
    ///
    /// In the folder of the project, it gives options other defaults; `reneri config` shows them.
    #[arg(long)]
    pub(super) no_config: bool,
}

#[derive(Debug, Args)]
pub(super) struct TargetArguments {
    #[command(flatten)]
    pub(super) place: PlaceArguments,

    /// Take the code of this module only, with all tests that reach it (can be repeated)
    ///
    /// Its artifact id, or its folder relative to the project. Tests of modules that depend on it
    /// run, too. Without this option the code of all modules is analyzed.
    #[arg(long = "module", value_name = "NAME", value_delimiter = ',')]
    pub(super) modules: Vec<String>,

    /// Read from this file how the tests run, instead of asking Maven: for projects built with
    /// Gradle, Bazel, Ant
    ///
    /// The project has to be built, and the file written, beforehand; src/recipe/recipe.schema.json
    /// of reneri's sources describes it, and gradle/reneri.init.gradle makes Gradle write it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["project", "maven_arguments", "offline"])]
    pub(super) recipe: Option<PathBuf>,

    /// Pass an argument on to Maven: -Pprofile, -Dname=value, --settings=FILE (can be repeated)
    #[arg(long = "maven-arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(super) maven_arguments: Vec<String>,

    /// Let Maven download nothing
    #[arg(long)]
    pub(super) offline: bool,

    /// Ask Maven and analyze again, even if nothing has changed since the last time
    ///
    /// Maven's answer and the result are kept in the user's cache for as long as the project's
    /// files, its class path, the POMs, settings, tools and the environment are the same. A build
    /// or tests that depend on anything else (the clock, the network, files elsewhere) may need
    /// this.
    #[arg(long)]
    pub(super) no_history: bool,

    /// Also show what is run: commands, workers, what was left out and why
    #[arg(long, short, conflicts_with = "quiet")]
    pub(super) verbose: bool,

    /// Show warnings, errors and nothing else
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(super) color: Color,
}

#[derive(Debug, Args)]
pub(super) struct SelectionArguments {
    /// Make only these transformations, by name, separated by commas: null, empty, void, true, 0,
    /// '""', …
    ///
    /// Names are those that reports show. Without this option the set of the Reneri study is used,
    /// which has a constant or two for each return type; others (`empty-collection`, `optional`,
    /// `new`, `this`, `argument`) have to be asked for.
    #[arg(long, short, value_name = "NAME,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub(super) transformations: Vec<String>,

    /// Also transform the methods that this stop rule leaves out (can be repeated)
    ///
    /// Some methods are hardly worth a test of their own and are left out by default: simple
    /// getters, `toString`, deprecated ones, and so on. Each such rule has a name, the one of its
    /// file in rules/stop-methods.
    #[arg(long = "disable-stop-rule", value_name = "RULE", value_delimiter = ',')]
    pub(super) disabled_stop_rules: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    pub(super) target: TargetArguments,

    #[command(flatten)]
    pub(super) selection: SelectionArguments,

    /// Print one JSON object with `transformations` and `stopped`, with the keys of report.json
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Analyze {
    #[command(flatten)]
    pub(super) target: TargetArguments,

    /// How often each side, original and transformed, is observed
    ///
    /// What is not the same in all runs of the same code is noise and does not count, so more runs
    /// mean fewer false claims and more time. At least 2.
    #[arg(long, short = 'n', value_name = "N", default_value_t = DEFAULT_RUNS, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(super) runs: u32,

    /// How many worker processes run tests at the same time [default: one per processor, if memory
    /// allows]
    ///
    /// Use 1 if the tests disturb each other: fixed ports, files of the same name.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,

    #[command(flatten)]
    pub(super) selection: SelectionArguments,

    /// Analyze only what changed since HEAD left this branch, tag or commit
    ///
    /// What counts is the difference between the newest commit that both have in common and the
    /// files as they are, committed or not, with new files that Git does not ignore. Methods that
    /// it touches are analyzed, and those that are reached by tests that it touches. All tests run
    /// to find that out. Files that are not Java touch nothing. `main` is the branch here,
    /// `origin/main` that of the server when last fetched.
    #[arg(long, value_name = "REF", conflicts_with_all = ["in_diff", "self_check"])]
    pub(super) since: Option<String>,

    /// Analyze only what this unified diff changed: a file, or `-` for standard input
    ///
    /// The same as with --since. The diff has to lead to the files as they are now: exit code 5 if
    /// it does not. Its paths begin at the folder of the repository, as Git writes them, or at that
    /// of the project.
    #[arg(long, value_name = "FILE", conflicts_with = "self_check")]
    pub(super) in_diff: Option<PathBuf>,

    /// Do only this part of the analysis, of so many: 1/3, 2/3, 3/3 on three machines
    ///
    /// Methods are shared among the parts by their order, so each part has others. All tests run in
    /// each, to find out what they reach. `reneri merge` makes of the report.json of all parts the
    /// report that one run would have written.
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "self_check")]
    pub(super) shard: Option<Shard>,

    /// Make no patches for tests
    ///
    /// Without this option, reneri tries for each finding to write the lines that close it, and
    /// proves them by running them.
    #[arg(long)]
    pub(super) no_fix: bool,

    /// For each method with findings, try no more than this many tests that might notice them, and
    /// five times as many with one input changed
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FIX_BUDGET, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) fix_budget: u32,

    /// Compare the original code with itself, where nothing may be found: a test of reneri on this
    /// project
    #[arg(long)]
    pub(super) self_check: bool,

    /// Show what each stage and each worker took, and write it to timings.json
    ///
    /// In seconds, by the clock and of CPU time (user and system) with all child processes; of each
    /// JVM and of reneri itself the most memory, too.
    #[arg(long)]
    pub(super) timings: bool,

    /// Say which findings are new since an earlier analysis: its report.json, of the target branch
    /// for instance
    ///
    /// A finding is the same as long as class, method, parameter types and constant are; lines and
    /// names of parameters do not matter. What is not found any more is counted as well, where this
    /// run has looked for it.
    #[arg(long, value_name = "FILE", conflicts_with = "self_check")]
    pub(super) baseline: Option<PathBuf>,

    /// Which findings make the exit code 2; accepted ones never do
    #[arg(long, value_name = "WHICH", value_enum, default_value_t, conflicts_with = "self_check")]
    pub(super) fail_on: FailOn,

    /// Make the exit code 2 when more transformations than this are undetected, not counting
    /// accepted ones
    ///
    /// For projects that begin with findings and want no more of them. What is accepted stands in
    /// reneri.toml (`[[accept]]`).
    #[arg(long, value_name = "N", conflicts_with_all = ["fail_on", "self_check"])]
    pub(super) max_undetected: Option<usize>,

    /// Also write the report in this format (can be repeated)
    ///
    /// report.md and report.json are written in any case. Files of other formats that an earlier
    /// run left in the output folder are removed.
    #[arg(long = "format", value_name = "FORMAT,…", value_enum, value_delimiter = ',', conflicts_with = "self_check")]
    pub(super) formats: Vec<Format>,

    /// Whether findings are shown on the lines of a pull or merge request, in the form that the CI
    /// service reads
    ///
    /// GitHub Actions and GitLab are known by the variables that they set in each job,
    /// GITHUB_ACTIONS and GITLAB_CI.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub(super) annotations: Annotations,
}

pub(super) fn command() -> clap::Command {
    let analyze_help = format!("{EXAMPLES}\n{EXIT_CODES}");
    CommandLine::command()
        .after_help("Start with `reneri analyze` in the folder of a Maven project. `reneri doctor` says what it would work with. More: `reneri analyze --help`.")
        .after_long_help(EXIT_CODES)
        .mut_subcommand("analyze", |analyze| {
            analyze.after_help("More about each option, examples and exit codes: --help").after_long_help(analyze_help)
        })
}

/// `2/3`
fn shard(text: &str) -> std::result::Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
        _ => Err("a part and the number of parts are wanted: 1/3, 2/3 or 3/3".to_owned()),
    }
}

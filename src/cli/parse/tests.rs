//! Tests of command lines: the settings they resolve to, and the errors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::base::error::ExitCode;
use crate::change;
use crate::cli::help::EXIT_CODES;
use crate::cli::resolve::formats;
use crate::cli::{ConfigurationFile, FailOn, Settings, Target};
use crate::report::{Annotations, Format, Shard};
use crate::terminal::{Color, Verbosity};
use clap::CommandFactory;
use std::path::Path;

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
fn the_clap_definition_is_consistent() {
    CommandLine::command().debug_assert();
}

#[test]
fn by_default_the_project_is_here_and_the_report_in_its_target_folder() {
    let settings = settings(&["analyze"]);
    let here = std::env::current_dir().unwrap().canonicalize().unwrap();
    assert_eq!(settings.target.output, here.join("target/reneri"));
    assert_eq!(settings.target.project, here);
    assert_eq!((settings.runs, settings.transformations, settings.fail_on), (10, None, FailOn::None));
    assert_eq!((settings.target.verbosity, settings.target.color), (Verbosity::Normal, Color::Auto));
    assert!(settings.jobs >= 1 && !settings.target.offline && !settings.self_check);
}

#[test]
fn the_last_of_two_values_counts_and_lists_grow() {
    let line =
        ["analyze", "--runs", "4", "--module", "core", "--offline", "--runs", "5", "--offline", "--module", "app"];
    let settings = settings(&line);
    assert_eq!((settings.runs, settings.target.offline), (5, true));
    assert_eq!(settings.target.modules, ["core", "app"]);
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
        "--fix-budget",
        "9",
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
        "--no-history",
        "--timings",
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
                configuration: ConfigurationFile::None,
                modules: ["core", ":app"].map(str::to_owned).to_vec(),
                recipe: None,
                maven_arguments: ["-Pfast", "-Da=b,c"].map(str::to_owned).to_vec(),
                offline: true,
                history: false,
                verbosity: Verbosity::Verbose,
                color: Color::Never,
            },
            runs: 4,
            jobs: 3,
            transformations: Some(["null", "\"\"", "-1"].map(str::to_owned).to_vec()),
            disabled_stop_rules: ["getter", "setter"].map(str::to_owned).to_vec(),
            change: None,
            shard: None,
            fix_budget: Some(9),
            self_check: false,
            timings: true,
            baseline: None,
            fail_on: FailOn::Any,
            max_undetected: None,
            accept: Vec::new(),
            formats: vec![Format::Sarif, Format::Github, Format::Gitlab],
        }
    );
}

#[test]
fn a_change_comes_from_a_reference_a_file_or_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pr.diff");
    std::fs::write(&file, "").unwrap();
    let change = |arguments: &[&str]| settings(&[&["analyze"], arguments].concat()).change;
    assert_eq!(change(&[]), None);
    assert_eq!(change(&["--since", "HEAD~1"]), Some(change::Source::Since("HEAD~1".to_owned())));
    assert_eq!(change(&["--in-diff", file.to_str().unwrap()]), Some(change::Source::DiffFile(file)));
    assert_eq!(change(&["--in-diff", "-"]), Some(change::Source::DiffOnStandardInput));
}

#[test]
fn a_shard_number_is_at_most_the_number_of_shards() {
    assert_eq!(settings(&["analyze", "--shard", "2/3"]).shard, Some(Shard { number: 2, of: 3 }));
    for wrong in ["0/3", "4/3", "3", "a/b", "1/0", ""] {
        assert!(refusal(&["analyze", "--shard", wrong]).contains("1/3, 2/3 or 3/3"), "{wrong}");
    }
    match parse_line(&["merge", "--runs", "3", "a/report.json", "b/report.json"]).unwrap() {
        Request::Merge { settings, reports } => assert_eq!((settings.runs, reports.len()), (3, 2)),
        other => panic!("{other:?}"),
    }
    assert!(refusal(&["merge"]).contains("REPORT"));
}

#[test]
fn contradictory_options_about_the_change_are_refused() {
    assert!(refusal(&["analyze", "--since", "main", "--in-diff", "-"]).contains("cannot be used with"));
    assert!(refusal(&["analyze", "--since", "main", "--self-check"]).contains("cannot be used with"));
    assert!(refusal(&["analyze", "--in-diff", "-", "--self-check"]).contains("cannot be used with"));
    assert!(refusal(&["analyze", "--in-diff", "/no/such.diff"]).contains("There is no file /no/such.diff"));
}

#[test]
fn annotations_are_those_of_the_ci_service_or_as_requested() {
    for (asked, annotations, variable, written) in [
        (vec![], Annotations::Auto, "GITHUB_ACTIONS", vec![Format::Github]),
        (vec![], Annotations::Auto, "GITLAB_CI", vec![Format::Gitlab]),
        (vec![], Annotations::Auto, "CI", vec![]),
        (vec![], Annotations::None, "GITHUB_ACTIONS", vec![]),
        (vec![], Annotations::Github, "GITLAB_CI", vec![Format::Github]),
        (vec![], Annotations::Gitlab, "GITHUB_ACTIONS", vec![Format::Gitlab]),
        (vec![Format::Github], Annotations::Auto, "GITHUB_ACTIONS", vec![Format::Github]),
        (vec![Format::Gitlab], Annotations::None, "GITLAB_CI", vec![Format::Gitlab]),
    ] {
        assert_eq!(
            formats(asked, annotations, &|name| name == variable).unwrap(),
            written,
            "{annotations:?} {variable}"
        );
    }
    let text = refusal(&["analyze", "--format", "github", "--annotations", "none"]);
    assert!(text.contains("Leave one of the two away"), "{text}");
}

#[test]
fn a_self_check_refuses_report_formats() {
    assert!(settings(&["analyze", "--self-check"]).self_check);
    assert!(refusal(&["analyze", "--self-check", "--format", "html"]).contains("cannot be used with"));
}

#[test]
fn fail_on_new_needs_a_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().to_str().unwrap();
    let file = folder.path().join("main.json");
    let name = file.to_str().unwrap();
    assert!(refusal(&["analyze", "--baseline", name]).starts_with(&format!("There is no file {name}.")));
    std::fs::write(&file, "{}").unwrap();
    let with = |arguments: &[&str]| settings(&[&["analyze", "--project", project], arguments].concat());
    let both = with(&["--baseline", name, "--fail-on", "new"]);
    assert_eq!((both.baseline, both.fail_on), (Some(file.clone()), FailOn::New));
    let text = refusal(&["analyze", "--fail-on", "new"]);
    assert!(text.contains("--fail-on new needs a baseline") && text.contains("Give --baseline"), "{text}");
    assert!(refusal(&["analyze", "--self-check", "--baseline", name]).contains("cannot be used with"));
    assert!(refusal(&["analyze", "--self-check", "--fail-on", "any"]).contains("cannot be used with"));
    assert!(refusal(&["analyze", "--self-check", "--max-undetected", "1"]).contains("cannot be used with"));
    match parse_line(&["merge", "--baseline", name, "--fail-on", "new", "part.json"]).unwrap() {
        Request::Merge { settings, .. } => assert_eq!(settings.baseline, Some(file.clone())),
        other => panic!("{other:?}"),
    }

    // A self-check also refuses a baseline from the file, since it has no findings.
    std::fs::write(folder.path().join("reneri.toml"), "baseline = \"main.json\"\nfail-on = \"new\"\n").unwrap();
    assert_eq!((with(&[]).baseline, with(&[]).fail_on), (Some(file), FailOn::New));
    assert_eq!((with(&["--self-check"]).baseline, with(&["--self-check"]).fail_on), (None, FailOn::None));
}

#[test]
fn a_recipe_replaces_maven() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recipe.json");
    let name = file.to_str().unwrap();
    assert!(refusal(&["analyze", "--recipe", name]).contains("no file"));
    std::fs::write(&file, "{}").unwrap();
    assert_eq!(settings(&["analyze", "--recipe", name]).target.recipe, Some(file.clone()));
    assert!(refusal(&["analyze", "--recipe", name, "--offline"]).contains("--offline"));
}

#[test]
fn wrong_usage_is_an_error_with_the_next_step() {
    for (arguments, named) in [
        (vec!["analyze", "--rnus", "3"], "'--rnus'"),
        (vec!["analyse"], "'analyse'"),
        (vec!["analyze", "--runs", "1"], "1 is not in 2..=1000"),
        (vec!["analyze", "--jobs", "0"], "0 is not in 1..=1024"),
        (vec!["analyze", "--fail-on", "all"], "[possible values: none, any, new]"),
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
fn a_project_that_is_missing_or_a_file_is_refused() {
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
        Request::Print(text) => anstream::adapter::strip_str(&text).to_string(),
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
fn the_help_lists_all_exit_codes() {
    for code in [
        ExitCode::Done,
        ExitCode::Usage,
        ExitCode::Findings,
        ExitCode::CannotBuild,
        ExitCode::TestsFail,
        ExitCode::DiffMismatch,
        ExitCode::Bug,
        ExitCode::Machine,
        ExitCode::Interrupted,
    ] {
        let number = (code as u8).to_string();
        assert!(EXIT_CODES.lines().any(|line| line.split_whitespace().next() == Some(&number)), "{number}");
    }
}

#[test]
fn a_worker_gets_its_socket() {
    let Request::Worker { socket } = parse_line(&["worker", "--socket", "/run/s"]).unwrap() else { panic!() };
    assert_eq!(socket, Path::new("/run/s"));
}

#[test]
fn the_command_line_overrides_the_file_and_removes_conflicts() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().to_str().unwrap();
    std::fs::write(folder.path().join("recipe.json"), "{}").unwrap();
    let text = "runs = 7\nrecipe = \"recipe.json\"\nformat = \"html\"\nfail-on = \"any\"\nannotations = \"none\"\nmodule = [\"core\", \"app\"]\n";
    std::fs::write(folder.path().join("reneri.toml"), text).unwrap();
    let with = |arguments: &[&str]| settings(&[&["analyze", "--project", project], arguments].concat());
    let file = with(&[]);
    assert_eq!((file.runs, file.fail_on, file.formats), (7, FailOn::Any, vec![Format::Html]));
    assert_eq!(file.target.recipe, Some(folder.path().join("recipe.json")));
    assert_eq!(file.target.modules, ["core", "app"]);
    let typed = with(&["--runs", "3", "--module", "tools", "--offline", "--max-undetected", "2"]);
    assert_eq!((typed.runs, typed.target.modules, typed.target.recipe), (3, vec!["tools".to_owned()], None));
    assert_eq!((typed.fail_on, typed.max_undetected), (FailOn::None, Some(2)));
    let check = with(&["--self-check"]);
    assert!(check.self_check && check.formats.is_empty() && check.runs == 7);
    assert_eq!(with(&["--no-config"]).target.configuration, ConfigurationFile::LeftOut);
    assert!(refusal(&["analyze", "--fail-on", "any", "--max-undetected", "2"]).contains("cannot be used with"));
}

fn page(arguments: &[&str]) -> String {
    match parse_line(arguments).unwrap() {
        Request::Print(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn manual_pages_and_completions_contain_every_option() {
    let analyze = command().find_subcommand("analyze").unwrap().clone();
    let options: Vec<String> = analyze.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
    assert!(options.len() > 15, "{options:?}");
    let manual = page(&["man", "analyze"]).replace("\\-", "-");
    let scripts = ["bash", "zsh", "fish"].map(|shell| page(&["completions", shell]));
    for option in &options {
        assert!(manual.contains(&format!("--{option}")), "--{option} is not in the manual");
        for script in &scripts {
            assert!(script.contains(option.as_str()), "{option} is not in {script}");
        }
    }
    assert!(manual.contains("reneri-analyze") || manual.contains("reneri analyze"), "{manual}");
    assert!(page(&["man"]).contains("Exit codes"));
    assert!(refusal(&["man", "analyse"]).contains("There is no command `analyse`"));
}

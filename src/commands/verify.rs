//! `reneri verify`: checks whether the tests, as they are now, detect the transformations of given
//! findings.

use crate::base::did_you_mean::nearest;
use crate::base::error::{Error, ExitCode, Result};
use crate::base::id::{GuardId, IdVec, RecipeId, TestId, TransformationId};
use crate::base::interrupt;
use crate::base::jobs;
use crate::classfile::outlines::Outlines;
use crate::cli::VerifySettings;
use crate::cover::Coverage;
use crate::detect::{self, Expected, Kill, Verdict, detect};
use crate::jvm::client::Launch;
use crate::pipeline::{self, Covered};
use crate::recipe::Build;
use crate::report::short_ids;
use crate::run::Pool;
use crate::terminal::Terminal;
use crate::text::escape::shorten;
use crate::text::words::{constant, count, short_method};
use crate::transform::{Selection, Transformation, Transformations, list};
use std::sync::Arc;

/// The word that selects every transformation and disables every stop rule.
const ALL: &str = "all";
/// Longest message of an exception, in characters.
const MESSAGE: usize = 160;

/// Prints a line for each transformation.
///
/// # Errors
/// If there is no such transformation, and whatever would end an analysis.
pub fn run(verification: &VerifySettings, terminal: &Terminal) -> Result<ExitCode> {
    let selection = Selection::new(Some(vec![ALL.to_owned()]), vec![ALL.to_owned()])?;
    let build = pipeline::build(&verification.target, terminal)?;
    let classes = build.compiled_classes()?;
    let chosen = chosen(list(&classes, &selection)?, &build, &verification.ids)?;
    let outlines = Outlines::of(&classes)?;
    let jobs = jobs::by_default();
    let pool = Pool::new(jobs);
    let mut covered = pipeline::covered(&verification.target, &pool, terminal, &build, &chosen, None, None)?;
    covered.ask_what_tests_call(&build, &outlines, &chosen, terminal);
    let Covered { launches, coverage, .. } = covered;
    let stage = terminal.stage("Transforming methods and running their tests", None);
    let launches: IdVec<RecipeId, Arc<Launch>> = launches.into_iter().map(Arc::new).collect();
    let guards: IdVec<TransformationId, Option<GuardId>> =
        chosen.transformations.indices().map(|id| Some(GuardId::of(id))).collect();
    let input = detect::Input {
        launches: &launches,
        recipes: &build.recipes,
        transformations: &chosen,
        guards: &guards,
        coverage: &coverage,
        expected: &Expected::default(),
        jobs: coverage.jobs(jobs),
        progress: &|_, _| {},
    };
    let judged = detect(&input, &pool)?;
    interrupt::check()?;
    let verdicts: Vec<&Verdict> = judged.iter().flatten().map(|judged| &judged.verdict).collect();
    stage.finish();
    let lines: Vec<String> = chosen
        .transformations
        .iter()
        .zip(&verdicts)
        .map(|(transformation, verdict)| {
            format!("{}: {}", shown(&chosen, transformation), outcome(verdict, &coverage, transformation))
        })
        .collect();
    terminal.output(&lines.join("\n"));
    Ok(if verdicts.into_iter().all(|verdict| verdict.kill().is_some()) { ExitCode::Done } else { ExitCode::Findings })
}

/// Selects the transformations with these ids, long or short.
fn chosen(all: Transformations, build: &Build, ids: &[String]) -> Result<Transformations> {
    let long: Vec<String> = all.transformations.iter().map(|transformation| all.id(transformation)).collect();
    let module =
        |transformation: &Transformation| build.modules[all.methods[transformation.method].module].name.as_str();
    let modules: Vec<&str> = all.transformations.iter().map(module).collect();
    let short = short_ids(modules.iter().copied().zip(long.iter().map(String::as_str)));
    let has = |index: usize, id: &str| {
        long.get(index).is_some_and(|long| long == id)
            || short.get(index).is_some_and(|short| short.eq_ignore_ascii_case(id))
    };
    if let Some(unknown) = ids.iter().find(|id| !(0..long.len()).any(|index| has(index, id))) {
        let names: Vec<&str> = long.iter().chain(&short).map(String::as_str).collect();
        let next = match nearest(unknown, &names).first() {
            Some(nearest) => format!("Did you mean `{nearest}`?"),
            None => "report.md shows ids, behind the word \"Finding\"; `reneri list` lists all.".to_owned(),
        };
        return Err(Error::usage(format!("The project has no transformation `{unknown}`."), next));
    }
    let transformations = all.transformations.iter().enumerate();
    let transformations = transformations.filter(|(index, _)| ids.iter().any(|id| has(*index, id)));
    let transformations = transformations.map(|(_, transformation)| transformation.clone()).collect();
    Ok(Transformations { transformations, stopped: Vec::new(), ..all })
}

fn shown(transformations: &Transformations, transformation: &Transformation) -> String {
    let method = &transformations.methods[transformation.method];
    let name = short_method(&method.class, &method.name, &method.descriptor);
    match constant(&transformation.name, &method.descriptor) {
        Some((text, _)) => format!("{name} returning always {text}"),
        None => format!("{name} doing nothing"),
    }
}

fn outcome(verdict: &Verdict, coverage: &Coverage, transformation: &Transformation) -> String {
    let test = |kill: &Kill| coverage.full_name(kill.test).unwrap_or_else(|| "a test".to_owned());
    match verdict {
        Verdict::Detected(kill) if kill.message.is_empty() => {
            format!("detected: {} fails ({})", test(kill), kill.exception)
        }
        Verdict::Detected(kill) => {
            let message = kill.message.split_whitespace().collect::<Vec<_>>().join(" ");
            let (message, cut) = shorten(&message, MESSAGE);
            let end = if cut.is_some() { " …" } else { "" };
            format!("detected: {} fails ({}: {message}{end})", test(kill), kill.exception)
        }
        Verdict::TimedOut(kill) => format!("detected: {} no longer ends", test(kill)),
        Verdict::Undetected { sometimes, .. } if !sometimes.is_empty() => {
            let name = |test: &TestId| coverage.tests.get(*test).map(|test| test.name.as_str());
            let names: Vec<&str> = sometimes.iter().filter_map(name).collect();
            format!("not detected: caught in some runs only, by chance: {}", names.join(", "))
        }
        Verdict::Undetected { .. } => {
            let tests = crate::detect::candidates(coverage, transformation.method).len();
            format!("not detected: {} can see it, and none fails", count(tests as u64, "test"))
        }
        Verdict::NotCovered => "not detected: no test runs the method".to_owned(),
        Verdict::Quarantined => "not detected: only tests that are left out run the method".to_owned(),
        Verdict::FailedToRun(reason) => format!("could not be run: {reason}"),
    }
}

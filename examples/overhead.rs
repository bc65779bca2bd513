//! Measures the cost of probes for the test suite of an analyzed project: CPU time without probes, with
//! coverage probes, and under observation.
//!
//! usage: overhead RENERI PROJECT [ROUNDS]
//!
//! `benchmarks/overhead` builds this program, and analyzes the project first. Each round runs the suite
//! in each way, each time in a new JVM. The time is that of the JVM from its start to the end of its last
//! test.

use reneri::base::error::{Error, Result};
use reneri::base::id::{ExpressionId, MethodId, TestId};
use reneri::base::interrupt;
use reneri::base::timings::{Since, Timings};
use reneri::cover::{self, Coverage, Progress, Task};
use reneri::instrument::instrument;
use reneri::instrument::javac::Compilers;
use reneri::jvm::client::{Launch, Worker, probe_classes};
use reneri::jvm::protocol::{Limit, Outcome, Record, RunRequest, RunTest, Sites, World};
use reneri::observation::Site;
use reneri::project;
use reneri::recipe::launch::launch;
use reneri::recipe::{Build, BuildTool, MavenOptions, MavenRequest, Recipe};
use reneri::report;
use reneri::run::Pool;
use reneri::transform::{Selection, Transformations, list, plan};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// A limit that no terminating test reaches, in milliseconds.
const LIMIT: Limit = Limit::of_time(600_000);
/// The limit of the analysis in the first runs of a transformation: see `observe::repeat`.
const SAMPLES: u32 = 500_000;

/// The probes of a run, and how it stores the observed values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Plain,
    Coverage,
    /// Records methods and digests expressions, like the first runs of an analysis.
    Digested,
    /// Records everything, as an analysis does at sites with differences.
    Recorded,
}

const WAYS: [(Way, &str); 4] =
    [(Way::Plain, "plain"), (Way::Coverage, "coverage"), (Way::Digested, "digested"), (Way::Recorded, "recorded")];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code as u8)
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (reneri, folder, rounds) = match arguments.as_slice() {
        [reneri, folder] => (reneri, folder, Some(3)),
        [reneri, folder, rounds] => (reneri, folder, rounds.parse::<usize>().ok().filter(|rounds| *rounds > 0)),
        _ => {
            return Err(Error::usage(
                "Two or three arguments are needed.",
                "See the first lines of examples/overhead.rs.",
            ));
        }
    };
    let rounds = rounds.ok_or_else(|| Error::usage("ROUNDS is no number from 1.", "Leave it out for 3."))?;
    let project = project::find(Path::new(folder))?;
    let output = project.root.join("target/reneri");
    let report =
        report::read(&output.join("report.json"), "Start `reneri analyze` first, as benchmarks/overhead does.")?;
    let options = MavenOptions { arguments: Vec::new(), offline: false, history: true };
    let maven = BuildTool::Maven(MavenRequest { project, options, log: output.join("maven.log") });
    let build = maven.build(interrupt::flag(), &mut |_| {})?;
    let transformations = list(&build.compiled_classes()?, &Selection::new(None, Vec::new())?)?;
    let undetected: BTreeSet<(&str, &str, &str)> = report
        .transformations
        .iter()
        .filter(|entry| entry.symptom.is_some())
        .map(|entry| (entry.class.as_str(), entry.method.as_str(), entry.descriptor.as_str()))
        .collect();
    let is_undetected = |id: &MethodId| {
        let method = &transformations.methods[*id];
        undetected.contains(&(method.class.as_str(), method.name.as_str(), method.descriptor.as_str()))
    };
    let observed: BTreeSet<MethodId> = transformations.methods.indices().filter(is_undetected).collect();

    let scratch = tempfile::tempdir().map_err(|error| {
        Error::usage(format!("No temporary folder: {error}."), "Set TMPDIR to a folder that exists.")
    })?;
    let mut suites = Vec::new();
    for (number, recipe) in build.recipes.iter().enumerate() {
        let scratch = scratch.path().join(number.to_string());
        suites.push(Suite::new(recipe, &build, &transformations, &observed, Path::new(reneri), &scratch)?);
    }
    println!(
        "{}: {} tests, {} methods observed, {} expressions; CPU s (and peak MiB) of each round",
        build.project,
        suites.iter().map(|suite| suite.tests.len()).sum::<usize>(),
        observed.len(),
        suites.iter().map(|suite| suite.expressions).sum::<u32>(),
    );
    println!("{}", WAYS.map(|(_, name)| format!("{name:>17}")).concat());
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); WAYS.len()];
    for _ in 0..rounds {
        let mut used = Vec::new();
        for (way, _) in WAYS {
            let mut sum = Used { cpu_seconds: 0.0, peak_memory: 0 };
            for suite in &suites {
                let used = suite.run(way, &observed)?;
                sum = Used {
                    cpu_seconds: sum.cpu_seconds + used.cpu_seconds,
                    peak_memory: sum.peak_memory.max(used.peak_memory),
                };
            }
            used.push(sum);
        }
        let plain = used.first().map_or(f64::NAN, |used| used.cpu_seconds);
        let shown = |used: &Used| format!("{:>10.2} {:>6}", used.cpu_seconds, used.peak_memory >> 20);
        println!("{}", used.iter().map(shown).collect::<String>());
        ratios.iter_mut().zip(&used).for_each(|(ratios, used)| ratios.push(used.cpu_seconds / plain));
    }
    println!("median of the ratios to plain");
    println!("{}", ratios.into_iter().map(|ratios| format!("{:>10.2}       ", median(ratios))).collect::<String>());
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let below = if values.len().is_multiple_of(2) { middle.saturating_sub(1) } else { middle };
    match (values.get(below), values.get(middle)) {
        (Some(below), Some(above)) => f64::midpoint(*below, *above),
        _ => f64::NAN,
    }
}

struct Used {
    cpu_seconds: f64,
    peak_memory: u64,
}

/// The usable tests of one recipe, and how to start them in each way.
struct Suite {
    tests: Vec<RunTest>,
    plain: Launch,
    covered: Launch,
    observed: Launch,
    expressions: u32,
}

impl Suite {
    fn new(
        recipe: &Recipe,
        build: &Build,
        transformations: &Transformations,
        observed: &BTreeSet<MethodId>,
        reneri: &Path,
        scratch: &Path,
    ) -> Result<Self> {
        let seen = build.seen_by(recipe);
        let mut start = launch(recipe, None)?;
        start.executable = reneri.to_path_buf();
        start.start.weave = plan::plan(transformations, &BTreeSet::new(), &seen);
        start.start.methods = plan::shapes(transformations);
        let classes = recipe.test_class_names()?;
        let silent = Progress { log: &|_| (), test_finished: &|| (), expect_tests: &|_| () };
        let (methods, earlier, jobs) = (transformations.methods.len(), None, 1);
        let (pool, start) = (&Pool::new(jobs), &Arc::new(start));
        let task = Task { pool, recipe, launch: start, classes: &classes, methods, earlier, jobs, progress: silent };
        let chosen = cover::choose_loader(&task)?;
        let covered = Arc::unwrap_or_clone(chosen.launch);
        let mut plain = covered.clone();
        plain.start.weave.clear();
        let instrumented = instrument(&Compilers::default(), recipe, scratch, &probe_classes(&recipe.java_home)?)?;
        let expressions = u32::try_from(instrumented.expressions.len()).unwrap_or(u32::MAX);
        let mut watched = covered.clone();
        watched.start.weave = plan::plan(transformations, observed, &seen);
        watched.start.expressions = expressions;
        if let Some(classes) = &instrumented.classes {
            watched.start.replace = plan::replacements(classes, &recipe.test_classes);
        }
        Ok(Self { tests: usable(&chosen.coverage), plain, covered, observed: watched, expressions })
    }

    fn run(&self, way: Way, observed: &BTreeSet<MethodId>) -> Result<Used> {
        let mut launch = match way {
            Way::Plain => &self.plain,
            Way::Coverage => &self.covered,
            Way::Digested | Way::Recorded => &self.observed,
        }
        .clone();
        launch.timings = Timings::default();
        let methods = observed.iter().copied().map(Site::Method);
        let expressions = (0..self.expressions).map(|number| Site::Expression(ExpressionId(number)));
        let record = match way {
            Way::Plain | Way::Coverage => Record::Coverage,
            Way::Digested => Record::State(Sites {
                recorded: methods.collect(),
                digested: expressions.collect(),
                samples: SAMPLES,
                stacks: true,
                ..Sites::default()
            }),
            Way::Recorded => Record::State(Sites {
                recorded: methods.chain(expressions).collect(),
                stacks: true,
                ..Sites::default()
            }),
        };
        let since = Since::now();
        let mut worker = Worker::start(&launch)?;
        let ran = worker.run(&RunRequest {
            fresh: true,
            active: None,
            tests: self.tests.clone(),
            whole_classes: false,
            stop_at_first_failure: false,
            record,
            next_number: TestId::new(self.tests.len()),
            other_limit: LIMIT,
            world: World::default(),
        })?;
        drop(worker);
        for finished in ran.reported.finished.iter().filter(|finished| finished.outcome == Outcome::Failed) {
            eprintln!("test {} failed: {}: {}", finished.number, finished.exception, finished.message);
        }
        if ran.reported.finished.len() < self.tests.len() {
            eprintln!("{} of {} tests ran: {:?}", ran.reported.finished.len(), self.tests.len(), ran.end);
        }
        launch.timings.stage("", since);
        let times = launch.timings.times(since);
        let worker = times.stages.first().and_then(|stage| stage.workers.first());
        let worker = worker.ok_or_else(|| Error::bug("A worker left no times."))?;
        Ok(Used { cpu_seconds: worker.time.cpu_seconds, peak_memory: worker.peak_memory_bytes })
    }
}

fn usable(coverage: &Coverage) -> Vec<RunTest> {
    let tests = coverage.tests.iter_enumerated().filter(|(test, _)| !coverage.is_quarantined(*test));
    let tests = (0..).map(TestId).zip(tests);
    tests.map(|(number, (_, test))| RunTest { number, id: test.id.clone(), limit: LIMIT }).collect()
}

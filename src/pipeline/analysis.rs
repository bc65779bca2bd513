//! One analysis, from the build to the report, in ten steps: plan, cover, narrow, recall, detect,
//! observe, suggest, fix, assemble, keep.

use super::build::compiled_classes;
use super::coverage::{Covered, covered};
use super::hints::{Hints, Known};
use super::instrumented::LazyInstrumentedTests;
use super::observation::Stages;
use super::patching::Patches;
use super::recalled::Recalled;
use crate::base::error::Result;
use crate::base::id::{IdVec, ModuleId, TransformationId, TransformationKey};
use crate::base::interrupt;
use crate::change::{Change, Roots, Scope, TouchedCode};
use crate::classfile::outlines::Outlines;
use crate::cli::Settings;
use crate::cli::reproduce;
use crate::code::Sources;
use crate::cover::Coverage;
use crate::detect::{Judged, Verdict, candidates};
use crate::diagnose::{Diagnosis, Explanation, NOT_OBSERVED};
use crate::fix::Attempt;
use crate::history::{Changes, Kept, KeptPatches, PastResults, Recall, ReusableResult};
use crate::instrument::javac::Compilers;
use crate::jvm::client::probe_classes;
use crate::recipe::Build;
use crate::report::{self, Findings, Probes, Report, Shard};
use crate::run::Pool;
use crate::suggest::{self, Suggestion};
use crate::terminal::Terminal;
use crate::transform::{Selection, Transformations, list, operators};
use std::collections::BTreeSet;

/// The settings of an analysis, and the build that it analyzes.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub settings: &'a Settings,
    pub terminal: &'a Terminal,
    pub selection: &'a Selection,
    pub build: &'a Build,
    pub change: Option<&'a Change>,
    pub sources: &'a Sources,
}

/// The result of the previous analysis, and the changes since then.
pub(super) struct Previous {
    pub changes: Changes,
    pub kept: Kept,
}

/// Analyzes the build. Returns the report, and the results that the next analysis may reuse.
///
/// With a second job, the tests are instrumented while the first stages run: a first analysis
/// nearly always has undetected transformations, whose observation needs instrumented tests.
pub(super) fn analysis(input: &Input<'_>, previous: Option<&Previous>) -> Result<(Report, Option<PastResults>)> {
    let Input { settings, build, .. } = *input;
    let (tests, compilers) = (LazyInstrumentedTests::default(), Compilers::default());
    let compilers = settings.fix_budget.map(|_| &compilers);
    let analysis = Analysis { input: *input, previous, tests: &tests, compilers };
    if settings.jobs == 1 || previous.is_some() || input.change.is_some() {
        return analysis.run();
    }
    // Both threads need these classes; compiling them here keeps the threads from doing it twice.
    build.recipes.iter().try_for_each(|recipe| probe_classes(&recipe.java_home).map(drop))?;
    std::thread::scope(|scope| {
        // The step that needs the tests reports an error.
        scope.spawn(|| tests.make(compilers, &settings.target, build).is_ok());
        analysis.run()
    })
}

struct Analysis<'a> {
    input: Input<'a>,
    previous: Option<&'a Previous>,
    tests: &'a LazyInstrumentedTests,
    compilers: Option<&'a Compilers>,
}

/// Everything that could be transformed, and the part of it that the change under analysis touches.
struct Plan {
    all: Transformations,
    touched: Option<TouchedCode>,
}

/// The part of the plan that this run analyzes.
struct Narrowed {
    all: Transformations,
    /// `None` if the whole project is analyzed.
    scope: Option<Scope>,
    transformations: Transformations,
}

/// Verdicts on the transformations of this run, and explanations of the undetected ones.
struct Observed {
    /// The transformations with a verdict: all of them, unless the user interrupted.
    transformations: Transformations,
    judged: IdVec<TransformationId, Judged>,
    explanations: Vec<Explanation>,
    /// One for each undetected transformation, even if it has no explanation because the user interrupted.
    diagnoses: Vec<Diagnosis>,
    /// `None` if no transformation is undetected.
    probes: Option<Probes>,
    /// Transformations with the same verdict and explanation as in the previous analysis.
    unchanged: BTreeSet<TransformationKey>,
    /// Warnings about instrumented and observed tests, to be shown again when the result is reused.
    warnings: Vec<String>,
}

impl Analysis<'_> {
    fn run(&self) -> Result<(Report, Option<PastResults>)> {
        let (plan, outlines) = self.plan()?;
        let pool = Pool::new(self.input.settings.jobs);
        let covered = self.cover(&plan, &outlines, &pool)?;
        let narrowed = self.narrow(plan, &covered.coverage)?;
        let recalled = self.recall(&narrowed, &covered.coverage)?;
        let stages = self.stages(&covered, &recalled);
        // Verdicts on the transformations that the previous analysis says nothing about.
        let judged = stages.judge(&recalled.expected, &recalled.open_guards, &pool)?;
        save_if_interrupted();
        let observed = self.observe(&stages, &recalled, judged, &narrowed.transformations, &pool)?;
        let code = suggest::Input {
            transformations: &observed.transformations,
            coverage: &covered.coverage,
            structure: &outlines,
            sources: self.input.sources,
        };
        let mut suggestions = suggest_all(&code, &observed)?;
        let (attempts, patches) = fix(&stages, &recalled, &code, &outlines, &observed, &pool)?;
        let hints = Hints {
            stages: &stages,
            code: &code,
            diagnoses: &observed.diagnoses,
            attempts: &attempts,
            known: self.known_hints(),
        };
        hints.leave_out_what_does_not_compile(&mut suggestions)?;
        let report = self.assemble(&narrowed, &covered.coverage, &observed, &suggestions, &attempts)?;
        let past = keep(covered, recalled, observed, patches);
        Ok((report, past))
    }

    /// Reads the class files once, and drops the parsed classes before the tests run.
    fn plan(&self) -> Result<(Plan, Outlines)> {
        let Input { selection, build, change, terminal, .. } = self.input;
        let classes = compiled_classes(build, terminal)?;
        let all = list(&classes, selection)?;
        let outlines = Outlines::of(&classes)?;
        let touched = change.map(|change| TouchedCode::find(change, &Roots::of(build), &all)).transpose()?;
        Ok((Plan { all, touched }, outlines))
    }

    /// Runs the tests, unless the change touches nothing.
    fn cover(&self, plan: &Plan, outlines: &Outlines, pool: &Pool) -> Result<Covered> {
        let Input { settings, terminal, build, .. } = self.input;
        if plan.touched.as_ref().is_some_and(TouchedCode::is_empty) {
            return Ok(Covered { coverage: Coverage::without_tests(plan.all.methods.len()), ..Covered::default() });
        }
        let recall = match self.previous {
            // `recall` reports why nothing can be reused.
            Some(Previous { changes, kept }) => Recall::new(&kept.past, changes, build, &plan.all)?.ok(),
            None => None,
        };
        let mut covered = covered(&settings.target, pool, terminal, build, &plan.all, recall.as_ref(), None)?;
        covered.ask_what_tests_call(build, outlines, &plan.all, terminal);
        Ok(covered)
    }

    /// Restricts the plan to the change and the shard.
    fn narrow(&self, plan: Plan, coverage: &Coverage) -> Result<Narrowed> {
        let Input { settings, terminal, build, .. } = self.input;
        let Plan { all, touched } = plan;
        let mut scope = None;
        if let Some(touched) = touched {
            report_files_elsewhere(&touched, build, terminal);
            let tests_of = |method| candidates(coverage, method);
            scope = Some(touched.scope(build, coverage, all.methods.indices(), tests_of)?);
        }
        let in_scope = match &scope {
            Some(scope) => all.only(&scope.methods, &scope.stopped),
            None => all.clone(),
        };
        let transformations = match settings.shard {
            Some(Shard { number, of }) => in_scope.part(number, of),
            None => in_scope,
        };
        Ok(Narrowed { all, scope, transformations })
    }

    /// Collects the results of the previous analysis that still hold.
    fn recall(&self, narrowed: &Narrowed, coverage: &Coverage) -> Result<Recalled> {
        let Input { terminal, build, .. } = self.input;
        let Narrowed { all, transformations, .. } = narrowed;
        let Some(Previous { changes, kept }) = self.previous else {
            return Ok(Recalled::nothing(all, transformations));
        };
        let recalled = match kept.past.reusable_results(changes, build, all, coverage)? {
            Ok(results) => Recalled::new(results, all, transformations),
            Err(why) => {
                report_new_start(terminal, &why);
                Recalled::nothing(all, transformations)
            }
        };
        recalled.report(terminal);
        Ok(recalled)
    }

    fn stages<'a>(&'a self, covered: &'a Covered, recalled: &'a Recalled) -> Stages<'a> {
        let Input { settings, terminal, build, .. } = self.input;
        Stages {
            settings,
            terminal,
            build,
            launches: &covered.launches,
            transformations: &recalled.open_transformations,
            coverage: &covered.coverage,
            tests: self.tests,
            compilers: self.compilers,
        }
    }

    /// Explains what is undetected, by observing its tests.
    fn observe(
        &self,
        stages: &Stages<'_>,
        recalled: &Recalled,
        judged: IdVec<TransformationId, Option<Judged>>,
        transformations: &Transformations,
        pool: &Pool,
    ) -> Result<Observed> {
        let shown_before = stages.terminal.warnings().len();
        let explanations = stages.diagnose(&judged, &recalled.explained, pool)?;
        save_if_interrupted();
        let unchanged = recalled.unchanged(transformations, &explanations);
        let (ids, results) = recalled.completed_by(judged, explanations);
        let explanations: Vec<Explanation> = results.iter().filter_map(|result| result.explanation.clone()).collect();
        let mut diagnoses: Vec<Diagnosis> =
            explanations.iter().map(|explanation| explanation.diagnosis.clone()).collect();
        if interrupt::is_interrupted() {
            let is_open =
                |result: &ReusableResult| result.judged.verdict.is_undetected() && result.explanation.is_none();
            let open = results.iter_enumerated().filter(|(_, result)| is_open(result));
            diagnoses.extend(open.map(|(id, _)| Diagnosis::undecided(id, NOT_OBSERVED.into())));
        }
        let judged = results.into_iter().map(|result| result.judged).collect();
        let probes = if diagnoses.is_empty() { None } else { self.probes(stages)? };
        self.repeat_warnings();
        let warnings = stages.terminal.warnings().split_off(shown_before);
        Ok(Observed {
            transformations: transformations.these(&ids),
            judged,
            explanations,
            diagnoses,
            probes,
            unchanged,
            warnings,
        })
    }

    /// Numbers about the probes in the tests: of the tests of this run if they are instrumented, else
    /// of the previous analysis if it had the same tests. `None` only after an interrupt.
    fn probes(&self, stages: &Stages<'_>) -> Result<Option<Probes>> {
        let sources = self.input.sources;
        if let Some(tests) = self.tests.get() {
            return Ok(Some(report::probes(&tests.all, sources)));
        }
        if let Some(probes) = self.previous_of_same_tests().and_then(|kept| kept.report.tests.probes.clone()) {
            return Ok(Some(probes));
        }
        if interrupt::is_interrupted() {
            return Ok(None);
        }
        Ok(Some(report::probes(&stages.instrumented()?.all, sources)))
    }

    /// Shows the warnings of the previous analysis about tests that this run did not instrument again.
    fn repeat_warnings(&self) {
        let Some(kept) = self.previous_of_same_tests() else { return };
        let terminal = self.input.terminal;
        let shown = terminal.warnings();
        for warning in &kept.past.warnings {
            if !shown.contains(warning) {
                terminal.warn(warning);
            }
        }
    }

    /// The previous analysis, if no source of the tests has changed since.
    fn previous_of_same_tests(&self) -> Option<&Kept> {
        let previous = self.previous?;
        (!previous.changes.has_other_tests(self.input.build)).then_some(&previous.kept)
    }

    /// The texts of the previous analysis, if it compiled code in suggestions against the same tests. What
    /// test code can name is the same, because only bodies of methods have changed since.
    fn known_hints(&self) -> Known<'_> {
        let command = reproduce::command(self.input.settings);
        // An interrupted analysis has left out code that it had not compiled yet.
        let is_whole = |report: &Report| report.interrupted.is_none() && report.settings.command == command;
        let kept = self.previous_of_same_tests().filter(|kept| is_whole(&kept.report));
        Known::of(kept.map(|kept| &kept.report))
    }

    fn assemble(
        &self,
        narrowed: &Narrowed,
        coverage: &Coverage,
        observed: &Observed,
        suggestions: &[Vec<Suggestion>],
        attempts: &[Attempt],
    ) -> Result<Report> {
        let Input { settings, selection, build, sources, .. } = self.input;
        let modules: IdVec<ModuleId, String> = build.modules.iter().map(|module| module.name.clone()).collect();
        let verdicts: IdVec<TransformationId, Verdict> =
            observed.judged.iter().map(|judged| judged.verdict.clone()).collect();
        let scope = settings.change.as_ref().zip(narrowed.scope.as_ref()).map(|(source, scope)| {
            report::Scope::new(source, &settings.target.project, scope, narrowed.all.methods.len())
        });
        let mut report = report::assemble(&Findings {
            project: &build.project,
            modules: &modules,
            settings: &report::Settings {
                runs: settings.runs,
                transformations: operator_names(settings, selection)?,
                command: reproduce::command(settings),
            },
            scope: scope.as_ref(),
            shard: settings.shard,
            sources,
            transformations: &observed.transformations,
            coverage,
            verdicts: &verdicts,
            diagnoses: &observed.diagnoses,
            suggestions,
            attempts,
            probes: observed.probes.as_ref(),
        })?;
        report.interrupted = interrupt::is_interrupted().then(|| report::Interrupted {
            tried: observed.transformations.transformations.len(),
            of_transformations: narrowed.transformations.transformations.len(),
            unexplained: observed.diagnoses.len() - observed.explanations.len(),
        });
        Ok(report)
    }
}

/// After an interrupt, gives the run the time to save what it knows.
fn save_if_interrupted() {
    if interrupt::is_interrupted() {
        interrupt::save();
    }
}

/// Suggestions for each diagnosis.
fn suggest_all(code: &suggest::Input<'_>, observed: &Observed) -> Result<Vec<Vec<Suggestion>>> {
    let mut suggestions = Vec::with_capacity(observed.diagnoses.len());
    for diagnosis in &observed.diagnoses {
        let skipped = match &observed.judged[diagnosis.transformation].verdict {
            Verdict::Undetected { skipped, .. } => skipped.as_slice(),
            _ => &[],
        };
        suggestions.push(suggest::suggest(code, diagnosis, skipped)?);
    }
    Ok(suggestions)
}

/// Searches for patches. Returns an attempt for each diagnosis, and the patches that the next analysis
/// may reuse.
fn fix(
    stages: &Stages<'_>,
    recalled: &Recalled,
    code: &suggest::Input<'_>,
    outlines: &Outlines,
    observed: &Observed,
    pool: &Pool,
) -> Result<(Vec<Attempt>, Vec<KeptPatches>)> {
    // A search that found nothing would find nothing again if all findings are explained as before.
    let may_hold = |patches: &&KeptPatches| {
        !patches.is_in_vain()
            || patches
                .findings()
                .all(|(method, name)| observed.unchanged.contains(&TransformationKey::new(method, name)))
    };
    let doubtful = recalled.doubtful_patches.iter().filter(may_hold).cloned().collect();
    let patches = Patches { valid: recalled.patches.clone(), doubtful };
    let searched = patches.search(stages, code, outlines, &observed.diagnoses, pool);
    pool.keep(0);
    save_if_interrupted();
    searched
}

/// The results that the next analysis may reuse. `None` if no test ran, because then nothing is known
/// about the tests.
fn keep(covered: Covered, recalled: Recalled, observed: Observed, patches: Vec<KeptPatches>) -> Option<PastResults> {
    if covered.coverage.tests.is_empty() {
        return None;
    }
    let Observed { transformations, judged, explanations, warnings, .. } = observed;
    let past = PastResults::new(&transformations, &covered.coverage, &judged, &explanations, warnings);
    Some(past.with(recalled.others).with_runs(covered.runs).with_patches(patches))
}

/// Reports with `--verbose` why no verdict of the previous analysis is reused.
pub(super) fn report_new_start(terminal: &Terminal, what: &str) {
    terminal.verbose(&format!("Everything is analyzed again. Another than in the last analysis: {what}"));
}

fn report_files_elsewhere(touched: &TouchedCode, build: &Build, terminal: &Terminal) {
    for file in &touched.elsewhere {
        let file = file.strip_prefix(&build.root).unwrap_or(file);
        terminal.verbose(&format!("{} is changed, and no source of what is analyzed", file.display()));
    }
}

/// The names of the operators that make the transformations.
fn operator_names(settings: &Settings, selection: &Selection) -> Result<Vec<String>> {
    if let Some(names) = &settings.transformations {
        return Ok(names.clone());
    }
    let operators: Vec<operators::Operator> = selection.operators()?;
    let mut names: Vec<String> = Vec::new();
    for operator in operators {
        if !names.contains(&operator.name) {
            names.push(operator.name);
        }
    }
    Ok(names)
}

//! From a build to its report: what an earlier analysis has found out and holds still is taken from there, the rest is analyzed.

use super::coverage::{Covered, covered};
use super::instrumented::Once;
use super::observation::Stages;
use super::patching::Patches;
use crate::base::error::Result;
use crate::base::id::{GuardId, IdSlice, IdVec, TransformationId, TransformationKey};
use crate::change::{Change, Roots, TouchedCode};
use crate::classfile::outlines::Outlines;
use crate::cli::Settings;
use crate::cli::reproduce;
use crate::code::Sources;
use crate::cover::Coverage;
use crate::detect::{Expected, Judged, Verdict, Woven, candidates};
use crate::diagnose::{Diagnosis, Explanation};
use crate::history::{Changes, Explained, Holding, Kept, KeptPatches, Past, Recall, Still};
use crate::instrument::javac::Compilers;
use crate::jvm::client::probe_classes;
use crate::recipe::Build;
use crate::report::{self, Findings, Report, Shard};
use crate::run::Session;
use crate::suggest;
use crate::suggest::suggest;
use crate::terminal::Terminal;
use crate::text::words::count;
use crate::transform::{Selection, Transformation, Transformations, list, operators};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What an analysis begins with.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub settings: &'a Settings,
    pub terminal: &'a Terminal,
    pub selection: &'a Selection,
    pub build: &'a Build,
    pub change: Option<&'a Change>,
    pub sources: &'a Sources,
}

/// The analysis before this one, and what has changed since.
pub(super) struct Earlier {
    pub changes: Changes,
    pub kept: Kept,
}

/// From the build to the report, and to what the next analysis may begin with. With a second job, the tests are instrumented beside what comes before they
/// are needed.
pub(super) fn analysis(input: &Input<'_>, earlier: Option<Earlier>) -> Result<(Report, Option<Past>)> {
    let Input { settings, build, .. } = *input;
    let (tests, compilers) = (Once::default(), Compilers::default());
    let compilers = settings.fix_budget.map(|_| &compilers);
    // Where everything is analyzed, something is undetected nearly always.
    if settings.jobs == 1 || earlier.is_some() || input.change.is_some() {
        return analyzed(input, earlier, &tests, compilers);
    }
    // The tests run with them, too: they are compiled once.
    build.recipes.iter().try_for_each(|recipe| probe_classes(&recipe.java_home).map(drop))?;
    std::thread::scope(|scope| {
        // What goes wrong is told by who needs them.
        scope.spawn(|| tests.make(compilers, &settings.target, build).is_ok());
        analyzed(input, earlier, &tests, compilers)
    })
}

fn analyzed(
    input: &Input<'_>,
    earlier: Option<Earlier>,
    tests: &Once,
    compilers: Option<&Compilers>,
) -> Result<(Report, Option<Past>)> {
    let Input { settings, terminal, selection, build, change, sources } = *input;
    let folders = build.class_folders();
    let all = list(&folders, selection)?;
    let touched = change.map(|change| TouchedCode::find(change, &Roots::of(build), &all)).transpose()?;
    let Covered { launches, coverage, runs, workers } = match &touched {
        Some(touched) if touched.is_empty() => {
            Covered { coverage: Coverage::without_tests(all.methods.len()), ..Covered::default() }
        }
        _ => {
            let recall = recall(input, earlier.as_ref(), &all)?;
            covered(&settings.target, settings.jobs, terminal, build, &all, recall.as_ref())?
        }
    };
    let of_methods = all.methods.len();
    let methods = all.methods.indices();
    let scope = touched
        .map(|touched| {
            note_elsewhere(&touched, build, terminal);
            touched.scope(build, &coverage, methods, |method| candidates(&all, &coverage, method))
        })
        .transpose()?;
    let Holding { still: of_all, expected, explained, patches: held, mut doubtful } =
        holding(input, earlier.as_ref(), &all, &coverage)?;
    let in_scope = match &scope {
        Some(scope) => all.only(&scope.methods, &scope.stopped),
        None => all.clone(),
    };
    let transformations = match settings.shard {
        Some(Shard { number, of }) => in_scope.part(number, of),
        None => in_scope,
    };
    let (known, others) = split(&all, of_all, &transformations);
    tell_kept(terminal, &known);
    let open: Vec<TransformationId> = known.indices().filter(|id| known[*id].is_none()).collect();
    let anew = transformations.these(&open);
    let stages = Stages {
        settings,
        terminal,
        build,
        launches: &launches,
        transformations: &anew,
        coverage: &coverage,
        tests,
        compilers,
    };
    let woven = Woven { guards: guards(&all, &anew), workers };
    let Concluded { known, same, warned, left } =
        concluded(&stages, &transformations, known, &open, &expected, &explained, woven)?;
    let is_told_as_before = |patches: &KeptPatches| {
        patches.findings().all(|(method, name)| same.contains(&TransformationKey::new(method, name)))
    };
    doubtful.retain(|patches| !patches.is_in_vain() || is_told_as_before(patches));
    let patches = Patches { held, doubtful };
    let verdicts: IdVec<TransformationId, Verdict> = known.iter().map(|known| known.judged.verdict.clone()).collect();
    let explanations: Vec<Explanation> = known.iter().filter_map(|known| known.explanation.clone()).collect();
    let diagnoses: Vec<Diagnosis> = explanations.iter().map(|explanation| explanation.diagnosis.clone()).collect();
    let judged: IdVec<TransformationId, Judged> = known.into_iter().map(|known| known.judged).collect();

    let earlier = earlier.filter(|earlier| !earlier.changes.has_other_tests(build));
    let probes_of_earlier = earlier.as_ref().and_then(|earlier| earlier.kept.report.tests.probes.clone());
    let probes = match (tests.get(), probes_of_earlier) {
        _ if diagnoses.is_empty() => None,
        (None, Some(probes)) => Some(probes),
        (Some(tests), _) => Some(report::probes(&tests.all, sources)),
        (None, None) => Some(report::probes(&stages.instrumented()?.all, sources)),
    };
    let of_earlier = earlier.into_iter().flat_map(|earlier| earlier.kept.past.warnings);
    let shown = terminal.warnings();
    of_earlier.filter(|warning| !shown.contains(warning)).for_each(|warning| terminal.warn(&warning));
    let warnings = terminal.warnings().split_off(warned);
    // Where no test ran, nothing is known of them.
    let past = (!coverage.tests.is_empty())
        .then(|| Past::new(&transformations, &coverage, &judged, &explanations, warnings).with(others).with_runs(runs));

    let outlines = Outlines::read(&folders.raw)?;
    let input =
        suggest::Input { transformations: &transformations, coverage: &coverage, structure: &outlines, sources };
    let skipped = |diagnosis: &Diagnosis| match &verdicts[diagnosis.transformation] {
        Verdict::Undetected { skipped } => skipped.as_slice(),
        _ => &[],
    };
    let suggestions =
        diagnoses.iter().map(|diagnosis| suggest(&input, diagnosis, skipped(diagnosis))).collect::<Result<Vec<_>>>()?;
    let (attempts, patches) = patches.made(&stages, &input, &outlines, &diagnoses, left)?;
    let past = past.map(|past| past.with_patches(patches));
    let report = report::assemble(&Findings {
        project: &build.project,
        modules: &build.modules.iter().map(|module| module.name.clone()).collect::<IdVec<_, _>>(),
        settings: &report::Settings {
            runs: settings.runs,
            transformations: names(settings, selection)?,
            command: reproduce::command(settings),
        },
        scope: settings
            .change
            .as_ref()
            .zip(scope)
            .map(|(source, scope)| report::Scope::new(source, &settings.target.project, &scope, of_methods))
            .as_ref(),
        shard: settings.shard,
        sources,
        transformations: &transformations,
        coverage: &coverage,
        verdicts: &verdicts,
        diagnoses: &diagnoses,
        suggestions: &suggestions,
        attempts: &attempts,
        probes: probes.as_ref(),
    })?;
    Ok((report, past))
}

/// What an earlier analysis knows still of each transformation.
type Known = IdVec<TransformationId, Option<Still>>;

/// What is known of all transformations in the end.
struct Concluded {
    known: IdVec<TransformationId, Still>,
    /// Those that are told as in the earlier analysis.
    same: BTreeSet<TransformationKey>,
    /// So many warnings there were before anything was explained.
    warned: usize,
    /// JVMs that can go on with other tests.
    left: Vec<Session>,
}

/// Judges and explains those of the `transformations` that are `open` (they are all that `stages` have), and puts them beside what is
/// known.
fn concluded(
    stages: &Stages<'_>,
    transformations: &Transformations,
    mut known: Known,
    open: &[TransformationId],
    expected: &Expected,
    explained: &Explained,
    woven: Woven,
) -> Result<Concluded> {
    let mut same: BTreeSet<TransformationKey> = (transformations.transformations.iter().zip(&known))
        .filter(|(_, known)| known.is_some())
        .map(|(transformation, _)| transformation.key())
        .collect();
    let (judged, left) = stages.judge(expected, woven)?;
    let warned = stages.terminal.warnings().len();
    let (explanations, left) = stages.diagnose(&judged, explained, left)?;
    same.extend(explanations.iter().filter_map(|now| {
        let key = stages.transformations.transformations[now.diagnosis.transformation].key();
        explained.get(&key).is_some_and(|before| before.diagnosis.is_same(&now.diagnosis)).then_some(key)
    }));
    for (judged, id) in judged.into_iter().zip(open) {
        known[*id] = Some(Still { judged, explanation: None });
    }
    for mut explanation in explanations {
        // Those of `stages` are numbered by their places in `open`.
        let id = &mut explanation.diagnosis.transformation;
        let Some(of_all) = open.get(id.index()) else { continue };
        *id = *of_all;
        if let Some(known) = &mut known[*of_all] {
            known.explanation = Some(explanation);
        }
    }
    Ok(Concluded { known: known.into_iter().flatten().collect(), same, warned, left })
}

/// What the earlier analysis knows of the tests, before they run.
fn recall<'a>(
    input: &Input<'_>,
    earlier: Option<&'a Earlier>,
    transformations: &Transformations,
) -> Result<Option<Recall<'a>>> {
    let Some(Earlier { changes, kept }) = earlier else { return Ok(None) };
    // Why nothing is known is said where it costs verdicts.
    Ok(Recall::new(&kept.past, changes, input.build, transformations)?.ok())
}

/// What the earlier analysis knows and holds still.
fn holding(
    input: &Input<'_>,
    earlier: Option<&Earlier>,
    transformations: &Transformations,
    coverage: &Coverage,
) -> Result<Holding> {
    let nothing =
        || Holding { still: transformations.transformations.iter().map(|_| None).collect(), ..Holding::default() };
    let Some(Earlier { changes, kept }) = earlier else { return Ok(nothing()) };
    let holding = kept.past.holding(changes, input.build, transformations, coverage)?;
    Ok(holding.unwrap_or_else(|why| {
        tell_change(input.terminal, &why);
        nothing()
    }))
}

/// What is known of the transformations that are asked for, and of the others.
fn split(all: &Transformations, known: Known, wanted: &Transformations) -> (Known, Vec<(Transformation, Still)>) {
    let mut of_all: BTreeMap<TransformationKey, (&Transformation, Still)> = all
        .transformations
        .iter()
        .zip(known)
        .filter_map(|(transformation, known)| Some((transformation.key(), (transformation, known?))))
        .collect();
    let wanted = wanted.transformations.iter_enumerated().map(|(id, wanted)| {
        let (_, mut still) = of_all.remove(&wanted.key())?;
        // A part has numbers of its own.
        still.explanation.iter_mut().for_each(|explanation| explanation.diagnosis.transformation = id);
        Some(still)
    });
    let known = wanted.collect();
    (known, of_all.into_values().map(|(transformation, still)| (transformation.clone(), still)).collect())
}

fn tell_kept(terminal: &Terminal, known: &IdSlice<TransformationId, Option<Still>>) {
    let kept = known.iter().flatten().count();
    if kept > 0 {
        terminal.remark(&format!(
            "{kept} of {} keep their verdicts of the last analysis: nothing that has changed since can affect them (--no-history: analyze all).",
            count(known.len() as u64, "transformation")
        ));
    }
}

/// Says why no verdict of the last analysis is kept.
pub(super) fn tell_change(terminal: &Terminal, what: &str) {
    terminal.verbose(&format!("Everything is analyzed again. Another than in the last analysis: {what}"));
}

fn note_elsewhere(touched: &TouchedCode, build: &Build, terminal: &Terminal) {
    for file in &touched.elsewhere {
        let file = file.strip_prefix(&build.root).unwrap_or(file);
        terminal.verbose(&format!("{} is changed, and no source of what is analyzed", file.display()));
    }
}

/// The guards by which the launches, which have `all` of them woven in, know these.
fn guards(all: &Transformations, these: &Transformations) -> IdVec<TransformationId, Option<GuardId>> {
    let all = all.transformations.iter_enumerated();
    let guards: HashMap<TransformationKey, GuardId> =
        all.map(|(id, transformation)| (transformation.key(), GuardId::of(id))).collect();
    these.transformations.iter().map(|transformation| guards.get(&transformation.key()).copied()).collect()
}

/// Names of the transformations that were asked for.
fn names(settings: &Settings, selection: &Selection) -> Result<Vec<String>> {
    match &settings.transformations {
        Some(names) => Ok(names.clone()),
        None => {
            let mut names: Vec<String> = Vec::new();
            let selected: Vec<operators::Operator> = selection.operators()?;
            for operator in selected {
                if !names.contains(&operator.name) {
                    names.push(operator.name.clone());
                }
            }
            Ok(names)
        }
    }
}

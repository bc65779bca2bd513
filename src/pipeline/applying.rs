//! Proves patches of the last report again: in the sources and with the program as they are now.

use super::coverage::{Covered, covered};
use super::scratch::scratch_folder;
use crate::base::error::Result;
use crate::base::id::{IdVec, TransformationId};
use crate::base::jobs;
use crate::classfile::outlines::Outlines;
use crate::cli::Target;
use crate::code::Sources;
use crate::fix::{self, apply::ToProve};
use crate::instrument::javac::Compilers;
use crate::recipe::Build;
use crate::run::Pool;
use crate::terminal::Terminal;
use crate::transform::{Selection, Transformations, list};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The word that selects every transformation and disables every stop rule.
const ALL: &str = "all";

/// A patch to prove, with the names of a report.
pub(crate) struct PatchToProve {
    /// The test source that it changes; absolute.
    pub file: PathBuf,
    /// Edits of the source as it is now.
    pub edits: Vec<fix::edit::Edit>,
    /// Name of the test method with the new code.
    pub test: String,
    /// Test classes (binary names) that run the test.
    pub test_classes: BTreeSet<String>,
    /// Ids of the transformations that it has to make the tests notice.
    pub closes: BTreeSet<String>,
}

/// Proves patches together. Returns for each the reason why it does not hold, if it does not.
///
/// # Errors
/// Those of [`covered`], and if a compiler or worker cannot be started.
pub(crate) fn prove_patches(
    target: &Target,
    terminal: &Terminal,
    build: &Build,
    patches: &[PatchToProve],
) -> Result<Vec<Option<String>>> {
    let classes = build.compiled_classes()?;
    let selection = Selection::new(Some(vec![ALL.to_owned()]), vec![ALL.to_owned()])?;
    let wanted: BTreeSet<&str> = patches.iter().flat_map(|patch| &patch.closes).map(String::as_str).collect();
    let (transformations, numbers) = only(list(&classes, &selection)?, &wanted);
    let pool = Pool::new(jobs::by_default());
    let only =
        patches.iter().flat_map(|patch| &patch.test_classes).flat_map(|class| with_outer_classes(class)).collect();
    let outlines = Outlines::of(&classes)?;
    let mut covered = covered(target, &pool, terminal, build, &transformations, None, Some(&only))?;
    covered.ask_what_tests_call(build, &outlines, &transformations, terminal);
    let Covered { launches, coverage, .. } = covered;
    let (scratch, compilers, sources) = (scratch_folder()?, Compilers::default(), Sources::of(build));
    let stage = terminal.stage("Proving the patches in the tests as they are now", None);
    let input = fix::Input {
        build,
        launches: &launches,
        transformations: &transformations,
        coverage: &coverage,
        outlines: &outlines,
        sources: &sources,
        compilers: &compilers,
        budget: 0,
        jobs: coverage.jobs(pool.jobs()),
        pool: &pool,
        scratch: scratch.path(),
        tell: &|line| terminal.verbose(line),
    };
    // A change of a method that is gone has no number, and its patch is not to prove.
    let known: Vec<Option<ToProve>> = patches.iter().map(|patch| to_prove(patch, &numbers)).collect();
    let mut doubts = fix::apply::prove(&input, &known.iter().flatten().cloned().collect::<Vec<_>>())?.into_iter();
    stage.finish();
    let gone = || Some("the program has changed, and the method is no longer there".to_owned());
    Ok(known.iter().map(|known| if known.is_some() { doubts.next().flatten() } else { gone() }).collect())
}

/// The class and those around it, because the tests of a nested class run with its outer class.
fn with_outer_classes(class: &str) -> impl Iterator<Item = String> {
    let outer = class.match_indices('$').filter_map(|(end, _)| class.get(..end));
    outer.chain([class]).map(str::to_owned)
}

/// The transformations with these ids, and their numbers.
fn only(all: Transformations, wanted: &BTreeSet<&str>) -> (Transformations, BTreeMap<String, Vec<TransformationId>>) {
    let mut numbers: BTreeMap<String, Vec<TransformationId>> = BTreeMap::new();
    let mut transformations = IdVec::new();
    for transformation in &all.transformations {
        let id = all.id(transformation);
        if wanted.contains(id.as_str()) {
            numbers.entry(id).or_default().push(TransformationId::new(transformations.len()));
            transformations.push(transformation.clone());
        }
    }
    (
        Transformations { transformations, stopped: Vec::new(), methods: all.methods, unweavable: all.unweavable },
        numbers,
    )
}

/// `None` if the program no longer has one of the transformations.
fn to_prove(patch: &PatchToProve, numbers: &BTreeMap<String, Vec<TransformationId>>) -> Option<ToProve> {
    let mut closes = BTreeSet::new();
    for id in &patch.closes {
        closes.extend(numbers.get(id)?);
    }
    let PatchToProve { file, edits, test, test_classes, .. } = patch;
    let (file, edits, test) = (file.clone(), edits.clone(), test.clone());
    Some(ToProve { file, edits, test, test_classes: test_classes.clone(), closes })
}

//! The results of the last analysis, and which of them still hold after an edit.
//!
//! A verdict comes from runs of tests. Such a run would give the same result again if the tests and
//! their order are the same, and if they enter no method whose body has changed: neither on the
//! original code nor with the transformation.

use super::changed_tests::changed_tests;
use super::state::MethodBody;
use super::{Changes, KeptPatches};
use crate::base::error::Result;
use crate::base::id::{IdSlice, IdVec, MethodId, ModuleId, RecipeId, TestId, TransformationId, TransformationKey};
use crate::change::TestClassKey;
use crate::classfile::names;
use crate::cover::{Coverage, RecordedRuns, Test};
use crate::detect::{Basis, Expected, Judged, Kill, Ranking, Verdict, WholeClasses};
use crate::diagnose::{Diagnosis, Explanation};
use crate::recipe::{Build, TestLoader};
use crate::transform::{Method, Transformation, Transformations};
use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The results of an analysis, by its ids of methods and tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PastResults {
    methods: Vec<MethodIdentity>,
    /// Recipe, and the engine's identifier.
    tests: IdVec<TestId, (RecipeId, String)>,
    /// Methods that run only while classes are initialised.
    clean_start_methods: BTreeSet<MethodId>,
    found: Vec<StoredResult>,
    /// Warnings from instrumenting and observing the tests.
    pub warnings: Vec<String>,
    /// The runs on the original code, and the class loader they ran in; `None` if they predict nothing
    /// about later runs.
    #[serde(default)]
    pub(super) runs: IdVec<RecipeId, Option<(TestLoader, RecordedRuns)>>,
    #[serde(default)]
    patches: Vec<KeptPatches>,
}

/// The names by which a later analysis recognizes a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MethodIdentity {
    module: ModuleId,
    class: String,
    name: String,
    descriptor: String,
}

impl MethodIdentity {
    fn of(method: &Method) -> Self {
        Self {
            module: method.module,
            class: method.class.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredResult {
    method: MethodId,
    transformation: String,
    judged: Judged,
    explanation: Option<Explanation>,
}

/// A result of one transformation that still holds, with the ids of the new analysis.
#[derive(Clone, Debug)]
pub struct ReusableResult {
    pub judged: Judged,
    pub explanation: Option<Explanation>,
}

/// Explanations by transformation.
pub type Explained = HashMap<TransformationKey, Explanation>;

/// The results of the last analysis that still hold, and those that help to get new ones sooner.
#[derive(Clone, Debug, Default)]
pub struct ReusableResults {
    pub results: IdVec<TransformationId, Option<ReusableResult>>,
    /// The likely results of all other transformations.
    pub expected: Expected,
    /// The last explanations of transformations that are observed again, if new runs can be compared
    /// with them.
    pub explained: Explained,
    /// Patches of methods whose findings all still hold.
    pub patches: Vec<KeptPatches>,
    /// Patches of other methods that can be proven again. If they are [in vain](KeptPatches::is_in_vain),
    /// only as long as the explanations stay the same.
    pub doubtful: Vec<KeptPatches>,
}

impl PastResults {
    /// `explanations` are those of undetected transformations.
    #[must_use]
    pub fn new(
        transformations: &Transformations,
        coverage: &Coverage,
        judged: &IdSlice<TransformationId, Judged>,
        explanations: &[Explanation],
        warnings: Vec<String>,
    ) -> Self {
        let mut explained: BTreeMap<TransformationId, &Explanation> =
            explanations.iter().map(|explanation| (explanation.diagnosis.transformation, explanation)).collect();
        let found = transformations.transformations.iter_enumerated().zip(judged);
        let found = found.filter(|(_, judged)| judged.basis.entered.is_some()).map(|((id, transformation), judged)| {
            StoredResult {
                method: transformation.method,
                transformation: transformation.name.clone(),
                judged: judged.clone(),
                explanation: explained.remove(&id).cloned(),
            }
        });
        Self {
            methods: transformations.methods.iter().map(MethodIdentity::of).collect(),
            tests: coverage.tests.iter().map(|test| (test.recipe, test.id.clone())).collect(),
            clean_start_methods: coverage.clean_start_methods.iter().copied().collect(),
            found: found.collect(),
            warnings,
            runs: IdVec::new(),
            patches: Vec::new(),
        }
    }

    /// Adds the runs on the original code.
    #[must_use]
    pub fn with_runs(mut self, runs: IdVec<RecipeId, Option<(TestLoader, RecordedRuns)>>) -> Self {
        self.runs = runs;
        self
    }

    /// Adds the patches.
    #[must_use]
    pub fn with_patches(mut self, patches: Vec<KeptPatches>) -> Self {
        self.patches = patches;
        self
    }

    /// Adds results that still hold of transformations that this analysis leaves out.
    #[must_use]
    pub fn with(mut self, others: impl IntoIterator<Item = (Transformation, ReusableResult)>) -> Self {
        let others = others.into_iter().map(|(transformation, ReusableResult { judged, explanation })| StoredResult {
            method: transformation.method,
            transformation: transformation.name,
            judged,
            explanation,
        });
        self.found.extend(others);
        self
    }

    /// The results that still hold, or the reason why none does.
    ///
    /// # Errors
    /// If a class file of the tests cannot be read.
    pub fn reusable_results(
        &self,
        changes: &Changes,
        build: &Build,
        transformations: &Transformations,
        coverage: &Coverage,
    ) -> Result<std::result::Result<ReusableResults, String>> {
        let bodies = match self.changed_methods(changes, build, transformations) {
            Ok(bodies) => bodies,
            Err(why) => return Ok(Err(why)),
        };
        if let Some(method) = coverage.clean_start_methods.iter().find(|method| bodies.contains(method)) {
            let name = &transformations.methods[*method].name;
            return Ok(Err(format!("{name}, which runs while classes are initialised")));
        }
        let has_tests = coverage.tests.iter().map(|test| (test.recipe, test.class.as_str())).collect();
        let classes = match changed_tests(changes, build, &has_tests)? {
            Ok(classes) => classes,
            Err(why) => return Ok(Err(why)),
        };
        let numbers: HashMap<(RecipeId, &str), TestId> =
            coverage.tests.iter_enumerated().map(|(number, test)| ((test.recipe, test.id.as_str()), number)).collect();
        let now = NewAnalysis {
            numbers: self.tests.iter().map(|(recipe, id)| numbers.get(&(*recipe, id.as_str())).copied()).collect(),
            ranking: Ranking::new(transformations, coverage),
            whole_classes: WholeClasses::new(coverage),
            coverage,
            bodies,
            classes,
            sources: changes.sources.iter().map(PathBuf::as_path).collect(),
            lines: lines(changes, build),
        };
        let results = self.still_valid(&now, transformations);
        let (patches, doubtful) = self.reusable_patches(&now, changes, transformations, &results);
        Ok(Ok(ReusableResults {
            results,
            expected: self.expected(&now),
            explained: self.explained(&now, changes, build),
            patches,
            doubtful,
        }))
    }

    /// The results that still hold, for each transformation.
    fn still_valid(
        &self,
        now: &NewAnalysis<'_>,
        transformations: &Transformations,
    ) -> IdVec<TransformationId, Option<ReusableResult>> {
        let found: HashMap<(MethodId, &str), &StoredResult> =
            self.found.iter().map(|found| ((found.method, found.transformation.as_str()), found)).collect();
        let mut still = IdVec::with_capacity(transformations.transformations.len());
        for (id, transformation) in transformations.transformations.iter_enumerated() {
            let found = found.get(&(transformation.method, transformation.name.as_str()));
            still.push(found.and_then(|found| now.still(id, (*found).clone())));
        }
        still
    }

    /// The likely results of transformations that run again.
    fn expected(&self, now: &NewAnalysis<'_>) -> Expected {
        let mut expected = Expected::default();
        for StoredResult { method, transformation, judged: Judged { verdict, basis }, .. } in &self.found {
            let key = || TransformationKey::new(*method, transformation);
            let test = verdict.kill().and_then(|kill| now.now(kill.test));
            // If only a run of all tests showed it, only such a run shows it again. And if tests have
            // changed, an earlier one may detect it now.
            if let Some(test) = test.filter(|_| basis.is_prefix && now.classes.is_empty()) {
                expected.noticed.insert(key(), test);
            }
            if let (Verdict::TimedOut(_), Some(test)) = (verdict, test) {
                expected.late.insert(key(), test);
            }
            if verdict.is_undetected() {
                expected.undetected.insert(key());
            }
        }
        expected
    }

    /// The explanations to compare with new runs. None if a source of the tests has changed, because
    /// then expressions have other ids.
    fn explained(&self, now: &NewAnalysis<'_>, changes: &Changes, build: &Build) -> Explained {
        if !now.classes.is_empty() || changes.has_other_tests(build) {
            return Explained::new();
        }
        self.found.iter().filter_map(|found| now.explained(found)).collect()
    }

    /// The patches that still hold, and the other ones that can be verified again.
    fn reusable_patches(
        &self,
        now: &NewAnalysis<'_>,
        changes: &Changes,
        transformations: &Transformations,
        still: &IdSlice<TransformationId, Option<ReusableResult>>,
    ) -> (Vec<KeptPatches>, Vec<KeptPatches>) {
        let mut valid_findings: HashSet<(MethodId, &str)> = HashSet::new();
        for (transformation, result) in transformations.transformations.iter().zip(still) {
            if result.is_some() {
                valid_findings.insert((transformation.method, transformation.name.as_str()));
            }
        }
        let class = |method: MethodId| transformations.methods.get(method).map(|method| method.class.as_str());
        let edited: HashSet<&str> = now.bodies.iter().filter_map(|body| class(*body)).collect();
        let is_edited = |method: MethodId| class(method).is_none_or(|class| edited.contains(class));
        let (mut valid, mut doubtful) = (Vec::new(), Vec::new());
        for patches in &self.patches {
            if patches.findings().all(|finding| valid_findings.contains(&finding))
                && patches.holds(changes, &now.bodies, &now.classes)
            {
                valid.push(patches.clone());
            } else if patches.can_be_proven(&now.classes)
                || patches.stays_in_vain(changes, is_edited(patches.method()), &now.classes)
            {
                doubtful.push(patches.clone());
            }
        }
        (valid, doubtful)
    }

    /// The methods whose bodies have changed, or the reason why that is not the whole change.
    pub(super) fn changed_methods(
        &self,
        changes: &Changes,
        build: &Build,
        transformations: &Transformations,
    ) -> std::result::Result<BTreeSet<MethodId>, String> {
        if !transformations.methods.iter().map(MethodIdentity::of).eq(self.methods.iter().cloned()) {
            return Err("the list of methods".to_owned());
        }
        let folders = build.class_folders();
        let known: HashMap<MethodBody, MethodId> = (transformations.methods.iter_enumerated())
            .filter_map(|(number, method)| {
                let folder = folders.get(method.module)?;
                let file = folder.join(format!("{}.class", method.class.replace('.', "/")));
                Some((MethodBody { file, method: format!("{}{}", method.name, method.descriptor) }, number))
            })
            .collect();
        let mut bodies = BTreeSet::new();
        for body in &changes.bodies {
            let name = || format!("{} of {}", body.method, body.file.display());
            let number =
                *known.get(body).ok_or_else(|| format!("{}, of which it is not known which tests run it", name()))?;
            if self.clean_start_methods.contains(&number) {
                return Err(format!("{}, which runs while classes are initialised", name()));
            }
            bodies.insert(number);
        }
        Ok(bodies)
    }
}

/// A test has become slower if it takes this much longer than one and a half times its last time: times
/// vary that much.
const CLOSE_MILLISECONDS: u64 = 20;

/// The new analysis, with which the old results are compared.
struct NewAnalysis<'a> {
    /// The new id of each test of the last analysis.
    numbers: IdVec<TestId, Option<TestId>>,
    ranking: Ranking<'a>,
    whole_classes: WholeClasses<'a>,
    coverage: &'a Coverage,
    bodies: BTreeSet<MethodId>,
    classes: BTreeSet<TestClassKey>,
    sources: Vec<&'a Path>,
    /// By class of the code: the new lines of bodies that have not changed.
    lines: HashMap<String, &'a BTreeMap<u16, u16>>,
}

fn lines<'a>(changes: &'a Changes, build: &Build) -> HashMap<String, &'a BTreeMap<u16, u16>> {
    let folders = build.class_folders();
    let class = |file: &Path| {
        let path = folders.iter().find_map(|folder| file.strip_prefix(folder).ok())?;
        Some(names::binary(&path.with_extension("").to_string_lossy()))
    };
    changes.lines.iter().filter_map(|(file, lines)| Some((class(file)?, lines))).collect()
}

impl NewAnalysis<'_> {
    fn still(&self, id: TransformationId, found: StoredResult) -> Option<ReusableResult> {
        let StoredResult { method, mut judged, mut explanation, .. } = found;
        let basis = &mut judged.basis;
        let entered = basis.entered.as_ref()?;
        if self.bodies.contains(&method) {
            return None;
        }
        let is_entered = self.enters_change(entered);
        basis.tests = self.renumbered(&basis.tests)?;
        let tests = self.ranking.tests(method);
        let are_same = match basis.tests[..] {
            // A test that detects it alone does so whatever the other tests do.
            [only] if basis.is_prefix => tests.contains(&only),
            _ if basis.is_prefix => tests.starts_with(&basis.tests),
            _ => tests == basis.tests,
        };
        basis.beside = self.renumbered(&basis.beside)?;
        let is_change = |test: &Test| self.classes.contains(&TestClassKey::new(test.recipe, &test.class));
        if !are_same
            || basis.only_clean != self.ranking.only_clean(method, &tests)
            || !self.are_beside(basis)
            || basis.all_tests().filter_map(|test| self.coverage.tests.get(test)).any(is_change)
        {
            return None;
        }
        if is_entered || basis.all_tests().any(|test| self.test_enters_change(test)) {
            self.decide_by_transformed(basis)?;
        }
        match &mut judged.verdict {
            Verdict::Detected(kill) | Verdict::TimedOut(kill) => self.renumber(kill)?,
            Verdict::Undetected { skipped, sometimes } => {
                *skipped = self.renumbered(skipped)?;
                *sometimes = self.renumbered(sometimes)?;
            }
            // Nothing ran, or something went wrong: try again.
            Verdict::NotCovered | Verdict::Quarantined | Verdict::FailedToRun(_) => return None,
        }
        // Without its diagnosis, an undetected transformation is not finished.
        if judged.verdict.is_undetected() != explanation.is_some() {
            return None;
        }
        if let Some(explanation) = &mut explanation {
            explanation.diagnosis.transformation = id;
            self.bring_explanation_up_to_date(explanation)?;
        }
        Some(ReusableResult { judged, explanation })
    }

    /// The explanation to compare with new runs, with new lines; `None` if some line is unknown, or if
    /// any test has another id.
    fn explained(&self, found: &StoredResult) -> Option<(TransformationKey, Explanation)> {
        let mut explanation = found.explanation.clone()?;
        if !self.numbers.iter_enumerated().all(|(then, now)| *now == Some(then)) {
            return None;
        }
        self.bring_explanation_up_to_date(&mut explanation)?;
        Some((TransformationKey::new(found.method, &found.transformation), explanation))
    }

    /// Drops the result of the first runs if only its ids or lines are unknown.
    fn bring_explanation_up_to_date(&self, Explanation { diagnosis, first }: &mut Explanation) -> Option<()> {
        self.bring_up_to_date(diagnosis)?;
        if first.as_mut().is_some_and(|first| self.bring_up_to_date(&mut first.diagnosis).is_none()) {
            *first = None;
        }
        Some(())
    }

    /// Replaces ids of tests and lines of sources by the new ones. `None` if one of them is unknown.
    fn bring_up_to_date(&self, diagnosis: &mut Diagnosis) -> Option<()> {
        let of_evidence = diagnosis.evidence.iter_mut().map(|evidence| &mut evidence.test);
        for test in of_evidence.chain(diagnosis.calls.iter_mut().map(|call| &mut call.test)) {
            *test = self.now(*test)?;
        }
        self.move_lines(diagnosis)
    }

    /// Whether a verdict that took whole classes would take the same other tests of them now.
    fn are_beside(&self, basis: &Basis) -> bool {
        if basis.is_prefix {
            return true;
        }
        let all: BTreeSet<TestId> = basis.all_tests().collect();
        self.whole_classes.around(&basis.tests).into_iter().eq(all)
    }

    fn enters_change(&self, entered: &FixedBitSet) -> bool {
        self.bodies.iter().any(|body| entered.contains(body.index()))
    }

    fn test_enters_change(&self, test: TestId) -> bool {
        self.ranking.entered_by(test).iter().any(|method| self.bodies.contains(method))
    }

    /// Keeps a verdict if its tests enter changed code only on the original side: with the transformation
    /// they would do the same again, and on the original code they still pass, else they would not be
    /// used. `None` if that does not decide, or if the last test takes longer now.
    fn decide_by_transformed(&self, basis: &mut Basis) -> Option<()> {
        let transformed = basis.transformed.as_ref().filter(|transformed| !self.enters_change(transformed))?;
        let milliseconds = basis.tests.last().map_or(0, |test| self.coverage.cpu_and_wall_milliseconds(*test).0);
        if milliseconds > basis.milliseconds + basis.milliseconds / 2 + CLOSE_MILLISECONDS {
            return None;
        }
        let mut entered = transformed.clone();
        for test in basis.all_tests() {
            self.ranking.entered_by(test).iter().for_each(|method| entered.grow_and_insert(method.index()));
        }
        basis.entered = Some(entered);
        Some(())
    }

    fn now(&self, test: TestId) -> Option<TestId> {
        self.numbers.get(test).copied().flatten()
    }

    fn renumber(&self, kill: &mut Kill) -> Option<()> {
        kill.test = self.now(kill.test)?;
        Some(())
    }

    fn renumbered(&self, tests: &[TestId]) -> Option<Vec<TestId>> {
        tests.iter().map(|test| self.now(*test)).collect()
    }

    /// Replaces lines in changed sources by the new ones; `None` if one is unknown.
    fn move_lines(&self, diagnosis: &mut Diagnosis) -> Option<()> {
        let is_other = |file: &OsStr| self.sources.iter().any(|source| source.file_name() == Some(file));
        // Places in changed tests are unknown.
        let mut files = diagnosis.evidence.iter().filter_map(|evidence| evidence.file.as_deref()?.file_name());
        if files.any(is_other) {
            return None;
        }
        let of_evidence = diagnosis.evidence.iter_mut().map(|evidence| &mut evidence.stack);
        for frame in of_evidence.chain(diagnosis.calls.iter_mut().map(|call| &mut call.stack)).flatten() {
            if let (Some(file), Some(line)) = (&frame.file, &mut frame.line)
                && is_other(OsStr::new(file))
            {
                *line = u32::from(*self.lines.get(&frame.class)?.get(&u16::try_from(*line).ok()?)?);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;

//! Results of the previous analysis that still hold for the transformations of this run.

use crate::base::id::{GuardId, IdVec, TransformationId, TransformationKey};
use crate::detect::{Expected, Judged};
use crate::diagnose::Explanation;
use crate::history::{Explained, KeptPatches, ReusableResult, ReusableResults};
use crate::terminal::Terminal;
use crate::text::words::count;
use crate::transform::{Transformation, Transformations};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The results that still hold, and the transformations that have none.
pub(super) struct Recalled {
    /// For each transformation of this run, the result that still holds.
    known: IdVec<TransformationId, Option<ReusableResult>>,
    /// Results of transformations that are not part of this run.
    pub others: Vec<(Transformation, ReusableResult)>,
    /// The id in this run of each open transformation, which is one without a result that holds.
    open: IdVec<TransformationId, TransformationId>,
    pub open_transformations: Transformations,
    /// The guards of the open transformations in the woven classes.
    pub open_guards: IdVec<TransformationId, Option<GuardId>>,
    /// The likely verdicts on open transformations.
    pub expected: Expected,
    /// Explanations that hold if the first runs of this analysis confirm them.
    pub explained: Explained,
    /// Patches of methods whose findings all hold.
    pub patches: Vec<KeptPatches>,
    /// Patches of other methods, to be proven again.
    pub doubtful_patches: Vec<KeptPatches>,
}

impl Recalled {
    /// Nothing holds: every transformation of this run is open.
    pub(super) fn nothing(all: &Transformations, of_run: &Transformations) -> Self {
        Self::new(
            ReusableResults {
                results: IdVec::from_vec(vec![None; all.transformations.len()]),
                ..ReusableResults::default()
            },
            all,
            of_run,
        )
    }

    /// `all` are the transformations that are woven into the classes, which `reusable` is about;
    /// `of_run` are those that this run analyzes.
    pub(super) fn new(reusable: ReusableResults, all: &Transformations, of_run: &Transformations) -> Self {
        let ReusableResults { results: reusable_results, expected, explained, patches, doubtful } = reusable;
        let mut results: BTreeMap<TransformationKey, (&Transformation, ReusableResult)> = BTreeMap::new();
        for (transformation, result) in all.transformations.iter().zip(reusable_results) {
            if let Some(result) = result {
                results.insert(transformation.key(), (transformation, result));
            }
        }
        let mut known = IdVec::with_capacity(of_run.transformations.len());
        let mut open = IdVec::new();
        for (id, transformation) in of_run.transformations.iter_enumerated() {
            let mut result = results.remove(&transformation.key()).map(|(_, result)| result);
            match &mut result {
                // The ids of this run differ from those of all transformations.
                Some(ReusableResult { explanation: Some(explanation), .. }) => {
                    explanation.diagnosis.transformation = id
                }
                Some(_) => {}
                None => {
                    open.push(id);
                }
            }
            known.push(result);
        }
        let others = results.into_values().map(|(transformation, result)| (transformation.clone(), result)).collect();
        let open_transformations = of_run.these(&open.raw);
        let open_guards = guards(all, &open_transformations);
        Self {
            known,
            others,
            open,
            open_transformations,
            open_guards,
            expected,
            explained,
            patches,
            doubtful_patches: doubtful,
        }
    }

    /// Says how many verdicts are reused.
    pub(super) fn report(&self, terminal: &Terminal) {
        let kept = self.known.iter().flatten().count();
        if kept == 0 {
            return;
        }
        terminal.remark(&format!(
            "{kept} of {} keep their verdicts of the last analysis: nothing that has changed since can affect them (--no-history: analyze all).",
            count(self.known.len() as u64, "transformation")
        ));
    }

    /// The transformations whose verdict and explanation are those of the previous analysis.
    pub(super) fn unchanged(
        &self,
        of_run: &Transformations,
        explanations: &[Explanation],
    ) -> BTreeSet<TransformationKey> {
        let mut unchanged = BTreeSet::new();
        for (transformation, result) in of_run.transformations.iter().zip(&self.known) {
            if result.is_some() {
                unchanged.insert(transformation.key());
            }
        }
        for Explanation { diagnosis, .. } in explanations {
            let key = self.open_transformations.transformations[diagnosis.transformation].key();
            if self.explained.get(&key).is_some_and(|previous| previous.diagnosis.is_same(diagnosis)) {
                unchanged.insert(key);
            }
        }
        unchanged
    }

    /// The transformations of this run with a result, and their results, which have new ids. Only after an interrupt,
    /// some have none. `judged` has the verdicts on the open transformations, and `explanations` those of the
    /// undetected ones among them.
    pub(super) fn completed_by(
        &self,
        judged: IdVec<TransformationId, Option<Judged>>,
        explanations: Vec<Explanation>,
    ) -> (Vec<TransformationId>, IdVec<TransformationId, ReusableResult>) {
        let mut results = self.known.clone();
        for (judged, id) in judged.into_iter().zip(&self.open) {
            results[*id] = judged.map(|judged| ReusableResult { judged, explanation: None });
        }
        for mut explanation in explanations {
            let id = self.open[explanation.diagnosis.transformation];
            explanation.diagnosis.transformation = id;
            if let Some(result) = &mut results[id] {
                result.explanation = Some(explanation);
            }
        }
        let (mut ids, mut completed) = (Vec::with_capacity(results.len()), IdVec::with_capacity(results.len()));
        for (id, result) in results.into_iter_enumerated() {
            let Some(mut result) = result else { continue };
            if let Some(explanation) = &mut result.explanation {
                explanation.diagnosis.transformation = completed.next_idx();
            }
            ids.push(id);
            completed.push(result);
        }
        (ids, completed)
    }
}

/// The guards of `some` transformations in the woven classes, which have guards for `all` of them.
fn guards(all: &Transformations, some: &Transformations) -> IdVec<TransformationId, Option<GuardId>> {
    let mut guards: HashMap<TransformationKey, GuardId> = HashMap::new();
    for (id, transformation) in all.transformations.iter_enumerated() {
        guards.insert(transformation.key(), GuardId::of(id));
    }
    some.transformations.iter().map(|transformation| guards.get(&transformation.key()).copied()).collect()
}

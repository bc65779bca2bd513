//! The stage: for each recipe, keeps the patches that still hold, proves doubtful ones again, and
//! searches the rest.

use crate::base::error::Result;
use crate::base::id::RecipeId;
use crate::diagnose::Diagnosis;
use crate::fix::case::{MethodFindings, by_method};
use crate::fix::input::Input;
use crate::fix::outcome::{MethodOutcome, tests_of};
use crate::fix::patching::patch_methods;
use crate::fix::prove::with_kept::{open_files, prove_in_place, proven_again};
use crate::fix::source::library::Library;
use crate::fix::trial::workshop::Workshop;
use crate::instrument::javac::Compiler;
use crate::jvm::client::Launch;
use crate::recipe::Recipe;
use crate::recipe::launch::tune_clean_starts;
use crate::text::words::count;
use crate::transform::plan;
use std::collections::BTreeSet;

/// The outcomes of methods in an earlier analysis.
#[derive(Clone, Debug, Default)]
pub struct EarlierOutcomes {
    /// Outcomes that still hold, each by itself.
    pub kept: Vec<MethodOutcome>,
    /// Outcomes whose patches were proven and have to be proven again. They may also have findings
    /// that were searched without result.
    pub doubtful: Vec<MethodOutcome>,
}

/// Searches and proves patches for all diagnoses. Returns one outcome for each method with
/// findings.
///
/// An earlier outcome is kept if the method has the same findings. Ends all JVMs of the pool.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn fix(input: &Input<'_>, diagnoses: &[Diagnosis], earlier: &EarlierOutcomes) -> Result<Vec<MethodOutcome>> {
    let methods = by_method(input.transformations, input.coverage, diagnoses);
    let mut stage = Stage { input, methods: &methods, earlier, proven_again: 0 };
    let mut all: Vec<MethodOutcome> = Vec::new();
    for ((id, recipe), launch) in input.build.recipes.iter_enumerated().zip(input.launches) {
        let outcomes = stage.of_recipe(id, recipe, launch, &all)?;
        all.extend(outcomes);
    }
    stage.tell_kept(&all);
    Ok(all)
}

/// The launch for tests that are tried: with all transformations woven in.
pub fn trial_launch(input: &Input<'_>, recipe: &Recipe, launch: &Launch) -> Launch {
    let mut launch = launch.clone();
    tune_clean_starts(&mut launch, recipe);
    launch.start.weave = plan::plan(input.transformations, &BTreeSet::new(), &input.build.seen_by(recipe));
    launch
}

struct Stage<'a> {
    input: &'a Input<'a>,
    methods: &'a [MethodFindings<'a>],
    earlier: &'a EarlierOutcomes,
    /// The number of methods whose patches were proven again.
    proven_again: usize,
}

impl Stage<'_> {
    /// The outcomes of methods whose tests belong to this recipe. `others` are those of other recipes.
    fn of_recipe(
        &mut self,
        id: RecipeId,
        recipe: &Recipe,
        launch: &Launch,
        others: &[MethodOutcome],
    ) -> Result<Vec<MethodOutcome>> {
        let kept = self.with_same_findings(&self.earlier.kept, id);
        if self.without_outcome(&kept, id).is_empty() && open_files(&kept).is_empty() {
            return Ok(kept);
        }
        let launch = trial_launch(self.input, recipe, launch);
        let compilers = self.input.compilers;
        compilers.with(&recipe.java_home, self.input.scratch, |compiler| {
            self.with_compiler(id, recipe, launch, compiler, kept, others)
        })
    }

    fn with_compiler(
        &mut self,
        id: RecipeId,
        recipe: &Recipe,
        launch: Launch,
        compiler: &mut Compiler,
        kept: Vec<MethodOutcome>,
        others: &[MethodOutcome],
    ) -> Result<Vec<MethodOutcome>> {
        let input = self.input;
        let scratch = input.scratch.join(id.to_string());
        let mut workshop = Workshop::open(input, recipe, launch, &scratch, compiler)?;
        let mut library = Library::new(input.coverage, input.sources, &recipe.test_source_roots);
        let doubtful = self.with_same_findings(&self.earlier.doubtful, id);
        let again = proven_again(&mut workshop, &mut library, &kept, doubtful)?;
        self.proven_again += again.len();
        let mut outcomes = [kept, again].concat();
        let open = self.without_outcome(&outcomes, id);
        if !open.is_empty() {
            let taken = tests_of(outcomes.iter().chain(others));
            outcomes.extend(patch_methods(input, &mut workshop, &mut library, &open, taken)?);
        }
        outcomes.sort_by_key(|outcome| outcome.method);
        prove_in_place(&mut workshop, &mut library, &mut outcomes, &BTreeSet::new())?;
        // The JVMs of one recipe do not stay while those of another recipe run.
        input.pool.keep(0);
        Ok(outcomes)
    }

    /// The outcomes whose methods have the same findings today, with tests of this recipe.
    fn with_same_findings(&self, outcomes: &[MethodOutcome], recipe: RecipeId) -> Vec<MethodOutcome> {
        let is_same = |outcome: &&MethodOutcome| {
            self.methods.iter().any(|findings| findings.recipe == recipe && findings.has(outcome))
        };
        outcomes.iter().filter(is_same).cloned().collect()
    }

    /// The methods, with tests of this recipe, that have no outcome yet.
    fn without_outcome(&self, outcomes: &[MethodOutcome], recipe: RecipeId) -> Vec<&MethodFindings<'_>> {
        let is_open = |findings: &&MethodFindings<'_>| outcomes.iter().all(|outcome| outcome.method != findings.id);
        self.methods.iter().filter(|findings| findings.recipe == recipe).filter(is_open).collect()
    }

    fn tell_kept(&self, all: &[MethodOutcome]) {
        let EarlierOutcomes { kept, doubtful } = self.earlier;
        if kept.is_empty() && doubtful.is_empty() {
            return;
        }
        let is_kept = |outcome: &&MethodOutcome| kept.iter().any(|kept| kept.method == outcome.method);
        let still = all.iter().filter(is_kept).count();
        let methods = count(self.methods.len() as u64, "method");
        let again = self.proven_again;
        (self.input.tell)(&format!(
            "{still} of {methods} with findings keep their patches, those of {again} are proven anew"
        ));
    }
}

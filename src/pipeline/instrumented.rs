//! The tests with a probe in each expression. An analysis instruments them once: ahead of time if there
//! is a second job, else when a stage needs them first.

use super::scratch::scratch_folder;
use crate::base::error::Result;
use crate::base::id::{ExpressionId, IdVec, RecipeId};
use crate::cli::Target;
use crate::instrument::javac::Compilers;
use crate::instrument::{Instrumented, instrument, instrument_or_recall};
use crate::jvm::client::probe_classes;
use crate::recipe::Build;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The instrumented tests of a build. Dropping them deletes their class files.
#[derive(Debug)]
pub(super) struct InstrumentedTests {
    pub all: Instrumented,
    pub of_recipes: IdVec<RecipeId, InstrumentedRecipe>,
    _scratch: TempDir,
}

/// The instrumented tests of one recipe.
#[derive(Debug)]
pub(super) struct InstrumentedRecipe {
    /// The folder of the instrumented test classes. `None` if no class was instrumented.
    pub classes: Option<PathBuf>,
    /// The first expression of the recipe.
    pub first_expression: ExpressionId,
    /// The number of expressions.
    pub expressions: u32,
}

impl InstrumentedTests {
    /// Instruments the tests of each recipe, or reuses those that the last analysis instrumented.
    /// `compilers` stay alive for later stages that compile; without them, the compilers end here.
    fn new(compilers: Option<&Compilers>, target: &Target, build: &Build) -> Result<Self> {
        let own = Compilers::default();
        let compilers = compilers.unwrap_or(&own);
        let scratch = scratch_folder()?;
        let mut of_recipes = IdVec::new();
        let mut instrumented: Vec<Instrumented> = Vec::new();
        let mut first_expression = ExpressionId(0);
        for (number, recipe) in build.recipes.iter_enumerated() {
            let instrument = if target.history { instrument_or_recall } else { instrument };
            let folder = scratch.path().join(number.to_string());
            let part = instrument(compilers, recipe, &folder, &probe_classes(&recipe.java_home)?)?;
            let expressions = part.expressions.next_idx().0;
            of_recipes.push(InstrumentedRecipe { classes: part.classes.clone(), first_expression, expressions });
            first_expression = ExpressionId(first_expression.0 + expressions);
            instrumented.push(part);
        }
        Ok(Self { all: Instrumented::join(instrumented), of_recipes, _scratch: scratch })
    }
}

/// The tests of an analysis, which the first caller instruments.
#[derive(Debug, Default)]
pub(super) struct LazyInstrumentedTests {
    made: OnceLock<InstrumentedTests>,
    making: Mutex<()>,
}

impl LazyInstrumentedTests {
    /// The tests, if they are instrumented. Does not wait for a thread that is instrumenting them.
    pub(super) fn get(&self) -> Option<&InstrumentedTests> {
        self.made.get()
    }

    /// Returns the tests, and instruments them if necessary. If another thread is instrumenting them,
    /// waits for it, and tries again if that thread failed.
    ///
    /// # Errors
    /// Those of [`InstrumentedTests::new`].
    pub(super) fn make(
        &self,
        compilers: Option<&Compilers>,
        target: &Target,
        build: &Build,
    ) -> Result<&InstrumentedTests> {
        let _lock = self.making.lock();
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = InstrumentedTests::new(compilers, target, build)?;
        Ok(self.made.get_or_init(|| made))
    }
}

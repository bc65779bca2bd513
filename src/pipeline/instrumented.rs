//! From the build to its tests with a probe in each expression: once in an analysis, and beside whatever runs before they are needed where there is a second job.

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

/// The tests of a build, instrumented; their class files are gone with this.
#[derive(Debug)]
pub(super) struct InstrumentedTests {
    pub all: Instrumented,
    pub parts: IdVec<RecipeId, Part>,
    _scratch: TempDir,
}

/// Of one recipe.
#[derive(Debug)]
pub(super) struct Part {
    /// What takes the place of its test classes.
    pub classes: Option<PathBuf>,
    /// The number of its first expression.
    pub first_expression: ExpressionId,
    /// How many expressions it has.
    pub expressions: u32,
}

impl InstrumentedTests {
    /// Instruments the tests of each recipe, or takes what the last analysis made of them. `compilers` are those of who compiles afterwards, if anybody.
    fn new(compilers: Option<&Compilers>, target: &Target, build: &Build) -> Result<Self> {
        let own = Compilers::default();
        let compilers = compilers.unwrap_or(&own);
        let scratch = scratch_folder()?;
        let mut parts = IdVec::new();
        let mut instrumented: Vec<Instrumented> = Vec::new();
        let mut first_expression = ExpressionId(0);
        for (number, recipe) in build.recipes.iter_enumerated() {
            let instrument = if target.history { instrument_or_recall } else { instrument };
            let folder = scratch.path().join(number.to_string());
            let part = instrument(compilers, recipe, &folder, &probe_classes(&recipe.java_home)?)?;
            let expressions = part.expressions.next_idx().0;
            parts.push(Part { classes: part.classes.clone(), first_expression, expressions });
            first_expression = ExpressionId(first_expression.0 + expressions);
            instrumented.push(part);
        }
        Ok(Self { all: Instrumented::join(instrumented), parts, _scratch: scratch })
    }
}

/// The tests of an analysis: instrumented once, by whoever needs them first or sees to it ahead.
#[derive(Debug, Default)]
pub(super) struct Once {
    made: OnceLock<InstrumentedTests>,
    making: Mutex<()>,
}

impl Once {
    /// Those that are made; nobody waits for them.
    pub(super) fn get(&self) -> Option<&InstrumentedTests> {
        self.made.get()
    }

    /// Waits for who makes them already. What failed there is done again.
    ///
    /// # Errors
    /// Those of [`InstrumentedTests::new`].
    pub(super) fn make(
        &self,
        compilers: Option<&Compilers>,
        target: &Target,
        build: &Build,
    ) -> Result<&InstrumentedTests> {
        let _nobody_else = self.making.lock();
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = InstrumentedTests::new(compilers, target, build)?;
        Ok(self.made.get_or_init(|| made))
    }
}

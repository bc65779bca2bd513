//! Instruments test sources so that every expression reports its value, and lists those
//! expressions.

mod blame;
mod cache;
mod compile;
#[cfg(test)]
mod compile_tests;
mod compiler;
mod context;
pub mod finder;
#[cfg(test)]
mod finder_tests;
mod foreign;
mod names;
mod options;
mod other_languages;
mod pipe;
pub mod place;
mod positions;
mod probed_file;
mod sources;
mod syntax;
mod test_method;
pub mod weave;

pub use cache::instrument_or_recall;
pub use compile::instrument;
pub use names::is_assertion;
pub use positions::Lines;
pub use syntax::modifiers;

/// The compiler, for other stages that change tests.
pub mod javac {
    pub use super::compiler::{Compiler, Compilers, Pass, Source, compiler_classes};
    pub use super::options::{Processing, into, options};
    pub use super::positions::Utf16;
}

use crate::base::id::{ExpressionId, IdVec, RecipeId};
use crate::text::words::top_level;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One probed place of the test sources. Lines and columns count from 1; columns count characters;
/// the end is exclusive.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Expression {
    /// Absolute path of the test source.
    pub file: PathBuf,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// Source text, as in the file.
    pub text: String,
    pub kind: ExpressionKind,
    /// Name of the enclosing method, if there is one.
    pub method: Option<String>,
    /// Whether it may be evaluated again, by the same test or by another one: in a loop, in a
    /// lambda or a class inside of a method, in a method that is no test or that other classes
    /// inherit. The source alone does not show whether a test runs with several parameters.
    pub repeats: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum ExpressionKind {
    /// An ordinary expression.
    Value,
    /// A statement whose value is not used (`builder.add(1);`).
    Discarded,
    /// The parameter of a catch clause.
    Caught,
    /// An exception that leaves a test method (`@Test(expected = …)`, rules, extensions).
    Thrown,
    /// An argument of an assertion, or part of one: the test already checks it.
    Asserted,
}

/// The result of the instrumentation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Instrumented {
    /// The index is the number that the probe passes.
    pub expressions: IdVec<ExpressionId, Expression>,
    /// Folder of the compiled, instrumented test classes, which replace the project's own.
    pub classes: Option<PathBuf>,
    pub counts: ProbeCounts,
    /// Number of expressions that are not probed, by reason; for the log.
    pub unprobed: BTreeMap<String, usize>,
    /// Sources that could not be instrumented at all, and the reasons; for the log and the report.
    pub left_out: Vec<(PathBuf, String)>,
    /// For each recipe, the top-level classes (binary names) whose sources are instrumented.
    pub watched: IdVec<RecipeId, BTreeSet<String>>,
    /// Binary names of test classes that the project has and the instrumented sources did not yield
    /// (only of files that were compiled), and the reverse; for the log. Both are empty if the same
    /// sources were compiled.
    pub missing_classes: Vec<String>,
    pub extra_classes: Vec<String>,
    /// Number of compilations until javac had nothing to complain about; for the log.
    pub passes: usize,
}

impl Instrumented {
    /// The source of this test class (binary name) and the reason, if nothing of that source is
    /// observed.
    #[must_use]
    pub fn unseen(&self, class: &str) -> Option<(&Path, &str)> {
        let top = top_level(class).replace('.', "/");
        let simple = top.rsplit('/').next().unwrap_or(&top);
        let is_of_class = |file: &Path| {
            let is_java = file.extension().is_some_and(|extension| extension == "java");
            // A source in another language may lie outside of the folder of its package.
            file.with_extension("").ends_with(&top) || !is_java && file.file_stem().is_some_and(|stem| stem == simple)
        };
        let (file, reason) = self.left_out.iter().find(|(file, _)| is_of_class(file))?;
        Some((file, reason))
    }

    /// Whether the tests of this recipe run the class (binary name) without any probe. A class that
    /// is compiled with none counts as watched if its source has nothing to be probed.
    #[must_use]
    pub fn is_unwatched(&self, recipe: RecipeId, class: &str) -> bool {
        self.watched.get(recipe).is_some_and(|watched| !watched.contains(top_level(class)))
    }

    /// Joins the results for several recipes into one, with expressions numbered through. The class
    /// folders stay apart.
    #[must_use]
    pub fn join(parts: Vec<Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.expressions.extend(part.expressions);
            all.counts.wrapped += part.counts.wrapped;
            all.counts.by_rule += part.counts.by_rule;
            all.counts.refused += part.counts.refused;
            for (reason, count) in part.unprobed {
                *all.unprobed.entry(reason).or_default() += count;
            }
            all.left_out.extend(part.left_out);
            all.watched.extend(part.watched);
            all.missing_classes.extend(part.missing_classes);
            all.extra_classes.extend(part.extra_classes);
            all.passes += part.passes;
        }
        all
    }
}

/// Numbers of expressions: wrapped, not wrapped by rule, and given up because the compiler refused.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ProbeCounts {
    pub wrapped: usize,
    pub by_rule: usize,
    pub refused: usize,
}

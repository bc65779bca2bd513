//! The Java code that a suggestion prints, in a form that can be compiled where it belongs.

use crate::base::id::RecipeId;
use std::path::PathBuf;

/// Statements for a test. Placeholders are filled in, so that javac can judge them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The recipe whose tests it belongs to.
    pub recipe: RecipeId,
    pub place: SnippetPlace,
    /// Without the last semicolon.
    pub code: String,
    /// Classes (binary names) that the code may name without their packages.
    pub classes: Vec<String>,
}

/// The place where the code of a suggestion belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnippetPlace {
    /// Before the statement with the expression at this position of a test source.
    Before { file: PathBuf, line: u32, column: u32 },
    /// In the block of the catch clause whose parameter is at this position.
    Caught { file: PathBuf, line: u32, column: u32 },
    /// In a new test.
    NewTest {
        package: String,
        /// A source of tests that are written alike.
        like: Option<PathBuf>,
        /// Names and types (binary names) of the variables that the reader has to provide.
        variables: Vec<(String, String)>,
    },
}

/// The code of a suggestion, and its words if the code does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedCode {
    pub snippet: Snippet,
    /// The brief and the whole text without the code.
    pub(super) words: (String, String),
}

impl PrintedCode {
    /// Whether a text of an earlier analysis has the code. `None` if it is about something else.
    /// `with_code` is the text of this analysis. An earlier text may go on behind it.
    #[must_use]
    pub fn is_in(&self, with_code: &str, earlier: &str) -> Option<bool> {
        if earlier.starts_with(with_code) {
            return Some(true);
        }
        let (_, without_code) = &self.words;
        earlier.starts_with(without_code.as_str()).then_some(false)
    }
}

impl Snippet {
    /// The same code, which may also name these classes.
    pub(super) fn naming<'n>(mut self, classes: impl IntoIterator<Item = &'n str>) -> Self {
        self.classes.extend(classes.into_iter().map(|class| class.trim_end_matches("[]").to_owned()));
        self
    }
}

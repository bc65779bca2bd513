//! Turns a diagnosis into suggestions in plain words: what to write, where, and with which expected
//! value.

mod assert_more;
mod assert_value;
mod assertion;
mod call_directly;
mod call_site;
mod call_through;
mod case;
mod caught_exception;
mod code_place;
mod expect_exception;
mod finding;
mod home;
mod keep_discarded;
mod no_entry_point;
mod other_boolean;
mod other_result;
mod place;
mod read_state;
mod snippet;
mod thrown_exception;
mod undecided;
mod unequal_objects;
mod void_never_acts;

pub(crate) mod rules;

#[cfg(test)]
pub(crate) mod example;

pub(crate) use assertion::{Comparison, comparison};
pub(crate) use finding::{is_expression, is_literal};
pub(crate) use home::{covering_tests_by_closeness, own_test_file};
pub(crate) use rules::RuleText;
pub use snippet::{PrintedCode, Snippet, SnippetPlace};

use crate::base::error::{Error, Result};
use crate::base::id::TestId;
use crate::code::{Sources, Structure};
use crate::cover::Coverage;
use crate::diagnose::Diagnosis;
use crate::transform::Transformations;
use finding::Finding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How far a suggestion can be trusted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Only text.
    Hint,
    /// Code without a complete proof.
    Draft,
    /// Code whose proof holds completely.
    Verified,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Suggestion {
    /// The file in `rules/suggestions`, without its extension.
    pub rule: String,
    pub trust: Trust,
    /// What to do, in one short line, for lists and terminals. The same kind of text as `text`.
    pub brief: String,
    /// Plain text with Markdown code spans only. Everything from the project is already escaped.
    pub text: String,
    /// Methods to call from a test: `org.example.Stack.isEmpty()`.
    pub entry_points: Vec<String>,
    /// Methods that read the state that differs: `org.example.Stack.size()`.
    pub accessors: Vec<String>,
    /// The file in which the new code belongs.
    pub file: Option<PathBuf>,
    pub line: Option<u32>,
    /// Unified diff; always `None` while `trust` is `Hint`.
    pub patch: Option<String>,
    /// The code that the texts print, if they print any that can be compiled.
    #[serde(skip)]
    pub code: Option<PrintedCode>,
}

/// The input of this stage besides the diagnosis.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    pub structure: &'a dyn Structure,
    pub sources: &'a Sources,
}

/// Most suggestions for one transformation: nobody reads a fourth one.
const MOST: usize = 3;

/// The suggestions for one undetected transformation, most useful first: at least one, at most
/// three. `skipped` are the tests that the transformation skips, sorted.
///
/// # Errors
/// Only if reneri has a bug: if the diagnosis does not belong to the input, or a rule's text cannot
/// be read.
pub fn suggest(input: &Input<'_>, diagnosis: &Diagnosis, skipped: &[TestId]) -> Result<Vec<Suggestion>> {
    let finding = Finding::new(input, diagnosis, skipped).ok_or_else(|| {
        Error::bug(format!("A diagnosis names transformation {}, which does not exist.", diagnosis.transformation))
    })?;
    let mut filled = Vec::new();
    for rule in rules::RULES {
        for text in (rule.apply)(&finding) {
            filled.push((text.rank, rule.name, text));
        }
    }
    // The sort is stable: rules with the same rank keep the order of the registry.
    filled.sort_by_key(|(rank, ..)| *rank);
    let mut suggestions: Vec<Suggestion> = Vec::with_capacity(MOST);
    for (_, rule, filled) in filled {
        if suggestions.len() == MOST {
            break;
        }
        let (brief, text) = rules::render(rule, &filled.values)?;
        let words = || rules::render(rule, &code_place::without_code(&finding, &filled));
        let code = match &filled.snippet {
            Some(snippet) => Some(PrintedCode { snippet: snippet.clone(), words: words()? }),
            None => None,
        };
        // Two expressions on one line may lead to the same words.
        if suggestions.iter().any(|other| other.text == text) {
            continue;
        }
        suggestions.push(Suggestion {
            rule: rule.to_owned(),
            trust: Trust::Hint,
            brief,
            text,
            entry_points: filled.entry_points,
            accessors: filled.accessors,
            file: filled.file,
            line: filled.line,
            patch: None,
            code,
        });
    }
    Ok(suggestions)
}

/// Takes the code out of the suggestions at these indices, because it does not compile.
pub fn leave_code_out(suggestions: &mut Vec<Suggestion>, indices: &BTreeSet<usize>) {
    for (_, suggestion) in suggestions.iter_mut().enumerate().filter(|(index, _)| indices.contains(index)) {
        if let Some(PrintedCode { words: (brief, text), .. }) = suggestion.code.take() {
            (suggestion.brief, suggestion.text) = (brief, text);
        }
    }
    // Without their code, two suggestions may have the same words.
    let mut texts = BTreeSet::new();
    suggestions.retain(|suggestion| texts.insert(suggestion.text.clone()));
}

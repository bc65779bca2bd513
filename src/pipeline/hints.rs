//! Has the code in suggestions compiled, and leaves out what does not compile.

use super::observation::Stages;
use super::scratch::scratch_folder;
use crate::base::error::Result;
use crate::base::interrupt;
use crate::diagnose::Diagnosis;
use crate::fix::Attempt;
use crate::fix::hints::{HintInput, refused};
use crate::instrument::javac::Compilers;
use crate::report::Report;
use crate::suggest::{self, PrintedCode, Snippet, Suggestion, leave_code_out};
use crate::text::words::count;
use std::collections::{BTreeSet, HashMap};

/// The suggestions of the previous analysis, by the ids of their transformations.
pub(super) struct Known<'r> {
    texts: HashMap<&'r str, Vec<&'r str>>,
}

impl<'r> Known<'r> {
    pub(super) fn of(report: Option<&'r Report>) -> Self {
        let mut texts: HashMap<&str, Vec<&str>> = HashMap::new();
        for entry in report.into_iter().flat_map(|report| &report.transformations) {
            let of_entry = entry.suggestions.iter().map(|suggestion| suggestion.text.as_str());
            texts.entry(entry.id.as_str()).or_default().extend(of_entry);
        }
        Self { texts }
    }
}

/// The index of a diagnosis, and of one of its suggestions.
type Place = (usize, usize);

/// Suggestions whose code is to be compiled. There is an attempt at a patch for each diagnosis.
pub(super) struct Hints<'a> {
    pub stages: &'a Stages<'a>,
    pub code: &'a suggest::Input<'a>,
    pub diagnoses: &'a [Diagnosis],
    pub attempts: &'a [Attempt],
    pub known: Known<'a>,
}

impl Hints<'_> {
    /// Leaves code that does not compile out of the suggestions: a list for each diagnosis.
    ///
    /// Without a search for patches, nothing is compiled, and all code stays.
    pub(super) fn leave_out_what_does_not_compile(&self, suggestions: &mut [Vec<Suggestion>]) -> Result<()> {
        let Some(compilers) = self.stages.compilers else { return Ok(()) };
        let mut left_out: BTreeSet<Place> = BTreeSet::new();
        let mut open: Vec<(Place, &Snippet)> = Vec::new();
        for (number, of_diagnosis) in suggestions.iter().enumerate() {
            for (index, suggestion) in of_diagnosis.iter().enumerate() {
                let Some(printed) = &suggestion.code else { continue };
                match self.compiles(number, suggestion, printed) {
                    Some(true) => {}
                    Some(false) => drop(left_out.insert((number, index))),
                    None => open.push(((number, index), &printed.snippet)),
                }
            }
        }
        left_out.extend(self.refused(compilers, &open)?);
        for (number, suggestions) in suggestions.iter_mut().enumerate() {
            let indices = left_out.iter().filter(|(diagnosis, _)| *diagnosis == number).map(|(_, index)| *index);
            leave_code_out(suggestions, &indices.collect());
        }
        Ok(())
    }

    /// Whether the code compiles, if that is known: from the previous analysis, or because it is the code
    /// of a patch.
    fn compiles(&self, diagnosis: usize, suggestion: &Suggestion, printed: &PrintedCode) -> Option<bool> {
        let patch = self.attempts.get(diagnosis).and_then(|attempt| attempt.patch.as_ref());
        if patch.is_some_and(|patch| patch.code.trim_end_matches(';') == printed.snippet.code) {
            return Some(true);
        }
        let transformations = self.code.transformations;
        let transformation = transformations.transformations.get(self.diagnoses.get(diagnosis)?.transformation)?;
        let texts = self.known.texts.get(transformations.id(transformation).as_str())?;
        texts.iter().find_map(|earlier| printed.is_in(&suggestion.text, earlier))
    }

    /// The places of the code that does not compile.
    fn refused(&self, compilers: &Compilers, open: &[(Place, &Snippet)]) -> Result<Vec<Place>> {
        if open.is_empty() {
            return Ok(Vec::new());
        }
        // Nothing can be compiled after an interrupt, so no code is shown that may not compile.
        let all = || open.iter().map(|(place, _)| *place).collect();
        if interrupt::is_interrupted() {
            return Ok(all());
        }
        let Stages { build, coverage, terminal, .. } = *self.stages;
        let scratch = scratch_folder()?;
        let (scratch, threads) = (scratch.path(), self.stages.jobs());
        let input = HintInput { build, coverage, sources: self.code.sources, compilers, scratch, threads };
        let snippets: Vec<&Snippet> = open.iter().map(|(_, snippet)| *snippet).collect();
        let refused = refused(&input, &snippets);
        if interrupt::is_interrupted() {
            return Ok(all());
        }
        match refused {
            Err(error) if interrupt::ends_run(&error) => Err(error),
            // All code stays, as without a search for patches.
            Err(error) => {
                terminal.verbose(&format!("The code in suggestions could not be compiled. {}", error.what));
                Ok(Vec::new())
            }
            Ok(refused) => {
                let refused: Vec<&(Place, &Snippet)> =
                    refused.into_iter().filter_map(|index| open.get(index)).collect();
                let total = count(open.len() as u64, "suggestion");
                terminal.verbose(&format!("The code of {total} was compiled, that of {} does not", refused.len()));
                for (_, snippet) in &refused {
                    terminal.verbose(&format!("Code of a suggestion does not compile: {}", snippet.code));
                }
                Ok(refused.into_iter().map(|(place, _)| *place).collect())
            }
        }
    }
}

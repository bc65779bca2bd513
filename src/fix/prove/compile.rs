//! Compiles drafts, each in a test of its own, and leaves out those that do not compile.

use crate::base::error::Result;
use crate::fix::edit::{Edit, apply};
use crate::fix::source::imports::{NewImport, import_edits};
use crate::fix::source::test_source::TestSource;
use crate::fix::source::test_sources::TestSources;
use crate::fix::trial::test_name::tried_name;
use crate::fix::trial::workshop::{Complaint, Workshop};
use crate::fix::write::draft::Draft;
use std::path::{Path, PathBuf};

/// The folder of the classes in which each draft has a test of its own, and the drafts that
/// compile. `None` if no draft compiles.
pub fn compile_drafts(
    workshop: &mut Workshop<'_>,
    sources: &TestSources,
    drafts: &[Draft],
) -> Result<Option<(PathBuf, Vec<usize>)>> {
    let folder = workshop.folder()?;
    let mut parts: Vec<Part<'_>> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let own = drafts.iter().enumerate().filter(|(_, draft)| draft.place.source == number);
        parts.push(Part { source, drafts: own.collect(), spans: Vec::new() });
    }
    parts.retain(|part| !part.drafts.is_empty());
    let paths: Vec<&Path> = parts.iter().map(|part| part.source.path.as_path()).collect();
    let compiles = workshop.compile_each(&folder, &paths, |part, complaints| parts.get_mut(part)?.next(complaints))?;
    let compiled = parts.iter().zip(compiles).filter(|(_, compiles)| *compiles);
    let mut compiled: Vec<usize> = compiled.flat_map(|(part, _)| &part.drafts).map(|(draft, _)| *draft).collect();
    compiled.sort_unstable();
    Ok(if compiled.is_empty() { None } else { Some((folder, compiled)) })
}

/// A source with its drafts.
struct Part<'s> {
    source: &'s TestSource,
    /// The drafts that are left, with their indices.
    drafts: Vec<(usize, &'s Draft)>,
    /// The places of the drafts in the text that was compiled last.
    spans: Vec<Span>,
}

/// The bytes of a changed source that belong to a draft.
struct Span {
    start: usize,
    end: usize,
    draft: usize,
}

impl Part<'_> {
    /// The text to compile next. `None` if the complaints blame no draft, or no draft is left.
    fn next(&mut self, complaints: &[Complaint]) -> Option<String> {
        let is_better = complaints.is_empty() || self.drop_blamed(complaints);
        if !is_better || self.drafts.is_empty() {
            return None;
        }
        let (text, spans) = weave(self.source, &self.drafts);
        self.spans = spans;
        Some(text)
    }

    /// Drops the drafts that the complaints blame. Returns whether there are any.
    fn drop_blamed(&mut self, complaints: &[Complaint]) -> bool {
        let before = self.drafts.len();
        for complaint in complaints {
            let at = complaint.byte.unwrap_or(0);
            match self.spans.iter().find(|span| span.start <= at && at < span.end) {
                Some(span) => self.drafts.retain(|(draft, _)| *draft != span.draft),
                // An import of a class that does not exist, for example. Which draft wants it is
                // unknown, so all drafts with imports go.
                None => self.drafts.retain(|(_, draft)| draft.imports.is_empty()),
            }
        }
        self.drafts.len() != before
    }
}

/// The source with each draft in a copy of its test, and the places of the drafts.
fn weave(source: &TestSource, drafts: &[(usize, &Draft)]) -> (String, Vec<Span>) {
    let imports: Vec<NewImport> = drafts.iter().flat_map(|(_, draft)| draft.imports.iter().cloned()).collect();
    let mut tests: Vec<(usize, usize, String)> = Vec::new();
    for (index, draft) in drafts {
        let Some(method) = source.methods.get(draft.place.position) else { continue };
        let declaration = &draft.declaration;
        let name = tried_name(*index);
        let text = format!("\n{}{name}{}\n", declaration.before_name, declaration.after_name);
        tests.push((method.end, *index, text));
    }
    tests.sort_by_key(|(at, ..)| *at);
    let mut edits: Vec<Edit> = import_edits(source, &imports);
    let mut moved: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut spans = Vec::new();
    for (at, draft, text) in tests {
        spans.push(Span { start: at + moved, end: at + moved + text.len(), draft });
        moved += text.len();
        edits.push(Edit::insert(at, text));
    }
    (apply(&source.text, &edits).unwrap_or_default(), spans)
}

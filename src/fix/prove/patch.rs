//! The patch that a proven draft becomes.

use crate::base::id::TransformationId;
use crate::code::Sources;
use crate::fix::edit;
use crate::fix::outcome::Patch;
use crate::fix::prove::alone::Proof;
use crate::fix::prove::choice::doubt;
use crate::fix::source::test_sources::TestSources;
use crate::fix::write::draft::Draft;
use crate::suggest::Trust;
use crate::text::words::short_class;
use std::collections::BTreeSet;

/// The patch for one transformation. `test_classes` run the patched test. `None` if the diff does not
/// lead to the source that was proven.
pub fn make_patch(
    files: &Sources,
    sources: &TestSources,
    draft: &Draft,
    proof: &Proof,
    test_classes: &BTreeSet<String>,
    transformation: TransformationId,
) -> Option<Patch> {
    let (source, method) = sources.method(draft.place)?;
    let path = files.relative(&source.path)?;
    let after = edit::apply(&source.text, &draft.edits)?;
    let (old, new) = (source.form.marked(&source.text), source.form.marked(&after));
    let diff = edit::diff(&path, &old, &new);
    edit::fits(&diff, &old, &new).then_some(())?;
    let class = source.types.get(method.in_type).map(|class| short_class(&class.class))?;
    let first = draft.edits.iter().map(|edit| edit.start).filter(|start| *start >= method.start).min()?;
    let line = source.text.get(..first)?.matches('\n').count();
    let because = doubt(draft, proof);
    Some(Patch {
        trust: if because.is_none() { Trust::Verified } else { Trust::Draft },
        technique: draft.technique.to_owned(),
        test: format!("{class}.{}", draft.test),
        file: source.path.clone(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        code: draft.code.trim_end_matches(';').to_owned(),
        content: source.content.clone(),
        encoding: source.form.name(),
        test_classes: test_classes.clone(),
        new_lines: edit::new_lines(&diff),
        diff,
        also_closes: proof.closes.iter().copied().filter(|other| *other != transformation).collect(),
        because,
        strange: draft.strange.clone(),
    })
}

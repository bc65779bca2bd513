//! From the way to a method to the line of the program that calls it: what stands there says what its result is for, and what it needs.

use super::finding::Finding;
use crate::observe::Frame;
use minijinja::{Value, context};

/// File, line and text of the call, and whether another class makes it; nothing where a test calls the method itself, or the source is not there.
pub(super) fn call_site(finding: &Finding<'_>, stack: &[Frame]) -> Value {
    found(finding, stack).unwrap_or_else(|| Value::from(()))
}

fn found(finding: &Finding<'_>, stack: &[Frame]) -> Option<Value> {
    let is_method = |frame: &Frame| frame.class == finding.method.class && frame.method == finding.method.name;
    // A method may call itself: who called it first is what counts.
    let caller = stack.iter().rev().find(|frame| !is_method(frame))?;
    let line = caller.line?;
    let file = finding.input.sources.main_file_of(&caller.class, caller.file.as_deref())?;
    let source = finding.input.sources.line(&file, line)?;
    Some(context! {
        file => file.file_name()?.to_string_lossy(),
        line => line,
        source => source,
        elsewhere => caller.class != finding.method.class,
    })
}

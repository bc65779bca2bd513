//! Finds the line of the program that calls a method. It shows what the result is used for and what
//! the method needs.

use super::finding::Finding;
use crate::observe::Frame;
use minijinja::{Value, context};

/// File, line and text of the call, and whether it is in another class. Undefined if a test calls
/// the method itself or the source is missing.
pub(super) fn call_site(finding: &Finding<'_>, stack: &[Frame]) -> Value {
    found(finding, stack).unwrap_or_else(|| Value::from(()))
}

fn found(finding: &Finding<'_>, stack: &[Frame]) -> Option<Value> {
    let is_method = |frame: &Frame| frame.class == finding.method.class && frame.method == finding.method.name;
    // A recursive method calls itself; the first call from outside counts.
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

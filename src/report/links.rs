//! Markdown values for templates, and links from a report to the files of the project.

use crate::text::escape::{self, code};
use minijinja::Value;

/// Marks finished Markdown, so that no template escapes it again.
pub(super) fn md(text: impl Into<String>) -> Value {
    Value::from_safe_string(text.into())
}

/// The relative path from the report to the project; `None` if there is none, and then nothing is
/// linked.
pub(super) struct Links<'a>(pub Option<&'a str>);

impl Links<'_> {
    /// `[src/main/java/Foo.java:12](../../src/main/java/Foo.java#L12)`, with `label` in the code
    /// span.
    pub fn to(&self, file: &str, line: Option<u32>, label: &str) -> String {
        let label = code(label);
        match self.0 {
            None => label,
            Some(base) => {
                let anchor = line.map(|line| format!("#L{line}")).unwrap_or_default();
                format!("[{label}]({base}{}{anchor})", escape::link_target(file))
            }
        }
    }

    pub fn to_place(&self, file: &str, line: Option<u32>) -> String {
        let name = file.rsplit('/').next().unwrap_or(file);
        match line {
            Some(line) => self.to(file, Some(line), &format!("{name}:{line}")),
            None => self.to(file, None, name),
        }
    }
}

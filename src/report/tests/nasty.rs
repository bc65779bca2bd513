//! Builds reports from texts that would be interpreted in one of the formats if they were not
//! escaped.

use super::versioned_set::VersionedSet;
use crate::diagnose::Symptom;
use crate::report::{Report, identity};

/// Texts that may occur as a value, the name of a Kotlin method, a line of source, or a message.
pub const NASTY: &[&str] = &[
    "x</details>\n\n# heading",
    "a|b",
    "a\\|b\\",
    "```\n```java",
    "`tick` ``two``",
    "``",
    " padded ",
    "<script>alert(1)</script>",
    "<!-- comment",
    "<details><summary>",
    "&lt;b&gt; &#124;",
    "[text](http://example.org) ![image](x)",
    "[text]: http://example.org",
    "http://example.org www.example.org a@example.org @someone #12",
    "**bold** _italic_ ~~gone~~ \\*",
    "| a | b |\n|---|---|\n| c | d |",
    "- item\n1. item\n> quote\n---\n===",
    "{{ 7 * 7 }} {% raw %} {# #}",
    "\u{202e}txt.exe\u{2066}\u{200b}\u{0}\u{7}\r\n\t",
    "$x$ $$y$$ :smile: [^1] [ ] [x]",
    "a method named by Kotlin (with brackets)",
];

/// Replaces every text of the project under test by `text`.
pub fn with_every_text(report: &Report, text: &str) -> Report {
    const OURS: [&str; 12] = [
        "at",
        "part",
        "status",
        "symptom",
        "studySymptom",
        "visibility",
        "trust",
        "rule",
        "brief",
        "version",
        "expressionKind",
        "shortId",
    ];
    fn replace(value: &mut serde_json::Value, text: &str) {
        match value {
            serde_json::Value::String(old) => *old = text.to_owned(),
            serde_json::Value::Array(items) => items.iter_mut().for_each(|item| replace(item, text)),
            serde_json::Value::Object(keys) => {
                // The Markdown of a suggestion is ours; tests of the rules cover the texts inside
                // it.
                let is_suggestion = keys.contains_key("trust");
                for (key, value) in keys.iter_mut() {
                    let is_ours = OURS.contains(&key.as_str())
                        || (is_suggestion && key == "text")
                        // Descriptors keep methods apart, and constants are words of Descartes.
                        || matches!(key.as_str(), "descriptor" | "transformation");
                    if key == "method" {
                        // Keeps different values different, because findings are grouped by it.
                        let old = value.as_str().unwrap_or_default().to_owned();
                        *value = format!("{text}{old}").into();
                    } else if !is_ours {
                        replace(value, text);
                    }
                }
            }
            _ => {}
        }
    }
    let mut value = serde_json::to_value(report).unwrap();
    replace(&mut value["transformations"], text);
    replace(&mut value["tests"], text);
    value["project"]["name"] = text.into();
    serde_json::from_value(value).unwrap()
}

/// A report with everything that can occur in one: folded findings, an undecided one, and several
/// transformations in one finding.
pub fn large_report() -> (VersionedSet, Report) {
    let project = VersionedSet::new();
    let mut report = project.report();
    let undetected: Vec<_> = report.transformations.iter().filter(|entry| entry.symptom.is_some()).cloned().collect();
    for number in 0..6 {
        for entry in &undetected {
            let mut entry = entry.clone();
            entry.method = format!("{}{number}", entry.method);
            if number == 0 {
                entry.symptom = Some(Symptom::Undecided);
                entry.undecided_because = Some("no two runs were alike".into());
            }
            if entry.symptom == Some(Symptom::WeakOracle) {
                let mut other = entry.clone();
                other.transformation = "null".into();
                report.transformations.push(other);
            }
            report.transformations.push(entry);
        }
    }
    for entry in &mut report.transformations {
        entry.id = format!("{}.{}{}/{}", entry.class, entry.method, entry.descriptor, entry.transformation);
    }
    identity::fill_in(&mut report.transformations);
    (project, report)
}

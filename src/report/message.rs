//! Describes a finding in a few sentences, for formats without room for tables.

use super::links::Links;
use super::order::Finding;
use super::phrases;
use super::plain::plain;
use super::symptoms::word;
use super::values;
use crate::diagnose::Symptom;
use crate::text::escape;
use crate::text::words;

pub(super) struct Message {
    pub symptom: Symptom,
    /// One line of plain text.
    pub title: String,
    /// Sentences in Markdown, the advice last.
    sentences: Vec<String>,
}

impl Message {
    /// Describes the finding. `None` for a finding without a transformation, which does not occur.
    pub fn of(finding: &Finding<'_>) -> Option<Self> {
        let first = finding.first()?;
        let symptom = first.symptom.unwrap_or(Symptom::Undecided);
        let method = escape::code_short(&words::short_method(&first.class, &first.method, &first.descriptor), 160);
        let did = phrases::did(&finding.entries);
        let new = if first.is_new() { ", new" } else { "" };
        let links = Links(None);
        let mut sentences = vec![
            format!("With {method} {did}, {}.", phrases::passing(first)),
            format!("{}.", phrases::because(first, symptom, &links)),
        ];
        sentences
            .extend(first.evidence.first().map(|evidence| values::difference_in_words(&finding.entries, evidence)));
        sentences.extend(
            first.suggestions.first().map(|suggestion| format!("What to do: {}", phrases::advice(suggestion, &links))),
        );
        Some(Self {
            symptom,
            title: format!("{}{new}: {} with {} {}", word(symptom), phrases::claim(first), plain(&method), plain(&did)),
            sentences,
        })
    }

    pub fn markdown(&self) -> String {
        self.sentences.join("\n\n")
    }

    /// Plain text with one sentence per line.
    pub fn text(&self) -> String {
        self.sentences.iter().map(|sentence| plain(sentence)).collect::<Vec<_>>().join("\n")
    }
}

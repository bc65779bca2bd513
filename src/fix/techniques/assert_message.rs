//! Assert the message of an exception that a test sees (`rules/fixes/assert-message.toml`).

use crate::diagnose::{At, Diagnosis};
use crate::fix::source::test_sources::TestSources;
use crate::fix::techniques::message::Message;
use crate::fix::techniques::technique::Technique;
use crate::instrument::ExpressionKind;
use crate::observe::Part;
use crate::suggest::is_literal;
use std::collections::BTreeSet;

pub const TECHNIQUE: Technique = Technique {
    of_evidence: Some(unread_messages),
    ..Technique::new("assert-message", include_str!("../../../rules/fixes/assert-message.toml"))
};

/// Messages of exceptions that a test sees, and that differ under a transformation.
fn unread_messages<'a>(sources: &TestSources, diagnoses: &[&'a Diagnosis]) -> Vec<Message<'a>> {
    let mut found: Vec<Message<'a>> = Vec::new();
    for diagnosis in diagnoses {
        for evidence in
            diagnosis.evidence.iter().filter(|evidence| evidence.at == At::Test && evidence.path == ".message")
        {
            let kind = evidence.expression_kind;
            let source = evidence.file.as_deref().and_then(|file| sources.number_of(file));
            let byte = source.and_then(|source| sources.get(source)?.byte_of(evidence.line, evidence.column));
            let text =
                evidence.original.as_deref().filter(|text| is_literal(text) && !text.contains('…') && *text != "null");
            let is_exception = matches!(evidence.part, Part::Exception | Part::Expression)
                && matches!(kind, Some(ExpressionKind::Caught | ExpressionKind::Thrown));
            let (Some(source), Some(byte), Some(text), true) = (source, byte, text, is_exception) else { continue };
            let variable = evidence.expression.as_deref().filter(|_| kind == Some(ExpressionKind::Caught));
            match found.iter_mut().find(|one| one.source == source && one.byte == byte && one.text == text) {
                Some(one) => {
                    one.shown_for.insert(diagnosis.transformation);
                }
                None => {
                    let shown_for = BTreeSet::from([diagnosis.transformation]);
                    found.push(Message { technique: TECHNIQUE.name, source, byte, variable, text, shown_for });
                }
            }
        }
    }
    found
}

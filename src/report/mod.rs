//! Writes reports: Markdown for people, JSON for programs, a summary for the terminal, and the
//! formats of CI services.

mod accept;
mod assemble;
mod baseline;
mod bodies;
mod diff;
mod elements;
mod entry;
mod files;
mod findings;
mod flow;
mod format;
mod github;
mod gitlab;
mod html;
mod identity;
mod json;
mod links;
mod markdown;
mod merge;
mod mermaid;
mod message;
pub(crate) mod model;
mod order;
mod page;
mod patch_suggestion;
mod phrases;
mod picture;
mod plain;
mod read;
mod sarif;
mod scope;
mod single;
mod summary;
mod symptoms;
mod template;
mod values;
mod view;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use accept::{Acceptance, Which, accept, today};
pub(crate) use assemble::{assemble, probes};
pub(crate) use baseline::{BaselineReport, compare};
pub(crate) use findings::Findings;
pub(crate) use format::{Annotations, Format};
pub(crate) use identity::short_ids;
pub use json::SCHEMA;
pub(crate) use merge::merge;
pub(crate) use model::{Interrupted, Probes, Report, Scope, Settings, Shard};
pub(crate) use order::open_entries;
pub use read::read;
pub(crate) use single::{find, ids, single};
pub(crate) use summary::summary;
pub(crate) use symptoms::{SymptomText, symptom_texts, word};
pub(crate) use write::{check_place, put, remove, write};

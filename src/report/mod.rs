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
pub mod model;
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

pub use accept::{Acceptance, Which, accept, today};
pub use assemble::{assemble, probes};
pub use baseline::{BaselineReport, compare};
pub use findings::Findings;
pub use format::{Annotations, Format};
pub use identity::short_ids;
pub use json::{SCHEMA, json};
pub use markdown::{comment, link_base, markdown};
pub use merge::merge;
pub use model::{Probes, Report, Scope, Settings, Shard};
pub use order::open_entries;
pub use read::read;
pub use single::{find, ids, single};
pub use summary::summary;
pub use symptoms::{SymptomText, symptom_texts, word};
pub use write::{WrittenReports, put, remove, write};

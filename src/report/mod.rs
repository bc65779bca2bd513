//! From what the stages found to reports: Markdown for people, JSON for programs, a few lines for the terminal.

mod assemble;
mod diff;
mod json;
mod markdown;
pub mod model;
mod order;
mod summary;
mod symptoms;
mod view;

#[cfg(test)]
mod tests;

pub use assemble::{Findings, assemble};
pub use json::{SCHEMA, json};
pub use markdown::{link_base, markdown};
pub use model::{Report, Settings};
pub use summary::summary;
pub use symptoms::{SymptomText, symptom_texts};

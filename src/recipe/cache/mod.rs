//! Maven's last answer, and the class files of edited sources, so that most runs need no Maven.

mod answer;
mod comparison;
pub(super) mod incremental;
mod refusal;
mod source_set;

pub(super) use answer::{AnswerCache, CachedAnswer};
pub(super) use refusal::Refusal;

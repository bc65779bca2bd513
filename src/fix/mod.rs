//! Patches for tests: finds an assertion that shows a finding, writes it, and proves it by running
//! it.
//!
//! The way of a patch through the folders: `source/` reads the tests, `techniques/` and `values/`
//! say what to look at, `search/` chooses candidates, `trial/` runs them on both sides, `write/`
//! makes drafts of what differs, and `prove/` says which drafts hold.

pub mod apply;
pub mod edit;
pub mod hints;

mod candidate;
mod case;
mod expected;
mod input;
mod long_text;
mod look;
mod outcome;
mod patching;
mod prove;
mod rules;
mod search;
mod source;
mod stage;
mod subject;
mod techniques;
#[cfg(test)]
mod test_coin;
mod trial;
mod values;
mod write;

pub use input::Input;
pub use outcome::{Attempt, FailedSearch, Finding, MethodOutcome, Patch, PlacedPatch};
pub use rules::{FixText, fix_texts};
pub use stage::{EarlierOutcomes, fix};

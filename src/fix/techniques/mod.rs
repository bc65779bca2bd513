//! The registry of techniques: ways to find expressions that may show a difference no test notices.
//!
//! To add one, write `rules/fixes/NAME.toml` and a file here that has its `TECHNIQUE`, and list it
//! below.

mod assert_message;
mod call_here;
mod call_sequence;
mod callers;
mod capture_output;
mod compare_unequal;
pub(in crate::fix) mod message;
mod new_input;
mod outside;
mod path;
mod reachable_state;
mod readers;
mod repeat_call;
pub(in crate::fix) mod scope;
pub(in crate::fix) mod technique;
pub(in crate::fix) mod vary_input;
mod verify_call;

use crate::fix::techniques::technique::Technique;

/// All techniques, in the order in which their expressions are tried: the one that changes least
/// first. An expression that several techniques find belongs to the first of them. The order does
/// not choose between patches: [`crate::fix::write::draft::Rank`] does.
pub static TECHNIQUES: &[Technique] = &[
    call_here::TECHNIQUE,
    reachable_state::TECHNIQUE,
    verify_call::TECHNIQUE,
    compare_unequal::TECHNIQUE,
    new_input::TECHNIQUE,
    capture_output::TECHNIQUE,
    call_sequence::TECHNIQUE,
    assert_message::TECHNIQUE,
    repeat_call::TECHNIQUE,
    vary_input::TECHNIQUE,
];

//! Patches of a report, in sources that may have changed since: places them by their context, and
//! proves them again.

mod anchor;
pub mod destination;
mod groups;
mod place;
mod prove;

pub use place::{Asked, Placing, place, source};
pub use prove::{ToProve, prove};

//! The house rules for the source, checked on its syntax trees: which folder may import which, no circles, ids with types.
//!
//! This is a program of its own, because it needs nothing of reneri: it compiles and runs in seconds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod circles;
mod decisions;
mod floors;
mod functions;
mod ids;
mod imports;
mod links;
mod map;
mod opening;
mod source;

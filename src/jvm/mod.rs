//! The process boundary: a worker is this binary, started again with a JVM inside. Knows class files and names of tests,
//! but no stage.
//!
//! * Both sides: [`protocol`].
//! * The coordinator: [`client`], [`process`], [`driver_sources`], [`temporary`].
//! * The worker: [`worker`] serves requests; [`lifeline`] ends it with the coordinator; `hook` replaces class files while the JVM loads them; `natives` receives the
//!   calls of probes and drivers, and `recorder` keeps what they report; `state` reads objects by their `shape`. Only
//!   `environment` and its callers in these files contain unsafe code.

mod agents;
pub mod allocator;
mod atom;
mod bounds;
pub mod client;
mod collection;
pub mod driver_sources;
mod environment;
mod exceptions;
mod hook;
pub mod lifeline;
mod natives;
mod output;
mod outside;
pub mod process;
pub mod protocol;
mod recorder;
mod runtime;
mod shape;
mod source;
mod stack;
mod state;
mod template;
pub mod temporary;
mod usage;
pub mod worker;

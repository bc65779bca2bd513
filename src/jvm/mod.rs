//! The process boundary: a worker is this binary started again with a JVM inside. Knows class files and tests' names, but no stage.

mod agents;
pub mod client;
pub mod driver_sources;
mod environment;
mod hook;
pub mod process;
pub mod protocol;
mod recorder;
mod runtime;
mod shape;
mod source;
mod stack;
mod state;
pub mod temporary;
pub mod worker;

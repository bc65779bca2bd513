//! Runs tests in JVMs, for all stages: a [`Job`] says what to run, a [`Session`] keeps one JVM
//! alive for it, and a [`Pool`] owns the sessions. A [`Completion`] is the way to the end of a list
//! of tests, behind those that hang or end the JVM.
//!
//! Invariant: if the machine ends or stops a JVM (memory runs out, somebody stops a process), this
//! module repeats the run in a new JVM. No stage ever takes that for the effect of a test.

mod completion;
#[cfg(test)]
pub(crate) mod fake;
mod job;
mod loss;
mod pool;
mod priority;
mod session;
mod unit;

pub use completion::{Cause, Completion, Rest, Stuck};
pub use job::{End, Job, Ran, Reported, Start};
pub use pool::{Crew, Pool, Task};
pub use session::Session;
pub(crate) use unit::{classes_depended_upon, unit};

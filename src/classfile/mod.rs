//! From the bytes of class files to what they say, and back (JVMS §4).

#[cfg(test)]
pub(crate) mod compiled;
pub mod folders;
pub mod names;
pub mod outline;
pub mod outlines;

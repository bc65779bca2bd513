//! The way in which tests run.

/// The class loader in which tests run, and whether they are complete classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// In the class loader of the run before.
    Warm,
    /// In a new class loader (a clean start).
    Clean,
    /// As complete classes, in a new class loader.
    Whole,
}

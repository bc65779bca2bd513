//! The input of the stage.

use crate::base::id::{IdSlice, RecipeId};
use crate::classfile::outlines::Outlines;
use crate::code::Sources;
use crate::cover::Coverage;
use crate::instrument::javac::Compilers;
use crate::jvm::client::Launch;
use crate::recipe::Build;
use crate::run::Pool;
use crate::transform::Transformations;
use std::path::Path;

/// The input of the stage.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub build: &'a Build,
    pub launches: &'a IdSlice<RecipeId, Launch>,
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    pub outlines: &'a Outlines,
    pub sources: &'a Sources,
    pub compilers: &'a Compilers,
    /// Most candidates for one method in one round.
    pub budget: usize,
    /// Most workers at a time.
    pub jobs: usize,
    /// Lends the JVMs. Those in which tests of the only recipe have run are used again.
    pub pool: &'a Pool,
    /// Folder for compiled classes.
    pub scratch: &'a Path,
    /// Writes a line to the log.
    pub tell: &'a dyn Fn(&str),
}

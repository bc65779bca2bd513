//! Runs the stages in order, from the build to the report.

mod analysis;
mod applying;
mod build;
mod coverage;
mod hints;
mod instrumented;
mod latest;
mod observation;
mod patching;
mod recalled;
mod scratch;
mod self_check;

pub(crate) use analysis::Input;
pub(crate) use applying::{PatchToProve, prove_patches};
pub(crate) use build::{build, build_and_compile_ahead, compiled_classes};
pub(crate) use coverage::{Covered, covered};
pub(crate) use latest::report;
pub(crate) use self_check::self_check;

//! The commands, one file each: checked settings in, exit code out.

pub mod analyze;
mod conclusion;
pub mod doctor;
pub mod explain;
pub mod fix;
pub mod list;
pub mod merge;
pub mod show;
pub mod verify;

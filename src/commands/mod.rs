//! The commands, one file each: from checked settings to an exit code.

pub mod doctor;
pub mod explain;
pub mod fix;
pub mod list;
pub mod show;
pub mod verify;

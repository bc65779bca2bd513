//! Stops the run on Ctrl-C or SIGTERM: every child process ends, and the next [`check`] returns an error.
//!
//! Code that starts a process calls [`register`] with its id, and [`unregister`] before it waits for
//! the process or right after. If the process leads a group of its own
//! (`CommandExt::process_group(0)`), the whole group ends. Maven's start script needs that.

use crate::base::error::{Error, ExitCode, Result};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static CHILDREN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Installs the handler, once per process. The first interrupt ends all children and makes the next
/// [`check`] fail; the second one ends the process at once.
///
/// # Errors
/// If the system refuses the handler.
pub fn install() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            kill_children();
            std::process::exit(ExitCode::Interrupted as i32);
        }
        kill_children();
    })
    .map_err(|error| Error::bug(format!("The handler for Ctrl-C could not be installed: {error}.")))
}

/// Whether the run was asked to stop.
#[must_use]
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// The flag itself, for code that polls it while it waits for something else.
#[must_use]
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Fails if the run was asked to stop. Stages call it between pieces of work, and after a child
/// ended unexpectedly.
///
/// # Errors
/// If the run was asked to stop.
pub fn check() -> Result<()> {
    if is_interrupted() { Err(Error::interrupted()) } else { Ok(()) }
}

/// Whether the run has to end, whatever the stage could do without its result: somebody stopped it, or
/// the machine keeps the tests from running. Neither says anything of the project.
///
/// After Ctrl-C every error ends the run, because it may be a consequence: a compiler was killed, for
/// example.
#[must_use]
pub fn ends_run(error: &Error) -> bool {
    is_interrupted() || matches!(error.exit_code, ExitCode::Interrupted | ExitCode::Machine)
}

/// Remembers a running child process. Ends it at once if the run was interrupted meanwhile.
pub fn register(pid: u32) {
    CHILDREN.lock().insert(pid);
    // The order matters: the handler sets the flag before it reads the list, so one of both sees the other.
    if is_interrupted() {
        kill(pid);
    }
}

/// Forgets a child process that has ended, because the system may reuse its id.
pub fn unregister(pid: u32) {
    CHILDREN.lock().remove(&pid);
}

/// Ends every registered child process. Also called after an error, while workers still run.
pub fn kill_children() {
    for pid in CHILDREN.lock().iter() {
        kill(*pid);
    }
}

#[cfg(unix)]
fn kill(pid: u32) {
    use nix::sys::signal::{Signal, kill, killpg};
    use nix::unistd::Pid;
    // 0 and 1 would mean the own group and init.
    let Some(pid) = i32::try_from(pid).ok().filter(|pid| *pid > 1).map(Pid::from_raw) else { return };
    // The first call fails if the process leads no group, the second one if it is gone already.
    if killpg(pid, Signal::SIGKILL).is_err() {
        let _ = kill(pid, Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill(pid: u32) {
    let _ = std::process::Command::new("taskkill")
        .args(["/F", "/T", "/PID", &pid.to_string()])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::Command;

    #[test]
    fn a_killed_process_ends_with_its_whole_group_or_alone() {
        for own_group in [true, false] {
            let mut command = Command::new("sleep");
            command.arg("600");
            if own_group {
                command.process_group(0);
            }
            let mut child = command.spawn().unwrap();
            kill(child.id());
            assert_eq!(child.wait().unwrap().signal(), Some(9), "own group: {own_group}");
        }
    }

    #[test]
    fn nothing_is_interrupted_by_itself() {
        assert!(!is_interrupted());
        check().unwrap();
    }

    #[test]
    fn an_ended_process_is_forgotten() {
        register(999_999_999);
        assert!(CHILDREN.lock().contains(&999_999_999));
        unregister(999_999_999);
        assert!(!CHILDREN.lock().contains(&999_999_999));
    }
}

//! Stops the run on Ctrl-C or SIGTERM: every child process ends, and the next [`check`] returns an error.

use crate::base::children;
use crate::base::error::{Error, ExitCode, Result};
use crate::base::run_folder;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time that the run gets to end in order after an interrupt.
const ORDERLY: Duration = Duration::from_millis(1500);
/// The further time that it gets to save what it knows.
const SAVING_TIME: Duration = Duration::from_secs(10);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static SAVING: AtomicBool = AtomicBool::new(false);

/// Installs the handler, once per process. The first interrupt ends all children and makes the next
/// [`check`] fail. If the run has not ended soon after, or with the second interrupt, the process ends
/// at once: a file system may hang, for example.
///
/// # Errors
/// If the system refuses the handler.
pub fn install() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            end_now();
        }
        children::end_all();
        // A further signal waits until this handler has returned.
        let _ = std::thread::Builder::new().spawn(|| {
            std::thread::sleep(ORDERLY);
            if SAVING.load(Ordering::SeqCst) {
                std::thread::sleep(SAVING_TIME);
            }
            end_now();
        });
    })
    .map_err(|error| Error::bug(format!("The handler for Ctrl-C could not be installed: {error}.")))
}

fn end_now() -> ! {
    children::end_all();
    run_folder::remove();
    std::process::exit(ExitCode::Interrupted as i32);
}

/// Whether the run was asked to stop.
#[must_use]
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Tells that the run saves what it knows, which may take longer than an ordinary end.
pub fn save() {
    SAVING.store(true, Ordering::SeqCst);
}

/// Whether long work has to end, because the run was asked to stop and saves nothing.
#[must_use]
pub fn must_hurry() -> bool {
    is_interrupted() && !SAVING.load(Ordering::SeqCst)
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_interrupted_by_itself() {
        assert!(!is_interrupted());
        check().unwrap();
    }
}

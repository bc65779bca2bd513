//! The error that ends a run, and the documented exit codes.
//! Each error says what happened, to what, and what to do next.

use std::fmt;

/// Exit code of the process, documented in `README.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// The analysis ran to its end.
    Done = 0,
    /// Wrong usage or configuration: an unknown option, a missing folder, a read-only folder.
    Usage = 1,
    /// There are findings, and an option asked to fail the run for them.
    Findings = 2,
    /// The project does not build or has no tests, or there is no JDK or Maven to build it with.
    CannotBuild = 3,
    /// The tests fail on the original code, so the analysis cannot start.
    TestsFail = 4,
    /// The diff does not match the tree.
    DiffMismatch = 5,
    /// A bug in reneri.
    Bug = 70,
    /// The machine cannot do it: the disk is full, no memory or file handle is left, or the JVMs of the tests were ended
    /// or stopped again and again (71 is `EX_OSERR` of sysexits.h).
    Machine = 71,
    /// Stopped by Ctrl-C (128 + SIGINT).
    Interrupted = 130,
}

/// An error that ends the run. `what` says what happened and to what; `next` says what to do about it.
#[derive(Debug)]
pub struct Error {
    pub exit_code: ExitCode,
    pub what: String,
    pub next: String,
    /// Longer output that helps to find the cause, such as the last lines of Maven or javac.
    /// Shown below the two sentences.
    pub details: Option<String>,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(exit_code: ExitCode, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { exit_code, what: what.into(), next: next.into(), details: None }
    }

    pub fn usage(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(ExitCode::Usage, what, next)
    }

    pub fn cannot_build(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(ExitCode::CannotBuild, what, next)
    }

    /// A bug of reneri. The message asks the user to report it.
    pub fn bug(what: impl Into<String>) -> Self {
        Self::new(ExitCode::Bug, what, "This is a bug in reneri: please report it with the log that `-v` writes.")
    }

    /// An error of the system. If the machine lacks something, the advice is to provide that, else `next`.
    pub fn of_system(what: impl Into<String>, error: &std::io::Error, next: impl Into<String>) -> Self {
        use std::io::ErrorKind::{OutOfMemory, QuotaExceeded, StorageFull};
        let lacks = |advice: &str| Self::new(ExitCode::Machine, "", advice);
        let error = match (error.kind(), error.raw_os_error()) {
            (StorageFull | QuotaExceeded, _) => lacks("The disk is full: make room, and start again."),
            (_, Some(libc::EMFILE | libc::ENFILE)) => {
                lacks("The system allows no more open files: raise the limit (`ulimit -n`) or use `--jobs 1`.")
            }
            (OutOfMemory, _) => lacks("No memory is left: free memory or use `--jobs 1`, and start again."),
            (_, Some(libc::EAGAIN)) => {
                lacks("The system allows no more processes: raise the limit (`ulimit -u`) or use `--jobs 1`.")
            }
            _ => Self::usage("", next),
        };
        Self { what: what.into(), ..error }
    }

    pub fn interrupted() -> Self {
        Self::new(
            ExitCode::Interrupted,
            "Interrupted.",
            "Nothing of the project was changed; start again when you like.",
        )
    }

    /// An interrupt that left something: `what` is known, and what comes `next`.
    pub fn interrupted_with(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(ExitCode::Interrupted, what, next)
    }

    #[must_use]
    pub fn with_details(mut self, details: impl Into<String>) -> Self {
        self.details = Some(details.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        if let Some(details) = &self.details {
            write!(f, "\n\n{}\n", details.trim_end())?;
        }
        write!(f, "\n{}", self.next)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_lacks_is_no_mistake_of_the_user_and_no_bug() {
        let of =
            |number: i32| Error::of_system("x", &std::io::Error::from_raw_os_error(number), "Choose another folder.");
        for (number, advice) in [
            (libc::ENOSPC, "disk is full"),
            (libc::EDQUOT, "disk is full"),
            (libc::EMFILE, "ulimit -n"),
            (libc::ENOMEM, "free memory"),
            (libc::EAGAIN, "ulimit -u"),
        ] {
            let error = of(number);
            assert_eq!(error.exit_code, ExitCode::Machine);
            assert!(error.next.contains(advice), "{error}");
        }
        for number in [libc::EACCES, libc::EROFS, libc::ENOENT] {
            assert_eq!(of(number).exit_code, ExitCode::Usage);
            assert_eq!(of(number).next, "Choose another folder.");
        }
    }
}

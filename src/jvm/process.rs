//! Starts and ends the processes of workers, and describes how they ended.

use super::output::Output;
use super::protocol::{Limit, Loader, Replacement, Start};
use super::runtime;
use super::temporary::TemporaryFolder;
use crate::base::children;
use crate::base::error::{Error, Result};
use crate::base::run_folder::temporary_folder;
use crate::base::timings::{Living, Timings};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the coordinator waits for a worker.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the JVM to start.
    pub start: Duration,
    /// For a late test to end after the switch is set back to the original code, and for a process
    /// to end after its socket is closed.
    pub grace: Duration,
    /// Between tests: class-level set-up, loading of classes, the search for tests.
    pub silence: Duration,
    /// For a test, or what comes between tests, that uses no CPU time: it may wait for something that never comes.
    pub idle: Duration,
    /// The same when the work is repeated because of that.
    pub idle_again: Duration,
    /// For a running test. The worker's own watchdog reacts sooner; this limit is for a process
    /// that does nothing at all.
    pub test: fn(Limit) -> Duration,
}

impl Default for Patience {
    fn default() -> Self {
        const GRACE: Duration = Duration::from_millis(1500);
        Self {
            start: Duration::from_secs(60),
            grace: GRACE,
            silence: Duration::from_secs(120),
            idle: Duration::from_secs(10),
            idle_again: Duration::from_secs(30),
            test: |limit| limit.wall() + GRACE + Duration::from_secs(5),
        }
    }
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

impl Exit {
    /// The end in words.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Code(code) => format!("System.exit or Runtime.halt, status {code}"),
            Self::Signal(libc::SIGKILL) => "killed from outside, as systems do when memory runs out".to_owned(),
            Self::Signal(signal) => format!("a crash, signal {signal}"),
        }
    }

    /// Whether code inside the JVM asked for it: `System.exit` or `Runtime.halt`. HotSpot ends with
    /// 128 and the number of the signal when it handles a request to terminate from outside.
    #[must_use]
    pub fn is_asked_for(self) -> bool {
        let is_request = |code: i32| [libc::SIGHUP, libc::SIGINT, libc::SIGTERM].contains(&(code - 128));
        matches!(self, Self::Code(code) if !is_request(code))
    }

    /// Whether the JVM or native code inside it crashed. HotSpot ends with `abort` after a fatal
    /// error.
    #[must_use]
    pub fn is_crash(self) -> bool {
        const CRASHES: [i32; 6] =
            [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];
        matches!(self, Self::Signal(signal) if CRASHES.contains(&signal))
    }
}

/// The process around a JVM, as its coordinator sees it.
pub trait Process: Debug + Send {
    /// The id of the process, if its work can be watched.
    fn id(&self) -> Option<u32> {
        None
    }

    /// How the process ended; `None` if it still runs after this time.
    fn exit(&mut self, patience: Duration) -> Option<Exit>;

    /// Ends the process, if it still runs.
    fn kill(&mut self);

    /// Counts the CPU time so far for the stage that ends.
    fn count(&mut self);
}

/// A process that has connected to its coordinator, and waits for the first message.
#[derive(Debug)]
pub struct Connected {
    pub stream: UnixStream,
    pub process: Box<dyn Process>,
}

/// The settings with which the process around the JVM is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The recipe, by a name that no other recipe has.
    pub recipe: String,
    /// This binary.
    pub executable: PathBuf,
    pub working_directory: PathBuf,
    pub environment: BTreeMap<String, String>,
    /// Variables of our own environment that the tests must not see.
    pub environment_removed: Vec<String>,
    /// Standard output and error of the tests.
    pub output: Option<PathBuf>,
    /// Receives the time and memory that each worker used.
    pub timings: Timings,
    /// The folder for the tests' temporary files. It is deleted with the last launch that refers to
    /// it.
    pub temporary: Option<Arc<TemporaryFolder>>,
    pub start: Start,
    /// Starts the process.
    pub processes: Arc<dyn Processes>,
}

impl Launch {
    /// Completes `start` with the parts that every worker needs from the JDK: its JVM and the
    /// classes `reneri.rt`.
    ///
    /// # Errors
    /// When the JDK has no compiler or no JVM library.
    pub fn for_jdk(java_home: &Path, mut start: Start) -> Result<Start> {
        start.libjvm = runtime::libjvm(java_home)?;
        start.runtime = runtime::classes(java_home)?;
        Ok(start)
    }

    /// The way in which processes are started outside of tests.
    #[must_use]
    pub fn child_processes() -> Arc<dyn Processes> {
        Arc::new(ChildProcesses)
    }

    /// The replacement that turns a JVM of this launch into one of `other`; `None` if that needs a
    /// new process. The launches may differ only in the weave, in the classes that replace the
    /// project's own (and therefore in the class path), and in the number of probes.
    ///
    /// A JVM never serves a second recipe, even if all options are the same. A clean start keeps
    /// what tests did to the JVM itself (a provider of `java.security`, the only possible factory
    /// of `URL`, a class of the JDK that is initialised), and in the build tool the tests of the
    /// other recipe run in a JVM without it.
    #[must_use]
    pub fn replacement(&self, other: &Self) -> Option<Replacement> {
        // The folder for temporary files is an option of the JVM.
        let Self { recipe, executable, working_directory, environment, environment_removed, output, .. } = other;
        let is_same_process = (&self.recipe, &self.executable, &self.output) == (recipe, executable, output)
            && (&self.working_directory, &self.environment, &self.environment_removed)
                == (working_directory, environment, environment_removed);
        let Start { class_path, weave, replace, expressions, loader, .. } = &other.start;
        if !is_same_process || !self.start.is_same_jvm(&other.start) || *loader != Loader::Isolated {
            return None;
        }
        Some(Replacement {
            class_path: class_path.clone(),
            weave: (self.start.weave != *weave).then(|| weave.clone()),
            replace: replace.clone(),
            expressions: *expressions,
        })
    }
}

/// Starts processes. The one implementation outside of tests is [`ChildProcesses`].
pub trait Processes: Debug + Send + Sync {
    /// # Errors
    /// If the process cannot be started. `Ok(Err(…))` describes how it ended before it connected;
    /// `None` if it still runs and does not connect.
    fn start(&self, launch: &Launch) -> Result<std::result::Result<Connected, Option<Exit>>>;

    fn patience(&self) -> Patience {
        Patience::default()
    }
}

/// Starts this binary again, as a child.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChildProcesses;

#[derive(Debug)]
struct ChildProcess {
    child: Child,
    /// Is dropped after the process has ended, for which `drop` waits.
    living: Living,
    has_ended: bool,
    /// Is dropped after the process has ended.
    _output: Output,
    /// Holds the path of the socket.
    _folder: tempfile::TempDir,
}

impl Processes for ChildProcesses {
    fn start(&self, launch: &Launch) -> Result<std::result::Result<Connected, Option<Exit>>> {
        let broken = |what: &str, error: std::io::Error| {
            Error::of_system(
                format!("The JVM of the tests could not be started: {what}: {error}."),
                &error,
                "Check that TMPDIR is a folder with a short path that can be written, and that this program can be run.",
            )
        };
        let folder = temporary_folder().map_err(|error| broken("temporary folder", error))?;
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).map_err(|error| broken("socket", error))?;
        listener.set_nonblocking(true).map_err(|error| broken("socket", error))?;
        let (output, stdout, stderr) = Output::to(launch.output.as_deref());
        let mut command = Command::new(&launch.executable);
        for variable in &launch.environment_removed {
            command.env_remove(variable);
        }
        command
            .args(["worker", "--socket"])
            .arg(&socket)
            .current_dir(&launch.working_directory)
            .envs(&launch.environment)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr);
        children::adopt_orphans();
        let child =
            children::spawn(command).map_err(|error| broken(&launch.executable.display().to_string(), error))?;
        let living = Living::new(child.id());
        let mut process = Box::new(ChildProcess { child, living, has_ended: false, _output: output, _folder: folder });
        let since = Instant::now();
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false).map_err(|error| broken("socket", error))?;
                    return Ok(Ok(Connected { stream, process }));
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    let exit = process.exit(Duration::ZERO);
                    if exit.is_some() || since.elapsed() > self.patience().start {
                        return Ok(Err(exit));
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(broken("socket", error)),
            }
        }
    }
}

impl Process for ChildProcess {
    fn id(&self) -> Option<u32> {
        Some(self.child.id())
    }

    fn exit(&mut self, patience: Duration) -> Option<Exit> {
        let since = Instant::now();
        let status = loop {
            match self.child.try_wait().ok()? {
                Some(status) => break status,
                None if since.elapsed() >= patience => return None,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        status.code().map(Exit::Code).or_else(|| status.signal().map(Exit::Signal))
    }

    fn kill(&mut self) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        // Its group may outlive it.
        children::kill_group(self.child.id());
        let _ = self.child.wait();
        children::forget(self.child.id());
        children::end_orphans();
    }

    fn count(&mut self) {
        self.living.count();
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_status_is_asked_for_unless_it_stands_for_a_signal() {
        assert!(Exit::Code(0).is_asked_for() && Exit::Code(3).is_asked_for());
        assert!(!Exit::Code(143).is_asked_for(), "SIGTERM");
        assert!(!Exit::Signal(libc::SIGKILL).is_asked_for());
        assert!(Exit::Signal(libc::SIGSEGV).is_crash() && !Exit::Signal(libc::SIGKILL).is_crash());
    }
}

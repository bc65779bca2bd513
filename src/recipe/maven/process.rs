//! Runs commands, whose lives end with ours, and collects what they print.

use crate::base::children;
use crate::base::error::{Error, ExitCode, Result};
use crate::base::output_folder::OutputFolder;
use crate::jvm::lifeline::end_with_parent;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Interval at which a run checks whether it has to stop.
const TICK: Duration = Duration::from_millis(50);
/// Time that Maven gets to end by itself after Ctrl-C, which reaches it too. Its last output may
/// also come that long after its end.
const GRACE: Duration = Duration::from_secs(1);

pub(super) fn cannot_start(program: &Path, error: &std::io::Error) -> Error {
    let what = format!("{} cannot be started: {error}.", program.display());
    let next = "Check that this is Apache Maven, and that it can be executed.";
    let of_system = Error::of_system(what.clone(), error, next);
    if of_system.exit_code == ExitCode::Machine { of_system } else { Error::cannot_build(what, next) }
}

/// A child process that is killed when this value is dropped, however we end.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        if let Ok(None) = self.0.try_wait() {
            children::kill_tree(self.0.id());
        }
        let _ = self.0.wait();
    }
}

/// Runs commands one after the other.
pub(super) struct Runner<'a> {
    /// Keeps the output of the last command.
    pub(super) log: &'a Path,
    /// A run ends soon after this is set.
    pub(super) interrupted: &'a AtomicBool,
    /// Takes each line of output, and remarks of reneri itself.
    pub(super) say: &'a mut dyn FnMut(&str),
}

impl Runner<'_> {
    /// Passes a remark of reneri itself on.
    pub(super) fn say(&mut self, text: &str) {
        (self.say)(text);
    }

    /// Runs a command to its end; see [`run`].
    pub(super) fn run(&mut self, command: Command) -> Result<(ExitStatus, String)> {
        run(command, self.log, self.interrupted, self.say)
    }
}

/// Runs a command to its end and returns its status and output. The command stays in our process
/// group, so that Ctrl-C reaches Maven as well.
fn run(
    mut command: Command,
    log: &Path,
    interrupted: &AtomicBool,
    say: &mut dyn FnMut(&str),
) -> Result<(ExitStatus, String)> {
    let unwritable = |error: std::io::Error| {
        let what = format!("The log {} cannot be written: {error}.", log.display());
        Error::of_system(what, &error, "Choose a folder that can be written.")
    };
    let folder = log.parent().unwrap_or(Path::new("."));
    let name = log.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let mut log_file = OutputFolder::open(folder)?.log(&name)?;
    let mut output = String::new();
    let mut take = |line: &str, output: &mut String| {
        say(line);
        output.push_str(line);
        output.push('\n');
        writeln!(log_file, "{line}").map_err(unwritable)
    };
    let program = PathBuf::from(command.get_program());
    let started = |error: std::io::Error| cannot_start(&program, &error);
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    take(&format!("$ {}", words.join(" ")), &mut String::new())?;
    let (reader, writer) = std::io::pipe().map_err(started)?;
    command.stdout(writer.try_clone().map_err(started)?).stderr(writer);
    end_with_parent(&mut command);
    let mut child = Running(command.spawn().map_err(started)?);
    // The command holds the writing end of the pipe; as long as it exists, the reader does not end.
    drop(command);
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let text = without_colours(&String::from_utf8_lossy(&line));
            line.clear();
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    let mut stop_at = None;
    let mut status = None;
    let mut last_heard = Instant::now();
    loop {
        match lines.recv_timeout(TICK) {
            Ok(line) => {
                take(&line, &mut output)?;
                last_heard = Instant::now();
            }
            // A process that Maven left running holds the output open.
            Err(RecvTimeoutError::Timeout) if status.is_some() && last_heard.elapsed() >= GRACE => break,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if status.is_none() {
            status = child.0.try_wait().map_err(started)?;
            last_heard = Instant::now();
        }
        if interrupted.load(Ordering::Relaxed) {
            let stop_at = *stop_at.get_or_insert_with(|| Instant::now() + GRACE);
            if status.is_some() || Instant::now() >= stop_at {
                return Err(Error::interrupted());
            }
        }
    }
    let status = match status {
        Some(status) => status,
        None => child.0.wait().map_err(started)?,
    };
    if interrupted.load(Ordering::Relaxed) || ended_by_interrupt(status) {
        return Err(Error::interrupted());
    }
    Ok((status, output))
}

/// Removes escape sequences, which some builds of Maven send even in batch mode.
pub(super) fn without_colours(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        // `[1;31m`
        plain.push_str(part.split_once('m').filter(|(code, _)| code.starts_with('[')).map_or(part, |(_, rest)| rest));
    }
    plain.trim_end().to_string()
}

/// Whether Ctrl-C ended the process. `mvn` then ends with 130 (128 + SIGINT).
fn ended_by_interrupt(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if status.signal() == Some(2) {
            return true;
        }
    }
    status.code() == Some(130)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use std::process::Stdio;

    #[test]
    fn a_machine_without_room_for_maven_is_not_a_fault_of_maven() {
        let of = |error: i32| cannot_start(Path::new("mvn"), &std::io::Error::from_raw_os_error(error)).exit_code;
        assert_eq!([of(libc::EAGAIN), of(libc::ENOENT)], [ExitCode::Machine, ExitCode::CannotBuild]);
    }

    #[cfg(unix)]
    #[test]
    fn an_interrupted_run_leaves_no_process_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$; exec sleep 600"]);
        let interrupted = AtomicBool::new(false);
        let mut process = String::new();
        let error = run(command, &folder.path().join("log"), &interrupted, &mut |line| {
            if !line.starts_with('$') {
                process = line.to_string();
                interrupted.store(true, Ordering::Relaxed);
            }
        })
        .unwrap_err();
        assert_eq!(error.exit_code, crate::base::error::ExitCode::Interrupted);
        let alive = Command::new("kill").args(["-0", &process]).stderr(Stdio::null()).status().unwrap();
        assert!(!process.is_empty() && !alive.success(), "process {process} is alive");
    }

    #[cfg(unix)]
    #[test]
    fn the_log_contains_the_command_and_the_output_on_both_streams() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; exit 3"]);
        let (status, output) = run(command, &log, &AtomicBool::new(false), &mut |_| {}).unwrap();
        assert_eq!((status.code(), output.as_str()), (Some(3), "out\nerr\n"));
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "$ sh -c echo out; echo err >&2; exit 3\nout\nerr\n");
    }
}

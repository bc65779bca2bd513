//! Keeps what the JVMs of tests and their children print, up to a limit.

use std::fs::File;
use std::io::{PipeReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most bytes that are kept of all tests.
const MOST: u64 = 16 << 20;
/// The last line of a log that has not all.
const CUT: &str = "\nreneri: the tests print more than 16 MiB; the rest is dropped.\n";
/// The time that the rest of the output gets after the end of a process.
const REST: Duration = Duration::from_millis(200);

/// The output of one process on its way to the log.
#[derive(Debug)]
pub(super) struct Output {
    copying: Option<JoinHandle<()>>,
}

impl Output {
    /// The streams for a new process, whose output is added to the log. Without a log, or if it cannot be written, the output
    /// is dropped.
    pub(super) fn to(log: Option<&Path>) -> (Self, Stdio, Stdio) {
        match log.and_then(|log| Self::piped(log).ok()) {
            Some(piped) => piped,
            None => (Self { copying: None }, Stdio::null(), Stdio::null()),
        }
    }

    fn piped(log: &Path) -> std::io::Result<(Self, Stdio, Stdio)> {
        let mut options = File::options();
        // The log was made before; somebody may have put a link or something else there.
        options.append(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let log = options.open(log)?;
        let (reader, writer) = std::io::pipe()?;
        let copying = std::thread::Builder::new().name("output".into()).spawn(move || copy(reader, log, MOST))?;
        Ok((Self { copying: Some(copying) }, writer.try_clone()?.into(), writer.into()))
    }
}

impl Drop for Output {
    /// Drop it after the process has ended.
    fn drop(&mut self) {
        let since = Instant::now();
        while self.copying.as_ref().is_some_and(|copying| !copying.is_finished()) && since.elapsed() < REST {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Copies until the last writer has ended. Several processes may add to the same log.
fn copy(mut reader: PipeReader, mut log: File, most: u64) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = match reader.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => buffer.get(..read).unwrap_or_default(),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let room = most.saturating_sub(log.metadata().map_or(most, |metadata| metadata.len()));
        if room == 0 {
            continue;
        }
        let kept = read.get(..usize::try_from(room).unwrap_or(usize::MAX)).unwrap_or(read);
        // The process must not wait for a full disk.
        let _ = log.write_all(kept);
        if kept.len() < read.len() {
            let _ = log.write_all(CUT.as_bytes());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn output_beyond_the_limit_is_dropped_and_the_log_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tests.log");
        std::fs::write(&path, "before ").unwrap();
        for _ in 0..2 {
            let (reader, mut writer) = std::io::pipe().unwrap();
            let log = File::options().append(true).open(&path).unwrap();
            let copying = std::thread::spawn(move || copy(reader, log, 1000));
            for _ in 0..100 {
                writer.write_all(&[b'x'; 1000]).unwrap();
            }
            drop(writer);
            copying.join().unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("before xxx") && text.ends_with(CUT), "{text}");
        assert_eq!(text.len(), 1000 + CUT.len());
    }

    #[test]
    fn a_link_instead_of_the_log_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("precious"), folder.path().join("tests.log"));
        std::fs::write(&file, "precious").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(Output::to(Some(&link)).0.copying.is_none());
    }
}

//! Reads files that may be anything: a FIFO or a device would never end, and a huge file would fill the memory.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The most bytes of a file that reneri keeps itself.
pub const LONGEST_KEPT: u64 = 2 << 30;
/// The most bytes of a report, a diff, a recipe or a configuration.
pub const LONGEST_INPUT: u64 = 1 << 30;
/// The most bytes of a source or a class file.
pub const LONGEST_SOURCE: u64 = 64 << 20;

/// Opens an ordinary file. Never waits, as opening a FIFO would.
///
/// # Errors
/// If it cannot be opened, or is no ordinary file.
pub fn open_file(path: &Path) -> Result<File> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(Error::new(ErrorKind::InvalidInput, "it is no ordinary file"))
    }
}

/// Reads an ordinary file of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, is no ordinary file, or is longer.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = open_file(path)?;
    let length = file.metadata()?.len();
    let too_long = || Error::new(ErrorKind::FileTooLarge, format!("it has more than {} MiB", most >> 20));
    if length > most {
        return Err(too_long());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // It may grow meanwhile.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long()) } else { Ok(bytes) }
}

/// Reads a text of at most [`LONGEST_INPUT`] bytes.
///
/// # Errors
/// As [`read_file`], and if it is no UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read_file(path, LONGEST_INPUT)?)
        .map_err(|_| Error::new(ErrorKind::InvalidData, "it is not valid UTF-8"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let looping = folder.path().join("looping");
        std::os::unix::fs::symlink(&looping, &looping).unwrap();
        for path in [&fifo, &socket, &link, &looping, Path::new("/dev/zero"), folder.path()] {
            assert!(read_file(path, LONGEST_SOURCE).is_err(), "{}", path.display());
        }
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        assert_eq!(read_text(&file).unwrap(), "text");
        assert_eq!(read_file(&file, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(read_text(&file).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

//! Files that reneri keeps for later runs.
//!
//! Each begins with a line that names the version that wrote it and a hash of the rest. Flipped bits, half a file, or the file
//! of another version are noticed by it, and such a file counts as nothing kept.

use crate::base::fingerprint::{content, replace_bytes};
use crate::base::read::{LONGEST_KEPT, read_file};
use serde::{Serialize, de::DeserializeOwned};
use std::path::Path;

/// The reason why a kept file cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// There is none.
    Missing,
    /// Another version of reneri, or another program, wrote it.
    Foreign,
    /// It is not as it was written.
    Damaged,
}

fn version() -> String {
    format!("reneri {}", env!("CARGO_PKG_VERSION"))
}

/// Keeps bytes. `None` if the file cannot be written.
pub fn write(file: &Path, bytes: &[u8]) -> Option<()> {
    let mut text = format!("{} {}\n", version(), content(bytes)).into_bytes();
    text.extend_from_slice(bytes);
    replace_bytes(file, &text)
}

/// Reads kept bytes.
///
/// # Errors
/// If there are none that can be used.
pub fn read(file: &Path) -> Result<Vec<u8>, Unusable> {
    let mut bytes = read_file(file, LONGEST_KEPT).map_err(|_| Unusable::Missing)?;
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or(Unusable::Damaged)?;
    let rest = bytes.split_off(end + 1);
    let line = String::from_utf8(bytes).map_err(|_| Unusable::Damaged)?;
    let (program, hash) = line.trim_end().rsplit_once(' ').ok_or(Unusable::Foreign)?;
    if program != version() {
        return Err(Unusable::Foreign);
    }
    if content(&rest) == hash { Ok(rest) } else { Err(Unusable::Damaged) }
}

/// Keeps a value as JSON. `None` if the file cannot be written.
pub fn write_json(file: &Path, value: &impl Serialize) -> Option<()> {
    write(file, &serde_json::to_vec(value).ok()?)
}

/// Reads a value that was kept as JSON.
///
/// # Errors
/// If there is none that can be used.
pub fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, Unusable> {
    serde_json::from_slice(&read(file)?).map_err(|_| Unusable::Foreign)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn any_flipped_bit_half_a_file_and_another_version_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kept");
        assert_eq!(read(&file), Err(Unusable::Missing));
        write_json(&file, &["a", "b"]).unwrap();
        assert_eq!(read_json::<Vec<String>>(&file).unwrap(), ["a", "b"]);
        assert_eq!(read_json::<u8>(&file), Err(Unusable::Foreign));
        let whole = std::fs::read(&file).unwrap();
        for position in 0..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[position] ^= 1 << bit;
                std::fs::write(&file, &bytes).unwrap();
                assert!(read(&file).is_err(), "bit {bit} of byte {position}");
            }
            std::fs::write(&file, &whole[..position]).unwrap();
            assert!(read(&file).is_err(), "{position} bytes");
        }
        for foreign in ["[\"a\",\"b\"]\n", "reneri 0.0.1 0\n[]", "{\"state\":1}"] {
            std::fs::write(&file, foreign).unwrap();
            assert!(read(&file).is_err(), "{foreign}");
        }
    }
}

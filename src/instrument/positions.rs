//! Converts positions in a source text: javac's UTF-16 units to bytes, and bytes to lines and
//! columns.

/// Converts javac's positions (UTF-16 units) to bytes.
#[derive(Debug)]
pub struct Utf16<'s> {
    /// `None` if every unit is one byte.
    text: Option<(&'s str, Vec<(usize, usize)>)>,
    length: usize,
}

/// The table has one entry for this many bytes.
const STRIDE: usize = 256;

impl<'s> Utf16<'s> {
    #[must_use]
    pub fn new(text: &'s str) -> Self {
        if text.is_ascii() {
            return Self { text: None, length: text.len() };
        }
        let mut marks = vec![(0, 0)];
        let mut units = 0;
        for (byte, character) in text.char_indices() {
            if byte >= marks.len() * STRIDE {
                marks.push((units, byte));
            }
            units += character.len_utf16();
        }
        Self { text: Some((text, marks)), length: text.len() }
    }

    #[must_use]
    pub fn byte(&self, units: usize) -> usize {
        let Some((text, marks)) = &self.text else {
            return units.min(self.length);
        };
        let after = marks.partition_point(|(mark, _)| *mark <= units);
        let (mut seen, mut byte) = after.checked_sub(1).and_then(|index| marks.get(index)).copied().unwrap_or_default();
        for character in text.get(byte..).unwrap_or_default().chars() {
            if seen >= units {
                break;
            }
            seen += character.len_utf16();
            byte += character.len_utf8();
        }
        byte
    }
}

/// Converts bytes to lines and columns. Both count from 1, and columns count characters. Lines end
/// as in Java (JLS §3.4): `\n`, `\r\n`, or `\r` alone.
#[derive(Debug)]
pub struct Lines<'s> {
    text: &'s str,
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    #[must_use]
    pub fn new(text: &'s str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (index, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
                starts.push(index + 1);
            }
        }
        Self { text, starts }
    }

    #[must_use]
    pub fn position(&self, byte: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= byte);
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index)).copied().unwrap_or_default();
        let column = self.text.get(start..byte).map_or(0, |before| before.chars().count());
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column + 1).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_end_in_each_of_javas_ways() {
        let text = "a\r\nü€😀b\rc\n\td";
        let lines = Lines::new(text);
        assert_eq!(lines.position(text.find('b').unwrap()), (2, 4));
        assert_eq!(lines.position(text.find('c').unwrap()), (3, 1));
        assert_eq!(lines.position(text.find('d').unwrap()), (4, 2));
    }

    #[test]
    fn javacs_positions_become_bytes_also_beyond_the_basic_plane() {
        let text = format!("{}b{}c", "😀ü".repeat(300), "€".repeat(300));
        let units = |byte: usize| text[..byte].encode_utf16().count();
        let table = Utf16::new(&text);
        for byte in [0, text.find('b').unwrap(), text.find('c').unwrap(), text.len()] {
            assert_eq!(table.byte(units(byte)), byte);
        }
    }
}

//! The layout of a test source: lines, columns, indentation, line ends.

use crate::fix::edit::Edit;
use crate::fix::source::test_source::TestSource;

impl TestSource {
    /// The byte at a line and column. Both begin at 1, and columns count characters.
    #[must_use]
    pub fn byte_of(&self, line: u32, column: u32) -> Option<usize> {
        let mut start = 0;
        for (number, text) in (1_u32..).zip(self.text.split_inclusive('\n')) {
            if number == line {
                let column = usize::try_from(column.checked_sub(1)?).ok()?;
                return text.char_indices().nth(column).map(|(byte, _)| start + byte);
            }
            start += text.len();
        }
        None
    }

    /// The white space at the beginning of the line with this byte.
    #[must_use]
    pub fn indentation(&self, byte: usize) -> &str {
        let line = self.line_start(byte);
        let rest = self.text.get(line..).unwrap_or_default();
        let end = rest.find(|character: char| !matches!(character, ' ' | '\t')).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    #[must_use]
    pub fn line_start(&self, byte: usize) -> usize {
        self.text.get(..byte).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
    }

    /// The first byte after the line with this byte.
    #[must_use]
    pub fn line_end(&self, byte: usize) -> usize {
        let rest = self.text.get(byte..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |newline| byte + newline + 1)
    }

    #[must_use]
    pub fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Inserts lines after the line in which `byte` ends a statement. If anything but a comment
    /// follows in that line, the new lines come right after `byte`.
    #[must_use]
    pub fn lines_behind(&self, byte: usize, indentation: &str, lines: &[String]) -> Edit {
        let end = self.line_end(byte);
        let rest = self.text.get(byte..end).unwrap_or_default().trim();
        let newline = self.newline();
        let text: String = lines.iter().map(|line| format!("{indentation}{line}{newline}")).collect();
        if rest.is_empty() || rest.starts_with("//") {
            return Edit::insert(end, text);
        }
        Edit::insert(byte, format!("{newline}{}", text.trim_end_matches(['\r', '\n'])))
    }
}

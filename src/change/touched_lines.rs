//! The lines of one file that a change touches: lines that it adds, and places where it only removes
//! lines.

use std::collections::{BTreeMap, BTreeSet};

/// The touched lines of one file. Lines are those of the file after the change, counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedLines {
    /// The whole file is new.
    whole: bool,
    added: BTreeSet<u32>,
    /// Lines were removed after these lines (0: at the start of the file). The value says whether the last
    /// removed line was an annotation, which belongs to the declaration after it.
    removed_after: BTreeMap<u32, bool>,
}

impl TouchedLines {
    /// A new file.
    #[must_use]
    pub fn everything() -> Self {
        Self { whole: true, ..Self::default() }
    }

    pub(super) fn add(&mut self, line: u32) {
        self.added.insert(line);
    }

    /// Adds the removed line `text`, which was after `line` and after the lines that are already removed
    /// there.
    pub(super) fn remove_after(&mut self, line: u32, text: &str) {
        self.removed_after.insert(line, text.trim_start().starts_with('@'));
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.whole && self.added.is_empty() && self.removed_after.is_empty()
    }

    /// Whether the change touches the declaration in these lines: one of them is new, or lines between
    /// two of them were removed. Lines removed before the first or after the last belong to other code,
    /// except an annotation of this declaration.
    #[must_use]
    pub fn touches(&self, first: u32, last: u32) -> bool {
        let annotation = first.checked_sub(1).and_then(|before| self.removed_after.get(&before));
        self.whole
            || first <= last
                && (self.added.range(first..=last).next().is_some()
                    || self.removed_after.range(first..last).next().is_some())
            || annotation == Some(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_line_touches_the_declarations_that_contain_it() {
        let mut touched = TouchedLines::default();
        touched.add(5);
        assert!(touched.touches(5, 5) && touched.touches(1, 9) && touched.touches(5, 9) && touched.touches(1, 5));
        assert!(!touched.touches(1, 4) && !touched.touches(6, 9));
    }

    #[test]
    fn removed_lines_touch_the_declarations_around_them_and_not_their_neighbours() {
        let mut touched = TouchedLines::default();
        touched.remove_after(5, "    i++;");
        assert!(touched.touches(5, 6) && touched.touches(1, 9));
        assert!(!touched.touches(1, 5) && !touched.touches(6, 9));
    }

    #[test]
    fn a_removed_annotation_touches_the_declaration_after_it() {
        let mut touched = TouchedLines::default();
        touched.remove_after(5, "    @Disabled");
        assert!(touched.touches(6, 9) && !touched.touches(1, 5));
    }

    #[test]
    fn a_new_file_is_touched_everywhere() {
        assert!(TouchedLines::everything().touches(3, 4) && !TouchedLines::everything().is_empty());
        assert!(TouchedLines::default().is_empty());
    }
}

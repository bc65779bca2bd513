//! What of one file a change touches: lines that it added, and places where it only took lines away.

use std::collections::{BTreeMap, BTreeSet};

/// Lines are those of the file after the change, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The whole file is new.
    whole: bool,
    added: BTreeSet<u32>,
    /// Lines were taken away behind the line of this number (0: at the start of the file). True where the last of them was an annotation,
    /// which belongs to what follows.
    removed_behind: BTreeMap<u32, bool>,
}

impl Touched {
    /// A file that was not there before.
    #[must_use]
    pub fn everything() -> Self {
        Self { whole: true, ..Self::default() }
    }

    pub(super) fn add(&mut self, line: u32) {
        self.added.insert(line);
    }

    /// `text` was taken away behind `line`, after all that was taken away there before.
    pub(super) fn remove_behind(&mut self, line: u32, text: &str) {
        self.removed_behind.insert(line, text.trim_start().starts_with('@'));
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.whole && self.added.is_empty() && self.removed_behind.is_empty()
    }

    /// Whether the change touches what stands in these lines: one of them is new, or between two of them some are gone. What was taken away
    /// before the first or behind the last was something else, unless it was an annotation of what begins here.
    #[must_use]
    pub fn touches(&self, first: u32, last: u32) -> bool {
        let annotation = first.checked_sub(1).and_then(|before| self.removed_behind.get(&before));
        self.whole
            || first <= last
                && (self.added.range(first..=last).next().is_some()
                    || self.removed_behind.range(first..last).next().is_some())
            || annotation == Some(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_line_touches_what_it_stands_in() {
        let mut touched = Touched::default();
        touched.add(5);
        assert!(touched.touches(5, 5) && touched.touches(1, 9) && touched.touches(5, 9) && touched.touches(1, 5));
        assert!(!touched.touches(1, 4) && !touched.touches(6, 9));
    }

    #[test]
    fn lines_that_are_gone_touch_what_is_around_them_and_not_what_is_beside_them() {
        let mut touched = Touched::default();
        touched.remove_behind(5, "    i++;");
        assert!(touched.touches(5, 6) && touched.touches(1, 9));
        assert!(!touched.touches(1, 5) && !touched.touches(6, 9));
    }

    #[test]
    fn an_annotation_that_is_gone_touches_what_it_stood_above() {
        let mut touched = Touched::default();
        touched.remove_behind(5, "    @Disabled");
        assert!(touched.touches(6, 9) && !touched.touches(1, 5));
    }

    #[test]
    fn everything_of_a_new_file_is_touched() {
        assert!(Touched::everything().touches(3, 4) && !Touched::everything().is_empty());
        assert!(Touched::default().is_empty());
    }
}

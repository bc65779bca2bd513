//! The place in a text that has the most of a context around it. White space does not count.

use crate::fix::apply::groups::Group;

/// A place for a change: the bytes that it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub start: usize,
    pub end: usize,
    /// The number of characters around it, other than white space, that are as expected.
    pub score: usize,
    /// Whether the text to insert is there already, before or after the place.
    pub is_present: bool,
}

/// A text without its white space: each character with its first byte.
pub struct Compact<'t> {
    text: &'t str,
    all: Vec<(usize, char)>,
}

impl<'t> Compact<'t> {
    pub fn of(text: &'t str) -> Self {
        Self { text, all: text.char_indices().filter(|(_, character)| !character.is_whitespace()).collect() }
    }

    /// The best place for a change among the bytes from `from` to `to`. Of equal places, the one nearest
    /// to the line of the change wins. `None` if none has the text that is removed.
    pub fn anchor(&self, group: &Group, from: usize, to: usize) -> Option<Anchor> {
        let (before, after) = (visible(&group.before), visible(&group.after));
        let (removed, inserted) = (visible(&group.removed), visible(&group.inserted));
        let mut best: Option<(usize, usize, Anchor)> = None;
        let (mut line, mut counted) = (0, 0);
        for at in 0..=self.all.len() {
            let anchor = self.place(at, group, removed.len());
            if anchor.start < from || anchor.end > to || !self.has(at, &removed) {
                continue;
            }
            let (back, forward) = (self.common_before(at, &before), self.common_after(at + removed.len(), &after));
            line += self.text.get(counted..anchor.start).unwrap_or_default().matches('\n').count();
            counted = anchor.start;
            let distance = line.abs_diff(group.line);
            let is_better = best.as_ref().is_none_or(|(score, far, _)| (back + forward, *far) > (*score, distance));
            if is_better {
                let is_present = !inserted.is_empty()
                    && (self.has(at, &inserted)
                        || at.checked_sub(inserted.len()).is_some_and(|at| self.has(at, &inserted)));
                best = Some((back + forward, distance, Anchor { score: back + forward, is_present, ..anchor }));
            }
        }
        best.map(|(_, _, anchor)| anchor)
    }

    /// Whether the text stands here somewhere.
    pub fn contains(&self, text: &str) -> bool {
        let wanted = visible(text);
        (0..self.all.len()).any(|at| self.has(at, &wanted))
    }

    fn has(&self, at: usize, wanted: &[char]) -> bool {
        self.all.get(at..at + wanted.len()).is_some_and(|own| own.iter().map(|(_, one)| one).eq(wanted))
    }

    fn common_before(&self, at: usize, context: &[char]) -> usize {
        let own = self.all.get(..at).unwrap_or_default().iter().rev();
        own.zip(context.iter().rev()).take_while(|((_, own), expected)| own == *expected).count()
    }

    fn common_after(&self, at: usize, context: &[char]) -> usize {
        let own = self.all.get(at..).unwrap_or_default().iter();
        own.zip(context).take_while(|((_, own), expected)| own == *expected).count()
    }

    /// The bytes of a change at this character, with as much white space before it as in its context.
    fn place(&self, at: usize, group: &Group, removed: usize) -> Anchor {
        let first = at.checked_sub(1).and_then(|at| self.all.get(at)).map_or(0, |(byte, one)| byte + one.len_utf8());
        let next = self.all.get(at).map_or(self.text.len(), |(byte, _)| *byte);
        let gap = self.text.get(first..next).unwrap_or_default();
        let start = first + behind_lines(gap, &group.before);
        let last = removed.checked_sub(1).and_then(|last| self.all.get(at + last));
        let start = if last.is_some() { next } else { start };
        Anchor { start, end: last.map_or(start, |(byte, one)| byte + one.len_utf8()), score: 0, is_present: false }
    }
}

/// The part of a gap that belongs before a change: as many line ends as its context ends with.
fn behind_lines(gap: &str, context: &str) -> usize {
    let tail = context.get(context.trim_end().len()..).unwrap_or_default();
    let lines = tail.matches('\n').count();
    if lines == 0 {
        return if gap.starts_with(tail) { tail.len() } else { 0 };
    }
    let ends: Vec<usize> = gap.match_indices('\n').map(|(at, _)| at + 1).collect();
    match ends.get(lines - 1).or(ends.last()) {
        Some(end) => *end,
        None => gap.len(),
    }
}

fn visible(text: &str) -> Vec<char> {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn group(before: &str, removed: &str, inserted: &str, after: &str) -> Group {
        Group {
            before: before.into(),
            removed: removed.into(),
            inserted: inserted.into(),
            after: after.into(),
            line: 0,
        }
    }

    fn applied(text: &str, group: &Group) -> String {
        let anchor = Compact::of(text).anchor(group, 0, text.len()).unwrap();
        format!("{}{}{}", &text[..anchor.start], group.inserted, &text[anchor.end..])
    }

    #[test]
    fn other_white_space_and_other_lines_around_do_not_matter() {
        let call = group("  a();\n  b();\n", "", "  x();\n", "}\n");
        assert_eq!(applied("{\n  a();\n  b();\n}\n", &call), "{\n  a();\n  b();\n  x();\n}\n");
        assert_eq!(
            applied("{\n\ta( );\r\n\tb();\r\n\tc();\r\n}\n", &call),
            "{\n\ta( );\r\n\tb();\r\n  x();\n\tc();\r\n}\n"
        );
        let in_line = group("{ a();", "", "\n x();", " } }");
        assert_eq!(applied("{ a(); } { b(); }", &in_line), "{ a();\n x(); } { b(); }");
        assert_eq!(applied("{a();}", &group("{ a(", "", "1", "); }")), "{a(1);}");
    }

    #[test]
    fn what_is_replaced_has_to_be_there() {
        let replace = group("f(", "1, 2", "1", ");");
        assert_eq!(applied("f(1, 3); f(1,2);", &replace), "f(1, 3); f(1);");
        assert_eq!(Compact::of("f(1, 3);").anchor(&replace, 0, 8), None);
    }

    #[test]
    fn a_text_that_is_there_already_is_found() {
        let call = group("a();\n", "", "x();\n", "b();\n");
        let present = |text: &str| Compact::of(text).anchor(&call, 0, text.len()).unwrap().is_present;
        assert!(present("a();\n  x();\n b();\n"));
        assert!(!present("a();\nb();\nx();\n"));
    }

    #[test]
    fn the_nearest_of_equal_places_is_chosen() {
        let text = "a();\n}\na();\n}\na();\n}\n";
        let mut call = group("a();\n", "", "x();\n", "}\n");
        call.line = 3;
        assert_eq!(Compact::of(text).anchor(&call, 0, text.len()).unwrap().start, 12);
    }
}

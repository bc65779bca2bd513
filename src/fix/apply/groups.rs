//! The changes of a diff, each with the text around it.

use crate::code::java_text::outside_literals;

/// A change of a diff: a text in place of another one, and the context on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub before: String,
    pub removed: String,
    pub inserted: String,
    pub after: String,
    /// The line of the old text, from 0, at which the change begins.
    pub line: usize,
}

/// The changes of a diff, as small as they can be. `None` if the text is no diff.
pub fn groups(diff: &str) -> Option<Vec<Group>> {
    let patch = diffy::Patch::from_str(diff).ok()?;
    let mut all = Vec::new();
    for hunk in patch.hunks() {
        let old = text_of(hunk.lines(), |line| !matches!(line, diffy::Line::Insert(_)));
        let first = hunk.old_range().start();
        // A hunk that has no line of the original names the line before it.
        let mut line = if hunk.old_range().is_empty() { first } else { first.checked_sub(1)? };
        let (mut at, mut open): (usize, Option<Raw>) = (0, None);
        for one in hunk.lines() {
            match one {
                diffy::Line::Context(text) => {
                    all.extend(open.take().map(|raw| raw.group(&old)));
                    at += text.len();
                    line += 1;
                }
                diffy::Line::Delete(text) => {
                    let raw = open.get_or_insert_with(|| Raw::at(at, line));
                    raw.removed.push_str(text);
                    at += text.len();
                    line += 1;
                }
                diffy::Line::Insert(text) => open.get_or_insert_with(|| Raw::at(at, line)).inserted.push_str(text),
            }
        }
        all.extend(open.map(|raw| raw.group(&old)));
    }
    (!all.is_empty()).then_some(all)
}

fn text_of<'l>(lines: &[diffy::Line<'l, str>], wanted: impl Fn(&diffy::Line<'l, str>) -> bool) -> String {
    let text = |line: &diffy::Line<'l, str>| match line {
        diffy::Line::Context(text) | diffy::Line::Delete(text) | diffy::Line::Insert(text) => *text,
    };
    lines.iter().filter(|line| wanted(line)).map(text).collect()
}

/// Neighbouring lines that a hunk removes and inserts.
struct Raw {
    /// The byte of the hunk's old text.
    at: usize,
    line: usize,
    removed: String,
    inserted: String,
}

impl Raw {
    fn at(at: usize, line: usize) -> Self {
        Self { at, line, removed: String::new(), inserted: String::new() }
    }

    /// The change without what both texts have in common.
    fn group(self, old: &str) -> Group {
        let Self { at, line, removed, inserted } = self;
        let same = |(one, other): &(char, char)| one == other;
        let begin: usize =
            removed.chars().zip(inserted.chars()).take_while(same).map(|(character, _)| character.len_utf8()).sum();
        let (removed_rest, inserted_rest) =
            (removed.get(begin..).unwrap_or_default(), inserted.get(begin..).unwrap_or_default());
        let backwards = removed_rest.chars().rev().zip(inserted_rest.chars().rev());
        let end: usize = backwards.take_while(same).map(|(character, _)| character.len_utf8()).sum();
        let cut = |text: &str| text.get(..text.len().saturating_sub(end)).unwrap_or_default().to_owned();
        let (start, removed, inserted) = (at + begin, cut(removed_rest), cut(inserted_rest));
        let group = Group {
            before: old.get(..start).unwrap_or_default().to_owned(),
            after: old.get(start + removed.len()..).unwrap_or_default().to_owned(),
            line: line + old.get(at..start).unwrap_or_default().matches('\n').count(),
            removed,
            inserted,
        };
        group.whole()
    }
}

impl Group {
    /// The same insertion, shifted so that it is whole.
    ///
    /// A diff may say that a test begins with the closing brace of the test before it, or behind the annotation of
    /// the test after it. Another patch at the same place would then end up in the middle of the test.
    fn whole(self) -> Self {
        if !self.removed.is_empty() || is_whole(&self.inserted) {
            return self;
        }
        let all: Vec<Self> =
            self.shifted_back().chain(self.shifted_forth()).filter(|one| is_whole(&one.inserted)).collect();
        let at_line_start = all.iter().position(|one| one.before.is_empty() || one.before.ends_with('\n'));
        all.into_iter().nth(at_line_start.unwrap_or(0)).unwrap_or(self)
    }

    /// The same insertion, one more character earlier each time.
    fn shifted_back(&self) -> impl Iterator<Item = Self> + use<> {
        std::iter::successors(Some(self.clone()), |group| {
            let mut shifted = group.clone();
            let last = shifted.inserted.pop().filter(|last| shifted.before.ends_with(*last))?;
            shifted.before.pop();
            shifted.inserted.insert(0, last);
            shifted.after.insert(0, last);
            Some(shifted)
        })
        .skip(1)
    }

    /// The same insertion, one more character later each time.
    fn shifted_forth(&self) -> impl Iterator<Item = Self> + use<> {
        std::iter::successors(Some(self.clone()), |group| {
            let mut shifted = group.clone();
            let first = shifted.inserted.chars().next().filter(|first| shifted.after.starts_with(*first))?;
            shifted.inserted.remove(0);
            shifted.after.remove(0);
            shifted.inserted.push(first);
            shifted.before.push(first);
            Some(shifted)
        })
        .skip(1)
    }
}

/// Whether a text is a piece of code by itself: its braces are balanced, and it does not end with an annotation of what
/// follows.
fn is_whole(code: &str) -> bool {
    let last = code.trim_end().lines().next_back().unwrap_or_default().trim_start();
    let is_annotation = last.starts_with('@') && !last.ends_with(['}', ';', '{']);
    !is_annotation && is_balanced(code)
}

/// Whether each brace outside of texts has its partner.
fn is_balanced(code: &str) -> bool {
    let mut open = 0_usize;
    for (_, character, _) in outside_literals(code) {
        match (character, open) {
            ('{', _) => open += 1,
            ('}', 0) => return false,
            ('}', _) => open -= 1,
            _ => {}
        }
    }
    open == 0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::edit::diff;

    fn only(before: &str, after: &str) -> Group {
        let mut all = groups(&diff("T.java", before, after)).unwrap();
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn a_change_in_a_line_is_as_small_as_it_can_be() {
        let one = only(
            "class T {\n  void a() { x(); } void b() { } }\n",
            "class T {\n  void a() { x();\n  y(); } void b() { } }\n",
        );
        assert_eq!((one.removed.as_str(), one.inserted.as_str()), ("", "\n  y();"));
        assert!(one.before.ends_with("{ x();") && one.after.starts_with(" } void b()"), "{one:?}");
        assert_eq!(one.line, 1);
    }

    #[test]
    fn a_new_test_begins_and_ends_with_itself() {
        let old = "class T {\n    void a() {\n        x();\n    }\n}\n";
        let with = old.replace("    }\n}\n", "    }\n\n    void b() {\n        x();\n    }\n}\n");
        let one = only(old, &with);
        assert!(is_balanced(&one.inserted), "{one:?}");
        assert_eq!(one.inserted.trim(), "void b() {\n        x();\n    }");
    }

    #[test]
    fn a_new_test_begins_with_its_own_annotation() {
        let test = |name: &str| format!("    @Test\n    void {name}() {{\n        x();\n    }}\n");
        let old = format!("class T {{\n{}\n{}}}\n", test("a"), test("c"));
        let with = format!("class T {{\n{}\n{}\n{}}}\n", test("a"), test("b"), test("c"));
        let one = only(&old, &with);
        assert_eq!(one.inserted.trim(), "@Test\n    void b() {\n        x();\n    }");
        assert!(one.before.ends_with('\n'), "{one:?}");
    }

    #[test]
    fn a_shift_keeps_the_new_text() {
        let group = Group {
            before: "x();\n".into(),
            removed: String::new(),
            inserted: "}\n\nb {\n".into(),
            after: "}\n}\n".into(),
            line: 3,
        };
        let text = |group: &Group| format!("{}{}{}", group.before, group.inserted, group.after);
        let shifted = group.clone().whole();
        assert_eq!(text(&shifted), text(&group));
        assert!(is_balanced(&shifted.inserted), "{shifted:?}");
    }

    #[test]
    fn what_is_no_diff_has_no_changes() {
        assert_eq!(groups("no diff"), None);
    }
}

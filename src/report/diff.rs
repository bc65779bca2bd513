//! Shows where two long texts differ.

use crate::text::escape;
use similar::{ChangeTag, TextDiff};

/// A reader compares texts shorter than this at a glance.
const SHORT: usize = 60;
/// Longest text that is compared, in characters. Comparing takes time that grows faster than the
/// text.
const LONGEST: usize = 4_000;
/// Most lines of a difference.
const LINES: usize = 24;
/// Unchanged characters kept around a change in one line.
const CONTEXT: usize = 30;
/// Texts less similar than this are shown whole, since a difference would say no more.
const ALIKE: f32 = 0.3;

/// A code block that shows how two strings differ. Both are Java source, as values are recorded.
///
/// `None` if the two values alone say more: if they are no strings, short, too long, or have
/// nothing in common.
pub(super) fn difference(original: &str, transformed: &str) -> Option<String> {
    let (original, transformed) = (unquote(original)?, unquote(transformed)?);
    if original == transformed {
        return None;
    }
    if original.chars().count().max(transformed.chars().count()) > LONGEST {
        return None;
    }
    if original.lines().count() > 1 || transformed.lines().count() > 1 {
        return lines(&original, &transformed);
    }
    if original.chars().count().min(transformed.chars().count()) < SHORT {
        return None;
    }
    words(&original, &transformed)
}

fn lines(original: &str, transformed: &str) -> Option<String> {
    let diff = TextDiff::from_lines(original, transformed);
    if diff.ratio() < ALIKE {
        return None;
    }
    let mut shown = Vec::new();
    for (number, group) in diff.grouped_ops(2).iter().enumerate() {
        if number > 0 {
            shown.push("  …".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let line = change.value().trim_end_matches(['\n', '\r']);
            shown.push(format!("{sign} {}", escape::shorten(line, 160).0));
        }
    }
    if shown.is_empty() {
        return None;
    }
    if shown.len() > LINES {
        let more = shown.len() - LINES;
        shown.truncate(LINES);
        shown.push(format!("  … ({more} more lines)"));
    }
    Some(escape::block(&shown.join("\n"), "diff"))
}

/// The changed words of one long line with some context, marked as in `git diff --word-diff`.
fn words(original: &str, transformed: &str) -> Option<String> {
    let diff = TextDiff::from_words(original, transformed);
    if diff.ratio() < ALIKE {
        return None;
    }
    // Joins changes of the same kind: consecutive words that are removed read better together.
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    for change in diff.iter_all_changes() {
        match runs.last_mut() {
            Some((tag, text)) if *tag == change.tag() => text.push_str(change.value()),
            _ => runs.push((change.tag(), change.value().to_owned())),
        }
    }
    let last = runs.len().saturating_sub(1);
    let mut shown = String::new();
    for (index, (tag, text)) in runs.iter().enumerate() {
        match tag {
            ChangeTag::Equal => shown.push_str(&context(text, index == 0, index == last)),
            ChangeTag::Delete => shown.push_str(&format!("[-{}-]", escape::shorten(text, 160).0)),
            ChangeTag::Insert => shown.push_str(&format!("{{+{}+}}", escape::shorten(text, 160).0)),
        }
    }
    Some(escape::block(&escape::shorten(&shown, 800).0, "text"))
}

/// Shortens an unchanged stretch to the characters next to a change.
fn context(text: &str, first: bool, last: bool) -> String {
    let length = text.chars().count();
    let head: usize = if first { 0 } else { CONTEXT };
    let tail: usize = if last { 0 } else { CONTEXT };
    if length <= head + tail + 3 {
        return text.to_owned();
    }
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

/// The characters of a Java string literal (JLS §3.10.5, §3.3). `None` for anything else.
fn unquote(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut units: Vec<u16> = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    let mut buffer = [0; 2];
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut buffer));
            continue;
        }
        let escaped = chars.next()?;
        let plain = match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            's' => ' ',
            '0' => '\0',
            'u' => {
                let digits: String = chars.by_ref().take(4).collect();
                units.push(u16::from_str_radix(&digits, 16).ok()?);
                continue;
            }
            other => other,
        };
        units.extend_from_slice(plain.encode_utf16(&mut buffer));
    }
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn different_lines_are_shown_as_a_diff() {
        let block = difference("\"a\\nb\\nc\\nd\\n\"", "\"a\\nb\\nX\\nd\\n\"").unwrap();
        assert_eq!(block, "```diff\n  a\n  b\n- c\n+ X\n  d\n```");
    }

    #[test]
    fn only_the_context_of_a_change_is_shown_of_a_long_line() {
        let text = |word: &str| format!("\"{} the {word} value {}\"", "before ".repeat(20), "after ".repeat(20));
        let block = difference(&text("first"), &text("other")).unwrap();
        assert!(block.contains("the [-first-]{+other+} value"), "{block}");
        assert!(block.chars().count() < 150, "{block}");
    }

    #[test]
    fn short_or_dissimilar_texts_have_no_diff() {
        assert_eq!(difference("\"a\"", "\"b\""), None);
        assert_eq!(difference("3", "0"), None);
        assert_eq!(difference(&format!("\"{}\"", "word ".repeat(50)), "\"\""), None);
    }

    #[test]
    fn java_escapes_are_decoded() {
        assert_eq!(unquote("\"a\\n\\\"\\\\\\u00e9\"").as_deref(), Some("a\n\"\\é"));
        assert_eq!(unquote("\"a\\"), None);
    }
}

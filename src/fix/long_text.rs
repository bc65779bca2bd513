//! Expectations about texts that are too long for one line of a test.

use crate::observation::CutText;

/// Longest text that is expected as a whole, in characters of its literal.
const WHOLE: usize = 600;
/// Most lines of a text that is expected as a whole.
const LINES: usize = 8;
/// Longest line of such a text, in characters of its literal.
const LINE: usize = 90;
/// Longest beginning or end that is expected in place of a whole text, in characters of its literal.
const EDGE: usize = 60;

/// The part of a long text that a test can expect.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LongText {
    /// The whole text, as Java source of several lines.
    Whole(String),
    /// Its beginning, as Java source.
    Beginning(String),
    /// Its end, as Java source.
    End(String),
    /// That it is there. A test that asks `null` for its beginning would fail by an exception and not
    /// by an assertion.
    Present,
}

/// The part of the text with this literal that the transformation does not give.
///
/// `None` if the text is not known, or if its known part is the same on both sides.
pub(super) fn of_long_text(original: &str, transformed: Option<&str>) -> Option<LongText> {
    let (literal, is_whole) = match CutText::parse(original) {
        Some(cut) => (cut.start, false),
        None => (original, true),
    };
    let characters = characters(literal.strip_prefix('"')?.strip_suffix('"')?);
    if literal.contains('…') {
        return None;
    }
    if let Some(lines) = lines(&characters).filter(|_| is_whole) {
        let literals: Vec<String> = lines.iter().map(|line| format!("\"{line}\"")).collect();
        return Some(LongText::Whole(literals.join("\n\t\t+ ")));
    }
    if transformed == Some("null") {
        return Some(LongText::Present);
    }
    let other = transformed?.split("\"… (").next()?.trim_matches('"');
    let beginning = beginning(&characters);
    if !other.starts_with(&beginning) {
        return Some(LongText::Beginning(format!("\"{beginning}\"")));
    }
    let end = end(&characters);
    (is_whole && !other.ends_with(&end)).then(|| LongText::End(format!("\"{end}\"")))
}

/// The characters of a literal, without its quotes. An escape (JLS §3.3, §3.10.7) is one of them.
fn characters(inner: &str) -> Vec<&str> {
    let mut characters = Vec::new();
    let mut rest = inner;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\\' if rest.starts_with("\\u") => 6,
            '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            other => other.len_utf8(),
        };
        let (character, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        characters.push(character);
        rest = behind;
    }
    characters
}

/// The text in lines of source code, cut at the ends of its own lines and between words. `None` if
/// that is too long to read.
fn lines(characters: &[&str]) -> Option<Vec<String>> {
    let length: usize = characters.iter().map(|character| character.len()).sum();
    let mut lines: Vec<String> = vec![String::new()];
    for word in characters.split_inclusive(|character| matches!(*character, " " | "\\n")) {
        let word = word.concat();
        let line = lines.last_mut()?;
        if !line.is_empty() && (line.ends_with("\\n") || line.len() + word.len() > LINE) {
            lines.push(word);
        } else {
            line.push_str(&word);
        }
    }
    let is_short = length <= WHOLE && lines.len() <= LINES && lines.iter().all(|line| line.len() <= LINE + EDGE);
    is_short.then_some(lines)
}

/// The beginning of the text, up to the end of a line or a word if one is near.
fn beginning(characters: &[&str]) -> String {
    let mut taken = within(characters.iter());
    let own = characters.get(..taken).unwrap_or_default();
    let last = |end: &str| own.iter().rposition(|character| *character == end).filter(|at| *at >= taken / 3);
    if let Some(end) = last("\\n").or_else(|| last(" ")) {
        taken = end + 1;
    }
    characters.get(..taken).unwrap_or_default().concat()
}

/// The end of the text, from the beginning of a line or a word if one is near.
fn end(characters: &[&str]) -> String {
    let taken = within(characters.iter().rev());
    let own = characters.get(characters.len() - taken..).unwrap_or_default();
    // The last character may end a line itself.
    let inner = own.get(..taken.saturating_sub(1)).unwrap_or_default();
    let first = |end: &str| inner.iter().position(|character| *character == end).filter(|at| *at < taken - taken / 3);
    let begin = first("\\n").or_else(|| first(" ")).map_or(0, |at| at + 1);
    own.get(begin..).unwrap_or_default().concat()
}

/// How many of these characters are within the length of an edge.
fn within<'c>(characters: impl Iterator<Item = &'c &'c str>) -> usize {
    let lengths = characters.scan(0, |sum, character| {
        *sum += character.len();
        Some(*sum)
    });
    lengths.take_while(|sum| *sum <= EDGE).count()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn source(original: &str, transformed: &str) -> String {
        match of_long_text(original, Some(transformed)).unwrap() {
            LongText::Whole(source) => source,
            LongText::Beginning(source) => format!("starts {source}"),
            LongText::End(source) => format!("ends {source}"),
            LongText::Present => "is there".to_owned(),
        }
    }

    #[test]
    fn a_text_of_a_few_lines_is_expected_as_a_whole() {
        let text = format!("\"{}\\nand \\u2028{}\"", "word ".repeat(20), "more ".repeat(10));
        let words = format!(
            "\"{}\"\n\t\t+ \"{}\\n\"\n\t\t+ \"and \\u2028{}\"",
            "word ".repeat(18),
            "word ".repeat(2),
            "more ".repeat(10)
        );
        assert_eq!(source(&text, "null"), words);
    }

    #[test]
    fn of_a_long_text_the_beginning_is_expected_or_the_end_where_the_beginning_is_the_same() {
        let lines: String = (0..40).map(|line| format!("line \\\\{line}\\n")).collect();
        let text = format!("\"{lines}\"");
        let beginning: String = (0..6).map(|line| format!("line \\\\{line}\\n")).collect();
        assert_eq!(source(&text, "\"\""), format!("starts \"{beginning}\""));
        assert_eq!(source(&text, "null"), "is there");
        assert_eq!(
            source(&text, &format!("\"{beginning}no\"")),
            "ends \"line \\\\35\\nline \\\\36\\nline \\\\37\\nline \\\\38\\nline \\\\39\\n\""
        );
        assert_eq!(of_long_text(&text, Some(&text)), None);
        assert_eq!(of_long_text(&text, None), None);
    }

    #[test]
    fn of_a_text_that_was_cut_only_the_beginning_is_known() {
        let cut = CutText::write(&format!("\"{}\"", "a".repeat(70)), 5000, 1);
        assert_eq!(source(&cut, "\"A\""), format!("starts \"{}\"", "a".repeat(60)));
        let other = CutText::write(&format!("\"{}\"", "a".repeat(70)), 5000, 2);
        assert_eq!(of_long_text(&cut, Some(&other)), None);
        assert_eq!(of_long_text("\"a… and more\"", Some("null")), None);
    }
}

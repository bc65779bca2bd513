//! Escapes text of the project under test for Markdown and HTML, so that none of it is interpreted.
//!
//! Project text is put into code spans, code blocks or entities, never into plain prose: there,
//! GitHub would also turn `@name`, `#12` and addresses into links. <https://github.github.com/gfm/>

use crate::observation::CutText;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Longest value that running text shows whole, in characters.
pub const LONGEST: usize = 120;

/// Whether a character is invisible or changes how the text around it looks. Such characters are
/// written as Java escapes.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffc}' | '\u{e0000}'..='\u{e0fff}')
}

fn push_visible(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if is_invisible(c) => {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
        c => out.push(c),
    }
}

/// The text on one line, without control characters or characters that change the direction of
/// writing.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| push_visible(&mut out, c));
    Cow::Owned(out)
}

/// Shortens a text to its first and last characters, and returns the full length if it was cut.
///
/// A text that was already cut when it was recorded ends with its length and a hash, which
/// distinguish it from texts that begin alike. That end is kept.
#[must_use]
pub fn shorten(text: &str, longest: usize) -> (Cow<'_, str>, Option<usize>) {
    let length = text.chars().count();
    if length <= longest {
        return (Cow::Borrowed(text), None);
    }
    if let Some(CutText { start, end }) = CutText::parse(text) {
        let (start, quote) = start.strip_suffix('"').map_or((start, ""), |start| (start, "\""));
        let head = longest.saturating_sub(end.chars().count() + quote.len());
        let start: String = start.chars().take(head).collect();
        return (Cow::Owned(format!("{start}{quote}{end}")), None);
    }
    let tail = longest / 3;
    let head = longest.saturating_sub(tail + 3);
    let mut short: String = text.chars().take(head).collect();
    short.push_str(" … ");
    short.extend(text.chars().skip(length - tail));
    (Cow::Owned(short), Some(length))
}

fn longest_run_of_backticks(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A code span with a fence that the text cannot close. A code span cannot be empty, so an empty
/// text becomes `(empty)` in plain words.
#[must_use]
pub fn code(text: &str) -> String {
    let text = visible(text);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run_of_backticks(&text) + 1);
    // Markdown removes one space from both ends (CommonMark, "Code spans").
    let pad = if text.starts_with('`')
        || text.ends_with('`')
        || (text.starts_with(' ') && text.ends_with(' ') && !text.trim_matches(' ').is_empty())
    {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A code span. A text that is too long is cut in the middle, and its length is added.
#[must_use]
pub fn code_short(text: &str, longest: usize) -> String {
    let (short, length) = shorten(text, longest);
    with_length(code(&short), length)
}

fn with_length(mut span: String, length: Option<usize>) -> String {
    if let Some(length) = length {
        let _ = write!(span, " ({length} characters)");
    }
    span
}

/// Code in a cell of a table. A `|` ends the cell even inside a code span, and renderers disagree
/// about `\|` after a backslash, so texts with `|` are written with entities.
#[must_use]
pub fn cell(text: &str, longest: usize) -> String {
    let (short, length) = shorten(text, longest);
    let span = if short.contains('|') { format!("<code>{}</code>", entities(&short)) } else { code(&short) };
    with_length(span, length)
}

/// Text for HTML, and for Markdown in which no character may have a meaning.
#[must_use]
pub fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in visible(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ';' | '(' | ')' | '-' | '/' | '?') {
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// A sentence that may contain names of the project, as prose in which nothing is interpreted.
#[must_use]
pub fn prose(text: &str) -> String {
    // Within a line, these mean nothing; a colon does only before a letter (an emoji, an address). Markdown is also read
    // as it is.
    let readable = entities(text).replace("&#58; ", ": ").replace("&#39;", "'").replace("&#34;", "\"");
    // Without the word joiner, GitHub would notify the user of that name.
    readable.replace("&#64;", "&#64;&#8288;")
}

/// Text for `<summary>` and other places of plain HTML. It is one line, because an empty line would
/// end the HTML block.
#[must_use]
pub fn html(text: &str, longest: usize) -> String {
    let (short, length) = shorten(text, longest);
    let mut out = String::with_capacity(short.len() + 16);
    for c in visible(&short).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    with_length(out, length)
}

/// A fenced code block. Line breaks are kept; all other invisible characters become escapes.
#[must_use]
pub fn block(text: &str, language: &str) -> String {
    let mut inner = String::with_capacity(text.len() + 16);
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            inner.push('\n');
        }
        line.chars().for_each(|c| if c == '\t' { inner.push_str("    ") } else { push_visible(&mut inner, c) });
    }
    let fence = "`".repeat(longest_run_of_backticks(&inner).max(2) + 1);
    format!("{fence}{language}\n{inner}\n{fence}")
}

/// The target of a link: everything but plain characters of paths is percent-encoded.
#[must_use]
pub fn link_target(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulldown_cmark::{Event, Options, Parser};

    const NASTY: &[&str] = &[
        "",
        " ",
        "`",
        "``",
        "a`b``c",
        " x ",
        "|",
        "a\\|b",
        "\\",
        "</details>",
        "```",
        "\n\n# h",
        "<b>&amp;",
        "@someone #1",
        "\u{202e}abc",
        "[a](b)",
        "*x* _y_",
    ];

    fn text_and_tags(markdown: &str) -> (String, usize) {
        let mut text = String::new();
        let mut others = 0;
        for event in Parser::new_ext(markdown, Options::all()) {
            match event {
                Event::Code(code) => text.push_str(&code),
                Event::Text(plain) => text.push_str(&plain),
                Event::Start(pulldown_cmark::Tag::Paragraph)
                | Event::End(pulldown_cmark::TagEnd::Paragraph)
                | Event::SoftBreak => {}
                _ => others += 1,
            }
        }
        (text, others)
    }

    #[test]
    fn a_code_span_shows_exactly_its_text() {
        for nasty in NASTY.iter().filter(|text| !text.is_empty()) {
            let (text, others) = text_and_tags(&format!("x{}y", code(nasty)));
            assert_eq!(text, format!("x{}y", visible(nasty)), "{nasty:?}");
            assert_eq!(others, 0, "{nasty:?}");
        }
    }

    #[test]
    fn prose_shows_exactly_its_text() {
        for nasty in NASTY {
            let (text, others) = text_and_tags(&format!("x{}y", prose(nasty)));
            assert_eq!(text.replace('\u{2060}', ""), format!("x{}y", visible(nasty)), "{nasty:?}");
            assert_eq!(others, 0, "{nasty:?}");
        }
    }

    #[test]
    fn a_cell_stays_one_cell() {
        for nasty in NASTY {
            let table = format!("| a | b |\n|---|---|\n| {} | z |\n", cell(nasty, 40));
            let cells = Parser::new_ext(&table, Options::all())
                .filter(|event| matches!(event, Event::Start(pulldown_cmark::Tag::TableCell)))
                .count();
            assert_eq!(cells, 4, "{nasty:?} in {table}");
            assert!(table.contains('z'));
        }
    }

    #[test]
    fn a_block_cannot_be_closed_by_its_text() {
        for nasty in NASTY {
            let markdown = format!("{}\n\nafter", block(&format!("first\n{nasty}\nlast"), "java"));
            let events: Vec<Event> = Parser::new_ext(&markdown, Options::all()).collect();
            let blocks =
                events.iter().filter(|event| matches!(event, Event::Start(pulldown_cmark::Tag::CodeBlock(_)))).count();
            assert_eq!(blocks, 1, "{nasty:?}");
            assert!(!events.iter().any(|event| matches!(event, Event::Html(_) | Event::InlineHtml(_))), "{nasty:?}");
        }
    }

    #[test]
    fn a_long_text_is_cut_in_the_middle_and_its_length_is_added() {
        let long = "x".repeat(500) + "end";
        let span = code_short(&long, 30);
        assert!(span.ends_with("end` (503 characters)"), "{span}");
        assert!(span.chars().count() < 60);
    }

    #[test]
    fn a_text_that_was_cut_when_recorded_keeps_its_length_and_hash() {
        let value = format!("\"{}\"… (8025 characters, hash 5ae1e1854832ade4)", "x".repeat(500));
        let (short, length) = shorten(&value, 60);
        assert_eq!(short, "\"xxxxxxxxxxxxxxxx\"… (8025 characters, hash 5ae1e1854832ade4)");
        assert_eq!((short.chars().count(), length), (60, None));
    }

    #[test]
    fn a_link_target_contains_no_character_that_ends_a_link() {
        assert_eq!(link_target("a b/(c)<d>\u{e9}.java"), "a%20b/%28c%29%3Cd%3E%C3%A9.java");
    }
}

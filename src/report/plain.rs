//! Converts our Markdown to plain text, for places that show no Markdown.

use pulldown_cmark::{Event, Parser};

/// Put before a text so that its beginning is not read as a list or a heading: a value may well be
/// `- 1`.
pub(super) const BEGINNING: &str = "a";

/// Removes the markup from our Markdown. Code spans become their text, which contains no control
/// characters. The Markdown must not contain a code block.
pub(super) fn plain(markdown: &str) -> String {
    let markdown = format!("{BEGINNING} {markdown}");
    let mut out = String::with_capacity(markdown.len());
    for event in Parser::new(&markdown) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out.strip_prefix(BEGINNING).unwrap_or(&out).trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_removed_and_text_is_kept() {
        assert_eq!(plain("**no** `a*b*` &#42;c&#42;"), "no a*b* *c*");
        assert_eq!(plain("- 1"), "- 1");
        assert_eq!(plain("1. 2"), "1. 2");
        assert_eq!(plain(""), "");
    }
}

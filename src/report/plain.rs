//! From Markdown of ours to plain text, for places that show no Markdown.

use pulldown_cmark::{Event, Parser};

/// Markdown of ours without its marks: code spans become their text, which holds no control characters.
pub(super) fn plain(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    for event in Parser::new(markdown) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out
}

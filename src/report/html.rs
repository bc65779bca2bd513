//! Writes `report.html`: one searchable file with a picture for each finding, which needs no
//! network.

use super::links::Links;
use super::markdown::opens_block;
use super::model::Report;
use super::page::page;
use super::plain::BEGINNING;
use super::template::Template;
use crate::base::error::Result;
use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use pulldown_cmark::{Event, Options, Parser, html};
use std::collections::BTreeMap;

const TEMPLATE: Template =
    Template { name: "report.html.jinja", text: include_str!("../../report-templates/report.html.jinja") };

/// The hash of the one script in the template, as a `Content-Security-Policy` names it. No other script runs.
const SCRIPT: &str = "sha256-eHV5bJAN49YAnFysJwrBr/0g0kflYiaemDWUK+QwScQ=";

/// Renders the page. It names places without links: people send the file around without the
/// sources.
pub(super) fn html(report: &Report) -> Result<String> {
    let page = page(report, &Links(None))?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_global("script", SCRIPT);
    TEMPLATE.fill_in(environment, in_html(&Value::from(Serde(&page))))
}

/// Converts all finished Markdown to HTML. Other text stays as it is: the template escapes it.
fn in_html(value: &Value) -> Value {
    match (value.kind(), value.as_str()) {
        (_, Some(markdown)) if value.is_safe() => Value::from_safe_string(from_markdown(markdown)),
        (ValueKind::Seq, _) => value.try_iter().into_iter().flatten().map(|item| in_html(&item)).collect(),
        (ValueKind::Map, _) => {
            let keys = value.try_iter().into_iter().flatten();
            let items = keys.filter_map(|key| Some((key.as_str()?.to_owned(), in_html(&value.get_item(&key).ok()?))));
            Value::from(items.collect::<BTreeMap<String, Value>>())
        }
        _ => value.clone(),
    }
}

/// Converts one text. Of the HTML in it, only the tags in our own table cells are kept.
fn from_markdown(markdown: &str) -> String {
    if opens_block(markdown.lines().next().unwrap_or_default()) {
        return rendered(markdown);
    }
    let text = rendered(&format!("{BEGINNING} {markdown}"));
    let inner = text.strip_prefix("<p>").and_then(|text| text.strip_prefix(BEGINNING)).unwrap_or(&text).trim_start();
    // A single paragraph goes into an element of the template; several paragraphs keep their own.
    match inner.strip_suffix("</p>") {
        Some(inner) if !inner.contains("<p>") => inner.to_owned(),
        _ => format!("<p>{inner}"),
    }
}

fn rendered(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).map(|event| match event {
        Event::InlineHtml(tag) if matches!(&*tag, "<code>" | "</code>") => Event::InlineHtml(tag),
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        event => event,
    });
    let mut out = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut out, events);
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_policy_names_the_one_script() {
        let (_, script) = TEMPLATE.text.split_once("<script>").unwrap();
        let (script, rest) = script.split_once("</script>").unwrap();
        assert!(!rest.contains("<script") && !script.contains("{{") && !script.contains("{%"));
        let hash = base64(&Sha256::digest(script));
        assert_eq!(SCRIPT, format!("sha256-{hash}"), "the script has changed: write this hash");
    }

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let of_chunk = |chunk: &[u8]| {
            let number = (0..3).fold(0, |number, at| number << 8 | usize::from(chunk.get(at).copied().unwrap_or(0)));
            (0..4)
                .map(move |at| if at > chunk.len() { '=' } else { char::from(DIGITS[number >> (18 - 6 * at) & 63]) })
                .collect::<String>()
        };
        bytes.chunks(3).map(of_chunk).collect()
    }

    #[test]
    fn our_markdown_becomes_html_and_foreign_tags_stay_text() {
        assert_eq!(from_markdown("a `<b>` **c**"), "a <code>&lt;b&gt;</code> <strong>c</strong>");
        assert_eq!(from_markdown("<code>a&#124;b</code>"), "<code>a|b</code>");
        assert_eq!(from_markdown("x <script>y</script>"), "x &lt;script&gt;y&lt;/script&gt;");
        assert_eq!(from_markdown("- 1"), "- 1");
        assert_eq!(from_markdown(""), "");
        assert_eq!(from_markdown("a\n\nb"), "<p>a</p>\n<p>b</p>");
        assert_eq!(from_markdown("```java\na < b\n```"), "<pre><code class=\"language-java\">a &lt; b\n</code></pre>");
    }
}

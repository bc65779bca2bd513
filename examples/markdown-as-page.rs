//! Reads Markdown from standard input and prints the HTML page that hosting services would show.
//! Arguments: a stylesheet, and the script of Mermaid.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::io::{Read, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: markdown-as-page STYLESHEET MERMAID-SCRIPT < report.md > page.html";
    let stylesheet = std::fs::read_to_string(arguments.next().ok_or(usage)?)?;
    let mermaid = std::path::absolute(arguments.next().ok_or(usage)?)?;
    let mut markdown = String::new();
    std::io::stdin().read_to_string(&mut markdown)?;
    let mut body = String::new();
    html::push_html(&mut body, diagrams(Parser::new_ext(&markdown, Options::ENABLE_TABLES)));
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <style>\n{stylesheet}</style>\n<article>\n{body}</article>\n<script src=\"file://{}\"></script>\n\
         <script>\nconst dark = matchMedia(\"(prefers-color-scheme: dark)\").matches;\n\
         mermaid.initialize({{ theme: dark ? \"dark\" : \"default\" }});\n</script>\n</html>\n",
        mermaid.display()
    );
    std::io::stdout().write_all(page.as_bytes())?;
    Ok(())
}

/// Turns Mermaid blocks into elements that Mermaid's script draws.
fn diagrams<'a>(events: impl Iterator<Item = Event<'a>>) -> impl Iterator<Item = Event<'a>> {
    let mut within = false;
    events.map(move |event| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(ref language))) if language.as_ref() == "mermaid" => {
            within = true;
            Event::Html(CowStr::Borrowed("<pre class=\"mermaid\">"))
        }
        Event::End(TagEnd::CodeBlock) if within => {
            within = false;
            Event::Html(CowStr::Borrowed("</pre>\n"))
        }
        event => event,
    })
}

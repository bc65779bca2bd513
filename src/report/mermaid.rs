//! Draws the way of a difference as a Mermaid diagram, which hosting services render inside
//! Markdown.
//!
//! <https://mermaid.js.org/syntax/flowchart.html>

use super::flow::{Flow, Loss, Stop};
use super::plain::plain;
use super::values::{self, Difference};
use crate::text::escape::{block, shorten, visible};
use std::fmt::Write as _;

/// Longest label, in characters.
const LONGEST: usize = 60;
/// Calls that fit side by side; with more, the diagram runs from top to bottom.
const ABREAST: usize = 4;

/// Renders a code block. `did` is what the transformation did to the method, in plain words.
pub(super) fn mermaid(flow: &Flow<'_>, did: &str) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_diagram(&mut out, flow, did);
    block(&out, "mermaid")
}

fn write_diagram(out: &mut String, flow: &Flow<'_>, did: &str) -> std::fmt::Result {
    let last = flow.stops.len().saturating_sub(1);
    writeln!(out, "flowchart {}", if flow.stops.len() > ABREAST { "TB" } else { "LR" })?;
    for (index, stop) in flow.stops.iter().enumerate() {
        let text = match stop {
            Stop::Cut(number) => label(&format!("{number} more calls")),
            Stop::Frame(frame) if index == last => format!("{}<br>{}", label(&frame.short_name()), label(did)),
            Stop::Frame(frame) => match frame.line {
                Some(line) => format!("{}<br>line {line}", label(&frame.short_name())),
                None => label(&frame.short_name()),
            },
        };
        writeln!(out, "    c{index}[\"{text}\"]")?;
    }
    let calls: Vec<String> = (0..=last).map(|index| format!("c{index}")).collect();
    writeln!(out, "    {}", calls.join(" --> "))?;
    let difference = flow.seen.map(|evidence| values::difference(flow.entries, evidence));
    let loss = label(flow.loss.in_words());
    match (flow.loss, difference) {
        (Loss::OnTheWay | Loss::InTheTest, Some(Difference { property, today, changed })) => {
            let [property, today, changed] = [property, today, changed].map(|text| label(&plain(&text)));
            writeln!(out, "    d[\"{property}<br>today: {today}<br>with the change: {changed}\"]")?;
            writeln!(out, "    c{last} ==> d")?;
            writeln!(out, "    d --x lost([\"{loss}\"])")?;
        }
        (Loss::Unknown, _) => writeln!(out, "    c{last} -.- lost([\"{loss}\"])")?,
        _ => writeln!(out, "    c{last} --x lost([\"{loss}\"])")?,
    }
    writeln!(out, "    style lost stroke:#cf222e,stroke-width:2px")
}

/// Escapes text for a quoted label, so that neither Mermaid nor the Markdown or HTML in it
/// interprets anything. All but the plainest characters become entity codes.
fn label(text: &str) -> String {
    let shown = visible(text);
    let (short, _) = shorten(&shown, LONGEST);
    let mut out = String::with_capacity(short.len() + 16);
    let mut chars = short.chars().peekable();
    while let Some(c) = chars.next() {
        let is_plain = match c {
            // A period followed by white space would turn the number before it into a list item.
            '.' => chars.peek().is_some_and(|next| next.is_alphanumeric()),
            c => c.is_alphanumeric() || matches!(c, ' ' | ',' | '…'),
        };
        if is_plain {
            out.push(c);
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_contains_no_special_character() {
        assert_eq!(label("Stack.pop"), "Stack.pop");
        assert_eq!(label("\"a\" `b` <c> #1; %%{x}"), "#34;a#34; #96;b#96; #60;c#62; #35;1#59; #37;#37;#123;x#125;");
        assert_eq!(label("1. x"), "1#46; x");
        assert_eq!(label("a\nb"), "a#92;nb");
    }
}

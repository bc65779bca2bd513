//! Look at what the method prints (`rules/fixes/capture-output.toml`).

use super::{Look, Subject, new_input};
use crate::fix::name::{About, When};
use crate::fix::style::Needed;
use crate::fix::values::Values;
use std::collections::BTreeSet;

/// From so many calls away.
const LEVELS: usize = 6;
/// What it costs to put the streams of the JVM aside.
const RANK: usize = 12;

pub(super) fn looks(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
    let streams = streams(subject);
    if streams.is_empty() {
        return Vec::new();
    }
    let calls = new_input::looks(subject, values);
    calls.iter().flat_map(|look| streams.iter().map(|stream| captured(look, stream))).collect()
}

/// Which of `out` and `err` the method uses, itself or through what it calls.
fn streams(subject: &Subject<'_>) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut known = BTreeSet::new();
    let mut last = vec![subject.method.member()];
    for _ in 0..=LEVELS {
        let mut next = Vec::new();
        for outline in last.iter().filter_map(|member| subject.outlines.method(member)) {
            for stream in ["out", "err"] {
                if outline.reads.iter().any(|read| read.owner == "java.lang.System" && read.name == stream) {
                    found.insert(stream);
                }
            }
            next.extend(outline.calls.iter().map(|call| call.to.clone()).filter(|to| known.insert(to.clone())));
        }
        last = next;
    }
    found
}

/// The same call while this stream of the JVM is another one, which is looked at. Lines begin with a tab for each level.
fn captured(look: &Look, stream: &str) -> Look {
    let call = look.act.clone().unwrap_or_else(|| format!("{};", look.expression));
    let set = format!("System.set{}", if stream == "out" { "Out" } else { "Err" });
    let mut before = look.before.clone();
    before.push(format!("PrintStream usual = System.{stream};"));
    before.push("ByteArrayOutputStream printed = new ByteArrayOutputStream();".to_owned());
    before.push(format!("{set}(new PrintStream(printed));"));
    let lines: String = call.lines().map(|line| format!("\t{line}\n")).collect();
    let by = match &look.about {
        About::Result { method } => method.clone(),
        _ => "it".to_owned(),
    };
    let import = |name: &str| Needed { is_static: false, name: name.to_owned() };
    let imports = look.imports.iter().cloned();
    Look {
        before,
        act: Some(format!("try {{\n{lines}}} finally {{\n\t{set}(usual);\n}}")),
        // Which characters end a line, the platform says.
        expression: "printed.toString().trim()".to_owned(),
        about: About::Printed { by },
        when: match &look.when {
            When::New(_) => When::Always,
            when => when.clone(),
        },
        imports: imports.chain([import("java.io.ByteArrayOutputStream"), import("java.io.PrintStream")]).collect(),
        rank: look.rank + RANK,
        ..look.clone()
    }
}

//! Look at what the method prints (`rules/fixes/capture-output.toml`).

use super::{Look, Subject, new_input};
use crate::fix::source::style::Needed;
use crate::fix::values::Values;
use crate::fix::write::name::{About, When};

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
fn streams(subject: &Subject<'_>) -> Vec<&'static str> {
    let called = subject.outlines.called_from(&[subject.method.member()], LEVELS);
    let is_read = |stream: &&str| {
        let mut reads = called.iter().flat_map(|(_, outline)| &outline.reads);
        reads.any(|read| read.owner == "java.lang.System" && read.name == **stream)
    };
    ["err", "out"].into_iter().filter(is_read).collect()
}

/// The same call while this stream of the JVM is another one, which is looked at. Lines begin with a tab for each level.
fn captured(look: &Look, stream: &str) -> Look {
    let call = look.statements();
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

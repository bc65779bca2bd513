//! Look at the text that the method prints (`rules/fixes/capture-output.toml`).

use crate::fix::look::{About, Look, When};
use crate::fix::source::imports::NewImport;
use crate::fix::subject::Subject;
use crate::fix::techniques::new_input::new_calls;
use crate::fix::techniques::technique::Technique;
use crate::fix::values::catalog::Values;

pub const TECHNIQUE: Technique = Technique {
    in_new_test: Some(looks),
    ..Technique::new("capture-output", include_str!("../../../rules/fixes/capture-output.toml"))
};

/// Number of calls below the method in which a stream is searched.
const LEVELS: usize = 6;
/// The rank for replacing a stream of the JVM.
const RANK: usize = 12;

fn looks(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
    let streams = streams(subject);
    if streams.is_empty() {
        return Vec::new();
    }
    let calls = new_calls(subject, values);
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

/// The same call while another stream replaces this one of the JVM; its text is looked at. Lines
/// begin with a tab for each level.
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
    let import = |name: &str| NewImport { is_static: false, name: name.to_owned() };
    let imports = look.imports.iter().cloned();
    Look {
        before,
        act: Some(format!("try {{\n{lines}}} finally {{\n\t{set}(usual);\n}}")),
        // The platform decides which characters end a line, so the text is trimmed.
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

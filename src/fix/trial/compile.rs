//! From candidates to sources in which each of them is a test of its own, compiled: what does not compile is dropped.

use crate::base::error::Result;
use crate::fix::candidate::{Candidate, Probe, Shape};
use crate::fix::edit::{Edit, apply};
use crate::fix::source::style::{Needed, Style, import_edits};
use crate::fix::source::test_source::TestSource;
use crate::fix::trial::chance::CALLS;
use crate::fix::trial::workshop::{Complaint, Workshop};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The object of a [`crate::fix::candidate::Repeat`].
const OBJECT: &str = "reneri$it";

/// Where in a changed source the code of a candidate, or of one of its probes, stands.
struct Span {
    start: usize,
    end: usize,
    candidate: (usize, usize),
    probe: Option<usize>,
}

/// What does not compile: a candidate, or one of its probes.
type Dropped = BTreeSet<((usize, usize), Option<usize>)>;

/// The name of a test that is tried.
#[must_use]
pub fn tried_name(number: usize) -> String {
    format!("testReneri{number}x")
}

/// The folder of the classes, and the candidates that are in them. `None` where none compiles.
///
/// # Errors
/// When the compiler ends, or nothing can be written.
pub fn compiled<'c>(
    workshop: &mut Workshop<'_>,
    sources: &[TestSource],
    all: &[((usize, usize), &'c Candidate)],
    numbers: &BTreeMap<(usize, usize), usize>,
) -> Result<Option<(PathBuf, Vec<&'c Candidate>)>> {
    let folder = workshop.folder()?;
    let mut parts: Vec<Part<'_, 'c>> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let own = all.iter().enumerate().filter(|(_, (_, candidate))| candidate.source == number);
        let own: Vec<Numbered<'c>> = own.map(|(position, (key, candidate))| (position, *key, *candidate)).collect();
        if !own.is_empty() {
            parts.push(Part { source, own, dropped: Dropped::new(), spans: Vec::new() });
        }
    }
    let paths: Vec<&Path> = parts.iter().map(|part| part.source.path.as_path()).collect();
    let compiles = workshop.compile_each(&folder, &paths, |part, complaints| {
        let part = parts.get_mut(part)?;
        let is_better = complaints.is_empty() || blame(complaints, &part.spans, &mut part.dropped);
        if !is_better || part.left().next().is_none() {
            return None;
        }
        let (text, spans) = weave(part.source, &part.own, numbers, &part.dropped);
        part.spans = spans;
        Some(text)
    })?;
    let compiled = parts.iter().zip(compiles).filter(|(_, compiles)| *compiles);
    let left: Vec<&Candidate> = compiled.flat_map(|(part, _)| part.left()).collect();
    Ok(if left.is_empty() { None } else { Some((folder, left)) })
}

/// A candidate with its position among all and its key.
type Numbered<'c> = (usize, (usize, usize), &'c Candidate);

/// The candidates of one source.
struct Part<'s, 'c> {
    source: &'s TestSource,
    own: Vec<Numbered<'c>>,
    dropped: Dropped,
    /// Of the text that was compiled last.
    spans: Vec<Span>,
}

impl<'c> Part<'_, 'c> {
    fn left(&self) -> impl Iterator<Item = &'c Candidate> {
        let is_left = |(_, key, _): &&Numbered<'c>| !self.dropped.contains(&(*key, None));
        self.own.iter().filter(is_left).map(|(.., candidate)| *candidate)
    }
}

/// Drops what the complaints are about. Whether anything is left to be tried without it: not if something outside of all candidates is at fault.
fn blame(complaints: &[Complaint], spans: &[Span], dropped: &mut Dropped) -> bool {
    let before = dropped.len();
    for complaint in complaints {
        let at = complaint.byte.unwrap_or(0);
        let around = spans.iter().filter(|span| span.start <= at && at < span.end);
        match around.min_by_key(|span| span.end - span.start) {
            Some(span) => {
                dropped.insert((span.candidate, span.probe));
            }
            None => return false,
        }
    }
    dropped.len() != before
}

/// The source with a test for each candidate, and where each stands.
fn weave(
    source: &TestSource,
    candidates: &[Numbered<'_>],
    numbers: &BTreeMap<(usize, usize), usize>,
    dropped: &Dropped,
) -> (String, Vec<Span>) {
    let mut spans = Vec::new();
    let mut needed: Vec<Needed> = Vec::new();
    let mut tests: Vec<(usize, String, Vec<Span>)> = Vec::new();
    for (position, key, candidate) in candidates {
        let Some(method) = source.methods.get(candidate.method).filter(|_| !dropped.contains(&(*key, None))) else {
            continue;
        };
        let first = numbers.get(key).copied().unwrap_or(0);
        let mut text = String::from("\n");
        let mut own: Vec<Span> = Vec::new();
        let mut probe = |text: &mut String, index: usize, probe: &Probe| {
            if dropped.contains(&(*key, Some(index))) {
                return;
            }
            needed.extend(probe.look.imports.iter().cloned());
            let start = text.len();
            let number = first + index;
            let before = probe.look.before.join(" ");
            let act = probe.look.act.as_deref().unwrap_or_default();
            let object = candidate.repeat.as_ref().and_then(|repeat| repeat.object.as_ref());
            let expression = match object {
                Some((_, call)) => probe.look.expression.replacen(call, OBJECT, 1),
                None => probe.look.expression.clone(),
            };
            text.push_str(&format!(
                "\ntry {{ {before} {act} reneri.rt.Probe.p({number}, {expression}); }} \
                 catch (java.lang.Throwable reneri$) {{ reneri.rt.Probe.caught({number}, reneri$); }}\n"
            ));
            own.push(Span { start, end: text.len(), candidate: *key, probe: Some(index) });
        };
        match &candidate.shape {
            Shape::Copy => {
                let name = tried_name(*position);
                text.push_str(
                    &source.text.get(method.start..method.name_start).unwrap_or_default().replace("@Override", ""),
                );
                text.push_str(&name);
                let mut copied = method.name_start + method.name.len();
                for (index, one) in candidate.probes.iter().enumerate() {
                    text.push_str(source.text.get(copied..one.behind).unwrap_or_default());
                    copied = copied.max(one.behind);
                    probe(&mut text, index, one);
                }
                text.push_str(source.text.get(copied..method.end).unwrap_or_default());
            }
            Shape::New { lines, .. } => {
                let style = Style::of(source, method);
                let mut header = style.test(&tried_name(*position), "throws java.lang.Throwable", &[]);
                header.pop();
                text.push_str(&header.join("\n"));
                for line in lines {
                    text.push('\n');
                    text.push_str(line);
                }
                if let Some(repeat) = &candidate.repeat {
                    text.push_str(&format!("\nfor (int reneri$i = 0; reneri$i < {CALLS}; reneri$i++) {{"));
                    if let Some((class, call)) = &repeat.object {
                        text.push_str(&format!("\n{class} {OBJECT} = {call};"));
                    }
                }
                for (index, one) in candidate.probes.iter().enumerate() {
                    probe(&mut text, index, one);
                }
                text.push_str(if candidate.repeat.is_some() { "\n}\n}" } else { "\n}" });
            }
        }
        text.push('\n');
        own.push(Span { start: 0, end: text.len(), candidate: *key, probe: None });
        tests.push((method.end, text, own));
    }
    // Stable: candidates of one method stay in order.
    tests.sort_by_key(|(at, ..)| *at);
    let imports = import_edits(source, &needed);
    let mut moved: usize = imports.iter().map(|edit| edit.text.len()).sum();
    let mut edits: Vec<Edit> = imports;
    for (at, text, own) in tests {
        let start = at + moved;
        spans.extend(own.into_iter().map(|span| Span { start: span.start + start, end: span.end + start, ..span }));
        moved += text.len();
        edits.push(Edit::insert(at, text));
    }
    (apply(&source.text, &edits).unwrap_or_default(), spans)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::techniques::Look;
    use std::path::Path;

    #[test]
    fn each_candidate_is_a_test_of_its_own_and_each_probe_is_found_again() {
        let text =
            "import org.junit.Test;\nclass T {\n    @Test\n    public void a() {\n        int x = 1;\n    }\n}\n";
        let source = TestSource::of(Path::new("T.java"), text.to_owned()).unwrap();
        let imports = vec![Needed { is_static: false, name: "b.B".into() }];
        let look = Look { expression: "x".into(), imports, ..Look::accessor("x", "x", 0) };
        let behind = source.methods[0].statements[0].end;
        let probe = Probe { technique: "t", look, behind, statements_left: 0 };
        let probes = vec![probe.clone(), probe.clone()];
        let copy = Candidate { source: 0, method: 0, shape: Shape::Copy, probes, repeat: None };
        let lines = vec!["int x = 2;".to_owned()];
        let new = Candidate {
            shape: Shape::New { lines, throws: String::new(), last_call: None },
            probes: vec![probe],
            ..copy.clone()
        };
        let numbers = BTreeMap::from([((0, 0), 0), ((0, 1), 2)]);
        let dropped = Dropped::from([((0, 0), Some(0))]);
        let (woven, spans) = weave(&source, &[(0, (0, 0), &copy), (1, (0, 1), &new)], &numbers, &dropped);
        let of = |candidate: (usize, usize), probe: Option<usize>| {
            let span = spans.iter().find(|span| span.candidate == candidate && span.probe == probe).unwrap();
            woven.get(span.start..span.end).unwrap().trim().to_owned()
        };
        assert!(of((0, 0), Some(1)).starts_with("try {   reneri.rt.Probe.p(1, x); }"), "{woven}");
        assert!(of((0, 1), Some(0)).starts_with("try {   reneri.rt.Probe.p(2, x); }"), "{woven}");
        assert!(
            of((0, 0), None).starts_with("@Test\n    public void testReneri0x() {\n        int x = 1;\ntry"),
            "{woven}"
        );
        assert!(
            of((0, 1), None).starts_with("@Test\npublic void testReneri1x() throws java.lang.Throwable {\nint x = 2;"),
            "{woven}"
        );
        assert!(spans.iter().all(|span| (span.candidate, span.probe) != ((0, 0), Some(0))));
        assert!(woven.contains("import b.B;"));
    }
}

//! Compiles candidates, each as a test of its own, and leaves out the candidates and expressions
//! that do not compile.

use crate::base::error::Result;
use crate::fix::candidate::{Candidate, Probe, Repeat, Shape};
use crate::fix::edit::{Edit, apply};
use crate::fix::source::imports::{NewImport, import_edits};
use crate::fix::source::style::Style;
use crate::fix::source::test_source::{TestMethod, TestSource};
use crate::fix::source::test_sources::TestSources;
use crate::fix::trial::exploration::CandidateKey;
use crate::fix::trial::test_name::tried_name;
use crate::fix::trial::workshop::{Complaint, Workshop};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The variable that holds the object of a [`Repeat`].
const OBJECT: &str = "reneri$it";

/// The bytes of a changed source that belong to a candidate, or to one of its probes.
struct Span {
    start: usize,
    end: usize,
    candidate: CandidateKey,
    probe: Option<usize>,
}

/// Candidates and probes that do not compile.
type Dropped = BTreeSet<(CandidateKey, Option<usize>)>;

/// The folder of the classes, and the candidates that are in them. `None` if no candidate compiles.
///
/// `numbers` has the number of the first expression of each candidate.
///
/// # Errors
/// When the compiler ends, or nothing can be written.
pub fn compile_candidates<'c>(
    workshop: &mut Workshop<'_>,
    sources: &TestSources,
    all: &[(CandidateKey, &'c Candidate)],
    numbers: &BTreeMap<CandidateKey, usize>,
) -> Result<Option<(PathBuf, Vec<&'c Candidate>)>> {
    let folder = workshop.folder()?;
    let mut parts: Vec<Part<'_, 'c>> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let mut candidates: Vec<Numbered<'c>> = Vec::new();
        for (position, (key, candidate)) in all.iter().enumerate() {
            if candidate.place.source == number {
                let first = numbers.get(key).copied().unwrap_or(0);
                candidates.push(Numbered { position, key: *key, first, candidate });
            }
        }
        if !candidates.is_empty() {
            parts.push(Part { sources, source, candidates, dropped: Dropped::new(), spans: Vec::new() });
        }
    }
    let paths: Vec<&Path> = parts.iter().map(|part| part.source.path.as_path()).collect();
    let compiles = workshop.compile_each(&folder, &paths, |part, complaints| parts.get_mut(part)?.next(complaints))?;
    let compiled = parts.iter().zip(compiles).filter(|(_, compiles)| *compiles);
    let left: Vec<&Candidate> = compiled.flat_map(|(part, _)| part.left()).collect();
    Ok(if left.is_empty() { None } else { Some((folder, left)) })
}

/// A candidate with its position among all candidates, and the number of its first expression.
struct Numbered<'c> {
    position: usize,
    key: CandidateKey,
    first: usize,
    candidate: &'c Candidate,
}

/// The candidates of one source.
struct Part<'s, 'c> {
    sources: &'s TestSources,
    source: &'s TestSource,
    candidates: Vec<Numbered<'c>>,
    dropped: Dropped,
    /// The places of the candidates in the text that was compiled last.
    spans: Vec<Span>,
}

impl<'c> Part<'_, 'c> {
    fn left(&self) -> impl Iterator<Item = &'c Candidate> {
        let left = self.candidates.iter().filter(|numbered| !self.dropped.contains(&(numbered.key, None)));
        left.map(|numbered| numbered.candidate)
    }

    /// The text to compile next. `None` if the complaints blame no candidate, or no candidate is
    /// left.
    fn next(&mut self, complaints: &[Complaint]) -> Option<String> {
        let is_better = complaints.is_empty() || blame(complaints, &self.spans, &mut self.dropped);
        if !is_better || self.left().next().is_none() {
            return None;
        }
        let (text, spans) = weave(self.sources, self.source, &self.candidates, &self.dropped);
        self.spans = spans;
        Some(text)
    }
}

/// Drops the candidates and probes that the complaints blame.
///
/// Returns whether it helps to try again: not if one complaint is about code outside of all
/// candidates.
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

/// The source with a test for each candidate, and the places of the candidates and probes.
fn weave(
    sources: &TestSources,
    source: &TestSource,
    candidates: &[Numbered<'_>],
    dropped: &Dropped,
) -> (String, Vec<Span>) {
    let mut imports: Vec<NewImport> = Vec::new();
    let mut tests: Vec<(usize, WovenTest<'_>)> = Vec::new();
    for numbered in candidates.iter().filter(|numbered| !dropped.contains(&(numbered.key, None))) {
        let place = numbered.candidate.place;
        let (Some(method), Some(style)) = (source.methods.get(place.position), sources.style(place)) else { continue };
        let mut test = WovenTest { numbered, dropped, text: String::from("\n"), spans: Vec::new() };
        test.write(source, method, &style);
        imports.extend(test.imports());
        tests.push((method.end, test));
    }
    // The sort is stable: candidates of one method stay in order.
    tests.sort_by_key(|(at, _)| *at);
    let mut edits: Vec<Edit> = import_edits(source, &imports);
    let mut moved: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut spans = Vec::new();
    for (at, test) in tests {
        let start = at + moved;
        let shifted = |span: Span| Span { start: span.start + start, end: span.end + start, ..span };
        spans.extend(test.spans.into_iter().map(shifted));
        moved += test.text.len();
        edits.push(Edit::insert(at, test.text));
    }
    (apply(&source.text, &edits).unwrap_or_default(), spans)
}

/// The test of one candidate, as it is written.
struct WovenTest<'w> {
    numbered: &'w Numbered<'w>,
    dropped: &'w Dropped,
    text: String,
    spans: Vec<Span>,
}

impl WovenTest<'_> {
    fn write(&mut self, source: &TestSource, method: &TestMethod, style: &Style) {
        match &self.numbered.candidate.shape {
            Shape::Copy => self.write_copy(source, method),
            Shape::New { lines, .. } => self.write_new(lines, style),
        }
        self.text.push('\n');
        let candidate = self.numbered.key;
        self.spans.push(Span { start: 0, end: self.text.len(), candidate, probe: None });
    }

    fn write_copy(&mut self, source: &TestSource, method: &TestMethod) {
        let slice = |start: usize, end: usize| source.text.get(start..end).unwrap_or_default();
        self.text.push_str(&slice(method.start, method.name_start).replace("@Override", ""));
        self.text.push_str(&tried_name(self.numbered.position));
        let mut copied = method.name_start + method.name.len();
        for (index, probe) in self.numbered.candidate.probes.iter().enumerate() {
            self.text.push_str(slice(copied, probe.behind));
            copied = copied.max(probe.behind);
            self.write_probe(index, probe);
        }
        self.text.push_str(slice(copied, method.end));
    }

    fn write_new(&mut self, lines: &[String], style: &Style) {
        let candidate = self.numbered.candidate;
        let name = tried_name(self.numbered.position);
        let mut header = style.test(&name, "throws java.lang.Throwable", &[]);
        header.pop();
        self.text.push_str(&header.join("\n"));
        for line in lines {
            self.text.push('\n');
            self.text.push_str(line);
        }
        if let Some(repeat) = &candidate.repeat {
            let calls = Repeat::CALLS;
            self.text.push_str(&format!("\nfor (int reneri$i = 0; reneri$i < {calls}; reneri$i++) {{"));
            if let Some((class, call)) = &repeat.object {
                self.text.push_str(&format!("\n{class} {OBJECT} = {call};"));
            }
        }
        for (index, probe) in candidate.probes.iter().enumerate() {
            self.write_probe(index, probe);
        }
        self.text.push_str(if candidate.repeat.is_some() { "\n}\n}" } else { "\n}" });
    }

    fn write_probe(&mut self, index: usize, probe: &Probe) {
        let Numbered { key, first, candidate, .. } = self.numbered;
        if self.dropped.contains(&(*key, Some(index))) {
            return;
        }
        let start = self.text.len();
        let number = first + index;
        let before = probe.look.before.join(" ");
        let act = probe.look.act.as_deref().unwrap_or_default();
        let object = candidate.repeat.as_ref().and_then(|repeat| repeat.object.as_ref());
        let expression = match object {
            Some((_, call)) => probe.look.expression.replacen(call, OBJECT, 1),
            None => probe.look.expression.clone(),
        };
        self.text.push_str(&format!(
            "\ntry {{ {before} {act} reneri.rt.Probe.p({number}, {expression}); }} \
             catch (java.lang.Throwable reneri$) {{ reneri.rt.Probe.caught({number}, reneri$); }}\n"
        ));
        self.spans.push(Span { start, end: self.text.len(), candidate: *key, probe: Some(index) });
    }

    /// The imports that the probes need.
    fn imports(&self) -> impl Iterator<Item = NewImport> {
        let probes = self.spans.iter().filter_map(|span| self.numbered.candidate.probes.get(span.probe?));
        probes.flat_map(|probe| probe.look.imports.iter().cloned())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::look::Look;
    use crate::fix::source::test_sources::Place;

    #[test]
    fn each_candidate_is_a_test_of_its_own_and_each_probe_has_a_span() {
        let text =
            "import org.junit.Test;\nclass T {\n    @Test\n    public void a() {\n        int x = 1;\n    }\n}\n";
        let source = TestSource::of(Path::new("T.java"), text.to_owned()).unwrap();
        let imports = vec![NewImport { is_static: false, name: "b.B".into() }];
        let look = Look { expression: "x".into(), imports, ..Look::accessor("x", "x", 0) };
        let behind = source.methods[0].statements[0].end;
        let probe = Probe { technique: "t", look, behind, statements_left: 0 };
        let probes = vec![probe.clone(), probe.clone()];
        let place = Place { source: 0, position: 0 };
        let copy = Candidate { place, shape: Shape::Copy, probes, repeat: None };
        let lines = vec!["int x = 2;".to_owned()];
        let new = Candidate {
            shape: Shape::New { lines, throws: String::new(), last_call: None },
            probes: vec![probe],
            ..copy.clone()
        };
        let key = |candidate| CandidateKey { group: 0, candidate };
        let dropped = Dropped::from([(key(0), Some(0))]);
        let sources = TestSources::from(vec![source]);
        let candidates = [
            Numbered { position: 0, key: key(0), first: 0, candidate: &copy },
            Numbered { position: 1, key: key(1), first: 2, candidate: &new },
        ];
        let (woven, spans) = weave(&sources, sources.get(0).unwrap(), &candidates, &dropped);
        let of = |candidate: usize, probe: Option<usize>| {
            let span = spans.iter().find(|span| span.candidate == key(candidate) && span.probe == probe).unwrap();
            woven.get(span.start..span.end).unwrap().trim().to_owned()
        };
        assert!(of(0, Some(1)).starts_with("try {   reneri.rt.Probe.p(1, x); }"), "{woven}");
        assert!(of(1, Some(0)).starts_with("try {   reneri.rt.Probe.p(2, x); }"), "{woven}");
        assert!(of(0, None).starts_with("@Test\n    public void testReneri0x() {\n        int x = 1;\ntry"), "{woven}");
        assert!(
            of(1, None).starts_with("@Test\npublic void testReneri1x() throws java.lang.Throwable {\nint x = 2;"),
            "{woven}"
        );
        assert!(spans.iter().all(|span| (span.candidate, span.probe) != (key(0), Some(0))));
        assert!(woven.contains("import b.B;"));
    }
}

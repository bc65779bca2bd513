//! From candidates to which of their expressions are not the same on the transformed code, by running them on both sides.

use super::assertion::Expected;
use super::bench::{MACHINES, Order};
use super::candidate::{Candidate, Probe, Shape};
use super::chance::{CALLS, varied};
use super::edit::{Edit, apply};
use super::fixed::{Entered, add_to_groups};
use super::library::Library;
use super::name::About;
use super::seen::{constant, each_time, expected, infected_object};
use super::source::TestSource;
use super::style::{Needed, Style, import_edits};
use super::techniques::called;
use super::workshop::{Complaint, Workshop};
use crate::error::Result;
use crate::jvm::protocol::FoundTest;
use crate::observe::difference::differences;
use crate::observe::{Observed, Part, Recording, Site};
use crate::transform::plan;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// More passes than dropping what does not compile can need, one kind of error after the other.
const PASSES: usize = 12;
/// How often more the original runs where it draws at random: by chance, it gives the same each time.
const MORE_RUNS: usize = 20;
/// The object of a [`super::candidate::Repeat`].
const OBJECT: &str = "reneri$it";
/// The candidates of one method, and the transformations of it that nobody notices.
pub struct Group {
    pub candidates: Vec<Candidate>,
    /// Indices into `Transformations::transformations`.
    pub transformations: Vec<usize>,
    /// The method, or what it calls, draws at random.
    pub is_random: bool,
}

impl Group {
    fn repeats(&self, candidate: usize) -> bool {
        self.candidates.get(candidate).is_some_and(|candidate| candidate.repeat.is_some())
    }
}

/// An expression that gives something else under a transformation.
#[derive(Clone, Debug)]
pub struct Shown {
    pub group: usize,
    pub candidate: usize,
    pub probe: usize,
    pub transformation: usize,
    pub expected: Expected,
}

/// An expression that gives an object whose state is another one, which no assertion can name.
#[derive(Clone, Debug)]
pub struct Infected {
    pub group: usize,
    pub candidate: usize,
    pub probe: usize,
    pub transformation: usize,
    /// Binary name of its class, and the field of it that leads to what differs.
    pub class: String,
    pub field: String,
}

/// What came of the candidates.
#[derive(Default)]
pub struct Explored {
    pub shown: Vec<Shown>,
    pub infected: Vec<Infected>,
    /// One for each group.
    pub entered: Vec<Entered>,
}

/// Where in a changed source the code of a candidate, or of one of its probes, stands.
struct Span {
    start: usize,
    end: usize,
    candidate: (usize, usize),
    probe: Option<usize>,
}

/// What is not the same under a transformation in the first JVM: in these tests.
struct Open {
    group: usize,
    /// Index into `Transformations::transformations`.
    transformation: usize,
    tests: BTreeSet<u32>,
    /// In which JVM.
    bench: usize,
    transformed: Arc<Recording>,
}

/// What does not compile: a candidate, or one of its probes.
type Dropped = BTreeSet<((usize, usize), Option<usize>)>;

/// The name of a test that is tried.
#[must_use]
pub fn tried_name(number: usize) -> String {
    format!("testReneri{number}x")
}

/// Whether the name of a test (`a.T.testReneri3x()`) is that of a method.
#[must_use]
pub fn is_named(test: &FoundTest, method: &str) -> bool {
    let name = test.name.strip_prefix(test.class.as_str()).unwrap_or(&test.name);
    name.strip_prefix('.').is_some_and(|name| {
        name.strip_prefix(method)
            .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    })
}

/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn explore(workshop: &mut Workshop<'_>, library: &Library<'_>, groups: &[Group]) -> Result<Explored> {
    let sources = &library.sources;
    let all: Vec<((usize, usize), &Candidate)> = groups
        .iter()
        .enumerate()
        .flat_map(|(group, one)| {
            one.candidates.iter().enumerate().map(move |(index, candidate)| ((group, index), candidate))
        })
        .collect();
    let mut numbers: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut expressions = 0;
    for (key, candidate) in &all {
        numbers.insert(*key, expressions);
        expressions += candidate.probes.len();
    }
    let mut explored = Explored { entered: vec![Entered::default(); groups.len()], ..Explored::default() };
    let Some((classes, left)) = compiled(workshop, sources, &all, &numbers)? else { return Ok(explored) };
    let mut benches = workshop.benches(&classes, expressions);
    let found = benches.both[0].tests(&test_classes(library, &left))?;
    // Tests by the candidate that they are of; where subclasses inherit it, all of them.
    let mut tests: Vec<(u32, (usize, usize), &str)> = Vec::new();
    for (position, (key, candidate)) in all.iter().enumerate() {
        let of_it = runners(library, candidate);
        let is_own = |test: &&FoundTest| is_named(test, &tried_name(position)) && of_it.contains(&test.class);
        for test in found.iter().filter(is_own) {
            tests.push((u32::try_from(tests.len()).unwrap_or(u32::MAX), *key, test.id.as_str()));
        }
    }
    let probes: Vec<u32> = (0..u32::try_from(expressions).unwrap_or(u32::MAX)).collect();
    let those = |wanted: &dyn Fn(u32, usize) -> bool| -> Vec<(u32, &str)> {
        let wanted = tests.iter().filter(|(number, (group, _), _)| wanted(*number, *group));
        wanted.map(|(number, _, id)| (*number, *id)).collect()
    };
    let group_of = |number: u32| tests.get(number as usize).map(|(_, (group, _), _)| *group);
    let everything = those(&|_, _| true);
    let tried = benches.both[0].run(0, &everything, &probes, true)?;
    add_to_groups(&mut explored.entered, &tried, &everything, group_of);
    let stuck = tried.stuck;
    let mut originals: Vec<Arc<Recording>> = vec![Arc::new(tried.recording)];
    let mut orders: Vec<Order<'_>> = Vec::new();
    let mut of_orders: Vec<(usize, usize)> = Vec::new();
    for (group, one) in groups.iter().enumerate() {
        let tests = those(&|number, of| of == group && !stuck.contains(&number));
        for transformation in one.transformations.iter().filter(|_| !tests.is_empty()) {
            let bench = benches.turn(orders.len());
            orders.push(Order { bench, active: plan::number(*transformation), tests: tests.clone() });
            of_orders.push((group, *transformation));
        }
    }
    // What is the same in the first JVM need not run in the second one.
    let mut open: Vec<Open> = Vec::new();
    for (((group, transformation), order), tried) in
        of_orders.into_iter().zip(&orders).zip(benches.run(&orders, &probes)?)
    {
        add_to_groups(&mut explored.entered, &tried, &order.tests, group_of);
        let transformed = Arc::new(tried.recording);
        let observed = Observed {
            original: originals.clone(),
            transformed: vec![Arc::clone(&transformed)],
            ..Observed::default()
        };
        let tests: BTreeSet<u32> = differences(&observed).into_iter().map(|found| found.key.test).collect();
        if !tests.is_empty() {
            open.push(Open { group, transformation, tests, bench: order.bench, transformed });
        }
    }
    benches.change_over();
    let differing: BTreeSet<u32> = open.iter().flat_map(|open| open.tests.iter().copied()).collect();
    let again = those(&|number, _| differing.contains(&number));
    let tried = benches.both[1].run(0, &again, &probes, true)?;
    add_to_groups(&mut explored.entered, &tried, &again, group_of);
    let stuck = tried.stuck;
    originals.push(Arc::new(tried.recording));
    // What is tried once each time is the same by chance, sooner or later.
    let is_random = |group: usize| groups.get(group).is_some_and(|group| group.is_random);
    let repeats = |number: u32| {
        let key = tests.get(number as usize).map(|(_, key, _)| *key);
        key.is_some_and(|(group, candidate)| groups.get(group).is_some_and(|group| group.repeats(candidate)))
    };
    let by_chance = those(&|number, group| {
        differing.contains(&number) && is_random(group) && !repeats(number) && !stuck.contains(&number)
    });
    let mut of_random = originals.clone();
    for _ in 0..if by_chance.is_empty() { 0 } else { MORE_RUNS } {
        let tried = benches.both[1].run(0, &by_chance, &probes, false)?;
        add_to_groups(&mut explored.entered, &tried, &by_chance, group_of);
        of_random.push(Arc::new(tried.recording));
    }
    let order = |open: &Open| Order {
        bench: 1 - open.bench,
        active: plan::number(open.transformation),
        tests: those(&|number, _| open.tests.contains(&number) && !stuck.contains(&number)),
    };
    let orders: Vec<Order<'_>> = open.iter().map(order).collect();
    let tried = benches.run(&orders, &probes)?;
    for ((Open { group, transformation, transformed, .. }, order), tried) in open.into_iter().zip(&orders).zip(tried) {
        add_to_groups(&mut explored.entered, &tried, &order.tests, group_of);
        let transformed = vec![transformed, Arc::new(tried.recording)];
        let originals = if is_random(group) { &of_random } else { &originals };
        for (number, key, _) in tests.iter().filter(|(number, (of, _), _)| *of == group && repeats(*number)) {
            let first = numbers.get(key).copied().unwrap_or(0);
            let probes = groups.get(group).and_then(|one| one.candidates.get(key.1)).map_or(0, |one| one.probes.len());
            for probe in 0..probes {
                let Ok(site) = u32::try_from(first + probe) else { continue };
                let of = |runs: &[Arc<Recording>]| -> Vec<Vec<String>> {
                    runs.iter().take(MACHINES).map(|run| each_time(run, *number, site)).collect()
                };
                let expected = varied(&of(originals), &of(&transformed));
                let shown = expected.map(|expected| Shown { group, candidate: key.1, probe, transformation, expected });
                explored.shown.extend(shown);
            }
        }
        let observed = Observed { original: originals.clone(), transformed, ..Observed::default() };
        let mut seen = BTreeSet::new();
        for difference in differences(&observed) {
            let test = tests.get(difference.key.test as usize).filter(|(_, (of, _), _)| *of == group);
            let (Some((_, key, _)), Site::Expression(number)) = (test, difference.key.site) else { continue };
            if repeats(difference.key.test) {
                continue;
            }
            let Some(probe) = numbers.get(key).and_then(|first| (number as usize).checked_sub(*first)) else {
                continue;
            };
            if seen.contains(&(key.1, probe)) {
                continue;
            }
            let today = || constant(originals, difference.key.test, number);
            let candidate = groups.get(group).and_then(|one| one.candidates.get(key.1));
            let about = candidate.and_then(|candidate| candidate.probes.get(probe)).map(|probe| &probe.look.about);
            let found = match about {
                Some(About::Told { mock, .. }) if difference.part == Part::Expression => {
                    called(difference.original.as_deref(), difference.transformed.as_deref(), mock)
                        .into_iter()
                        .collect()
                }
                _ => expected(&difference, today),
            };
            if !found.is_empty() {
                seen.insert((key.1, probe));
            } else if let Some((class, field)) = infected_object(&difference, today) {
                let infected = Infected { group, candidate: key.1, probe, transformation, class, field };
                explored.infected.push(infected);
            }
            explored.shown.extend(found.into_iter().map(|expected| Shown {
                group,
                candidate: key.1,
                probe,
                transformation,
                expected,
            }));
        }
    }
    Ok(explored)
}

/// Test classes (binary names) that run the tests of the sources of these candidates.
fn test_classes(library: &Library<'_>, candidates: &[&Candidate]) -> Vec<String> {
    let is_new = |candidate: &Candidate| matches!(candidate.shape, Shape::New { .. });
    let places: BTreeSet<(usize, usize, bool)> =
        candidates.iter().map(|candidate| (candidate.source, candidate.method, is_new(candidate))).collect();
    let of = places.into_iter().map(|(source, method, is_new)| library.runners(source, method, is_new));
    of.flat_map(|of| of.iter().cloned().collect::<Vec<_>>()).collect::<BTreeSet<String>>().into_iter().collect()
}

fn runners(library: &Library<'_>, candidate: &Candidate) -> Rc<BTreeSet<String>> {
    library.runners(candidate.source, candidate.method, matches!(candidate.shape, Shape::New { .. }))
}

/// The folder of the classes, and the candidates that are in them. `None` where none compiles.
fn compiled<'c>(
    workshop: &mut Workshop<'_>,
    sources: &[TestSource],
    all: &[((usize, usize), &'c Candidate)],
    numbers: &BTreeMap<(usize, usize), usize>,
) -> Result<Option<(PathBuf, Vec<&'c Candidate>)>> {
    let mut dropped = Dropped::new();
    let mut left_out: BTreeSet<usize> = BTreeSet::new();
    for _ in 0..PASSES {
        let of_source =
            |source: usize| all.iter().enumerate().filter(move |(_, (_, candidate))| candidate.source == source);
        let used: Vec<usize> = (0..sources.len())
            .filter(|source| !left_out.contains(source))
            .filter(|source| of_source(*source).any(|(_, (key, _))| !dropped.contains(&(*key, None))))
            .collect();
        if used.is_empty() {
            return Ok(None);
        }
        let mut texts = Vec::new();
        let mut spans = Vec::new();
        for source in &used {
            let Some(known) = sources.get(*source) else { continue };
            let of_it: Vec<(usize, (usize, usize), &Candidate)> =
                of_source(*source).map(|(position, (key, candidate))| (position, *key, *candidate)).collect();
            let (text, of_text) = weave(known, &of_it, numbers, &dropped);
            texts.push((known.path.clone(), text));
            spans.push(of_text);
        }
        match workshop.compile(&texts)? {
            Ok(classes) => {
                let left = all.iter().filter(|(key, candidate)| {
                    !dropped.contains(&(*key, None)) && !left_out.contains(&candidate.source)
                });
                return Ok(Some((classes, left.map(|(_, candidate)| *candidate).collect())));
            }
            Err(complaints) => {
                if !blame(&complaints, &used, &spans, &mut dropped, &mut left_out) {
                    return Ok(None);
                }
            }
        }
    }
    Ok(None)
}

/// Drops what the complaints are about. Whether anything could be dropped.
fn blame(
    complaints: &[Complaint],
    used: &[usize],
    spans: &[Vec<Span>],
    dropped: &mut Dropped,
    left_out: &mut BTreeSet<usize>,
) -> bool {
    let before = (dropped.len(), left_out.len());
    for complaint in complaints {
        let Some(source) = complaint.source else { continue };
        let at = complaint.byte.unwrap_or(0);
        let around = spans.get(source).into_iter().flatten().filter(|span| span.start <= at && at < span.end);
        match around.min_by_key(|span| span.end - span.start) {
            Some(span) => {
                dropped.insert((span.candidate, span.probe));
            }
            None => left_out.extend(used.get(source)),
        }
    }
    (dropped.len(), left_out.len()) != before
}

/// The source with a test for each candidate, and where each stands.
fn weave(
    source: &TestSource,
    candidates: &[(usize, (usize, usize), &Candidate)],
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

    #[test]
    fn a_test_is_known_by_its_method() {
        let test = |name: &str| FoundTest { id: String::new(), name: name.into(), class: "a.T".into() };
        assert!(is_named(&test("a.T.testReneri1x()"), "testReneri1x"));
        assert!(is_named(&test("a.T.testReneri1x()[2]"), "testReneri1x"));
        assert!(!is_named(&test("a.T.testReneri1x2()"), "testReneri1x") && !is_named(&test("a.T.x()"), "testReneri1x"));
    }
}

//! From candidates to which of their expressions are not the same on the transformed code, by running them on both sides.

use crate::base::error::Result;
use crate::base::id::{ExpressionId, GuardId, TransformationId};
use crate::fix::candidate::{Candidate, Shape};
use crate::fix::outcome::{Entered, add_to_groups};
use crate::fix::source::library::Library;
use crate::fix::techniques::called;
use crate::fix::trial::bench::{Benches, MACHINES, Order, Tried};
use crate::fix::trial::chance::varied;
use crate::fix::trial::compile::{compiled, tried_name};
use crate::fix::trial::expectation::{constant, each_time, expected, infected_object};
use crate::fix::trial::workshop::Workshop;
use crate::fix::write::assertion::Expected;
use crate::fix::write::name::About;
use crate::jvm::protocol::FoundTest;
use crate::observe::difference::differences;
use crate::observe::{Observed, Part, Recording, Site};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// How often more the original runs where it draws at random: by chance, it gives the same each time.
const MORE_RUNS: usize = 20;

/// The candidates of one method, and the transformations of it that nobody notices.
pub struct Group {
    pub candidates: Vec<Candidate>,
    pub transformations: Vec<TransformationId>,
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
    pub transformation: TransformationId,
    pub expected: Expected,
}

/// An expression that gives an object whose state is another one, which no assertion can name.
#[derive(Clone, Debug)]
pub struct Infected {
    pub group: usize,
    pub candidate: usize,
    pub probe: usize,
    pub transformation: TransformationId,
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

/// What is not the same under a transformation in the first JVM: in these tests.
struct Open {
    group: usize,
    transformation: TransformationId,
    tests: BTreeSet<u32>,
    /// In which JVM.
    bench: usize,
    transformed: Arc<Recording>,
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

/// What is tried: tests by the candidate that they are of (where subclasses inherit it, all of them), and the expressions in them.
struct Trial<'t> {
    groups: &'t [Group],
    /// Number, candidate, the engine's id.
    tests: Vec<(u32, (usize, usize), &'t str)>,
    /// By candidate, the number of its first expression.
    numbers: BTreeMap<(usize, usize), usize>,
    expressions: Vec<ExpressionId>,
}

/// What the original code gave: in each JVM, and, of what is random, in more runs.
struct Originals {
    all: Vec<Arc<Recording>>,
    of_random: Vec<Arc<Recording>>,
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
    let found = benches.tests(&test_classes(library, &left))?;
    let mut tests: Vec<(u32, (usize, usize), &str)> = Vec::new();
    for (position, (key, candidate)) in all.iter().enumerate() {
        let of_it = runners(library, candidate);
        let name = tried_name(position);
        let is_own = |test: &&FoundTest| is_named(test, &name) && of_it.contains(&test.class);
        for test in found.iter().filter(is_own) {
            tests.push((u32::try_from(tests.len()).unwrap_or(u32::MAX), *key, test.id.as_str()));
        }
    }
    let expressions = (0..expressions).map(ExpressionId::new).collect();
    let trial = Trial { groups, tests, numbers, expressions };
    let (original, open) = trial.first(&mut benches, &mut explored.entered)?;
    benches.change_over();
    let (originals, transformed) = trial.again(&mut benches, original, &open, &mut explored.entered)?;
    workshop.keep(benches);
    for (open, again) in open.into_iter().zip(transformed) {
        trial.tell(&originals, open.group, open.transformation, vec![open.transformed, again], &mut explored);
    }
    Ok(explored)
}

/// Of the tests that ran on both sides, those in which the sides differ. The original code runs others, too, and an exception there counts where the
/// other side has none.
fn differing(observed: &Observed, ran: &[(u32, &str)]) -> BTreeSet<u32> {
    let ran: BTreeSet<u32> = ran.iter().map(|(number, _)| *number).collect();
    differences(observed).into_iter().map(|found| found.key.test).filter(|test| ran.contains(test)).collect()
}

impl Trial<'_> {
    /// Those of this number, of this group.
    fn those(&self, wanted: impl Fn(u32, usize) -> bool) -> Vec<(u32, &str)> {
        let wanted = self.tests.iter().filter(|(number, (group, _), _)| wanted(*number, *group));
        wanted.map(|(number, _, id)| (*number, *id)).collect()
    }

    fn note(&self, entered: &mut [Entered], tried: &Tried, tests: &[(u32, &str)]) {
        let group_of = |number: u32| self.tests.get(number as usize).map(|(_, (group, _), _)| *group);
        add_to_groups(entered, tried, tests, group_of);
    }

    /// What runs of different tests came to.
    fn in_all<'o>(&self, entered: &mut [Entered], ran: impl Iterator<Item = ((usize, Tried), &'o Order<'o>)>) -> Tried {
        let mut all = Tried::default();
        for ((_, tried), order) in ran {
            self.note(entered, &tried, &order.tests);
            all.add(tried);
        }
        all
    }

    fn is_random(&self, group: usize) -> bool {
        self.groups.get(group).is_some_and(|group| group.is_random)
    }

    fn repeats(&self, number: u32) -> bool {
        let key = self.tests.get(number as usize).map(|(_, key, _)| *key);
        key.is_some_and(|(group, candidate)| self.groups.get(group).is_some_and(|group| group.repeats(candidate)))
    }

    /// For each group, which half of the tests it is in: whole groups in each, so that both have about as many.
    fn halves(&self) -> Vec<usize> {
        let mut counts = [0; MACHINES];
        let sizes = (0..self.groups.len()).map(|group| self.those(|_, of| of == group).len());
        let lighter = |size: usize| {
            let half = usize::from(counts[1] < counts[0]);
            counts[half] += size;
            half
        };
        sizes.map(lighter).collect()
    }

    /// The original with these tests: each half from a clean start, in the JVM that `bench` says.
    fn originals(&self, wanted: impl Fn(u32) -> bool, bench: impl Fn(usize) -> usize) -> Vec<Order<'_>> {
        let halves = self.halves();
        let order = |half: usize| Order {
            bench: Some(bench(half)),
            active: None,
            tests: self.those(|number, group| halves.get(group) == Some(&half) && wanted(number)),
        };
        (0..MACHINES).map(order).collect()
    }

    /// Each side once: what the original gave, and where transformations give anything else.
    fn first(&self, benches: &mut Benches, entered: &mut [Entered]) -> Result<(Arc<Recording>, Vec<Open>)> {
        let mut all: Vec<((usize, TransformationId), Order<'_>)> = Vec::new();
        for (group, one) in self.groups.iter().enumerate() {
            let tests = self.those(|_, of| of == group);
            for transformation in one.transformations.iter().filter(|_| !tests.is_empty()) {
                let order = Order { bench: None, active: Some(GuardId::of(*transformation)), tests: tests.clone() };
                all.push(((group, *transformation), order));
            }
        }
        // The longest first, so that nobody waits for it at the end.
        all.sort_by_key(|(_, order)| Reverse(order.tests.len()));
        let (of_orders, transformed): (Vec<(usize, TransformationId)>, Vec<Order<'_>>) = all.into_iter().unzip();
        let mut orders = self.originals(|_| true, |half| benches.turn(half));
        orders.extend(transformed);
        let mut ran = benches.run(&orders, &self.expressions)?.into_iter().zip(&orders);
        let original = self.in_all(entered, ran.by_ref().take(MACHINES));
        let (stuck, original) = (original.stuck, Arc::new(original.recording));
        let mut open: Vec<Open> = Vec::new();
        for (((bench, tried), order), (group, transformation)) in ran.zip(of_orders) {
            self.note(entered, &tried, &order.tests);
            let transformed = Arc::new(tried.recording);
            let observed = Observed {
                original: vec![Arc::clone(&original)],
                transformed: vec![Arc::clone(&transformed)],
                ..Observed::default()
            };
            let tests = order.tests.iter().copied().filter(|(number, _)| !stuck.contains(number));
            let tests = differing(&observed, &tests.collect::<Vec<_>>());
            if !tests.is_empty() {
                open.push(Open { group, transformation, tests, bench, transformed });
            }
        }
        open.sort_by_key(|open| (open.group, open.transformation));
        Ok((original, open))
    }

    /// Once more, in the other JVM: what is the same in the first one need not run there.
    fn again(
        &self,
        benches: &mut Benches,
        original: Arc<Recording>,
        open: &[Open],
        entered: &mut [Entered],
    ) -> Result<(Originals, Vec<Arc<Recording>>)> {
        let differing: BTreeSet<u32> = open.iter().flat_map(|open| open.tests.iter().copied()).collect();
        let mut orders = self.originals(|number| differing.contains(&number), |half| 1 - benches.turn(half));
        orders.extend(open.iter().map(|open| Order {
            bench: Some(1 - open.bench),
            active: Some(GuardId::of(open.transformation)),
            tests: self.those(|number, _| open.tests.contains(&number)),
        }));
        let mut ran = benches.run(&orders, &self.expressions)?.into_iter().zip(&orders);
        let other = self.in_all(entered, ran.by_ref().take(MACHINES));
        let stuck = other.stuck;
        let all = vec![original, Arc::new(other.recording)];
        let mut transformed = Vec::new();
        for ((_, tried), order) in ran {
            self.note(entered, &tried, &order.tests);
            transformed.push(Arc::new(tried.recording));
        }
        // What is tried once each time is the same by chance, sooner or later.
        let by_chance = self.those(|number, group| {
            differing.contains(&number) && self.is_random(group) && !self.repeats(number) && !stuck.contains(&number)
        });
        let mut of_random = all.clone();
        for more in 0..if by_chance.is_empty() { 0 } else { MORE_RUNS } {
            let [_, second] = &mut benches.both;
            let tried = match more {
                0 => second.run(None, &by_chance, &self.expressions)?,
                _ => second.run_again(None, &by_chance, &self.expressions)?,
            };
            self.note(entered, &tried, &by_chance);
            of_random.push(Arc::new(tried.recording));
        }
        Ok((Originals { all, of_random }, transformed))
    }

    /// What a transformation shows, and which objects it infects.
    fn tell(
        &self,
        originals: &Originals,
        group: usize,
        transformation: TransformationId,
        transformed: Vec<Arc<Recording>>,
        explored: &mut Explored,
    ) {
        let originals = if self.is_random(group) { &originals.of_random } else { &originals.all };
        explored.shown.extend(self.varying(originals, group, transformation, &transformed));
        let observed = Observed { original: originals.clone(), transformed, ..Observed::default() };
        let mut seen = BTreeSet::new();
        for difference in differences(&observed) {
            let test = self.tests.get(difference.key.test as usize).filter(|(_, (of, _), _)| *of == group);
            let (Some((_, key, _)), Site::Expression(number)) = (test, difference.key.site) else { continue };
            if self.repeats(difference.key.test) {
                continue;
            }
            let Some(probe) = self.numbers.get(key).and_then(|first| number.index().checked_sub(*first)) else {
                continue;
            };
            if seen.contains(&(key.1, probe)) {
                continue;
            }
            let today = || constant(originals, difference.key.test, number);
            let candidate = self.groups.get(group).and_then(|one| one.candidates.get(key.1));
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

    /// What the expressions that are repeated give today, whatever comes of chance, and not with the transformation.
    fn varying(
        &self,
        originals: &[Arc<Recording>],
        group: usize,
        transformation: TransformationId,
        transformed: &[Arc<Recording>],
    ) -> Vec<Shown> {
        let mut found = Vec::new();
        for (number, key, _) in self.tests.iter().filter(|(number, (of, _), _)| *of == group && self.repeats(*number)) {
            let first = self.numbers.get(key).copied().unwrap_or(0);
            let candidate = self.groups.get(group).and_then(|one| one.candidates.get(key.1));
            for probe in 0..candidate.map_or(0, |one| one.probes.len()) {
                let site = ExpressionId::new(first + probe);
                let of = |runs: &[Arc<Recording>]| -> Vec<Vec<String>> {
                    runs.iter().take(MACHINES).map(|run| each_time(run, *number, site)).collect()
                };
                let expected = varied(&of(originals), &of(transformed));
                found.extend(expected.map(|expected| Shown {
                    group,
                    candidate: key.1,
                    probe,
                    transformation,
                    expected,
                }));
            }
        }
        found
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::recorded::{Recorded, observed, property, test_key};

    #[test]
    fn what_is_thrown_in_a_test_that_ran_on_one_side_only_is_no_difference() {
        let thrown = |test: u32| (test_key(test, 1, 1), [property(Part::Exception, "", "a.E", "a.E")]);
        let recorded = |tests: &[u32]| {
            tests
                .iter()
                .map(|test| thrown(*test))
                .fold(Recorded::default(), |all, (key, thrown)| all.state(key, thrown))
        };
        let observed = observed(&[&recorded(&[1, 2])], &[&recorded(&[])]);
        assert_eq!(differing(&observed, &[(1, ""), (2, "")]), BTreeSet::from([1, 2]));
        assert_eq!(differing(&observed, &[(1, "")]), BTreeSet::from([1]));
    }

    #[test]
    fn a_test_is_known_by_its_method() {
        let test = |name: &str| FoundTest { id: String::new(), name: name.into(), class: "a.T".into() };
        assert!(is_named(&test("a.T.testReneri1x()"), "testReneri1x"));
        assert!(is_named(&test("a.T.testReneri1x()[2]"), "testReneri1x"));
        assert!(!is_named(&test("a.T.testReneri1x2()"), "testReneri1x") && !is_named(&test("a.T.x()"), "testReneri1x"));
    }
}

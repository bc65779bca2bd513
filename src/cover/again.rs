//! From the runs of an earlier analysis, and one run of all tests now, to the tests that have to run again, and to the runs of all of them.
//!
//! All tests run once from a clean start, in their order: who initialises a class, what runs between tests, and which tests there are is seen
//! and not concluded. Only whether a test does the same a second and a third time is taken from before, where it did the first time exactly what it did
//! then, and enters nothing that has changed.

use super::runs::{Run, Runs};
use super::set_up::{SetUp, top_level};
use super::{Outcomes, Test};
use crate::base::id::MethodId;
use crate::jvm::protocol::{Finished, Outcome};
use crate::recipe::TestLoader;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What an earlier analysis knows of the tests of a recipe, and what has changed since.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// Where the tests ran.
    pub loader: TestLoader,
    pub runs: &'a Runs,
    /// Methods whose bodies are others, sorted.
    pub bodies: &'a BTreeSet<MethodId>,
    /// Binary names of the test classes that are others, or use such.
    pub classes: &'a BTreeSet<String>,
    /// Classes may be left out; else all run once.
    pub may_leave_out: bool,
}

/// Runs of before, and the test classes of which they hold.
#[derive(Debug)]
pub struct Still {
    /// The runs of before, by the numbers of now, for each of these top-level classes.
    held: BTreeMap<String, [Vec<Finished>; 3]>,
    rests: [Vec<u32>; 3],
    /// What the first test of each class told in the second run of before of what happened ahead of it, by the class and by the one ahead.
    edges: HashMap<String, Vec<u32>>,
    edges_behind: HashMap<String, Vec<u32>>,
    /// Top-level classes that did something else, beyond what varies, or enter what has changed.
    others: BTreeSet<String>,
}

/// Tests of one top-level class, which run one after the other.
pub type Unit<'a> = (&'a str, Vec<&'a Finished>);

impl Before<'_> {
    /// `first` is the run from a clean start now, in which some rest. `None` where the tests of one class do not run one after the other.
    #[must_use]
    pub fn still(&self, tests: &[Test], first: &Run, some_rest: bool) -> Option<Still> {
        let Runs { tests: tests_then, runs, .. } = self.runs;
        let now = units(tests, first)?;
        let then = units(tests_then, &runs[0])?;
        let place: HashMap<&str, usize> = then.iter().enumerate().map(|(place, (class, _))| (*class, place)).collect();
        let (unstable, changed) = (self.unstable(), self.changed());
        let (disturbing, varied) = (self.disturbing(), self.varied());
        let id = |tests: &[Test], one: &Finished| tests.get(one.number as usize).map(|test| test.id.clone());
        let mut open: BTreeSet<&str> = BTreeSet::new();
        let mut others: BTreeSet<String> = BTreeSet::new();
        let mut ahead: Option<&str> = None;
        for (class, finished) in &now {
            let place = place.get(class);
            let earlier = place.and_then(|place| then.get(*place)).map_or(&[][..], |(_, finished)| finished);
            let ahead_then = place.and_then(|place| then.get(place.checked_sub(1)?)).map(|(class, _)| *class);
            let is_like = |same: &dyn Fn(&Finished, &Finished) -> bool| {
                let is_same = |(one, other): (&&Finished, &&Finished)| {
                    let (now, then) = (id(tests, one), id(tests_then, other));
                    now == then && (same(one, other) || unstable.contains(&(other.number)))
                };
                finished.len() == earlier.len() && finished.iter().zip(earlier).all(is_same)
            };
            let enters = || finished.iter().chain(earlier).any(|one| self.enters_change(one));
            let is_other = changed.contains(*class) || enters();
            let has_strayed = || some_rest && self.has_strayed_so(class, tests, finished);
            if is_other || !is_like(&same) && !has_strayed() {
                open.insert(class);
                let same_but_for = |one: &Finished, other: &Finished| {
                    let test = tests_then.get(other.number as usize).and_then(|test| varied.get(test.id.as_str()));
                    test.is_some_and(|varied| same(&without(one, varied), &without(other, varied))) || same(one, other)
                };
                if is_other || !is_like(&same_but_for) {
                    others.insert((*class).to_owned());
                }
            }
            // Those that run again find what it leaves, as in all runs.
            if disturbing.contains(class) || finished.iter().any(|one| one.disturbs) {
                open.insert(class);
            }
            // What happens between two classes is of both.
            let edges = [finished.first(), earlier.first()].map(|one| one.map_or_else(Vec::new, |one| ahead_of(one)));
            if edges[0] != edges[1] || (ahead != ahead_then && !edges[0].is_empty()) || self.has_change(&edges[0]) {
                open.extend([Some(*class), ahead].into_iter().flatten());
            }
            ahead = Some(class);
        }
        if first.rest != runs[0].rest || self.has_change(&first.rest) {
            open.extend(ahead);
        }
        Some(Still { others, ..self.hold(tests, &now, &open)? })
    }

    /// All of the classes that are not `open`.
    fn hold(&self, tests: &[Test], now: &[Unit<'_>], open: &BTreeSet<&str>) -> Option<Still> {
        let Runs { tests: tests_then, runs, .. } = self.runs;
        let numbers: HashMap<&str, u32> = (0..).zip(tests).map(|(number, test)| (test.id.as_str(), number)).collect();
        let mut held: BTreeMap<String, [Vec<Finished>; 3]> = BTreeMap::new();
        for (class, _) in now.iter().filter(|(class, _)| !open.contains(class)) {
            held.insert((*class).to_owned(), Default::default());
        }
        let (mut edges, mut edges_behind) = (HashMap::new(), HashMap::new());
        for (index, run) in runs.iter().enumerate() {
            let mut ahead = None;
            for one in &run.finished {
                let test = tests_then.get(one.number as usize)?;
                let class = top_level(test);
                if index == 1 && ahead != Some(class) {
                    edges.insert(class.to_owned(), ahead_of(one));
                    edges_behind.extend(ahead.map(|ahead| (ahead.to_owned(), ahead_of(one))));
                }
                ahead = Some(class);
                if let Some(runs) = held.get_mut(class)
                    && let Some(run) = runs.get_mut(index)
                {
                    // A test that only the second or third run had is none of now.
                    if let Some(number) = numbers.get(test.id.as_str()) {
                        run.push(Finished { number: *number, ..one.clone() });
                    }
                }
            }
        }
        let rests = runs.each_ref().map(|run| run.rest.clone());
        Some(Still { held, rests, edges, edges_behind, others: BTreeSet::new() })
    }

    /// Top-level classes that hold a changed one, or whose tests entered a changed body in any run of before, or something beside them did.
    pub(super) fn changed(&self) -> BTreeSet<String> {
        let Runs { tests, runs, .. } = self.runs;
        let of_classes = self.classes.iter().map(|class| class.split('$').next().unwrap_or(class).to_owned());
        let mut changed: BTreeSet<String> = of_classes.collect();
        for run in runs {
            let mut ahead = None;
            for one in &run.finished {
                let class = tests.get(one.number as usize).map(top_level);
                if self.enters_change(one) {
                    changed.extend(class.map(str::to_owned));
                }
                if self.has_change(&ahead_of(one)) {
                    changed.extend(ahead.map(str::to_owned));
                }
                ahead = class;
            }
            if self.has_change(&run.rest) {
                changed.extend(ahead.map(str::to_owned));
            }
        }
        changed
    }

    fn enters_change(&self, one: &Finished) -> bool {
        self.has_change(&one.entered) || self.has_change(&one.set_up)
    }

    fn has_change(&self, methods: &[u32]) -> bool {
        methods.iter().any(|method| self.bodies.contains(&MethodId(*method)))
    }

    /// Top-level classes that, in some run of before, left what tests share with the whole JVM otherwise than they found it.
    pub(super) fn disturbing(&self) -> BTreeSet<&str> {
        let Runs { tests, runs, .. } = self.runs;
        let disturbs = runs.iter().flat_map(|run| &run.finished).filter(|one| one.disturbs);
        disturbs.filter_map(|one| tests.get(one.number as usize)).map(top_level).collect()
    }

    /// What was entered in a test of before, by its identifier, or ahead of it, from one clean start and not from the other: it varies.
    pub(super) fn varied(&self) -> HashMap<&str, BTreeSet<u32>> {
        let Runs { tests, runs: [first, _, clean], .. } = self.runs;
        let entered = |run: &Run| {
            let mut of_tests: HashMap<u32, BTreeSet<u32>> = HashMap::new();
            for one in &run.finished {
                of_tests.entry(one.number).or_default().extend(one.between().chain(one.entered.iter().copied()));
            }
            of_tests
        };
        let (first, clean) = (entered(first), entered(clean));
        let varied = first.iter().filter_map(|(number, first)| {
            let varied: BTreeSet<u32> = first ^ clean.get(number)?;
            Some((tests.get(*number as usize)?.id.as_str(), varied))
        });
        varied.filter(|(_, varied)| !varied.is_empty()).collect()
    }

    /// Tests that are left out because they vary: what they do this time says nothing new.
    fn unstable(&self) -> BTreeSet<u32> {
        let mut outcomes: BTreeMap<u32, [Option<Outcome>; 3]> = BTreeMap::new();
        for (index, run) in self.runs.runs.iter().enumerate() {
            for one in &run.finished {
                if let Some(outcome) = outcomes.entry(one.number).or_default().get_mut(index) {
                    *outcome = Some(one.outcome);
                }
            }
        }
        let varies = |[first, again, clean]: &[Option<Outcome>; 3]| {
            first.is_none() || again.is_none() || first != clean || (first != again && *again != Some(Outcome::Failed))
        };
        outcomes.into_iter().filter(|(_, outcomes)| varies(outcomes)).map(|(number, _)| number).collect()
    }
}

impl Still {
    /// Whether the runs of before hold of this class.
    #[must_use]
    pub fn holds(&self, class: &str) -> bool {
        self.held.contains_key(class)
    }

    /// Top-level classes that did something else, or enter what has changed.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(String::as_str)
    }

    /// Of the classes that are held, the tests that ran only once before, by their numbers of now.
    pub fn spared(&self, before: &Runs, tests: &[Test]) -> Vec<u32> {
        let is_held = |number: &u32| tests.get(*number as usize).is_some_and(|test| self.holds(top_level(test)));
        same_tests(&before.tests, &before.spared, tests).into_iter().filter(is_held).collect()
    }

    /// Of these tests those that have to run again.
    #[must_use]
    pub fn open(&self, tests: &[Test], ran: &[usize]) -> Vec<usize> {
        let is_open = |number: &usize| tests.get(*number).is_none_or(|test| !self.held.contains_key(top_level(test)));
        ran.iter().copied().filter(is_open).collect()
    }

    /// The runs of all tests, from a run of all, and one in the same class loader and one from a clean start of those that are open.
    #[must_use]
    pub fn complete(&self, tests: &[Test], first: &Run, again: &Run, clean: &Run) -> [Run; 3] {
        let Some(order) = units(tests, first) else { return [first.clone(), again.clone(), clean.clone()] };
        let mut all = [Run::default(), Run::default(), Run::default()];
        let mut ahead = None;
        for (class, finished) in order {
            let runs = self.held.get(class).cloned().unwrap_or_else(|| {
                let of_class = |run: &Run| -> Vec<Finished> {
                    let of_class =
                        |one: &&Finished| tests.get(one.number as usize).is_some_and(|test| top_level(test) == class);
                    run.finished.iter().filter(of_class).cloned().collect()
                };
                let (mut again, mut clean) = (of_class(again), of_class(clean));
                self.as_in_all(ahead, class, &finished, &mut again, &mut clean);
                [finished.into_iter().cloned().collect(), again, clean]
            });
            all.iter_mut().zip(runs).for_each(|(all, run)| all.finished.extend(run));
            ahead = Some(class);
        }
        let is_held = ahead.is_some_and(|class| self.held.contains_key(class));
        for (run, rest) in all.iter_mut().zip(&self.rests) {
            run.rest.clone_from(if is_held { rest } else { &first.rest });
        }
        all
    }

    /// Takes away from runs of a part what is of the part: there, classes are initialised and caches filled by the tests that come first in it, and
    /// ahead of a class comes another one.
    fn as_in_all(
        &self,
        ahead: Option<&str>,
        class: &str,
        first: &[&Finished],
        again: &mut [Finished],
        clean: &mut [Finished],
    ) {
        let told: HashMap<(u32, bool), &Finished> =
            first.iter().map(|one| ((one.number, one.of_class), *one)).collect();
        let again_told: HashMap<(u32, bool), Finished> =
            again.iter().map(|one| ((one.number, one.of_class), one.clone())).collect();
        for one in clean.iter_mut() {
            let key = (one.number, one.of_class);
            if let (Some(first), Some(again)) = (told.get(&key), again_told.get(&key)) {
                one.entered = of_all(&first.entered, &again.entered, &one.entered);
                one.set_up = of_all(&first.set_up, &again.set_up, &one.set_up);
            }
        }
        let Some(edge) = first.first() else { return };
        if let Some(one) = clean.first_mut() {
            copy_ahead(edge, one, |_| true);
        }
        if let Some(one) = again.first_mut() {
            let behind = ahead.and_then(|ahead| self.edges_behind.get(ahead));
            let known: BTreeSet<u32> =
                self.edges.get(class).into_iter().chain(behind).flatten().copied().chain(ahead_of(one)).collect();
            copy_ahead(edge, one, |method| known.contains(&method));
        }
    }
}

/// The numbers among `tests` of those that have these numbers among `then`.
pub(super) fn same_tests(then: &[Test], numbers: &BTreeSet<u32>, tests: &[Test]) -> Vec<u32> {
    let of_then = numbers.iter().filter_map(|test| then.get(*test as usize));
    let ids: BTreeSet<&str> = of_then.map(|test| test.id.as_str()).collect();
    (0..).zip(tests).filter(|(_, test)| ids.contains(test.id.as_str())).map(|(number, _)| number).collect()
}

/// Whether a test of `open` did otherwise from the other clean start.
#[must_use]
pub fn differs(first: &Outcomes, clean: &Outcomes, open: &[usize]) -> bool {
    let outcome = |run: &Outcomes, test: &usize| run.get(test).map(|one| one.outcome);
    open.iter().any(|test| outcome(first, test) != outcome(clean, test))
}

/// What each test did at last.
#[must_use]
pub fn outcomes(run: &Run) -> Outcomes {
    run.finished.iter().map(|one| (one.number as usize, one.clone())).collect()
}

/// Whose set-up is what, by all runs.
#[must_use]
pub fn set_up(tests: &[Test], runs: &[Run; 3]) -> SetUp {
    let mut set_up = SetUp::default();
    runs.iter().for_each(|run| set_up.note(tests, run, false));
    set_up
}

/// The tests of a run class by class; `None` where a class comes twice.
pub fn units<'a>(tests: &'a [Test], run: &'a Run) -> Option<Vec<Unit<'a>>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let mut seen = BTreeSet::new();
    for one in &run.finished {
        let class = top_level(tests.get(one.number as usize)?);
        match units.last_mut() {
            Some((last, finished)) if *last == class => finished.push(one),
            _ if seen.insert(class) => units.push((class, vec![one])),
            _ => return None,
        }
    }
    Some(units)
}

/// Whether the same happened, whatever time it took.
pub fn same(one: &Finished, other: &Finished) -> bool {
    // A class that has another one ahead of it is told that this one is behind.
    let torn_down = |one: &Finished| one.torn_down.clone().filter(|methods| !methods.is_empty());
    let told = |one: &Finished| Finished {
        number: 0,
        nanoseconds: 0,
        cpu_nanoseconds: 0,
        classes: 0,
        torn_down: torn_down(one),
        ..one.clone()
    };
    told(one) == told(other)
}

/// As if a test had entered none of these methods, and nothing had ahead of it.
fn without(one: &Finished, methods: &BTreeSet<u32>) -> Finished {
    let rest = |entered: &Vec<u32>| entered.iter().copied().filter(|method| !methods.contains(method)).collect();
    let (torn_down, set_up, entered) = (one.torn_down.as_ref().map(rest), rest(&one.set_up), rest(&one.entered));
    Finished { torn_down, set_up, entered, ..one.clone() }
}

/// What was entered ahead of a test, behind the one before; sorted.
pub fn ahead_of(one: &Finished) -> Vec<u32> {
    let own = if one.of_class { &one.entered } else { &one.set_up };
    let all: BTreeSet<u32> = one.torn_down.iter().flatten().chain(own).copied().collect();
    all.into_iter().collect()
}

/// Has `to` tell of what is ahead of it what `from` tells, as far as it is `known`.
pub fn copy_ahead(from: &Finished, to: &mut Finished, known: impl Fn(u32) -> bool) {
    let of = |methods: &Vec<u32>| methods.iter().copied().filter(|method| known(*method)).collect::<Vec<u32>>();
    to.torn_down = from.torn_down.as_ref().map(of);
    let own = of(if from.of_class { &from.entered } else { &from.set_up });
    *(if to.of_class { &mut to.entered } else { &mut to.set_up }) = own;
}

/// Of what was told from the clean start of a part, what either of the others tells, too.
fn of_all(first: &[u32], again: &[u32], clean: &[u32]) -> Vec<u32> {
    let known: BTreeSet<u32> = first.iter().chain(again).copied().collect();
    clean.iter().copied().filter(|method| known.contains(method)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;

    /// Tests `a` and `b` of a class, one of another, and one of a third.
    const TESTS: [&str; 4] = ["ATest.a", "ATest.b", "BTest.a", "CTest.a"];

    fn tests(names: &[&str]) -> Vec<Test> {
        let test = |name: &&str| Test {
            id: (*name).into(),
            name: (*name).into(),
            class: name.split('.').next().unwrap().into(),
            recipe: RecipeId(0),
        };
        names.iter().map(test).collect()
    }

    fn passed(number: u32, entered: &[u32]) -> Finished {
        Finished { nanoseconds: u64::from(number), ..Finished::passed(number, entered) }
    }

    /// Each test enters the method of its number; `ATest.a` initialises a class, which enters 9.
    fn first() -> Run {
        let entered: [&[u32]; 4] = [&[0, 9], &[1], &[2], &[3]];
        Run {
            finished: (0..).zip(entered).map(|(number, entered)| passed(number, entered)).collect(),
            rest: Vec::new(),
        }
    }

    fn again() -> Run {
        let finished = (0..4).map(|number| passed(number, &[number])).collect();
        Run { finished, rest: Vec::new() }
    }

    fn runs() -> Runs {
        Runs { tests: tests(&TESTS), runs: [first(), again(), first()], found: 4, ..Runs::default() }
    }

    /// Names of the tests that have to run again.
    fn open(runs: &Runs, bodies: &[u32], classes: &[&str], names: &[&str], first: &Run) -> Vec<String> {
        let (bodies, classes) =
            (bodies.iter().copied().map(MethodId).collect(), classes.iter().map(|class| (*class).to_owned()).collect());
        let before =
            Before { loader: TestLoader::Isolated, runs, bodies: &bodies, classes: &classes, may_leave_out: true };
        let tests = tests(names);
        let still = before.still(&tests, first, false).unwrap();
        let ran: Vec<usize> = (0..tests.len()).collect();
        still.open(&tests, &ran).into_iter().map(|number| tests[number].name.clone()).collect()
    }

    #[test]
    fn a_class_of_which_a_test_enters_a_changed_body_runs_again_and_no_other() {
        assert_eq!(open(&runs(), &[], &[], &TESTS, &first()), [""; 0]);
        assert_eq!(open(&runs(), &[1], &[], &TESTS, &first()), ["ATest.a", "ATest.b"]);
        assert_eq!(open(&runs(), &[], &["CTest$Inner"], &TESTS, &first()), ["CTest.a"]);
        let mut now = first();
        now.finished[2].set_up = vec![5];
        let mut before = runs();
        before.runs[0].finished[2].set_up = vec![5];
        // Set up for `BTest`, or torn down behind `ATest`.
        assert_eq!(open(&before, &[5], &[], &TESTS, &now), ["ATest.a", "ATest.b", "BTest.a"]);
        for run in [&mut now, &mut before.runs[0]] {
            run.finished[2].torn_down = Some(std::mem::take(&mut run.finished[2].set_up));
        }
        assert_eq!(open(&before, &[5], &[], &TESTS, &now), ["ATest.a", "ATest.b", "BTest.a"]);
    }

    #[test]
    fn who_does_something_else_runs_again() {
        let mut now = first();
        now.finished[2].nanoseconds = 1_000_000;
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), [""; 0]);
        now.finished[2].entered = vec![2, 7];
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), ["BTest.a"]);
        now.finished[3].outcome = Outcome::Failed;
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), ["BTest.a", "CTest.a"]);
        // No longer the first that needs the class.
        let mut now = first();
        now.finished[0].entered = vec![0];
        now.finished[3].entered = vec![3, 9];
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), ["ATest.a", "ATest.b", "CTest.a"]);
    }

    #[test]
    fn who_disturbs_what_all_share_runs_each_time() {
        let mut before = runs();
        before.runs[0].finished[2].disturbs = true;
        let now = before.runs[0].clone();
        assert_eq!(open(&before, &[3], &[], &TESTS, &now), ["BTest.a", "CTest.a"]);
    }

    #[test]
    fn what_happens_between_two_classes_is_of_both() {
        let mut now = first();
        now.finished[3].set_up = vec![5];
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), ["BTest.a", "CTest.a"]);
        let mut now = first();
        now.rest = vec![5];
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), ["CTest.a"]);
    }

    #[test]
    fn that_a_class_is_behind_and_tore_nothing_down_says_nothing_new() {
        let mut now = first();
        now.finished[2].torn_down = Some(Vec::new());
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), [""; 0]);
        now.finished[2].torn_down = Some(vec![5]);
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), ["ATest.a", "ATest.b", "BTest.a"]);
    }

    #[test]
    fn new_tests_and_those_beside_gone_ones_run() {
        let mut now = first();
        now.finished.push(passed(4, &[]));
        let names = ["ATest.a", "ATest.b", "BTest.a", "CTest.a", "DTest.a"];
        assert_eq!(open(&runs(), &[], &[], &names, &now), ["DTest.a"]);
        let mut now = first();
        now.finished.remove(1);
        assert_eq!(open(&runs(), &[], &[], &TESTS, &now), ["ATest.a", "ATest.b"]);
    }

    #[test]
    fn a_test_that_varies_stays_left_out() {
        let mut before = runs();
        before.runs[2].finished[2].outcome = Outcome::Failed;
        let mut now = first();
        now.finished[2].outcome = Outcome::Failed;
        assert_eq!(open(&before, &[], &[], &TESTS, &now), [""; 0]);
        assert_eq!(open(&before, &[2], &[], &TESTS, &now), ["BTest.a"]);
    }

    #[test]
    fn classes_in_pieces_are_not_compared() {
        let runs = runs();
        let (bodies, classes) = (BTreeSet::new(), BTreeSet::new());
        let before = Before {
            loader: TestLoader::Isolated,
            runs: &runs,
            bodies: &bodies,
            classes: &classes,
            may_leave_out: true,
        };
        let mut now = first();
        now.finished.swap(1, 2);
        assert!(before.still(&runs.tests, &now, false).is_none());
    }

    #[test]
    fn a_part_tells_nothing_of_what_others_initialise_in_all() {
        let runs = runs();
        let (bodies, classes) = (BTreeSet::from([MethodId(2)]), BTreeSet::new());
        let before = Before {
            loader: TestLoader::Isolated,
            runs: &runs,
            bodies: &bodies,
            classes: &classes,
            may_leave_out: true,
        };
        let mut now = first();
        now.finished[2].entered = vec![2, 8];
        let still = before.still(&runs.tests, &now, false).unwrap();
        // From a clean start of its own, `BTest.a` is the first that needs the class, and its set-up the first to fill a cache.
        let part = |entered: &[u32], set_up: &[u32]| {
            let one = Finished { set_up: set_up.to_vec(), ..passed(2, entered) };
            Run { finished: vec![one], rest: vec![9] }
        };
        let [first, again, clean] = still.complete(&runs.tests, &now, &part(&[2, 8], &[]), &part(&[2, 8, 9], &[9]));
        assert_eq!(first.finished[2].entered, [2, 8]);
        assert_eq!(clean, first);
        assert_eq!(again.finished[2].entered, [2, 8]);
        assert_eq!(again.finished[0], runs.runs[1].finished[0]);
    }

    #[test]
    fn what_is_ahead_of_a_class_in_a_part_is_not_what_is_ahead_of_it_in_all() {
        let mut runs = runs();
        // Torn down behind ATest: 4, each time. Set up for BTest: 5, the first time only.
        let ahead = |run: &mut Run, methods: &[u32]| run.finished[2].set_up = methods.to_vec();
        ahead(&mut runs.runs[0], &[4, 5]);
        ahead(&mut runs.runs[1], &[4]);
        ahead(&mut runs.runs[2], &[4, 5]);
        let now = runs.runs[0].clone();
        let (bodies, classes) = (BTreeSet::from([MethodId(2)]), BTreeSet::new());
        let before = Before {
            loader: TestLoader::Isolated,
            runs: &runs,
            bodies: &bodies,
            classes: &classes,
            may_leave_out: true,
        };
        let still = before.still(&runs.tests, &now, false).unwrap();
        let part = |ahead: &[u32]| Run {
            finished: vec![Finished { set_up: ahead.to_vec(), ..passed(2, &[2]) }],
            rest: Vec::new(),
        };
        let all = still.complete(&runs.tests, &now, &part(&[]), &part(&[5]));
        assert_eq!(all, runs.runs);
    }
}

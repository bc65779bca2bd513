//! From the runs of an earlier analysis to the test classes that need not run at all, and from a run of the others to the run that all would give.
//!
//! A class may be left out that did the same in all three runs, with whatever had run before it, enters nothing that has changed, does nothing only once, and leaves
//! what tests share with the whole JVM as it found it. That it was nobody's first, whose part falls to another class now, is held against what the others do.

use super::again::{Before, Still, Unit, ahead_of, copy_ahead, same, units};
use super::runs::Run;
use super::set_up::top_level;
use super::{Runs, Test};
use crate::jvm::protocol::{Finished, FoundTest};
use std::collections::{BTreeSet, HashMap};

impl Before<'_> {
    /// Top-level classes that need not run, where these tests are found now.
    #[must_use]
    pub fn idle(&self, found: &[FoundTest]) -> BTreeSet<String> {
        self.idle_of(found).unwrap_or_default()
    }

    /// Top-level classes that have changed, or enter what has, and leave what tests share with the whole JVM otherwise than they found it: who comes behind them may do
    /// anything else.
    #[must_use]
    pub fn changed_disturbing(&self) -> Vec<&str> {
        let changed = self.changed();
        self.disturbing().into_iter().filter(|class| changed.contains(*class)).collect()
    }

    fn idle_of(&self, found: &[FoundTest]) -> Option<BTreeSet<String>> {
        let Runs { tests, runs, found: found_then, .. } = self.runs;
        let ids = tests.iter().take(*found_then).map(|test| test.id.as_str());
        if !self.may_leave_out || !ids.eq(found.iter().map(|test| test.id.as_str())) {
            return None;
        }
        let [first, again, clean] = runs.each_ref().map(|run| units(tests, run));
        let (first, again, clean) = (first?, again?, clean?);
        let classes = |units: &[Unit<'_>]| units.iter().map(|(class, _)| (*class).to_owned()).collect::<Vec<_>>();
        if classes(&first) != classes(&again) || classes(&first) != classes(&clean) {
            return None;
        }
        if !self.changed_disturbing().is_empty() {
            return None;
        }
        let (changed, disturbing) = (self.changed(), self.disturbing());
        let mut idle = BTreeSet::new();
        for (place, (class, finished)) in first.iter().enumerate() {
            let same_in = |units: &[Unit<'_>]| {
                let other = units.get(place).map_or(&[][..], |(_, finished)| finished);
                finished.len() == other.len() && finished.iter().zip(other).all(|(one, other)| same(one, other))
            };
            // Invocations that only the run finds get their numbers there.
            let is_found = finished.iter().all(|one| (one.number as usize) < *found_then);
            let behind = |units: &[Unit<'_>], run: &Run| edge_behind(units, run, place);
            let edges = [behind(&first, &runs[0]), behind(&again, &runs[1]), behind(&clean, &runs[2])];
            let is_changed = |place: Option<usize>| {
                place.and_then(|place| first.get(place)).is_some_and(|(class, _)| changed.contains(*class))
            };
            let ahead_is_open = is_changed(place.checked_sub(1)) && !edge_ahead(finished).is_empty();
            let behind_is_open = is_changed(Some(place + 1)) && !edges[0].is_empty();
            if !changed.contains(*class)
                && !disturbing.contains(class)
                && is_found
                && same_in(&again)
                && same_in(&clean)
                && edges.iter().all(|edge| *edge == edges[0])
                && !ahead_is_open
                && !behind_is_open
            {
                idle.insert((*class).to_owned());
            }
        }
        keep_apart(&first, &runs[0].rest, &changed, &mut idle);
        Some(idle)
    }

    /// Of the classes that are not `idle`, tests that ran only once before for the time that they take, and that need not run now either: they enter nothing that has
    /// changed, and the others of their class did the same from a clean start without them. Theirs are the same numbers now.
    #[must_use]
    pub fn resting(&self, idle: &BTreeSet<String>) -> BTreeSet<u32> {
        let Runs { tests, runs: [first, _, clean], found, spared, .. } = self.runs;
        // Where none is, it may be that other tests are found.
        let (Some(first), Some(clean), false) = (units(tests, first), units(tests, clean), idle.is_empty()) else {
            return BTreeSet::new();
        };
        let clean: HashMap<&str, Vec<&Finished>> = clean.into_iter().collect();
        let (changed, disturbing) = (self.changed(), self.disturbing());
        let rests = |(class, first): &Unit<'_>| {
            let clean = clean.get(class).map_or(&[][..], Vec::as_slice);
            let is_found = first.iter().all(|one| (one.number as usize) < *found);
            let is_same = first.len() == clean.len()
                && first.iter().zip(clean).all(|(one, other)| one.number == other.number && same(one, other));
            let leaves_all = !changed.contains(*class) && !disturbing.contains(class);
            is_found && is_same && leaves_all && !idle.contains(*class)
        };
        // What comes first tells what happens ahead of its class.
        let behind_first = first.iter().filter(|unit| rests(unit)).flat_map(|(_, finished)| finished.iter().skip(1));
        behind_first.map(|one| one.number).filter(|number| spared.contains(number)).collect()
    }

    /// The run that all tests would give, of one of those that are not `idle`; `None` where what happens between two classes is not what it was, or one leaves
    /// what tests share with the whole JVM as it found it, and did not, or the other way round.
    #[must_use]
    pub fn with_idle(&self, idle: &BTreeSet<String>, tests: &[Test], part: &Run) -> Option<Run> {
        let Runs { tests: tests_then, runs: [then, ..], .. } = self.runs;
        let (order, ran) = (units(tests_then, then)?, units(tests, part)?);
        if !order
            .iter()
            .filter(|(class, _)| !idle.contains(*class))
            .map(|(class, _)| class)
            .eq(ran.iter().map(|(class, _)| class))
        {
            return None;
        }
        let changed = self.changed();
        let mut ran = ran.into_iter();
        let mut whole = Run::default();
        // What happened between the classes of now, when idle ones were between them.
        let mut between: Option<BTreeSet<u32>> = None;
        let mut ahead_is_changed = false;
        for (class, finished) in &order {
            let edge = edge_ahead(finished);
            if idle.contains(*class) {
                between.get_or_insert_default().extend(edge);
                whole.finished.extend(finished.iter().map(|one| (*one).clone()));
                continue;
            }
            let (_, mut now) = ran.next().map(|(class, now)| (class, now.into_iter().cloned().collect::<Vec<_>>()))?;
            if finished.iter().any(|one| one.disturbs) != now.iter().any(|one| one.disturbs) {
                return None;
            }
            if let Some(mut known) = between.take() {
                known.extend(edge);
                let is_known = edge_ahead_of(&now).iter().all(|method| known.contains(method));
                let is_nothing = edge_ahead_of(&now).is_empty();
                if !is_known || !is_nothing && (ahead_is_changed || changed.contains(*class)) {
                    return None;
                }
                copy_ahead(finished.first()?, now.first_mut()?, |_| true);
            }
            ahead_is_changed = changed.contains(*class);
            whole.finished.extend(now);
        }
        whole.rest.clone_from(&part.rest);
        if let Some(mut known) = between {
            known.extend(&then.rest);
            if !part.rest.iter().all(|method| known.contains(method)) || ahead_is_changed && !part.rest.is_empty() {
                return None;
            }
            whole.rest.clone_from(&then.rest);
        }
        Some(whole)
    }

    /// Whether one did something once that it did not before, or no longer did, but for what varied from one clean start to the other: something was missing, as who
    /// comes first initialises classes.
    #[must_use]
    pub fn misses(&self, still: &Still, tests: &[Test], first: &Run, again: &Run) -> bool {
        let Runs { tests: tests_then, runs: [first_then, again_then, _], .. } = self.runs;
        let once_then = once(tests_then, first_then, again_then);
        let once_now = once(tests, first, again);
        let varied = self.varied();
        let of_test = |once: &HashMap<&str, BTreeSet<u32>>, id: &str| -> BTreeSet<u32> {
            let varies = |method: &u32| varied.get(id).is_some_and(|varied| varied.contains(method));
            once.get(id).into_iter().flatten().copied().filter(|method| !varies(method)).collect()
        };
        let open = tests.iter().filter(|test| !still.holds(top_level(test))).map(|test| test.id.as_str());
        open.into_iter().any(|id| of_test(&once_now, id) != of_test(&once_then, id))
    }
}

/// Where something happens ahead of a class that runs, and behind a changed one in the run of now, nobody could say which of the two it is of: one that was
/// between them then runs, too. Likewise behind the last class (`rest`).
fn keep_apart(order: &[Unit<'_>], rest: &[u32], changed: &BTreeSet<String>, idle: &mut BTreeSet<String>) {
    for place in (1..=order.len()).rev() {
        let this = order.get(place);
        let happens = !this.map_or_else(|| rest.to_vec(), |(_, finished)| edge_ahead(finished)).is_empty();
        let runs = |class: &str| !idle.contains(class);
        let mut ahead = order.iter().take(place).rev().map(|(class, _)| *class);
        let Some(between) = ahead.next().filter(|class| !runs(class)) else { continue };
        let is_changed = |class: Option<&str>| class.is_some_and(|class| changed.contains(class));
        let is_unclear = is_changed(this.map(|(class, _)| *class)) || is_changed(ahead.find(|class| runs(class)));
        if happens && is_unclear && this.is_none_or(|(class, _)| runs(class)) {
            idle.remove(between);
        }
    }
}

/// What each test entered the first time and not the second time, where there is something, without what is beside its class.
fn once<'a>(tests: &'a [Test], first: &Run, again: &Run) -> HashMap<&'a str, BTreeSet<u32>> {
    let entered = |run: &Run| {
        let mut of: HashMap<u32, BTreeSet<u32>> = HashMap::new();
        let mut ahead = None;
        for one in &run.finished {
            let class = tests.get(one.number as usize).map(top_level);
            let entered = of.entry(one.number).or_default();
            if !one.of_class {
                entered.extend(&one.entered);
            }
            if class == ahead {
                entered.extend(&one.set_up);
            }
            ahead = class;
        }
        of
    };
    let (first, again) = (entered(first), entered(again));
    let id = |number: u32| tests.get(number as usize).map(|test| test.id.as_str());
    let missing = first.into_iter().filter_map(|(number, first)| {
        let again = again.get(&number)?;
        Some((id(number)?, first.difference(again).copied().collect::<BTreeSet<u32>>()))
    });
    missing.filter(|(_, once)| !once.is_empty()).collect()
}

fn edge_ahead(finished: &[&Finished]) -> Vec<u32> {
    finished.first().map_or_else(Vec::new, |one| ahead_of(one))
}

fn edge_ahead_of(finished: &[Finished]) -> Vec<u32> {
    finished.first().map_or_else(Vec::new, ahead_of)
}

/// What happens behind the class at this place.
fn edge_behind(units: &[Unit<'_>], run: &Run, place: usize) -> Vec<u32> {
    units.get(place + 1).map_or_else(|| run.rest.clone(), |(_, finished)| edge_ahead(finished))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::{MethodId, RecipeId};
    use crate::recipe::TestLoader;

    /// `ATest` initialises what all need (9), `BTest` to `DTest` do the same each time; each enters the method of its number.
    const TESTS: [&str; 4] = ["ATest.a", "BTest.a", "CTest.a", "DTest.a"];

    fn tests() -> Vec<Test> {
        let class = |name: &str| name.split('.').next().unwrap().to_owned();
        TESTS.map(|name| Test { id: name.into(), name: name.into(), class: class(name), recipe: RecipeId(0) }).into()
    }

    fn run(finished: &[(u32, &[u32])]) -> Run {
        let finished = finished.iter().map(|(number, entered)| Finished::passed(*number, entered)).collect();
        Run { finished, rest: Vec::new() }
    }

    fn runs() -> Runs {
        let first = run(&[(0, &[0, 9]), (1, &[1]), (2, &[2]), (3, &[3])]);
        let again = run(&[(0, &[0]), (1, &[1]), (2, &[2]), (3, &[3])]);
        Runs { tests: tests(), runs: [first.clone(), again, first], found: 4, ..Runs::default() }
    }

    /// With a changed body.
    fn scene<T>(runs: &Runs, body: u32, of: impl FnOnce(&Before<'_>) -> T) -> T {
        let (bodies, classes) = (BTreeSet::from([MethodId(body)]), BTreeSet::new());
        of(&Before { loader: TestLoader::Isolated, runs, bodies: &bodies, classes: &classes, may_leave_out: true })
    }

    fn found() -> Vec<FoundTest> {
        tests().into_iter().map(|Test { id, name, class, .. }| FoundTest { id, name, class }).collect()
    }

    fn idle(runs: &Runs, body: u32, found: &[FoundTest]) -> String {
        scene(runs, body, |before| before.idle(found)).into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn classes_that_do_the_same_each_time_and_nothing_that_has_changed_need_not_run() {
        assert_eq!(idle(&runs(), 2, &found()), "BTest DTest");
        assert_eq!(idle(&runs(), 0, &found()), "BTest CTest DTest");
        let mut varies = runs();
        varies.runs[2].finished[1].entered = vec![1, 5];
        assert_eq!(idle(&varies, 2, &found()), "DTest");
    }

    #[test]
    fn a_class_that_disturbs_what_tests_share_with_the_whole_jvm_runs() {
        let mut disturbs = runs();
        disturbs.runs[1].finished[1].disturbs = true;
        assert_eq!(idle(&disturbs, 2, &found()), "DTest");
        assert_eq!(idle(&disturbs, 1, &found()), "", "all others find what it leaves, which may have changed");
    }

    #[test]
    fn a_slow_test_rests_though_its_class_runs() {
        // `ATest.slow` is behind `ATest.a`, which initialises what all need.
        let mut runs = runs();
        runs.tests.push(Test {
            id: "ATest.slow".into(),
            name: "ATest.slow".into(),
            class: "ATest".into(),
            recipe: RecipeId(0),
        });
        runs.runs.iter_mut().for_each(|run| run.finished.insert(1, Finished::passed(4, &[3])));
        (runs.found, runs.spared) = (5, BTreeSet::from([4]));
        let idle = BTreeSet::from(["BTest".to_owned()]);
        let resting = |runs: &Runs, body: u32| {
            scene(runs, body, |before| before.resting(&idle)).into_iter().collect::<Vec<u32>>()
        };
        assert_eq!(resting(&runs, 2), [4]);
        assert_eq!(resting(&runs, 3), [0; 0], "it enters what has changed");
        assert_eq!(scene(&runs, 2, |before| before.resting(&BTreeSet::new())), BTreeSet::new());
        let mut disturbs = runs.clone();
        disturbs.runs[0].finished[0].disturbs = true;
        assert_eq!(resting(&disturbs, 2), [0; 0], "the class disturbs what all share");
        let mut needed = runs.clone();
        needed.runs[2].finished[0].entered = vec![0];
        assert_eq!(resting(&needed, 2), [0; 0], "without it, another one does otherwise");
        runs.runs.iter_mut().for_each(|run| run.finished.swap(0, 1));
        assert_eq!(resting(&runs, 2), [0; 0], "what happens ahead of the class is told by it");
    }

    #[test]
    fn where_other_tests_are_found_all_run() {
        assert_eq!(idle(&runs(), 2, &found()[..3]), "");
        let mut more = found();
        more.push(FoundTest { id: "ETest.a".into(), ..more[0].clone() });
        assert_eq!(idle(&runs(), 2, &more), "");
        // What only the run finds comes where it comes.
        assert_eq!(idle(&Runs { found: 3, ..runs() }, 2, &found()[..3]), "BTest");
    }

    #[test]
    fn a_class_beside_a_changed_one_runs_where_anything_happens_between_them() {
        let mut beside = runs();
        beside.runs.iter_mut().for_each(|run| run.finished[3].set_up = vec![7]);
        assert_eq!(idle(&beside, 2, &found()), "BTest");
        assert_eq!(idle(&beside, 1, &found()), "CTest DTest");
    }

    #[test]
    fn a_class_stays_between_a_changed_one_and_another_ahead_of_which_something_happens() {
        let mut apart = runs();
        apart.runs.iter_mut().for_each(|run| run.finished[3].set_up = vec![7]);
        assert_eq!(idle(&apart, 1, &found()), "CTest DTest", "nobody ahead of it runs but the one that has changed");
        // It runs, because it does something once.
        apart.runs[0].finished[3].entered.push(8);
        assert_eq!(idle(&apart, 1, &found()), "");
        apart.runs.iter_mut().for_each(|run| run.finished[3].set_up.clear());
        assert_eq!(idle(&apart, 1, &found()), "CTest");
        let mut behind = runs();
        behind.runs.iter_mut().for_each(|run| run.rest = vec![6]);
        assert_eq!(idle(&behind, 2, &found()), "BTest");
        assert_eq!(idle(&behind, 1, &found()), "CTest");
    }

    /// What the tests would do together with idle ones, when `ATest` and `CTest` alone do this.
    fn whole(runs: &Runs, part: &Run) -> Option<Run> {
        let idle = ["BTest", "DTest"].map(str::to_owned).into();
        scene(runs, 2, |before| before.with_idle(&idle, &tests(), part))
    }

    #[test]
    fn the_whole_run_has_what_idle_classes_did() {
        let part = run(&[(0, &[0, 9]), (2, &[2, 5])]);
        let all = run(&[(0, &[0, 9]), (1, &[1]), (2, &[2, 5]), (3, &[3])]);
        assert_eq!(whole(&runs(), &part), Some(all));
        // One leaves what all share otherwise than it found it.
        let mut disturbs = run(&[(0, &[0, 9]), (2, &[2, 5])]);
        disturbs.finished[1].disturbs = true;
        assert_eq!(whole(&runs(), &disturbs), None);
        // Another order, or another class.
        assert_eq!(whole(&runs(), &run(&[(2, &[2]), (0, &[0, 9])])), None);
    }

    #[test]
    fn between_two_classes_nothing_new_may_happen() {
        let mut before = runs();
        before.runs.iter_mut().for_each(|run| run.rest = vec![6]);
        let mut part = run(&[(0, &[0, 9]), (2, &[2])]);
        assert_eq!(whole(&before, &part).unwrap().rest, [6]);
        part.rest = vec![6];
        assert_eq!(whole(&before, &part), None, "behind a class that has changed");
        part.rest = Vec::new();
        part.finished[1].set_up = vec![4];
        assert_eq!(whole(&before, &part), None);
    }

    #[test]
    fn who_does_for_the_first_time_what_another_class_did_shows_that_it_was_missing() {
        let runs = runs();
        let misses = |first: &[(u32, &[u32])], again: &[u32]| {
            let first = run(first);
            scene(&runs, 2, |before| {
                let still = before.still(&runs.tests, &first, true).unwrap();
                !before.strays(&still, &runs.tests, &first).is_empty()
                    || before.misses(&still, &runs.tests, &first, &run(&[(2, again)]))
            })
        };
        assert!(!misses(&[(0, &[0, 9]), (1, &[1]), (2, &[2, 5]), (3, &[3])], &[2, 5]));
        // Only the first time: some class is initialised, which an idle one may have done.
        assert!(misses(&[(0, &[0, 9]), (1, &[1]), (2, &[2, 5]), (3, &[3])], &[2]));
        // Enters nothing that has changed, and does otherwise.
        assert!(misses(&[(0, &[0, 9, 5]), (1, &[1]), (2, &[2]), (3, &[3])], &[2]));
    }

    #[test]
    fn what_varied_between_two_clean_starts_does_not_show_that_anything_was_missing() {
        let mut runs = runs();
        let misses = |runs: &Runs, first: &[(u32, &[u32])], again: &[(u32, &[u32])]| {
            let (first, again) = (run(first), run(again));
            scene(runs, 2, |before| {
                let still = before.still(&runs.tests, &first, true).unwrap();
                !before.strays(&still, &runs.tests, &first).is_empty()
                    || before.misses(&still, &runs.tests, &first, &again)
            })
        };
        // Method 5 was entered in `ATest.a` by one of three runs, and is not now.
        runs.runs[0].finished[0].entered = vec![0, 5, 9];
        let now: &[(u32, &[u32])] = &[(0, &[0, 9]), (1, &[1]), (2, &[2]), (3, &[3])];
        assert!(!misses(&runs, now, &[(0, &[0]), (2, &[2])]));
        // Nor is one that it entered from both clean starts.
        assert!(misses(&runs, &[(0, &[0]), (1, &[1]), (2, &[2]), (3, &[3])], &[(0, &[0]), (2, &[2])]));
        // It was entered in both, and the first time only.
        runs.runs[2].finished[0].entered = vec![0, 5, 9];
        assert!(misses(&runs, now, &[(0, &[0]), (2, &[2])]));
    }
}

//! Repeats the runs of what can still differ after the first runs, and narrows it with each round.

use super::choice::{Choice, Preference, with_amount};
use super::difference::repeatable_tests;
use super::first::{First, amounts};
use super::group::{Group, methods_of};
use super::observers::Observers;
use super::previous::{Found, Previous};
use super::screen::{PossibleDifferences, open_late, open_late_only};
use super::series::{MACHINES, Series, Target};
use super::{Difference, Observed, Site};
use crate::base::error::Result;
use crate::base::id::{MethodId, TestId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Repeats what can differ after the first runs, and narrows it with each round: to the tests that
/// still differ, and to the places in them.
pub(super) fn repeat(
    observers: &Observers<'_>,
    group: &Group,
    first: &[First],
    preference: &Preference<'_>,
    known: &dyn Previous,
) -> Result<Vec<Option<Found>>> {
    let run = first.first().and_then(|first| first.observed.original.first());
    let amounts = run.map(|run| amounts(run)).unwrap_or_default();
    let preference = |method: MethodId, test: TestId| {
        let amount = amounts.get(&test).copied().unwrap_or(0);
        preference(method, test).map(|near| with_amount(near, amount))
    };
    let preference: &Preference<'_> = &preference;
    let of_targets = || first.iter().zip(&group.targets);
    let choice = |(first, target): (&First, &Target)| Choice::new(&first.open, &first.seen, target.method, preference);
    let choices: Vec<Choice> = of_targets().map(choice).collect();
    let late = of_targets().map(|(first, target)| Late::of(&first.observed, &first.seen, target.method));
    let late: Vec<Late> = late.collect();
    let of_methods = group.targets.iter().zip(&late).filter(|(_, late)| late.says_more);
    let to_the_end = of_methods.filter_map(|(target, _)| target.method).map(Site::Method).collect();
    let observed = first.iter().map(|first| first.observed.clone()).collect();
    let mut repetition = Repetition::new(observers, group, observed, to_the_end);
    let chosen = Chosen { choices: &choices, late: &late, first, preference, known };
    let tests = repetition.narrow(choices.iter().map(|choice| choice.open.clone()).collect(), Some(&chosen))?;
    let mut told = repetition.differences();
    repetition.take_back(&chosen);
    let back: Vec<PossibleDifferences> =
        repetition.taken_back.iter().map(|back| back.clone().unwrap_or_default()).collect();
    if !still_open(&back).is_empty() {
        repetition.narrow(back.clone(), None)?;
        repetition.tell_again(&still_open(&back), &mut told);
    }
    repetition.hear_others(first, tests.len() == group.tests.len(), &mut told)?;
    let Repetition { observed, is_known, .. } = repetition;
    let targets = observed.into_iter().zip(told).zip(is_known).zip(&group.targets);
    let found = targets
        .map(|(((observed, told), is_known), target)| (!is_known).then(|| (observed, target.best(told, preference))));
    Ok(found.collect())
}

/// The choice of what is repeated for each target, and the reasons for it.
pub(super) struct Chosen<'c> {
    choices: &'c [Choice],
    late: &'c [Late],
    first: &'c [First],
    preference: &'c Preference<'c>,
    known: &'c dyn Previous,
}

/// The result of the first runs for late invocations: those after the first ones of a test, which
/// are only digested.
#[derive(Debug, Default, PartialEq, Eq)]
struct Late {
    /// Whether in some test something can differ late, and no difference that decides the symptom
    /// shows before.
    says_more: bool,
    /// Tests in which something can differ late.
    tests: BTreeSet<TestId>,
}

impl Late {
    /// `seen` are the differences in the first invocations.
    fn of(first: &Observed, seen: &[Difference], method: Option<MethodId>) -> Self {
        let Some(method) = method.map(Site::Method) else { return Self::default() };
        let tests = open_late(first, method);
        let is_seen =
            |test: &TestId| seen.iter().any(|found| !found.deep && found.key.site == method && found.key.test == *test);
        Self { says_more: !tests.iter().all(is_seen), tests }
    }
}

/// The repetitions after the first runs of a group.
pub(super) struct Repetition<'a, 'b> {
    observers: &'a Observers<'b>,
    group: &'a Group,
    /// One entry for each target.
    pub(super) observed: Vec<Observed>,
    /// Sites whose observations are all recorded, and not only the first ones of each test, because
    /// the difference may be in later ones.
    to_the_end: BTreeSet<Site>,
    /// For each target whose choice was not good enough: the places that are repeated instead.
    taken_back: Vec<Option<PossibleDifferences>>,
    /// For each target: whether its result is already known, so that nothing has to be reported.
    is_known: Vec<bool>,
    /// For each target: the differences in all runs so far, if they were computed after the last of
    /// these runs.
    told: Vec<Option<Rc<[Difference]>>>,
}

impl<'a, 'b> Repetition<'a, 'b> {
    /// `first` are the observations of the first runs, with one entry for each target. The sites
    /// `to_the_end` are recorded completely.
    pub(super) fn new(
        observers: &'a Observers<'b>,
        group: &'a Group,
        first: Vec<Observed>,
        mut to_the_end: BTreeSet<Site>,
    ) -> Self {
        first.iter().for_each(|first| to_the_end.extend(open_late_only(first)));
        let (taken_back, told) = (vec![None; first.len()], vec![None; first.len()]);
        let is_known = vec![false; first.len()];
        Self { observers, group, observed: first, to_the_end, taken_back, is_known, told }
    }

    /// The differences in all runs of a target so far.
    fn told(&mut self, index: usize) -> Rc<[Difference]> {
        if let Some(Some(told)) = self.told.get(index) {
            return Rc::clone(told);
        }
        let of_target = self.observed.get(index).zip(self.group.targets.get(index));
        let told: Rc<[Difference]> =
            of_target.map_or_else(Vec::new, |(observed, target)| target.differences(observed)).into();
        if let Some(kept) = self.told.get_mut(index) {
            *kept = Some(Rc::clone(&told));
        }
        told
    }

    /// The observations of a target, to be changed. The differences computed from them are dropped.
    fn observed_anew(&mut self, index: usize) -> Option<&mut Observed> {
        if let Some(told) = self.told.get_mut(index) {
            *told = None;
        }
        self.observed.get_mut(index)
    }

    /// Repeats what is open for each target. A place that does not differ in two runs does not
    /// differ in more runs either. If starting over with the remaining tests takes less than half
    /// the time of continuing, the loop starts over with them. Otherwise the same tests continue up
    /// to the last remaining one, because a test may depend on the tests before it; only the
    /// remaining sites are recorded. A target whose choice proves to be noise is left out from then
    /// on. Returns the tests of the last round.
    pub(super) fn narrow(
        &mut self,
        mut open: Vec<PossibleDifferences>,
        chosen: Option<&Chosen<'_>>,
    ) -> Result<Vec<TestId>> {
        let few = MACHINES.min(self.observers.runs());
        let more = self.observers.runs() - few;
        loop {
            let (tests, sites) = (self.tests(&open), self.sites(&open));
            let targets = still_open(&open);
            for (index, repeated) in targets.iter().zip(self.run(&tests, &sites, &targets, few, true)?) {
                if let Some(observed) = self.observed_anew(*index) {
                    observed.repeat(repeated);
                }
                let told = self.told(*index);
                if let Some(open) = open.get_mut(*index) {
                    *open = told.iter().map(|found| (found.key.test, found.key.site)).collect();
                }
            }
            if let Some(chosen) = chosen {
                self.take_back(chosen);
                open.iter_mut()
                    .zip(&self.taken_back)
                    .filter(|(_, back)| back.is_some())
                    .for_each(|(open, _)| open.clear());
                self.leave_known(chosen, &mut open);
            }
            if more == 0 {
                return Ok(tests);
            }
            let left = self.observers.time(&self.tests(&open));
            if 2 * left * (few + more) as u64 >= self.observers.time(&tests) * more as u64 {
                let targets = still_open(&open);
                let (tests, sites) = (self.until_last(tests, &open), self.sites(&open));
                for (index, repeated) in targets.iter().zip(self.run(&tests, &sites, &targets, more, false)?) {
                    if let Some(observed) = self.observed_anew(*index) {
                        observed.extend(repeated);
                    }
                }
                return Ok(tests);
            }
        }
    }

    /// Stops repeating a target if its differences so far confirm its known explanation.
    fn leave_known(&mut self, chosen: &Chosen<'_>, open: &mut [PossibleDifferences]) {
        for index in still_open(open) {
            let group = self.group;
            let Some(target) = group.targets.get(index).filter(|target| chosen.known.is_explained(target)) else {
                continue;
            };
            let told = target.best(self.told(index).to_vec(), chosen.preference);
            let Some(observed) = self.observed.get(index) else { continue };
            if !told.is_empty() && chosen.known.is_confirmed(target, observed, &told) {
                self.is_known.get_mut(index).into_iter().for_each(|is_known| *is_known = true);
                open.get_mut(index).into_iter().for_each(BTreeSet::clear);
            }
        }
    }

    fn differences(&mut self) -> Vec<Vec<Difference>> {
        (0..self.observed.len()).map(|index| self.told(index).to_vec()).collect()
    }

    /// Withdraws choices, at most once for each target. If chosen tests proved to be noise, tests
    /// that were not chosen are repeated, too. If the first invocations of a test proved to be
    /// noise, all its invocations are recorded.
    fn take_back(&mut self, chosen: &Chosen<'_>) {
        let Chosen { choices, late, first, preference, .. } = chosen;
        let group = self.group;
        for (index, (((choice, first), target), late)) in
            choices.iter().zip(*first).zip(&group.targets).zip(*late).enumerate()
        {
            let (Some(None), Some(method)) = (self.taken_back.get(index), target.method) else { continue };
            let told = self.told(index);
            let site = Site::Method(method);
            let differs = |test: TestId| told.iter().any(|found| found.key.site == site && found.key.test == test);
            let lost = |test: &TestId| choice.open.contains(&(*test, site)) && !differs(*test);
            let is_cut = !self.to_the_end.contains(&site) && late.tests.iter().any(lost);
            let more = choice.broken_by(&told, method, preference);
            if let Some(more) = more.or_else(|| is_cut.then(|| choice.open.clone())) {
                if let Some(back) = self.taken_back.get_mut(index) {
                    *back = Some(more);
                }
                if let Some(observed) = self.observed_anew(index) {
                    observed.clone_from(&first.observed);
                }
            }
            if is_cut {
                self.to_the_end.insert(site);
            }
        }
    }

    fn tell_again(&mut self, targets: &[usize], told: &mut [Vec<Difference>]) {
        for index in targets {
            if let Some(told) = told.get_mut(*index) {
                *told = self.told(*index).to_vec();
            }
        }
    }

    /// Finds other tests for targets whose varying tests proved to have no difference. They have to
    /// show that there is none. Tests in which the method did the same in all first runs are
    /// enough; without such tests, all tests are repeated. This is not needed if all runs were
    /// made, and they were of `all` tests or have repeatable invocations.
    fn hear_others(&mut self, first: &[First], all: bool, told: &mut [Vec<Difference>]) -> Result<()> {
        let runs = self.observers.runs();
        let (mut heard, mut unheard) = (Vec::new(), Vec::new());
        for (index, (First { observed: first, open, .. }, target)) in first.iter().zip(&self.group.targets).enumerate()
        {
            let (Some(observed), Some(method)) = (self.observed.get(index), target.method) else { continue };
            let is_repeated = observed.original.len() >= runs;
            if open.is_empty()
                || told.get(index).is_some_and(|told| !told.is_empty())
                || (is_repeated && (all || !repeatable_tests(observed, method).is_empty()))
            {
                continue;
            }
            let varying =
                open.iter().filter(|(_, site)| *site == Site::Method(method)).map(|(test, _)| *test).collect();
            let others = Observed { left_out: varying, first: first.original.clone(), ..first.clone() };
            if repeatable_tests(&others, method).is_empty() {
                unheard.push(index);
            } else {
                if let Some(observed) = self.observed_anew(index) {
                    *observed = others;
                }
                heard.push(index);
            }
        }
        // Expressions that could differ were all repeated before.
        let methods = methods_of(unheard.iter().filter_map(|index| self.group.targets.get(*index)));
        for (index, repeated) in unheard.iter().zip(self.run(&self.group.tests, &methods, &unheard, runs, true)?) {
            if let Some(observed) = self.observed_anew(*index) {
                observed.repeat(repeated);
            }
        }
        heard.extend(unheard);
        self.tell_again(&heard, told);
        Ok(())
    }

    /// Tests in which something is open, in the order of the suite.
    fn tests(&self, open: &[PossibleDifferences]) -> Vec<TestId> {
        let open: BTreeSet<TestId> = open.iter().flatten().map(|(test, _)| *test).collect();
        self.group.tests.iter().copied().filter(|test| open.contains(test)).collect()
    }

    /// These tests up to the last one in which something is open.
    fn until_last(&self, mut tests: Vec<TestId>, open: &[PossibleDifferences]) -> Vec<TestId> {
        let last = self.tests(open).last().copied();
        tests.truncate(tests.iter().rposition(|test| Some(*test) == last).map_or(0, |last| last + 1));
        tests
    }

    /// The open sites, and the methods of the targets for which something is open.
    fn sites(&self, open: &[PossibleDifferences]) -> Vec<Site> {
        let methods = still_open(open).into_iter().filter_map(|index| self.group.targets.get(index)?.method);
        let places = open.iter().flatten().map(|(_, site)| *site);
        let sites: BTreeSet<Site> = methods.map(Site::Method).chain(places).collect();
        sites.into_iter().collect()
    }

    /// The result has one entry for each of these targets.
    fn run(
        &mut self,
        tests: &[TestId],
        sites: &[Site],
        targets: &[usize],
        runs: usize,
        stacks: bool,
    ) -> Result<Vec<Observed>> {
        let targets: Vec<Target> = targets.iter().filter_map(|index| self.group.targets.get(*index).copied()).collect();
        let (recorded, briefly): (Vec<Site>, Vec<Site>) = sites.iter().partition(|site| self.to_the_end.contains(site));
        self.observers.run(
            Series {
                rank: self.group.rank,
                tests,
                targets: &targets,
                recorded: &recorded,
                briefly: &briefly,
                digested: &[],
                samples: 0,
                stacks,
                targets_once: false,
            },
            runs,
        )
    }
}

fn still_open(open: &[PossibleDifferences]) -> Vec<usize> {
    open.iter().enumerate().filter(|(_, open)| !open.is_empty()).map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{key, sides};
    use super::super::{Part, Recording, Thread};
    use super::*;
    use crate::base::id::IdSlice;
    use crate::cover::Coverage;
    use crate::observation::Digest;
    use crate::run::Pool;

    #[test]
    fn later_invocations_are_needed_only_where_nothing_differs_before() {
        let at = |test: u32, deep: bool| Difference {
            key: key(test, 7, 1),
            part: Part::Receiver,
            path: ".a".to_owned(),
            type_name: "int".to_owned(),
            original: Some("1".to_owned()),
            transformed: Some("2".to_owned()),
            deep,
            implementation_only: false,
            owner: None,
            stack: Vec::new(),
        };
        let run = |hash: u64| {
            let late = |test| Digest {
                test: TestId(test),
                site: Site::Method(MethodId(7)),
                thread: Thread::default(),
                late: true,
                thrown: false,
                count: 1,
                hash,
            };
            Recording { digests: vec![late(4), late(5)], ..Recording::default() }
        };
        let late = |transformed: u64, seen: &[Difference], method: u32| {
            Late::of(&sides(vec![run(1), run(1)], vec![run(transformed)]), seen, Some(MethodId(method)))
        };
        let in_both = |says_more: bool| Late { says_more, tests: BTreeSet::from([TestId(4), TestId(5)]) };
        assert_eq!(late(1, &[at(4, false)], 7), Late::default(), "the same in some runs of both sides");
        assert_eq!(late(2, &[at(4, false), at(5, false)], 7), in_both(false));
        assert_eq!(late(2, &[at(4, false)], 7), in_both(true));
        assert_eq!(late(2, &[at(4, false), at(5, true)], 7), in_both(true), "beyond the paper's state");
        assert_eq!(late(2, &[], 8), Late::default(), "another method");
    }

    #[test]
    fn tests_behind_the_last_in_which_something_is_open_are_not_repeated() {
        let coverage = Coverage::default();
        let pool = Pool::new(2);
        let observers = Observers::new(IdSlice::new(&[]), &coverage, 2, 1, &pool);
        let group = Group { tests: [3, 1, 4, 2].map(TestId).to_vec(), ..Group::default() };
        let repetition = Repetition::new(&observers, &group, Vec::new(), BTreeSet::new());
        let until_last = |open: &[u32]| {
            let of = |test: &u32| BTreeSet::from([(TestId(*test), Site::Method(MethodId(7)))]);
            repetition
                .until_last([3, 1, 4].map(TestId).to_vec(), &open.iter().map(of).collect::<Vec<PossibleDifferences>>())
        };
        assert_eq!(until_last(&[1, 3]), [3, 1].map(TestId));
        assert_eq!(until_last(&[3, 4]), [3, 1, 4].map(TestId));
        assert!(until_last(&[]).is_empty());
    }
}

//! The events of one run of tests, in order.

use super::coverage::Test;
use crate::base::id::{IdSlice, MethodId, TestId};
use crate::jvm::protocol::Finished;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The result of each test in a run, by the number of the test.
pub(crate) type Results = BTreeMap<TestId, Finished>;

/// All that one run reported, in order. The run completed without a test that hung or ended the JVM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunLog {
    /// In the order in which they were reported.
    pub(crate) finished: Vec<Finished>,
    /// Methods entered after the last test.
    pub(crate) entered_after: Vec<MethodId>,
}

/// Results of one top-level class, whose tests run one after the other.
#[derive(Debug)]
pub(crate) struct ClassRun<'a> {
    pub(crate) class: &'a str,
    pub(crate) results: Vec<&'a Finished>,
}

impl ClassRun<'_> {
    /// Methods entered before the first test of the class, after the class before it; sorted.
    pub(crate) fn entered_before(&self) -> Vec<MethodId> {
        self.results.first().map_or_else(Vec::new, |result| entered_before(result))
    }

    pub(crate) fn disturbs(&self) -> bool {
        self.results.iter().any(|result| result.disturbs)
    }
}

/// Identifies a result within a run: a test can have one of its own and one of its class.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ResultKey {
    test: TestId,
    of_class: bool,
}

impl ResultKey {
    pub(crate) fn of(result: &Finished) -> Self {
        Self { test: result.number, of_class: result.of_class }
    }
}

impl RunLog {
    /// The last result of each test.
    pub(crate) fn results(&self) -> Results {
        self.finished.iter().map(|result| (result.number, result.clone())).collect()
    }

    /// Splits the run into its top-level classes. `None` if the tests of a class do not run one after the other.
    pub(crate) fn classes<'a>(&'a self, tests: &'a IdSlice<TestId, Test>) -> Option<Vec<ClassRun<'a>>> {
        let mut classes: Vec<ClassRun<'a>> = Vec::new();
        let mut seen = BTreeSet::new();
        for result in &self.finished {
            let class = tests.get(result.number)?.top_level_class();
            match classes.last_mut() {
                Some(last) if last.class == class => last.results.push(result),
                _ if seen.insert(class) => classes.push(ClassRun { class, results: vec![result] }),
                _ => return None,
            }
        }
        Some(classes)
    }

    /// Adds to `part`, a run without the tests in `missing`, the results that this run has for them, in their places.
    /// `None` if `part` lacks a test after which a result belongs.
    pub(crate) fn fill_in(
        &self,
        tests: &IdSlice<TestId, Test>,
        part: Self,
        missing: &BTreeSet<TestId>,
    ) -> Option<Self> {
        let mut copies_after: HashMap<Option<ResultKey>, Vec<&Finished>> = HashMap::new();
        let mut previous = None;
        for result in &self.finished {
            if missing.contains(&result.number) && !result.of_class {
                copies_after.entry(previous).or_default().push(result);
            } else {
                previous = Some(ResultKey::of(result));
            }
        }
        let own: HashMap<ResultKey, &Finished> =
            self.finished.iter().map(|result| (ResultKey::of(result), result)).collect();
        let mut finished: Vec<Finished> = Vec::with_capacity(self.finished.len());
        let mut copies = copies_after.remove(&None).unwrap_or_default();
        for mut result in part.finished {
            let key = ResultKey::of(&result);
            let start = finished.len();
            finished.extend(copies.into_iter().cloned());
            if let Some((copies, own)) = finished.get_mut(start..).zip(own.get(&key)) {
                move_class_start(tests, copies, &mut result, own);
            }
            copies = copies_after.remove(&Some(key)).unwrap_or_default();
            finished.push(result);
        }
        finished.extend(copies.into_iter().cloned());
        copies_after.is_empty().then_some(Self { finished, entered_after: part.entered_after })
    }
}

/// Moves what was entered before `result` to the first copy of its class, if there is one: the first test of a class
/// reports what happens before the class. `own` is the result of the same test in the run with all tests.
fn move_class_start(tests: &IdSlice<TestId, Test>, copies: &mut [Finished], result: &mut Finished, own: &Finished) {
    let class = |result: &Finished| tests.get(result.number).map(Test::top_level_class);
    if let Some(copy) = copies.iter_mut().find(|copy| class(copy) == class(result)) {
        copy.torn_down = std::mem::replace(&mut result.torn_down, own.torn_down.clone());
        copy.set_up = std::mem::replace(&mut result.set_up, own.set_up.clone());
    }
}

/// Whether the same happened, except for times and loaded classes.
pub(crate) fn is_same_result(left: &Finished, right: &Finished) -> bool {
    // Whether the end of another class is reported here depends on the class that ran before.
    let torn_down = |result: &Finished| result.torn_down.clone().filter(|methods| !methods.is_empty());
    let comparable = |result: &Finished| Finished {
        number: TestId(0),
        nanoseconds: 0,
        cpu_nanoseconds: 0,
        classes: 0,
        torn_down: torn_down(result),
        ..result.clone()
    };
    comparable(left) == comparable(right)
}

/// Methods entered before a test, after the test before it; sorted.
pub(crate) fn entered_before(result: &Finished) -> Vec<MethodId> {
    let own = if result.of_class { &result.entered } else { &result.set_up };
    let all: BTreeSet<MethodId> = result.torn_down.iter().flatten().chain(own).copied().collect();
    all.into_iter().collect()
}

/// Copies what was entered before `from` to `to`, as far as `is_wanted` accepts the method.
pub(crate) fn copy_entered_before(from: &Finished, to: &mut Finished, is_wanted: impl Fn(MethodId) -> bool) {
    let wanted = |methods: &Vec<MethodId>| {
        methods.iter().copied().filter(|method| is_wanted(*method)).collect::<Vec<MethodId>>()
    };
    to.torn_down = from.torn_down.as_ref().map(wanted);
    let own = wanted(if from.of_class { &from.entered } else { &from.set_up });
    *(if to.of_class { &mut to.entered } else { &mut to.set_up }) = own;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::test_data::{tests, took};

    fn first() -> Vec<Finished> {
        vec![took(0, 1), took(1, 1_000_000_000), took(2, 1), took(3, 1)]
    }

    fn filled(first: Vec<Finished>, part: Vec<Finished>, missing: u32) -> Option<Vec<Finished>> {
        let first = RunLog { finished: first, entered_after: Vec::new() };
        let part = RunLog { finished: part, entered_after: Vec::new() };
        first.fill_in(&tests(), part, &BTreeSet::from([TestId(missing)])).map(|log| log.finished)
    }

    fn set_up(finished: Option<Vec<Finished>>) -> Vec<Vec<u32>> {
        finished.into_iter().flatten().map(|result| result.set_up.iter().map(|method| method.0).collect()).collect()
    }

    #[test]
    fn copies_get_the_places_of_their_tests() {
        let first = RunLog { finished: first(), entered_after: vec![MethodId(9)] };
        let part = RunLog { finished: vec![took(0, 1), took(2, 1), took(3, 1)], entered_after: vec![MethodId(8)] };
        let whole = first.fill_in(&tests(), part, &BTreeSet::from([TestId(1)]));
        assert_eq!(whole, Some(RunLog { finished: first.finished, entered_after: vec![MethodId(8)] }));
    }

    #[test]
    fn a_copy_that_is_the_first_of_its_class_reports_what_happens_before_the_class() {
        let mut first = first();
        first[0].set_up = vec![MethodId(7), MethodId(6)];
        let part = vec![Finished { set_up: vec![MethodId(7)], ..first[1].clone() }, took(2, 1), took(3, 1)];
        assert_eq!(set_up(filled(first, part, 0)), [vec![7], vec![], vec![], vec![]]);
    }

    #[test]
    fn a_copy_that_is_the_last_of_its_class_does_not_report_what_happens_after_the_class() {
        let mut first = first();
        first[3].set_up = vec![MethodId(7)];
        let part = vec![took(0, 1), first[1].clone(), first[3].clone()];
        assert_eq!(set_up(filled(first, part, 2)), [vec![], vec![], vec![], vec![7]]);
    }

    #[test]
    fn a_copy_has_no_place_without_the_test_before_it() {
        assert_eq!(filled(first(), vec![took(2, 1), took(3, 1)], 1), None);
    }
}

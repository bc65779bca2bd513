//! The runs of a recipe's tests in the form that the next analysis reads: small, and quick to read.

use super::coverage::Test;
use super::run_log::RunLog;
use crate::base::id::{IdVec, MethodId, RecipeId, TestId};
use crate::jvm::protocol::{Finished, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The three runs of the tests of one recipe: from a clean start, again in the same class loader, and from another
/// clean start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "WrittenRuns", from = "WrittenRuns")]
pub struct RecordedRuns {
    /// By the numbers that the logs use.
    pub(crate) tests: IdVec<TestId, Test>,
    pub(crate) logs: [RunLog; 3],
    /// How many of the tests were found before any test ran.
    pub(crate) found: usize,
    /// Tests that ran only in the first run, by their numbers. The other logs have copies of these results.
    pub(crate) run_once: BTreeSet<TestId>,
    /// Tests that pass alone, but fail while another JVM runs them too.
    pub(crate) competing: BTreeSet<TestId>,
    /// Test classes whose results depend on which other tests ran before them.
    pub(crate) order_dependent: OrderDependentClasses,
}

/// Results of test classes when other tests were skipped, by top-level class.
pub(crate) type OrderDependentClasses = BTreeMap<String, Vec<IdentifiedResult>>;

/// A result with the engine's identifier of its test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentifiedResult {
    pub(crate) id: String,
    pub(crate) result: Finished,
}

/// The written form. Most tests enter the same methods in each run, and many enter the same methods as other tests, so
/// each list is written once.
#[derive(Serialize, Deserialize)]
struct WrittenRuns {
    tests: Vec<(String, String, String, RecipeId)>,
    lists: Vec<Vec<MethodId>>,
    runs: [(Vec<Row>, usize); 3],
    found: usize,
    run_once: BTreeSet<TestId>,
    competing: BTreeSet<TestId>,
    order_dependent: BTreeMap<String, Vec<(String, Row)>>,
}

/// A result: number, outcome, whether it is of the class and whether it disturbs, wall and CPU time, exception, message,
/// indexes of the lists of tear-down, set-up and the test itself. The number of loaded classes is not needed later.
#[derive(Serialize, Deserialize)]
struct Row(TestId, Outcome, (bool, bool), u64, u64, String, String, Option<usize>, usize, usize);

impl Row {
    fn new(result: Finished, lists: &mut Lists) -> Self {
        let flags = (result.of_class, result.disturbs);
        let torn_down = result.torn_down.map(|methods| lists.index_of(methods));
        let set_up = lists.index_of(result.set_up);
        let entered = lists.index_of(result.entered);
        let (wall, cpu) = (result.nanoseconds, result.cpu_nanoseconds);
        Self(
            result.number,
            result.outcome,
            flags,
            wall,
            cpu,
            result.exception,
            result.message,
            torn_down,
            set_up,
            entered,
        )
    }

    fn into_result(self, lists: &[Vec<MethodId>]) -> Finished {
        let list = |index: usize| lists.get(index).cloned().unwrap_or_default();
        let Self(number, outcome, (of_class, disturbs), wall, cpu, exception, message, torn_down, set_up, entered) =
            self;
        Finished {
            number,
            outcome,
            of_class,
            nanoseconds: wall,
            cpu_nanoseconds: cpu,
            classes: 0,
            exception,
            message,
            torn_down: torn_down.map(list),
            set_up: list(set_up),
            entered: list(entered),
            disturbs,
        }
    }
}

/// Lists of methods, each once.
#[derive(Default)]
struct Lists {
    lists: Vec<Vec<MethodId>>,
    indexes: HashMap<Vec<MethodId>, usize>,
}

impl Lists {
    fn index_of(&mut self, list: Vec<MethodId>) -> usize {
        *self.indexes.entry(list).or_insert_with_key(|list| {
            self.lists.push(list.clone());
            self.lists.len() - 1
        })
    }
}

impl From<RecordedRuns> for WrittenRuns {
    fn from(runs: RecordedRuns) -> Self {
        let mut lists = Lists::default();
        let logs = runs.logs.map(|RunLog { finished, entered_after }| {
            let rows = finished.into_iter().map(|result| Row::new(result, &mut lists)).collect();
            (rows, lists.index_of(entered_after))
        });
        let mut order_dependent = BTreeMap::new();
        for (class, results) in runs.order_dependent {
            let rows = results.into_iter().map(|entry| (entry.id, Row::new(entry.result, &mut lists))).collect();
            order_dependent.insert(class, rows);
        }
        Self {
            tests: runs.tests.into_iter().map(|test| (test.id, test.name, test.class, test.recipe)).collect(),
            lists: lists.lists,
            runs: logs,
            found: runs.found,
            run_once: runs.run_once,
            competing: runs.competing,
            order_dependent,
        }
    }
}

impl From<WrittenRuns> for RecordedRuns {
    fn from(written: WrittenRuns) -> Self {
        let lists = written.lists;
        let logs = written.runs.map(|(rows, entered_after)| RunLog {
            finished: rows.into_iter().map(|row| row.into_result(&lists)).collect(),
            entered_after: lists.get(entered_after).cloned().unwrap_or_default(),
        });
        let mut order_dependent = BTreeMap::new();
        for (class, rows) in written.order_dependent {
            let entry = |(id, row): (String, Row)| IdentifiedResult { id, result: row.into_result(&lists) };
            order_dependent.insert(class, rows.into_iter().map(entry).collect());
        }
        let test = |(id, name, class, recipe)| Test { id, name, class, recipe };
        Self {
            tests: written.tests.into_iter().map(test).collect(),
            logs,
            found: written.found,
            run_once: written.run_once,
            competing: written.competing,
            order_dependent,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn recorded_runs_are_read_unchanged_and_have_each_list_once() {
        let finished = |number: u32, set_up: &[u32], entered: &[u32]| Finished {
            number: TestId(number),
            outcome: Outcome::Failed,
            of_class: number == 1,
            nanoseconds: 3,
            cpu_nanoseconds: 4,
            classes: 0,
            exception: "java.lang.AssertionError".into(),
            message: "expected".into(),
            torn_down: (number == 1).then(|| vec![MethodId(71_000), MethodId(5)]),
            set_up: set_up.iter().copied().map(MethodId).collect(),
            entered: entered.iter().copied().map(MethodId).collect(),
            disturbs: number == 0,
        };
        let log = RunLog {
            finished: vec![finished(0, &[], &[71_000, 5]), finished(1, &[5], &[71_000, 5])],
            entered_after: vec![MethodId(5)],
        };
        let test = |name: &str| Test { id: name.into(), name: name.into(), class: "ATest".into(), recipe: RecipeId(0) };
        let runs = RecordedRuns {
            tests: vec![test("one"), test("two")].into(),
            logs: [log.clone(), RunLog::default(), log],
            found: 1,
            run_once: BTreeSet::from([TestId(1)]),
            competing: BTreeSet::from([TestId(0)]),
            order_dependent: BTreeMap::from([(
                "ATest".into(),
                vec![IdentifiedResult { id: "two".into(), result: finished(1, &[], &[71_000, 5]) }],
            )]),
        };
        let text = serde_json::to_string(&runs).unwrap();
        assert_eq!(text.matches("71000").count(), 1, "{text}");
        assert_eq!(serde_json::from_str::<RecordedRuns>(&text).unwrap(), runs);
    }
}

//! From what one run of tests told, event by event, to a form that is kept: small, and quick to read.

use super::strays::Strays;
use super::twice::Ran;
use super::{Outcomes, Test};
use crate::base::id::RecipeId;
use crate::jvm::protocol::{Finished, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One run that came to its end by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// In the order in which it was told.
    pub finished: Vec<Finished>,
    /// Methods entered behind the last test.
    pub rest: Vec<u32>,
}

impl Run {
    /// With what the same JVM told in a run of other classes behind this one.
    fn then(mut self, mut next: Self) -> Self {
        match next.finished.first_mut() {
            Some(first) if !self.finished.is_empty() => {
                // A class has come to its end.
                first.torn_down = Some(self.rest);
                self.finished.extend(next.finished);
                Self { finished: self.finished, rest: next.rest }
            }
            Some(_) => next,
            None => self,
        }
    }
}

/// What runs of different classes, one behind the other, told as one.
pub(super) fn joined(parts: impl IntoIterator<Item = Ran>) -> Ran {
    let nothing = (Outcomes::new(), Some(Run::default()));
    parts.into_iter().fold(nothing, |(mut outcomes, told), (more, next)| {
        outcomes.extend(more);
        (outcomes, told.zip(next).map(|(told, next)| told.then(next)))
    })
}

/// The three runs of the tests of one recipe: from a clean start, again in the same class loader, and from another clean start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Form", from = "Form")]
pub struct Runs {
    /// By the numbers that the runs have for them.
    pub tests: Vec<Test>,
    pub runs: [Run; 3],
    /// So many of the tests were found before any ran.
    pub found: usize,
    /// Tests that ran only from the first clean start, by their numbers: the other runs have copies of that.
    pub spared: BTreeSet<u32>,
    /// Tests that pass alone, and not while another JVM runs them, too.
    pub contended: BTreeSet<u32>,
    /// What is known of classes that do otherwise while others rest.
    pub strays: Strays,
}

/// As it is written: most tests enter the same methods in each run, and many the same as others, so each list is there once.
#[derive(Serialize, Deserialize)]
struct Form {
    tests: Vec<(String, String, String, RecipeId)>,
    lists: Vec<Vec<u32>>,
    runs: [(Vec<Row>, usize); 3],
    found: usize,
    spared: BTreeSet<u32>,
    contended: BTreeSet<u32>,
    strays: BTreeMap<String, Vec<(String, Row)>>,
}

/// Number, outcome, whether it is of the class and disturbs, wall and CPU time, exception, message, numbers of the lists of tear-down, set-up and the test.
/// What it loaded is of no use later.
#[derive(Serialize, Deserialize)]
struct Row(u32, Outcome, (bool, bool), u64, u64, String, String, Option<usize>, usize, usize);

impl Row {
    /// `number` is that of a list.
    fn of(one: Finished, mut number: impl FnMut(Vec<u32>) -> usize) -> Self {
        let (wall, cpu, is) = (one.nanoseconds, one.cpu_nanoseconds, (one.of_class, one.disturbs));
        let (torn_down, set_up) = (one.torn_down.map(&mut number), number(one.set_up));
        let entered = number(one.entered);
        Self(one.number, one.outcome, is, wall, cpu, one.exception, one.message, torn_down, set_up, entered)
    }
}

impl From<Runs> for Form {
    fn from(Runs { tests, runs, found, spared, contended, strays }: Runs) -> Self {
        let mut lists = Vec::new();
        let mut numbers: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut number = |list: Vec<u32>| {
            *numbers.entry(list).or_insert_with_key(|list| {
                lists.push(list.clone());
                lists.len() - 1
            })
        };
        let runs = runs.map(|Run { finished, rest }| {
            let rows = finished.into_iter().map(|one| Row::of(one, &mut number)).collect();
            (rows, number(rest))
        });
        let strays = strays.into_iter().map(|(class, told)| {
            let rows = told.into_iter().map(|(id, one)| (id, Row::of(one, &mut number))).collect();
            (class, rows)
        });
        let strays = strays.collect();
        let tests = tests.into_iter().map(|test| (test.id, test.name, test.class, test.recipe)).collect();
        Self { tests, lists, runs, found, spared, contended, strays }
    }
}

impl From<Form> for Runs {
    fn from(Form { tests, lists, runs, found, spared, contended, strays }: Form) -> Self {
        let list = |number: usize| lists.get(number).cloned().unwrap_or_default();
        let finished =
            |Row(number, outcome, (of_class, disturbs), wall, cpu, exception, message, torn_down, set_up, entered)| {
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
            };
        let runs =
            runs.map(|(rows, rest)| Run { finished: rows.into_iter().map(finished).collect(), rest: list(rest) });
        let test = |(id, name, class, recipe)| Test { id, name, class, recipe };
        let told = |(id, row): (String, Row)| (id, finished(row));
        let strays = strays.into_iter().map(|(class, rows)| (class, rows.into_iter().map(told).collect())).collect();
        Self { tests: tests.into_iter().map(test).collect(), runs, found, spared, contended, strays }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::again::outcomes;
    use super::*;

    #[test]
    fn runs_of_one_class_after_the_other_tell_what_one_run_does() {
        let ran = |number: u32, rest: &[u32]| {
            let run = Run { finished: vec![Finished::passed(number, &[number])], rest: rest.to_vec() };
            (outcomes(&run), Some(run))
        };
        let nothing = || (Outcomes::new(), Some(Run::default()));
        let (outcomes, told) = joined([ran(3, &[7]), nothing(), ran(4, &[8])]);
        assert_eq!(outcomes.keys().copied().collect::<Vec<usize>>(), [3, 4]);
        let behind = Finished { torn_down: Some(vec![7]), ..Finished::passed(4, &[4]) };
        assert_eq!(told, Some(Run { finished: vec![Finished::passed(3, &[3]), behind], rest: vec![8] }));
        assert_eq!(joined([nothing(), ran(3, &[7])]), ran(3, &[7]), "nothing has come to its end ahead of it");
        assert_eq!(joined([ran(3, &[7]), (Outcomes::new(), None)]).1, None);
    }

    #[test]
    fn what_is_kept_is_read_as_it_was_and_has_each_list_once() {
        let finished = |number: u32, set_up: &[u32], entered: &[u32]| Finished {
            number,
            outcome: Outcome::Failed,
            of_class: number == 1,
            nanoseconds: 3,
            cpu_nanoseconds: 4,
            classes: 0,
            exception: "java.lang.AssertionError".into(),
            message: "expected".into(),
            torn_down: (number == 1).then(|| vec![71_000, 5]),
            set_up: set_up.to_vec(),
            entered: entered.to_vec(),
            disturbs: number == 0,
        };
        let run =
            Run { finished: vec![finished(0, &[], &[71_000, 5]), finished(1, &[5], &[71_000, 5])], rest: vec![5] };
        let test = |name: &str| Test { id: name.into(), name: name.into(), class: "ATest".into(), recipe: RecipeId(0) };
        let runs = Runs {
            tests: vec![test("one"), test("two")],
            runs: [run.clone(), Run::default(), run],
            found: 1,
            spared: BTreeSet::from([1]),
            contended: BTreeSet::from([0]),
            strays: BTreeMap::from([("ATest".into(), vec![("two".into(), finished(1, &[], &[71_000, 5]))])]),
        };
        let text = serde_json::to_string(&runs).unwrap();
        assert_eq!(text.matches("71000").count(), 1, "{text}");
        assert_eq!(serde_json::from_str::<Runs>(&text).unwrap(), runs);
    }
}

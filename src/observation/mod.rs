//! What a worker records while tests run: keys, properties, states, stacks. Plain data, shared by worker and stages.

mod keyed;
pub mod noise;
mod pool;

pub use keyed::{KeyLists, Keyed};
pub use pool::{Packed, Packing, Pool};

use crate::base::id::{ExpressionId, MethodId};
use pool::count;
use serde::{Deserialize, Serialize};

/// Where a state was read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// Right after an invocation of the method.
    Method(MethodId),
    /// Value of an expression of the tests.
    Expression(ExpressionId),
}

/// Name of the thread, digits as `#`; empty for the one that runs the test. Keys are compared by the million, and as good as all are of that one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thread(Option<Box<str>>);

impl Thread {
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl From<&str> for Thread {
    fn from(name: &str) -> Self {
        Self((!name.is_empty()).then(|| name.into()))
    }
}

/// One observation: the same key on both sides is "the same invocation of the same test".
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Index into `Coverage::tests`.
    pub test: u32,
    pub site: Site,
    pub thread: Thread,
    /// 1 for the first time within test, site and thread. In order of entry.
    pub occurrence: u32,
}

/// Which part of a state a property belongs to. `Expression` is the value of a test's expression, `Exception` also an exception seen in a test.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Receiver,
    Argument(u16),
    Result,
    Exception,
    Expression,
    /// A static field of the declaring class.
    Static,
}

/// One observed atom.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Property {
    pub part: Part,
    /// Empty for the value itself; else `.field`, `.size`, `.length`, `.message`, `.items.size`, `.items[0]` …
    pub path: String,
    /// Java type of the atom for people: `int`, `java.lang.String`, for a reference its run-time class.
    pub type_name: String,
    /// The value as Java source where there is one (`3`, `"a\n"`, `null`, `'c'`, `1.5`, `Color.RED`), else `non-null`.
    pub value: String,
    /// True for what goes beyond the paper's state (deeper than one level, contents of collections, statics): the symptom is not decided on it.
    pub deep: bool,
}

/// The value of a text that was too long to be kept: its beginning, and `… (8025 characters, hash 5ae1e1854832ade4)`.
#[must_use]
pub fn cut_when_read(value: &str) -> Option<(&str, &str)> {
    let (start, rest) = value.split_at(value.rfind("… (")?);
    (rest.ends_with(')') && rest.contains(" characters, hash ")).then_some((start, rest))
}

/// So many observations of one site in one test and thread are digested apart from those that follow, and recorded where they are not the same: what
/// varies in all of a thousand varies in the next nine thousand, too. `reneri.rt.Probe` has the same number.
pub const FIRST_OCCURRENCES: u32 = 1_000;

/// Observations of one site in one test and thread in a few bytes: equal digests, equal states in the same order.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest {
    pub test: u32,
    pub site: Site,
    pub thread: Thread,
    /// Of those beyond [`FIRST_OCCURRENCES`], or of those up to it.
    pub late: bool,
    /// They are of exceptions that reached the place, and not of values.
    pub thrown: bool,
    /// How many observations.
    pub count: u32,
    /// Of their states, in order of occurrence; the same in every process of the same binary.
    pub hash: u64,
}

/// What one run of a list of tests recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Recording {
    pub states: Pool,
    pub observations: Keyed,
    /// The same for what was to be digested only: the first observations of the run, as far as they were asked for.
    pub samples: Keyed,
    /// Stacks at the end of method invocations, innermost (the method itself) first: index into `stacks` by index into `observations`.
    /// Recorded in some runs only.
    pub stacks: Vec<Vec<Frame>>,
    /// Sorted.
    pub stack_of: Vec<(u32, u32)>,
    /// Observations that were not recorded because a site was hit too often: key of the first one left out, and how many.
    pub cut: Vec<(Key, u64)>,
    /// The tests that did not pass in this run (index into `Coverage::tests`, reason).
    pub failed: Vec<(u32, String)>,
    /// Of the sites that were to be digested only; sorted.
    pub digests: Vec<Digest>,
}

impl Recording {
    /// Moves the numbers of expressions up by `first`: probes count from 0 in each recipe's tests, reports over all of them.
    pub fn renumber_expressions(&mut self, first: ExpressionId) {
        if first == ExpressionId(0) {
            return;
        }
        let keys = self.observations.keys_mut().iter_mut().chain(self.samples.keys_mut());
        let sites = keys.chain(self.cut.iter_mut().map(|(key, _)| key)).map(|key| &mut key.site);
        for site in sites.chain(self.digests.iter_mut().map(|digest| &mut digest.site)) {
            if let Site::Expression(expression) = site {
                *expression = ExpressionId(first.0 + expression.0);
            }
        }
    }

    /// Keeps lists of keys that are known once.
    pub fn share_keys(&mut self, known: &KeyLists) {
        known.share(&mut self.observations);
        known.share(&mut self.samples);
    }

    /// Adds a recording of other tests.
    pub fn add(&mut self, other: Self) {
        let (states, stacks, before) = (self.states.count(), count(self.stacks.len()), self.observations.len());
        self.states.append(other.states);
        let places = self.observations.add(&other.observations, states);
        self.samples.add(&other.samples, states);
        self.stacks.extend(other.stacks);
        let others = other.stack_of.into_iter().map(|(at, stack)| (before + at as usize, stacks + stack));
        let all = self.stack_of.drain(..).map(|(at, stack)| (at as usize, stack)).chain(others);
        let mut stack_of: Vec<(u32, u32)> = all.filter_map(|(at, stack)| Some((*places.get(at)?, stack))).collect();
        stack_of.sort_unstable();
        self.stack_of = stack_of;
        self.cut.extend(other.cut);
        self.cut.sort();
        self.failed.extend(other.failed);
        self.failed.sort();
        self.digests.extend(other.digests);
        self.digests.sort();
    }
}

/// One frame of a stack, from the test to the method.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    /// Binary name.
    pub class: String,
    pub method: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn recording(test: u32, site: Site, value: &str) -> Recording {
        let property = Property {
            part: Part::Result,
            path: String::new(),
            type_name: "int".into(),
            value: value.into(),
            deep: false,
        };
        let mut states = Packing::default();
        states.push(&[property]);
        let key = Key { test, site, thread: Thread::default(), occurrence: 1 };
        let frame = Frame { class: value.into(), method: "m".into(), file: None, line: None };
        Recording {
            states: states.take(),
            observations: Keyed::from_iter([(key, 0)]),
            stacks: vec![vec![frame]],
            stack_of: vec![(0, 0)],
            ..Recording::default()
        }
    }

    #[test]
    fn an_added_recording_keeps_its_states_and_stacks() {
        let mut all = recording(0, Site::Method(MethodId(3)), "1");
        let mut second = recording(7, Site::Expression(ExpressionId(2)), "5");
        second.renumber_expressions(ExpressionId(10));
        all.add(second);
        let (key, state) = all.observations.iter().nth(1).unwrap();
        assert_eq!((key.test, key.site), (7, Site::Expression(ExpressionId(12))));
        let values: Vec<_> = all.states.state(state).map(|property| (property.type_name, property.value)).collect();
        assert_eq!(values, [("int".to_owned(), "5".to_owned())]);
        assert_eq!(all.stack_of, [(0, 0), (1, 1)]);
        assert_eq!(all.stacks[1][0].class, "5");
    }

    #[test]
    fn a_recording_of_tests_before_the_own_ones_goes_before_them() {
        let mut all = recording(4, Site::Method(MethodId(3)), "own");
        all.failed = vec![(4, "own".into())];
        let mut other = recording(2, Site::Method(MethodId(3)), "before");
        other.add(recording(6, Site::Method(MethodId(3)), "behind"));
        other.failed = vec![(2, "before".into())];
        all.add(other);
        let values: Vec<(u32, String, String)> = (0..)
            .zip(all.observations.iter())
            .map(|(at, (key, state))| {
                let stack = all.stack_of.iter().find(|(own, _)| *own == at).unwrap().1 as usize;
                let value = all.states.state(state).next().unwrap().value;
                (key.test, value, all.stacks[stack][0].class.clone())
            })
            .collect();
        let expected = [(2, "before"), (4, "own"), (6, "behind")];
        assert_eq!(values, expected.map(|(test, value)| (test, value.to_owned(), value.to_owned())));
        assert_eq!(all.failed, [(2, "before".into()), (4, "own".into())]);
    }
}

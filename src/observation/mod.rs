//! The data that a worker records while tests run: keys, properties, states, stacks. Worker and
//! stages share it; it has no behaviour beyond that of collections.

mod cut_text;
mod keyed;
pub mod kinds;
pub mod noise;
mod pool;

pub use cut_text::CutText;
pub use keyed::{KeyLists, Keyed};
pub use pool::{Packed, Packing, Pool};

use crate::base::id::{ExpressionId, MethodId, TestId};
use pool::count;
use serde::{Deserialize, Serialize};

/// The place at which a state was read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// The end of an invocation of the method.
    Method(MethodId),
    /// Value of an expression of the tests.
    Expression(ExpressionId),
}

/// The name of a thread, with digits as `#`; empty for the thread that runs the test. Nearly all
/// keys have that one, and millions of them are compared, so it takes no memory.
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

/// The identity of an observation. The same key on both sides means "the same occurrence in the
/// same test".
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The index in `Coverage::tests`.
    pub test: TestId,
    pub site: Site,
    pub thread: Thread,
    /// The number of the occurrence in test, site and thread, from 1, in order of entry.
    pub occurrence: u32,
}

/// The part of a state to which a property belongs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Receiver,
    Argument(u16),
    Result,
    /// An exception that leaves the method, or an exception in a test.
    Exception,
    /// The value of a test's expression.
    Expression,
    /// A static field of the declaring class.
    Static,
}

/// The last step of a path to the value of an object as a whole, as Java source. It is beside the
/// property of the object itself, which says whether there is one.
pub const WHOLE: &str = "=";
/// The last step of a path to the digest of everything in an object that is not read in full.
pub const DIGEST: &str = "#";
/// The last step of a path to the order of a set or map.
pub const ORDER: &str = "#order";

/// The last step of a path to the mark of an object that the observer does not see in full.
pub const NOT_SEEN: &str = "?";

/// An observed atomic value.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Property {
    pub part: Part,
    /// The path from the part to the value: empty for the part itself, `.field`, `.size`,
    /// `.length`, `.message`, `.items.size`, `.items[0]` …
    pub path: String,
    /// The Java type for people: `int`, `java.lang.String`; for a reference, its run-time class.
    pub type_name: String,
    /// The value as Java source if possible (`3`, `"a\n"`, `null`, `'c'`, `1.5`, `Color.RED`). A
    /// string that is too long for that is a [`CutText`]; any other value is `non-null`.
    pub value: String,
    /// Whether it is beyond the paper's state: deeper than one level, contents of a collection, or
    /// static. Such properties do not decide the symptom.
    pub deep: bool,
}

/// Whether objects of this class (binary name) are texts that grow. Their size is a `length()`.
#[must_use]
pub fn is_text_builder(class: &str) -> bool {
    matches!(class, "java.lang.StringBuilder" | "java.lang.StringBuffer")
}

/// Whether a path is one call of a method: `.get("k")`.
#[must_use]
pub fn is_call(path: &str) -> bool {
    let Some((name, arguments)) = path.strip_prefix('.').and_then(|path| path.split_once('(')) else { return false };
    // A further step would come after a closing bracket.
    let is_last = ["().", "\").", ").", ")["].iter().all(|end| !arguments.contains(end));
    !name.is_empty() && name.chars().all(char::is_alphanumeric) && arguments.ends_with(')') && is_last
}

/// The number of first observations of one site in one test and thread. They have a digest of their
/// own, and only they are recorded if they differ: what varies in all of a thousand observations
/// also varies in the next nine thousand. `reneri.rt.Probe` has the same number.
pub const FIRST_OCCURRENCES: u32 = 1_000;

/// A digest of the observations of one site in one test and thread. Equal digests mean equal states
/// in the same order.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest {
    pub test: TestId,
    pub site: Site,
    pub thread: Thread,
    /// Whether it covers the observations after the first [`FIRST_OCCURRENCES`].
    pub late: bool,
    /// Whether it covers exceptions that reached an expression, and not values.
    pub thrown: bool,
    /// The number of observations.
    pub count: u32,
    /// The hash of their states in order of occurrence; the same in every process of the same
    /// binary.
    pub hash: u64,
}

/// The recording of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Recording {
    pub states: Pool,
    pub observations: Keyed,
    /// The first observations of digested sites, as many as were asked for.
    pub samples: Keyed,
    /// Stacks at the end of method invocations, innermost frame (the method itself) first. Only
    /// some runs record them.
    pub stacks: Vec<Vec<Frame>>,
    /// Indexes of observations with a stack, each with its index in `stacks`; sorted.
    pub stack_of: Vec<(u32, u32)>,
    /// Sites that were reached too often: the key of the first observation, and the number of
    /// observations left out. Also duplicate keys, with their counts.
    pub cut: Vec<(Key, u64)>,
    /// The tests that failed in this run: index in `Coverage::tests`, and reason.
    pub failed: Vec<(TestId, String)>,
    /// Digests of digested sites; sorted.
    pub digests: Vec<Digest>,
}

impl Recording {
    /// Adds `first` to the numbers of expressions. Probes are numbered from 0 in the tests of each
    /// recipe; in reports, the numbers continue over all recipes.
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

    /// Shares lists of keys with other recordings.
    pub fn share_keys(&mut self, known: &KeyLists) {
        known.share(&mut self.observations);
        known.share(&mut self.samples);
    }

    /// Adds a recording of other tests.
    pub fn add(&mut self, other: Self) {
        let (states, stacks) = (self.states.count(), count(self.stacks.len()));
        let own_observations = self.observations.len();
        self.states.append(other.states);
        let new_indexes = self.observations.add(&other.observations, states);
        self.samples.add(&other.samples, states);
        self.stacks.extend(other.stacks);
        let mut stack_of = Vec::with_capacity(self.stack_of.len() + other.stack_of.len());
        for (observation, stack) in self.stack_of.drain(..) {
            stack_of.extend(new_indexes.get(observation as usize).map(|index| (*index, stack)));
        }
        for (observation, stack) in other.stack_of {
            let index = new_indexes.get(own_observations + observation as usize);
            stack_of.extend(index.map(|index| (*index, stacks + stack)));
        }
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

/// A frame of a stack.
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
        let key = Key { test: TestId(test), site, thread: Thread::default(), occurrence: 1 };
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
        assert_eq!((key.test, key.site), (TestId(7), Site::Expression(ExpressionId(12))));
        let values: Vec<_> = all.states.state(state).map(|property| (property.type_name, property.value)).collect();
        assert_eq!(values, [("int".to_owned(), "5".to_owned())]);
        assert_eq!(all.stack_of, [(0, 0), (1, 1)]);
        assert_eq!(all.stacks[1][0].class, "5");
    }

    #[test]
    fn recordings_are_merged_in_the_order_of_tests() {
        let mut all = recording(4, Site::Method(MethodId(3)), "own");
        all.failed = vec![(TestId(4), "own".into())];
        let mut other = recording(2, Site::Method(MethodId(3)), "before");
        other.add(recording(6, Site::Method(MethodId(3)), "behind"));
        other.failed = vec![(TestId(2), "before".into())];
        all.add(other);
        let values: Vec<(u32, String, String)> = (0..)
            .zip(all.observations.iter())
            .map(|(at, (key, state))| {
                let stack = all.stack_of.iter().find(|(own, _)| *own == at).unwrap().1 as usize;
                let value = all.states.state(state).next().unwrap().value;
                (key.test.0, value, all.stacks[stack][0].class.clone())
            })
            .collect();
        let expected = [(2, "before"), (4, "own"), (6, "behind")];
        assert_eq!(values, expected.map(|(test, value)| (test, value.to_owned(), value.to_owned())));
        assert_eq!(all.failed, [(TestId(2), "before".into()), (TestId(4), "own".into())]);
    }
}

//! Finds the tests that use what a method sets up only once for all tests: in a static initialiser, a lazy field, a cache.
//! Only the first test that needs it enters the method, and which test that is depends on their order.

use super::coverage::Coverage;
use crate::base::id::{MethodId, TestId};
use crate::classfile::names::Member;
use crate::classfile::outlines::Outlines;
use crate::transform::{Method, Transformations};
use std::collections::{BTreeMap, BTreeSet};

/// Most tests that are named for one method.
const TESTS: usize = 2000;

/// The tests that use what such a method sets up, by method; in order.
///
/// Upwards from the method, the first callers that tests enter each time use what it returns. In place of a static
/// initialiser, every method of its class does, and so does every method of the method's own class.
#[must_use]
pub fn users_of_shared_state(
    program: &Outlines,
    transformations: &Transformations,
    coverage: &Coverage,
) -> BTreeMap<MethodId, Vec<TestId>> {
    let search = Search::new(program, transformations, coverage);
    let tests_of = |method: &MethodId| {
        let users = search.users(transformations.methods.get(*method)?);
        let tests = users.iter().filter_map(|user| coverage.covering.get(*user)).flatten().copied();
        let tests: BTreeSet<TestId> = tests.collect();
        Some((*method, tests.into_iter().take(TESTS).collect()))
    };
    coverage.clean_start_methods.iter().filter_map(tests_of).collect()
}

/// The program, in the form in which the search for users needs it.
struct Search<'a> {
    program: &'a Outlines,
    /// Methods that run only once.
    once: BTreeSet<MethodId>,
    ids: BTreeMap<Member, MethodId>,
    by_class: BTreeMap<&'a str, BTreeSet<MethodId>>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Outlines, transformations: &'a Transformations, coverage: &Coverage) -> Self {
        let mut by_class: BTreeMap<&str, BTreeSet<MethodId>> = BTreeMap::new();
        for (id, method) in transformations.methods.iter_enumerated() {
            by_class.entry(&method.class).or_default().insert(id);
        }
        let ids = transformations.methods.iter_enumerated().map(|(id, method)| (member(method), id)).collect();
        Self { program, once: coverage.clean_start_methods.iter().copied().collect(), ids, by_class }
    }

    fn of_class(&self, class: &str) -> impl Iterator<Item = MethodId> {
        self.by_class.get(class).into_iter().flatten().copied()
    }

    /// The methods that use what this method sets up.
    fn users(&self, method: &Method) -> BTreeSet<MethodId> {
        let mut users: BTreeSet<MethodId> = self.of_class(&method.class).collect();
        let mut known = BTreeSet::from([member(method)]);
        let mut open = vec![member(method)];
        while let Some(callee) = open.pop() {
            for caller in self.program.direct_callers(&callee) {
                if !known.insert(caller.clone()) {
                    continue;
                }
                match self.ids.get(&caller).filter(|id| !self.once.contains(id)) {
                    Some(id) => {
                        users.insert(*id);
                    }
                    None if caller.name == "<clinit>" => users.extend(self.of_class(&caller.owner)),
                    None => open.push(caller),
                }
            }
        }
        users
    }
}

fn member(method: &Method) -> Member {
    Member { owner: method.class.clone(), name: method.name.clone(), descriptor: method.descriptor.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::{IdVec, ModuleId};
    use crate::classfile::outline::{Call, ClassOutline, MethodOutline, STATIC};

    /// A class or a method, by its name, and what it has or calls.
    type Named<'a, T> = (&'a str, &'a [T]);

    /// Classes with their methods, each with its calls.
    fn program(classes: &[Named<'_, Named<'_, (&str, &str)>>]) -> Outlines {
        let to = |(owner, name): &(&str, &str)| Call {
            to: Member { owner: (*owner).into(), name: (*name).into(), descriptor: "()V".into() },
            dispatched: false,
        };
        Outlines::new(classes.iter().map(|(name, methods)| {
            ClassOutline {
                name: (*name).into(),
                methods: methods
                    .iter()
                    .map(|(method, calls)| MethodOutline {
                        name: (*method).into(),
                        descriptor: "()V".into(),
                        access: STATIC,
                        calls: calls.iter().map(to).collect(),
                        ..MethodOutline::default()
                    })
                    .collect(),
                ..ClassOutline::default()
            }
        }))
    }

    #[test]
    fn users_are_the_tests_of_the_class_with_the_initialiser_and_of_the_first_caller_that_runs_each_time() {
        let program = program(&[
            ("Money", &[("<clinit>", &[("Registry", "fill")]), ("of", &[])]),
            ("Registry", &[("fill", &[("Registry", "add")]), ("add", &[])]),
            ("Lazy", &[("get", &[("Loader", "load")]), ("other", &[])]),
            ("Loader", &[("load", &[])]),
            ("Main", &[("main", &[("Lazy", "get")])]),
        ]);
        let names = [
            ("Money", "of"),
            ("Registry", "fill"),
            ("Registry", "add"),
            ("Lazy", "get"),
            ("Loader", "load"),
            ("Main", "main"),
            ("Lazy", "other"),
        ];
        let method = |(class, name): &(&str, &str)| Method {
            class: (*class).into(),
            name: (*name).into(),
            descriptor: "()V".into(),
            access: STATIC,
            source_file: None,
            line: None,
            module: ModuleId(0),
        };
        let methods: IdVec<MethodId, Method> = names.iter().map(method).collect();
        let transformations = Transformations { methods, ..Transformations::default() };
        let tests = |tests: &[u32]| tests.iter().copied().map(TestId).collect::<Vec<_>>();
        let covering = [&[0, 1, 2][..], &[0], &[0], &[3, 4], &[3], &[5], &[6]].map(tests);
        let clean_start_methods = [1, 2, 4].map(MethodId).to_vec();
        let coverage = Coverage { covering: covering.to_vec().into(), clean_start_methods, ..Coverage::default() };
        let users = users_of_shared_state(&program, &transformations, &coverage);
        let expected = [(1, tests(&[0, 1, 2])), (2, tests(&[0, 1, 2])), (4, tests(&[3, 4]))];
        assert_eq!(users, expected.map(|(method, tests)| (MethodId(method), tests)).into());
    }
}

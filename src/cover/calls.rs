//! Finds the tests that make calls of a kind, by themselves or in the methods that they enter.

use super::coverage::{Coverage, Test};
use crate::base::id::{IdSlice, IdVec, MethodId, RecipeId, TestId};
use crate::classfile::compiled_classes::read_folder;
use crate::classfile::names::Member;
use crate::classfile::outline::{self, ClassOutline, MethodOutline, SYNTHETIC};
use crate::classfile::outlines::Outlines;
use crate::recipe::{Build, Recipe};
use crate::transform::Transformations;
use std::collections::{BTreeMap, BTreeSet};

/// The classes of the tests of each recipe. What cannot be read is left out.
#[must_use]
pub fn test_outlines(build: &Build) -> IdVec<RecipeId, Outlines> {
    let of_recipe = |recipe: &Recipe| {
        let folder = read_folder(&recipe.test_classes).unwrap_or_default();
        Outlines::new(folder.classes.values().filter_map(|class| outline::of(&class.class).ok()))
    };
    build.recipes.iter().map(of_recipe).collect()
}

/// A question about each call that a test makes.
pub(super) type Question = fn(&Member) -> bool;

/// The tests of the build that make a call of this kind, by themselves or in a method of the project that they enter. In order.
pub(super) fn tests_that_call(
    kind: Question,
    tests: &IdSlice<RecipeId, Outlines>,
    program: &Outlines,
    transformations: &Transformations,
    coverage: &Coverage,
) -> Vec<TestId> {
    let mut found: BTreeSet<TestId> = BTreeSet::new();
    for method in methods_that_call(kind, program, transformations) {
        found.extend(coverage.covering.get(method).into_iter().flatten());
    }
    for (recipe, classes) in tests.iter_enumerated() {
        found.extend(own_tests_that_call(kind, classes, recipe, &coverage.tests));
    }
    found.into_iter().collect()
}

/// Methods of the project that make such a call. In a class whose constructor or lambdas do, all methods may.
fn methods_that_call(kind: Question, program: &Outlines, transformations: &Transformations) -> Vec<MethodId> {
    let calls = |method: &MethodOutline| makes_call(kind, method);
    let is_shared = |method: &&MethodOutline| method.name.starts_with('<') || method.access & SYNTHETIC != 0;
    let whole = |class: &&ClassOutline| class.methods.iter().filter(is_shared).any(calls);
    let whole: BTreeSet<&str> = program.classes().filter(whole).map(|class| class.name.as_str()).collect();
    let all = transformations.methods.iter_enumerated().filter(|(_, method)| {
        let own = || program.class(&method.class).and_then(|class| class.method(&method.name, &method.descriptor));
        whole.contains(method.class.as_str()) || own().is_some_and(calls)
    });
    all.map(|(id, _)| id).collect()
}

/// The tests of one recipe whose own code makes such a call.
fn own_tests_that_call(
    kind: Question,
    classes: &Outlines,
    recipe: RecipeId,
    tests: &IdSlice<TestId, Test>,
) -> Vec<TestId> {
    let called: BTreeSet<(&str, &str)> = classes
        .classes()
        .flat_map(|class| &class.methods)
        .flat_map(|method| &method.calls)
        .map(|call| (call.to.name.as_str(), call.to.descriptor.as_str()))
        .collect();
    let own: Vec<(TestId, &Test)> = tests.iter_enumerated().filter(|(_, test)| test.recipe == recipe).collect();
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, test) in &own {
        names.entry(&test.class).or_default().insert(method_name(test));
    }
    let depends = |test: &Test| {
        let is_test = |name: &str| names.get(test.class.as_str()).is_some_and(|names| names.contains(name));
        let has_method = classes
            .superclasses(&test.class)
            .any(|class| class.methods.iter().any(|method| method.name == method_name(test)));
        // Set-up is called by the engine, and by no other method.
        let is_start = |method: &MethodOutline| {
            !has_method
                || method.name == method_name(test)
                || method.name.starts_with('<')
                || !is_test(&method.name) && !called.contains(&(method.name.as_str(), method.descriptor.as_str()))
        };
        let mut start: Vec<Member> = Vec::new();
        for class in classes.superclasses(&test.class) {
            start.extend(class.methods.iter().filter(|method| is_start(method)).map(|method| class.member(method)));
        }
        reaches_call(kind, classes, start)
    };
    own.into_iter().filter(|(_, test)| depends(test)).map(|(id, _)| id).collect()
}

/// `pops` for `org.example.StackTest.pops(int)[2]`.
fn method_name(test: &Test) -> &str {
    test.method().rsplit('.').next().unwrap_or_default()
}

/// Whether one of these methods, or a method of the tests that they call, makes such a call.
fn reaches_call(kind: Question, classes: &Outlines, start: Vec<Member>) -> bool {
    let mut known: BTreeSet<Member> = start.iter().cloned().collect();
    let mut open = start;
    while let Some(member) = open.pop() {
        let mut declared = classes.superclasses(&member.owner);
        let Some(method) = declared.find_map(|class| class.method(&member.name, &member.descriptor)) else { continue };
        if makes_call(kind, method) {
            return true;
        }
        for call in &method.calls {
            // Its static initialiser runs as well.
            let of_class = Member { name: "<clinit>".into(), descriptor: "()V".into(), ..call.to.clone() };
            for next in [call.to.clone(), of_class] {
                if classes.class(&next.owner).is_some() && known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    false
}

fn makes_call(kind: Question, method: &MethodOutline) -> bool {
    method.calls.iter().any(|call| kind(&call.to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::outline::Call;

    fn member(owner: &str, name: &str, descriptor: &str) -> Member {
        Member { owner: owner.into(), name: name.into(), descriptor: descriptor.into() }
    }

    #[test]
    fn a_test_depends_on_the_set_up_and_the_helpers_that_it_uses_only() {
        let method = |name: &str, calls: &[Member]| MethodOutline {
            name: name.into(),
            descriptor: "()V".into(),
            calls: calls.iter().map(|to| Call { to: to.clone(), dispatched: false }).collect(),
            ..MethodOutline::default()
        };
        let helper = |name: &str| member("ATest", name, "()V");
        let random = member("java.lang.Math", "random", "()D");
        let is_random = |to: &Member| to.name == "random";
        let base = ClassOutline {
            name: "Base".into(),
            methods: vec![method("draw", std::slice::from_ref(&random)), method("plain", &[])],
            ..ClassOutline::default()
        };
        let class = |set_up: &[Member]| ClassOutline {
            name: "ATest".into(),
            super_name: Some("Base".into()),
            methods: vec![method("setUp", set_up), method("a", &[helper("draw")]), method("b", &[helper("plain")])],
            ..ClassOutline::default()
        };
        let test = |name: &str| Test {
            id: name.into(),
            name: format!("ATest.{name}()"),
            class: "ATest".into(),
            recipe: RecipeId(0),
        };
        let tests: IdVec<TestId, Test> = [test("a"), test("b")].into_iter().collect();
        let found = |set_up: &[Member]| {
            own_tests_that_call(is_random, &Outlines::new([base.clone(), class(set_up)]), RecipeId(0), &tests)
        };
        assert_eq!(found(&[]), [TestId(0)]);
        assert_eq!(found(std::slice::from_ref(&random)), [TestId(0), TestId(1)]);
    }
}

//! Observations with fake JVMs, which are killed and stopped at every event.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::first::First;
use super::group::Group;
use super::observers::Observers;
use super::order::observe;
use super::previous::{Found, Previous};
use super::recorded::{Recorded, key, property};
use super::series::{MACHINES, Post, Target};
use super::{Difference, Observed, Part, Recording};
use crate::base::error::Result;
use crate::base::id::{ExpressionId, GuardId, IdVec, MethodId, RecipeId, TestId, TransformationId};
use crate::cover::{Coverage, Test};
use crate::jvm::protocol::RunRequest;
use crate::run::Pool;
use crate::run::fake::{Act, FakeJvms, Fault, Project, disturb_everywhere};
use std::sync::Arc;

/// Two tests in which a method returns 1, and 2 with the transformation.
#[derive(Clone)]
struct Returning(Act);

impl Project for Returning {
    fn act(&self, transformation: Option<GuardId>, test: &str, _: bool) -> Act {
        if transformation.is_some() && test == "b" { self.0 } else { Act::Pass }
    }

    fn recording(&self, request: &RunRequest) -> Recording {
        let result = property(Part::Result, "", "int", if request.active.is_none() { "1" } else { "2" });
        let mut recorded = Recorded::default();
        for test in &request.tests {
            recorded = recorded.state(key(test.number.0, 0, 1), [result.clone()]);
        }
        recorded.done()
    }
}

/// An analysis without an earlier one.
struct Nothing;

impl Previous for Nothing {
    fn may_need_one_run(&self, _: &Target, _: &[TestId]) -> bool {
        false
    }

    fn is_known(&self, _: &Target, _: &[TestId], _: &First) -> bool {
        false
    }

    fn is_explained(&self, _: &Target) -> bool {
        false
    }

    fn is_confirmed(&self, _: &Target, _: &Observed, _: &[Difference]) -> bool {
        false
    }
}

fn observed(jvms: &FakeJvms, jobs: usize) -> Result<Vec<Option<Found>>> {
    let posts = IdVec::from_vec(vec![Post { launch: Arc::new(jvms.launch()), first_expression: ExpressionId(0) }]);
    let test = |id: &str| Test { id: id.into(), name: id.into(), class: "StackTest".into(), recipe: RecipeId(0) };
    let coverage = Coverage {
        tests: ["a", "b"].map(test).into_iter().collect(),
        nanoseconds: vec![0; 2].into(),
        ..Coverage::default()
    };
    let pool = Pool::new(MACHINES);
    let observers = Observers::new(&posts, &coverage, 3, jobs, &pool);
    let target = Target { transformation: Some(TransformationId(0)), method: Some(MethodId(0)) };
    let group = Group { tests: vec![TestId(0), TestId(1)], targets: vec![target], ..Group::default() };
    observe(&observers, &group, &|_, _| None, &Nothing)
}

#[test]
fn a_method_that_returns_something_else_differs_in_each_test() {
    for jobs in [1, 2] {
        let found = observed(&FakeJvms::new(Returning(Act::Pass), &[]), jobs).unwrap();
        let [Some((observed, differences))] = &found[..] else { panic!("{found:?}") };
        assert_eq!(differences.iter().map(|found| found.key.test).collect::<Vec<_>>(), [TestId(0), TestId(1)]);
        assert_eq!((observed.original.len(), observed.transformed.len()), (3, 3));
        assert_eq!(observed.failed().count(), 0);
    }
}

#[test]
fn a_killed_or_stopped_jvm_changes_no_observation_wherever_it_happens() {
    for jobs in [1, 2] {
        disturb_everywhere(&Returning(Act::Pass), &[Fault::Kill, Fault::Stop], |jvms| observed(jvms, jobs));
    }
}

#[test]
fn a_test_that_ends_its_jvm_each_time_is_named() {
    let found = observed(&FakeJvms::new(Returning(Act::Exit(3)), &[]), 1).unwrap();
    let [Some((observed, _))] = &found[..] else { panic!("{found:?}") };
    assert!(
        observed.failed().any(|(test, reason)| test == TestId(1) && reason == "the JVM ended while it was observed")
    );
}

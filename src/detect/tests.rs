//! Verdicts found with fake JVMs, which are killed and stopped at every event.

use super::*;
use crate::base::id::{IdVec, MethodId, ModuleId, TestId};
use crate::classfile::Constant;
use crate::cover::Test;
use crate::run::fake::{Act, FakeJvms, Fault, disturb_everywhere};
use crate::transform::{Method, Transformation};

/// One method with five transformations, and three tests that enter it.
///
/// With the first transformation a test fails, with the second none does, with the third a test
/// loops, with the fourth a test calls `System.exit`, and with the fifth the system kills the JVM
/// each time, because it takes too much memory.
fn project(transformation: Option<GuardId>, test: &str, _: bool) -> Act {
    match (transformation.map_or(0, GuardId::number), test) {
        (1, "b") => Act::Fail,
        (3, "c") => Act::Loops,
        (4, "a") => Act::Exit(3),
        (5, "b") => Act::IsKilled,
        _ => Act::Pass,
    }
}

fn transformations() -> Transformations {
    let names = ["fails", "survives", "loops", "exits", "runs-out-of-memory"];
    let transformation =
        |name: &&str| Transformation { method: MethodId(0), name: (*name).to_owned(), constant: Constant::Void };
    let method = Method {
        class: "org.example.Stack".into(),
        name: "pop".into(),
        descriptor: "()V".into(),
        access: 1,
        source_file: None,
        line: None,
        module: ModuleId(0),
    };
    Transformations {
        methods: IdVec::from_vec(vec![method]),
        transformations: names.iter().map(transformation).collect(),
        ..Transformations::default()
    }
}

fn coverage() -> Coverage {
    let test = |id: &str| Test { id: id.into(), name: id.into(), class: "StackTest".into(), recipe: RecipeId(0) };
    Coverage {
        tests: ["a", "b", "c"].map(test).into_iter().collect(),
        nanoseconds: vec![0; 3].into(),
        cpu_nanoseconds: vec![0; 3].into(),
        covering: IdVec::from_vec(vec![[0, 1, 2].map(TestId).to_vec()]),
        quarantined_covering: IdVec::from_vec(vec![Vec::new()]),
        ..Coverage::default()
    }
}

fn judged(jvms: &FakeJvms, jobs: usize) -> Result<IdVec<TransformationId, Judged>> {
    judged_of(jvms, &transformations(), &coverage(), jobs)
}

fn judged_of(
    jvms: &FakeJvms,
    transformations: &Transformations,
    coverage: &Coverage,
    jobs: usize,
) -> Result<IdVec<TransformationId, Judged>> {
    let launches = IdVec::from_vec(vec![Arc::new(jvms.launch())]);
    let guards: IdVec<TransformationId, Option<GuardId>> =
        transformations.transformations.indices().map(|id| Some(GuardId::of(id))).collect();
    let input = Input {
        launches: &launches,
        recipes: IdSlice::from_slice(&[]),
        transformations,
        guards: &guards,
        coverage,
        expected: &Expected::default(),
        jobs,
        progress: &|_, _| {},
    };
    detect(&input, &Pool::new(jobs)).map(|judged| judged.into_iter().flatten().collect())
}

#[test]
#[allow(clippy::unwrap_used)]
fn each_transformation_gets_the_verdict_of_its_tests() {
    let judged = judged(&FakeJvms::new(project, &[]), 2).unwrap();
    let verdicts: Vec<(&str, Option<u32>)> = judged
        .iter()
        .map(|judged| {
            let name = match judged.verdict {
                Verdict::Detected(_) => "detected",
                Verdict::TimedOut(_) => "timed out",
                Verdict::Undetected { .. } => "undetected",
                Verdict::NotCovered | Verdict::Quarantined | Verdict::FailedToRun(_) => "not judged",
            };
            (name, judged.verdict.kill().map(|kill| kill.test.0))
        })
        .collect();
    let expected = [
        ("detected", Some(1)),
        ("undetected", None),
        ("timed out", Some(2)),
        ("detected", Some(0)),
        ("detected", Some(1)),
    ];
    assert_eq!(verdicts, expected);
}

#[test]
fn a_killed_or_stopped_jvm_changes_no_verdict_wherever_it_happens() {
    disturb_everywhere(&project, &[Fault::Kill, Fault::Stop], |jvms| judged(jvms, 1));
}

/// A class with two tests and one with a test, of which only `A/a` enters the method. With the first
/// transformation a later test of the class fails, with the second the test of the other class.
fn with_classes(transformation: Option<GuardId>, test: &str, _: bool) -> Act {
    match (transformation.map_or(0, GuardId::number), test) {
        (1, "A/b") | (2, "B/c") => Act::Fail,
        _ => Act::Pass,
    }
}

#[test]
#[allow(clippy::unwrap_used)]
fn a_later_test_of_the_class_counts_if_it_fails_twice_and_passes_without_the_transformation() {
    let mut coverage = coverage();
    for (test, id) in coverage.tests.iter_mut().zip(["A/a", "A/b", "B/c"]) {
        id.clone_into(&mut test.id);
    }
    coverage.covering = IdVec::from_vec(vec![vec![TestId(0)]]);
    let mut transformations = transformations();
    transformations.transformations.truncate(2);
    // Too long for a run of all tests.
    coverage.nanoseconds[TestId(2)] = 1_000_000_000_000;
    let jvms = FakeJvms::new(with_classes, &[]);
    let judged = judged_of(&jvms, &transformations, &coverage, 1).unwrap();
    let kills: Vec<Option<u32>> = judged.iter().map(|judged| judged.verdict.kill().map(|kill| kill.test.0)).collect();
    assert_eq!(kills, [Some(1), None]);
    assert!(judged.iter().all(|judged| judged.basis.beside == [TestId(1)]));
    let whole: Vec<(bool, usize)> = (jvms.runs().iter())
        .filter(|run| run.whole_classes)
        .map(|run| (run.active.is_some(), run.tests.len()))
        .collect();
    // Twice with and without the first transformation, and once with the second.
    assert_eq!(whole, [(true, 2), (false, 2), (true, 2), (false, 2), (true, 2)]);
}

/// With the first transformation, the test of the other class fails.
fn beyond_classes(transformation: Option<GuardId>, test: &str, _: bool) -> Act {
    if transformation.is_some_and(|guard| guard.number() == 1) && test == "B/c" { Act::Fail } else { Act::Pass }
}

#[test]
#[allow(clippy::unwrap_used)]
fn a_test_of_another_class_counts_if_all_tests_run() {
    let mut coverage = coverage();
    for (test, id) in coverage.tests.iter_mut().zip(["A/a", "A/b", "B/c"]) {
        id.clone_into(&mut test.id);
    }
    let mut transformations = transformations();
    transformations.transformations.truncate(3);
    let method = transformations.methods[MethodId(0)].clone();
    transformations.methods = vec![method; 3].into();
    for (number, transformation) in (0..).zip(transformations.transformations.iter_mut()) {
        transformation.method = MethodId(number);
    }
    coverage.covering = vec![vec![TestId(0)]; 3].into();
    coverage.quarantined_covering = vec![Vec::new(); 3].into();
    let jvms = FakeJvms::new(beyond_classes, &[]);
    let judged = judged_of(&jvms, &transformations, &coverage, 1).unwrap();
    let kills: Vec<Option<u32>> = judged.iter().map(|judged| judged.verdict.kill().map(|kill| kill.test.0)).collect();
    assert_eq!(kills, [Some(2), None, None]);
    assert_eq!(judged[TransformationId(0)].basis.beside, [TestId(1), TestId(2)]);
    let of_all: Vec<Option<u32>> =
        (jvms.runs().iter()).filter(|run| run.tests.len() == 3).map(|run| run.active.map(GuardId::number)).collect();
    // All three at once, which is not the original's fault; the first one twice; then the other two at once.
    assert_eq!(of_all, [Some(1), None, Some(1), Some(1), None, Some(2)]);
}

/// The transformation is seen by `a` with two seeds, by `b` with the last one only, and by `c` with the first one only.
fn by_chance(transformation: Option<GuardId>, test: &str, _: bool) -> Act {
    match (transformation.map(GuardId::number), test) {
        (Some(1), "a") => Act::FailsWith(&[0, 2]),
        (Some(1), "b") => Act::FailsWith(&[9]),
        (Some(1), "c") => Act::FailsWith(&[0]),
        (Some(2), "b") => Act::Fail,
        _ => Act::Pass,
    }
}

#[test]
#[allow(clippy::unwrap_used)]
fn what_tests_notice_with_some_seeds_only_is_undetected_and_each_of_them_is_named() {
    let mut coverage = coverage();
    coverage.by_chance = [0, 1, 2].map(TestId).to_vec();
    let mut transformations = transformations();
    transformations.transformations.truncate(2);
    let jvms = FakeJvms::new(by_chance, &[]);
    let judged = judged_of(&jvms, &transformations, &coverage, 1).unwrap();
    let all = [0, 1, 2].map(TestId).to_vec();
    let of_first = &judged[TransformationId(0)].verdict;
    assert_eq!(*of_first, Verdict::Undetected { skipped: Vec::new(), sometimes: all });
    assert_eq!(judged[TransformationId(1)].verdict.kill().map(|kill| kill.test), Some(TestId(1)));
}

#[test]
#[allow(clippy::unwrap_used)]
fn a_test_that_takes_long_runs_with_few_seeds() {
    let mut coverage = coverage();
    coverage.by_chance = [0, 1, 2].map(TestId).to_vec();
    coverage.nanoseconds[TestId(1)] = 1_000_000_000;
    let mut transformations = transformations();
    transformations.transformations.truncate(1);
    let jvms = FakeJvms::new(by_chance, &[]);
    let judged = judged_of(&jvms, &transformations, &coverage, 1).unwrap();
    let sometimes = [0, 2].map(TestId).to_vec();
    assert_eq!(judged[TransformationId(0)].verdict, Verdict::Undetected { skipped: Vec::new(), sometimes });
    let with_last_seed = jvms.runs().iter().filter(|run| run.world.seeds == Some(9)).count();
    assert_eq!(with_last_seed, 0);
}

//! The results of an analysis that still hold after several changes.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::base::id::{IdSlice, IdVec, MethodId, ModuleId, RecipeId, TestId, TransformationId, TransformationKey};
use crate::classfile::Constant;
use crate::diagnose::{CallSeen, FirstRuns, Symptom};
use crate::observe::Frame;
use crate::recipe::{Module, Recipe};

/// A class with three methods and two tests: `first` enters `a` and `b`, `second` enters `b` and `c`.
struct Scene {
    build: Build,
    transformations: Transformations,
    coverage: Coverage,
}

fn scene() -> Scene {
    let module = Module {
        name: "m".into(),
        base_directory: "/p".into(),
        build_directory: None,
        classes: "/p/classes".into(),
        source_roots: Vec::new(),
    };
    let method = |name: &str| Method {
        class: "org.example.A".into(),
        name: name.into(),
        descriptor: "()V".into(),
        access: 0,
        source_file: None,
        line: None,
        module: ModuleId(0),
    };
    let void = |method| Transformation { method: MethodId(method), name: "void".into(), constant: Constant::Void };
    let test = |name: &str| Test { id: name.into(), name: name.into(), class: "ATest".into(), recipe: RecipeId(0) };
    Scene {
        build: Build { modules: vec![module].into(), ..Build::default() },
        transformations: Transformations {
            methods: ["a", "b", "c"].map(method).into_iter().collect(),
            transformations: (0..3).map(void).collect(),
            ..Transformations::default()
        },
        coverage: Coverage {
            tests: ["first", "second"].map(test).into_iter().collect(),
            covering: vec![vec![TestId(0)], vec![TestId(0), TestId(1)], vec![TestId(1)]].into(),
            quarantined_covering: vec![Vec::new(); 3].into(),
            ..Coverage::default()
        },
    }
}

fn judged(verdict: Verdict, tests: &[u32], is_prefix: bool, entered: &[usize]) -> Judged {
    let entered = Some(entered.iter().copied().collect::<FixedBitSet>());
    Judged {
        verdict,
        basis: Basis { tests: tests.iter().copied().map(TestId).collect(), is_prefix, entered, ..Basis::default() },
    }
}

fn killed(test: u32) -> Verdict {
    Verdict::Detected(Kill { test: TestId(test), exception: String::new(), message: String::new() })
}

impl Scene {
    /// `first` detects `a` and `b`. `c` is undetected: without its body, `second` enters `a`, too.
    fn past(&self) -> PastResults {
        let judged = [
            judged(killed(0), &[0], true, &[0, 1]),
            judged(killed(0), &[0], true, &[0, 1]),
            judged(
                Verdict::Undetected { skipped: vec![TestId(1)], sometimes: vec![TestId(1)] },
                &[1],
                false,
                &[0, 1, 2],
            ),
        ];
        let frame =
            Frame { class: "ATest".into(), method: "second".into(), file: Some("ATest.java".into()), line: Some(7) };
        let mut diagnosis = Diagnosis::undecided(TransformationId(2), String::new());
        diagnosis.symptom = Symptom::NoInfection;
        diagnosis.calls.push(CallSeen {
            test: TestId(1),
            invocation: 1,
            count: 1,
            receiver: Vec::new(),
            arguments: Vec::new(),
            result: None,
            exception: None,
            stack: vec![frame],
        });
        let first = FirstRuns { diagnosis: diagnosis.clone(), digest: String::new(), one_will_do: false, tests: 1 };
        let explanation = Explanation { diagnosis, first: Some(first) };
        PastResults::new(&self.transformations, &self.coverage, IdSlice::new(&judged), &[explanation], Vec::new())
    }

    fn still(
        &self,
        past: &PastResults,
        changes: &Changes,
    ) -> std::result::Result<IdVec<TransformationId, Option<ReusableResult>>, String> {
        Ok(past.reusable_results(changes, &self.build, &self.transformations, &self.coverage).unwrap()?.results)
    }

    /// The names of the methods whose verdicts hold.
    fn holding(&self, past: &PastResults, changes: &Changes) -> String {
        let still = self.still(past, changes).unwrap();
        still.iter().zip(["a", "b", "c"]).filter(|(still, _)| still.is_some()).map(|(_, name)| name).collect()
    }
}

fn body(method: &str) -> Changes {
    let file = PathBuf::from("/p/classes/org/example/A.class");
    Changes { bodies: [MethodBody { file, method: format!("{method}()V") }].into(), ..Changes::default() }
}

#[test]
fn a_verdict_whose_tests_enter_a_changed_body_does_not_hold() {
    let scene = scene();
    let past = scene.past();
    assert_eq!(scene.holding(&past, &Changes::default()), "abc");
    assert_eq!(scene.holding(&past, &body("c")), "ab");
    // Without the body of `c`, `second` enters `a`.
    assert_eq!(scene.holding(&past, &body("a")), "");
    assert_eq!(scene.holding(&past, &body("b")), "");
    assert!(scene.still(&past, &body("<init>")).unwrap_err().contains("not known which tests"));
}

#[test]
fn a_detection_holds_if_its_test_enters_the_change_only_on_the_original_code() {
    let mut scene = scene();
    let by_transformed = |entered: &[usize]| {
        let mut one = judged(killed(0), &[0], true, &[0, 1]);
        one.basis.transformed = Some(entered.iter().copied().collect());
        one.basis.milliseconds = 100;
        one
    };
    let past = |judged: [Judged; 2]| {
        PastResults::new(&scene.transformations, &scene.coverage, IdSlice::new(&judged), &[], Vec::new())
    };
    let (fails_before_b, enters_b) =
        (past([by_transformed(&[0]), by_transformed(&[1])]), past([by_transformed(&[0, 1]), by_transformed(&[0, 1])]));
    scene.coverage.cpu_nanoseconds = vec![100_000_000, 0].into();
    assert_eq!(scene.holding(&fails_before_b, &body("b")), "a");
    assert_eq!(scene.holding(&enters_b, &body("b")), "");
    assert_eq!(scene.holding(&fails_before_b, &body("a")), "b");
    let still = scene.still(&fails_before_b, &body("b")).unwrap();
    let basis = &still[0].as_ref().unwrap().judged.basis;
    assert_eq!(basis.entered, Some([0, 1].into_iter().collect()), "what the test enters on the original code now");
    scene.coverage.cpu_nanoseconds = vec![171_000_000, 0].into();
    assert_eq!(scene.holding(&fails_before_b, &body("b")), "", "it is waited for longer now");
}

#[test]
fn a_verdict_holds_only_with_the_same_tests_in_the_same_order() {
    let past = scene().past();
    let mut other = scene();
    other.coverage.tests.push(Test { id: "third".into(), ..other.coverage.tests[1].clone() });
    other.coverage.covering = vec![vec![TestId(0)], vec![TestId(0), TestId(1)], vec![TestId(1), TestId(2)]].into();
    assert_eq!(other.holding(&past, &Changes::default()), "ab", "`c` has one test more");
    let mut other = scene();
    other.coverage.covering = vec![vec![TestId(0)], vec![TestId(1)], vec![TestId(1)]].into();
    assert_eq!(other.holding(&past, &Changes::default()), "ac", "the test that noticed `b` no longer enters it");
    let mut other = scene();
    other.coverage.clean_start_tests = vec![TestId(1)];
    assert_eq!(other.holding(&past, &Changes::default()), "a", "what only a clean start tells");
    let mut other = scene();
    other.coverage.tests.remove(TestId(1));
    other.coverage.covering = vec![vec![TestId(0)], vec![TestId(0)], Vec::new()].into();
    assert_eq!(other.holding(&past, &Changes::default()), "ab", "`second` is gone");
}

#[test]
fn a_verdict_of_a_whole_class_depends_on_every_test_of_the_class() {
    let of_class = |tests: &[&str]| {
        let mut scene = scene();
        let test = |name: &&str| Test { id: format!("ATest/{name}"), ..scene.coverage.tests[TestId(0)].clone() };
        scene.coverage.tests = tests.iter().map(test).collect();
        scene
    };
    let scene = of_class(&["first", "second"]);
    // `second`, which does not enter `a`, detects it.
    let mut one = judged(killed(1), &[0], false, &[0, 1, 2]);
    one.basis.beside = vec![TestId(1)];
    let past = PastResults::new(&scene.transformations, &scene.coverage, IdSlice::new(&[one]), &[], Vec::new());
    assert_eq!(scene.holding(&past, &Changes::default()), "a");
    assert_eq!(scene.holding(&past, &body("c")), "", "`second` enters it");
    let with_third = of_class(&["first", "second", "third"]);
    assert_eq!(with_third.holding(&past, &Changes::default()), "", "the class has another test");
}

#[test]
fn a_single_test_detects_again_after_a_new_test_but_several_only_in_the_same_order() {
    let scene = scene();
    let past = |tests: &[u32]| {
        let of_b = judged(killed(0), tests, true, &[0, 1]);
        let judged = [judged(killed(0), &[0], true, &[0, 1]), of_b];
        PastResults::new(&scene.transformations, &scene.coverage, IdSlice::new(&judged), &[], Vec::new())
    };
    let (alone, behind_second) = (past(&[0]), past(&[1, 0]));
    let mut now = self::scene();
    now.coverage.tests.push(Test { id: "third".into(), ..now.coverage.tests[1].clone() });
    // The third test enters no other method, so it is ranked first.
    now.coverage.covering = vec![vec![TestId(0)], vec![TestId(0), TestId(1), TestId(2)], vec![TestId(1)]].into();
    assert_eq!(Ranking::new(&now.transformations, &now.coverage).tests(MethodId(1))[0], TestId(2));
    assert_eq!(now.holding(&alone, &Changes::default()), "ab");
    assert_eq!(now.holding(&behind_second, &Changes::default()), "a");
}

#[test]
fn a_change_to_class_initialisation_invalidates_all_verdicts() {
    let (then, mut now) = (scene(), scene());
    now.coverage.clean_start_methods = vec![MethodId(2)];
    assert!(now.still(&then.past(), &body("c")).unwrap_err().contains("initialised"));
    assert!(then.still(&now.past(), &body("c")).unwrap_err().contains("initialised"));
}

#[test]
fn no_verdict_holds_if_the_methods_differ() {
    let (then, mut now) = (scene(), scene());
    now.transformations.methods[MethodId(1)].descriptor = "()I".into();
    assert!(now.still(&then.past(), &Changes::default()).unwrap_err().contains("methods"));
}

#[test]
fn results_have_the_new_ids_of_tests() {
    let (then, mut now) = (scene(), scene());
    now.coverage.tests.swap(TestId(0), TestId(1));
    now.coverage.covering = vec![vec![TestId(1)], vec![TestId(0), TestId(1)], vec![TestId(0)]].into();
    let still: Vec<ReusableResult> =
        now.still(&then.past(), &Changes::default()).unwrap().into_iter().map(Option::unwrap).collect();
    assert_eq!(still[0].judged.verdict, killed(1));
    assert_eq!(still[2].judged.verdict, Verdict::Undetected { skipped: vec![TestId(0)], sometimes: vec![TestId(0)] });
    let Explanation { diagnosis, first } = still[2].explanation.as_ref().unwrap();
    assert_eq!([diagnosis, &first.as_ref().unwrap().diagnosis].map(|one| one.calls[0].test), [TestId(0); 2]);
}

#[test]
fn likely_results_include_verdicts_that_do_not_hold() {
    let (scene, mut now) = (scene(), scene());
    let late = Verdict::TimedOut(Kill { test: TestId(0), exception: String::new(), message: String::new() });
    let unnoticed = Verdict::Undetected { skipped: Vec::new(), sometimes: Vec::new() };
    let judged = [judged(late, &[0], true, &[0]), judged(unnoticed, &[0, 1], false, &[0, 1])];
    let past = PastResults::new(&scene.transformations, &scene.coverage, IdSlice::new(&judged), &[], Vec::new());
    let expected = |now: &Scene, changes: &Changes| {
        past.reusable_results(changes, &now.build, &now.transformations, &now.coverage).unwrap().unwrap().expected
    };
    let void = |method: u32| TransformationKey::new(MethodId(method), "void");
    let undetected = HashSet::from([void(1)]);
    now.coverage.tests.swap(TestId(0), TestId(1));
    now.coverage.covering = vec![vec![TestId(1)], vec![TestId(0), TestId(1)], vec![TestId(0)]].into();
    let test = HashMap::from([(void(0), TestId(1))]);
    let then = Expected { late: test.clone(), noticed: test.clone(), undetected: undetected.clone() };
    assert_eq!(expected(&now, &body("a")), then, "in the numbers of now");
    let folder = tempfile::tempdir().unwrap();
    let recipe = Recipe::of_tests(folder.path());
    std::fs::create_dir(&recipe.test_classes).unwrap();
    let test = recipe.test_classes.join("ATest.class");
    now.build.recipes = vec![recipe].into();
    let other_test = Changes { test_classes: [test].into(), ..body("a") };
    let then = Expected { noticed: HashMap::new(), ..then };
    assert_eq!(expected(&now, &other_test), then, "one ahead of it may notice now");
    now.coverage.tests.remove(TestId(1));
    now.coverage.covering = vec![Vec::new(), vec![TestId(0)], vec![TestId(0)]].into();
    assert_eq!(expected(&now, &body("a")), Expected { undetected, ..Expected::default() }, "the test is gone");
}

#[test]
fn explanations_can_be_confirmed_by_the_first_runs_unless_tests_have_changed() {
    let (scene, mut other) = (scene(), scene());
    let past = scene.past();
    let explained = |changes: &Changes, now: &Scene| {
        let holding = past.reusable_results(changes, &now.build, &now.transformations, &now.coverage).unwrap().unwrap();
        holding.explained.into_keys().collect::<Vec<_>>()
    };
    let of_c = [TransformationKey::new(MethodId(2), "void")];
    assert_eq!(scene.holding(&past, &body("b")), "");
    assert_eq!(explained(&body("b"), &scene), of_c);
    let with_source = |file: &str| Changes { sources: [file.into()].into(), ..body("b") };
    let recipe = Recipe { test_source_roots: vec!["/p/test".into()], ..Recipe::of_tests(Path::new("/p")) };
    other.build.recipes = vec![recipe].into();
    assert_eq!(explained(&with_source("/p/main/B.java"), &other), of_c);
    assert_eq!(explained(&with_source("/p/test/BTest.java"), &other), []);
    assert_eq!(explained(&with_source("/p/main/ATest.java"), &other), [], "lines that are not known");
    other.coverage.tests.swap(TestId(0), TestId(1));
    assert_eq!(explained(&body("b"), &other), [], "tests have other numbers");
}

#[test]
fn explanations_with_lines_of_a_changed_test_do_not_hold() {
    let scene = scene();
    let changes = Changes { sources: ["/p/test/ATest.java".into()].into(), ..Changes::default() };
    assert_eq!(scene.holding(&scene.past(), &changes), "ab");
    let changes = Changes { sources: ["/p/test/BTest.java".into()].into(), ..Changes::default() };
    assert_eq!(scene.holding(&scene.past(), &changes), "abc");
}

#[test]
fn lines_of_unchanged_bodies_are_replaced_by_the_new_ones() {
    let scene = scene();
    let with_lines = |lines: &[(u16, u16)]| Changes {
        sources: ["/p/src/A.java".into()].into(),
        lines: [("/p/classes/org/example/A.class".into(), lines.iter().copied().collect())].into(),
        ..Changes::default()
    };
    let mut past = scene.past();
    let of_c = past.found.iter_mut().find_map(|found| found.explanation.as_mut()).unwrap();
    let caller =
        Frame { class: "org.example.A".into(), method: "b".into(), file: Some("A.java".into()), line: Some(4) };
    of_c.diagnosis.calls[0].stack.push(caller);
    let still = scene.still(&past, &with_lines(&[(3, 3), (4, 9)])).unwrap();
    let of_c = still[2].as_ref().unwrap().explanation.as_ref().unwrap();
    let lines: Vec<_> = of_c.diagnosis.calls[0].stack.iter().map(|frame| frame.line).collect();
    assert_eq!(lines, [Some(7), Some(9)]);
    assert_eq!(scene.holding(&past, &with_lines(&[(3, 3)])), "ab", "of another body, or of two in one line");
}

#[test]
fn results_can_be_stored_and_read() {
    let past = scene().past();
    let read: PastResults = serde_json::from_str(&serde_json::to_string(&past).unwrap()).unwrap();
    assert_eq!(scene().holding(&read, &body("c")), "ab");
    assert_eq!(scene().holding(&read, &body("a")), "");
}

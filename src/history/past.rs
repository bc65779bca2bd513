//! From the verdicts of an earlier analysis, and what has changed since, to those that hold still.
//!
//! A verdict comes from runs of tests. They do again what they did where the tests are the same, in the same order, and enter no method whose body is
//! another: neither on the original code nor with the transformation.

use super::recall::changed_tests;
use super::{Changes, KeptPatches};
use crate::classfile::names;
use crate::cover::{Coverage, Runs, Test};
use crate::detect::{Basis, Expected, Judged, Kill, Ranking, Verdict};
use crate::diagnose::{Diagnosis, Explanation};
use crate::error::Result;
use crate::recipe::Build;
use crate::recipe::launch::Classes;
use crate::transform::{Method, Transformation, Transformations};
use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What an analysis found out, by the numbers of its methods and tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Past {
    /// Module, class, name, descriptor.
    methods: Vec<(usize, String, String, String)>,
    /// Recipe, and the engine's identifier.
    tests: Vec<(usize, String)>,
    /// Methods that run only while classes are initialised.
    once: BTreeSet<usize>,
    found: Vec<Found>,
    /// What was said while the tests were instrumented and observed.
    pub warnings: Vec<String>,
    /// The runs on the original code, by recipe, and where the tests ran; `None` where they say nothing of later ones.
    #[serde(default)]
    pub(super) runs: Vec<Option<(Classes, Runs)>>,
    #[serde(default)]
    patches: Vec<KeptPatches>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Found {
    method: usize,
    transformation: String,
    judged: Judged,
    explanation: Option<Explanation>,
}

/// What is known still of one transformation, in the numbers of now.
#[derive(Clone, Debug)]
pub struct Still {
    pub judged: Judged,
    pub explanation: Option<Explanation>,
}

/// Explanations by the index of the method and the name of the transformation.
pub type Explained = HashMap<(usize, String), Explanation>;

/// What holds still of an earlier analysis.
#[derive(Clone, Debug, Default)]
pub struct Holding {
    /// One for each transformation.
    pub still: Vec<Option<Still>>,
    /// Of the others, what will come of them, most likely.
    pub expected: Expected,
    /// What is to be observed again, with the explanation of before, where it can be held against runs of now.
    pub explained: Explained,
    /// Of methods of which all findings hold still.
    pub patches: Vec<KeptPatches>,
    /// Of other methods, those that can be proven anew; where they are [in vain](KeptPatches::is_in_vain), as long as the explanations are what they were.
    pub doubtful: Vec<KeptPatches>,
}

impl Past {
    /// `judged` has one entry for each transformation; explanations are those of undetected ones.
    #[must_use]
    pub fn new(
        transformations: &Transformations,
        coverage: &Coverage,
        judged: &[Judged],
        explanations: &[Explanation],
        warnings: Vec<String>,
    ) -> Self {
        let mut explained: BTreeMap<usize, &Explanation> =
            explanations.iter().map(|explanation| (explanation.diagnosis.transformation, explanation)).collect();
        let found = transformations.transformations.iter().zip(judged).enumerate();
        let found =
            found.filter(|(_, (_, judged))| judged.basis.entered.is_some()).map(|(index, (transformation, judged))| {
                Found {
                    method: transformation.method,
                    transformation: transformation.name.clone(),
                    judged: judged.clone(),
                    explanation: explained.remove(&index).cloned(),
                }
            });
        Self {
            methods: transformations.methods.iter().map(identity).collect(),
            tests: coverage.tests.iter().map(|test| (test.recipe, test.id.clone())).collect(),
            once: coverage.once.iter().copied().collect(),
            found: found.collect(),
            warnings,
            runs: Vec::new(),
            patches: Vec::new(),
        }
    }

    /// With the runs on the original code, by recipe.
    #[must_use]
    pub fn with_runs(mut self, runs: Vec<Option<(Classes, Runs)>>) -> Self {
        self.runs = runs;
        self
    }

    /// With what came of findings.
    #[must_use]
    pub fn with_patches(mut self, patches: Vec<KeptPatches>) -> Self {
        self.patches = patches;
        self
    }

    /// With what is known still of transformations that were not asked for.
    #[must_use]
    pub fn with(mut self, others: impl IntoIterator<Item = (Transformation, Still)>) -> Self {
        let others = others.into_iter().map(|(transformation, Still { judged, explanation })| Found {
            method: transformation.method,
            transformation: transformation.name,
            judged,
            explanation,
        });
        self.found.extend(others);
        self
    }

    /// What holds still, or why nothing does.
    ///
    /// # Errors
    /// When a class file of the tests cannot be read.
    pub fn holding(
        &self,
        changes: &Changes,
        build: &Build,
        transformations: &Transformations,
        coverage: &Coverage,
    ) -> Result<std::result::Result<Holding, String>> {
        let bodies = match self.changed_methods(changes, build, transformations) {
            Ok(bodies) => bodies,
            Err(why) => return Ok(Err(why)),
        };
        if let Some(method) = coverage.once.iter().find(|method| bodies.contains(method)) {
            let name = transformations.methods.get(*method).map_or("?", |method| method.name.as_str());
            return Ok(Err(format!("{name}, which runs while classes are initialised")));
        }
        let has_tests = coverage.tests.iter().map(|test| (test.recipe, test.class.as_str())).collect();
        let classes = match changed_tests(changes, build, &has_tests)? {
            Ok(classes) => classes,
            Err(why) => return Ok(Err(why)),
        };
        let numbers: HashMap<(usize, &str), usize> =
            coverage.tests.iter().enumerate().map(|(number, test)| ((test.recipe, test.id.as_str()), number)).collect();
        let now = Now {
            numbers: self.tests.iter().map(|(recipe, id)| numbers.get(&(*recipe, id.as_str())).copied()).collect(),
            ranking: Ranking::new(transformations, coverage),
            coverage,
            bodies,
            classes,
            sources: changes.sources.iter().map(PathBuf::as_path).collect(),
            lines: lines(changes, build),
        };
        let found: HashMap<(usize, &str), &Found> =
            self.found.iter().map(|found| ((found.method, found.transformation.as_str()), found)).collect();
        let still = transformations.transformations.iter().enumerate().map(|(index, transformation)| {
            now.still(index, (*found.get(&(transformation.method, transformation.name.as_str()))?).clone())
        });
        let still: Vec<Option<Still>> = still.collect();
        let mut expected = Expected::default();
        for Found { method, transformation, judged: Judged { verdict, basis }, .. } in &self.found {
            let key = || (*method, transformation.clone());
            let test = verdict.kill().and_then(|kill| now.now(kill.test));
            // What only a run of all tests has shown, only such a run shows again; and of tests that are others, one that is ahead may notice now.
            if let Some(test) = test.filter(|_| basis.is_prefix && now.classes.is_empty()) {
                expected.noticed.insert(key(), test);
            }
            if let (Verdict::TimedOut(_), Some(test)) = (verdict, test) {
                expected.late.insert(key(), test);
            }
            if verdict.is_undetected() {
                expected.undetected.insert(key());
            }
        }
        // Where a source of the tests is another, their expressions have other numbers.
        let explained = if now.classes.is_empty() && !changes.has_other_tests(build) {
            self.found.iter().filter_map(|found| now.explained(found)).collect()
        } else {
            Explained::new()
        };
        let of_still = transformations.transformations.iter().zip(&still).filter(|(_, still)| still.is_some());
        let named: HashSet<(usize, &str)> = of_still.map(|(one, _)| (one.method, one.name.as_str())).collect();
        let holds = |patches: &KeptPatches| {
            patches.findings().all(|finding| named.contains(&finding))
                && patches.holds(changes, &now.bodies, &now.classes)
        };
        let (patches, mut doubtful): (Vec<KeptPatches>, Vec<KeptPatches>) =
            self.patches.iter().cloned().partition(holds);
        let class = |method: usize| transformations.methods.get(method).map(|method| method.class.as_str());
        let edited: HashSet<&str> = now.bodies.iter().filter_map(|body| class(*body)).collect();
        let is_edited = |method: usize| class(method).is_none_or(|class| edited.contains(class));
        doubtful.retain(|patches| {
            patches.can_be_proven(&now.classes)
                || patches.stays_in_vain(changes, is_edited(patches.method()), &now.classes)
        });
        Ok(Ok(Holding { still, expected, explained, patches, doubtful }))
    }

    /// Numbers of the methods whose bodies are others, or why that says too little.
    pub(super) fn changed_methods(
        &self,
        changes: &Changes,
        build: &Build,
        transformations: &Transformations,
    ) -> std::result::Result<BTreeSet<usize>, String> {
        if !transformations.methods.iter().map(identity).eq(self.methods.iter().cloned()) {
            return Err("the list of methods".to_owned());
        }
        let folders = build.class_folders();
        let known: HashMap<(PathBuf, String), usize> = (transformations.methods.iter().enumerate())
            .filter_map(|(number, method)| {
                let folder = folders.get(method.module)?;
                let file = folder.join(format!("{}.class", method.class.replace('.', "/")));
                Some(((file, format!("{}{}", method.name, method.descriptor)), number))
            })
            .collect();
        let mut bodies = BTreeSet::new();
        for body in &changes.bodies {
            let name = || format!("{} of {}", body.1, body.0.display());
            let number =
                *known.get(body).ok_or_else(|| format!("{}, of which it is not known which tests run it", name()))?;
            if self.once.contains(&number) {
                return Err(format!("{}, which runs while classes are initialised", name()));
            }
            bodies.insert(number);
        }
        Ok(bodies)
    }
}

fn identity(method: &Method) -> (usize, String, String, String) {
    (method.module, method.class.clone(), method.name.clone(), method.descriptor.clone())
}

/// Times of a test that are no further apart than this, or than by half, are the same: it varies by as much.
const CLOSE_MILLISECONDS: u64 = 20;

/// What the verdicts are held against.
struct Now<'a> {
    /// The number that each test of then has now.
    numbers: Vec<Option<usize>>,
    ranking: Ranking<'a>,
    coverage: &'a Coverage,
    bodies: BTreeSet<usize>,
    classes: BTreeSet<(usize, String)>,
    sources: Vec<&'a Path>,
    /// By class of the code, where the lines of bodies that are the same have come to.
    lines: HashMap<String, &'a BTreeMap<u16, u16>>,
}

fn lines<'a>(changes: &'a Changes, build: &Build) -> HashMap<String, &'a BTreeMap<u16, u16>> {
    let folders = build.class_folders();
    let class = |file: &Path| {
        let path = folders.iter().find_map(|folder| file.strip_prefix(folder).ok())?;
        Some(names::binary(&path.with_extension("").to_string_lossy()))
    };
    changes.lines.iter().filter_map(|(file, lines)| Some((class(file)?, lines))).collect()
}

impl Now<'_> {
    fn still(&self, index: usize, found: Found) -> Option<Still> {
        let Found { method, mut judged, mut explanation, .. } = found;
        let basis = &mut judged.basis;
        let entered = basis.entered.as_ref()?;
        if self.bodies.contains(&method) {
            return None;
        }
        let is_entered = self.enters_change(entered);
        basis.tests = self.renumbered(&basis.tests)?;
        let tests = self.ranking.tests(method);
        let are_same = match basis.tests[..] {
            // Who notices by itself does so whatever others do.
            [only] if basis.is_prefix => tests.contains(&only),
            _ if basis.is_prefix => tests.starts_with(&basis.tests),
            _ => tests == basis.tests,
        };
        let is_change = |test: &Test| self.classes.contains(&(test.recipe, test.class.clone()));
        if !are_same
            || basis.only_clean != self.ranking.only_clean(method, &tests)
            || basis.tests.iter().filter_map(|test| self.coverage.tests.get(*test)).any(is_change)
        {
            return None;
        }
        if is_entered || basis.tests.iter().any(|test| self.test_enters_change(*test)) {
            self.decide_by_transformed(basis)?;
        }
        match &mut judged.verdict {
            Verdict::Detected(kill) | Verdict::TimedOut(kill) => self.renumber(kill)?,
            Verdict::Undetected { skipped } => *skipped = self.renumbered(skipped)?,
            // Nothing ran, or something went wrong: to be seen anew.
            Verdict::NotCovered | Verdict::Quarantined | Verdict::FailedToRun(_) => return None,
        }
        // An undetected one that was not diagnosed is one that is not known.
        if judged.verdict.is_undetected() != explanation.is_some() {
            return None;
        }
        if let Some(explanation) = &mut explanation {
            explanation.diagnosis.transformation = index;
            self.bring_explanation_up_to_date(explanation)?;
        }
        Some(Still { judged, explanation })
    }

    /// What is to be held against runs of now, where what it shows is known in numbers and lines of now; all tests have the numbers that they had.
    fn explained(&self, found: &Found) -> Option<((usize, String), Explanation)> {
        let mut explanation = found.explanation.clone()?;
        if !self.numbers.iter().enumerate().all(|(then, now)| *now == Some(then)) {
            return None;
        }
        self.bring_explanation_up_to_date(&mut explanation)?;
        Some(((found.method, found.transformation.clone()), explanation))
    }

    /// Without what the first runs said, where only that is not known in numbers and lines of now.
    fn bring_explanation_up_to_date(&self, Explanation { diagnosis, first }: &mut Explanation) -> Option<()> {
        self.bring_up_to_date(diagnosis)?;
        if first.as_mut().is_some_and(|first| self.bring_up_to_date(&mut first.diagnosis).is_none()) {
            *first = None;
        }
        Some(())
    }

    /// Numbers of tests and lines of sources as they are now. `None` where one of them is not known.
    fn bring_up_to_date(&self, diagnosis: &mut Diagnosis) -> Option<()> {
        let of_evidence = diagnosis.evidence.iter_mut().map(|evidence| &mut evidence.test);
        for test in of_evidence.chain(diagnosis.calls.iter_mut().map(|call| &mut call.test)) {
            *test = self.now(*test)?;
        }
        self.move_lines(diagnosis)
    }

    fn enters_change(&self, entered: &FixedBitSet) -> bool {
        self.bodies.iter().any(|body| entered.contains(*body))
    }

    fn test_enters_change(&self, test: usize) -> bool {
        self.ranking.entered_by(test).iter().any(|method| self.bodies.contains(&(*method as usize)))
    }

    /// Keeps a verdict of tests that enter what is another on the original code only: with the transformation they do what they did, on the original
    /// code they pass still, or they were none. `None` where that does not decide, or where a test was waited for that takes longer now.
    fn decide_by_transformed(&self, basis: &mut Basis) -> Option<()> {
        let transformed = basis.transformed.as_ref().filter(|transformed| !self.enters_change(transformed))?;
        let milliseconds = basis.tests.last().map_or(0, |test| self.coverage.cpu_and_wall_milliseconds(*test).0);
        if milliseconds > basis.milliseconds + basis.milliseconds / 2 + CLOSE_MILLISECONDS {
            return None;
        }
        let mut entered = transformed.clone();
        for test in &basis.tests {
            self.ranking.entered_by(*test).iter().for_each(|method| entered.grow_and_insert(*method as usize));
        }
        basis.entered = Some(entered);
        Some(())
    }

    fn now(&self, test: usize) -> Option<usize> {
        self.numbers.get(test).copied().flatten()
    }

    fn renumber(&self, kill: &mut Kill) -> Option<()> {
        kill.test = self.now(kill.test)?;
        Some(())
    }

    fn renumbered(&self, tests: &[usize]) -> Option<Vec<usize>> {
        tests.iter().map(|test| self.now(*test)).collect()
    }

    /// What it shows of sources that are others is shown where it is now; `None` where that is not known.
    fn move_lines(&self, diagnosis: &mut Diagnosis) -> Option<()> {
        let is_other = |file: &OsStr| self.sources.iter().any(|source| source.file_name() == Some(file));
        // A place in the tests.
        let mut files = diagnosis.evidence.iter().filter_map(|evidence| evidence.file.as_deref()?.file_name());
        if files.any(is_other) {
            return None;
        }
        let of_evidence = diagnosis.evidence.iter_mut().map(|evidence| &mut evidence.stack);
        for frame in of_evidence.chain(diagnosis.calls.iter_mut().map(|call| &mut call.stack)).flatten() {
            if let (Some(file), Some(line)) = (&frame.file, &mut frame.line)
                && is_other(OsStr::new(file))
            {
                *line = u32::from(*self.lines.get(&frame.class)?.get(&u16::try_from(*line).ok()?)?);
            }
        }
        Some(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classfile::Constant;
    use crate::diagnose::{CallSeen, FirstRuns, Symptom};
    use crate::observe::Frame;
    use crate::recipe::{Module, Recipe};

    /// Three methods `a`, `b`, `c` of one class and two tests: `first` enters `a` and `b`, `second` enters `b` and `c`.
    struct Scene {
        build: Build,
        transformations: Transformations,
        coverage: Coverage,
    }

    fn scene() -> Scene {
        let module = Module {
            name: "m".into(),
            base_directory: "/p".into(),
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
            module: 0,
        };
        let void = |method| Transformation { method, name: "void".into(), constant: Constant::Void };
        let test = |name: &str| Test { id: name.into(), name: name.into(), class: "ATest".into(), recipe: 0 };
        Scene {
            build: Build { modules: vec![module], ..Build::default() },
            transformations: Transformations {
                methods: ["a", "b", "c"].map(method).into(),
                transformations: (0..3).map(void).collect(),
                stopped: Vec::new(),
            },
            coverage: Coverage {
                tests: ["first", "second"].map(test).into(),
                covering: vec![vec![0], vec![0, 1], vec![1]],
                quarantined_covering: vec![Vec::new(); 3],
                ..Coverage::default()
            },
        }
    }

    fn judged(verdict: Verdict, tests: &[usize], is_prefix: bool, entered: &[usize]) -> Judged {
        let entered = Some(entered.iter().copied().collect::<FixedBitSet>());
        Judged { verdict, basis: Basis { tests: tests.to_vec(), is_prefix, entered, ..Basis::default() } }
    }

    fn killed(test: usize) -> Verdict {
        Verdict::Detected(Kill { test, exception: String::new(), message: String::new() })
    }

    impl Scene {
        /// `a` and `b` are detected by `first`, `c` is undetected: `second` enters `a` as well when `c` does nothing.
        fn past(&self) -> Past {
            let judged = [
                judged(killed(0), &[0], true, &[0, 1]),
                judged(killed(0), &[0], true, &[0, 1]),
                judged(Verdict::Undetected { skipped: vec![1] }, &[1], false, &[0, 1, 2]),
            ];
            let frame = Frame {
                class: "ATest".into(),
                method: "second".into(),
                file: Some("ATest.java".into()),
                line: Some(7),
            };
            let mut diagnosis = Diagnosis::undecided(2, String::new());
            diagnosis.symptom = Symptom::NoInfection;
            diagnosis.calls.push(CallSeen {
                test: 1,
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
            Past::new(&self.transformations, &self.coverage, &judged, &[explanation], Vec::new())
        }

        fn still(&self, past: &Past, changes: &Changes) -> std::result::Result<Vec<Option<Still>>, String> {
            Ok(past.holding(changes, &self.build, &self.transformations, &self.coverage).unwrap()?.still)
        }

        /// Names of the methods whose verdicts hold.
        fn holding(&self, past: &Past, changes: &Changes) -> String {
            let still = self.still(past, changes).unwrap();
            still.iter().zip(["a", "b", "c"]).filter(|(still, _)| still.is_some()).map(|(_, name)| name).collect()
        }
    }

    fn body(method: &str) -> Changes {
        let file = PathBuf::from("/p/classes/org/example/A.class");
        Changes { bodies: [(file, format!("{method}()V"))].into(), ..Changes::default() }
    }

    #[test]
    fn what_enters_a_changed_body_is_analyzed_again_whether_it_is_transformed_or_not() {
        let scene = scene();
        let past = scene.past();
        assert_eq!(scene.holding(&past, &Changes::default()), "abc");
        assert_eq!(scene.holding(&past, &body("c")), "ab");
        // With `c` doing nothing, `second` enters `a`.
        assert_eq!(scene.holding(&past, &body("a")), "");
        assert_eq!(scene.holding(&past, &body("b")), "");
        assert!(scene.still(&past, &body("<init>")).unwrap_err().contains("not known which tests"));
    }

    #[test]
    fn what_a_test_shows_with_the_transformation_holds_where_it_enters_what_is_another_on_the_original_code_only() {
        let mut scene = scene();
        let by_transformed = |entered: &[usize]| {
            let mut one = judged(killed(0), &[0], true, &[0, 1]);
            one.basis.transformed = Some(entered.iter().copied().collect());
            one.basis.milliseconds = 100;
            one
        };
        let past = |judged: [Judged; 2]| Past::new(&scene.transformations, &scene.coverage, &judged, &[], Vec::new());
        let (fails_before_b, enters_b) = (
            past([by_transformed(&[0]), by_transformed(&[1])]),
            past([by_transformed(&[0, 1]), by_transformed(&[0, 1])]),
        );
        scene.coverage.cpu_nanoseconds = vec![100_000_000, 0];
        assert_eq!(scene.holding(&fails_before_b, &body("b")), "a");
        assert_eq!(scene.holding(&enters_b, &body("b")), "");
        assert_eq!(scene.holding(&fails_before_b, &body("a")), "b");
        let still = scene.still(&fails_before_b, &body("b")).unwrap();
        let basis = &still[0].as_ref().unwrap().judged.basis;
        assert_eq!(basis.entered, Some([0, 1].into_iter().collect()), "what the test enters on the original code now");
        scene.coverage.cpu_nanoseconds = vec![171_000_000, 0];
        assert_eq!(scene.holding(&fails_before_b, &body("b")), "", "it is waited for longer now");
    }

    #[test]
    fn other_tests_or_another_order_of_them_are_other_verdicts() {
        let past = scene().past();
        let mut other = scene();
        other.coverage.tests.push(Test { id: "third".into(), ..other.coverage.tests[1].clone() });
        other.coverage.covering = vec![vec![0], vec![0, 1], vec![1, 2]];
        assert_eq!(other.holding(&past, &Changes::default()), "ab", "`c` has one test more");
        let mut other = scene();
        other.coverage.covering = vec![vec![0], vec![1], vec![1]];
        assert_eq!(other.holding(&past, &Changes::default()), "ac", "the test that noticed `b` no longer enters it");
        let mut other = scene();
        other.coverage.clean_only = vec![1];
        assert_eq!(other.holding(&past, &Changes::default()), "a", "what only a clean start tells");
        let mut other = scene();
        other.coverage.tests.remove(1);
        other.coverage.covering = vec![vec![0], vec![0], Vec::new()];
        assert_eq!(other.holding(&past, &Changes::default()), "ab", "`second` is gone");
    }

    #[test]
    fn who_notices_by_itself_does_so_behind_a_new_test_too_and_several_together_only_as_they_were() {
        let scene = scene();
        let past = |tests: &[usize]| {
            let of_b = judged(killed(0), tests, true, &[0, 1]);
            let judged = [judged(killed(0), &[0], true, &[0, 1]), of_b];
            Past::new(&scene.transformations, &scene.coverage, &judged, &[], Vec::new())
        };
        let (alone, behind_second) = (past(&[0]), past(&[1, 0]));
        let mut now = self::scene();
        now.coverage.tests.push(Test { id: "third".into(), ..now.coverage.tests[1].clone() });
        // The third enters nothing else, and would be asked first.
        now.coverage.covering = vec![vec![0], vec![0, 1, 2], vec![1]];
        assert_eq!(Ranking::new(&now.transformations, &now.coverage).tests(1)[0], 2);
        assert_eq!(now.holding(&alone, &Changes::default()), "ab");
        assert_eq!(now.holding(&behind_second, &Changes::default()), "a");
    }

    #[test]
    fn what_runs_while_classes_are_initialised_concerns_all() {
        let (then, mut now) = (scene(), scene());
        now.coverage.once = vec![2];
        assert!(now.still(&then.past(), &body("c")).unwrap_err().contains("initialised"));
        assert!(then.still(&now.past(), &body("c")).unwrap_err().contains("initialised"));
    }

    #[test]
    fn other_methods_are_another_project() {
        let (then, mut now) = (scene(), scene());
        now.transformations.methods[1].descriptor = "()I".into();
        assert!(now.still(&then.past(), &Changes::default()).unwrap_err().contains("methods"));
    }

    #[test]
    fn tests_get_the_numbers_of_now() {
        let (then, mut now) = (scene(), scene());
        now.coverage.tests.swap(0, 1);
        now.coverage.covering = vec![vec![1], vec![0, 1], vec![0]];
        let still: Vec<Still> =
            now.still(&then.past(), &Changes::default()).unwrap().into_iter().map(Option::unwrap).collect();
        assert_eq!(still[0].judged.verdict, killed(1));
        assert_eq!(still[2].judged.verdict, Verdict::Undetected { skipped: vec![0] });
        let Explanation { diagnosis, first } = still[2].explanation.as_ref().unwrap();
        assert_eq!([diagnosis, &first.as_ref().unwrap().diagnosis].map(|one| one.calls[0].test), [0, 0]);
    }

    #[test]
    fn what_did_not_end_or_was_not_noticed_is_told_though_its_verdict_does_not_hold() {
        let (scene, mut now) = (scene(), scene());
        let late = Verdict::TimedOut(Kill { test: 0, exception: String::new(), message: String::new() });
        let unnoticed = Verdict::Undetected { skipped: Vec::new() };
        let judged = [judged(late, &[0], true, &[0]), judged(unnoticed, &[0, 1], false, &[0, 1])];
        let past = Past::new(&scene.transformations, &scene.coverage, &judged, &[], Vec::new());
        let expected = |now: &Scene, changes: &Changes| {
            past.holding(changes, &now.build, &now.transformations, &now.coverage).unwrap().unwrap().expected
        };
        let void = |method: usize| (method, "void".to_owned());
        let undetected = HashSet::from([void(1)]);
        now.coverage.tests.swap(0, 1);
        now.coverage.covering = vec![vec![1], vec![0, 1], vec![0]];
        let test = HashMap::from([(void(0), 1)]);
        let then = Expected { late: test.clone(), noticed: test.clone(), undetected: undetected.clone() };
        assert_eq!(expected(&now, &body("a")), then, "in the numbers of now");
        let folder = tempfile::tempdir().unwrap();
        let recipe = Recipe::of_tests(folder.path());
        std::fs::create_dir(&recipe.test_classes).unwrap();
        let test = recipe.test_classes.join("ATest.class");
        now.build.recipes = vec![recipe];
        let other_test = Changes { test_classes: [test].into(), ..body("a") };
        let then = Expected { noticed: HashMap::new(), ..then };
        assert_eq!(expected(&now, &other_test), then, "one ahead of it may notice now");
        now.coverage.tests.remove(1);
        now.coverage.covering = vec![Vec::new(), vec![0], vec![0]];
        assert_eq!(expected(&now, &body("a")), Expected { undetected, ..Expected::default() }, "the test is gone");
    }

    #[test]
    fn explanations_are_held_against_the_first_runs_of_now_unless_tests_have_changed() {
        let (scene, mut other) = (scene(), scene());
        let past = scene.past();
        let explained = |changes: &Changes, now: &Scene| {
            let holding = past.holding(changes, &now.build, &now.transformations, &now.coverage).unwrap().unwrap();
            holding.explained.into_keys().collect::<Vec<_>>()
        };
        let of_c = [(2, "void".to_owned())];
        assert_eq!(scene.holding(&past, &body("b")), "");
        assert_eq!(explained(&body("b"), &scene), of_c);
        let with_source = |file: &str| Changes { sources: [file.into()].into(), ..body("b") };
        let recipe = Recipe { test_source_roots: vec!["/p/test".into()], ..Recipe::of_tests(Path::new("/p")) };
        other.build.recipes = vec![recipe];
        assert_eq!(explained(&with_source("/p/main/B.java"), &other), of_c);
        assert_eq!(explained(&with_source("/p/test/BTest.java"), &other), []);
        assert_eq!(explained(&with_source("/p/main/ATest.java"), &other), [], "lines that are not known");
        other.coverage.tests.swap(0, 1);
        assert_eq!(explained(&body("b"), &other), [], "tests have other numbers");
    }

    #[test]
    fn lines_of_a_source_that_is_another_are_looked_up_again() {
        let scene = scene();
        let changes = Changes { sources: ["/p/test/ATest.java".into()].into(), ..Changes::default() };
        assert_eq!(scene.holding(&scene.past(), &changes), "ab");
        let changes = Changes { sources: ["/p/test/BTest.java".into()].into(), ..Changes::default() };
        assert_eq!(scene.holding(&scene.past(), &changes), "abc");
    }

    #[test]
    fn lines_of_bodies_that_are_the_same_are_shown_where_they_are_now() {
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
    fn it_outlives_the_process() {
        let past = scene().past();
        let read: Past = serde_json::from_str(&serde_json::to_string(&past).unwrap()).unwrap();
        assert_eq!(scene().holding(&read, &body("c")), "ab");
        assert_eq!(scene().holding(&read, &body("a")), "");
    }
}

//! A second analysis of the same state is the first one's result; of any other state, or without history, it is an analysis of its own.

use crate::common::{Copy, copy, printed};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

const AGAIN: &str = "Nothing has changed since the last analysis";

/// A project with a cache of its own.
struct Project {
    copy: Copy,
    cache: tempfile::TempDir,
    /// Where they are not what the test is about, they take a third of its time.
    has_patches: bool,
}

impl Project {
    fn new(name: &str) -> Self {
        Self { has_patches: true, ..Self::without_patches(name) }
    }

    fn without_patches(name: &str) -> Self {
        Self { copy: copy(name), cache: tempfile::tempdir().unwrap(), has_patches: false }
    }

    /// The exit code, what was printed, and the three files that are written in any case.
    fn analyze(&self, arguments: &[&str]) -> (Option<i32>, String, [String; 3]) {
        let mut command = self.copy.command(arguments);
        command.args((!self.has_patches).then_some("--no-fix"));
        let output = command.args(["--runs", "2"]).env("RENERI_CACHE", self.cache.path()).output().unwrap();
        let reports = ["report.json", "report.md", "summary.md"].map(|file| self.copy.report(file));
        (output.status.code(), printed(&output), reports)
    }

    fn change(&self, file: &str, from: &str, to: &str) {
        let path = self.copy.root.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        std::fs::write(path, text.replace(from, to)).unwrap();
    }

    fn kept(&self) -> Vec<PathBuf> {
        self.in_cache("analyses")
    }

    fn in_cache(&self, folder: &str) -> Vec<PathBuf> {
        let folder = self.cache.path().join(folder);
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// When the instrumented tests of each module were written.
    fn instrumented(&self) -> Vec<(PathBuf, SystemTime)> {
        let modified = |file: PathBuf| (file.clone(), std::fs::metadata(file).unwrap().modified().unwrap());
        let mut files: Vec<_> = self.in_cache("instrumented").into_iter().map(modified).collect();
        files.sort();
        files
    }
}

fn remove(file: &Path) {
    std::fs::remove_file(file).unwrap();
}

#[test]
fn what_has_not_changed_is_not_analyzed_again_and_whatever_changes_is() {
    let project = Project::without_patches("versioned-set");
    let (code, shown, first) = project.analyze(&[]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains(AGAIN), "{shown}");
    assert_eq!(project.kept().len(), 1);

    // The same once more, in another format too, and with the exit code that is asked for now.
    remove(&project.copy.root.join("target/reneri/report.md"));
    let (code, shown, again) = project.analyze(&["--fail-on", "any", "--format", "sarif"]);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains(AGAIN) && !shown.contains("Running the tests"), "{shown}");
    assert_eq!(again, first);
    assert!(project.copy.report("report.sarif").contains("2.1.0"));

    // One transformation is enough to see what is analyzed anew.
    let is_new = |arguments: &[&str], why: &str| {
        let (code, shown, reports) = project.analyze(arguments);
        assert_eq!(code, Some(0), "{why}: {shown}");
        assert!(!shown.contains(AGAIN) && shown.contains("Running the tests"), "{why}: {shown}");
        reports
    };
    std::fs::write(project.kept().first().unwrap(), "{").unwrap();
    assert_eq!(is_new(&[], "a broken file"), first);
    assert_eq!(is_new(&["--no-history"], "--no-history"), first);

    let voids = ["--transformations", "void"];
    let other = is_new(&voids, "other transformations");
    assert_ne!(other, first);
    project.change(
        "src/test/java/org/example/VersionedSetTest.java",
        "assertFalse(set.add(\"a\"));",
        "set.add(\"a\");",
    );
    is_new(&voids, "a test was changed");
    std::fs::write(project.copy.root.join("data.txt"), "what a test may read").unwrap();
    is_new(&voids, "a file that a test may read");
    assert!(project.analyze(&voids).1.contains(AGAIN));
    assert_eq!(project.kept().len(), 1);
}

#[test]
fn warnings_are_shown_again() {
    let project = Project::without_patches("failing-test");
    let warning = "is left out:";
    let (_, first, _) = project.analyze(&[]);
    assert!(first.contains(warning) && !first.contains(AGAIN), "{first}");
    let (_, again, _) = project.analyze(&[]);
    assert!(again.contains(AGAIN), "{again}");
    assert_eq!(again.matches(warning).count(), first.matches(warning).count(), "{again}");
}

#[test]
fn two_do_not_work_on_one_project_at_the_same_time() {
    let project = copy("versioned-set");
    let file = reneri::base::project_lock::file(&project.root.canonicalize().unwrap());
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let held = std::fs::File::options().create(true).append(true).open(&file).unwrap();
    held.lock().unwrap();
    let mut command = project.command(&["--runs", "2", "--no-fix", "--transformations", "void"]);
    let mut waiting = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(waiting.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "Another reneri works on this project: waiting until it has ended.");
    assert!(!project.root.join("target").exists(), "it waits before anything is built");
    drop(held);
    assert!(lines.next().unwrap().starts_with("Compiling"));
    lines.for_each(drop);
    assert_eq!(waiting.wait().unwrap().code(), Some(0));
    remove(&file);
}

/// How many transformations were analyzed again, of how many; `None` where all were, or none.
fn affected(shown: &str) -> Option<(usize, usize)> {
    let line = shown.lines().find(|line| line.contains("keep their verdicts of the last analysis"))?;
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<usize>().ok());
    let (kept, of) = (numbers.next()?, numbers.next()?);
    Some((of - kept, of))
}

impl Project {
    /// After a change: how much was analyzed again, with the same reports as if all had been.
    fn after(&self, why: &str) -> Option<(usize, usize)> {
        affected(&self.same_as_all(why))
    }

    /// The same, and how many tests ran once or not at all.
    fn once(&self, why: &str) -> Option<(usize, usize, usize)> {
        ran_once(&self.same_as_all(why))
    }

    fn same_as_all(&self, why: &str) -> String {
        let (code, shown, reports) = self.analyze(&["--verbose"]);
        assert_eq!(code, Some(0), "{why}: {shown}");
        for (one, other) in reports.iter().zip(&self.all()) {
            assert_eq!(one, other, "{why}: {shown}");
        }
        shown
    }

    /// The reports of an analysis that knows of none before it. Maven has just been asked, and is not asked again, as it would be with
    /// `--no-history`.
    fn all(&self) -> [String; 3] {
        let aside = tempfile::tempdir().unwrap();
        let folders =
            ["analyses", "instrumented"].map(|folder| (self.cache.path().join(folder), aside.path().join(folder)));
        folders.iter().for_each(|(folder, aside)| std::fs::rename(folder, aside).unwrap());
        let (_, shown, reports) = self.analyze(&["--verbose"]);
        assert!(!shown.contains("last analysis") && shown.contains("Running the tests"), "{shown}");
        for (folder, aside) in &folders {
            std::fs::remove_dir_all(folder).unwrap();
            std::fs::rename(aside, folder).unwrap();
        }
        reports
    }
}

#[test]
fn an_edit_costs_only_what_it_can_affect() {
    let project = Project::without_patches("several-modules");
    let (code, shown, _) = project.analyze(&[]);
    assert_eq!((code, affected(&shown)), (Some(0), None), "{shown}");

    let bank = "app/src/main/java/org/example/app/Bank.java";
    project.change(
        bank,
        "accounts.remove(account);",
        "if (account != null) {\n            accounts.remove(account);\n        }",
    );
    let instrumented = project.instrumented();
    assert_eq!(instrumented.len(), 3, "{instrumented:?}");
    let (again, of) = project.after("a body").unwrap();
    assert!(0 < again && again < of, "{again} of {of}");
    assert_eq!(project.instrumented(), instrumented, "tests are compiled against no body");

    assert!(project.analyze(&[]).1.contains(AGAIN));

    // Lines move, and findings that show them move along.
    project.change(bank, "public class Bank {", "/** Keeps accounts. */\npublic class Bank {");
    let test = "core/src/test/java/org/example/core/AccountTest.java";
    project.change(test, "account.withdraw(2);", "account.withdraw(5);\n        assertTrue(account.isEmpty());");
    let (again, _) = project.after("a comment and a test").unwrap();
    assert!(0 < again && again < of, "{again} of {of}");
    let is_same = project.instrumented().into_iter().zip(instrumented).filter(|(now, then)| now == then).count();
    assert_eq!(is_same, 2, "the tests of one module are others");

    // What is more than bodies can concern everything.
    project.change(bank, "    public Account open", "    static final int MOST = 100;\n\n    public Account open");
    let (code, shown, _) = project.analyze(&["--verbose"]);
    assert_eq!((code, affected(&shown)), (Some(0), None), "{shown}");
    assert!(shown.contains("Everything is analyzed again"), "{shown}");
}

#[test]
fn a_copy_elsewhere_of_the_files_and_another_part_of_the_project_keep_verdicts() {
    let project = Project::without_patches("several-modules");
    let (_, _, whole) = project.analyze(&[]);
    // As a new clone has it: other times, other inodes.
    for file in project.copy.files().keys() {
        let content = std::fs::read(file).unwrap();
        std::fs::remove_file(file).unwrap();
        std::fs::write(file, content).unwrap();
    }
    assert!(project.analyze(&[]).1.contains(AGAIN));
    let (_, shown, _) = project.analyze(&["--shard", "1/2"]);
    assert!(shown.contains("9 of 9 transformations keep"), "{shown}");
    // And the part has not cost the whole its verdicts.
    let (_, shown, again) = project.analyze(&[]);
    let not_covered = project.copy.json()["summary"]["notCovered"].as_u64().unwrap();
    assert_eq!(affected(&shown).unwrap().0 as u64, not_covered, "of these there is nothing to keep: {shown}");
    assert_eq!(again, whole);
}

#[test]
fn a_part_that_numbers_its_transformations_otherwise_keeps_their_explanations() {
    let project = Project::without_patches("versioned-set");
    project.analyze(&[]);
    let whole = project.copy.json();
    let (code, shown, _) = project.analyze(&["--shard", "2/2"]);
    assert_eq!(code, Some(0), "{shown}");
    let part = project.copy.json();
    assert!(part["summary"]["undetected"].as_u64().unwrap() > 0, "{shown}");
    let whole = whole["transformations"].as_array().unwrap();
    let part = part["transformations"].as_array().unwrap();
    assert_eq!(part[..], whole[whole.len() - part.len()..]);
}

impl Project {
    fn add(&self, file: &str, text: &str) {
        let path = self.copy.root.join(file);
        assert!(!path.exists());
        std::fs::write(path, text).unwrap();
    }

    /// A class with one test.
    fn add_test(&self, class: &str, assertion: &str) {
        self.add(&format!("src/test/java/org/example/{class}.java"), &table_test(class, assertion));
    }
}

/// How many tests ran once or not at all, of how many, and how many not at all.
fn ran_once(shown: &str) -> Option<(usize, usize, usize)> {
    let line = shown.lines().find(|line| line.contains("did not run, the others ran once"))?;
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<usize>().ok());
    Some((numbers.next()?, numbers.next()?, numbers.next()?))
}

const TABLE: &str = r"package org.example;

public class Table {
    private static final int[] SQUARES = squares(4);

    static int[] squares(int size) {
        int[] squares = new int[size];
        for (int i = 0; i < size; i++) {
            squares[i] = i * i;
        }
        return squares;
    }

    public int square(int i) {
        return SQUARES[i];
    }

    public int twice(int i) {
        return sum(i, i) * 1;
    }

    public int sum(int one, int other) {
        return one + other;
    }
}
";

fn table_test(class: &str, assertion: &str) -> String {
    format!(
        "package org.example;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n\
         public class {class} {{\n    @Test\n    public void holds() {{\n        {assertion}\n    }}\n}}\n"
    )
}

/// Waits for ever where `open` does nothing.
const GATE: &str = "package org.example;

import java.util.concurrent.CountDownLatch;

public class Gate {
    private final CountDownLatch latch = new CountDownLatch(1);
    private int opened;

    public boolean pass() {
        open();
        try {
            latch.await();
        } catch (InterruptedException e) {
            return false;
        }
        return opened == 1;
    }

    private void open() {
        opened++;
        latch.countDown();
    }
}
";

#[test]
fn a_test_that_waits_for_ever_is_not_waited_for_again_where_it_enters_nothing_that_has_changed() {
    let project = Project::without_patches("failing-test");
    let (table, gate) = ("src/main/java/org/example/Table.java", "src/main/java/org/example/Gate.java");
    project.add(table, TABLE);
    project.add(gate, GATE);
    project.add_test("SumTest", "assertEquals(4, new Table().sum(2, 2));");
    project.add_test("GateTest", "assertEquals(true, new Gate().pass());");
    let waited_for = |project: &Project| project.copy.json()["summary"]["timedOut"].as_u64();
    project.analyze(&[]);
    assert_eq!(waited_for(&project), Some(1));
    project.change(table, "return one + other;", "return other + one;");
    let (_, elsewhere, _) = project.analyze(&["--verbose"]);
    project.change(gate, "opened++;", "opened = 1;");
    let (_, there, _) = project.analyze(&["--verbose"]);
    let again = |shown: &str| shown.contains("Gate.open()V/void: ");
    assert_eq!((again(&elsewhere), again(&there)), (false, true), "{elsewhere}\n{there}");
    assert_eq!(waited_for(&project), Some(1));
}

const TILL: &str = "package org.example;

public class Till {
    private int sum;

    public void add(int i) {
        sum += i;
    }

    public int sum() {
        return sum * 1;
    }
}
";

#[test]
fn the_test_that_noticed_is_asked_first_after_an_edit_of_the_code() {
    let project = Project::without_patches("failing-test");
    let till = "src/main/java/org/example/Till.java";
    project.add(till, TILL);
    let test = |class: &str, condition: &str| {
        let assertion = format!("Till till = new Till(); till.add(1); assertEquals(true, {condition});");
        project.add_test(class, &assertion);
    };
    test("ATest", "till.sum() >= 0");
    test("BTest", "till.sum() == 1");
    let noticed_by = |arguments: &[&str]| {
        project.analyze(arguments);
        let report = project.copy.json();
        let mut all = report["transformations"].as_array().unwrap().iter();
        let add = all.find(|entry| entry["id"] == "org.example.Till.add(I)V/void").unwrap();
        add["detectedBy"][0].as_str().unwrap().to_owned()
    };
    assert_eq!(noticed_by(&[]), "org.example.BTest.holds()");
    // Now the other one notices, too, of which an analysis of everything asks first.
    project.change(till, "return sum * 1;", "return sum == 0 ? -1 : sum;");
    assert_eq!(noticed_by(&[]), "org.example.BTest.holds()");
    assert_eq!(noticed_by(&["--no-history"]), "org.example.ATest.holds()");
}

const DIE: &str = "package org.example;

import java.util.Random;

public class Die {
    private final Random random = new Random();
    private int last;
    private int rolls;

    public void roll() {
        last = random.nextInt(1 << 30);
        count();
    }

    private void count() {
        rolls++;
    }

    public int half(int number) {
        return number / 2;
    }
}
";

#[test]
fn below_random_data_an_explanation_is_held_against_a_few_repetitions_after_an_edit() {
    let project = Project::without_patches("failing-test");
    let die = "src/main/java/org/example/Die.java";
    project.add(die, DIE);
    let test = "Die die = new Die(); die.roll(); assertEquals(2, die.half(4));";
    project.add_test("DieTest", test);
    // Runs of the tests to observe them, and what came of it.
    let observed = || {
        let mut command = project.copy.command(&["--no-fix", "--timings", "--jobs", "1"]);
        let output = command.env("RENERI_CACHE", project.cache.path()).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        let timings: serde_json::Value = serde_json::from_str(&project.copy.report("timings.json")).unwrap();
        let mut stages = timings["stages"].as_array().unwrap().iter();
        let stage = stages.find(|stage| stage["name"].as_str().unwrap().starts_with("Observing")).unwrap();
        let runs: u64 =
            stage["workers"].as_array().unwrap().iter().map(|worker| worker["runs"].as_u64().unwrap()).sum();
        (runs, project.copy.report("report.md"))
    };
    let (first, report) = observed();
    assert!(report.contains("`.rolls`"), "{report}");
    project.change(die, "return number / 2;", "return number / 2 + 0;");
    let (again, same) = observed();
    assert_eq!(report, same);
    assert!(0 < again && 2 * again < first, "{again} and {first}");
}

#[test]
fn after_an_edit_the_tests_that_do_what_they_did_run_once() {
    // With a test that fails before any change, in a class of its own.
    let project = Project::without_patches("failing-test");
    let table = "src/main/java/org/example/Table.java";
    project.add(table, TABLE);
    let test = |class: &str| format!("src/test/java/org/example/{class}.java");
    project.add_test("SquareTest", "assertEquals(4, new Table().square(2));");
    project.add_test("SumTest", "assertEquals(4, new Table().twice(2));");
    let (code, shown, _) = project.analyze(&["--verbose"]);
    assert_eq!((code, ran_once(&shown)), (Some(0), None), "{shown}");

    let mut twice = "return sum(i, i) * 1;";
    let mut edit = |to: &'static str| project.change(table, std::mem::replace(&mut twice, to), to);
    // Each class is a clean start's first to need `Table` in turn: what initialises it is the first one's in any case.
    edit("return i == 2 ? square(i) : sum(i, i) * 1;");
    assert!(matches!(project.once("a test reaches another method"), Some((3, 4, 2..))));
    edit("return sum(i, i) + 0;");
    assert!(matches!(project.once("and no longer"), Some((3, 4, 2..))));
    edit("return sum(i, i) + 1;");
    assert!(matches!(project.once("a test fails"), Some((3, 4, 2..))));
    edit("return sum(i, i) - 0;");
    assert!(matches!(project.once("and passes again"), Some((3, 4, 2..))));
    project.change(table, "return SQUARES[i];", "return SQUARES[i] + 0;");
    assert!(matches!(project.once("the class of the first test"), Some((3, 4, 2..))));
    project.change(&test("SumTest"), "twice(2)", "twice(1) + 2");
    assert!(matches!(project.once("a test"), Some((3, 4, 2..))));
    project.add_test("ZeroTest", "assertEquals(0, new Table().square(0));");
    // Where it comes first, what initialises `Table` is no longer that of the class that was first.
    assert!(matches!(project.once("a new test class"), Some((3 | 4, 5, 0))));
    project.change(table, "squares[i] = i * i;", "squares[i] = i * i + 0;");
    assert_eq!(project.once("what runs while classes are initialised"), None);
}

/// Leaves something in the JDK that nobody sees but who asks for it.
const LEAVES: &str =
    "java.security.Security.setProperty(\"reneri.left\", \"1\"); assertEquals(4, new Table().sum(2, 2));";

#[test]
fn who_finds_what_a_resting_test_leaves_behind_has_all_tests_run_once_and_not_after_each_edit() {
    let project = Project::without_patches("failing-test");
    let table = "src/main/java/org/example/Table.java";
    project.add(table, TABLE);
    let test = |class: &str, assertion: &str| project.add_test(class, assertion);
    // It is the first to need `Table`, so that it does not rest.
    test("FirstTest", "assertEquals(4, new Table().square(2));");
    test("LeavesTest", LEAVES);
    let finds = "int i = java.security.Security.getProperty(\"reneri.left\") == null ? 0 : new Table().sum(0, 0); \
                 assertEquals(0, new Once().once() + i);";
    test("LooksTest", finds);
    project.add("src/main/java/org/example/Once.java", ONCE);
    test("TwiceTest", "assertEquals(4, new Table().square(2));");
    project.add("src/main/java/org/example/Other.java", OTHER);
    test("OtherTest", "assertEquals(3, new Other().three());");
    let analyze = || project.analyze(&["--verbose", "--maven-arg=-Dsurefire.runOrder=alphabetical"]).1;
    analyze();
    let resting = |shown: &str| ran_once(shown).map(|(_, _, resting)| resting);
    let other = "src/main/java/org/example/Other.java";
    project.change(other, "return 3;", "return 4 - 1;");
    let first = analyze();
    assert_eq!(resting(&first), Some(0), "{first}");
    let strayed = "All tests run again: without the skipped tests, the results of org.example.LooksTest differ.";
    assert!(first.contains(strayed), "{first}");
    project.change(other, "return 4 - 1;", "return 5 - 2;");
    let second = analyze();
    assert!(matches!(resting(&second), Some(1..)), "{second}");
}

#[test]
fn a_class_whose_tests_are_found_while_they_run_keeps_its_place_so_that_others_rest() {
    let project = Project::without_patches("versioned-set-junit5");
    project.add("src/main/java/org/example/Table.java", TABLE);
    project.add("src/main/java/org/example/Other.java", OTHER);
    let test = |class: &str, how: &str| {
        let text = table_test(class, "assertEquals(2, new Table().sum(1, 1));");
        let text = text.replace("org.junit.Assert.", "org.junit.jupiter.api.Assertions.").replace("@Test", how);
        let imports = "org.junit.jupiter.api.Test;\nimport org.junit.jupiter.params.ParameterizedTest;\n\
                       import org.junit.jupiter.params.provider.ValueSource";
        text.replace("org.junit.Test", imports)
    };
    let add = |class: &str, text: String| project.add(&format!("src/test/java/org/example/{class}.java"), &text);
    add("FirstTest", test("FirstTest", "@Test"));
    let two = "@ParameterizedTest @ValueSource(ints = {1, 2})";
    add("InvokedTest", test("InvokedTest", two).replace("holds()", "holds(int i)"));
    let of_other = test("OtherTest", "@Test")
        .replace("assertEquals(2, new Table().sum(1, 1))", "assertEquals(3, new Other().three())");
    add("OtherTest", of_other);
    let analyze = || project.analyze(&["--verbose", "--maven-arg=-Dsurefire.runOrder=alphabetical"]).1;
    analyze();
    project.change("src/main/java/org/example/Other.java", "return 3;", "return 4 - 1;");
    let shown = analyze();
    assert!(matches!(ran_once(&shown), Some((_, _, 1..))), "{shown}");
}

const ONCE: &str = "package org.example;

public class Once {
    private static final int ONCE = zero();

    static int zero() {
        return \"\".length();
    }

    public int once() {
        return ONCE;
    }
}
";

const OTHER: &str = "package org.example;

public class Other {
    public int three() {
        return 3;
    }
}
";

const GAUGE: &str = r#"package org.example;

public class Gauge {
    private int level;

    public void raise(int by) {
        level += by;
    }

    public String shown() {
        return "at " + level;
    }
}
"#;

/// What it does can be seen nowhere.
const METER: &str = r"package org.example;

public class Meter {
    private final Gauge gauge = new Gauge();

    public void tick() {
        gauge.raise(1);
    }
}
";

/// How many methods keep their patches, of how many with findings, and of how many they are proven anew.
fn keep_patches(shown: &str) -> Option<(usize, usize, usize)> {
    let line = shown.lines().find(|line| line.contains("findings keep their patches"))?;
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<usize>().ok());
    Some((numbers.next()?, numbers.next()?, numbers.next()?))
}

#[test]
fn a_patch_stays_until_something_that_its_proof_enters_is_edited() {
    let project = Project::new("versioned-set");
    let (gauge, set) = ("src/main/java/org/example/Gauge.java", "src/main/java/org/example/VersionedSet.java");
    let set_test = "src/test/java/org/example/VersionedSetTest.java";
    project.add(gauge, GAUGE);
    project.add("src/main/java/org/example/Meter.java", METER);
    let unseen = "Gauge gauge = new Gauge();\n        gauge.raise(2);\n        new Meter().tick();";
    project.add_test("GaugeTest", unseen);
    let patch = || std::fs::read_to_string(project.copy.root.join("target/reneri/report.json")).unwrap();
    let (code, shown, _) = project.analyze(&["--verbose"]);
    assert_eq!((code, keep_patches(&shown)), (Some(0), None), "{shown}");
    assert!(patch().contains("\\\"at "), "{shown}");

    let kept = |why: &str| keep_patches(&project.same_as_all(why));
    project.change(set, "version++;", "version = 1 + version;");
    let (still, of, anew) = kept("a body that nothing of the gauge enters").unwrap();
    assert!(still == 2 && of > 2 && anew == of - 2, "{still} of {of}, {anew} anew");
    project.change(gauge, "level += by;", "level = level + by;");
    assert_eq!(kept("a body that a search in vain has entered"), Some((of - 2, of, 2)));
    // No test of the project enters it, and the verdict on `raise` stays: it is the patch that says what it shows.
    project.change(gauge, "\"at \" + level", "\"level \" + level");
    assert_eq!(
        kept("what the patch says is another"),
        Some((of - 2, of, 1)),
        "and the search in vain, which entered it, too"
    );
    assert!(patch().contains("\\\"level ") && !patch().contains("\\\"at "));
    project.change(gauge, "\"level \" + level", "\"level \".concat(String.valueOf(level))");
    assert_eq!(kept("what the patch says is the same, made in another way"), Some((of - 2, of, 2)));
    project.change(
        set_test,
        "assertTrue(set.contains(\"a\"));",
        "assertTrue(set.contains(\"a\"));\n        set.contains(\"c\");",
    );
    assert_eq!(kept("a test of another class"), Some((1, of, 0)));
    let (_, shown, _) = project.analyze(&["--verbose", "--fix-budget", "7"]);
    assert_eq!(keep_patches(&shown), None, "other effort: {shown}");
}

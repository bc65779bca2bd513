//! After an edit, only the verdicts and explanations that it can affect are made again.

use super::{AGAIN, Project, TABLE, affected};
use crate::common::printed;

#[test]
fn an_edit_repeats_only_the_verdicts_that_it_can_affect() {
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
    assert_eq!(project.instrumented(), instrumented, "tests do not depend on method bodies");

    assert!(project.analyze(&[]).1.contains(AGAIN));

    // Lines move, and the findings show the new ones.
    project.change(bank, "public class Bank {", "/** Keeps accounts. */\npublic class Bank {");
    let test = "core/src/test/java/org/example/core/AccountTest.java";
    project.change(test, "account.withdraw(2);", "account.withdraw(5);\n        assertTrue(account.isEmpty());");
    let (again, _) = project.after("a comment and a test").unwrap();
    assert!(0 < again && again < of, "{again} of {of}");
    let is_same = project.instrumented().into_iter().zip(instrumented).filter(|(now, then)| now == then).count();
    assert_eq!(is_same, 2, "only the tests of one module have changed");

    // A change outside of method bodies can affect everything.
    project.change(bank, "    public Account open", "    static final int MOST = 100;\n\n    public Account open");
    let (code, shown, _) = project.analyze(&["--verbose"]);
    assert_eq!((code, affected(&shown)), (Some(0), None), "{shown}");
    assert!(shown.contains("Everything is analyzed again"), "{shown}");
}

#[test]
fn a_new_clone_and_a_shard_keep_verdicts() {
    let project = Project::without_patches("several-modules");
    let (_, _, whole) = project.analyze(&[]);
    // Like in a new clone, the files have other times and inodes.
    for file in project.copy.files().keys() {
        let content = std::fs::read(file).unwrap();
        std::fs::remove_file(file).unwrap();
        std::fs::write(file, content).unwrap();
    }
    assert!(project.analyze(&[]).1.contains(AGAIN));
    let (_, shown, _) = project.analyze(&["--shard", "1/2"]);
    assert!(shown.contains("9 of 9 transformations keep"), "{shown}");
    // The analysis of the shard has kept the verdicts of the other shard.
    let (_, shown, again) = project.analyze(&[]);
    let not_covered = project.copy.json()["summary"]["notCovered"].as_u64().unwrap();
    assert_eq!(affected(&shown).unwrap().0 as u64, not_covered, "these have no verdict to keep: {shown}");
    assert_eq!(again, whole);
}

#[test]
fn a_shard_with_other_ids_keeps_explanations() {
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

/// `pass` waits forever if `open` does nothing.
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
fn a_verdict_of_a_timeout_is_kept_if_its_test_enters_no_changed_code() {
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
fn the_test_that_detected_a_change_runs_first_after_an_edit() {
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
    // Now ATest detects it, too. A whole analysis runs that test first.
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
fn an_explanation_with_random_data_needs_few_repetitions_after_an_edit() {
    let project = Project::without_patches("failing-test");
    let die = "src/main/java/org/example/Die.java";
    project.add(die, DIE);
    let test = "Die die = new Die(); die.roll(); assertEquals(2, die.half(4));";
    project.add_test("DieTest", test);
    // The number of runs that observe tests, and the report.
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

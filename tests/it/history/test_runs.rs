//! After an edit, tests whose results cannot have changed run once or not at all.

use super::{Project, TABLE, ran_once, table_test};

#[test]
fn after_an_edit_tests_with_the_same_results_run_once_or_not_at_all() {
    // A test of this project, in a class of its own, fails without any change.
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
    // In turn, each class is the first in a clean start that needs `Table`. The coverage of initialising
    // `Table` always counts for the first class.
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
    // If the new class runs first, the coverage of initialising `Table` moves to it.
    assert!(matches!(project.once("a new test class"), Some((3 | 4, 5, 0))));
    project.change(table, "squares[i] = i * i;", "squares[i] = i * i + 0;");
    assert_eq!(project.once("what runs while classes are initialised"), None);
}

/// Leaves a property in the JDK that only a test that reads it can see.
const LEAVES: &str =
    "java.security.Security.setProperty(\"reneri.left\", \"1\"); assertEquals(4, new Table().sum(2, 2));";

#[test]
fn a_test_that_depends_on_a_skipped_test_makes_all_tests_run_after_one_edit_only() {
    let project = Project::without_patches("failing-test");
    let table = "src/main/java/org/example/Table.java";
    project.add(table, TABLE);
    let test = |class: &str, assertion: &str| project.add_test(class, assertion);
    // It is the first to need `Table`, so it is not skipped.
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
    let skipped = |shown: &str| ran_once(shown).map(|(_, _, skipped)| skipped);
    let other = "src/main/java/org/example/Other.java";
    project.change(other, "return 3;", "return 4 - 1;");
    let first = analyze();
    assert_eq!(skipped(&first), Some(0), "{first}");
    let repeated = "All tests run again: without the skipped tests, the results of org.example.LooksTest differ.";
    assert!(first.contains(repeated), "{first}");
    project.change(other, "return 4 - 1;", "return 5 - 2;");
    let second = analyze();
    assert!(matches!(skipped(&second), Some(1..)), "{second}");
}

#[test]
fn a_class_with_invocations_found_at_run_time_keeps_its_place_so_that_others_are_skipped() {
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

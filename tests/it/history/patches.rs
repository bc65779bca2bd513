//! After an edit, patches that still hold are kept.

use super::Project;

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

/// Its only effect is private and cannot be observed.
const METER: &str = r"package org.example;

public class Meter {
    private final Gauge gauge = new Gauge();

    public void tick() {
        gauge.raise(1);
    }
}
";

/// The numbers of methods that keep their patches, of methods with findings, and of methods whose patches
/// are verified again.
fn keep_patches(shown: &str) -> Option<(usize, usize, usize)> {
    let line = shown.lines().find(|line| line.contains("findings keep their patches"))?;
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<usize>().ok());
    Some((numbers.next()?, numbers.next()?, numbers.next()?))
}

#[test]
fn a_patch_is_kept_until_an_edit_of_code_that_its_proof_enters() {
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
    // No test of the project enters `shown`, so the verdict on `raise` stays. But the patch asserts its
    // result.
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

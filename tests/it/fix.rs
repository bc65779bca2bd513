//! Patches for tests are verified, apply together with all others, and leave nothing undetected.

use crate::common::{Copy, copy, printed};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

fn fix(project: &Copy, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reneri"));
    command.arg("fix").arg("--project").arg(&project.root).args(arguments).output().unwrap()
}

/// The suggestions without patches for the undetected changes of a method.
fn hints(report: &serde_json::Value, method: &str) -> String {
    let entries = report["transformations"].as_array().unwrap().iter();
    let of_method = entries.filter(|entry| entry["method"] == method && entry["status"] == "undetected");
    let all = of_method.flat_map(|entry| entry["suggestions"].as_array().unwrap());
    let texts = all.filter(|one| one["trust"] == "hint").map(|one| one["text"].as_str().unwrap());
    texts.collect::<Vec<_>>().join("\n")
}

/// The patches of the last analysis by name.
fn patches(project: &Copy) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(project.root.join("target/reneri/patches")).unwrap().map(|file| file.unwrap().path());
    files
        .map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(file).unwrap()))
        .collect()
}

/// Method, transformation and patch, if there is one, of everything undetected.
fn undetected(report: &serde_json::Value) -> Vec<(String, serde_json::Value)> {
    let entries = report["transformations"].as_array().unwrap().iter().filter(|entry| entry["status"] == "undetected");
    entries
        .map(|entry| {
            let name = format!("{}/{}", entry["method"].as_str().unwrap(), entry["transformation"].as_str().unwrap());
            let suggestions = entry["suggestions"].as_array().unwrap();
            let patch = suggestions.iter().find(|suggestion| !suggestion["patch"].is_null());
            (name, patch.cloned().unwrap_or_default())
        })
        .collect()
}

fn git(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("git").args(arguments).current_dir(folder).output().unwrap()
}

fn analyzed_patched_and_analyzed_again(name: &str, options: &[&str]) {
    let project = copy(name);
    let report = project.analyzed(options);
    let found = undetected(&report);
    assert_eq!(found.len(), 4, "{found:?}");
    for (name, patch) in &found {
        assert_eq!(patch["trust"], "verified", "{name}: {patch}");
        assert!(patch["fix"]["newLines"].as_u64().unwrap() <= 6, "{name}: {patch}");
        assert!(patch["fix"]["because"].is_null(), "{name}: {patch}");
    }
    let of_first_run = patches(&project);
    assert_eq!(of_first_run.len(), 4);
    assert_eq!(git(&project.root, &["init", "-q"]).status.code(), Some(0));
    for name in of_first_run.keys() {
        let checked = git(&project.root, &["apply", "--check", &format!("target/reneri/patches/{name}")]);
        assert_eq!(checked.status.code(), Some(0), "{name}: {}", printed(&checked));
    }
    let markdown = project.report("report.md");
    assert!(markdown.contains("```diff\n--- a/src/test/java/org/example/VersionedSetTest.java"), "{markdown}");

    project.analyzed(&[options, &["--no-history"]].concat());
    assert_eq!(patches(&project), of_first_run, "another run, other patches");

    let before = project.files();
    let shown = fix(&project, &["--all"]);
    assert_eq!(shown.status.code(), Some(0), "{}", printed(&shown));
    assert_eq!(project.files(), before, "what is printed is not applied");
    let combined = project.folder.path().join("all.patch");
    std::fs::write(&combined, &shown.stdout).unwrap();
    let checked = git(&project.root, &["apply", "--check", combined.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(0), "{}{}", printed(&checked), printed(&shown));

    a_report_cannot_name_the_file_to_change(&project);

    let applied = fix(&project, &["--all", "--apply"]);
    assert_eq!(applied.status.code(), Some(0), "{}", printed(&applied));
    let changed: Vec<_> = project.files().into_iter().filter(|(file, text)| before.get(file) != Some(text)).collect();
    assert_eq!(changed.len(), 1);
    assert!(changed[0].0.ends_with("src/test/java/org/example/VersionedSetTest.java"));
    let again = project.analyzed(options);
    assert_eq!(undetected(&again), []);
    assert!(patches(&project).is_empty(), "patches of an earlier analysis are left");

    let refused = fix(&project, &["--all"]);
    assert!(printed(&refused).contains("no verified patch"), "{}", printed(&refused));
}

/// A report from elsewhere is data: no path in it leads out of the test sources.
fn a_report_cannot_name_the_file_to_change(project: &Copy) {
    let (file, whole) = (project.root.join("target/reneri/report.json"), project.report("report.json"));
    let outside = project.folder.path().join("Outside.java");
    std::fs::write(&outside, "class Outside {}").unwrap();
    let link = project.root.join("src/test/java/linked");
    std::os::unix::fs::symlink(project.folder.path(), &link).unwrap();
    let before = project.files();
    let test = "src/test/java/org/example/VersionedSetTest.java";
    let absolute = outside.display().to_string();
    for hostile in
        ["../Outside.java", &absolute, "src/test/java/linked/Outside.java", "pom.xml", ".git/hooks/pre-commit"]
    {
        let claim = whole.replace(&format!("\"file\": \"{test}\""), &format!("\"file\": \"{hostile}\""));
        assert_ne!(claim, whole);
        std::fs::write(&file, claim).unwrap();
        let refused = fix(project, &["--all", "--apply"]);
        assert_eq!(refused.status.code(), Some(2), "{hostile}: {}", printed(&refused));
        assert!(printed(&refused).contains("is left out: "), "{hostile}: {}", printed(&refused));
    }
    std::fs::write(&file, whole.replacen("\"shortId\": \"", "\"shortId\": \"../", 1)).unwrap();
    assert_eq!(fix(project, &["--all", "--apply"]).status.code(), Some(1));
    assert_eq!(project.files(), before);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "class Outside {}");
    std::fs::remove_file(&link).unwrap();
    std::fs::write(&file, whole).unwrap();
}

#[test]
fn with_all_patches_applied_nothing_is_undetected_under_junit_4() {
    analyzed_patched_and_analyzed_again("versioned-set", &["--runs", "2"]);
}

#[test]
fn with_all_patches_applied_nothing_is_undetected_under_junit_5() {
    analyzed_patched_and_analyzed_again("versioned-set-junit5", &["--runs", "2"]);
}

#[test]
fn what_is_told_printed_drawn_at_random_or_two_steps_away_gets_a_patch() {
    let project = copy("effects");
    let report = project.analyzed(&["--runs", "2"]);
    // A suggestion has code if it compiles: the static type of the array is `Object`.
    assert!(hints(&report, "opens").contains("`assertTrue(door.opens())`"), "{}", hints(&report, "opens"));
    assert!(hints(&report, "add").contains("looks at `crate.counts()`"), "{}", hints(&report, "add"));
    assert!(!hints(&report, "add").contains("assertArrayEquals("), "{}", hints(&report, "add"));
    let found = undetected(&report);
    let patch = |method: &str| {
        let (name, patch) =
            found.iter().find(|(name, _)| name.starts_with(method)).unwrap_or_else(|| panic!("{method}"));
        assert_eq!(patch["trust"], "verified", "{name}: {patch}");
        (patch["rule"].as_str().unwrap().to_owned(), patch["patch"].as_str().unwrap().to_owned())
    };
    for (method, rule, line) in [
        // A mock that the test has, and one that it does not have.
        ("pay/", "verify-call", "+        verify(ledger).enter(\"paid\", 3);"),
        ("leave/", "verify-call", "+        verify(ledger).close();"),
        // A mock that returns an answer.
        ("greeting/", "new-input", "+        when(guest.isExpected()).thenReturn(true);"),
        ("greet/", "capture-output", "+        assertEquals(\"Hello, Ada\", printed.toString().trim());"),
        (
            "opens/",
            "call-sequence",
            "+        door.knock();\n+        door.knock();\n+        assertTrue(door.opens());",
        ),
        ("roll/", "new-input", "+        assertEquals("),
        // No test can give these a seed.
        (
            "flip/",
            "repeat-call",
            "+        assertEquals(2, Stream.generate(() -> new Coin().flip()).limit(100).distinct().count());",
        ),
        (
            "serial/",
            "repeat-call",
            "+        assertTrue(Stream.generate(() -> new Coin().name()).limit(100).distinct().count() > 1);",
        ),
    ] {
        let (made, patch) = patch(method);
        assert_eq!(made, rule, "{method}: {patch}");
        assert!(patch.contains(line), "{method}: {patch}");
    }
    assert!(patch("roll/").1.contains("new Dice(new Random("), "without a seed");
    // Applied all at once; then the tests detect everything.
    assert_eq!(fix(&project, &["--all", "--apply"]).status.code(), Some(0));
    assert_eq!(undetected(&project.analyzed(&["--runs", "2", "--no-fix"])), []);
}

#[test]
fn a_test_that_was_edited_since_the_analysis_gets_its_patch_and_keeps_the_edit() {
    let project = copy("versioned-set");
    let report = project.analyzed(&["--runs", "2"]);
    let entries = report["transformations"].as_array().unwrap();
    let id = entries.iter().find(|entry| entry["status"] == "undetected").unwrap()["shortId"].as_str().unwrap();
    let test = project.root.join("src/test/java/org/example/VersionedSetTest.java");
    let text = std::fs::read_to_string(&test).unwrap() + "// edited\n";
    std::fs::write(&test, &text).unwrap();
    let applied = fix(&project, &[id, "--apply"]);
    assert_eq!(applied.status.code(), Some(0), "{}", printed(&applied));
    let patched = std::fs::read_to_string(&test).unwrap();
    assert!(patched.ends_with("// edited\n") && patched.len() > text.len(), "{patched}");
    let again = fix(&project, &[id, "--apply"]);
    assert!(printed(&again).contains("has the patch of"), "{}", printed(&again));
    assert_eq!(std::fs::read_to_string(&test).unwrap(), patched);

    let unknown = fix(&project, &["0000000000"]);
    assert_eq!(unknown.status.code(), Some(1), "{}", printed(&unknown));
    assert!(printed(&unknown).contains("has no transformation"), "{}", printed(&unknown));
}

/// Issue 54: an encoding, line ends, tabs, braces, classes on one line, and two new tests of one name.
#[test]
fn each_form_of_a_test_class_gets_patches_that_hold_together_and_next_to_an_edit() {
    let project = copy("text-forms");
    let found = undetected(&project.analyzed(&["--runs", "2"]));
    for (name, patch) in &found {
        assert_eq!(patch["trust"], "verified", "{name}: {patch}");
    }
    let source = |name: &str| project.root.join(format!("src/test/java/org/example/{name}.java"));
    let line = "        new Mappers.Upper();\n        Object upper";
    let edited = std::fs::read_to_string(source("MappersTest")).unwrap().replace("        Object upper", line);
    // A patch that a name or the edited program makes wrong costs only itself.
    let edited = edited.replace("class MappersTest {", "class MappersTest {\n    void mapIsNotNullForA2() { }\n");
    std::fs::write(source("MappersTest"), edited).unwrap();
    let program = project.root.join("src/main/java/org/example/Umlaut.java");
    let text = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, text.replace("n + 2", "n + 5")).unwrap();

    let applied = fix(&project, &["--all", "--apply"]);
    assert_eq!(applied.status.code(), Some(2), "{}", printed(&applied));
    let left_out = printed(&applied).lines().filter(|line| line.contains("is left out")).count();
    assert_eq!(left_out, 2, "{}", printed(&applied));
    let bytes = |name: &str| std::fs::read(source(name)).unwrap();
    let text = |name: &str| bytes(name).iter().map(|byte| char::from(*byte)).collect::<String>();
    assert!(text("GreetingTest").contains("assertEquals(\"Gr\u{fc}\u{df}e an "), "{}", text("GreetingTest"));
    assert!(text("GreetingTest").contains("\\u200b\\u20ac\""), "{}", text("GreetingTest"));
    assert!(text("UmlautTest").contains("/** Pr\u{fc}ft. */"), "{}", text("UmlautTest"));
    let boxes = text("BoxTest");
    assert_eq!(boxes.matches('\n').count(), boxes.matches("\r\n").count(), "{boxes}");
    assert!(!boxes.contains("    ") && boxes.matches("\r\n\t{\r\n").count() > 1, "{boxes}");
    let open: Vec<String> =
        undetected(&project.analyzed(&["--runs", "2", "--no-fix"])).into_iter().map(|(name, _)| name).collect();
    assert_eq!(open, ["map/null", "plus/0", "plus/1"]);
}

#[test]
fn without_fixing_there_are_no_patches() {
    let project = copy("versioned-set");
    let report = project.analyzed(&["--runs", "2", "--no-fix"]);
    assert!(undetected(&report).iter().all(|(_, patch)| patch.is_null()));
    assert!(!project.root.join("target/reneri/patches").exists());
}

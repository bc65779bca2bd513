//! The merged reports of all shards equal the report of the whole analysis, byte by byte.

use crate::common::{Copy, copy, printed};
use std::process::Command;

const FILES: [&str; 4] = ["report.json", "report.md", "summary.md", "gl-code-quality.json"];

fn reports(project: &Copy) -> Vec<String> {
    FILES.iter().map(|file| project.report(file)).collect()
}

fn merge(project: &Copy, parts: &[usize], arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reneri"));
    command.args(["merge", "--project"]).arg(&project.root).args(arguments);
    command.args(parts.iter().map(|part| project.folder.path().join(format!("part-{part}/report.json"))));
    let output = command.output().unwrap();
    (output.status.code(), printed(&output))
}

fn check_that_merged_shards_equal_the_whole(name: &str) {
    let project = copy(name);
    let options = ["--runs", "2", "--format", "gitlab"];
    project.analyzed(&options);
    let whole = reports(&project);
    for part in 1..=3 {
        let output = project.folder.path().join(format!("part-{part}"));
        let shard = format!("{part}/3");
        let arguments = [&options[..], &["--shard", &shard, "--output", output.to_str().unwrap()]].concat();
        let analyzed = project.analyze(&arguments);
        assert_eq!(analyzed.status.code(), Some(0), "{}", printed(&analyzed));
        assert!(printed(&analyzed).contains(&format!("Part {part} of 3 of an analysis: ")), "{}", printed(&analyzed));
        let markdown = std::fs::read_to_string(output.join("report.md")).unwrap();
        assert!(markdown.contains(&format!("**Part {part} of 3 of an analysis:**")), "{markdown}");
    }
    for file in FILES {
        std::fs::remove_file(project.root.join("target/reneri").join(file)).unwrap();
    }
    let (code, shown) = merge(&project, &[3, 1, 2], &["--format", "gitlab", "--fail-on", "any"]);
    assert_eq!(code, Some(2), "{shown}");
    for (file, (merged, whole)) in FILES.iter().zip(reports(&project).iter().zip(&whole)) {
        assert!(merged == whole, "{file}:\n{}", similar::TextDiff::from_lines(whole, merged).unified_diff());
    }
    let (code, shown) = merge(&project, &[1, 3], &[]);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("Part 2 of 3 is missing"), "{shown}");
}

#[test]
fn three_shards_of_one_module_merge_into_the_whole_report() {
    check_that_merged_shards_equal_the_whole("versioned-set");
}

#[test]
fn three_shards_of_several_modules_merge_into_the_whole_report() {
    check_that_merged_shards_equal_the_whole("several-modules");
}

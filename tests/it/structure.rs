//! The house rule that data flows one way, held against the source: foundations import no stage, a stage imports earlier stages only.

use std::path::Path;

/// From the bottom up. A file may import what stands on its own line or above.
const FLOORS: [&[&str]; 17] = [
    &["base", "observation"],
    &["classfile", "text"],
    &["jvm"],
    &["project"],
    &["recipe"],
    &["transform"],
    &["code"],
    &["cover"],
    &["change"],
    &["detect"],
    &["observe", "instrument"],
    &["diagnose"],
    &["suggest"],
    &["fix"],
    &["report"],
    &["cli", "terminal", "history"],
    &["pipeline", "commands"],
];

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

fn module_of(path: &Path) -> String {
    let first = path.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn data_flows_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    for entry in walkdir::WalkDir::new(&root) {
        let entry = entry.unwrap();
        if entry.path().extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let module = module_of(entry.path().strip_prefix(&root).unwrap());
        if module == "lib" || module == "main" {
            continue;
        }
        let own = floor(&module).unwrap_or_else(|| panic!("src/{module} has no floor in tests/it/structure.rs"));
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for (line, code) in (1..).zip(text.lines().map(|line| line.split("//").next().unwrap_or_default())) {
            for import in code.split("crate::").skip(1) {
                let name: String =
                    import.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
                let Some(other) = floor(&name) else { continue };
                checked += 1;
                assert!(other <= own, "{}:{line}: {module} imports {name}, which comes later", entry.path().display());
            }
        }
    }
    assert!(checked > 50, "only {checked} imports were seen: the test looks at the wrong place");
}

#[test]
fn every_file_says_its_job_in_its_first_line() {
    for folder in ["src", "tests", "examples", "benches"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in walkdir::WalkDir::new(&root).into_iter().filter_map(Result::ok) {
            if entry.path().extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(entry.path()).unwrap();
                assert!(text.starts_with("//! "), "{} does not start with //!", entry.path().display());
            }
        }
    }
}

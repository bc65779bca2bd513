//! Data flows one way: a folder of `src` imports only folders on its own floor or on a lower one.

use crate::imports::{Import, imports};
use crate::source::{Source, read};

/// The folders of `src`, from the bottom up.
const FLOORS: [&[&str]; 19] = [
    &["base", "observation"],
    &["classfile", "text"],
    &["jvm"],
    &["run"],
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
    &["fuzzing"],
];

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The imports that lead upwards, and the folders that have no floor.
fn violations(sources: &[Source], imports: &[Import]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        if source.room().is_some_and(|room| floor(room).is_none()) {
            violations.push(format!("{} has no floor in tests/structure/floors.rs", source.path));
        }
    }
    for import in imports {
        let (from, to) = (&sources[import.from], &sources[import.to]);
        let (Some(own), Some(other)) = (from.room(), to.room()) else { continue };
        if floor(other) > floor(own) {
            violations.push(format!("{}:{}: {own} imports {}, which comes later", from.path, import.line, to.path));
        }
    }
    violations
}

#[test]
fn data_flows_one_way() {
    let sources = read(&["src"]);
    let imports = imports(&sources);
    assert!(imports.len() > 500, "too few imports were seen: the test looks at the wrong place");
    let violations = violations(&sources, &imports);
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn an_import_upwards_is_found_in_tests_too() {
    let sources = crate::source::parse([
        ("src/base/mod.rs", "pub fn f() {}\n#[cfg(test)] mod tests { use crate::fix::g; }"),
        ("src/fix.rs", "pub fn g() { crate::base::f() }"),
    ]);
    assert_eq!(
        violations(&sources, &imports(&sources)),
        ["src/base/mod.rs:2: base imports src/fix.rs, which comes later"]
    );
}

#[test]
fn a_folder_without_a_floor_is_found() {
    let sources = crate::source::parse([("src/attic/mod.rs", "")]);
    assert_eq!(
        violations(&sources, &imports(&sources)),
        ["src/attic/mod.rs has no floor in tests/structure/floors.rs"]
    );
}

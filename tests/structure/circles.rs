//! No two files of the program need each other, not even by way of others.
//!
//! A file may use what the module above it defines: `cover/runs.rs` uses the types of `cover/mod.rs`, which calls it.

use crate::imports::imports;
use crate::source::{Source, read};
use std::collections::BTreeSet;

/// The circles among the files: each is a list of paths of which every file leads to every other one.
fn circles(sources: &[Source]) -> Vec<Vec<&str>> {
    let mut uses = vec![BTreeSet::new(); sources.len()];
    for import in imports(sources) {
        let (from, to) = (&sources[import.from], &sources[import.to]);
        if import.production && !from.module.starts_with(&to.module) {
            uses[import.from].insert(import.to);
        }
    }
    let reached: Vec<BTreeSet<usize>> = (0..sources.len()).map(|start| reachable(&uses, start)).collect();
    let mut circles = BTreeSet::new();
    for file in 0..sources.len() {
        if reached[file].contains(&file) {
            let circle: Vec<usize> =
                reached[file].iter().copied().filter(|other| reached[*other].contains(&file)).collect();
            circles.insert(circle);
        }
    }
    circles.into_iter().map(|circle| circle.into_iter().map(|file| sources[file].path.as_str()).collect()).collect()
}

/// All files that a file needs, itself only if it is part of a circle.
fn reachable(uses: &[BTreeSet<usize>], start: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(file) = waiting.pop() {
        for &next in &uses[file] {
            if reached.insert(next) {
                waiting.push(next);
            }
        }
    }
    reached
}

#[test]
fn no_files_need_each_other() {
    let sources = read(&["src"]);
    let circles = circles(&sources);
    let shown: Vec<String> = circles.iter().map(|circle| circle.join("\n  ")).collect();
    assert!(circles.is_empty(), "{} circles:\n\n  {}", circles.len(), shown.join("\n\n  "));
}

#[test]
fn a_circle_of_three_files_is_found_and_one_in_tests_is_not() {
    let sources = crate::source::parse([
        ("src/a.rs", "use crate::b::g; pub fn f() {}"),
        ("src/b.rs", "pub fn g() { crate::c::h() } #[cfg(test)] mod tests { use crate::d::i; }"),
        ("src/c.rs", "use super::a; pub fn h() {}"),
        ("src/d.rs", "use crate::b::g; pub fn i() {}"),
    ]);
    assert_eq!(circles(&sources), [["src/a.rs", "src/b.rs", "src/c.rs"]]);
}

#[test]
fn a_module_and_the_files_below_it_may_use_each_other() {
    let sources = crate::source::parse([
        ("src/a/mod.rs", "mod b; mod c; pub struct A; fn f() { b::g() }"),
        ("src/a/b.rs", "use super::A; pub fn g() { super::c::h() }"),
        ("src/a/c.rs", "use super::A; pub fn h() { super::b::g() }"),
    ]);
    assert_eq!(circles(&sources), [["src/a/b.rs", "src/a/c.rs"]]);
}

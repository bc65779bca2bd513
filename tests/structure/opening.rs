//! Every file begins with the sentence that says its job.

use crate::source::{Source, read};
use syn::spanned::Spanned;

/// The files that do not begin with `//!`.
fn without_opening(sources: &[Source]) -> Vec<&str> {
    let opens = |source: &Source| {
        let first = source.syntax.attrs.first();
        first.is_some_and(|attribute| {
            matches!(attribute.style, syn::AttrStyle::Inner(_))
                && attribute.path().is_ident("doc")
                && attribute.span().start().line == 1
        })
    };
    sources.iter().filter(|source| !opens(source)).map(|source| source.path.as_str()).collect()
}

#[test]
fn every_file_says_its_job_in_its_first_line() {
    let sources = read(&["src", "tests", "examples", "benches"]);
    let without = without_opening(&sources);
    assert!(without.is_empty(), "these do not begin with //!:\n{}", without.join("\n"));
}

#[test]
fn other_comments_and_attributes_are_no_opening() {
    let sources = crate::source::parse([
        ("src/a.rs", "//! The job.\nfn f() {}"),
        ("src/b.rs", "// The job.\nfn f() {}"),
        ("src/c.rs", "/// The job of `f`.\nfn f() {}"),
        ("src/d.rs", "#![allow(unused)]\n//! The job.\n"),
        ("src/e.rs", "\n//! The job.\n"),
    ]);
    assert_eq!(without_opening(&sources), ["src/b.rs", "src/c.rs", "src/d.rs", "src/e.rs"]);
}

//! Links between the pages for contributors lead to files that exist. `tests/it/documentation.rs` checks those of users.

use crate::source::root;
use pulldown_cmark::{Event, Parser, Tag};
use std::path::{Path, PathBuf};

/// The relative links of a page, without what follows a `#`.
fn relative_links(page: &str) -> Vec<String> {
    Parser::new(page)
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
            _ => None,
        })
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split('#').next().unwrap().to_owned())
        .collect()
}

fn pages() -> Vec<PathBuf> {
    let top = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root().join(name));
    let below = walkdir::WalkDir::new(root().join("docs/dev")).into_iter().map(|entry| entry.unwrap().into_path());
    top.into_iter().chain(below.filter(|path| path.extension().is_some_and(|extension| extension == "md"))).collect()
}

#[test]
fn links_lead_to_files_that_exist() {
    let mut seen = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in relative_links(&text) {
            seen += 1;
            let folder = page.parent().unwrap_or(Path::new(""));
            assert!(folder.join(&target).exists(), "{}: there is no {target}", page.display());
        }
    }
    assert!(seen > 50, "only {seen} links were seen: the test looks at the wrong place");
}

#[test]
fn only_relative_links_are_checked() {
    let page = "[a](b.md#c) [d](https://example.org) [e](#f) ![g](h.png) `[i](j)`";
    assert_eq!(relative_links(page), ["b.md", "h.png"]);
}

//! Opens report.html in headless Chromium, if that is installed. Without it, these tests only print
//! that they checked nothing.

use crate::common::{copy, printed};
use std::path::Path;
use std::process::Command;

/// The output of Chromium for a page; `None` without Chromium.
fn chromium(page: &Path, anchor: &str, arguments: &[&str]) -> Option<String> {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run"])
        // Chromium's sandbox does not work for root, which CI often is; the page is our own.
        .arg("--no-sandbox")
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(format!("file://{}{anchor}", page.display()).replace(' ', "%20"))
        .output();
    match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("chromium is not installed: report.html was not opened");
            None
        }
        output => {
            let output = output.unwrap();
            assert!(output.status.success(), "{}", printed(&output));
            Some(String::from_utf8(output.stdout).unwrap())
        }
    }
}

/// The opening tags of all elements with that class, including attributes.
fn tags<'p>(page: &'p str, tag: &str, class: &str) -> Vec<&'p str> {
    let begin = format!("<{tag} class=\"{class}\"");
    page.split(begin.as_str()).skip(1).filter_map(|rest| rest.split('>').next()).collect()
}

#[test]
fn the_page_is_opened_searched_and_drawn() {
    let project = copy("versioned-set");
    let output = project.analyze(&["--runs", "2", "--format", "html"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let page = project.root.join("target/reneri/report.html");

    let Some(opened) = chromium(&page, "", &["--dump-dom"]) else { return };
    assert!(opened.contains(">4 findings</span>"), "the script does not run: {opened}");
    let findings = tags(&opened, "details", "finding");
    assert_eq!(findings.len(), 4);
    assert!(findings.iter().all(|tag| tag.contains("open") && !tag.contains("hidden")), "{findings:?}");

    let searched = chromium(&page, "#q=weak-oracle%20getVersion", &["--dump-dom"]).unwrap();
    assert!(searched.contains(">1 of 4 findings</span>"), "{searched}");
    let hidden = tags(&searched, "details", "finding").iter().filter(|tag| tag.contains("hidden")).count();
    assert_eq!(hidden, 3);
    let methods = tags(&searched, "section", "method");
    assert_eq!(methods.iter().filter(|tag| tag.contains("hidden")).count(), methods.len() - 1, "{methods:?}");

    // The light and the dark page are rendered and differ.
    let shots: Vec<Vec<u8>> = ["1", "0"]
        .iter()
        .map(|scheme| {
            let shot = project.folder.path().join(format!("{scheme}.png"));
            let size = "--window-size=1000,1600";
            let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
            chromium(&page, "", &[&scheme, size, &format!("--screenshot={}", shot.display())]).unwrap();
            // Kept beside the build output, for people to look at.
            let kept =
                Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{}", shot.file_name().unwrap().display()));
            std::fs::copy(&shot, kept).unwrap();
            std::fs::read(&shot).unwrap()
        })
        .collect();
    for shot in &shots {
        assert!(shot.starts_with(b"\x89PNG") && shot.len() > 50_000, "{} bytes: nothing is drawn", shot.len());
    }
    assert_ne!(shots[0], shots[1], "dark looks like light");
}

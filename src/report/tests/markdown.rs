//! Parses report.md back: links resolve, tables and folds are well formed, and no text of the
//! project is interpreted.

use super::nasty::{NASTY, large_report, with_every_text};
use super::versioned_set::VersionedSet;
use crate::diagnose::Symptom;
use crate::instrument::ExpressionKind;
use crate::observe::Part;
use crate::report::markdown::{comment, link_base, markdown};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn events(markdown: &str) -> Vec<Event<'_>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    Parser::new_ext(markdown, options).collect()
}

/// Counts the elements of each kind, without code and text, which may differ.
fn shape(markdown: &str) -> BTreeMap<String, usize> {
    let mut shape = BTreeMap::new();
    for event in events(markdown) {
        let kind = match event {
            Event::Start(tag) => match tag {
                Tag::CodeBlock(_) => "code block".to_owned(),
                Tag::Link { .. } => "link".to_owned(),
                Tag::Heading { level, .. } => format!("heading {level}"),
                other => format!("{other:?}"),
            },
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) | Event::TaskListMarker(_) => {
                "stray".to_owned()
            }
            Event::Rule => "rule".to_owned(),
            _ => continue,
        };
        *shape.entry(kind).or_default() += 1;
    }
    shape
}

fn assert_well_formed(markdown: &str, folder: Option<&Path>) {
    let events = events(markdown);
    let mut html = String::new();
    for event in &events {
        match event {
            Event::Html(text) => html.push_str(text),
            Event::InlineHtml(text) => {
                html.push_str(text);
                html.push('\n');
            }
            _ => {}
        }
    }
    // Only our own HTML occurs, and each fold is closed.
    let mut depth = 0_i32;
    let mut anchors = BTreeSet::new();
    for line in html.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(summary) = line.strip_prefix("<details><summary>").and_then(|rest| rest.strip_suffix("</summary>"))
        {
            let text = summary.replace("<code>", "").replace("</code>", "");
            assert!(!text.contains('<'), "{line}");
            depth += 1;
        } else if line == "</details>" {
            depth -= 1;
        } else if let Some(anchor) = line.strip_prefix("<a id=\"").and_then(|rest| rest.split('"').next()) {
            assert!(line.ends_with("\">") || line.ends_with("\"></a>"), "{line}");
            assert!(anchors.insert(format!("#{anchor}")), "{line} twice");
        } else {
            assert!(matches!(line, "</a>" | "<code>" | "</code>"), "{line:?} in\n{markdown}");
        }
        assert!((0..=1).contains(&depth), "folds in\n{markdown}");
    }
    assert_eq!(depth, 0, "folds in\n{markdown}");
    for event in &events {
        if let Event::Start(Tag::Link { dest_url, .. }) = event {
            match dest_url.strip_prefix("../../") {
                _ if &**dest_url == "report.json" => {}
                None => assert!(anchors.contains(&**dest_url), "{dest_url} leads nowhere in\n{markdown}"),
                Some(path) => {
                    let path = path.split('#').next().unwrap();
                    assert!(!path.contains("://") && path.is_ascii(), "{path}");
                    if let Some(folder) = folder {
                        assert!(folder.join(path).is_file(), "{path} is no file");
                    }
                }
            }
        }
    }
    // A renderer drops cells beyond those of the head, so bars are counted in the text.
    let mut columns = None;
    for line in markdown.lines() {
        columns = match (line.starts_with("| ") || line.starts_with("|--"), columns) {
            (false, _) => None,
            (true, None) => Some(line.matches('|').count()),
            (true, Some(columns)) => {
                assert_eq!(line.matches('|').count(), columns, "{line}");
                Some(columns)
            }
        };
    }
    for c in markdown.chars() {
        assert!(c == '\n' || !c.is_control(), "{c:?}");
        assert!(!matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'), "{c:?}");
    }
}

#[test]
fn links_resolve_and_folds_are_closed() {
    let project = VersionedSet::new();
    let text = markdown(&project.report(), Some("../../")).unwrap();
    assert_well_formed(&text, Some(&project.sources.base_directory));
    let (project, report) = large_report();
    assert_well_formed(&markdown(&report, Some("../../")).unwrap(), Some(&project.sources.base_directory));
}

#[test]
fn no_text_of_a_project_is_interpreted() {
    let (_project, report) = large_report();
    let plain = shape(&markdown(&with_every_text(&report, "plain text"), Some("../../")).unwrap());
    assert!(plain["link"] > 20 && plain["code block"] > 5, "{plain:?}");
    for nasty in NASTY {
        let text = markdown(&with_every_text(&report, nasty), Some("../../")).unwrap();
        assert_well_formed(&text, None);
        assert_eq!(shape(&text), plain, "{nasty:?} in\n{text}");
    }
}

#[test]
fn a_call_and_the_calls_chained_to_it_have_their_own_values() {
    let mut report = VersionedSet::new().report();
    let entry = report.transformations.iter_mut().find(|entry| entry.symptom == Some(Symptom::WeakOracle)).unwrap();
    let mut chained = entry.evidence[0].clone();
    chained.end_column = chained.end_column.map(|column| column + 9);
    chained.expression = Some("set.first()".into());
    (chained.original, chained.transformed) = (Some("71".into()), Some("72".into()));
    entry.evidence.insert(1, chained);
    let text = markdown(&report, Some("../../")).unwrap();
    assert!(text.contains("| `.version` of `set.first()` | `71` | `72` |"), "{text}");
}

#[test]
fn at_most_seven_findings_are_expanded_and_the_rest_is_folded() {
    let (_project, report) = large_report();
    let text = markdown(&report, Some("../../")).unwrap();
    let (open, folded) = text.split_once("### The others").unwrap();
    let findings = |text: &str| text.matches("**What to do:**").count();
    assert!((1..=7).contains(&findings(open)), "{}", findings(open));
    assert!(findings(folded) > 7);
}

#[test]
fn findings_of_one_method_beyond_the_seventh_are_folded_too() {
    let mut report = VersionedSet::new().report();
    let entry = report.transformations.iter().find(|entry| entry.symptom == Some(Symptom::WeakOracle)).unwrap().clone();
    report.transformations = (0..9)
        .map(|number| {
            let mut entry = entry.clone();
            entry.transformation = number.to_string();
            entry.evidence[0].line = Some(number + 1);
            entry
        })
        .collect();
    let text = markdown(&report, Some("../../")).unwrap();
    let (open, folded) = text.split_once("<details><summary>More about <code>").unwrap();
    assert_eq!((open.matches("**What to do:**").count(), folded.matches("**What to do:**").count()), (7, 2));
    assert_well_formed(&text, None);
}

#[test]
fn expanded_findings_have_a_diagram_and_folded_ones_a_line() {
    let (_project, report) = large_report();
    let text = markdown(&report, Some("../../")).unwrap();
    let (open, folded) = text.split_once("### The others").unwrap();
    let counts = |text: &str| (text.matches("```mermaid").count(), text.matches("How the test gets there: ").count());
    assert_eq!(counts(open), (open.matches("**What to do:**").count(), 0));
    assert_eq!(counts(folded).0, 0);
    assert!(counts(folded).1 > 7);
}

#[test]
fn no_text_of_a_project_is_interpreted_in_a_comment() {
    let (_project, report) = large_report();
    let plain = shape(&comment(&with_every_text(&report, "plain text")).unwrap());
    assert_eq!(plain.get("link"), None, "relative links lead nowhere from a comment");
    for nasty in NASTY {
        let text = comment(&with_every_text(&report, nasty)).unwrap();
        assert_well_formed(&text, None);
        assert_eq!(shape(&text), plain, "{nasty:?} in\n{text}");
    }
}

#[test]
fn a_comment_contains_whole_findings_and_counts_those_left_out() {
    let few = comment(&VersionedSet::new().report()).unwrap();
    assert!(!few.contains("not fit here"), "{few}");
    let entry = VersionedSet::new().report().transformations.swap_remove(5);
    let many = |number: usize| {
        let mut report = VersionedSet::new().report();
        report.transformations = (0..number)
            .map(|number| {
                let mut entry = entry.clone();
                entry.method = format!("{}{number}", entry.method);
                entry.short_id = format!("{number:010}");
                entry
            })
            .collect();
        comment(&report).unwrap()
    };
    for number in [100, 1_000, 3_000] {
        let text = many(number);
        assert!(text.chars().count() <= 60_000, "{} characters", text.chars().count());
        let shown = text.lines().filter(|line| line.contains("inding `0")).count();
        let cut = text
            .lines()
            .find_map(|line| line.strip_prefix("**")?.split_once(" findings do not fit here")?.0.parse().ok());
        assert_eq!(shown + cut.unwrap_or(0), number);
        assert!(text.contains("To see it again: `reneri analyze`"), "the footer stays");
        assert_well_formed(&text, None);
        if number > 100 {
            assert!(text.chars().count() > 59_000 && cut.is_some(), "it is as long as it may be");
        }
    }
}

#[test]
fn without_a_path_to_the_project_places_are_not_linked() {
    let text = markdown(&VersionedSet::new().report(), None).unwrap();
    assert!(text.contains("`VersionedSetTest.java:13`"), "{text}");
    for event in events(&text) {
        if let Event::Start(Tag::Link { dest_url, .. }) = event {
            assert!(dest_url.starts_with('#') || &*dest_url == "report.json", "{dest_url}");
        }
    }
}

#[test]
fn a_report_without_findings_says_so() {
    let text = markdown(&VersionedSet::new().nothing_undetected(), Some("../../")).unwrap();
    assert!(text.contains("No change went unnoticed"), "{text}");
    assert!(!text.contains("## Findings"), "{text}");
    assert_well_formed(&text, None);
}

#[test]
fn transformations_with_one_remedy_are_one_finding() {
    let mut report = VersionedSet::new().report();
    let first = report.transformations.iter().position(|entry| entry.symptom == Some(Symptom::WeakOracle)).unwrap();
    let mut other = report.transformations[first].clone();
    other.transformation = "null".into();
    other.evidence[0].transformed = Some("null".into());
    report.transformations.insert(first + 1, other);
    let text = markdown(&report, Some("../../")).unwrap();
    assert!(text.contains("| `.version` of `set` | `1` | `0` | `null` |"), "{text}");
    assert_eq!(text.matches("add `assertEquals(1, set.getVersion())`").count(), 1, "{text}");
}

#[test]
fn a_varying_value_is_shown_in_words_and_an_exception_by_its_class() {
    let mut project = VersionedSet::new();
    project.diagnoses[0].calls[0].arguments[0].value = "different in each run".into();
    let evidence = &mut project.diagnoses[1].evidence[0];
    evidence.part = Part::Exception;
    evidence.path = String::new();
    evidence.expression_kind = Some(ExpressionKind::Caught);
    evidence.expression = Some("e".into());
    evidence.original = Some("java.lang.IllegalStateException".into());
    evidence.transformed = Some("java.lang.NullPointerException".into());
    project.suggest();
    let text = markdown(&project.report(), Some("../../")).unwrap();
    assert!(text.contains("| different in each run with"), "{text}");
    assert!(text.contains("add `assertEquals(IllegalStateException.class, e.getClass())`"), "{text}");
    assert!(text.contains("is an `IllegalStateException`, and a `NullPointerException` with an empty body"), "{text}");
    assert!(text.contains("| the exception `e` |"), "{text}");
    let evidence = &mut project.diagnoses[1].evidence[0];
    evidence.expression_kind = Some(ExpressionKind::Thrown);
    evidence.expression = Some("refuses".into());
    project.suggest();
    let text = markdown(&project.report(), Some("../../")).unwrap();
    assert!(text.contains("| the exception that leaves `refuses` |"), "{text}");
}

#[test]
fn long_texts_that_differ_in_one_word_are_shown_as_a_difference() {
    let mut report = VersionedSet::new().report();
    let entry = report.transformations.iter_mut().find(|entry| entry.symptom == Some(Symptom::WeakOracle)).unwrap();
    let text = |word: &str| format!("\"first line\\nsecond {word}\\nthird line\\n\"");
    entry.evidence[0].original = Some(text("today"));
    entry.evidence[0].transformed = Some(text("changed"));
    let text = markdown(&report, Some("../../")).unwrap();
    assert!(text.contains("```diff\n  first line\n- second today\n+ second changed\n  third line\n```"), "{text}");
}

#[test]
fn the_link_base_leads_from_the_report_to_the_project() {
    assert_eq!(link_base(Path::new("/p/target/reneri"), Path::new("/p")).as_deref(), Some("../../"));
    assert_eq!(link_base(Path::new("/p"), Path::new("/p")).as_deref(), Some(""));
    assert_eq!(link_base(Path::new("/elsewhere"), Path::new("/p")), None);
    assert_eq!(link_base(Path::new("/p/../x"), Path::new("/p")), None);
}

#[test]
fn skipped_tests_are_not_reported_as_passing() {
    let mut report = VersionedSet::new().report();
    let entry =
        report.transformations.iter_mut().find(|entry| entry.covering_tests.len() == 3 && entry.symptom.is_some());
    let entry = entry.unwrap();
    entry.skipped_tests = entry.covering_tests.iter().take(1).cloned().collect();
    let some = markdown(&report, None).unwrap();
    assert!(some.contains("none of the 3 tests that run it fails (1 skipped): "), "{some}");
    let entry = report.transformations.iter_mut().find(|entry| !entry.skipped_tests.is_empty()).unwrap();
    entry.skipped_tests = entry.covering_tests.clone();
    let all = markdown(&report, None).unwrap();
    assert!(all.contains("none of the 3 tests that run it fails: all are skipped ("), "{all}");
}

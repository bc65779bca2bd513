//! Describes the restriction of an analysis, as data and as sentences in Markdown.

use super::model::{Interrupted, Report, Scope, Shard};
use crate::change::{self, Source};
use crate::text::escape;
use crate::text::words::count;
use std::path::Path;

impl Scope {
    /// `of_methods` is the number of methods without the restriction.
    #[must_use]
    pub fn new(source: &Source, project: &Path, scope: &change::Scope, of_methods: usize) -> Self {
        let shown = source.shown(project);
        let (since, in_diff) =
            if matches!(source, Source::Since(_)) { (Some(shown), None) } else { (None, Some(shown)) };
        Self { since, in_diff, methods: scope.methods.len(), of_methods, touched_tests: scope.tests.len() }
    }
}

/// The sentences about an interrupt, the restriction and the shard; `None` if the whole project was analyzed.
pub(super) fn sentences(report: &Report) -> Option<String> {
    let scope = report.scope.as_ref().map(|scope| sentence(scope, report.summary.stopped));
    let shard = report.shard.map(|Shard { number, of }| {
        let methods = count(report.summary.methods as u64, "method");
        format!("**Part {number} of {of} of an analysis:** {methods}. `reneri merge` makes one report of all parts.")
    });
    let interrupted = report.interrupted.map(|interrupted| format!("**{}**", interrupted.sentence()));
    let sentences: Vec<String> = interrupted.into_iter().chain(scope).chain(shard).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

impl Interrupted {
    /// How far the analysis came, in plain text: the mark of a partial report in all formats.
    pub(super) fn sentence(self) -> String {
        let Self { tried, of_transformations, unexplained } = self;
        let of = count(of_transformations as u64, "change");
        let missing = match unexplained {
            0 => String::new(),
            1 => " 1 undetected change is not explained yet.".to_owned(),
            number => format!(" {number} undetected changes are not explained yet."),
        };
        format!("Interrupted: {tried} of {of} tried.{missing} Patches may be missing.")
    }
}

/// `stopped` is the number of methods that the change touches and that stop rules leave out.
fn sentence(scope: &Scope, stopped: usize) -> String {
    let short = |name: &str| escape::code_short(name, 100);
    let change = match (&scope.since, scope.in_diff.as_deref()) {
        (Some(reference), _) => format!("what changed since {}", short(reference)),
        (None, Some("-") | None) => "what the diff on standard input changed".to_owned(),
        (None, Some(file)) => format!("what the diff {} changed", short(file)),
    };
    let of_methods = count(scope.of_methods as u64, "method");
    if scope.methods == 0 {
        let left_out = match stopped {
            0 => String::new(),
            1 => " It touches one method that a stop rule leaves out.".to_owned(),
            stopped => format!(" It touches {stopped} methods that stop rules leave out."),
        };
        return format!(
            "**Nothing was analyzed:** {change} touches none of the {of_methods} that can be analyzed, and no test that reaches one.{left_out}"
        );
    }
    let reached = match scope.touched_tests {
        0 => String::new(),
        1 => " or reached by the one test that it touches".to_owned(),
        tests => format!(" or reached by one of the {tests} tests that it touches"),
    };
    format!("**Only {change} was analyzed:** {} of {of_methods}, touched by the change{reached}.", scope.methods)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(methods: usize, touched_tests: usize) -> Scope {
        Scope { since: Some("main".into()), in_diff: None, methods, of_methods: 40, touched_tests }
    }

    #[test]
    fn the_sentence_names_the_analyzed_methods_and_the_reason() {
        assert_eq!(
            sentence(&scope(3, 0), 4),
            "**Only what changed since `main` was analyzed:** 3 of 40 methods, touched by the change."
        );
        assert!(
            sentence(&scope(3, 1), 0).ends_with(", touched by the change or reached by the one test that it touches.")
        );
        assert!(sentence(&scope(3, 2), 0).ends_with("change or reached by one of the 2 tests that it touches."));
    }

    #[test]
    fn an_interrupted_analysis_says_how_far_it_came() {
        let sentence = |unexplained| Interrupted { tried: 57, of_transformations: 80, unexplained }.sentence();
        assert_eq!(sentence(0), "Interrupted: 57 of 80 changes tried. Patches may be missing.");
        assert!(sentence(1).contains("tried. 1 undetected change is not explained yet."));
        assert!(sentence(2).contains("tried. 2 undetected changes are not explained yet."));
    }

    #[test]
    fn the_sentence_says_if_nothing_was_analyzed_and_escapes_names() {
        let nothing = sentence(&scope(0, 2), 0);
        assert!(nothing.starts_with("**Nothing was analyzed:** what changed since `main` touches none"), "{nothing}");
        assert!(nothing.ends_with("no test that reaches one."), "{nothing}");
        assert!(sentence(&scope(0, 2), 1).ends_with("It touches one method that a stop rule leaves out."));
        assert!(sentence(&scope(0, 2), 2).ends_with("It touches 2 methods that stop rules leave out."));
        let diff = |name: &str| sentence(&Scope { since: None, in_diff: Some(name.into()), ..scope(1, 0) }, 0);
        assert!(diff("a`b.diff").contains("the diff ``a`b.diff`` changed"), "{}", diff("a`b.diff"));
        assert!(diff("-").contains("what the diff on standard input changed"));
    }
}

//! The formats of a report, and whether a CI service gets annotations.

use clap::ValueEnum;

/// A form of the report. The comment of each variant is its help on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Format {
    /// report.md, for people, and summary.md, for a comment; always written
    Markdown,
    /// report.json, for programs; always written
    Json,
    /// report.sarif (SARIF 2.1.0), for code scanning
    Sarif,
    /// Annotations of GitHub Actions, to standard output
    Github,
    /// gl-code-quality.json, GitLab's code quality report
    Gitlab,
    /// report.html, one file with pictures that can be searched and needs no network
    Html,
    /// mutation-report.json, as mutation-testing-elements and its dashboards read it
    Elements,
}

/// Whether a CI service gets findings in its own form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Annotations {
    /// Those of the CI service that reneri runs in, if it has any
    #[default]
    Auto,
    /// Those of GitHub Actions, to standard output
    Github,
    /// Those of GitLab: gl-code-quality.json
    Gitlab,
    /// None
    None,
}

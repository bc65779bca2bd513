//! From a finding to the way of its difference: from the test down to the method, and how far it comes on its way back.

use super::model::{Entry, Evidence};
use super::order::Finding;
use crate::diagnose::{At, Symptom};
use crate::suggest::words;

/// Most stops of a way that is shown; a longer one is cut in its middle.
const MOST: usize = 7;

/// One call on the way, as a stack names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Binary name; empty if the stack's line is none that Java writes.
    pub class: String,
    pub method: String,
    pub line: Option<u32>,
}

/// Frames that follow each other, or the number of those that are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Frame(Frame),
    Cut(usize),
}

/// Where a difference between original and transformed code gets lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// It never comes up.
    NeverThere,
    /// Between the method and the expressions of the test.
    OnTheWay,
    /// In the test: no assertion depends on it.
    InTheTest,
    /// Nobody knows.
    Unknown,
}

pub(super) struct Flow<'a> {
    /// The transformations under which it is so.
    pub entries: &'a [&'a Entry],
    /// From the test to the method; at least two.
    pub stops: Vec<Stop>,
    /// The difference that was seen, where there is one that decides the symptom.
    pub seen: Option<&'a Evidence>,
    pub loss: Loss,
}

impl Loss {
    pub fn in_words(self) -> &'static str {
        match self {
            Self::NeverThere => "no difference comes up",
            Self::OnTheWay => "lost before a test sees it",
            Self::InTheTest => "no assertion looks at it",
            Self::Unknown => "where it gets lost is not known",
        }
    }
}

impl Frame {
    /// `org.example.StackTest.pops(StackTest.java:40)`
    pub fn parse(frame: &str) -> Self {
        let (name, place) = frame.rsplit_once('(').unwrap_or((frame, ""));
        let line = place.trim_end_matches(')').rsplit_once(':').and_then(|(_, line)| line.parse().ok());
        let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
        Self { class: class.to_owned(), method: method.to_owned(), line }
    }

    /// `StackTest.pops`
    pub fn short_name(&self) -> String {
        if self.class.is_empty() {
            self.method.clone()
        } else {
            format!("{}.{}", words::short_class(&self.class), self.method)
        }
    }
}

/// The stack from the test to the method: of the best evidence, or of a call.
pub(super) fn stack(entry: &Entry) -> Option<&[String]> {
    let evidence = entry.evidence.first().map(|evidence| &evidence.stack);
    evidence.or_else(|| entry.calls.first().map(|call| &call.stack)).map(Vec::as_slice).filter(|stack| stack.len() > 1)
}

/// `None` where it is not known how a test gets to the method.
pub(super) fn stops(entry: &Entry) -> Option<Vec<Stop>> {
    let stack = stack(entry)?;
    let mut stops: Vec<Stop> = stack.iter().map(|frame| Stop::Frame(Frame::parse(frame))).collect();
    if stops.len() > MOST {
        let cut = stops.len() - (MOST - 1);
        stops.splice(3..3 + cut, [Stop::Cut(cut)]);
    }
    Some(stops)
}

pub(super) fn flow<'a>(finding: &'a Finding<'a>) -> Option<Flow<'a>> {
    let first = finding.first()?;
    let (loss, decides) = match first.symptom.unwrap_or(Symptom::Undecided) {
        Symptom::NoInfection => (Loss::NeverThere, None),
        Symptom::NoPropagation => (Loss::OnTheWay, Some(At::Method)),
        Symptom::WeakOracle => (Loss::InTheTest, Some(At::Test)),
        Symptom::Undecided => (Loss::Unknown, None),
    };
    let seen = decides.and_then(|at| first.evidence.iter().find(|evidence| evidence.at == at && !evidence.deep));
    Some(Flow { entries: &finding.entries, stops: stops(first)?, seen, loss })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::report::order::groups;
    use crate::report::tests::versioned_set::VersionedSet;

    #[test]
    fn a_frame_is_read_as_java_writes_it() {
        let frame = Frame::parse("org.example.Stack$Node.pop(Stack.java:40)");
        assert_eq!((frame.short_name().as_str(), frame.line), ("Stack.Node.pop", Some(40)));
        assert_eq!(Frame::parse("a.B.<init>(Unknown Source)").line, None);
        assert_eq!(Frame::parse("no frame").short_name(), "no frame");
    }

    #[test]
    fn each_symptom_loses_the_difference_elsewhere() {
        let report = VersionedSet::new().report();
        let losses: Vec<(Loss, bool)> = groups(&report)
            .iter()
            .flat_map(|group| &group.findings)
            .map(|finding| flow(finding).unwrap())
            .map(|flow| (flow.loss, flow.seen.is_some()))
            .collect();
        assert_eq!(
            losses,
            [(Loss::OnTheWay, true), (Loss::NeverThere, false), (Loss::NeverThere, false), (Loss::InTheTest, true)]
        );
    }

    #[test]
    fn a_long_way_is_cut_in_its_middle() {
        let mut report = VersionedSet::new().report();
        let entry = report.transformations.iter_mut().find(|entry| !entry.evidence.is_empty()).unwrap();
        entry.evidence[0].stack = (1..=20).map(|line| format!("a.B.m{line}(B.java:{line})")).collect();
        let stops = stops(entry).unwrap();
        assert_eq!(stops.len(), MOST);
        assert_eq!(stops[3], Stop::Cut(14));
        let last = Frame::parse("a.B.m20(B.java:20)");
        assert_eq!(stops.last(), Some(&Stop::Frame(last)));
    }
}

//! Follows the difference of a finding: the calls from the test down to the method, and where the
//! difference is lost on the way back.

use super::model::{Entry, Evidence};
use super::order::Finding;
use crate::diagnose::{At, Symptom};
use crate::text::words;

/// Most stops that are shown. A longer way is cut in its middle.
const MOST: usize = 7;

/// One call on the way, read from a line of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Binary name; empty if the line is not in Java's format.
    pub class: String,
    pub method: String,
    pub line: Option<u32>,
}

/// A frame, or the number of frames that are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Frame(Frame),
    Cut(usize),
}

/// The place where a difference between original and transformed code is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// There is no difference in the first place.
    NeverThere,
    /// Lost between the method and the expressions of the test.
    OnTheWay,
    /// Lost in the test: no assertion depends on it.
    InTheTest,
    /// The place is unknown.
    Unknown,
}

pub(super) struct Flow<'a> {
    /// The transformations of the finding, which all take this way.
    pub entries: &'a [&'a Entry],
    /// From the test to the method; at least two.
    pub stops: Vec<Stop>,
    /// The observed difference that decides the symptom, if there is one.
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

/// The calls from a test to the method, and the difference that decides the symptom, if the same
/// test shows one.
pub(super) struct Way<'a> {
    /// From the test to the method; at least two frames.
    pub stack: &'a [String],
    pub seen: Option<&'a Evidence>,
}

/// Selects the way to show.
///
/// `None` if no way to the method is known, or only that of a test that does not see the
/// difference.
pub(super) fn way(entry: &Entry) -> Option<Way<'_>> {
    let at = match entry.symptom.unwrap_or(Symptom::Undecided) {
        Symptom::NoPropagation => Some(At::Method),
        Symptom::WeakOracle => Some(At::Test),
        Symptom::NoInfection | Symptom::Undecided => None,
    };
    let mut decisive = entry.evidence.iter().filter(|evidence| at == Some(evidence.at)).peekable();
    if decisive.peek().is_some() {
        return decisive.find_map(|seen| Some(Way { stack: stack_of_test(entry, seen)?, seen: Some(seen) }));
    }
    let stacks =
        entry.evidence.iter().map(|evidence| &evidence.stack).chain(entry.calls.iter().map(|call| &call.stack));
    stacks.map(Vec::as_slice).find(|stack| stack.len() > 1).map(|stack| Way { stack, seen: None })
}

/// The stack of a difference. A difference that a test sees after the call has none; then the stack
/// of another call in the same test is used.
fn stack_of_test<'a>(entry: &'a Entry, seen: &'a Evidence) -> Option<&'a [String]> {
    let of_evidence =
        entry.evidence.iter().filter(|evidence| evidence.test == seen.test).map(|evidence| &evidence.stack);
    let of_calls = entry.calls.iter().filter(|call| call.test == seen.test).map(|call| &call.stack);
    let stacks = std::iter::once(&seen.stack).chain(of_evidence).chain(of_calls);
    stacks.map(Vec::as_slice).find(|stack| stack.len() > 1)
}

/// The stops of a way; a long one is cut in its middle.
pub(super) fn stops(way: &Way<'_>) -> Vec<Stop> {
    let mut stops: Vec<Stop> = way.stack.iter().map(|frame| Stop::Frame(Frame::parse(frame))).collect();
    if stops.len() > MOST {
        let cut = stops.len() - (MOST - 1);
        stops.splice(3..3 + cut, [Stop::Cut(cut)]);
    }
    stops
}

pub(super) fn flow<'a>(finding: &'a Finding<'a>) -> Option<Flow<'a>> {
    let first = finding.first()?;
    let loss = match first.symptom.unwrap_or(Symptom::Undecided) {
        Symptom::NoInfection => Loss::NeverThere,
        Symptom::NoPropagation => Loss::OnTheWay,
        Symptom::WeakOracle => Loss::InTheTest,
        Symptom::Undecided => Loss::Unknown,
    };
    let way = way(first)?;
    Some(Flow { entries: &finding.entries, stops: stops(&way), seen: way.seen, loss })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::report::order::groups;
    use crate::report::tests::versioned_set::VersionedSet;

    #[test]
    fn a_frame_is_parsed_from_javas_format() {
        let frame = Frame::parse("org.example.Stack$Node.pop(Stack.java:40)");
        assert_eq!((frame.short_name().as_str(), frame.line), ("Stack.Node.pop", Some(40)));
        assert_eq!(Frame::parse("a.B.<init>(Unknown Source)").line, None);
        assert_eq!(Frame::parse("no frame").short_name(), "no frame");
    }

    #[test]
    fn each_symptom_loses_the_difference_at_its_own_place() {
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
        let stops = stops(&way(entry).unwrap());
        assert_eq!(stops.len(), MOST);
        assert_eq!(stops[3], Stop::Cut(14));
        let last = Frame::parse("a.B.m20(B.java:20)");
        assert_eq!(stops.last(), Some(&Stop::Frame(last)));
    }

    #[test]
    fn the_way_comes_from_a_test_that_sees_the_difference() {
        let mut report = VersionedSet::new().report();
        let entry = report.transformations.iter_mut().find(|entry| entry.symptom == Some(Symptom::WeakOracle)).unwrap();
        // The test sees the difference after the call, so only the method's evidence has a stack.
        entry.evidence[0].stack.clear();
        assert_eq!(way(entry).unwrap().stack, entry.evidence[1].stack);
        // A test that sees the difference but has no known stack is skipped.
        let mut other = entry.evidence[0].clone();
        other.test = "org.example.OtherTest.sees()".into();
        entry.evidence.insert(0, other);
        assert_eq!(way(entry).unwrap().seen, Some(&entry.evidence[1]));
        // The way of a test that does not see the difference is not used.
        entry.evidence.truncate(1);
        assert!(way(entry).is_none());
    }
}

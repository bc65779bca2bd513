//! The type of a technique: a named way to find expressions that may show a difference.

use crate::diagnose::Diagnosis;
use crate::fix::candidate::Candidate;
use crate::fix::look::Look;
use crate::fix::source::test_sources::{Place, TestSources};
use crate::fix::subject::Subject;
use crate::fix::techniques::message::Message;
use crate::fix::techniques::scope::Scope;
use crate::fix::values::catalog::Values;

/// A technique. It fills in the ways in which it is used; most techniques have one.
pub struct Technique {
    /// File name, without its ending, in `rules/fixes`: `call-here` for `call_here.rs`.
    pub name: &'static str,
    /// Content of that file.
    pub rule: &'static str,
    /// First round: expressions at a place in an existing test.
    pub in_test: Option<fn(&Subject<'_>, &Scope<'_>) -> Vec<Look>>,
    /// First round: expressions in new tests that take no statement from another test.
    pub in_new_test: Option<fn(&Subject<'_>, &Values<'_>) -> Vec<Look>>,
    /// Second round, tried if the first one shows nothing.
    pub second_round: Option<SecondRound>,
    /// Messages of exceptions that tests see, found in the evidence alone: no expression has to be
    /// tried.
    pub of_evidence: Option<FindMessages>,
    /// Expressions that ask an object whose state differs, though no assertion can name the object
    /// itself.
    pub of_object: Option<AskObject>,
}

type FindMessages = for<'a> fn(&TestSources, &[&'a Diagnosis]) -> Vec<Message<'a>>;
type AskObject = fn(&Subject<'_>, &Values<'_>, &DifferentObject<'_>) -> Vec<Look>;

/// The part of a technique in the second round.
pub struct SecondRound {
    /// The order in which techniques add their candidates, smallest first.
    pub turn: u8,
    pub candidates: fn(&Reach<'_>) -> Vec<Candidate>,
}

/// The starting points of the second round for one method.
pub struct Reach<'a> {
    pub subject: &'a Subject<'a>,
    pub sources: &'a TestSources,
    /// Tests that reach the method; slow ones only if there are no others.
    pub tests: Vec<Place>,
    /// The test next to which new tests stand, and the values for these.
    pub home: Option<(Place, Values<'a>)>,
    /// Whether the method draws random values.
    pub is_random: bool,
    /// Most candidates for one method in one round.
    pub budget: usize,
}

/// An object whose state differs on the transformed code.
pub struct DifferentObject<'a> {
    /// The expression that gives it.
    pub look: &'a Look,
    /// Binary name of its class.
    pub class: &'a str,
    /// Name of the field that leads to the difference.
    pub field: &'a str,
}

impl Technique {
    /// A technique that is not used in any way yet.
    pub const fn new(name: &'static str, rule: &'static str) -> Self {
        Self { name, rule, in_test: None, in_new_test: None, second_round: None, of_evidence: None, of_object: None }
    }
}

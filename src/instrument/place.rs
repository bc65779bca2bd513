//! The places of a source text that can be probed, and the parts of the text that a compiler error
//! may mean.

use super::ExpressionKind;
use super::names::Certainty;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The way in which a probe is put around or into its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `reneri.rt.Probe.p(7, <place>)`
    Wrap,
    /// `reneri.rt.Probe.caught(7, <place>);` at byte `body`, right after the `{` of the catch
    /// block.
    Caught { body: usize },
    /// `try {` at byte `body`, and a catch clause at byte `end`, right before the `}` of the
    /// method.
    Thrown { body: usize, end: usize },
}

/// One place that can be probed. Positions are bytes of the source text, the end exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub start: usize,
    pub end: usize,
    pub kind: ExpressionKind,
    pub form: Form,
    pub certainty: Certainty,
    /// Name of the enclosing method.
    pub method: Option<Arc<str>>,
    /// Index of the innermost member in [`SourcePlaces::members`].
    pub member: usize,
    /// Whether it is the bare name of a variable, the least informative kind of place.
    pub bare_name: bool,
    /// See [`super::Expression::repeats`].
    pub repeats: bool,
}

/// A method, constructor, initializer or field declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub start: usize,
    pub end: usize,
    pub name: Option<Arc<str>>,
}

/// All places of one source text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlaces {
    /// Sorted by start; an outer place comes before its inner ones.
    pub places: Vec<Place>,
    /// Number of expressions that are not probed by rule, by reason.
    pub by_rule: BTreeMap<&'static str, usize>,
    pub members: Vec<Member>,
    /// Lines (from 1) of members that the grammar cannot read. Nothing in them is probed.
    pub unreadable: Vec<usize>,
    /// Start and end, in bytes, of calls, object creations and constructor calls, in order of
    /// start. A compiler error at one of them concerns its parts.
    pub calls: Vec<(usize, usize)>,
    /// The same for statements and field declarations that are not blocks.
    pub statements: Vec<(usize, usize)>,
    /// `org.example`, if the file has a package.
    pub package: Option<String>,
    /// Simple names of the top-level types.
    pub types: Vec<String>,
}

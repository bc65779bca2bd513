//! Questions that a method may ask its collaborators, and so a mock.

use crate::classfile::names::Member;
use crate::fix::subject::Subject;
use std::collections::BTreeSet;

/// Most calls below the method.
const LEVELS: usize = 6;

/// Methods with a result that are called by the method, or by callers through which a test reaches
/// it, directly or in deeper calls; nearest first.
pub fn questions(subject: &Subject<'_>, package: &str) -> Vec<Member> {
    let own = subject.method.member();
    let mut methods = vec![own.clone()];
    methods.extend(subject.callable(package).iter().map(|caller| caller.member()).filter(|caller| *caller != own));
    let called = subject.outlines.called_from(&methods, LEVELS);
    let mut known = BTreeSet::new();
    let calls = called.iter().flat_map(|(_, outline)| &outline.calls);
    let asks = calls.filter(|call| call.dispatched && !call.to.descriptor.ends_with(")V") && known.insert(&call.to));
    asks.map(|call| call.to.clone()).collect()
}

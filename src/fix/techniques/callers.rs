//! Names of the methods that lead to a method.

use crate::classfile::outlines::Outlines;
use crate::code::Signature;
use std::collections::{BTreeMap, BTreeSet};

/// Names of the methods that lead to this one in up to `levels` calls, according to the class
/// files.
#[must_use]
pub fn calling_names(outlines: &Outlines, method: &Signature, levels: usize) -> BTreeSet<String> {
    let mut callers: BTreeMap<(&str, &str), BTreeSet<(&str, &str)>> = BTreeMap::new();
    for of in outlines.classes().flat_map(|class| &class.methods) {
        for call in &of.calls {
            let called = (call.to.name.as_str(), call.to.descriptor.as_str());
            callers.entry(called).or_default().insert((of.name.as_str(), of.descriptor.as_str()));
        }
    }
    let mut known = BTreeSet::from([(method.name.as_str(), method.descriptor.as_str())]);
    let mut last = known.clone();
    for _ in 0..levels {
        let above: BTreeSet<(&str, &str)> =
            last.iter().filter_map(|called| callers.get(called)).flatten().copied().collect();
        last = above.difference(&known).copied().collect();
        known.extend(&last);
    }
    known.into_iter().map(|(name, _)| name.to_owned()).collect()
}

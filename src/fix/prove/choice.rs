//! The choice of drafts: which are tried, and which of the proven ones become patches.

use crate::base::id::TransformationId;
use crate::fix::prove::alone::Proof;
use crate::fix::trial::exploration::Group;
use crate::fix::write::draft::{Draft, LAST_RESORT};
use std::collections::{BTreeMap, BTreeSet};

/// Most drafts of one transformation that are tried.
const DRAFTS: usize = 5;

/// Selects the best drafts of each transformation, best first.
pub fn best(mut drafts: Vec<Draft>) -> Vec<Draft> {
    drafts.sort_by(|one, other| (one.group, &one.rank, one.place).cmp(&(other.group, &other.rank, other.place)));
    let mut counts: BTreeMap<TransformationId, usize> = BTreeMap::new();
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut best = Vec::new();
    for draft in drafts {
        // The same assertion in another place would fail for the same reason.
        let assertion = format!("{:?} {} {:?}", draft.given, draft.code, draft.rank.form == 0);
        if !seen.insert((draft.group, assertion)) {
            continue;
        }
        let mut transformations = draft.shown_for.iter();
        if !transformations.any(|transformation| counts.get(transformation).is_none_or(|count| *count < DRAFTS)) {
            continue;
        }
        for transformation in &draft.shown_for {
            *counts.entry(*transformation).or_default() += 1;
        }
        best.push(draft);
    }
    best
}

/// The doubt about a draft: its own, or that of its proof.
pub fn doubt(draft: &Draft, proof: &Proof) -> Option<String> {
    draft.doubt().or_else(|| proof.doubt.clone())
}

/// For each transformation, the index of the best draft that closes it: one without doubt if there
/// is any.
///
/// A draft that was already chosen for another transformation of the method comes first.
pub fn choose(groups: &[Group], drafts: &[Draft], proofs: &[Option<Proof>]) -> BTreeMap<TransformationId, usize> {
    let proof = |draft: usize| proofs.get(draft).and_then(Option::as_ref);
    let closes = |draft: usize, transformation: TransformationId| {
        proof(draft).is_some_and(|proof| proof.closes.contains(&transformation))
    };
    let is_good = |draft: usize| {
        drafts.get(draft).is_some_and(|draft| draft.rank.relevance < LAST_RESORT)
            && proof(draft).is_some_and(|proof| proof.doubt.is_none())
    };
    let mut chosen: BTreeMap<TransformationId, usize> = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        let own = drafts.iter().enumerate().filter(|(_, draft)| draft.group == number);
        let own: Vec<usize> = own.map(|(draft, _)| draft).collect();
        let mut used: Vec<usize> = Vec::new();
        for transformation in &group.transformations {
            let mut good = used.iter().chain(&own).copied().filter(|draft| is_good(*draft));
            let without_doubt = good.find(|draft| closes(*draft, *transformation));
            let found = without_doubt.or_else(|| own.iter().copied().find(|draft| closes(*draft, *transformation)));
            if let Some(draft) = found {
                chosen.insert(*transformation, draft);
                used.push(draft);
            }
        }
    }
    chosen
}

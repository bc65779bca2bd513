//! The choice of drafts: which are tried, and which of the proven ones become patches.

use crate::base::id::TransformationId;
use crate::fix::prove::alone::Proof;
use crate::fix::trial::exploration::Group;
use crate::fix::write::draft::{Draft, LAST_RESORT};
use std::collections::{BTreeMap, BTreeSet};

/// Most drafts of one transformation that are tried.
const DRAFTS: usize = 5;

/// The weakness of an assertion that expects an exception and says nothing of its message; see
/// [`Expected::weakness`](crate::fix::expected::Expected::weakness).
const EXCEPTION_ONLY: u8 = 4;

/// Selects the best drafts of each transformation, best first.
pub fn best(mut drafts: Vec<Draft>) -> Vec<Draft> {
    drafts.sort_by(|one, other| (one.group, &one.rank, one.place).cmp(&(other.group, &other.rank, other.place)));
    // An exception without its message has a count of its own: the message may be one of the JDK.
    let mut counts: BTreeMap<(TransformationId, bool), usize> = BTreeMap::new();
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut best = Vec::new();
    for draft in drafts {
        // The same assertion in another place would fail for the same reason.
        let says_little = draft.rank.weakness >= EXCEPTION_ONLY;
        let assertion = format!("{:?} {} {:?} {says_little}", draft.given, draft.code, draft.rank.form == 0);
        if !seen.insert((draft.group, assertion)) {
            continue;
        }
        let mut transformations = draft.shown_for.iter();
        let is_open = |id: &TransformationId| counts.get(&(*id, says_little)).is_none_or(|count| *count < DRAFTS);
        if !transformations.any(is_open) {
            continue;
        }
        for transformation in &draft.shown_for {
            *counts.entry((*transformation, says_little)).or_default() += 1;
        }
        best.push(draft);
    }
    best
}

/// The doubt about a draft: its own, or that of its proof.
pub fn doubt(draft: &Draft, proof: &Proof) -> Option<String> {
    draft.doubt().or_else(|| proof.doubt.clone())
}

/// For each transformation, the index of the best draft that closes it: one without doubt, and which
/// no other chosen draft disturbs, if there is any.
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
            let is_undisturbed = |draft: usize| {
                let others = chosen.values().filter_map(|other| drafts.get(*other));
                drafts.get(draft).is_some_and(|draft| !others.into_iter().any(|other| draft.disturbs(other)))
            };
            let closing: Vec<usize> =
                used.iter().chain(&own).copied().filter(|draft| closes(*draft, *transformation)).collect();
            let good: Vec<usize> = closing.iter().copied().filter(|draft| is_good(*draft)).collect();
            let undisturbed = good.iter().copied().find(|draft| is_undisturbed(*draft));
            let in_own_order = || own.iter().copied().find(|draft| closes(*draft, *transformation));
            let found = undisturbed.or(good.first().copied()).or_else(in_own_order);
            if let Some(draft) = found {
                chosen.insert(*transformation, draft);
                used.push(draft);
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::edit::Edit;
    use crate::fix::source::test_sources::Place;

    /// A draft that changes an existing test.
    fn changing(text: &str, position: usize, acts: bool) -> Draft {
        Draft {
            is_new: false,
            acts,
            place: Place { source: 0, position },
            edits: vec![Edit::insert(0, text.to_owned())],
            ..Draft::of_new_test("a", "")
        }
    }

    fn proof(closes: &[u32]) -> Option<Proof> {
        Some(Proof { closes: closes.iter().copied().map(TransformationId).collect(), ..Proof::default() })
    }

    #[test]
    fn a_draft_that_disturbs_a_chosen_one_is_the_last_choice() {
        let transformations = vec![TransformationId(0), TransformationId(1)];
        let groups = [Group { candidates: Vec::new(), transformations, is_random: false }];
        let chosen = |second: Draft| {
            let drafts = [changing("act", 3, true), second, changing("other", 4, false)];
            let chosen = choose(&groups, &drafts, &[proof(&[0]), proof(&[1]), proof(&[1])]);
            chosen.into_values().collect::<Vec<usize>>()
        };
        assert_eq!(chosen(changing("look", 3, false)), [0, 2]);
        assert_eq!(chosen(changing("look", 5, false)), [0, 1]);
        assert_eq!(chosen(changing("act", 3, true)), [0, 1], "the same change twice is one change");
    }
}

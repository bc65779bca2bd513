//! Proves the patches of each file together. Where patches disturb each other, it adds one patch
//! after the other and leaves out those that do not fit, so that a clash costs the clashing patch
//! only.

use crate::base::error::Result;
use crate::fix::outcome::PlacedPatch;
use crate::fix::prove::in_place::{PatchCheck, prove_patches};
use crate::fix::source::library::Library;
use crate::fix::trial::workshop::Workshop;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

/// Most patches of one file that are added one after the other.
const ONE_BY_ONE: usize = 12;

/// Proves that the patches hold in place, and adds a doubt to those that do not.
///
/// # Errors
///
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn prove_together(workshop: &mut Workshop<'_>, library: &Library<'_>, chosen: &mut [PatchCheck]) -> Result<()> {
    prove_patches(workshop, library, chosen)?;
    let mut clashes = clashes(chosen);
    while clashes.values().any(|clash| !clash.open.is_empty()) {
        let next: Vec<(PathBuf, usize)> =
            clashes.iter_mut().filter_map(|(file, clash)| Some((file.clone(), clash.open.pop_front()?))).collect();
        let mut tried: Vec<usize> = Vec::new();
        for (file, candidate) in &next {
            tried.extend(clashes.get(file).into_iter().flat_map(|clash| &clash.accepted));
            tried.push(*candidate);
        }
        let mut checks: Vec<PatchCheck> = tried.iter().filter_map(|index| chosen.get(*index)).map(anew).collect();
        prove_patches(workshop, library, &mut checks)?;
        for (index, check) in tried.iter().zip(&checks) {
            chosen.get_mut(*index).into_iter().for_each(|one| one.entered.unite(&check.entered));
        }
        for (file, candidate) in next {
            let because = reason(&tried, &checks, candidate, &file);
            if because.is_none() {
                clashes.entry(file).or_default().accepted.push(candidate);
            }
            if let Some(one) = chosen.get_mut(candidate) {
                one.because = because;
            }
        }
    }
    Ok(())
}

/// The patches of a file of which one disturbs another, by their indices.
#[derive(Debug, Default, PartialEq, Eq)]
struct Clash {
    /// Patches that hold together.
    accepted: Vec<usize>,
    /// Patches to add, in order.
    open: VecDeque<usize>,
}

/// The clashes by file. Patches with a doubt of their own have no part in them.
fn clashes(chosen: &[PatchCheck]) -> BTreeMap<PathBuf, Clash> {
    let mut clashes: BTreeMap<PathBuf, Clash> = BTreeMap::new();
    for (index, one) in chosen.iter().enumerate() {
        if one.because.is_some() && may_be_disturbed(one, chosen) {
            let clash = clashes.entry(one.placed.file.clone()).or_default();
            if clash.open.len() < ONE_BY_ONE {
                clash.open.push_back(index);
            }
        }
    }
    for (index, one) in chosen.iter().enumerate().filter(|(_, one)| one.because.is_none()) {
        clashes.get_mut(&one.placed.file).into_iter().for_each(|clash| clash.accepted.push(index));
    }
    clashes
}

/// Whether the doubt about a patch may be due to another patch of its file.
fn may_be_disturbed(one: &PatchCheck, chosen: &[PatchCheck]) -> bool {
    let others = chosen.iter().map(|other| &other.placed).filter(|other| other.file == one.placed.file);
    let others: Vec<&PlacedPatch> = others.filter(|other| **other != one.placed).collect();
    !others.is_empty() && (one.is_shared || others.iter().any(|other| one.placed.is_in_test_of(other)))
}

/// The same patch before its proof.
fn anew(one: &PatchCheck) -> PatchCheck {
    PatchCheck { placed: one.placed.clone(), unproven: one.unproven, ..PatchCheck::default() }
}

/// The reason why a patch cannot be added to those of its file. `None` if all of them hold.
fn reason(tried: &[usize], checks: &[PatchCheck], candidate: usize, file: &Path) -> Option<String> {
    let of_file = tried.iter().zip(checks).filter(|(_, check)| check.placed.file == file);
    let doubted: Vec<(&usize, &PatchCheck)> = of_file.filter(|(_, check)| check.because.is_some()).collect();
    if let Some((_, own)) = doubted.iter().find(|(index, _)| **index == candidate) {
        return own.because.clone();
    }
    let (_, other) = doubted.first()?;
    Some(format!("with it, the patch of {} does not hold", other.placed.test))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::edit::Edit;

    fn check(file: &str, test: &str, because: Option<&str>, is_shared: bool) -> PatchCheck {
        let placed = PlacedPatch {
            file: PathBuf::from(file),
            test: test.into(),
            edits: vec![Edit::insert(0, test.into())],
            ..PlacedPatch::default()
        };
        PatchCheck { placed, because: because.map(str::to_owned), is_shared, ..PatchCheck::default() }
    }

    #[test]
    fn only_the_files_of_a_clash_are_tried_patch_by_patch() {
        let chosen = [
            check("A", "a", Some("it does not compile"), true),
            check("A", "b", None, false),
            check("A", "c", Some("it does not pass elsewhere"), false),
            check("B", "d", Some("it does not compile"), true),
            check("C", "e", Some("it does not pass elsewhere"), false),
            check("C", "f", None, false),
            check("A", "g", Some("it does not compile"), true),
        ];
        let expected = Clash { accepted: vec![1], open: VecDeque::from([0, 6]) };
        assert_eq!(clashes(&chosen).into_iter().collect::<Vec<_>>(), [(PathBuf::from("A"), expected)]);
    }

    #[test]
    fn two_changes_of_one_test_may_disturb_each_other() {
        let mut other = check("A", "a", None, false);
        other.placed.edits = vec![Edit::insert(9, "x".into())];
        let chosen = [check("A", "a", Some("it does not pass"), false), other];
        assert_eq!(clashes(&chosen).len(), 1);
        assert!(clashes(&chosen[..1]).is_empty());
    }

    #[test]
    fn a_patch_that_spoils_another_one_is_left_out() {
        let checks = [check("A", "a", Some("it does not pass"), false), check("A", "b", None, false)];
        let of = |candidate| reason(&[4, 7], &checks, candidate, Path::new("A"));
        assert_eq!(of(4).as_deref(), Some("it does not pass"));
        assert_eq!(of(7).as_deref(), Some("with it, the patch of a does not hold"));
        assert_eq!(reason(&[4, 7], &checks, 7, Path::new("B")), None);
    }
}

//! Proves patches together with those that were kept from an earlier analysis.

use crate::base::error::Result;
use crate::base::id::MethodId;
use crate::fix::outcome::{MethodOutcome, PlacedPatch, by_file};
use crate::fix::prove::in_place::PatchCheck;
use crate::fix::prove::together::prove_together;
use crate::fix::source::library::Library;
use crate::fix::trial::entered::EnteredMethods;
use crate::fix::trial::workshop::Workshop;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Proves doubtful outcomes again, next to the kept ones, and returns those that hold.
///
/// Only outcomes whose patches are all alone in their tests are tried. An outcome holds if all of
/// its patches do.
///
/// # Errors
///
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn proven_again(
    workshop: &mut Workshop<'_>,
    library: &mut Library<'_>,
    still: &[MethodOutcome],
    mut doubtful: Vec<MethodOutcome>,
) -> Result<Vec<MethodOutcome>> {
    let placed = |of: &[MethodOutcome]| of.iter().flat_map(|fixed| fixed.placed.clone()).collect::<Vec<PlacedPatch>>();
    let others = [placed(still), placed(&doubtful)].concat();
    let is_alone = |own: &PlacedPatch| others.iter().filter(|other| own.is_in_test_of(other)).count() == 1;
    doubtful.retain(|fixed| fixed.placed.iter().all(is_alone));
    let unproven: BTreeSet<MethodId> = doubtful.iter().map(|fixed| fixed.method).collect();
    if unproven.is_empty() {
        return Ok(doubtful);
    }
    for fixed in &mut doubtful {
        // What was searched without result depends on the methods that were entered at that time.
        if fixed.is_proven() {
            fixed.entered = EnteredMethods::default();
        }
        fixed.placed.iter_mut().for_each(|placed| placed.beside.clear());
    }
    let mut all = [still, &doubtful].concat();
    prove_in_place(workshop, library, &mut all, &unproven)?;
    all.retain(|fixed| unproven.contains(&fixed.method) && !fixed.has_drafts());
    Ok(all)
}

/// The files whose patches are not the same ones as when they were proven together.
pub fn open_files(all: &[MethodOutcome]) -> BTreeSet<PathBuf> {
    let files = by_file(all);
    let placed = all.iter().flat_map(|fixed| &fixed.placed);
    placed.filter(|placed| files.get(&placed.file) != Some(&placed.beside)).map(|placed| placed.file.clone()).collect()
}

/// Proves the patches of each file together, unless that was done with the same patches. Patches of
/// the methods in `unproven` also need a proof by themselves.
///
/// # Errors
///
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn prove_in_place(
    workshop: &mut Workshop<'_>,
    library: &mut Library<'_>,
    all: &mut [MethodOutcome],
    unproven: &BTreeSet<MethodId>,
) -> Result<()> {
    let (files, open) = (by_file(&*all), open_files(all));
    for file in &open {
        library.read(file);
    }
    let is_open = |placed: &PlacedPatch| open.contains(&placed.file);
    let chosen = |fixed: &MethodOutcome| {
        let unproven = unproven.contains(&fixed.method);
        let placed: Vec<PlacedPatch> = fixed.placed.iter().filter(|placed| is_open(placed)).cloned().collect();
        placed.into_iter().map(move |placed| PatchCheck { placed, unproven, ..PatchCheck::default() })
    };
    let mut chosen: Vec<PatchCheck> = all.iter().flat_map(chosen).collect();
    prove_together(workshop, library, &mut chosen)?;
    let mut chosen = chosen.into_iter();
    for MethodOutcome { findings, placed, entered, .. } in all {
        for (place, placed) in placed.iter_mut().enumerate().filter(|(_, placed)| is_open(placed)) {
            let Some(one) = chosen.next() else { continue };
            entered.unite(&one.entered);
            placed.beside = files.get(&placed.file).cloned().unwrap_or_default();
            for finding in findings.iter_mut().filter(|finding| finding.place == Some(place)) {
                let because = one.because.clone().or_else(|| placed.doubt.clone());
                finding.attempt.patch.iter_mut().for_each(|patch| patch.doubted(because.clone()));
            }
        }
    }
    Ok(())
}

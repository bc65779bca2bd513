//! From what came of methods, each by itself, to patches that hold beside each other: those for one file are proven together.

use crate::base::error::Result;
use crate::base::id::MethodId;
use crate::fix::outcome::{Entered, by_file};
use crate::fix::prove::in_place::{Chosen, together};
use crate::fix::source::library::Library;
use crate::fix::trial::workshop::Workshop;
use crate::fix::{Fixed, Placed};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Those of the `doubtful` ones that hold beside what holds still: all of their patches, each of them the only one in its test. None of them is a draft.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn proven_anew(
    workshop: &mut Workshop<'_>,
    library: &mut Library<'_>,
    still: &[Fixed],
    mut doubtful: Vec<Fixed>,
) -> Result<Vec<Fixed>> {
    let placed = |of: &[Fixed]| of.iter().flat_map(|fixed| fixed.placed.clone()).collect::<Vec<Placed>>();
    let others = [placed(still), placed(&doubtful)].concat();
    let is_alone = |own: &Placed| others.iter().filter(|other| own.is_in_test_of(other)).count() == 1;
    doubtful.retain(|fixed| fixed.placed.iter().all(is_alone));
    let anew: BTreeSet<MethodId> = doubtful.iter().map(|fixed| fixed.method).collect();
    if anew.is_empty() {
        return Ok(doubtful);
    }
    for fixed in &mut doubtful {
        // What was tried in vain hangs on what was entered then.
        if fixed.is_proven() {
            fixed.entered = Entered::default();
        }
        fixed.placed.iter_mut().for_each(|placed| placed.beside.clear());
    }
    let mut all = [still, &doubtful].concat();
    prove_together(workshop, library, &mut all, &anew)?;
    all.retain(|fixed| anew.contains(&fixed.method) && !fixed.has_drafts());
    Ok(all)
}

/// The files for which there are not the patches with which theirs were proven.
pub fn open_files(all: &[Fixed]) -> BTreeSet<PathBuf> {
    let files = by_file(all);
    let placed = all.iter().flat_map(|fixed| &fixed.placed);
    placed.filter(|placed| files.get(&placed.file) != Some(&placed.beside)).map(|placed| placed.file.clone()).collect()
}

/// Holds the patches for each file together, where that was not done with the same ones. Those of the methods in `anew` may not hold by themselves.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn prove_together(
    workshop: &mut Workshop<'_>,
    library: &mut Library<'_>,
    all: &mut [Fixed],
    anew: &BTreeSet<MethodId>,
) -> Result<()> {
    let (files, open) = (by_file(&*all), open_files(all));
    for file in &open {
        library.read(file);
    }
    let is_open = |placed: &Placed| open.contains(&placed.file);
    let chosen = |fixed: &Fixed| {
        let anew = anew.contains(&fixed.method);
        let placed: Vec<Placed> = fixed.placed.iter().filter(|placed| is_open(placed)).cloned().collect();
        placed.into_iter().map(move |placed| Chosen { placed, anew, because: None, entered: Entered::default() })
    };
    let mut chosen: Vec<Chosen> = all.iter().flat_map(chosen).collect();
    together(workshop, library, &mut chosen)?;
    let mut chosen = chosen.into_iter();
    for Fixed { findings, placed, entered, .. } in all {
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

//! Shortens the ids of transformations to ones that people type. A short id is the same in every
//! run, wherever the method is in its file.

use super::model::Entry;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Hexadecimal digits of a short id. With ten thousand transformations, two share an id in one of
/// twenty thousand projects.
const DIGITS: usize = 10;

/// Sets [`Entry::short_id`].
pub(super) fn fill_in(entries: &mut [Entry]) {
    let ids = short_ids(entries.iter().map(|entry| (entry.module.as_str(), entry.id.as_str())));
    for (entry, short_id) in entries.iter_mut().zip(ids) {
        entry.short_id = short_id;
    }
}

/// The short id of each pair of module and id. It depends on the id alone, and on the module only
/// if several modules have a method of that name.
#[must_use]
pub fn short_ids<'a>(ids: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<String> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, id) in ids.clone() {
        *uses.entry(id).or_default() += 1;
    }
    ids.map(|(module, id)| match uses.get(id) {
        Some(2..) => short(&format!("{module}:{id}")),
        _ => short(id),
    })
    .collect()
}

fn short(id: &str) -> String {
    let digest: String = Sha256::digest(id.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    digest.chars().take(DIGITS).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::report::tests::versioned_set::VersionedSet;

    #[test]
    fn a_short_id_depends_on_the_transformation_and_not_on_its_line() {
        let mut entries = VersionedSet::new().report().transformations;
        let before: Vec<String> = entries.iter().map(|entry| entry.short_id.clone()).collect();
        // The first digits that `sha256sum` prints.
        assert_eq!(before[0], short("org.example.VersionedSet.add(Ljava/lang/Object;)Z/true"));
        assert_eq!(short("abc"), "ba7816bf8f");
        for entry in &mut entries {
            entry.line = entry.line.map(|line| line + 7);
            entry.module = "renamed".into();
        }
        fill_in(&mut entries);
        assert_eq!(entries.iter().map(|entry| entry.short_id.clone()).collect::<Vec<_>>(), before);
    }

    #[test]
    fn the_same_class_in_two_modules_has_two_short_ids() {
        let mut entries = VersionedSet::new().report().transformations;
        entries.truncate(1);
        entries.push(entries[0].clone());
        entries[1].module = "other".into();
        fill_in(&mut entries);
        assert_ne!(entries[0].short_id, entries[1].short_id);
    }
}

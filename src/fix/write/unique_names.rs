//! Different names for new tests: each name stands once in its file, and hides no inherited test.
//! Equal tests for findings of several methods keep one name, because they are one test.

use crate::fix::edit::Edit;
use crate::fix::source::library::Library;
use crate::fix::write::draft::Draft;
use crate::fix::write::name::first_free;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A test source and the name of a test in it.
pub type TestName = (PathBuf, String);

/// Gives a number to each chosen new test whose name is taken.
///
/// `taken` are the tests of other patches. A method of a superclass or of a subclass takes its name
/// as well: one of the two tests would override the other.
pub fn make_names_unique(
    library: &Library<'_>,
    drafts: &mut [Draft],
    chosen: &BTreeSet<usize>,
    mut taken: BTreeSet<TestName>,
) {
    let mut known: BTreeMap<(PathBuf, Vec<Edit>), String> = BTreeMap::new();
    for (_, draft) in drafts.iter_mut().enumerate().filter(|(index, draft)| chosen.contains(index) && draft.is_new) {
        let Some(file) = library.sources.get(draft.place.source).map(|source| source.path.clone()) else { continue };
        let as_written = (file.clone(), draft.edits.clone());
        if let Some(name) = known.get(&as_written) {
            draft.rename(name.clone());
            continue;
        }
        let related = library.names_related(draft.place);
        let is_taken = |name: &str| related.contains(name) || taken.contains(&(file.clone(), name.to_owned()));
        let name = first_free(&draft.test, is_taken);
        taken.insert((file, name.clone()));
        known.insert(as_written, name.clone());
        draft.rename(name);
    }
}

impl Draft {
    /// Gives a new test another name.
    fn rename(&mut self, name: String) {
        let (old, new) = (format!("void {}(", self.test), format!("void {name}("));
        if let Some(edit) = self.edits.iter_mut().find(|edit| edit.text.contains(&old)) {
            edit.text = edit.text.replacen(&old, &new, 1);
            self.test = name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_test_is_renamed_where_it_is_declared() {
        let mut draft = Draft::of_new_test("mapsIsTrue", "mapsIsTrue();");
        draft.rename("mapsIsTrue2".to_owned());
        assert_eq!(draft.test, "mapsIsTrue2");
        let texts: Vec<&str> = draft.edits.iter().map(|edit| edit.text.as_str()).collect();
        assert_eq!(texts, ["@Test void mapsIsTrue2() { mapsIsTrue(); }"]);
    }
}

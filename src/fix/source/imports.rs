//! New imports, placed as the authors of the source would place them.

use crate::fix::edit::Edit;
use crate::fix::source::test_source::{Import, TestSource};

/// An import that new code needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewImport {
    pub is_static: bool,
    /// `org.junit.Assert.assertFalse`
    pub name: String,
}

/// The lines for imports that are missing, each in the place that the source suggests.
#[must_use]
pub fn import_edits(source: &TestSource, needed: &[NewImport]) -> Vec<Edit> {
    let mut missing: Vec<&NewImport> = needed.iter().collect();
    missing.sort();
    missing.dedup();
    missing.retain(|needed| {
        let same_package =
            !needed.is_static && needed.name.rsplit_once('.').map_or("", |(package, _)| package) == source.package;
        let imports = source.imports.iter().filter(|import| import.is_static == needed.is_static);
        !same_package
            && !needed.name.starts_with("java.lang.")
            && !imports.into_iter().any(|import| import.covers(&needed.name))
    });
    // If the source has no imports yet, static ones come first, and one blank line follows all of
    // them.
    missing.sort_by_key(|needed| !needed.is_static);
    let mut edits: Vec<Edit> = missing.iter().map(|needed| import_edit(source, needed)).collect();
    let newline = source.newline();
    let blank = newline.repeat(2);
    for at in 1..edits.len() {
        let (before, after) = edits.split_at_mut(at);
        if let (Some(one), Some(next)) = (before.last_mut(), after.first())
            && one.start == next.start
            && one.text.ends_with(&blank)
            && next.text.ends_with(&blank)
        {
            one.text.truncate(one.text.len() - newline.len());
        }
    }
    edits
}

fn import_edit(source: &TestSource, needed: &NewImport) -> Edit {
    let newline = source.newline();
    let keyword = if needed.is_static { "import static" } else { "import" };
    let line = format!("{keyword} {};{newline}", needed.name);
    let of_kind: Vec<&Import> = source.imports.iter().filter(|import| import.is_static == needed.is_static).collect();
    let package = |name: &str| name.rsplit_once('.').map_or("", |(package, _)| package).to_owned();
    // The place, in order of preference: after the last import of the same class or package with a
    // smaller name; before the first import of that class or package; at its sorted place among all
    // imports of its kind, if these are sorted; after these.
    let alike: Vec<&&Import> = of_kind.iter().filter(|import| package(&import.name) == package(&needed.name)).collect();
    if let Some(before) = alike.iter().rev().find(|import| import.name < needed.name) {
        return Edit::insert(source.line_end(before.end), line);
    }
    if let Some(first) = alike.first() {
        return Edit::insert(source.line_start(first.start), line);
    }
    if let Some(before) = of_kind.iter().rev().find(|import| import.name < needed.name) {
        return Edit::insert(source.line_end(before.end), line);
    }
    if let Some(first) = of_kind.first().filter(|_| of_kind.is_sorted_by_key(|import| &import.name)) {
        return Edit::insert(source.line_start(first.start), line);
    }
    if let Some(last) = of_kind.last() {
        return Edit::insert(source.line_end(last.end), line);
    }
    match (source.imports.first(), source.imports.last()) {
        // The first static import goes before the others, as in most sources.
        (Some(first), _) if needed.is_static => {
            Edit::insert(source.line_start(first.start), format!("{line}{newline}"))
        }
        (_, Some(last)) => Edit::insert(source.line_end(last.end), format!("{newline}{line}")),
        _ => {
            let first = source.text.find("package ").map_or(0, |package| source.line_end(package));
            Edit::insert(first, format!("{newline}{line}"))
        }
    }
}

impl Import {
    /// Whether this imports the class, or static members of it.
    pub fn is_of(&self, class: &str) -> bool {
        if self.is_static {
            self.name.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'))
        } else {
            self.name == class
        }
    }

    /// Whether code after this import can use the simple name of `name`.
    fn covers(&self, name: &str) -> bool {
        self.name == name
            || self.name.strip_suffix('*').is_some_and(|package| {
                name.strip_prefix(package).is_some_and(|rest| !rest.is_empty() && !rest.contains('.'))
            })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::edit::apply;
    use std::path::Path;

    fn source(text: &str) -> TestSource {
        TestSource::of(Path::new("T.java"), text.to_owned()).unwrap()
    }

    #[test]
    fn an_import_stands_next_to_similar_ones() {
        let with = |text: &str, is_static: bool, name: &str| {
            let source = source(text);
            apply(text, &import_edits(&source, &[NewImport { is_static, name: name.into() }])).unwrap()
        };
        let text = "package a;\n\nimport static org.junit.Assert.assertEquals;\nimport static org.junit.Assert.assertTrue;\n\n\
                    import org.junit.Test;\n\nclass T {}\n";
        assert!(with(text, true, "org.junit.Assert.assertFalse").contains(
            "assertEquals;\nimport static org.junit.Assert.assertFalse;\nimport static org.junit.Assert.assertTrue;"
        ));
        assert!(
            with(text, true, "org.junit.Assert.assertArrayEquals")
                .contains("a;\n\nimport static org.junit.Assert.assertArrayEquals;\nimport static")
        );
        assert_eq!(with(text, true, "org.junit.Assert.assertTrue"), text);
        assert!(with(text, false, "java.util.List").contains("\n\nimport java.util.List;\nimport org.junit.Test;"));
        let unsorted = "import z.Z;\nimport org.junit.Test;\nclass T {}\n";
        assert!(
            with(unsorted, false, "java.util.List").contains("import org.junit.Test;\nimport java.util.List;\nclass")
        );
        assert_eq!(with(text, false, "a.Other"), text, "the same package");
        assert_eq!(with("import static b.B.*;\nclass T {}\n", true, "b.B.c"), "import static b.B.*;\nclass T {}\n");
        assert!(with("import z.Z;\nclass T {}\n", true, "b.B.c").starts_with("import static b.B.c;\n\nimport z.Z;"));
        assert!(with("package a;\nclass T {}\n", false, "b.B").starts_with("package a;\n\nimport b.B;\nclass"));
    }
}

//! From a folder of compiled tests and surefire's include and exclude patterns to the names of the classes that surefire would look at.

use crate::error::{Error, Result};
use fancy_regex::Regex;
use std::path::Path;

/// Binary names of the classes below `folder` that the patterns take, sorted by the path of their class file. A folder that is not there
/// has no classes. Which of them are test classes is for the driver to say.
///
/// The language is surefire's (<https://maven.apache.org/surefire/maven-surefire-plugin/examples/inclusion-exclusion.html>):
/// `**/*Test.java`, `*Test`, `org.example.Foo*`, `org/example/Foo?.class`, `%regex[.*(Cat|Dog).*]` on the path of the class file, several
/// separated by commas, `!` in front of one that excludes. Of an inclusion `Foo#method` only the class counts here; an
/// exclusion with `#` excludes no class. Without inclusions everything is included; exclusions win.
///
/// # Errors
/// When the folder cannot be read, or a pattern is not one.
pub fn test_classes(folder: &Path, includes: &[String], excludes: &[String]) -> Result<Vec<String>> {
    let filter = Filter::new(includes, excludes)?;
    let mut paths = Vec::new();
    if folder.is_dir() {
        for entry in walkdir::WalkDir::new(folder).follow_links(true) {
            let entry = entry.map_err(|error| {
                Error::cannot_build(
                    format!("The folder of test classes {} cannot be read: {error}.", folder.display()),
                    "Check its permissions, or compile the tests anew.",
                )
            })?;
            let Ok(path) = entry.path().strip_prefix(folder) else { continue };
            let path: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
            let path = path.join("/");
            let declares = !path.ends_with("module-info.class") && !path.ends_with("package-info.class");
            if entry.file_type().is_file() && path.ends_with(".class") && declares && filter.takes(&path) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    Ok(paths.iter().map(|path| path.trim_end_matches(".class").replace('/', ".")).collect())
}

/// Both lists, resolved once.
struct Filter {
    included: Vec<Pattern>,
    excluded: Vec<Pattern>,
}

enum Pattern {
    /// Alternatives, each split at `/`.
    Path(Vec<Vec<String>>),
    Regex(Regex),
    /// Names methods of any class, or excludes methods.
    EveryClass,
}

impl Filter {
    fn new(includes: &[String], excludes: &[String]) -> Result<Self> {
        let mut filter = Self { included: Vec::new(), excluded: Vec::new() };
        for (list, excludes) in [(includes, false), (excludes, true)] {
            for text in list.iter().flat_map(|text| text.split(',')).map(str::trim) {
                let (text, excluded) = text.strip_prefix('!').map_or((text, excludes), |rest| (rest.trim(), true));
                if text.is_empty() {
                    continue;
                }
                let (pattern, names_methods) = Pattern::new(text)?;
                if !excluded {
                    filter.included.push(pattern);
                } else if !names_methods {
                    filter.excluded.push(pattern);
                }
            }
        }
        Ok(filter)
    }

    fn takes(&self, path: &str) -> bool {
        (self.included.is_empty() || self.included.iter().any(|pattern| pattern.matches(path)))
            && !self.excluded.iter().any(|pattern| pattern.matches(path))
    }
}

impl Pattern {
    /// The pattern for classes, and whether there is one for methods too.
    fn new(text: &str) -> Result<(Self, bool)> {
        let regex = text.strip_prefix("%regex[").and_then(|rest| rest.strip_suffix(']'));
        let ant = text.strip_prefix("%ant[").and_then(|rest| rest.strip_suffix(']'));
        let (class, method) = match regex.or(ant).unwrap_or(text).split_once('#') {
            Some((class, method)) => (class.trim(), Some(method)),
            None => (regex.or(ant).unwrap_or(text).trim(), None),
        };
        let pattern = if class.is_empty() {
            Self::EveryClass
        } else if regex.is_some() {
            // Java's `matches` is about the whole text.
            Self::Regex(Regex::new(&format!(r"\A(?:{class})\z")).map_err(|error| {
                Error::usage(
                    format!("Surefire's pattern {text} is not a regular expression that reneri understands: {error}."),
                    "Write it in another way in the POM, or as a path pattern (**/*Test.java).",
                )
            })?)
        } else {
            Self::path(class)
        };
        Ok((pattern, method.is_some()))
    }

    /// As surefire's `ResolvedTest` rewrites them.
    fn path(class: &str) -> Self {
        let class = class.strip_suffix(".java").map_or_else(|| class.to_owned(), |class| format!("{class}.class"));
        let class = if let Some(name) = class.strip_suffix(".class") {
            format!("{}.class", name.replace('.', "/"))
        } else if class.contains('/') {
            class
        } else if let Some(name) = class.strip_suffix(".*") {
            format!("{}.*", name.replace('.', "/"))
        } else {
            class.replace('.', "/")
        };
        let class = if class.starts_with("**/") { class } else { format!("**/{}", class.trim_start_matches('/')) };
        let class = if class.ends_with('/') { format!("{class}**") } else { class };
        let split = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
        if class.ends_with(".*") || class.ends_with(".class") {
            Self::Path(vec![split(&class)])
        } else {
            Self::Path(vec![split(&format!("{class}.class")), split(&class)])
        }
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Self::EveryClass => true,
            // An expression that gives up (too much backtracking) does not match.
            Self::Regex(regex) => regex.is_match(path).unwrap_or(false),
            Self::Path(alternatives) => {
                let path: Vec<&str> = path.split('/').collect();
                alternatives.iter().any(|pattern| matches_path(pattern, &path))
            }
        }
    }
}

/// Ant's rule: `**` stands for any number of folders, `*` and `?` for characters within one name.
fn matches_path(pattern: &[String], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "**" => {
            matches_path(rest, path) || path.split_first().is_some_and(|(_, path)| matches_path(pattern, path))
        }
        (Some((first, rest)), Some((name, path))) => matches_name(first, name) && matches_path(rest, path),
        _ => false,
    }
}

fn matches_name(pattern: &str, name: &str) -> bool {
    let mut after = name.chars();
    match pattern.chars().next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = pattern.get(1..).unwrap_or_default();
            matches_name(rest, name) || after.next().is_some() && matches_name(pattern, after.as_str())
        }
        Some(wanted) => {
            let fits = after.next().is_some_and(|c| wanted == '?' || wanted == c);
            fits && matches_name(pattern.get(wanted.len_utf8()..).unwrap_or_default(), after.as_str())
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    const DEFAULTS: [&str; 4] = ["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"];

    fn taken(classes: &[&str], includes: &[&str], excludes: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for class in classes {
            let file = folder.path().join(format!("{class}.class"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, []).unwrap();
        }
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        test_classes(folder.path(), &owned(includes), &owned(excludes)).unwrap()
    }

    #[test]
    fn surefires_defaults_take_classes_by_name_and_leave_nested_ones_out() {
        let classes = [
            "b/StackTest",
            "a/TestStack",
            "a/StackTests",
            "a/StackTest$Inner",
            "a/Stack",
            "StackTestCase",
            "a/Testing",
        ];
        assert_eq!(
            taken(&classes, &DEFAULTS, &["**/*$*"]),
            ["StackTestCase", "a.StackTests", "a.TestStack", "a.Testing", "b.StackTest"]
        );
    }

    #[test]
    fn patterns_may_name_sources_classes_packages_or_just_a_class() {
        let classes = ["org/example/FooTest", "org/example/BarTest", "org/other/FooTest"];
        assert_eq!(taken(&classes, &["FooTest"], &[]), ["org.example.FooTest", "org.other.FooTest"]);
        assert_eq!(taken(&classes, &["org.example.*"], &[]), Vec::<String>::new());
        assert_eq!(taken(&classes, &["org/example/*"], &[]), ["org.example.BarTest", "org.example.FooTest"]);
        assert_eq!(taken(&classes, &["org.example.FooTest"], &[]), ["org.example.FooTest"]);
        assert_eq!(taken(&classes, &["example/?ooTest.class"], &[]), ["org.example.FooTest"]);
        assert_eq!(taken(&classes, &["org/example/"], &[]), ["org.example.BarTest", "org.example.FooTest"]);
        assert_eq!(taken(&classes, &["**/org/**/Foo*.java, BarTest"], &[]).len(), 3);
    }

    #[test]
    fn a_regular_expression_is_about_the_whole_path_of_the_class_file() {
        let classes = ["a/CatTest", "a/DogTest", "a/SlowDogTest"];
        assert_eq!(taken(&classes, &["%regex[.*(Cat|Dog)Test.class]"], &[]).len(), 3);
        assert_eq!(taken(&classes, &["%regex[Cat]"], &[]), Vec::<String>::new());
        assert_eq!(taken(&classes, &["%regex[a/(?!Slow).*]"], &[]), ["a.CatTest", "a.DogTest"]);
        assert_eq!(taken(&classes, &DEFAULTS, &["%regex[.*Slow.*]"]), ["a.CatTest", "a.DogTest"]);
    }

    #[test]
    fn exclusions_win_wherever_they_are_written() {
        let classes = ["a/CatTest", "a/DogTest"];
        assert_eq!(taken(&classes, &["**/*Test.java", "!**/Cat*"], &[]), ["a.DogTest"]);
        assert_eq!(taken(&classes, &["**/*Test.java"], &["**/Cat*, **/Dog*"]), Vec::<String>::new());
        assert_eq!(taken(&classes, &["!CatTest"], &[]), ["a.DogTest"]);
    }

    #[test]
    fn patterns_for_methods_choose_classes_only() {
        let classes = ["a/CatTest", "a/DogTest"];
        assert_eq!(taken(&classes, &["CatTest#meows+purrs"], &[]), ["a.CatTest"]);
        assert_eq!(taken(&classes, &["*Test"], &["CatTest#meows"]), ["a.CatTest", "a.DogTest"]);
        assert_eq!(taken(&classes, &["#meows"], &[]), ["a.CatTest", "a.DogTest"]);
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_tests() {
        assert_eq!(test_classes(Path::new("/nowhere/at/all"), &[], &[]).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_broken_regular_expression_is_named() {
        let error = test_classes(Path::new("/"), &["%regex[(]".to_owned()], &[]).unwrap_err();
        assert!(error.what.contains("%regex[(]"), "{error}");
    }
}

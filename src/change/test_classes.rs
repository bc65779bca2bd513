//! Reads from class files which test classes use which others, because a change to a helper affects the
//! tests that use it.

use crate::base::error::Result;
use crate::base::id::{IdSlice, RecipeId};
use crate::classfile::compiled_classes::{CompiledClass, read_folder};
use crate::classfile::names;
use ristretto_classfile::Constant;
use ristretto_classfile::attributes::Attribute;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A test class of one recipe. Recipes may have different classes of the same name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestClassKey {
    pub recipe: RecipeId,
    /// Binary name.
    pub class: String,
}

impl TestClassKey {
    #[must_use]
    pub fn new(recipe: RecipeId, class: &str) -> Self {
        Self { recipe, class: class.to_owned() }
    }
}

/// The classes in the test folders of all recipes, and the classes that each of them names.
#[derive(Clone, Debug, Default)]
pub struct TestClasses(BTreeMap<TestClassKey, TestClass>);

#[derive(Clone, Debug, Default)]
struct TestClass {
    /// The path below the source root, such as `org/example/StackTest.java`.
    source: Option<String>,
    /// Binary names of the superclass, the interfaces and the enclosing classes.
    above: BTreeSet<String>,
    /// Binary names of all classes that the class file names.
    names: BTreeSet<String>,
    /// Whether the class has an annotation with run-time retention.
    annotated: bool,
}

impl TestClasses {
    /// `folders` has one folder for each recipe.
    ///
    /// # Errors
    /// If a class file cannot be read.
    pub fn read(folders: &IdSlice<RecipeId, PathBuf>) -> Result<Self> {
        let mut classes = BTreeMap::new();
        for (recipe, folder) in folders.iter_enumerated() {
            for (name, found) in read_folder(folder)?.classes {
                let class = test_class(&name, &found).map_err(|error| found.broken(&error))?;
                classes.insert(TestClassKey { recipe, class: name }, class);
            }
        }
        Ok(Self(classes))
    }

    /// The classes that a source declares. `source` is relative to its root.
    pub fn of_source(&self, recipe: RecipeId, source: &str) -> BTreeSet<TestClassKey> {
        self.0
            .iter()
            .filter(|(key, class)| key.recipe == recipe && class.source.as_deref() == Some(source))
            .map(|(key, _)| key.clone())
            .collect()
    }

    /// Whether the class has an annotation with run-time retention.
    #[must_use]
    pub fn is_annotated(&self, key: &TestClassKey) -> bool {
        self.0.get(key).is_some_and(|class| class.annotated)
    }

    /// These classes, their subclasses, and the classes nested in any of them, transitively: all classes
    /// that inherit their tests and their set-up.
    pub fn below(&self, classes: &BTreeSet<TestClassKey>) -> BTreeSet<TestClassKey> {
        self.closure(classes, |class| &class.above)
    }

    /// These classes and the test classes that name them, transitively.
    pub fn users(&self, classes: &BTreeSet<TestClassKey>) -> BTreeSet<TestClassKey> {
        self.closure(classes, |class| &class.names)
    }

    fn closure(
        &self,
        classes: &BTreeSet<TestClassKey>,
        named: impl Fn(&TestClass) -> &BTreeSet<String>,
    ) -> BTreeSet<TestClassKey> {
        let mut named_by: BTreeMap<TestClassKey, Vec<&TestClassKey>> = BTreeMap::new();
        for (user, class) in &self.0 {
            for name in named(class) {
                for target in self.resolve(user.recipe, name) {
                    named_by.entry(target).or_default().push(user);
                }
            }
        }
        let mut found = classes.clone();
        let mut waiting: Vec<TestClassKey> = classes.iter().cloned().collect();
        while let Some(class) = waiting.pop() {
            for user in named_by.get(&class).into_iter().flatten() {
                if found.insert((*user).clone()) {
                    waiting.push((*user).clone());
                }
            }
        }
        found
    }

    /// The class that a class of `recipe` means by `name`: the one in its own folder, else the ones in
    /// other folders.
    fn resolve(&self, recipe: RecipeId, name: &str) -> Vec<TestClassKey> {
        let own = TestClassKey::new(recipe, name);
        if self.0.contains_key(&own) {
            return vec![own];
        }
        let recipes: BTreeSet<RecipeId> = self.0.keys().map(|key| key.recipe).collect();
        let everywhere = recipes.into_iter().map(|recipe| TestClassKey::new(recipe, name));
        everywhere.filter(|key| self.0.contains_key(key)).collect()
    }
}

fn test_class(name: &str, found: &CompiledClass) -> ristretto_classfile::Result<TestClass> {
    let class = &found.class;
    let pool = &class.constant_pool;
    let mut source = None;
    let mut annotated = false;
    for attribute in &class.attributes {
        annotated |= matches!(attribute, Attribute::RuntimeVisibleAnnotations { .. });
        if let Attribute::SourceFile { source_file_index, .. } = attribute {
            let file = names::text(pool, *source_file_index)?;
            let package = names::package(name);
            source = Some(if package.is_empty() { file } else { format!("{}/{file}", package.replace('.', "/")) });
        }
    }
    let mut above = BTreeSet::new();
    if class.super_class != 0 {
        above.insert(names::class(pool, class.super_class)?);
    }
    for interface in &class.interfaces {
        above.insert(names::class(pool, *interface)?);
    }
    // JLS §13.1: the binary name of a member class is that of its enclosing class, `$`, and its own.
    above.extend(name.match_indices('$').filter_map(|(at, _)| name.get(..at)).map(str::to_owned));
    let mut named = above.clone();
    for constant in pool {
        match constant {
            Constant::Class(index) => {
                named.insert(names::binary(&names::text(pool, *index)?));
            }
            // Only descriptors name annotations, their values, and the types of parameters and fields. Any
            // other text may be an argument of `Class.forName`.
            Constant::Utf8(text) => {
                let text = text.to_rust_string();
                named.extend(classes_of_descriptors(&text));
                named.extend(Some(names::binary(&text)).filter(|_| !text.contains([' ', '\n', '(', ';'])));
            }
            _ => {}
        }
    }
    Ok(TestClass { source, above, names: named, annotated })
}

/// The classes of a descriptor or signature (JVMS §4.3, §4.7.9.1): `(ILa/B;)La/C<La/D;>;` names `a.B`, `a.C` and `a.D`.
fn classes_of_descriptors(text: &str) -> impl Iterator<Item = String> {
    text.split(['(', ')', '<', '>', ';', '[', ':', '*', '+', '-', '^'])
        .filter_map(|part| part.trim_start_matches(['B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z', 'V']).strip_prefix('L'))
        .filter(|name| !name.is_empty())
        .map(names::binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> TestClassKey {
        TestClassKey::new(RecipeId(0), name)
    }

    impl TestClasses {
        /// Classes of one recipe in the unnamed package, each with the classes above it and the other
        /// classes that it names.
        pub fn of(all: &[(&str, &[&str], &[&str])]) -> Self {
            let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
            let class = |(name, above, named): &(&str, &[&str], &[&str])| {
                let source = name.split('$').next().map(|name| format!("{name}.java"));
                let names = set(above).union(&set(named)).cloned().collect();
                (key(name), TestClass { source, above: set(above), names, annotated: false })
            };
            Self(all.iter().map(class).collect())
        }
    }

    #[test]
    fn below_finds_subclasses_and_nested_classes_and_users_finds_indirect_users() {
        let classes = TestClasses::of(&[
            ("Base", &[], &[]),
            ("ATest", &["Base"], &["Fixtures"]),
            ("ATest$Inner", &["ATest"], &[]),
            ("Fixtures", &[], &["Data"]),
            ("Data", &[], &[]),
            ("BTest", &[], &["java.lang.String"]),
        ]);
        let all = |names: &[&str]| names.iter().map(|name| key(name)).collect::<BTreeSet<_>>();
        assert_eq!(classes.of_source(RecipeId(0), "Base.java"), all(&["Base"]));
        assert_eq!(classes.of_source(RecipeId(1), "Base.java"), all(&[]));
        assert_eq!(classes.below(&all(&["Base"])), all(&["Base", "ATest", "ATest$Inner"]));
        assert_eq!(classes.users(&all(&["Data"])), all(&["Data", "Fixtures", "ATest", "ATest$Inner"]));
    }

    #[test]
    fn a_class_of_the_same_module_hides_one_of_the_same_name_elsewhere() {
        let mut classes = TestClasses::of(&[("Data", &[], &[]), ("ATest", &[], &["Data"])]);
        let other = TestClass { names: ["Data".to_owned()].into(), ..TestClass::default() };
        classes.0.insert(TestClassKey::new(RecipeId(1), "Data"), TestClass::default());
        classes.0.insert(TestClassKey::new(RecipeId(1), "BTest"), other.clone());
        classes.0.insert(TestClassKey::new(RecipeId(2), "CTest"), other);
        let users = classes.users(&[TestClassKey::new(RecipeId(1), "Data")].into());
        let names: Vec<&str> = users.iter().map(|key| key.class.as_str()).collect();
        assert_eq!(names, ["BTest", "Data", "CTest"]);
    }

    #[test]
    fn classes_are_found_in_descriptors() {
        let found: Vec<String> = classes_of_descriptors("(I[La/B;Z)La/C<-La/D;>;").collect();
        assert_eq!(found, ["a.B", "a.C", "a.D"]);
        assert_eq!(classes_of_descriptors("just text").count(), 0);
    }
}

//! Finds the test classes of other modules that the tests of a recipe use.

use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::classfile::decoded::decode;
use crate::classfile::names;
use crate::recipe::Recipe;
use crate::text::words::top_level;
use ristretto_classfile::Constant;
use std::collections::BTreeSet;
use std::path::Path;

/// The binary names of the top-level test classes of other modules that the recipe's test classes
/// name, themselves or through others, and of those that it runs. A class that cannot be read
/// names none.
pub(super) fn used_classes(recipe: &Recipe) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    if recipe.foreign_tests.is_empty() {
        return used;
    }
    let mut waiting: Vec<String> = recipe.test_class_names().unwrap_or_default();
    for file in class_files(&recipe.test_classes) {
        waiting.extend(named_classes(&file));
    }
    while let Some(class) = waiting.pop() {
        let top = top_level(&class).to_owned();
        let below = format!("{}.class", top.replace('.', "/"));
        let Some(tests) = recipe.foreign_tests.iter().find(|tests| tests.classes.join(&below).is_file()) else {
            continue;
        };
        if !used.insert(top.clone()) {
            continue;
        }
        let file = tests.classes.join(below);
        let nested = format!("{}$", top.rsplit('.').next().unwrap_or(&top));
        let beside = file.parent().into_iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
        let own = beside.flatten().map(|entry| entry.path()).filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.starts_with(&nested) && name.ends_with(".class")
        });
        waiting.extend(own.chain([file.clone()]).flat_map(|file| named_classes(&file)));
    }
    used
}

fn class_files(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().map(walkdir::DirEntry::into_path);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "class"))
}

/// The classes in the constant pool of a class file.
fn named_classes(file: &Path) -> Vec<String> {
    let Some(class) = read_file(file, LONGEST_SOURCE).ok().and_then(|bytes| decode(&bytes).ok()) else {
        return Vec::new();
    };
    let pool = &class.constant_pool;
    let named = (1..=u16::MAX).take(pool.len()).filter(|index| matches!(pool.get(*index), Some(Constant::Class(_))));
    named.filter_map(|index| names::class(pool, index).ok()).collect()
}

//! Plans what is woven into each class: coverage and guards for all methods, state probes for some.

use super::{Constant, Method, Transformations};
use crate::base::id::{GuardId, IdVec, MethodId, ModuleId};
use crate::classfile::plan::{ClassWeave, MethodWeave};
use crate::jvm::protocol::MethodShape;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The plan of each class, by internal name: coverage and a guard for every transformation, and
/// state probes in the methods of `observed`.
///
/// `modules` are the modules whose classes the tests see, in the order of their class path: of two
/// classes with the same name, the first one counts.
#[must_use]
pub fn plan(
    transformations: &Transformations,
    observed: &BTreeSet<MethodId>,
    modules: &[ModuleId],
) -> BTreeMap<String, ClassWeave> {
    let rank = |method: &Method| modules.iter().position(|module| *module == method.module);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (class, rank) in transformations.methods.iter().filter_map(|method| Some((&method.class, rank(method)?))) {
        seen.entry(class).and_modify(|first| *first = rank.min(*first)).or_insert(rank);
    }
    let mut guards: IdVec<MethodId, Vec<(u32, Constant)>> =
        transformations.methods.iter().map(|_| Vec::new()).collect();
    for (id, transformation) in transformations.transformations.iter_enumerated() {
        guards[transformation.method].push((GuardId::of(id).number(), transformation.constant.clone()));
    }
    let mut classes: BTreeMap<String, ClassWeave> = BTreeMap::new();
    for ((id, method), guards) in transformations.methods.iter_enumerated().zip(guards) {
        if rank(method).is_none() || rank(method) != seen.get(method.class.as_str()).copied() {
            continue;
        }
        classes.entry(method.class.replace('.', "/")).or_default().methods.push(MethodWeave {
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            coverage: Some(id),
            guards,
            observe: observed.contains(&id).then_some(id),
        });
    }
    classes
}

/// What the recorder has to know of each method.
#[must_use]
pub fn shapes(transformations: &Transformations) -> IdVec<MethodId, MethodShape> {
    transformations.methods.iter().map(|method| MethodShape { descriptor: method.descriptor.clone() }).collect()
}

/// Class files below `classes` that replace those of the same name below `test_classes`, by
/// internal name.
#[must_use]
pub fn replacements(classes: &Path, test_classes: &Path) -> BTreeMap<String, PathBuf> {
    walkdir::WalkDir::new(classes)
        .into_iter()
        .filter_map(std::result::Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| {
            let below = entry.path().strip_prefix(classes).ok()?.to_path_buf();
            let name = below.to_str()?.strip_suffix(".class")?.replace(std::path::MAIN_SEPARATOR, "/");
            test_classes.join(&below).is_file().then(|| (name, entry.into_path()))
        })
        .collect()
}

//! Plans what is woven into each class: coverage and guards for all methods, state probes for some.

use super::{Constant, Method, Transformations};
use crate::base::error::Result;
use crate::base::id::{GuardId, IdVec, MethodId, ModuleId};
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::classfile::compiled_classes::{CompiledClass, CompiledClasses};
use crate::classfile::plan::{ClassWeave, MethodWeave};
use crate::classfile::weave::weave_what_fits;
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

/// The smallest class file, in bytes, that weaving could take beyond a limit of the format: code of
/// 64 kB, or a pool of 65,534 constants.
const LARGE: u64 = 32 << 10;

/// The methods with transformations that cannot be woven, each with the reason: too large, or in a
/// class with a full constant pool. No test would be seen to enter them.
///
/// # Errors
/// If a class file cannot be read.
pub fn unweavable(transformations: &Transformations, classes: &CompiledClasses) -> Result<BTreeMap<MethodId, String>> {
    let is_large = |class: &CompiledClass| class.file.metadata().is_ok_and(|file| file.len() >= LARGE);
    let mut plans: BTreeMap<ModuleId, BTreeMap<String, ClassWeave>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (key, class) in classes.iter().filter(|(_, class)| is_large(class)) {
        let of_module = || plan(transformations, &BTreeSet::new(), &[key.module]);
        let Some(plan) = plans.entry(key.module).or_insert_with(of_module).get(&key.name.replace('.', "/")) else {
            continue;
        };
        let bytes = read_file(&class.file, LONGEST_SOURCE).map_err(|error| class.unreadable(&error))?;
        // A class that cannot be woven at all is reported when it is loaded.
        let Ok(woven) = weave_what_fits(&bytes, plan) else { continue };
        for error in woven.left_out {
            let method = plan.methods.iter().find(|method| {
                error
                    .method
                    .as_ref()
                    .is_some_and(|unwoven| unwoven.name == method.name && unwoven.descriptor == method.descriptor)
            });
            let reason = format!("The method could not be changed: {}.", error.fault);
            found.extend(method.and_then(|method| method.coverage).map(|id| (id, reason)));
        }
    }
    Ok(found)
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

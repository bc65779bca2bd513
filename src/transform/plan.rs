//! From the list of transformations to what is woven into each class: coverage and guards for all, state probes for some methods.

use super::Transformations;
use crate::classfile::weave::{ClassWeave, MethodWeave};
use crate::jvm::protocol::MethodShape;
use std::collections::{BTreeMap, BTreeSet};

/// By internal class name: coverage and a guard for every transformation, and state probes in the methods of `observed`.
#[must_use]
pub fn plan(transformations: &Transformations, observed: &BTreeSet<usize>) -> BTreeMap<String, ClassWeave> {
    let mut guards: Vec<Vec<(u32, crate::classfile::Constant)>> = vec![Vec::new(); transformations.methods.len()];
    for (number, transformation) in (1_u32..).zip(&transformations.transformations) {
        if let Some(guards) = guards.get_mut(transformation.method) {
            guards.push((number, transformation.constant.clone()));
        }
    }
    let mut classes: BTreeMap<String, ClassWeave> = BTreeMap::new();
    for ((index, method), guards) in (0_u32..).zip(&transformations.methods).zip(guards) {
        let is_observed = observed.contains(&(index as usize));
        classes.entry(method.class.replace('.', "/")).or_default().methods.push(MethodWeave {
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            coverage: Some(index),
            guards,
            observe: is_observed.then_some(index),
        });
    }
    classes
}

/// What the recorder has to know of each method, by its number.
#[must_use]
pub fn shapes(transformations: &Transformations) -> Vec<MethodShape> {
    transformations.methods.iter().map(|method| MethodShape { descriptor: method.descriptor.clone() }).collect()
}

/// Number by which the switch knows a transformation; 0 is the original code.
#[must_use]
pub fn number(transformation: usize) -> u32 {
    u32::try_from(transformation).map_or(0, |index| index + 1)
}

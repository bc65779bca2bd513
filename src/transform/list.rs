//! Lists the transformations of all classes, and the methods that a rule stopped.

use crate::base::error::Result;
use crate::base::id::ModuleId;
use crate::classfile::compiled_classes::{ClassKey, CompiledClass, CompiledClasses};
use crate::classfile::names::{self, Member};
use crate::transform::annotation::Annotation;
use crate::transform::candidate::{self, Candidate, ClassFacts};
use crate::transform::initializer;
use crate::transform::operators::Operator;
use crate::transform::plan;
use crate::transform::stop::{RULES, Rule, Stop};
use crate::transform::{Selection, Stopped, Transformation, Transformations};
use std::collections::HashSet;

/// Most enclosing classes that are considered.
const DEEPEST: usize = 64;

/// Lists the transformations of these classes.
///
/// # Errors
/// If a class file is broken.
pub fn list(classes: &CompiledClasses, selection: &Selection) -> Result<Transformations> {
    let mut named_from_outside = HashSet::new();
    for (_, found) in classes.iter() {
        initializer::add_methods_of_others(&found.class, &mut named_from_outside)
            .map_err(|error| found.broken(&error))?;
    }
    let lister = Lister { operators: selection.operators()?, rules: asked(selection)?, named_from_outside };
    let mut listed = Transformations::default();
    for (ClassKey { name, module }, found) in classes.iter() {
        let package_info = ClassKey { name: format!("{}.package-info", names::package(name)), module: *module };
        let package_annotations = match classes.get(&package_info) {
            Some(info) => candidate::facts(&info.class).map_err(|error| info.broken(&error))?.annotations,
            None => Vec::new(),
        };
        let outer_annotations = outer_annotations(found, *module, classes)?;
        lister
            .list_class(found, *module, (outer_annotations, package_annotations), &mut listed)
            .map_err(|error| found.broken(&error))?;
    }
    listed.unweavable = plan::unweavable(&listed, classes)?;
    Ok(listed)
}

/// The annotations of everything that surrounds a class, the innermost first.
fn outer_annotations(
    found: &CompiledClass,
    module: ModuleId,
    classes: &CompiledClasses,
) -> Result<Vec<Vec<Annotation>>> {
    let mut outer = Vec::new();
    let mut inner = found;
    // A broken class file may claim to surround itself.
    for _ in 0..DEEPEST {
        let around = candidate::around(&inner.class).map_err(|error| inner.broken(&error))?;
        let Some((around, class)) = around.and_then(|around| {
            let class = classes.get(&ClassKey { name: around.class.clone(), module })?;
            Some((around, class))
        }) else {
            break;
        };
        let annotations = candidate::annotations_of(&class.class, around.method.as_ref());
        outer.extend(annotations.map_err(|error| class.broken(&error))?);
        inner = class;
    }
    Ok(outer)
}

fn asked(selection: &Selection) -> Result<Vec<&'static Rule>> {
    let mut asked = Vec::new();
    for rule in RULES {
        if selection.asks(rule.name) && rule.manual()?.on_by_default {
            asked.push(rule);
        }
    }
    Ok(asked)
}

struct Lister {
    operators: Vec<Operator>,
    rules: Vec<&'static Rule>,
    named_from_outside: HashSet<Member>,
}

impl Lister {
    fn list_class(
        &self,
        found: &CompiledClass,
        module: ModuleId,
        (outer_annotations, package_annotations): (Vec<Vec<Annotation>>, Vec<Annotation>),
        listed: &mut Transformations,
    ) -> ristretto_classfile::Result<()> {
        let class = &found.class;
        let facts = ClassFacts {
            origin: found.origin.clone(),
            outer_annotations,
            package_annotations,
            initialization: initializer::only_called_by_initializer(class, &self.named_from_outside)?,
            ..candidate::facts(class)?
        };
        let mut candidates = candidate::candidates(class, &facts)?;
        candidates.sort_by(|first, second| (&first.name, &first.descriptor).cmp(&(&second.name, &second.descriptor)));
        for method in &candidates {
            self.list_method(method, module, listed);
        }
        Ok(())
    }

    fn list_method(&self, method: &Candidate<'_>, module: ModuleId, listed: &mut Transformations) {
        let mut forbidden: Vec<(&'static str, String)> = Vec::new();
        for rule in &self.rules {
            match rule.stops(method) {
                Stop::Nothing => {}
                Stop::Method => {
                    listed.stopped.push(Stopped { method: method.method(module), rule: rule.name.to_string() });
                    return;
                }
                Stop::Transformations(names) => forbidden.extend(names.into_iter().map(|name| (rule.name, name))),
            }
        }
        let mut stopped_by = None;
        let mut found = Vec::new();
        for operator in &self.operators {
            let Some(constant) = operator.constant(method) else { continue };
            match forbidden.iter().find(|(_, name)| *name == operator.name || *name == operator.selector()) {
                Some((rule, _)) => stopped_by = stopped_by.or(Some(*rule)),
                None => found.push(Transformation {
                    method: listed.methods.next_idx(),
                    name: operator.name.clone(),
                    constant,
                }),
            }
        }
        if !found.is_empty() {
            listed.methods.push(method.method(module));
            listed.transformations.extend(found);
        } else if let Some(rule) = stopped_by {
            listed.stopped.push(Stopped { method: method.method(module), rule: rule.to_string() });
        }
    }
}

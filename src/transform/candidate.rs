//! Finds the methods of a class that have a body, with everything that operators and stop rules ask
//! about.

use crate::base::id::ModuleId;
use crate::classfile::compiled_classes::Origin;
use crate::classfile::names::{self, NameAndType};
use crate::transform::Method;
use crate::transform::annotation::{Annotation, annotations, return_annotations};
use crate::transform::body::{self, Slots, Step};
use crate::transform::bootstraps::Bootstraps;
use ristretto_classfile::attributes::{Attribute, Instruction};
use ristretto_classfile::{ClassFile, FieldType, Method as PoolMethod, MethodAccessFlags, Result};
use std::collections::BTreeSet;

/// The facts about a class that rules ask for.
#[derive(Clone, Debug, Default)]
pub struct ClassFacts {
    /// Binary name.
    pub name: String,
    pub super_name: Option<String>,
    pub interfaces: Vec<String>,
    pub source_file: Option<String>,
    pub deprecated: bool,
    pub annotations: Vec<Annotation>,
    /// Annotations of what surrounds the class, the innermost first: the method that contains a
    /// local or anonymous class, then the enclosing classes and their methods.
    pub outer_annotations: Vec<Vec<Annotation>>,
    /// Annotations of the package, from `package-info.class`.
    pub package_annotations: Vec<Annotation>,
    /// Record components: name and descriptor.
    pub components: Vec<(String, String)>,
    /// Name and descriptor of the private methods that only its static initializer calls.
    pub initialization: BTreeSet<NameAndType>,
    /// Whether a method of the class has line numbers.
    pub has_lines: bool,
    pub origin: Origin,
}

/// A method with a body that is neither a constructor nor the class initializer.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub class: &'a ClassFacts,
    pub name: String,
    pub descriptor: String,
    pub access: MethodAccessFlags,
    /// Whether it has the `Synthetic` attribute or flag (JVMS §4.7.8).
    pub synthetic: bool,
    pub deprecated: bool,
    pub annotations: Vec<Annotation>,
    /// If this is the body of a lambda, the annotations of the methods around it.
    pub outer_annotations: Vec<Annotation>,
    /// Annotations on the return type itself (not on its element type or type arguments).
    pub return_annotations: Vec<Annotation>,
    /// Field descriptors.
    pub parameters: Vec<String>,
    /// Field descriptor, or `V`.
    pub return_type: String,
    pub slots: Slots,
    pub steps: Vec<Step>,
    /// Lines from `LineNumberTable`, in the order of the code; empty if there is no table.
    pub lines: Vec<u32>,
    /// Name and descriptor of the methods of the same class that it uses as functions: the bodies
    /// of its lambdas.
    lambdas: Vec<NameAndType>,
}

impl Candidate<'_> {
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.access.contains(MethodAccessFlags::STATIC)
    }

    /// The method, as the outputs name it.
    #[must_use]
    pub fn method(&self, module: ModuleId) -> Method {
        Method {
            class: self.class.name.clone(),
            name: self.name.clone(),
            descriptor: self.descriptor.clone(),
            access: self.access.bits(),
            source_file: self.class.source_file.clone(),
            line: self.lines.iter().min().copied(),
            module,
        }
    }
}

/// The facts about `class` itself.
///
/// # Errors
/// If the class file is broken.
pub fn facts(class: &ClassFile<'_>) -> Result<ClassFacts> {
    let pool = &class.constant_pool;
    let mut facts = ClassFacts {
        name: names::class(pool, class.this_class)?,
        // java.lang.Object and module-info have no superclass.
        super_name: (class.super_class != 0).then(|| names::class(pool, class.super_class)).transpose()?,
        interfaces: class.interfaces.iter().map(|index| names::class(pool, *index)).collect::<Result<_>>()?,
        annotations: annotations(pool, &class.attributes)?,
        deprecated: is_deprecated(&class.attributes),
        has_lines: class.methods.iter().any(|method| !code(method).1.is_empty()),
        ..ClassFacts::default()
    };
    for attribute in &class.attributes {
        match attribute {
            Attribute::SourceFile { source_file_index, .. } => {
                facts.source_file = Some(names::text(pool, *source_file_index)?);
            }
            Attribute::Record { records, .. } => {
                for record in records {
                    facts
                        .components
                        .push((names::text(pool, record.name_index)?, names::text(pool, record.descriptor_index)?));
                }
            }
            _ => {}
        }
    }
    Ok(facts)
}

/// The surroundings of a class in its source.
pub struct Around {
    /// Binary name of the enclosing class.
    pub class: String,
    /// Name and descriptor of the method that contains a local or anonymous class.
    pub method: Option<NameAndType>,
}

/// The surroundings of `class`; `None` for a top-level class (JVMS §4.7.6, §4.7.7).
///
/// # Errors
/// If the class file is broken.
pub fn around(class: &ClassFile<'_>) -> Result<Option<Around>> {
    let pool = &class.constant_pool;
    for attribute in &class.attributes {
        match attribute {
            Attribute::EnclosingMethod { class_index, method_index, .. } => {
                let method = match *method_index {
                    0 => None,
                    index => {
                        let (name, descriptor) = pool.try_get_name_and_type(index)?;
                        Some(NameAndType {
                            name: names::text(pool, *name)?,
                            descriptor: names::text(pool, *descriptor)?,
                        })
                    }
                };
                return Ok(Some(Around { class: names::class(pool, *class_index)?, method }));
            }
            Attribute::InnerClasses { classes, .. } => {
                let own = names::class(pool, class.this_class)?;
                for inner in classes.iter().filter(|inner| inner.outer_class_info_index != 0) {
                    if names::class(pool, inner.class_info_index)? == own {
                        let class = names::class(pool, inner.outer_class_info_index)?;
                        return Ok(Some(Around { class, method: None }));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The annotations of a class, after those of `method` if that is one of its methods.
///
/// # Errors
/// If the class file is broken.
pub fn annotations_of(class: &ClassFile<'_>, method: Option<&NameAndType>) -> Result<Vec<Vec<Annotation>>> {
    let pool = &class.constant_pool;
    let mut found = Vec::new();
    for candidate in class.methods.iter().filter(|_| method.is_some()) {
        let name = names::text(pool, candidate.name_index)?;
        let descriptor = names::text(pool, candidate.descriptor_index)?;
        if method == Some(&NameAndType { name, descriptor }) {
            found.push(annotations(pool, &candidate.attributes)?);
        }
    }
    found.push(annotations(pool, &class.attributes)?);
    Ok(found)
}

/// The methods of `class` that can be transformed at all. Abstract and native methods have no body,
/// and a constructor or class initializer cannot be replaced by returning a constant.
///
/// # Errors
/// If the class file is broken.
pub fn candidates<'a>(class: &ClassFile<'_>, facts: &'a ClassFacts) -> Result<Vec<Candidate<'a>>> {
    let pool = &class.constant_pool;
    let bootstraps = Bootstraps::new(class);
    let mut candidates = Vec::new();
    for method in &class.methods {
        let name = names::text(pool, method.name_index)?;
        let (Some(code), lines) = code(method) else { continue };
        if name.starts_with('<') {
            continue;
        }
        let (parameters, return_type) =
            FieldType::parse_method_descriptor(pool.try_get_utf8(method.descriptor_index)?)?;
        let parameters: Vec<String> = parameters.iter().map(FieldType::descriptor).collect();
        let lambdas = bootstraps.lambdas(code, &facts.name)?;
        candidates.push(Candidate {
            class: facts,
            name,
            descriptor: names::text(pool, method.descriptor_index)?,
            access: method.access_flags,
            synthetic: method.access_flags.contains(MethodAccessFlags::SYNTHETIC)
                || method.attributes.iter().any(|attribute| matches!(attribute, Attribute::Synthetic { .. })),
            deprecated: is_deprecated(&method.attributes),
            annotations: annotations(pool, &method.attributes)?,
            outer_annotations: Vec::new(),
            return_annotations: return_annotations(pool, &method.attributes)?,
            slots: Slots::new(method.access_flags.contains(MethodAccessFlags::STATIC), &parameters),
            parameters,
            return_type: return_type.map_or_else(|| "V".to_string(), |kind| kind.descriptor()),
            steps: body::steps(code, pool, |index| bootstraps.method(index))?,
            lines,
            lambdas,
        });
    }
    hand_down_annotations(&mut candidates);
    Ok(candidates)
}

/// Passes the annotations of methods on to the bodies of their lambdas. In the class file, such a
/// body is a method of its own, but in the source it is part of the method.
fn hand_down_annotations(candidates: &mut [Candidate<'_>]) {
    let mut waiting: Vec<usize> = (0..candidates.len()).collect();
    let mut visited = vec![false; candidates.len()];
    while let Some(outer) = waiting.pop() {
        let Some(method) = candidates.get(outer) else { continue };
        let mut handed_down = method.annotations.clone();
        handed_down.extend(method.outer_annotations.iter().cloned());
        if handed_down.is_empty() || method.lambdas.is_empty() || visited.get(outer) == Some(&true) {
            continue;
        }
        if let Some(visited) = visited.get_mut(outer) {
            *visited = true;
        }
        let lambdas = method.lambdas.clone();
        for (inner, candidate) in candidates.iter_mut().enumerate() {
            let is_lambda = candidate.name.starts_with("lambda$")
                && lambdas
                    .iter()
                    .any(|lambda| lambda.name == candidate.name && lambda.descriptor == candidate.descriptor);
            if is_lambda {
                candidate.outer_annotations.extend(handed_down.iter().cloned());
                waiting.push(inner);
            }
        }
    }
}

/// The code and the lines of a method.
fn code(method: &PoolMethod) -> (Option<&[Instruction]>, Vec<u32>) {
    for attribute in &method.attributes {
        if let Attribute::Code { code, attributes, .. } = attribute {
            let lines = attributes
                .iter()
                .filter_map(|attribute| match attribute {
                    Attribute::LineNumberTable { line_numbers, .. } => Some(line_numbers),
                    _ => None,
                })
                .flatten()
                .map(|line| u32::from(line.line_number))
                .collect();
            return (Some(code), lines);
        }
    }
    (None, Vec::new())
}

fn is_deprecated(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| matches!(attribute, Attribute::Deprecated { .. }))
}

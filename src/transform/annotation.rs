//! Reads the annotations of classes, methods and return types from class files.

use crate::classfile::names;
use ristretto_classfile::attributes::{Annotation as PoolAnnotation, AnnotationElement, Attribute, TargetType};
use ristretto_classfile::{ConstantPool, Result};

/// An annotation of class or runtime retention. Class files contain no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Binary name.
    pub class: String,
    /// The strings and names of enum constants among its values, each with the element whose value
    /// it is.
    pub values: Vec<(String, String)>,
}

impl Annotation {
    /// The name without package and enclosing classes.
    #[must_use]
    pub fn simple_name(&self) -> &str {
        self.class.rsplit(['.', '$']).next().unwrap_or(&self.class)
    }
}

/// The annotations among the attributes of a class or method.
///
/// # Errors
/// If the constant pool is broken.
pub(super) fn annotations(pool: &ConstantPool<'_>, attributes: &[Attribute]) -> Result<Vec<Annotation>> {
    let mut found = Vec::new();
    for attribute in attributes {
        if let Attribute::RuntimeVisibleAnnotations { annotations, .. }
        | Attribute::RuntimeInvisibleAnnotations { annotations, .. } = attribute
        {
            for annotation in annotations {
                found.push(read_annotation(pool, annotation)?);
            }
        }
    }
    Ok(found)
}

fn read_annotation(pool: &ConstantPool<'_>, annotation: &PoolAnnotation) -> Result<Annotation> {
    let mut values = Vec::new();
    for element in &annotation.elements {
        collect_values(pool, &names::text(pool, element.name_index)?, &element.value, &mut values)?;
    }
    Ok(Annotation { class: annotation_class(pool, annotation.type_index)?, values })
}

/// The binary name of an annotation, from its field descriptor (JVMS §4.7.16).
fn annotation_class(pool: &ConstantPool<'_>, index: u16) -> Result<String> {
    let descriptor = names::text(pool, index)?;
    Ok(names::binary(descriptor.trim_start_matches('L').trim_end_matches(';')))
}

fn collect_values(
    pool: &ConstantPool<'_>,
    element: &str,
    value: &AnnotationElement,
    found: &mut Vec<(String, String)>,
) -> Result<()> {
    match value {
        AnnotationElement::String { const_value_index: index }
        | AnnotationElement::Enum { const_name_index: index, .. } => {
            found.push((element.to_owned(), names::text(pool, *index)?));
        }
        AnnotationElement::Array { values } => {
            for value in values {
                collect_values(pool, element, value, found)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The type annotations of a method's return type (`target_type` 0x14, JVMS table 4.7.20-A). Their
/// path stays with the type itself, or goes from an enclosing to a nested type (kind 1, JVMS table
/// 4.7.20.2-A).
pub(super) fn return_annotations(pool: &ConstantPool<'_>, attributes: &[Attribute]) -> Result<Vec<Annotation>> {
    let mut found = Vec::new();
    for attribute in attributes {
        if let Attribute::RuntimeVisibleTypeAnnotations { type_annotations, .. }
        | Attribute::RuntimeInvisibleTypeAnnotations { type_annotations, .. } = attribute
        {
            for annotation in type_annotations {
                if matches!(annotation.target_type, TargetType::Empty { target_type: 0x14 })
                    && annotation.type_path.iter().all(|step| step.type_path_kind == 1)
                {
                    found
                        .push(Annotation { class: annotation_class(pool, annotation.type_index)?, values: Vec::new() });
                }
            }
        }
    }
    Ok(found)
}

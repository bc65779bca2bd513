//! Stop rules on annotations and attributes of a method, its class or its package.

use super::Stop;
use crate::recipe::generated_annotations;
use crate::transform::annotation::Annotation;
use crate::transform::candidate::Candidate;
use crate::transform::operators;

/// Elements of `@DoNotMutate` that name transformations; the first one is that of Descartes.
const ELEMENTS: [&str; 3] = ["operators", "transformations", "mutators"];

/// `@DoNotMutate`, of any package. The innermost annotation decides: that of the method (or of the
/// method whose lambda it is), then of the class, of its surroundings, and of the package. If its
/// values name transformations, only those are stopped.
pub(super) fn do_not_mutate(method: &Candidate<'_>) -> Stop {
    let class = method.class;
    let places = [&method.annotations, &method.outer_annotations, &class.annotations]
        .into_iter()
        .chain(&class.outer_annotations)
        .chain([&class.package_annotations]);
    let mut places = places.map(Vec::as_slice);
    let Some(annotation) = places.find_map(|annotations| named(annotations, &["DoNotMutate"])) else {
        return Stop::Nothing;
    };
    let names: Vec<String> = annotation.values.iter().filter_map(transformation).collect();
    if names.is_empty() { Stop::Method } else { Stop::Transformations(names) }
}

/// The transformation that a value of the annotation names. In the element without a name of its
/// own, a value that is no transformation may be a reason.
fn transformation((element, value): &(String, String)) -> Option<String> {
    // An enum constant cannot have the name of a literal.
    let word = || value.to_lowercase().replace('_', "-");
    let known = |name: &str| {
        operators::all()
            .is_ok_and(|all| all.iter().any(|operator| operator.name == name || operator.selector() == name))
    };
    let name = if known(value) { value.clone() } else { word() };
    match element.as_str() {
        "value" => known(&name).then_some(name),
        element => ELEMENTS.contains(&element).then_some(name),
    }
}

/// Methods of a source that a generator wrote, those that the source does not declare, and those with an annotation that says so
/// (`lombok.Generated`, `jakarta.annotation.Generated` if class files keep it), on the method, its
/// class, or a class around it.
pub(super) fn generated(method: &Candidate<'_>) -> Stop {
    let names = generated_annotations().unwrap_or_default();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_marked = [&method.annotations, &method.outer_annotations, &method.class.annotations]
        .into_iter()
        .chain(&method.class.outer_annotations)
        .any(|annotations| named(annotations, &names).is_some());
    (is_marked || method.class.origin.is_generated(&method.name)).into()
}

pub(super) fn deprecated(method: &Candidate<'_>) -> Stop {
    let annotated =
        |annotations: &[Annotation]| annotations.iter().any(|annotation| annotation.class == "java.lang.Deprecated");
    (method.deprecated
        || method.class.deprecated
        || annotated(&method.annotations)
        || annotated(&method.class.annotations))
    .into()
}

/// `null` is not returned if the method promises never to return it.
pub(super) fn not_null(method: &Candidate<'_>) -> Stop {
    let promises = [&method.annotations, &method.return_annotations]
        .into_iter()
        .any(|annotations| named(annotations, &["NotNull"]).is_some());
    if promises { Stop::Transformations(vec!["null".to_string()]) } else { Stop::Nothing }
}

fn named<'a>(annotations: &'a [Annotation], names: &[&str]) -> Option<&'a Annotation> {
    annotations.iter().find(|annotation| names.contains(&annotation.simple_name()))
}

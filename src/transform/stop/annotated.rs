//! Stop rules on what annotations and attributes say of a method, its class or its package.

use super::Stop;
use crate::transform::candidate::{Annotation, Candidate};

/// `@DoNotMutate`, of any package. The innermost place that has one decides: the method (or the method whose lambda it is), then the
/// class, then the package. With names of transformations among its values, only those are stopped.
pub(super) fn do_not_mutate(method: &Candidate<'_>) -> Stop {
    let places =
        [&method.annotations, &method.outer_annotations, &method.class.annotations, &method.class.package_annotations];
    let Some(annotation) = places.into_iter().find_map(|annotations| named(annotations, &["DoNotMutate"])) else {
        return Stop::Nothing;
    };
    if annotation.strings.is_empty() { Stop::Method } else { Stop::Transformations(annotation.strings.clone()) }
}

/// `@Generated` of any package (`lombok.Generated`, `jakarta.annotation.Generated` where it is kept), on method or class.
pub(super) fn generated(method: &Candidate<'_>) -> Stop {
    [&method.annotations, &method.outer_annotations, &method.class.annotations]
        .into_iter()
        .any(|annotations| named(annotations, &["Generated"]).is_some())
        .into()
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

/// `null` is not returned where the method promises that it never is.
pub(super) fn not_null(method: &Candidate<'_>) -> Stop {
    let promises = [&method.annotations, &method.return_annotations]
        .into_iter()
        .any(|annotations| named(annotations, &["NotNull"]).is_some());
    if promises { Stop::Transformations(vec!["null".to_string()]) } else { Stop::Nothing }
}

fn named<'a>(annotations: &'a [Annotation], names: &[&str]) -> Option<&'a Annotation> {
    annotations.iter().find(|annotation| names.contains(&annotation.simple_name()))
}

//! Look at an object that the test already holds, by the simplest method that shows the difference
//! (`rules/fixes/assert-reachable-state.toml`).

use crate::diagnose::At;
use crate::fix::look::Look;
use crate::fix::source::test_source::Variable;
use crate::fix::subject::Subject;
use crate::fix::techniques::path::Path;
use crate::fix::techniques::readers::accessors;
use crate::fix::techniques::scope::Scope;
use crate::fix::techniques::technique::Technique;
use crate::instrument::ExpressionKind;
use crate::observation::kinds::Kinds;
use crate::text::words;

pub const TECHNIQUE: Technique = Technique {
    in_test: Some(looks),
    ..Technique::new("assert-reachable-state", include_str!("../../../rules/fixes/assert-reachable-state.toml"))
};

/// Most methods that are tried on one variable.
const ACCESSORS: usize = 8;
/// The rank of an object itself. No assertion can name it, but its state may be seen to differ.
const ITSELF: usize = 60;
/// Most expressions along the paths of differences for one variable.
const PATHS: usize = 16;
/// Most expressions of the evidence.
const EXPRESSIONS: usize = 4;
/// Types of the JDK whose size is worth a look.
const SIZED: [&str; 8] = ["List", "ArrayList", "Set", "Collection", "Map", "HashMap", "HashSet", "LinkedList"];

fn looks(subject: &Subject<'_>, scope: &Scope<'_>) -> Vec<Look> {
    let mut looks = Vec::new();
    let fields = subject.evidence_fields();
    for variable in scope.variables {
        looks.extend(of_variable(subject, scope, variable, &fields));
    }
    looks.extend(of_evidence(subject, scope, &fields));
    looks
}

fn of_variable(subject: &Subject<'_>, scope: &Scope<'_>, variable: &Variable, fields: &[String]) -> Vec<Look> {
    let name = variable.simple_type();
    if variable.is_primitive() || matches!(name, "String" | "Integer" | "Long" | "Boolean" | "Character" | "Double") {
        return vec![plain(&variable.name, 0)];
    }
    if SIZED.contains(&name) {
        return vec![Look::accessor(&variable.name, "size", 0)];
    }
    let mut known = subject
        .outlines
        .classes()
        .filter(|class| words::simple_name(&class.name) == name)
        .map(|class| class.name.clone());
    let Some(class) = known.next() else { return Vec::new() };
    let accessors = accessors(subject.outlines, &class, &scope.source.package, fields).into_iter().take(ACCESSORS);
    let itself = Look { rank: ITSELF, ..plain(&variable.name, 0) };
    let mut looks: Vec<Look> = accessors.map(|(method, rank)| Look::accessor(&variable.name, &method, rank)).collect();
    looks.extend(along_paths(subject, scope, variable, &class));
    looks.push(itself);
    looks
}

/// Expressions that follow the paths of differences in objects of this class.
fn along_paths(subject: &Subject<'_>, scope: &Scope<'_>, variable: &Variable, class: &str) -> Vec<Look> {
    let Ok(kinds) = Kinds::embedded() else { return Vec::new() };
    let mut looks: Vec<Look> = Vec::new();
    let here = subject.evidence.iter().filter(|evidence| evidence.owner.as_deref() == Some(class));
    for evidence in here.filter(|evidence| evidence.path.starts_with('.')) {
        let path = Path {
            expression: &variable.name,
            class: Some(class),
            path: &evidence.path,
            type_name: &evidence.type_name,
            value: evidence.original.as_deref().unwrap_or_default(),
        };
        for look in path.looks(subject.outlines, kinds, &scope.source.package) {
            if looks.len() < PATHS && !looks.iter().any(|known| known.expression == look.expression) {
                looks.push(look);
            }
        }
    }
    looks
}

/// Expressions at which a difference was seen, and accessors of their objects.
fn of_evidence(subject: &Subject<'_>, scope: &Scope<'_>, fields: &[String]) -> Vec<Look> {
    let mut looks: Vec<Look> = Vec::new();
    let Ok(kinds) = Kinds::embedded() else { return looks };
    let seen = subject.evidence.iter().filter(|evidence| evidence.at == At::Test);
    let here = seen.filter(|evidence| {
        evidence.file.as_deref() == Some(scope.source.path.as_path())
            && matches!(
                evidence.expression_kind,
                Some(ExpressionKind::Value | ExpressionKind::Asserted | ExpressionKind::Discarded)
            )
    });
    for evidence in here {
        let Some(expression) = evidence.expression.as_deref().filter(|text| !text.contains('\n')) else { continue };
        if looks.len() >= EXPRESSIONS * ACCESSORS {
            break;
        }
        let path = Path {
            expression,
            class: evidence.owner.as_deref(),
            path: &evidence.path,
            type_name: &evidence.type_name,
            value: evidence.original.as_deref().unwrap_or_default(),
        };
        let found = path.looks(subject.outlines, kinds, &scope.source.package);
        looks.extend(found.into_iter().map(|look| Look { is_pure: false, ..look }));
        if let Some(owner) = evidence.owner.as_deref().filter(|_| evidence.path.starts_with('.')) {
            let accessors =
                accessors(subject.outlines, owner, &scope.source.package, fields).into_iter().take(ACCESSORS);
            looks.extend(
                accessors.map(|(method, rank)| Look { is_pure: false, ..Look::accessor(expression, &method, rank) }),
            );
        }
    }
    looks
}

fn plain(expression: &str, rank: usize) -> Look {
    let name = expression.split('(').next().unwrap_or(expression).rsplit('.').next().unwrap_or(expression);
    Look::of(expression.to_owned(), name.trim_start_matches("new "), rank)
}

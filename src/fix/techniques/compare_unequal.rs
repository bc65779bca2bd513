//! Compare with what is not equal: null, another type, another object that the test has (`rules/fixes/compare-unequal.toml`).

use super::{Look, Scope, Subject};
use crate::fix::write::name::{About, When};

/// Most variables that are compared with each other.
const VARIABLES: usize = 6;

pub(super) fn looks(subject: &Subject<'_>, scope: &Scope<'_>) -> Vec<Look> {
    let package = scope.source.package.as_str();
    let Some(equals) =
        subject.callable(package).into_iter().find(|method| method.name == "equals" && !method.is_static)
    else {
        return Vec::new();
    };
    let objects: Vec<_> = scope.variables.iter().filter(|variable| !variable.is_primitive()).collect();
    let of_class = scope.variables_of(&equals.class, subject.outlines);
    let mut looks = Vec::new();
    let class = super::simple(&equals.class);
    for (at, one) in objects.iter().enumerate().take(VARIABLES) {
        // A variable of an interface's type may hold one, too.
        let rank = usize::from(!of_class.contains(one)) * 10;
        let mut look = |other: &str, words: &str, rank: usize| {
            looks.push(Look {
                before: Vec::new(),
                act: None,
                expression: format!("{}.equals({other})", one.name),
                about: About::Equality { one: class.to_owned(), other: words.to_owned() },
                when: When::Always,
                is_pure: true,
                imports: Vec::new(),
                throws: Vec::new(),
                rank,
            });
        };
        for (_, other) in objects.iter().enumerate().take(VARIABLES).filter(|(other, _)| *other != at) {
            look(&other.name, &other.name, rank + usize::from(!of_class.contains(other)));
        }
        look("new Object()", "ObjectOfAnotherClass", rank + 3);
        look("null", "Null", rank + 4);
    }
    looks
}

//! Compare objects that are not equal: with `null`, another type, another object of the test
//! (`rules/fixes/compare-unequal.toml`).

use crate::fix::look::{About, Look, When};
use crate::fix::subject::Subject;
use crate::fix::techniques::scope::Scope;
use crate::fix::techniques::technique::Technique;
use crate::text::words;

pub const TECHNIQUE: Technique = Technique {
    in_test: Some(looks),
    ..Technique::new("compare-unequal", include_str!("../../../rules/fixes/compare-unequal.toml"))
};

/// Most variables that are compared with each other.
const VARIABLES: usize = 6;

fn looks(subject: &Subject<'_>, scope: &Scope<'_>) -> Vec<Look> {
    let package = scope.source.package.as_str();
    let Some(equals) =
        subject.callable(package).into_iter().find(|method| method.name == "equals" && !method.is_static)
    else {
        return Vec::new();
    };
    let objects: Vec<_> = scope.variables.iter().filter(|variable| !variable.is_primitive()).collect();
    let of_class = scope.variables_of(&equals.class, subject.outlines);
    let mut looks = Vec::new();
    let class = words::simple_name(&equals.class);
    for (at, one) in objects.iter().enumerate().take(VARIABLES) {
        // A variable whose type is an interface may also hold an object of the class.
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

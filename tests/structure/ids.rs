//! What has an id is never known by a bare number: a parameter or field called `test` is a `TestId`.

use crate::source::{Source, is_for_tests, read};
use syn::visit::{self, Visit};
use syn::{Pat, Type};

/// The things with ids of their own (`src/base/id.rs`).
const THINGS: [&str; 5] = ["test", "method", "transformation", "expression", "recipe"];

/// The parameters and fields of the program that are named like a thing with an id and hold a number.
fn bare_numbers(sources: &[Source]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.production) {
        let mut numbers = Numbers { path: &source.path, found: &mut found };
        numbers.visit_file(&source.syntax);
    }
    found
}

struct Numbers<'a> {
    path: &'a str,
    /// Path, and `line: name`.
    found: &'a mut Vec<(String, String)>,
}

impl Numbers<'_> {
    fn check(&mut self, name: &syn::Ident, declared: &Type) {
        if THINGS.iter().any(|thing| name == thing) && is_number(declared) {
            self.found.push((self.path.to_owned(), format!("{}: {name}", name.span().start().line)));
        }
    }
}

/// Whether a type is `usize` or `u32`, a reference to it, or an `Option` of it.
fn is_number(declared: &Type) -> bool {
    match declared {
        Type::Reference(reference) => is_number(&reference.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return false };
            match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) if last.ident == "Option" => arguments
                    .args
                    .iter()
                    .any(|argument| matches!(argument, syn::GenericArgument::Type(inner) if is_number(inner))),
                _ => last.ident == "usize" || last.ident == "u32",
            }
        }
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Numbers<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_pat_type(&mut self, parameter: &'ast syn::PatType) {
        if let Pat::Ident(name) = &*parameter.pat {
            self.check(&name.ident, &parameter.ty);
        }
        visit::visit_pat_type(self, parameter);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.check(name, &field.ty);
        }
        visit::visit_field(self, field);
    }
}

#[test]
fn things_with_an_id_are_no_bare_numbers() {
    let numbers = bare_numbers(&read(&["src"]));
    assert!(numbers.is_empty(), "these need a type of src/base/id.rs: {numbers:#?}");
}

#[test]
fn a_number_that_is_named_like_a_thing_with_an_id_is_found() {
    let sources = crate::source::parse([(
        "src/a.rs",
        "struct S { test: usize, tests: usize, method: TestId }
        fn f(recipe: Option<u32>, transformation: &usize, expression: u64) { let g = |test: u32| test; }
        #[cfg(test)] mod tests { fn h(test: usize) {} }",
    )]);
    let places: Vec<String> = bare_numbers(&sources).into_iter().map(|(_, place)| place).collect();
    assert_eq!(places, ["1: test", "2: recipe", "2: transformation", "2: test"]);
}

//! A function fits on a screen, or says why it does not:
//! `#[allow(clippy::too_many_lines, reason = "one arm for each instruction")]`.

use crate::source::{Source, is_for_tests, read};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Meta};

const MOST_LINES: usize = 80;

/// The functions of the program with too many lines, as `path:line: name has N lines`.
fn too_long(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.production) {
        let mut functions = Functions { path: &source.path, too_long: &mut found };
        functions.visit_file(&source.syntax);
    }
    found
}

struct Functions<'a> {
    path: &'a str,
    too_long: &'a mut Vec<String>,
}

impl Functions<'_> {
    fn check(&mut self, name: &syn::Ident, attributes: &[Attribute], code: impl Spanned) {
        let span = code.span();
        let (first, last) = (name.span().start().line, span.end().line);
        let lines = last - first + 1;
        if lines > MOST_LINES && !attributes.iter().any(gives_reason) {
            self.too_long.push(format!("{}:{first}: {name} has {lines} lines", self.path));
        }
    }
}

/// Whether an attribute is `#[allow(clippy::too_many_lines, reason = "…")]`, or the same with `expect`.
fn gives_reason(attribute: &Attribute) -> bool {
    if !attribute.path().is_ident("allow") && !attribute.path().is_ident("expect") {
        return false;
    }
    let arguments =
        attribute.parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated).unwrap();
    let allows = arguments.iter().any(|argument| {
        matches!(argument, Meta::Path(path) if path.segments.last().is_some_and(|name| name.ident == "too_many_lines"))
    });
    allows && arguments.iter().any(|argument| matches!(argument, Meta::NameValue(pair) if pair.path.is_ident("reason")))
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_for_tests(&function.attrs) {
            self.check(&function.sig.ident, &function.attrs, &function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.check(&function.sig.ident, &function.attrs, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.check(&function.sig.ident, &function.attrs, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[test]
fn functions_fit_on_a_screen() {
    let too_long = too_long(&read(&["src"]));
    assert!(too_long.is_empty(), "more than {MOST_LINES} lines:\n{}", too_long.join("\n"));
}

#[test]
fn a_long_function_is_found_unless_it_gives_a_reason() {
    let body = "\n".repeat(MOST_LINES);
    let sources = crate::source::parse([(
        "src/a.rs",
        format!(
            "fn a() {{{body}}}
            #[allow(clippy::too_many_lines)] fn b() {{{body}}}
            #[allow(clippy::too_many_lines, reason = \"a table\")] fn c() {{{body}}}
            #[expect(unused, clippy::too_many_lines, reason = \"a table\")] fn d() {{{body}}}
            struct S; impl S {{ fn e(&self) {{{body}}} }}
            #[cfg(test)] mod tests {{ fn f() {{{body}}} }}
            fn g() {{{}}}",
            "\n".repeat(MOST_LINES - 1)
        ),
    )]);
    let names: Vec<String> =
        too_long(&sources).iter().map(|violation| violation.split_whitespace().nth(1).unwrap().to_owned()).collect();
    assert_eq!(names, ["a", "b", "e"]);
    assert!(too_long(&sources)[0].ends_with("a has 81 lines"));
}

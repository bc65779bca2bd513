//! Which file uses which: every path that leads into the crate is followed to the file that defines its item.

use crate::source::{Source, is_for_tests};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Item, UseTree, Visibility};

/// One place in which a file uses an item of another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// Indices into the sources.
    pub from: usize,
    pub to: usize,
    pub line: usize,
    /// Whether the place is compiled into the program.
    pub production: bool,
}

/// All imports between the files of `src`.
pub fn imports(sources: &[Source]) -> Vec<Import> {
    let names = Names::of(sources);
    let mut imports = BTreeSet::new();
    for (from, source) in sources.iter().enumerate() {
        let mut collector = Collector::new(&names, source);
        collector.visit_file(&source.syntax);
        for reference in collector.references() {
            let Some(to) = names.file_of(&reference.module, &reference.path) else { continue };
            if to != from {
                imports.insert(Import { from, to, line: reference.line, production: reference.production });
            }
        }
    }
    imports.into_iter().collect()
}

type ModulePath = Vec<String>;

/// A path as a module writes it.
struct Reference {
    module: ModulePath,
    path: Vec<String>,
    line: usize,
    production: bool,
}

/// The modules of the crate, and the names that each of them brings into scope by `use`.
#[derive(Default)]
struct Names {
    /// The file that each module is in.
    files: BTreeMap<ModulePath, usize>,
    /// Names that a module defines itself.
    defined: BTreeSet<(ModulePath, String)>,
    /// Names that a module imports or re-exports, with the path that it writes for them.
    aliases: BTreeMap<(ModulePath, String), Vec<String>>,
    /// Modules of which a module imports everything.
    globs: BTreeMap<ModulePath, Vec<Vec<String>>>,
}

impl Names {
    fn of(sources: &[Source]) -> Self {
        let mut names = Self::default();
        for (file, source) in sources.iter().enumerate() {
            names.add(&source.syntax.items, &source.module, file);
        }
        names
    }

    fn add(&mut self, items: &[Item], module: &ModulePath, file: usize) {
        self.files.entry(module.clone()).or_insert(file);
        for item in items {
            match item {
                Item::Use(item) => {
                    for leaf in leaves(&item.tree) {
                        match leaf.name {
                            Some(name) => {
                                self.aliases.insert((module.clone(), name), leaf.path);
                            }
                            None => self.globs.entry(module.clone()).or_default().push(leaf.path),
                        }
                    }
                }
                Item::Mod(child) => {
                    if let Some((_, items)) = &child.content {
                        let mut path = module.clone();
                        path.push(child.ident.to_string());
                        self.add(items, &path, file);
                    }
                }
                item => {
                    if let Some(name) = name_of(item) {
                        self.defined.insert((module.clone(), name));
                    }
                }
            }
        }
    }

    /// The file with the item that a path leads to; `None` if the path leads out of the crate or is a local name.
    fn file_of(&self, module: &[String], path: &[String]) -> Option<usize> {
        self.follow(module, path, 0)
    }

    fn follow(&self, module: &[String], path: &[String], depth: usize) -> Option<usize> {
        // Two modules may import everything of each other.
        if depth > 16 {
            return None;
        }
        let (mut current, mut rest) = self.start(module, path)?;
        while let Some((name, behind)) = rest.split_first() {
            let mut child = current.clone();
            child.push(name.clone());
            if self.files.contains_key(&child) {
                current = child;
                rest = behind;
                continue;
            }
            if self.defined.contains(&(current.clone(), name.clone())) {
                break;
            }
            if let Some(alias) = self.aliases.get(&(current.clone(), name.clone())) {
                let whole: Vec<String> = alias.iter().chain(behind).cloned().collect();
                return self.follow(&current, &whole, depth + 1);
            }
            for glob in self.globs.get(&current).into_iter().flatten() {
                let whole: Vec<String> = glob.iter().chain(rest).cloned().collect();
                if self.defines(&current, &whole, depth + 1) {
                    return self.follow(&current, &whole, depth + 1);
                }
            }
            break;
        }
        self.files.get(&current).copied()
    }

    /// Whether the first name behind the modules of a path is defined or imported there.
    fn defines(&self, module: &[String], path: &[String], depth: usize) -> bool {
        if depth > 16 {
            return false;
        }
        let Some((mut current, mut rest)) = self.start(module, path) else { return false };
        while let Some((name, behind)) = rest.split_first() {
            let mut child = current.clone();
            child.push(name.clone());
            if !self.files.contains_key(&child) {
                let key = (current, name.clone());
                return self.defined.contains(&key) || self.aliases.contains_key(&key);
            }
            current = child;
            rest = behind;
        }
        true
    }

    /// The module in which a path begins, and what of the path remains behind it.
    fn start<'path>(&self, module: &[String], path: &'path [String]) -> Option<(ModulePath, &'path [String])> {
        let (first, behind) = path.split_first()?;
        match first.as_str() {
            "crate" => Some((Vec::new(), behind)),
            "self" => Some((module.to_vec(), behind)),
            "super" => {
                let (mut current, mut rest) = (module.to_vec(), path);
                while let Some((name, behind)) = rest.split_first() {
                    if name != "super" {
                        break;
                    }
                    current.pop();
                    rest = behind;
                }
                Some((current, rest))
            }
            name => {
                let mut child = module.to_vec();
                child.push(name.to_owned());
                self.files.contains_key(&child).then(|| (module.to_vec(), path))
            }
        }
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

/// One name of a `use` declaration.
struct Leaf {
    /// The name in scope; `None` for `*`.
    name: Option<String>,
    /// The whole path; without the `*`.
    path: Vec<String>,
    line: usize,
}

fn leaves(tree: &UseTree) -> Vec<Leaf> {
    fn collect(tree: &UseTree, prefix: &[String], found: &mut Vec<Leaf>) {
        let joined = |name: &syn::Ident| {
            let mut path = prefix.to_vec();
            if name != "self" || prefix.is_empty() {
                path.push(name.to_string());
            }
            path
        };
        let line = tree.span().start().line;
        match tree {
            UseTree::Path(part) => collect(&part.tree, &joined(&part.ident), found),
            UseTree::Name(part) => {
                let path = joined(&part.ident);
                found.push(Leaf { name: path.last().cloned(), path, line });
            }
            UseTree::Rename(part) => {
                found.push(Leaf { name: Some(part.rename.to_string()), path: joined(&part.ident), line });
            }
            UseTree::Glob(_) => found.push(Leaf { name: None, path: prefix.to_vec(), line }),
            UseTree::Group(group) => group.items.iter().for_each(|item| collect(item, prefix, found)),
        }
    }
    let mut found = Vec::new();
    collect(tree, &[], &mut found);
    found
}

/// Collects the paths that a file writes.
struct Collector<'names> {
    names: &'names Names,
    module: ModulePath,
    production: bool,
    references: Vec<Reference>,
    /// Re-exports; they count as imports only if the file itself uses the name.
    exports: Vec<(String, Reference)>,
    /// First names of all paths, and all names within macros.
    mentioned: BTreeSet<String>,
}

impl<'names> Collector<'names> {
    fn new(names: &'names Names, source: &Source) -> Self {
        Self {
            names,
            module: source.module.clone(),
            production: source.production,
            references: Vec::new(),
            exports: Vec::new(),
            mentioned: BTreeSet::new(),
        }
    }

    fn references(mut self) -> Vec<Reference> {
        for (name, export) in self.exports {
            if self.mentioned.contains(&name) {
                self.references.push(export);
            }
        }
        self.references
    }

    fn reference(&self, path: Vec<String>, line: usize) -> Reference {
        Reference { module: self.module.clone(), path, line, production: self.production }
    }

    fn add(&mut self, path: Vec<String>, line: usize) {
        if self.names.start(&self.module, &path).is_some() {
            let reference = self.reference(path, line);
            self.references.push(reference);
        }
    }

    /// Paths within the arguments of a macro, which are tokens only: names with `::` between them.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut line, mut colons) = (Vec::<String>::new(), 0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        let path = std::mem::take(&mut path);
                        self.add(path, line);
                        line = name.span().start().line;
                        self.mentioned.insert(name.to_string());
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                token => {
                    let path = std::mem::take(&mut path);
                    self.add(path, line);
                    colons = 0;
                    if let TokenTree::Group(group) = token {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.add(path, line);
    }

    /// Visits an item, remembering whether it is compiled into the program.
    fn within(&mut self, attributes: &[syn::Attribute], visit: impl FnOnce(&mut Self)) {
        let before = self.production;
        self.production &= !is_for_tests(attributes);
        visit(self);
        self.production = before;
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Const(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Macro(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        self.within(attributes, |collector| visit::visit_item(collector, item));
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.within(&function.attrs, |collector| visit::visit_impl_item_fn(collector, function));
    }

    fn visit_item_mod(&mut self, child: &'ast syn::ItemMod) {
        self.module.push(child.ident.to_string());
        visit::visit_item_mod(self, child);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let exported = !matches!(item.vis, Visibility::Inherited);
        for leaf in leaves(&item.tree) {
            if !exported {
                self.add(leaf.path, leaf.line);
            } else if let Some(name) = leaf.name {
                let reference = self.reference(leaf.path, leaf.line);
                self.exports.push((name, reference));
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.mentioned.extend(names.first().cloned());
        // A single name is local, or was imported by a `use` that counts.
        if names.len() > 1 {
            self.add(names, path.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        visit::visit_macro(self, invocation);
        self.add_tokens(invocation.tokens.clone());
    }

    /// `pub(super)` uses nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::parse;

    /// The imports of some files, as `from -> to`, production code only.
    fn shown(files: &[(&str, &str)]) -> Vec<String> {
        let sources = parse(files.iter().copied());
        let imports = imports(&sources).into_iter().filter(|import| import.production);
        let pairs: BTreeSet<(usize, usize)> = imports.map(|import| (import.from, import.to)).collect();
        let name = |file: usize| sources[file].path.trim_start_matches("src/").to_owned();
        pairs.into_iter().map(|(from, to)| format!("{} -> {}", name(from), name(to))).collect()
    }

    const A: (&str, &str) = ("src/a/mod.rs", "mod one; pub mod two; pub use one::First;");
    const ONE: (&str, &str) = ("src/a/one.rs", "pub struct First; pub fn first() {}");

    #[test]
    fn use_trees_are_followed() {
        let two = ("src/a/two.rs", "use super::one::{self, first as f, First};");
        let b = ("src/b.rs", "use crate::{a::two::x, std_like};");
        assert_eq!(shown(&[A, ONE, two, b]), ["a/two.rs -> a/one.rs", "b.rs -> a/two.rs"]);
    }

    #[test]
    fn reexports_lead_to_the_file_that_defines_the_item() {
        let two = ("src/a/two.rs", "use super::First;");
        let b = ("src/b.rs", "fn f() -> crate::a::First { todo!() }");
        assert_eq!(shown(&[A, ONE, two, b]), ["a/two.rs -> a/one.rs", "b.rs -> a/one.rs"]);
    }

    #[test]
    fn globs_are_followed_too() {
        let a = ("src/a/mod.rs", "mod one; pub use one::*; pub struct Own;");
        let b = ("src/b.rs", "use crate::a::{First, Own};");
        assert_eq!(shown(&[a, ONE, b]), ["b.rs -> a/mod.rs", "b.rs -> a/one.rs"]);
    }

    #[test]
    fn paths_within_code_and_macros_count() {
        let b = ("src/b.rs", "fn f() { crate::a::one::first(); }");
        let c = ("src/c.rs", "fn f() { println!(\"{:?}\", (1, crate::a::one::first())); }");
        assert_eq!(shown(&[A, ONE, b, c]), ["b.rs -> a/one.rs", "c.rs -> a/one.rs"]);
    }

    #[test]
    fn a_parent_uses_a_child_by_a_relative_path_only_if_it_says_more_than_its_name() {
        let declares = ("src/a/mod.rs", "mod one;");
        assert_eq!(shown(&[declares, ONE]), Vec::<String>::new());
        let calls = ("src/a/mod.rs", "mod one; fn f() { one::first() }");
        assert_eq!(shown(&[calls, ONE]), ["a/mod.rs -> a/one.rs"]);
    }

    #[test]
    fn a_reexport_is_a_use_only_if_the_file_needs_the_name_itself() {
        let needs = ("src/a/mod.rs", "mod one; pub use one::First; fn f(_: First) {}");
        assert_eq!(shown(&[A, ONE]), Vec::<String>::new());
        assert_eq!(shown(&[needs, ONE]), ["a/mod.rs -> a/one.rs"]);
    }

    #[test]
    fn tests_are_told_apart() {
        let b = ("src/b.rs", "#[cfg(test)] mod tests { use crate::a::one::first; } #[test] fn f() { crate::a::x(); }");
        assert_eq!(shown(&[A, ONE, b]), Vec::<String>::new());
        assert_eq!(imports(&parse([A, ONE, b])).len(), 2);
    }

    #[test]
    fn super_in_an_inline_module_is_the_file_itself() {
        let b = ("src/a/two.rs", "fn g() {} mod inner { use super::g; use super::super::one::first; }");
        assert_eq!(shown(&[A, ONE, b]), ["a/two.rs -> a/one.rs"]);
    }
}

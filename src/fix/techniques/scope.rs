//! A place in a test, and the variables and calls that are available there.

use crate::classfile::outlines::Outlines;
use crate::fix::source::imports::NewImport;
use crate::fix::source::test_source::{TestSource, Variable};
use crate::text::words;

/// Most calls of one statement whose results are called themselves.
const CALLS: usize = 2;

/// A place between two statements of a test.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub source: &'a TestSource,
    /// Locals, parameters and fields that can be named here, nearest first.
    pub variables: &'a [Variable],
    /// Calls in the statement before this place: name of the method, and code.
    pub calls: &'a [(String, String)],
}

impl Scope<'_> {
    /// Variables that may hold an object of this class (binary name), judged by the names of their
    /// types.
    pub fn variables_of<'s>(&'s self, class: &str, outlines: &Outlines) -> Vec<&'s Variable> {
        let wanted = words::simple_name(class);
        let is_one = |variable: &&Variable| {
            let mut name = variable.simple_type();
            // Follows superclasses in this source. The limit stops on a cycle in a broken source.
            for _ in 0..=self.source.types.len() {
                if name == wanted || is_subclass(outlines, name, class) {
                    return true;
                }
                let known = self.source.types.iter().find(|known| words::simple_name(&known.class) == name);
                match known.and_then(|known| known.extends.as_deref()) {
                    Some(extended) => name = extended,
                    None => return false,
                }
            }
            false
        };
        self.variables.iter().filter(is_one).collect()
    }

    /// Calls that give an object of this class, judged by the names of the methods.
    pub fn calls_of(&self, class: &str, outlines: &Outlines) -> Vec<&str> {
        let gives_one = |name: &str| {
            let mut named =
                outlines.classes().flat_map(|one| &one.methods).filter(|method| method.name == name).peekable();
            named.peek().is_some()
                && named.all(|method| {
                    let returned = method.returned.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
                    returned.is_some_and(|name| outlines.is_a(&name.replace('/', "."), class))
                })
        };
        self.calls.iter().filter(|(name, _)| gives_one(name)).map(|(_, code)| code.as_str()).take(CALLS).collect()
    }

    /// The class as it is written in the source, and its imports.
    pub fn class_name(&self, class: &str) -> (String, Vec<NewImport>) {
        let top = words::top_level(class);
        (words::short_class(class), vec![NewImport { is_static: false, name: top.to_owned() }])
    }
}

fn is_subclass(outlines: &Outlines, name: &str, class: &str) -> bool {
    let named = outlines.classes().filter(|known| words::simple_name(&known.name) == name);
    named.into_iter().any(|known| outlines.is_a(&known.name, class))
}

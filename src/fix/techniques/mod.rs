//! The registry of techniques: from a method whose transformation nobody notices, and what a test has in scope, to expressions that may show it.

mod call_here;
mod call_sequence;
mod capture_output;
mod compare_unequal;
mod new_input;
mod reachable_state;
pub(in crate::fix) mod repeat_call;
pub(in crate::fix) mod vary_input;
mod verify_call;

pub use call_sequence::{SEQUENCE, sequences};
pub use new_input::{further, looks as calls_of_it};
pub use verify_call::{called, mockito};

use crate::classfile::outline::{PUBLIC, STATIC};
use crate::classfile::outlines::Outlines;
use crate::code::Signature;
use crate::code::Structure;
use crate::diagnose::{CallSeen, Evidence};
use crate::fix::source::style::Needed;
use crate::fix::source::test_source::{TestSource, Variable};
use crate::fix::values::Values;
use crate::fix::write::name::{About, When};
use crate::text::words;

/// One technique.
pub struct Technique {
    /// File name, without ending, in `rules/fixes`.
    pub name: &'static str,
    pub(super) toml: &'static str,
    pub(super) looks: Looks,
}

/// Where a technique looks.
#[derive(Clone, Copy)]
pub enum Looks {
    /// At a place in a test.
    InTest(fn(&Subject<'_>, &Scope<'_>) -> Vec<Look>),
    /// In a test that has nothing but this.
    Alone(fn(&Subject<'_>, &Values<'_>) -> Vec<Look>),
    Both(fn(&Subject<'_>, &Scope<'_>) -> Vec<Look>, fn(&Subject<'_>, &Values<'_>) -> Vec<Look>),
}

impl Technique {
    /// What it looks at, at a place in a test.
    #[must_use]
    pub fn in_test(&self, subject: &Subject<'_>, scope: &Scope<'_>) -> Vec<Look> {
        match self.looks {
            Looks::InTest(looks) | Looks::Both(looks, _) => looks(subject, scope),
            Looks::Alone(_) => Vec::new(),
        }
    }

    /// What it looks at in a test of its own.
    #[must_use]
    pub fn alone(&self, subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
        match self.looks {
            Looks::Alone(looks) | Looks::Both(_, looks) => looks(subject, values),
            Looks::InTest(_) => Vec::new(),
        }
    }
}

macro_rules! techniques {
    ($($kind:ident $module:ident($($looks:ident),*) = $name:literal,)*) => {
        /// The one that changes least first.
        pub const TECHNIQUES: &[Technique] = &[$(Technique {
            name: $name,
            toml: include_str!(concat!("../../../rules/fixes/", $name, ".toml")),
            looks: Looks::$kind($($module::$looks),*),
        }),*];
    };
}

techniques! {
    InTest call_here(looks) = "call-here",
    InTest reachable_state(looks) = "assert-reachable-state",
    Both verify_call(looks, alone) = "verify-call",
    InTest compare_unequal(looks) = "compare-unequal",
    Alone new_input(looks) = "new-input",
    Alone capture_output(looks) = "capture-output",
}

/// The technique of [`further`].
pub const FURTHER: &str = "new-input";

/// The method that is transformed, and what is known of it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub method: &'a Signature,
    pub outlines: &'a Outlines,
    /// Of all of its undetected transformations.
    pub evidence: &'a [&'a Evidence],
    pub calls: &'a [&'a CallSeen],
}

/// A place between two statements of a test.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub source: &'a TestSource,
    /// Locals, parameters and fields that can be named there, nearest first.
    pub variables: &'a [Variable],
    /// Calls in the statement before it: name of the method, and code.
    pub calls: &'a [(String, String)],
}

/// What is looked at where a call gives nothing: it says that the call has ended.
pub const ENDS: &str = "true";

/// An expression to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Statements that make what it needs.
    pub before: Vec<String>,
    /// What is done before it is looked at.
    pub act: Option<String>,
    pub expression: String,
    pub about: About,
    pub when: When,
    /// As far as class files tell, evaluating it changes nothing.
    pub is_pure: bool,
    pub imports: Vec<Needed>,
    /// Binary names of exceptions that what it calls declares.
    pub throws: Vec<String>,
    /// Fewer is better.
    pub rank: usize,
}

impl Look {
    /// The value of a method called without arguments, which changes nothing.
    pub(in crate::fix) fn accessor(on: &str, method: &str, rank: usize) -> Self {
        Self {
            before: Vec::new(),
            act: None,
            expression: format!("{on}.{method}()"),
            about: About::Result { method: method.to_owned() },
            when: When::Always,
            is_pure: true,
            imports: Vec::new(),
            throws: Vec::new(),
            rank,
        }
    }

    /// Whether all that is looked at is that the statement ends.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.act.is_some() && self.expression == ENDS
    }

    /// What is done: before it is looked at or, where nothing is, by looking at it.
    #[must_use]
    pub fn statements(&self) -> String {
        self.act.clone().unwrap_or_else(|| format!("{};", self.expression))
    }

    /// The statement that is executed last, without its semicolon.
    #[must_use]
    pub fn executed(&self) -> &str {
        let last = self.act.as_deref().and_then(|act| act.lines().last());
        last.map_or(self.expression.as_str(), |line| line.trim_end_matches(';'))
    }

    /// All of it as code: looks with the same code are the same.
    #[must_use]
    pub fn code(&self) -> String {
        let lines = self.before.iter().map(String::as_str).chain(self.act.as_deref());
        lines.chain([self.expression.as_str()]).collect::<Vec<&str>>().join("\n")
    }
}

impl<'a> Subject<'a> {
    /// The exceptions that a method declares.
    fn throws(&self, method: &Signature) -> &'a [String] {
        self.outlines.method(&method.member()).map_or(&[], |outline| &outline.throws)
    }

    /// The method itself, where the test can call it; else the nearest methods through which a test reaches it.
    pub(super) fn callable(&self, package: &str) -> Vec<Signature> {
        let mut found = self.entries(package);
        found.retain(|entry| !entry.name.starts_with('<'));
        found.truncate(CALLERS);
        found
    }

    /// The same with constructors.
    fn entries(&self, package: &str) -> Vec<Signature> {
        if self.outlines.is_accessible(self.method, package) {
            return vec![self.method.clone()];
        }
        callers(self.outlines, self.method, package)
    }

    fn is_itself(&self, other: &Signature) -> bool {
        self.method == other
    }
}

/// The nearest methods and constructors through which a test reaches the method.
fn callers(outlines: &Outlines, method: &Signature, package: &str) -> Vec<Signature> {
    let chains = Structure::callers_of(outlines, method, package);
    chains.into_iter().filter_map(|chain| chain.into_iter().next()).collect()
}

/// Most calls of a statement whose results are called themselves.
const CALLS: usize = 2;
/// Most callers through which a method is tried that cannot be called itself.
const CALLERS: usize = 3;

impl Scope<'_> {
    /// Variables that may hold an object of this class (binary name), by the names of their types.
    fn variables_of<'s>(&'s self, class: &str, outlines: &Outlines) -> Vec<&'s Variable> {
        let wanted = simple(class);
        let is_one = |variable: &&Variable| {
            let mut name = variable.simple_type();
            // Classes of the source that extend it; a broken source could go in circles.
            for _ in 0..=self.source.types.len() {
                if name == wanted || is_subclass(outlines, name, class) {
                    return true;
                }
                let known = self.source.types.iter().find(|known| simple(&known.class) == name);
                match known.and_then(|known| known.extends.as_deref()) {
                    Some(extended) => name = extended,
                    None => return false,
                }
            }
            false
        };
        self.variables.iter().filter(is_one).collect()
    }

    /// Calls that give an object of this class, as far as that can be told by the names of methods.
    fn calls_of(&self, class: &str, outlines: &Outlines) -> Vec<&str> {
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

    /// How the class is written, and what has to be imported for that.
    fn class_name(&self, class: &str) -> (String, Vec<Needed>) {
        let top = words::top_level(class);
        (words::short_class(class), vec![Needed { is_static: false, name: top.to_owned() }])
    }
}

/// `Inner` of `a.Outer$Inner`.
pub(super) fn simple(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

fn is_subclass(outlines: &Outlines, name: &str, class: &str) -> bool {
    let named = outlines.classes().filter(|known| simple(&known.name) == name);
    named.into_iter().any(|known| outlines.is_a(&known.name, class))
}

/// Methods with a result that may show what a constructor of the class made, those that read `fields` first.
fn readers(subject: &Subject<'_>, class: &str, package: &str, fields: &[String]) -> Vec<Signature> {
    let mut found: Vec<((bool, bool, usize), Signature)> = Vec::new();
    for class in subject.outlines.superclasses(class) {
        for method in &class.methods {
            let member = class.member(method);
            let is_reader = method.returned != "V"
                && method.access & STATIC == 0
                && !matches!(method.name.as_str(), "hashCode" | "clone" | "equals")
                && subject.outlines.accessible(&member, package)
                && !found.iter().any(|(_, known)| known.name == method.name && known.descriptor == method.descriptor);
            if is_reader {
                let reads = method.reads.iter().any(|read| fields.contains(&read.name));
                let signature = Signature {
                    class: class.name.clone(),
                    name: method.name.clone(),
                    descriptor: method.descriptor.clone(),
                    is_static: false,
                };
                found.push(((!reads, method.access & PUBLIC == 0, method.parameters), signature));
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, signature)| signature).collect()
}

/// Methods without parameters and with a result that change nothing of an object of this class: public ones first, those that read `fields` before
/// all others.
fn accessors(outlines: &Outlines, class: &str, package: &str, fields: &[String]) -> Vec<(String, usize)> {
    let mut found: Vec<(bool, bool, usize, String)> = Vec::new();
    for class in outlines.superclasses(class) {
        for method in &class.methods {
            let member = class.member(method);
            let is_accessor = method.parameters == 0
                && method.returned != "V"
                && method.access & STATIC == 0
                && method.writes.is_empty()
                && !matches!(method.name.as_str(), "hashCode" | "clone" | "iterator" | "<init>")
                && outlines.accessible(&member, package);
            if is_accessor && !found.iter().any(|(.., name)| *name == method.name) {
                let reads = method.reads.iter().any(|read| fields.contains(&read.name));
                found.push((!reads, method.access & PUBLIC == 0, method.reads.len(), method.name.clone()));
            }
        }
    }
    found.sort();
    found.into_iter().enumerate().map(|(rank, (.., name))| (name, rank)).collect()
}

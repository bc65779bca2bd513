//! The method under test: the one whose transformations no test notices.

use crate::classfile::outlines::Outlines;
use crate::code::{Signature, Structure};
use crate::diagnose::{CallSeen, Evidence};
use crate::suggest::is_literal;
use crate::text::words;

/// Most callers that are tried in place of a method that a test cannot call.
const CALLERS: usize = 3;

/// The method under test, and the observations of it.
#[derive(Clone)]
pub struct Subject<'a> {
    pub method: &'a Signature,
    pub outlines: &'a Outlines,
    /// The evidence of all its undetected transformations.
    pub evidence: Vec<&'a Evidence>,
    pub calls: Vec<&'a CallSeen>,
    /// See [`Diagnosis::drawn`](crate::diagnose::Diagnosis::drawn).
    pub drawn: Vec<&'a Vec<String>>,
}

impl<'a> Subject<'a> {
    /// The exceptions that a method declares.
    pub fn throws(&self, method: &Signature) -> &'a [String] {
        self.outlines.method(&method.member()).map_or(&[], |outline| &outline.throws)
    }

    /// The method itself if a test in this package can call it, otherwise the nearest methods
    /// through which a test reaches it.
    pub fn callable(&self, package: &str) -> Vec<Signature> {
        let mut found = self.entries(package);
        found.retain(|entry| !entry.name.starts_with('<'));
        found.truncate(CALLERS);
        found
    }

    /// The same, with constructors.
    pub fn entries(&self, package: &str) -> Vec<Signature> {
        if self.outlines.is_accessible(self.method, package) {
            return vec![self.method.clone()];
        }
        callers(self.outlines, self.method, package)
    }

    /// Fields with which the paths of the evidence begin.
    pub fn evidence_fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for evidence in &self.evidence {
            let field = evidence.path.trim_start_matches('.').split(['.', '[']).next().unwrap_or_default();
            if !field.is_empty() && !fields.iter().any(|known| known == field) {
                fields.push(field.to_owned());
            }
        }
        fields
    }

    /// The arguments that tests drew at random for this method, as Java source, where all of them are
    /// literals.
    pub fn drawn_for(&self, method: &Signature) -> Vec<Vec<String>> {
        let mut lists: Vec<Vec<String>> = Vec::new();
        if !self.is_itself(method) {
            return lists;
        }
        let (parameters, _) = words::types(&method.descriptor);
        let is_written = |value: &String| is_literal(value) && !value.contains('…');
        let is_usable =
            |arguments: &&&Vec<String>| arguments.len() == parameters.len() && arguments.iter().all(is_written);
        for arguments in self.drawn.iter().filter(is_usable) {
            let list = arguments.iter().zip(&parameters).map(|(value, parameter)| typed(value, parameter)).collect();
            if !lists.contains(&list) {
                lists.push(list);
            }
        }
        lists
    }

    pub fn is_itself(&self, other: &Signature) -> bool {
        self.method == other
    }
}

/// A literal as an argument of this type.
pub fn typed(value: &str, parameter: &str) -> String {
    match parameter {
        "byte" | "short" => format!("({parameter}) {value}"),
        "float" if !value.ends_with('f') => format!("{value}f"),
        "java.lang.Class" => match value.strip_prefix("java.lang.") {
            Some(name) if name.starts_with(char::is_uppercase) => name.to_owned(),
            _ => value.to_owned(),
        },
        _ => value.to_owned(),
    }
}

/// The nearest methods and constructors through which a test reaches the method.
pub fn callers(outlines: &Outlines, method: &Signature, package: &str) -> Vec<Signature> {
    let chains = Structure::callers_of(outlines, method, package);
    chains.into_iter().filter_map(|chain| chain.into_iter().next()).collect()
}

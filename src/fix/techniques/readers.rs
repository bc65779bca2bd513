//! Methods that show the state of an object.

use crate::classfile::outline::{PUBLIC, STATIC};
use crate::classfile::outlines::Outlines;
use crate::code::Signature;
use crate::fix::subject::Subject;
use crate::fix::techniques::outside::acts_outside;

/// Methods with a result that may show the state of an object of this class, those that read
/// `fields` first.
pub fn readers(subject: &Subject<'_>, class: &str, package: &str, fields: &[String]) -> Vec<Signature> {
    let mut found: Vec<((bool, bool, usize), Signature)> = Vec::new();
    for class in subject.outlines.superclasses(class) {
        for method in &class.methods {
            let member = class.member(method);
            let is_reader = method.returned != "V"
                && method.access & STATIC == 0
                && !matches!(method.name.as_str(), "hashCode" | "clone" | "equals")
                && subject.outlines.accessible(&member, package)
                && !acts_outside(subject.outlines, &member)
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

/// Methods without parameters, with a result, that change nothing, by name and rank. Those that
/// read `fields` come first, then public ones.
pub fn accessors(outlines: &Outlines, class: &str, package: &str, fields: &[String]) -> Vec<(String, usize)> {
    let mut found: Vec<(bool, bool, usize, String)> = Vec::new();
    for class in outlines.superclasses(class) {
        for method in &class.methods {
            let member = class.member(method);
            let is_accessor = method.parameters == 0
                && method.returned != "V"
                && method.access & STATIC == 0
                && method.writes.is_empty()
                && !matches!(method.name.as_str(), "hashCode" | "clone" | "iterator" | "<init>")
                && outlines.accessible(&member, package)
                && !acts_outside(outlines, &member);
            if is_accessor && !found.iter().any(|(.., name)| *name == method.name) {
                let reads = method.reads.iter().any(|read| fields.contains(&read.name));
                found.push((!reads, method.access & PUBLIC == 0, method.reads.len(), method.name.clone()));
            }
        }
    }
    found.sort();
    found.into_iter().enumerate().map(|(rank, (.., name))| (name, rank)).collect()
}

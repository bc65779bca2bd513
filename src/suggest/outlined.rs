//! From the outlines of class files to what the suggestions ask of a project's structure.

use super::{Signature, Structure};
use crate::classfile::names::Member;
use crate::classfile::outlines::Outlines;

/// JVMS table 4.6-A.
const STATIC: u16 = 0x0008;

/// So many callers are worth naming.
const MOST_CALLERS: usize = 8;

impl Structure for Outlines {
    fn is_accessible(&self, method: &Signature, package: &str) -> bool {
        self.accessible(&method.member(), package)
    }

    fn accessors_of(&self, owner: &str, field: &str, package: &str) -> Vec<Signature> {
        Outlines::accessors_of(self, owner, field, package)
            .into_iter()
            .map(|accessor| signature(self, &accessor.method))
            .collect()
    }

    fn fields_read_by(&self, method: &Signature) -> Vec<String> {
        self.method(&method.member())
            .map_or_else(Vec::new, |method| method.reads.iter().map(|field| field.name.clone()).collect())
    }

    fn callers_of(&self, method: &Signature, package: &str) -> Vec<Vec<Signature>> {
        Outlines::callers_of(self, &method.member(), package)
            .into_iter()
            .take(MOST_CALLERS)
            .map(|caller| caller.chain.iter().map(|member| signature(self, member)).collect())
            .collect()
    }
}

fn signature(outlines: &Outlines, member: &Member) -> Signature {
    Signature {
        class: member.owner.clone(),
        name: member.name.clone(),
        descriptor: member.descriptor.clone(),
        is_static: outlines.method(member).is_some_and(|method| method.access & STATIC != 0),
    }
}

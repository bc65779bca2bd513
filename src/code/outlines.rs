//! Answers questions about a project's structure from the outlines of its class files.

use super::signature::Signature;
use super::structure::{Chance, ChanceUse, Structure};
use crate::classfile::names::Member;
use crate::classfile::outlines::Outlines;

/// JVMS table 4.6-A.
const STATIC: u16 = 0x0008;

/// Most callers that are returned.
const MOST_CALLERS: usize = 8;
/// Depth of calls down to which random numbers and the time are searched for.
const LEVELS: usize = 6;
/// Classes that produce random numbers. A test can pass in an object of one of them.
const RANDOM: [&str; 4] = [
    "java.util.Random",
    "java.security.SecureRandom",
    "java.util.concurrent.ThreadLocalRandom",
    "java.util.SplittableRandom",
];
const CLOCK: &str = "java.time.Clock";

impl Structure for Outlines {
    fn is_accessible(&self, method: &Signature, package: &str) -> bool {
        self.accessible(&method.member(), package)
    }

    fn nameable(&self, class: &str, package: &str) -> String {
        Outlines::nameable(self, class, package).to_owned()
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

    fn chance_in(&self, method: &Signature) -> Option<ChanceUse> {
        self.called_from(&[method.member()], LEVELS).into_iter().find_map(|(member, outline)| {
            let chance = outline.calls.iter().find_map(|call| chance(&call.to))?;
            let class = member.owner;
            let is_handed = self.class(&class).is_some_and(|class| {
                class.methods.iter().any(|method| chance.types().any(|name| takes(&method.descriptor, name)))
            });
            Some(ChanceUse { chance, class, is_handed })
        })
    }
}

/// The kind of chance that a called method of the JDK depends on.
fn chance(called: &Member) -> Option<Chance> {
    let (owner, name) = (called.owner.as_str(), called.name.as_str());
    if (RANDOM.contains(&owner) && name != "<init>")
        || matches!((owner, name), ("java.lang.Math", "random") | ("java.util.UUID", "randomUUID"))
    {
        return Some(Chance::Random);
    }
    let is_now = matches!((owner, name), ("java.lang.System", "currentTimeMillis" | "nanoTime"))
        || (owner.starts_with("java.time.") && name == "now")
        || (owner == "java.util.Date" && name == "<init>" && called.descriptor == "()V")
        || (owner == "java.util.Calendar" && name == "getInstance");
    is_now.then_some(Chance::Clock)
}

impl Chance {
    fn types(self) -> impl Iterator<Item = &'static str> {
        match self {
            Self::Random => RANDOM.as_slice().iter().copied(),
            Self::Clock => [CLOCK].as_slice().iter().copied(),
        }
    }
}

/// Whether the method has a parameter of this type.
fn takes(descriptor: &str, class: &str) -> bool {
    let parameters = descriptor.split(')').next().unwrap_or_default();
    parameters.contains(&format!("L{};", class.replace('.', "/")))
}

fn signature(outlines: &Outlines, member: &Member) -> Signature {
    Signature {
        class: member.owner.clone(),
        name: member.name.clone(),
        descriptor: member.descriptor.clone(),
        is_static: outlines.method(member).is_some_and(|method| method.access & STATIC != 0),
    }
}

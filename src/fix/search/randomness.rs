//! Methods that draw random values.

use crate::classfile::names::Member;
use crate::classfile::outlines::Outlines;
use crate::code::Signature;

/// Most calls below the method.
const LEVELS: usize = 6;

/// Classes whose methods draw random values.
const DRAWING: [&str; 4] = [
    "java.util.Random",
    "java.util.SplittableRandom",
    "java.util.concurrent.ThreadLocalRandom",
    "java.security.SecureRandom",
];

/// Methods of other classes that draw random values.
const DRAWING_CALLS: [(&str, &str); 3] =
    [("java.lang.Math", "random"), ("java.util.UUID", "randomUUID"), ("java.util.Collections", "shuffle")];

/// Whether a method draws random values, itself or in deeper calls.
///
/// A method that depends on a clock does not count, because its values are not independent of each
/// other.
#[must_use]
pub fn is_random(outlines: &Outlines, method: &Signature) -> bool {
    let draws = |to: &Member| {
        DRAWING.contains(&to.owner.as_str()) && to.name != "<init>"
            || DRAWING_CALLS.contains(&(to.owner.as_str(), to.name.as_str()))
    };
    let called = outlines.called_from(&[method.member()], LEVELS);
    called.iter().flat_map(|(_, outline)| &outline.calls).any(|call| draws(&call.to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::test_coin::{coin_method, coin_outlines};

    #[test]
    fn a_method_is_random_if_it_draws_in_a_call_below_but_not_by_the_clock() {
        let outlines = coin_outlines();
        assert!(
            is_random(&outlines, &coin_method("below", "(I)I")) && is_random(&outlines, &coin_method("flip", "()Z"))
        );
        assert!(
            !is_random(&outlines, &coin_method("now", "()J")) && !is_random(&outlines, &coin_method("<init>", "()V"))
        );
    }
}

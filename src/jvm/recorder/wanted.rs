//! From the sites that the coordinator asks for to tables: what becomes of the observations of each method and expression.

use crate::jvm::protocol::{Record, Sites};
use crate::observation::{FIRST_OCCURRENCES, Site};
use std::collections::HashSet;

/// Values of the tables; the Java side only tells [`NOTHING`] and [`BRIEFLY`] from the others.
pub(super) const NOTHING: i8 = 0;
pub(super) const DIGEST: i8 = 1;
pub(super) const RECORD: i8 = 2;
/// Recorded, but of each test only the first ones.
pub(super) const BRIEFLY: i8 = 3;
/// The first ones of each test are recorded, the others digested.
pub(super) const RECORD_FIRST: i8 = 4;

/// By number of the method, and of the expression.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) methods: Vec<i8>,
    pub(super) expressions: Vec<i8>,
    /// What may still be recorded of what is digested; see [`Sites::samples`].
    pub(super) samples: u32,
}

impl Wanted {
    pub(super) fn new(record: &Record, methods: usize, expressions: usize) -> Self {
        let mut wanted = Self { methods: vec![NOTHING; methods], expressions: vec![NOTHING; expressions], samples: 0 };
        if let Record::State(Sites { recorded, briefly, digested, samples, .. }) = record {
            wanted.samples = *samples;
            digested.iter().for_each(|site| wanted.set(*site, DIGEST));
            let digested: HashSet<&Site> = digested.iter().collect();
            for site in briefly {
                wanted.set(*site, if digested.contains(site) { RECORD_FIRST } else { BRIEFLY });
            }
            recorded.iter().for_each(|site| wanted.set(*site, RECORD));
        }
        wanted
    }

    fn set(&mut self, site: Site, value: i8) {
        let slot = match site {
            Site::Method(method) => self.methods.get_mut(method.index()),
            Site::Expression(expression) => self.expressions.get_mut(expression.index()),
        };
        if let Some(slot) = slot {
            *slot = value;
        }
    }

    /// Whether an observation of the site is recorded; else it is digested.
    pub(super) fn is_recorded(&self, site: Site, occurrence: u32) -> bool {
        match self.of(site) {
            RECORD | BRIEFLY => true,
            RECORD_FIRST => occurrence <= FIRST_OCCURRENCES,
            _ => false,
        }
    }

    fn of(&self, site: Site) -> i8 {
        let slot = match site {
            Site::Method(method) => self.methods.get(method.index()),
            Site::Expression(expression) => self.expressions.get(expression.index()),
        };
        slot.copied().unwrap_or(NOTHING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::{ExpressionId, MethodId};

    #[test]
    fn a_site_that_is_recorded_is_not_digested_and_all_others_are_left_alone() {
        let sites = Sites {
            recorded: vec![Site::Method(MethodId(1))],
            briefly: vec![Site::Method(MethodId(2)), Site::Expression(ExpressionId(1))],
            digested: vec![
                Site::Method(MethodId(1)),
                Site::Method(MethodId(2)),
                Site::Expression(ExpressionId(0)),
                Site::Expression(ExpressionId(9)),
            ],
            samples: 0,
            stacks: false,
        };
        let wanted = Wanted::new(&Record::State(sites), 3, 2);
        let (methods, expressions) = (vec![NOTHING, RECORD, RECORD_FIRST], vec![DIGEST, BRIEFLY]);
        assert_eq!(wanted, Wanted { methods, expressions, samples: 0 });
        assert!(wanted.is_recorded(Site::Method(MethodId(1)), 1001));
        assert!(wanted.is_recorded(Site::Method(MethodId(2)), 1000));
        assert!(!wanted.is_recorded(Site::Method(MethodId(2)), 1001), "digested from here on");
        assert!(!wanted.is_recorded(Site::Expression(ExpressionId(0)), 1));
        assert!(!wanted.is_recorded(Site::Expression(ExpressionId(9)), 1));
    }

    #[test]
    fn for_coverage_nothing_is_observed() {
        assert_eq!(Wanted::new(&Record::Coverage, 1, 0).of(Site::Method(MethodId(0))), NOTHING);
    }
}

//! The mode of each site: whether its observations are recorded, digested or only counted.

use crate::jvm::protocol::{Record, Sites};
use crate::observation::{FIRST_OCCURRENCES, Site};
use std::collections::HashSet;

// Values of the tables. `reneri.rt.Probe` has constants for UNOBSERVED and RECORDED_BRIEFLY and treats all others alike.

/// Observations are only counted.
pub(super) const UNOBSERVED: i8 = 0;
/// Observations are digested.
pub(super) const DIGESTED: i8 = 1;
/// Observations are recorded.
pub(super) const RECORDED: i8 = 2;
/// The first observations in each test are recorded; the others are only counted.
pub(super) const RECORDED_BRIEFLY: i8 = 3;
/// The first observations in each test are recorded, the others are digested.
pub(super) const RECORDED_THEN_DIGESTED: i8 = 4;

/// The modes of all sites, by number of the method and of the expression.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Modes {
    pub(super) methods: Vec<i8>,
    pub(super) expressions: Vec<i8>,
    /// The room for recorded observations of digested sites; see [`Sites::samples`].
    pub(super) samples: u32,
}

impl Modes {
    pub(super) fn new(record: &Record, methods: usize, expressions: usize) -> Self {
        let mut modes =
            Self { methods: vec![UNOBSERVED; methods], expressions: vec![UNOBSERVED; expressions], samples: 0 };
        if let Record::State(Sites { recorded, briefly, digested, samples, .. }) = record {
            modes.samples = *samples;
            digested.iter().for_each(|site| modes.set(*site, DIGESTED));
            let digested: HashSet<&Site> = digested.iter().collect();
            for site in briefly {
                modes.set(*site, if digested.contains(site) { RECORDED_THEN_DIGESTED } else { RECORDED_BRIEFLY });
            }
            recorded.iter().for_each(|site| modes.set(*site, RECORDED));
        }
        modes
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

    /// Whether the observation with this number is recorded. Otherwise it is digested.
    pub(super) fn is_recorded(&self, site: Site, occurrence: u32) -> bool {
        match self.mode(site) {
            RECORDED | RECORDED_BRIEFLY => true,
            RECORDED_THEN_DIGESTED => occurrence <= FIRST_OCCURRENCES,
            _ => false,
        }
    }

    fn mode(&self, site: Site) -> i8 {
        let slot = match site {
            Site::Method(method) => self.methods.get(method.index()),
            Site::Expression(expression) => self.expressions.get(expression.index()),
        };
        slot.copied().unwrap_or(UNOBSERVED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::{ExpressionId, MethodId};

    #[test]
    fn recorded_sites_are_not_digested_and_other_sites_are_not_observed() {
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
        let modes = Modes::new(&Record::State(sites), 3, 2);
        let (methods, expressions) =
            (vec![UNOBSERVED, RECORDED, RECORDED_THEN_DIGESTED], vec![DIGESTED, RECORDED_BRIEFLY]);
        assert_eq!(modes, Modes { methods, expressions, samples: 0 });
        assert!(modes.is_recorded(Site::Method(MethodId(1)), 1001));
        assert!(modes.is_recorded(Site::Method(MethodId(2)), 1000));
        assert!(!modes.is_recorded(Site::Method(MethodId(2)), 1001), "digested from here on");
        assert!(!modes.is_recorded(Site::Expression(ExpressionId(0)), 1));
        assert!(!modes.is_recorded(Site::Expression(ExpressionId(9)), 1));
    }

    #[test]
    fn coverage_observes_no_site() {
        assert_eq!(Modes::new(&Record::Coverage, 1, 0).mode(Site::Method(MethodId(0))), UNOBSERVED);
    }
}

//! The search in rounds: expressions of existing and new tests first, and further attempts where
//! these show nothing.

use crate::base::error::Result;
use crate::base::id::TransformationId;
use crate::diagnose::At;
use crate::fix::candidate::{Candidate, Probe, Shape, in_turn};
use crate::fix::case::Case;
use crate::fix::look::Look;
use crate::fix::search::candidates::{candidates_from, new_tests};
use crate::fix::search::randomness::is_random;
use crate::fix::source::library::Library;
use crate::fix::source::test_sources::Place;
use crate::fix::techniques::TECHNIQUES;
use crate::fix::techniques::technique::{DifferentObject, Reach};
use crate::fix::trial::entered::EnteredMethods;
use crate::fix::trial::exploration::{Exploration, Group, InfectedObject, Witness};
use crate::fix::trial::explore::explore;
use crate::fix::trial::workshop::Workshop;
use crate::fix::values::catalog::Values;
use crate::fix::values::usual::UsualValues;
use std::collections::{BTreeMap, BTreeSet};

/// Rounds that follow the first one, where nothing has shown the difference.
const FURTHER_ROUNDS: usize = 2;
/// Most objects with a different state that are asked for one transformation.
const OBJECTS: usize = 8;

/// The search for expressions that show the undetected transformations of some methods.
pub struct Search<'a> {
    pub library: &'a Library<'a>,
    pub usual: &'a UsualValues,
    pub cases: &'a [Case<'a>],
    /// Tests, of whatever method, that take far longer than similar ones.
    pub slow: &'a BTreeSet<Place>,
    /// Most candidates for one method in one round.
    pub budget: usize,
}

/// Whether a copy of a test takes far longer than similar tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speed {
    Quick,
    Slow,
}

/// The result of a search. `groups`, `entered` and `evaluated` have one entry for each case.
pub struct SearchResult {
    pub groups: Vec<Group>,
    pub witnesses: Vec<Witness>,
    pub entered: Vec<EnteredMethods>,
    /// The number of expressions that the original code evaluated.
    pub evaluated: Vec<usize>,
}

impl Search<'_> {
    /// # Errors
    /// When a compiler or worker cannot be started, or the user interrupts.
    pub fn run(&self, workshop: &mut Workshop<'_>) -> Result<SearchResult> {
        let mut groups: Vec<Group> = self.cases.iter().map(|case| self.first_group(case)).collect();
        let first = explore(workshop, self.library, &groups)?;
        let Exploration { mut witnesses, mut infected, mut entered, mut evaluated } = first;
        for round in 0..FURTHER_ROUNDS {
            let more: Vec<Group> = self
                .cases
                .iter()
                .zip(&groups)
                .enumerate()
                .map(|(number, (case, group))| self.next_group(case, number, group, round, &witnesses, &infected))
                .collect();
            if more.iter().all(|group| group.candidates.is_empty()) {
                break;
            }
            let mut explored = explore(workshop, self.library, &more)?;
            // Candidates of this round are numbered after those of earlier rounds.
            let first = |group: usize| groups.get(group).map_or(0, |group| group.candidates.len());
            explored.witnesses.iter_mut().for_each(|witness| witness.candidate += first(witness.group));
            explored.infected.iter_mut().for_each(|object| object.candidate += first(object.group));
            witnesses.extend(explored.witnesses);
            infected = explored.infected;
            entered.iter_mut().zip(&explored.entered).for_each(|(all, more)| all.unite(more));
            evaluated.iter_mut().zip(&explored.evaluated).for_each(|(all, more)| *all += more);
            for (group, more) in groups.iter_mut().zip(more) {
                group.candidates.extend(more.candidates);
            }
        }
        Ok(SearchResult { groups, witnesses, entered, evaluated })
    }

    fn first_group(&self, case: &Case<'_>) -> Group {
        Group {
            candidates: self.first_round(case, Speed::Quick),
            transformations: case.findings.transformations(),
            is_random: is_random(case.subject.outlines, case.subject.method),
        }
    }

    /// The candidates of a further round, for the transformations that no earlier round has shown.
    fn next_group(
        &self,
        case: &Case<'_>,
        number: usize,
        group: &Group,
        round: usize,
        witnesses: &[Witness],
        infected: &[InfectedObject],
    ) -> Group {
        let open = group.transformations.iter().copied();
        let transformations: Vec<TransformationId> = open.filter(|one| !is_shown(witnesses, number, *one)).collect();
        let own = infected.iter().filter(|object| object.group == number);
        let own: Vec<&InfectedObject> = own.filter(|object| transformations.contains(&object.transformation)).collect();
        let mut candidates = self.of_objects(case, group, &own);
        if round == 0 && !transformations.is_empty() {
            if self.is_seen_in_slow(case) {
                candidates.extend(self.first_round(case, Speed::Slow));
            }
            candidates.extend(self.second_round(case, group.is_random));
        }
        Group { candidates, transformations, is_random: group.is_random }
    }

    /// Candidates of the first round: made of tests of this speed, and, with the quick ones, new
    /// tests.
    fn first_round(&self, case: &Case<'_>, speed: Speed) -> Vec<Candidate> {
        let sources = &self.library.sources;
        let tests = case.tests.near.iter().filter(|test| self.speed(test) == speed);
        let mut lists: Vec<Vec<Candidate>> =
            tests.map(|place| candidates_from(&case.subject, sources, *place)).collect();
        if let Some(home) = case.tests.home
            && let Some(source) = sources.get(home.source)
            && speed == Speed::Quick
        {
            lists.push(new_tests(&case.subject, &Values::new(&case.subject, source, self.usual), home));
        }
        in_turn(lists, self.budget)
    }

    fn speed(&self, test: &Place) -> Speed {
        if self.slow.contains(test) { Speed::Slow } else { Speed::Quick }
    }

    /// Whether an expression of a slow test differs, or there are no other tests.
    ///
    /// Otherwise copies of slow tests, each of which takes as long as the test, hardly show more
    /// than copies of others.
    fn is_seen_in_slow(&self, case: &Case<'_>) -> bool {
        let mut evidence = case.subject.evidence.iter();
        evidence.any(|seen| seen.at == At::Test && self.library.coverage.is_slow(seen.test))
            || case.tests.near.iter().all(|test| self.slow.contains(test))
    }

    fn second_round(&self, case: &Case<'_>, is_random: bool) -> Vec<Candidate> {
        let values = |home: Place| {
            let source = self.library.sources.get(home.source)?;
            Some((home, Values::new(&case.subject, source, self.usual)))
        };
        let reach = Reach {
            subject: &case.subject,
            sources: &self.library.sources,
            tests: self.reaching(case),
            home: case.tests.home.and_then(values),
            is_random,
            budget: self.budget,
        };
        let mut rounds: Vec<_> = TECHNIQUES.iter().filter_map(|technique| technique.second_round.as_ref()).collect();
        rounds.sort_by_key(|round| round.turn);
        rounds.iter().flat_map(|round| (round.candidates)(&reach)).collect()
    }

    /// Tests that reach the method; slow ones only if there are no others.
    fn reaching(&self, case: &Case<'_>) -> Vec<Place> {
        let all = &case.tests.reaching;
        let quick: Vec<Place> = all.iter().copied().filter(|test| self.speed(test) == Speed::Quick).collect();
        if quick.is_empty() { all.clone() } else { quick }
    }

    /// Candidates that ask these objects, whose state differs.
    fn of_objects(&self, case: &Case<'_>, group: &Group, infected: &[&InfectedObject]) -> Vec<Candidate> {
        let subject = &case.subject;
        let mut objects: Vec<(&InfectedObject, &Candidate, &Look)> = infected
            .iter()
            .filter(|object| subject.outlines.class(&object.class).is_some())
            .filter_map(|object| {
                let candidate = group.candidates.get(object.candidate)?;
                let probe = candidate.probes.get(object.probe)?;
                matches!(candidate.shape, Shape::New { .. }).then_some((*object, candidate, &probe.look))
            })
            .collect();
        objects.sort_by_key(|(_, _, look)| (look.rank, look.expression.len()));
        let mut known = BTreeSet::new();
        objects.retain(|(_, _, look)| known.insert(look.code()));
        let mut found = Vec::new();
        let mut taken: BTreeMap<TransformationId, usize> = BTreeMap::new();
        for (object, candidate, look) in objects {
            let count = taken.entry(object.transformation).or_default();
            *count += 1;
            if *count > OBJECTS {
                continue;
            }
            let Some(source) = self.library.sources.get(candidate.place.source) else { continue };
            let values = Values::new(subject, source, self.usual);
            let different = DifferentObject { look, class: &object.class, field: &object.field };
            for technique in TECHNIQUES {
                let Some(looks) = technique.of_object else { continue };
                let looks = looks(subject, &values, &different).into_iter();
                let probes: Vec<Probe> = looks.map(|look| Probe::at_end(technique.name, look)).collect();
                found.extend(candidate.with_probes(&probes));
            }
        }
        found
    }
}

/// Whether a witness shows the transformation by a value that somebody may have meant.
fn is_shown(witnesses: &[Witness], group: usize, transformation: TransformationId) -> bool {
    let mut own = witnesses.iter().filter(|one| one.group == group && one.transformation == transformation);
    own.any(|witness| !witness.expected.is_accidental())
}

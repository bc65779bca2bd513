//! From the methods with findings to expressions that show them, in rounds: what tests have and values give, and further where that shows nothing.

use crate::base::error::Result;
use crate::base::id::TransformationId;
use crate::diagnose::At;
use crate::fix::candidate::{Candidate, Probe, Shape, alone, candidates, in_sequence, looking};
use crate::fix::outcome::Entered;
use crate::fix::source::library::{Library, Place};
use crate::fix::techniques::repeat_call::{is_random, repeated, repeated_alone};
use crate::fix::techniques::vary_input::{LEVELS, leading, varied};
use crate::fix::techniques::{self, Look, Subject};
use crate::fix::trial::explore::{Explored, Group, Infected, Shown, explore};
use crate::fix::trial::workshop::Workshop;
use crate::fix::values::{UsualValues, Values};
use std::collections::{BTreeMap, BTreeSet};

/// How often it is looked further where nothing has shown the difference.
const ROUNDS: usize = 2;
/// So many times as many tests with one input changed are tried: they are short.
const VARIED: usize = 5;
/// Most objects that are looked at further for one transformation.
const OBJECTS: usize = 8;

/// What is searched; lists have one entry for each method.
pub struct Search<'a> {
    pub library: &'a Library<'a>,
    pub usual: &'a UsualValues,
    pub subjects: &'a [Subject<'a>],
    /// Tests that have to do with it.
    pub tests: &'a [Vec<Place>],
    /// Tests in which an input may be changed.
    pub reaching: &'a [Vec<Place>],
    /// The test beside which new ones stand.
    pub homes: &'a [Option<Place>],
    /// Tests, of whatever method, that take far longer than what is like them.
    pub slow: &'a BTreeSet<Place>,
    /// Most candidates for one method in one round.
    pub budget: usize,
}

/// Whether a copy of a test takes far longer than what is like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speed {
    Quick,
    Slow,
}

/// What was tried, and what of it shows a difference.
pub struct Found {
    pub groups: Vec<Group>,
    pub shown: Vec<Shown>,
    /// One for each method.
    pub entered: Vec<Entered>,
}

impl Search<'_> {
    /// `transformations`: of each method those that nobody notices.
    ///
    /// # Errors
    /// When a compiler or worker cannot be started, or the user interrupts.
    pub fn run(&self, workshop: &mut Workshop<'_>, transformations: Vec<Vec<TransformationId>>) -> Result<Found> {
        let is_random: Vec<bool> =
            self.subjects.iter().map(|subject| is_random(subject.outlines, subject.method)).collect();
        let draws = |method: usize| is_random.get(method).copied().unwrap_or(false);
        let first = |(method, transformations)| Group {
            candidates: self.candidates(method, Speed::Quick),
            transformations,
            is_random: draws(method),
        };
        let mut groups: Vec<Group> = transformations.into_iter().enumerate().map(first).collect();
        let Explored { mut shown, mut infected, mut entered } = explore(workshop, self.library, &groups)?;
        for round in 0..ROUNDS {
            let open = |(method, group): (usize, &Group)| Group {
                candidates: Vec::new(),
                transformations: group
                    .transformations
                    .iter()
                    .copied()
                    .filter(|one| !is_shown(&shown, method, *one))
                    .collect(),
                is_random: group.is_random,
            };
            let mut more: Vec<Group> = groups.iter().enumerate().map(open).collect();
            for (method, (more, group)) in more.iter_mut().zip(&groups).enumerate() {
                more.candidates = self.further(method, &more.transformations, group, &infected);
                if round == 0 && !more.transformations.is_empty() {
                    if self.is_seen_in_slow(method) {
                        more.candidates.extend(self.candidates(method, Speed::Slow));
                    }
                    more.candidates.extend(self.varied(method));
                    more.candidates.extend(self.sequences(method));
                    if more.is_random {
                        more.candidates.extend(self.repeated(method));
                    }
                }
            }
            if more.iter().all(|group| group.candidates.is_empty()) {
                break;
            }
            let mut explored = explore(workshop, self.library, &more)?;
            let known: Vec<usize> = groups.iter().map(|group| group.candidates.len()).collect();
            let behind = |method: usize| known.get(method).copied().unwrap_or(0);
            explored.shown.iter_mut().for_each(|one| one.candidate += behind(one.group));
            explored.infected.iter_mut().for_each(|one| one.candidate += behind(one.group));
            shown.extend(explored.shown);
            infected = explored.infected;
            entered.iter_mut().zip(&explored.entered).for_each(|(all, more)| all.unite(more));
            for (group, more) in groups.iter_mut().zip(more) {
                group.candidates.extend(more.candidates);
            }
        }
        Ok(Found { groups, shown, entered })
    }

    /// What tests have at hand, and, with the quick ones, what values give.
    fn candidates(&self, method: usize, speed: Speed) -> Vec<Candidate> {
        let Some((subject, tests)) = self.subjects.get(method).zip(self.tests.get(method)) else { return Vec::new() };
        let sources = &self.library.sources;
        let tests = tests.iter().filter(|test| self.speed(test) == speed);
        let mut each: Vec<Vec<Candidate>> =
            tests.map(|(source, method)| candidates(subject, sources, *source, *method)).collect();
        if let Some(Some((source, beside))) = self.homes.get(method)
            && let Some(text) = sources.get(*source)
            && speed == Speed::Quick
        {
            each.push(alone(subject, &Values::new(subject, text, self.usual), *source, *beside));
        }
        in_turn(each, self.budget)
    }

    fn speed(&self, test: &Place) -> Speed {
        if self.slow.contains(test) { Speed::Slow } else { Speed::Quick }
    }

    /// Whether an expression of a slow test differs, or there are no other tests: else copies of slow tests, each of which takes as long as the
    /// test, hardly show more than those of others.
    fn is_seen_in_slow(&self, method: usize) -> bool {
        let evidence = self.subjects.get(method).into_iter().flat_map(|subject| subject.evidence);
        evidence.into_iter().any(|seen| seen.at == At::Test && self.library.coverage.is_slow(seen.test))
            || self.tests.get(method).is_some_and(|tests| tests.iter().all(|test| self.slow.contains(test)))
    }

    /// Tests that reach the method; slow ones only where there are no others.
    fn reaching(&self, method: usize) -> Vec<Place> {
        let all = self.reaching.get(method).map_or(&[][..], Vec::as_slice);
        let quick: Vec<Place> = all.iter().copied().filter(|test| self.speed(test) == Speed::Quick).collect();
        if quick.is_empty() { all.to_vec() } else { quick }
    }

    /// Tests of the method with other inputs.
    fn varied(&self, method: usize) -> Vec<Candidate> {
        let Some(subject) = self.subjects.get(method) else { return Vec::new() };
        let leading = leading(subject.outlines, subject.method, LEVELS);
        let of = |(source, test): &Place| varied(&self.library.sources, *source, *test, &leading);
        in_turn(self.reaching(method).iter().map(of).collect(), self.budget * VARIED)
    }

    /// The method called after several calls.
    fn sequences(&self, method: usize) -> Vec<Candidate> {
        let Some((subject, home)) = self.subjects.get(method).zip(self.homes.get(method).copied().flatten()) else {
            return Vec::new();
        };
        let Some(source) = self.library.sources.get(home.0) else { return Vec::new() };
        let values = Values::new(subject, source, self.usual);
        in_sequence(subject, &values, home.0, home.1)
    }

    /// What leads to the method, again and again.
    fn repeated(&self, method: usize) -> Vec<Candidate> {
        let Some(subject) = self.subjects.get(method) else { return Vec::new() };
        let mut all = repeated(subject, &self.library.sources, &self.reaching(method));
        if let Some((source, beside)) = self.homes.get(method).copied().flatten()
            && let Some(text) = self.library.sources.get(source)
        {
            all.extend(repeated_alone(subject, &Values::new(subject, text, self.usual), source, beside));
        }
        all
    }

    /// What may show that objects are others under these transformations.
    fn further(
        &self,
        method: usize,
        open: &[TransformationId],
        group: &Group,
        infected: &[Infected],
    ) -> Vec<Candidate> {
        let Some(subject) = self.subjects.get(method) else { return Vec::new() };
        let mut objects: Vec<(&Infected, &Candidate, &Look)> = infected
            .iter()
            .filter(|one| one.group == method && open.contains(&one.transformation))
            .filter(|one| subject.outlines.class(&one.class).is_some())
            .filter_map(|one| {
                let candidate = group.candidates.get(one.candidate)?;
                let probe = candidate.probes.get(one.probe)?;
                matches!(candidate.shape, Shape::New { .. }).then_some((one, candidate, &probe.look))
            })
            .collect();
        objects.sort_by_key(|(_, _, look)| (look.rank, look.expression.len()));
        let mut known = BTreeSet::new();
        objects.retain(|(_, _, look)| known.insert(look.code()));
        let mut found = Vec::new();
        let mut taken: BTreeMap<TransformationId, usize> = BTreeMap::new();
        for (one, candidate, look) in objects {
            let count = taken.entry(one.transformation).or_default();
            *count += 1;
            if *count > OBJECTS {
                continue;
            }
            let Some(source) = self.library.sources.get(candidate.source) else { continue };
            let values = Values::new(subject, source, self.usual);
            let looks = techniques::further(subject, &values, look, &one.class, &one.field);
            let probes: Vec<Probe> = looks.into_iter().map(|look| Probe::at_end(techniques::FURTHER, look)).collect();
            found.extend(looking(candidate, &probes));
        }
        found
    }
}

/// Whether something shows the transformation that somebody may have meant.
fn is_shown(shown: &[Shown], method: usize, transformation: TransformationId) -> bool {
    let own = shown.iter().filter(|one| one.group == method && one.transformation == transformation);
    own.into_iter().any(|one| !one.expected.is_accidental())
}

/// So many of the first of each list, then the second of each, and so on.
fn in_turn<T>(lists: Vec<Vec<T>>, most: usize) -> Vec<T> {
    let mut iterators: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(iterators.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            all.truncate(most);
            return all;
        }
    }
}

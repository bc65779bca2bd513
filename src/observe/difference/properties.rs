//! Properties of the judgement itself, over recordings from a seeded generator.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::tests::lines;
use super::*;
use crate::base::id::TestId;
use crate::observation::{Key, Keyed, Packing};
use crate::observe::Recording;
use crate::observe::recorded::{Recorded, key, property, sides, test_key};

/// xorshift64*: small, seeded, and the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}

const PATHS: [&str; 8] = ["", ".a", ".a.b", ".items", ".items.size", ".items[0]", ".items[0].c", ".name"];

/// A recording whose states depend only on the seed.
fn deterministic(seed: u64) -> Recording {
    let mut random = Random(seed | 1);
    let mut recorded = Recorded::default();
    for test in 0..4 {
        for site in 0..3 {
            for occurrence in 1..=random.below(5) as u32 {
                let properties: Vec<Property> = PATHS
                    .iter()
                    .filter(|_| random.below(4) > 0)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|path| {
                        let value = ["null", "non-null", "1", "\"a\""][random.below(4) as usize];
                        property(
                            Part::Receiver,
                            path,
                            ["int", "a.B", "java.util.ArrayList"][random.below(3) as usize],
                            value,
                        )
                    })
                    .collect();
                recorded = recorded.state(key(test, site, occurrence), properties.clone());
                recorded = recorded.state(test_key(test, site, occurrence), properties);
            }
        }
    }
    recorded.done()
}

/// The same recording, in which `amount` properties have a value that only this run has.
fn disturbed(recording: &Recording, places: u64, run: u64) -> Recording {
    // The places depend on `places`, the values on `run`.
    let mut random = Random(places | 1);
    let mut result = recording.clone();
    let mut states = Packing::default();
    let changed = recording.observations.iter().map(|(key, number)| {
        let mut properties: Vec<Property> = recording.states.state(number).collect();
        for property in &mut properties {
            if random.below(3) == 0 {
                property.value = format!("{run}00{}", random.below(100));
            }
        }
        (key.clone(), states.push(&properties))
    });
    result.observations = changed.collect();
    result.states = states.take();
    result
}

/// The recording's observations that are not dropped.
fn without(recording: &Recording, mut is_dropped: impl FnMut(&Key) -> bool) -> Keyed {
    let own = recording.observations.iter().map(|(key, state)| (key.clone(), state));
    own.filter(|(key, _)| !is_dropped(key)).collect()
}

#[test]
fn deterministic_recordings_of_the_same_code_never_differ() {
    for seed in 1..200 {
        let recording = deterministic(seed * 7919);
        let observed = sides(vec![recording.clone(); 3], vec![recording; 3]);
        assert_eq!(lines(&differences(&observed)), [""; 0], "seed {seed}");
    }
}

#[test]
fn whatever_varies_between_runs_of_the_same_code_never_counts() {
    for seed in 1..100 {
        let recording = deterministic(seed * 104_729);
        let runs: Vec<Recording> = (1..=6).map(|run| disturbed(&recording, seed, run)).collect();
        let observed = sides(runs[..3].to_vec(), runs[3..].to_vec());
        assert_eq!(lines(&differences(&observed)), [""; 0], "seed {seed}");
    }
}

#[test]
fn observations_missing_at_random_never_count() {
    for seed in 1..100 {
        let recording = deterministic(seed * 15_485_863);
        let mut random = Random(seed);
        let runs: Vec<Recording> = (0..6)
            .map(|_| {
                let mut run = recording.clone();
                run.observations = without(&run, |_| random.below(5) == 0);
                run
            })
            .collect();
        let observed = sides(runs[..3].to_vec(), runs[3..].to_vec());
        assert_eq!(lines(&differences(&observed)), [""; 0], "seed {seed}");
    }
}

#[test]
fn exchanging_the_sides_exchanges_the_values_and_nothing_else() {
    for seed in 1..100 {
        let (one, two) = (deterministic(seed * 31), deterministic(seed * 37 + 5));
        let there = sides(vec![one.clone(); 2], vec![two.clone(); 2]);
        let back = sides(vec![two; 2], vec![one; 2]);
        let exchanged: Vec<_> = differences(&back)
            .into_iter()
            .map(|d| (d.key, d.part, d.path, d.transformed, d.original, d.deep))
            .collect();
        let straight: Vec<_> = differences(&there)
            .into_iter()
            .map(|d| (d.key, d.part, d.path, d.original, d.transformed, d.deep))
            .collect();
        assert_eq!(straight, exchanged, "seed {seed}");
        assert!(straight.iter().all(|(_, _, _, original, transformed, _)| original != transformed));
    }
}

#[test]
fn the_order_of_runs_within_a_side_does_not_matter() {
    for seed in 1..50 {
        let (one, two) = (deterministic(seed * 31), deterministic(seed * 37 + 5));
        let runs =
            |recording: &Recording| -> Vec<Recording> { (1..=3).map(|run| disturbed(recording, seed, run)).collect() };
        let straight = sides(runs(&one), runs(&two));
        let mut turned = straight.clone();
        turned.original.reverse();
        turned.transformed.rotate_left(1);
        assert_eq!(differences(&straight), differences(&turned), "seed {seed}");
    }
}

/// This is why a place that no longer differs is not repeated.
#[test]
fn more_runs_bring_no_difference_to_a_place_without_one() {
    let places = |observed: &Observed| -> BTreeSet<(TestId, Site)> {
        differences(observed).into_iter().map(|found| (found.key.test, found.key.site)).collect()
    };
    let mut fewer = 0;
    for seed in 1..200 {
        let (one, two) = (deterministic(seed * 31), deterministic(seed * 37 + 5));
        let mut random = Random(seed);
        let mut run = |recording: &Recording| {
            let mut run = recording.clone();
            let mut states = Packing::default();
            for state in 0..run.states.count() {
                let mut properties: Vec<Property> = run.states.state(state).collect();
                // With only two values, varying properties agree by chance in some runs.
                for property in &mut properties {
                    if random.below(4) == 0 {
                        property.value = ["null", "true"][random.below(2) as usize].into();
                    }
                }
                states.push(&properties);
            }
            run.states = states.take();
            run.observations = without(&run, |_| random.below(50) == 0);
            run
        };
        let runs: Vec<(Recording, Recording)> = (0..5).map(|_| (run(&one), run(&two))).collect();
        let mut before: Option<BTreeSet<(TestId, Site)>> = None;
        for count in 1..=runs.len() {
            let (original, transformed) = runs.iter().take(count).cloned().unzip();
            let found = places(&sides(original, transformed));
            if let Some(before) = &before {
                assert!(found.is_subset(before), "seed {seed}, {count} runs: {found:?} of {before:?}");
                fewer += usize::from(found.len() < before.len());
            }
            before = Some(found);
        }
    }
    assert!(fewer > 100, "chance took part: {fewer}");
}

//! The state of a run: the running test, and everything recorded so far.

use super::modes::Modes;
use crate::base::id::{MethodId, TestId};
use crate::jvm::environment::{Environment, Tools};
use crate::jvm::protocol::{Limit, Record, RunRequest, Sites, World};
use crate::jvm::stack::{Frames, stack};
use crate::jvm::state::{Reader, Slot, fingerprint_hasher};
use crate::jvm::usage::{cpu_time, loaded_classes};
use crate::observation::{Digest, FIRST_OCCURRENCES, Frame, Key, Keyed, Packing, Part, Recording, Site, Thread};
use foldhash::{HashMap, HashMapExt};
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

/// The number of observations of one site in one test and thread that are read deeply and get a stack.
pub(super) const DEEP_OCCURRENCES: u32 = 40;
/// Prefix of the thread's name in the set-up of a test, where occurrences have numbers of their own: set-up of the class, and
/// parameters of parameterised tests.
const SET_UP: &str = "before the test";

/// The invocation that `Probe` reports: the site, the thread's number, and the occurrence in test and thread.
#[derive(Clone, Copy)]
pub struct Occurrence {
    pub site: Site,
    pub thread: i32,
    pub number: i32,
}

/// A run of tests.
pub(super) struct Run {
    pub(super) request: RunRequest,
    /// Numbers and limits of tests by ID.
    pub(super) numbers: HashMap<String, (TestId, Limit)>,
    pub(super) next_number: TestId,
    pub(super) current: Option<RunningTest>,
    /// See [`Finished::torn_down`](crate::jvm::protocol::Finished::torn_down).
    pub(super) torn_down: Option<Vec<MethodId>>,
    /// Whether no further test is to start.
    pub(super) stop: bool,
    /// By number of the thread.
    threads: Vec<Thread>,
    reader: Reader,
    states: Packing,
    /// Indexes into `states` by fingerprint.
    known_states: HashMap<u64, u32>,
    pub(super) modes: Modes,
    /// Recorded in the running test, or after the end of the last one.
    open: Open,
    observations: Vec<(Key, u32)>,
    samples: Vec<(Key, u32)>,
    digests: Vec<Digest>,
    stacks: HashMap<Vec<Frame>, u32>,
    stack_of: HashMap<Key, u32>,
    cut: HashMap<Key, u64>,
    pub(super) failed: Vec<(TestId, String)>,
    frames: Frames,
}

/// The place of an observation within a test or its set-up.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    site: Site,
    thread: Thread,
    pub(super) occurrence: u32,
}

impl Place {
    fn key(self, test: TestId) -> Key {
        Key { test, site: self.site, thread: self.thread, occurrence: self.occurrence }
    }
}

/// Everything recorded since a test began or ended. The test to which it belongs is known at the end of the test or, for a
/// set-up, when the next test starts.
#[derive(Default)]
struct Open {
    observations: Vec<(Place, u32)>,
    samples: Vec<(Place, u32)>,
    digests: HashMap<DigestKey, OpenDigest>,
    stacks: Vec<(Place, u32)>,
    cut: HashMap<Place, u64>,
}

/// The observations that go into one digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct DigestKey {
    site: Site,
    thread: i32,
    /// Whether they come after the first [`FIRST_OCCURRENCES`].
    late: bool,
    /// Whether they are exceptions in a test.
    thrown: bool,
}

#[derive(Default)]
struct OpenDigest {
    count: u32,
    hash: u64,
}

pub(super) struct RunningTest {
    pub(super) number: TestId,
    started: Instant,
    /// CPU time of the process when the test started.
    started_at_cpu: Duration,
    /// The number of loaded classes when the test started.
    started_at_class: u32,
    limit: Limit,
    late: bool,
    /// See [`Finished::torn_down`](crate::jvm::protocol::Finished::torn_down).
    pub(super) torn_down: Option<Vec<MethodId>>,
    /// See [`Finished::set_up`](crate::jvm::protocol::Finished::set_up).
    pub(super) set_up: Vec<MethodId>,
}

impl RunningTest {
    /// Whether the test is beyond its time. CPU time finds loops, whatever else the machine does. A deadlock uses none, so the
    /// wall clock counts as well, with a more generous limit.
    pub(super) fn is_late(&self) -> bool {
        let cpu = cpu_time().saturating_sub(self.started_at_cpu);
        cpu > Duration::from_millis(self.limit.milliseconds) || self.started.elapsed() > self.limit.wall()
    }

    /// The time by the clock and the CPU time of the test, both in nanoseconds, and the number of classes loaded during it.
    pub(super) fn cost(&self) -> (u64, u64, u32) {
        let cpu = cpu_time().saturating_sub(self.started_at_cpu);
        let classes = loaded_classes().wrapping_sub(self.started_at_class);
        (nanoseconds(self.started.elapsed()), nanoseconds(cpu), classes)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Run {
    pub(super) fn new(reader: Reader) -> Self {
        Self {
            request: RunRequest {
                fresh: false,
                active: None,
                tests: Vec::new(),
                whole_classes: false,
                stop_at_first_failure: false,
                record: Record::Coverage,
                next_number: TestId(0),
                other_limit: Limit::of_time(0),
                world: World::default(),
            },
            numbers: HashMap::new(),
            next_number: TestId(0),
            current: None,
            torn_down: None,
            stop: false,
            threads: vec![Thread::default()],
            reader,
            states: Packing::default(),
            known_states: HashMap::new(),
            modes: Modes::default(),
            observations: Vec::new(),
            samples: Vec::new(),
            open: Open::default(),
            digests: Vec::new(),
            stacks: HashMap::new(),
            stack_of: HashMap::new(),
            cut: HashMap::new(),
            failed: Vec::new(),
            frames: Frames::new(),
        }
    }

    pub(super) fn start(&mut self, request: RunRequest, modes: Modes) {
        self.modes = modes;
        self.numbers = request.tests.iter().map(|test| (test.id.clone(), (test.number, test.limit))).collect();
        self.next_number = request.next_number;
        self.stop = false;
        self.current = None;
        self.threads = vec![Thread::default()];
        if request.fresh {
            self.frames.clear();
        }
        self.request = request;
    }

    pub(super) fn start_test(&mut self, number: TestId, limit: Limit, set_up: Vec<MethodId>) {
        // What was recorded after the end of the last test is the set-up of this one.
        let test = self.current.as_ref().map_or(number, |current| current.number);
        self.close(test);
        self.current = Some(RunningTest {
            number,
            started: Instant::now(),
            started_at_cpu: cpu_time(),
            started_at_class: loaded_classes(),
            limit,
            late: false,
            torn_down: self.torn_down.take(),
            set_up,
        });
        self.threads.truncate(1);
    }

    /// Marks the running test as late and stops the run. Returns the test, if it was not late already.
    pub(super) fn become_late(&mut self) -> Option<TestId> {
        let current = self.current.as_mut().filter(|current| !current.late)?;
        current.late = true;
        self.stop = true;
        Some(current.number)
    }

    /// Adds a thread and returns its number.
    pub(super) fn add_thread(&mut self, name: &str) -> i32 {
        let name = normalised_thread_name(name);
        // Threads with the same name get numbers in order of appearance. If that order varies, it shows as noise.
        let namesakes =
            self.threads.iter().filter(|thread| thread.as_str().split('\u{1}').next() == Some(name.as_str())).count();
        let name = if namesakes == 0 { name } else { format!("{name}\u{1}{namesakes}") };
        self.threads.push(Thread::from(name.as_str()));
        i32::try_from(self.threads.len() - 1).unwrap_or(0)
    }

    /// The place of an observation. Between two tests, it is in the set-up of the next test.
    pub(super) fn place(&self, occurrence: Occurrence) -> Option<Place> {
        let Occurrence { site, thread, number } = occurrence;
        let name = usize::try_from(thread).ok().and_then(|thread| self.threads.get(thread))?;
        let thread = match self.current {
            Some(_) => name.clone(),
            None => Thread::from(format!("{SET_UP}{}", name.as_str()).as_str()),
        };
        Some(Place { site, thread, occurrence: u32::try_from(number).ok()? })
    }

    /// Assigns to the running test everything recorded since it started. Between two tests, it does nothing.
    pub(super) fn close_running(&mut self) {
        if let Some(test) = self.current.as_ref().map(|current| current.number) {
            self.close(test);
        }
    }

    fn close(&mut self, test: TestId) {
        let Open { observations, samples, digests, stacks, cut } = std::mem::take(&mut self.open);
        for (key, OpenDigest { count, hash }) in digests {
            let DigestKey { site, thread, late, thrown } = key;
            if let Some(Place { thread, .. }) = self.place(Occurrence { site, thread, number: 0 }) {
                self.digests.push(Digest { test, site, thread, late, thrown, count, hash });
            }
        }
        self.observations.extend(observations.into_iter().map(|(place, state)| (place.key(test), state)));
        self.samples.extend(samples.into_iter().map(|(place, state)| (place.key(test), state)));
        self.stack_of.extend(stacks.into_iter().map(|(place, stack)| (place.key(test), stack)));
        for (place, left_out) in cut {
            let count = self.cut.entry(place.key(test)).or_insert(0);
            *count = (*count).max(left_out);
        }
    }

    /// Counts observations that were left out.
    pub(super) fn add_cut(&mut self, place: Place, left_out: u64) {
        let count = self.open.cut.entry(place).or_insert(0);
        *count = (*count).max(left_out);
    }

    /// Adds a state to the digest of its site, and records it as a sample if there is room.
    pub(super) fn digest(&mut self, jvm: Environment, tools: &Tools, place: Place, thread: i32, slots: &[Slot]) {
        let (site, occurrence) = (place.site, place.occurrence);
        let fingerprint = self.reader.fingerprint(jvm, tools, slots, occurrence <= DEEP_OCCURRENCES);
        let late = occurrence > FIRST_OCCURRENCES;
        let thrown = matches!(site, Site::Expression(_)) && slots.iter().any(|slot| slot.part == Part::Exception);
        let digest = self.open.digests.entry(DigestKey { site, thread, late, thrown }).or_default();
        let mut hasher = fingerprint_hasher();
        (digest.hash, occurrence, fingerprint).hash(&mut hasher);
        digest.hash = hasher.finish();
        digest.count += 1;
        if !late && self.modes.samples > 0 {
            let size_before = self.states.pool().size();
            let state = self.state(jvm, tools, occurrence, fingerprint, slots);
            self.open.samples.push((place, state));
            let growth = u32::try_from(1 + self.states.pool().size() - size_before).unwrap_or(u32::MAX);
            self.modes.samples = self.modes.samples.saturating_sub(growth);
        }
    }

    /// Records a state. Most states are known, so properties are read only if the fingerprint is new.
    pub(super) fn record(&mut self, jvm: Environment, tools: &Tools, place: Place, slots: &[Slot]) {
        let fingerprint = self.reader.fingerprint(jvm, tools, slots, place.occurrence <= DEEP_OCCURRENCES);
        let state = self.state(jvm, tools, place.occurrence, fingerprint, slots);
        self.open.observations.push((place, state));
    }

    /// Records the stack of an observed invocation, if the run asks for stacks.
    pub(super) fn add_stack(&mut self, jvm: Environment, tools: &Tools, place: &Place, skipped_frames: i32) {
        let with_stacks = matches!(self.request.record, Record::State(Sites { stacks: true, .. }));
        if !with_stacks || place.occurrence > DEEP_OCCURRENCES {
            return;
        }
        let frames = stack(jvm, tools, &mut self.frames, skipped_frames);
        let next = u32::try_from(self.stacks.len()).unwrap_or(u32::MAX);
        let stack = *self.stacks.entry(frames).or_insert(next);
        self.open.stacks.push((place.clone(), stack));
    }

    /// The number of the state with this fingerprint.
    fn state(&mut self, jvm: Environment, tools: &Tools, occurrence: u32, fingerprint: u64, slots: &[Slot]) -> u32 {
        if let Some(state) = self.known_states.get(&fingerprint) {
            return *state;
        }
        let mut properties = self.reader.properties(jvm, tools, slots, occurrence <= DEEP_OCCURRENCES);
        properties.sort();
        let state = self.states.push(&properties);
        self.known_states.insert(fingerprint, state);
        state
    }

    /// Takes the recording out of the run. What was recorded after the last test belongs to no test.
    pub(super) fn take(&mut self) -> Recording {
        self.close_running();
        let mut observations = std::mem::take(&mut self.observations);
        observations.sort();
        let mut cut: Vec<(Key, u64)> = std::mem::take(&mut self.cut).into_iter().collect();
        let unique = without_duplicates(observations, &mut cut);
        cut.sort();
        let samples = std::mem::take(&mut self.samples);
        let stack_of_key = std::mem::take(&mut self.stack_of);
        let stack_of =
            (0_u32..).zip(&unique).filter_map(|(index, (key, _))| Some((index, *stack_of_key.get(key)?))).collect();
        let mut failed = std::mem::take(&mut self.failed);
        failed.sort();
        let mut digests = std::mem::take(&mut self.digests);
        digests.sort();
        Recording {
            states: self.states.take(),
            observations: Keyed::from_iter(unique),
            samples: Keyed::from_iter(samples),
            stacks: in_order(std::mem::take(&mut self.stacks)),
            stack_of,
            cut,
            failed,
            digests,
        }
    }

    /// Discards everything recorded.
    pub(super) fn clear(&mut self) {
        drop(self.states.take());
        self.known_states.clear();
        self.open = Open::default();
        self.observations.clear();
        self.samples.clear();
        self.digests.clear();
        self.stacks.clear();
        self.stack_of.clear();
        self.cut.clear();
        self.failed.clear();
    }
}

/// The observations with a unique key, of sorted ones; duplicate keys go into `cut` with their counts. Two threads of the same
/// name cause duplicates. They cannot be told apart, so neither is kept.
fn without_duplicates(observations: Vec<(Key, u32)>, cut: &mut Vec<(Key, u64)>) -> Vec<(Key, u32)> {
    let mut unique = Vec::with_capacity(observations.len());
    let mut rest = observations.into_iter().peekable();
    while let Some((key, state)) = rest.next() {
        let mut count = 1;
        while rest.next_if(|(next, _)| *next == key).is_some() {
            count += 1;
        }
        if count == 1 {
            unique.push((key, state));
        } else {
            cut.push((key, count));
        }
    }
    unique
}

/// Interned values in the order of their numbers.
fn in_order<T>(interned: HashMap<T, u32>) -> Vec<T> {
    let mut pairs: Vec<(T, u32)> = interned.into_iter().collect();
    pairs.sort_by_key(|(_, number)| *number);
    pairs.into_iter().map(|(value, _)| value).collect()
}

/// The name with each row of digits replaced by `#`: the numbers of thread pools and generated names differ from run to run.
fn normalised_thread_name(name: &str) -> String {
    let mut normalised = String::with_capacity(name.len());
    for character in name.chars() {
        match (character.is_ascii_digit(), normalised.ends_with('#')) {
            (true, true) => {}
            (true, false) => normalised.push('#'),
            (false, _) => normalised.push(character),
        }
    }
    normalised
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_pool_have_the_same_name() {
        assert_eq!(normalised_thread_name("pool-12-thread-3"), "pool-#-thread-#");
    }
}

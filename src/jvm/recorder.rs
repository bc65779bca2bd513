//! What one run of tests makes known, while it runs: from observations and the beginnings and ends of tests to a recording.

#![allow(unsafe_code)]

mod natives;
mod wanted;

use super::environment::{Environment, Thrown, Tools};
use super::protocol::{Event, Finished, Limit, MethodShape, Outcome, Record, RunRequest};
use super::stack::Frames;
use super::state::{Reader, Slot, fingerprinting};
use crate::base::id::{IdSlice, IdVec, MethodId};
use crate::observation::{Digest, FIRST_OCCURRENCES, Frame, Key, Keyed, Packing, Part, Recording, Site, Thread};
use foldhash::{HashMap, HashMapExt};
use jni::sys;
use parking_lot::Mutex;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use wanted::Wanted;

/// So many observations of one site in one test and thread are read deeply, and get a stack.
const DEEP_OCCURRENCES: u32 = 40;
/// Number of no test, for what happens between two of them.
const NO_TEST: u32 = u32::MAX;
/// Marks the threads of a test's set-up, in which invocations are numbered apart: class-level set-up, parameters of parameterised tests.
const SET_UP: &str = "before the test";

/// What the callbacks need; set once, before the first class of the project is loaded.
pub struct Recorder {
    tools: Tools,
    methods: IdVec<MethodId, Method>,
    expressions: AtomicUsize,
    tables: Tables,
    run: Mutex<Run>,
    send: Box<dyn Fn(&Event) + Send + Sync>,
}

// SAFETY: the field ID and the global reference are valid in every thread.
unsafe impl Send for Recorder {}
// SAFETY: as above; everything mutable is behind a mutex.
unsafe impl Sync for Recorder {}

/// Global reference to the class `reneri.rt.Probe`, and its fields: tables of type `byte[]`, and counters.
struct Tables {
    probe: sys::jclass,
    entered: sys::jfieldID,
    wanted_methods: sys::jfieldID,
    wanted_expressions: sys::jfieldID,
    taken: sys::jfieldID,
    most: sys::jfieldID,
}

/// Declared primitive types of a method's parameters and result (`None` for references).
struct Method {
    arguments: Vec<Option<u8>>,
    result: Option<u8>,
}

/// The run under way.
struct Run {
    request: RunRequest,
    numbers: HashMap<String, (u32, Limit)>,
    next_number: u32,
    current: Option<Current>,
    /// See [`Finished::torn_down`].
    torn_down: Option<Vec<u32>>,
    stop: bool,
    threads: Vec<Thread>,
    reader: Reader,
    states: Packing,
    /// By fingerprint: index into `states`.
    known: HashMap<u64, u32>,
    wanted: Wanted,
    observations: Vec<(Key, u32)>,
    samples: Vec<(Key, u32)>,
    /// Of the running test, or of what runs between two tests: count and hash, by site, thread, and whether they are late, and exceptions.
    digesting: HashMap<(Site, i32, bool, bool), (u32, u64)>,
    digests: Vec<Digest>,
    stacks: HashMap<Vec<Frame>, u32>,
    stack_of: HashMap<Key, u32>,
    /// Stacks of what was recorded since the last test ended.
    set_up_stacks: Vec<(Key, u32)>,
    cut: HashMap<Key, u64>,
    failed: Vec<(u32, String)>,
    frames: Frames,
}

struct Current {
    number: u32,
    started: Instant,
    /// CPU time of the process when the test started.
    started_at_cpu: Duration,
    /// Classes that had been loaded when the test started.
    started_at_class: u32,
    limit: Limit,
    late: bool,
    /// See [`Finished::torn_down`].
    torn_down: Option<Vec<u32>>,
    /// See [`Finished::set_up`].
    set_up: Vec<u32>,
}

impl Current {
    /// A loop uses CPU time, however busy the machine is with other things; a deadlock uses none, so the clock counts too, more generously.
    fn is_late(&self) -> bool {
        let cpu = cpu_time().saturating_sub(self.started_at_cpu);
        cpu > Duration::from_millis(self.limit.milliseconds) || self.started.elapsed() > self.limit.wall()
    }
}

/// CPU time of all threads of this process so far.
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing; the clock exists on Linux and macOS. Where it fails the time stays 0, and the wall clock decides.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

static RECORDER: OnceLock<Recorder> = OnceLock::new();

/// Classes that were loaded so far.
static LOADED: AtomicU32 = AtomicU32::new(0);

/// One more class is loaded.
pub fn count_class() {
    LOADED.fetch_add(1, Ordering::Relaxed);
}

fn loaded() -> u32 {
    LOADED.load(Ordering::Relaxed)
}

/// Says which methods the running test has entered: it will not come to its end.
pub fn tell_entered(jvm: Environment) {
    if let Some(recorder) = RECORDER.get() {
        (recorder.send)(&Event::Entered(recorder.take_entered(jvm)));
    }
}

impl Recorder {
    /// Registers the native methods and keeps what they need for the life of the process.
    ///
    /// # Errors
    /// When the classes of `reneri.rt` are not those that this binary was built with.
    pub fn install(
        jvm: Environment,
        tools: Tools,
        methods: &IdSlice<MethodId, MethodShape>,
        expressions: u32,
        send: Box<dyn Fn(&Event) + Send + Sync>,
    ) -> Result<&'static Recorder, String> {
        let thrown = |error: Thrown| format!("reneri.rt: {error}");
        let probe = jvm.find_class("reneri/rt/Probe").map_err(thrown)?;
        natives::register(jvm).map_err(thrown)?;
        let prepare = jvm.static_method(probe, "prepare", "(II)V").map_err(thrown)?;
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let sizes = [
            sys::jvalue { i: count(methods.len()) },
            sys::jvalue { i: i32::try_from(expressions).unwrap_or(i32::MAX) },
        ];
        jvm.call_static_void(probe, prepare, &sizes).map_err(thrown)?;
        let table = |name: &str| jvm.static_field(probe, name, "[B").map_err(thrown);
        let counter = |name: &str| jvm.static_field(probe, name, "J").map_err(thrown);
        let recorder = Recorder {
            tools,
            methods: methods.iter().map(|method| Method::parse(&method.descriptor)).collect(),
            expressions: AtomicUsize::new(expressions as usize),
            tables: Tables {
                probe: jvm.global(probe),
                entered: table("entered")?,
                wanted_methods: table("wantedMethods")?,
                wanted_expressions: table("wantedExpressions")?,
                taken: counter("taken")?,
                most: counter("most")?,
            },
            run: Mutex::new(Run::new(Reader::new()?)),
            send,
        };
        Ok(RECORDER.get_or_init(|| recorder))
    }

    /// Makes room for so many test probes, where there is less.
    ///
    /// # Errors
    /// When the JVM has no memory for them.
    pub fn make_room(&self, jvm: Environment, expressions: u32) -> Result<(), Thrown> {
        let known = self.expressions.fetch_max(expressions as usize, Ordering::Relaxed);
        if known < expressions as usize {
            let make_room = jvm.static_method(self.tables.probe, "makeRoom", "(I)V")?;
            let expressions = sys::jvalue { i: i32::try_from(expressions).unwrap_or(i32::MAX) };
            jvm.call_static_void(self.tables.probe, make_room, &[expressions])?;
        }
        Ok(())
    }

    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    pub fn start(&self, jvm: Environment, request: RunRequest) {
        let wanted = Wanted::new(&request.record, self.methods.len(), self.expressions.load(Ordering::Relaxed));
        for (field, values) in
            [(self.tables.wanted_methods, &wanted.methods), (self.tables.wanted_expressions, &wanted.expressions)]
        {
            let table = jvm.get_static_object(self.tables.probe, field);
            jvm.set_bytes(table, values);
            jvm.delete(table);
        }
        // What was entered before is of no test: finding the tests enters what supplies their parameters.
        self.take_entered(jvm);
        let mut run = self.run.lock();
        run.wanted = wanted;
        run.numbers = request.tests.iter().map(|test| (test.id.clone(), (test.number, test.limit))).collect();
        run.next_number = request.next_number;
        run.stop = false;
        run.current = None;
        run.threads = vec![Thread::default()];
        if request.fresh {
            run.frames.clear();
        }
        run.request = request;
    }

    /// What was recorded since [`Self::start`].
    pub fn finish(&self) -> Option<Recording> {
        let mut run = self.run.lock();
        run.current = None;
        let recording = (run.request.record != Record::Coverage).then(|| run.take());
        run.forget();
        recording
    }

    /// The engine threw on what it does not take for the failure of a test (`OutOfMemoryError`). It is the failure of the running one.
    pub fn fail_running(&self, jvm: Environment, thrown: &Thrown) {
        let entered = self.take_entered(jvm);
        let mut run = self.run.lock();
        run.close_digests();
        let Some(current) = run.current.take() else { return };
        run.failed.push((current.number, thrown.to_string()));
        drop(run);
        (self.send)(&Event::Finished(Finished {
            number: current.number,
            outcome: Outcome::Failed,
            of_class: false,
            nanoseconds: nanoseconds(current.started.elapsed()),
            cpu_nanoseconds: nanoseconds(cpu_time().saturating_sub(current.started_at_cpu)),
            classes: loaded().wrapping_sub(current.started_at_class),
            exception: thrown.class.clone(),
            message: thrown.message.clone(),
            torn_down: current.torn_down,
            set_up: current.set_up,
            entered,
            disturbs: false,
        }));
    }

    /// The test that has just become late, if any; from now on the run is to stop.
    pub fn newly_late(&self) -> Option<u32> {
        let mut run = self.run.lock();
        if !run.current.as_ref()?.is_late() {
            return None;
        }
        run.become_late()
    }

    /// Says what was entered behind the last test of a run.
    pub fn tell_rest(&self, jvm: Environment) {
        let mut entered = self.take_entered(jvm);
        entered.extend(self.run.lock().torn_down.take().into_iter().flatten());
        entered.sort_unstable();
        entered.dedup();
        (self.send)(&Event::Entered(entered));
    }

    /// Methods entered since this was last asked; the table is cleared.
    fn take_entered(&self, jvm: Environment) -> Vec<u32> {
        let table = jvm.get_static_object(self.tables.probe, self.tables.entered);
        let mut bytes = vec![0_i8; self.methods.len()];
        jvm.copy_bytes(table, &mut bytes);
        let entered: Vec<u32> =
            (0_u32..).zip(&bytes).filter(|(_, byte)| **byte != 0).map(|(number, _)| number).collect();
        if !entered.is_empty() {
            bytes.fill(0);
            jvm.set_bytes(table, &bytes);
        }
        jvm.delete(table);
        entered
    }
}

impl Method {
    fn parse(descriptor: &str) -> Self {
        let mut arguments = Vec::new();
        let mut bytes = descriptor.bytes().skip(1).peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                b')' => break,
                b'[' | b'L' => {
                    let mut last = byte;
                    while last == b'[' {
                        last = bytes.next().unwrap_or(b')');
                    }
                    if last == b'L' {
                        for byte in bytes.by_ref() {
                            if byte == b';' {
                                break;
                            }
                        }
                    }
                    arguments.push(None);
                }
                primitive => arguments.push(Some(primitive)),
            }
        }
        let result = bytes.next().filter(|byte| !matches!(byte, b'L' | b'['));
        Self { arguments, result }
    }
}

impl Run {
    /// The running test, if it was not late already.
    fn become_late(&mut self) -> Option<u32> {
        let current = self.current.as_mut().filter(|current| !current.late)?;
        current.late = true;
        self.stop = true;
        Some(current.number)
    }

    fn new(reader: Reader) -> Self {
        Self {
            request: RunRequest {
                fresh: false,
                active: None,
                tests: Vec::new(),
                stop_at_first_failure: false,
                record: Record::Coverage,
                next_number: 0,
                other_limit: Limit::of_time(0),
            },
            numbers: HashMap::new(),
            next_number: 0,
            current: None,
            torn_down: None,
            stop: false,
            threads: vec![Thread::default()],
            reader,
            states: Packing::default(),
            known: HashMap::new(),
            wanted: Wanted::default(),
            observations: Vec::new(),
            samples: Vec::new(),
            digesting: HashMap::new(),
            digests: Vec::new(),
            stacks: HashMap::new(),
            stack_of: HashMap::new(),
            set_up_stacks: Vec::new(),
            cut: HashMap::new(),
            failed: Vec::new(),
            frames: Frames::new(),
        }
    }

    /// Outside of a test the key is one of the set-up of the next test, whose number is not known yet.
    fn key(&self, site: Site, thread: i32, occurrence: i32) -> Option<Key> {
        let name = usize::try_from(thread).ok().and_then(|thread| self.threads.get(thread))?;
        let (test, thread) = match &self.current {
            Some(current) => (current.number, name.clone()),
            None => (NO_TEST, Thread::from(format!("{SET_UP}{}", name.as_str()).as_str())),
        };
        Some(Key { test, site, thread, occurrence: u32::try_from(occurrence).ok()? })
    }

    /// What was recorded since the last test ended belongs to this one.
    fn adopt(&mut self, test: u32) {
        for digest in self.digests.iter_mut().rev().take_while(|digest| digest.test == NO_TEST) {
            digest.test = test;
        }
        for observations in [&mut self.observations, &mut self.samples] {
            for (key, _) in observations.iter_mut().rev().take_while(|(key, _)| key.test == NO_TEST) {
                key.test = test;
            }
        }
        for stacks in std::mem::take(&mut self.set_up_stacks) {
            self.stack_of.insert(Key { test, ..stacks.0 }, stacks.1);
        }
    }

    /// A test begins or ends: what was digested until now gets its number, or that of no test.
    fn close_digests(&mut self) {
        for ((site, thread, late, thrown), (count, hash)) in std::mem::take(&mut self.digesting) {
            if let Some(Key { test, thread, .. }) = self.key(site, thread, 0) {
                self.digests.push(Digest { test, site, thread, late, thrown, count, hash });
            }
        }
    }

    fn digest(&mut self, jvm: Environment, tools: &Tools, key: Key, thread: i32, slots: &[Slot]) {
        let (site, occurrence) = (key.site, key.occurrence);
        let fingerprint = self.reader.fingerprint(jvm, tools, slots, occurrence <= DEEP_OCCURRENCES);
        let late = occurrence > FIRST_OCCURRENCES;
        let thrown = matches!(site, Site::Expression(_)) && slots.iter().any(|slot| slot.part == Part::Exception);
        let (count, hash) = self.digesting.entry((site, thread, late, thrown)).or_insert((0, 0));
        let mut hasher = fingerprinting();
        (*hash, occurrence, fingerprint).hash(&mut hasher);
        *hash = hasher.finish();
        *count += 1;
        if !late && self.wanted.samples > 0 {
            let before = self.states.pool().size();
            let state = self.state(jvm, tools, occurrence, fingerprint, slots);
            self.samples.push((key, state));
            let grown = u32::try_from(1 + self.states.pool().size() - before).unwrap_or(u32::MAX);
            self.wanted.samples = self.wanted.samples.saturating_sub(grown);
        }
    }

    /// Most states have been seen before; only of a new one are the properties made.
    fn add(&mut self, jvm: Environment, tools: &Tools, key: Key, slots: &[Slot]) {
        let fingerprint = self.reader.fingerprint(jvm, tools, slots, key.occurrence <= DEEP_OCCURRENCES);
        let state = self.state(jvm, tools, key.occurrence, fingerprint, slots);
        self.observations.push((key, state));
    }

    /// Number of the state with this fingerprint.
    fn state(&mut self, jvm: Environment, tools: &Tools, occurrence: u32, fingerprint: u64, slots: &[Slot]) -> u32 {
        if let Some(state) = self.known.get(&fingerprint) {
            return *state;
        }
        let mut properties = self.reader.properties(jvm, tools, slots, occurrence <= DEEP_OCCURRENCES);
        properties.sort();
        let state = self.states.push(&properties);
        self.known.insert(fingerprint, state);
        state
    }

    fn take(&mut self) -> Recording {
        let mut observations = std::mem::take(&mut self.observations);
        // Behind the last test: nobody's.
        observations.retain(|(key, _)| key.test != NO_TEST);
        self.cut.retain(|key, _| key.test != NO_TEST);
        observations.sort();
        // The same key twice: two threads of the same name. Neither can be told from the other, so neither counts.
        let mut unique: Vec<(Key, u32)> = Vec::with_capacity(observations.len());
        let mut cut: Vec<(Key, u64)> = std::mem::take(&mut self.cut).into_iter().collect();
        let mut rest = observations.into_iter().peekable();
        while let Some((key, state)) = rest.next() {
            let mut twins = 0;
            while rest.next_if(|(next, _)| *next == key).is_some() {
                twins += 1;
            }
            if twins == 0 {
                unique.push((key, state));
            } else {
                cut.push((key, twins + 1));
            }
        }
        cut.sort();
        let mut samples = std::mem::take(&mut self.samples);
        samples.retain(|(key, _)| key.test != NO_TEST);
        let stack_of = std::mem::take(&mut self.stack_of);
        let stack_of =
            (0_u32..).zip(&unique).filter_map(|(index, (key, _))| Some((index, *stack_of.get(key)?))).collect();
        let mut failed = std::mem::take(&mut self.failed);
        failed.sort();
        let mut digests = std::mem::take(&mut self.digests);
        digests.retain(|digest| digest.test != NO_TEST);
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

    fn forget(&mut self) {
        drop(self.states.take());
        self.known.clear();
        self.observations.clear();
        self.samples.clear();
        self.digesting.clear();
        self.digests.clear();
        self.stacks.clear();
        self.stack_of.clear();
        self.set_up_stacks.clear();
        self.cut.clear();
        self.failed.clear();
    }
}

/// Interned values in the order of their numbers.
fn in_order<T>(interned: HashMap<T, u32>) -> Vec<T> {
    let mut pairs: Vec<(T, u32)> = interned.into_iter().collect();
    pairs.sort_by_key(|(_, number)| *number);
    pairs.into_iter().map(|(value, _)| value).collect()
}

/// Digits as `#`: pools and generated names count on from run to run.
fn thread_name(name: &str) -> String {
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
    fn descriptors_tell_primitive_arguments_from_references() {
        let method = Method::parse("(I[JLjava/lang/String;[[Ljava/lang/Object;D)Z");
        assert_eq!(method.arguments, [Some(b'I'), None, None, None, Some(b'D')]);
        assert_eq!(method.result, Some(b'Z'));
        assert_eq!(Method::parse("()Ljava/lang/String;").result, None);
    }

    #[test]
    fn threads_of_a_pool_are_named_alike() {
        assert_eq!(thread_name("pool-12-thread-3"), "pool-#-thread-#");
    }
}

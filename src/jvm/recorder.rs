//! The native side of `reneri.rt.Probe` and `reneri.rt.Events`: from callbacks of the tested JVM to a recording and to events.

#![allow(unsafe_code)]

use super::environment::{Environment, Thrown, Tools};
use super::protocol::{Event, Finished, FoundTest, MethodShape, Outcome, Record, RunRequest, wall_limit};
use super::state::{Reader, Slot};
use crate::observation::{Frame, Key, Part, Recording, Site, State};
use jni::sys;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// So many observations of one site in one test and thread are read deeply, and get a stack.
const DEEP_OCCURRENCES: u32 = 40;
/// Frames of a stack, from the method outwards.
const LONGEST_STACK: i32 = 96;

/// Number of no test, for what happens between two of them.
const NO_TEST: u32 = u32::MAX;
/// Marks the threads of a test's set-up, in which invocations are numbered apart: class-level set-up, parameters of parameterised tests.
const SET_UP: &str = "before the test";

/// What the callbacks need; set once, before the first class of the project is loaded.
pub struct Recorder {
    tools: Tools,
    methods: Vec<Method>,
    /// Global reference to the class `reneri.rt.Probe`, and its field `entered`.
    probe: GlobalClass,
    entered: sys::jfieldID,
    run: Mutex<Run>,
    send: Box<dyn Fn(&Event) + Send + Sync>,
}

// SAFETY: the field ID and the global reference are valid in every thread.
unsafe impl Send for Recorder {}
// SAFETY: as above; everything mutable is behind a mutex.
unsafe impl Sync for Recorder {}

struct GlobalClass(sys::jclass);

/// Declared primitive types of a method's parameters and result (`None` for references).
struct Method {
    arguments: Vec<Option<u8>>,
    result: Option<u8>,
}

/// The run under way.
struct Run {
    request: RunRequest,
    numbers: HashMap<String, (u32, u64)>,
    next_number: u32,
    /// Number, id, start and last moment of the test that is running.
    current: Option<Current>,
    stop: bool,
    threads: Vec<String>,
    reader: Reader,
    states: Vec<State>,
    /// By fingerprint: index into `states`.
    known: HashMap<u64, u32>,
    observations: Vec<(Key, u32)>,
    stacks: HashMap<Vec<Frame>, u32>,
    stack_of: HashMap<Key, u32>,
    /// Stacks of what was recorded since the last test ended.
    set_up_stacks: Vec<(Key, u32)>,
    cut: HashMap<Key, u64>,
    failed: Vec<(u32, String)>,
    /// Frames by method, JVMTI's line table; forgotten with the class loader they belong to.
    frames: HashMap<usize, FrameTable>,
}

struct Current {
    number: u32,
    started: Instant,
    /// CPU time of the process when the test started.
    started_at_cpu: Duration,
    limit: Duration,
    late: bool,
}

impl Current {
    /// A loop uses CPU time, however busy the machine is with other things; a deadlock uses none, so the clock counts too, more generously.
    fn is_late(&self) -> bool {
        cpu_time().saturating_sub(self.started_at_cpu) > self.limit || self.started.elapsed() > wall_limit(self.limit)
    }
}

/// CPU time of all threads of this process so far.
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing; the clock exists on Linux and macOS. Where it fails the time stays 0, and the wall clock decides.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[derive(Clone)]
struct FrameTable {
    frame: Frame,
    lines: Vec<(i64, u32)>,
}

static RECORDER: OnceLock<Recorder> = OnceLock::new();

impl Recorder {
    /// Registers the native methods and keeps what they need for the life of the process.
    ///
    /// # Errors
    /// When the classes of `reneri.rt` are not those that this binary was built with.
    pub fn install(
        jvm: Environment,
        tools: Tools,
        methods: &[MethodShape],
        expressions: u32,
        send: Box<dyn Fn(&Event) + Send + Sync>,
    ) -> Result<&'static Recorder, String> {
        let thrown = |error: Thrown| format!("reneri.rt: {error}");
        let probe = jvm.find_class("reneri/rt/Probe").map_err(thrown)?;
        jvm.register(
            probe,
            &[
                ("thread", "(Ljava/lang/String;)I", thread as *mut c_void),
                (
                    "observed",
                    "(III[Ljava/lang/Object;Ljava/lang/Object;ZLjava/lang/Throwable;)V",
                    observed as *mut c_void,
                ),
                ("seen", "(IIILjava/lang/Object;C)V", seen as *mut c_void),
                ("cut", "(IIII)V", cut as *mut c_void),
            ],
        )
        .map_err(thrown)?;
        let events = jvm.find_class("reneri/rt/Events").map_err(thrown)?;
        jvm.register(
            events,
            &[
                ("test", "(Ljava/lang/String;)Z", test as *mut c_void),
                ("end", "(Ljava/lang/String;ILjava/lang/Throwable;)V", end as *mut c_void),
                ("unexpected", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V", unexpected as *mut c_void),
            ],
        )
        .map_err(thrown)?;
        let prepare = jvm.static_method(probe, "prepare", "(II)V").map_err(thrown)?;
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let sizes = [
            sys::jvalue { i: count(methods.len()) },
            sys::jvalue { i: i32::try_from(expressions).unwrap_or(i32::MAX) },
        ];
        jvm.call_static_void(probe, prepare, &sizes).map_err(thrown)?;
        let recorder = Recorder {
            tools,
            methods: methods.iter().map(|method| Method::parse(&method.descriptor)).collect(),
            probe: GlobalClass(jvm.global(probe)),
            entered: jvm.static_field(probe, "entered", "[B").map_err(thrown)?,
            run: Mutex::new(Run::new(Reader::new()?)),
            send,
        };
        Ok(RECORDER.get_or_init(|| recorder))
    }

    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn start(&self, request: RunRequest) {
        let mut run = self.run();
        run.numbers = request.tests.iter().map(|test| (test.id.clone(), (test.number, test.limit))).collect();
        run.next_number = request.next_number;
        run.stop = false;
        run.current = None;
        run.threads = vec![String::new()];
        if request.fresh {
            run.frames.clear();
        }
        run.request = request;
    }

    /// What was recorded since [`Self::start`].
    pub fn finish(&self) -> Option<Recording> {
        let mut run = self.run();
        run.current = None;
        let recording = (run.request.record != Record::Coverage).then(|| run.take());
        run.forget();
        recording
    }

    /// The test that has just become late, if any; from now on the run is to stop.
    pub fn newly_late(&self) -> Option<u32> {
        let mut run = self.run();
        let current = run.current.as_mut()?;
        if current.late || !current.is_late() {
            return None;
        }
        current.late = true;
        let number = current.number;
        run.stop = true;
        Some(number)
    }

    /// Methods entered since this was last asked; the table is cleared.
    fn take_entered(&self, jvm: Environment) -> Vec<u32> {
        let table = jvm.get_static_object(self.probe.0, self.entered);
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

    /// Stack of the current thread from the method numbered last in `skip` frames outwards.
    fn stack(&self, run: &mut Run, skip: i32) -> Vec<Frame> {
        // SAFETY: a null thread is the current one.
        let frames = unsafe { self.tools.0.get_stack_trace(std::ptr::null_mut(), skip, LONGEST_STACK) };
        frames
            .unwrap_or_default()
            .iter()
            .map(|info| {
                let key = info.method as usize;
                let table = run.frames.entry(key).or_insert_with(|| self.frame_table(info.method));
                let line = table.lines.iter().rev().find(|(start, _)| *start <= info.location).map(|(_, line)| *line);
                Frame { line, ..table.frame.clone() }
            })
            .collect()
    }

    fn frame_table(&self, method: jvmti_bindings::sys::jni::jmethodID) -> FrameTable {
        let tools = &self.tools.0;
        // SAFETY: the method ID comes from a frame of the current thread, so its class is loaded.
        let (name, class) = unsafe { (tools.get_method_name(method), tools.get_method_declaring_class(method)) };
        let (mut class_name, mut file) = (String::new(), None);
        if let Ok(class) = class {
            // SAFETY: `class` is a live local reference.
            if let Ok((signature, _)) = unsafe { tools.get_class_signature(class) } {
                class_name = signature.trim_start_matches('L').trim_end_matches(';').replace('/', ".");
            }
            // SAFETY: as above.
            file = unsafe { tools.get_source_file_name(class) }.ok();
        }
        // SAFETY: as above.
        let mut lines: Vec<(i64, u32)> = unsafe { tools.get_line_number_table(method) }
            .unwrap_or_default()
            .iter()
            .filter_map(|entry| Some((entry.start_location, u32::try_from(entry.line_number).ok()?)))
            .collect();
        lines.sort_unstable();
        let method = name.map(|(name, _, _)| name).unwrap_or_default();
        FrameTable { frame: Frame { class: class_name, method, file, line: None }, lines }
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
    fn new(reader: Reader) -> Self {
        Self {
            request: RunRequest {
                fresh: false,
                active: 0,
                tests: Vec::new(),
                stop_at_first_failure: false,
                record: Record::Coverage,
                next_number: 0,
                other_limit: 0,
            },
            numbers: HashMap::new(),
            next_number: 0,
            current: None,
            stop: false,
            threads: vec![String::new()],
            reader,
            states: Vec::new(),
            known: HashMap::new(),
            observations: Vec::new(),
            stacks: HashMap::new(),
            stack_of: HashMap::new(),
            set_up_stacks: Vec::new(),
            cut: HashMap::new(),
            failed: Vec::new(),
            frames: HashMap::new(),
        }
    }

    /// Outside of a test the key is one of the set-up of the next test, whose number is not known yet.
    fn key(&self, site: Site, thread: i32, occurrence: i32) -> Option<Key> {
        let name = usize::try_from(thread).ok().and_then(|thread| self.threads.get(thread))?;
        let (test, thread) = match &self.current {
            Some(current) => (current.number, name.clone()),
            None => (NO_TEST, format!("{SET_UP}{name}")),
        };
        Some(Key { test, site, thread, occurrence: u32::try_from(occurrence).ok()? })
    }

    /// What was recorded since the last test ended belongs to this one.
    fn adopt(&mut self, test: u32) {
        for (key, _) in self.observations.iter_mut().rev().take_while(|(key, _)| key.test == NO_TEST) {
            key.test = test;
        }
        for stacks in std::mem::take(&mut self.set_up_stacks) {
            self.stack_of.insert(Key { test, ..stacks.0 }, stacks.1);
        }
    }

    /// Most states have been seen before; only of a new one are the properties made.
    fn add(&mut self, jvm: Environment, tools: &Tools, key: Key, slots: &[Slot]) {
        let deep = key.occurrence <= DEEP_OCCURRENCES;
        let fingerprint = self.reader.fingerprint(jvm, tools, slots, deep);
        let state = match self.known.get(&fingerprint) {
            Some(state) => *state,
            None => {
                let mut properties = self.reader.properties(jvm, tools, slots, deep);
                properties.sort();
                let state = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
                self.states.push(State { properties });
                self.known.insert(fingerprint, state);
                state
            }
        };
        self.observations.push((key, state));
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
        let stack_of = std::mem::take(&mut self.stack_of);
        let stack_of =
            (0_u32..).zip(&unique).filter_map(|(index, (key, _))| Some((index, *stack_of.get(key)?))).collect();
        let mut failed = std::mem::take(&mut self.failed);
        failed.sort();
        Recording {
            states: std::mem::take(&mut self.states),
            observations: unique,
            stacks: in_order(std::mem::take(&mut self.stacks)),
            stack_of,
            cut,
            failed,
        }
    }

    fn forget(&mut self) {
        self.states.clear();
        self.known.clear();
        self.observations.clear();
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

/// Runs `body` with the recorder; nothing may unwind into the JVM.
fn guarded<T>(raw: *mut sys::JNIEnv, otherwise: T, body: impl FnOnce(Environment, &Recorder) -> T) -> T {
    let Some(recorder) = RECORDER.get() else { return otherwise };
    // SAFETY: the JVM passes the environment of the calling thread.
    let jvm = unsafe { Environment::new(raw) };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(jvm, recorder))).unwrap_or(otherwise)
}

extern "system" fn thread(env: *mut sys::JNIEnv, _class: sys::jclass, name: sys::jstring) -> sys::jint {
    guarded(env, 0, |jvm, recorder| {
        let name = thread_name(&jvm.string(name));
        let mut run = recorder.run();
        // Several threads of one name get numbers in order of appearance; where that order varies, it shows as noise.
        let same = run.threads.iter().filter(|other| other.split('\u{1}').next() == Some(name.as_str())).count();
        run.threads.push(if same == 0 { name } else { format!("{name}\u{1}{same}") });
        i32::try_from(run.threads.len() - 1).unwrap_or(0)
    })
}

#[allow(clippy::too_many_arguments)]
extern "system" fn observed(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    method: sys::jint,
    number: sys::jint,
    thread: sys::jint,
    values: sys::jobjectArray,
    result: sys::jobject,
    has_result: sys::jboolean,
    thrown: sys::jobject,
) {
    guarded(env, (), |jvm, recorder| {
        let Some((method_number, shape)) = usize::try_from(method)
            .ok()
            .and_then(|index| Some((u32::try_from(index).ok()?, recorder.methods.get(index)?)))
        else {
            return;
        };
        let mut run = recorder.run();
        let Some(key) = run.key(Site::Method(method_number), thread, number) else { return };
        jvm.push(64);
        let run = &mut *run;
        let mut slots = Vec::with_capacity(shape.arguments.len() + 3);
        let receiver = jvm.array_element(values, 0);
        if !receiver.is_null() {
            slots.push(Slot { part: Part::Receiver, value: receiver, declared: None });
        }
        for (index, declared) in (0_u16..).zip(&shape.arguments) {
            let value = jvm.array_element(values, usize::from(index) + 1);
            slots.push(Slot { part: Part::Argument(index), value, declared: *declared });
        }
        if has_result {
            slots.push(Slot { part: Part::Result, value: result, declared: shape.result });
        }
        if !thrown.is_null() {
            slots.push(Slot { part: Part::Exception, value: thrown, declared: None });
        }
        if run.request.record == Record::StateAndStacks && key.occurrence <= DEEP_OCCURRENCES {
            // Innermost first: observed, left, leave (or threw), then the method.
            let stack = recorder.stack(run, 3);
            let next = u32::try_from(run.stacks.len()).unwrap_or(u32::MAX);
            let stack = *run.stacks.entry(stack).or_insert(next);
            if key.test == NO_TEST {
                run.set_up_stacks.push((key.clone(), stack));
            } else {
                run.stack_of.insert(key.clone(), stack);
            }
        }
        run.add(jvm, &recorder.tools, key, &slots);
        jvm.pop();
    });
}

extern "system" fn seen(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    expression: sys::jint,
    number: sys::jint,
    thread: sys::jint,
    value: sys::jobject,
    kind: sys::jchar,
) {
    guarded(env, (), |jvm, recorder| {
        let Ok(expression) = u32::try_from(expression) else { return };
        let mut run = recorder.run();
        let Some(key) = run.key(Site::Expression(expression), thread, number) else { return };
        let kind = u8::try_from(kind).unwrap_or(b'L');
        let declared = (!matches!(kind, b'L' | b'E')).then_some(kind);
        let part = if kind == b'E' { Part::Exception } else { Part::Expression };
        jvm.push(64);
        run.add(jvm, &recorder.tools, key, &[Slot { part, value, declared }]);
        jvm.pop();
    });
}

extern "system" fn cut(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    method: sys::jint,
    expression: sys::jint,
    thread: sys::jint,
    left_out: sys::jint,
) {
    guarded(env, (), |_, recorder| {
        let site = match (u32::try_from(method), u32::try_from(expression)) {
            (Ok(method), _) => Site::Method(method),
            (_, Ok(expression)) => Site::Expression(expression),
            _ => return,
        };
        let mut run = recorder.run();
        // Kept under the key of the site's first observation: only their number is known.
        if let Some(key) = run.key(site, thread, 1) {
            let count = run.cut.entry(key).or_insert(0);
            *count = (*count).max(u64::try_from(left_out).unwrap_or(0));
        }
    });
}

extern "system" fn test(env: *mut sys::JNIEnv, _class: sys::jclass, id: sys::jstring) -> sys::jboolean {
    guarded(env, false, |jvm, recorder| {
        let id = jvm.string(id);
        let mut run = recorder.run();
        if run.stop {
            return false;
        }
        let Some((number, limit)) = run.numbers.get(&id).copied() else { return true };
        run.current = Some(Current {
            number,
            started: Instant::now(),
            started_at_cpu: cpu_time(),
            limit: Duration::from_millis(limit),
            late: false,
        });
        run.threads.truncate(1);
        run.adopt(number);
        drop(run);
        (recorder.send)(&Event::Started(number));
        true
    })
}

extern "system" fn end(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    id: sys::jstring,
    outcome: sys::jint,
    thrown: sys::jobject,
) {
    guarded(env, (), |jvm, recorder| {
        let entered = recorder.take_entered(jvm);
        let id = jvm.string(id);
        let mut run = recorder.run();
        let Some((number, _)) = run.numbers.get(&id).copied() else { return };
        // A class-level failure is told of tests that were never started, or have ended before.
        let current = run.current.take().filter(|current| current.number == number);
        let of_class = current.is_none();
        let nanoseconds =
            current.map_or(0, |current| u64::try_from(current.started.elapsed().as_nanos()).unwrap_or(u64::MAX));
        let outcome = match outcome {
            0 => Outcome::Passed,
            1 => Outcome::Failed,
            _ => Outcome::Skipped,
        };
        let thrown = if thrown.is_null() {
            Thrown { class: String::new(), message: String::new() }
        } else {
            jvm.describe(thrown)
        };
        if outcome == Outcome::Failed {
            // Set-up or tear-down of a class may insist on all of its tests; what the test itself did is none the worse for it.
            if !of_class {
                run.failed.push((number, format!("{}: {}", thrown.class, thrown.message)));
            }
            run.stop |= run.request.stop_at_first_failure;
        }
        drop(run);
        (recorder.send)(&Event::Finished(Finished {
            number,
            outcome,
            of_class,
            nanoseconds,
            exception: thrown.class,
            message: thrown.message,
            entered,
        }));
    });
}

extern "system" fn unexpected(
    env: *mut sys::JNIEnv,
    _class: sys::jclass,
    id: sys::jstring,
    name: sys::jstring,
    class: sys::jstring,
) {
    guarded(env, (), |jvm, recorder| {
        let found = FoundTest { id: jvm.string(id), name: jvm.string(name), class: jvm.string(class) };
        let mut run = recorder.run();
        if run.numbers.contains_key(&found.id) {
            return;
        }
        let number = run.next_number;
        run.next_number += 1;
        let limit = run.request.other_limit;
        run.numbers.insert(found.id.clone(), (number, limit));
        drop(run);
        (recorder.send)(&Event::Unexpected { number, test: found });
    });
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

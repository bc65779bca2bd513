//! Records what happens during a run: the starts, ends and entered methods of tests, and observations.
//!
//! Callbacks come from any thread of the JVM, so the state of the run is behind a mutex.

#![allow(unsafe_code)]

mod modes;
mod run;

use super::environment::{Environment, Thrown, Tools};
use super::exceptions;
use super::outside;
use super::protocol::{Event, Finished, FoundTest, MethodShape, Outcome, Record, RunRequest};
use super::stack::class_at;
use super::state::{Reader, Slot};
use crate::base::id::{IdSlice, IdVec, MethodId, TestId};
use crate::observation::{Part, Recording, Site};
use jni::sys;
use modes::Modes;
use parking_lot::Mutex;
use run::{DEEP_OCCURRENCES, Run};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use run::Occurrence;

/// The number of frames above the method when a native method of `Probe` is called: observeInvocation, left, and leave or threw.
const METHOD_FRAME: i32 = 3;

/// The recorder of this process. It is set once, before the first class of the project is loaded.
pub struct Recorder {
    tools: Tools,
    methods: IdVec<MethodId, MethodTypes>,
    /// The number of test probes that there is room for.
    expressions: AtomicUsize,
    tables: Tables,
    run: Mutex<Run>,
    libjvm: PathBuf,
    send: Box<dyn Fn(&Event) + Send + Sync>,
}

// SAFETY: the field IDs and the global reference in `tables` are valid in every thread.
unsafe impl Send for Recorder {}
// SAFETY: as above, and everything mutable is atomic or behind a mutex.
unsafe impl Sync for Recorder {}

/// A global reference to the class `reneri.rt.Probe`, and its fields: tables of type `byte[]`, and counters.
struct Tables {
    probe: sys::jclass,
    entered: sys::jfieldID,
    method_modes: sys::jfieldID,
    expression_modes: sys::jfieldID,
    taken: sys::jfieldID,
    taken_limit: sys::jfieldID,
}

/// The primitive types that a method declares for its parameters and its result; `None` for references.
struct MethodTypes {
    arguments: Vec<Option<u8>>,
    result: Option<u8>,
}

/// The values at the end of an invocation.
pub struct Invocation {
    /// `Object[]`: the receiver, which is null for a static method, and the boxed arguments.
    pub values: sys::jobjectArray,
    /// The boxed result, if the method has returned one.
    pub result: Option<sys::jobject>,
    /// Null if the method has returned.
    pub thrown: sys::jobject,
}

static RECORDER: OnceLock<Recorder> = OnceLock::new();

/// Reports the methods that the running test has entered, because the test will not end.
pub fn report_entered(jvm: Environment) {
    if let Some(recorder) = recorder() {
        (recorder.send)(&Event::Entered(recorder.take_entered(jvm)));
    }
}

/// The recorder, if it is installed.
pub fn recorder() -> Option<&'static Recorder> {
    RECORDER.get()
}

impl Recorder {
    /// Prepares the tables of `reneri.rt.Probe`, and keeps the recorder for the life of the process.
    ///
    /// # Errors
    /// The classes of `reneri.rt` do not belong to this binary.
    pub fn install(
        jvm: Environment,
        tools: Tools,
        methods: &IdSlice<MethodId, MethodShape>,
        expressions: u32,
        libjvm: &Path,
        send: Box<dyn Fn(&Event) + Send + Sync>,
    ) -> Result<&'static Recorder, String> {
        let thrown = |error: Thrown| format!("reneri.rt: {error}");
        let probe = jvm.find_class("reneri/rt/Probe").map_err(thrown)?;
        let prepare = jvm.static_method(probe, "prepare", "(II)V").map_err(thrown)?;
        let sizes = [
            sys::jvalue { i: i32::try_from(methods.len()).unwrap_or(i32::MAX) },
            sys::jvalue { i: i32::try_from(expressions).unwrap_or(i32::MAX) },
        ];
        jvm.call_static_void(probe, prepare, &sizes).map_err(thrown)?;
        let table = |name: &str| jvm.static_field(probe, name, "[B").map_err(thrown);
        let counter = |name: &str| jvm.static_field(probe, name, "J").map_err(thrown);
        let recorder = Recorder {
            tools,
            methods: methods.iter().map(|method| MethodTypes::parse(&method.descriptor)).collect(),
            expressions: AtomicUsize::new(expressions as usize),
            tables: Tables {
                probe: jvm.global(probe),
                entered: table("entered")?,
                method_modes: table("methodModes")?,
                expression_modes: table("expressionModes")?,
                taken: counter("taken")?,
                taken_limit: counter("takenLimit")?,
            },
            run: Mutex::new(Run::new(Reader::new()?)),
            libjvm: libjvm.to_path_buf(),
            send,
        };
        Ok(RECORDER.get_or_init(|| recorder))
    }

    /// Makes room for at least that many test probes.
    ///
    /// # Errors
    /// The JVM has no memory for them.
    pub fn make_room(&self, jvm: Environment, expressions: u32) -> Result<(), Thrown> {
        let room = self.expressions.fetch_max(expressions as usize, Ordering::Relaxed);
        if room < expressions as usize {
            let make_room = jvm.static_method(self.tables.probe, "makeRoom", "(I)V")?;
            let expressions = sys::jvalue { i: i32::try_from(expressions).unwrap_or(i32::MAX) };
            jvm.call_static_void(self.tables.probe, make_room, &[expressions])?;
        }
        Ok(())
    }

    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Begins a run.
    pub fn start(&self, jvm: Environment, request: RunRequest) {
        let modes = Modes::new(&request.record, self.methods.len(), self.expressions.load(Ordering::Relaxed));
        for (field, values) in
            [(self.tables.method_modes, &modes.methods), (self.tables.expression_modes, &modes.expressions)]
        {
            let table = jvm.get_static_object(self.tables.probe, field);
            jvm.set_bytes(table, values);
            jvm.delete(table);
        }
        // Methods entered until now belong to no test: discovery calls the methods that supply parameters of tests.
        self.take_entered(jvm);
        outside::enter(jvm, request.world);
        exceptions::enter(jvm, &self.libjvm, request.world.notes_messages);
        self.run.lock().start(request, modes);
    }

    /// Ends the run and returns its recording, unless only coverage was asked for.
    pub fn finish(&self) -> Option<Recording> {
        let mut run = self.run.lock();
        let recording = (run.request.record != Record::Coverage).then(|| run.take());
        run.current = None;
        run.clear();
        recording
    }

    /// Fails the running test because the engine threw something that it does not take for the failure of a test, such as an
    /// `OutOfMemoryError`.
    pub fn fail_running(&self, jvm: Environment, thrown: &Thrown) {
        let entered = self.take_entered(jvm);
        let mut run = self.run.lock();
        run.close_running();
        let Some(current) = run.current.take() else { return };
        run.failed.push((current.number, thrown.to_string()));
        drop(run);
        let (nanoseconds, cpu_nanoseconds, classes) = current.cost();
        (self.send)(&Event::Finished(Finished {
            number: current.number,
            outcome: Outcome::Failed,
            of_class: false,
            nanoseconds,
            cpu_nanoseconds,
            classes,
            exception: thrown.class.clone(),
            message: thrown.message.clone(),
            torn_down: current.torn_down,
            set_up: current.set_up,
            entered,
            disturbs: false,
        }));
    }

    /// The running test, if it has just become late; in this case the run is to stop.
    pub fn newly_late(&self) -> Option<TestId> {
        let mut run = self.run.lock();
        if !run.current.as_ref()?.is_late() {
            return None;
        }
        run.become_late()
    }

    /// Handles that the transformed method was invoked too often. Whether a running test became late by that.
    pub fn exceed_invocations(&self, jvm: Environment) -> bool {
        let Some(late) = self.run.lock().become_late() else { return false };
        report_entered(jvm);
        (self.send)(&Event::Late(late));
        true
    }

    /// Reports the methods entered after the last test of a run.
    pub fn report_rest(&self, jvm: Environment) {
        let mut entered = self.take_entered(jvm);
        entered.extend(self.run.lock().torn_down.take().into_iter().flatten());
        entered.sort_unstable();
        entered.dedup();
        (self.send)(&Event::Entered(entered));
    }

    /// The number of a thread that was not seen in this test before.
    pub fn add_thread(&self, name: &str) -> i32 {
        self.run.lock().add_thread(name)
    }

    /// Handles the start of a test; returns whether the test is to run.
    pub fn start_test(&self, jvm: Environment, id: &str) -> bool {
        let set_up = self.take_entered(jvm);
        let mut run = self.run.lock();
        if run.stop {
            return false;
        }
        let Some((number, limit)) = run.numbers.get(id).copied() else { return true };
        run.start_test(number, limit, set_up);
        let set_counter = |field, value| jvm.set_static_long(self.tables.probe, field, value);
        set_counter(self.tables.taken, 0);
        set_counter(self.tables.taken_limit, i64::try_from(limit.invocations).unwrap_or(i64::MAX));
        let world = run.request.world;
        drop(run);
        outside::seed(jvm, world, id);
        (self.send)(&Event::Started(number));
        true
    }

    /// Handles the end of a test, or a failure of its class that is reported for the test.
    pub fn end_test(&self, jvm: Environment, id: &str, outcome: Outcome, thrown: sys::jobject) {
        let entered = self.take_entered(jvm);
        let mut run = self.run.lock();
        let Some((number, _)) = run.numbers.get(id).copied() else { return };
        run.close_running();
        let world = run.request.world;
        // A failure of the class is reported for tests that never started, or that have already ended.
        let current = run.current.take().filter(|current| current.number == number);
        let of_class = current.is_none();
        let (nanoseconds, cpu_nanoseconds, classes) =
            current.as_ref().map_or_else(Default::default, run::RunningTest::cost);
        let (torn_down, set_up) = match current {
            None => (run.torn_down.take(), Vec::new()),
            Some(current) => (current.torn_down, current.set_up),
        };
        let thrown = if thrown.is_null() {
            Thrown { class: String::new(), message: String::new() }
        } else {
            jvm.describe(thrown)
        };
        if outcome == Outcome::Failed {
            // A failure in the set-up or tear-down of a class is reported for all of its tests, but is not their own failure.
            if !of_class {
                run.failed.push((number, format!("{}: {}", thrown.class, thrown.message)));
            }
            run.stop |= run.request.stop_at_first_failure;
        }
        drop(run);
        if world.notes_messages {
            (self.send)(&Event::Messages(exceptions::take_messages(jvm)));
        }
        if outside::take_read_clock() {
            (self.send)(&Event::ReadClock(number));
        }
        // The constructor of the next test class may draw before its test starts.
        outside::seed(jvm, world, "");
        (self.send)(&Event::Finished(Finished {
            number,
            outcome,
            of_class,
            nanoseconds,
            cpu_nanoseconds,
            classes,
            exception: thrown.class,
            message: thrown.message,
            torn_down,
            set_up,
            entered,
            disturbs: false,
        }));
    }

    /// Handles the end of a test class; `disturbed` says whether it has changed what tests share with the whole JVM.
    pub fn end_class(&self, jvm: Environment, disturbed: bool) {
        let entered = self.take_entered(jvm);
        let mut run = self.run.lock();
        let torn_down = run.torn_down.get_or_insert_default();
        torn_down.extend(entered);
        torn_down.sort_unstable();
        torn_down.dedup();
        drop(run);
        if disturbed {
            (self.send)(&Event::Disturbed);
        }
    }

    /// Gives a number to a test that discovery did not find, such as an invocation of a parameterised test.
    pub fn add_test(&self, test: FoundTest) {
        let mut run = self.run.lock();
        if run.numbers.contains_key(&test.id) {
            return;
        }
        let number = run.next_number;
        run.next_number = TestId(number.0 + 1);
        let limit = run.request.other_limit;
        run.numbers.insert(test.id.clone(), (number, limit));
        drop(run);
        (self.send)(&Event::Unexpected { number, test });
    }

    /// Observes the state after an invocation of a method.
    pub fn observe_invocation(&self, jvm: Environment, occurrence: Occurrence, invocation: &Invocation) {
        let Site::Method(method) = occurrence.site else { return };
        let Some(types) = self.methods.get(method) else { return };
        let mut run = self.run.lock();
        let Some(place) = run.place(occurrence) else { return };
        let _frame = jvm.frame(64);
        let mut slots = types.slots(jvm, invocation);
        if place.occurrence <= DEEP_OCCURRENCES {
            let class = class_at(&self.tools, METHOD_FRAME);
            if !class.is_null() {
                slots.push(Slot { part: Part::Static, value: class, declared: None });
            }
        }
        if run.modes.is_recorded(occurrence.site, place.occurrence) {
            run.add_stack(jvm, &self.tools, &place, METHOD_FRAME);
            run.record(jvm, &self.tools, place, &slots);
        } else {
            run.digest(jvm, &self.tools, place, occurrence.thread, &slots);
        }
    }

    /// Observes the value of a test's expression, or an exception in a test.
    pub fn observe_expression(&self, jvm: Environment, occurrence: Occurrence, slot: Slot) {
        let mut run = self.run.lock();
        let Some(place) = run.place(occurrence) else { return };
        let _frame = jvm.frame(64);
        if run.modes.is_recorded(occurrence.site, place.occurrence) {
            run.record(jvm, &self.tools, place, &[slot]);
        } else {
            run.digest(jvm, &self.tools, place, occurrence.thread, &[slot]);
        }
    }

    /// Counts observations of a site that were left out because it was reached too often.
    pub fn count_left_out(&self, site: Site, thread: i32, left_out: u64) {
        let mut run = self.run.lock();
        // Only their number is known, so it is kept under the place of the first observation.
        if let Some(place) = run.place(Occurrence { site, thread, number: 1 }) {
            run.add_cut(place, left_out);
        }
    }

    /// The methods entered after the last call. Clears the table.
    fn take_entered(&self, jvm: Environment) -> Vec<MethodId> {
        let table = jvm.get_static_object(self.tables.probe, self.tables.entered);
        let mut bytes = vec![0_i8; self.methods.len()];
        jvm.copy_bytes(table, &mut bytes);
        let entered: Vec<MethodId> =
            (0..).zip(&bytes).filter(|(_, byte)| **byte != 0).map(|(number, _)| MethodId(number)).collect();
        if !entered.is_empty() {
            bytes.fill(0);
            jvm.set_bytes(table, &bytes);
        }
        jvm.delete(table);
        entered
    }
}

impl MethodTypes {
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

    /// The parts of the state after an invocation.
    fn slots(&self, jvm: Environment, invocation: &Invocation) -> Vec<Slot> {
        let mut slots = Vec::with_capacity(self.arguments.len() + 3);
        let receiver = jvm.array_element(invocation.values, 0);
        if !receiver.is_null() {
            slots.push(Slot { part: Part::Receiver, value: receiver, declared: None });
        }
        for (index, declared) in (0_u16..).zip(&self.arguments) {
            let value = jvm.array_element(invocation.values, usize::from(index) + 1);
            slots.push(Slot { part: Part::Argument(index), value, declared: *declared });
        }
        if let Some(value) = invocation.result {
            slots.push(Slot { part: Part::Result, value, declared: self.result });
        }
        if !invocation.thrown.is_null() {
            slots.push(Slot { part: Part::Exception, value: invocation.thrown, declared: None });
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_tell_primitive_arguments_from_references() {
        let method = MethodTypes::parse("(I[JLjava/lang/String;[[Ljava/lang/Object;D)Z");
        assert_eq!(method.arguments, [Some(b'I'), None, None, None, Some(b'D')]);
        assert_eq!(method.result, Some(b'Z'));
        assert_eq!(MethodTypes::parse("()Ljava/lang/String;").result, None);
    }
}

//! The worker process: serves requests from a socket by running tests in a JVM inside this process.

#![allow(unsafe_code)]

use super::agents;
use super::environment::{Environment, Thrown, Tools};
use super::hook;
use super::lifeline;
use super::natives;
use super::outside;
use super::protocol::{Event, FoundTest, Loader, Record, Replacement, Request, RunRequest, Start, receive, send};
use super::recorder::{Recorder, report_entered};
use super::runtime;
use super::usage::cpu_time;
use crate::base::error::{Error, Result};
use crate::base::id::GuardId;
use crate::base::timings::{Usage, peak_memory};
use jni::sys;
use jni::{InitArgsBuilder, JavaVM};
use jvmti_bindings::env::Jvmti;
use parking_lot::Mutex;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The interval at which the watchdog checks for late tests.
const WATCH_INTERVAL: Duration = Duration::from_millis(25);
/// The most threads that tests may leave behind before the process counts as littered.
const MOST_LEFTOVER_THREADS: i32 = 200;
/// The percentage of the maximum heap beyond which the heap counts as full: too little is left for the next run.
const FULL_HEAP: i32 = 70;
/// The time for which leftover threads that seem to run are watched.
const BUSY_SAMPLE: Duration = Duration::from_millis(10);
/// The CPU time in [`BUSY_SAMPLE`] beyond which such threads count as busy.
const BUSY: Duration = Duration::from_millis(7);

type Sender = Arc<Mutex<UnixStream>>;

/// Serves requests until the coordinator closes the socket, then ends the process and all threads that tests have left.
///
/// # Errors
/// The socket cannot be used, or the first message is wrong.
pub fn serve(socket: &Path) -> Result<()> {
    let broken = |what: &str, error: &dyn std::fmt::Display| Error::bug(format!("Worker: {what}: {error}."));
    let mut stream = UnixStream::connect(socket).map_err(|error| broken("connecting", &error))?;
    let sender: Sender = Arc::new(Mutex::new(stream.try_clone().map_err(|error| broken("connecting", &error))?));
    let lifeline = stream.try_clone().and_then(lifeline::tie_to);
    lifeline.map_err(|error| broken("watching the coordinator", &error))?;
    let Request::Start(start) = receive(&mut stream).map_err(|error| broken("first message", &error))? else {
        return Err(Error::bug("Worker: the first message was no start."));
    };
    // Tests expect the stack size of an ordinary Java main thread, which the first thread of the process may not have.
    let size = start.stack_size;
    let main = std::thread::Builder::new().name("main".into()).stack_size(size).spawn(move || {
        if let Err(reason) = Worker::start(*start, &sender).and_then(|worker| worker.serve(&mut stream, &sender)) {
            report(&sender, &Event::Broken(reason));
        }
    });
    let _ = main.map_err(|error| broken("main thread", &error))?.join();
    // Threads that tests have left and shutdown hooks of the project are not waited for.
    // SAFETY: `_exit` ends the process at once and runs no handlers.
    unsafe { libc::_exit(0) }
}

fn report(sender: &Sender, event: &Event) {
    // If the coordinator is gone, the next `receive` ends the worker.
    let _ = send(&mut *sender.lock(), event);
}

/// Splits a class path into the elements that each clean start loads anew, and the shared ones.
fn split_class_path(class_path: &[PathBuf], shared: &[PathBuf]) -> [Vec<String>; 2] {
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let own = class_path.iter().filter(|path| !shared.contains(path));
    [own.map(text).collect(), shared.iter().map(text).collect()]
}

struct Worker {
    jvm: Environment,
    recorder: &'static Recorder,
    probe: sys::jclass,
    active: sys::jfieldID,
    session: sys::jclass,
    /// The result of [`split_class_path`]; `None` if the tests are in the JVM's own class loader.
    class_path: Option<[Vec<String>; 2]>,
    /// The elements of the class path whose classes stay from one clean start to the next.
    shared: Vec<PathBuf>,
    engine: Vec<String>,
    opened: bool,
    /// Whether the class loader may contain classes that were replaced after it was made.
    is_stale: bool,
}

impl Worker {
    fn start(start: Start, sender: &Sender) -> std::result::Result<Self, String> {
        let mut arguments = InitArgsBuilder::new();
        for option in &start.options {
            arguments = arguments.option(option);
        }
        let arguments = arguments.build().map_err(|error| format!("options of the JVM: {error}"))?;
        let libjvm = start.libjvm.clone();
        let vm = JavaVM::with_libjvm(arguments, || Ok(libjvm))
            .map_err(|error| format!("the JVM does not start with {}: {error}", start.options.join(" ")))?;
        // SAFETY: creating the JVM has attached this thread, so its environment is valid as long as the thread lives.
        let jvm = unsafe {
            let mut raw: *mut std::ffi::c_void = std::ptr::null_mut();
            let machine = vm.get_raw();
            let status = ((**machine).v1_4.GetEnv)(machine, &raw mut raw, sys::JNI_VERSION_1_6);
            if status != sys::JNI_OK {
                return Err(format!("the JVM has no JNI environment: {status}"));
            }
            Environment::new(raw.cast())
        };
        // All capabilities needed are available in the live phase, so the command line needs no agent library.
        // SAFETY: the machine is alive until the process ends.
        let tools = unsafe { Jvmti::from_java_vm_raw(vm.get_raw().cast()) }
            .map_err(|error| format!("the JVM has no JVMTI environment: {error}"))?;
        tools
            .add_capabilities_with(|capabilities| {
                capabilities.set_can_generate_all_class_hook_events(true);
                capabilities.set_can_tag_objects(true);
                capabilities.set_can_get_line_numbers(true);
                capabilities.set_can_get_source_file_name(true);
            })
            .map_err(|error| format!("the JVM refuses a JVMTI capability: {error:?}"))?;
        let events = |sender: &Sender| {
            let sender = Arc::clone(sender);
            Box::new(move |event: &Event| report(&sender, event))
        };
        runtime::define(jvm, &start.runtime)?;
        natives::register(jvm).map_err(|error| format!("reneri.rt: {error}"))?;
        let recorder =
            Recorder::install(jvm, Tools(tools), &start.methods, start.expressions, &start.libjvm, events(sender))?;
        hook::install(recorder.tools(), start.weave, start.replace, events(sender))?;
        let thrown = |error: Thrown| format!("reneri.rt: {error}");
        agents::prepare(jvm).map_err(thrown)?;
        outside::install(jvm).map_err(thrown)?;
        // Only a launch in other surroundings sets the version.
        for (_, version) in start.properties.iter().filter(|(name, _)| name == "java.version") {
            let _ = outside::pretend_version(jvm, version);
        }
        let probe = jvm.global(jvm.find_class("reneri/rt/Probe").map_err(thrown)?);
        let session = jvm.global(jvm.find_class("reneri/rt/Session").map_err(thrown)?);
        let active = jvm.static_field(probe, "active", "I").map_err(thrown)?;
        let set = jvm.static_method(session, "setProperties", "([Ljava/lang/String;)V").map_err(thrown)?;
        let pairs: Vec<String> = start.properties.into_iter().flat_map(|(name, value)| [name, value]).collect();
        let pairs = jvm.new_strings(&pairs).map_err(thrown)?;
        jvm.call_static_void(session, set, &[sys::jvalue { l: pairs }]).map_err(thrown)?;
        start_watchdog(&vm, recorder, sender, Address(probe), Address(active));
        let class_path = (start.loader == Loader::Isolated).then(|| split_class_path(&start.class_path, &start.shared));
        let Start { shared, engine, .. } = start;
        Ok(Self { jvm, recorder, probe, active, session, class_path, shared, engine, opened: false, is_stale: false })
    }

    fn serve(mut self, stream: &mut UnixStream, sender: &Sender) -> std::result::Result<(), String> {
        report(sender, &Event::Ready);
        loop {
            let Ok(request) = receive::<Request>(stream) else { return Ok(()) };
            let frame = self.jvm.frame(256);
            let answer = match request {
                Request::Start(_) => Err("started twice".to_owned()),
                Request::Discover { classes, groups, excluded_groups } => {
                    self.discover(&classes, groups.as_deref(), excluded_groups.as_deref()).map(Event::Discovered)
                }
                Request::Run(request) => self.run(request),
                Request::Replace(replacement) => self.replace(*replacement).map(|()| Event::Ready),
            };
            drop(frame);
            report(sender, &answer.unwrap_or_else(Event::Broken));
        }
    }

    /// Makes a new class loader if there is none, or if `fresh` asks for a clean start. The JVM's own class loader cannot be
    /// replaced; in that case the coordinator starts another worker.
    fn open(&mut self, fresh: bool) -> std::result::Result<(), String> {
        if self.opened && !fresh && !self.is_stale {
            return Ok(());
        }
        let failed = |error: Thrown| format!("class loader of the project: {error}");
        if self.opened {
            self.close().map_err(failed)?;
        }
        let descriptor = "([Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/String;)V";
        let open = self.jvm.static_method(self.session, "open", descriptor).map_err(failed)?;
        let (path, shared) = match &self.class_path {
            Some([path, shared]) => {
                (self.jvm.new_strings(path).map_err(failed)?, self.jvm.new_strings(shared).map_err(failed)?)
            }
            None => (std::ptr::null_mut(), std::ptr::null_mut()),
        };
        let engine = self.jvm.new_strings(&self.engine).map_err(failed)?;
        let arguments = [sys::jvalue { l: path }, sys::jvalue { l: shared }, sys::jvalue { l: engine }];
        self.jvm.call_static_void(self.session, open, &arguments).map_err(failed)?;
        (self.opened, self.is_stale) = (true, false);
        Ok(())
    }

    fn replace(&mut self, replacement: Replacement) -> std::result::Result<(), String> {
        let Replacement { class_path, weave, replace, expressions } = replacement;
        let failed = |error: Thrown| format!("room for the probes of the tests: {error}");
        self.recorder.make_room(self.jvm, expressions).map_err(failed)?;
        hook::replace(weave, replace);
        self.class_path = Some(split_class_path(&class_path, &self.shared));
        self.is_stale = true;
        Ok(())
    }

    /// Closes the class loader, and clears the references of the JVM that would keep it, and with it the static state of the
    /// project, alive.
    fn close(&self) -> std::result::Result<(), Thrown> {
        self.reset_driver_manager();
        agents::undo(self.jvm);
        let close = self.jvm.static_method(self.session, "close", "()[Ljava/lang/Thread;")?;
        let leftover_threads = self.jvm.call_static(self.session, close, &[])?;
        if self.class_path.is_none() {
            return Ok(());
        }
        for index in 0..self.jvm.array_length(leftover_threads) {
            let thread = self.jvm.array_element(leftover_threads, index);
            self.jvm.forget(thread, "inheritedAccessControlContext", "Ljava/security/AccessControlContext;");
            self.jvm.delete(thread);
        }
        let thread = self.jvm.find_class("java/lang/Thread")?;
        let current = self.jvm.static_method(thread, "currentThread", "()Ljava/lang/Thread;")?;
        let current = self.jvm.call_static(thread, current, &[])?;
        for field in ["threadLocals", "inheritableThreadLocals"] {
            self.jvm.forget(current, field, "Ljava/lang/ThreadLocal$ThreadLocalMap;");
        }
        [leftover_threads, thread, current].into_iter().for_each(|reference| self.jvm.delete(reference));
        Ok(())
    }

    /// Lets `DriverManager` search for database drivers again. After Java 8 it does so once in the life of a JVM, and the
    /// drivers of the last class loader are of no use to the next one.
    fn reset_driver_manager(&self) {
        if let Ok(manager) = self.jvm.find_class("java/sql/DriverManager") {
            if let Ok(initialized) = self.jvm.static_field(manager, "driversInitialized", "Z") {
                self.jvm.set_static_boolean(manager, initialized, false);
            }
            self.jvm.delete(manager);
        }
    }

    /// Switches to a transformation, or to the original code.
    fn activate(&self, guard: Option<GuardId>) {
        let number = guard.map_or(0, GuardId::number);
        self.jvm.set_static_int(self.probe, self.active, i32::try_from(number).unwrap_or(0));
    }

    fn discover(
        &mut self,
        classes: &[String],
        groups: Option<&str>,
        excluded_groups: Option<&str>,
    ) -> std::result::Result<Vec<FoundTest>, String> {
        self.open(false)?;
        let failed = |error: Thrown| format!("finding the tests: {error}");
        let descriptor = "([Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)[Ljava/lang/String;";
        let discover = self.jvm.static_method(self.session, "discover", descriptor).map_err(failed)?;
        let text = |text: Option<&str>| text.map_or(std::ptr::null_mut(), |text| self.jvm.new_string(text));
        let arguments = [
            sys::jvalue { l: self.jvm.new_strings(classes).map_err(failed)? },
            sys::jvalue { l: text(groups) },
            sys::jvalue { l: text(excluded_groups) },
        ];
        let found = self.jvm.call_static(self.session, discover, &arguments).map_err(failed)?;
        let mut strings = self.jvm.strings(found).into_iter().map(Option::unwrap_or_default);
        let mut tests = Vec::new();
        while let (Some(id), Some(name), Some(class)) = (strings.next(), strings.next(), strings.next()) {
            tests.push(FoundTest { id, name, class });
        }
        Ok(tests)
    }

    fn run(&mut self, request: RunRequest) -> std::result::Result<Event, String> {
        // Set before the first class of the project is loaded, so that static initialisers run transformed code as well.
        self.activate(request.active);
        let ids: Vec<String> = request.tests.iter().map(|test| test.id.clone()).collect();
        let (fresh, whole, stop) = (request.fresh, request.whole_classes, request.stop_at_first_failure);
        let records = request.record != Record::Coverage;
        self.recorder.start(self.jvm, request);
        let ran = self.open(fresh).and_then(|()| {
            let failed = |error: Thrown| {
                self.recorder.fail_running(self.jvm, &error);
                format!("running the tests: {error}")
            };
            let run = self.jvm.static_method(self.session, "run", "([Ljava/lang/String;ZZZ)V").map_err(failed)?;
            let arguments = [
                sys::jvalue { l: self.jvm.new_strings(&ids).map_err(failed)? },
                sys::jvalue { z: whole },
                sys::jvalue { z: stop },
                sys::jvalue { z: records },
            ];
            self.jvm.call_static_void(self.session, run, &arguments).map_err(failed)
        });
        self.activate(None);
        self.recorder.report_rest(self.jvm);
        let recording = self.recorder.finish().map(Box::new);
        let littered = self.is_littered();
        ran.map(|()| Event::Ended {
            recording,
            littered,
            is_stained: agents::have_lasting_effect(self.jvm),
            usage: Usage { cpu: cpu_time(), peak_memory: peak_memory() },
        })
    }

    /// Whether a new process would be better for the next run. Threads cannot be ended from outside, so each run of a test that
    /// leaves a busy thread adds one. If the heap is full of objects that something outside of the class loader keeps alive,
    /// collecting garbage again and again takes longer than starting a process.
    fn is_littered(&self) -> bool {
        let counted = (|| {
            let is_full = self.jvm.static_method(self.session, "isHeapFull", "(I)Z")?;
            let is_full = self.jvm.call_static_boolean(self.session, is_full, &[sys::jvalue { i: FULL_HEAP }])?;
            let threads = self.jvm.static_method(self.session, "countLeftoverThreads", "(Z)I")?;
            let count = |running| self.jvm.call_static_int(self.session, threads, &[sys::jvalue { z: running }]);
            Ok::<_, Thrown>((count(false)?, count(true)?, is_full))
        })();
        let Ok((alive, running, is_full)) = counted else { return false };
        let is_busy = || {
            let before = cpu_time();
            std::thread::sleep(BUSY_SAMPLE);
            cpu_time().saturating_sub(before) > BUSY
        };
        alive > MOST_LEFTOVER_THREADS || is_full || (running > 0 && is_busy())
    }
}

/// The address of a class or field that is valid for the life of the process, for the thread of the watchdog.
struct Address<T>(*mut T);

// SAFETY: global references and IDs may be used from any thread.
unsafe impl<T> Send for Address<T> {}

/// Starts the thread that finds late tests. It switches back to the original code, which ends most loops, and reports the
/// test.
fn start_watchdog(
    vm: &JavaVM,
    recorder: &'static Recorder,
    sender: &Sender,
    probe: Address<sys::_jobject>,
    active: Address<sys::_jfieldID>,
) {
    let (vm, sender) = (vm.clone(), Arc::clone(sender));
    let watchdog = std::thread::Builder::new().name("reneri watchdog".into()).spawn(move || {
        let (probe, active) = (probe, active);
        loop {
            std::thread::sleep(WATCH_INTERVAL);
            let Some(late) = recorder.newly_late() else { continue };
            let machine = vm.get_raw();
            let mut raw: *mut std::ffi::c_void = std::ptr::null_mut();
            // SAFETY: the JVM lives as long as the process, and the thread stays attached while it uses `jvm`. Checked: it detaches
            // after a panic as well, nothing here throws, and an attached thread frees its local references when it detaches.
            unsafe {
                if ((**machine).v1_4.AttachCurrentThreadAsDaemon)(machine, &raw mut raw, std::ptr::null_mut())
                    == sys::JNI_OK
                {
                    let jvm = Environment::new(raw.cast());
                    jvm.set_static_int(probe.0, active.0, 0);
                    let _ = catch_unwind(AssertUnwindSafe(|| report_entered(jvm)));
                    ((**machine).v1_4.DetachCurrentThread)(machine);
                }
            }
            report(&sender, &Event::Late(late));
        }
    });
    // Without a watchdog, the coordinator's own limit still ends a run that hangs.
    drop(watchdog);
}

//! The worker process: from requests on a socket to runs of tests in a JVM that lives inside this process.

#![allow(unsafe_code)]

use super::agents;
use super::environment::{Environment, Thrown, Tools};
use super::hook;
use super::protocol::{Event, FoundTest, Loader, Record, Replacement, Request, RunRequest, Start, receive, send};
use super::recorder::{Recorder, cpu_time, tell_entered};
use super::runtime;
use crate::base::error::{Error, Result};
use crate::base::id::GuardId;
use crate::base::timings::{Usage, peak_memory};
use jni::sys;
use jni::{InitArgsBuilder, JavaVM};
use jvmti_bindings::env::Jvmti;
use parking_lot::Mutex;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often the watchdog looks at the clock.
const WATCH: Duration = Duration::from_millis(25);
/// So many threads may wait, left behind by tests, before the process counts as littered.
const THREADS_LEFT: i32 = 200;
/// So many percent of the memory that the heap may have leave too little for the next run.
const FULL_HEAP: i32 = 70;
/// How long left threads that seem to run are watched, and how much CPU time makes them busy.
const SAMPLE: Duration = Duration::from_millis(10);
const BUSY: Duration = Duration::from_millis(7);

type Sender = Arc<Mutex<UnixStream>>;

/// Serves requests until the coordinator closes the socket, then ends the process with everything the tests left running.
///
/// # Errors
/// When the socket or the JVM cannot be used at all.
pub fn serve(socket: &Path) -> Result<()> {
    let broken = |what: &str, error: &dyn std::fmt::Display| Error::bug(format!("Worker: {what}: {error}."));
    let mut stream = UnixStream::connect(socket).map_err(|error| broken("connecting", &error))?;
    let sender: Sender = Arc::new(Mutex::new(stream.try_clone().map_err(|error| broken("connecting", &error))?));
    let Request::Start(start) = receive(&mut stream).map_err(|error| broken("first message", &error))? else {
        return Err(Error::bug("Worker: the first message was no start."));
    };
    // Tests expect the stack of an ordinary Java main thread, in a thread of the JVM's making; the process's first thread differs.
    let size = start.stack_size;
    let main = std::thread::Builder::new().name("main".into()).stack_size(size).spawn(move || {
        if let Err(reason) = Worker::start(*start, &sender).and_then(|worker| worker.serve(&mut stream, &sender)) {
            say(&sender, &Event::Broken(reason));
        }
    });
    let _ = main.map_err(|error| broken("main thread", &error))?.join();
    // Threads that the tests left, shutdown hooks of the project: nothing of them is waited for.
    // SAFETY: `_exit` ends the process at once and runs no handler.
    unsafe { libc::_exit(0) }
}

fn say(sender: &Sender, event: &Event) {
    // When nobody listens any more there is nothing left to do; the next receive ends the worker.
    let _ = send(&mut *sender.lock(), event);
}

/// A class path, first what is loaded anew for each clean start, then what stays.
fn parts(class_path: &[PathBuf], shared: &[PathBuf]) -> [Vec<String>; 2] {
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
    /// In its [`parts`]; `None` where the tests live in the JVM's own class loader.
    class_path: Option<[Vec<String>; 2]>,
    /// Of the class path, what stays.
    shared: Vec<PathBuf>,
    engine: Vec<String>,
    opened: bool,
    /// The class loader has classes that others have replaced meanwhile.
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
        // SAFETY: creating the JVM attached this thread for good, so its environment is valid as long as the thread lives.
        let jvm = unsafe {
            let mut raw: *mut std::ffi::c_void = std::ptr::null_mut();
            let machine = vm.get_raw();
            let status = ((**machine).v1_4.GetEnv)(machine, &raw mut raw, sys::JNI_VERSION_1_6);
            if status != sys::JNI_OK {
                return Err(format!("the JVM has no JNI environment: {status}"));
            }
            Environment::new(raw.cast())
        };
        // The live phase offers all that is needed here; no agent library has to be named on the command line.
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
            Box::new(move |event: &Event| say(&sender, event))
        };
        runtime::define(jvm, &start.runtime)?;
        let recorder = Recorder::install(jvm, Tools(tools), &start.methods, start.expressions, events(sender))?;
        hook::install(recorder.tools(), start.weave, start.replace, events(sender))?;
        let thrown = |error: Thrown| format!("reneri.rt: {error}");
        agents::prepare(jvm).map_err(thrown)?;
        let probe = jvm.global(jvm.find_class("reneri/rt/Probe").map_err(thrown)?);
        let session = jvm.global(jvm.find_class("reneri/rt/Session").map_err(thrown)?);
        let active = jvm.static_field(probe, "active", "I").map_err(thrown)?;
        let set = jvm.static_method(session, "setProperties", "([Ljava/lang/String;)V").map_err(thrown)?;
        let pairs: Vec<String> = start.properties.into_iter().flat_map(|(name, value)| [name, value]).collect();
        let pairs = jvm.new_strings(&pairs).map_err(thrown)?;
        jvm.call_static_void(session, set, &[sys::jvalue { l: pairs }]).map_err(thrown)?;
        watch(&vm, recorder, sender, Address(probe), Address(active));
        let class_path = (start.loader == Loader::Isolated).then(|| parts(&start.class_path, &start.shared));
        let Start { shared, engine, .. } = start;
        Ok(Self { jvm, recorder, probe, active, session, class_path, shared, engine, opened: false, is_stale: false })
    }

    fn serve(mut self, stream: &mut UnixStream, sender: &Sender) -> std::result::Result<(), String> {
        say(sender, &Event::Ready);
        loop {
            let Ok(request) = receive::<Request>(stream) else { return Ok(()) };
            self.jvm.push(256);
            let answer = match request {
                Request::Start(_) => Err("started twice".to_owned()),
                Request::Discover { classes, groups, excluded_groups } => {
                    self.discover(&classes, groups.as_deref(), excluded_groups.as_deref()).map(Event::Discovered)
                }
                Request::Run(request) => self.run(request),
                Request::Replace(replacement) => self.replace(*replacement).map(|()| Event::Ready),
            };
            self.jvm.pop();
            say(sender, &answer.unwrap_or_else(Event::Broken));
        }
    }

    /// Makes a new class loader where asked to, or where there is none yet. The JVM's own can not be made anew: the coordinator starts
    /// another worker instead.
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
        self.class_path = Some(parts(&class_path, &self.shared));
        self.is_stale = true;
        Ok(())
    }

    /// Ends what the JVM itself would keep of the last loader, with all the static state of the project, and what a clean start begins without.
    fn close(&self) -> std::result::Result<(), Thrown> {
        self.forget_drivers();
        agents::undo(self.jvm);
        let close = self.jvm.static_method(self.session, "close", "()[Ljava/lang/Thread;")?;
        let left = self.jvm.call_static(self.session, close, &[])?;
        if self.class_path.is_none() {
            return Ok(());
        }
        for index in 0..self.jvm.array_length(left) {
            let thread = self.jvm.array_element(left, index);
            self.jvm.forget(thread, "inheritedAccessControlContext", "Ljava/security/AccessControlContext;");
            self.jvm.delete(thread);
        }
        let thread = self.jvm.find_class("java/lang/Thread")?;
        let current = self.jvm.static_method(thread, "currentThread", "()Ljava/lang/Thread;")?;
        let current = self.jvm.call_static(thread, current, &[])?;
        for field in ["threadLocals", "inheritableThreadLocals"] {
            self.jvm.forget(current, field, "Ljava/lang/ThreadLocal$ThreadLocalMap;");
        }
        [left, thread, current].into_iter().for_each(|reference| self.jvm.delete(reference));
        Ok(())
    }

    /// `DriverManager` looks for database drivers once in the life of a JVM (not under Java 8); those of the last loader help this one nothing.
    fn forget_drivers(&self) {
        if let Ok(manager) = self.jvm.find_class("java/sql/DriverManager") {
            if let Ok(looked) = self.jvm.static_field(manager, "driversInitialized", "Z") {
                self.jvm.set_static_boolean(manager, looked, false);
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
        // The switch is set before the first class of the project is loaded: its static initialisers run transformed, too.
        self.activate(request.active);
        let ids: Vec<String> = request.tests.iter().map(|test| test.id.clone()).collect();
        let (fresh, stop) = (request.fresh, request.stop_at_first_failure);
        let records = request.record != Record::Coverage;
        self.recorder.start(self.jvm, request);
        let ran = self.open(fresh).and_then(|()| {
            let failed = |error: Thrown| {
                self.recorder.fail_running(self.jvm, &error);
                format!("running the tests: {error}")
            };
            let run = self.jvm.static_method(self.session, "run", "([Ljava/lang/String;ZZ)V").map_err(failed)?;
            let arguments = [
                sys::jvalue { l: self.jvm.new_strings(&ids).map_err(failed)? },
                sys::jvalue { z: stop },
                sys::jvalue { z: records },
            ];
            self.jvm.call_static_void(self.session, run, &arguments).map_err(failed)
        });
        self.activate(None);
        self.recorder.tell_rest(self.jvm);
        let recording = self.recorder.finish().map(Box::new);
        let littered = self.is_littered();
        ran.map(|()| Event::Ended {
            recording,
            littered,
            is_stained: agents::have_lasting_effect(self.jvm),
            usage: Usage { cpu: cpu_time(), peak_memory: peak_memory() },
        })
    }

    /// Threads cannot be ended from outside. Every run of a test that leaves a busy one adds one more; a new process has none. Nor has it what
    /// fills the heap, if something outside of the loader holds on to it: collecting that again and again takes longer than a new process.
    fn is_littered(&self) -> bool {
        let counted = (|| {
            let is_full = self.jvm.static_method(self.session, "isHeapFull", "(I)Z")?;
            let is_full = self.jvm.call_static_boolean(self.session, is_full, &[sys::jvalue { i: FULL_HEAP }])?;
            let threads = self.jvm.static_method(self.session, "countThreadsLeft", "(Z)I")?;
            let count = |running| self.jvm.call_static_int(self.session, threads, &[sys::jvalue { z: running }]);
            Ok::<_, Thrown>((count(false)?, count(true)?, is_full))
        })();
        let Ok((alive, running, is_full)) = counted else { return false };
        let is_busy = || {
            let before = cpu_time();
            std::thread::sleep(SAMPLE);
            cpu_time().saturating_sub(before) > BUSY
        };
        alive > THREADS_LEFT || is_full || (running > 0 && is_busy())
    }
}

/// A class or field that stays valid for the life of the process, for the watchdog's thread.
struct Address<T>(*mut T);

// SAFETY: global references and IDs may be used from any thread.
unsafe impl<T> Send for Address<T> {}

/// Starts the thread that notices late tests: it sets the switch back to the original code, which ends most loops, and says so.
fn watch(
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
            std::thread::sleep(WATCH);
            let Some(late) = recorder.newly_late() else { continue };
            let machine = vm.get_raw();
            let mut raw: *mut std::ffi::c_void = std::ptr::null_mut();
            // SAFETY: the machine is alive; the thread is attached as daemon only while it writes the field.
            unsafe {
                if ((**machine).v1_4.AttachCurrentThreadAsDaemon)(machine, &raw mut raw, std::ptr::null_mut())
                    == sys::JNI_OK
                {
                    let jvm = Environment::new(raw.cast());
                    jvm.set_static_int(probe.0, active.0, 0);
                    tell_entered(jvm);
                    ((**machine).v1_4.DetachCurrentThread)(machine);
                }
            }
            say(&sender, &Event::Late(late));
        }
    });
    // Without a watchdog the coordinator's own limit still ends a run that hangs.
    drop(watchdog);
}

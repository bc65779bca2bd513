//! Runs javac in a `java` child process that stays warm from one pass to the next, and returns its
//! errors, facts and class files.

use super::pipe::Pipe;
use crate::base::children;
use crate::base::error::{Error, ExitCode, Result};
use crate::base::interrupt;
use crate::base::timings::Living;
use crate::jvm::lifeline::end_with_parent;
use parking_lot::Mutex;
use std::io::{BufReader, BufWriter, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const COMPILE: &str = include_str!("../../java/compiler/src/main/java/reneri/compiler/Compile.java");

/// Most memory, in bytes, of a compiler that is kept for the next user. A larger one would give
/// none of it back.
const LARGE: u64 = 320 << 20;
/// Longest text in an answer. A longer one is not ours.
const LONGEST: usize = 1 << 30;
/// A request to a compiler that the machine ends or stops gets this many attempts.
const ATTEMPTS: usize = 3;
/// The time that a child gets to end after its pipes are closed.
const PATIENCE: Duration = Duration::from_secs(1);

/// The running compiler. Dropping it kills the child and waits for its end.
#[derive(Debug)]
pub struct Compiler {
    java_home: PathBuf,
    child: Child,
    requests: BufWriter<Pipe<ChildStdin>>,
    answers: BufReader<Pipe<ChildStdout>>,
    log: PathBuf,
    /// The child's resource usage. Declared after the child, so that `drop` waits for the child
    /// first.
    living: Living,
}

/// A source text and the path of the file that it replaces.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    pub path: &'t Path,
    pub text: &'t str,
}

/// One error of javac. Positions are UTF-16 units of the compiled text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Index into the sources; `None` if javac names none of them.
    pub source: Option<usize>,
    /// javac's key: `compiler.err.cant.resolve.location.args`.
    pub code: String,
    pub start: Option<usize>,
    pub position: Option<usize>,
    pub end: Option<usize>,
    pub message: String,
}

/// A fact about an expression that javac knows and the text does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    Void,
    Constant,
    /// A type or a package.
    Type,
    /// Operand of a conditional expression whose type is a box. In a generic call it would no
    /// longer count as numeric (JLS §15.25).
    Boxed,
}

/// The result of one pass of javac.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    pub complaints: Vec<Complaint>,
    /// The failure of the compiler itself, if it failed.
    pub failure: Option<String>,
    /// Fact, start and end, for each source. Only [`Compiler::facts`] fills this.
    pub facts: Vec<Vec<(Fact, usize, usize)>>,
}

/// The idle compilers of an analysis. One that has compiled before is warm and takes half the time
/// of a new one.
#[derive(Debug, Default)]
pub struct Compilers {
    idle: Mutex<Vec<Compiler>>,
}

impl Compilers {
    /// Runs `work` with a compiler of the JDK at `java_home`. The compiler is kept for the next
    /// user if all goes well and it has not grown large. A new one logs into `scratch`.
    ///
    /// # Errors
    /// Those of [`Compiler::start`] and of `work`.
    pub fn with<T>(
        &self,
        java_home: &Path,
        scratch: &Path,
        work: impl FnOnce(&mut Compiler) -> Result<T>,
    ) -> Result<T> {
        let mut compiler = match self.take(java_home) {
            Some(compiler) => compiler,
            None => Compiler::start(java_home, scratch)?,
        };
        let done = work(&mut compiler)?;
        compiler.living.count();
        if compiler.living.memory() <= LARGE {
            self.idle.lock().push(compiler);
        }
        Ok(done)
    }

    fn take(&self, java_home: &Path) -> Option<Compiler> {
        let mut idle = self.idle.lock();
        // The system may have killed one to free memory.
        idle.retain_mut(|compiler| matches!(compiler.child.try_wait(), Ok(None)));
        let at = idle.iter().position(|compiler| compiler.java_home == java_home)?;
        Some(idle.swap_remove(at))
    }
}

/// Folder of the compiled class that the child runs.
///
/// # Errors
/// If the JDK has no compiler.
pub fn compiler_classes(java_home: &Path) -> Result<PathBuf> {
    let sources = [("reneri/compiler/Compile.java", COMPILE)];
    crate::base::embedded_java::compile_cached(java_home, "compiler", &sources, &[], &tools(java_home))
}

/// The jar with the compiler, which is not part of the platform up to JDK 8.
fn tools(java_home: &Path) -> Vec<PathBuf> {
    Some(java_home.join("lib").join("tools.jar")).into_iter().filter(|jar| jar.is_file()).collect()
}

impl Compiler {
    /// Starts the child with the JDK at `java_home`. Its output goes to a log file in `scratch`.
    ///
    /// # Errors
    /// If the JDK has no compiler or cannot be started, or if `scratch` cannot be written.
    pub fn start(java_home: &Path, scratch: &Path) -> Result<Self> {
        let (classes, tools) = (compiler_classes(java_home)?, tools(java_home));
        let class_path = std::env::join_paths([classes].iter().chain(&tools))
            .map_err(|error| Error::bug(format!("The class path of the compiler cannot be written: {error}.")))?;
        let log = scratch.join("compiler.log");
        let errors = std::fs::File::create(&log).map_err(|error| {
            Error::usage(
                format!("{} cannot be written: {error}.", log.display()),
                "Give an output folder that can be written.",
            )
        })?;
        let java = crate::base::embedded_java::tool(java_home, "java");
        let mut command = Command::new(&java);
        command
            // For a short life, C1 and the serial collector take half the CPU time of the defaults.
            // Javac throws an exception for each overload that does not apply, which makes eight
            // for each probe; without stack traces, they are cheap.
            .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-StackTraceInThrowable", "-Xshare:auto", "-cp"])
            .arg(class_path)
            .arg("reneri.compiler.Compile")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors);
        end_with_parent(&mut command);
        let not_started = |error: std::io::Error| {
            let what = format!("{} could not be started: {error}.", java.display());
            match Error::of_system(what.clone(), &error, "") {
                lacking if interrupt::ends_run(&lacking) => lacking,
                _ => Error::cannot_build(what, "Check that JAVA_HOME names a working JDK."),
            }
        };
        let mut child = children::spawn(command).map_err(not_started)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::bug("The compiler was started without its pipes."));
        };
        let pid = child.id();
        let (stdin, stdout) =
            (Pipe::new(stdin, pid).map_err(not_started)?, Pipe::new(stdout, pid).map_err(not_started)?);
        Ok(Self {
            java_home: java_home.to_path_buf(),
            living: Living::new(child.id()),
            child,
            requests: BufWriter::new(stdin),
            answers: BufReader::new(stdout),
            log,
        })
    }

    /// Attributes `sources` without writing classes, and returns the facts about their expressions.
    ///
    /// # Errors
    /// If the child is gone.
    pub fn facts(&mut self, options: &[String], sources: &[Source<'_>]) -> Result<Pass> {
        self.repeated(|compiler| compiler.pass(b'F', options, sources))
    }

    /// Compiles `sources`. Class files are written only if there is no complaint before javac
    /// generates code.
    ///
    /// # Errors
    /// If the child is gone.
    pub fn compile(&mut self, options: &[String], sources: &[Source<'_>]) -> Result<Pass> {
        self.repeated(|compiler| compiler.pass(b'C', options, sources))
    }

    /// Compiles each of `sources` by itself, `threads` at a time, with its classes in the folder
    /// beside it. Returns one pass for each.
    ///
    /// # Errors
    /// If the child is gone.
    pub fn compile_each(
        &mut self,
        options: &[String],
        sources: &[(Source<'_>, &Path)],
        threads: usize,
    ) -> Result<Vec<Pass>> {
        self.repeated(|compiler| compiler.passes(options, sources, threads))
    }

    /// Asks, and asks a new child if the machine has ended or stopped this one. A request depends on nothing before it.
    fn repeated<T>(&mut self, ask: impl Fn(&mut Self) -> std::io::Result<T>) -> Result<T> {
        for _ in 0..ATTEMPTS {
            let error = match ask(self) {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            interrupt::check()?;
            if !self.was_ended_from_outside(&error) {
                return Err(self.lost(&error));
            }
            let scratch = self.log.parent().unwrap_or(Path::new(".")).to_path_buf();
            *self = Self::start(&self.java_home, &scratch)?;
        }
        Err(Error::new(
            ExitCode::Machine,
            format!("The compiler was ended or stopped from outside, {ATTEMPTS} times in a row."),
            "The machine does that, as systems do when memory runs out: free memory or use `--jobs 1`, and start again.",
        ))
    }

    /// Whether the machine has ended or stopped the child. HotSpot ends with 128 and the number of the signal when it handles
    /// a request to terminate.
    fn was_ended_from_outside(&mut self, error: &std::io::Error) -> bool {
        if error.kind() == std::io::ErrorKind::TimedOut {
            return true;
        }
        // Its pipes close right before its end.
        let since = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if since.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(1)),
                _ => return false,
            }
        };
        let of_code = status.code().map(|code| code - 128);
        let requests = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];
        status.signal() == Some(libc::SIGKILL) || of_code.is_some_and(|signal| requests.contains(&signal))
    }

    fn lost(&self, error: &std::io::Error) -> Error {
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        let last = lines.get(lines.len().saturating_sub(20)..).unwrap_or_default().join("\n");
        Error::cannot_build(
            format!("The compiler of instrumented tests ended before its work was done: {error}."),
            "If it ran out of memory, give it more by JAVA_TOOL_OPTIONS=-Xmx…; otherwise please report it.",
        )
        .with_details(last)
    }

    fn pass(&mut self, request: u8, options: &[String], sources: &[Source<'_>]) -> std::io::Result<Pass> {
        self.ask(request, options, sources.iter().copied())?;
        self.requests.flush()?;
        let mut pass = self.read_pass()?;
        if request == b'F' {
            for _ in sources {
                let facts = self.read_facts()?;
                pass.facts.push(facts);
            }
        }
        Ok(pass)
    }

    fn passes(
        &mut self,
        options: &[String],
        sources: &[(Source<'_>, &Path)],
        threads: usize,
    ) -> std::io::Result<Vec<Pass>> {
        self.ask(b'E', options, sources.iter().map(|(source, _)| *source))?;
        let out = &mut self.requests;
        for (_, folder) in sources {
            write_text(out, &folder.to_string_lossy())?;
        }
        write_count(out, threads.max(1))?;
        out.flush()?;
        sources.iter().map(|_| self.read_pass()).collect()
    }

    fn ask<'t>(
        &mut self,
        request: u8,
        options: &[String],
        sources: impl ExactSizeIterator<Item = Source<'t>>,
    ) -> std::io::Result<()> {
        let out = &mut self.requests;
        out.write_all(&[request])?;
        write_count(out, options.len())?;
        for option in options {
            write_text(out, option)?;
        }
        write_count(out, sources.len())?;
        for source in sources {
            write_text(out, &source.path.to_string_lossy())?;
            write_text(out, source.text)?;
        }
        Ok(())
    }

    fn read_pass(&mut self) -> std::io::Result<Pass> {
        let mut pass = Pass::default();
        for _ in 0..self.read_count()? {
            pass.complaints.push(Complaint {
                source: self.read_position()?,
                code: self.read_text()?,
                start: self.read_position()?,
                position: self.read_position()?,
                end: self.read_position()?,
                message: self.read_text()?,
            });
        }
        pass.failure = Some(self.read_text()?).filter(|failure| !failure.is_empty());
        Ok(pass)
    }

    fn read_facts(&mut self) -> std::io::Result<Vec<(Fact, usize, usize)>> {
        let mut facts = Vec::new();
        for _ in 0..self.read_count()? {
            let mut byte = [0];
            self.answers.read_exact(&mut byte)?;
            let fact = match byte[0] {
                b'V' => Fact::Void,
                b'C' => Fact::Constant,
                b'T' => Fact::Type,
                b'B' => Fact::Boxed,
                _ => return Err(malformed()),
            };
            facts.push((fact, self.read_count()?, self.read_count()?));
        }
        Ok(facts)
    }

    fn read_int(&mut self) -> std::io::Result<i32> {
        let mut bytes = [0; 4];
        self.answers.read_exact(&mut bytes)?;
        Ok(i32::from_be_bytes(bytes))
    }

    fn read_count(&mut self) -> std::io::Result<usize> {
        usize::try_from(self.read_int()?).map_err(|_| malformed())
    }

    /// Reads a position; javac's "no position" is `-1`.
    fn read_position(&mut self) -> std::io::Result<Option<usize>> {
        Ok(usize::try_from(self.read_int()?).ok())
    }

    fn read_text(&mut self) -> std::io::Result<String> {
        let length = self.read_count()?;
        if length > LONGEST {
            return Err(malformed());
        }
        // The length is only a claim.
        let mut bytes = Vec::new();
        (&mut self.answers).take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // This fails only if the child has ended already; then it only has to be waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
        children::forget(self.child.id());
    }
}

fn malformed() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, "its answer cannot be read")
}

fn write_count(out: &mut impl Write, count: usize) -> std::io::Result<()> {
    let count = i32::try_from(count)
        .map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidInput, "a source is too long for javac"))?;
    out.write_all(&count.to_be_bytes())
}

fn write_text(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    write_count(out, text.len())?;
    out.write_all(text.as_bytes())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::recipe::jdk;

    #[test]
    fn a_compiler_is_reused_and_one_that_has_ended_is_replaced() {
        let (compilers, home, scratch) =
            (Compilers::default(), jdk::of_environment().unwrap(), tempfile::tempdir().unwrap());
        let (scratch, text) = (scratch.path(), "class A { }");
        let options = ["-d".to_owned(), scratch.to_string_lossy().into_owned()];
        let compiled = || {
            let work = |compiler: &mut Compiler| {
                let source = Source { path: Path::new("/A.java"), text };
                assert_eq!(compiler.compile(&options, &[source])?, Pass::default());
                Ok(compiler.child.id())
            };
            compilers.with(&home, scratch, work).unwrap()
        };
        let first = compiled();
        assert_eq!(compiled(), first);
        let mut idle = compilers.idle.lock();
        idle[0].child.kill().unwrap();
        idle[0].child.wait().unwrap();
        drop(idle);
        assert_ne!(compiled(), first);
        assert!(compilers.with(&home, scratch, |_| Err::<(), _>(Error::bug("not done"))).is_err());
        assert_eq!(compilers.idle.lock().len(), 0, "what has gone wrong is not for others");
    }

    #[test]
    fn a_compiler_that_is_killed_or_stopped_meanwhile_changes_no_result() {
        let (home, scratch) = (jdk::of_environment().unwrap(), tempfile::tempdir().unwrap());
        let options = ["-d".to_owned(), scratch.path().to_string_lossy().into_owned()];
        let methods: String = (0..3000).map(|number| format!("int m{number}() {{ return {number}; }}")).collect();
        let (text, broken) = (format!("class A {{ {methods} }}"), format!("class B {{ {methods} int x = \"\"; }}"));
        let sources =
            [Source { path: Path::new("/A.java"), text: &text }, Source { path: Path::new("/B.java"), text: &broken }];
        let mut compiler = Compiler::start(&home, scratch.path()).unwrap();
        let undisturbed = compiler.compile(&options, &sources).unwrap();
        assert_eq!(undisturbed.complaints.len(), 1);
        for signal in ["-KILL", "-TERM", "-STOP"] {
            let child = compiler.child.id();
            let work = std::thread::scope(|scope| {
                let working = scope.spawn(|| compiler.compile(&options, &sources));
                std::thread::sleep(std::time::Duration::from_millis(5));
                assert!(Command::new("kill").args([signal, &child.to_string()]).status().unwrap().success());
                working.join().unwrap().unwrap()
            });
            assert_eq!(work, undisturbed, "{signal}");
            if compiler.child.id() == child {
                // The answer was complete before the signal came.
                compiler = Compiler::start(&home, scratch.path()).unwrap();
            }
        }
    }

    #[test]
    fn sources_that_are_compiled_separately_do_not_affect_each_other() {
        let (home, scratch) = (jdk::of_environment().unwrap(), tempfile::tempdir().unwrap());
        let mut compiler = Compiler::start(&home, scratch.path()).unwrap();
        let folders: Vec<PathBuf> = ["one", "two", "three"].map(|name| scratch.path().join(name)).into();
        folders.iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        let texts = ["class A { }", "class A { B b; }", "class A { int one; }"];
        let sources: Vec<_> = texts
            .iter()
            .zip(&folders)
            .map(|(text, folder)| (Source { path: Path::new("/A.java"), text }, folder.as_path()))
            .collect();
        for threads in [1, 2] {
            let passes = compiler.compile_each(&[], &sources, threads).unwrap();
            let complaints = |pass: &Pass| pass.complaints.iter().map(|complaint| complaint.source).collect::<Vec<_>>();
            assert_eq!(passes.iter().map(complaints).collect::<Vec<_>>(), [vec![], vec![Some(0)], vec![]]);
            let compiled = folders.iter().map(|folder| std::fs::read(folder.join("A.class")).ok());
            let [one, two, three] = compiled.collect::<Vec<_>>().try_into().unwrap();
            assert!(one.is_some() && two.is_none() && three.is_some() && one != three);
            std::fs::remove_file(folders[0].join("A.class")).unwrap();
        }
    }
}

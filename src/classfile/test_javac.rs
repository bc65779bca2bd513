//! Compiles Java sources for unit tests, with the compiler of the JDK.
//!
//! All tests of a process share one JVM, which compiles one request after the other: a new JVM for each compilation takes
//! ten times as long.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use parking_lot::Mutex;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// Compiles `sources` together, each in its own file, into a new folder. Class files have debugging information unless
/// `options` say otherwise. A source with a public top-level type must begin with that type, after the package declaration
/// if there is one.
pub fn compile(sources: &[impl AsRef<str>], options: &[impl AsRef<str>]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let source_folder = TempDir::new().unwrap();
    let mut arguments: Vec<String> =
        ["-nowarn", "-proc:none", "-encoding", "UTF-8", "-g", "-d"].map(String::from).into();
    arguments.push(folder.path().to_str().unwrap().to_owned());
    arguments.extend(options.iter().map(|option| option.as_ref().to_owned()));
    for (number, source) in sources.iter().enumerate() {
        // An annotated package declaration is allowed in package-info.java only (JLS §7.4.1).
        let name = if source.as_ref().starts_with('@') { "package-info" } else { public_type(source.as_ref()) };
        let file = source_folder.path().join(number.to_string()).join(format!("{name}.java"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, source.as_ref()).unwrap();
        arguments.push(file.to_str().unwrap().to_owned());
    }
    let result = COMPILER.lock().get_or_insert_with(start).compile(&arguments);
    assert_eq!(result, Ok(()));
    folder
}

fn public_type(source: &str) -> &str {
    let mut words = source.split_whitespace().skip_while(|word| *word == "package" || word.ends_with(';'));
    if words.next() != Some("public") {
        return "Source";
    }
    words.find(|word| !matches!(*word, "final" | "abstract" | "class" | "interface" | "@interface" | "enum")).unwrap()
}

/// The JVM with the compiler; it ends with this process.
struct Compiler {
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

static COMPILER: Mutex<Option<Compiler>> = Mutex::new(None);

// The JVM ends when its input ends, which is when this process ends.
#[allow(clippy::zombie_processes)]
fn start() -> Compiler {
    let java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let java = java_home.map_or_else(|| PathBuf::from("java"), |home| crate::base::embedded_java::tool(&home, "java"));
    let mut child = Command::new(java)
        .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/src/classfile/testdata/Javac.java"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("java can be started: tests need a JDK, by JAVA_HOME or on the PATH");
    let answers = BufReader::new(child.stdout.take().unwrap());
    Compiler { requests: child.stdin.take().unwrap(), answers }
}

impl Compiler {
    /// Compiles; an error is the output of javac.
    fn compile(&mut self, arguments: &[String]) -> Result<(), String> {
        writeln!(self.requests, "{}", arguments.join("\t")).unwrap();
        let mut output = String::new();
        loop {
            let begin = output.len();
            assert_ne!(self.answers.read_line(&mut output).unwrap(), 0, "the compiler has ended: tests need a JDK");
            if let Some(code) = output[begin..].strip_prefix("end ") {
                return if code.trim() == "0" { Ok(()) } else { Err(output) };
            }
        }
    }
}

//! For tests: from Java sources to a folder with their class files, by the JDK's own compiler.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// Compiles `sources` together, each in a file of its own, with lines and names for debuggers unless `options` say otherwise. A
/// source whose top-level type is public has to start with it, or with the package and then it.
pub fn compile(sources: &[impl AsRef<str>], options: &[impl AsRef<str>]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let source_folder = TempDir::new().unwrap();
    let java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let javac = java_home.map_or_else(|| PathBuf::from("javac"), |home| crate::java::tool(&home, "javac"));
    let mut command = Command::new(javac);
    command.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-g", "-d"]).arg(folder.path());
    command.args(options.iter().map(AsRef::as_ref));
    for (number, source) in sources.iter().enumerate() {
        // An annotated package declaration is allowed in package-info.java only (JLS §7.4.1).
        let name = if source.as_ref().starts_with('@') { "package-info" } else { public_type(source.as_ref()) };
        let file = source_folder.path().join(number.to_string()).join(format!("{name}.java"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, source.as_ref()).unwrap();
        command.arg(file);
    }
    let output = command.output().expect("javac can be started: tests need a JDK, by JAVA_HOME or on the PATH");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

fn public_type(source: &str) -> &str {
    let mut words = source.split_whitespace().skip_while(|word| *word == "package" || word.ends_with(';'));
    if words.next() != Some("public") {
        return "Source";
    }
    words.find(|word| !matches!(*word, "final" | "abstract" | "class" | "interface" | "@interface" | "enum")).unwrap()
}

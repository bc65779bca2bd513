//! From Java sources that were edited since Maven was asked to their class files, without Maven: a second, and not several.
//!
//! That is done where it makes what Maven would: where no plugin of the build hangs on sources but the compiler (`rules/recipe/plain-plugins.toml`, and
//! what the Maven extension saw them write), no annotation processor takes part, and nobody else can see another header. What comes out is held against the
//! class files of before. In doubt, Maven is asked.

use super::compiler::Compilation;
use super::handover::{HandedModule, Handover, MavenProject, Mojo};
use super::jdk;
use super::launch::entries;
use crate::base::embedded_java;
use crate::base::error::Error;
use crate::base::fingerprint::all_in;
use crate::classfile::digest::digest;
use crate::classfile::outline::outline;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PLAIN: &str = include_str!("../../rules/recipe/plain-plugins.toml");
const PROCESSORS: &str = "META-INF/services/javax.annotation.processing.Processor";
/// Beyond that many, Maven is about as fast.
const MOST: usize = 200;

/// Runs a command, and says whether it ended well.
type Run<'a> = &'a mut dyn FnMut(Command) -> Result<bool, Error>;

/// Where class files go, and their bytes.
pub(super) type Classes = BTreeMap<PathBuf, Vec<u8>>;

/// Why there are no class files.
#[derive(Debug)]
pub(super) enum Unmade {
    /// Maven may make others, and is to be asked.
    Doubt(String),
    Failed(Error),
}

impl From<Error> for Unmade {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

fn doubt<T>(why: impl Into<String>) -> Result<T, Unmade> {
    Err(Unmade::Doubt(why.into()))
}

/// Compiles what was edited. `run` runs the compiler and says whether it ended well.
///
/// # Errors
/// A reason to ask Maven; or when `run` fails, or a rule is broken.
pub(super) fn compile(handover: &Handover, edited: &BTreeSet<PathBuf>, run: Run<'_>) -> Result<Classes, Unmade> {
    let plain = plain()?;
    handover.modules.iter().try_for_each(|module| is_plain(module, &plain))?;
    if edited.len() > MOST {
        return doubt(format!("{} sources have changed", edited.len()));
    }
    let mut parts: BTreeMap<(usize, bool), Vec<&Path>> = BTreeMap::new();
    for file in edited {
        match place(handover, file) {
            Some(place) => parts.entry(place).or_default().push(file),
            None => return doubt(format!("{} is of more than one class, or of more than one module", file.display())),
        }
    }
    let mut classes = Classes::new();
    for ((number, of_tests), files) in parts {
        let part = handover.modules.get(number).and_then(|module| Part::of(module, of_tests));
        let Some(part) = part else { return doubt("it is not known how Maven compiles") };
        classes.extend(part.compile(&files, handover, run)?);
    }
    Ok(classes)
}

/// Writes class files as a compiler does, but all of a file or nothing.
pub(super) fn write(classes: &Classes) -> std::io::Result<()> {
    for (file, bytes) in classes {
        let mut builder = tempfile::Builder::new();
        if let Ok(metadata) = std::fs::metadata(file) {
            builder.permissions(metadata.permissions());
        }
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut scratch = builder.prefix(".reneri-").tempfile_in(folder)?;
        scratch.write_all(bytes)?;
        scratch.persist(file)?;
    }
    Ok(())
}

/// By `artifact:goal`, whether it has to run before the compiler.
fn plain() -> Result<BTreeMap<String, bool>, Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Plugin {
        artifact: String,
        goals: Vec<String>,
        #[serde(default)]
        before_compiler: bool,
        #[serde(rename = "why")]
        _why: String,
    }
    let file: BTreeMap<String, Vec<Plugin>> = toml::from_str(PLAIN)
        .map_err(|error| Error::bug(format!("rules/recipe/plain-plugins.toml is broken: {error}")))?;
    let of_plugin = |plugin: Plugin| {
        let Plugin { artifact, goals, before_compiler, .. } = plugin;
        goals.into_iter().map(move |goal| (format!("{artifact}:{goal}"), before_compiler))
    };
    Ok(file.into_values().flatten().flat_map(of_plugin).collect())
}

/// Whether nothing but the compiler hangs on the sources of the module.
fn is_plain(module: &HandedModule, plain: &BTreeMap<String, bool>) -> Result<(), Unmade> {
    let mut compiled = false;
    for Mojo { artifact, goal, writes } in &module.mojos {
        let name = format!("{artifact}:{goal}");
        compiled |= artifact == "maven-compiler-plugin";
        match plain.get(&name) {
            _ if *writes => return doubt(format!("{name} writes into the folders of sources or of classes")),
            Some(before_compiler) if !(*before_compiler && compiled) => {}
            _ => return doubt(format!("{name} may make something of the sources")),
        }
    }
    let Some(project) = &module.project else { return Ok(()) };
    let roots = project.source_roots.iter().chain(&project.test_source_roots);
    match roots.filter(|root| root.starts_with(&project.build_directory)).find(|root| sources(root).next().is_some()) {
        Some(root) => doubt(format!("the build writes sources into {}", root.display())),
        None => Ok(()),
    }
}

/// The module to which a source belongs, and whether it is one of the tests.
fn place(handover: &Handover, file: &Path) -> Option<(usize, bool)> {
    if file.file_stem().is_some_and(|name| name == "module-info" || name == "package-info") {
        return None;
    }
    let mut places = handover.modules.iter().enumerate().flat_map(|(number, module)| {
        let roots = |of_tests: bool| {
            let project = module.project.as_ref();
            let roots =
                project.map(|project| if of_tests { &project.test_source_roots } else { &project.source_roots });
            roots.into_iter().flatten().filter(|root| file.starts_with(root)).map(move |_| (number, of_tests))
        };
        roots(false).chain(roots(true)).collect::<Vec<_>>()
    });
    places.next().filter(|_| places.next().is_none())
}

/// Java sources below a folder.
fn sources(root: &Path) -> impl Iterator<Item = PathBuf> {
    all_in(root, |_| true).into_keys().filter(|file| file.extension().is_some_and(|end| end == "java"))
}

fn all_sources(handover: &Handover) -> BTreeSet<PathBuf> {
    let projects = handover.modules.iter().filter_map(|module| module.project.as_ref());
    let roots = projects.flat_map(|project| project.source_roots.iter().chain(&project.test_source_roots));
    roots.flat_map(|root| sources(root)).collect()
}

/// What Maven compiles at a time.
struct Part<'a> {
    project: &'a MavenProject,
    compilation: &'a Compilation,
    of_tests: bool,
}

impl<'a> Part<'a> {
    /// `None` where the module has no such compilation, or several.
    fn of(module: &'a HandedModule, of_tests: bool) -> Option<Self> {
        let goal = if of_tests { "testCompile" } else { "compile" };
        let mut all = module.compilations.iter().filter(|compilation| compilation.goal == goal);
        let compilation = all.next().filter(|_| all.next().is_none())?;
        Some(Self { project: module.project.as_ref()?, compilation, of_tests })
    }

    fn classes(&self) -> &'a Path {
        if self.of_tests { &self.project.test_output_directory } else { &self.project.output_directory }
    }

    fn roots(&self) -> &'a [PathBuf] {
        if self.of_tests { &self.project.test_source_roots } else { &self.project.source_roots }
    }

    fn compile(&self, files: &[&Path], handover: &Handover, run: Run<'_>) -> Result<Classes, Unmade> {
        let options = self.compilation.javac_options().map_err(Unmade::Doubt)?;
        let class_path = &self.compilation.class_path;
        if self.compilation.looks_for_processors()
            && let Some(element) =
                class_path.iter().find(|element| entries(element).iter().any(|name| name == PROCESSORS))
        {
            return doubt(format!("{} has an annotation processor", element.display()));
        }
        if let Some(copy) = self.copies(files).find(|copy| copy.exists()) {
            return doubt(format!("{} is a copy of a source", copy.display()));
        }
        let scratch = tempfile::tempdir().map_err(|error| {
            Error::usage(
                format!("The folder for temporary files cannot be written: {error}."),
                "Set TMPDIR to a folder that can be written.",
            )
        })?;
        let Ok(java_home) = jdk::at(&self.project.java_home) else {
            return doubt("the JDK of before is gone");
        };
        let mut command = embedded_java::quick_javac(&java_home);
        command.args(options).args(["-proc:none", "-implicit:none", "-sourcepath"]).arg(scratch.path().join("none"));
        let path = std::env::join_paths(class_path)
            .map_err(|error| Error::bug(format!("A class path that Maven uses cannot be written: {error}.")))?;
        let made = scratch.path().join("classes");
        if let Err(error) = std::fs::create_dir(&made) {
            return doubt(format!("{} cannot be made: {error}", made.display()));
        }
        command.arg("-cp").arg(path).arg("-d").arg(&made).args(files).stdin(Stdio::null());
        command.current_dir(&self.project.base_directory);
        if !run(command)? {
            return doubt("the edited sources do not compile");
        }
        self.compare(files, &made, handover)
    }

    /// Where sources would be, were they resources, too.
    fn copies(&self, files: &[&Path]) -> impl Iterator<Item = PathBuf> {
        let in_root = |root: &Path, file: &Path| Some(self.classes().join(file.strip_prefix(root).ok()?));
        self.roots().iter().flat_map(move |root| files.iter().filter_map(move |file| in_root(root, file)))
    }

    /// The classes in the folder `made`, if nothing that Maven compiles can come out otherwise because of them.
    fn compare(&self, files: &[&Path], made: &Path, handover: &Handover) -> Result<Classes, Unmade> {
        let mut new = Classes::new();
        for file in all_in(made, |_| true).into_keys() {
            let path = file.strip_prefix(made).unwrap_or(&file);
            new.insert(self.classes().join(path), read(&file)?);
        }
        let names: BTreeSet<&str> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        let mut old = Classes::new();
        let packages: BTreeSet<&Path> = new.keys().filter_map(|file| file.parent()).collect();
        for file in packages.into_iter().flat_map(|package| std::fs::read_dir(package).into_iter().flatten().flatten())
        {
            let file = file.path();
            if file.extension().is_none_or(|end| end != "class") {
                continue;
            }
            let bytes = read(&file)?;
            let source = outline(&bytes).map_err(unreadable)?.source_file;
            if new.contains_key(&file) || source.is_some_and(|source| names.contains(source.as_str())) {
                old.insert(file, bytes);
            }
        }
        if let Some(gone) = old.keys().find(|file| !new.contains_key(*file)) {
            return doubt(format!("{} is no longer made", gone.display()));
        }
        let mut others = BTreeSet::new();
        for (file, now) in &new {
            let Some(then) = old.get(file) else {
                others.insert(file.clone());
                continue;
            };
            if TABLES.iter().any(|table| names_table(then, table) != names_table(now, table)) {
                return doubt(format!("{} would tell more or less of its code", file.display()));
            }
            let (now, then) = (digest(now).map_err(unreadable)?, digest(then).map_err(unreadable)?);
            if now.changed_bodies(&then).is_none() {
                others.insert(file.clone());
            }
        }
        if others.is_empty() {
            return Ok(new);
        }
        self.seen_by_nobody(files, &others, handover).map(|()| new)
    }

    /// Whether classes that are others, in more than bodies, are of tests that no other source names: then nobody else is compiled otherwise.
    fn seen_by_nobody(&self, files: &[&Path], others: &BTreeSet<PathBuf>, handover: &Handover) -> Result<(), Unmade> {
        let first = others.first().map(|file| file.display().to_string()).unwrap_or_default();
        let change = format!("{first} has changed in more than bodies of methods");
        if !self.of_tests {
            return doubt(change);
        }
        // `Outer$Inner` is written `Inner` elsewhere; anonymous classes have no name.
        let stems = others.iter().filter_map(|file| file.file_stem()?.to_str());
        let names: BTreeSet<&str> = stems
            .flat_map(|stem| stem.split('$'))
            .map(|name| name.trim_start_matches(|c: char| c.is_ascii_digit()))
            .filter(|name| !name.is_empty())
            .collect();
        for source in all_sources(handover).iter().filter(|source| !files.contains(&source.as_path())) {
            let text = read(source)?;
            let text = String::from_utf8_lossy(&text);
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            if let Some(name) = text.split(|c| !is_part(c)).find(|word| names.contains(word)) {
                return doubt(format!("{change}, and {} names {name}", source.display()));
            }
        }
        Ok(())
    }
}

/// Attributes of code (JVMS §4.7) that hang on the compiler's options alone.
const TABLES: [&str; 2] = ["LineNumberTable", "LocalVariableTable"];

/// Whether a class file has such an attribute: its name is in the constant pool (JVMS §4.4.7) then.
fn names_table(bytes: &[u8], table: &str) -> bool {
    let length = u16::try_from(table.len()).unwrap_or(u16::MAX).to_be_bytes();
    let constant = [&[1], length.as_slice(), table.as_bytes()].concat();
    bytes.windows(constant.len()).any(|window| window == constant)
}

fn read(file: &Path) -> Result<Vec<u8>, Unmade> {
    std::fs::read(file).map_err(|error| Unmade::Doubt(format!("{} cannot be read: {error}", file.display())))
}

fn unreadable(error: impl std::fmt::Display) -> Unmade {
    Unmade::Doubt(format!("a class file cannot be read: {error}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Why Maven is asked where one source was edited in a module of which this is known, if for a reason before anything is compiled.
    fn doubt_about(module: &Value) -> Option<String> {
        let project = json!({
            "artifactId": "m", "baseDirectory": "/p", "buildDirectory": "/p/target", "outputDirectory": "/p/target/classes",
            "testOutputDirectory": "/p/target/test-classes", "sourceRoots": ["/p/src"], "testSourceRoots": ["/p/test"],
            "properties": {}, "userProperties": {}, "localRepository": "/r", "javaHome": "/no-jdk", "artifacts": []});
        let mut module = module.clone();
        module["project"] = project;
        let handover: Handover = serde_json::from_value(json!({"modules": [module]})).unwrap();
        let compiled = compile(&handover, &BTreeSet::from(["/p/src/A.java".into()]), &mut |_| Ok(false));
        match compiled {
            Err(Unmade::Doubt(why)) => Some(why).filter(|why| !why.contains("JDK of before is gone")),
            other => panic!("{other:?}"),
        }
    }

    fn mojo(name: &str, writes: bool) -> Value {
        let (artifact, goal) = name.split_once(':').unwrap();
        json!({"artifact": artifact, "goal": goal, "writes": writes})
    }

    #[test]
    fn any_plugin_that_may_make_something_of_sources_is_a_doubt() {
        let compilation = json!({"goal": "compile", "classPath": ["/p/target/classes"]});
        let with = |mojos: &[Value]| doubt_about(&json!({"mojos": mojos, "compilations": [compilation]}));
        let compiler = mojo("maven-compiler-plugin:compile", false);
        let ant = mojo("maven-antrun-plugin:run", false);
        assert_eq!(with(&[ant.clone(), compiler.clone()]), None);
        assert!(with(&[compiler.clone(), ant]).unwrap().contains("antrun-plugin:run may"));
        let writes = with(&[mojo("build-helper-maven-plugin:add-source", true), compiler.clone()]);
        assert!(writes.unwrap().contains("add-source writes into"));
        assert!(with(&[mojo("aspectj-maven-plugin:compile", false), compiler]).unwrap().contains("aspectj"));
    }

    #[test]
    fn any_way_to_compile_that_is_not_plainly_javac_is_a_doubt() {
        let with = |name: &str, value: Value| {
            let mut compilation = json!({"goal": "compile", "classPath": ["/p/target/classes"]});
            compilation[name] = value;
            doubt_about(&json!({"compilations": [compilation]}))
        };
        assert_eq!(with("compilerId", json!("javac")), None);
        assert!(with("compilerId", json!("eclipse")).unwrap().contains("another compiler"));
        assert!(with("executable", json!("/other/javac")).unwrap().contains("another JDK"));
        assert!(with("modulePath", json!(["/a.jar"])).unwrap().contains("module path"));
        assert!(with("hasProcessorPath", json!(true)).unwrap().contains("annotation processors"));
        assert!(with("classPath", json!([])).unwrap().contains("class path"));
        assert!(with("goal", json!("other")).unwrap().contains("not known how"));
        let twice = json!({"goal": "compile", "classPath": ["/p/target/classes"]});
        assert!(doubt_about(&json!({"compilations": [twice, twice]})).unwrap().contains("not known how"));
    }

    #[test]
    fn a_processor_on_the_class_path_is_a_doubt_unless_none_is_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let services = folder.path().join("META-INF/services");
        std::fs::create_dir_all(&services).unwrap();
        std::fs::write(services.join("javax.annotation.processing.Processor"), "org.example.Processor").unwrap();
        let with = |proc: Value| {
            let compilation = json!({"goal": "compile", "classPath": [folder.path()], "settings": {"proc": proc}});
            doubt_about(&json!({"compilations": [compilation]}))
        };
        assert!(with(Value::Null).unwrap().contains("has an annotation processor"));
        assert_eq!(with(json!("none")), None);
    }

    #[test]
    fn the_name_of_an_attribute_is_found_as_a_constant() {
        assert!(names_table(b"\xca\xfe\x01\x00\x0fLineNumberTable\x01", "LineNumberTable"));
        assert!(!names_table(b"\x01\x00\x10LineNumberTables", "LineNumberTable"));
    }
}

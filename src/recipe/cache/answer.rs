//! Maven's last answer, kept in the user's cache and used again while nothing has changed that it
//! is known to depend on.
//!
//! It depends on the command line with the files that it names, the environment, the Maven that
//! runs with its jars, and the settings of the user and of the installation. It depends on each
//! file of the project outside of its build folders, by size and times, if the file did not change
//! while Maven ran. And it depends on each file that it names, and on everything in the folders of
//! classes.
//!
//! An answer is not kept if it may depend on more: on snapshots of other projects, on versions that
//! a POM leaves open, or on files outside of the build folders that the build changes.

use crate::base::cache_folder::cache_folder;
use crate::base::fingerprint::{Fingerprint, Stamps, all_in, fingerprint, is_input_of_project, outside, stamp};
use crate::base::kept;
use crate::base::read::read_text;
use crate::project::Project;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The place of an answer in the cache, and the inputs that decide whether it holds.
#[derive(Debug)]
pub(crate) struct AnswerCache {
    file: PathBuf,
    /// Folder of the project.
    root: PathBuf,
    /// Folder of the reports, which is no input of the build even if it is inside of the project.
    output: PathBuf,
    /// Files that arguments may name, relative to the project's folder: `--settings=FILE`.
    named: Vec<PathBuf>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The text that the Maven extension wrote.
    handover: String,
    notes: Vec<String>,
    build_folders: BTreeSet<PathBuf>,
    source_roots: BTreeSet<PathBuf>,
    /// Java sources in the source roots, outside of the build folders.
    sources: Stamps,
    /// Fingerprint of all other files of the project outside of the build folders.
    inputs: String,
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    /// Fingerprint of these files and of everything in these folders.
    outputs: String,
}

impl Entry {
    /// Splits the files of the project into sources, and the fingerprint of everything else outside
    /// of the build folders.
    fn split(&self, project: &Stamps) -> (Stamps, String) {
        let is_source = |path: &Path| {
            path.extension().is_some_and(|end| end == "java")
                && self.source_roots.iter().any(|root| path.starts_with(root))
        };
        let (sources, others): (Stamps, Stamps) =
            outside(project, &self.build_folders).into_iter().partition(|(path, _)| is_source(path));
        (sources, fingerprint(&others))
    }
}

/// An answer that still holds, apart from edited sources.
#[derive(Debug)]
pub(crate) struct CachedAnswer {
    entry: Entry,
    /// Sources that have changed; nothing else has.
    pub(crate) edited: BTreeSet<PathBuf>,
}

impl CachedAnswer {
    pub(crate) fn handover(&self) -> &str {
        &self.entry.handover
    }

    pub(crate) fn notes(&self) -> &[String] {
        &self.entry.notes
    }
}

impl AnswerCache {
    /// `program` is the Maven that would run with `arguments`; `output` is the folder of the
    /// reports.
    pub(crate) fn new(
        project: &Project,
        program: &Path,
        arguments: &[String],
        offline: bool,
        output: &Path,
    ) -> Option<Self> {
        let mut key = Fingerprint::of_program_and_environment()?;
        key.add(&project.pom.to_string_lossy());
        key.add(&program.to_string_lossy());
        key.add(if offline { "offline" } else { "" });
        for argument in arguments {
            key.add(argument);
        }
        let file = cache_folder().join("maven").join(format!("{}.json", key.finish()));
        let named = arguments.iter().map(|argument| {
            let value = argument.split_once('=').map_or(argument.as_str(), |(_, value)| value);
            project.root.join(value)
        });
        let named = named.collect();
        Some(Self { file, root: project.root.clone(), output: output.to_path_buf(), named })
    }

    /// The stored answer, if nothing has changed but sources.
    pub(crate) fn lookup(&self) -> Option<CachedAnswer> {
        let mut entry: Entry = kept::read_json(&self.file).ok()?;
        let (sources, inputs) = entry.split(&self.inputs());
        let holds = inputs == entry.inputs
            && sources.keys().eq(entry.sources.keys())
            && fingerprint(&outputs(&entry.files, &entry.folders)) == entry.outputs;
        if !holds {
            return None;
        }
        let edited = sources.iter().filter(|(file, stamp)| entry.sources.get(*file) != Some(stamp));
        let edited = edited.map(|(file, _)| file.clone()).collect();
        entry.sources = sources;
        Some(CachedAnswer { entry, edited })
    }

    /// Whether no file of the project has changed since `answer` was looked up.
    pub(crate) fn is_unchanged_since(&self, answer: &CachedAnswer) -> bool {
        let (sources, inputs) = answer.entry.split(&self.inputs());
        sources == answer.entry.sources && inputs == answer.entry.inputs
    }

    /// Stores an answer again after the class files of its edited sources have been written.
    pub(crate) fn store_edited(&self, mut answer: CachedAnswer) -> Option<()> {
        answer.entry.outputs = fingerprint(&outputs(&answer.entry.files, &answer.entry.folders));
        kept::write_json(&self.file, &answer.entry)
    }

    /// Every file that Maven may read apart from those that it builds itself.
    pub(crate) fn inputs(&self) -> Stamps {
        let mut stamps = all_in(&self.root, |path| is_input_of_project(path, &self.output));
        let mut others = Vec::new();
        for folder in self.root.ancestors().skip(1) {
            others.push(folder.join("pom.xml"));
            stamps.extend(all_in(&folder.join(".mvn"), |_| true));
        }
        if let Some(home) = std::env::home_dir() {
            let names = ["settings.xml", "settings-security.xml", "toolchains.xml", "extensions.xml"];
            others.extend(names.iter().map(|name| home.join(".m2").join(name)));
            others.extend([home.join(".mavenrc"), "/etc/mavenrc".into()]);
        }
        others.extend(self.named.iter().filter(|path| !path.is_dir()).cloned());
        stamps.extend(others.into_iter().map(|file| (file.clone(), stamp(&file))));
        stamps
    }

    /// Stores the answer `handover`; `None` if it may depend on something unknown. `before` are the
    /// [`AnswerCache::inputs`] from before Maven ran, `maven` the files of which Maven itself
    /// consists.
    pub(crate) fn store(&self, before: &Stamps, maven: Vec<PathBuf>, handover: &str, notes: &[String]) -> Option<()> {
        let value: Value = serde_json::from_str(handover).ok()?;
        let modules = value.get("modules")?.as_array()?;
        let build_folders = module_paths(modules, "buildDirectory");
        let mut elsewhere = module_paths(modules, "localRepository");
        elsewhere.append(&mut module_paths(modules, "javaHome"));
        let (mut files, folders) = self.named_in_answer(&value, &build_folders, &elsewhere)?;
        let mut poms =
            before.keys().chain(&files).filter(|path| path.file_name().is_some_and(|name| name == "pom.xml"));
        if files.iter().any(|file| is_snapshot(file)) || poms.any(|pom| leaves_versions_open(pom)) {
            return None;
        }
        files.extend(maven);
        files.extend(elsewhere.iter().map(|folder| folder.join("release")));
        let outputs = fingerprint(&outputs(&files, &folders));
        let mut entry = Entry {
            handover: handover.to_owned(),
            notes: notes.to_vec(),
            build_folders,
            source_roots: source_roots(modules),
            sources: Stamps::new(),
            inputs: String::new(),
            files,
            folders,
            outputs,
        };
        let project = entry.split(before);
        if entry.split(&self.inputs()) != project {
            return None;
        }
        (entry.sources, entry.inputs) = project;
        kept::write_json(&self.file, &entry)
    }

    /// The files that the answer names, and the folders of classes; `None` if it names another
    /// folder whose content may matter.
    fn named_in_answer(
        &self,
        answer: &Value,
        build_folders: &BTreeSet<PathBuf>,
        elsewhere: &BTreeSet<PathBuf>,
    ) -> Option<(BTreeSet<PathBuf>, BTreeSet<PathBuf>)> {
        let mut named = BTreeSet::new();
        collect_paths(answer, &mut named);
        let is_built = |path: &Path| build_folders.iter().any(|folder| path.starts_with(folder) && path != folder);
        let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
        for path in named {
            if !path.is_dir() {
                files.insert(path);
            } else if is_built(&path) {
                folders.insert(path);
            } else if !path.starts_with(&self.root) && !self.root.starts_with(&path) && !elsewhere.contains(&path) {
                return None;
            }
        }
        Some((files, folders))
    }
}

/// The path under `key` of each module's project.
fn module_paths(modules: &[Value], key: &str) -> BTreeSet<PathBuf> {
    let found = modules.iter().filter_map(|module| module.get("project")?.get(key)?.as_str());
    found.map(PathBuf::from).collect()
}

fn source_roots(modules: &[Value]) -> BTreeSet<PathBuf> {
    let roots = modules.iter().flat_map(|module| {
        let roots = |key: &str| module.get("project")?.get(key)?.as_array();
        ["sourceRoots", "testSourceRoots"].into_iter().filter_map(roots).flatten().filter_map(|root| root.as_str())
    });
    roots.map(PathBuf::from).collect()
}

/// Parts of the answer in which a path is just a text.
const NO_PATHS: [&str; 2] = ["properties", "userProperties"];

/// Collects all absolute paths that the answer names, also those in lists.
fn collect_paths(value: &Value, found: &mut BTreeSet<PathBuf>) {
    match value {
        Value::String(text) if Path::new(text).is_absolute() => {
            found.insert(PathBuf::from(text));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_paths(value, found)),
        Value::Object(values) => {
            let with_paths = values.iter().filter(|(key, _)| !NO_PATHS.contains(&key.as_str()));
            with_paths.for_each(|(_, value)| collect_paths(value, found));
        }
        _ => {}
    }
}

/// Whether a file belongs to a version that may be published again with other content.
fn is_snapshot(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().contains("-SNAPSHOT"))
}

/// Whether a POM asks for a range of versions or for the newest one. Such a version can change
/// while no file here does.
fn leaves_versions_open(pom: &Path) -> bool {
    let text = read_text(pom).unwrap_or_default();
    text.split("<version>").skip(1).any(|version| {
        let version = version.trim_start();
        ["[", "(", "LATEST", "RELEASE"].iter().any(|open| version.starts_with(open))
    })
}

fn outputs(files: &BTreeSet<PathBuf>, folders: &BTreeSet<PathBuf>) -> Stamps {
    let mut stamps: Stamps = files.iter().map(|file| (file.clone(), stamp(file))).collect();
    stamps.extend(folders.iter().flat_map(|folder| all_in(folder, |_| true)));
    stamps
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    struct Fixture {
        folder: tempfile::TempDir,
        cache: AnswerCache,
        maven: Vec<PathBuf>,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("project");
            for (file, text) in [
                ("project/pom.xml", "<project><version>1-SNAPSHOT</version></project>"),
                (".mvn/maven.config", "-B"),
                ("settings.xml", "<settings/>"),
                ("project/src/A.java", "class A {}"),
                ("project/target/classes/A.class", "A"),
                ("maven/lib/core.jar", "core"),
                ("repository/junit.jar", "junit"),
            ] {
                let file = folder.path().join(file);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, text).unwrap();
            }
            let (file, output) = (folder.path().join("cache/x.json"), root.join("target/reneri"));
            let cache = AnswerCache { file, output, root, named: vec![folder.path().join("settings.xml")] };
            let maven = vec![folder.path().join("maven/lib/core.jar")];
            Self { folder, cache, maven }
        }

        fn path(&self, path: &str) -> PathBuf {
            self.folder.path().join(path)
        }

        fn handover(&self, jar: &str) -> String {
            serde_json::json!({"modules": [{"project": {
                "baseDirectory": self.path("project"), "buildDirectory": self.path("project/target"),
                "outputDirectory": self.path("project/target/classes"), "localRepository": self.path("repository"),
                "sourceRoots": [self.path("project/src")],
                "artifacts": [{"file": self.path(jar)}],
            }}]})
            .to_string()
        }

        fn store(&self) -> Option<()> {
            let before = self.cache.inputs();
            self.cache.store(&before, self.maven.clone(), &self.handover("repository/junit.jar"), &["note".to_owned()])
        }

        /// Whether the answer holds without anything to compile.
        fn is_answered(&self) -> bool {
            self.cache.lookup().is_some_and(|answer| answer.edited.is_empty())
        }
    }

    #[test]
    fn an_answer_holds_while_nothing_changes() {
        let fixture = Fixture::new();
        assert!(!fixture.is_answered());
        fixture.store().unwrap();
        let answer = fixture.cache.lookup().unwrap();
        assert_eq!(
            (answer.handover(), answer.notes()),
            (fixture.handover("repository/junit.jar").as_str(), ["note".to_owned()].as_slice())
        );
        // Maven reads none of these.
        std::fs::create_dir_all(fixture.path("project/target/reneri")).unwrap();
        std::fs::write(fixture.path("project/target/reneri/report.md"), "report").unwrap();
        std::fs::write(fixture.path("project/target/other"), "other").unwrap();
        assert!(fixture.is_answered());
    }

    #[test]
    fn any_changed_input_ends_the_answer() {
        for file in [
            "project/pom.xml",
            "project/src/A.java",
            "project/target/classes/A.class",
            "maven/lib/core.jar",
            "repository/junit.jar",
            ".mvn/maven.config",
            "settings.xml",
        ] {
            let fixture = Fixture::new();
            fixture.store().unwrap();
            let file = fixture.path(file);
            let (text, times) = (std::fs::read(&file).unwrap(), std::fs::metadata(&file).unwrap().modified().unwrap());
            // Size and time of modification stay the same.
            let other: Vec<u8> = text.iter().map(|byte| byte ^ 1).collect();
            std::fs::write(&file, other).unwrap();
            std::fs::File::options().write(true).open(&file).unwrap().set_modified(times).unwrap();
            assert!(!fixture.is_answered(), "{}", file.display());
        }
        for file in [
            "project/src/B.java",
            "project/.mvn/jvm.config",
            "project/target/classes/B.class",
            "pom.xml",
            ".mvn/jvm.config",
        ] {
            let fixture = Fixture::new();
            fixture.store().unwrap();
            let file = fixture.path(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "new").unwrap();
            assert!(!fixture.is_answered(), "{}", file.display());
        }
        for file in ["project/src/A.java", "project/target/classes/A.class", "repository/junit.jar"] {
            let fixture = Fixture::new();
            fixture.store().unwrap();
            std::fs::remove_file(fixture.path(file)).unwrap();
            assert!(!fixture.is_answered(), "{file}");
        }
    }

    #[test]
    fn edited_sources_are_distinguished_from_other_changes() {
        let fixture = Fixture::new();
        fixture.store().unwrap();
        std::fs::write(fixture.path("project/src/A.java"), "class A { int i; }").unwrap();
        let answer = fixture.cache.lookup().unwrap();
        assert_eq!(answer.edited, BTreeSet::from([fixture.path("project/src/A.java")]));
        assert!(fixture.cache.is_unchanged_since(&answer));
        std::fs::write(fixture.path("project/target/classes/A.class"), "AA").unwrap();
        fixture.cache.store_edited(answer).unwrap();
        assert!(fixture.is_answered());
        let answer = fixture.cache.lookup().unwrap();
        std::fs::write(fixture.path("project/src/A.java"), "class A { long i; }").unwrap();
        assert!(!fixture.cache.is_unchanged_since(&answer), "edited meanwhile");
        std::fs::write(fixture.path("project/pom.xml"), "<project/>").unwrap();
        assert!(fixture.cache.lookup().is_none());
    }

    #[test]
    fn symbolic_links_are_followed() {
        let fixture = Fixture::new();
        std::fs::create_dir(fixture.path("shared")).unwrap();
        std::fs::write(fixture.path("shared/C.java"), "class C {}").unwrap();
        std::os::unix::fs::symlink(fixture.path("shared"), fixture.path("project/src/shared")).unwrap();
        // A circle of links does no harm.
        std::os::unix::fs::symlink(fixture.path("project"), fixture.path("shared/project")).unwrap();
        fixture.store().unwrap();
        assert!(fixture.is_answered());
        std::fs::write(fixture.path("shared/C.java"), "class C { int i; }").unwrap();
        assert!(!fixture.is_answered());
    }

    #[test]
    fn an_answer_with_unknown_dependencies_is_not_stored() {
        let fixture = Fixture::new();
        let before = fixture.cache.inputs();
        std::fs::write(fixture.path("project/src/Generated.java"), "class Generated {}").unwrap();
        let store = |before: &Stamps, jar: &str| {
            fixture.cache.store(before, fixture.maven.clone(), &fixture.handover(jar), &[])
        };
        assert_eq!(store(&before, "repository/junit.jar"), None, "the build wrote into the sources");
        let now = fixture.cache.inputs();
        assert_eq!(store(&now, "repository/other-1-SNAPSHOT.jar"), None, "a snapshot may be published again");
        std::fs::write(fixture.path("project/pom.xml"), "<project><version>\n  [1,2)</version></project>").unwrap();
        assert_eq!(store(&fixture.cache.inputs(), "repository/junit.jar"), None, "a range");
        assert!(!fixture.is_answered());
    }

    #[test]
    fn a_broken_file_is_no_answer() {
        let fixture = Fixture::new();
        fixture.store().unwrap();
        std::fs::write(&fixture.cache.file, "{").unwrap();
        assert!(!fixture.is_answered());
    }
}

//! Maven's answer, kept in the user's cache and given again for as long as everything that is known to go into it is as it was.
//!
//! That is: the command line, with the files that it names, and the environment; which Maven is found and its jars; the user's and the
//! installation's settings; each file of the project outside of its build folders, by size and times, as it was before Maven began and still was
//! when it had ended; and each file that the answer names, with all that is in the folders of classes. Nothing is kept where the answer may hang
//! on more: snapshots of other projects, versions that a POM leaves open, files that the build changes outside of its build folders.

use super::installation::{Installation, found};
use crate::base::embedded_java::cache_folder;
use crate::base::fingerprint::{
    Fingerprint, Stamps, all_in, fingerprint, is_input_of_project, outside, replace, stamp,
};
use crate::project::Project;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What Maven is about to be asked.
#[derive(Debug)]
pub(super) struct Question {
    file: PathBuf,
    root: PathBuf,
    /// The folder of reports is no part of the project, wherever it is.
    output: PathBuf,
    /// Files that arguments may name, from the project's folder: `--settings=FILE`.
    named: Vec<PathBuf>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// What the Maven extension wrote.
    handover: String,
    notes: Vec<String>,
    build_folders: BTreeSet<PathBuf>,
    source_roots: BTreeSet<PathBuf>,
    /// Java sources in the source roots, outside of the build folders.
    sources: Stamps,
    /// Of the project outside of the build folders, but for these sources.
    inputs: String,
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    /// Of these files, and of all in these folders.
    outputs: String,
}

impl Kept {
    /// The sources, and the fingerprint of all else outside of the build folders.
    fn of_project(&self, project: &Stamps) -> (Stamps, String) {
        let is_source = |path: &Path| {
            path.extension().is_some_and(|end| end == "java")
                && self.source_roots.iter().any(|root| path.starts_with(root))
        };
        let (sources, others): (Stamps, Stamps) =
            outside(project, &self.build_folders).into_iter().partition(|(path, _)| is_source(path));
        (sources, fingerprint(&others))
    }
}

/// The answer of before.
#[derive(Debug)]
pub(super) struct Answer {
    kept: Kept,
    /// Sources that have changed since; nothing else has.
    pub(super) edited: BTreeSet<PathBuf>,
}

impl Answer {
    pub(super) fn handover(&self) -> &str {
        &self.kept.handover
    }

    pub(super) fn notes(&self) -> &[String] {
        &self.kept.notes
    }
}

impl Question {
    /// `arguments` are Maven's; `output` is the folder of reports. `None` where there is no Maven.
    pub(super) fn new(project: &Project, arguments: &[String], offline: bool, output: &Path) -> Option<Self> {
        let mut question = Fingerprint::of_program_and_environment()?;
        let mut add = |text: &str| question.add(text);
        add(&project.pom.to_string_lossy());
        add(&found(&project.root)?.to_string_lossy());
        add(if offline { "offline" } else { "" });
        arguments.iter().for_each(|argument| add(argument));
        let file = cache_folder().join("maven").join(format!("{}.json", question.finish()));
        let value =
            |argument: &String| argument.split_once('=').map_or(argument.clone(), |(_, value)| value.to_owned());
        let named = arguments.iter().map(|argument| project.root.join(value(argument))).collect();
        Some(Self { file, root: project.root.clone(), output: output.to_path_buf(), named })
    }

    /// What is kept, if it still holds but for sources that were edited.
    pub(super) fn answer(&self) -> Option<Answer> {
        let mut kept: Kept = serde_json::from_slice(&std::fs::read(&self.file).ok()?).ok()?;
        let (sources, inputs) = kept.of_project(&self.project());
        let holds = inputs == kept.inputs
            && sources.keys().eq(kept.sources.keys())
            && fingerprint(&outputs(&kept.files, &kept.folders)) == kept.outputs;
        let edited = sources.iter().filter(|(file, stamp)| kept.sources.get(*file) != Some(stamp));
        let edited = edited.map(|(file, _)| file.clone()).collect();
        kept.sources = sources;
        holds.then_some(Answer { kept, edited })
    }

    /// Whether nothing of the project has changed since the answer was looked up.
    pub(super) fn is_as_answered(&self, answer: &Answer) -> bool {
        let (sources, inputs) = answer.kept.of_project(&self.project());
        sources == answer.kept.sources && inputs == answer.kept.inputs
    }

    /// Keeps an answer that holds for the sources of now, whose class files have been written.
    pub(super) fn keep_edited(&self, mut answer: Answer) -> Option<()> {
        answer.kept.outputs = fingerprint(&outputs(&answer.kept.files, &answer.kept.folders));
        replace(&self.file, &answer.kept)
    }

    /// Every file that Maven may read before it comes to what it builds itself.
    pub(super) fn project(&self) -> Stamps {
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

    /// Keeps an answer, if all that it hangs on is known. `before` is [`Question::project`] from before Maven began.
    pub(super) fn keep(&self, before: &Stamps, maven: &Installation, handover: &str, notes: &[String]) -> Option<()> {
        let value: serde_json::Value = serde_json::from_str(handover).ok()?;
        let mut named = BTreeSet::new();
        paths(&value, &mut named);
        let modules = value.get("modules")?.as_array()?;
        let of_modules = |key: &str| -> BTreeSet<PathBuf> {
            let found = modules.iter().filter_map(|module| module.get("project")?.get(key)?.as_str());
            found.map(PathBuf::from).collect()
        };
        let build_folders = of_modules("buildDirectory");
        let source_roots = modules.iter().flat_map(|module| {
            let roots = |key: &str| module.get("project")?.get(key)?.as_array();
            ["sourceRoots", "testSourceRoots"].into_iter().filter_map(roots).flatten().filter_map(|root| root.as_str())
        });
        let source_roots = source_roots.map(PathBuf::from).collect();
        let elsewhere: BTreeSet<PathBuf> =
            of_modules("localRepository").into_iter().chain(of_modules("javaHome")).collect();
        let is_built = |path: &Path| build_folders.iter().any(|folder| path.starts_with(folder) && path != folder);
        let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
        for path in named {
            if path.is_dir() {
                if is_built(&path) {
                    folders.insert(path);
                } else if !path.starts_with(&self.root) && !self.root.starts_with(&path) && !elsewhere.contains(&path) {
                    return None;
                }
            } else {
                files.insert(path);
            }
        }
        let mut poms =
            before.keys().chain(&files).filter(|path| path.file_name().is_some_and(|name| name == "pom.xml"));
        let is_open = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().contains("-SNAPSHOT"));
        if files.iter().any(|file| is_open(file)) || poms.any(|pom| leaves_versions_open(pom)) {
            return None;
        }
        files.extend(maven.files());
        files.extend(elsewhere.iter().map(|folder| folder.join("release")));
        let outputs = fingerprint(&outputs(&files, &folders));
        let mut kept = Kept {
            handover: handover.to_owned(),
            notes: notes.to_vec(),
            build_folders,
            source_roots,
            sources: Stamps::new(),
            inputs: String::new(),
            files,
            folders,
            outputs,
        };
        let project = kept.of_project(before);
        if kept.of_project(&self.project()) != project {
            return None;
        }
        (kept.sources, kept.inputs) = project;
        replace(&self.file, &kept)
    }
}

/// Parts of the answer in which a path is a text like any other.
const NO_PATHS: [&str; 2] = ["properties", "userProperties"];

/// All absolute paths that the answer names; those of lists, too.
fn paths(value: &serde_json::Value, found: &mut BTreeSet<PathBuf>) {
    match value {
        serde_json::Value::String(text) if Path::new(text).is_absolute() => {
            found.insert(PathBuf::from(text));
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| paths(value, found)),
        serde_json::Value::Object(values) => {
            let with_paths = values.iter().filter(|(key, _)| !NO_PATHS.contains(&key.as_str()));
            with_paths.for_each(|(_, value)| paths(value, found));
        }
        _ => {}
    }
}

/// A range, or the newest: what it stands for changes without any change here.
fn leaves_versions_open(pom: &Path) -> bool {
    let text = std::fs::read_to_string(pom).unwrap_or_default();
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
        question: Question,
        maven: Installation,
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
            let question = Question { file, output, root, named: vec![folder.path().join("settings.xml")] };
            let maven = Installation::new(&folder.path().join("maven/mvn"), folder.path().join("maven"), "/jdk".into());
            Self { folder, question, maven }
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

        fn keep(&self) -> Option<()> {
            let before = self.question.project();
            self.question.keep(&before, &self.maven, &self.handover("repository/junit.jar"), &["note".to_owned()])
        }

        /// With nothing to compile.
        fn is_answered(&self) -> bool {
            self.question.answer().is_some_and(|answer| answer.edited.is_empty())
        }
    }

    #[test]
    fn an_answer_holds_while_nothing_changes() {
        let fixture = Fixture::new();
        assert!(!fixture.is_answered());
        fixture.keep().unwrap();
        let answer = fixture.question.answer().unwrap();
        assert_eq!(
            (answer.handover(), answer.notes()),
            (fixture.handover("repository/junit.jar").as_str(), ["note".to_owned()].as_slice())
        );
        // Of no concern to Maven.
        std::fs::create_dir_all(fixture.path("project/target/reneri")).unwrap();
        std::fs::write(fixture.path("project/target/reneri/report.md"), "report").unwrap();
        std::fs::write(fixture.path("project/target/other"), "other").unwrap();
        assert!(fixture.is_answered());
    }

    #[test]
    fn whatever_changes_ends_it() {
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
            fixture.keep().unwrap();
            let file = fixture.path(file);
            let (text, times) = (std::fs::read(&file).unwrap(), std::fs::metadata(&file).unwrap().modified().unwrap());
            // The same size and time of modification.
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
            fixture.keep().unwrap();
            let file = fixture.path(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "new").unwrap();
            assert!(!fixture.is_answered(), "{}", file.display());
        }
        for file in ["project/src/A.java", "project/target/classes/A.class", "repository/junit.jar"] {
            let fixture = Fixture::new();
            fixture.keep().unwrap();
            std::fs::remove_file(fixture.path(file)).unwrap();
            assert!(!fixture.is_answered(), "{file}");
        }
    }

    #[test]
    fn an_edited_source_is_told_from_all_else() {
        let fixture = Fixture::new();
        fixture.keep().unwrap();
        std::fs::write(fixture.path("project/src/A.java"), "class A { int i; }").unwrap();
        let answer = fixture.question.answer().unwrap();
        assert_eq!(answer.edited, BTreeSet::from([fixture.path("project/src/A.java")]));
        assert!(fixture.question.is_as_answered(&answer));
        std::fs::write(fixture.path("project/target/classes/A.class"), "AA").unwrap();
        fixture.question.keep_edited(answer).unwrap();
        assert!(fixture.is_answered());
        let answer = fixture.question.answer().unwrap();
        std::fs::write(fixture.path("project/src/A.java"), "class A { long i; }").unwrap();
        assert!(!fixture.question.is_as_answered(&answer), "edited meanwhile");
        std::fs::write(fixture.path("project/pom.xml"), "<project/>").unwrap();
        assert!(fixture.question.answer().is_none());
    }

    #[test]
    fn links_are_followed() {
        let fixture = Fixture::new();
        std::fs::create_dir(fixture.path("shared")).unwrap();
        std::fs::write(fixture.path("shared/C.java"), "class C {}").unwrap();
        std::os::unix::fs::symlink(fixture.path("shared"), fixture.path("project/src/shared")).unwrap();
        // A circle does no harm.
        std::os::unix::fs::symlink(fixture.path("project"), fixture.path("shared/project")).unwrap();
        fixture.keep().unwrap();
        assert!(fixture.is_answered());
        std::fs::write(fixture.path("shared/C.java"), "class C { int i; }").unwrap();
        assert!(!fixture.is_answered());
    }

    #[test]
    fn what_hangs_on_more_is_not_kept() {
        let fixture = Fixture::new();
        let before = fixture.question.project();
        std::fs::write(fixture.path("project/src/Generated.java"), "class Generated {}").unwrap();
        let keep =
            |before: &Stamps, jar: &str| fixture.question.keep(before, &fixture.maven, &fixture.handover(jar), &[]);
        assert_eq!(keep(&before, "repository/junit.jar"), None, "the build wrote into the sources");
        let now = fixture.question.project();
        assert_eq!(keep(&now, "repository/other-1-SNAPSHOT.jar"), None, "a snapshot may come anew");
        std::fs::write(fixture.path("project/pom.xml"), "<project><version>\n  [1,2)</version></project>").unwrap();
        assert_eq!(keep(&fixture.question.project(), "repository/junit.jar"), None, "a range");
        assert!(!fixture.is_answered());
    }

    #[test]
    fn a_broken_file_is_no_answer() {
        let fixture = Fixture::new();
        fixture.keep().unwrap();
        std::fs::write(&fixture.question.file, "{").unwrap();
        assert!(!fixture.is_answered());
    }
}

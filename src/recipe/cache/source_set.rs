//! The sources that Maven compiles in one go: those of the code, or of the tests, of one module.

use super::comparison::Comparison;
use super::refusal::{ClassFiles, Refusal, Run, ask_maven, read};
use crate::base::embedded_java;
use crate::base::error::Error;
use crate::base::fingerprint::all_in;
use crate::base::run_folder::temporary_folder;
use crate::recipe::handover::{Compilation, HandedModule, Handover, MavenProject};
use crate::recipe::jars::entries;
use crate::recipe::jdk;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const PROCESSORS: &str = "META-INF/services/javax.annotation.processing.Processor";

/// Which of a module's two sets of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    Main,
    Tests,
}

impl Scope {
    pub(super) fn source_roots(self, project: &MavenProject) -> &[PathBuf] {
        match self {
            Self::Main => &project.source_roots,
            Self::Tests => &project.test_source_roots,
        }
    }

    fn classes(self, project: &MavenProject) -> &Path {
        match self {
            Self::Main => &project.output_directory,
            Self::Tests => &project.test_output_directory,
        }
    }

    /// The goal of maven-compiler-plugin that compiles them.
    fn goal(self) -> &'static str {
        match self {
            Self::Main => "compile",
            Self::Tests => "testCompile",
        }
    }
}

/// One set of sources and how Maven has compiled it.
pub(super) struct SourceSet<'a> {
    project: &'a MavenProject,
    compilation: &'a Compilation,
    scope: Scope,
}

impl<'a> SourceSet<'a> {
    /// `None` if the module has no such compilation, or several.
    pub(super) fn of(module: &'a HandedModule, scope: Scope) -> Option<Self> {
        let mut all = module.compilations.iter().filter(|compilation| compilation.goal == scope.goal());
        let compilation = all.next().filter(|_| all.next().is_none())?;
        Some(Self { project: module.project.as_ref()?, compilation, scope })
    }

    /// Compiles `files` and returns their class files, if Maven would make the same ones and no
    /// others.
    pub(super) fn compile(&self, files: &[&Path], handover: &Handover, run: Run<'_>) -> Result<ClassFiles, Refusal> {
        let options = self.compilation.javac_options().map_err(Refusal::AskMaven)?;
        self.check_surroundings(files)?;
        let scratch = temporary_folder().map_err(|error| {
            Error::usage(
                format!("The folder for temporary files cannot be written: {error}."),
                "Set TMPDIR to a folder that can be written.",
            )
        })?;
        let Ok(java_home) = jdk::at(&self.project.java_home) else {
            return ask_maven("its JDK is gone");
        };
        let mut command = embedded_java::quick_javac(&java_home);
        command.args(options).args(["-proc:none", "-implicit:none", "-sourcepath"]).arg(scratch.path().join("none"));
        let path = std::env::join_paths(&self.compilation.class_path)
            .map_err(|error| Error::bug(format!("A class path that Maven uses cannot be written: {error}.")))?;
        let output = scratch.path().join("classes");
        if let Err(error) = std::fs::create_dir(&output) {
            return ask_maven(format!("{} cannot be made: {error}", output.display()));
        }
        command.arg("-cp").arg(path).arg("-d").arg(&output).args(files).stdin(Stdio::null());
        command.current_dir(&self.project.base_directory);
        if !run(command)? {
            return ask_maven("the edited sources do not compile");
        }
        let compiled = self.compiled(&output)?;
        let comparison = Comparison { files, is_test: self.scope == Scope::Tests, handover };
        comparison.check(&compiled)?;
        Ok(compiled)
    }

    /// Refuses if an annotation processor may take part, or if the sources are also resources.
    fn check_surroundings(&self, files: &[&Path]) -> Result<(), Refusal> {
        let has_processor = |element: &&PathBuf| entries(element).iter().any(|name| name == PROCESSORS);
        if self.compilation.looks_for_processors()
            && let Some(element) = self.compilation.class_path.iter().find(has_processor)
        {
            return ask_maven(format!("{} has an annotation processor", element.display()));
        }
        match self.copies(files).find(|copy| copy.exists()) {
            Some(copy) => ask_maven(format!("{} is a copy of a source", copy.display())),
            None => Ok(()),
        }
    }

    /// Where Maven would have copied the sources if they were resources, too.
    fn copies(&self, files: &[&Path]) -> impl Iterator<Item = PathBuf> {
        let classes = self.scope.classes(self.project);
        let copy = move |root: &Path, file: &Path| Some(classes.join(file.strip_prefix(root).ok()?));
        let roots = self.scope.source_roots(self.project).iter();
        roots.flat_map(move |root| files.iter().filter_map(move |file| copy(root, file)))
    }

    /// The class files below `output`, and where Maven writes them.
    fn compiled(&self, output: &Path) -> Result<ClassFiles, Refusal> {
        let mut classes = ClassFiles::new();
        for file in all_in(output, |_| true).into_keys() {
            let path = file.strip_prefix(output).unwrap_or(&file);
            classes.insert(self.scope.classes(self.project).join(path), read(&file)?);
        }
        Ok(classes)
    }
}

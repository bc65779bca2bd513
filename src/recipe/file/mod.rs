//! Reads a recipe file, whose format is `recipe.schema.json` and which any build tool can write.

mod format;

use super::foreign_tests::{ForeignTests, note_foreign_tests};
use super::jars::contains_class;
use super::jvm_arguments::{JvmArguments, for_embedded_jvm};
use super::test_classes::{check, class_files};
use super::{Build, CompilerSettings, Engine, Module, ModulePath, Recipe, RunOrder, TestFilter, jdk};
use crate::base::error::{Error, Result};
use crate::base::read::read_text;
use format::{File, FileModule, Order};
use std::path::{Path, PathBuf};

/// Version of the format. A file of another version is refused.
const VERSION: u32 = 1;
const SEE: &str = "Correct the file; src/recipe/recipe.schema.json of reneri's sources describes every field.";

/// Reads the build from a recipe file. Relative paths begin at the folder of the file. A module
/// that names no JDK uses that of the environment (`JAVA_HOME`, then `java` on the PATH).
///
/// # Errors
/// With exit code 1 if the file is missing, is not of the format, or names something that does not
/// exist. With [`ExitCode::CannotBuild`](crate::base::error::ExitCode) if no module has tests or
/// classes.
pub fn read(file: &Path) -> Result<Build> {
    let text = read_text(file).map_err(|error| {
        Error::usage(format!("The recipe {} cannot be read: {error}.", file.display()), "Give --recipe another file.")
    })?;
    let wrong = |what: String| Error::usage(format!("The recipe {} is not usable: {what}.", file.display()), SEE);
    let content: File = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if content.recipe_version != VERSION {
        return Err(wrong(format!("its recipeVersion is {}, and this reneri reads {VERSION}", content.recipe_version)));
    }
    let absolute = std::path::absolute(file).map_err(|error| wrong(error.to_string()))?;
    let folder = absolute.parent().unwrap_or(&absolute).to_path_buf();
    let root = content.root.map_or_else(|| folder.clone(), |root| join(&folder, &root));
    let name = root.file_name().map_or_else(|| "project".into(), |name| name.to_string_lossy().into_owned());
    let mut result = Build { project: content.project.unwrap_or(name), root, ..Build::default() };
    for module in content.modules {
        if module.name.trim().is_empty() {
            return Err(wrong("a module has no `name`".into()));
        }
        let resolved = Resolved { module, folder: &folder, project: &result.project };
        let name = resolved.module.name.clone();
        let of_module = |what: String| wrong(format!("module {name}: {what}"));
        result.modules.extend(resolved.code().map_err(of_module)?);
        match resolved.recipe()? {
            Ok(recipe) => result.recipes.extend(recipe),
            Err(what) => return Err(of_module(what)),
        }
    }
    if result.recipes.is_empty() {
        return Err(wrong("none of its modules has `testClasses`".into()));
    }
    for recipe in &result.recipes {
        check(recipe)?;
    }
    let all: Vec<ForeignTests> = result.recipes.iter().map(ForeignTests::of).collect();
    note_foreign_tests(&mut result.recipes.raw, &all);
    if result.modules.is_empty() {
        return Err(wrong("none of its modules has `classes`".into()));
    }
    Ok(result)
}

fn join(folder: &Path, path: &Path) -> PathBuf {
    // Class paths are compared with folders, so `.` and `..` are removed without asking the file
    // system.
    let mut joined = PathBuf::new();
    for component in folder.join(path).components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                joined.pop();
            }
            name => joined.push(name),
        }
    }
    joined
}

/// A module and the folder at which its relative paths begin.
struct Resolved<'a> {
    module: FileModule,
    folder: &'a Path,
    project: &'a str,
}

impl Resolved<'_> {
    fn all(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths.iter().map(|path| join(self.folder, path)).collect()
    }

    fn base_directory(&self) -> PathBuf {
        self.module.base_directory.as_ref().map_or_else(|| self.folder.to_path_buf(), |base| join(self.folder, base))
    }

    /// The usual build folder that these classes are in.
    fn build_directory(&self, classes: &Path) -> Option<PathBuf> {
        let base = self.base_directory();
        ["build", "target", "out"].map(|name| base.join(name)).into_iter().find(|folder| classes.starts_with(folder))
    }

    /// The folders at these paths, all of which have to exist.
    fn folders(&self, field: &str, paths: &[PathBuf]) -> std::result::Result<Vec<PathBuf>, String> {
        let folders = self.all(paths);
        match folders.iter().find(|folder| !folder.is_dir()) {
            Some(missing) => {
                Err(format!("`{field}` names {}, which is no folder; is the project built?", missing.display()))
            }
            None => Ok(folders),
        }
    }

    /// One module for each class folder, because each language may have its own.
    fn code(&self) -> std::result::Result<Vec<Module>, String> {
        let source_roots = self.folders("sourceRoots", &self.module.source_roots)?;
        let folders = self.folders("classes", &self.module.classes)?;
        let with_classes = folders.into_iter().filter(|folder| class_files(folder).next().is_some());
        Ok(with_classes
            .map(|classes| Module {
                name: self.module.name.clone(),
                base_directory: self.base_directory(),
                build_directory: self.build_directory(&classes),
                classes,
                source_roots: source_roots.clone(),
            })
            .collect())
    }

    /// The recipe of the module's tests; `None` if it has none, and a sentence if the file is
    /// wrong.
    fn recipe(&self) -> Result<std::result::Result<Option<Recipe>, String>> {
        let module = &self.module;
        let Some(first) = module.test_classes.first() else { return Ok(Ok(None)) };
        let java_home = match module.java_home.as_ref().map(|home| join(self.folder, home)) {
            Some(home) => jdk::at(&home)?,
            None => jdk::at(&jdk::of_environment()?)?,
        };
        let java_release = jdk::feature_release(&java_home)?;
        let jvm = for_embedded_jvm(module.jvm_arguments.clone())?;
        Ok(self.tests(join(self.folder, first), java_home, java_release, jvm).map(Some))
    }

    fn tests(
        &self,
        test_classes: PathBuf,
        java_home: PathBuf,
        java_release: u32,
        jvm: JvmArguments,
    ) -> std::result::Result<Recipe, String> {
        let module = &self.module;
        let class_folders = self.folders("classes", &module.classes)?;
        let test_folders = self.folders("testClasses", &module.test_classes)?;
        let test_class_path = self.test_class_path(&test_folders, &class_folders)?;
        let engine_class_path = self.all(&module.engine_class_path);
        let engine = self.engine(|file| {
            test_class_path.iter().chain(&engine_class_path).any(|element| contains_class(element, file))
        })?;
        let base_directory = self.base_directory();
        Ok(Recipe {
            project: self.project.to_owned(),
            module: module.name.clone(),
            execution: None,
            build_directory: base_directory.clone(),
            java_home,
            java_release,
            classes: class_folders.first().cloned().unwrap_or_else(|| base_directory.join("classes")),
            test_classes,
            source_roots: self.folders("sourceRoots", &module.source_roots)?,
            test_source_roots: self.folders("testSourceRoots", &module.test_source_roots)?,
            test_class_path,
            module_path: module.module_path.as_ref().map(|path| ModulePath {
                module: path.module.clone(),
                elements: self.all(&path.elements),
                arguments: path.arguments.clone(),
            }),
            engine,
            engine_class_path,
            engine_parameters: module.engine_parameters.clone(),
            jvm_arguments: jvm.arguments,
            system_properties: module.system_properties.clone(),
            environment: module.environment.clone(),
            environment_removed: module.environment_removed.clone(),
            working_directory: module
                .working_directory
                .as_ref()
                .map_or_else(|| base_directory.clone(), |folder| join(self.folder, folder)),
            enable_assertions: module.enable_assertions.unwrap_or(true),
            filter: self.filter(),
            run_order: match module.run_order {
                Order::Filesystem => RunOrder::Filesystem,
                Order::Alphabetical => RunOrder::Alphabetical,
                Order::ReverseAlphabetical => RunOrder::ReverseAlphabetical,
            },
            // Each language may have its own folder.
            scanned_dependencies: test_folders.into_iter().skip(1).collect(),
            compiler: CompilerSettings {
                encoding: Some(module.compiler.encoding.clone().unwrap_or_else(|| "UTF-8".to_owned())),
                release: module.compiler.release.clone(),
                source: module.compiler.source.clone(),
                target: module.compiler.target.clone(),
                parameters: module.compiler.parameters,
                arguments: module.compiler.arguments.clone(),
                ..CompilerSettings::default()
            },
            rewritten_test_classes: Vec::new(),
            foreign_tests: Vec::new(),
            excluded_class_path: Vec::new(),
            base_directory,
            notes: jvm.notes,
            asides: jvm.asides,
        })
    }

    /// The class path in surefire's order, unless the file says otherwise.
    fn test_class_path(
        &self,
        test_folders: &[PathBuf],
        class_folders: &[PathBuf],
    ) -> std::result::Result<Vec<PathBuf>, String> {
        let listed = self.all(&self.module.test_class_path);
        if let Some(missing) = listed.iter().find(|element| element.extension().is_some() && !element.exists()) {
            return Err(format!("`testClassPath` names {}, which is not there", missing.display()));
        }
        let folders = test_folders.iter().chain(class_folders).filter(|folder| !listed.contains(folder));
        Ok(folders.chain(&listed).cloned().collect())
    }

    /// The engine that the file names, else the one that the class path shows. `has` tells whether a file
    /// is on the class path.
    fn engine(&self, has: impl Fn(&str) -> bool) -> std::result::Result<Engine, String> {
        let is_marked = |engine: &Engine| has(engine.profile().marker);
        let engine = self.module.engine.or_else(|| Engine::DETECTED.into_iter().find(is_marked));
        let Some(engine) = engine else { return Err("there is no JUnit and no TestNG on its `testClassPath`".into()) };
        match engine.profile().required {
            Some((file, message)) if !has(file) => Err(message.into()),
            _ => Ok(engine),
        }
    }

    fn filter(&self) -> TestFilter {
        let defaults = TestFilter::of_surefire();
        TestFilter {
            includes: self.module.includes.clone().unwrap_or(defaults.includes),
            excludes: self.module.excludes.clone().unwrap_or(defaults.excludes),
            groups: self.module.groups.clone(),
            excluded_groups: self.module.excluded_groups.clone(),
        }
    }
}

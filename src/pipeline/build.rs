//! Asks the project's build tool for the build to work on.

use crate::base::cache_folder;
use crate::base::error::Result;
use crate::base::interrupt;
use crate::base::project_lock;
use crate::classfile::compiled_classes::CompiledClasses;
use crate::cli::Target;
use crate::instrument::javac::compiler_classes;
use crate::jvm::client::probe_classes;
use crate::project;
use crate::recipe::{Build, BuildTool, MavenOptions, MavenRequest, jdk};
use crate::terminal::Terminal;

/// Like [`build()`], but with more than one job it compiles reneri's own Java classes at the same time,
/// because Maven mostly uses only one core.
///
/// # Errors
/// Those of [`build()`].
pub(crate) fn build_and_compile_ahead(target: &Target, jobs: usize, terminal: &Terminal) -> Result<Build> {
    std::thread::scope(|scope| {
        if jobs > 1 {
            scope.spawn(compile_ahead);
        }
        build(target, terminal)
    })
}

/// Compiles the Java classes of reneri that later stages need, unless this machine has them already.
///
/// Uses the JDK of the environment because most builds run their tests with it. A failure is ignored
/// here: the stage that needs the classes compiles them again and reports it.
fn compile_ahead() {
    if let Ok(java_home) = jdk::of_environment()
        && let Ok(java_home) = java_home.canonicalize()
    {
        let _ = probe_classes(&java_home).and_then(|_| compiler_classes(&java_home));
    }
}

/// The classes of all modules. Warns of files that only look like class files.
///
/// # Errors
/// If a folder or file cannot be read.
pub(crate) fn compiled_classes(build: &Build, terminal: &Terminal) -> Result<CompiledClasses> {
    let classes = build.compiled_classes()?;
    if let Some((first, others)) = classes.broken().split_first() {
        let others = match others.len() {
            0 => String::new(),
            1 => ", and so is another file".to_owned(),
            more => format!(", and so are {more} other files"),
        };
        terminal.warn(&format!(
            "{} is left out because it is no valid class file ({}){others}. If the compiler wrote it, compile again from a clean state.",
            first.file.display(),
            first.why
        ));
    }
    Ok(classes)
}

/// Asks the build tool for the build, restricted to the modules of `target`, and warns of what the build notes.
///
/// # Errors
/// Those of [`BuildTool::build`] and [`Build::only`].
pub(crate) fn build(target: &Target, terminal: &Terminal) -> Result<Build> {
    let tool = build_tool(target)?;
    let build = match tool.activity() {
        Some(activity) => {
            project_lock::wait(activity.folder, || {
                terminal.remark("Another reneri works on this project: waiting until it has ended.")
            })?;
            terminal.log_to(&target.output)?;
            let stage = terminal.stage(activity.title, None);
            let build = tool.build(interrupt::flag(), &mut |line| terminal.verbose(line))?;
            stage.finish();
            build
        }
        None => {
            let build = tool.build(interrupt::flag(), &mut |line| terminal.verbose(line))?;
            terminal.log_to(&target.output)?;
            build
        }
    };
    cache_folder::note().into_iter().for_each(|note| terminal.remark(note));
    build.notes.iter().for_each(|note| terminal.warn(note));
    let build = build.only(&target.modules)?;
    for (note, modules) in build.shared_notes() {
        terminal.warn(&if build.recipes.len() > 1 {
            format!("{}: {note}", modules.join(", "))
        } else {
            note.to_owned()
        });
    }
    for recipe in &build.recipes {
        recipe.asides.iter().for_each(|aside| terminal.verbose(&format!("{}: {aside}", recipe.module)));
    }
    Ok(build)
}

/// The recipe file, if there is one, or Maven.
fn build_tool(target: &Target) -> Result<BuildTool> {
    if let Some(file) = &target.recipe {
        return Ok(BuildTool::RecipeFile(file.clone()));
    }
    Ok(BuildTool::Maven(MavenRequest {
        project: project::find(&target.project)?,
        options: MavenOptions {
            arguments: target.maven_arguments.clone(),
            offline: target.offline,
            history: target.history,
        },
        log: target.output.join("maven.log"),
    }))
}

//! Asks Maven or the recipe file for the build to work on.

use crate::base::error::Result;
use crate::base::interrupt;
use crate::base::project_lock;
use crate::cli::Target;
use crate::instrument::javac::compiler_classes;
use crate::jvm::client::probe_classes;
use crate::project;
use crate::recipe::maven::{self, MavenOptions};
use crate::recipe::{self, Build, jdk};
use crate::terminal::Terminal;

/// Like [`build()`], and with more than one job compiles reneri's own Java classes meanwhile: Maven leaves one of two cores idle.
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
/// Uses the JDK of the environment because most builds run their tests with it. A failure is ignored here: the stage that needs the classes compiles
/// them again and reports it.
fn compile_ahead() {
    if let Ok(java_home) = jdk::of_environment()
        && let Ok(java_home) = java_home.canonicalize()
    {
        let _ = probe_classes(&java_home).and_then(|_| compiler_classes(&java_home));
    }
}

/// Asks the recipe file or Maven for the build, restricted to the modules of `target`, and warns of what the build notes.
///
/// # Errors
/// Those of [`recipe::file::read`], [`maven::ask`] and [`Build::only`].
pub(crate) fn build(target: &Target, terminal: &Terminal) -> Result<Build> {
    let build = match &target.recipe {
        Some(file) => {
            let build = recipe::file::read(file)?;
            terminal.log_to(&target.output)?;
            build
        }
        None => ask_maven(target, terminal)?,
    };
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

fn ask_maven(target: &Target, terminal: &Terminal) -> Result<Build> {
    let project = project::find(&target.project)?;
    project_lock::wait(&project.root, || {
        terminal.remark("Another reneri works on this project: waiting until it has ended.")
    })?;
    terminal.log_to(&target.output)?;
    let stage = terminal.stage("Compiling and asking Maven how the tests run", None);
    let options =
        MavenOptions { arguments: target.maven_arguments.clone(), offline: target.offline, history: target.history };
    let maven_log = target.output.join("maven.log");
    let build = maven::ask(&project, &options, &maven_log, interrupt::flag(), &mut |line| terminal.verbose(line))?;
    stage.finish();
    Ok(build)
}

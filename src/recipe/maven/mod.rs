//! Asks Maven how the tests of a project run. Maven compiles the project through its `test` phase,
//! and an extension of ours writes down how surefire would run the tests.
//!
//! Maven runs once. The extension (`maven-extension` in the Java sources) is given on its command
//! line, as IDEs do it. It reads surefire's parameters after Maven has evaluated them, and sets
//! surefire's `skip` before surefire starts, so that no test runs.

mod build;
mod command;
mod extension;
mod failure;
mod installation;
mod process;
mod request;

pub use request::{MavenOptions, MavenRequest};

use super::cache::{AnswerCache, CachedAnswer, Refusal, incremental};
use super::handover::{Handover, parse_handover, read_handover};
use super::{Build, jdk};
use crate::base::error::{Error, Result};
use crate::base::run_folder::temporary_folder;
use build::{MavenEnd, conclude};
use installation::{Installation, installation, preferred_program};
use process::Runner;
use std::sync::atomic::{AtomicBool, Ordering};

/// The result of a run of Maven.
struct Answer {
    /// The file that the extension wrote, unless Maven ended before that.
    text: Option<String>,
    /// The same, parsed, without the notes below.
    handover: Handover,
    /// Remarks for the user on the choice of Maven.
    notes: Vec<String>,
    end: MavenEnd,
    installation: Installation,
}

/// Lets Maven compile the project and returns how the tests of its modules run. No test runs;
/// nothing but Maven's `target` changes. If nothing has changed that Maven's last answer depends
/// on, that answer is used, and Maven does not run.
///
/// Maven's output goes to the log, and each of its lines, the command first, to `say`. The run ends
/// soon after `interrupted` is set.
///
/// # Errors
/// [`ExitCode::CannotBuild`](crate::base::error::ExitCode) if there is no Maven or no JDK, if the
/// build fails, if no module has classes, or if no module has tests that surefire runs. A module
/// whose tests cannot be run is a note if another module has some.
pub(super) fn build(request: &MavenRequest, interrupted: &AtomicBool, say: &mut dyn FnMut(&str)) -> Result<Build> {
    let mut runner = Runner { log: &request.log, interrupted, say };
    let cache = answer_cache(request);
    if let Some(cache) = &cache
        && let Some(build) = cached_build(cache, request, &mut runner)?
    {
        return Ok(build);
    }
    let inputs = cache.as_ref().map(AnswerCache::inputs);
    let Answer { text, mut handover, notes, end, installation } = ask(request, &mut runner)?;
    handover.notes.splice(0..0, notes.iter().cloned());
    let build = conclude(handover, &end, request)?;
    if let (Some(cache), Some(inputs), Some(text), true) = (&cache, &inputs, &text, end.success)
        && cache.store(inputs, installation.files(), text, &notes).is_none()
    {
        runner.say("Maven will be asked again next time: its answer may depend on more than reneri can see.");
    }
    Ok(build)
}

/// The place of the answer in the cache; `None` if there is no Maven or the user wants no history.
fn answer_cache(request: &MavenRequest) -> Option<AnswerCache> {
    let MavenRequest { project, options, log } = request;
    let output = log.parent().filter(|_| options.history)?;
    AnswerCache::new(project, &preferred_program(&project.root)?, &options.arguments, options.offline, output)
}

/// The build that the cached answer describes, if that answer still holds.
fn cached_build(cache: &AnswerCache, request: &MavenRequest, runner: &mut Runner<'_>) -> Result<Option<Build>> {
    let Some(answer) = cache.lookup() else { return Ok(None) };
    let mut handover = parse_handover(answer.handover())?;
    handover.notes.splice(0..0, answer.notes().iter().cloned());
    if !brought_up_to_date(cache, answer, &handover, runner)? {
        return Ok(None);
    }
    let end = MavenEnd { success: true, output: String::new() };
    conclude(handover, &end, request).map(Some)
}

/// Whether the class files are those that Maven would make now. That is so if nothing has changed,
/// or if only sources have changed and reneri has compiled them.
fn brought_up_to_date(
    cache: &AnswerCache,
    answer: CachedAnswer,
    handover: &Handover,
    runner: &mut Runner<'_>,
) -> Result<bool> {
    if answer.edited.is_empty() {
        runner.say("Nothing has changed that Maven's last answer depends on: Maven is not asked again.");
        return Ok(true);
    }
    let compiled = incremental::compile(handover, &answer.edited, &mut |command| {
        runner.run(command).map(|(status, _)| status.success())
    });
    let doubt = match compiled {
        Ok(_) if !cache.is_unchanged_since(&answer) => "something has changed meanwhile".to_owned(),
        Ok(classes) => match incremental::write(&classes) {
            Ok(()) => {
                runner.say("Only sources have changed, and reneri has compiled them: Maven is not asked again.");
                // If the answer cannot be stored, Maven is asked next time.
                let _ = cache.store_edited(answer);
                return Ok(true);
            }
            Err(error) => format!("a class file cannot be written: {error}"),
        },
        Err(Refusal::AskMaven(reason)) => reason,
        Err(Refusal::Failed(error)) => return Err(error),
    };
    runner.say(&format!("Sources have changed, and Maven is asked again: {doubt}."));
    Ok(false)
}

/// Runs Maven with the extension.
fn ask(request: &MavenRequest, runner: &mut Runner<'_>) -> Result<Answer> {
    let mut notes = Vec::new();
    let installation = installation(&request.project, request.options.offline, &mut notes)?;
    // Ctrl-C has also ended `mvn -version`, which found the installation.
    if runner.interrupted.load(Ordering::Relaxed) {
        return Err(Error::interrupted());
    }
    let extension = extension::compile(&jdk::at(&installation.java_home)?, &installation)?;
    let scratch = temporary_folder().map_err(|error| {
        Error::usage(
            format!("The folder for temporary files cannot be written: {error}."),
            "Set TMPDIR to a folder that can be written.",
        )
    })?;
    let handover_file = scratch.path().join("handover.json");
    let command = command::command(&installation, request, &extension, &handover_file)?;
    let (status, output) = runner.run(command)?;
    let text = read_handover(&handover_file)?;
    let handover = text.as_deref().map_or_else(|| Ok(Handover::default()), parse_handover)?;
    Ok(Answer { text, handover, notes, end: MavenEnd { success: status.success(), output }, installation })
}

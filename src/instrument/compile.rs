//! Instruments the test classes of a recipe: weaves probes into the sources, compiles them, and
//! takes back the probes that javac refuses until everything compiles.

use super::Instrumented;
use super::blame::Probed;
use super::compiler::{Compiler, Compilers, Complaint, Pass, Source};
use super::options::{Processing, into, options};
use super::other_languages;
use super::place::Place;
use super::positions::{Lines, Utf16};
use super::probed_file::{Fate, NO_VALUE, ProbedFile};
use super::sources;
use super::weave::{self, Woven};
use crate::base::error::{Error, Result};
use crate::recipe::Recipe;
use crate::text::words::top_level;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// More passes than the widening of [`super::blame`] can need. Beyond it, there is a bug.
const MOST_PASSES: usize = 16;

/// Instruments all test sources of `recipe` and compiles them with one of the `compilers` against
/// the folder `probe_classes`, which contains `reneri.rt.Probe`. Writes only below `scratch`.
///
/// # Errors
/// If sources cannot be read, `scratch` cannot be written, or the JDK has no compiler or loses it
/// half-way. Sources that do not compile are no errors: they are left out, and
/// [`Instrumented::left_out`] says why.
pub fn instrument(
    compilers: &Compilers,
    recipe: &Recipe,
    scratch: &Path,
    probe_classes: &Path,
) -> Result<Instrumented> {
    for folder in ["classes", "generated", "no-sources"] {
        make_empty(&scratch.join(folder))?;
    }
    compilers.with(&recipe.java_home, scratch, |compiler| instrument_with(compiler, recipe, scratch, probe_classes))
}

fn instrument_with(
    compiler: &mut Compiler,
    recipe: &Recipe,
    scratch: &Path,
    probe_classes: &Path,
) -> Result<Instrumented> {
    let read = sources::read(recipe)?;
    let classes = scratch.join("classes");
    let options = |processing| {
        let options = options(recipe, probe_classes, scratch, processing)?;
        Ok::<_, Error>(options.into_iter().chain(into(&classes)).collect::<Vec<String>>())
    };
    let mut work = Work {
        files: read.sources.into_iter().map(ProbedFile::new).collect(),
        left_out: read.left_out.into_iter().chain(other_languages::sources(recipe)).collect(),
        options: options(Processing::Off)?,
        passes: 0,
    };
    let trouble_without = work.learn(compiler)?;
    if trouble_without > 0 {
        // Code that annotation processors generate may be missing.
        let without = std::mem::replace(&mut work.options, options(Processing::On)?);
        let trouble_with = work.learn(compiler)?;
        if trouble_with > 0 {
            if trouble_without <= trouble_with {
                work.options = without;
            }
            work.leave_out_broken(compiler)?;
        }
    }
    while !work.files.is_empty() {
        if work.passes >= MOST_PASSES {
            return Err(Error::bug(format!("Instrumented tests do not compile after {MOST_PASSES} passes.")));
        }
        if work.compile(compiler)? {
            return Ok(work.finish(recipe, Some(classes)));
        }
        // Javac may have written classes before it found a method too large.
        make_empty(&classes)?;
    }
    Ok(work.finish(recipe, None))
}

fn make_empty(folder: &Path) -> Result<()> {
    let made = match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => std::fs::create_dir_all(folder),
    };
    made.map_err(|error| {
        Error::usage(
            format!("{} cannot be made anew: {error}.", folder.display()),
            "Give an output folder that can be written.",
        )
    })
}

struct Work {
    files: Vec<ProbedFile>,
    left_out: Vec<(PathBuf, String)>,
    options: Vec<String>,
    passes: usize,
}

impl Work {
    /// Lets javac attribute the original sources and applies its facts if they compile. Returns how
    /// badly they do not.
    fn learn(&mut self, compiler: &mut Compiler) -> Result<usize> {
        let pass = compiler.facts(&self.options, &self.originals())?;
        if trouble(&pass) == 0 {
            self.apply(&pass);
        }
        Ok(trouble(&pass))
    }

    fn apply(&mut self, pass: &Pass) {
        for (file, facts) in self.files.iter_mut().zip(&pass.facts) {
            file.apply(facts);
        }
    }

    fn originals(&self) -> Vec<Source<'_>> {
        self.files.iter().map(|file| Source { path: &file.source.path, text: &file.source.text }).collect()
    }

    /// Leaves out sources that do not compile even without probes, until the rest does. The
    /// project's own test classes contain what they declare.
    fn leave_out_broken(&mut self, compiler: &mut Compiler) -> Result<()> {
        while !self.files.is_empty() {
            let sources = self.originals();
            let pass = compiler.facts(&self.options, &sources)?;
            if trouble(&pass) == 0 {
                self.apply(&pass);
                break;
            }
            let mut reasons: BTreeMap<usize, String> = BTreeMap::new();
            for complaint in &pass.complaints {
                if let Some(index) = complaint.source {
                    reasons.entry(index).or_insert_with(|| does_not_compile(complaint));
                }
            }
            if reasons.is_empty() {
                reasons = self.unexplained(compiler, &pass, &sources)?;
            }
            self.leave_out(&reasons);
        }
        Ok(())
    }

    /// The sources to leave out if javac names none of them: those that fail alone, or else all.
    fn unexplained(
        &self,
        compiler: &mut Compiler,
        pass: &Pass,
        sources: &[Source<'_>],
    ) -> Result<BTreeMap<usize, String>> {
        let mut reasons = BTreeMap::new();
        for (index, source) in sources.iter().enumerate() {
            let alone = compiler.facts(&self.options, std::slice::from_ref(source))?;
            if alone.failure.is_some() {
                reasons.insert(index, compiler_failed(alone.failure.as_deref()));
            }
        }
        if reasons.is_empty() {
            let reason =
                pass.complaints.first().map_or_else(|| compiler_failed(pass.failure.as_deref()), does_not_compile);
            reasons.extend((0..sources.len()).map(|index| (index, reason.clone())));
        }
        Ok(reasons)
    }

    fn leave_out(&mut self, reasons: &BTreeMap<usize, String>) {
        let files = std::mem::take(&mut self.files);
        for (index, file) in files.into_iter().enumerate() {
            match reasons.get(&index) {
                // Its own module says why it is not watched there.
                Some(_) if file.source.is_foreign => {}
                Some(reason) => self.left_out.push((file.source.path, reason.clone())),
                None => self.files.push(file),
            }
        }
    }

    /// Runs one pass over the instrumented sources. Returns true if they compiled; otherwise probes
    /// that javac complained about are taken back.
    fn compile(&mut self, compiler: &mut Compiler) -> Result<bool> {
        self.passes += 1;
        for file in self.files.iter_mut().filter(|file| !file.known) {
            file.guess();
        }
        let mut first = 0;
        let mut woven: Vec<(Vec<usize>, Woven)> = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let chosen = file.chosen();
            let places: Vec<&Place> = chosen.iter().filter_map(|index| file.source.places.places.get(*index)).collect();
            let text = weave::weave(&file.source.text, &places, first);
            first += places.len();
            woven.push((chosen, text));
        }
        let sources: Vec<Source<'_>> = self
            .files
            .iter()
            .zip(&woven)
            .map(|(file, (_, woven))| Source { path: &file.source.path, text: &woven.text })
            .collect();
        let pass = compiler.compile(&self.options, &sources)?;
        if trouble(&pass) == 0 {
            return Ok(true);
        }
        if pass.complaints.iter().any(|complaint| complaint.source.is_some()) {
            self.take_back(&pass.complaints, &woven);
        } else {
            let reasons = self.unexplained(compiler, &pass, &sources)?;
            self.leave_out(&reasons);
        }
        Ok(false)
    }

    /// Takes back the probes that cause `complaints`. Leaves out a source that has no probes and
    /// still does not compile.
    fn take_back(&mut self, complaints: &[Complaint], woven: &[(Vec<usize>, Woven)]) {
        let mut by_file: BTreeMap<usize, Vec<&Complaint>> = BTreeMap::new();
        for complaint in complaints {
            if let Some(index) = complaint.source {
                by_file.entry(index).or_default().push(complaint);
            }
        }
        let mut hopeless = BTreeMap::new();
        for (index, complaints) in by_file {
            let (Some(file), Some((chosen, woven))) = (self.files.get_mut(index), woven.get(index)) else {
                continue;
            };
            file.passes += 1;
            if chosen.is_empty() {
                hopeless.extend(complaints.first().map(|complaint| (index, does_not_compile(complaint))));
                continue;
            }
            let positions = Utf16::new(&woven.text);
            let mut fates: BTreeMap<usize, Fate> = BTreeMap::new();
            for complaint in complaints {
                let probed = Probed { places: &file.source.places, chosen, woven, passes: file.passes };
                let verdict = probed.blame(complaint, &positions);
                for place in verdict.take_back {
                    let refused = || Fate::Refused(complaint.code.clone());
                    fates.insert(place, if verdict.no_value { Fate::ByRule(NO_VALUE) } else { refused() });
                }
            }
            for (place, fate) in fates {
                file.set(place, fate);
            }
        }
        self.leave_out(&hopeless);
    }

    fn finish(self, recipe: &Recipe, classes: Option<PathBuf>) -> Instrumented {
        let mut done = Instrumented { left_out: self.left_out, ..Instrumented::default() };
        let classes_of = |file: &ProbedFile| sources::class_names(&file.source.places).collect::<Vec<String>>();
        done.watched.push(self.files.iter().flat_map(classes_of).collect());
        for file in &self.files {
            let ProbedFile { source, fates, .. } = file;
            let lines = Lines::new(&source.text);
            for (place, fate) in source.places.places.iter().zip(fates) {
                match fate {
                    Fate::Probed => {
                        done.expressions.push(weave::expression(&source.path, &source.text, &lines, place));
                        done.counts.wrapped += usize::from(!source.is_foreign);
                    }
                    // Its own module counts these.
                    _ if source.is_foreign => {}
                    Fate::ByRule(reason) => {
                        done.counts.by_rule += 1;
                        *done.unprobed.entry((*reason).to_owned()).or_default() += 1;
                    }
                    Fate::Refused(code) => {
                        done.counts.refused += 1;
                        *done.unprobed.entry(format!("refused by the compiler: {code}")).or_default() += 1;
                    }
                }
            }
            if source.is_foreign {
                continue;
            }
            for (reason, count) in &source.places.by_rule {
                done.counts.by_rule += count;
                *done.unprobed.entry((*reason).to_owned()).or_default() += count;
            }
            let is_refused = |fate: &Fate| matches!(fate, Fate::Refused(_));
            if fates.iter().any(is_refused) && !fates.contains(&Fate::Probed) {
                done.left_out.push((source.path.clone(), "It compiles with none of its probes.".to_owned()));
            }
            if !source.places.unreadable.is_empty() {
                let lines: Vec<String> = source.places.unreadable.iter().map(ToString::to_string).collect();
                let reason = format!("The members at these lines could not be read: {}.", lines.join(", "));
                done.left_out.push((source.path.clone(), reason));
            }
        }
        done.left_out.sort();
        if let Some(folder) = &classes {
            let original = class_names(&recipe.test_classes);
            let compiled = class_names(folder);
            let is_own = |name: &&String| !recipe.foreign_tests.iter().any(|tests| has_class(&tests.classes, name));
            done.extra_classes = compiled.difference(&original).filter(is_own).cloned().collect();
            let tops: BTreeSet<&str> = compiled.iter().map(|name| top_level(name)).collect();
            done.missing_classes =
                original.difference(&compiled).filter(|name| tops.contains(top_level(name))).cloned().collect();
        }
        done.classes = classes;
        done.passes = self.passes;
        done
    }
}

/// How badly a pass went: the number of complaints, or more than any number if javac itself failed.
fn trouble(pass: &Pass) -> usize {
    if pass.failure.is_some() { usize::MAX } else { pass.complaints.len() }
}

fn has_class(folder: &Path, name: &str) -> bool {
    folder.join(format!("{}.class", name.replace('.', "/"))).is_file()
}

fn does_not_compile(complaint: &Complaint) -> String {
    format!("It does not compile: {}", complaint.message.lines().next().unwrap_or(&complaint.code))
}

fn compiler_failed(failure: Option<&str>) -> String {
    let line = failure.and_then(|failure| failure.lines().find(|line| !line.trim().is_empty()));
    format!("The compiler failed: {}", line.unwrap_or("without a word"))
}

/// Binary names of the class files below `folder`.
fn class_names(folder: &Path) -> BTreeSet<String> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_map(std::result::Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "class"))
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(folder).ok()?.with_extension("");
            let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            Some(parts.join("."))
        })
        .collect()
}

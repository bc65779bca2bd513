//! From diagnoses to patches for tests: what may show the difference is run on both sides, and what comes of it is proven by running it.

pub mod edit;

mod assertion;
mod candidate;
mod draft;
mod explore;
mod library;
mod name;
mod promise;
mod proof;
mod rules;
mod search;
mod seen;
mod source;
mod style;
mod techniques;
mod throwing;
mod values;
mod vary;
mod workshop;

pub use rules::{FixText, fix_texts};

use crate::classfile::outlines::Outlines;
use crate::cover::Coverage;
use crate::diagnose::{At, CallSeen, Diagnosis, Evidence};
use crate::error::Result;
use crate::jvm::client::Launch;
use crate::observe::Part;
use crate::propagate::ExpressionKind;
use crate::recipe::Build;
use crate::recipe::launch::tune_clean_starts;
use crate::suggest::{Signature, Sources, Trust, is_literal};
use crate::transform::{Transformations, plan};
use assertion::Expected;
use draft::{Draft, LAST_RESORT, Message, of_message, of_shown};
use explore::{Group, Shown};
use library::Library;
use proof::Proof;
use search::{Found, Search};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use source::TestSource;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use techniques::Subject;
use throwing::{ASSERT_THROWS, Abilities, THROWN_BY};
use values::UsualValues;
use workshop::Workshop;

/// The technique that looks at no expression: file name in `rules/fixes`.
const MESSAGE: &str = "assert-message";
/// Most drafts of one transformation that are tried.
const DRAFTS: usize = 5;

/// A change of a test source that makes the tests notice a transformation.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Patch {
    /// Never [`Trust::Hint`].
    pub trust: Trust,
    /// File name, without ending, in `rules/fixes`.
    pub technique: String,
    /// Simple names of the class and of the test that is new or changed.
    pub test: String,
    /// Absolute path of the source.
    pub file: PathBuf,
    /// Of the source as it is: the line behind which the first new one stands, or which is changed.
    pub line: u32,
    /// The assertion.
    pub code: String,
    /// SHA-256 of the source that the patch is made for.
    pub content: String,
    /// Unified diff; paths are relative to the project.
    pub diff: String,
    /// Lines that it adds, blank ones left out.
    pub new_lines: usize,
    /// Other transformations of the same method that it makes the tests notice, too: indices.
    pub also_closes: Vec<usize>,
    /// Of a draft: what does not hold.
    pub because: Option<String>,
    /// What is strange about the value that it asserts, after the names: Markdown.
    pub strange: Option<String>,
}

/// What came of one diagnosis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    pub patch: Option<Patch>,
    /// Expressions that gave the same on both sides, where none gave anything else.
    pub in_vain: usize,
}

/// What the stage needs.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub build: &'a Build,
    /// One for each recipe.
    pub launches: &'a [Launch],
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    pub outlines: &'a Outlines,
    pub sources: &'a Sources,
    /// Most candidates for one method.
    pub budget: usize,
    /// Folder for what is compiled.
    pub scratch: &'a Path,
    /// Is told what was tried, for the log.
    pub tell: &'a dyn Fn(&str),
}

/// One method with findings, and where its tests are.
struct Work<'a> {
    /// Index into `Transformations::methods`.
    number: usize,
    method: Signature,
    diagnoses: Vec<(usize, &'a Diagnosis)>,
    recipe: usize,
}

/// For each diagnosis a patch, where one was found.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn fix(input: &Input<'_>, diagnoses: &[Diagnosis]) -> Result<Vec<Attempt>> {
    let mut attempts: Vec<Attempt> = vec![Attempt::default(); diagnoses.len()];
    let works = works(input, diagnoses);
    for (number, (recipe, launch)) in input.build.recipes.iter().zip(input.launches).enumerate() {
        let own: Vec<&Work<'_>> = works.iter().filter(|work| work.recipe == number).collect();
        if own.is_empty() {
            continue;
        }
        let mut launch = launch.clone();
        tune_clean_starts(&mut launch, recipe);
        launch.start.weave = plan::plan(input.transformations, &BTreeSet::new(), &input.build.seen_by(recipe));
        let scratch = input.scratch.join(number.to_string());
        std::fs::create_dir_all(&scratch).map_err(|error| {
            crate::error::Error::usage(
                format!("{} cannot be made: {error}.", scratch.display()),
                "Make room, or set TMPDIR to a folder that can be written.",
            )
        })?;
        let mut workshop = Workshop::open(recipe, launch, input.coverage, &scratch, input.tell)?;
        for (index, attempt) in of_recipe(input, &mut workshop, &own)? {
            if let Some(place) = attempts.get_mut(index) {
                *place = attempt;
            }
        }
    }
    Ok(attempts)
}

fn works<'a>(input: &Input<'_>, diagnoses: &'a [Diagnosis]) -> Vec<Work<'a>> {
    let mut works: BTreeMap<usize, Work<'a>> = BTreeMap::new();
    for (index, diagnosis) in diagnoses.iter().enumerate() {
        let Some(transformation) = input.transformations.transformations.get(diagnosis.transformation) else {
            continue;
        };
        let Some(method) = input.transformations.methods.get(transformation.method) else { continue };
        let tests =
            diagnosis.evidence.iter().map(|evidence| evidence.test).chain(diagnosis.calls.iter().map(|call| call.test));
        let recipe = tests.filter_map(|test| input.coverage.tests.get(test)).map(|test| test.recipe).next();
        let work = works.entry(transformation.method).or_insert_with(|| Work {
            number: transformation.method,
            method: Signature {
                class: method.class.clone(),
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                is_static: method.access & crate::classfile::outline::STATIC != 0,
            },
            diagnoses: Vec::new(),
            recipe: recipe.unwrap_or(0),
        });
        work.diagnoses.push((index, diagnosis));
    }
    works.into_values().collect()
}

/// Index of the diagnosis, and what came of it.
fn of_recipe<'a>(input: &Input<'a>, workshop: &mut Workshop<'_>, works: &[&Work<'a>]) -> Result<Vec<(usize, Attempt)>> {
    let mut library = Library::new(input.coverage, input.sources, &workshop.recipe.test_source_roots);
    let diagnoses = |work: &&Work<'a>| work.diagnoses.iter().map(|(_, one)| *one).collect::<Vec<&'a Diagnosis>>();
    let tests: Vec<Vec<(usize, usize)>> =
        works.iter().map(|work| library.tests_of(work.number, &work.method, diagnoses(work).into_iter())).collect();
    let homes: Vec<Option<(usize, usize)>> =
        works.iter().zip(&tests).map(|(work, tests)| library.home(&work.method.class, tests)).collect();
    let reaching: Vec<Vec<(usize, usize)>> =
        works.iter().map(|work| library.reaching(work.number, &work.method.class)).collect();
    let sources = &library.sources;
    let usual = UsualValues::read(workshop.has_mocks())?;
    let seen: Vec<(Vec<&Evidence>, Vec<&CallSeen>)> = works
        .iter()
        .map(|work| {
            let of = || work.diagnoses.iter().map(|(_, diagnosis)| diagnosis);
            (of().flat_map(|one| &one.evidence).collect(), of().flat_map(|one| &one.calls).collect())
        })
        .collect();
    let subjects: Vec<Subject<'_>> = works
        .iter()
        .zip(&seen)
        .map(|(work, (evidence, calls))| Subject { method: &work.method, outlines: input.outlines, evidence, calls })
        .collect();
    let open: Vec<Vec<usize>> = works
        .iter()
        .map(|work| work.diagnoses.iter().map(|(_, diagnosis)| diagnosis.transformation).collect())
        .collect();
    let search = Search {
        library: &library,
        usual: &usual,
        subjects: &subjects,
        tests: &tests,
        reaching: &reaching,
        homes: &homes,
        budget: input.budget,
    };
    let Found { groups, shown } = search.run(workshop, open)?;
    let abilities = if shown.iter().any(|one| matches!(one.expected, Expected::Throws { .. })) {
        Abilities { assert_throws: workshop.has(ASSERT_THROWS)?, thrown_by: workshop.has(THROWN_BY)? }
    } else {
        Abilities::default()
    };
    let mut drafts = drafts(sources, works, &tests, &groups, &shown, abilities);
    for (group, work) in works.iter().enumerate() {
        drafts.extend(messages(sources, group, work).iter().flat_map(|message| of_message(sources, message)));
    }
    let drafts = best(drafts);
    for (group, work) in groups.iter().zip(works) {
        let probes: usize = group.candidates.iter().map(|candidate| candidate.probes.len()).sum();
        (input.tell)(&format!(
            "{}: {} tests with {probes} expressions tried",
            work.method.short(),
            group.candidates.len()
        ));
    }
    (input.tell)(&format!("{} of the expressions differ, {} drafts", shown.len(), drafts.len()));
    let proofs = proof::alone(workshop, &library, &groups, &drafts)?;
    let chosen = choose(&groups, &drafts, &proofs);
    let mut distinct: Vec<usize> = chosen.values().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut proven: Vec<(&Draft, Proof)> =
        distinct.iter().filter_map(|draft| Some((drafts.get(*draft)?, proofs.get(*draft)?.clone()?))).collect();
    proof::together(workshop, &library, &mut proven)?;
    let mut attempts = Vec::new();
    for (number, (work, group)) in works.iter().zip(&groups).enumerate() {
        let tried: usize = group.candidates.iter().map(|candidate| candidate.probes.len()).sum();
        for (index, diagnosis) in &work.diagnoses {
            let differs = |one: &Shown| one.group == number && one.transformation == diagnosis.transformation;
            let place = chosen
                .get(&diagnosis.transformation)
                .and_then(|draft| distinct.iter().position(|one| one == draft))
                .and_then(|place| proven.get(place));
            let patch = place.and_then(|(draft, proof)| patch(input, sources, draft, proof, diagnosis.transformation));
            let in_vain = if patch.is_some() || shown.iter().any(differs) { 0 } else { tried };
            attempts.push((*index, Attempt { patch, in_vain }));
        }
    }
    Ok(attempts)
}

fn drafts(
    sources: &[TestSource],
    works: &[&Work<'_>],
    tests: &[Vec<(usize, usize)>],
    groups: &[Group],
    shown: &[Shown],
    abilities: Abilities,
) -> Vec<Draft> {
    // What several transformations of a method show alike is one draft.
    type Place = (usize, usize, usize, String);
    let mut by_probe: BTreeMap<Place, (&Shown, BTreeSet<usize>)> = BTreeMap::new();
    for one in shown {
        let key = (one.group, one.candidate, one.probe, format!("{:?}", one.expected));
        by_probe.entry(key).or_insert_with(|| (one, BTreeSet::new())).1.insert(one.transformation);
    }
    let mut drafts = Vec::new();
    for (one, shown_for) in by_probe.into_values() {
        let candidate = groups.get(one.group).and_then(|group| group.candidates.get(one.candidate));
        let (Some(candidate), Some(work)) = (candidate, works.get(one.group)) else { continue };
        let test = (candidate.source, candidate.method);
        let near = tests.get(one.group).and_then(|tests| tests.iter().position(|known| *known == test));
        drafts.extend(of_shown(
            sources,
            candidate,
            one,
            shown_for,
            &work.method.name,
            near.unwrap_or(usize::MAX),
            abilities,
        ));
    }
    drafts
}

/// Messages of exceptions that a test sees and that are others under the transformation.
fn messages<'a>(sources: &[TestSource], group: usize, work: &Work<'a>) -> Vec<Message<'a>> {
    let mut found: Vec<Message<'a>> = Vec::new();
    for (_, diagnosis) in &work.diagnoses {
        for evidence in
            diagnosis.evidence.iter().filter(|evidence| evidence.at == At::Test && evidence.path == ".message")
        {
            let kind = evidence.expression_kind;
            let source = sources.iter().position(|source| Some(source.path.as_path()) == evidence.file.as_deref());
            let byte = source.and_then(|source| sources.get(source)?.byte_of(evidence.line, evidence.column));
            let text =
                evidence.original.as_deref().filter(|text| is_literal(text) && !text.contains('…') && *text != "null");
            let is_exception = matches!(evidence.part, Part::Exception | Part::Expression)
                && matches!(kind, Some(ExpressionKind::Caught | ExpressionKind::Thrown));
            let (Some(source), Some(byte), Some(text), true) = (source, byte, text, is_exception) else { continue };
            let variable = evidence.expression.as_deref().filter(|_| kind == Some(ExpressionKind::Caught));
            match found.iter_mut().find(|one| one.source == source && one.byte == byte && one.text == text) {
                Some(one) => {
                    one.shown_for.insert(diagnosis.transformation);
                }
                None => {
                    let shown_for = BTreeSet::from([diagnosis.transformation]);
                    found.push(Message { group, source, byte, variable, text, shown_for });
                }
            }
        }
    }
    found
}

/// So many of each transformation, best first.
fn best(mut drafts: Vec<Draft>) -> Vec<Draft> {
    drafts.sort_by(|one, other| {
        (one.group, &one.rank, one.source, one.method).cmp(&(other.group, &other.rank, other.source, other.method))
    });
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    drafts
        .into_iter()
        .filter(|draft| {
            // The same assertion elsewhere would fail for the same reason.
            let is_new =
                seen.insert((draft.group, format!("{:?} {} {:?}", draft.given, draft.code, draft.rank.2 == 0)));
            let open =
                draft.shown_for.iter().any(|transformation| taken.get(transformation).copied().unwrap_or(0) < DRAFTS);
            let takes = is_new && open;
            if takes {
                draft.shown_for.iter().for_each(|transformation| *taken.entry(*transformation).or_default() += 1);
            }
            takes
        })
        .collect()
}

/// For each transformation the best draft that closes it; one that closes another one of the method as well is taken for both.
fn choose(groups: &[Group], drafts: &[Draft], proofs: &[Option<Proof>]) -> BTreeMap<usize, usize> {
    let closes = |draft: usize, transformation: usize| {
        proofs.get(draft).and_then(Option::as_ref).is_some_and(|proof| proof.closes.contains(&transformation))
    };
    let mut chosen: BTreeMap<usize, usize> = BTreeMap::new();
    for (group, one) in groups.iter().enumerate() {
        let own: Vec<usize> =
            (0..drafts.len()).filter(|draft| drafts.get(*draft).is_some_and(|draft| draft.group == group)).collect();
        let mut used: Vec<usize> = Vec::new();
        for transformation in &one.transformations {
            let is_good = |draft: &usize| drafts.get(*draft).is_some_and(|draft| draft.rank.0 < LAST_RESORT);
            let again = used.iter().copied().filter(is_good).find(|draft| closes(*draft, *transformation));
            let found = again.or_else(|| own.iter().copied().find(|draft| closes(*draft, *transformation)));
            if let Some(draft) = found {
                chosen.insert(*transformation, draft);
                used.push(draft);
            }
        }
    }
    chosen
}

fn patch(
    input: &Input<'_>,
    sources: &[TestSource],
    draft: &Draft,
    proof: &Proof,
    transformation: usize,
) -> Option<Patch> {
    let source = sources.get(draft.source)?;
    let path = input.sources.relative(&source.path)?;
    let after = edit::apply(&source.text, &draft.edits)?;
    let diff = edit::diff(&path, &source.text, &after);
    // A diff that does not lead to what was proven is none.
    edit::fits(&diff, &source.text, &after).then_some(())?;
    let method = source.methods.get(draft.method)?;
    let class = source.types.get(method.in_type).map(|one| crate::suggest::words::short_class(&one.class))?;
    let first = draft.edits.iter().filter(|edit| edit.start >= method.start).map(|edit| edit.start).min()?;
    let line = source.text.get(..first)?.matches('\n').count();
    let content: String = Sha256::digest(source.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let because = proof.because.clone().or_else(|| draft.doubt());
    Some(Patch {
        trust: if because.is_none() { Trust::Verified } else { Trust::Draft },
        technique: draft.technique.to_owned(),
        test: format!("{class}.{}", draft.test),
        file: source.path.clone(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        code: draft.code.trim_end_matches(';').to_owned(),
        content,
        new_lines: edit::new_lines(&diff),
        diff,
        also_closes: proof.closes.iter().copied().filter(|other| *other != transformation).collect(),
        because,
        strange: draft.strange.clone(),
    })
}

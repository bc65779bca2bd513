//! From diagnoses to patches for tests: what may show the difference is run on both sides, and what comes of it is proven by running it.

pub mod edit;

mod candidate;
mod outcome;
mod prove;
mod rules;
mod search;
mod source;
mod techniques;
mod trial;
mod values;
mod write;

pub use outcome::{Finding, Fixed, Placed};
pub use rules::{FixText, fix_texts};

use crate::base::error::Result;
use crate::base::id::{IdSlice, MethodId, RecipeId, TransformationId};
use crate::classfile::outline::PUBLIC;
use crate::classfile::outlines::Outlines;
use crate::code::Signature;
use crate::code::Sources;
use crate::cover::Coverage;
use crate::diagnose::{At, CallSeen, Diagnosis, Evidence};
use crate::instrument::ExpressionKind;
use crate::instrument::javac::Compilers;
use crate::jvm::client::Launch;
use crate::observe::Part;
use crate::recipe::Build;
use crate::recipe::launch::tune_clean_starts;
use crate::run::Session;
use crate::suggest::Trust;
use crate::suggest::is_literal;
use crate::text::words::{self, count};
use crate::transform::{Transformations, plan};
use prove::alone::Proof;
use prove::shorten::shorten;
use prove::with_kept::{open_files, prove_together, proven_anew};
use search::rounds::{Found, Search};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use source::library::{Library, Place};
use source::test_source::TestSource;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use techniques::Subject;
use trial::explore::{Group, Shown};
use trial::workshop::Workshop;
use values::UsualValues;
use write::assertion::Expected;
use write::draft::{Draft, LAST_RESORT, of_shown};
use write::exception::{ASSERT_THROWS, Abilities, THROWN_BY};
use write::message::{Message, of_message};

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
    /// Other transformations of the same method that it makes the tests notice, too.
    pub also_closes: Vec<TransformationId>,
    /// Of a draft: what does not hold.
    pub because: Option<String>,
    /// What is strange about the value that it asserts, after the names: Markdown.
    pub strange: Option<String>,
}

impl Patch {
    /// With what does not hold of it.
    fn doubted(&mut self, because: Option<String>) {
        self.trust = if because.is_none() { Trust::Verified } else { Trust::Draft };
        self.because = because;
    }
}

/// What came of one diagnosis.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Attempt {
    pub patch: Option<Patch>,
    /// Expressions that gave the same on both sides, where none gave anything else.
    pub in_vain: usize,
}

/// What the stage needs.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub build: &'a Build,
    pub launches: &'a IdSlice<RecipeId, Launch>,
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    pub outlines: &'a Outlines,
    pub sources: &'a Sources,
    pub compilers: &'a Compilers,
    /// Most candidates for one method.
    pub budget: usize,
    /// Workers at a time.
    pub jobs: usize,
    /// Folder for what is compiled.
    pub scratch: &'a Path,
    /// Is told what was tried, for the log.
    pub tell: &'a dyn Fn(&str),
}

/// One method with findings, and where its tests are.
struct Work<'a> {
    id: MethodId,
    method: Signature,
    diagnoses: Vec<&'a Diagnosis>,
    recipe: RecipeId,
}

impl Work<'_> {
    /// Whether this came of the same findings.
    fn has(&self, fixed: &Fixed) -> bool {
        let own: BTreeSet<TransformationId> = self.diagnoses.iter().map(|diagnosis| diagnosis.transformation).collect();
        let found = fixed.findings.iter().map(|finding| finding.transformation).collect();
        (self.id, self.recipe, own) == (fixed.method, fixed.recipe, found)
    }
}

/// What came of the findings of methods in an earlier analysis.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Holds still, by itself.
    pub kept: Vec<Fixed>,
    /// Was proven, but for what was searched in vain, and is to be proven anew.
    pub doubtful: Vec<Fixed>,
}

/// What comes of the findings of each method. What `earlier` ones came to stands where the findings are the same. `left` are JVMs in which tests of the only
/// recipe have run.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn fix(
    input: &Input<'_>,
    diagnoses: &[Diagnosis],
    earlier: &Earlier,
    mut left: Vec<Session>,
) -> Result<Vec<Fixed>> {
    let works = works(input, diagnoses);
    let (mut all, mut proven): (Vec<Fixed>, usize) = (Vec::new(), 0);
    for ((number, recipe), launch) in input.build.recipes.iter_enumerated().zip(input.launches) {
        let of_same = |all: &[Fixed]| {
            let is_same = |fixed: &&Fixed| works.iter().any(|work| work.recipe == number && work.has(fixed));
            all.iter().filter(is_same).cloned().collect::<Vec<Fixed>>()
        };
        let mut fixed = of_same(&earlier.kept);
        let open = |fixed: &[Fixed]| {
            let is_open = |work: &&Work<'_>| !fixed.iter().any(|fixed| fixed.method == work.id);
            works.iter().filter(|work| work.recipe == number).filter(is_open).collect::<Vec<&Work<'_>>>()
        };
        if !open(&fixed).is_empty() || !open_files(&fixed).is_empty() {
            let mut launch = launch.clone();
            tune_clean_starts(&mut launch, recipe);
            launch.start.weave = plan::plan(input.transformations, &BTreeSet::new(), &input.build.seen_by(recipe));
            let scratch = input.scratch.join(number.to_string());
            input.compilers.with(&recipe.java_home, input.scratch, |compiler| {
                let mut workshop =
                    Workshop::open(recipe, launch, input.coverage, &scratch, compiler, input.jobs, input.tell)?
                        .with(std::mem::take(&mut left));
                let mut library = Library::new(input.coverage, input.sources, &recipe.test_source_roots);
                let again = proven_anew(&mut workshop, &mut library, &fixed, of_same(&earlier.doubtful))?;
                proven += again.len();
                fixed.extend(again);
                let own = open(&fixed);
                if !own.is_empty() {
                    fixed.extend(of_recipe(input, &mut workshop, &mut library, &own)?);
                }
                fixed.sort_by_key(|fixed| fixed.method);
                prove_together(&mut workshop, &mut library, &mut fixed, &BTreeSet::new())
            })?;
        }
        all.extend(fixed);
    }
    let Earlier { kept, doubtful } = earlier;
    if !kept.is_empty() || !doubtful.is_empty() {
        let still = all.iter().filter(|fixed| kept.iter().any(|kept| kept.method == fixed.method)).count();
        let methods = count(works.len() as u64, "method");
        (input.tell)(&format!(
            "{still} of {methods} with findings keep their patches, those of {proven} are proven anew"
        ));
    }
    Ok(all)
}

fn works<'a>(input: &Input<'_>, diagnoses: &'a [Diagnosis]) -> Vec<Work<'a>> {
    let mut works: BTreeMap<MethodId, Work<'a>> = BTreeMap::new();
    for diagnosis in diagnoses {
        let transformation = &input.transformations.transformations[diagnosis.transformation];
        let method = &input.transformations.methods[transformation.method];
        let tests =
            diagnosis.evidence.iter().map(|evidence| evidence.test).chain(diagnosis.calls.iter().map(|call| call.test));
        let recipe = tests.filter_map(|test| input.coverage.tests.get(test)).map(|test| test.recipe).next();
        let work = works.entry(transformation.method).or_insert_with(|| Work {
            id: transformation.method,
            method: Signature {
                class: method.class.clone(),
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                is_static: method.access & crate::classfile::outline::STATIC != 0,
            },
            diagnoses: Vec::new(),
            // No observation names one of its tests: the first recipe is tried.
            recipe: recipe.unwrap_or(RecipeId(0)),
        });
        work.diagnoses.push(diagnosis);
    }
    works.into_values().collect()
}

/// What came of each of these, by itself.
fn of_recipe(
    input: &Input<'_>,
    workshop: &mut Workshop<'_>,
    library: &mut Library<'_>,
    works: &[&Work<'_>],
) -> Result<Vec<Fixed>> {
    let tests: Vec<Vec<Place>> =
        works.iter().map(|work| library.tests_of(work.id, &work.method, work.diagnoses.iter().copied())).collect();
    let owns: Vec<Option<usize>> = works.iter().map(|work| library.own(&work.method.class)).collect();
    let homes: Vec<Option<Place>> = works
        .iter()
        .zip(&tests)
        .map(|(work, tests)| library.home(&work.method.class, tests, is_of_package(input.outlines, &work.method)))
        .collect();
    let reaching: Vec<Vec<Place>> = works.iter().map(|work| library.reaching(work.id, &work.method.class)).collect();
    let slow = library.slow();
    let library = &*library;
    let sources = &library.sources;
    let usual = UsualValues::read(workshop.has_mocks())?;
    let seen: Vec<(Vec<&Evidence>, Vec<&CallSeen>)> = works
        .iter()
        .map(|work| {
            let of = || work.diagnoses.iter();
            (of().flat_map(|one| &one.evidence).collect(), of().flat_map(|one| &one.calls).collect())
        })
        .collect();
    let subjects: Vec<Subject<'_>> = works
        .iter()
        .zip(&seen)
        .map(|(work, (evidence, calls))| Subject { method: &work.method, outlines: input.outlines, evidence, calls })
        .collect();
    let open: Vec<Vec<TransformationId>> =
        works.iter().map(|work| work.diagnoses.iter().map(|diagnosis| diagnosis.transformation).collect()).collect();
    let search = Search {
        library,
        usual: &usual,
        subjects: &subjects,
        tests: &tests,
        reaching: &reaching,
        homes: &homes,
        slow: &slow,
        budget: input.budget,
    };
    let Found { groups, shown, mut entered } = search.run(workshop, open)?;
    let abilities = if shown.iter().any(|one| matches!(one.expected, Expected::Throws { .. })) {
        Abilities { assert_throws: workshop.has(ASSERT_THROWS)?, thrown_by: workshop.has(THROWN_BY)? }
    } else {
        Abilities::default()
    };
    let mut drafts = drafts(sources, works, &tests, &owns, &groups, &shown, abilities);
    for (group, work) in works.iter().enumerate() {
        drafts.extend(messages(sources, group, work).iter().flat_map(|message| of_message(sources, message)));
    }
    let mut drafts = best(drafts);
    for (group, work) in groups.iter().zip(works) {
        let probes: usize = group.candidates.iter().map(|candidate| candidate.probes.len()).sum();
        (input.tell)(&format!(
            "{}: {} tests with {probes} expressions tried",
            work.method.short(),
            group.candidates.len()
        ));
    }
    (input.tell)(&format!("{} of the expressions differ, {} drafts", shown.len(), drafts.len()));
    let mut proofs = prove::alone::alone(workshop, library, &groups, &drafts, &mut entered)?;
    let chosen = choose(&groups, &drafts, &proofs);
    let taken = chosen.values().copied().collect();
    shorten(workshop, library, &groups, &mut drafts, &mut proofs, &taken, &mut entered)?;
    let mut all = Vec::new();
    for (number, ((work, group), entered)) in works.iter().zip(&groups).zip(entered).enumerate() {
        let tried: usize = group.candidates.iter().map(|candidate| candidate.probes.len()).sum();
        let own = work.diagnoses.iter().filter_map(|diagnosis| chosen.get(&diagnosis.transformation).copied());
        let own: BTreeSet<usize> = own.collect();
        let proven = |draft: usize| Some((drafts.get(draft)?, proofs.get(draft)?.as_ref()?));
        let placed = own.iter().filter_map(|draft| {
            let (draft, proof) = proven(*draft)?;
            Some(placed(library, draft, proof))
        });
        let findings = work.diagnoses.iter().map(|diagnosis| {
            let transformation = diagnosis.transformation;
            let draft = chosen.get(&transformation).copied();
            let differs = |one: &Shown| one.group == number && one.transformation == transformation;
            let patch =
                draft.and_then(proven).and_then(|(draft, proof)| patch(input, sources, draft, proof, transformation));
            let in_vain = if patch.is_some() || shown.iter().any(differs) { 0 } else { tried };
            let place = draft.and_then(|draft| own.iter().position(|one| *one == draft));
            Finding { transformation, attempt: Attempt { patch, in_vain }, place }
        });
        let (findings, placed) = (findings.collect(), placed.collect());
        all.push(Fixed { method: work.id, recipe: work.recipe, findings, placed, entered });
    }
    Ok(all)
}

/// Whether only the package of a method can call it: it is not public, or its class is not, or something that it takes.
fn is_of_package(outlines: &Outlines, method: &Signature) -> bool {
    let (parameters, _) = words::types(&method.descriptor);
    let types = parameters.iter().map(|parameter| parameter.trim_end_matches("[]")).chain([method.class.as_str()]);
    let is_closed = |access: u16| access & PUBLIC == 0;
    types.into_iter().filter_map(|class| outlines.class(class)).any(|class| is_closed(class.access))
        || outlines.method(&method.member()).is_some_and(|method| is_closed(method.access))
}

/// The draft, without what it came from.
fn placed(library: &Library<'_>, draft: &Draft, proof: &Proof) -> Placed {
    Placed {
        file: library.sources.get(draft.source).map(|source| source.path.clone()).unwrap_or_default(),
        edits: draft.edits.clone(),
        test: draft.test.clone(),
        runners: library.runners(draft.source, draft.method, draft.is_new).as_ref().clone(),
        closes: proof.closes.clone(),
        doubt: doubt(draft, proof),
        beside: BTreeSet::new(),
    }
}

fn drafts(
    sources: &[TestSource],
    works: &[&Work<'_>],
    tests: &[Vec<Place>],
    owns: &[Option<usize>],
    groups: &[Group],
    shown: &[Shown],
    abilities: Abilities,
) -> Vec<Draft> {
    // What several transformations of a method show alike is one draft.
    type Probed = (usize, usize, usize, String);
    let mut by_probe: BTreeMap<Probed, (&Shown, BTreeSet<TransformationId>)> = BTreeMap::new();
    for one in shown {
        let key = (one.group, one.candidate, one.probe, format!("{:?}", one.expected));
        by_probe.entry(key).or_insert_with(|| (one, BTreeSet::new())).1.insert(one.transformation);
    }
    let mut drafts = Vec::new();
    for (one, shown_for) in by_probe.into_values() {
        let candidate = groups.get(one.group).and_then(|group| group.candidates.get(one.candidate));
        let (Some(candidate), Some(work)) = (candidate, works.get(one.group)) else { continue };
        let test = (candidate.source, candidate.method);
        let tests = tests.get(one.group).map_or(&[][..], Vec::as_slice);
        let own = owns.get(one.group).copied().flatten();
        drafts.extend(of_shown(
            sources,
            candidate,
            one,
            &shown_for,
            &work.method.name,
            nearness(tests, own, test),
            abilities,
        ));
    }
    drafts
}

/// How near a test is to a method: what stands in the test class of its own class (`own`: which source that is) is nearer than all else, because that is
/// where its tests are looked for.
fn nearness(tests: &[Place], own: Option<usize>, test: Place) -> usize {
    let near = tests.iter().position(|known| *known == test).unwrap_or(tests.len());
    if own == Some(test.0) { near } else { tests.len() + 1 + near }
}

/// Messages of exceptions that a test sees and that are others under the transformation.
fn messages<'a>(sources: &[TestSource], group: usize, work: &Work<'a>) -> Vec<Message<'a>> {
    let mut found: Vec<Message<'a>> = Vec::new();
    for diagnosis in &work.diagnoses {
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
    let mut taken: BTreeMap<TransformationId, usize> = BTreeMap::new();
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

/// What does not hold of a draft, by itself or by its proof.
fn doubt(draft: &Draft, proof: &Proof) -> Option<String> {
    draft.doubt().or_else(|| proof.doubt())
}

/// For each transformation the best draft that closes it, without doubts if there is one; one that closes another one of the method as well is taken
/// for both.
fn choose(groups: &[Group], drafts: &[Draft], proofs: &[Option<Proof>]) -> BTreeMap<TransformationId, usize> {
    let proof = |draft: usize| proofs.get(draft).and_then(Option::as_ref);
    let closes = |draft: usize, transformation: TransformationId| {
        proof(draft).is_some_and(|proof| proof.closes.contains(&transformation))
    };
    let is_good = |draft: usize| {
        drafts.get(draft).is_some_and(|draft| draft.rank.0 < LAST_RESORT)
            && proof(draft).is_some_and(|proof| proof.doubt().is_none())
    };
    let mut chosen: BTreeMap<TransformationId, usize> = BTreeMap::new();
    for (group, one) in groups.iter().enumerate() {
        let own: Vec<usize> =
            (0..drafts.len()).filter(|draft| drafts.get(*draft).is_some_and(|draft| draft.group == group)).collect();
        let mut used: Vec<usize> = Vec::new();
        for transformation in &one.transformations {
            let mut good = used.iter().chain(&own).copied().filter(|draft| is_good(*draft));
            let without_doubt = good.find(|draft| closes(*draft, *transformation));
            let found = without_doubt.or_else(|| own.iter().copied().find(|draft| closes(*draft, *transformation)));
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
    transformation: TransformationId,
) -> Option<Patch> {
    let source = sources.get(draft.source)?;
    let path = input.sources.relative(&source.path)?;
    let after = edit::apply(&source.text, &draft.edits)?;
    let diff = edit::diff(&path, &source.text, &after);
    // A diff that does not lead to what was proven is none.
    edit::fits(&diff, &source.text, &after).then_some(())?;
    let method = source.methods.get(draft.method)?;
    let class = source.types.get(method.in_type).map(|one| crate::text::words::short_class(&one.class))?;
    let first = draft.edits.iter().filter(|edit| edit.start >= method.start).map(|edit| edit.start).min()?;
    let line = source.text.get(..first)?.matches('\n').count();
    let content: String = Sha256::digest(source.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let because = doubt(draft, proof);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_methods_own_test_class_is_nearer_than_all_else() {
        let tests = [(3, 0), (1, 4), (1, 2)];
        let sorted = |own| {
            let mut sorted = [(0, 0), (1, 2), (1, 4), (1, 9), (3, 0)];
            sorted.sort_by_key(|test| nearness(&tests, own, *test));
            sorted
        };
        assert_eq!(sorted(Some(1)), [(1, 4), (1, 2), (1, 9), (3, 0), (0, 0)]);
        assert_eq!(sorted(None), [(3, 0), (1, 4), (1, 2), (0, 0), (1, 9)]);
    }
}

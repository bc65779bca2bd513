//! The way from methods with findings to their outcomes: search, drafts, proofs, and the choice of
//! a patch.

use crate::base::error::Result;
use crate::base::id::TransformationId;
use crate::fix::case::{Case, CaseTests, MethodFindings};
use crate::fix::expected::Expected;
use crate::fix::input::Input;
use crate::fix::outcome::{Attempt, FailedSearch, Finding, MethodOutcome, PlacedPatch};
use crate::fix::prove::alone::{Proof, prove_alone};
use crate::fix::prove::choice::{best, choose, doubt};
use crate::fix::prove::patch::make_patch;
use crate::fix::prove::shorten::shorten;
use crate::fix::search::rounds::{Search, SearchResult};
use crate::fix::source::library::Library;
use crate::fix::source::test_sources::TestSources;
use crate::fix::techniques::TECHNIQUES;
use crate::fix::trial::entered::EnteredMethods;
use crate::fix::trial::exploration::{Group, Witness};
use crate::fix::trial::workshop::Workshop;
use crate::fix::values::usual::UsualValues;
use crate::fix::write::draft::{Draft, WitnessDrafts};
use crate::fix::write::exception::{ASSERT_THROWS, Abilities, COLLECTION_FACTORY, THROWN_BY};
use crate::fix::write::message::message_drafts;
use crate::fix::write::unique_names::{TestName, make_names_unique};
use std::collections::{BTreeMap, BTreeSet};

/// Searches and proves patches for methods whose tests belong to one recipe, each method by itself.
///
/// `taken` are the tests that other patches change or add.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn patch_methods(
    input: &Input<'_>,
    workshop: &mut Workshop<'_>,
    library: &mut Library<'_>,
    methods: &[&MethodFindings<'_>],
    taken: BTreeSet<TestName>,
) -> Result<Vec<MethodOutcome>> {
    let tests = CaseTests::of_all(library, input.outlines, methods);
    let slow = library.slow();
    let library = &*library;
    let usual = UsualValues::read(workshop.has_mocks())?;
    let cases: Vec<Case<'_>> =
        methods.iter().zip(tests).map(|(findings, tests)| Case::new(findings, tests, input.outlines)).collect();
    let search = Search { library, usual: &usual, cases: &cases, slow: &slow, budget: input.budget };
    let SearchResult { groups, witnesses, mut entered, evaluated } = search.run(workshop)?;
    let abilities = abilities(workshop, &witnesses)?;
    let mut drafts = best(drafts(&library.sources, &cases, &groups, &witnesses, abilities));
    tell(input, &cases, &groups, &witnesses, &drafts);
    let mut proofs = prove_alone(workshop, library, &groups, &drafts, &mut entered)?;
    let chosen = choose(&groups, &drafts, &proofs);
    let indices: BTreeSet<usize> = chosen.values().copied().collect();
    shorten(workshop, library, &groups, &mut drafts, &mut proofs, &indices, &mut entered)?;
    make_names_unique(library, &mut drafts, &indices, taken);
    let results = Results { input, library, groups: &groups, witnesses: &witnesses, evaluated, drafts, proofs, chosen };
    let outcomes = cases.iter().zip(entered).enumerate();
    Ok(outcomes.map(|(number, (case, entered))| results.outcome(number, case, entered)).collect())
}

/// The abilities of the project's libraries. Those that no expectation needs are not tried.
fn abilities(workshop: &mut Workshop<'_>, witnesses: &[Witness]) -> Result<Abilities> {
    let mut abilities = Abilities::default();
    if witnesses.iter().any(|witness| matches!(witness.expected, Expected::Throws { .. })) {
        abilities.assert_throws = workshop.has(ASSERT_THROWS)?;
        abilities.thrown_by = workshop.has(THROWN_BY)?;
    }
    let is_of_factory =
        |expected: &Expected| matches!(expected, Expected::Equal { source, .. } if source.contains(".of("));
    if witnesses.iter().any(|witness| is_of_factory(&witness.expected)) {
        abilities.collection_factories = workshop.level() >= 9 && workshop.has(COLLECTION_FACTORY)?;
    }
    Ok(abilities)
}

/// Drafts for all witnesses, and for exceptions whose message no test reads.
fn drafts(
    sources: &TestSources,
    cases: &[Case<'_>],
    groups: &[Group],
    witnesses: &[Witness],
    abilities: Abilities,
) -> Vec<Draft> {
    // Several transformations of a method may show the same: that is one draft.
    type Key = (usize, usize, usize, String);
    let mut by_probe: BTreeMap<Key, (&Witness, BTreeSet<TransformationId>)> = BTreeMap::new();
    for witness in witnesses {
        let key = (witness.group, witness.candidate, witness.probe, format!("{:?}", witness.expected));
        let (_, transformations) = by_probe.entry(key).or_insert_with(|| (witness, BTreeSet::new()));
        transformations.insert(witness.transformation);
    }
    let mut drafts = Vec::new();
    for (witness, transformations) in by_probe.into_values() {
        let candidate = groups.get(witness.group).and_then(|group| group.candidates.get(witness.candidate));
        let (Some(candidate), Some(case)) = (candidate, cases.get(witness.group)) else { continue };
        let plain = without_message(witness);
        for witness in std::iter::once(witness).chain(&plain) {
            let witness_drafts = WitnessDrafts {
                sources,
                candidate,
                witness,
                transformations: &transformations,
                method: &case.findings.method.name,
                distance: case.tests.distance(candidate.place),
                abilities,
            };
            drafts.extend(witness_drafts.all());
        }
    }
    for (group, case) in cases.iter().enumerate() {
        for technique in TECHNIQUES {
            let Some(messages) = technique.of_evidence else { continue };
            let messages = messages(sources, &case.findings.diagnoses);
            drafts.extend(messages.iter().flat_map(|message| message_drafts(sources, group, message)));
        }
    }
    for draft in &mut drafts {
        if let Some(source) = sources.get(draft.place.source) {
            draft.escape(source.form);
        }
    }
    drafts
}

/// The same witness for the exception only, if it has a message, which may depend on the version of
/// Java.
fn without_message(witness: &Witness) -> Option<Witness> {
    let Expected::Throws { class, message: Some(_) } = &witness.expected else { return None };
    Some(Witness { expected: Expected::Throws { class: class.clone(), message: None }, ..witness.clone() })
}

/// Writes to the log what was tried.
fn tell(input: &Input<'_>, cases: &[Case<'_>], groups: &[Group], witnesses: &[Witness], drafts: &[Draft]) {
    for (group, case) in groups.iter().zip(cases) {
        let (method, tests) = (case.findings.method.short(), group.candidates.len());
        let of_techniques = group.expressions_of_techniques();
        let of_techniques: Vec<String> = of_techniques.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let (expressions, of_techniques) = (group.expressions(), of_techniques.join(", "));
        (input.tell)(&format!("{method}: {tests} tests with {expressions} expressions tried ({of_techniques})"));
    }
    (input.tell)(&format!("{} of the expressions differ, {} drafts", witnesses.len(), drafts.len()));
}

/// The results of the search and of the proofs, for all methods.
struct Results<'a> {
    input: &'a Input<'a>,
    library: &'a Library<'a>,
    groups: &'a [Group],
    witnesses: &'a [Witness],
    /// For each method, the number of expressions that the original code evaluated.
    evaluated: Vec<usize>,
    drafts: Vec<Draft>,
    /// One for each draft.
    proofs: Vec<Option<Proof>>,
    /// By transformation, the index of its draft.
    chosen: BTreeMap<TransformationId, usize>,
}

impl Results<'_> {
    fn proven(&self, draft: usize) -> Option<(&Draft, &Proof)> {
        Some((self.drafts.get(draft)?, self.proofs.get(draft)?.as_ref()?))
    }

    fn outcome(&self, number: usize, case: &Case<'_>, entered: EnteredMethods) -> MethodOutcome {
        let transformations = case.findings.transformations();
        let chosen = transformations.iter().filter_map(|transformation| self.chosen.get(transformation).copied());
        let chosen: BTreeSet<usize> = chosen.collect();
        let search = FailedSearch {
            written: self.groups.get(number).map_or(0, Group::expressions),
            evaluated: self.evaluated.get(number).copied().unwrap_or(0),
            is_reached: !entered.none_of(&BTreeSet::from([case.findings.id])),
        };
        let finding = |transformation| self.finding(number, transformation, search, &chosen);
        let findings = transformations.iter().copied().map(finding);
        let proven = chosen.iter().filter_map(|draft| self.proven(*draft));
        MethodOutcome {
            method: case.findings.id,
            recipe: case.findings.recipe,
            findings: findings.collect(),
            placed: proven.map(|(draft, proof)| self.placed(draft, proof)).collect(),
            entered,
        }
    }

    /// `search` says what was tried, in case that it shows nothing.
    fn finding(
        &self,
        group: usize,
        transformation: TransformationId,
        search: FailedSearch,
        chosen: &BTreeSet<usize>,
    ) -> Finding {
        let draft = self.chosen.get(&transformation).copied();
        let patch = draft.and_then(|draft| self.proven(draft)).and_then(|(draft, proof)| {
            let test_classes = self.library.runners(draft.place, draft.is_new);
            make_patch(self.input.sources, &self.library.sources, draft, proof, &test_classes, transformation)
        });
        let mut witnesses = self.witnesses.iter();
        let is_shown = witnesses.any(|one| one.group == group && one.transformation == transformation);
        let in_vain = Some(search).filter(|search| patch.is_none() && !is_shown && search.written > 0);
        let place = draft.and_then(|draft| chosen.iter().position(|one| *one == draft));
        Finding { transformation, attempt: Attempt { patch, in_vain }, place }
    }

    /// The patch in its place, without the search that led to it.
    fn placed(&self, draft: &Draft, proof: &Proof) -> PlacedPatch {
        let source = self.library.sources.get(draft.place.source);
        PlacedPatch {
            file: source.map(|source| source.path.clone()).unwrap_or_default(),
            edits: draft.edits.clone(),
            test: draft.test.clone(),
            runners: self.library.runners(draft.place, draft.is_new).as_ref().clone(),
            closes: proof.closes.clone(),
            doubt: doubt(draft, proof),
            beside: BTreeSet::new(),
        }
    }
}

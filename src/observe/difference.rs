//! Finds the differences that count in the recordings of both sides: one side is constant over all
//! its runs, and no run of the other side is the same.
//!
//! Only observations that both sides have are compared: the same invocation in the same test, in
//! every run. An observation that exists on one side only is no difference of state by itself: the
//! method was called less often, or an expression was not reached. The one exception is a Java
//! exception that a test sees in all runs of one side and in none of the other.

use super::runs::{ANY_TYPE, ANY_VALUE, Constant, NON_NULL, Row, Runs, States, ancestors, by_slot, merge, shown, slot};
use super::{Difference, Frame, Key, Observed, Part, Property, Site, Thread};
use crate::base::id::{MethodId, TestId};
use crate::observation::noise::NoiseRules;
use crate::observation::{DIGEST, NOT_SEEN, ORDER, WHOLE};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The number of differing observations of one site, in one test and thread, that carry their
/// stack. Further ones (in a loop) would only repeat it.
const STACKS_PER_SITE: usize = 100;

/// All differences between original and transformed code, sorted. Values are shown as they were
/// compared: accidental parts are masked.
///
/// If an object exists on one side and is `null` on the other, its parts are not listed, because
/// they follow from that.
#[must_use]
pub fn differences(observed: &Observed) -> Vec<Difference> {
    differences_by(observed, NoiseRules::embedded())
}

/// [`differences`] with other noise rules.
#[must_use]
pub fn differences_by(observed: &Observed, rules: &NoiseRules) -> Vec<Difference> {
    differences_of(&Runs::new(observed), rules)
}

/// The tests and sites in `open` at which the observations differ that were recorded in addition to
/// their digests. The comparison is that of [`differences`].
pub(super) fn sampled_differences(observed: &Observed, open: &BTreeSet<(TestId, Site)>) -> BTreeSet<(TestId, Site)> {
    let differences = differences_of(&Runs::of_samples(observed, open), NoiseRules::embedded());
    differences.into_iter().map(|found| (found.key.test, found.key.site)).collect()
}

fn differences_of(runs: &Runs<'_>, rules: &NoiseRules) -> Vec<Difference> {
    let mut states = States::new(runs, rules);
    let mut known: HashMap<Sides, Rc<[Change]>> = HashMap::new();
    let mut stacks = StackBudget::default();
    let mut found = Vec::new();
    runs.for_each_row(|row| {
        let sides = if row.in_all_runs() {
            let raw: Vec<u32> = raw_numbers(runs, &states, row);
            if raw.windows(2).all(|pair| pair.first() == pair.last()) {
                return;
            }
            numbers_by_side(&raw, runs.originals(), &mut states)
        } else if exception_on_one_side(row, runs) {
            numbers_by_side_of(runs, &mut states, row)
        } else {
            return;
        };
        if sides.0 == sides.1 {
            return;
        }
        let changes = if let Some(changes) = known.get(&sides) {
            Rc::clone(changes)
        } else {
            let changes: Rc<[Change]> = Comparison {
                original: &states.constant(&sides.0),
                transformed: &states.constant(&sides.1),
                both_sides: row.in_all_runs(),
                rules,
            }
            .changes()
            .into();
            known.insert(sides, Rc::clone(&changes));
            changes
        };
        if changes.is_empty() || !is_same_invocation(row, runs) {
            return;
        }
        let stack = if stacks.take(row.key) { stack(runs, row) } else { Vec::new() };
        found.extend(changes.iter().map(|change| change.at(row.key.clone(), stack.clone())));
    });
    found.sort();
    found
}

/// Tests and sites at which the runs of both sides did not all observe the same, whether it is
/// noise or a difference.
pub(super) fn varying(observed: &Observed) -> BTreeSet<(TestId, Site)> {
    let runs = Runs::new(observed);
    let mut states = States::new(&runs, NoiseRules::embedded());
    let mut found = BTreeSet::new();
    runs.for_each_row(|row| {
        let raw = raw_numbers(&runs, &states, row);
        let (all, _) = numbers_by_side(&raw, raw.len(), &mut states);
        if !row.in_all_runs() || all.len() > 1 {
            found.insert((row.key.test, row.key.site));
        }
    });
    found
}

/// The masked numbers of the states that the runs of each side saw, without duplicates and sorted.
/// The original side comes first.
type Sides = (Vec<u32>, Vec<u32>);

/// A difference between two states, without the place at which they were observed.
struct Change {
    part: Part,
    path: String,
    type_name: String,
    original: Option<String>,
    transformed: Option<String>,
    deep: bool,
    implementation_only: bool,
    owner: Option<String>,
}

impl Change {
    fn new(original: Option<&Property>, transformed: Option<&Property>) -> Option<Self> {
        let either = original.or(transformed)?;
        let informative = |property: &&Property| property.value != "null" && property.type_name != ANY_TYPE;
        let named = [original, transformed].into_iter().flatten().find(informative).unwrap_or(either);
        let text = |property: Option<&Property>| property.map(|property| shown(property).into_owned());
        Some(Self {
            part: either.part,
            path: either.path.clone(),
            type_name: named.type_name.clone(),
            original: text(original),
            transformed: text(transformed),
            deep: [original, transformed]
                .into_iter()
                .flatten()
                .any(|property| property.deep || property.value == ANY_VALUE),
            implementation_only: false,
            owner: None,
        })
    }

    fn at(&self, key: Key, stack: Vec<Frame>) -> Difference {
        Difference {
            key,
            part: self.part,
            path: self.path.clone(),
            type_name: self.type_name.clone(),
            original: self.original.clone(),
            transformed: self.transformed.clone(),
            deep: self.deep,
            implementation_only: self.implementation_only,
            owner: self.owner.clone(),
            stack,
        }
    }
}

/// Two states that are compared, one of each side.
struct Comparison<'c> {
    original: &'c Constant,
    transformed: &'c Constant,
    /// Whether all runs have the observation, and not only those of one side.
    both_sides: bool,
    rules: &'c NoiseRules,
}

/// A property of each side.
type Pair<'c> = (Option<&'c Property>, Option<&'c Property>);

/// The properties that differ between two states.
#[derive(Default)]
struct Pairs<'c> {
    pairs: Vec<Pair<'c>>,
    /// Properties with another value, or on one side only.
    differing: HashSet<(Part, &'c str)>,
    /// References to objects of different classes.
    other_class: HashSet<(Part, &'c str)>,
}

impl<'c> Comparison<'c> {
    fn changes(&self) -> Vec<Change> {
        let found = self.pairs();
        let mut changes = Vec::new();
        for (left, right) in &found.pairs {
            let Some(property) = left.or(*right) else { continue };
            // If an exception is on one side only, only its own properties count: its class and its
            // message.
            let counts = self.both_sides || property.part == Part::Exception;
            if !counts || self.follows_from_another(&found, *left, *right) {
                continue;
            }
            let Some(mut change) = Change::new(*left, *right) else { continue };
            // The JDK class that implements a list is no part of its state:
            // `Collections.emptyList()` equals `new ArrayList()`.
            change.implementation_only = found.other_class.contains(&(change.part, change.path.as_str()))
                && (self.is_sized(change.part, &change.path)
                    || [left, right].into_iter().flatten().any(|property| is_jdk_class(&property.type_name)));
            change.deep |= change.implementation_only;
            let owners = [self.original, self.transformed].into_iter().filter_map(|side| side.get(change.part, ""));
            change.owner =
                owners.map(|root| &root.type_name).find(|name| *name != "null" && *name != ANY_TYPE).cloned();
            changes.push(change);
        }
        as_values(changes)
    }

    fn pairs(&self) -> Pairs<'c> {
        let (original, transformed) = (self.original, self.transformed);
        let mut found = Pairs::default();
        merge(&original.properties, &transformed.properties, by_slot, |left, right| match (left, right) {
            (Some(one), _) | (None, Some(one)) if one.path.ends_with(NOT_SEEN) => {}
            (Some(left_one), Some(right_one)) => {
                if left_one.value != right_one.value {
                    found.differing.insert(slot(left_one));
                    found.pairs.push((left, right));
                } else if is_of_other_class(left_one, right_one, self.rules) {
                    found.other_class.insert(slot(left_one));
                    found.pairs.push((left, right));
                }
            }
            // Present on one side, and in no run of the other.
            (Some(one), None) if !transformed.varies(one.part, &one.path) => {
                found.differing.insert(slot(one));
                found.pairs.push((left, right));
            }
            (None, Some(one)) if !original.varies(one.part, &one.path) => {
                found.differing.insert(slot(one));
                found.pairs.push((left, right));
            }
            _ => {}
        });
        let vary = original.never_null_but(transformed).map(|(own, null)| (own, Some(own), Some(null)));
        let others = transformed.never_null_but(original).map(|(own, null)| (own, Some(null), Some(own)));
        for (own, left, right) in vary.chain(others) {
            found.differing.insert(slot(own));
            found.pairs.push((left, right));
        }
        let constant = original.never_in(transformed).map(|(own, varying)| (own, Some(own), Some(varying)));
        let varying = transformed.never_in(original).map(|(own, varying)| (own, Some(varying), Some(own)));
        for (own, left, right) in constant.chain(varying) {
            if found.differing.insert(slot(own)) {
                found.pairs.push((left, right));
            }
        }
        found
    }

    /// Whether a difference follows from one that is nearer to the root.
    fn follows_from_another(&self, found: &Pairs<'c>, left: Option<&Property>, right: Option<&Property>) -> bool {
        let Some(property) = left.or(right) else { return true };
        let (part, path) = slot(property);
        let one_sided = left.is_none() || right.is_none();
        // Beyond the paper's state, reading stops after a number of properties and at cycles. If
        // both sides have an object, a property below it that one side lacks may just not have been
        // read there.
        if one_sided && property.deep && ancestors(path).any(|ancestor| self.is_on_both_sides(part, ancestor)) {
            return true;
        }
        let is_element_of = |ancestor: &str| path.get(ancestor.len()..).is_some_and(|rest| rest.starts_with('['));
        ancestors(path).any(|ancestor| {
            let count_differs = || {
                let mut counts = [".size", ".length"].iter();
                counts.any(|count| found.differing.contains(&(part, format!("{ancestor}{count}").as_str())))
            };
            found.differing.contains(&(part, ancestor))
                || (one_sided
                    && (found.other_class.contains(&(part, ancestor)) || (is_element_of(ancestor) && count_differs())))
        })
    }

    fn is_on_both_sides(&self, part: Part, path: &str) -> bool {
        self.original.get(part, path).is_some() && self.transformed.get(part, path).is_some()
    }

    fn is_sized(&self, part: Part, path: &str) -> bool {
        [".size", ".length"].iter().any(|count| {
            let path = format!("{path}{count}");
            self.original.get(part, &path).or_else(|| self.transformed.get(part, &path)).is_some()
        })
    }
}

/// Turns differences in the value of an object as a whole into differences of the object, and drops
/// those that say the same less well: of its class, of its contents, and of its digest.
fn as_values(changes: Vec<Change>) -> Vec<Change> {
    let wholes: HashSet<(Part, String)> =
        changes.iter().filter_map(|change| Some((change.part, change.path.strip_suffix(WHOLE)?.to_owned()))).collect();
    let has_whole = |part: Part, path: &str| !wholes.is_empty() && wholes.contains(&(part, path.to_owned()));
    let follows_from_whole = |change: &Change| {
        (change.deep && ancestors(&change.path).any(|ancestor| has_whole(change.part, ancestor)))
            || (change.implementation_only && has_whole(change.part, &change.path))
    };
    let mut kept: Vec<Change> = Vec::with_capacity(changes.len());
    let mut summaries: Vec<Change> = Vec::new();
    for mut change in changes {
        if let Some(path) = change.path.strip_suffix(WHOLE) {
            change.path = path.to_owned();
            // A part of another value is said by that value.
            if !ancestors(&change.path).any(|ancestor| has_whole(change.part, ancestor)) {
                kept.push(change);
            }
        } else if follows_from_whole(&change) {
            continue;
        } else if change.path.ends_with(DIGEST) || change.path.ends_with(ORDER) {
            summaries.push(change);
        } else {
            kept.push(change);
        }
    }
    // A digest or an order says only that something differs.
    for mut change in summaries {
        let path = change.path.trim_end_matches(ORDER).trim_end_matches(DIGEST).to_owned();
        let is_said = kept.iter().any(|one| {
            one.part == change.part
                && one.path.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        });
        if !is_said {
            change.path = path;
            kept.push(change);
        }
    }
    kept
}

/// Whether two references, neither of them null, refer to objects of different classes. Classes
/// that vary between runs or that the noise rules exclude do not count.
fn is_of_other_class(left: &Property, right: &Property, rules: &NoiseRules) -> bool {
    left.value == NON_NULL
        && left.type_name != right.type_name
        && [left, right].iter().all(|property| {
            !property.type_name.is_empty() && property.type_name != ANY_TYPE && !rules.is_opaque(&property.type_name)
        })
}

fn is_jdk_class(name: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun.", "com.sun."].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a test sees an exception in all runs of one side and in none of the other, and the other
/// side left out no observation of the site.
fn exception_on_one_side(row: &Row<'_, '_>, runs: &Runs<'_>) -> bool {
    matches!(row.key.site, Site::Expression(_))
        && ((row.in_all_originals() && row.in_no_transformed() && !runs.is_cut(row.key.site, false))
            || (row.in_all_transformed() && row.in_no_original() && !runs.is_cut(row.key.site, true)))
}

/// Whether the row is the same invocation on both sides. Invocations are numbered. If one side
/// calls the method more often, the same number need not mean the same invocation: a recursive
/// method no longer calls itself without its body. Then the callers must be equal, if they are
/// known, and as many calls from there must have come before.
fn is_same_invocation(row: &Row<'_, '_>, runs: &Runs<'_>) -> bool {
    if matches!(row.key.site, Site::Expression(_)) || row.key.occurrence == 1 || runs.equally_often(row.key) {
        return true;
    }
    let Some((method, callers)) = runs.stack(row, true).and_then(<[Frame]>::split_first) else { return true };
    match runs.stack(row, false).and_then(<[Frame]>::split_first) {
        Some((_, others)) => {
            let is_alike = |stack: &[Frame]| caller_chain(stack.get(1..).unwrap_or_default()).eq(caller_chain(callers));
            caller_chain(callers).eq(caller_chain(others))
                && runs.calls_before(row, true, is_alike) == runs.calls_before(row, false, is_alike)
        }
        None => !callers.iter().any(|frame| frame.class == method.class && frame.method == method.method),
    }
}

/// The callers outside the JDK and reneri. Frames of the JDK vary: after some calls, reflection
/// goes through generated accessors.
fn caller_chain(frames: &[Frame]) -> impl Iterator<Item = (&str, &str, Option<u32>)> {
    frames
        .iter()
        .filter(|frame| !is_jdk_class(&frame.class) && !frame.class.starts_with("reneri."))
        .map(|frame| (frame.class.as_str(), frame.method.as_str(), frame.line))
}

/// Decides which of many differing observations carry a stack. The observations must come in the
/// order of their keys.
#[derive(Default)]
struct StackBudget {
    group: Option<(TestId, Site, Thread)>,
    taken: usize,
}

impl StackBudget {
    fn take(&mut self, key: &Key) -> bool {
        let same = self
            .group
            .as_ref()
            .is_some_and(|(test, site, thread)| *test == key.test && *site == key.site && *thread == key.thread);
        if !same {
            self.group = Some((key.test, key.site, key.thread.clone()));
            self.taken = 0;
        }
        self.taken += 1;
        self.taken <= STACKS_PER_SITE
    }
}

fn stack(runs: &Runs<'_>, row: &Row<'_, '_>) -> Vec<Frame> {
    runs.stack(row, true).or_else(|| runs.stack(row, false)).unwrap_or_default().to_vec()
}

fn raw_numbers(runs: &Runs<'_>, states: &States<'_, '_>, row: &Row<'_, '_>) -> Vec<u32> {
    row.at.iter().enumerate().filter_map(|(run, at)| runs.state(states, run, (*at)?)).collect()
}

fn numbers_by_side(raw: &[u32], originals: usize, states: &mut States<'_, '_>) -> Sides {
    let (original, transformed) = raw.split_at(originals.min(raw.len()));
    let mut distinct = |raw: &[u32]| {
        let mut numbers: Vec<u32> = raw.iter().map(|number| states.masked(*number)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    (distinct(original), distinct(transformed))
}

/// As [`numbers_by_side`], for a row without any observation on one side.
fn numbers_by_side_of(runs: &Runs<'_>, states: &mut States<'_, '_>, row: &Row<'_, '_>) -> Sides {
    let raw = raw_numbers(runs, states, row);
    numbers_by_side(&raw, if row.in_all_originals() { raw.len() } else { 0 }, states)
}

/// The numbers of a method's invocations that allow a statement about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeatability {
    /// Invocations in at least one run of the original code, in tests that passed in all runs.
    pub seen: usize,
    /// Those of `seen` that all runs of both sides have.
    pub comparable: usize,
    /// Those of `comparable` whose outcome is the same in all runs of the original code, and the
    /// same in all runs of the transformed code. The outcome is the result or exception; for a void
    /// method, it is the receiver and the arguments.
    pub repeatable: usize,
    /// Those of `comparable` whose result or exception varies between runs of one side.
    pub varying: usize,
}

/// Counts the invocations of a method (index into `Transformations::methods`) that can be compared.
/// Leaves out the tests that `is_evidence` rejects.
#[must_use]
pub fn repeatability(observed: &Observed, method: MethodId, is_evidence: impl Fn(TestId) -> bool) -> Repeatability {
    let mut result = Repeatability::default();
    for_each_invocation(observed, method, |test, invocation| {
        if is_evidence(test) {
            result.seen += invocation.seen;
            result.comparable += invocation.comparable;
            result.repeatable += invocation.repeatable;
            result.varying += invocation.varying;
        }
    });
    result
}

/// Tests with a repeatable invocation of the method.
pub(super) fn repeatable_tests(observed: &Observed, method: MethodId) -> BTreeSet<TestId> {
    let mut tests = BTreeSet::new();
    for_each_invocation(observed, method, |test, invocation| {
        if invocation.repeatable > 0 {
            tests.insert(test);
        }
    });
    tests
}

/// Calls `visit` with each invocation's test and its counts (each 0 or 1).
fn for_each_invocation(observed: &Observed, method: MethodId, mut visit: impl FnMut(TestId, Repeatability)) {
    let runs = Runs::new(observed);
    let mut states = States::new(&runs, NoiseRules::embedded());
    runs.for_each_row(|row| {
        if row.key.site != Site::Method(method) {
            return;
        }
        let in_some_original = row.at.iter().take(runs.originals()).any(Option::is_some);
        let mut invocation = Repeatability { seen: usize::from(in_some_original), ..Repeatability::default() };
        if row.in_all_runs() {
            let raw = raw_numbers(&runs, &states, row);
            let (original, transformed) = numbers_by_side(&raw, runs.originals(), &mut states);
            let sides = [states.constant(&original), states.constant(&transformed)];
            invocation.comparable = 1;
            invocation.repeatable = usize::from(sides.iter().all(|side| says_something(side)));
            invocation.varying = usize::from(sides.iter().any(|side| has_varying_outcome(side)));
        }
        visit(row.key.test, invocation);
    });
}

/// Whether the result or exception itself is not the same in all runs.
fn has_varying_outcome(side: &Constant) -> bool {
    [Part::Result, Part::Exception].iter().any(|part| side.varies(*part, ""))
}

/// Whether the outcome is constant. A state without any property is constant.
fn says_something(constant: &Constant) -> bool {
    let is_outcome = |part: Part| matches!(part, Part::Result | Part::Exception);
    let has_outcome = constant.properties.iter().any(|property| is_outcome(property.part))
        || constant.varying.iter().any(|(part, _)| is_outcome(*part));
    if has_outcome {
        constant.properties.iter().any(|property| is_outcome(property.part) && property.path.is_empty())
    } else {
        constant.varying.is_empty() || constant.properties.iter().any(|property| !property.deep)
    }
}

/// An observation of the method on the original code. Its properties are constant over all runs,
/// sorted by part and path, and free of noise.
pub(crate) struct Seen<'o> {
    pub(crate) key: &'o Key,
    pub(crate) constant: Rc<Constant>,
    pub(crate) stack: &'o [Frame],
}

/// Calls `visit` with the observations of a method that all runs of the original code have, in the
/// order of their keys.
pub(crate) fn seen_on_original(observed: &Observed, method: MethodId, mut visit: impl FnMut(Seen<'_>)) {
    let observed = &observed.of_all_tests();
    let runs = Runs::new(observed);
    let mut states = States::new(&runs, NoiseRules::embedded());
    runs.for_each_row(|row| {
        if row.key.site != Site::Method(method) || !row.in_all_originals() {
            return;
        }
        let raw: Vec<u32> = row
            .at
            .iter()
            .take(runs.originals())
            .enumerate()
            .filter_map(|(run, at)| runs.state(&states, run, (*at)?))
            .collect();
        let (numbers, _) = numbers_by_side(&raw, raw.len(), &mut states);
        let constant = states.constant(&numbers);
        visit(Seen { key: row.key, constant, stack: runs.stack(row, true).unwrap_or_default() });
    });
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

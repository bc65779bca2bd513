//! Combines the recordings of both sides into rows (one observation in all runs), and finds what is
//! constant over all runs of one side.

use super::{Frame, Key, Observed, Part, Property, Recording, Site, Thread};
use crate::base::id::TestId;
use crate::observation::noise::NoiseRules;
use crate::observation::{Keyed, NOT_SEEN, Packed, Packing, Pool, WHOLE};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The recorded value of a reference that is not null and has no value of its own.
pub(crate) const NON_NULL: &str = "non-null";
/// The type of a value whose class is not the same in every run.
pub(crate) const ANY_TYPE: &str = "java.lang.Object";
/// The value of a property that varies between the runs of one side, and has the other side's value
/// in none of them.
pub(crate) const ANY_VALUE: &str = "a value that varies";

/// All runs of both sides, original first.
pub(crate) struct Runs<'o> {
    runs: Vec<Run<'o>>,
    /// The key lists of all runs. A list that runs share appears once.
    lists: Vec<&'o [Key]>,
    originals: usize,
    /// Tests that are no evidence in any run: they did not pass in some run of either side, or they
    /// are left out.
    silent: HashSet<TestId>,
    /// If set, only these tests and sites are compared.
    only: Option<&'o BTreeSet<(TestId, Site)>>,
}

struct Run<'o> {
    recording: &'o Recording,
    /// The observations of the recording that are compared.
    observations: &'o Keyed,
    /// The index of its key list in `Runs::lists`.
    list: usize,
}

/// A key, and the index of its observation in each run; `None` if the run has none.
pub(crate) struct Row<'r, 'o> {
    pub(crate) key: &'o Key,
    pub(crate) at: &'r [Option<u32>],
    originals: usize,
}

impl Row<'_, '_> {
    pub(crate) fn in_all_originals(&self) -> bool {
        self.originals > 0 && self.at.iter().take(self.originals).all(Option::is_some)
    }

    pub(crate) fn in_all_transformed(&self) -> bool {
        self.at.len() > self.originals && self.at.iter().skip(self.originals).all(Option::is_some)
    }

    pub(crate) fn in_no_original(&self) -> bool {
        self.originals > 0 && self.at.iter().take(self.originals).all(Option::is_none)
    }

    pub(crate) fn in_no_transformed(&self) -> bool {
        self.at.len() > self.originals && self.at.iter().skip(self.originals).all(Option::is_none)
    }

    pub(crate) fn in_all_runs(&self) -> bool {
        self.in_all_originals() && self.in_all_transformed()
    }
}

impl<'o> Runs<'o> {
    pub(crate) fn new(observed: &'o Observed) -> Self {
        Self::of(observed, |recording| &recording.observations)
    }

    /// The digested observations at these tests and sites that were also recorded. They have no
    /// stacks.
    pub(crate) fn of_samples(observed: &'o Observed, open: &'o BTreeSet<(TestId, Site)>) -> Self {
        Self { only: Some(open), ..Self::of(observed, |recording| &recording.samples) }
    }

    fn of(observed: &'o Observed, what: impl Fn(&'o Recording) -> &'o Keyed) -> Self {
        let mut lists: Vec<&'o [Key]> = Vec::new();
        let run = |recording: &'o Recording| {
            let observations = what(recording);
            let known = lists.iter().position(|list| std::ptr::eq(*list, observations.keys()));
            let list = known.unwrap_or_else(|| {
                lists.push(observations.keys());
                lists.len() - 1
            });
            Run { recording, observations, list }
        };
        let all = observed.original.iter().chain(&observed.transformed);
        let runs: Vec<Run<'o>> = all.map(|recording| &**recording).map(run).collect();
        let failed = runs.iter().flat_map(|run| &run.recording.failed).map(|(test, _)| *test);
        let silent = failed.chain(observed.left_out.iter().copied()).collect();
        Self { runs, lists, originals: observed.original.len(), silent, only: None }
    }

    pub(crate) fn originals(&self) -> usize {
        self.originals
    }

    /// Calls `visit` with each observation key, in the order of keys. Skips tests that are no
    /// evidence. Also skips keys that one run has twice (two threads of the same name), because
    /// nothing says which of the two is which.
    pub(crate) fn for_each_row(&self, mut visit: impl FnMut(&Row<'_, 'o>)) {
        let mut next = vec![0_usize; self.lists.len()];
        let mut at_list = vec![None; self.lists.len()];
        let mut at = vec![None; self.runs.len()];
        while let Some(key) = self.lists.iter().zip(&next).filter_map(|(list, next)| list.get(*next)).min() {
            let mut ambiguous = false;
            for ((list, next), at) in self.lists.iter().zip(&mut next).zip(&mut at_list) {
                *at = None;
                while list.get(*next) == Some(key) {
                    ambiguous |= at.is_some();
                    *at = u32::try_from(*next).ok();
                    *next += 1;
                }
            }
            let is_wanted = self.only.is_none_or(|only| only.contains(&(key.test, key.site)));
            if is_wanted && !ambiguous && !self.silent.contains(&key.test) {
                for (at, run) in at.iter_mut().zip(&self.runs) {
                    *at = at_list.get(run.list).copied().flatten();
                }
                visit(&Row { key, at: &at, originals: self.originals });
            }
        }
    }

    /// The number in [`States`] of the state of an observation, which is given by its run and its
    /// index there.
    pub(crate) fn state(&self, states: &States<'o, '_>, run: usize, observation: u32) -> Option<u32> {
        let local = self.runs.get(run)?.observations.state(observation)?;
        states.raw.get(run)?.get(local as usize).copied()
    }

    /// The stack of an observation, from the first run of that side that recorded one; innermost
    /// frame first.
    pub(crate) fn stack(&self, row: &Row<'_, '_>, original: bool) -> Option<&'o [Frame]> {
        self.runs
            .iter()
            .zip(row.at)
            .enumerate()
            .filter(|(run, _)| (*run < self.originals) == original)
            .find_map(|(_, (run, at))| run.stack((*at)?))
    }

    /// The number of earlier observations of the same site, in the same test and thread, with such a stack: in the first
    /// run of that side that recorded one for this row.
    pub(crate) fn calls_before(&self, row: &Row<'_, '_>, original: bool, is_such: impl Fn(&[Frame]) -> bool) -> usize {
        let mut of_side =
            self.runs.iter().zip(row.at).enumerate().filter(|(run, _)| (*run < self.originals) == original);
        let found = of_side.find_map(|(_, (run, at))| Some((run, (*at)?)).filter(|(run, at)| run.stack(*at).is_some()));
        let Some((run, at)) = found else { return 0 };
        let keys = run.observations.keys();
        let before = keys.partition_point(|key| place(key) < place(row.key))..at as usize;
        before.filter_map(|earlier| run.stack(u32::try_from(earlier).ok()?)).filter(|stack| is_such(stack)).count()
    }

    /// Whether some run of that side left out observations of the site because there were too many.
    pub(crate) fn is_cut(&self, site: Site, original: bool) -> bool {
        self.runs
            .iter()
            .enumerate()
            .filter(|(run, _)| (*run < self.originals) == original)
            .any(|(_, run)| run.recording.cut.iter().any(|(key, _)| key.site == site))
    }

    /// Whether every run observed the site equally often within the key's test and thread.
    pub(crate) fn equally_often(&self, key: &Key) -> bool {
        let mut counts = self.lists.iter().map(|keys| count_like(keys, key));
        let first = counts.next();
        counts.all(|count| Some(count) == first)
    }
}

impl<'o> Run<'o> {
    fn stack(&self, observation: u32) -> Option<&'o [Frame]> {
        let stacks = &self.recording.stack_of;
        let found = stacks.binary_search_by_key(&observation, |(index, _)| *index).ok()?;
        let (_, stack) = stacks.get(found)?;
        self.recording.stacks.get(*stack as usize).map(Vec::as_slice)
    }
}

/// The number of observations of the key's site in its test and thread.
fn count_like(keys: &[Key], key: &Key) -> usize {
    let wanted = place(key);
    keys.partition_point(|key| place(key) <= wanted) - keys.partition_point(|key| place(key) < wanted)
}

fn place(key: &Key) -> (TestId, Site, &Thread) {
    (key.test, key.site, &key.thread)
}

/// The states of all recordings, numbered across recordings, so that most comparisons compare
/// numbers. The noise rules mask a state when it is first needed.
pub(crate) struct States<'o, 'n> {
    rules: &'n NoiseRules,
    texts: Texts<'o>,
    /// The raw number of each state: by run, then by the recording's own number of the state.
    raw: Vec<Vec<u32>>,
    /// By raw number: the pool of the state, and its number there.
    states: Vec<(&'o Pool, u32)>,
    /// By raw number: the number after masking; `None` until it is needed.
    masked_of: Vec<Option<u32>>,
    masked: Packing,
    masked_numbers: HashMap<Box<[Packed]>, u32>,
    constant: HashMap<Vec<u32>, Rc<Constant>>,
}

/// The largest number of results that are kept. States that vary form a new combination each time.
const MOST_CONSTANTS: usize = 10_000;

/// The properties on which the runs of one side agree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Constant {
    /// Sorted by part and path, each at most once.
    pub(crate) properties: Vec<Property>,
    /// Parts and paths that exist only in some runs, or have different values: noise. Sorted.
    pub(crate) varying: Vec<(Part, String)>,
    /// The varying references that are `null` in none of the runs, with [`NON_NULL`] as their
    /// value. Sorted.
    pub(crate) never_null: Vec<Property>,
    /// The varying properties that exist in all runs, each with the value of every state. Sorted by
    /// part and path.
    pub(crate) values: Vec<(Property, Vec<String>)>,
}

impl Constant {
    pub(crate) fn get(&self, part: Part, path: &str) -> Option<&Property> {
        let found = self.properties.binary_search_by(|property| slot(property).cmp(&(part, path))).ok()?;
        self.properties.get(found)
    }

    fn is_null(&self, part: Part, path: &str) -> Option<&Property> {
        self.get(part, path).filter(|property| property.value == "null")
    }

    /// References that are `null` in all runs of `other` and in none of these runs, each with its
    /// property in `other`.
    pub(crate) fn never_null_but<'c>(
        &'c self,
        other: &'c Self,
    ) -> impl Iterator<Item = (&'c Property, &'c Property)> + use<'c> {
        self.never_null.iter().filter_map(|own| Some((own, other.is_null(own.part, &own.path)?)))
    }

    /// Properties that have one value in all of these runs, and exist with another value in every run
    /// of `other`, where they vary; each with its property in `other`.
    pub(crate) fn never_in<'c>(
        &'c self,
        other: &'c Self,
    ) -> impl Iterator<Item = (&'c Property, &'c Property)> + use<'c> {
        other.values.iter().filter_map(|(varying, values)| {
            let own = self.get(varying.part, &varying.path)?;
            (!values.contains(&own.value)).then_some((own, varying))
        })
    }

    pub(crate) fn varies(&self, part: Part, path: &str) -> bool {
        self.varying.binary_search_by(|(p, q)| (*p, q.as_str()).cmp(&(part, path))).is_ok()
    }
}

impl<'o, 'n> States<'o, 'n> {
    pub(crate) fn new(runs: &Runs<'o>, rules: &'n NoiseRules) -> Self {
        let mut texts: HashMap<&'o str, u32> = HashMap::new();
        let mut numbers: HashMap<Box<[Packed]>, u32> = HashMap::new();
        let mut states = Vec::new();
        let mut raw = Vec::new();
        for run in &runs.runs {
            let pool = &run.recording.states;
            let next = |known: &HashMap<_, _>| u32::try_from(known.len()).unwrap_or(u32::MAX);
            let of_run: Vec<u32> = pool
                .texts()
                .iter()
                .map(|text| {
                    let number = next(&texts);
                    *texts.entry(text).or_insert(number)
                })
                .collect();
            let shared = |text: u32| of_run.get(text as usize).copied().unwrap_or(u32::MAX);
            let of_run = (0..pool.count()).map(|state| {
                let packed = pool.packed(state).iter().map(|packed| Packed {
                    path: shared(packed.path),
                    type_name: shared(packed.type_name),
                    value: shared(packed.value),
                    ..*packed
                });
                *numbers.entry(packed.collect()).or_insert_with(|| {
                    states.push((pool, state));
                    u32::try_from(states.len() - 1).unwrap_or(u32::MAX)
                })
            });
            raw.push(of_run.collect());
        }
        let masked_of = vec![None; states.len()];
        Self {
            rules,
            texts: Texts::default(),
            raw,
            states,
            masked_of,
            masked: Packing::default(),
            masked_numbers: HashMap::new(),
            constant: HashMap::new(),
        }
    }

    /// The number after masking of the state with this raw number. Equal numbers mean equal states.
    pub(crate) fn masked(&mut self, raw: u32) -> u32 {
        if let Some(Some(number)) = self.masked_of.get(raw as usize) {
            return *number;
        }
        let mut packed = Vec::new();
        if let Some((pool, state)) = self.states.get(raw as usize) {
            for property in mask(pool, *state, self.rules, &mut self.texts) {
                packed.push(self.masked.pack(&property));
            }
        }
        let number = match self.masked_numbers.get(packed.as_slice()) {
            Some(number) => *number,
            None => {
                let number = self.masked.push_packed(&packed);
                self.masked_numbers.insert(packed.into(), number);
                number
            }
        };
        if let Some(of_raw) = self.masked_of.get_mut(raw as usize) {
            *of_raw = Some(number);
        }
        number
    }

    /// The properties on which the states with these masked numbers agree. The numbers are sorted
    /// and have no duplicates.
    pub(crate) fn constant(&mut self, numbers: &[u32]) -> Rc<Constant> {
        if let Some(constant) = self.constant.get(numbers) {
            return Rc::clone(constant);
        }
        let constant = Rc::new(agreement(self.masked.pool(), numbers));
        if self.constant.len() >= MOST_CONSTANTS {
            self.constant.clear();
        }
        self.constant.insert(numbers.to_vec(), Rc::clone(&constant));
        constant
    }
}

/// The part and path, which identify a property within a state.
pub(crate) fn slot(property: &Property) -> (Part, &str) {
    (property.part, &property.path)
}

/// Proper prefixes of a path that may be paths of their own: `.a[0].b` gives `.a[0]`, `.a` and the
/// empty path, and `.a=` gives `.a`. Such a character within a key of a map gives a prefix that no property has, which does
/// no harm.
pub(crate) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.char_indices()
        .rev()
        .filter(|(_, c)| matches!(c, '.' | '[' | '=' | '#' | '?'))
        .filter_map(|(end, _)| path.get(..end))
}

/// The answers of the noise rules for paths and class names. Each is asked for only once: there are
/// few paths and names, and they occur in most states.
#[derive(Default)]
struct Texts<'o> {
    masked: HashMap<&'o str, String>,
    opaque: HashMap<&'o str, bool>,
    noise: HashMap<&'o str, bool>,
}

impl<'o> Texts<'o> {
    fn masked(&mut self, text: &'o str, rules: &NoiseRules) -> String {
        self.masked.entry(text).or_insert_with(|| rules.normalise(text).into_owned()).clone()
    }

    fn is_opaque(&mut self, class: &'o str, rules: &NoiseRules) -> bool {
        *self.opaque.entry(class).or_insert_with(|| rules.is_opaque(class))
    }

    fn is_noise(&mut self, path: &'o str, rules: &NoiseRules) -> bool {
        *self.noise.entry(path).or_insert_with(|| rules.is_noise(path))
    }
}

/// The masked properties of a state, without those that the noise rules exclude. Each appears at
/// most once; sorted by part and path.
fn mask<'o>(pool: &'o Pool, state: u32, rules: &NoiseRules, texts: &mut Texts<'o>) -> Vec<Property> {
    let packed = pool.packed(state);
    let opaque: HashSet<(Part, &str)> = packed
        .iter()
        .filter(|packed| texts.is_opaque(pool.text(packed.type_name), rules))
        .map(|packed| pool.slot(packed))
        .collect();
    let is_inside_opaque =
        |part: Part, path: &str| !opaque.is_empty() && ancestors(path).any(|path| opaque.contains(&(part, path)));
    let mut properties = Vec::with_capacity(packed.len());
    for packed in packed {
        let (path, value) = (pool.text(packed.path), pool.text(packed.value));
        // A value is read only of classes whose values mean something, whatever their package is.
        let object = path.strip_suffix(WHOLE).or_else(|| path.strip_suffix(NOT_SEEN)).unwrap_or(path);
        if texts.is_noise(path, rules) || is_inside_opaque(packed.part, object) {
            continue;
        }
        let type_name = texts.masked(pool.text(packed.type_name), rules);
        properties.push(Property {
            part: packed.part,
            path: texts.masked(path, rules),
            // An exception is identified by its class, so the class is its value.
            value: if value == NON_NULL && packed.part == Part::Exception && path.is_empty() {
                type_name.clone()
            } else {
                masked_value(value, rules)
            },
            type_name,
            deep: packed.deep,
        });
    }
    properties.sort();
    // If a path has two different values (two keys of a map that print alike), nothing says which
    // is which, so both are dropped.
    let mut unique: Vec<Property> = Vec::with_capacity(properties.len());
    for group in properties.chunk_by(|a, b| slot(a) == slot(b)) {
        if let Some((first, rest)) = group.split_first()
            && rest.iter().all(|other| other.value == first.value)
        {
            unique.push(first.clone());
        }
    }
    unique
}

/// The masked value. A text with a masked part is no literal that an assertion could expect, and
/// must not look like one.
fn masked_value(value: &str, rules: &NoiseRules) -> String {
    match rules.normalise(value) {
        Cow::Owned(masked) if masked.starts_with('"') => format!("a text like {masked}"),
        text => text.into_owned(),
    }
}

/// The properties on which these masked states agree.
fn agreement(pool: &Pool, states: &[u32]) -> Constant {
    let Some((first, rest)) = states.split_first() else { return Constant::default() };
    let mut agreed: Vec<Agreed> =
        pool.packed(*first).iter().map(|packed| Agreed { packed: *packed, any_type: false }).collect();
    let mut varying: HashSet<(Part, u32)> = HashSet::new();
    for state in rest {
        let mut kept = Vec::with_capacity(agreed.len());
        let order = |mine: &Agreed, theirs: &Packed| pool.slot(&mine.packed).cmp(&pool.slot(theirs));
        merge(&agreed, pool.packed(*state), order, |mine, theirs| match (mine, theirs) {
            (Some(mine), Some(theirs)) if mine.packed.value == theirs.value => kept.push(Agreed {
                packed: Packed { deep: mine.packed.deep || theirs.deep, ..mine.packed },
                any_type: mine.any_type || mine.packed.type_name != theirs.type_name,
            }),
            (mine, theirs) => {
                if let Some(packed) = mine.map(|mine| &mine.packed).or(theirs) {
                    varying.insert((packed.part, packed.path));
                }
            }
        });
        agreed = kept;
    }
    let mut varying: Vec<(Part, String)> =
        varying.into_iter().map(|(part, path)| (part, pool.text(path).to_owned())).collect();
    varying.sort();
    let values = varying.iter().filter_map(|(part, path)| values_of(pool, states, *part, path)).collect();
    let never_null = varying.iter().filter_map(|(part, path)| never_null(pool, states, *part, path)).collect();
    Constant { properties: agreed.iter().map(|agreed| agreed.property(pool)).collect(), varying, never_null, values }
}

/// A property on which states agree, except perhaps on its type.
struct Agreed {
    packed: Packed,
    any_type: bool,
}

impl Agreed {
    fn property(&self, pool: &Pool) -> Property {
        let property = pool.unpacked(self.packed);
        if self.any_type { Property { type_name: ANY_TYPE.into(), ..property } } else { property }
    }
}

/// The property of a reference that varies between the states, if it is null in none of them.
/// `None` if it is null, missing or primitive in some state.
fn never_null(pool: &Pool, states: &[u32], part: Part, path: &str) -> Option<Property> {
    let is_null = |packed: &Packed| pool.text(packed.value) == "null" || is_primitive(pool.text(packed.type_name));
    let mut found: Option<Agreed> = None;
    for state in states {
        let packed = pool.packed(*state);
        let index = packed.binary_search_by(|packed| pool.slot(packed).cmp(&(part, path))).ok()?;
        let packed = packed.get(index).filter(|packed| !is_null(packed))?;
        let own = found.get_or_insert(Agreed { packed: *packed, any_type: false });
        own.any_type |= own.packed.type_name != packed.type_name;
    }
    found.map(|found| Property { value: NON_NULL.into(), ..found.property(pool) })
}

/// A varying property, with its value in each of the states. `None` if some state lacks it.
fn values_of(pool: &Pool, states: &[u32], part: Part, path: &str) -> Option<(Property, Vec<String>)> {
    let mut found: Option<Property> = None;
    let mut values = Vec::with_capacity(states.len());
    for state in states {
        let packed = pool.packed(*state);
        let index = packed.binary_search_by(|packed| pool.slot(packed).cmp(&(part, path))).ok()?;
        let property = pool.unpacked(*packed.get(index)?);
        values.push(property.value.clone());
        let first = found.get_or_insert_with(|| property.clone());
        if first.type_name != property.type_name {
            ANY_TYPE.clone_into(&mut first.type_name);
        }
    }
    Some((Property { value: ANY_VALUE.into(), ..found? }, values))
}

fn is_primitive(type_name: &str) -> bool {
    matches!(type_name, "boolean" | "byte" | "char" | "short" | "int" | "long" | "float" | "double")
}

/// Walks two lists side by side. Both are sorted in this order.
pub(crate) fn merge<'p, L, R>(
    left: &'p [L],
    right: &'p [R],
    order: impl Fn(&L, &R) -> Ordering,
    mut visit: impl FnMut(Option<&'p L>, Option<&'p R>),
) {
    let (mut lefts, mut rights) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let order = match (lefts.peek(), rights.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(left), Some(right)) => order(left, right),
        };
        match order {
            Ordering::Less => visit(lefts.next(), None),
            Ordering::Greater => visit(None, rights.next()),
            Ordering::Equal => visit(lefts.next(), rights.next()),
        }
    }
}

/// The order of the properties of a state.
pub(crate) fn by_slot(left: &Property, right: &Property) -> Ordering {
    slot(left).cmp(&slot(right))
}

/// The value for people. An object without a value of its own shows its class.
pub(crate) fn shown(property: &Property) -> Cow<'_, str> {
    if property.value == NON_NULL && !property.type_name.is_empty() && property.type_name != ANY_TYPE {
        Cow::Owned(format!("{NON_NULL} ({})", property.type_name))
    } else {
        Cow::Borrowed(&property.value)
    }
}

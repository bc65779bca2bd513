//! Repeat the calls that lead to a method that draws random values
//! (`rules/fixes/repeat-call.toml`).

use crate::classfile::outlines::Outlines;
use crate::fix::candidate::{Candidate, Probe, Repeat, Shape};
use crate::fix::look::{About, Look, When};
use crate::fix::source::mention::mentions;
use crate::fix::source::test_source::{Statement, TestSource};
use crate::fix::source::test_sources::{Place, TestSources};
use crate::fix::subject::Subject;
use crate::fix::techniques::callers::calling_names;
use crate::fix::techniques::new_input::new_calls;
use crate::fix::techniques::technique::{Reach, SecondRound, Technique};
use crate::fix::techniques::vary_input::statements_before;
use crate::fix::values::catalog::Values;
use crate::text::words;
use std::collections::{BTreeMap, BTreeSet};

pub const TECHNIQUE: Technique = Technique {
    second_round: Some(SecondRound { turn: 3, candidates }),
    ..Technique::new("repeat-call", include_str!("../../../rules/fixes/repeat-call.toml"))
};

/// Most calls from tests that are repeated.
const CANDIDATES: usize = 24;
/// Most of them from one test.
const OF_TEST: usize = 4;
/// Most expressions that look at the result of a call.
const ASKED: usize = 40;
/// Most calls with values that no test has.
const OF_VALUES: usize = 40;
/// Most calls between a test and the method.
const WAY: usize = 12;

/// Tests that repeat a call of a method that draws random values.
fn candidates(reach: &Reach<'_>) -> Vec<Candidate> {
    if !reach.is_random {
        return Vec::new();
    }
    let mut all = repeated(reach.subject, reach.sources, &reach.tests);
    if let Some((home, values)) = &reach.home {
        all.extend(repeated_in_new_tests(reach.subject, values, *home));
    }
    all
}

/// Tests that repeat the calls by which these tests reach the method, and look at the results.
fn repeated(subject: &Subject<'_>, sources: &TestSources, tests: &[Place]) -> Vec<Candidate> {
    let leading = calling_names(subject.outlines, subject.method, WAY);
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for place in tests {
        let Some((text, test)) = sources.method(*place) else { continue };
        let mut of_test = 0;
        for (index, statement) in test.statements.iter().enumerate().filter(|(_, statement)| statement.is_plain) {
            for (name, code) in text.calls_in(statement).into_iter().filter(|(name, _)| leading.contains(name)) {
                let object = object(subject.outlines, text, statement, &name, &code);
                let mut looks = Vec::new();
                if may_have_value(subject.outlines, &name) {
                    looks.push(look(&code, &name, When::Always, 0));
                }
                if let Some((class, _)) = &object {
                    let mut asked = asked(text, simple_name(class));
                    asked.retain(|(method, _)| may_have_value(subject.outlines, method));
                    let looked = |(rank, (method, behind)): (usize, (String, String))| {
                        look(&format!("{code}{behind}"), &method, When::After(name.clone()), rank + 1)
                    };
                    looks.extend(asked.into_iter().take(ASKED).enumerate().map(looked));
                }
                let Some(lines) = statements_before(text, test, index, &code).filter(|_| !looks.is_empty()) else {
                    continue;
                };
                if of_test == OF_TEST || found.len() == CANDIDATES || !known.insert((lines.clone(), code.clone())) {
                    continue;
                }
                of_test += 1;
                let throws = test.throws.clone();
                let shape = Shape::New { lines, throws, last_call: None };
                let probes = looks.into_iter().map(|look| Probe::at_end(TECHNIQUE.name, look)).collect();
                found.push(Candidate { place: *place, shape, probes, repeat: Some(Repeat { object }) });
            }
        }
    }
    found
}

/// Tests next to this one that repeat a call of the method with values that no test has.
fn repeated_in_new_tests(subject: &Subject<'_>, values: &Values<'_>, place: Place) -> Vec<Candidate> {
    let has_value = |look: &Look| match &look.about {
        About::Result { method } => look.act.is_none() && may_have_value(subject.outlines, method),
        _ => false,
    };
    let mut looks: Vec<Look> = new_calls(subject, values).into_iter().filter(has_value).collect();
    looks.sort_by_key(|look| look.rank);
    // The statements before the call are executed once.
    let mut by_lines: BTreeMap<Vec<String>, Vec<Probe>> = BTreeMap::new();
    for look in looks.into_iter().take(OF_VALUES) {
        let lines = look.before.clone();
        by_lines.entry(lines).or_default().push(Probe::at_end(TECHNIQUE.name, Look { before: Vec::new(), ..look }));
    }
    let candidate = |(lines, probes): (Vec<String>, Vec<Probe>)| Candidate {
        place,
        shape: Shape::New { lines, throws: String::new(), last_call: None },
        probes,
        repeat: Some(Repeat::default()),
    };
    by_lines.into_iter().map(candidate).collect()
}

fn look(expression: &str, method: &str, when: When, rank: usize) -> Look {
    Look {
        expression: expression.to_owned(),
        about: About::Result { method: method.to_owned() },
        when,
        is_pure: false,
        ..Look::accessor("", "", rank)
    }
}

/// The type of the object that a call gives, as written, and the call. `None` if it gives no
/// object, or one of a class outside the project.
fn object(
    outlines: &Outlines,
    source: &TestSource,
    statement: &Statement,
    name: &str,
    code: &str,
) -> Option<(String, String)> {
    if let [variable] = statement.declares.as_slice() {
        let text = source.text.get(statement.start..statement.end)?;
        if text.ends_with(&format!("= {code};")) && variable.type_text != "var" && !variable.is_primitive() {
            return Some((variable.type_text.clone(), code.to_owned()));
        }
    }
    let named = outlines.classes().flat_map(|class| &class.methods).filter(|method| method.name == name);
    let returned: BTreeSet<&str> = named.map(|method| method.returned.as_str()).collect();
    let class =
        returned.first().filter(|_| returned.len() == 1)?.strip_prefix('L')?.strip_suffix(';')?.replace('/', ".");
    outlines.class(&class).is_some().then(|| (class.replace('$', "."), code.to_owned()))
}

/// Whether the result of a method with this name may be compared by value: it exists, and is not
/// always an object of the project.
fn may_have_value(outlines: &Outlines, name: &str) -> bool {
    let is_object = |returned: &str| {
        let class =
            returned.strip_prefix('L').and_then(|class| class.strip_suffix(';')).map(|class| class.replace('/', "."));
        let class = class.and_then(|class| outlines.class(&class));
        returned == "V" || class.is_some_and(|class| class.super_name.as_deref() != Some("java.lang.Enum"))
    };
    let mut named = outlines.classes().flat_map(|class| &class.methods).filter(|method| method.name == name).peekable();
    named.peek().is_none() || named.any(|method| !is_object(&method.returned))
}

fn simple_name(class: &str) -> &str {
    words::simple_name(class.split('<').next().unwrap_or(class).trim())
}

/// The calls that tests of this source make on objects of this type: name of the last method, and
/// the code after the object.
fn asked(source: &TestSource, class: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for test in &source.methods {
        let locals: Vec<_> = test.statements.iter().flat_map(|one| &one.declares).chain(&test.parameters).collect();
        let objects = || locals.iter().filter(|variable| variable.simple_type() == class);
        for (name, code) in test.statements.iter().flat_map(|statement| source.calls_in(statement)) {
            for object in objects() {
                let behind = code.strip_prefix(object.name.as_str()).filter(|behind| behind.starts_with('.'));
                // Other variables of the test are not available.
                let is_alone = |behind: &&str| !locals.iter().any(|other| mentions(behind, &other.name));
                let asked = behind.filter(is_alone).map(|behind| (name.clone(), behind.to_owned()));
                found.extend(asked.filter(|asked| !found.contains(asked)));
            }
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::test_coin::{coin_method, coin_outlines};
    use std::path::Path;

    const TEST: &str = "package a;
import org.junit.Test;
class CoinTest {
    @Test
    public void boxes() {
        Coin coin = new Coin();
        Coin.Box box = coin.box();
        assertEquals(1, box.text().length());
    }
}
";

    #[test]
    fn the_calls_of_a_test_are_repeated_and_their_objects_are_asked() {
        let outlines = coin_outlines();
        let below = coin_method("below", "(I)I");
        let subject =
            Subject { method: &below, outlines: &outlines, evidence: Vec::new(), calls: Vec::new(), drawn: Vec::new() };
        let sources = TestSources::from(vec![TestSource::of(Path::new("CoinTest.java"), TEST.to_owned()).unwrap()]);
        let found = repeated(&subject, &sources, &[Place { source: 0, position: 0 }]);
        assert_eq!(found.len(), 1, "{found:#?}");
        let Shape::New { lines, .. } = &found[0].shape else { return };
        assert_eq!(lines, &["Coin coin = new Coin();"]);
        let object = Some(("Coin.Box".to_owned(), "coin.box()".to_owned()));
        assert_eq!(found[0].repeat, Some(Repeat { object }));
        let looks: Vec<&str> = found[0].probes.iter().map(|probe| probe.look.expression.as_str()).collect();
        assert_eq!(looks, ["coin.box().text().length()", "coin.box().text()"], "a box has no value");
    }
}

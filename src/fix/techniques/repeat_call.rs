//! From a method that draws at random to tests that call again and again what leads to it (`rules/fixes/repeat-call.toml`).

use crate::classfile::names::Member;
use crate::classfile::outlines::Outlines;
use crate::code::Signature;
use crate::fix::candidate::{Candidate, Probe, Repeat, Shape};
use crate::fix::source::style::{Needed, Style};
use crate::fix::source::test_source::{Statement, TestSource, mentions};
use crate::fix::techniques::vary_input::{leading, needed};
use crate::fix::techniques::{Look, Subject, calls_of_it, simple};
use crate::fix::trial::chance::CALLS;
use crate::fix::values::Values;
use crate::fix::write::assertion::{Assertion, Expected, assertion};
use crate::fix::write::name::{About, When};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the technique: file name in `rules/fixes`.
pub const REPEAT: &str = "repeat-call";
/// Most calls of tests that are repeated.
const CANDIDATES: usize = 24;
/// Most of them of one test.
const OF_TEST: usize = 4;
/// Most expressions that ask what a call gives.
const ASKED: usize = 40;
/// Most calls with values that no test has.
const OF_VALUES: usize = 40;
/// So many calls may lead from a test to the method.
const WAY: usize = 12;
/// Longest assertion that is written in one line, in characters.
const LONGEST: usize = 110;
/// Into so many calls below the method.
const LEVELS: usize = 6;
/// Classes whose methods draw, and methods of others that do.
const DRAWING: [&str; 4] = [
    "java.util.Random",
    "java.util.SplittableRandom",
    "java.util.concurrent.ThreadLocalRandom",
    "java.security.SecureRandom",
];
const DRAWING_CALLS: [(&str, &str); 3] =
    [("java.lang.Math", "random"), ("java.util.UUID", "randomUUID"), ("java.util.Collections", "shuffle")];

/// Whether a method draws at random, itself or through what it calls. What hangs on a clock does not: its values are not independent of each other.
#[must_use]
pub fn is_random(outlines: &Outlines, method: &Signature) -> bool {
    let draws = |to: &Member| {
        DRAWING.contains(&to.owner.as_str()) && to.name != "<init>"
            || DRAWING_CALLS.contains(&(to.owner.as_str(), to.name.as_str()))
    };
    let called = outlines.called_from(&[method.member()], LEVELS);
    called.iter().flat_map(|(_, outline)| &outline.calls).any(|call| draws(&call.to))
}

/// Tests that repeat what these tests (source and method) do to get to the method, each with expressions that ask what comes of it.
#[must_use]
pub fn repeated(subject: &Subject<'_>, sources: &[TestSource], tests: &[(usize, usize)]) -> Vec<Candidate> {
    let leading = leading(subject.outlines, subject.method, WAY);
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for (source, method) in tests {
        let Some((text, test)) = sources.get(*source).and_then(|text| Some((text, text.methods.get(*method)?))) else {
            continue;
        };
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
                let Some(lines) = needed(text, test, index, &code).filter(|_| !looks.is_empty()) else { continue };
                if of_test == OF_TEST || found.len() == CANDIDATES || !known.insert((lines.clone(), code.clone())) {
                    continue;
                }
                of_test += 1;
                let throws = test.throws.clone();
                let shape = Shape::New { lines, throws, last_call: None };
                let probes = looks.into_iter().map(|look| Probe::at_end(REPEAT, look)).collect();
                found.push(Candidate {
                    source: *source,
                    method: *method,
                    shape,
                    probes,
                    repeat: Some(Repeat { object }),
                });
            }
        }
    }
    found
}

/// Tests beside this one (source and method) that repeat a call of the method with values that no test has.
#[must_use]
pub fn repeated_alone(subject: &Subject<'_>, values: &Values<'_>, source: usize, method: usize) -> Vec<Candidate> {
    let has_value = |look: &Look| match &look.about {
        About::Result { method } => look.act.is_none() && may_have_value(subject.outlines, method),
        _ => false,
    };
    let mut looks: Vec<Look> = calls_of_it(subject, values).into_iter().filter(has_value).collect();
    looks.sort_by_key(|look| look.rank);
    // What comes before is done once.
    let mut by_lines: BTreeMap<Vec<String>, Vec<Probe>> = BTreeMap::new();
    for look in looks.into_iter().take(OF_VALUES) {
        let lines = look.before.clone();
        by_lines.entry(lines).or_default().push(Probe::at_end(REPEAT, Look { before: Vec::new(), ..look }));
    }
    let candidate = |(lines, probes): (Vec<String>, Vec<Probe>)| Candidate {
        source,
        method,
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

/// The type of the object that a call gives, as written where a statement declares it, and the call. `None` where it gives none, or none of the project.
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

/// Whether what a method of this name gives may be compared by its value: it is no object of the project, or not always, and there is something.
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
    simple(class.split('<').next().unwrap_or(class).trim())
}

/// What the tests of a source ask objects of this type: the last method, and the code behind the object.
fn asked(source: &TestSource, class: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for test in &source.methods {
        let locals: Vec<_> = test.statements.iter().flat_map(|one| &one.declares).chain(&test.parameters).collect();
        let objects = || locals.iter().filter(|variable| variable.simple_type() == class);
        for (name, code) in test.statements.iter().flat_map(|statement| source.calls_in(statement)) {
            for object in objects() {
                let behind = code.strip_prefix(object.name.as_str()).filter(|behind| behind.starts_with('.'));
                // What else the test has is not at hand.
                let is_alone = |behind: &&str| !locals.iter().any(|other| mentions(behind, &other.name));
                let asked = behind.filter(is_alone).map(|behind| (name.clone(), behind.to_owned()));
                found.extend(asked.filter(|asked| !found.contains(asked)));
            }
        }
    }
    found
}

/// What repeats a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// In which nothing that it declares may be thrown (JLS §15.27.3), and which Java has since 8.
    Stream,
    Loop,
}

/// That an expression gives both truth values (`is_boolean`), or more different values than `above`, behind these lines. `None` where names are taken.
#[must_use]
pub fn repeating(
    style: &Style,
    lines: &[String],
    expression: &str,
    (is_boolean, above): (bool, usize),
    calls: Calls,
) -> Option<Assertion> {
    let import = |name: &str| Needed { is_static: false, name: name.to_owned() };
    let expected = Expected::Varied { is_boolean, above };
    if calls == Calls::Stream {
        let lambda = style.call("Stream.generate", &[&format!("() -> {expression}")]);
        let counted = format!(".{}.distinct().count()", style.call("limit", &[&CALLS.to_string()]));
        let mut asserted = assertion(style, &format!("{lambda}{counted}"), &expected);
        if asserted.code.len() > LONGEST && !lines.iter().any(|line| mentions(line, "different")) {
            let deeper = style.indent.repeat(2);
            asserted = assertion(style, "different", &expected);
            asserted.code = format!("long different = {lambda}\n{deeper}{counted};\n{}", asserted.code);
        }
        asserted.imports.push(import("java.util.stream.Stream"));
        return Some(asserted);
    }
    if lines.iter().any(|line| mentions(line, "seen") || mentions(line, "i")) {
        return None;
    }
    let mut asserted = assertion(style, "seen.size()", &expected);
    let class = if is_boolean { "Boolean" } else { "Object" };
    let head = style.call("for ", &[&format!("int i = 0; i < {CALLS}; i++")]);
    let brace = if style.brace_below { "\n{" } else { " {" };
    let add = style.call("seen.add", &[expression]);
    asserted.code = format!(
        "Set<{class}> seen = new HashSet<{class}>();\n{head}{brace}\n{}{add};\n}}\n{}",
        style.indent, asserted.code
    );
    asserted.imports.extend([import("java.util.HashSet"), import("java.util.Set")]);
    Some(asserted)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classfile::test_javac::compile;
    use std::path::Path;

    const MAIN: &str = "package a; public class Coin {
    private final java.util.Random random = new java.util.Random();
    public boolean flip() { return below(2) == 0; }
    private int below(int bound) { return random.nextInt(bound); }
    public Box box() { return flip() ? new Box(\"a\") : new Box(\"b\"); }
    public long now() { return System.nanoTime(); }
    public static class Box { final String text; Box(String text) { this.text = text; } public String text() { return text; } }
}";
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

    fn method(name: &str, descriptor: &str) -> Signature {
        Signature { class: "a.Coin".into(), name: name.into(), descriptor: descriptor.into(), is_static: false }
    }

    #[test]
    fn a_method_is_random_where_it_draws_somewhere_below_and_not_by_the_clock() {
        let folder = compile(&[MAIN], &["-Xlint:none"]);
        let outlines = Outlines::read(&[folder.path().to_path_buf()]).unwrap();
        assert!(is_random(&outlines, &method("below", "(I)I")) && is_random(&outlines, &method("flip", "()Z")));
        assert!(!is_random(&outlines, &method("now", "()J")) && !is_random(&outlines, &method("<init>", "()V")));
    }

    #[test]
    fn what_a_test_does_to_get_there_is_repeated_and_asked_as_the_tests_ask() {
        let folder = compile(&[MAIN], &["-Xlint:none"]);
        let outlines = Outlines::read(&[folder.path().to_path_buf()]).unwrap();
        let below = method("below", "(I)I");
        let subject = Subject { method: &below, outlines: &outlines, evidence: &[], calls: &[] };
        let sources = [TestSource::of(Path::new("CoinTest.java"), TEST.to_owned()).unwrap()];
        let found = repeated(&subject, &sources, &[(0, 0)]);
        assert_eq!(found.len(), 1, "{found:#?}");
        let Shape::New { lines, .. } = &found[0].shape else { return };
        assert_eq!(lines, &["Coin coin = new Coin();"]);
        let object = Some(("Coin.Box".to_owned(), "coin.box()".to_owned()));
        assert_eq!(found[0].repeat, Some(Repeat { object }));
        let looks: Vec<&str> = found[0].probes.iter().map(|probe| probe.look.expression.as_str()).collect();
        assert_eq!(looks, ["coin.box().text().length()", "coin.box().text()"], "a box has no value");
    }

    #[test]
    fn a_colleague_writes_a_stream_or_a_loop() {
        let source = TestSource::of(Path::new("CoinTest.java"), TEST.to_owned()).unwrap();
        let style = Style::of(&source, &source.methods[0]);
        let code = |expected, calls| repeating(&style, &[], "coin.flip()", expected, calls).unwrap().code;
        let stream = "Stream.generate(() -> coin.flip()).limit(100).distinct().count()";
        assert_eq!(code((true, 1), Calls::Stream), format!("assertEquals(2, {stream});"));
        assert_eq!(code((false, 10), Calls::Stream), format!("assertTrue({stream} > 10);"));
        let long = format!("coin.{}()", "flip".repeat(20));
        let split = repeating(&style, &[], &long, (false, 1), Calls::Stream).unwrap().code;
        let lines = format!("long different = Stream.generate(() -> {long})\n        .limit(100).distinct().count();");
        assert_eq!(split, format!("{lines}\nassertTrue(different > 1);"));
        let set = "Set<Boolean> seen = new HashSet<Boolean>();\nfor (int i = 0; i < 100; i++) {\n    seen.add(coin.flip());\n}";
        assert_eq!(code((true, 1), Calls::Loop), format!("{set}\nassertEquals(2, seen.size());"));
        assert_eq!(repeating(&style, &["int i = 1;".to_owned()], "f(i)", (true, 1), Calls::Loop), None);
    }
}

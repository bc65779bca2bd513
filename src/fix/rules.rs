//! The texts of `rules/fixes`, one for each technique, for `reneri explain`.

use crate::base::error::{Error, Result};
use crate::fix::techniques::TECHNIQUES;
use crate::fix::techniques::technique::Technique;
use serde::Deserialize;

/// The content of a file in `rules/fixes`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FixText {
    /// File name without its ending.
    pub name: String,
    pub title: String,
    /// The situation in which the technique is tried.
    pub applies: String,
    /// The reason why a patch of the technique is good to have.
    pub why: String,
    pub example: Example,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The test class before the patch, as Java source.
    pub code: String,
    /// Lines of the patch: those that it adds, and lines of `code` around them.
    pub better: String,
    /// The input for the test that checks the example, which runs no Java:
    ///
    /// * `method`: the method under test, as `org.example.Door.opens()Z`. Techniques see the
    ///   classes that `outlines` in the tests below makes: `VersionedSet` and `Door`.
    /// * `static`: present if the method is static.
    /// * `field`: the field of the receiver in which a difference was seen, if the technique asks.
    /// * `before`: the last of the statements that the technique writes before the expression.
    /// * `looks`: the expression that the technique has to find, exactly.
    /// * `type`, `original`, `transformed`: the type of its value, and the values that a run would
    ///   give, as Java source.
    ///
    /// A technique that reads messages of exceptions has `message` and `variable` instead.
    pub given: toml::Table,
}

/// The texts of all techniques.
///
/// # Errors
///
/// When a file of `rules/fixes` cannot be read. That is a bug, because they are part of the binary.
pub fn fix_texts() -> Result<Vec<FixText>> {
    let read = |technique: &Technique| {
        let bug = |error| Error::bug(format!("rules/fixes/{}.toml cannot be read: {error}.", technique.name));
        toml::from_str(technique.rule).map_err(bug)
    };
    TECHNIQUES.iter().map(read).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::{TestId, TransformationId};
    use crate::classfile::names::Member;
    use crate::classfile::outline::{ClassOutline, FieldOutline, MethodOutline, PUBLIC, STATIC};
    use crate::classfile::outlines::Outlines;
    use crate::code::Signature;
    use crate::diagnose::{At, Evidence};
    use crate::fix::candidate::{Candidate, Shape};
    use crate::fix::edit::{apply, diff};
    use crate::fix::expected::Expected;
    use crate::fix::look::About;
    use crate::fix::search::candidates::{candidates_from, new_tests};
    use crate::fix::source::test_source::TestSource;
    use crate::fix::source::test_sources::{Place, TestSources};
    use crate::fix::subject::Subject;
    use crate::fix::techniques::message::Message;
    use crate::fix::techniques::technique::Reach;
    use crate::fix::trial::exploration::Witness;
    use crate::fix::trial::mock_calls::differing_call;
    use crate::fix::values::catalog::Values;
    use crate::fix::values::usual::UsualValues;
    use crate::fix::write::draft::{Draft, WitnessDrafts};
    use crate::fix::write::exception::Abilities;
    use crate::fix::write::message::message_drafts;
    use crate::observe::Part;
    use std::collections::BTreeSet;
    use std::path::Path;

    const CLASS: &str = "org.example.VersionedSet";

    #[test]
    fn the_folder_and_the_registry_name_the_same_techniques() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/fixes");
        let names = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let files: BTreeSet<String> =
            names.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        let texts = fix_texts().unwrap();
        assert_eq!(files, texts.iter().map(|text| text.name.clone()).collect());
    }

    #[test]
    fn the_page_on_patches_has_a_row_for_each_technique() {
        let page = include_str!("../../docs/patches.md");
        for technique in TECHNIQUES {
            assert!(page.contains(&format!("\n| `{}` |", technique.name)), "{}", technique.name);
        }
    }

    /// The classes of the examples.
    fn outlines() -> Outlines {
        let version = Member { owner: CLASS.into(), name: "version".into(), descriptor: "I".into() };
        let out =
            Member { owner: "java.lang.System".into(), name: "out".into(), descriptor: "Ljava/io/PrintStream;".into() };
        let method = |name: &str, descriptor: &str, access: u16, reads: &[&Member], writes: &[&Member]| MethodOutline {
            name: name.into(),
            descriptor: descriptor.into(),
            access,
            returned: descriptor.rsplit(')').next().unwrap().into(),
            parameters: usize::from(!descriptor.starts_with("()")),
            reads: reads.iter().map(|member| (*member).clone()).collect(),
            writes: writes.iter().map(|member| (*member).clone()).collect(),
            ..MethodOutline::default()
        };
        let door = ClassOutline {
            name: "org.example.Door".into(),
            access: PUBLIC,
            methods: vec![
                method("<init>", "()V", PUBLIC, &[], &[]),
                method("knock", "()V", PUBLIC, &[], &[]),
                method("opens", "()Z", PUBLIC, &[], &[]),
            ],
            ..ClassOutline::default()
        };
        let set = ClassOutline {
            is_generic: true,
            name: CLASS.into(),
            access: PUBLIC,
            fields: vec![FieldOutline { name: "version".into(), descriptor: "I".into(), access: 0 }],
            methods: vec![
                method("<init>", "()V", PUBLIC, &[], &[]),
                method("isEmpty", "()Z", PUBLIC, &[], &[]),
                method("size", "()I", PUBLIC, &[], &[]),
                method("getVersion", "()I", PUBLIC, &[&version], &[]),
                method("equals", "(Ljava/lang/Object;)Z", PUBLIC, &[], &[]),
                method("incrementVersion", "()V", 2, &[], &[&version]),
                method("print", "(Ljava/lang/String;)V", PUBLIC | STATIC, &[&out], &[]),
            ],
            ..ClassOutline::default()
        };
        Outlines::new([set, door])
    }

    fn evidence(field: &str) -> Evidence {
        Evidence {
            test: TestId(0),
            invocation: 1,
            at: At::Method,
            part: Part::Receiver,
            path: format!(".{field}"),
            type_name: "int".into(),
            owner: None,
            original: None,
            transformed: None,
            deep: false,
            file: None,
            line: 0,
            column: 0,
            end_line: 0,
            end_column: 0,
            expression: None,
            expression_kind: None,
            repeats: false,
            alike: false,
            stack: vec![],
        }
    }

    /// The diffs of the drafts that a technique makes of the code of its example.
    fn patches(text: &FixText) -> Vec<String> {
        let code = text.example.code.trim_start();
        let sources = TestSources::from(vec![TestSource::of(Path::new("T.java"), code.to_owned()).unwrap()]);
        let drafts = match given(text, "message") {
            Some(message) => {
                let variable = given(text, "variable");
                let byte = code.find(&format!("{})", variable.unwrap())).unwrap();
                let technique = "assert-message";
                let shown_for = BTreeSet::new();
                let message = Message { technique, source: 0, byte, variable, text: message, shown_for };
                message_drafts(&sources, 0, &message)
            }
            None => drafts_of_expression(text, &sources),
        };
        drafts.iter().map(|draft| diff("T.java", code, &apply(code, &draft.edits).unwrap())).collect()
    }

    fn given<'t>(text: &'t FixText, key: &str) -> Option<&'t str> {
        text.example.given.get(key).and_then(toml::Value::as_str)
    }

    fn drafts_of_expression(text: &FixText, sources: &TestSources) -> Vec<Draft> {
        let method = given(text, "method").unwrap();
        let (name, descriptor) = method.split_at(method.find('(').unwrap());
        let (class, name) = name.rsplit_once('.').unwrap();
        let method = Signature {
            class: class.into(),
            name: name.into(),
            descriptor: descriptor.into(),
            is_static: text.example.given.contains_key("static"),
        };
        let evidence: Vec<Evidence> = given(text, "field").map(evidence).into_iter().collect();
        let outlines = outlines();
        let subject = Subject {
            method: &method,
            outlines: &outlines,
            evidence: evidence.iter().collect(),
            calls: Vec::new(),
            drawn: Vec::new(),
        };
        let usual = UsualValues::read(false).unwrap();
        let values = || Values::new(&subject, sources.get(0).unwrap(), &usual);
        let home = Place { source: 0, position: 0 };
        let reach = Reach {
            subject: &subject,
            sources,
            tests: vec![home],
            home: Some((home, values())),
            is_random: true,
            budget: usize::from(u16::MAX),
        };
        let mut all: Vec<Candidate> = candidates_from(&subject, sources, home);
        all.extend(new_tests(&subject, &values(), home));
        for round in TECHNIQUES.iter().filter_map(|technique| technique.second_round.as_ref()) {
            all.extend((round.candidates)(&reach));
        }
        let mut drafts = Vec::new();
        for candidate in &all {
            for (probe, of_probe) in candidate.probes.iter().enumerate() {
                let is_wanted = of_probe.technique == text.name
                    && of_probe.look.expression == given(text, "looks").unwrap()
                    && (candidate.shape == Shape::Copy || candidate.probes.len() < 100);
                let before = of_probe.look.before.join("\n");
                if !is_wanted || !given(text, "before").is_none_or(|lines| before.ends_with(lines)) {
                    continue;
                }
                let expected = expected(text, &of_probe.look.about);
                let witness = Witness { group: 0, candidate: 0, probe, transformation: TransformationId(0), expected };
                let witness_drafts = WitnessDrafts {
                    sources,
                    candidate,
                    witness: &witness,
                    transformations: &BTreeSet::new(),
                    method: name,
                    distance: 0,
                    abilities: Abilities::default(),
                };
                drafts.extend(witness_drafts.all());
            }
        }
        drafts
    }

    fn expected(text: &FixText, about: &About) -> Expected {
        let (original, transformed) = (given(text, "original"), given(text, "transformed"));
        match about {
            About::MockCalls { mock, .. } => differing_call(original, transformed, mock).unwrap(),
            _ if text.name == "repeat-call" => Expected::Varied { is_boolean: true, above: 1 },
            _ => Expected::of(given(text, "type").unwrap(), original, transformed).unwrap(),
        }
    }

    #[test]
    fn each_technique_makes_the_patch_of_its_example() {
        for text in fix_texts().unwrap() {
            let patches = patches(&text);
            let has = |patch: &&String| {
                let lines: Vec<&str> = patch.lines().map(|line| line.trim_start_matches(['+', ' ']).trim()).collect();
                text.example.better.trim().lines().all(|line| lines.contains(&line.trim()))
            };
            assert!(patches.iter().any(|patch| has(&patch)), "{}: {}", text.name, patches.join("\n"));
        }
    }
}

//! From the files in `rules/fixes` to what they say of each technique, for `reneri explain`.

use crate::base::error::{Error, Result};
use crate::fix::techniques::repeat_call::REPEAT;
use crate::fix::techniques::vary_input::VARY;
use crate::fix::techniques::{SEQUENCE, TECHNIQUES};
use serde::Deserialize;

/// What a file of `rules/fixes` says.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FixText {
    /// The file's name without its ending.
    pub name: String,
    pub title: String,
    /// When it is tried, in words.
    pub applies: String,
    /// Why a patch that it makes is good to have.
    pub why: String,
    pub example: Example,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Java: the test class as it is.
    pub code: String,
    /// The lines that come to it.
    pub better: String,
    /// What the example begins from, for the test that proves it.
    pub given: toml::Table,
}

/// The technique that looks at no expression, and those that are tried where nothing else shows a difference.
const OTHERS: [(&str, &str); 4] = [
    (SEQUENCE, include_str!("../../rules/fixes/call-sequence.toml")),
    (super::MESSAGE, include_str!("../../rules/fixes/assert-message.toml")),
    (REPEAT, include_str!("../../rules/fixes/repeat-call.toml")),
    (VARY, include_str!("../../rules/fixes/vary-input.toml")),
];

/// The texts of all techniques.
///
/// # Errors
/// When a file of `rules/fixes` cannot be read: a bug, since they are part of the binary.
pub fn fix_texts() -> Result<Vec<FixText>> {
    let files = TECHNIQUES.iter().map(|technique| (technique.name, technique.toml)).chain(OTHERS);
    let read = |(name, text): (&str, &str)| {
        toml::from_str(text).map_err(|error| Error::bug(format!("rules/fixes/{name}.toml cannot be read: {error}.")))
    };
    files.map(read).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::TransformationId;
    use crate::classfile::names::Member;
    use crate::classfile::outline::{ClassOutline, FieldOutline, MethodOutline, PUBLIC, STATIC};
    use crate::classfile::outlines::Outlines;
    use crate::code::Signature;
    use crate::diagnose::{At, Evidence};
    use crate::fix::candidate::{Candidate, Probe, Shape, alone, candidates, in_sequence};
    use crate::fix::edit::{apply, diff};
    use crate::fix::source::test_source::TestSource;
    use crate::fix::techniques::repeat_call::repeated;
    use crate::fix::techniques::vary_input::{LEVELS, leading, varied};
    use crate::fix::techniques::{Subject, called};
    use crate::fix::trial::explore::Shown;
    use crate::fix::values::{UsualValues, Values};
    use crate::fix::write::assertion::Expected;
    use crate::fix::write::draft::of_shown;
    use crate::fix::write::exception::Abilities;
    use crate::fix::write::message::{Message, of_message};
    use crate::fix::write::name::About;
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

    /// A class as the examples know it.
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
            test: 0,
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

    /// The diffs of all drafts that the technique makes of its example.
    fn patches(text: &FixText) -> Vec<String> {
        let code = text.example.code.trim_start();
        let sources = vec![TestSource::of(Path::new("T.java"), code.to_owned()).unwrap()];
        let given = |key: &str| text.example.given.get(key).and_then(toml::Value::as_str);
        let drafts = match given("message") {
            Some(message) => {
                let variable = given("variable");
                let byte = code.find(&format!("{})", variable.unwrap())).unwrap();
                of_message(
                    &sources,
                    &Message { group: 0, source: 0, byte, variable, text: message, shown_for: BTreeSet::new() },
                )
            }
            None => {
                let (name, descriptor) = given("method").unwrap().split_at(given("method").unwrap().find('(').unwrap());
                let (class, name) = name.rsplit_once('.').unwrap();
                let method = Signature {
                    class: class.into(),
                    name: name.into(),
                    descriptor: descriptor.into(),
                    is_static: text.example.given.contains_key("static"),
                };
                let evidence: Vec<Evidence> = given("field").map(evidence).into_iter().collect();
                let evidence: Vec<&Evidence> = evidence.iter().collect();
                let outlines = outlines();
                let subject = Subject { method: &method, outlines: &outlines, evidence: &evidence, calls: &[] };
                let usual = UsualValues::read(false).unwrap();
                let mut all: Vec<Candidate> = candidates(&subject, &sources, 0, 0);
                all.extend(alone(&subject, &Values::new(&subject, &sources[0], &usual), 0, 0));
                all.extend(in_sequence(&subject, &Values::new(&subject, &sources[0], &usual), 0, 0));
                all.extend(varied(&sources, 0, 0, &leading(&outlines, &method, LEVELS)));
                all.extend(repeated(&subject, &sources, &[(0, 0)]));
                let behind =
                    |of: &Probe| given("before").is_none_or(|lines| of.look.before.join("\n").ends_with(lines));
                let (original, transformed) = (given("original"), given("transformed"));
                let expected = |about: &About| match about {
                    About::Told { mock, .. } => called(original, transformed, mock).unwrap(),
                    _ if text.name == REPEAT => Expected::Varied { is_boolean: true, above: 1 },
                    _ => Expected::of(given("type").unwrap(), original, transformed).unwrap(),
                };
                all.iter()
                    .enumerate()
                    .flat_map(|(candidate, one)| {
                        one.probes.iter().enumerate().map(move |(probe, of)| (candidate, one, probe, of))
                    })
                    .filter(|(.., of)| of.look.expression == given("looks").unwrap() && of.technique == text.name)
                    .filter(|(.., of)| behind(of))
                    .filter(|(_, one, ..)| matches!(one.shape, Shape::Copy) || one.probes.len() < 100)
                    .flat_map(|(candidate, one, probe, of)| {
                        let expected = expected(&of.look.about);
                        let shown = Shown { group: 0, candidate, probe, transformation: TransformationId(0), expected };
                        of_shown(&sources, one, &shown, &BTreeSet::new(), name, 0, Abilities::default())
                    })
                    .collect()
            }
        };
        drafts.iter().map(|draft| diff("T.java", code, &apply(code, &draft.edits).unwrap())).collect()
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

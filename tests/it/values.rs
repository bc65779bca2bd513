//! Every kind of value that reneri describes: it sees that the value is different, and proves an assertion.
//! `docs/values.md` is the table of what was seen. `RENERI_UPDATE=1` writes it.

use crate::common::{Copy, files_of};
use reneri::observation::kinds::{Kinds, ValueKind};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const PAGE: &str = "docs/values.md";
/// The table of the page follows this line.
const TABLE: &str = "<!-- The test tests/it/values.rs writes the rest of this page. -->\n";

/// A file of `tests/it/values/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    value: Vec<Case>,
    #[serde(default)]
    exception: Vec<Exception>,
}

/// A field of a class, and a method that changes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The Java type of the field.
    r#type: String,
    /// The run-time class of its value, if it differs from the declared type.
    class: Option<String>,
    make: String,
    change: String,
    #[serde(skip)]
    imports: Vec<String>,
}

/// A kind that does not work yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    r#type: String,
    change: Option<String>,
    lacks: Lack,
    reason: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Lack {
    Difference,
    Patch,
}

/// The way to the value in a test.
#[derive(Clone, Copy)]
enum Getter {
    /// A method whose type is `Object`.
    Object,
    /// A method with the type of the field.
    Typed,
    /// A method of an object that the test gets.
    OfInner,
}

/// The result of an analysis for one case.
struct Answer<'r> {
    symptom: &'r str,
    /// The first difference that says more than that there is an object, or the first one.
    evidence: Option<&'r Value>,
    /// The assertion of the patch that is proven.
    assertion: Option<String>,
    has_study_symptom: bool,
}

impl Data {
    fn read(file: &str) -> Self {
        let path = folder().join(file);
        toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }
}

impl Case {
    /// The examples of `rules/values.toml`.
    fn of_rules(kinds: &Kinds) -> Vec<Self> {
        let with_examples = kinds.value.iter().filter(|kind| kind.examples.len() == 2);
        with_examples.map(Self::of_examples).collect()
    }

    fn of_examples(kind: &ValueKind) -> Self {
        let mut imports = kind.imports();
        let simple = kind.r#type.split('.').find(|part| part.starts_with(char::is_uppercase)).unwrap();
        let (package, _) = kind.r#type.split_once(&format!(".{simple}")).unwrap();
        imports.push(format!("{package}.{simple}"));
        imports.sort();
        imports.dedup();
        Self {
            r#type: kind.r#type.clone(),
            class: kind.classes.first().cloned(),
            make: kind.examples[0].clone(),
            change: format!("v = {};", kind.examples[1]),
            imports,
        }
    }

    /// Alternates over the cases. It depends on the case only, so that a new case leaves the others as they are.
    fn getter(&self) -> Getter {
        let sum: usize = self.r#type.bytes().chain(self.change.bytes()).map(usize::from).sum();
        [Getter::Object, Getter::Typed, Getter::OfInner][sum % 3]
    }

    fn exception<'d>(&self, data: &'d Data) -> Option<&'d Exception> {
        data.exception.iter().find(|exception| {
            exception.r#type == self.r#type && exception.change.as_ref().is_none_or(|change| *change == self.change)
        })
    }

    /// The binary name of the run-time class.
    fn class(&self) -> &str {
        self.class.as_deref().unwrap_or_else(|| without_parameters(&self.r#type))
    }

    /// The source of the class with the field.
    fn source(&self, name: &str) -> String {
        let imports: String = self.imports.iter().map(|import| format!("import {import};\n")).collect();
        let Self { r#type, make, change, .. } = self;
        let returned = if matches!(self.getter(), Getter::Object) { "Object" } else { r#type };
        let field = format!("private {type} v = {make};");
        let value = format!("public {returned} value() {{ return v; }}");
        let begin = format!(
            "package values;\n\n{imports}\n@SuppressWarnings({{\"rawtypes\", \"unchecked\", \"deprecation\"}})\n\
             public class {name} {{\n    private int touched;"
        );
        let touched = "public int touched() { return touched; }";
        if matches!(self.getter(), Getter::OfInner) {
            return format!(
                "{begin}
    private final Inner inner = new Inner();
    {touched}
    public void work() {{ touched = 1; inner.change(); }}
    public Inner inner() {{ return inner; }}

    public static class Inner {{
        {field}
        void change() {{ {change} }}
        {value}
    }}
}}
"
            );
        }
        format!(
            "{begin}
    {field}
    {touched}
    public void work() {{ touched = 1; change(); }}
    void change() {{ {change} }}
    {value}
}}
"
        )
    }

    /// The source of a test that gets the value but does not check it.
    fn test(&self, name: &str, end: &str) -> String {
        let get = if matches!(self.getter(), Getter::OfInner) { "inner" } else { "value" };
        format!(
            "package values;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class {name}Test {{
    @Test
    public void works() {{
        {name} it = new {name}();
        it.work();
        assertEquals(1, it.touched());
        it.{get}();{end}
    }}
}}
"
        )
    }

    /// The package and the name of the type: `java.util` and `List<String>`.
    fn package_and_name(&self) -> (&str, String) {
        let plain = without_parameters(&self.r#type);
        let start = plain.find(char::is_uppercase).unwrap_or(0);
        let (package, name) = self.r#type.split_at(start);
        let package = if package.is_empty() { "java.lang" } else { package.trim_end_matches('.') };
        let qualifier = regex::Regex::new(r"\b(?:[a-z]+\.)+").unwrap();
        (package, qualifier.replace_all(name, "").into_owned())
    }

    /// The reader of such a value: methods of its class, or its fields.
    fn reader(&self, kinds: &Kinds) -> &'static str {
        let class = self.class();
        let calls = match (kinds.container(class), kinds.value.iter().find(|kind| kind.has_class(class))) {
            (Some(container), _) => container.read == "code",
            (None, Some(kind)) => kind.source.is_some() || kind.asks.iter().any(|ask| !ask.contains(" = ")),
            (None, None) => false,
        };
        if calls { "its own code" } else { "its fields" }
    }
}

/// `java.util.List<String>` gives `java.util.List`.
fn without_parameters(type_name: &str) -> &str {
    type_name.split('<').next().unwrap()
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/values")
}

/// Writes a project with a class and a test for each case. `end` is the end of each test.
fn project(cases: &[Case], end: &str) -> Copy {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("values");
    let (main, test) = (root.join("src/main/java/values"), root.join("src/test/java/values"));
    std::fs::create_dir_all(&main).unwrap();
    std::fs::create_dir_all(&test).unwrap();
    let calls = root.join("calls");
    for file in files_of(&folder().join("project")) {
        let name = file.file_name().unwrap();
        let to = if name == "pom.xml" { root.join(name) } else { main.join(name) };
        let text =
            std::fs::read_to_string(&file).unwrap().replace("\"CALLS\"", &format!("{:?}", calls.display().to_string()));
        std::fs::write(to, text).unwrap();
    }
    for (index, case) in cases.iter().enumerate() {
        let name = class_name(index);
        std::fs::write(main.join(format!("{name}.java")), case.source(&name)).unwrap();
        std::fs::write(test.join(format!("{name}Test.java")), case.test(&name, end)).unwrap();
    }
    Copy { folder: temporary, root }
}

fn class_name(index: usize) -> String {
    format!("Value{index:03}")
}

/// The answers of a report, by index of the case.
fn answers(report: &Value) -> BTreeMap<usize, Answer<'_>> {
    let changes = report["transformations"].as_array().unwrap().iter().filter(|entry| entry["method"] == "change");
    let answer = |entry| {
        let class: &str = text(entry, "class");
        let number = class.strip_prefix("values.Value").unwrap().get(..3).unwrap();
        (number.parse().unwrap(), Answer::of(entry))
    };
    changes.map(answer).collect()
}

fn text<'r>(entry: &'r Value, key: &str) -> &'r str {
    entry[key].as_str().unwrap_or_default()
}

impl<'r> Answer<'r> {
    fn of(entry: &'r Value) -> Self {
        let evidence = entry["evidence"].as_array().unwrap();
        let suggestions = entry["suggestions"].as_array().unwrap();
        let verified = suggestions.iter().find(|suggestion| suggestion["trust"] == "verified");
        Self {
            symptom: text(entry, "symptom"),
            evidence: evidence.iter().find(|evidence| shows_values(evidence)).or(evidence.first()),
            assertion: verified.and_then(|suggestion| suggestion["patch"].as_str()).and_then(assertion),
            has_study_symptom: entry["studySymptom"].is_string(),
        }
    }

    fn lack(&self) -> Option<Lack> {
        if self.symptom != "weak-oracle" || !self.evidence.is_some_and(shows_values) {
            Some(Lack::Difference)
        } else if self.assertion.is_none() {
            Some(Lack::Patch)
        } else {
            None
        }
    }
}

/// Whether a difference shows a value on both sides.
fn shows_values(evidence: &Value) -> bool {
    ["original", "transformed"].iter().all(|side| {
        let value = text(evidence, side);
        !value.is_empty() && !value.starts_with("non-null")
    })
}

/// The assertion that a patch adds.
fn assertion(patch: &str) -> Option<String> {
    let mut added = patch.lines().filter_map(|line| line.strip_prefix('+')).map(str::trim);
    added.rfind(|line| line.starts_with("assert")).map(|line| line.trim_end_matches(';').to_owned())
}

/// A code span in a table.
fn code(text: &str) -> String {
    let marks = if text.contains('`') { "``" } else { "`" };
    format!("{marks}{}{marks}", text.replace('|', "\\|"))
}

/// A value in a table. A digest says nothing to a reader.
fn shown(value: &str) -> String {
    if value.starts_with("contents ") { "a digest".to_owned() } else { code(value) }
}

/// The tables of the page: one for each package.
fn tables(rows: &BTreeMap<String, Vec<String>>) -> String {
    let mut written = String::new();
    for (package, rows) in rows {
        write!(
            written,
            "\n## {package}\n\n| Kind | Change | Read from | Difference | Assertion |\n|---|---|---|---|---|\n{}",
            rows.concat()
        )
        .unwrap();
    }
    written
}

fn row(case: &Case, answer: &Answer<'_>, kinds: &Kinds) -> String {
    let difference = answer.evidence.filter(|evidence| shows_values(evidence)).map_or_else(
        || "not seen".to_owned(),
        |evidence| format!("{} → {}", shown(text(evidence, "original")), shown(text(evidence, "transformed"))),
    );
    let assertion = answer.assertion.as_deref().map_or_else(|| "none".to_owned(), code);
    let (_, name) = case.package_and_name();
    let change = code(&case.change);
    format!("| {} | {change} | {} | {difference} | {assertion} |\n", code(&name), case.reader(kinds))
}

/// Compares the page with the tables, or writes it.
fn check_page(tables: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).unwrap();
    let (introduction, written) = page.split_once(TABLE).unwrap();
    if std::env::var_os("RENERI_UPDATE").is_some() {
        std::fs::write(&path, format!("{introduction}{TABLE}{tables}")).unwrap();
        return;
    }
    for (line, expected) in written.lines().zip(tables.lines()) {
        assert_eq!(line, expected, "{PAGE}: write it with RENERI_UPDATE=1");
    }
    assert_eq!(written, tables, "{PAGE}: write it with RENERI_UPDATE=1");
}

#[test]
fn each_kind_of_value_is_seen_shown_and_asserted() {
    let kinds = Kinds::embedded().unwrap();
    let data = Data::read("kinds.toml");
    let cases: Vec<Case> = Case::of_rules(kinds).into_iter().chain(Data::read("kinds.toml").value).collect();
    let project = project(&cases, "");
    let report = project.analyzed(&["--runs", "2"]);
    let answers = answers(&report);

    let mut wrong = String::new();
    let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        let kind = format!("{}, {}: {}", class_name(index), case.r#type, case.change);
        let Some(answer) = answers.get(&index) else {
            writeln!(wrong, "{kind}: it is not in the report").unwrap();
            continue;
        };
        let exception = case.exception(&data);
        if answer.lack() != exception.map(|exception| exception.lacks) {
            let evidence = answer.evidence.map(ToString::to_string).unwrap_or_default();
            let known = exception.map_or("none", |exception| exception.reason.as_str());
            writeln!(wrong, "{kind}: lacks {:?}; {} {evidence}; known: {known}", answer.lack(), answer.symptom)
                .unwrap();
        }
        if !answer.has_study_symptom {
            writeln!(wrong, "{kind}: no symptom of the study").unwrap();
        }
        let (package, _) = case.package_and_name();
        rows.entry(package.to_owned()).or_default().push(row(case, answer, kinds));
    }
    assert!(wrong.is_empty(), "{wrong}");
    for exception in &data.exception {
        let is_used =
            cases.iter().any(|case| case.exception(&data).is_some_and(|found| std::ptr::eq(found, exception)));
        assert!(is_used, "no case is of the exception {}", exception.r#type);
    }
    for rows in rows.values_mut() {
        rows.sort();
    }
    check_page(&tables(&rows));
}

#[test]
fn no_code_of_a_project_is_called_to_read_its_objects() {
    let cases = Data::read("hostile.toml").value;
    let project = project(&cases, "\n        assertEquals(0, Hostile.calls);");
    let report = project.analyzed(&["--runs", "2", "--no-fix"]);
    let calls = std::fs::read_to_string(project.root.join("calls")).unwrap_or_default();
    assert!(calls.is_empty(), "{calls}");
    let answers = answers(&report);
    assert_eq!(answers.len(), cases.len());
    for (index, answer) in answers {
        let case = &cases[index];
        assert_eq!(answer.symptom, "weak-oracle", "{}: {}", class_name(index), case.change);
    }
}

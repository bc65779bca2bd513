//! A parsed test source: imports, classes, fields, test methods, and their statements.

use crate::base::fingerprint::content;
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::instrument::modifiers;
use crate::text::encoding::{SourceEncoding, SourceForm};
use std::path::{Path, PathBuf};
use tree_sitter::{Node, Tree};

/// Annotations of fields that Mockito fills.
const MOCKED: [&str; 2] = ["@Mock", "@Spy"];
/// Calls that create mocks or spies.
const MOCKING: [&str; 4] = ["mock(", "Mockito.mock(", "spy(", "Mockito.spy("];

/// A parsed test source.
pub struct TestSource {
    pub path: PathBuf,
    pub text: String,
    /// The form in which the text is written.
    pub form: SourceForm,
    /// SHA-256 of the file.
    pub content: String,
    pub(super) tree: Tree,
    /// `org.example`; empty for the default package.
    pub package: String,
    pub imports: Vec<Import>,
    pub types: Vec<TestType>,
    pub methods: Vec<TestMethod>,
}

/// An import. All positions in this file are bytes, and ends are exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    pub start: usize,
    pub end: usize,
    /// `org.junit.Assert.assertEquals`, `org.junit.Assert.*`
    pub name: String,
    pub is_static: bool,
}

/// A class of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestType {
    /// Binary name.
    pub class: String,
    /// Simple name of the superclass.
    pub extends: Option<String>,
    pub fields: Vec<Variable>,
}

/// A method with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestMethod {
    /// Index into [`TestSource::types`].
    pub in_type: usize,
    pub name: String,
    /// The declaration, with modifiers and annotations.
    pub start: usize,
    pub end: usize,
    pub name_start: usize,
    /// The bytes inside the braces.
    pub body: (usize, usize),
    /// With annotations, as written.
    pub modifiers: String,
    pub is_static: bool,
    /// `throws X`, or empty.
    pub throws: String,
    pub parameters: Vec<Variable>,
    /// The statements of the outermost block.
    pub statements: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub start: usize,
    pub end: usize,
    /// The variables that the statement declares.
    pub declares: Vec<Variable>,
    /// Whether it is a declaration or an expression: it does not jump or branch.
    pub is_plain: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// As written, with type arguments.
    pub type_text: String,
    /// Mockito created it, so it knows its calls.
    pub is_mock: bool,
}

impl Variable {
    /// `List` of `java.util.List<String>`.
    #[must_use]
    pub fn simple_type(&self) -> &str {
        let plain = self.type_text.split('<').next().unwrap_or_default().trim();
        plain.rsplit('.').next().unwrap_or(plain)
    }

    #[must_use]
    pub fn is_primitive(&self) -> bool {
        matches!(self.type_text.as_str(), "boolean" | "byte" | "char" | "short" | "int" | "long" | "float" | "double")
    }
}

impl TestSource {
    /// Reads a source. `None` if the file cannot be read, or not be parsed as Java.
    #[must_use]
    pub fn read(path: &Path, encoding: SourceEncoding) -> Option<Self> {
        let bytes = read_file(path, LONGEST_SOURCE).ok()?;
        let decoded = encoding.decode(&bytes);
        Some(Self { form: decoded.form, content: content(&bytes), ..Self::of(path, decoded.text)? })
    }

    #[must_use]
    pub fn of(path: &Path, text: String) -> Option<Self> {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
        let tree = parser.parse(&text, None)?;
        let mut source = Self {
            path: path.to_path_buf(),
            content: content(text.as_bytes()),
            text,
            form: SourceForm::default(),
            tree: tree.clone(),
            package: String::new(),
            imports: Vec::new(),
            types: Vec::new(),
            methods: Vec::new(),
        };
        let root = tree.root_node();
        let mut cursor = root.walk();
        for node in root.named_children(&mut cursor) {
            match node.kind() {
                "package_declaration" => {
                    source.package = node.named_child(0).map(|name| source.slice(name).to_owned()).unwrap_or_default();
                }
                "import_declaration" => source.import(node),
                _ => source.read_type(node, None),
            }
        }
        Some(source)
    }

    pub(super) fn slice(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn import(&mut self, node: Node<'_>) {
        let text = self.slice(node).trim_start_matches("import").trim().trim_end_matches(';').trim();
        let (is_static, name) = match text.strip_prefix("static ") {
            Some(name) => (true, name),
            None => (false, text),
        };
        let name = name.split_whitespace().collect();
        self.imports.push(Import { start: node.start_byte(), end: node.end_byte(), name, is_static });
    }

    fn read_type(&mut self, node: Node<'_>, outer: Option<&str>) {
        if !matches!(
            node.kind(),
            "class_declaration" | "enum_declaration" | "record_declaration" | "interface_declaration"
        ) || node.has_error()
        {
            return;
        }
        let Some((name, body)) = node.child_by_field_name("name").zip(node.child_by_field_name("body")) else { return };
        let simple = self.slice(name);
        let class = match outer {
            Some(outer) => format!("{outer}${simple}"),
            None if self.package.is_empty() => simple.to_owned(),
            None => format!("{}.{simple}", self.package),
        };
        let extends = node.child_by_field_name("superclass").and_then(|superclass| superclass.named_child(0));
        let extends = extends.map(|name| {
            Variable { type_text: self.slice(name).to_owned(), ..Variable::default() }.simple_type().to_owned()
        });
        let number = self.types.len();
        self.types.push(TestType { class: class.clone(), extends, fields: Vec::new() });
        let mut cursor = body.walk();
        let members: Vec<Node<'_>> = body.named_children(&mut cursor).collect();
        for member in members {
            match member.kind() {
                "field_declaration" => {
                    let variables = self.declared(member);
                    if let Some(known) = self.types.get_mut(number) {
                        known.fields.extend(variables);
                    }
                }
                "method_declaration" => self.method(member, number),
                _ => self.read_type(member, Some(&class)),
            }
        }
    }

    /// The variables of a declaration of fields or locals.
    fn declared(&self, node: Node<'_>) -> Vec<Variable> {
        let Some(declared) = node.child_by_field_name("type") else { return Vec::new() };
        let type_text = self.slice(declared);
        let before = self.text.get(node.start_byte()..declared.start_byte()).unwrap_or_default();
        let mut cursor = node.walk();
        let declarators = node.children_by_field_name("declarator", &mut cursor);
        declarators
            .filter_map(|declarator| {
                let name = self.slice(declarator.child_by_field_name("name")?).to_owned();
                let brackets = declarator.child_by_field_name("dimensions").map_or("", |node| self.slice(node));
                let value = declarator.child_by_field_name("value").map_or("", |node| self.slice(node));
                let is_mock = before.split_whitespace().any(|word| MOCKED.contains(&word))
                    || MOCKING.iter().any(|call| value.starts_with(call))
                    || MOCKING.iter().any(|call| self.text.contains(&format!("{name} = {call}")));
                Some(Variable { name, type_text: format!("{type_text}{brackets}"), is_mock })
            })
            .collect()
    }

    fn method(&mut self, node: Node<'_>, in_type: usize) {
        let Some((name, body)) = node.child_by_field_name("name").zip(node.child_by_field_name("body")) else { return };
        let modifiers = modifiers(node).map(|modifiers| self.slice(modifiers).to_owned()).unwrap_or_default();
        let parameters = node.child_by_field_name("parameters").map_or_else(Vec::new, |parameters| {
            let mut cursor = parameters.walk();
            let parameters: Vec<Node<'_>> = parameters.named_children(&mut cursor).collect();
            parameters
                .into_iter()
                .filter_map(|parameter| {
                    Some(Variable {
                        name: self.slice(parameter.child_by_field_name("name")?).to_owned(),
                        type_text: self.slice(parameter.child_by_field_name("type")?).to_owned(),
                        is_mock: self.slice(parameter).split_whitespace().any(|word| MOCKED.contains(&word)),
                    })
                })
                .collect()
        });
        let mut cursor = node.walk();
        let throws = node.named_children(&mut cursor).find(|child| child.kind() == "throws");
        let throws = throws.map(|throws| self.slice(throws).to_owned()).unwrap_or_default();
        let mut cursor = body.walk();
        let statements = body.named_children(&mut cursor).filter(|child| !child.is_extra());
        let statements = statements
            .map(|statement| Statement {
                start: statement.start_byte(),
                end: statement.end_byte(),
                declares: match statement.kind() {
                    "local_variable_declaration" => self.declared(statement),
                    _ => Vec::new(),
                },
                is_plain: matches!(statement.kind(), "local_variable_declaration" | "expression_statement"),
            })
            .collect();
        self.methods.push(TestMethod {
            in_type,
            name: self.slice(name).to_owned(),
            start: node.start_byte(),
            end: node.end_byte(),
            name_start: name.start_byte(),
            body: (body.start_byte() + 1, body.end_byte() - 1),
            is_static: modifiers.split_whitespace().any(|word| word == "static"),
            modifiers,
            throws,
            parameters,
            statements,
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::edit::Edit;

    const SOURCE: &str = "package a.b;

import static org.junit.Assert.*;
import org.junit.Test;

public class SetTest extends Base<String> {
    private final List<String> field = null;

    @Test(expected = X.class)
    public void adds() {
        final Set<String> set = new Set<>(), other = null; // two
        assertTrue(set.add(\"a\"));
        if (set.isEmpty()) { set.clear(); }
        try { run(); } catch (X e) {
            seen(e);
        }
        assertThat(set.size()).isEqualTo(1);
    }
    class Inner { void helper(int[] a) { } }
}
";

    fn source() -> TestSource {
        TestSource::of(Path::new("SetTest.java"), SOURCE.to_owned()).unwrap()
    }

    fn at(needle: &str) -> usize {
        SOURCE.find(needle).unwrap()
    }

    #[test]
    fn types_methods_fields_and_imports_are_read() {
        let source = source();
        let types: Vec<_> = source.types.iter().map(|one| (one.class.as_str(), one.extends.as_deref())).collect();
        assert_eq!(types, [("a.b.SetTest", Some("Base")), ("a.b.SetTest$Inner", None)]);
        assert_eq!(source.types[0].fields[0].simple_type(), "List");
        let imports: Vec<_> = source.imports.iter().map(|import| (import.name.as_str(), import.is_static)).collect();
        assert_eq!(imports, [("org.junit.Assert.*", true), ("org.junit.Test", false)]);
        assert_eq!(source.methods[1].parameters[0].type_text, "int[]");
        let adds = &source.methods[0];
        assert_eq!((adds.name.as_str(), adds.statements.len()), ("adds", 5));
        assert!(adds.modifiers.starts_with("@Test(expected"));
        let declared: Vec<_> = adds.statements[0].declares.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(declared, ["set", "other"]);
        assert_eq!(source.calls_within(&adds.statements[1]), ["set.add(\"a\")"]);
        assert_eq!(source.call_name(&adds.statements[4]), Some("assertThat"));
        let calls = source.calls_in(&adds.statements[1]);
        let calls: Vec<&str> = calls.iter().map(|(_, code)| code.as_str()).collect();
        assert_eq!(calls, ["assertTrue(set.add(\"a\"))", "set.add(\"a\")"]);
    }

    #[test]
    fn a_place_is_found_by_line_and_column() {
        let source = source();
        let set = source.byte_of(12, 20).unwrap();
        assert_eq!(set, at("set.add"));
        assert_eq!(source.method_at(set), Some(0));
        assert_eq!(source.indentation(set), "        ");
        let (start, end) = source.catch_block(at("e) {")).unwrap();
        assert_eq!(SOURCE.get(start..end).unwrap().trim(), "seen(e);");
    }

    #[test]
    fn new_lines_follow_a_comment_and_stay_inside_a_block_of_one_line() {
        let source = source();
        let lines = ["x();".to_owned()];
        let behind_comment = source.lines_behind(at("other = null;") + 13, "  ", &lines);
        assert_eq!(behind_comment, Edit::insert(at("        assertTrue"), "  x();\n".into()));
        let in_line = source.lines_behind(at("set.clear();") + 12, "  ", &lines);
        assert_eq!(in_line, Edit::insert(at(" }\n        try"), "\n  x();".into()));
    }
}

//! From a test source to what a new test has to know of it: types, test methods, their statements, what is in scope behind each, imports.

use crate::fix::edit::Edit;
use crate::fix::source::style::Style;
use crate::instrument::modifiers;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tree_sitter::{Node, Tree};

/// Most other texts of the same code that stand for one.
const OTHERS: usize = 3;

/// Annotations of what Mockito makes.
const MOCKED: [&str; 2] = ["@Mock", "@Spy"];
/// Calls that do.
const MOCKING: [&str; 4] = ["mock(", "Mockito.mock(", "spy(", "Mockito.spy("];

/// A test source, read.
pub struct TestSource {
    pub path: PathBuf,
    pub text: String,
    tree: Tree,
    /// `org.example`; empty for the default package.
    pub package: String,
    pub imports: Vec<Import>,
    pub types: Vec<TestType>,
    pub methods: Vec<TestMethod>,
    /// How the class of a method is written, as far as it has been asked for: by where the method starts.
    pub(in crate::fix) styles: RefCell<BTreeMap<usize, Style>>,
}

/// Positions are bytes, ends exclusive, here and below.
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
    /// Of the declaration, with modifiers and annotations.
    pub start: usize,
    pub end: usize,
    pub name_start: usize,
    /// Inside of the braces.
    pub body: (usize, usize),
    /// With its annotations, as written.
    pub modifiers: String,
    pub is_static: bool,
    /// `throws X`, or empty.
    pub throws: String,
    pub parameters: Vec<Variable>,
    /// Of the outermost block.
    pub statements: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub start: usize,
    pub end: usize,
    /// What it declares.
    pub declares: Vec<Variable>,
    /// A declaration, or an expression: nothing that jumps or branches.
    pub is_plain: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// As written, with type arguments.
    pub type_text: String,
    /// Mockito made it, and knows what it was told.
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
    /// Reads a source. `None` where it cannot be read as Java, or not as UTF-8.
    #[must_use]
    pub fn read(path: &Path) -> Option<Self> {
        Self::of(path, String::from_utf8(std::fs::read(path).ok()?).ok()?)
    }

    #[must_use]
    pub fn of(path: &Path, text: String) -> Option<Self> {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
        let tree = parser.parse(&text, None)?;
        let mut source = Self {
            path: path.to_path_buf(),
            text,
            tree: tree.clone(),
            package: String::new(),
            imports: Vec::new(),
            types: Vec::new(),
            methods: Vec::new(),
            styles: RefCell::default(),
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

    fn slice(&self, node: Node<'_>) -> &str {
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

    /// The calls in a statement that stand on one line, outer ones first: name of the method, and code. What lambdas and classes in it do comes
    /// later or never, and is left out.
    #[must_use]
    pub fn calls_in(&self, statement: &Statement) -> Vec<(String, String)> {
        let Some(node) = self.tree.root_node().descendant_for_byte_range(statement.start, statement.end) else {
            return Vec::new();
        };
        let mut found: Vec<(String, String)> = Vec::new();
        let mut cursor = node.walk();
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if matches!(node.kind(), "lambda_expression" | "class_body") {
                continue;
            }
            let name = node.child_by_field_name("name").filter(|_| node.kind() == "method_invocation");
            if let Some(name) = name {
                let code = self.slice(node);
                if !code.contains('\n') && !found.iter().any(|(_, known)| known == code) {
                    found.push((self.slice(name).to_owned(), code.to_owned()));
                }
            }
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            waiting.extend(children.into_iter().rev());
        }
        found
    }

    /// The texts in it, as written, in order, each once.
    #[must_use]
    pub fn literals(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut cursor = self.tree.walk();
        let mut waiting = vec![self.tree.root_node()];
        while let Some(node) = waiting.pop() {
            if node.kind() == "string_literal" {
                let text = self.slice(node);
                if !text.contains('\n') && !found.iter().any(|known| known == text) {
                    found.push(text.to_owned());
                }
            }
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            waiting.extend(children.into_iter().rev());
        }
        found
    }

    /// The innermost method that this byte is in.
    #[must_use]
    pub fn method_at(&self, byte: usize) -> Option<usize> {
        let around = self.methods.iter().enumerate().filter(|(_, method)| method.start <= byte && byte < method.end);
        around.min_by_key(|(_, method)| method.end - method.start).map(|(index, _)| index)
    }

    /// The byte of a line and column, both from 1, columns in characters.
    #[must_use]
    pub fn byte_of(&self, line: u32, column: u32) -> Option<usize> {
        let mut start = 0;
        for (number, text) in (1_u32..).zip(self.text.split_inclusive('\n')) {
            if number == line {
                let column = usize::try_from(column.checked_sub(1)?).ok()?;
                return text.char_indices().nth(column).map(|(byte, _)| start + byte);
            }
            start += text.len();
        }
        None
    }

    /// The inside of the block of the catch clause that declares a parameter at this byte.
    #[must_use]
    pub fn catch_block(&self, byte: usize) -> Option<(usize, usize)> {
        let mut node = self.tree.root_node().descendant_for_byte_range(byte, byte + 1)?;
        while node.kind() != "catch_clause" {
            node = node.parent()?;
        }
        let body = node.child_by_field_name("body")?;
        Some((body.start_byte() + 1, body.end_byte() - 1))
    }

    /// The calls that are the arguments of a call that is a whole statement: `set.add("a")` of `assertTrue(set.add("a"));`.
    #[must_use]
    pub fn calls_within(&self, statement: &Statement) -> Vec<&str> {
        let Some(node) = self.tree.root_node().descendant_for_byte_range(statement.start, statement.end) else {
            return Vec::new();
        };
        let call = node.named_child(0).filter(|call| call.kind() == "method_invocation");
        let Some(arguments) = call.and_then(|call| call.child_by_field_name("arguments")) else { return Vec::new() };
        let mut cursor = arguments.walk();
        let calls: Vec<Node<'_>> = arguments.named_children(&mut cursor).collect();
        calls.into_iter().filter(|node| node.kind() == "method_invocation").map(|node| self.slice(node)).collect()
    }

    /// The name of the call that is this whole statement: `assertTrue`.
    #[must_use]
    pub fn call_name(&self, statement: &Statement) -> Option<&str> {
        let node = self.tree.root_node().descendant_for_byte_range(statement.start, statement.end)?;
        let mut call = node.named_child(0).filter(|call| call.kind() == "method_invocation")?;
        // `assertThat(x).isTrue()` is a call of `assertThat`.
        while let Some(object) = call.child_by_field_name("object").filter(|it| it.kind() == "method_invocation") {
            call = object;
        }
        call.child_by_field_name("name").map(|name| self.slice(name))
    }

    /// White space in front of the line that this byte is on.
    #[must_use]
    pub fn indentation(&self, byte: usize) -> &str {
        let line = self.line_start(byte);
        let rest = self.text.get(line..).unwrap_or_default();
        let end = rest.find(|character: char| !matches!(character, ' ' | '\t')).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    #[must_use]
    pub fn line_start(&self, byte: usize) -> usize {
        self.text.get(..byte).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
    }

    /// Behind the end of the line that this byte is on.
    #[must_use]
    pub fn line_end(&self, byte: usize) -> usize {
        let rest = self.text.get(byte..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |newline| byte + newline + 1)
    }

    #[must_use]
    pub fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Lines behind the line that ends at `byte`, which has to hold nothing else behind it but a comment.
    #[must_use]
    pub fn lines_behind(&self, byte: usize, indentation: &str, lines: &[String]) -> Edit {
        let end = self.line_end(byte);
        let rest = self.text.get(byte..end).unwrap_or_default().trim();
        let newline = self.newline();
        let text: String = lines.iter().map(|line| format!("{indentation}{line}{newline}")).collect();
        if rest.is_empty() || rest.starts_with("//") {
            return Edit::insert(end, text);
        }
        Edit::insert(byte, format!("{newline}{}", text.trim_end_matches(['\r', '\n'])))
    }
}

/// Whether `name` stands in the code by itself.
#[must_use]
pub fn mentions(code: &str, name: &str) -> bool {
    places_of(code, name).next().is_some()
}

/// How often it does.
#[must_use]
pub fn mentioned(code: &str, name: &str) -> usize {
    places_of(code, name).count()
}

fn places_of<'c>(code: &'c str, name: &'c str) -> impl Iterator<Item = usize> + 'c {
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    let is_whole = move |at: &usize| {
        let before = code.get(..*at).and_then(|before| before.chars().next_back());
        let after = code.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(|character| is_part(character) || character == '.') && !after.is_some_and(is_part)
    };
    code.match_indices(name).map(|(at, _)| at).filter(is_whole)
}

/// A way to change one input in a piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Bytes that are replaced, end exclusive.
    pub start: usize,
    pub end: usize,
    pub text: String,
    /// What stands there now; `None` where something is left out.
    pub value: Option<String>,
}

/// The ways to change one literal in these statements, or to leave out one element of a list of them: of each place the first, then of each the second.
#[must_use]
pub fn changes(statements: &str) -> Vec<Change> {
    const BEGIN: &str = "class X { void x() { ";
    let mut parser = tree_sitter::Parser::new();
    let text = format!("{BEGIN}{statements} }} }}");
    let tree = parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok().and_then(|()| parser.parse(&text, None));
    let Some(tree) = tree.filter(|tree| !tree.root_node().has_error()) else { return Vec::new() };
    let mut places: Vec<Node<'_>> = Vec::new();
    let mut cursor = tree.walk();
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        if matches!(node.kind(), "string_literal" | "decimal_integer_literal" | "true" | "false") {
            places.push(node);
        } else {
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            waiting.extend(children.into_iter().rev());
        }
    }
    let slice = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default().to_owned();
    let texts: BTreeSet<String> =
        places.iter().filter(|node| node.kind() == "string_literal").map(|node| slice(*node)).collect();
    let of_place = |node: &Node<'_>| {
        let own = slice(*node);
        let change = |start: usize, end: usize, value: Option<String>| Change {
            start: start - BEGIN.len(),
            end: end - BEGIN.len(),
            text: value.clone().unwrap_or_default(),
            value,
        };
        let mut found = Vec::new();
        // A list is an array, or arguments that are all texts.
        let list = node.parent().filter(|parent| {
            let mut cursor = parent.walk();
            parent.kind() == "array_initializer"
                || parent.kind() == "argument_list"
                    && parent.named_child_count() > 1
                    && parent.named_children(&mut cursor).all(|one| one.kind() == "string_literal")
        });
        if list.is_some() {
            let (start, end) = match (node.next_named_sibling(), node.prev_named_sibling()) {
                (Some(next), _) => (node.start_byte(), next.start_byte()),
                (None, Some(last)) => (last.end_byte(), node.end_byte()),
                (None, None) => (node.start_byte(), node.end_byte()),
            };
            found.push(change(start, end, None));
        }
        let others: Vec<String> = match own.as_str() {
            "true" => vec!["false".to_owned()],
            "false" => vec!["true".to_owned()],
            _ if own.starts_with('"') => {
                let others = texts.iter().filter(|text| **text != own).take(OTHERS).cloned();
                others.chain([String::from("\"\"")]).filter(|text| *text != own).collect()
            }
            _ => {
                let number: Option<i64> = own.parse().ok();
                let numbers = number.into_iter().flat_map(|number| [number.saturating_add(1), 0, -1]);
                numbers.map(|number| number.to_string()).filter(|number| *number != own).collect()
            }
        };
        found.extend(others.into_iter().map(|other| change(node.start_byte(), node.end_byte(), Some(other))));
        found
    };
    let all: Vec<Vec<Change>> = places.iter().map(of_place).collect();
    let most = all.iter().map(Vec::len).max().unwrap_or(0);
    (0..most).flat_map(|rank| all.iter().filter_map(move |of_place| of_place.get(rank)).cloned()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
    fn places_are_found_by_line_column_and_byte() {
        let source = source();
        let set = source.byte_of(12, 20).unwrap();
        assert_eq!(set, at("set.add"));
        assert_eq!(source.method_at(set), Some(0));
        assert_eq!(source.indentation(set), "        ");
        let (start, end) = source.catch_block(at("e) {")).unwrap();
        assert_eq!(SOURCE.get(start..end).unwrap().trim(), "seen(e);");
    }

    #[test]
    fn lines_go_behind_a_comment_and_stay_inside_a_block_of_one_line() {
        let source = source();
        let lines = ["x();".to_owned()];
        let behind_comment = source.lines_behind(at("other = null;") + 13, "  ", &lines);
        assert_eq!(behind_comment, Edit::insert(at("        assertTrue"), "  x();\n".into()));
        let in_line = source.lines_behind(at("set.clear();") + 12, "  ", &lines);
        assert_eq!(in_line, Edit::insert(at(" }\n        try"), "\n  x();".into()));
    }

    #[test]
    fn a_name_is_mentioned_only_by_itself() {
        assert!(mentions("f(set)", "set") && mentions("set.add()", "set"));
        assert!(!mentions("a.set()", "set") && !mentions("reset(settings)", "set"));
    }
}

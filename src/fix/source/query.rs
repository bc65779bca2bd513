//! Queries on the syntax tree of a test source.

use crate::fix::source::test_source::{Statement, TestMethod, TestSource};
use std::collections::BTreeSet;
use std::ops::Range;
use tree_sitter::Node;

impl TestSource {
    /// The calls in a statement that stand on one line, outer calls first: name of the method, and
    /// code.
    ///
    /// Calls in lambdas and classes are left out, because they happen later or never.
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

    /// The string literals of the source, as written, in order, each once.
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

    /// The names of the methods of this class (binary name).
    #[must_use]
    pub fn names_in(&self, class: &str) -> BTreeSet<String> {
        let is_of = |method: &&TestMethod| self.types.get(method.in_type).is_some_and(|one| one.class == class);
        self.methods.iter().filter(is_of).map(|method| method.name.clone()).collect()
    }

    /// The innermost method that contains this byte.
    #[must_use]
    pub fn method_at(&self, byte: usize) -> Option<usize> {
        let around = self.methods.iter().enumerate().filter(|(_, method)| method.start <= byte && byte < method.end);
        around.min_by_key(|(_, method)| method.end - method.start).map(|(index, _)| index)
    }

    /// The bytes inside the block of the catch clause whose parameter is at this byte.
    #[must_use]
    pub fn catch_block(&self, byte: usize) -> Option<(usize, usize)> {
        let mut node = self.tree.root_node().descendant_for_byte_range(byte, byte + 1)?;
        while node.kind() != "catch_clause" {
            node = node.parent()?;
        }
        let body = node.child_by_field_name("body")?;
        Some((body.start_byte() + 1, body.end_byte() - 1))
    }

    /// The innermost statement with this byte, and whether it is an element of a block.
    ///
    /// `None` outside of all blocks, in the initialiser of a field for example.
    #[must_use]
    pub fn statement_at(&self, byte: usize) -> Option<(Range<usize>, bool)> {
        const BLOCKS: [&str; 3] = ["block", "constructor_body", "switch_block_statement_group"];
        let mut node = self.tree.root_node().descendant_for_byte_range(byte, byte + 1)?;
        loop {
            let parent = node.parent()?;
            if BLOCKS.contains(&parent.kind()) {
                return Some((node.byte_range(), true));
            }
            // The body of a branch or a loop without braces.
            if node.kind().ends_with("_statement") && parent.kind().ends_with("_statement") {
                return Some((node.byte_range(), false));
            }
            node = parent;
        }
    }

    /// The calls among the arguments of a call that is a whole statement: `set.add("a")` of
    /// `assertTrue(set.add("a"));`.
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

    /// The name of the method whose call is this whole statement: `assertTrue`.
    #[must_use]
    pub fn call_name(&self, statement: &Statement) -> Option<&str> {
        let node = self.tree.root_node().descendant_for_byte_range(statement.start, statement.end)?;
        let mut call = node.named_child(0).filter(|call| call.kind() == "method_invocation")?;
        // `assertThat(x).isTrue()` counts as a call of `assertThat`.
        while let Some(object) = call.child_by_field_name("object").filter(|it| it.kind() == "method_invocation") {
            call = object;
        }
        call.child_by_field_name("name").map(|name| self.slice(name))
    }
}

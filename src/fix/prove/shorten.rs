//! Shortens the lists of inputs in proven drafts, as long as the proof still holds.

use crate::base::error::Result;
use crate::fix::prove::alone::{Proof, prove_alone};
use crate::fix::source::library::Library;
use crate::fix::techniques::vary_input::VARY_INPUT;
use crate::fix::trial::entered::EnteredMethods;
use crate::fix::trial::exploration::Group;
use crate::fix::trial::workshop::Workshop;
use crate::fix::write::draft::Draft;
use crate::fix::write::placement::Declaration;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Longest list of which every selection is tried.
const FEW: usize = 6;

/// Replaces each chosen draft by the shortest one that closes the same transformations.
///
/// # Errors
///
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn shorten(
    workshop: &mut Workshop<'_>,
    library: &Library<'_>,
    groups: &[Group],
    drafts: &mut [Draft],
    proofs: &mut [Option<Proof>],
    chosen: &BTreeSet<usize>,
    entered: &mut [EnteredMethods],
) -> Result<()> {
    let mut shorter: Vec<Draft> = Vec::new();
    let mut of: Vec<usize> = Vec::new();
    for (index, draft) in drafts.iter().enumerate().filter(|(index, _)| chosen.contains(index)) {
        let found = with_fewer(draft);
        of.extend(found.iter().map(|_| index));
        shorter.extend(found);
    }
    if shorter.is_empty() {
        return Ok(());
    }
    let held = prove_alone(workshop, library, groups, &shorter, entered)?;
    let mut done = BTreeSet::new();
    for ((index, draft), proof) in of.into_iter().zip(shorter).zip(held) {
        if let (Some(old), Some(Some(known)), Some(proof)) = (drafts.get_mut(index), proofs.get_mut(index), proof)
            && !done.contains(&index)
            && proof.closes.is_superset(&known.closes)
            && proof.doubt == known.doubt
        {
            *old = draft;
            *known = proof;
            done.insert(index);
        }
    }
    Ok(())
}

/// The same draft with fewer elements in its longest list of literals, on one line; fewest elements
/// first.
fn with_fewer(draft: &Draft) -> Vec<Draft> {
    let Declaration { before_name, after_name } = &draft.declaration;
    let whole = format!("{before_name}{}{after_name}", draft.test);
    if !draft.is_new || draft.technique != VARY_INPUT {
        return Vec::new();
    }
    let Some(List { text, elements }) = longest(&whole) else { return Vec::new() };
    let mut selections: Vec<Vec<&str>> = selections(&elements);
    // Elements that the name of the test mentions have to stay.
    let named = draft.test.rsplit_once("For").map(|(_, named)| plain(named)).unwrap_or_default();
    let tells = |one: &&str| !plain(one).is_empty() && named.contains(&plain(one));
    selections.retain(|left| elements.iter().map(String::as_str).filter(tells).all(|one| left.contains(&one)));
    selections.sort_by_key(|left| (left.len(), left.iter().map(|one| one.len()).sum::<usize>()));
    let space = if text.starts_with("{ ") || text.starts_with("{\n") { " " } else { "" };
    let with = |left: Vec<&str>| {
        let list = format!("{{{space}{}{space}}}", left.join(", "));
        let mut draft = draft.clone();
        draft.edits.iter_mut().for_each(|edit| edit.text = edit.text.replacen(&text, &list, 1));
        let after_name = draft.declaration.after_name.replacen(&text, &list, 1);
        draft.declaration.after_name = after_name;
        draft
    };
    selections.into_iter().map(with).collect()
}

/// The initializer of an array, as written.
struct List {
    text: String,
    elements: Vec<String>,
}

/// The longest list in a method that has only literals.
fn longest(method: &str) -> Option<List> {
    const BEGIN: &str = "class X { ";
    let text = format!("{BEGIN}{method} }}");
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
    let tree = parser.parse(&text, None)?;
    let slice = |node: &Node<'_>| text.get(node.byte_range()).unwrap_or_default().to_owned();
    let mut cursor = tree.walk();
    let mut waiting = vec![tree.root_node()];
    let mut found: Option<List> = None;
    while let Some(node) = waiting.pop() {
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let is_longer = found.as_ref().is_none_or(|found| found.elements.len() < children.len());
        let is_literal = |child: &Node<'_>| child.kind().ends_with("_literal");
        if node.kind() == "array_initializer" && children.len() > 1 && is_longer && children.iter().all(is_literal) {
            found = Some(List { text: slice(&node), elements: children.iter().map(slice).collect() });
        } else {
            waiting.extend(children);
        }
    }
    found
}

/// Every selection of elements in order, except none and all. Of long lists, only beginnings.
fn selections(elements: &[String]) -> Vec<Vec<&str>> {
    let count = elements.len();
    if count > FEW {
        return (1..count).map(|left| elements.iter().take(left).map(String::as_str).collect()).collect();
    }
    let of = |set: u32| -> Vec<&str> {
        elements.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0).map(|(_, one)| one.as_str()).collect()
    };
    (1..(1_u32 << count) - 1).map(of).collect()
}

/// Letters and digits only, in lower case.
fn plain(text: &str) -> String {
    text.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(test: &str, body: &str) -> Draft {
        Draft { technique: VARY_INPUT, ..Draft::of_new_test(test, body) }
    }

    #[test]
    fn shorter_lists_come_first_and_stand_on_one_line() {
        let texts = |body: &str| -> Vec<String> {
            with_fewer(&draft("fails", body)).into_iter().map(|draft| draft.edits[0].text.clone()).collect()
        };
        let made = texts("String[] a = { \"-b\",\n    \"x\", \"yy\" }; parse(a);");
        assert_eq!(made.len(), 6);
        assert_eq!(made[0], "@Test void fails() { String[] a = { \"x\" }; parse(a); }");
        assert_eq!(made[5], "@Test void fails() { String[] a = { \"-b\", \"yy\" }; parse(a); }");
        assert_eq!(texts("parse(new int[] {1, 2});")[1], "@Test void fails() { parse(new int[] {2}); }");
        assert!(texts("parse(new int[] {1}, new int[] {x, 2}, f(1, 2));").is_empty());
    }

    #[test]
    fn an_element_in_the_name_stays() {
        let made = with_fewer(&draft("parseFailsForBfile", "parse(new String[] {\"--bfile\", \"x\"});"));
        let texts: Vec<&str> = made.iter().map(|draft| draft.declaration.after_name.as_str()).collect();
        assert_eq!(texts, ["() { parse(new String[] {\"--bfile\"}); }"]);
    }

    #[test]
    fn only_beginnings_of_a_long_list_are_tried() {
        let elements: Vec<String> = (0..8).map(|number| number.to_string()).collect();
        let made = selections(&elements);
        assert_eq!(made.len(), 7);
        assert_eq!(made[1], ["0", "1"]);
    }
}
